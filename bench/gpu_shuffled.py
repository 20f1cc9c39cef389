#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sum of float32 on one GPU by several libraries, in one run: the time, and what the order of the
elements does to the answer. Into bench/results/<gpu>/gpu_shuffled.json and the README.

    bench/gpu_shuffled.py RESULT.json --onefold build/release/bench/libgpu_library.so
    bench/gpu_shuffled.py RESULT.json --write      the README's table from a stored result

2^28 normal values with a fixed seed, as made and in 20 other orders. An error is the distance from
the sum in binary64, whose own error is below 10^-3 ulp here. Times are medians of rounds in which
every library has its turn (bench/gpu_peers.py), of the values as made. Needs PyTorch and one GPU;
--log2 takes other sizes. The exit code is 1 where onefold has more than one answer, or an error
above half an ulp."""

import argparse
import datetime
import json
import pathlib
import statistics
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = 1
SHUFFLES = 20
OURS = "onefold"
# What the README's table has, in its order, and the names there.
SHOWN = {"torch.compile": "torch.compile", "CUB DeviceReduce::Sum": "CUB",
         "CUB reproducible sum": "CUB, reproducible (`gpu_to_gpu`)", OURS: "**onefold**"}


def answers_of(torch, calls, x, shuffles):
    """{library: its answer for each order}; x is shuffled in place."""
    found = {name: [] for name in calls}
    generator = torch.Generator("cuda").manual_seed(3)
    for shuffle in range(shuffles + 1):
        if shuffle:
            order = torch.randperm(x.numel(), device="cuda", generator=generator)
            x.copy_(x[order])
            del order
        for name, call in calls.items():
            found[name].append(float(call()))
    return found


def row_of(answers, right, ulp, us):
    """What the README says of a library, from its answers for all orders."""
    return {"us": us, "answers": answers, "different": len(set(answers)),
            "range": max(answers) - min(answers),
            "ulps": max(abs(answer - right) for answer in answers) / ulp}


def measured(log2, library):
    import torch
    from gpu_peer_rows import whole
    from gpu_peer_torch import compiled
    from gpu_peers import Bench, interleaved, significant

    bench = Bench(log2, library)
    row = whole("sum", "f32", 1 << log2)
    (x,) = bench.data.of(row)
    right = float(x.double().sum())
    fast = compiled(torch.sum)
    calls = {"PyTorch": lambda: torch.sum(x), "torch.compile": lambda: fast(x),
             **bench.library.cub_calls(row, (x,)), OURS: bench.library.call_of(row, (x,))}
    times = interleaved(bench.clock, calls)
    answers = answers_of(torch, calls, x, SHUFFLES)
    ulp = 2.0 ** (torch.frexp(torch.tensor(right, dtype=torch.float64)).exponent.item() - 24)
    rows = {name: row_of(answers[name], right, ulp, significant(statistics.median(times[name])))
            for name in calls}
    return {**bench.facts(), "schema": SCHEMA, "date": datetime.date.today().isoformat(),
            "elements": x.numel(), "shuffles": SHUFFLES, "right": right, "ulp": ulp, "rows": rows}


def changes(row):
    """What a shuffle changes, in words."""
    if row["different"] == 1:
        return "nothing"
    return f"the answer, by up to {row['range']:.2g}: {row['different']} in 21 orders"


def table(result):
    size = f"{4 * result['elements'] / 2**30:g} GiB"
    lines = [f"| sum of {size} float32 | µs | 20 shuffles change | error |",
             "|---|---:|---|---:|"]
    for name, words in SHOWN.items():
        row = result["rows"][name]
        lines.append(f"| {words} | {row['us']:.0f} | {changes(row)} | {row['ulps']:.2g} ulp |")
    versions = result["versions"]
    return "\n".join(lines) + (
        f"\n\nOne run on an {result['gpu']}, {result['date']}; error: the largest; PyTorch "
        f"{versions['PyTorch'].partition('+')[0]}, CCCL {versions['CCCL']}; "
        "[`bench/gpu_shuffled.py`](bench/gpu_shuffled.py).\n")


def findings(result):
    ours = result["rows"][OURS]
    if ours["different"] != 1:
        yield f"onefold has {ours['different']} answers"
    # The reference is not exact itself.
    if ours["ulps"] > 0.501:
        yield f"onefold's answer is wrong by {ours['ulps']} ulp"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", type=pathlib.Path, help="the JSON file")
    parser.add_argument("--onefold", metavar="FILE", help="libgpu_library.so: measure")
    parser.add_argument("--log2", type=int, default=30, help="2^LOG2 bytes of input")
    parser.add_argument("--write", action="store_true", help="write the README's table")
    asked = parser.parse_args(words)
    if asked.onefold:
        result = measured(asked.log2, asked.onefold)
        asked.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    else:
        result = json.loads(asked.result.read_text(encoding="utf-8"))
    print(table(result), end="")
    if asked.write:
        write_between(ROOT / "README.md", "gpu-shuffled", table(result))
    for finding in findings(result):
        print(f"gpu_shuffled: {finding}", file=sys.stderr)
    return 1 if any(findings(result)) else 0


if __name__ == "__main__":
    sys.exit(main())
