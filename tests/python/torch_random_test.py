# SPDX-License-Identifier: Apache-2.0
"""Operators of onefold.torch over random shapes, strides, types and arguments, forward and
backward: within their bounds of a peer in float64, a row alone with the bits that it has in its
batch, and on a GPU the bits of the CPU.

ONEFOLD_CASES=1000 asks more cases of each operator, ONEFOLD_SEED another sequence of them. A
failure names the operator and the number of the case; `python torch_random_test.py softmax 17`
repeats it.
"""
from __future__ import annotations

import os
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onefold.torch")

import torch_random_rows as rows  # noqa: E402
import torch_random_sums as sums  # noqa: E402
from torch_cases import Draw, difference, excess  # noqa: E402

CASES = int(os.environ.get("ONEFOLD_CASES", "20"))
SEED = os.environ.get("ONEFOLD_SEED", "1")
GPU = torch.cuda.is_available()
OPERATORS = {one.__name__: one for one in (
    rows.rms_norm, rows.add_rms_norm, rows.layer_norm, rows.softmax, rows.log_softmax,
    rows.cross_entropy, sums.index_add, sums.scatter_reduce, sums.segment_reduce)}
OPERATORS |= sums.REDUCTIONS
# Tests of each operator, so that many cases are shared out among processes.
PARTS = 8


def check(name, number):
    draw = Draw(f"{SEED}/{name}/{number}")
    case = OPERATORS[name](draw)
    said = f"ONEFOLD_SEED={SEED}, {name}, case {number}: {case.said}; " + "; ".join(
        str(leaf) for leaf in case.leaves)
    results, gradients = case.run(draw, "cpu")
    if not draw.special:
        want, gradients_want, bounds = case.expected()
        for i, (got, peer, bound) in enumerate(zip((*results, *gradients),
                                                   (*want, *gradients_want), bounds, strict=True)):
            assert got.shape == peer.shape, f"{said}: {i}: {got.shape}, not {peer.shape}"
            beyond = excess(got, peer, bound)
            assert beyond == 0, f"{i} is off by {beyond:g} more than its bound; {said}"
    if case.alone is not None:
        leaves = case.leaves_on("cpu")
        g = [one.on("cpu") for one in case.g]
        for got, whole in case.alone(draw, leaves, case.others, g, results, gradients):
            apart = difference(got, whole)
            assert apart is None, f"alone: {apart}; {said}"
    if GPU:
        there = case.run(draw, "cuda")
        same = case.on_gpu or [True] * len(results + gradients)
        for i, (got, host) in enumerate(zip(there[0] + there[1], results + gradients)):
            assert got.is_cuda and got.shape == host.shape, said
            # What is of PyTorch's exponential has all but the last bits.
            if i < len(same) and not same[i] and not draw.special:
                torch.testing.assert_close(got.cpu(), host, msg=lambda m: f"{i}: {m}; {said}")
            elif i >= len(same) or same[i]:
                apart = difference(got, host)
                assert apart is None, f"{i} on the GPU: {apart}; {said}"


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", OPERATORS)
def test_operator_is_right(name, part):
    for number in range(part, CASES, PARTS):
        check(name, number)


if __name__ == "__main__":
    check(sys.argv[1], int(sys.argv[2]))
    print("is right")
