#!/bin/sh
# Tab-separated values for cut, sort and awk.
# shows: x	-2.614574
agx trace "sin(x**2)" --x 2 -f tsv | cut -f1,2
