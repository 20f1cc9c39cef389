# SPDX-License-Identifier: Apache-2.0
"""Rows added to the answers of their keys or segments, and extrema by index: the operators that
index_add, scatter_reduce, segment_reduce and bincount call.

On a GPU an index out of range is left out, forward and backward: nothing waits to find it.
PyTorch's kernels would abort there, so they are given indices of one answer more, which is cut off.
"""
from __future__ import annotations

import torch

from .. import _core
from ._bridge import adjacent, compute_dtype, define, rows

# What the initial elements of an answer are, by the numbers of onefold::initial_role.
ELEMENT, ADDEND, FALLBACK = range(3)


def _initial_rows(initial):
    return None if initial is None else rows(initial)


def _check(x, keys, answers, initial):
    if not x.dtype.is_floating_point or x.dim() != 2 or keys.dim() != 1:
        raise TypeError(f"rows of {x.dtype} with {x.dim()} dimensions and keys with {keys.dim()} "
                        "are not supported")
    if initial is not None and tuple(initial.shape) != (answers, x.shape[1]):
        raise ValueError(f"the initial rows have the shape {tuple(initial.shape)}, not "
                         f"{(answers, x.shape[1])}")


def in_range(index, answers):
    """index with `answers` for each that is out of range: that of one answer more."""
    return torch.where((index >= 0) & (index < answers), index, answers)


def with_one_more(x, dim):
    """x with zeros for one more index of dim."""
    extents = list(x.shape)
    extents[dim] = 1
    return torch.cat((x, x.new_zeros(extents)), dim)


def counts_of(keys, answers):
    """How many keys each answer has. Integers: exact in any order."""
    more = keys.new_zeros(answers + 1).index_add(0, in_range(keys, answers), torch.ones_like(keys))
    return more[:answers]


def rows_of_keys(x, keys):
    """A row of x for each key, of zeros where that is out of range. x has one more row, or those of
    zeros are written afterwards, where that is less."""
    answers = x.shape[0]
    if keys.numel() >= answers:
        return with_one_more(x, 0).index_select(0, in_range(keys, answers))
    outside = (keys < 0) | (keys >= answers)
    found = x.index_select(0, keys.clamp(0, answers - 1))
    return found.masked_fill_(outside.unsqueeze(1), 0)


def _gather_kernel(x, keys):
    # On a CPU the forward pass has checked the keys.
    return rows_of_keys(x, keys) if keys.is_cuda else x.index_select(0, keys)


def _gather_context(ctx, inputs, output):
    x, keys = inputs
    ctx.answers = x.shape[0]
    ctx.save_for_backward(keys)


def _gather_backward(ctx, g):
    return sum_by_key(g, ctx.saved_tensors[0], ctx.answers, None, False, ELEMENT), None


def _scatter_kernel(x, keys, answers, initial, is_mean, role):
    out = _scatter_fake(x, keys, answers, initial, is_mean, role)
    _core.scatter_rows(rows(x), keys.contiguous(), _initial_rows(initial), out, is_mean, role)
    return out


def _scatter_fake(x, keys, answers, initial, is_mean, role):
    _check(x, keys, answers, initial)
    return x.new_empty((answers, x.shape[1]))


def _scatter_context(ctx, inputs, output):
    _, keys, ctx.answers, initial, ctx.is_mean, ctx.role = inputs
    ctx.wants_initial = initial is not None and ctx.needs_input_grad[3]
    ctx.has_initial = initial is not None
    ctx.save_for_backward(keys)


def _scatter_backward(ctx, g):
    keys, = ctx.saved_tensors
    counts = None
    if ctx.is_mean or ctx.role == FALLBACK:
        counts = counts_of(keys, ctx.answers).unsqueeze(1)
    g_rows, g_initial = _shares(g, counts, ctx)
    gx = _gather_rows(g_rows, keys) if ctx.needs_input_grad[0] else None
    return gx, None, None, g_initial, None, None


def _shares(g, counts, ctx):
    """The gradient of each row of an answer, and that of its initial elements."""
    shares = g
    if ctx.is_mean:
        counted = ctx.has_initial and ctx.role == ELEMENT
        divisors = (counts + 1 if counted else counts.clamp(min=1)).to(compute_dtype(g.dtype))
        shares = (g / divisors).to(g.dtype)
    if not ctx.wants_initial:
        return shares, None
    if ctx.role == FALLBACK:
        return shares, torch.where(counts == 0, g, 0)
    return shares, shares if not ctx.is_mean else torch.where(counts == 0, g, shares)


def _segment_kernel(x, offsets, initial, is_mean, role, complete):
    out = _segment_fake(x, offsets, initial, is_mean, role, complete)
    batch, count, n = x.shape
    answers = out.shape[1]
    if complete and x.is_cpu:
        _check_offsets(offsets, count)
    if batch == 1:
        _core.segment_rows(rows(x.reshape(count, n)), offsets.reshape(-1).contiguous(),
                           _initial_rows(initial), out.reshape(answers, n), is_mean, role)
        return out
    # One list of segments: between those of two batches is one more, which is left out.
    starts = torch.arange(batch, device=x.device).unsqueeze(1) * count
    flat = (offsets.clamp(0, count) + starts).reshape(-1)
    whole = x.new_empty((batch, answers + 1, n))
    between = None
    if initial is not None:
        padded = torch.nn.functional.pad(initial.reshape(batch, answers, n), (0, 0, 0, 1))
        between = rows(padded.reshape(-1, n)[:flat.numel() - 1])
    _core.segment_rows(rows(x.reshape(batch * count, n)), flat, between,
                       whole.reshape(-1, n)[:flat.numel() - 1], is_mean, role)
    return whole[:, :answers].contiguous()


def _check_offsets(offsets, rows):
    ends = offsets[:, -1], offsets[:, 0]
    if bool((ends[0] != rows).any()) or bool((ends[1] != 0).any()):
        raise ValueError(f"the segments are of {ends[0].tolist()} elements, less "
                         f"{ends[1].tolist()} before the first one; there are {rows}")
    if bool((offsets.diff() < 0).any()):
        raise ValueError("lengths are 0 or more, and offsets do not decrease")


def _segment_fake(x, offsets, initial, is_mean, role, complete):
    if not x.dtype.is_floating_point or x.dim() != 3 or offsets.dim() != 2:
        raise TypeError(f"segments of {x.dtype} with {x.dim()} dimensions and offsets with "
                        f"{offsets.dim()} are not supported")
    return x.new_empty((x.shape[0], offsets.shape[1] - 1, x.shape[2]))


def keys_of(offsets, rows):
    """The segment of each row; the number of segments for rows that are in none. offsets: of
    several lists of segments, of so many rows each."""
    answers = offsets.shape[1] - 1
    places = torch.arange(rows, device=offsets.device).expand(offsets.shape[0], rows).contiguous()
    keys = torch.searchsorted(offsets[:, 1:].contiguous(), places, right=True)
    return torch.where(places >= offsets[:, :1], keys, answers)


def _segment_context(ctx, inputs, output):
    x, offsets, initial, ctx.is_mean, ctx.role, _ = inputs
    ctx.has_initial, ctx.rows = initial is not None, x.shape[1]
    ctx.wants_initial = ctx.has_initial and ctx.needs_input_grad[2]
    ctx.save_for_backward(offsets)


def _segment_backward(ctx, g):
    offsets, = ctx.saved_tensors
    # On a GPU nothing has checked them; the forward pass cuts them off there.
    counts = offsets.clamp(0, ctx.rows).diff().clamp(min=0).unsqueeze(2)
    shares, g_initial = _shares(g, counts, ctx)
    gx = None
    if ctx.needs_input_grad[0]:
        # Rows in no segment have a segment of zeros.
        shares = torch.cat((shares, torch.zeros_like(shares[:, :1]) if g.shape[1] else
                            shares.new_zeros(g.shape[0], 1, g.shape[2])), 1)
        keys = keys_of(offsets, ctx.rows).unsqueeze(2).expand(-1, -1, g.shape[2])
        gx = shares.gather(1, keys)
    if g_initial is not None:
        g_initial = g_initial.reshape(-1, g.shape[2])
    return gx, None, g_initial, None, None, None


_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _ordered(integers):
    """Bits of floats as integers of the same order, -0 below +0; and back."""
    width = 8 * integers.element_size()
    return integers ^ ((integers >> (width - 1)) & (2 ** (width - 1) - 1))


def _extremum_kernel(x, dim, index, src, largest, include_self):
    if not index.is_cuda:
        return extrema(x, dim, index, src, largest, include_self)
    found = extrema(with_one_more(x, dim), dim, in_range(index, x.shape[dim]), src, largest,
                    include_self)
    return found.narrow(dim, 0, x.shape[dim]).contiguous()


def extrema(x, dim, index, src, largest, include_self):
    """Extrema of integers: PyTorch's are exact, in any order."""
    integer = _INTEGERS[x.element_size()]
    limits = torch.iinfo(integer)
    nan = limits.max if largest else limits.min

    def places(floats):
        keys = torch.where(floats.isnan(), nan, _ordered(adjacent(floats).view(integer)))
        return keys.int() if integer is torch.int16 else keys
    found = torch.scatter_reduce(places(x), dim, index.long(), places(src),
                                 "amax" if largest else "amin", include_self=include_self)
    floats = _ordered(found.to(integer)).view(x.dtype)
    return torch.where(floats.isnan(), torch.nan, floats)


def _extremum_fake(x, dim, index, src, largest, include_self):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _extremum_context(ctx, inputs, output):
    x, ctx.dim, index, src, _, ctx.include_self = inputs
    ctx.save_for_backward(x, index, src, output)


def _extremum_backward(ctx, g):
    x, index, src, answers = ctx.saved_tensors
    dim, extent = ctx.dim, x.shape[ctx.dim]
    if index.is_cuda:
        index = in_range(index, extent)
        g, x, answers = (with_one_more(one, dim) for one in (g, x, answers))
    gx, g_src = extremum_gradients(g, x, answers, dim, index.long(), src, ctx.include_self)
    return gx.narrow(dim, 0, extent), None, None, g_src, None, None


def extremum_gradients(g, x, answers, dim, index, src, include_self):
    """Those of x and src: equal elements share that of their answer."""
    def equal(a, b):
        return (a == b) | (a.isnan() & b.isnan())
    chosen = equal(src, answers.gather(dim, index))
    own = equal(x, answers)
    if not include_self:
        touched = torch.zeros_like(own).scatter(dim, index, torch.ones_like(chosen))
        own = ~touched
    counts = own.int().scatter_add(dim, index, chosen.int())
    shares = (g / counts.to(compute_dtype(g.dtype))).to(g.dtype)
    return torch.where(own, shares, 0), torch.where(chosen, shares.gather(dim, index), 0)


def _bincount_kernel(keys, weights, minlength):
    answers = minlength
    if keys.numel() > 0:
        if int(keys.min()) < 0:
            raise ValueError(f"bincount takes integers of 0 or more, not {int(keys.min())}")
        answers = max(answers, int(keys.max()) + 1)
    out = weights.new_empty((answers, 1))
    _core.scatter_rows(rows(weights.reshape(-1, 1)), keys.contiguous(), None, out, False, ELEMENT)
    return out.reshape(answers)


def _bincount_fake(keys, weights, minlength):
    answers = torch.library.get_ctx().new_dynamic_size(min=minlength)
    return weights.new_empty((answers,))


def _bincount_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def _bincount_backward(ctx, g):
    return None, g.index_select(0, ctx.saved_tensors[0]), None


sum_by_key = define(
    "scatter_rows",
    "(Tensor x, Tensor keys, SymInt answers, Tensor? initial, bool is_mean, int role) -> Tensor",
    _scatter_kernel, _scatter_fake, _scatter_backward, _scatter_context)
_gather_rows = define(
    "gather_rows", "(Tensor x, Tensor keys) -> Tensor", _gather_kernel,
    lambda x, keys: x.new_empty((keys.shape[0], x.shape[1])), _gather_backward, _gather_context)
# Of x[batch][rows][n] and offsets[batch][answers + 1]. complete: all rows belong to a segment,
# which a CPU checks.
sum_of_segments = define(
    "segment_rows",
    "(Tensor x, Tensor offsets, Tensor? initial, bool is_mean, int role, bool complete) -> Tensor",
    _segment_kernel, _segment_fake, _segment_backward, _segment_context)
extremum_by_index = define(
    "scatter_extremum",
    "(Tensor x, int dim, Tensor index, Tensor src, bool largest, bool include_self) -> Tensor",
    _extremum_kernel, _extremum_fake, _extremum_backward, _extremum_context)
weigh_bins = define(
    "bincount", "(Tensor keys, Tensor weights, SymInt minlength) -> Tensor",
    _bincount_kernel, _bincount_fake, _bincount_backward, _bincount_context)
