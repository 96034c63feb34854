#!/bin/sh
# A value read from standard input.
# shows: autograd  2  4  6
echo "1 2 3" | agx trace "(x**2).sum()" --x @-
