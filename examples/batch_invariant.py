#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the batches in which a row's bits differ from those of the row alone.

    python examples/batch_invariant.py [--full] [--dtype float32 …] [--device cuda]

The first table: for each operator of PyTorch and of onefold, the number of batches whose first row
has other bits than when it is the only row, and of those whose gradient has. Each batch size is
tried with contiguous rows and with contiguous columns. The second table: the number of orders of
the rows that change a reduction over the rows. The exit code is 1 if onefold has one of either.
"""
import argparse
import sys

import onefold.torch as ft
import torch
import torch.nn.functional as F


def row_operators(hidden, weight):
    """Name, PyTorch's function and onefold's, of a batch of rows."""
    return (
        ("sum", lambda x: x.sum(-1), lambda x: ft.sum(x, -1)),
        ("mean", lambda x: x.mean(-1), lambda x: ft.mean(x, -1)),
        ("var", lambda x: x.var(-1), lambda x: ft.var(x, -1)),
        ("norm", lambda x: torch.linalg.vector_norm(x, dim=-1), lambda x: ft.norm(x, 2, -1)),
        ("logsumexp", lambda x: x.logsumexp(-1), lambda x: ft.logsumexp(x, -1)),
        ("rms_norm", lambda x: F.rms_norm(x, (hidden,), weight),
         lambda x: ft.rms_norm(x, hidden, weight)),
        ("softmax", lambda x: x.softmax(-1), ft.softmax),
        ("log_softmax", lambda x: x.log_softmax(-1), ft.log_softmax),
        ("cross_entropy", lambda x: F.cross_entropy(x, targets(x), reduction="none"),
         lambda x: ft.cross_entropy(x, targets(x), reduction="none")),
    )


def batch_operators(hidden, weight):
    """Name, PyTorch's function and onefold's, of what adds over the rows (x, g, classes)."""
    def gradient_of_weight(rms_norm):
        def gradient(x, g, classes):
            leaf = weight.detach().requires_grad_()
            return torch.autograd.grad(rms_norm(x, leaf), leaf, g)[0]
        return gradient

    return (
        ("sum over the rows", lambda x, g, classes: x.sum(0), lambda x, g, classes: ft.sum(x, 0)),
        ("mean cross_entropy", lambda x, g, classes: F.cross_entropy(x, classes),
         lambda x, g, classes: ft.cross_entropy(x, classes)),
        ("gradient of rms_norm's weight",
         gradient_of_weight(lambda x, leaf: F.rms_norm(x, (hidden,), leaf)),
         gradient_of_weight(lambda x, leaf: ft.rms_norm(x, hidden, leaf))),
    )


def targets(x):
    return torch.arange(x.shape[0], device=x.device) % x.shape[1]


def bits(x):
    return x.detach().view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()])


def first_row(function, x, g):
    """The first row of function(x), and of the gradient of x."""
    x = x.detach().requires_grad_()
    y = function(x)
    y.backward(g if y.dim() == 2 else g[:, 0])
    return bits(y[0]), bits(x.grad[0])


def by_columns(x):
    """The same rows, in memory column after column."""
    return torch.empty(x.shape[1], x.shape[0], dtype=x.dtype, device=x.device).t().copy_(x)


def mismatches(function, x, g, batches):
    """The number of batches in which the first row differs, forward and gradient."""
    alone = first_row(function, x[:1], g[:1])
    counts = [0, 0]
    for batch in batches:
        for rows in (x[:batch], by_columns(x[:batch])):
            for i, row in enumerate(first_row(function, rows, g[:batch])):
                counts[i] += not torch.equal(row, alone[i])
    return counts


def orders_that_matter(function, x, g, orders):
    """The number of orders of the rows that give other bits than the first order."""
    classes = targets(x)
    first = bits(function(x, g, classes))
    return sum(not torch.equal(bits(function(x[o], g[o], classes[o])), first) for o in orders)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hidden", type=int, default=1024, help="elements of a row")
    parser.add_argument("--rows", type=int, default=128, help="the largest batch")
    parser.add_argument("--full", action="store_true", help="up to 4096 rows of 4096 elements")
    parser.add_argument("--dtype", nargs="+", default=["bfloat16", "float32"])
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    hidden, most = (4096, 4096) if given.full else (given.hidden, given.rows)
    sizes = [2**i for i in range(13)] + [3, 5, 7, 17, 31, 100, 255, 1000, 3001]
    batches = sorted({size for size in sizes if size <= most})
    generator = torch.Generator().manual_seed(24)
    orders = [torch.randperm(most, generator=generator) for _ in range(8)]
    total = 0
    print(f"rows of {hidden}; {len(batches)} batches of 1 to {most} rows, in two layouts; "
          f"PyTorch {torch.__version__}, {given.device}, {torch.get_num_threads()} threads\n")
    print(f"{'batches where the row differs':30} {'dtype':9} {'PyTorch':>8} {'gradient':>9} "
          f"{'onefold':>8} {'gradient':>9}")
    for name in given.dtype:
        dtype = getattr(torch, name)
        x, g, weight = (torch.randn(shape, generator=generator).to(given.device, dtype)
                        for shape in ((most, hidden), (most, hidden), (hidden,)))
        for op, theirs, ours in row_operators(hidden, weight):
            counts = mismatches(theirs, x, g, batches) + mismatches(ours, x, g, batches)
            total += counts[2] + counts[3]
            print(f"{op:30} {name:9} {counts[0]:8} {counts[1]:9} {counts[2]:8} {counts[3]:9}")
        for op, theirs, ours in batch_operators(hidden, weight):
            count = orders_that_matter(ours, x, g, orders)
            total += count
            print(f"{op:30} {name:9} {orders_that_matter(theirs, x, g, orders):8} {'':9} "
                  f"{count:8} {'':9}  of {len(orders)} orders")
    print(f"\nonefold: {total} differences")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
