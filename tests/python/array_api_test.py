# SPDX-License-Identifier: Apache-2.0
"""What the array API standard says of these functions, over all types, shapes and axes.

A restatement, in few lines, of what data-apis/array-api-tests checks of them; the results of that
suite are in conformance/python/results.
"""
import math
from fractions import Fraction

import numpy as np
import pytest

import onefold

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
SHAPES = [(), (1,), (3,), (2, 3), (3, 1, 2)]


def axes_of(shape):
    rank = len(shape)
    yield None
    yield from range(-rank, rank)
    if rank > 1:
        yield (0, rank - 1)
        yield (-1, 0)


def answer_shape(shape, axis, keepdims):
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = {one % len(shape) for one in axes}
    return tuple(1 if one in axes else extent for one, extent in enumerate(shape)
                 if keepdims or one not in axes)


def ones(shape, dtype):
    return (np.arange(math.prod(shape)) % 3 + 1).astype(dtype).reshape(shape)


def each_case(dtypes):
    for dtype in dtypes:
        for shape in SHAPES:
            for axis in axes_of(shape):
                for keepdims in (False, True):
                    yield ones(shape, dtype), axis, keepdims


@pytest.mark.parametrize("name, dtypes, answer", [
    ("sum", INTEGERS + FLOATS, "accumulated"), ("prod", INTEGERS + FLOATS, "accumulated"),
    ("mean", FLOATS, "same"), ("var", FLOATS, "same"), ("std", FLOATS, "same"),
    ("min", INTEGERS + FLOATS, "same"), ("max", INTEGERS + FLOATS, "same"),
    ("any", ["bool", *INTEGERS, *FLOATS], "bool"), ("all", ["bool", *INTEGERS, *FLOATS], "bool"),
    ("count_nonzero", ["bool", *INTEGERS, *FLOATS], "int64"),
    ("argmin", INTEGERS + FLOATS, "int64"), ("argmax", INTEGERS + FLOATS, "int64")])
def test_shape_and_type_of_the_answer(name, dtypes, answer):
    for x, axis, keepdims in each_case(dtypes):
        if name.startswith("arg") and isinstance(axis, tuple):
            continue  # the standard has one axis, or all
        result = getattr(onefold, name)(x, axis=axis, keepdims=keepdims)
        assert result.shape == answer_shape(x.shape, axis, keepdims), (x, axis, keepdims)
        expected = answer if answer not in ("same", "accumulated") else x.dtype
        if answer == "accumulated" and x.dtype.kind in "iu":
            expected = "uint64" if x.dtype.kind == "u" else "int64"
        assert result.dtype == expected, (x.dtype, axis, keepdims)


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dtype_is_the_type_of_the_answer(name, dtype):
    for x, axis, keepdims in each_case(INTEGERS[:3] + FLOATS):
        result = getattr(onefold, name)(x, axis=axis, dtype=dtype, keepdims=keepdims)
        assert result.dtype == dtype


def test_values():
    for x, axis, keepdims in each_case(INTEGERS + FLOATS):
        same = {"axis": axis, "keepdims": keepdims}
        assert (onefold.sum(x, **same) == np.sum(x.astype(int), **same)).all()
        assert (onefold.prod(x, **same) == np.prod(x.astype(int), **same)).all()
        assert (onefold.min(x, **same) == np.min(x, **same)).all()
        assert (onefold.max(x, **same) == np.max(x, **same)).all()
        assert onefold.all(x, **same).all() and onefold.any(x, **same).all()
        if not isinstance(axis, tuple):
            assert (onefold.argmin(x, **same) == np.argmin(x, **same)).all()
            assert (onefold.argmax(x, **same) == np.argmax(x, **same)).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_cases(dtype):
    nothing, nan = np.zeros(0, dtype), np.array([1, np.nan], dtype)
    assert onefold.sum(nothing) == 0 and onefold.prod(nothing) == 1
    for name in ("mean", "var", "std"):
        assert np.isnan(getattr(onefold, name)(nothing)), name
        assert np.isnan(getattr(onefold, name)(nan)), name
    for name in ("sum", "prod", "min", "max"):
        assert np.isnan(getattr(onefold, name)(nan)), name
    for name in ("var", "std"):  # count - correction <= 0
        assert np.isnan(getattr(onefold, name)(np.ones(2, dtype), correction=2)), name
        assert np.isnan(getattr(onefold, name)(np.ones(2, dtype), correction=3)), name
    assert not onefold.any(nothing) and onefold.all(nothing)
    assert onefold.any(np.array([np.nan, 0], dtype)) and onefold.all(nan)


@pytest.mark.parametrize("correction", [0, 1, 0.0, 1.0, 2.0, 0.5, 1.5, -0.25])
def test_correction(correction):
    x = np.array([1.0, 2.0, 4.0, 9.0])  # the squared differences sum to 38
    assert onefold.var(x, correction=correction) == 38 / (4 - correction)
    deviation = Fraction(onefold.std(x, correction=correction).item())
    ulp = Fraction(np.spacing(float(deviation)).item())
    square = Fraction(38) / (4 - Fraction(correction))
    assert (deviation - ulp / 2)**2 < square < (deviation + ulp / 2)**2


def test_vecdot():
    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    assert onefold.vecdot(x, y).tolist() == [8.0, 26.0]
    assert onefold.vecdot(x, x, axis=-2).tolist() == [9.0, 17.0, 29.0]
    assert onefold.vecdot(x.astype("f4"), y).dtype == "float64"
    for wrong in (np.zeros(1), np.zeros(0), np.zeros((2, 2))):
        with pytest.raises(ValueError):
            onefold.vecdot(x, wrong)
