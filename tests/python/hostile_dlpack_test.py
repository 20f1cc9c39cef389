# SPDX-License-Identifier: Apache-2.0
"""DLPack capsules that break the protocol: an exception, never a crash, and never a leak."""
import ctypes

import numpy as np
import pytest

import onefold
from onefold import _core

INT, UINT, FLOAT, HANDLE, BFLOAT, COMPLEX, BOOL = range(7)
CPU, CUDA, CUDA_HOST, OPENCL, METAL = 1, 2, 3, 4, 8


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", DELETER), ("flags", ctypes.c_uint64),
                ("tensor", Tensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Source:
    """Eight doubles 0 … 7, and a capsule of them whose fields are the test's."""

    def __init__(self, shape=(8,), strides=None, versioned=True, major=1, flags=0, name=None,
                 no_deleter=False, **fields):
        self.deleted = 0
        self.elements = (ctypes.c_double * 8)(*range(8))
        self.shape = None if shape is None else (ctypes.c_int64 * len(shape))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        self.deleter = DELETER() if no_deleter else DELETER(self.delete)
        tensor = Tensor(data=ctypes.addressof(self.elements), device_type=CPU,
                        ndim=0 if shape is None else len(shape), code=FLOAT, bits=64, lanes=1)
        if self.shape is not None:
            tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        if self.strides is not None:
            tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        for field, value in fields.items():
            setattr(tensor, field, value)
        if versioned:
            self.managed = Versioned(major=major, deleter=self.deleter, flags=flags, tensor=tensor)
            name = name or b"dltensor_versioned"
        else:
            self.managed = Managed(deleter=self.deleter, tensor=tensor)
            name = name or b"dltensor"
        self.name = name  # the capsule keeps a pointer to it
        self.capsule = new_capsule(ctypes.addressof(self.managed), name, None)

    def delete(self, pointer):
        self.deleted += 1

    def __dlpack__(self, **arguments):
        return self.capsule

    def __dlpack_device__(self):
        return (CPU, 0)


@pytest.mark.parametrize("versioned", [True, False])
def test_sound_capsules(versioned):
    x = Source(versioned=versioned)
    assert onefold.sum(x) == 28 and x.deleted == 1
    for arguments, answer in (({"shape": (2, 4), "strides": (1, 2)}, 28),
                              ({"shape": (2, 3), "strides": (4, 1)}, 0 + 1 + 2 + 4 + 5 + 6),
                              ({"shape": ()}, 0), ({"shape": None}, 0),
                              ({"shape": (3,), "byte_offset": 16}, 2 + 3 + 4),
                              ({"shape": (3,), "strides": (-1,), "byte_offset": 56}, 7 + 6 + 5),
                              ({"shape": (5,), "strides": (0,), "byte_offset": 8}, 5),
                              ({"shape": (0,), "data": None}, 0),
                              ({"shape": (2**62, 0, 2**62), "data": None}, 0),
                              ({"shape": (0, 1), "strides": (2**62, -2**63), "data": None}, 0),
                              ({"shape": (1, 8), "strides": (2**62, 1)}, 28),
                              ({"device_type": CUDA_HOST}, 28), ({"no_deleter": True}, 28)):
        x = Source(versioned=versioned, **arguments)
        assert onefold.sum(x) == answer, arguments
        assert x.deleted == (0 if arguments.get("no_deleter") else 1)


@pytest.mark.parametrize("fields", [
    {"ndim": -1}, {"ndim": -2**31}, {"ndim": 65}, {"ndim": 129}, {"ndim": 2**31 - 1},
    {"shape": None, "ndim": 1}, {"shape": (-1,)}, {"shape": (-2**63,)}, {"shape": (0, -1)},
    {"data": None}, {"shape": (2**63 - 1,)}, {"shape": (2**32, 2**32)}, {"shape": (2**61,)},
    {"shape": (2**61 + 1, 8)}, {"shape": (2,), "strides": (2**62,)},
    {"shape": (2,), "strides": (-2**63,)}, {"shape": (2,), "strides": (2**60,)},
    {"shape": (2,), "strides": (-2**60,)}, {"shape": (2**31, 2**31), "strides": (2**30, 2**30)},
    {"shape": (2**40, 2**40), "strides": (0, 0)},
    {"shape": (3, 3), "strides": (2**58, 2**58)},
    {"device_type": CUDA, "device_id": -1},
])
def test_malformed_layouts_are_value_errors(fields):
    for versioned in (True, False):
        x = Source(versioned=versioned, **fields)
        with pytest.raises(ValueError):
            onefold.sum(x)
        assert x.deleted == 0  # the capsule still owns the memory


@pytest.mark.parametrize("fields", [
    {"code": COMPLEX, "bits": 128}, {"code": HANDLE}, {"code": 7}, {"code": 255}, {"bits": 0},
    {"bits": 8}, {"bits": 80}, {"bits": 128}, {"bits": 63}, {"lanes": 0}, {"lanes": 2},
    {"lanes": 65535}, {"code": INT, "bits": 4}, {"code": UINT, "bits": 24},
    {"code": BOOL, "bits": 1}, {"code": BOOL, "bits": 32}, {"code": BFLOAT, "bits": 32},
    {"device_type": 0}, {"device_type": -1}, {"device_type": OPENCL}, {"device_type": METAL},
    {"device_type": 2**31 - 1}, {"major": 0}, {"major": 2}, {"name": b"dltensors"},
    {"name": b"used_dltensor"}, {"name": b"used_dltensor_versioned"}, {"name": b"\xff"},
])
def test_unsupported_capsules_are_type_errors(fields):
    x = Source(**fields)
    with pytest.raises(TypeError):
        onefold.sum(x)
    assert x.deleted == 0


def test_what_is_no_capsule():
    class Wrong(Source):
        def __dlpack__(self, **arguments):
            return self.answer
    for answer in (None, 5, "dltensor", b"dltensor", object(), Source(), np.ones(3)):
        x = Wrong()
        x.answer = answer
        with pytest.raises(TypeError, match="capsule"):
            onefold.sum(x)
    x = Wrong()
    x.answer = new_capsule(ctypes.addressof(x.managed), None, None)
    with pytest.raises(TypeError, match="capsule"):
        onefold.sum(x)


def test_a_capsule_is_used_once():
    x = Source()
    view = _core.Array.from_dlpack(x.capsule)
    with pytest.raises(TypeError, match="before"):
        _core.Array.from_dlpack(x.capsule)
    assert x.deleted == 0
    other = view.broadcast_to((2, 8))
    del view
    assert x.deleted == 0 and onefold.sum(np.asarray(other)) == 56
    del other
    assert x.deleted == 1


def test_read_only_outputs():
    x = Source(flags=1)
    with pytest.raises(ValueError, match="read-only"):
        _core.Array.from_dlpack(x.capsule, writable=True)
    assert x.deleted == 0 and onefold.sum(x) == 28
    assert _core.Array.from_dlpack(Source().capsule, writable=True).size == 8
    sum_ = _core.operators["sum"]
    read_only = _core.Array.from_dlpack(Source(shape=(), flags=1).capsule)
    with pytest.raises(ValueError, match="read-only"):
        _core.reduce_into(sum_, np.ones(3), None, read_only, None, False, None, None, "exact",
                          "propagate", None, 0)


def test_capsules_as_arguments():
    sum_, rest = _core.operators["sum"], (None, False, None, None, "exact", "propagate", None, 0)
    x, out = Source(), Source(shape=())
    _core.reduce_into(sum_, x.capsule, None, out.capsule, *rest)
    assert out.elements[0] == onefold.sum(np.array(x.elements[:])) and x.deleted == out.deleted == 1
    out = Source(shape=(), flags=1)
    with pytest.raises(ValueError, match="read-only"):
        _core.reduce_into(sum_, Source().capsule, None, out.capsule, *rest)
    with pytest.raises(TypeError, match="used before"):
        _core.reduce_into(sum_, x.capsule, None, Source(shape=()).capsule, *rest)


def test_other_bool_bytes_are_true():
    for operator, answer in ((onefold.count_nonzero, 64), (onefold.all, True), (onefold.sum, 64)):
        x = Source(code=BOOL, bits=8, shape=(64,))
        ctypes.memset(x.elements, 2, 64)
        assert operator(x) == answer, operator.__name__


def test_unaligned_memory():
    for code, bits, size in ((FLOAT, 64, 7), (INT, 32, 15), (FLOAT, 16, 31), (FLOAT, 32, 15)):
        x = Source(code=code, bits=bits, shape=(size,), byte_offset=1)
        ctypes.memset(x.elements, 0, 64)
        assert onefold.sum(x) == 0
