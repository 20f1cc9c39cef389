# SPDX-License-Identifier: Apache-2.0
"""sum, mean, var, norm, logsumexp, dot and vecdot of tensors, with fake kernels and gradients."""
from __future__ import annotations

from functools import partial
from math import inf

import torch

from ._bridge import (all_dims, answer_shape, compute_dtype, define, extent, float_dtype, kept,
                      reduce)

_ORDERS = {2: "norm2", 1: "norm1", inf: "norminf"}


def sum(x, dim=None, keepdim=False, dtype=None):
    """The sum of the elements, rounded once. As `torch.sum`.

    Args:
        x: a tensor of bool, integers or floats, of any strides.
        dim: an int or a sequence of them; None: all.
        keepdim: whether reduced dimensions stay, with extent 1.
        dtype: the type of the answer, to which the exact sum is rounded; the elements are not
            converted. Default: that of x; int64 for integers and bool.

    Raises:
        OverflowError: a sum of integers that does not fit the answer (on the CPU).

    >>> import torch
    >>> sum(torch.tensor([1e30, 1.0, -1e30]))
    tensor(1.)
    """
    return _sum(x, _dims(dim), keepdim, dtype)


def mean(x, dim=None, keepdim=False, dtype=None):
    """The mean of the elements, rounded once. As `torch.mean`; the arguments are those of `sum`.

    >>> import torch
    >>> mean(torch.tensor([1e30, 3.0, -1e30]))
    tensor(1.)
    """
    return _mean(x, _dims(dim), keepdim, dtype)


def var(x, dim=None, keepdim=False, dtype=None, *, correction=1):
    """The variance, rounded once. As `torch.var`, whose correction is 1 by default.

    >>> import torch
    >>> var(torch.tensor([1.0, 3.0]), correction=0)
    tensor(1.)
    """
    return _var(x, _dims(dim), keepdim, dtype, correction)


def norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    """A vector norm, rounded once: ord is 2, 1 or inf. As `torch.linalg.vector_norm`.

    >>> import torch
    >>> norm(torch.tensor([3e30, 4e30]))
    tensor(5.0000e+30)
    """
    if ord not in _ORDERS:
        raise ValueError(f"ord must be 2, 1 or inf, not {ord!r}")
    return _norm(x, _dims(dim), keepdim, dtype, float(ord))


def logsumexp(x, dim=None, keepdim=False, dtype=None):
    """log(sum(exp(x))), within 2^-29.8 (2^-51.8 for float64) before rounding. As `torch.logsumexp`.

    Its bits depend on nothing but the elements, in no order.

    >>> import torch
    >>> logsumexp(torch.tensor([0.0, 0.0]), dim=0)
    tensor(0.6931)
    """
    return _logsumexp(x, _dims(dim), keepdim, dtype)


def dot(x, y, dtype=None):
    """The dot product of two tensors of one dimension, rounded once. As `torch.dot`.

    >>> import torch
    >>> dot(torch.tensor([1e30, 1.0, 1e30]), torch.tensor([1e8, 1.0, -1e8]))
    tensor(1.)
    """
    if x.dim() != 1 or y.dim() != 1:
        raise ValueError(f"dot takes tensors of one dimension, not {x.dim()} and {y.dim()}; "
                         "vecdot reduces one dimension of several")
    if x.shape != y.shape:
        raise ValueError(f"dot of {x.shape[0]} and {y.shape[0]} elements")
    return _vecdot(x, y, 0, False, dtype)


def vecdot(x, y, dim=-1, keepdim=False, dtype=None):
    """The dot products along one dimension of two tensors, which broadcast, rounded once.

    As `torch.linalg.vecdot`.

    >>> import torch
    >>> vecdot(torch.eye(2), torch.tensor([2.0, 3.0]))
    tensor([2., 3.])
    """
    x, y = torch.broadcast_tensors(x, y)
    return _vecdot(x, y, dim, keepdim, dtype)


def _dims(dim):
    return [dim] if isinstance(dim, int) else dim


def _sum_dtype(name, x, dtype):
    if dtype is None and x.dtype.is_floating_point:
        return x.dtype
    if dtype is None and not x.dtype.is_complex:
        return torch.int64
    if x.dtype.is_complex or (dtype and (dtype.is_complex or dtype == torch.bool)):
        raise TypeError(f"onefold.torch.{name} of {x.dtype} to {dtype} is not supported")
    return dtype or x.dtype


def _define(name, others, kernel, dtype_of, setup_context, backward):
    """Defines onefold::name: kernel(x, dims, keepdim, dtype) and what others declares."""
    def run(x, dim, keepdim, dtype, *others):
        dims = None if dim is None else all_dims(x, dim)
        return kernel(x, dims, keepdim, dtype_of(name, x, dtype), *others)

    def fake(x, dim, keepdim, dtype, *others):
        return x.new_empty(answer_shape(x, all_dims(x, dim), keepdim),
                           dtype=dtype_of(name, x, dtype))

    return define(name, f"{_ARGUMENTS}{others}) -> Tensor", run, fake, backward, setup_context)


def _save(ctx, inputs, output):
    x, dim, ctx.keepdim = inputs[:3]
    ctx.dims = all_dims(x, dim)
    ctx.others = inputs[4:]
    ctx.save_for_backward(x, output)


def _sum_context(ctx, inputs, output):
    x, dim, ctx.keepdim = inputs[:3]
    ctx.dims, ctx.shape, ctx.dtype = all_dims(x, dim), x.shape, x.dtype
    ctx.count = extent(x, ctx.dims)


def _sum_backward(ctx, g):
    return kept(g, ctx.dims, ctx.keepdim).to(ctx.dtype).expand(ctx.shape), None, None, None


def _mean_backward(ctx, g):
    g = kept(g, ctx.dims, ctx.keepdim).to(compute_dtype(g.dtype))
    # On a GPU PyTorch multiplies by the reciprocal of a number of Python's, which rounds twice.
    g = g / torch.full((), ctx.count, dtype=g.dtype, device=g.device)
    return g.to(ctx.dtype).expand(ctx.shape), None, None, None


def _var_backward(ctx, g):
    x, _ = ctx.saved_tensors
    compute = compute_dtype(x.dtype)
    divisor = extent(x, ctx.dims) - ctx.others[0]
    scale = kept(g, ctx.dims, ctx.keepdim).to(compute) * (2 / divisor if divisor > 0 else inf)
    apart = x.to(compute) - _mean(x, ctx.dims, True, compute)
    return (scale * apart).to(x.dtype), None, None, None, None


def _logsumexp_backward(ctx, g):
    x, _ = ctx.saved_tensors
    g = kept(g, ctx.dims, ctx.keepdim)
    return _logsumexp_gradient(g, x, ctx.dims), None, None, None


def _norm_backward(ctx, g):
    x, answer = ctx.saved_tensors
    compute = compute_dtype(x.dtype)
    g, answer = (kept(t, ctx.dims, ctx.keepdim).to(compute) for t in (g, answer))
    order = ctx.others[0]
    wide = x.to(compute)
    if order == 2:
        gradient = wide * torch.where(answer == 0, 0, g / answer)
    elif order == 1:
        gradient = torch.sign(wide) * g
    else:
        # Elements that share the largest magnitude share the gradient.
        largest = torch.abs(wide) == _norm(x, ctx.dims, True, compute, inf)
        shares = _sum(largest, ctx.dims, True, compute)
        gradient = torch.sign(wide) * torch.where(largest, g / shares, 0)
    return gradient.to(x.dtype), None, None, None, None


def _norm_kernel(x, dims, keepdim, dtype, order):
    return reduce(_ORDERS[order], x, dims, keepdim, dtype)


def _var_kernel(x, dims, keepdim, dtype, correction):
    return reduce("var", x, dims, keepdim, dtype, correction=correction)


_ARGUMENTS = "(Tensor x, int[]? dim, bool keepdim, ScalarType? dtype"
_sum = _define("sum", "", partial(reduce, "sum"), _sum_dtype, _sum_context, _sum_backward)
_mean = _define("mean", "", partial(reduce, "mean"), float_dtype, _sum_context, _mean_backward)
_logsumexp = _define("logsumexp", "", partial(reduce, "logsumexp"), float_dtype, _save,
                     _logsumexp_backward)
_norm = _define("norm", ", float ord", _norm_kernel, float_dtype, _save, _norm_backward)
_var = _define("var", ", float correction", _var_kernel, float_dtype, _save, _var_backward)


def _softmax_of(g, x, dims):
    compute = compute_dtype(x.dtype)
    answer = reduce("logsumexp", x, tuple(dims), True, compute)
    answer = torch.where(torch.isinf(answer), 0, answer)
    return (torch.exp(x.to(compute) - answer) * g.to(compute)).to(x.dtype).contiguous()


def _vecdot_kernel(x, y, dim, keepdim, dtype):
    return reduce("dot", x, all_dims(x, [dim]), keepdim, _sum_dtype("vecdot", x, dtype), y)


def _vecdot_context(ctx, inputs, output):
    x, y, ctx.dim, ctx.keepdim = inputs[:4]
    ctx.save_for_backward(x, y)


def _vecdot_backward(ctx, g):
    x, y = ctx.saved_tensors
    g = kept(g, all_dims(x, [ctx.dim]), ctx.keepdim)
    return (g * y).to(x.dtype), (g * x).to(y.dtype), None, None, None


_logsumexp_gradient = define(
    "logsumexp_backward", "(Tensor g, Tensor x, int[] dims) -> Tensor", _softmax_of,
    lambda g, x, dims: x.new_empty(x.shape))


def _vecdot_fake(x, y, dim, keepdim, dtype):
    return x.new_empty(answer_shape(x, all_dims(x, [dim]), keepdim),
                       dtype=_sum_dtype("vecdot", x, dtype))


_vecdot = define(
    "vecdot", "(Tensor x, Tensor y, int dim, bool keepdim, ScalarType? dtype) -> Tensor",
    _vecdot_kernel, _vecdot_fake, _vecdot_backward, _vecdot_context)
