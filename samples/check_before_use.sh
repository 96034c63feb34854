#!/bin/sh
# The exit status says whether the gradients are right.
# shows: right
agx gradcheck "sin(x**2)" --x 2 > /dev/null && echo right
