# SPDX-License-Identifier: Apache-2.0
"""Array libraries: how their arrays are viewed, made and returned. None is imported from here."""
from __future__ import annotations

import sys

import numpy as np

from . import _core
from ._dtypes import LONG_NAMES, code_of
from ._numpy import plain_array, numpy_dtype, view_of_numpy

_CUDA, _CUDA_MANAGED = 2, 13  # device types of DLPack
_LEGACY = 1                   # DLPack's number of CUDA's legacy default stream


def _capsule(x, stream):
    """x's DLPack capsule. The library makes `stream` wait for the work that x depends on."""
    try:
        try:
            return x.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # from before DLPack 1.0
            return x.__dlpack__(stream=stream)
    except (AttributeError, BufferError, RuntimeError, ValueError) as error:
        raise TypeError(f"'{type(x).__name__}' gives no view of its memory: {error}") from error


class NumPy:
    """NumPy, and what numpy.asarray takes: lists, array.array, memoryview …"""

    name = "NumPy"
    assigns = True  # arrays take values at places that an array of integers gives

    def owns(self, x) -> bool:
        return isinstance(x, np.ndarray)

    def check_out(self, out) -> None:
        """Raises TypeError if out is no array of the library: what a list gets is lost."""
        if not self.owns(out):
            raise TypeError(f"out must be an array of {self.name}, as x is, "
                            f"not '{type(out).__name__}'")

    def view(self, x, writable=False) -> _core.Array:
        return view_of_numpy(x if writable else plain_array(x), writable)

    def stream(self, x) -> int:
        """The stream of the reduction, as a cudaStream_t."""
        return 0

    def output_type(self, code: int) -> int:
        """The type that the library has for answers of the type `code`."""
        return code

    def empty(self, shape, code: int, x):
        """A new array on x's device."""
        return np.empty(shape, numpy_dtype(code))

    def view_of_new(self, made) -> _core.Array:
        """The memory of an array made by `empty`, to be written."""
        return self.view(made, writable=True)

    def places(self, x):
        """Integers as an index of the library's arrays."""
        return x

    def result(self, made, x):
        """What the caller gets for the array made by `empty`."""
        return made if made.ndim else made[()]


class Torch(NumPy):
    name = "PyTorch"

    def owns(self, x) -> bool:
        return isinstance(x, sys.modules["torch"].Tensor)

    def view(self, x, writable=False) -> _core.Array:
        torch = sys.modules["torch"]
        if writable and x.requires_grad:
            raise ValueError("out requires a gradient; give out.detach()")
        if x.layout is not torch.strided:
            raise TypeError(f"tensors of layout {x.layout} are not supported; give x.to_dense()")
        x = x.detach() if x.requires_grad else x
        if x.is_neg():
            x = x.resolve_neg()
        # The reduction goes to the tensor's current stream, so that no stream waits for another.
        try:
            view = _core.Array.from_dlpack(torch.utils.dlpack.to_dlpack(x), writable)
        except (BufferError, RuntimeError) as error:
            raise TypeError(f"the tensor gives no view of its memory: {error}") from error
        if writable:
            torch.autograd.graph.increment_version(x)
        return view

    def reduce(self, op, x, axis, dtype, keepdims, *options):
        """A reduction of a tensor alone to a new one. The compiled part reads both without views of
        them, which would take longer than to sum a thousand elements."""
        torch = sys.modules["torch"]
        if x.layout is not torch.strided:
            raise TypeError(f"tensors of layout {x.layout} are not supported; give x.to_dense()")
        if x.is_neg():
            x = x.resolve_neg()
        try:
            code, shape = _core.answers_of_tensor(op, x, axis, keepdims)
        except (BufferError, RuntimeError) as error:
            raise TypeError(f"the tensor gives no view of its memory: {error}") from error
        made = self.empty(shape, code if dtype is None else code_of(dtype), x)
        _core.reduce_tensor(op, x, None, made, axis, keepdims, *options)
        return made

    def stream(self, x) -> int:
        return stream_of_tensor(x)

    def empty(self, shape, code, x):
        return x.new_empty(shape, dtype=getattr(sys.modules["torch"], LONG_NAMES[code]))

    def view_of_new(self, made) -> _core.Array:
        # Its version is not recorded, and no gradient was requested.
        capsule = sys.modules["torch"].utils.dlpack.to_dlpack(made)
        return _core.Array.from_dlpack(capsule, True)

    def places(self, x):
        return sys.modules["torch"].as_tensor(x).long()

    def result(self, made, x):
        return made


def stream_of_tensor(x) -> int:
    """The current stream of a PyTorch tensor's device; 0 on a CPU."""
    if not x.is_cuda:
        return 0
    torch = sys.modules["torch"]
    # PyTorch has no public name for it. The other way makes an object of the stream.
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw(x.get_device()) if raw else torch.cuda.current_stream(x.device).cuda_stream


class CuPy(NumPy):
    name = "CuPy"

    def owns(self, x) -> bool:
        return isinstance(x, sys.modules["cupy"].ndarray)

    def view(self, x, writable=False) -> _core.Array:
        with x.device:
            return _core.Array.from_dlpack(_capsule(x, self.stream(x) or _LEGACY), writable)

    def stream(self, x) -> int:
        with x.device:
            return sys.modules["cupy"].cuda.get_current_stream().ptr

    def empty(self, shape, code, x):
        with x.device:
            return sys.modules["cupy"].empty(shape, numpy_dtype(code))

    def result(self, made, x):
        return made


class Jax(NumPy):
    """JAX's arrays are immutable: the answers are made in host memory and copied to the device."""

    name = "JAX"
    assigns = False

    def owns(self, x) -> bool:
        raise TypeError("JAX arrays are immutable; call without out")

    def view(self, x, writable=False) -> _core.Array:
        if writable:
            return view_of_numpy(x, writable)
        jax = sys.modules["jax"]
        if isinstance(x, jax.core.Tracer):
            raise TypeError("a traced JAX array has no memory; call onefold outside jax.jit, or "
                            "through jax.pure_callback")
        on_host = all(device.platform == "cpu" for device in x.devices())
        return _core.Array.from_dlpack(_capsule(x, None if on_host else _LEGACY), False)

    def output_type(self, code: int) -> int:
        """JAX has types of 64 bits if jax_enable_x64 is set, else those of 32 instead."""
        narrow = sys.modules["jax"].dtypes.canonicalize_dtype(LONG_NAMES[code])
        return LONG_NAMES.index(narrow.name)

    def result(self, made, x):
        return sys.modules["jax"].device_put(made, x.sharding)


class Namespace(NumPy):
    """A library of the array API standard."""

    assigns = False

    def __init__(self, x):
        self._namespace = x.__array_namespace__()
        self.name = self._namespace.__name__
        self._type = type(x)

    def owns(self, x) -> bool:
        return isinstance(x, self._type)

    def view(self, x, writable=False) -> _core.Array:
        return _core.Array.from_dlpack(_capsule(x, _default_stream(x)), writable)

    def empty(self, shape, code, x):
        dtype = getattr(self._namespace, LONG_NAMES[code], None)
        if dtype is None:
            raise TypeError(f"{self.name} has no {LONG_NAMES[code]}")
        return self._namespace.empty(shape, dtype=dtype, device=x.device)

    def result(self, made, x):
        return made


class Exporter(NumPy):
    """An object that only exports its memory. The answers are NumPy's."""

    assigns = False

    def view(self, x, writable=False) -> _core.Array:
        if writable:
            return view_of_numpy(x, writable)
        return _core.Array.from_dlpack(_capsule(x, _default_stream(x)), writable)


def _default_stream(x):
    on_gpu = int(x.__dlpack_device__()[0]) in (_CUDA, _CUDA_MANAGED)
    return _LEGACY if on_gpu else None


_NUMPY, TENSORS, _CUPY, _JAX, _EXPORTER = NumPy(), Torch(), CuPy(), Jax(), Exporter()
_CLASSES = (("torch", "Tensor", TENSORS), ("cupy", "ndarray", _CUPY), ("jax", "Array", _JAX))


def is_tensor(x) -> bool:
    """Whether x is a tensor of PyTorch's own class, which TENSORS serves. A short question: whether
    a tensor has other libraries' methods takes longer than to sum it."""
    torch = sys.modules.get("torch")
    return torch is not None and type(x) is getattr(torch, "Tensor", None)


def library_of(x) -> NumPy:
    """The library that x comes from."""
    if isinstance(x, (np.ndarray, list, tuple, np.generic)):
        return _NUMPY
    for module, name, library in _CLASSES:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(x, getattr(loaded, name, ())):
            return library
    if hasattr(x, "__dlpack__"):
        return Namespace(x) if hasattr(x, "__array_namespace__") else _EXPORTER
    return _NUMPY
