"""A file of a person's own callables, and the report of a command that takes them."""

import json

OPS = """
import functools
import os
import signal
import sys
import warnings

import torch
from torch import nn

print("loaded")


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, beta)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s, beta = ctx.saved_tensors
        return g * (s + x * s * (1 - s)), (g * x * x * s * (1 - s)).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x).tanh()


class Sized(nn.Module):
    def __init__(self, n):
        super().__init__()


def double(x):
    print("called")
    warnings.warn("theirs")
    y = x * 2
    return y + 0


def stopped(x):
    with torch.no_grad():
        size = x.norm()
    return x * x.detach() * size * float(x.max()) * (x > 0)


def fails(x):
    y = x * 2
    raise ValueError("not today")


def leaves(x):
    sys.exit(3)


class Leaves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise SystemExit(7)


class Interrupts(Leaves):
    @staticmethod
    def backward(ctx, g):
        raise KeyboardInterrupt


def interrupts(x):
    raise KeyboardInterrupt


def is_pressed(x):
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass


def counts(x, n):
    return sum(x for _ in range(n))


def table(x):
    return {"out": x}


def several(x):
    return [x * 2, (x * 3, None, 4)]


async def later(x):
    return x


cube = functools.partial(torch.pow, exponent=3)
square = lambda x: x**2
net = Net()
number = 3
"""


def report(agx, *words):
    status, out, _ = agx(*words, "--json")
    made = json.loads(out)
    assert status == made["status"]
    return made
