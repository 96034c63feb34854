# expect: custom-function-grad-count
import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bits, signed=True):
        return (x * bits).round() / bits

    @staticmethod
    def backward(ctx, g):
        return g, None


x = torch.randn(4, requires_grad=True)
Round.apply(x, 8, True).sum().backward()
