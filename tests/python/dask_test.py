# SPDX-License-Identifier: Apache-2.0
"""onefold.dask: the bits of every chunking are those of onefold's function of the whole array."""
import pickle
import random
from math import inf

import numpy as np
import onefold
import pytest
from onefold import _core

da = pytest.importorskip("dask.array")
od = pytest.importorskip("onefold.dask")
dask = pytest.importorskip("dask")

OPERATORS = {
    "sum": (od.sum, onefold.sum), "mean": (od.mean, onefold.mean), "var": (od.var, onefold.var),
    "std": (lambda x, **a: od.std(x, correction=1, **a),
            lambda x, **a: onefold.std(x, correction=1, **a)),
    "norm2": (od.norm, onefold.norm),
    "norm1": (lambda x, **a: od.norm(x, 1, **a), lambda x, **a: onefold.norm(x, 1, **a)),
    "norminf": (lambda x, **a: od.norm(x, inf, **a), lambda x, **a: onefold.norm(x, inf, **a)),
    "min": (od.min, onefold.min), "max": (od.max, onefold.max),
    "logsumexp": (od.logsumexp, onefold.logsumexp),
}
DTYPES = ("float64", "float32", "float16", "int64", "int32", "uint8", "bool")


def equal_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def random_chunks(pick, shape):
    chunks = []
    for extent in shape:
        left, sizes = extent, []
        while left:
            sizes.append(pick.randint(1, left))
            left -= sizes[-1]
        chunks.append(tuple(sizes))
    return tuple(chunks)


def random_array(pick, dtype):
    shape = tuple(pick.randrange(1, 7) for _ in range(pick.randrange(1, 4)))
    random_numbers = np.random.default_rng(pick.randrange(2**32))
    if np.dtype(dtype).kind == "f":
        x = random_numbers.standard_normal(shape) * 10.0 ** random_numbers.integers(-3, 4, shape)
        return x.astype(dtype)
    return random_numbers.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_chunking_has_the_same_bits(name):
    seed = random.randrange(2**31)
    pick = random.Random(seed)
    ours, whole = OPERATORS[name]
    with dask.config.set(scheduler="synchronous"):
        for _ in range(12):
            x = random_array(pick, pick.choice(DTYPES))
            rank = x.ndim
            axis = pick.choice([None, pick.randrange(-rank, rank),
                                tuple(pick.sample(range(rank), pick.randint(1, rank)))])
            keepdims = pick.random() < .5
            with np.errstate(all="ignore"):
                want = whole(x, axis=axis, keepdims=keepdims)
                for _ in range(3):
                    chunks = random_chunks(pick, x.shape)
                    lazy = ours(da.from_array(x, chunks=chunks), axis=axis, keepdims=keepdims,
                                split_every=pick.choice([None, 2, 5]))
                    said = f"seed {seed}: {x.dtype} {chunks} axis {axis} keepdims {keepdims}"
                    assert (lazy.shape, lazy.dtype) == (want.shape, want.dtype), said
                    assert equal_bits(lazy.compute(), want), said


@pytest.mark.parametrize("name", ["sum", "var", "norm2"])
def test_many_answers(name):
    seed = random.randrange(2**31)
    pick = random.Random(seed)
    ours, whole = OPERATORS[name]
    shape = (12, 20_000) if pick.random() < .5 else (6, 2, 10_000)
    numbers = np.random.default_rng(seed)
    x = numbers.standard_normal(shape) * 10.0 ** numbers.integers(-9, 9, shape)
    axis = pick.choice([0, (0, 1)]) if len(shape) == 3 else 0
    keepdims = pick.random() < .5
    chunks = random_chunks(pick, shape[:-1]) + ((7000, shape[-1] - 7000),)
    got = ours(da.from_array(x, chunks=chunks), axis=axis, keepdims=keepdims, split_every=3)
    want = whole(x, axis=axis, keepdims=keepdims)
    assert equal_bits(got.compute(scheduler="synchronous"), want), f"seed {seed}: {chunks} {axis}"


def test_states_that_are_not_states_are_refused():
    good = _core.partials(_core.operators["sum"], np.ones((3, 2)), None, 1, False)
    bad = good.copy()
    bad[1] = 7
    with pytest.raises(ValueError, match="not a state"):
        _core.merge_partials(bad[:, None])
    with pytest.raises(ValueError, match="not a state"):
        _core.round_partials(bad, np.empty(3), "propagate", None)
    with pytest.raises(ValueError, match="another number"):
        _core.round_partials(good, np.empty(2), "propagate", None)
    for wrong in (good, good[:, None].astype(np.int8), good[::2, None], good[:, None][:, :0]):
        with pytest.raises(ValueError, match="contiguous"):
            _core.merge_partials(wrong)
    with pytest.raises(TypeError):
        _core.partials(_core.operators["dot"], np.ones(3), np.ones(3, "f4"), None, False)


def test_dot():
    seed = random.randrange(2**31)
    pick = random.Random(seed)
    with dask.config.set(scheduler="synchronous"):
        for dtype in ("float64", "float32", "int64"):
            x, y = (np.random.default_rng([seed, i]).integers(-9, 9, 50).astype(dtype)
                    for i in range(2))
            if dtype != "int64":
                x *= np.array(10.0 ** (np.arange(50) % 7), dtype)
            for _ in range(5):
                a, b = (da.from_array(z, chunks=random_chunks(pick, (50,))) for z in (x, y))
                said = f"seed {seed}: {dtype} {a.chunks} {b.chunks}"
                assert equal_bits(od.dot(a, b).compute(), onefold.dot(x, y)), said
    assert equal_bits(od.dot(x, y).compute(), onefold.dot(x, y))
    with pytest.raises(ValueError, match="one axis and length"):
        od.dot(da.ones(3), da.ones(4))
    with pytest.raises(TypeError, match="convert"):
        od.dot(da.ones(3), da.ones(3, dtype="float32"))


def test_where_dask_depends_on_the_chunks():
    x = np.random.default_rng(12359).standard_normal(10_000).astype(np.float32) * 1000
    chunkings = (10_000, 5000, 777, 64)
    sums = [od.sum(da.from_array(x, chunks=size)).compute() for size in chunkings]
    assert all(equal_bits(one, onefold.sum(x)) for one in sums)


def test_threads_and_processes_have_the_same_bits():
    x = np.random.default_rng(2).standard_normal((50, 40))
    lazy = od.var(da.from_array(x, chunks=(7, 11)), axis=0, correction=1)
    want = onefold.var(x, axis=0, correction=1)
    assert equal_bits(lazy.compute(scheduler="threads", num_workers=2), want)
    assert equal_bits(pickle.loads(pickle.dumps(lazy)).compute(scheduler="synchronous"), want)


def test_types_nans_and_empty():
    x = np.array([1.0, np.nan, 2.0, 4.0])
    lazy = da.from_array(x, chunks=2)
    assert np.isnan(od.sum(lazy).compute())
    assert od.sum(lazy, nan="omit").compute() == 7
    with pytest.raises(ValueError, match="NaN"):
        od.mean(lazy, nan="error").compute()
    assert od.max(lazy, nan="omit").compute() == 4
    total = od.sum(da.from_array(np.array([2**24, 1], np.float32), chunks=1), dtype="float64")
    assert total.dtype == np.float64 and total.compute() == 2**24 + 1
    assert od.sum(da.zeros((0, 2), chunks=1), axis=0).compute().tolist() == [0, 0]
    nothing = od.sum(da.zeros((4, 0, 3), chunks=(2, 1, 2)), axis=0)
    assert nothing.compute().shape == nothing.shape == (0, 3)
    with pytest.raises(ValueError):
        od.min(da.zeros(0)).compute()
    with pytest.raises(OverflowError):
        od.sum(da.from_array(np.array([2**63 - 1, 1]), chunks=1)).compute()


def test_wrong_arguments():
    x = da.ones((2, 3), chunks=1)
    with pytest.raises(np.exceptions.AxisError):
        od.sum(x, axis=2)
    with pytest.raises(ValueError, match="twice"):
        od.sum(x, axis=(0, -2))
    with pytest.raises(ValueError, match="ord"):
        od.norm(x, 3)
    with pytest.raises(TypeError):
        od.sum(x.astype(complex))


def test_states_are_not_changed_by_a_second_use():
    x = da.from_array(np.arange(10.0), chunks=1)
    total, average = od.sum(x), od.sum(x) / 10
    assert dask.compute(total, average, total) == (45, 4.5, 45)


def test_masked_elements_do_not_count():
    seed = random.randrange(2**31)
    pick = random.Random(seed)
    numbers = np.random.default_rng(seed)
    for name, (ours, whole) in OPERATORS.items():
        x = np.ma.masked_array(numbers.standard_normal((6, 5)), numbers.random((6, 5)) < .4)
        x[0] = 1.0  # a column of nothing has no least element
        axis, keepdims = pick.choice([None, 0, (0, 1)]), pick.random() < .5
        want = whole(x, axis=axis, keepdims=keepdims)
        for _ in range(3):
            chunks = random_chunks(pick, x.shape)
            got = ours(da.from_array(x, chunks=chunks), axis=axis, keepdims=keepdims)
            assert equal_bits(got.compute(scheduler="synchronous"), want), f"seed {seed} {name}"
        assert equal_bits(ours(x, axis=axis, keepdims=keepdims).compute(), want), name
    x = da.ma.masked_greater(da.from_array(np.arange(10.0), chunks=3), 5)
    assert od.sum(x).compute() == 15 and od.max(x).compute() == 5
    assert od.dot(x, x).compute() == 55 and od.dot(da.ones(10, chunks=4), x).compute() == 15
    assert od.sum(da.ma.masked_greater(x, -1)).compute() == 0
    assert od.sum(da.ma.masked_greater(da.from_array(np.arange(10), chunks=3), 5)).compute() == 15
    with pytest.raises(ValueError):
        od.max(da.ma.masked_greater(x, -1)).compute()


def test_no_axis_is_reduced():
    x = da.from_array(np.arange(6.0).reshape(2, 3), chunks=1)
    for keepdims in (False, True):
        got = od.sum(x, axis=(), keepdims=keepdims)
        assert got.shape == (2, 3) and equal_bits(got.compute(), x.compute())
    assert equal_bits(od.norm(-x, axis=()).compute(), x.compute())


def test_dot_of_unknown_chunk_sizes():
    x = da.from_array(np.arange(10.0), chunks=3)
    large = x[x > 4]
    assert od.dot(large, large).compute() == 255 == od.dot(large, 1 * large).compute()
    masked = da.ma.masked_greater(large, 8)
    assert od.dot(large, masked).compute() == od.dot(masked, large).compute() == 25 + 36 + 49 + 64
    assert od.sum(masked).compute() == 26
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        od.dot(large, x.rechunk(10)[x.rechunk(10) > 4])
    for other in (x[x < 5], x):  # five elements, in other chunks; ten
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            od.dot(large, other).compute()
    with pytest.raises(ValueError, match="one axis and length"):
        od.dot(x[:, None], x[:, None])


def test_lists_are_exact_or_refused():
    assert od.max([2**63 + 1, 1]).compute() == 2**63 + 1
    assert od.sum(range(5)).compute() == 10 and od.sum([da.ones(2), da.ones(2)]).compute() == 4
    for call in (od.sum, lambda x: od.dot(x, x)):
        with pytest.raises(TypeError, match="integer 9007199254740993"):
            call([2**53 + 1, 0.5])


@pytest.mark.parametrize("name", ["sum", "std", "norminf", "max"])
def test_the_arguments_of_xarray(name):
    x = np.array([[1.0, np.nan, 2.0, np.nan], [4.0, 5.0, 6.0, np.nan]], np.float32)
    ours, whole = OPERATORS[name]
    with dask.config.set(scheduler="synchronous"):
        for chunks in (1, (2, 3), (1, 4)):
            lazy = da.from_array(x, chunks=chunks)
            got = ours(lazy, axis=1, skipna=True)
            assert equal_bits(got.compute(), whole(x, axis=1, nan="omit")), chunks
            got = ours(lazy, skipna=False, min_count=0)
            assert equal_bits(got.compute(), whole(x)), chunks
            got = ours(lazy, axis=1, skipna=True, min_count=3, keepdims=True).compute()
            assert got.dtype == np.float32 and got.shape == (2, 1), chunks
            assert np.isnan(got[0, 0]) and got[1, 0] == whole(x[1], nan="omit"), chunks
            assert np.isnan(ours(lazy, skipna=True, min_count=6).compute()), chunks
            assert ours(lazy, skipna=True, min_count=5).compute() == whole(x, nan="omit"), chunks
            least = 2 if name == "std" else 1  # which is NaN of one element
            few = np.isnan(ours(lazy, axis=0, nan="omit", min_count=least).compute())
            assert few.tolist() == [False, name == "std", False, True], chunks


def test_min_count_of_integers_and_contradictions():
    for chunks in (2, 4):
        integers = da.ma.masked_greater(da.from_array(np.arange(4), chunks=chunks), 1)
        assert od.sum(integers, min_count=2).compute() == 1
        assert np.isnan(od.sum(integers, dtype="f8", min_count=3).compute())
        for call in (od.sum, od.min):
            with pytest.raises(ValueError, match="min_count is 3"):
                call(integers, min_count=3).compute()
    x = da.from_array(np.array([1.0, np.nan]), chunks=1)
    assert od.dot(x, x, skipna=True).compute() == 1
    for nan, skipna in (("error", True), ("omit", False)):
        with pytest.raises(ValueError, match="contradict"):
            od.sum(x, nan=nan, skipna=skipna)
    with pytest.raises(ValueError, match="NaN"):
        od.sum(x, nan="error", skipna=False).compute()
    with pytest.raises(TypeError):
        od.sum(x, min_count=1.5)


def test_xarray():
    xr = pytest.importorskip("xarray")
    x = np.random.default_rng(4).standard_normal((6, 8, 3))
    table = xr.DataArray(x, dims=("time", "lat", "lon")).chunk({"time": 2, "lat": 5})
    for dim in ("time", ["lat", "time"], None):
        axis = table.get_axis_num(dim) if dim else None
        got = table.reduce(od.sum, dim=dim)
        assert equal_bits(got.compute().values, onefold.sum(x, axis=axis))
    with_nan = table.where(table > 0)
    got = with_nan.reduce(od.sum, dim="time", skipna=True, min_count=3)
    want = np.where((x > 0).sum(axis=0) >= 3, onefold.nansum(np.where(x > 0, x, np.nan), axis=0),
                    np.nan)
    assert equal_bits(got.compute().values, want)
    assert equal_bits(with_nan.reduce(od.max, dim="time", skipna=False).compute().values,
                      onefold.max(np.where(x > 0, x, np.nan), axis=0))
    got = xr.apply_ufunc(od.var, table, input_core_dims=[["time"]], dask="allowed",
                         kwargs={"axis": -1})
    assert got.dims == ("lat", "lon")
    assert equal_bits(got.compute().values, onefold.var(x, axis=0))
