# SPDX-License-Identifier: Apache-2.0
"""Reductions of dask arrays, sum, mean, var, norm, dot …, with the same bits for every chunking.

Every chunk gives the exact state of each of its answers, as one array of bytes. States are merged
in dask's tree and rounded once at the end. So neither the chunks nor the scheduler nor
`split_every` can change a result, which is that of the function of the same name of onefold.

Cost: a state has hundreds of bytes, for each chunk and each element of the answer. Where an answer
has many elements and the reduced axes are short, rechunk so that these have one chunk
(`x.rechunk({axis: -1})`): then each chunk is reduced whole and no state is made.
"""
from __future__ import annotations

from functools import partial
from math import inf, prod

import dask.array as da
import numpy as np

from . import _core, _reductions
from ._dtypes import code_of
from ._numpy import numpy_dtype, plain_array, view_of_numpy

__all__ = ["dot", "max", "mean", "min", "norm", "std", "sum", "var"]


def sum(x, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None):
    """The sum of a dask array's elements, rounded once. As `onefold.sum`.

    Args:
        x: a dask array, or what `dask.array.asarray` takes.
        axis: the axes to sum over: an integer, a tuple of them, or None for all.
        dtype: the type of the answer. Default: that of `onefold.sum`.
        keepdims: whether reduced axes stay, with extent 1.
        nan: "propagate", "omit" or "error".
        split_every: how many states are merged at a time, as in `dask.array.reduction`.

    Returns:
        A dask array, not computed yet.

    >>> import dask.array as da
    >>> x = da.from_array([1e308, 1e308, -1e308, 1.0], chunks=1)
    >>> float(sum(x).compute())
    1e+308
    """
    return _reduce("sum", x, axis, dtype, keepdims, nan, split_every)


def mean(x, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None):
    """The mean, rounded once. The arguments are those of `sum`."""
    return _reduce("mean", x, axis, dtype, keepdims, nan, split_every)


def var(x, axis=None, dtype=None, keepdims=False, *, correction=0, nan="propagate",
        split_every=None):
    """The variance, rounded once: divides by count - correction. As `sum`."""
    return _reduce("var", x, axis, dtype, keepdims, nan, split_every, correction=correction)


def std(x, axis=None, dtype=None, keepdims=False, *, correction=0, nan="propagate",
        split_every=None):
    """The standard deviation, rounded once: divides by count - correction. As `sum`."""
    return _reduce("std", x, axis, dtype, keepdims, nan, split_every, correction=correction)


def min(x, axis=None, keepdims=False, *, nan="propagate", split_every=None):
    """The least element; ValueError on computing if there is none. As `sum`."""
    return _reduce("min", x, axis, None, keepdims, nan, split_every)


def max(x, axis=None, keepdims=False, *, nan="propagate", split_every=None):
    """The largest element; ValueError on computing if there is none. As `sum`."""
    return _reduce("max", x, axis, None, keepdims, nan, split_every)


def norm(x, ord=2, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None):
    """A vector norm, rounded once: ord is 2, 1 or inf. As `sum`.

    >>> import dask.array as da
    >>> float(norm(da.from_array([3.0, 4.0], chunks=1)).compute())
    5.0
    """
    names = {2: "norm2", 1: "norm1", inf: "norminf"}
    if ord not in names:
        raise ValueError(f"ord must be 1, 2 or inf, not {ord!r}")
    return _reduce(names[ord], x, axis, dtype, keepdims, nan, split_every)


def dot(x, y, dtype=None, *, nan="propagate", split_every=None):
    """The dot product of two arrays of one axis and one type, rounded once. As `onefold.dot`.

    Their chunks may differ.

    >>> import dask.array as da
    >>> x, y = da.from_array([1e200, 1.0, 1e200], chunks=2), da.from_array([1e200, 1.0, -1e200])
    >>> float(dot(x, y).compute())
    1.0
    """
    x, y = da.asarray(x), da.asarray(y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"dot takes two arrays of one axis and length, not {x.shape}, {y.shape}")
    if x.dtype != y.dtype:
        raise TypeError(f"dot of {x.dtype} and {y.dtype}; convert one of them")
    return _reduce("dot", x, None, dtype, False, nan, split_every, y)


def _reduce(op, x, axis, dtype, keepdims, nan, split_every, y=None, **rounding):
    x = da.asarray(x)
    axes = _axes(axis, x.ndim)
    code = (_core.default_output(_core.operators[op], code_of(x.dtype)) if dtype is None
            else code_of(dtype))
    answer = numpy_dtype(code)
    kept = tuple(i for i in range(x.ndim) if i not in axes)
    meta = np.empty((0,) * (x.ndim if keepdims else len(kept)), answer)
    rounding["nan"] = nan
    if y is None and prod(x.numblocks[i] for i in axes) == 1:
        whole = da.blockwise(partial(_whole, op=op, axes=axes, answer=answer, rounding=rounding),
                             kept, x, tuple(range(x.ndim)), concatenate=True, dtype=answer,
                             meta=np.empty((0,) * len(kept), answer))
        return whole[tuple(None if i in axes else slice(None) for i in range(x.ndim))] \
            if keepdims else whole
    return da.reduction(x, chunk=partial(_states, op=op), combine=_merged,
                        aggregate=partial(_values, answer=answer, rounding=rounding), axis=axes,
                        keepdims=keepdims, dtype=answer, split_every=split_every, meta=meta,
                        name=f"onefold-{op}", weights=y)


def _axes(axis, rank):
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in axes:
        if not -rank <= one < rank:
            raise np.exceptions.AxisError(one, rank)
    axes = tuple(one % rank for one in axes)
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {axis!r} names an axis twice")
    return axes


def _whole(block, op, axes, answer, rounding):
    """The reduction of a block that has all elements of its answers."""
    function = getattr(_reductions, op)
    if op in ("min", "max", "norminf"):
        return np.asarray(function(block, axis=axes, **rounding), answer)
    return np.asarray(function(block, axis=axes, dtype=answer, **rounding))


def _states(block, factors=None, *, axis, keepdims, op, computing_meta=False):
    """The states of a block's answers, in bytes, with reduced axes as extents of one; factors:
    those of dot."""
    if computing_meta:
        return block
    states = _core.partials(_core.operators[op], _view(block),
                            None if factors is None else _view(factors), axis, True)
    return states.view(f"V{states.shape[-1]}")[..., 0]


def _view(block):
    return view_of_numpy(plain_array(block))


def _merged(states, axis, keepdims):
    """One state for those along the reduced axes."""
    kept = [i for i in range(states.ndim) if i not in axis]
    extents = [states.shape[i] for i in kept]
    rows = np.ascontiguousarray(states.transpose(kept + list(axis))).view(np.uint8)
    parts = prod(states.shape[i] for i in axis)
    merged = _core.merge_partials(rows.reshape(prod(extents), parts, states.dtype.itemsize))
    shape = [1 if i in axis else n for i, n in enumerate(states.shape)] if keepdims else extents
    return merged.view(states.dtype)[:, 0].reshape(shape)


def _values(states, axis, keepdims, answer, rounding):
    """The answers, each rounded once."""
    merged = _merged(states, axis, keepdims)
    values = np.empty(merged.shape, answer)
    _core.round_partials(merged.reshape(merged.size, 1).view(np.uint8), view_of_numpy(values, True),
                         rounding["nan"], rounding.get("correction"))
    return values
