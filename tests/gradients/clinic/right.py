"""Autograd functions as they should be."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Swish(Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, grad_output):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        slope = s * (1 - s)
        grad_x = grad_beta = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output * (s + beta * x * slope)
        if ctx.needs_input_grad[1]:
            grad_beta = (grad_output * x * x * slope).sum_to_size(beta.shape)
        return grad_x, grad_beta


class Exp(Function):
    """In the form with setup_context; its output is saved."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * y


class Linear(Function):
    """Arguments that are no tensors, and one that may be None."""

    @staticmethod
    def forward(ctx, x, w, b, scale):
        ctx.save_for_backward(x, w)
        ctx.scale, ctx.has_bias = scale, b is not None
        y = scale * (x @ w.T)
        return y if b is None else y + b

    @staticmethod
    def backward(ctx, grad_output):
        x, w = ctx.saved_tensors
        grad_x = grad_w = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_x = ctx.scale * (grad_output @ w)
        if ctx.needs_input_grad[1]:
            grad_w = ctx.scale * (grad_output.T @ x)
        if ctx.has_bias and ctx.needs_input_grad[2]:
            grad_b = grad_output.sum(0)
        return grad_x, grad_w, grad_b, None


class Largest(Function):
    """Several outputs, one of which has no gradient; marked once_differentiable."""

    @staticmethod
    def forward(ctx, x):
        values, places = x.max(1)
        ctx.mark_non_differentiable(places)
        ctx.save_for_backward(places)
        ctx.shape = x.shape
        return values, places

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_values, grad_places):
        (places,) = ctx.saved_tensors
        made = grad_values.new_zeros(ctx.shape)
        return made.scatter(1, places.unsqueeze(1), grad_values.unsqueeze(1))


class Doubled(Function):
    """In place, with mark_dirty."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2
