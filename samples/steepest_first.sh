#!/bin/sh
# Gradients sorted by size, the largest first.
# shows: y	27
agx trace "x**2 + y**3 + z" --x 2 --y 3 --z 5 -f tsv | sort -t "$(printf '\t')" -k2,2 -gr | cut -f1,2 | head -1
