# SPDX-License-Identifier: Apache-2.0
"""Arrays that are not plain NumPy arrays: lists, bfloat16, other byte orders, other libraries."""
from __future__ import annotations

import numpy as np

from . import _core
from ._dtypes import BFLOAT16, LONG_NAMES, code_of


def foreign_reduce(op, x, y, axis, dtype, keepdims, out, where, initial, accuracy, nan,
                   correction):
    """Reduces what is no plain NumPy array, in the library that it comes from."""
    x = numpy_array(x)
    if y is not None:
        y = numpy_array(y)
    mask = None if where is True else np.asarray(where)
    source = view_of(x)
    code = _core.default_output(op, source.dtype) if dtype is None else code_of(dtype)
    arguments = (op, source, None if y is None else view_of(y), axis)
    if BFLOAT16 not in (code, source.dtype) and out is None:
        return _core.reduce(*arguments, code if dtype is not None else -1, keepdims, out, mask,
                            initial, accuracy, nan, correction)
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, as x is, not '{type(out).__name__}'")
        if source.dtype != BFLOAT16 and out.dtype.isnative and out.dtype.kind in "?biuef":
            return _core.reduce(*arguments, -1, keepdims, out, mask, initial, accuracy, nan,
                                correction)
    made = out
    if made is None:
        shape = _core.answer_shape(op, source, axis, keepdims)
        made = np.empty(shape, np.dtype(LONG_NAMES[code]))
    _core.reduce_into(*arguments, view_of(made, writable=True), axis, keepdims, mask, initial,
                      accuracy, nan, correction)
    return made[()] if out is None else made


def numpy_array(x) -> np.ndarray:
    """x as a NumPy array of this machine's byte order: x's own memory where it has one in it."""
    x = np.asarray(x)
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def broadcast(x, y):
    """Both with one shape, NumPy's for two that broadcast."""
    return np.broadcast_arrays(numpy_array(x), numpy_array(y))


def view_of(x: np.ndarray, writable: bool = False) -> _core.Array:
    """The memory of a NumPy array, bfloat16 included."""
    if x.dtype.name == "bfloat16":
        return _core.Array.from_buffer(x.view(np.uint16), BFLOAT16, writable)
    return _core.Array.from_buffer(x, -1, writable)
