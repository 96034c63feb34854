#!/bin/sh
# What is wrong, as code and place, for an editor or a log; the status would end a script, so it is taken.
# shows: AGX302 broadcast-shape-mismatch 0-5
(agx trace "a + b" --a "randn(3,5,4)" --b "randn(3,5)" --json || true) | jq -r '.findings[] | "\(.code) \(.name) \(.span[0])-\(.span[1])"'
