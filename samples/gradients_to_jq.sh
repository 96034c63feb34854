#!/bin/sh
# One number a line, for the next tool in the pipe.
# shows: 2.583853
echo "x*y + sin(x)" | agx trace - --x 2 --y 3 --json | jq -r '.gradients[].autograd'
