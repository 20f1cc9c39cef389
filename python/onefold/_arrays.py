# SPDX-License-Identifier: Apache-2.0
"""Reductions of arrays that are not plain NumPy arrays, in the library that they come from."""
from __future__ import annotations

import numpy as np

from . import _core
from ._arrow import (
    ORDERED, is_column, masked_chunks, numpy_column, plain_where, reduce_column)
from ._dtypes import BFLOAT16, code_of
from ._libraries import TENSORS, NumPy, is_tensor, library_of
from ._numpy import (
    POSITIONS, check_type_of_out, mask_of, numpy_dtype, plain_array, position_of_kept)


def foreign_reduce(op, x, y, axis, dtype, keepdims, out, where, initial, accuracy, nan,
                   correction):
    """Reduces what is no plain NumPy array.

    The answers are an array of x's library on x's device: a tensor for a tensor, even of no axes.
    Lists, buffers and columns of Arrow give NumPy's scalars and arrays. Work on a GPU is put on
    the library's current stream of that device (CUDA's default stream if it has none). Nothing is
    copied, except lists, arrays of the other byte order, and bits (masks and bools of Arrow).
    """
    if out is not None:
        library_of(x).check_out(out)
    if is_tensor(x) and y is None and where is True and out is None:
        return TENSORS.reduce(op, x, axis, dtype, keepdims, initial, accuracy, nan, correction)
    other = mask = None
    library = TENSORS if is_tensor(x) and y is None and where is True else None
    if library is None:
        where = plain_where(where)
        options = (keepdims, where, initial, accuracy, nan, correction)
        if is_column(x) and y is None:
            return reduce_column(op, x, axis, dtype, out, *options)
        if is_column(x):
            x, where = numpy_column(x, where)
        if is_column(y):
            y, where = numpy_column(y, where)
        library = library_of(x)
        where = mask_of(y, mask_of(x, where))
        if op in POSITIONS and where is not True:
            return position_of_kept(op, plain_array(x), where, axis, keepdims, out, nan)
        other = None if y is None else view_of(y, "y")
        mask = None if where is True else view_of(where, "where")
    source = library.view(x)
    if other is not None and axis is not None and source.shape != other.shape:
        shape = np.broadcast_shapes(source.shape, other.shape)
        source, other = source.broadcast_to(shape), other.broadcast_to(shape)
    if other is not None or mask is not None:
        check_devices(source, y=other, where=mask)

    target = out
    if out is None:
        code = _core.default_output(op, source.dtype) if dtype is None else code_of(dtype)
        shape = _core.answer_shape(op, source, axis, keepdims)
        target = library.empty(shape, library.output_type(code), x)
        memory = library.view_of_new(target)
    else:
        memory = library.view(target, writable=True)
        check_type_of_out(dtype, memory.dtype)
        _check_shape(memory, _core.answer_shape(op, source, axis, keepdims))
        if any(one is not None and memory.overlaps(one) for one in (source, other, mask)):
            target = library.empty(memory.shape, memory.dtype, out)
            memory = library.view_of_new(target)
    _core.reduce_into(op, source, other, memory, axis, keepdims, mask, initial, accuracy, nan,
                      correction, library.stream(x))
    if out is None:
        return library.result(target, x)
    if target is not out:
        out[...] = target
    return out


def add_to_state(state: _core.State, x, y, where) -> None:
    """Adds the elements of an array of any library to a state of the compiled part, for "dot" those
    of two. An array on a GPU is reduced there; this waits for it."""
    where = plain_where(where)
    if is_column(x) and y is None and state.op not in ORDERED:
        for values, mask in masked_chunks(x, where):
            state.add(values, None, mask, 0)
        return
    if is_column(x):
        x, where = numpy_column(x, where)
    if is_column(y):
        y, where = numpy_column(y, where)
    where = mask_of(y, mask_of(x, where))
    source, other = view_of(x), None if y is None else view_of(y, "y")
    mask = None if where is True else view_of(where, "where")
    check_devices(source, y=other, where=mask)
    state.add(source, other, mask, library_of(x).stream(x))


def check_devices(x: _core.Array, **others) -> None:
    """Raises ValueError if one of the others, by their names, is not where x is."""
    def place(one):
        return "the host" if one.device < 0 else f"CUDA device {one.device}"
    for name, one in others.items():
        if one is not None and one.device != x.device:
            raise ValueError(f"{name} is on {place(one)}, x on {place(x)}; copy one of them")


def _check_shape(out: _core.Array, shape: tuple[int, ...]) -> None:
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, the answers {shape}")


def view_of(x, name: str = "x", writable: bool = False) -> _core.Array:
    """The memory of an array of any library, for the compiled part; to be written: of an out."""
    library = library_of(x)
    if writable:
        library.check_out(x)
        return library.view(x, writable)
    return library.view(plain_array(x, name) if type(library) is NumPy else x)


def numpy_array(x, name: str = "x") -> np.ndarray:
    """An array of any library in host memory as one of NumPy, without a copy.

    Raises ValueError for nulls and masked elements, TypeError for memory of a GPU.
    """
    mask = True
    if is_column(x):
        x, mask = numpy_column(x, True)
    elif isinstance(x, np.ma.MaskedArray):
        mask = mask_of(x, True)
    if mask is not True and not mask.all():
        raise ValueError(f"{name} has nulls or masked elements; leave them out before")
    library = library_of(x)
    if type(library) is NumPy:
        return plain_array(x, name)
    view = library.view(x)
    if view.device >= 0:
        raise TypeError(f"{name} is on CUDA device {view.device}; copy it to the host")
    if view.dtype == BFLOAT16:
        return np.asarray(view.bits()).view(numpy_dtype(BFLOAT16))
    return np.asarray(view)


def own_array(x, name: str = "x"):
    """The library of an array, and the array; NumPy and one of its arrays for lists and columns.

    Raises ValueError for nulls and masked elements.
    """
    library = library_of(x)
    if type(library) is NumPy or is_column(x):
        x = numpy_array(x, name)
        library = library_of(x)
    return library, x


def shape_of(x, name: str = "x") -> tuple[int, ...]:
    """x's shape."""
    if type(x) is np.ndarray:
        return x.shape
    if is_column(x):
        return (len(x),)
    return tuple(x.shape if hasattr(x, "shape") else view_of(x, name).shape)


def broadcast(x, y):
    """Both with one shape, if both are NumPy's; others are broadcast as views later."""
    if type(x) is type(y) is np.ndarray and x.shape != y.shape:
        return np.broadcast_arrays(x, y)
    return x, y
