# SPDX-License-Identifier: Apache-2.0
"""Element types: NumPy's, the array API's and Python's names for onefold's thirteen."""
from __future__ import annotations

import numpy as np

from . import _core

LONG_NAMES: tuple[str, ...] = tuple(name for name, _ in _core.dtypes)
_CODES = {name: code for code, name in enumerate(LONG_NAMES)}
_OWN_CODES = {own: code for code, (_, own) in enumerate(_core.dtypes)}
BFLOAT16 = _CODES["bfloat16"]


def code_of(dtype) -> int:
    """The number of a type: a NumPy dtype or scalar type, Python's bool, int, float, a name, or
    another library's dtype whose text ends in such a name (`torch.float32`).

    A word that NumPy knows has NumPy's meaning: "i8" is an integer of eight bytes. onefold's own
    names ("bf16", "f32") count where NumPy knows none.

    Raises TypeError for types that onefold has not, complex among them.
    """
    code = None
    if not isinstance(dtype, (str, type)):
        name = getattr(dtype, "name", None)
        code = _CODES.get(name if isinstance(name, str) else str(dtype).rpartition(".")[2])
    if code is None:
        try:
            code = _CODES.get(np.dtype(dtype).name)
        except (TypeError, ValueError, SyntaxError):
            code = _OWN_CODES.get(dtype, _CODES.get(dtype)) if isinstance(dtype, str) else None
    if code is None:
        raise TypeError(f"dtype {dtype!r} is not supported; onefold has {', '.join(LONG_NAMES)}")
    return code
