"""The variables through which agx tells a script's process what to do; the process takes them out at once."""

TASK = "AGX_DIAGNOSE"
"""Names the file which takes what happened."""

WATCH = "AGX_WATCH"
"""Is there where the script is watched."""

PATH = "AGX_PYTHONPATH"
"""Has PYTHONPATH as it was, where it was set."""
