"""agx, a command-line explorer of PyTorch's autograd."""

__version__ = "0.1.0"
