# SPDX-License-Identifier: Apache-2.0
"""Another library may set FTZ and DAZ (a shared object linked with -ffast-math does): no bit of an
answer, and none of an argument, may change."""
import contextlib
import ctypes
import ctypes.util
import platform

import numpy as np
import pytest

import onefold

FLUSH_TO_ZERO_AND_DENORMALS_ARE_ZERO = 0x8040
OPS = ["sum", "mean", "prod", "norm1", "norm2", "norminf", "min", "max", "minmax", "argmin",
       "argmax", "any", "all", "count_nonzero"]
# Three subnormal elements in each type; sums and means of them are subnormal too.
VALUES = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}


@contextlib.contextmanager
def flushing():
    """The calling thread's MXCSR with both bits set, by the C library's fenv_t, whose last word it
    is on x86-64."""
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        pytest.skip("the layout of fenv_t is known for x86-64 and glibc")
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    before, flushed = (ctypes.c_uint32 * 8)(), (ctypes.c_uint32 * 8)()
    libm.fegetenv(before)
    flushed[:] = before[:]
    flushed[7] |= FLUSH_TO_ZERO_AND_DENORMALS_ARE_ZERO
    libm.fesetenv(flushed)
    try:
        assert float(np.float32(2.0**-149)) == 0, "the setting has no effect"
        yield
    finally:
        libm.fesetenv(before)


def elements(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
        return np.array([1, 2, 1], np.uint16).view(onefold._numpy.numpy_dtype(
            onefold._dtypes.code_of("bfloat16")))
    return (np.array([1, 2, 1]) * VALUES[dtype]).astype(dtype)


def bits(answer):
    return b"".join(np.asarray(part).tobytes() for part in (
        answer if isinstance(answer, tuple) else (answer,)))


def scalars(x, dtype):
    """Bits of every way to a scalar or an array of an operator's answers, by name."""
    found = {}
    for op in OPS:
        function = getattr(onefold, op)
        state = onefold.State(op, dtype).add(x)
        found |= {f"{op} of x": function(x), f"{op} along an axis": function(x, axis=0),
                  f"{op} of rows": function(x.reshape(3, 1), axis=1),
                  f"{op} of a state": state.value(),
                  f"{op} of a scan": onefold.scan([x], op).value(),
                  f"{op} by key": onefold.group_by([7, 7, 7], x, op).values,
                  f"{op} of a segment": onefold.reduce_at(x, [0, 3], op)}
        if op not in ("any", "all", "argmin", "argmax", "count_nonzero"):
            found[f"{op} as float64"] = state.value("float64")
            found[f"{op} of x as float64"] = (
                function(x, dtype="float64") if op not in ("min", "max", "minmax", "norminf")
                else function(x))
    found["decimal"] = np.array(onefold.State("sum", dtype).add(x).decimal())
    for name, value in vars(onefold.stats(x)).items():
        found[f"{name} of stats"] = np.float64(value)
    for name, value in vars(onefold.audit(x)[0]).items():
        if name in ("count", "nan", "exact", "condition", "receipt"):
            found[f"{name} of audit"] = np.array(value)
    least = x[0]
    for name, initial in (("scalar", least), ("array of no axes", np.array(least))):
        found[f"initial {name}"] = onefold.sum(x, initial=initial)
        found[f"initial {name}, max"] = onefold.max(x[:0], initial=initial)
        found[f"empty_value {name}"] = onefold.reduce_at(x, [0, 0], "max", empty_value=initial)
    return {name: bits(value) for name, value in found.items()}


@pytest.mark.parametrize("dtype", VALUES)
def test_no_scalar_loses_subnormals(dtype):
    x = elements(dtype)
    right = scalars(x, dtype)
    with flushing():
        found = scalars(x, dtype)
    assert {name: value for name, value in found.items() if value != right[name]} == {}


def test_the_values_of_subnormals():
    """What the other test compares with is right itself."""
    x = np.frombuffer(b"\1\0\0\0" * 2, np.float32)
    with flushing():
        answers = [onefold.sum(x), onefold.State("sum", "float32").add(x).value(),
                   onefold.sum(x, keepdims=True), onefold.sum(x[:1], initial=x[0]),
                   onefold.reduce_at(x, [0, 2])]
        numbers = [onefold.stats(x).sum, onefold.audit(x)[0].exact, onefold.sum(x, dtype=float)]
    assert [answer.tobytes().hex() for answer in answers] == ["02000000"] * 5
    assert numbers == [2.0**-148] * 3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_initial_values_of_every_kind(dtype):
    kind = type(elements(dtype)[0])
    for value in (0.0, -0.0, 1.0, -2.5, float("inf"), float("-inf"), VALUES[dtype],
                  -VALUES[dtype] * 3, 0.0625):
        for initial in (kind(value), np.array(value, kind)):
            assert bits(onefold.max(np.array([], "float64"), initial=initial)) == \
                np.float64(value).tobytes()
    assert np.isnan(onefold.max(np.array([], "float64"), initial=kind(np.nan)))
    swapped = np.array(1.5, ">f4")
    assert onefold.sum(np.array([1.0]), initial=swapped) == 2.5
    with pytest.raises(TypeError, match="initial must be a real number"):
        onefold.sum(np.array([1.0]), initial=np.float32([1, 2]))
