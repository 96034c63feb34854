#!/bin/sh
# The repair that agx tried is taken from one report and traced by the next.
# shows: x.t().reshape(15) = (15,)
agx trace "x.t().view(15)" --x "randn(3,5)" --json | jq -r '.findings[0].fix[0].program' | agx trace - --x "randn(3,5)"
