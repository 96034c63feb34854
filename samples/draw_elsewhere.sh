#!/bin/sh
# A report computed here and drawn where no torch is installed.
# shows: digraph
agx trace "x@w" --x "randn(2,3)" --w "randn(3,2)" --json | agx show - -f dot
