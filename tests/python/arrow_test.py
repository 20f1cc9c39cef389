# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow: pyarrow, pandas, polars; nulls, slices, chunks; malformed producers."""
import ctypes

import numpy as np
import pytest

import onefold
from onefold import State, _core
from onefold._arrays import numpy_array

NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
           "float32", "float64")
OPERATORS = (onefold.sum, onefold.mean, onefold.var, onefold.prod, onefold.count,
             onefold.count_nonzero, onefold.any, onefold.all, onefold.min, onefold.max,
             onefold.argmin, onefold.argmax, onefold.norm, onefold.sumsq, onefold.logsumexp)


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


def chunk_addresses(column):
    """The addresses of the elements that the compiled part reads."""
    if hasattr(column, "__arrow_c_array__"):
        chunks = _core.arrow_array(*column.__arrow_c_array__())[1]
    else:
        chunks = _core.arrow_stream(column.__arrow_c_stream__())[1]
    return [values.address for values, _ in chunks]


def test_numbers_are_not_copied(pa):
    for name in NUMBERS:
        x = np.arange(10).astype(name)
        column = pa.array(x)
        assert chunk_addresses(column) == [column.buffers()[1].address]
        part = column[3:]
        assert chunk_addresses(part) == [column.buffers()[1].address + 3 * x.itemsize]
        answer = onefold.sum(part)
        expected = onefold.sum(x[3:])
        assert type(answer) is type(expected) and answer == expected, name
    both = pa.chunked_array([pa.array([1.0, 2]), pa.array([3.0])])
    assert chunk_addresses(both) == [one.buffers()[1].address for one in both.chunks]


def test_nulls_do_not_count(pa):
    column = pa.array([1.5, None, 2.5, None])
    assert onefold.sum(column) == 4 and onefold.mean(column) == 2 and onefold.count(column) == 2
    assert onefold.sum(column[1:]) == 2.5 and onefold.sum(column[3:]) == 0
    assert onefold.argmax(column) == 2 and onefold.argmin(column[1:]) == 1
    assert onefold.sum(column, where=[True, True, False, False]) == 1.5
    assert onefold.sum(column, where=pa.array([None, True, True, True])) == 2.5
    assert onefold.sum(column, initial=1) == 5
    assert np.isnan(onefold.mean(column[3:]))
    with pytest.raises(ValueError, match="nothing"):
        onefold.max(column[3:])
    assert np.isnan(onefold.sum(pa.array([1.0, float("nan")])))  # NaN is no null
    assert onefold.nansum(pa.array([1.0, None, float("nan")])) == 1


def test_bits(pa):
    bools = [bool(i % 3) for i in range(40)]
    column = pa.array(bools)
    for first in range(12):
        for last in (first, first + 1, 17, 40):
            part = column[first:last]
            assert onefold.sum(part) == sum(bools[first:last])
            assert onefold.all(part) == all(bools[first:last])
    assert onefold.any(pa.array([True, None, False])[1:]) == np.False_
    assert onefold.sum(pa.array([True, None, True])) == 2


def test_random_columns(pa):
    """Each operator over chunked, sliced columns with nulls: the bits of NumPy's own arrays."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        name = NUMBERS[seed % len(NUMBERS)]
        size = int(random.integers(1, 60))
        x = random.integers(0, 3, size).astype(name)
        nulls = random.random(size) < random.choice([0, 0.3])
        nulls[0] = False
        cuts = np.sort(random.integers(0, size + 1, random.integers(0, 4)))
        parts = [pa.array(part, mask=hole) for part, hole in
                 zip(np.split(x, cuts), np.split(nulls, cuts))]
        first = int(random.integers(0, size)) if not nulls.any() else 0
        column = pa.chunked_array(parts)[first:]
        kept = np.flatnonzero(~nulls[first:])
        for operator in OPERATORS:
            answer = operator(column)
            expected = operator(x[first:][kept])
            if operator in (onefold.argmin, onefold.argmax):
                expected = kept[expected]
            assert type(answer) is type(expected) and np.array_equal(
                answer, expected, equal_nan=True), f"seed {seed} {operator.__name__}"
        assert onefold.minmax(column) == onefold.minmax(x[first:][kept]), f"seed {seed}"
        assert np.array_equal(onefold.var(column, correction=0.5), onefold.var(
            x[first:][kept], correction=0.5), equal_nan=True), f"seed {seed}"


def test_arguments_over_chunks(pa):
    column = pa.chunked_array([[1.5, None], [2.0], [None, 4.0]])
    assert onefold.sum(column, axis=0) == 7.5 and onefold.sum(column, axis=(-1,)) == 7.5
    assert onefold.sum(column, keepdims=True).shape == (1,)
    assert onefold.sum(column, dtype="f32").dtype == np.float32
    assert onefold.sum(column, accuracy="fast") == 7.5 and onefold.sum(column, initial=1) == 8.5
    out = np.zeros(())
    assert onefold.sum(column, out=out) is out and out == 7.5
    assert onefold.sum(column, where=[True, True, False, True, True]) == 5.5
    for wrong, error in (({"axis": 1}, np.exceptions.AxisError), ({"out": [0]}, TypeError),
                         ({"out": np.zeros(2)}, ValueError), ({"accuracy": "slow"}, ValueError),
                         ({"where": [True] * 3}, ValueError)):
        with pytest.raises(error):
            onefold.sum(column, **wrong)
    empty = pa.chunked_array([], pa.float32())
    assert onefold.sum(empty) == 0 and onefold.sum(empty).dtype == np.float32
    exact = pa.chunked_array([[1e308, 1e308], [-1e308], [2.0**-1074]])
    assert onefold.sum(exact) == 1e308


def test_no_axis_of_several_chunks_is_reduced(pa):
    for column in (pa.chunked_array([[1.0], [2.0]]), pa.chunked_array([[1.0, 2.0], [3.0]]),
                   pa.chunked_array([[1.0, None], [], [3.0]])):
        for axis in ((), []):
            found = onefold.sum(column, axis=axis)
            assert found.tolist() == column.fill_null(0.0).to_pylist()
            assert onefold.minmax(pa.chunked_array([[1.0], [2.0]]), axis=axis)[1].tolist() == [1, 2]


def test_dtype_beside_out_over_chunks(pa):
    for column in (pa.array([1.5, 2.0]), pa.chunked_array([[1.5], [2.0]])):
        for call in (onefold.sum, onefold.prod):
            with pytest.raises(TypeError, match="out"):
                call(column, dtype="f4", out=np.zeros(()))
            assert call(column, dtype="f8", out=np.zeros(())) == call(column)


def test_masks_of_bytes(pa):
    """A mask's byte is any but 0, also next to nulls."""
    mask = np.array([2, 2, 2, 0], np.uint8)
    for column in (pa.array([1.0, None, 3.0, 4.0]), pa.chunked_array([[1.0, None], [3.0, 4.0]]),
                   np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 0])):
        for where in (mask, pa.array(mask), pa.chunked_array([mask[:1], mask[1:]])):
            assert onefold.sum(column, where=where) == 4
            assert State("sum").add(column, where=where).value() == 4
            assert onefold.dot(column, np.ones(4)) == 8
        assert onefold.sum(column, where=pa.array([2, 2, None, 0], "uint8")) == 1
        assert onefold.sum(column, where=np.ma.masked_array(mask, [0, 0, 1, 0])) == 1
        for wrong in (mask.astype(float), mask.astype("i4")):
            with pytest.raises(ValueError, match="bool"):
                onefold.sum(column, where=wrong)
    assert onefold.sum(np.ones(4), where=pa.array([True, None, True, False])) == 2


def test_extension_types(pa):
    bools = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None, 5, -1], pa.int8()))
    for column in (bools, bools[1:], pa.chunked_array([bools[:2], bools[2:]])):
        kept = [one.as_py() for one in column if one.as_py() is not None]
        assert onefold.sum(column) == sum(kept) and onefold.count(column) == len(kept)
        assert onefold.max(column).dtype == bool and onefold.max(column)
    assert onefold.sum(np.arange(5.0), where=bools) == 0 + 3 + 4
    assert onefold.sum(pa.array([1, 0]).cast(pa.int8()).cast(pa.bool_())) == 1

    class Celsius(pa.ExtensionType):
        def __init__(self):
            super().__init__(pa.float64(), "onefold.celsius")

        def __arrow_ext_serialize__(self):
            return b""
    column = pa.ExtensionArray.from_storage(Celsius(), pa.array([1.0]))
    with pytest.raises(TypeError, match="'onefold.celsius'.*storage"):
        onefold.sum(column)
    assert onefold.sum(column.storage) == 1


def test_columns_as_numpy_arrays(pa):
    column = pa.array([1.0, 2])
    assert numpy_array(column).ctypes.data == column.buffers()[1].address
    with pytest.raises(ValueError, match="nulls"):
        numpy_array(pa.array([1.0, None]))


def test_dot_of_columns(pa):
    x = pa.array([1.0, 2, None])
    assert onefold.dot(x, pa.chunked_array([[3.0], [4.0, 5.0]])) == 11
    assert onefold.dot(np.ones(3), x) == 3 and onefold.vecdot(x, x) == 5
    with pytest.raises(ValueError):
        onefold.dot(x, np.ones(2))


def test_refused_columns(pa):
    for column, words in ((pa.array(["a"]), "format 'u'"),
                          (pa.array(["a"]).dictionary_encode(), "dictionary"),
                          (pa.array([[1]]), "nested"), (pa.table({"a": [1]}), "one column"),
                          (pa.array([None]), "format 'n'"), (pa.array([1], "date32"), "tdD"),
                          (pa.array([1]).cast(pa.decimal128(20)), "d:20,0")):
        with pytest.raises(TypeError, match=words):
            onefold.sum(column)


def test_polars():
    pl = pytest.importorskip("polars")
    x = pl.Series([1.5, None, 3.0])
    assert onefold.sum(x) == 4.5 and onefold.mean(x) == 2.25 and onefold.argmax(x) == 2
    assert onefold.sum(x[1:]) == 3 and onefold.max(pl.Series([1, 2], dtype=pl.UInt8)) == 2
    assert onefold.sum(pl.Series([True, None, True])) == 2
    assert onefold.sum(pl.concat([x, x], rechunk=False)) == 9
    assert onefold.sum(x, where=pl.Series([True, True, None])) == 1.5
    whole = pl.Series(np.arange(100.0))
    assert chunk_addresses(whole) == [whole.to_numpy(allow_copy=False).ctypes.data]
    with pytest.raises(TypeError, match="one column"):
        onefold.sum(pl.DataFrame({"a": [1]}))


# Producers that break the interface

class Schema(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                   ("dictionary", ctypes.c_void_p), ("release", RELEASE_SCHEMA),
                   ("private_data", ctypes.c_void_p)]


class Array(ctypes.Structure):
    pass


RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Array._fields_ = [(name, ctypes.c_int64) for name in
                  ("length", "null_count", "offset", "n_buffers", "n_children")] + [
    ("buffers", ctypes.c_void_p), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p), ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """A column whose structs are the test's. `released` counts the calls of release."""

    def __init__(self, format=b"g", data=True, null_bits=None, **fields):
        self.released = 0
        self.elements = (ctypes.c_double * 4)(1, 2, 3, 4)
        self.bits = null_bits
        bits = None if null_bits is None else ctypes.addressof(null_bits)
        values = ctypes.addressof(self.elements) if data else None
        self.buffers = (ctypes.c_void_p * 2)(bits, values)
        self.keep = RELEASE_SCHEMA(lambda x: None), RELEASE_ARRAY(self.release)
        self.schema = Schema(format=format, release=self.keep[0])
        self.array = Array(**({"length": 4, "n_buffers": 2, "release": self.keep[1],
                               "buffers": ctypes.addressof(self.buffers)} | fields))

    def release(self, x):
        self.released += 1
        x.contents.release = RELEASE_ARRAY()

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))


def test_a_producer_is_released_once():
    x = Producer()
    assert onefold.sum(x) == 10 and x.released == 1
    with pytest.raises(TypeError, match="used before"):
        onefold.sum(x)
    bits = (ctypes.c_uint8 * 1)(0b0101)
    assert onefold.sum(Producer(null_bits=bits, null_count=-1)) == 4
    assert onefold.sum(Producer(null_bits=bits, null_count=2, length=2, offset=2)) == 3
    assert onefold.sum(Producer(null_bits=bits, null_count=0)) == 10
    assert onefold.sum(Producer(data=False, length=0)) == 0


@pytest.mark.parametrize("wrong", [
    {"length": -1}, {"offset": -1}, {"length": 2**63 - 1}, {"length": 2**62, "offset": 2**62},
    {"n_buffers": 0}, {"n_buffers": 3}, {"buffers": None}, {"data": False}, {"null_count": 1}])
def test_malformed_arrays_are_value_errors(wrong):
    x = Producer(**wrong)
    with pytest.raises(ValueError, match="malformed"):
        onefold.sum(x)
    assert x.released == 1


def test_wrong_capsules_are_type_errors():
    class Wrong:
        def __init__(self, *capsules):
            self.capsules = capsules

        def __arrow_c_array__(self):
            return self.capsules
    with pytest.raises(TypeError):
        onefold.sum(Wrong(None, None))
    schema, values = Producer().__arrow_c_array__()
    with pytest.raises(TypeError):
        onefold.sum(Wrong(values, schema))
    for text in (None, b"", b"gg", b"+", b"z"):
        with pytest.raises(TypeError):
            onefold.sum(Producer(format=text))


def test_a_stream_that_fails(pa):
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no stream")
    with pytest.raises(RuntimeError, match="no stream"):
        onefold.sum(Failing())

    def batches():
        raise KeyError("lost")
        yield
    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(TypeError, match="one column"):
        onefold.sum(reader)
