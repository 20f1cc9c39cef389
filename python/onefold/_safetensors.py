# SPDX-License-Identifier: Apache-2.0
"""The statistics of the tensors of a safetensors file.

The program has a reader of its own (apps/onefold/io/safetensors.hpp has the format's rules). This
one needs no program; tests/support/safetensors_files.py has the files that both refuse.
"""
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
_MOST_AXES = 64
# The format's names of types: onefold's, and the NumPy type of such elements' bits.
_TYPES = {
    "BOOL": ("bool", np.uint8), "I8": ("i8", np.uint8), "U8": ("u8", np.uint8),
    "I16": ("i16", np.uint16), "U16": ("u16", np.uint16), "F16": ("f16", np.uint16),
    "BF16": ("bf16", np.uint16), "I32": ("i32", np.uint32), "U32": ("u32", np.uint32),
    "F32": ("f32", np.uint32), "I64": ("i64", np.uint64), "U64": ("u64", np.uint64),
    "F64": ("f64", np.uint64)}


class _Object(tuple):
    """The pairs of a JSON object, so that a name that is there twice is seen."""

    __slots__ = ()

    def named(self, what: str) -> dict:
        """The object as a dictionary. Fails: ValueError."""
        found = dict(self)
        if len(found) < len(self):
            raise ValueError(f"{what} has a name twice")
        return found


def _natural(digits: str) -> int:
    if digits.startswith("-") or len(digits) > 20:
        raise ValueError(f"{digits[:30]} is no natural number below 2^64")
    return int(digits)


def _refuse(word: str):
    raise ValueError(f"{word[:30]} is no natural number")


def _parsed(text: bytes) -> dict:
    """The entries of a header. Fails: ValueError, RecursionError."""
    if text[:1] != b"{":
        raise ValueError("the header is no JSON object")
    header = json.loads(text.decode(), object_pairs_hook=_Object, parse_int=_natural,
                        parse_float=_refuse, parse_constant=_refuse)
    if b"\\u" in text:
        json.dumps(header, ensure_ascii=False).encode()  # a lone surrogate is no character
    entries = header.named("the header")
    metadata = entries.pop("__metadata__", _Object())
    if type(metadata) is not _Object or not all(type(text) is str for _, text in metadata):
        raise ValueError("__metadata__ must hold strings")
    return entries


def _place_of(name: str, entry) -> tuple[str, int, int]:
    """Type, first byte and the one after the last of a tensor, whose bytes fit its shape."""
    fields = entry.named(f"tensor {name!r}") if type(entry) is _Object else {}
    if fields.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"tensor {name!r} must have dtype, shape and data_offsets, and no more")
    kind, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if (type(kind) is not str or type(shape) is not list or type(offsets) is not list
            or len(shape) > _MOST_AXES or len(offsets) != 2
            or not all(type(n) is int for n in shape + offsets)):
        raise ValueError(f"tensor {name!r} has no valid dtype, shape and data_offsets")
    begin, end = offsets
    item_bytes = np.dtype(_TYPES[kind][1]).itemsize if kind in _TYPES else 1
    if max([0, *shape]) >= 2**63 or math.prod(n for n in shape if n) * item_bytes >= 2**63:
        raise ValueError(f"tensor {name!r} has a shape of 2^63 bytes or more")
    if end < begin or kind in _TYPES and math.prod(shape) * item_bytes != end - begin:
        raise ValueError(f"tensor {name!r} has {end - begin} bytes, which its shape does not need")
    return kind, begin, end


def _tensors_of(file, size: int) -> tuple[list[tuple[str, str, int, int]], int]:
    """Name, type, first byte and the one after the last of each tensor, in the order of their data,
    which they cover; and where the data begin. Fails: ValueError, RecursionError."""
    start = file.read(8)
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
    if length > min(_HEADER_BYTES, size - 8):
        raise ValueError(f"no header within its {size} bytes")
    entries = _parsed(file.read(length))
    tensors = [(name, *_place_of(name, entry)) for name, entry in entries.items()]
    tensors.sort(key=lambda tensor: tensor[2:])
    next_byte = 0
    for name, _, begin, end in tensors:
        if begin != next_byte:
            raise ValueError(f"tensor {name!r} begins at byte {begin} of the data, and the one "
                             f"before it ends at byte {next_byte}")
        next_byte = end
    if next_byte != size - 8 - length:
        raise ValueError(f"its tensors have {next_byte} bytes, and {size - 8 - length} are there")
    return tensors, 8 + length


def safetensors_stats(path, *, nan="propagate") -> dict[str, Stats]:
    """The statistics of each tensor of a safetensors file, by name, in the order of their data.

    A tensor at a time is in memory. Files are refused that `onefold stats` refuses.

    Raises:
        OSError: a file that cannot be read.
        ValueError: a file that is no valid safetensors file.
        TypeError: elements of a type that onefold has not (the 8-bit floats).
    """
    found = {}
    with open(path, "rb") as file:
        try:
            tensors, start = _tensors_of(file, os.fstat(file.fileno()).st_size)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is not a safetensors file: {error}") from None
        for name, kind, begin, end in tensors:
            if kind not in _TYPES:
                raise TypeError(f"tensor {name!r} has elements of type {kind}, which are not "
                                "supported")
            code, bits = _TYPES[kind]
            file.seek(start + begin)
            data = file.read(end - begin)
            if len(data) < end - begin:
                raise ValueError(f"{path} ends within tensor {name!r}")
            view = _core.Array.from_buffer(np.frombuffer(data, bits), CODES[code])
            found[name] = Stats(**_core.stats(view, nan))
    return found
