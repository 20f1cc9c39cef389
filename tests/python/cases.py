# SPDX-License-Identifier: Apache-2.0
"""Random arrays and arguments of reductions: values that are hard, layouts that are rare."""
from __future__ import annotations

import math
import random
import struct

import numpy as np

import oracle

NUMPY_DTYPES = tuple(name for name in oracle.DTYPES if name != "bfloat16")
CODES = {"bool": "?", "float16": "e", "float32": "f", "float64": "d"}


def float_values(choose: random.Random, dtype: str, n: int) -> list[float]:
    """n values of one kind: a range of exponents, cancellation, ties, subnormals, specials."""
    precision, e_max = oracle.FLOATS[dtype]
    e_min, unit = 1 - e_max, 2.0 ** (1 - precision)
    tiny, largest = math.ldexp(1.0, e_min - precision + 1), math.ldexp(2.0 - unit, e_max)

    def scaled(low, high):
        exponent = choose.randint(low, high)
        return choose.choice((-1, 1)) * math.ldexp(
            2**(precision - 1) + choose.getrandbits(precision - 1), exponent - precision + 1)

    def cancelling():
        half = [scaled(e_min, e_max - 1) for _ in range(n // 2)]
        return half + [-value for value in half] + [scaled(e_min, 0)] * (n % 2)

    kinds = {
        "near one": lambda: [scaled(-2, 2) for _ in range(n)],
        "wide": lambda: [scaled(e_min, e_max) for _ in range(n)],
        "cancelling": cancelling,
        "ties": lambda: [choose.choice((1.0, unit / 2, -unit / 2, unit, tiny, -tiny, 2.0))
                         for _ in range(n)],
        "subnormal": lambda: [choose.randint(-2**(precision - 1), 2**(precision - 1)) * tiny
                              for _ in range(n)],
        "huge": lambda: [choose.choice((largest, -largest, largest / 2, -largest / 2, 1.0))
                         for _ in range(n)],
        "infinite": lambda: [choose.choice((1.0, -2.0, math.inf, -math.inf if n % 2 else math.inf))
                             for _ in range(n)],
        "special": lambda: [choose.choice((0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan))
                            for _ in range(n)],
        "nans": lambda: [choose.choice((math.nan, scaled(-2, 2), scaled(-2, 2), scaled(-2, 2)))
                         for _ in range(n)],
        "minus zero": lambda: [-0.0] * n,
        "zeros": lambda: [choose.choice((0.0, -0.0)) for _ in range(n)],
        "equal": lambda: [scaled(e_min, e_max)] * n,
        "small integers": lambda: [float(choose.randint(-3, 3)) for _ in range(n)],
    }
    values = kinds[choose.choice(sorted(kinds))]()
    choose.shuffle(values)
    return values


def integer_values(choose: random.Random, dtype: str, n: int) -> list[int]:
    if dtype == "bool":
        weight = choose.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        return [choose.random() < weight for _ in range(n)]
    low, high = oracle.INTEGERS[dtype]
    kind = choose.choice(("small", "full", "ends", "medium"))
    if kind == "small":
        return [choose.randint(max(low, -2), 3) for _ in range(n)]
    if kind == "ends":
        return [choose.choice((low, high, 0, 1)) for _ in range(n)]
    shift = 0 if kind == "full" else choose.randint(0, high.bit_length())
    return [choose.randint(low >> shift, high >> shift) for _ in range(n)]


def values_of(choose: random.Random, dtype: str, n: int) -> list:
    make = float_values if dtype in oracle.FLOATS else integer_values
    return make(choose, dtype, n)


def bytes_of(values: list, dtype: str) -> bytes:
    """The elements in this machine's byte order."""
    if dtype == "bfloat16":
        return b"".join(struct.pack("=f", value)[2:] for value in values)
    return np.array(values, dtype).tobytes()


def dtype_of(name: str) -> np.dtype:
    """NumPy's dtype; bfloat16 is that of ml_dtypes."""
    if name == "bfloat16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def shape_of(choose: random.Random, least_rank: int = 0) -> tuple[int, ...]:
    kind = choose.random()
    if kind < 0.15:
        return (choose.choice((1, 2, 7, 8, 9, 31, 63, 64, 65, 130, 257)),)
    if kind < 0.25:
        return (choose.randint(1, 4), choose.choice((15, 16, 17, 40, 70)))[::choose.choice((1, -1))]
    rank = choose.randint(least_rank, 4)
    return tuple(choose.choice((0, 1, 1, 2, 2, 3, 3, 4, 5)) for _ in range(rank))


def array_of(choose: random.Random, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array of the shape with random strides: steps, negative, zero, other orders, padding."""
    kind = dtype_of(dtype)
    order = list(range(len(shape)))
    choose.shuffle(order)
    plain = choose.random() < 0.4
    steps = [1 if plain else choose.choice((1, 1, -1, 2, -3, 0)) for _ in shape]
    inner = [shape[axis] for axis in order]
    base_shape = [1 if step == 0 and extent > 0 else extent * max(abs(step), 1)
                  for extent, step in zip(inner, steps)]
    count = math.prod(base_shape)
    values = values_of(choose, dtype, count)
    layout = "plain" if plain else choose.choice(("plain", "shifted", "padded", "swapped"))
    data = bytes_of(values, dtype)
    if layout == "shifted":  # no element is aligned
        base = np.frombuffer(bytearray(b"\0" + data), kind, count, 1).reshape(base_shape)
    elif layout == "padded":  # strides that are no multiple of the element
        table = np.zeros(base_shape, [("before", "u1"), ("value", kind), ("after", "u1", 2)])
        table["value"] = np.frombuffer(data, kind).reshape(base_shape)
        base = table["value"]
    else:
        base = np.frombuffer(bytearray(data), kind, count).reshape(base_shape)
        if layout == "swapped" and kind.itemsize > 1 and dtype != "bfloat16":
            base = base.astype(kind.newbyteorder())
    x = base[tuple(slice(None, None, step or 1) for step in steps)]
    x = x[tuple(slice(0, extent) for extent in inner)]
    x = np.broadcast_to(x, inner) if 0 in steps else x
    return x.transpose([order.index(axis) for axis in range(len(shape))])


def axis_of(choose: random.Random, rank: int, tuples: bool = True):
    """None, an axis, or a tuple of axes in any order."""
    kind = choose.random()
    if rank == 0:
        return choose.choice((None, ())) if tuples else None
    if kind < 0.25:
        return None
    if kind < 0.6 or not tuples:
        return choose.randint(-rank, rank - 1)
    axes = choose.sample(range(rank), choose.randint(0, rank))
    return tuple(axis - rank if choose.random() < 0.4 else axis for axis in axes)


def mask_of(choose: random.Random, shape: tuple[int, ...]):
    """A mask whose shape broadcasts against the array's."""
    kept = [1 if choose.random() < 0.2 else extent for extent in shape]
    kept = kept[choose.randint(0, len(kept)) if choose.random() < 0.3 else 0:]
    weight = choose.choice((0.0, 0.3, 0.7, 0.9, 1.0))
    return np.array([choose.random() < weight for _ in range(math.prod(kept))],
                    bool).reshape(kept)


def reduced_axes(rank: int, axis) -> list[int]:
    """The numbers of the axes that are reduced, ascending."""
    if axis is None:
        return list(range(rank))
    return sorted(number % rank for number in (axis if isinstance(axis, tuple) else (axis,)))


def rows_of(x: np.ndarray, axis) -> list[list]:
    """For each answer, in row-major order of the kept axes, its elements in row-major order."""
    reduced = reduced_axes(x.ndim, axis)
    kept = [number for number in range(x.ndim) if number not in reduced]
    rows = math.prod(x.shape[number] for number in kept)
    wide = x.astype(np.float64) if x.dtype.name == "bfloat16" else x
    return wide.transpose(kept + reduced).reshape(
        rows, math.prod(x.shape[number] for number in reduced)).tolist()


def answer_shape(x: np.ndarray, axis, keepdims: bool) -> tuple[int, ...]:
    reduced = reduced_axes(x.ndim, axis)
    shape = ((1 if keepdims else None) if number in reduced else extent
             for number, extent in enumerate(x.shape))
    return tuple(extent for extent in shape if extent is not None)
