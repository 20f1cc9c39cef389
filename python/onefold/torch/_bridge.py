# SPDX-License-Identifier: Apache-2.0
"""From tensors to onefold's reductions: operators, rows, outputs, shapes and types.

Nothing here synchronises: the compiled part reads and writes a tensor on a GPU on the current
stream of its device.
"""
from __future__ import annotations

import math

import torch
from torch.autograd import forward_ad
from torch.utils.dlpack import to_dlpack

from .. import _core

OPS = _core.operators
_reduce_tensor = _core.reduce_tensor
_OPERATORS = torch.library.Library("onefold", "FRAGMENT")

# PyTorch has no public name for either; without them every call goes through its dispatcher.
_dispatch_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
_transform = getattr(torch._C._functorch, "peek_interpreter_stack", lambda: True)
_is_compiling = torch.compiler.is_compiling
# What an argument that is no tensor may be. isinstance takes longer: Tensor has a metaclass.
_PLAIN = frozenset((type(None), bool, int, float, str, list, tuple, torch.dtype))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))
_NOTHING, _AUTOGRAD, _OTHERS = range(3)


def define(name, schema, kernel, fake, backward=None, setup_context=None, plain=None,
           answers=None):
    """Registers onefold::name for tensors on a CPU or a GPU, and returns the function to call.

    That function goes straight to the kernel where nothing watches the call, and to a Function of
    autograd where nothing but gradients does. The dispatcher and its Python layers take longer than
    the sum of some thousand elements, and the checks of torch.library.custom_op twice as long
    again.

    Args:
        plain: a kernel for calls that nothing watches, which returns what the caller gets, and
            need not make what `setup_context` saves.
        answers: how many of the outputs the caller gets; the others are for the backward. They have
            no gradients, and `backward` takes None where an answer has none. None: all outputs.
    """
    full_name = f"onefold::{name}"
    _OPERATORS.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CPU", "CUDA"):
        _OPERATORS.impl(name, kernel, key)
    torch.library.register_fake(full_name, fake, lib=_OPERATORS)

    def no_gradient(ctx, *gradients):
        raise NotImplementedError(f"{full_name} has no gradient")

    def operator_context(ctx, inputs, output):
        setup_context(ctx, inputs, output)
        ctx.mark_non_differentiable(*output[answers:])
        ctx.set_materialize_grads(False)
    backward = backward or no_gradient
    torch.library.register_autograd(
        full_name, backward, lib=_OPERATORS,
        setup_context=setup_context if answers is None else operator_context)
    operator = getattr(torch.ops.onefold, name).default
    differentiated = _differentiated(name, kernel, backward, setup_context, answers)
    if plain is None:
        plain = kernel if answers is None else lambda *given: _answers(kernel(*given), answers)

    def call(*arguments):
        watched_by = _watched_by(arguments)
        if watched_by == _NOTHING:
            return plain(*arguments)
        if watched_by == _AUTOGRAD:
            return differentiated(*arguments)
        return _answers(operator(*arguments), answers)
    return call


def _answers(output, answers):
    if answers is None:
        return output
    return output[0] if answers == 1 else output[:answers]


def _differentiated(name, kernel, backward, setup_context, answers):
    """The kernel and its backward as a Function of autograd.

    The outputs that the caller does not get are none of the Function's: each takes autograd as long
    as a short kernel.
    """
    def forward(ctx, *inputs):
        output = kernel(*inputs)
        if setup_context is not None:
            setup_context(ctx, inputs, output)
        if answers is None:
            return output
        if answers == 1:  # whose gradient is there: this is its backward
            return output[0]
        ctx.set_materialize_grads(False)
        return output[:answers]
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    function = type(name, (torch.autograd.Function,), methods)
    # Before PyTorch 2.15 Function.apply looks for transforms, in Python; a call knows of none.
    return super(torch.autograd.Function, function).apply


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


def capsule(x: torch.Tensor):
    """The memory of a tensor, for parts that keep it."""
    # to_dlpack synchronises nothing: the reduction is enqueued on the stream that wrote x.
    return to_dlpack(x.resolve_neg() if x.is_neg() else x)


def view(x: torch.Tensor, writable: bool = False) -> _core.Array:
    """The memory of a tensor, without a copy."""
    return _core.Array.from_dlpack(capsule(x), writable)


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
    if x.is_neg():
        x = x.resolve_neg()
    if y is not None and y.is_neg():
        y = y.resolve_neg()
    _reduce_tensor(OPS[name], x, y, out, dims, keepdim, None, "exact", "propagate", correction)
    return out


def rows(x: torch.Tensor, dims: int = 1) -> torch.Tensor:
    """x as the compiled part takes rows, of its last dims: adjacent elements, one stride apart.

    A view where its strides allow it, else a copy. The compiled part reads addresses and strides
    itself: a view by DLPack of each tensor would take as long as all the rest of a call.
    """
    if x.is_neg():
        x = x.resolve_neg()
    if x.is_contiguous():
        return x
    shape = x.shape[x.dim() - dims:]
    n = math.prod(shape)
    flat = x.reshape(x.numel() // n if n else math.prod(x.shape[:x.dim() - dims]), n)
    if n > 1 and flat.stride(1) != 1:
        flat = flat.contiguous()
    return flat if dims == 1 else flat.view(flat.shape[0], *shape)


def adjacent(x: torch.Tensor | None) -> torch.Tensor | None:
    """Its elements as they are in memory, one after another; those of a view that negates, too."""
    if x is None:
        return None
    return (x.resolve_neg() if x.is_neg() else x).contiguous()


def like(x: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor of x's shape and type: what kernels of rows return."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


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
