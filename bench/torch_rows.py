#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold.torch's row operators beside PyTorch's, forward and backward, on the CPU.

    ONEFOLD_THREADS=1 bench/torch_rows.py [--threads N] [--rows N] [--hidden N] [--repeats N]

Prints, for each operator and type, the median of PyTorch's times and onefold's over it. The two
are run alternately. --threads is PyTorch's number, ONEFOLD_THREADS onefold's. No assertion: the
numbers are for docs/python/torch.md.
"""
import argparse
import statistics
import time
from functools import partial

import onefold.torch as ft
import torch
import torch.nn.functional as F


def operators(hidden, weight):
    return (
        ("sum", lambda x: x.sum(-1), lambda x: ft.sum(x, -1)),
        ("rms_norm", lambda x: F.rms_norm(x, (hidden,), weight),
         lambda x: ft.rms_norm(x, hidden, weight)),
        ("softmax", lambda x: x.softmax(-1), ft.softmax),
        ("log_softmax", lambda x: x.log_softmax(-1), ft.log_softmax),
    )


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def medians(functions, repeats):
    """The median time of each; the functions are run alternately."""
    times = [[seconds(function) for function in functions] for _ in range(repeats + 1)][1:]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=9)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    print(f"{given.rows} rows of {given.hidden}, {torch.get_num_threads()} threads, "
          f"PyTorch {torch.__version__}")
    print(f"{'operator':12} {'dtype':9} {'PyTorch ms':>11} {'ratio':>6} {'backward ms':>12} "
          f"{'ratio':>6}")
    for dtype in (torch.float32, torch.bfloat16):
        x, g = (torch.randn(given.rows, given.hidden).to(dtype) for _ in range(2))
        weight = torch.randn(given.hidden).to(dtype)
        x.requires_grad_()
        for name, *functions in operators(given.hidden, weight):
            forward = medians([partial(f, x.detach()) for f in functions], given.repeats)
            outputs = [f(x) for f in functions]
            gradient = g if outputs[0].dim() == 2 else g[:, 0]
            backward = medians([partial(torch.autograd.grad, y, x, gradient, retain_graph=True)
                                for y in outputs], given.repeats)
            print(f"{name:12} {str(dtype)[6:]:9} {forward[0] * 1e3:11.2f} "
                  f"{forward[1] / forward[0]:6.1f} {backward[0] * 1e3:12.2f} "
                  f"{backward[1] / backward[0]:6.1f}")


if __name__ == "__main__":
    main()
