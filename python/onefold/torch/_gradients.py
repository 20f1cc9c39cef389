# SPDX-License-Identifier: Apache-2.0
"""GradientSum: gradients of micro-batches, added exactly and rounded once, over ranks too."""
from __future__ import annotations

import torch

from ._bridge import reduce


class GradientSum:
    """The sum of the gradients of micro-batches, which is rounded once.

    Adding in `Tensor.grad` rounds after every micro-batch, so that their order and the number of
    ranks change the sum. Here the gradients are kept until `write`, which adds them exactly: any
    order of the micro-batches and any assignment of them to ranks gives the same bits. A gradient
    of a micro-batch has to be the same itself: give all of them one shape.

    Memory: the gradients of all micro-batches of this rank, so k - 1 times as much as `grad` alone.
    A sum that needs no list of k would take 24 bytes or more a parameter, as many as 12 gradients
    of bfloat16.

    Args:
        parameters: the tensors whose gradients are added.
        group: over whose ranks; None: the default group if torch.distributed is initialised.

    >>> import torch
    >>> weight = torch.zeros(1, requires_grad=True)
    >>> gradients = GradientSum([weight])
    >>> for micro_batch in (1e30, 1.0, -1e30):
    ...     (weight * micro_batch).sum().backward()
    ...     gradients.add()
    >>> gradients.write()
    >>> weight.grad
    tensor([1.])
    """

    def __init__(self, parameters, group=None) -> None:
        self._parameters = [each for each in parameters if each.requires_grad]
        self._kept = [[] for _ in self._parameters]
        self._group = group

    def add(self) -> None:
        """Takes the gradient of each parameter, which has none then: after each backward()."""
        for parameter, kept in zip(self._parameters, self._kept):
            if parameter.grad is not None:
                kept.append(parameter.grad)
                parameter.grad = None

    def write(self) -> None:
        """Writes the sums to the parameters' gradients, rounded to their type, and forgets what was
        added. All ranks of the group have to call it; a rank may have added nothing."""
        ranks = _ranks(self._group)
        counts = self._counts(ranks)
        for parameter, kept, count in zip(self._parameters, self._kept, counts):
            # -0 adds nothing, not even to a sum of -0.
            kept.extend([torch.full_like(parameter, -0.0)] * (count - len(kept)))
            parameter.grad = _sum_of(kept, ranks, self._group)
            kept.clear()

    def _counts(self, ranks):
        """Of each parameter the most gradients that a rank has."""
        counts = [len(kept) for kept in self._kept]
        if ranks > 1:
            from . import distributed
            counts = distributed.greatest(counts, self._parameters[0], self._group)
        return counts


def _ranks(group):
    dist = torch.distributed
    return dist.get_world_size(group) if dist.is_available() and dist.is_initialized() else 1


def _sum_of(gradients, ranks, group):
    if not gradients:
        return None
    if len(gradients) * ranks == 1:
        return gradients[0]
    stack = torch.stack(gradients)
    if ranks == 1:
        return reduce("sum", stack, (0,), False, stack.dtype)
    from . import distributed
    total = distributed.sum_of_rows(stack.view(len(gradients), -1), group)
    return total.view(stack.shape[1:])
