# SPDX-License-Identifier: Apache-2.0
"""Element types: NumPy's, the array API's and Python's names for onefold's thirteen."""
from __future__ import annotations

import numpy as np

from . import _core

NAMES: tuple[str, ...] = tuple(_core.dtypes)
CODES: dict[str, int] = {name: code for code, name in enumerate(NAMES)}
BFLOAT16 = CODES["bf16"]

_NUMPY_NAMES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16",
    "f32": "float32", "f64": "float64",
}
LONG_NAMES: tuple[str, ...] = tuple(_NUMPY_NAMES[name] for name in NAMES)
_CODES_OF_NAMES = {long: CODES[short] for short, long in _NUMPY_NAMES.items()}


def code_of_name(name: str) -> int | None:
    """The number of a type by its long name ("float32") or onefold's ("f32")."""
    return _CODES_OF_NAMES.get(name, CODES.get(name))


def code_of(dtype) -> int:
    """The number of a type: a NumPy dtype or scalar type, Python's bool, int, float, a name, or
    another library's dtype whose text ends in such a name (`torch.float32`).

    Raises TypeError for types that onefold has not, complex among them.
    """
    if isinstance(dtype, str):
        code = code_of_name(dtype)
        if code is not None:
            return code
    name = getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = str(dtype).rpartition(".")[2] if not isinstance(dtype, (type, str)) else None
    code = code_of_name(name) if name else None
    if code is None:
        try:
            code = code_of_name(np.dtype(dtype).name)
        except TypeError:
            code = None
    if code is None:
        raise TypeError(f"dtype {dtype!r} is not supported; onefold has {', '.join(LONG_NAMES)}")
    return code
