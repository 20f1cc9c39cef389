# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of a safetensors file."""
from __future__ import annotations

import json
import math
import os
import struct

import numpy as np

from . import _core
from ._dtypes import CODES
from ._stats import Stats

_HEADER_BYTES = 100_000_000  # the format's own limit
# The format's names of types: onefold's, and the NumPy type of such elements' bits.
_TYPES = {
    "BOOL": ("bool", np.uint8), "I8": ("i8", np.uint8), "U8": ("u8", np.uint8),
    "I16": ("i16", np.uint16), "U16": ("u16", np.uint16), "F16": ("f16", np.uint16),
    "BF16": ("bf16", np.uint16), "I32": ("i32", np.uint32), "U32": ("u32", np.uint32),
    "F32": ("f32", np.uint32), "I64": ("i64", np.uint64), "U64": ("u64", np.uint64),
    "F64": ("f64", np.uint64)}


def _header_of(file, path) -> tuple[dict, int]:
    """The tensors' entries, and where the data begin."""
    size = os.fstat(file.fileno()).st_size
    start = file.read(8)
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
    if length > min(_HEADER_BYTES, size - 8):
        raise ValueError(f"{path} is not a safetensors file: no header within its {size} bytes")
    try:
        entries = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a safetensors file: {error}") from None
    if not isinstance(entries, dict):
        raise ValueError(f"{path} is not a safetensors file: its header is no object")
    entries.pop("__metadata__", None)
    return entries, 8 + length


def _place_of(name, entry, room) -> tuple[str, type, int, int]:
    """Type, type of its bits, first byte and the one after the last of a tensor."""
    try:
        kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        valid = all(type(n) is int and n >= 0 for n in (begin, end, *shape))
    except (KeyError, TypeError, ValueError):
        valid = False
    if not valid or not begin <= end <= room:
        raise ValueError(f"tensor {name!r} has no valid dtype, shape and data_offsets")
    if kind not in _TYPES:
        raise TypeError(f"tensor {name!r} has elements of type {kind}, which are not supported")
    code, bits = _TYPES[kind]
    items = math.prod(shape)
    if items * np.dtype(bits).itemsize != end - begin:
        raise ValueError(f"tensor {name!r} of {items} elements of {kind} has {end - begin} bytes")
    return code, bits, begin, end


def safetensors_stats(path, *, nan="propagate") -> dict[str, Stats]:
    """The statistics of each tensor of a safetensors file, by name, in the file's order.

    A tensor at a time is in memory.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a file that is no valid safetensors file.
        TypeError: elements of a type that onefold has not (the 8-bit floats).
    """
    found = {}
    with open(path, "rb") as file:
        entries, start = _header_of(file, path)
        room = os.fstat(file.fileno()).st_size - start
        for name, entry in entries.items():
            code, bits, begin, end = _place_of(name, entry, room)
            file.seek(start + begin)
            data = file.read(end - begin)
            if len(data) < end - begin:
                raise ValueError(f"{path} ends within tensor {name!r}")
            view = _core.Array.from_buffer(np.frombuffer(data, bits), CODES[code])
            found[name] = Stats(**_core.stats(view, nan))
    return found
