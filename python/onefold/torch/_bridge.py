# SPDX-License-Identifier: Apache-2.0
"""From tensors to onefold's reductions: operators, views by DLPack, outputs, shapes and types.

Nothing here synchronises: a tensor on a GPU is read and written on the current stream of its
device.
"""
from __future__ import annotations

import math

import torch
from torch.autograd import forward_ad
from torch.utils.dlpack import to_dlpack

from .. import _core
from .._dtypes import LONG_NAMES
from .._libraries import stream_of_tensor

OPS = _core.operators
_reduce_into = _core.reduce_into
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_OPERATORS = torch.library.Library("onefold", "FRAGMENT")

# PyTorch has no public name for either; without them every call goes through its dispatcher.
_dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
_transform = getattr(torch._C._functorch, "peek_interpreter_stack", lambda: True)
_is_compiling = torch.compiler.is_compiling
# What an argument that is no tensor may be. isinstance takes longer: Tensor has a metaclass.
_PLAIN = frozenset((type(None), bool, int, float, str, list, tuple, torch.dtype))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))
_NOTHING, _AUTOGRAD, _OTHERS = range(3)


class _Codes(dict):
    def __missing__(self, dtype):
        raise TypeError(f"tensors of {dtype} are not supported")


# The numbers of PyTorch's types.
_CODES = _Codes((getattr(torch, name), code) for code, name in enumerate(LONG_NAMES)
                if hasattr(torch, name))


def define(name, schema, kernel, fake, backward=None, setup_context=None, plain=None):
    """Registers onefold::name for tensors on a CPU or a GPU, and returns the function to call.

    That function goes straight to the kernel where nothing watches the call, and to a Function of
    autograd where nothing but gradients does. The dispatcher and its Python layers take longer than
    the sum of some thousand elements, and the checks of torch.library.custom_op twice as long
    again.

    Args:
        plain: a kernel for calls that nothing watches, which need not make what `setup_context`
            saves.
    """
    full_name = f"onefold::{name}"
    _OPERATORS.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        _OPERATORS.impl(name, kernel, key)
    torch.library.register_fake(full_name, fake, lib=_OPERATORS)

    def no_gradient(ctx, *gradients):
        raise NotImplementedError(f"{full_name} has no gradient")
    backward = backward or no_gradient
    torch.library.register_autograd(full_name, backward, setup_context=setup_context,
                                    lib=_OPERATORS)
    operator = getattr(torch.ops.onefold, name).default
    differentiated = _differentiated(name, kernel, backward, setup_context)
    plain = plain or kernel

    def call(*arguments):
        watched_by = _watched_by(arguments)
        if watched_by == _NOTHING:
            return plain(*arguments)
        return differentiated(*arguments) if watched_by == _AUTOGRAD else operator(*arguments)
    return call


def _differentiated(name, kernel, backward, setup_context):
    """The kernel and its backward as a Function of autograd."""
    def forward(ctx, *inputs):
        output = kernel(*inputs)
        if setup_context is not None:
            setup_context(ctx, inputs, output)
        return output
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (torch.autograd.Function,), methods).apply


def _watched_by(arguments):
    """What watches a call: nothing, so that the kernel is all of it; autograd; or others, which
    trace or transform it or have tensors of their own."""
    if forward_ad._current_level >= 0:
        _refuse_tangents(arguments)
    if _is_compiling() or _dispatch_modes() or _transform() is not None:
        return _OTHERS
    gradients = torch.is_grad_enabled()
    watched_by = _NOTHING
    for x in arguments:
        kind = type(x)
        if kind in _PLAIN:
            continue
        if kind not in _TENSORS or not (x.is_cuda or x.is_cpu):
            return _OTHERS
        if gradients and x.requires_grad:
            watched_by = _AUTOGRAD
    return watched_by


def _refuse_tangents(arguments):
    """PyTorch would drop them without a word."""
    for x in arguments:
        if isinstance(x, torch.Tensor) and forward_ad.unpack_dual(x).tangent is not None:
            raise NotImplementedError("onefold.torch has no forward-mode derivatives; use "
                                      "backward() or torch.autograd.grad")


def _capsule(x: torch.Tensor):
    # to_dlpack synchronises nothing: the reduction is enqueued on the stream that wrote x.
    return to_dlpack(x.resolve_neg() if x.is_neg() else x)


def _stream(x: torch.Tensor) -> int:
    if x.is_cpu:
        return 0
    return _raw_stream(x.get_device()) if _raw_stream else stream_of_tensor(x)


def view(x: torch.Tensor, writable: bool = False) -> _core.Array:
    """The memory of a tensor, without a copy."""
    return _core.Array.from_dlpack(_capsule(x), writable)


def reduce(name: str, x: torch.Tensor, dims: tuple[int, ...] | None, keepdim: bool,
           dtype: torch.dtype, y: torch.Tensor | None = None,
           correction: float | None = None) -> torch.Tensor:
    """A reduction of one tensor, or of the products of two, over `dims`; None: all."""
    if dims is None:
        shape = [1] * x.dim() if keepdim else ()
    else:
        shape = answer_shape(x, dims, keepdim)
    # As new_empty is a method, its arguments are parsed faster than those of torch.empty.
    out = x.new_empty(shape) if x.dtype is dtype else x.new_empty(shape, dtype=dtype)
    _reduce_into(OPS[name], _capsule(x), None if y is None else _capsule(y), to_dlpack(out), dims,
                 keepdim, None, None, "exact", "propagate", correction, _stream(x))
    return out


class Rows:
    """A tensor as rows of adjacent elements, those of its last dims, for the compiled part.

    A view where its strides allow it, else a copy. Only addresses are passed on: a view by DLPack
    of each tensor would take as long as all the rest of a call.
    """
    __slots__ = ("tensor", "place")

    def __init__(self, x: torch.Tensor, dims: int) -> None:
        x = x.resolve_neg() if x.is_neg() else x
        shape = x.shape
        apart = n = shape[-1] if dims == 1 else math.prod(shape[-dims:])
        rows = x.numel() // n if n else math.prod(shape[:-dims])
        if not x.is_contiguous():
            x = x.reshape(rows, n)
            if n > 1 and x.stride(1) != 1:
                x = x.contiguous()
            apart = x.stride(0)
        self.tensor = x
        self.place = x.data_ptr(), rows, n, apart


def like(x: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor of x's shape and type: what kernels of rows return."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _place(x: torch.Tensor) -> tuple[int, int, int]:
    """The type, the device and its current stream of a call, for the compiled part."""
    return _CODES[x.dtype], x.get_device(), _stream(x)  # device -1: a CPU


def _rows_like(x: Rows, other: Rows) -> tuple[int, int, int, int]:
    """The place of other rows, which are read as x's are. Raises ValueError for rows of another
    type, shape or device: the compiled part sees addresses alone."""
    if (other.tensor.dtype is not x.tensor.dtype or other.place[1:3] != x.place[1:3]
            or other.tensor.get_device() != x.tensor.get_device()):
        raise ValueError(f"rows of {other.tensor.dtype}, {other.place[1:3]} on "
                         f"{other.tensor.device} next to {x.tensor.dtype}, {x.place[1:3]} on "
                         f"{x.tensor.device}")
    return other.place


def _numbers(values: torch.Tensor, dtype: torch.dtype, count: int, x: Rows) -> int:
    """The address of so many adjacent numbers on x's device. Raises ValueError for others."""
    if (values.dtype is not dtype or values.numel() != count or not values.is_contiguous()
            or values.get_device() != x.tensor.get_device()):
        raise ValueError(f"{values.numel()} elements of {values.dtype} on {values.device}, not "
                         f"{count} adjacent ones of {dtype} on {x.tensor.device}")
    return values.data_ptr()


def _weight(weight: torch.Tensor | None, x: Rows) -> tuple[int, int]:
    """The address and the type of a weight, a number for each column."""
    if weight is None:
        return 0, 0
    return _numbers(weight, weight.dtype, x.place[2], x), _CODES[weight.dtype]


def normalize(x: Rows, weight: torch.Tensor | None, y: torch.Tensor, inverse: torch.Tensor | None,
              eps: float) -> None:
    """Writes the RMSNorm of x's rows to y, and what x is multiplied by to `inverse`."""
    _core.rms_norm_rows(*_place(x.tensor), x.place, *_weight(weight, x), y.data_ptr(),
                        _address(inverse), eps)


def add_normalize(x: Rows, residual: Rows, weight: torch.Tensor | None, total: torch.Tensor,
                  y: torch.Tensor, inverse: torch.Tensor | None, eps: float) -> None:
    """The same of x + residual, which is written to `total`."""
    _core.add_rms_norm_rows(*_place(x.tensor), x.place, _rows_like(x, residual),
                            *_weight(weight, x),
                            total.data_ptr(), y.data_ptr(), _address(inverse), eps)


def layer_normalize(x: Rows, weight: torch.Tensor | None, bias: torch.Tensor | None,
                    y: torch.Tensor, mean: torch.Tensor | None, inverse: torch.Tensor | None,
                    eps: float) -> None:
    """Writes the LayerNorm of x's rows to y, and their means and what they are multiplied by.

    The weight and the bias have one type.
    """
    at, code = _weight(weight, x)
    bias_at, bias_code = _weight(bias, x)
    _core.layer_norm_rows(*_place(x.tensor), x.place, at, bias_at, code or bias_code, y.data_ptr(),
                          _address(mean), _address(inverse), eps)


def normalize_backward(g: Rows, x: Rows, weight: torch.Tensor | None, inverse: torch.Tensor,
                       dx: torch.Tensor | None, dweight: torch.Tensor | None) -> None:
    """Writes the gradients of the same to dx and dweight, where they are not None."""
    _core.rms_norm_backward_rows(*_place(x.tensor), x.place, _rows_like(x, g),
                                 *_weight(weight, x),
                                 _numbers(inverse, torch.float64, x.place[1], x), _address(dx),
                                 _address(dweight))


def layer_normalize_backward(g: Rows, x: Rows, weight: torch.Tensor | None, dtype: torch.dtype,
                             mean: torch.Tensor, inverse: torch.Tensor, dx: torch.Tensor | None,
                             dweight: torch.Tensor | None, dbias: torch.Tensor | None) -> None:
    """Writes the gradients of the same to dx, dweight and dbias, where they are not None.

    The last two are of `dtype`, as is the weight.
    """
    at, _ = _weight(weight, x)
    rows = x.place[1]
    _core.layer_norm_backward_rows(*_place(x.tensor), x.place, _rows_like(x, g), at, _CODES[dtype],
                                   _numbers(mean, torch.float64, rows, x),
                                   _numbers(inverse, torch.float64, rows, x), _address(dx),
                                   _address(dweight), _address(dbias))


def _address(x: torch.Tensor | None) -> int:
    return 0 if x is None else x.data_ptr()


def softmax_rows(x: Rows, y: torch.Tensor, logarithm: bool) -> None:
    """Writes softmax or log_softmax of x's rows to y: not of float64."""
    _core.softmax_rows(*_place(x.tensor), x.place, y.data_ptr(), logarithm)


def softmax_backward_rows(y: Rows, g: Rows, dx: torch.Tensor, logarithm: bool) -> None:
    """Writes the gradients of the same to dx, from the results y and their gradient g."""
    _core.softmax_backward_rows(*_place(y.tensor), y.place, _rows_like(y, g), dx.data_ptr(),
                                logarithm)


def softmax_part_rows(x: Rows, y: torch.Tensor, logarithm: bool, states: list) -> None:
    """The same for parts of rows, whose states of logsumexp are given."""
    _core.softmax_part_rows(*_place(x.tensor), x.place, y.data_ptr(), logarithm,
                            [state._core for state in states])


def class_losses(x: Rows, target: torch.Tensor, losses: torch.Tensor, totals: torch.Tensor,
                 ignore_index: int) -> None:
    """Writes the losses of x's rows, and three float64 of each to `totals`: not of float64."""
    _core.cross_entropy_rows(*_place(x.tensor), x.place,
                             _numbers(target, torch.int64, x.place[1], x), losses.data_ptr(),
                             totals.data_ptr(), ignore_index)


def class_gradients(x: Rows, target: torch.Tensor, scales: torch.Tensor, totals: torch.Tensor,
                    dx: torch.Tensor, ignore_index: int) -> None:
    """Writes the gradients of the same losses times `scales` to dx."""
    rows = x.place[1]
    _core.cross_entropy_backward_rows(*_place(x.tensor), x.place,
                                      _numbers(target, torch.int64, rows, x),
                                      _numbers(scales, torch.float32, rows, x),
                                      _numbers(totals, torch.float64, 3 * rows, x), dx.data_ptr(),
                                      ignore_index)


def scatter_rows(x: Rows, keys: torch.Tensor, initial: Rows | None, out: torch.Tensor,
                 is_mean: bool, role: int) -> None:
    """Writes to out[k] the sum, or the mean, of the rows of x whose key is k, and of initial[k]."""
    _core.scatter_rows(*_place(x.tensor), x.place, _numbers(keys, keys.dtype, x.place[1], x),
                       _CODES[keys.dtype], _initial(initial, x, out), out.data_ptr(), out.shape[0],
                       is_mean, role)


def segment_rows(x: Rows, offsets: torch.Tensor, initial: Rows | None, out: torch.Tensor,
                 is_mean: bool, role: int) -> None:
    """The same of the rows offsets[k] to offsets[k + 1]."""
    _core.segment_rows(*_place(x.tensor), x.place,
                       _numbers(offsets, torch.int64, out.shape[0] + 1, x),
                       _initial(initial, x, out), out.data_ptr(), out.shape[0], is_mean, role)


def _initial(initial: Rows | None, x: Rows, out: torch.Tensor) -> tuple[int, int, int, int]:
    """The place of the initial rows of `out`. Raises ValueError for others."""
    if initial is None:
        return 0, 0, 0, 0
    if (initial.tensor.dtype is not x.tensor.dtype or initial.place[1:3] != tuple(out.shape)
            or initial.tensor.get_device() != x.tensor.get_device()):
        raise ValueError(f"initial rows of {initial.tensor.dtype}, {initial.place[1:3]} on "
                         f"{initial.tensor.device} for {x.tensor.dtype}, {tuple(out.shape)} on "
                         f"{x.tensor.device}")
    return initial.place


def all_dims(x: torch.Tensor, dim) -> tuple[int, ...]:
    """The reduced dimensions as numbers from 0. As in PyTorch, None and () are all of them."""
    rank = x.dim()
    if dim is None or len(dim) == 0:
        return tuple(range(rank))
    if rank == 0:
        rank = 1
    dims = []
    for one in dim:
        if not -rank <= one < rank:
            raise IndexError(f"dim {one} is out of range for a tensor of {x.dim()} dimensions")
        if one % rank in dims:
            raise ValueError(f"dim {one} is given twice")
        dims.append(one % rank)
    return tuple(dims) if x.dim() else ()


def answer_shape(x: torch.Tensor, dims: tuple[int, ...], keepdim: bool) -> list[int]:
    """The shape of a reduction's answer."""
    if keepdim:
        return [1 if i in dims else extent for i, extent in enumerate(x.shape)]
    return [extent for i, extent in enumerate(x.shape) if i not in dims]


def extent(x: torch.Tensor, dims: tuple[int, ...]) -> int:
    """The number of elements of one answer."""
    product = 1
    for i in dims:
        product *= x.shape[i]
    return product


def kept(answer: torch.Tensor, dims: tuple[int, ...], keepdim: bool) -> torch.Tensor:
    """An answer with its reduced dimensions, as extents of one."""
    if not keepdim:
        for i in sorted(dims):
            answer = answer.unsqueeze(i)
    return answer


def float_dtype(name: str, x: torch.Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """The answer's type of a reduction that has floating answers only: `dtype`, or that of x."""
    dtype = dtype or x.dtype
    if not dtype.is_floating_point or x.dtype.is_complex:
        raise TypeError(f"onefold.torch.{name} of {x.dtype} to {dtype} is not supported; give "
                        "a real tensor, and a floating dtype if its elements are integers")
    return dtype


def compute_dtype(dtype: torch.dtype) -> torch.dtype:
    """The type of the elementwise parts: float64 for float64, else float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32
