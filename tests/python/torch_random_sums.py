# SPDX-License-Identifier: Apache-2.0
"""Random calls of the reductions and sums by index of onefold.torch, as torch_random_rows.py has
them of the row operators.
"""
from __future__ import annotations

from functools import partial
from math import inf

import onefold.torch as ft
import torch

from torch_cases import FLOATS, Case, compute_dtype, compute_error, half_ulp, least

W = 2.0**-53


def reduced(name, draw):
    dtype, shape = draw.choose(*FLOATS), draw.shape((0, 1, 2, 3))
    rank = len(shape)
    dims = sorted(draw.pick.sample(range(rank), draw.pick.randrange(1, rank + 1))) if rank else []
    dim = None if not rank or (len(dims) == rank and draw.chance(.5)) else dims
    keepdim = draw.chance(.3)
    answer = draw.choose(None, None, torch.float64, torch.float32)
    count = torch.Size([shape[i] for i in dims]).numel()
    correction = draw.choose(0, 1, 1.5) if count > 1 else draw.choose(0, 1)
    order = draw.choose(1, 2, inf)
    more = {"var": {"correction": correction}, "norm": {"ord": order}}.get(name, {})

    def call(leaves, others):
        return (getattr(ft, name)(leaves[0], dim=dim, keepdim=keepdim, dtype=answer, **more),)

    def peer(leaves, others):
        x, over = leaves[0], list(range(rank)) if dim is None else dim
        if name == "norm" and order == inf and count:
            y = x.abs().amax(over, keepdim) if rank else x.abs()
        elif name == "norm":
            y = torch.linalg.vector_norm(x, order if count else 1, over, keepdim)
        elif name == "logsumexp":
            y = torch.logsumexp(x, over, keepdim) if rank else x + 0
        elif name == "var":
            y = torch.var(x, over, keepdim=keepdim, correction=correction)
        else:
            y = getattr(torch, name)(x, over, keepdim)
        return (y,)

    def kept(y):
        for i in () if keepdim or dim is None else dims:
            y = y.unsqueeze(i)
        return y.reshape([1] * rank) if dim is None else y

    def bounds(leaves, results, g, gradients):
        x, y, dy = leaves[0].detach(), results[0].detach(), kept(g[0]).abs()
        return bounds_of(x, y, dy, gradients[0])

    def bounds_of(x, y, dy, dx):
        c, over, n = compute_error(dtype), list(range(rank)), max(count, 1)
        # The gradient is computed with the answer as it is rounded.
        u = max(half_ulp(answer or dtype), c)

        def total(t):
            return t.sum(over if dim is None else dim, keepdim) if rank else t
        zero = torch.zeros_like(x)
        if name == "sum":
            return 4 * n * W * total(x.abs()), zero + 2 * u * dx.abs()
        if name == "mean":
            return 4 * n * W * total(x.abs()) / n, (2 * c + 2 * u) * dx.abs()
        if name == "var":
            by = n - correction if n > correction else inf
            size = 2 / by * dy * (x.abs() + kept(total(x.abs())) / n)
            return (8 * n * W * (total(x * x) / by), size * (8 * c + 4 * n * W))
        if name == "norm":
            return 4 * n * W * y, dx.abs() * (4 * u + 4 * c + 4 * n * W)
        spread = x.abs() + kept(y).abs() + n + 4
        error = 2.0**-50 if dtype == torch.float64 else 2.0**-29
        exponent = 4 * (c + 4 * W) * spread + 4 * u * kept(y).abs() * (u > c) + error
        gradient = dx.abs() * (exponent + 8 * c) + 2 * dy * least(compute_dtype(dtype))
        return error + 4 * W * (y.abs() + n), gradient

    def alone(draw, leaves, others, g, results, gradients):
        order = [i for i in range(rank) if i not in dims] + dims
        if not rank or not results[0].numel() or not count:
            return
        x, dx = (one.detach().permute(order).reshape(-1, count) for one in (leaves[0],
                                                                          gradients[0]))
        i = draw.pick.randrange(len(x))
        own = x[i].clone().requires_grad_()
        y = getattr(ft, name)(own, dim=0, dtype=answer, **more)
        yield y.detach(), results[0].reshape(-1)[i]
        yield torch.autograd.grad(y, own, g[0].reshape(-1)[i])[0], dx[i]

    # On a GPU torch.exp differs.
    return Case([draw.tensor(shape, dtype)], call, peer, bounds, dtype, alone=alone,
                on_gpu=[True, name != "logsumexp"],
                said=f"dim {dim} keepdim {keepdim} dtype {answer} {more}")


REDUCTIONS = {name: partial(reduced, name) for name in ("sum", "mean", "var", "norm", "logsumexp")}


def keyed(draw):
    """What sums by index draw: the type, the shape of input, a dimension, and indices of it."""
    dtype, shape = draw.choose(*FLOATS), draw.shape((1, 2, 2, 3), most=4000)
    dim = draw.pick.randrange(len(shape))
    shape[dim] = max(shape[dim], 1)
    rows = draw.choose(0, 1, 3, 8, 40, 300)
    few = draw.choose(1, shape[dim], shape[dim])
    index = torch.randint(0, few, (rows,), generator=draw.generator)
    if draw.chance(.2):
        index = index.sort().values
    return dtype, shape, dim, index.to(draw.choose(torch.int64, torch.int32))


def terms_of(shape, dim, index, source, counts=False):
    """By the places of input: the sum of magnitudes, or how many."""
    source = torch.ones_like(source) if counts else source.abs()
    return torch.zeros(shape).double().scatter_add(dim, index.long(), source)


def index_add(draw):
    dtype, shape, dim, index = keyed(draw)
    source = [*shape[:dim], len(index), *shape[dim + 1:]]
    alpha = draw.choose(1, 1, -2, 0.3)

    def call(leaves, others):
        return (ft.index_add(leaves[0], dim, others[0], leaves[1], alpha=alpha),)

    def peer(leaves, others):
        compute = compute_dtype(dtype)
        by = leaves[1] * torch.tensor(alpha, dtype=compute).double()  # rounded first
        by = by + (by.to(compute).to(dtype).double() - by).detach()
        return (leaves[0].index_add(dim, others[0], by),)

    def bounds(leaves, results, g, gradients):
        wide = index.reshape([-1 if i == dim else 1 for i in range(len(shape))]).expand(source)
        size = leaves[0].abs() + abs(alpha) * terms_of(shape, dim, wide, leaves[1])
        rounded = half_ulp(dtype) * gradients[1].abs() if alpha != 1 else None
        return [size * 4 * (len(index) + 2) * W, None, rounded]

    def alone(draw, leaves, others, g, results, gradients):
        i = draw.pick.randrange(shape[dim])
        chosen = (index == i).nonzero().reshape(-1)
        own = [leaves[0].detach().narrow(dim, i, 1).clone().requires_grad_(),
               leaves[1].detach().index_select(dim, chosen).requires_grad_()]
        y = ft.index_add(own[0], dim, torch.zeros_like(chosen), own[1], alpha=alpha)
        yield y.detach(), results[0].narrow(dim, i, 1)
        made = torch.autograd.grad(y, own, g[0].narrow(dim, i, 1))
        yield made[0], gradients[0].narrow(dim, i, 1)
        yield made[1], gradients[1].index_select(dim, chosen)

    return Case([draw.tensor(shape, dtype), draw.tensor(source, dtype)], call, peer, bounds, dtype,
                [index], alone, said=f"dim {dim} alpha {alpha}")


def no_ties(case, draw):
    """Extrema of different elements: of equal ones peers share gradients in other ways."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[case.dtype.itemsize]
    count = sum(len(leaf.base) for leaf in case.leaves)
    # Of 16 bits there are so many from a very small number to a very large one.
    draw.special |= count > 30000
    numbers = torch.randperm(count, generator=draw.generator) % 30000 - 15000
    numbers = (numbers + torch.ones((), dtype=case.dtype).view(bits)).to(bits).view(case.dtype)
    for leaf in case.leaves:
        leaf.base.copy_(numbers[:len(leaf.base)])
        numbers = numbers[len(leaf.base):]
    return case


def scatter_reduce(draw):
    dtype, shape, dim, keys = keyed(draw)
    reduce = draw.choose("sum", "mean", "amax", "amin")
    include = draw.chance(.5)
    extents = [*shape[:dim], len(keys), *shape[dim + 1:]]
    if draw.chance(.5):  # one column, expanded
        index = keys.reshape([-1 if i == dim else 1 for i in range(len(shape))]).expand(extents)
    else:
        if draw.chance(.3):
            extents = [draw.pick.randrange(1, one + 1) if one and i != dim else one
                       for i, one in enumerate(extents)]
        index = torch.randint(0, shape[dim], extents, generator=draw.generator)
    src = [one + draw.choose(0, 0, 2) for one in extents]
    extremum = reduce in ("amax", "amin")

    def call(leaves, others):
        return (ft.scatter_reduce(leaves[0], dim, others[0], leaves[1], reduce,
                                  include_self=include),)

    def peer(leaves, others):
        x = leaves[0]
        if not include:  # PyTorch's counts count an element of input that is left out
            touched = torch.zeros(shape).bool().scatter(dim, others[0].long(), True)
            none = {"amax": -inf, "amin": inf}.get(reduce, 0)
            x = torch.where(touched, none, x)
        narrow = leaves[1][tuple(slice(one) for one in extents)]
        y = x.scatter_reduce(dim, others[0].long(), narrow,
                             "sum" if reduce == "mean" else reduce)
        if reduce == "mean":
            y = y / divisors()
        return (y,)

    def divisors():
        counts = terms_of(shape, dim, index, torch.ones(extents).double(), True)
        return counts + 1 if include else counts.clamp(min=1)

    def bounds(leaves, results, g, gradients):
        if extremum:
            return [None, None, None]
        narrow = leaves[1].detach()[tuple(slice(one) for one in extents)]
        size = leaves[0].abs() + terms_of(shape, dim, index, narrow)
        n = index.shape[dim] if index.dim() else 1
        back = None if reduce == "sum" else 2 * compute_error(dtype)
        return [size * 4 * (n + 2) * W, *(None if back is None else back * one.abs()
                                          for one in gradients)]

    case = Case([draw.tensor(shape, dtype, not extremum), draw.tensor(src, dtype, not extremum)],
                call, peer, bounds, dtype, [index],
                said=f"dim {dim} {reduce} include_self {include} index {extents}")
    return no_ties(case, draw) if extremum else case


def segment_reduce(draw):
    dtype = draw.choose(*FLOATS)
    reduce = draw.choose("sum", "mean", "max", "min")
    initial = draw.choose(None, None, 0.25)
    batch = draw.choose([], [], [1], [3])
    lengths = torch.tensor([[draw.choose(0, 1, 2, 9, 33) for _ in range(draw.choose(1, 3, 6))]
                            for _ in range(1)])
    if batch:
        # Each of a batch has as many elements.
        lengths = torch.stack([lengths[0][torch.randperm(lengths.shape[1],
                                                         generator=draw.generator)]
                               for _ in range(batch[0])])
    else:
        lengths = lengths[0]
    rest = draw.choose([], [1], [5], [33], [2, 3])
    shape = [*batch, int(lengths.reshape(-1, lengths.shape[-1])[0].sum()), *rest]
    by_offsets, axis = draw.chance(.5), len(batch)
    offsets = torch.nn.functional.pad(lengths.cumsum(-1), (1, 0))
    extremum = reduce in ("max", "min")

    def call(leaves, others):
        bounds = {"offsets": others[1]} if by_offsets else {"lengths": others[0]}
        return (ft.segment_reduce(leaves[0], reduce, axis=axis, initial=initial, **bounds),)

    def peer(leaves, others):
        return (torch.segment_reduce(leaves[0], reduce, lengths=others[0], axis=axis,
                                     initial=initial, unsafe=True),)

    def bounds(leaves, results, g, gradients):
        if extremum:
            return [None, None]
        size = torch.segment_reduce(leaves[0].detach().abs(), "sum", lengths=lengths, axis=axis,
                                    unsafe=True) + (initial or 0)
        back = None if reduce == "sum" else 2 * compute_error(dtype) * gradients[0].abs()
        return [size * 4 * (shape[axis] + 2) * W, back]

    case = Case([draw.tensor(shape, dtype, not extremum)], call, peer, bounds, dtype,
                [lengths, offsets], said=f"{reduce} initial {initial} lengths {lengths.tolist()}")
    return no_ties(case, draw) if extremum else case
