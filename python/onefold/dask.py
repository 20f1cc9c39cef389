# SPDX-License-Identifier: Apache-2.0
"""Reductions of dask arrays, sum, mean, logsumexp …, with the same bits for every chunking.

Every chunk gives the exact state of each of its answers, as one array of bytes. States are merged
in dask's tree and rounded once at the end. So neither the chunks nor the scheduler nor
`split_every` can change a result, which is that of the function of the same name of onefold.

Cost: a state has hundreds of bytes, for each chunk and each element of the answer. Where an answer
has many elements and the reduced axes are short, rechunk so that these have one chunk
(`x.rechunk({axis: -1})`): then each chunk is reduced whole and no state is made.
"""
from __future__ import annotations

from functools import partial
from math import inf, isnan, prod
from operator import index

import dask.array as da
import numpy as np

from . import _core, _reductions
from ._arrow import is_column, numpy_column
from ._dtypes import code_of
from ._numpy import mask_of, numpy_dtype, plain_array, view_of_numpy

__all__ = ["dot", "logsumexp", "max", "mean", "min", "norm", "std", "sum", "var"]
_REMEDY = "call compute_chunk_sizes() of both, which then pair whatever their chunks are"


def sum(x, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None,
        skipna=None, min_count=None):
    """The sum of a dask array's elements, rounded once. As `onefold.sum`.

    Args:
        x: a dask array, or what `dask.array.asarray` takes. Elements that are masked, and missing
            values of pandas, do not count.
        axis: the axes to sum over: an integer, a tuple of them, or None for all.
        dtype: the type of the answer. Default: that of `onefold.sum`.
        keepdims: whether reduced axes stay, with extent 1.
        nan: "propagate", "omit" or "error".
        split_every: how many states are merged at a time, as in `dask.array.reduction`.
        skipna: xarray's and pandas' word for nan: True is "omit", False is not "omit".
        min_count: answers of fewer elements are NaN, ValueError on computing if they are integers.

    Returns:
        A dask array, not computed yet.

    >>> import dask.array as da
    >>> x = da.from_array([1e308, 1e308, -1e308, 1.0], chunks=1)
    >>> float(sum(x).compute())
    1e+308
    """
    return _reduce("sum", x, axis, dtype, keepdims, nan, split_every, skipna, min_count)


def mean(x, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None,
         skipna=None, min_count=None):
    """The mean, rounded once. The arguments are those of `sum`."""
    return _reduce("mean", x, axis, dtype, keepdims, nan, split_every, skipna, min_count)


def var(x, axis=None, dtype=None, keepdims=False, *, correction=0, nan="propagate",
        split_every=None, skipna=None, min_count=None):
    """The variance, rounded once: divides by count - correction. As `sum`."""
    return _reduce("var", x, axis, dtype, keepdims, nan, split_every, skipna, min_count,
                   correction=correction)


def std(x, axis=None, dtype=None, keepdims=False, *, correction=0, nan="propagate",
        split_every=None, skipna=None, min_count=None):
    """The standard deviation, rounded once: divides by count - correction. As `sum`."""
    return _reduce("std", x, axis, dtype, keepdims, nan, split_every, skipna, min_count,
                   correction=correction)


def min(x, axis=None, keepdims=False, *, nan="propagate", split_every=None, skipna=None,
        min_count=None):
    """The least element; ValueError on computing if there is none, NaN with min_count. As `sum`."""
    return _reduce("min", x, axis, None, keepdims, nan, split_every, skipna, min_count)


def max(x, axis=None, keepdims=False, *, nan="propagate", split_every=None, skipna=None,
        min_count=None):
    """The largest element. As `min`."""
    return _reduce("max", x, axis, None, keepdims, nan, split_every, skipna, min_count)


def norm(x, ord=2, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None,
         skipna=None, min_count=None):
    """A vector norm, rounded once: ord is 2, 1 or inf. As `sum`.

    >>> import dask.array as da
    >>> float(norm(da.from_array([3.0, 4.0], chunks=1)).compute())
    5.0
    """
    names = {2: "norm2", 1: "norm1", inf: "norminf"}
    if ord not in names:
        raise ValueError(f"ord must be 1, 2 or inf, not {ord!r}")
    return _reduce(names[ord], x, axis, dtype, keepdims, nan, split_every, skipna, min_count)


def logsumexp(x, axis=None, dtype=None, keepdims=False, *, nan="propagate", split_every=None,
              skipna=None, min_count=None):
    """The logarithm of the sum of exponentials, as `onefold.logsumexp`: the same bits for every
    chunking. As `sum`.

    >>> import dask.array as da
    >>> float(logsumexp(da.from_array([1000.0, 1000.0], chunks=1)).compute())
    1000.6931471805599
    """
    return _reduce("logsumexp", x, axis, dtype, keepdims, nan, split_every, skipna, min_count)


def dot(x, y, dtype=None, *, nan="propagate", split_every=None, skipna=None):
    """The dot product of two arrays of one axis and one type, rounded once. As `onefold.dot`.

    A product counts if both of its factors do. Chunks may differ, unless their sizes are unknown:
    then both arrays need as many chunks and the same sizes, else ValueError, at the latest on
    computing.

    >>> import dask.array as da
    >>> x, y = da.from_array([1e200, 1.0, 1e200], chunks=2), da.from_array([1e200, 1.0, -1e200])
    >>> float(dot(x, y).compute())
    1.0
    """
    x, y = _lazy(x), _lazy(y)
    known = not (isnan(x.size) or isnan(y.size))
    if x.ndim != 1 or y.ndim != 1 or (known and x.shape != y.shape):
        raise ValueError(f"dot takes two arrays of one axis and length, not {x.shape}, {y.shape}")
    if not known and x.numblocks != y.numblocks:
        raise ValueError(f"chunks of unknown sizes, {x.numblocks[0]} of x and {y.numblocks[0]} of "
                         f"y, do not pair; {_REMEDY}")
    if x.dtype != y.dtype:
        raise TypeError(f"dot of {x.dtype} and {y.dtype}; convert one of them")
    return _reduce("dot", x, None, dtype, False, nan, split_every, skipna, None, y)


def _lazy(x):
    """x as a dask array, with the mask of what does not count, and no integer rounded."""
    if isinstance(x, da.Array):
        return x
    if hasattr(x, "map_partitions"):  # a column of dask.dataframe, which has pandas' in parts
        return x.map_partitions(_masked, meta=_masked(x._meta))
    if is_column(x):
        x = _masked(x)
    elif not hasattr(x, "shape") and not (
            isinstance(x, (list, tuple)) and any(isinstance(one, da.Array) for one in x)):
        x = plain_array(x)
    return da.from_array(x) if isinstance(x, np.ma.MaskedArray) else da.asarray(x)


def _masked(column):
    values, mask = numpy_column(column, True)
    return np.ma.masked_array(values, np.ma.nomask if mask is True else np.logical_not(mask))


def _policy(nan, skipna):
    if skipna is None:
        return nan
    if nan == ("error" if skipna else "omit"):
        raise ValueError(f"nan={nan!r} and skipna={skipna!r} contradict each other; give one")
    return "omit" if skipna else nan


def _reduce(op, x, axis, dtype, keepdims, nan, split_every, skipna, min_count, y=None, **rounding):
    x = _lazy(x)
    axes = _axes(axis, x.ndim)
    code = (_core.default_output(_core.operators[op], code_of(x.dtype)) if dtype is None
            else code_of(dtype))
    answer = numpy_dtype(code)
    kept = tuple(i for i in range(x.ndim) if i not in axes)
    meta = np.empty((0,) * (x.ndim if keepdims else len(kept)), answer)
    rounding["nan"] = _policy(nan, skipna)
    least = 0 if min_count is None else index(min_count)
    if y is None and prod(x.numblocks[i] for i in axes) == 1:
        whole = da.blockwise(partial(_whole, op=op, axes=axes, answer=answer, rounding=rounding,
                                     least=least),
                             kept, x, tuple(range(x.ndim)), concatenate=True, dtype=answer,
                             meta=np.empty((0,) * len(kept), answer))
        return whole[tuple(None if i in axes else slice(None) for i in range(x.ndim))] \
            if keepdims else whole
    chunk = partial(_states, ops=(op, "count") if least > 0 else (op,))
    if y is not None:  # dask's reduction pairs only chunks of known sizes
        known = not (isnan(x.size) or isnan(y.size))
        x = da.blockwise(partial(chunk, axis=axes), "i", x, "i", y, "i", align_arrays=known,
                         dtype=answer, meta=np.empty(0, answer))
        chunk = _unchanged
    return da.reduction(x, chunk=chunk, combine=_merged,
                        aggregate=partial(_values, op=op, answer=answer, rounding=rounding,
                                          least=least),
                        axis=axes, keepdims=keepdims, dtype=answer, split_every=split_every,
                        meta=meta, name=f"onefold-{op}")


def _axes(axis, rank):
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    for one in axes:
        if not -rank <= one < rank:
            raise np.exceptions.AxisError(one, rank)
    axes = tuple(one % rank for one in axes)
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis {axis!r} names an axis twice")
    return axes


def _whole(block, op, axes, answer, rounding, least):
    """The reduction of a block that has all elements of its answers."""
    function = partial(getattr(_reductions, op), block, axis=axes, **rounding)
    if op not in ("min", "max", "norminf"):
        function = partial(function, dtype=answer)
    if least <= 0:
        return np.asarray(function(), answer)
    few = _too_few(_reductions.count(block, axis=axes, nan=rounding["nan"]), least, answer)
    if op in ("min", "max") and few.any():  # they have no value for no elements
        function = partial(function, initial=inf if op == "min" else -inf)
    return _with_nan(np.array(function(), answer), few)


def _too_few(counts, least, answer):
    """Where fewer than `least` elements count. ValueError if `answer` has no NaN for that."""
    few = np.asarray(counts < least)
    if answer.kind in "biu" and few.any():
        raise ValueError(f"an answer has {np.min(counts)} elements, min_count is {least}, and "
                         f"{answer} has no NaN; give a floating dtype")
    return few


def _with_nan(values, few):
    if few.any():
        values[few] = np.nan
    return values


def _states(block, factors=None, *, axis, keepdims=True, ops, computing_meta=False):
    """The states of a block's answers, a field of bytes for each operator, with reduced axes as
    extents of one; factors: those of dot."""
    if computing_meta:
        return block
    if factors is not None and factors.shape != block.shape:
        raise ValueError(f"chunks of x and y have {len(block)} and {len(factors)} elements; "
                         f"{_REMEDY}")
    mask = mask_of(factors, mask_of(block, True))
    parts = [_core.partials(_core.operators[op], _view(block),
                            None if factors is None else _view(factors), axis, True,
                            None if mask is True else mask) for op in ops]
    states = np.empty(parts[0].shape[:-1], [(op, f"V{part.shape[-1]}")
                                            for op, part in zip(ops, parts)])
    for op, part in zip(ops, parts):
        states[op] = part.view(states.dtype[op])[..., 0]
    return states


def _unchanged(states, axis, keepdims):
    return states


def _view(block):
    return view_of_numpy(plain_array(block))


def _merged(states, axis, keepdims):
    """One state for those along the reduced axes."""
    kept = [i for i in range(states.ndim) if i not in axis]
    extents = [states.shape[i] for i in kept]
    shape = [1 if i in axis else n for i, n in enumerate(states.shape)] if keepdims else extents
    merged = np.empty(shape, states.dtype)
    for op in states.dtype.names:
        rows = np.ascontiguousarray(states[op].transpose(kept + list(axis)))
        parts = prod(states.shape[i] for i in axis)
        rows = rows.view(np.uint8).reshape(prod(extents), parts, rows.dtype.itemsize)
        merged[op] = _core.merge_partials(rows).view(states.dtype[op])[:, 0].reshape(shape)
    return merged


def _values(states, axis, keepdims, op, answer, rounding, least):
    """The answers, each rounded once."""
    merged = _merged(states, axis, keepdims)
    if least <= 0:
        return _rounded(merged[op], answer, rounding)
    few = _too_few(_rounded(merged["count"], np.dtype(np.int64), rounding), least, answer)
    values = np.empty(merged.shape, answer)
    values[~few] = _rounded(merged[op][~few], answer, rounding)
    return _with_nan(values, few)


def _rounded(states, answer, rounding):
    values = np.empty(states.shape, answer)
    rows = np.ascontiguousarray(states).reshape(states.size, 1).view(np.uint8)
    _core.round_partials(rows, view_of_numpy(values, True), rounding["nan"],
                         rounding.get("correction"))
    return values
