"""`python -m autograd_cli` is `agx`."""

from autograd_cli.cli import main

if __name__ == "__main__":
    main()
