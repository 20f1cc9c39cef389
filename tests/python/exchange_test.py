# SPDX-License-Identifier: Apache-2.0
"""Tensors by DLPack's exchange API: what breaks it is an exception, and without it bits are the
same."""
import ctypes

import pytest

from hostile_dlpack_test import CPU, CUDA, FLOAT, OPENCL, Tensor, new_capsule
from onefold import _core

SUM = _core.operators["sum"]
DESCRIBE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
STREAM_OF = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                             ctypes.POINTER(ctypes.c_void_p))


class Api(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("older", ctypes.c_void_p), ("unused", ctypes.c_void_p * 3),
                ("describe", DESCRIBE), ("stream_of", STREAM_OF)]


def sound_fields(shape=(8,)):
    return {"shape": shape, "strides": None, "device_type": CPU, "code": FLOAT, "bits": 64,
            "lanes": 1}


def tensor_of(fields, describes=True, **header):
    """Doubles 0 … 7 of a class of its own, whose exchange API describes them by `fields`."""
    elements = (ctypes.c_double * 8)(*range(8))
    kept = []

    def describe(tensor, to):
        if fields is None:
            return -1
        to[0].data = ctypes.addressof(elements)
        for name, value in (sound_fields() | fields).items():
            if isinstance(value, tuple):
                to[0].ndim = len(value) if name == "shape" else to[0].ndim
                kept.append((ctypes.c_int64 * len(value))(*value))
                value = ctypes.cast(kept[-1], ctypes.POINTER(ctypes.c_int64))
            if name != "strides" or value is not None:
                setattr(to[0], name, value)
        return 0
    api = Api(**({"major": 1, "minor": 3} | header),
              describe=DESCRIBE(describe) if describes else DESCRIBE())
    name = b"dlpack_exchange_api"
    capsule = new_capsule(ctypes.addressof(api), name, None)
    made = type("Made", (), {"__dlpack_c_exchange_api__": capsule})()
    made.kept = api, name, elements, kept
    return made


def total(x):
    out = tensor_of({"shape": ()})
    _core.reduce_tensor(SUM, x, None, out, None, False, None, "exact", "propagate", None)
    return out.kept[2][0]


def test_sound_tensors():
    assert total(tensor_of({})) == 28
    assert total(tensor_of({"shape": (2, 2), "strides": (4, 1)})) == 0 + 1 + 4 + 5
    assert total(tensor_of({"shape": (3,), "byte_offset": 16})) == 2 + 3 + 4
    sound = tensor_of({})
    assert total(tensor_of(None, major=2, older=ctypes.addressof(sound.kept[0]))) == 28


@pytest.mark.parametrize("fields", [
    {"shape": (-1,)}, {"ndim": -1}, {"ndim": 65}, {"data": None}, {"shape": (2**61,)},
    {"shape": (2,), "strides": (2**62,)}, {"device_type": CUDA, "device_id": -1}])
def test_malformed_layouts_are_value_errors(fields):
    with pytest.raises(ValueError):
        total(tensor_of(fields))


@pytest.mark.parametrize("fields", [{"code": 5, "bits": 128}, {"code": 12, "bits": 8},
                                    {"lanes": 2}, {"device_type": OPENCL}])
def test_unsupported_elements_are_type_errors(fields):
    with pytest.raises(TypeError):
        total(tensor_of(fields))


def test_an_api_that_does_not_describe():
    with pytest.raises(RuntimeError, match="exchange"):
        total(tensor_of(None))
    pytest.importorskip("torch")
    for header in ({"describes": False}, {"major": 2}):
        with pytest.raises(TypeError):  # a capsule by PyTorch, which it is not
            total(tensor_of({}, **header))


def test_tensors_without_the_api_have_the_same_bits(monkeypatch):
    torch = pytest.importorskip("torch")
    ft = pytest.importorskip("onefold.torch")
    x = torch.randn(4, 6, generator=torch.Generator().manual_seed(3)).requires_grad_()
    weight = torch.linspace(1, 2, 6).requires_grad_()

    def answers():
        y = ft.rms_norm(x[:, ::2], 3, weight[:3], 1e-6)
        return (ft.sum(x), ft.vecdot(x, x), ft.softmax(x, 0), y,
                *torch.autograd.grad(y.sum(), (x, weight)))
    want = answers()
    monkeypatch.delattr(torch.Tensor, "__dlpack_c_exchange_api__", raising=False)
    assert all(torch.equal(a, b) for a, b in zip(answers(), want))


def test_rows_that_are_not_adjacent_are_refused():
    torch = pytest.importorskip("torch")
    x, y = torch.ones(4, 6), torch.empty(4, 3)
    for rows in (x[:, ::2], x.t()[:4, :3], x.view(2, 2, 6)[:, :, :3].transpose(0, 1)):
        with pytest.raises(ValueError, match="adjacent"):
            _core.softmax_rows(rows, y, False)
    with pytest.raises(ValueError, match="dimensions"):
        _core.rms_norm_rows(x, 3, None, x.clone(), None, 1e-6)
    for wrong in (y[:3], y.double(), torch.empty(3, 4).t(), y.to("meta")):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            _core.softmax_rows(x[:, :3], wrong, False)
    _core.softmax_rows(x[:, :3], y, False)
    assert torch.equal(y, torch.full((4, 3), 1 / 3))
