# SPDX-License-Identifier: Apache-2.0
"""rms_norm and add_rms_norm, which are functions of the library, as are their gradients.

A kernel and its backward are one operator each, so that a compiler neither reorders nor contracts
what is in it.
"""
from __future__ import annotations

import torch

from .. import _core
from ._bridge import adjacent, compute_dtype, define, float_dtype, like, rows


def rms_norm(x, normalized_shape, weight=None, eps=None):
    """x / sqrt(mean(x^2) + eps) * weight over the last dimensions. As `F.rms_norm`.

    Forward, for each row of n elements, in this order:
        s = the sum of squares, exact, rounded to float64; r = 1 / sqrt(s / n + eps) in float64;
        y = (x * r) * weight in float32, then rounded to x's type.
    Each step is correctly rounded, so y has the same bits on every device.
    Backward, for a gradient g:
        a = g * weight; d = the dot product of a and x, exact, rounded to float64;
        dx = a * r - x * (d * (r^3 / n)); dweight = the exact sum over the rows of g * (x * r).
    So dx has the same bits in every batch, and dweight for every order of the rows.

    Args:
        x: a floating tensor.
        normalized_shape: the extents of the last dimensions, an int for one.
        weight: a tensor of normalized_shape, or None.
        eps: None is the float type's epsilon, as in PyTorch.

    >>> import torch
    >>> rms_norm(torch.tensor([[3.0, 4.0]]), 2, eps=0.0)
    tensor([[0.8485, 1.1314]])
    """
    return _rms_norm(x, weight, *_row_arguments(x, normalized_shape, weight, eps))


def add_rms_norm(x, residual, normalized_shape, weight=None, eps=None):
    """(rms_norm(x + residual), x + residual): a residual sum and its norm in one pass.

    The sum is rounded to x's type, and its rows are normalized as by `rms_norm`. Backward: the
    gradient of `rms_norm` and that of the sum, added in x's type, for x and for the residual.

    Args:
        residual: a tensor of x's shape and type.
        normalized_shape, weight, eps: as for `rms_norm`.

    >>> import torch
    >>> add_rms_norm(torch.tensor([[1.0, 5.0]]), torch.tensor([[2.0, -1.0]]), 2, eps=0.0)
    (tensor([[0.8485, 1.1314]]), tensor([[3., 4.]]))
    """
    if residual.shape != x.shape or residual.dtype != x.dtype:
        raise ValueError(f"residual is {residual.dtype} of the shape {tuple(residual.shape)}, x is "
                         f"{x.dtype} of {tuple(x.shape)}")
    arguments = _row_arguments(x, normalized_shape, weight, eps)
    return _add_rms_norm(x, residual, weight, *arguments)


def row_dims(x, normalized_shape, **vectors):
    """How many dimensions a row has. vectors: tensors of its shape, or None, by name."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or x.shape[-len(shape):] != shape:
        raise ValueError(f"normalized_shape {list(shape)} is not the end of x's shape "
                         f"{tuple(x.shape)}")
    for name, one in vectors.items():
        if one is not None and one.shape != shape:
            raise ValueError(f"{name} has the shape {tuple(one.shape)}, not {shape}")
        if one is not None and one.device != x.device:
            raise ValueError(f"{name} is on {one.device}, and x on {x.device}; move one of them")
    return len(shape)


def _row_arguments(x, normalized_shape, weight, eps):
    """How many dimensions a row has, and eps."""
    dims = row_dims(x, normalized_shape, weight=weight)
    return dims, torch.finfo(compute_dtype(x.dtype)).eps if eps is None else eps


def _rms_norm_kernel(x, weight, dims, eps):
    y, inverse = _rms_norm_fake(x, weight, dims, eps)
    _core.rms_norm_rows(rows(x, dims), dims, _row_weight(weight, x), y, inverse, eps)
    return y, inverse


def _rms_norm_plain(x, weight, dims, eps):
    float_dtype("rms_norm", x, None)
    y = like(x)
    _core.rms_norm_rows(rows(x, dims), dims, _row_weight(weight, x), y, None, eps)
    return y


def _add_rms_norm_kernel(x, residual, weight, dims, eps):
    y, total, inverse = _add_rms_norm_fake(x, residual, weight, dims, eps)
    _core.add_rms_norm_rows(rows(x, dims), rows(residual, dims), dims, _row_weight(weight, x),
                            total, y, inverse, eps)
    return y, total, inverse


def _add_rms_norm_plain(x, residual, weight, dims, eps):
    float_dtype("add_rms_norm", x, None)
    y, total = like(x), like(x)
    _core.add_rms_norm_rows(rows(x, dims), rows(residual, dims), dims, _row_weight(weight, x),
                            total, y, None, eps)
    return y, total


def _add_rms_norm_fake(x, residual, weight, dims, eps):
    y, inverse = _rms_norm_fake(x, weight, dims, eps)
    return y, like(x), inverse


def _add_rms_norm_context(ctx, inputs, output):
    ctx.row_dims = inputs[3]
    ctx.save_for_backward(output[1], inputs[2], output[2])


def _add_rms_norm_backward(ctx, g, g_total, *_):
    total, weight, inverse = ctx.saved_tensors
    wants_x, wants_weight = any(ctx.needs_input_grad[:2]), ctx.needs_input_grad[2]
    dx, dweight = g_total, None
    if g is not None:
        dx, dweight = _rms_norm_backward_rows(g, total, weight, inverse, ctx.row_dims, wants_x,
                                              wants_weight)
        dx = dx if g_total is None or not wants_x else dx + g_total
    return (dx if ctx.needs_input_grad[0] else None, dx if ctx.needs_input_grad[1] else None,
            dweight if wants_weight else None, None, None)


def _row_weight(weight, x):
    """The weight, contiguous and of a type that rows of x's type take."""
    if weight is None or weight.dtype is x.dtype:
        return adjacent(weight)
    compute = compute_dtype(x.dtype)
    return adjacent(weight if weight.dtype is compute else weight.to(compute))


def _rms_norm_fake(x, weight, dims, eps):
    float_dtype("rms_norm", x, None)
    extents = (*x.shape[:x.dim() - dims], *[1] * dims)
    return like(x), x.new_empty(extents, dtype=torch.float64)


def _rms_norm_gradients(g, x, weight, inverse, dims, wants_x, wants_weight):
    """dx and dweight; those that are not wanted are empty."""
    dx, dweight = _rms_norm_gradients_fake(g, x, weight, inverse, dims, wants_x, wants_weight)
    own = _row_weight(weight, x)
    converted = wants_weight and own.dtype != weight.dtype
    total = like(own) if converted else dweight if wants_weight else None
    _core.rms_norm_backward_rows(rows(g, dims), rows(x, dims), dims, own, inverse,
                                 dx if wants_x else None, total)
    if converted:
        dweight.copy_(total)
    return dx, dweight


def _rms_norm_gradients_fake(g, x, weight, inverse, dims, wants_x, wants_weight):
    return (like(x) if wants_x else x.new_empty(0),
            like(weight) if wants_weight else x.new_empty(0))


def _rms_norm_context(ctx, inputs, output):
    x, weight, ctx.row_dims, _ = inputs
    ctx.save_for_backward(x, weight, output[1])


def _rms_norm_backward(ctx, g, *_):
    if g is None:
        return None, None, None, None
    wants_x, wants_weight, *_ = ctx.needs_input_grad
    dx, dweight = _rms_norm_backward_rows(g, *ctx.saved_tensors, ctx.row_dims, wants_x,
                                          wants_weight)
    return dx if wants_x else None, dweight if wants_weight else None, None, None


_rms_norm = define(
    "rms_norm", "(Tensor x, Tensor? weight, int dims, float eps) -> (Tensor, Tensor)",
    _rms_norm_kernel, _rms_norm_fake, _rms_norm_backward, _rms_norm_context, _rms_norm_plain,
    answers=1)
_add_rms_norm = define(
    "add_rms_norm",
    "(Tensor x, Tensor residual, Tensor? weight, int dims, float eps) -> (Tensor, Tensor, Tensor)",
    _add_rms_norm_kernel, _add_rms_norm_fake, _add_rms_norm_backward, _add_rms_norm_context,
    _add_rms_norm_plain, answers=2)
_rms_norm_backward_rows = define(
    "rms_norm_backward",
    "(Tensor g, Tensor x, Tensor? weight, Tensor inverse, int dims, bool wants_x, "
    "bool wants_weight) -> (Tensor, Tensor)", _rms_norm_gradients, _rms_norm_gradients_fake)
