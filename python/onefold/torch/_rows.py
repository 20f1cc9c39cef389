# SPDX-License-Identifier: Apache-2.0
"""softmax and log_softmax: exact reductions, elementwise parts in order.

A kernel and its backward are one operator each, so that a compiler neither reorders nor contracts
what is in it. Those of softmax and log_softmax are functions of the library (not for float64). In
all others every elementwise step is one PyTorch operation, in the order that is written here, in
float32 (float64 for float64); each is correctly rounded except exp, whose result does not depend on
the position of an element. One number a row is kept in float64 until it is used.
"""
from __future__ import annotations

import torch

from .. import _core
from .._state import State
from ._bridge import all_dims, compute_dtype, define, float_dtype, like, reduce, rows


def softmax(x, dim=-1, dtype=None, *, state=None):
    """exp(x) / sum(exp(x)) along a dimension. As `torch.softmax`.

    Forward, up to float32: y = E(x) / S, with the exact sum S of the specified term E(x) that
    `logsumexp` adds: within 0.5 + 2^-4.7 ulp (0.5 + 2^-11 for 16 bits), with the same bits on every
    device. float64: m = the largest element; e = torch.exp(x - m); y = e / the exact sum of e.
    Backward, for a gradient g: c = the exact dot product of g and y, rounded to float32 (float64);
    dx = (g - c) * y in float32 (float64), then rounded to x's type. Each step is correctly rounded,
    so dx has the same bits on every device.

    Args:
        dtype: the type to which x is converted first, or None.
        state: x is a part of each row; this is the State of "logsumexp" of all the row, merged from
            those of its parts, or a list of as many as rows: each element has the bits that it has
            in the whole row. For tensors up to float32; without a gradient.

    >>> import torch
    >>> softmax(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """
    x = x if dtype is None else x.to(dtype)
    return _softmax(x, dim) if state is None else _part("softmax", x, dim, state)


def log_softmax(x, dim=-1, dtype=None, *, state=None):
    """log(softmax(x)) along a dimension. As `torch.log_softmax`.

    Forward, up to float32: y = x - log(S) with the sum of `softmax`; where y is above -1/2, from
    the sum of all other elements: within 0.5 + 2^-4.7 ulp (0.5 + 2^-11 for 16 bits) everywhere.
    float64: m = the largest element; d = x - m; y = d - logsumexp(d).
    Backward, for a gradient g: s = the exact sum of g, rounded to float32 (float64); dx = g - p * s
    in float32 (float64), then rounded to x's type. Up to float32 p is the term E(y), rounded to
    float32, so dx has the same bits on every device; float64: torch.exp(y).

    Args:
        dtype, state: as for `softmax`.

    >>> import torch
    >>> log_softmax(torch.tensor([1000.0, 1000.0]))
    tensor([-0.6931, -0.6931])

    A vocabulary in two parts, as two ranks have it:

    >>> from onefold import State
    >>> parts = torch.tensor([0.0, 1.0]), torch.tensor([2.0])
    >>> whole = State("logsumexp", "float32").add(parts[0]).add(parts[1])
    >>> torch.equal(torch.cat([log_softmax(part, state=whole) for part in parts]),
    ...             log_softmax(torch.cat(parts)))
    True
    """
    x = x if dtype is None else x.to(dtype)
    return _log_softmax(x, dim) if state is None else _part("log_softmax", x, dim, state)


def _shifted(x, dim):
    """x less its largest element along dim, in the type of the elementwise parts."""
    compute = compute_dtype(x.dtype)
    largest = reduce("max", x, all_dims(x, [dim]), True, x.dtype)
    return x.to(compute) - largest.to(compute)


def _along_last(dim, write, others, *tensors):
    """write(*tensors, y, *others), rows of the last dimension, for those along dim; y."""
    x = tensors[0]
    last = x.dim() - 1
    if last < 0:
        return _along_last(-1, write, others, *[one.reshape(1) for one in tensors]).reshape(())
    if dim == -1 or dim == last:
        y = like(x)
        write(*map(rows, tensors), y, *others)
        return y
    moved = [one.movedim(dim, -1) for one in tensors]
    return _along_last(-1, write, others, *moved).movedim(-1, dim).contiguous()


# Types of tensors whose softmax is the library's.
OWN = frozenset((torch.float16, torch.bfloat16, torch.float32))


def _own(x, dim, logarithm):
    """The library's softmax or log_softmax."""
    if not -x.dim() <= dim < x.dim():
        all_dims(x, [dim])
    return like(x) if x.numel() == 0 else _along_last(dim, _core.softmax_rows, (logarithm,), x)


def _own_backward(g, y, dim, logarithm):
    """The gradients of the same."""
    if y.numel() == 0:
        return like(y)
    return _along_last(dim, _core.softmax_backward_rows, (logarithm,), y, g)


def _part(name, x, dim, state):
    """softmax or log_softmax of a part of each row, whose states are given."""
    if x.dtype not in OWN:
        raise TypeError(f"onefold.torch.{name} with states takes float16, bfloat16 and float32, "
                        f"not {x.dtype}")
    if x.requires_grad and torch.is_grad_enabled():
        raise NotImplementedError(f"onefold.torch.{name} with states has no gradient; detach x")
    all_dims(x, [dim])
    states = [state] if isinstance(state, State) else list(state)
    return _along_last(dim, _core.softmax_part_rows,
                       (name == "log_softmax", [each._core for each in states]), x)


def _softmax_kernel(x, dim):
    if x.dtype in OWN:
        return _own(x, dim, False)
    float_dtype("softmax", x, None)
    dims = all_dims(x, [dim])
    if x.numel() == 0:
        return like(x)
    e = torch.exp(_shifted(x, dim))
    e /= reduce("sum", e, dims, True, e.dtype)
    return e.to(x.dtype).contiguous()


def _softmax_backward(g, y, dim):
    if y.dtype in OWN:
        return _own_backward(g, y, dim, False)
    compute = compute_dtype(y.dtype)
    g, wide = g.to(compute), y.to(compute)
    c = reduce("dot", g, all_dims(y, [dim]), True, compute, wide)
    return ((g - c) * wide).to(y.dtype).contiguous()


def _log_softmax_kernel(x, dim):
    if x.dtype in OWN:
        return _own(x, dim, True)
    float_dtype("log_softmax", x, None)
    dims = all_dims(x, [dim])
    if x.numel() == 0:
        return like(x)
    d = _shifted(x, dim)
    y = d - reduce("logsumexp", d, dims, True, d.dtype)
    return y.to(x.dtype).contiguous()


def _log_softmax_backward(g, y, dim):
    if y.dtype in OWN:
        return _own_backward(g, y, dim, True)
    compute = compute_dtype(y.dtype)
    s = reduce("sum", g, all_dims(y, [dim]), True, compute)
    return (g.to(compute) - torch.exp(y.to(compute)) * s).to(y.dtype).contiguous()


def _along_dim_fake(name):
    def fake(x, dim):
        float_dtype(name, x, None)
        all_dims(x, [dim])
        return like(x)
    return fake


def _dim_context(ctx, inputs, output):
    ctx.dim = inputs[1]
    ctx.save_for_backward(output)


def _define_along_dim(name, kernel, backward):
    """onefold::name(x, dim) and the operator of its backward, which reads the output."""
    gradient = define(f"{name}_backward", "(Tensor g, Tensor y, int dim) -> Tensor", backward,
                      lambda g, y, dim: like(y))
    return define(name, "(Tensor x, int dim) -> Tensor", kernel, _along_dim_fake(name),
                  lambda ctx, g: (gradient(g, *ctx.saved_tensors, ctx.dim), None), _dim_context)


_softmax = _define_along_dim("softmax", _softmax_kernel, _softmax_backward)
_log_softmax = _define_along_dim("log_softmax", _log_softmax_kernel, _log_softmax_backward)
