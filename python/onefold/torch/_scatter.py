# SPDX-License-Identifier: Apache-2.0
"""index_add, scatter_reduce, segment_reduce and bincount: sums in no order, rounded once.

Rows of one key are a list, and each element of an answer is the exact sum of those of its list.
What PyTorch computes exactly itself, sums of integers and extrema of them, is left to it.
"""
from __future__ import annotations

import math

import torch

from ._scatter_rows import (ADDEND, ELEMENT, FALLBACK, extremum_by_index, keys_of, sum_by_key,
                            sum_of_segments, weigh_bins)


def index_add(input, dim, index, source, *, alpha=1):
    """`input` with alpha * source added at the indices of one dimension. As `torch.index_add`.

    Each element of the result is the exact sum of that of `input` and of all those added to it,
    rounded once: the same bits for every order of `source`, in every run and on every device.
    Products with alpha are rounded first, as PyTorch's are. Sums of integers are PyTorch's: they
    wrap, in any order to the same bits.

    Args:
        index: one dimension of int64 or int32. On a GPU what is added at an index out of range is
            left out, and its gradient is zero; on a CPU that is an error.
        source: of input's type; its extents are those of input, but for `dim` that of index.

    >>> import torch
    >>> index_add(torch.tensor([1e30, 0.0]), 0, torch.tensor([0, 1, 0]),
    ...           torch.tensor([1.0, 0.5, -1e30]))
    tensor([1.0000, 0.5000])
    """
    if not input.dtype.is_floating_point:
        return torch.index_add(input, dim, index, source, alpha=alpha)
    _check_same("source", source, input)
    _check_index(index, input)
    dim = _dim(dim, input)
    if alpha != 1:
        source = source * alpha
    if input.dim() == 0:
        return _add_rows(source.reshape(-1, 1), index.reshape(-1), input.reshape(1, 1),
                         False).reshape(())
    want = list(input.shape)
    want[dim] = index.numel()
    if index.dim() > 1 or list(source.shape) != want:
        raise ValueError(f"source has the shape {tuple(source.shape)}, not {tuple(want)}: that of "
                         f"input with one of index's {index.numel()} elements along dim {dim}")
    return _by_rows(lambda x, initial: _add_rows(x, index.reshape(-1), initial, False), dim, source,
                    input)


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """The sums, means or extrema of elements of src, by index. As `torch.scatter_reduce`.

    "sum" and "mean" are exact, rounded once: no order of src changes a bit. "amax" and "amin" know
    -0 from +0, and a NaN wins; equal elements share their gradient, as PyTorch's do. "prod" is
    refused: a product is rounded after every factor. Integers are left to PyTorch.

    Args:
        index: of as many dimensions as input and src, int64 or int32, at most src's extents. If it
            is the same for all columns, as index.unsqueeze(1).expand(-1, n) is, whole rows are
            added; any other index takes 8 bytes an element more, and several times as long. One
            out of range is left out on a GPU, as by `index_add`.

    >>> import torch
    >>> scatter_reduce(torch.zeros(2), 0, torch.tensor([0, 0, 1]),
    ...                torch.tensor([1.0, 2.0, 4.0]), "mean", include_self=False)
    tensor([1.5000, 4.0000])
    """
    if reduce not in ("sum", "mean", "amax", "amin", "prod"):
        raise ValueError(f"reduce must be 'sum', 'mean', 'amax' or 'amin', not {reduce!r}")
    if not input.dtype.is_floating_point:
        return torch.scatter_reduce(input, dim, index, src, reduce, include_self=include_self)
    _refuse_products("scatter_reduce", reduce)
    _check_same("src", src, input)
    _check_index(index, input)
    dim = _dim(dim, input)
    if input.dim() == 0:
        return scatter_reduce(input.reshape(1), 0, index.reshape(-1), src.reshape(-1), reduce,
                              include_self=include_self).reshape(())
    _check_extents(input, dim, index, src)
    for i, extent in enumerate(index.shape):
        src = src.narrow(i, 0, extent)
    if reduce in ("amax", "amin"):
        return extremum_by_index(input, dim, index, src, reduce == "amax", include_self)
    role, is_mean = ELEMENT if include_self else FALLBACK, reduce == "mean"
    keys = _row_index(input, dim, index)
    if keys is not None:
        return _by_rows(lambda x, initial: sum_by_key(x, keys, input.shape[dim], initial, is_mean,
                                                      role), dim, src, input)
    keys = _places(input, dim, index).reshape(-1)
    return sum_by_key(src.reshape(-1, 1), keys, input.numel(), input.reshape(-1, 1), is_mean,
                      role).reshape(input.shape)


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False,
                   initial=None):
    """The sum, mean, maximum or minimum of each segment. As `torch.segment_reduce`.

    "sum" and "mean" are exact, rounded once: the order within a segment changes no bit. "prod" is
    refused: a product is rounded after every factor.

    Args:
        lengths, offsets: integers; one of them. The other dimensions are data's before `axis`, the
            last one of theirs.
        unsafe: whether segments may leave elements out. If not, a CPU checks that they are all of
            the axis. On a GPU nothing is checked, so that nothing waits for it.
        initial: a number that is added to each sum, before the division for "mean"; the result of
            empty segments. None: 0, NaN, -inf and inf.

    >>> import torch
    >>> segment_reduce(torch.tensor([1e30, 1.0, -1e30, 2.0]), "sum", lengths=torch.tensor([3, 1]))
    tensor([1., 2.])
    """
    if reduce not in ("sum", "mean", "max", "min", "prod"):
        raise ValueError(f"reduce must be 'sum', 'mean', 'max' or 'min', not {reduce!r}")
    if indices is not None:
        raise NotImplementedError("onefold.torch.segment_reduce takes lengths or offsets; PyTorch "
                                  "has no indices either")
    _refuse_products("segment_reduce", reduce)
    if (lengths is None) == (offsets is None):
        raise ValueError("give lengths or offsets, one of them")
    if not data.dtype.is_floating_point:
        raise TypeError(f"segment_reduce takes floating elements, not {data.dtype}")
    bounds = lengths if offsets is None else offsets
    _check_segments(data, bounds, axis)
    bounds = bounds.long().reshape(math.prod(bounds.shape[:-1]), bounds.shape[-1])
    if offsets is None:
        bounds = torch.nn.functional.pad(bounds.cumsum(-1), (1, 0))
    axis %= data.dim()
    batch, rest = data.shape[:axis], data.shape[axis + 1:]
    n, answers = math.prod(rest), bounds.shape[1] - 1
    x = data.reshape(bounds.shape[0], data.shape[axis], n)
    if reduce in ("sum", "mean"):
        first = None if initial is None else data.new_full((n,), initial).expand(
            bounds.shape[0] * answers, n)
        found = sum_of_segments(x, bounds, first, reduce == "mean", ADDEND, not unsafe)
    else:
        found = _extremum_segments(x, bounds, reduce == "max", initial)
    return found.reshape(*batch, answers, *rest)


def bincount(input, weights=None, minlength=0):
    """The number of times each integer occurs, or the sum of the weights there. As
    `torch.bincount`.

    Sums of weights are exact, rounded once to float32 for weights of it, else to float64: no order
    changes a bit. The weights have a gradient. As PyTorch's, the call waits for the largest
    integer.

    >>> import torch
    >>> bincount(torch.tensor([2, 0, 2]), torch.tensor([1e30, 0.5, -1e30]))
    tensor([0.5000, 0.0000, 0.0000])
    """
    if weights is None:
        return torch.bincount(input, minlength=minlength)
    if input.dim() != 1 or input.dtype.is_floating_point or input.dtype.is_complex:
        raise TypeError(f"bincount takes one dimension of integers, not {input.dim()} of "
                        f"{input.dtype}")
    if weights.shape != input.shape or weights.device != input.device:
        raise ValueError(f"weights of the shape {tuple(weights.shape)} on {weights.device} for "
                         f"{tuple(input.shape)} on {input.device}")
    if minlength < 0:
        raise ValueError(f"minlength must be 0 or more, not {minlength}")
    if weights.dtype is not torch.float32:
        weights = weights.double()
    return weigh_bins(input.long(), weights, minlength)


def _refuse_products(name, reduce):
    if reduce == "prod":
        raise NotImplementedError(f"onefold.torch.{name} has no 'prod': a product is rounded after "
                                  "every factor, so its order shows; use PyTorch's")


def _dim(dim, x):
    rank = max(x.dim(), 1)
    if not -rank <= dim < rank:
        raise IndexError(f"dim {dim} is out of range for a tensor of {x.dim()} dimensions")
    return dim % rank


def _check_same(name, x, input):
    if x.dtype is not input.dtype:
        raise TypeError(f"{name} is of {x.dtype}, and input of {input.dtype}; convert one of them")
    if x.device != input.device:
        raise ValueError(f"{name} is on {x.device}, and input on {input.device}; move one of them")


def _check_index(index, input):
    if index.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"index must be int64 or int32, not {index.dtype}")
    if index.device != input.device:
        raise ValueError(f"index is on {index.device}, and input on {input.device}; move one of "
                         "them")


def _check_extents(input, dim, index, src):
    if not input.dim() == index.dim() == src.dim():
        raise ValueError(f"input, index and src have {input.dim()}, {index.dim()} and {src.dim()} "
                         "dimensions; give each as many")
    for i, extent in enumerate(index.shape):
        if extent > src.shape[i] or (i != dim and extent > input.shape[i]):
            raise ValueError(f"index has the shape {tuple(index.shape)}, more along dimension {i} "
                             f"than src of {tuple(src.shape)} or input of {tuple(input.shape)}")


def _check_segments(data, bounds, axis):
    if bounds.dtype.is_floating_point or bounds.dtype in (torch.bool, torch.complex64):
        raise TypeError(f"lengths and offsets are integers, not {bounds.dtype}")
    if bounds.device != data.device:
        raise ValueError(f"lengths or offsets are on {bounds.device}, and data on {data.device}; "
                         "move one of them")
    rank = data.dim()
    if bounds.dim() == 0 or not -rank <= axis < rank or axis % rank != bounds.dim() - 1 or (
            bounds.shape[:-1] != data.shape[:bounds.dim() - 1]):
        raise ValueError(f"lengths or offsets have the shape {tuple(bounds.shape)}; for axis "
                         f"{axis} of data of {tuple(data.shape)} they have its dimensions before "
                         "the axis, and one more")


def _add_rows(x, keys, initial, is_mean):
    return sum_by_key(x, keys, initial.shape[0], initial, is_mean, ELEMENT)


def _by_rows(add, dim, source, input):
    """add(rows of source, rows of input), where a row is all that has one index of dim."""
    if dim == 0 and input.dim() == 2:
        return add(source, input)
    moved = input.movedim(dim, 0)
    n = math.prod(moved.shape[1:])
    out = add(source.movedim(dim, 0).reshape(source.shape[dim], n),
              moved.reshape(moved.shape[0], n))
    return out.reshape(moved.shape).movedim(0, dim).contiguous()


def _row_index(input, dim, index):
    """One index for all that index repeats along the other dimensions; None where it may not."""
    place = []
    for i, extent in enumerate(index.shape):
        if i == dim:
            place.append(slice(None))
        elif extent != input.shape[i] or extent == 0 or (extent > 1 and index.stride(i) != 0):
            return None
        else:
            place.append(0)
    return index[tuple(place)]


def _places(input, dim, index):
    """Where in a contiguous tensor of input's shape each index points, -1 where to nothing."""
    places, step = index.long(), 1
    for i in reversed(range(input.dim())):
        if i == dim:
            places = places + index.long() * (step - 1)
        else:
            shape = [1] * input.dim()
            shape[i] = index.shape[i]
            places = places + (torch.arange(index.shape[i], device=index.device)
                               * step).reshape(shape)
        step *= input.shape[i]
    return torch.where((index >= 0) & (index < input.shape[dim]), places, -1)


def _extremum_segments(x, bounds, largest, initial):
    batch, rows, n = x.shape
    answers = bounds.shape[1] - 1
    none = (-math.inf if largest else math.inf) if initial is None else initial
    # Rows that are in no segment have one more answer, which is left out.
    keys = keys_of(bounds, rows).unsqueeze(2).expand(batch, rows, n)
    found = extremum_by_index(x.new_full((batch, answers + 1, n), none), 1, keys, x, largest,
                             initial is not None)
    return found[:, :answers]
