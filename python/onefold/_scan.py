# SPDX-License-Identifier: Apache-2.0
"""Data larger than memory: files and streams of arrays, piece by piece."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np

from ._arrays import numpy_array
from ._state import State

_PIECE_BYTES = 64 << 20


def _pieces_of_file(path, dtype) -> Iterator[np.ndarray]:
    with open(path, "rb") as file:
        if file.peek(6)[:6] == b"\x93NUMPY":
            version = np.lib.format.read_magic(file)
            read = (np.lib.format.read_array_header_1_0 if version == (1, 0)
                    else np.lib.format.read_array_header_2_0)
            shape, _, found = read(file)
            if dtype is not None and np.dtype(dtype) != found:
                raise TypeError(f"{path} has {found}, not {np.dtype(dtype)}")
            items = int(np.prod(shape, dtype=object))
        elif dtype is None:
            raise ValueError(f"{path} is not a .npy file; give the dtype of its raw elements")
        else:
            found = np.dtype(dtype)
            size = os.fstat(file.fileno()).st_size
            if size % found.itemsize:
                raise ValueError(f"{path} has {size} bytes, no multiple of {found.itemsize}")
            items = size // found.itemsize
        if found.hasobject:
            raise TypeError(f"{path} has Python objects, which are never unpickled")
        while items:
            count = min(items, _PIECE_BYTES // found.itemsize)
            data = file.read(count * found.itemsize)
            if len(data) < count * found.itemsize:
                raise ValueError(f"{path} ends {items * found.itemsize - len(data)} bytes early")
            yield np.frombuffer(data, found)
            items -= count


def _watched(pieces, progress):
    if not progress:
        return pieces
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return pieces
    return tqdm(pieces, unit=" pieces", delay=0.5)


def scan(source, op="sum", *, dtype=None, progress=False) -> State:
    """The state of a file's elements, or of all arrays that an iterable gives, in their order.

    Args:
        source: a path of a .npy file, or of raw elements whose `dtype` is given; or an iterable
            of arrays of one element type. A file is read in pieces of 64 MiB.
        op: an operator's name.
        dtype: the type of the elements; of arrays, that of the first one.
        progress: shows a bar where tqdm is installed.

    Raises:
        OSError: a file that cannot be read.
        ValueError, TypeError: a truncated file; elements of another type than the first.

    >>> import numpy as np
    >>> scan(np.full(3, 0.1) for _ in range(10)).value()
    np.float64(3.0)
    """
    if isinstance(source, (str, os.PathLike)):
        pieces = _pieces_of_file(source, dtype)
        first_type = dtype
    elif isinstance(source, Iterable):
        pieces = map(numpy_array, source)
        first_type = dtype
    else:
        raise TypeError(f"source must be a path or an iterable of arrays, "
                        f"not '{type(source).__name__}'")
    state = None if first_type is None else State(op, first_type)
    for piece in _watched(pieces, progress):
        piece = numpy_array(piece)
        if state is None:
            state = State(op, piece.dtype)
        state.add(piece)
    if state is None:
        raise ValueError("no arrays, and no dtype: the state has no type")
    return state
