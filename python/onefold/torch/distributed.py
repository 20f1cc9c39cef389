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

_BLOCK_BYTES = 32 << 20  # of a rank's tensor at a time: what the shares take


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
    elements = x.detach().view(-1)
    ranks = dist.get_world_size(group)
    for block in elements.split(max(1, _BLOCK_BYTES // x.element_size())):
        _reduce_block(block, op, ranks, group)


def _reduce_block(block, op, ranks, group):
    share = -(-len(block) // ranks)
    padded = block.new_zeros(share * ranks)
    padded[:len(block)] = block
    shares = torch.empty_like(padded)
    dist.all_to_all_single(shares, padded, group=group)
    mine = reduce(op, shares.view(ranks, share), (0,), False, block.dtype)
    dist.all_gather_into_tensor(padded, mine, group=group)
    block.copy_(padded[:len(block)])
