# SPDX-License-Identifier: Apache-2.0
"""Exact all-reduce of tensors over torch.distributed: the same bits for every algorithm, topology
and order of ranks.

PyTorch's own all_reduce adds in an order that the backend chooses: other ranks, nodes or message
sizes are other bits. Here each rank receives a share of every rank's tensor, reduces it exactly,
rounds once, and sends the answers to all: as many bytes as a reduce-scatter and an all-gather.
"""
from __future__ import annotations

import torch
import torch.distributed as dist

from ._bridge import reduce

_BLOCK_BYTES = 64 << 20  # of a rank's tensor at a time: what the shares take, twice


def all_reduce(x, op="sum", group=None):
    """Makes of each element of x the sum or the mean over all ranks' tensors, rounded once to its
    type. In place, as `torch.distributed.all_reduce`; every rank of the group has to call it.

    Args:
        x: a contiguous tensor of floats, of one shape and type on all ranks.
        op: "sum" or "mean".
        group: the process group; None is the default one.

    Raises:
        TypeError: x's elements are no floats.
        ValueError: x is not contiguous, or op is another.
    """
    if op not in ("sum", "mean"):
        raise ValueError(f"op must be 'sum' or 'mean', not {op!r}")
    if not x.dtype.is_floating_point:
        raise TypeError(f"all_reduce of {x.dtype} is not supported; integers are exact in "
                        "torch.distributed.all_reduce")
    if not x.is_contiguous():
        raise ValueError("x is not contiguous; give x.contiguous(), and copy the result back")
    ranks = dist.get_world_size(group)
    elements = x.detach().view(-1)
    block = max(1, _BLOCK_BYTES // x.element_size() // ranks) * ranks
    whole = len(elements) // ranks * ranks
    # The shares of the next block are on their way while one block is reduced. At most two blocks'
    # shares and answers are in memory.
    waiting = sent = None
    for part in (*elements[:whole].split(block), None):
        received = _send_shares(part, group) if part is not None and len(part) else None
        if waiting:
            before, sent = sent, _send_answers(*waiting, op, ranks, group)
            if before:
                before.wait()
        waiting = received
    if sent:
        sent.wait()
    _reduce_rest(elements[whole:], op, ranks, group)


def _send_shares(part, group):
    shares = torch.empty_like(part)
    return part, shares, dist.all_to_all_single(shares, part, group=group, async_op=True)


def _send_answers(part, shares, received, op, ranks, group):
    received.wait()
    mine = reduce(op, shares.view(ranks, -1), (0,), False, part.dtype)
    return dist.all_gather_into_tensor(part, mine, group=group, async_op=True)


def _reduce_rest(rest, op, ranks, group):
    """Fewer elements than ranks: every rank receives all of them."""
    if len(rest):
        shares = rest.new_empty(ranks * len(rest))
        dist.all_gather_into_tensor(shares, rest, group=group)
        rest.copy_(reduce(op, shares.view(ranks, -1), (0,), False, rest.dtype))
