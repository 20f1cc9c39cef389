# SPDX-License-Identifier: Apache-2.0
"""Columns of pyarrow, polars and others, through the Arrow PyCapsule interface, and of pandas.

Nulls and missing values of pandas do not count. The answers are NumPy's.
"""
from __future__ import annotations

import numpy as np

from . import _core
from ._dtypes import code_of
from ._numpy import (
    POSITIONS, check_type_of_out, mask_of, numpy_dtype, position_of_kept, selected_by_both)
from ._pandas import array_of_pandas, elements_of_pandas, is_pandas

_OPS = _core.operators
# Its states depend on the order of the elements, and chunks are joined before.
ORDERED = {_OPS["prod"]}


def is_column(x) -> bool:
    """Whether x is of pandas, or a column of Arrow: it has one of the interface's two methods."""
    return hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__") or is_pandas(x)


def _chunks_of(x) -> tuple[int, list]:
    """The number of the type, and pairs of arrays: elements, and a mask or None."""
    if is_pandas(x):
        x = array_of_pandas(x)
    if is_pandas(x):
        values, mask = elements_of_pandas(x)
        return code_of(values.dtype), [(values, mask)]
    if hasattr(x, "__arrow_c_array__"):
        return _core.arrow_array(*x.__arrow_c_array__())
    return _core.arrow_stream(x.__arrow_c_stream__())


def _length(chunks) -> int:
    return sum(len(np.asarray(values)) for values, _ in chunks)


def _with_where(chunks, where):
    """The chunks with a mask of the whole column added to theirs."""
    if where is True:
        return chunks
    where = np.broadcast_to(np.asarray(where), (_length(chunks),))
    masked, first = [], 0
    for values, mask in chunks:
        part = where[first:first + len(np.asarray(values))]
        masked.append((values, part if mask is None else selected_by_both(mask, part)))
        first += len(part)
    return masked


def _joined(code: int, chunks) -> tuple[np.ndarray, object]:
    if len(chunks) == 1:
        values, mask = chunks[0]
        return np.asarray(values), True if mask is None else mask
    parts = [np.asarray(values) for values, _ in chunks]
    joined = np.concatenate(parts) if parts else np.empty(0, numpy_dtype(code))
    if all(mask is None for _, mask in chunks):
        return joined, True
    return joined, np.concatenate([np.ones(len(part), bool) if mask is None else mask
                                   for part, (_, mask) in zip(parts, chunks)])


def plain_where(where):
    """A mask without nulls and masked elements, which select nothing; True for None."""
    if where is None or where is True:
        return True
    if is_column(where):
        where, kept = numpy_column(where, True)
    else:
        kept = mask_of(where, True)
    return where if kept is True else selected_by_both(kept, where)


def masked_chunks(x, where) -> list:
    """The chunks of a column: pairs of elements and a mask or None, with `where` in the masks."""
    return _with_where(_chunks_of(x)[1], where)


def numpy_column(x, where) -> tuple[np.ndarray, object]:
    """A column as one NumPy array, and its mask combined with `where`.

    One chunk of numbers is not copied; several chunks are copied to one array.
    """
    code, chunks = _chunks_of(x)
    return _joined(code, _with_where(chunks, where))


def reduce_column(op, x, axis, dtype, out, keepdims, where, initial, accuracy, nan, correction):
    """Reduces a column. Exact operators reduce each chunk where it is and merge their states."""
    code, chunks = _chunks_of(x)
    chunks = _with_where(chunks, where)
    masked = op in POSITIONS and any(mask is not None for _, mask in chunks)
    reduced = not isinstance(axis, (tuple, list)) or len(axis) > 0
    if (masked or len(chunks) < 2 or initial is not None or accuracy != "exact" or op in ORDERED
            or not reduced):
        values, mask = _joined(code, chunks)
        if masked:
            return position_of_kept(op, values, mask, axis, keepdims, out, nan)
        return _core.reduce(op, values, None, axis, -1 if dtype is None else code_of(dtype),
                            keepdims, out, None if mask is True else mask, initial, accuracy, nan,
                            correction)
    shape = _core.answer_shape(op, chunks[0][0], axis, keepdims)
    if out is not None:
        if out.shape != shape:
            raise ValueError(f"out has the shape {out.shape}, the answers {shape}")
        check_type_of_out(dtype, code_of(out.dtype))
        dtype = out.dtype
    state = _core.State.create(op, code, 0)
    first = 0
    for values, mask in chunks:
        part = _core.State.create(op, code, first)
        part.add(values, None, mask, 0)
        state.merge(part)
        first += len(np.asarray(values))
    answer = state.value(-1 if dtype is None else code_of(dtype), nan,
                         0 if correction is None else correction)
    if out is not None:
        out[...] = np.reshape(answer, shape)
        return out
    return np.reshape(answer, shape) if shape else answer
