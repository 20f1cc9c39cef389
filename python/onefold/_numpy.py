# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays that need a word: subclasses, masks, bfloat16, byte orders, refused elements."""
from __future__ import annotations

from operator import index

import numpy as np

from . import _core
from ._dtypes import BFLOAT16, LONG_NAMES, code_of

POSITIONS = (_core.operators["argmin"], _core.operators["argmax"])

# The remedy for the elements that onefold refuses, by the kind of their dtype.
_REMEDIES = {
    "O": "give numbers of one type, with integers from -2^63 to 2^64 - 1; x.astype(float) rounds",
    "S": "convert them with x.astype(float)",
    "U": "convert them with x.astype(float)",
    "T": "convert them with x.astype(float)",
    "M": "give their counts, x.view('i8')",
    "m": "give their counts, x.view('i8')",
    "c": "reduce x.real and x.imag",
    "f": "round them to float64 with x.astype(float)",
}


def plain_array(x, name: str = "x") -> np.ndarray:
    """x as an array of NumPy's own class and of this machine's byte order.

    The memory is x's own if it has one. Copied are lists, ranges and other sequences, and arrays
    of the other byte order. Raises TypeError for elements that onefold has not, and for integers
    of a sequence that NumPy rounds.
    """
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8)
    array = np.asarray(x)
    if array.dtype == np.float64 and _is_sequence(x):
        array = _exact_integers(x, array, name)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.char not in "?bhilqBHILQefd" and array.dtype.name != "bfloat16":
        _refuse(array.dtype, name)
    return array


def _refuse(dtype: np.dtype, name: str):
    if dtype.names:
        remedy = f"give a field, {name}[{dtype.names[0]!r}]"
    elif dtype.kind == "V":  # ml_dtypes
        remedy = "convert them with x.astype('float32')"
    else:
        remedy = _REMEDIES.get(dtype.kind, "convert them to numbers")
    raise TypeError(f"{name} has elements of dtype '{dtype}', which are not supported; "
                    + remedy.replace("x.", f"{name}."))


def _is_sequence(x) -> bool:
    """Whether NumPy reads x's items one by one, and finds a type that may not hold them all."""
    if isinstance(x, (np.ndarray, np.generic)) or not hasattr(x, "__len__"):
        return False
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        return False
    try:
        return memoryview(x) is None
    except TypeError:
        return True


def _integer_of(item) -> int | None:
    """The value of an integer of Python, NumPy or another library; None for a float."""
    if isinstance(item, np.bool_):
        return int(item)
    try:
        return None if isinstance(item, float) else index(item)
    except TypeError:
        return None


def _exact_integers(x, array: np.ndarray, name: str) -> np.ndarray:
    """The items of a sequence that NumPy made float64 of, which rounds integers beyond 2^53.

    They are float64 where they include floats, and int64 or uint64 where they do not.
    """
    if not (np.abs(array) >= 2.0**53).any():
        return array
    items = [_integer_of(item) for item in np.asarray(x, dtype=object).flat]
    integers = [item for item in items if item is not None]
    if len(integers) == len(items):
        least, most = min(integers), max(integers)
        if least >= 0 or most < 2**63:
            return np.asarray(x, dtype=np.uint64 if least >= 0 else np.int64)
        raise TypeError(f"{name} has integers from 2^63 on next to negative ones, which no type "
                        f"holds; give numpy.array({name}, dtype=float) to round them")
    for integer in integers:
        if abs(integer) >= 2**63 or int(float(integer)) != integer:
            raise TypeError(f"{name} has the integer {integer} next to floats, which NumPy rounds; "
                            f"give numpy.array({name}, dtype=float) to accept that")
    return array


def selected_by_both(kept: np.ndarray, where) -> np.ndarray:
    """The mask of the elements that `kept`, a mask of bools, and `where` both select.

    Raises ValueError where `where` is neither of bools nor of u8, of which any but 0 selects.
    """
    where = np.asarray(where)
    if where.dtype not in (np.bool_, np.uint8):
        raise ValueError(f"where has elements of {where.dtype}; they must be bool or uint8")
    return np.logical_and(kept, where)


def mask_of(x, where):
    """The mask of a masked array's elements that count, combined with `where`; else `where`."""
    if not isinstance(x, np.ma.MaskedArray) or x.mask is np.ma.nomask:
        return where
    kept = ~np.asarray(x.mask)
    return kept if where is True else selected_by_both(kept, where)


def check_type_of_out(dtype, code: int) -> None:
    """Raises TypeError if dtype is another type than that of the elements of out, `code`."""
    if dtype is not None and code_of(dtype) != code:
        raise TypeError(f"dtype is {LONG_NAMES[code_of(dtype)]}, the elements of out "
                        f"{LONG_NAMES[code]}")


def position_of_kept(op, x: np.ndarray, mask, axis, keepdims, out, nan):
    """argmin or argmax of the elements where mask is True, which are copied."""
    if axis is not None and x.ndim != 1:
        raise TypeError("argmin and argmax take masked arrays of one axis, or axis=None")
    shape = _core.answer_shape(op, view_of_numpy(x), axis, keepdims)
    kept = np.flatnonzero(np.broadcast_to(mask, x.shape))
    found = view_of_numpy(x.reshape(-1)[kept])
    first = np.empty((), np.int64)
    _core.reduce_into(op, found, None, view_of_numpy(first, True), None, False, None, None,
                      "exact", nan, None, 0)
    position = kept[first]
    if out is None:
        return np.reshape(position, shape)[()]
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, the answers {shape}")
    # The state of the one element that was found refuses the types that cannot hold its position.
    one = _core.State.create(op, found.dtype, int(position))
    one.add(view_of_numpy(x.reshape(-1)[position:position + 1]), None, None, 0)
    out[...] = np.reshape(one.value(code_of(out.dtype), "propagate", 0), shape)
    return out


def view_of_numpy(x: np.ndarray, writable: bool = False) -> _core.Array:
    """The memory of a NumPy array, bfloat16 included."""
    if x.dtype.name == "bfloat16":
        return _core.Array.from_buffer(x.view(np.uint16), BFLOAT16, writable)
    return _core.Array.from_buffer(x, -1, writable)


def numpy_dtype(code: int) -> np.dtype:
    """NumPy's dtype of a number; bfloat16 is that of ml_dtypes."""
    if code == BFLOAT16:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("NumPy has no bfloat16; install ml_dtypes, or ask for another type, as "
                            "dtype='float32'") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(LONG_NAMES[code])


def has_buffer(x: np.ndarray | None) -> bool:
    """Whether the compiled part reads it as it is: no bfloat16, no other byte order."""
    return x is None or (x.dtype.isnative and x.dtype.char in "?bhilqBHILQefd")
