# SPDX-License-Identifier: Apache-2.0
"""From tensors to onefold's reductions: operators, views by DLPack, outputs, shapes and types.

Nothing here synchronises: a tensor on a GPU is read and written on the current stream of its
device.
"""
from __future__ import annotations

import torch
from torch.utils.dlpack import to_dlpack

from .. import _core
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
_PLAIN = frozenset((type(None), bool, int, float, list, tuple, torch.dtype))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))


def define(name, schema, kernel, fake, backward=None, setup_context=None):
    """Registers onefold::name for tensors on a CPU or a GPU, and returns the function to call.

    That function goes straight to the kernel where nothing watches the call. The dispatcher and
    its Python layers take longer than the sum of some thousand elements, and the checks of
    torch.library.custom_op twice as long again.
    """
    full_name = f"onefold::{name}"
    _OPERATORS.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        _OPERATORS.impl(name, kernel, key)
    torch.library.register_fake(full_name, fake, lib=_OPERATORS)

    def no_gradient(ctx, *gradients):
        raise NotImplementedError(f"{full_name} has no gradient")
    torch.library.register_autograd(full_name, backward or no_gradient,
                                    setup_context=setup_context, lib=_OPERATORS)
    operator = getattr(torch.ops.onefold, name).default

    def call(*arguments):
        return kernel(*arguments) if _unwatched(arguments) else operator(*arguments)
    return call


def _unwatched(arguments):
    """Whether nothing traces, transforms or differentiates a call: the kernel is all of it."""
    if _is_compiling() or _dispatch_modes() or _transform() is not None:
        return False
    gradients = torch.is_grad_enabled()
    for x in arguments:
        kind = type(x)
        if kind not in _PLAIN and not (kind in _TENSORS and (x.is_cuda or x.is_cpu)
                                       and not (gradients and x.requires_grad)):
            return False
    return True


def _capsule(x: torch.Tensor):
    # to_dlpack synchronises nothing: the reduction is enqueued on the stream that wrote x.
    return to_dlpack(x.resolve_neg() if x.is_neg() else x)


def _stream(x: torch.Tensor) -> int:
    return _raw_stream(x.get_device()) if _raw_stream and x.is_cuda else stream_of_tensor(x)


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


def normalize(x: torch.Tensor, weight: torch.Tensor | None, y: torch.Tensor,
              inverse: torch.Tensor, eps: float) -> None:
    """Writes the RMSNorm of x's rows to y, and what x is multiplied by to `inverse`."""
    _core.rms_norm_into(view(x), None if weight is None else view(weight), view(y, True),
                        view(inverse, True), eps, stream_of_tensor(x))


def add_normalize(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor | None,
                  total: torch.Tensor, y: torch.Tensor, inverse: torch.Tensor,
                  eps: float) -> None:
    """The same of x + residual, which is written to `total`."""
    _core.add_rms_norm_into(view(x), view(residual), None if weight is None else view(weight),
                            view(total, True), view(y, True), view(inverse, True), eps,
                            stream_of_tensor(x))


def normalize_backward(g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor | None,
                       inverse: torch.Tensor, dx: torch.Tensor | None,
                       dweight: torch.Tensor | None) -> None:
    """Writes the gradients of the same to dx and dweight, where they are not None."""
    _core.rms_norm_backward_into(
        view(x), view(g), None if weight is None else view(weight), view(inverse, True),
        None if dx is None else view(dx, True), None if dweight is None else view(dweight, True),
        stream_of_tensor(x))


def softmax_rows(x: torch.Tensor, y: torch.Tensor, logarithm: bool) -> None:
    """Writes softmax or log_softmax of x's rows to y: not of float64."""
    _core.softmax_into(view(x), view(y, True), logarithm, stream_of_tensor(x))


def softmax_part_rows(x: torch.Tensor, y: torch.Tensor, logarithm: bool, states: list) -> None:
    """The same for parts of rows, whose states of logsumexp are given."""
    _core.softmax_part_into(view(x), view(y, True), logarithm, [state._core for state in states],
                            stream_of_tensor(x))


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
