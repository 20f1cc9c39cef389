# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, and NumPy's that need a word: no copies, answers in x's library."""
import array
import collections
import ctypes
from functools import partial

import numpy as np
import pytest

import onefold
from onefold._arrays import numpy_array, view_of


class Exporter:
    """An object that has only DLPack's two methods."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **arguments):
        return self.x.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return (1, 0)


class Items:
    """A sequence by its two methods alone."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


BIG = 2**53 + 1  # float64 has no such number


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# Python's own objects

@pytest.mark.parametrize("x, answer", [
    ([1, 2, 3], np.int64(6)),
    ((1.5, 2), np.float64(3.5)),
    ([[True, False], [True, True]], np.int64(3)),
    (range(5), np.int64(10)),
    (array.array("f", [1, 2]), np.float32(3)),
    (memoryview(b"\x01\x02"), np.uint64(3)),
    (b"\xff\xff", np.uint64(510)),
    (bytearray(b"\x01"), np.uint64(1)),
    ((ctypes.c_double * 2)(1, 2), np.float64(3)),
    (5, np.int64(5)),
    (True, np.int64(1)),
    (0.5, np.float64(0.5)),
    (np.float32(0.5), np.float32(0.5)),
    ([], np.float64(0)),
    ([2**63, 1], np.uint64(2**63 + 1)),
    ([-1, np.uint64(2**63 - 1)], np.int64(2**63 - 2)),
    ([[np.True_, -1], [np.uint64(BIG), 0]], np.int64(BIG)),
    (collections.deque([2**63 + 1, 1]), np.uint64(2**63 + 2)),
    ([0.5, 10**18, -1e300, 1e300], np.float64(10**18)),
    ([float("nan"), 1e300], np.float64("nan")),
])
def test_python_objects(x, answer):
    assert same(onefold.sum(x), answer)


def test_integers_of_sequences_are_exact():
    assert same(onefold.max(range(2**63 - 2, 2**63 + 2)), np.uint64(2**63 + 1))
    assert same(onefold.max(collections.deque([2**63 + 1, 1])), np.uint64(2**63 + 1))
    assert same(onefold.max(Items([2**64 - 1, 1])), np.uint64(2**64 - 1))
    assert same(onefold.min([[-2**63], [np.uint64(2**63 - 1)]], axis=1), [-2**63, 2**63 - 1])
    with pytest.raises(TypeError, match="integer 9007199254740993"):
        onefold.State("sum").add([BIG, 0.5])
    with pytest.raises(TypeError, match="y has the integer"):
        onefold.dot(np.ones(2), [0.5, BIG])
    with pytest.raises(TypeError, match="integer 9007199254740993"):
        onefold.group_by([0, 1], [0.5, BIG])


@pytest.mark.parametrize("x", [array.array("d", [1, 2]), memoryview(np.ones((2, 3)).T)[::-1],
                               b"abc", (ctypes.c_int * 3)(1, 2, 3)])
def test_buffers_are_not_copied(x):
    assert view_of(x).address == np.asarray(memoryview(x)).ctypes.data


def test_the_strides_of_a_buffer():
    assert view_of((ctypes.c_double * 3 * 2)()).strides == (24, 8)
    assert onefold._core.Array.from_buffer((ctypes.c_double * 3 * 2)()).strides == (24, 8)


@pytest.mark.parametrize("x, words", [
    ([2**70, 1], "astype(float)"),
    ([2**63, -1], "integers from 2^63"),
    ([2**64 - 1, 0.5], "integer 18446744073709551615"),
    ([0.5, 2**63], "integer 9223372036854775808"),
    ([2**53 + 1, 0.5], "integer 9007199254740993"),
    ([[0.5, 1.0], (1, -BIG)], "integer -9007199254740993"),
    (collections.deque([0.5, BIG]), "integer 9007199254740993"),
    ([np.float32(0.5), np.int64(BIG)], "integer 9007199254740993"),
    ([np.array([0.5]), np.array([BIG])], "integer 9007199254740993"),
    (Items([0.5, BIG]), "integer 9007199254740993"),
    (range(-1, 2**63 + 2**62, 2**62), "integers from 2^63"),
    (np.array([1, 2], object), "object"),
    (np.array(["a"]), "<U1"),
    (np.array([b"a"]), "S1"),
    (np.array(["2020-01-01"], "M8[D]"), "view('i8')"),
    (np.array([1], "m8[s]"), "view('i8')"),
    (np.array([1j]), "x.real"),
    (np.ones(2, np.longdouble), "round them to float64"),
    (np.zeros(2, [("a", "f8"), ("b", "i1")]), "x['a']"),
    (np.zeros(2, "V3"), "V3"),
    (None, "object"),
    ({"a": 1}, "object"),
    (iter([1]), "object"),
    (3j, "x.real"),
])
def test_refused_elements(x, words):
    if np.asarray(x).dtype == np.float64 and np.longdouble is np.float64:
        pytest.skip("long double is double here")
    with pytest.raises(TypeError) as raised:
        onefold.sum(x)
    assert words in str(raised.value) and "x has" in str(raised.value)


# NumPy's arrays

def test_byte_orders():
    x = np.arange(6.0).reshape(2, 3)
    for dtype in (">f8", ">f4", ">i2", ">u8"):
        assert same(onefold.sum(x.astype(dtype), axis=0),
                    onefold.sum(x.astype(dtype[1:]), axis=0)), dtype


def test_layouts():
    base = np.arange(60.0)
    for x in (base[::-1], base[::-7], np.broadcast_to(base[:3], (4, 3)), base.reshape(3, 4, 5).T,
              base[5:5], base[0], np.lib.stride_tricks.as_strided(base, (4, 4), (8, 8))):
        assert same(onefold.sum(x), np.sum(x))
    base.flags.writeable = False
    assert onefold.sum(base) == 1770


def test_fields_and_unaligned_elements():
    x = np.zeros(4, [("a", "i1"), ("b", "f8"), ("c", "i2")])
    x["b"], x["c"] = [1, 2, 3, 4], [5, 6, 7, 8]
    assert not x["b"].flags.aligned
    assert onefold.sum(x["b"]) == 10 and onefold.sum(x["c"][::2]) == 12
    assert view_of(x["b"]).address == x.ctypes.data + 1


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_are_arrays():
    class Own(np.ndarray):
        pass
    x = np.arange(6.0).reshape(2, 3)
    assert same(onefold.sum(x.view(Own), axis=0), [3.0, 5, 7])
    assert same(onefold.sum(np.matrix(x), axis=0), [3.0, 5, 7])


def test_masked_arrays():
    x = np.ma.array([[1.0, 2, 3], [4, 5, 6]], mask=[[0, 1, 0], [1, 1, 0]])
    assert onefold.sum(x) == 10
    assert same(onefold.sum(x, axis=0), [1.0, 0, 9])
    assert same(onefold.count(x, axis=1), [2, 1])
    assert same(onefold.sum(x, axis=1, where=[True, True, False]), [1.0, 0])
    assert onefold.argmin(x) == 0 and onefold.argmax(x) == 5
    assert onefold.argmin(x[1]) == 2
    assert same(onefold.argmax(x[0], keepdims=True), [2])
    with pytest.raises(TypeError, match="one axis"):
        onefold.argmax(x, axis=0)
    with pytest.raises(ValueError, match="nothing"):
        onefold.min(np.ma.array([1, 2], mask=True))
    assert onefold.dot(x[0], np.ma.array([1.0, 2, 3], mask=[0, 0, 1])) == 1
    assert onefold.sum(np.ma.array([1, 2])) == 3


def test_bfloat16_of_ml_dtypes():
    types = pytest.importorskip("ml_dtypes")
    x = np.arange(6).reshape(2, 3).astype(types.bfloat16)
    assert same(onefold.sum(x), types.bfloat16(15))
    assert isinstance(onefold.sum(x), types.bfloat16)
    assert same(onefold.sum(x[:, ::-2], axis=0), np.array([7, 3], types.bfloat16))
    assert same(onefold.sum(x, dtype="f32"), np.float32(15))
    assert same(onefold.sum(np.ones(3), dtype=types.bfloat16), types.bfloat16(3))
    out = np.zeros(3, types.bfloat16)
    assert onefold.max(x, axis=0, out=out) is out and same(out, x[1])
    assert view_of(x).address == x.ctypes.data
    for name in ("float8_e4m3fn", "int4"):
        with pytest.raises(TypeError, match=name):
            onefold.sum(np.ones(3, getattr(types, name)))


# out

def test_out_that_shares_memory():
    for name in ("float64", "float32"):
        x = np.arange(12, dtype=name).reshape(3, 4)
        expected = np.sum(x, axis=0)
        assert onefold.sum(x, axis=0, out=x[1]) is not None and same(x[1], expected)
        x = np.arange(9, dtype=name).reshape(3, 3)
        expected = np.sum(x, axis=1)
        onefold.sum(x, axis=1, out=x[::-1, 0])
        assert same(x[::-1, 0], expected)
    mask = np.array([[True, False], [True, True], [False, True]])
    expected = onefold.any(mask, axis=0, where=mask)
    onefold.any(np.ones((3, 2)), axis=0, where=mask, out=mask[0])
    assert same(mask[0], expected)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_out_of_another_type():
    out = np.zeros(3, np.float32)
    assert onefold.sum(np.full((2, 3), 0.1), axis=0, out=out) is out
    assert same(out, np.full(3, 0.2, np.float32))
    out = np.matrix([[0.0, 0, 0]])
    assert onefold.sum(np.ones((2, 3)), axis=0, keepdims=True, out=out) is out and out.sum() == 6


@pytest.mark.parametrize("make", [
    lambda: np.zeros(2), lambda: np.zeros((1, 3)), lambda: np.zeros(()),
    lambda: np.broadcast_to(np.zeros(1), 3),
    lambda: np.frombuffer(bytes(24)),
])
@pytest.mark.parametrize("x", [np.ones((2, 3)), [[1.0, 2, 3]]])
def test_wrong_out_is_a_value_error(make, x):
    with pytest.raises(ValueError, match="out"):
        onefold.sum(x, axis=0, out=make())


@pytest.mark.parametrize("out", [np.zeros(3, object), np.zeros(3, ">f8"), np.zeros(3, complex),
                                 np.zeros(3, np.int32), [0.0] * 3, np.zeros(3, "U3")])
def test_wrong_out_is_a_type_error(out):
    with pytest.raises(TypeError):
        onefold.sum(np.ones((2, 3)), axis=0, out=out)


@pytest.mark.parametrize("out", [[0.0], (0.0,), array.array("d", [0]), memoryview(bytearray(8)),
                                 np.float64(0), 0.0, bytearray(8)])
def test_out_that_is_no_array(out):
    masked = np.ma.masked_array([1.0, 2.0], [0, 1])
    for call in (lambda: onefold.sum(np.ones(2), keepdims=True, out=out),
                 lambda: onefold.sum([1.0], keepdims=True, out=out),
                 lambda: onefold.sum(masked, keepdims=True, out=out),
                 lambda: onefold.argmax(masked, keepdims=True, out=out),
                 lambda: onefold.dot(np.ones(2), np.ones(2), out=out),
                 lambda: onefold.transpose(np.ones((1, 1)), out=out),
                 lambda: onefold.transpose([[1.0]], out=out)):
        with pytest.raises(TypeError, match="out must be an array of NumPy"):
            call()


def test_transpose_to_an_out():
    out = np.zeros((3, 2))
    assert onefold.transpose(np.arange(6.0).reshape(2, 3), out=out) is out and out[2, 1] == 5
    with pytest.raises(TypeError, match="byte order"):
        onefold.transpose(np.ones((2, 3)), out=np.zeros((3, 2), ">f8"))
    with pytest.raises(TypeError, match="float32"):
        onefold.transpose(np.ones((2, 3)), out=np.zeros((3, 2), "f4"))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        onefold.transpose(np.ones((2, 3)), out=out)


def test_all_axes_by_name_give_scalars():
    for x in (np.arange(3.0), np.arange(3), np.ones(3, bool), np.arange(3, dtype="f2"), [1, 2, 3],
              np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]), np.ones((2, 3), "f4")):
        axes = tuple(range(np.ndim(x)))
        for name in ("sum", "mean", "max", "argmax", "any", "count", "var", "norm", "prod"):
            function = getattr(onefold, name)
            for axis in (axes, axes[::-1], list(axes), *((0, -1) if axes == (0,) else ())):
                if name == "argmax" and len(axes) > 1:
                    continue
                found = function(x, axis=axis)
                assert isinstance(found, np.generic) and same(found, function(x)), (name, axis)
        assert isinstance(onefold.sum(x, axis=axes, keepdims=True), np.ndarray)
    assert isinstance(onefold.vecdot(np.ones(2), np.ones(2)), np.generic)
    assert isinstance(onefold.minmax(np.ones(2), axis=0)[0], np.generic)
    out = np.zeros(())
    assert onefold.sum(np.ones(2), axis=0, out=out) is out


# PyTorch

def test_torch_is_not_copied_and_answers_tensors():
    torch = pytest.importorskip("torch")
    base = torch.arange(24.0).reshape(2, 3, 4)
    for x in (base, base.permute(2, 0, 1), base[:, 1:, ::2], base[1, 2, 3], base[:0],
              base.expand(2, 3, 4), torch.ones(1).expand(5), base.clone().requires_grad_(),
              torch.nn.Parameter(base.clone())):
        if x.numel():
            assert view_of(x).address == x.data_ptr()
            assert view_of(x).strides == tuple(4 * s if n > 1 else 4
                                               for s, n in zip(x.stride(), x.shape))
        answer = onefold.sum(x)
        assert isinstance(answer, torch.Tensor) and answer.dtype == torch.float32
        assert not answer.requires_grad and answer.shape == ()
        assert answer == x.sum()


def test_torch_types():
    torch = pytest.importorskip("torch")
    for name, answer in (("bool", "int64"), ("uint8", "uint64"), ("int8", "int64"),
                         ("int16", "int64"), ("int32", "int64"), ("int64", "int64"),
                         ("uint16", "uint64"), ("float16", "float16"), ("bfloat16", "bfloat16"),
                         ("float32", "float32"), ("float64", "float64")):
        x = torch.tensor([[0, 1, 1], [1, 1, 0]]).to(getattr(torch, name))
        found = onefold.sum(x, axis=1)
        assert found.dtype == getattr(torch, answer) and found.tolist() == [2, 2], name
        assert onefold.any(x, axis=0).tolist() == [True] * 3
    x = torch.ones(3)
    for dtype, type_ in ((torch.float64, torch.float64), ("f32", torch.float32),
                         ("bfloat16", torch.bfloat16), (np.float16, torch.float16)):
        assert onefold.sum(x, dtype=dtype).dtype == type_
    assert onefold.argmax(x).dtype == torch.int64
    assert [one.item() for one in onefold.minmax(torch.arange(3))] == [0, 2]


def test_torch_out_where_and_second_array():
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(2, 3)
    out = torch.zeros(3, dtype=torch.float64)
    version = out._version
    assert onefold.sum(x, axis=0, out=out) is out and out.tolist() == [3, 5, 7]
    assert out._version > version
    assert onefold.sum(x, where=torch.tensor([True, False, True])) == 10
    assert onefold.sum(x, where=[True, False, False]) == 3
    assert onefold.dot(x[0], x[1]) == 14
    assert onefold.vecdot(x, torch.ones(3)).tolist() == [3, 12]
    assert onefold.vecdot(x, x[:, :1], axis=0).tolist() == [9, 12, 15]
    onefold.sum(x, axis=0, out=x[1])
    assert x[1].tolist() == [3, 5, 7]
    with pytest.raises(ValueError, match="shape"):
        onefold.sum(x, axis=0, out=torch.zeros(2))
    with pytest.raises(ValueError, match="detach"):
        onefold.sum(x, out=torch.zeros((), requires_grad=True))
    with pytest.raises(TypeError, match="PyTorch"):
        onefold.sum(x, axis=0, out=np.zeros(3))
    with pytest.raises(TypeError, match="NumPy"):
        onefold.sum(np.ones((2, 3)), axis=0, out=torch.zeros(3))


def test_torch_refuses():
    torch = pytest.importorskip("torch")
    for x, words in ((torch.ones(2, dtype=torch.complex64), "complex64"),
                     (torch.ones(2).to_sparse(), "to_dense"),
                     (torch.ones(2, device="meta"), "meta"),
                     (torch.ones(2).to(torch.float8_e5m2), "not supported")):
        with pytest.raises(TypeError, match=words):
            onefold.sum(x)
    assert onefold.sum(torch.tensor([1 + 2j]).conj().imag) == -2


# JAX

def test_jax_is_not_copied_and_answers_arrays():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    x = jnp.arange(24, dtype=jnp.float32).reshape(4, 6)
    assert view_of(x).address == x.unsafe_buffer_pointer()
    answer = onefold.sum(x, axis=0)
    assert isinstance(answer, jax.Array) and answer.dtype == jnp.float32
    assert answer.devices() == x.devices() and same(answer, np.sum(np.asarray(x), axis=0))
    assert same(onefold.sum(x.T, axis=0), np.sum(np.asarray(x), axis=1))
    assert onefold.sum(x, where=jnp.arange(6) > 4) == 5 + 11 + 17 + 23
    assert onefold.vecdot(x, jnp.ones(6)).shape == (4,)
    assert onefold.any(x > 3).dtype == bool
    assert onefold.sum(x, dtype=jnp.bfloat16).dtype == jnp.bfloat16
    assert onefold.sum(x.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    assert [int(one) for one in onefold.minmax(x)] == [0, 23]


def test_jax_types_of_64_bits():
    jax = pytest.importorskip("jax")
    x = jax.numpy.full(3, 2**30)
    with pytest.raises(OverflowError):
        onefold.sum(x)
    assert onefold.mean(x).dtype == np.float32 and onefold.argmin(x).dtype == np.int32
    half = jax.numpy.asarray([1.0, 2.0**-24, 2.0**-60], np.float32)
    assert onefold.sum(half, dtype="f64") == np.float32(1 + 2.0**-23)  # rounded once
    with jax.enable_x64(True):
        assert onefold.sum(jax.numpy.full(3, 2**40)).dtype == np.int64
        assert onefold.sum(half, dtype="f64").dtype == np.float64


def test_jax_refuses():
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones(3)
    with pytest.raises(TypeError, match="pure_callback"):
        jax.jit(onefold.sum)(x)
    with pytest.raises(TypeError, match="immutable"):
        onefold.sum(x, out=x)
    for wrong in (x.astype(jax.numpy.complex64), x.astype(jax.numpy.int4), jax.random.key(0)):
        with pytest.raises(TypeError):
            onefold.sum(wrong)


def test_numpy_views_of_other_libraries():
    torch = pytest.importorskip("torch")
    for x in (torch.arange(6.0).reshape(2, 3).T.requires_grad_(), torch.ones(2, dtype=torch.int8)):
        view = numpy_array(x)
        assert view.ctypes.data == x.data_ptr() and view.tolist() == x.tolist()
    with pytest.raises(ValueError, match="masked"):
        numpy_array(np.ma.array([1, 2], mask=[0, 1]))
    assert numpy_array(np.ma.array([1, 2], mask=[0, 0])).tolist() == [1, 2]
    types = pytest.importorskip("ml_dtypes")
    x = torch.arange(3).to(torch.bfloat16)
    assert numpy_array(x).dtype == types.bfloat16 and numpy_array(x).ctypes.data == x.data_ptr()
    state = onefold.State("sum", "f32")
    assert state.add(torch.ones(3)).value() == 3


# The array API, and objects that only export

def test_array_api_strict():
    xp = pytest.importorskip("array_api_strict")
    x = xp.reshape(xp.arange(6, dtype=xp.float64), (2, 3))
    assert view_of(x).address == np.from_dlpack(x).ctypes.data
    answer = onefold.mean(x, axis=0, keepdims=True)
    assert type(answer) is type(x) and answer.dtype == xp.float64 and answer.shape == (1, 3)
    assert onefold.sum(x, dtype=xp.float32).dtype == xp.float32
    assert onefold.any(x).dtype == xp.bool and onefold.argmax(x).dtype == xp.int64
    out = xp.zeros(3, dtype=xp.float64)
    assert onefold.sum(x, axis=0, out=out) is out and float(out[2]) == 7
    assert float(onefold.sum(x, where=xp.asarray([True, False, False]))) == 3
    other = xp.asarray([1, 2], device=xp.Device("device1"))
    assert onefold.sum(other).device == other.device
    with pytest.raises(TypeError, match="bfloat16"):
        onefold.sum(x, dtype="bf16")


def test_exporters_answer_numpy():
    x = np.arange(6.0).reshape(2, 3)[:, ::-1]
    assert same(onefold.sum(Exporter(x), axis=0), [7.0, 5, 3])
    assert view_of(Exporter(x)).address == x.ctypes.data
    assert onefold.dot(Exporter(x[0]), x[1]) == 14

    class Broken(Exporter):
        def __dlpack__(self, **arguments):
            raise BufferError("nothing to give")
    with pytest.raises(TypeError, match="nothing to give"):
        onefold.sum(Broken(x))

    class Old(Exporter):
        def __dlpack__(self, stream=None):
            return self.x.__dlpack__()
    assert onefold.sum(Old(np.ones(3))) == 3


def test_all_libraries_give_the_same_bits():
    """Random shapes, strides and types: each library's answer is NumPy's."""
    makers = [lambda x: x.copy()[()], Exporter]
    for name, make in (("torch", lambda module: module.from_numpy),
                       ("jax", lambda module: partial(module.device_put,
                                                      device=module.devices("cpu")[0])),
                       ("array_api_strict", lambda module: module.asarray)):
        try:
            makers.append(make(__import__(name)))
        except ImportError:
            continue
    for seed in range(60):
        random = np.random.default_rng(seed)
        shape = tuple(random.integers(0, 7, random.integers(1, 4)))
        dtype = random.choice(["f4", "i4", "i1", "?", "u1"])
        x = np.asarray(random.normal(0, 100, shape)).astype(dtype)
        x = x.transpose(random.permutation(x.ndim))
        step = int(random.integers(1, 4))
        axis = None if random.random() < 0.3 else int(random.integers(-x.ndim, x.ndim))
        mask = random.random(x.shape[-1]) < 0.8
        for operator in (onefold.sum, onefold.mean, onefold.count_nonzero):
            expected = operator(x[..., ::step], axis=axis, where=mask[::step])
            for make in makers:
                foreign = make(x)
                part = Exporter(x[..., ::step]) if type(foreign) is Exporter else (
                    foreign[..., ::step])
                found = np.asarray(operator(part, axis=axis, where=mask[::step].copy()))
                assert np.array_equal(found.astype(expected.dtype), expected, equal_nan=True) or (
                    found.dtype.itemsize < expected.dtype.itemsize and np.array_equal(
                        found, expected.astype(found.dtype), equal_nan=True)
                ), f"seed {seed} {make} {operator.__name__} {found} {expected}"
