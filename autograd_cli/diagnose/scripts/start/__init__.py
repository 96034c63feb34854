"""The folder that stands first on PYTHONPATH while a script's process starts, and no longer as it runs."""
