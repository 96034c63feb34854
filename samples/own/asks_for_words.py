# A script that takes its factor from the command line cannot be loaded as it stands.
import sys

FACTOR = float(sys.argv[1])


def scaled(x):
    return FACTOR * x
