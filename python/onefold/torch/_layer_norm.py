# SPDX-License-Identifier: Apache-2.0
"""layer_norm, which is a function of the library, as are its gradients.

A kernel and its backward are one operator each, so that a compiler neither reorders nor contracts
what is in it.
"""
from __future__ import annotations

import torch

from .. import _core
from ._bridge import adjacent, compute_dtype, define, float_dtype, like, rows
from ._norms import row_dims


def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(x - mean(x)) / sqrt(var(x) + eps) * weight + bias over the last dimensions. As
    `F.layer_norm`.

    Forward, for each row of n elements, in this order:
        m = the sum, exact, rounded to float64, over n; d = x - m in float64, then in float32;
        s = the sum of d's squares, exact, rounded to float64; r = 1 / sqrt(s / n + eps) in float64;
        y = (d * r) * weight + bias in float32, then rounded to x's type.
    Each step is correctly rounded, so y has the same bits on every device.
    Backward, for a gradient g:
        a = g * weight; A = the sum of a, D = the dot product of a and d, exact, rounded to float64;
        dx = (a - A / n) * r - d * (D * (r^3 / n));
        dweight and dbias = the exact sums over the rows of g * (d * r) and of g.
    So dx has the same bits in every batch, and the others for every order of the rows.

    Args:
        x: a floating tensor.
        normalized_shape: the extents of the last dimensions, an int for one.
        weight, bias: tensors of normalized_shape, or None.

    >>> import torch
    >>> layer_norm(torch.tensor([[3.0, 4.0, 8.0]]), 3, eps=0.0)
    tensor([[-0.9258, -0.4629,  1.3887]])
    """
    dims = row_dims(x, normalized_shape, weight=weight, bias=bias)
    return _layer_norm(x, weight, bias, dims, eps)


def _vector_dtype(weight, bias, x):
    """The one type that the weight, the bias and their gradients have in the kernels."""
    same = all(one is None or one.dtype is x.dtype for one in (weight, bias))
    return x.dtype if same else compute_dtype(x.dtype)


def _vectors(weight, bias, x):
    """The weight and the bias, contiguous and of one type that rows of x's type take."""
    dtype = _vector_dtype(weight, bias, x)
    return [None if one is None else adjacent(one.to(dtype)) for one in (weight, bias)]


def _kernel(x, weight, bias, dims, eps):
    y, mean, inverse = _fake(x, weight, bias, dims, eps)
    _core.layer_norm_rows(rows(x, dims), dims, *_vectors(weight, bias, x), y, mean, inverse, eps)
    return y, mean, inverse


def _plain(x, weight, bias, dims, eps):
    float_dtype("layer_norm", x, None)
    y = like(x)
    _core.layer_norm_rows(rows(x, dims), dims, *_vectors(weight, bias, x), y, None, None, eps)
    return y


def _fake(x, weight, bias, dims, eps):
    float_dtype("layer_norm", x, None)
    extents = (*x.shape[:x.dim() - dims], *[1] * dims)
    mean, inverse = (x.new_empty(extents, dtype=torch.float64) for _ in range(2))
    return like(x), mean, inverse


def _gradients(g, x, weight, bias, mean, inverse, dims, wants_x, wants_weight, wants_bias):
    """dx, dweight and dbias; those that are not wanted are empty."""
    dx, dweight, dbias = _gradients_fake(g, x, weight, bias, mean, inverse, dims, wants_x,
                                         wants_weight, wants_bias)
    dtype = _vector_dtype(weight, bias, x)
    sums = [to if to.dtype is dtype else to.new_empty(to.shape, dtype=dtype)
            for to in (dweight, dbias)]
    _core.layer_norm_backward_rows(
        rows(g, dims), rows(x, dims), dims, _vectors(weight, bias, x)[0], mean, inverse,
        dx if wants_x else None, sums[0] if wants_weight else None,
        sums[1] if wants_bias else None)
    for own, to in zip(sums, (dweight, dbias)):
        if own is not to:
            to.copy_(own)
    return dx, dweight, dbias


def _gradients_fake(g, x, weight, bias, mean, inverse, dims, wants_x, wants_weight, wants_bias):
    return (like(x) if wants_x else x.new_empty(0),
            like(weight) if wants_weight else x.new_empty(0),
            like(bias) if wants_bias else x.new_empty(0))


def _context(ctx, inputs, output):
    x, weight, bias, ctx.row_dims, _ = inputs
    ctx.save_for_backward(x, weight, bias, *output[1:])


def _backward(ctx, g, *_):
    if g is None:
        return None, None, None, None, None
    wanted = ctx.needs_input_grad[:3]
    made = _backward_rows(g, *ctx.saved_tensors, ctx.row_dims, *wanted)
    return *(one if want else None for one, want in zip(made, wanted)), None, None


_layer_norm = define(
    "layer_norm",
    "(Tensor x, Tensor? weight, Tensor? bias, int dims, float eps) -> (Tensor, Tensor, Tensor)",
    _kernel, _fake, _backward, _context, _plain, answers=1)
_backward_rows = define(
    "layer_norm_backward",
    "(Tensor g, Tensor x, Tensor? weight, Tensor? bias, Tensor mean, Tensor inverse, int dims, "
    "bool wants_x, bool wants_weight, bool wants_bias) -> (Tensor, Tensor, Tensor)",
    _gradients, _gradients_fake)
