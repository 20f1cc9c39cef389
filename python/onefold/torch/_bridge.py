# SPDX-License-Identifier: Apache-2.0
"""From tensors to onefold's reductions: views by DLPack, outputs by torch.empty, shapes and types.

Nothing here synchronises: a tensor on a GPU is read and written on the current stream of its
device. That part has not been run on a GPU yet.
"""
from __future__ import annotations

import torch

from .. import _core

OPS = _core.operators


def view(x: torch.Tensor, writable: bool = False) -> _core.Array:
    """The memory of a tensor, without a copy."""
    # Stream -1: no synchronisation; the reduction is enqueued on the stream that wrote x.
    capsule = x.detach().__dlpack__(stream=-1) if x.is_cuda else x.detach().__dlpack__()
    return _core.Array.from_dlpack(capsule, writable)


def reduce(name: str, x: torch.Tensor, dims: tuple[int, ...], keepdim: bool, dtype: torch.dtype,
           y: torch.Tensor | None = None, correction: float | None = None) -> torch.Tensor:
    """A reduction of one tensor, or of the products of two, over `dims`."""
    out = torch.empty(answer_shape(x, dims, keepdim), dtype=dtype, device=x.device)
    stream = torch.cuda.current_stream(x.device).cuda_stream if x.is_cuda else 0
    _core.reduce_into(OPS[name], view(x), None if y is None else view(y), view(out, True), dims,
                      keepdim, None, None, "exact", "propagate", correction, stream)
    return out


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
