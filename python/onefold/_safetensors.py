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
from ._dtypes import code_of
from ._stats import Stats

_HEADER_BYTES = 100_000_000  # the format's own limit
_MOST_AXES = 64
# The format's names of types, all that safetensors 0.8 reads: onefold's, where it has the type, and
# the bits of an element.
_TYPES = {
    "BOOL": ("bool", 8), "I8": ("int8", 8), "U8": ("uint8", 8), "I16": ("int16", 16),
    "U16": ("uint16", 16), "F16": ("float16", 16), "BF16": ("bfloat16", 16), "I32": ("int32", 32),
    "U32": ("uint32", 32), "F32": ("float32", 32), "I64": ("int64", 64), "U64": ("uint64", 64),
    "F64": ("float64", 64), "C64": (None, 64), "F8_E4M3": (None, 8), "F8_E5M2": (None, 8),
    "F8_E8M0": (None, 8), "F8_E4M3FNUZ": (None, 8), "F8_E5M2FNUZ": (None, 8),
    "F6_E2M3": (None, 6), "F6_E3M2": (None, 6), "F4": (None, 4)}


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
    if kind not in _TYPES:
        raise ValueError(f"tensor {name!r} has elements of type {kind[:30]!r}, which the format "
                         "does not have")
    item_bits = _TYPES[kind][1]
    if max([0, *shape]) >= 2**63 or math.prod(n for n in shape if n) * item_bits >= 2**66:
        raise ValueError(f"tensor {name!r} has a shape of 2^63 bytes or more")
    if end < begin or math.prod(shape) * item_bits != 8 * (end - begin):
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
        TypeError: elements of a type that onefold has not (complex, and floats of less than
            16 bits).
    """
    found = {}
    with open(path, "rb") as file:
        try:
            tensors, start = _tensors_of(file, os.fstat(file.fileno()).st_size)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is not a safetensors file: {error}") from None
        for name, kind, begin, end in tensors:
            type_name, bits = _TYPES[kind]
            if type_name is None:
                raise TypeError(f"tensor {name!r} has elements of type {kind}, which are not "
                                "supported")
            file.seek(start + begin)
            data = file.read(end - begin)
            if len(data) < end - begin:
                raise ValueError(f"{path} ends within tensor {name!r}")
            view = _core.Array.from_buffer(np.frombuffer(data, f"uint{bits}"), code_of(type_name))
            found[name] = Stats(**_core.stats(view, nan))
    return found
