# SPDX-License-Identifier: Apache-2.0
"""Data larger than memory: files and streams of arrays, piece by piece."""
from __future__ import annotations

import io
import math
import os
import stat
from collections.abc import Iterable, Iterator

import numpy as np

from . import _core
from ._arrays import numpy_array
from ._arrow import ORDERED
from ._dtypes import code_of
from ._numpy import POSITIONS, numpy_dtype, plain_array
from ._state import State

_PIECE_BYTES = 64 << 20
_MAGIC = b"\x93NUMPY"
# What their states say depends on the order of the elements.
_IN_ORDER = ORDERED | set(POSITIONS)


class _Stream:
    """A binary stream that is read forward only: a file, a pipe, a socket's file."""

    def __init__(self, file, name: str):
        self._file, self.name = file, name
        self._ahead = self.read(len(_MAGIC))

    def is_npy(self) -> bool:
        return self._ahead == _MAGIC

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end of the stream alone."""
        ahead = getattr(self, "_ahead", b"")
        parts, self._ahead = [ahead[:size]] if ahead else [], ahead[size:]
        missing = size - len(ahead[:size])
        while missing:
            part = self._file.read(missing)
            if part is None:
                raise BlockingIOError(f"{self.name} is not blocking; wait until it has data")
            if isinstance(part, str):
                raise TypeError(f"{self.name} gives text; open it in binary mode, 'rb'")
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _element_type(dtype) -> np.dtype:
    """NumPy's dtype of elements in a file, with the byte order that `dtype` names."""
    native = numpy_dtype(code_of(dtype))
    try:
        named = np.dtype(dtype)
    except TypeError:
        return native
    return named if named.newbyteorder("=") == native else native


def _npy_header(stream: _Stream) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether the elements are in column-major order, and their type."""
    readers = {(1, 0): np.lib.format.read_array_header_1_0,
               (2, 0): np.lib.format.read_array_header_2_0,
               (3, 0): np.lib.format.read_array_header_2_0}  # 3.0: names of fields in UTF-8
    version = np.lib.format.read_magic(stream)
    if version not in readers:
        raise ValueError(f"{stream.name} is a .npy file of version {version[0]}.{version[1]}; "
                         "1.0, 2.0 and 3.0 are supported")
    shape, column_major, found = readers[version](stream)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"{stream.name} has the shape {shape}, with a negative extent")
    return shape, column_major and sum(extent > 1 for extent in shape) > 1, found


def _pieces_of_npy(stream: _Stream, dtype, op: str, path) -> tuple[np.dtype, Iterator[np.ndarray]]:
    shape, column_major, found = _npy_header(stream)
    if found.hasobject:
        raise TypeError(f"{stream.name} has Python objects, which are never unpickled")
    asked = found if dtype is None else _element_type(dtype)
    if found.kind == "V" and asked.kind == "V" and found.itemsize == asked.itemsize:
        found = asked  # NumPy stores bfloat16 as bytes without a name
    plain_array(np.empty(0, found), stream.name)  # refuses elements that are no numbers
    if code_of(asked) != code_of(found):
        raise TypeError(f"{stream.name} has {found}, not {asked}")
    if column_major and _core.operators[op] in _IN_ORDER:
        return found, _rows_of_npy(stream, shape, found, op, path)
    return found, _pieces(stream, found, math.prod(shape))


def _rows_of_npy(stream: _Stream, shape, found: np.dtype, op: str, path) -> Iterator[np.ndarray]:
    """The elements of a column-major array in the order of their indices, last axis fastest."""
    refused = ValueError(f"{stream.name} is column-major and is no file that can be read in "
                         f"another order, as '{op}' needs it; give the path of a file, or save "
                         "the array by np.ascontiguousarray")
    if path is None or not stat.S_ISREG(os.stat(path).st_mode):
        raise refused
    with open(path, "rb") as file:
        _npy_header(_Stream(file, stream.name))
        first = file.tell()
        missing = first + math.prod(shape) * found.itemsize - os.fstat(file.fileno()).st_size
        if missing > 0:
            raise ValueError(f"{stream.name} ends {missing} bytes early")
        if 0 not in shape:
            whole = np.memmap(file, found, "r", first, shape, "F")
            rows = max(1, _PIECE_BYTES // (whole.nbytes // shape[0]))
            for begin in range(0, shape[0], rows):
                yield np.asarray(whole[begin:begin + rows])


def _pieces(stream: _Stream, found: np.dtype, items: int | None) -> Iterator[np.ndarray]:
    """So many elements in the order of the stream; None: all until its end."""
    done = 0
    while items is None or done < items:
        count = _PIECE_BYTES // found.itemsize
        count = count if items is None else min(count, items - done)
        data = stream.read(count * found.itemsize)
        if items is None and len(data) % found.itemsize:
            raise ValueError(f"{stream.name} has {done * found.itemsize + len(data)} bytes, "
                             f"no multiple of {found.itemsize}")
        if items is not None and len(data) < count * found.itemsize:
            missing = (items - done) * found.itemsize - len(data)
            raise ValueError(f"{stream.name} ends {missing} bytes early")
        if not data:
            return
        yield np.frombuffer(data, found)
        done += len(data) // found.itemsize


def _pieces_of_stream(file, name: str, dtype, op: str, path=None):
    """The type of the elements, and arrays of them."""
    stream = _Stream(file, name)
    if stream.is_npy():
        return _pieces_of_npy(stream, dtype, op, path)
    if dtype is None:
        raise ValueError(f"{name} is not a .npy file; give the dtype of its raw elements")
    found = _element_type(dtype)
    return found, _pieces(stream, found, None)


def _watched(pieces, progress):
    if not progress:
        return pieces
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return pieces
    return tqdm(pieces, unit=" pieces", delay=0.5)


def _add_all(state: State | None, pieces, op: str, progress) -> State:
    for piece in _watched(pieces, progress):
        piece = numpy_array(piece)
        if state is None:
            state = State(op, piece.dtype)
        state.add(piece)
    if state is None:
        raise ValueError("no arrays, and no dtype: the state has no type")
    return state


def _check_source(source) -> None:
    """Raises TypeError for what has items that are not meant: bytes, and names of arrays."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        raise TypeError(f"source is '{type(source).__name__}'; give a path as a string, an open "
                        "file, or an array, numpy.frombuffer(source, dtype)")
    if hasattr(source, "keys") and getattr(source, "ndim", 2) != 1:
        raise TypeError(f"source is '{type(source).__name__}', whose items are names; give an "
                        "iterable of its arrays")
    if isinstance(source, io.TextIOBase):
        raise TypeError("source is a file of text; open it in binary mode, 'rb'")
    if not isinstance(source, Iterable) and not hasattr(source, "read"):
        raise TypeError(f"source must be a path, an open file or an iterable of arrays, "
                        f"not '{type(source).__name__}'")


def scan(source, op="sum", *, dtype=None, progress=False) -> State:
    """The state of a file's elements, or of all arrays that an iterable gives, in their order.

    Args:
        source: a path, also of a pipe or a device, or a file open in binary mode, from its
            position: of .npy, or of raw elements whose `dtype` is given; or an iterable of arrays
            of one element type. A file is read in pieces of 64 MiB. Positions are those of
            `argmin` and `argmax` of the array, also where it is stored in column-major order.
        op: an operator's name.
        dtype: the type of the elements, in a file with its byte order (">f4"); of arrays, that of
            the first one.
        progress: shows a bar where tqdm is installed.

    Raises:
        OSError: a file that cannot be read.
        ValueError, TypeError: a truncated file; elements of another type than the first.

    >>> import numpy as np
    >>> scan(np.full(3, 0.1) for _ in range(10)).value()
    np.float64(3.0)
    """
    if op not in _core.operators:
        State(op)  # refuses it
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            found, pieces = _pieces_of_stream(file, str(source), dtype, op, source)
            return _add_all(State(op, found), pieces, op, progress)
    _check_source(source)
    if hasattr(source, "read"):
        name = str(getattr(source, "name", type(source).__name__))
        found, pieces = _pieces_of_stream(source, name, dtype, op)
        return _add_all(State(op, found), pieces, op, progress)
    return _add_all(None if dtype is None else State(op, dtype), source, op, progress)
