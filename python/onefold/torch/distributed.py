# SPDX-License-Identifier: Apache-2.0
"""Exact all-reduce of tensors over torch.distributed: the same bits for every algorithm, topology
and order of ranks.

PyTorch's own all_reduce adds in an order that the backend chooses: other ranks, nodes or message
sizes are other bits. Here each rank receives a share of every rank's tensor, reduces it exactly,
rounds once, and sends the answers to all: as many bytes as a reduce-scatter and an all-gather.

On a GPU the library does this with PyTorch's own communicator of NCCL, from PyTorch 2.8 on: the
exchanges of two blocks are one, and a kernel for few rows reduces. Other backends and versions take
two calls of torch.distributed a block; so does the first call of a group, before NCCL's backend has
a communicator.

Every call begins with one message of three integers, in which the ranks compare what they ask for:
ranks that ask for different things get one error, and none waits.
"""
from __future__ import annotations

import ctypes
import functools
import hashlib
import os

import torch
import torch.distributed as dist

from .. import _core
from .._libraries import stream_of_tensor
from ._bridge import OPS, capsule, reduce

_BLOCK_BYTES = 64 << 20  # of a rank's tensor at a time: what the shares take, twice
_LEAST_BYTES = 8 << 10  # of a workspace, for each rank


def all_reduce(x, op="sum", group=None):
    """Makes of each element of x the sum or the mean over all ranks' tensors, rounded once to its
    type. In place, as `torch.distributed.all_reduce`; every rank of the group has to call it.

    The ranks first compare op, shape and type, and wait for each other, by Gloo where the group has
    it. A CUDA graph that is captured holds the exchange alone: what it compares is not known then.

    Args:
        x: a contiguous tensor of floats, of one shape and type on all ranks.
        op: "sum" or "mean".
        group: the process group; None is the default one.

    Raises, on all ranks the same:
        TypeError: a rank's elements are no floats.
        ValueError: a rank's x is not contiguous or its op is another; or op, shape or type differ.
    """
    _agree(x, op, group)
    ranks = dist.get_world_size(group)
    elements = x.detach().view(-1)
    if communicator := _communicator(x, group):
        _all_reduce_by_nccl(elements, op, communicator, ranks)
        torch.autograd.graph.increment_version(x)
    else:
        _all_reduce_by_blocks(elements, op, ranks, group)


def _fault(x, op):
    """The type and the text of what is wrong with this rank's call; None: nothing is."""
    if op not in ("sum", "mean"):
        return "ValueError", f"op must be 'sum' or 'mean', not {op!r}"
    if not x.dtype.is_floating_point:
        return "TypeError", (f"all_reduce of {x.dtype} is not supported; integers are exact in "
                             "torch.distributed.all_reduce")
    if not x.is_contiguous():
        return "ValueError", "x is not contiguous; give x.contiguous(), and copy the result back"
    return None


def _agree(x, op, group):
    """Raises one error on all ranks if one's call is wrong, or if calls differ."""
    fault = _fault(x, op)
    capturing = x.is_cuda and torch.cuda.is_current_stream_capturing()
    if capturing or not dist.is_initialized():
        if fault:
            _raise(*fault)
        return
    asked = str(op), str(x.dtype), str(tuple(x.shape))
    mark = int.from_bytes(hashlib.blake2b(repr(asked).encode(), digest_size=7).digest(), "little")
    words = [bool(fault), mark, -mark]
    failed, most, least = _greatest(words, _device_of_messages(x, group), group)
    if not failed and most == -least:
        return
    every = [None] * dist.get_world_size(group)
    dist.all_gather_object(every, (fault, asked), group=group)
    for rank, (each, _) in enumerate(every):
        if each:
            _raise(each[0], f"rank {rank}: {each[1]}")
    for i, what in enumerate(("operations", "types of elements", "shapes")):
        found = sorted({each[i] for _, each in every})
        if len(found) > 1:
            _raise("ValueError", f"the ranks give several {what}, from {found[0]} to {found[-1]}; "
                                 "all have to make the same call")


def _raise(kind, text):
    raise (TypeError if kind == "TypeError" else ValueError)(text)


def _device_of_messages(x, group):
    """One that all ranks of the group choose, wherever their tensors are."""
    types = [each.type for each in getattr(group or dist.group.WORLD, "_device_types", ())]
    if "cpu" in types:
        return torch.device("cpu")
    return torch.device("cuda", torch.cuda.current_device()) if "cuda" in types else x.device


def _greatest(numbers, device, group):
    """Of each integer the greatest of all ranks, next to the work of the current stream."""
    if device.type == "cuda":
        with torch.cuda.stream(_side_stream(device)):
            return _greatest_here(numbers, device, group)
    return _greatest_here(numbers, device, group)


def _greatest_here(numbers, device, group):
    words = torch.tensor(numbers, dtype=torch.int64, device=device)
    dist.all_reduce(words, op=dist.ReduceOp.MAX, group=group)
    return words.tolist()


@functools.cache
def _side_stream(device):
    return torch.cuda.Stream(device)


def _communicator(x, group):
    """NCCL's communicator of x's device in the process group; 0: none, or one of another NCCL."""
    if not x.is_cuda or not _finds_the_nccl_of_torch():
        return 0
    backend = (group or dist.group.WORLD)._get_backend(x.device)
    address = getattr(backend, "_comm_ptr", None)
    if address is None:
        return 0
    with torch.cuda.device(x.device):
        return address()


@functools.cache
def _finds_the_nccl_of_torch():
    """Whether the library's libnccl.so.2 is PyTorch's, and not a second one."""
    if "ONEFOLD_NCCL" in os.environ:
        return False
    try:
        loaded = ctypes.CDLL("libnccl.so.2", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        version = ctypes.c_int()
        loaded.ncclGetVersion(ctypes.byref(version))
    except (AttributeError, OSError):
        return False
    major, minor, patch = torch.cuda.nccl.version()[:3]
    return version.value == 10000 * major + 100 * minor + patch


def _all_reduce_by_nccl(elements, op, communicator, ranks):
    """On the current stream. The workspace has two blocks, each of all elements if they are few."""
    all_bytes = -(-elements.numel() * elements.element_size() // 256) * 256
    block = max(min(all_bytes, _BLOCK_BYTES), _LEAST_BYTES // 2 * ranks)
    workspace = elements.new_empty(2 * block, dtype=torch.uint8)
    _core.nccl_all_reduce_elements(OPS[op], capsule(elements), communicator, capsule(workspace),
                                   stream_of_tensor(elements))


def _all_reduce_by_blocks(elements, op, ranks, group):
    block = max(1, _BLOCK_BYTES // elements.element_size() // ranks) * ranks
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
    reduced = reduce(op, shares.view(ranks, -1), (0,), False, part.dtype)
    return dist.all_gather_into_tensor(part, reduced, group=group, async_op=True)


def greatest(numbers, x, group=None):
    """Of each integer the greatest of all ranks; x: a tensor that says on which device they work.
    """
    return _greatest(numbers, _device_of_messages(x, group), group)


def sum_of_rows(x, group=None):
    """The sum of the rows of all ranks' x, rounded once to its type, on all ranks.

    Args:
        x: rows of as many elements on all ranks, and as many rows, contiguous.
    """
    ranks = dist.get_world_size(group)
    rows, n = x.shape
    answers, whole = x.new_empty(n), n // ranks * ranks
    share = max(1, _BLOCK_BYTES // x.element_size() // ranks // rows)
    for begin in range(0, whole, share * ranks):
        end = min(begin + share * ranks, whole)
        part = x[:, begin:end].reshape(rows, ranks, -1).transpose(0, 1).contiguous()
        shares = torch.empty_like(part)
        dist.all_to_all_single(shares, part, group=group)
        total = reduce("sum", shares.flatten(0, 1), (0,), False, x.dtype)
        dist.all_gather_into_tensor(answers[begin:end], total, group=group)
    if whole < n:
        rest = x[:, whole:].contiguous()
        shares = rest.new_empty(ranks * rows, n - whole)
        dist.all_gather_into_tensor(shares, rest, group=group)
        answers[whole:] = reduce("sum", shares, (0,), False, x.dtype)
    return answers


def _reduce_rest(rest, op, ranks, group):
    """Fewer elements than ranks: every rank receives all of them."""
    if len(rest):
        shares = rest.new_empty(ranks * len(rest))
        dist.all_gather_into_tensor(shares, rest, group=group)
        rest.copy_(reduce(op, shares.view(ranks, -1), (0,), False, rest.dtype))
