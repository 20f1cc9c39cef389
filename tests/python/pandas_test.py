# SPDX-License-Identifier: Apache-2.0
"""Objects of pandas, of its versions 2 and 3: the missing ones do not count, integers are exact."""
import numpy as np
import pytest

import onefold
from onefold import State

pd = pytest.importorskip("pandas")
NAN = float("nan")
BIG = 2**53 + 1


def containers(values, dtype=None):
    """One list as a Series, an extension array, an Index (which lacks some types), a column."""
    series = pd.Series(values, dtype=dtype)
    yield series
    yield series.array
    yield pd.DataFrame({"a": series, "b": "text"})["a"]
    if series.dtype not in ("float16", "boolean"):
        yield pd.Index(series)


def arrow_types():
    return ("int64[pyarrow]", "double[pyarrow]") if has_pyarrow() else ()


def has_pyarrow():
    try:
        import pyarrow
    except ImportError:
        return False
    return pyarrow is not None


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "Int64", "UInt8", "Float32",
                                   "Float64", "Sparse[float64]", *arrow_types()])
def test_missing_values_do_not_count(dtype):
    for x in containers([1, None, 3], dtype):
        said = type(x).__name__
        assert onefold.sum(x) == 4 and onefold.mean(x) == 2 and onefold.prod(x) == 3, said
        assert onefold.count(x) == 2 and onefold.argmax(x) == 2 and onefold.min(x) == 1, said
        assert onefold.sum(x, nan="error") == 4, said
        assert onefold.sum(x, where=[False, True, True]) == 3, said
        assert onefold.dot(x, x) == 10, said
        assert State("sum", onefold.max(x).dtype).add(x).count == 2, said
        column, = onefold.audit(x)
        assert (column.count, column.missing, column.nan, column.exact) == (2, 1, 0, 4), said
        with pytest.raises(ValueError, match="nulls"):
            onefold.stats(x)
    assert onefold.audit(pd.DataFrame({"a": pd.Series([1, None, 3], dtype=dtype)}))[0].missing == 1


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", *arrow_types()[:1]])
def test_integers_beside_missing_ones_are_exact(dtype):
    for x in containers([BIG, None, 2], dtype):
        assert onefold.sum(x) == BIG + 2 and onefold.max(x) == BIG, type(x).__name__
        assert onefold.nansum(x) == BIG + 2 and onefold.sum(x).dtype.kind in "iu"
    assert onefold.max(pd.array([2**64 - 1, None], "UInt64")) == 2**64 - 1


def test_elements_that_are_all_there():
    for dtype in ("int8", "uint64", "float32", "bool", "Int16", "boolean", *arrow_types()):
        for x in containers([1, 0, 1], dtype):
            assert onefold.sum(x) == 2 and onefold.argmax(x) == 0, (dtype, type(x).__name__)
    assert onefold.sum(pd.RangeIndex(5)) == 10 and onefold.max(pd.Index([2**63, 1])) == 2**63
    assert onefold.sum(pd.array([True, None], "boolean")) == 1
    assert onefold.sum(pd.Series([], dtype="float64")) == 0
    assert onefold.sum(pd.Series([1.0, 2.0, 4.0])[::2]) == 5
    values = np.arange(4.0)
    assert onefold._arrays.numpy_array(pd.Series(values, copy=False)).ctypes.data == (
        values.ctypes.data)


def test_categories_are_names():
    for x in containers([7, 9], "category"):
        for call in (onefold.sum, State("sum", "i64").add, onefold.audit, onefold.stats,
                     lambda x: onefold.sum(np.ones(2), where=x),
                     lambda x: onefold.segment(np.ones(2), x)):
            with pytest.raises(TypeError, match="categories"):
                call(x)
    assert onefold.sum(pd.Series([7, 9], dtype="category").astype("int64")) == 16


def test_what_pandas_holds_that_is_no_number():
    for x in (pd.Series(["a"]), pd.Index(["a"]), pd.date_range("2020", periods=2),
              pd.period_range("2020", periods=2, freq="D"), pd.interval_range(0, 2),
              pd.Series([1j]), pd.to_timedelta([1, 2], unit="s"),
              pd.date_range("2020", periods=2, tz="UTC"), pd.Series([1, "a"])):
        with pytest.raises(TypeError, match="not supported"):
            onefold.sum(x)
    with pytest.raises(TypeError, match="one column"):
        onefold.sum(pd.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="one level"):
        onefold.sum(pd.MultiIndex.from_tuples([(1, 2)]))


def test_a_mask_of_pandas():
    x = np.array([1.0, 2.0, 4.0])
    for mask in (pd.Series([True, False, True]), pd.Series([True, None, True], dtype="boolean")):
        assert onefold.sum(x, where=mask) == 5 == onefold.sum(pd.Series(x), where=mask)
        assert State("sum").add(x, where=mask).value() == 5
        assert onefold.segment(x, [0, 0, 0], where=mask).tolist() == [5]


def test_dask_arrays_of_pandas():
    od = pytest.importorskip("onefold.dask")
    for dtype in ("float64", "Int64"):
        x = pd.Series([1, None, 3], dtype=dtype)
        assert od.sum(x).compute() == 4 and od.dot(x, x).compute() == 10
        dd = pytest.importorskip("dask.dataframe")
        for parts in (1, 2):
            lazy = dd.from_pandas(x, npartitions=parts)
            assert od.sum(lazy).compute() == 4 and od.dot(lazy, lazy).compute() == 10
            assert od.max(lazy, min_count=2).compute() == 3
