#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times reductions of a GPU tensor over any of its axes, with gaps and in other orders.

    bench/strided_gpu.py RESULT.json [--rounds 9]
    bench/strided_gpu.py RESULT.json --table          the Markdown table of a stored result

x is a view of 512 x 1024 x 512 float32: as it is, every other element of an axis, half of each row,
permuted. Each row is one call on it, of onefold and of eager PyTorch, by events of the stream, in
turn. The share is that of the speed of a sum of all elements of x's storage, which reads them once
(measured in the same rounds); bytes are those of x's elements, so an axis of every other element
cannot come near 1. Needs PyTorch with a GPU, and onefold's module with CUDA.
"""
import argparse
import datetime
import itertools
import json
import pathlib
import statistics

SCHEMA = 1
SHAPE = (512, 1024, 512)
VIEWS = {
    "contiguous": lambda x: x,
    "every other of the last axis": lambda x: x[:, :, ::2],
    "every other of the middle axis": lambda x: x[:, ::2, :],
    "half of each row": lambda x: x[:, :, :256],
    "axes 2, 0, 1": lambda x: x.permute(2, 0, 1),
}
AXES = [axes for n in (1, 2, 3) for axes in itertools.combinations(range(3), n)]


def operators(torch, onefold):
    """{name: (PyTorch's function of x and axes, onefold's)}."""
    return {
        "sum": (torch.sum, lambda x, axes: onefold.sum(x, axis=axes)),
        "max": (torch.amax, lambda x, axes: onefold.max(x, axis=axes)),
        "var": (lambda x, axes: torch.var(x, axes, correction=0),
                lambda x, axes: onefold.var(x, axis=axes)),
    }


def milliseconds(torch, call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def measured(torch, onefold, rounds):
    storage = torch.randn(SHAPE, device="cuda")
    for (view, make), axes in itertools.product(VIEWS.items(), AXES):
        x = make(storage)
        for name, (theirs, ours) in operators(torch, onefold).items():
            calls = {"reading": lambda: onefold.sum(storage),
                     "onefold": lambda ours=ours, x=x, axes=axes: ours(x, axes),
                     "PyTorch": lambda theirs=theirs, x=x, axes=axes: theirs(x, axes)}
            times = {peer: [] for peer in calls}
            for turn in range(rounds + 2):
                for peer, call in calls.items():
                    some = milliseconds(torch, call)
                    if turn >= 2:  # the first calls allocate
                        times[peer].append(some)
            row = {"view": view, "axes": axes, "operator": name, "bytes": 4 * x.numel(),
                   "ms": {peer: round(statistics.median(some), 4) for peer, some in times.items()}}
            row["share"] = round(row["bytes"] / row["ms"]["onefold"]
                                 / (4 * storage.numel() / row["ms"]["reading"]), 3)
            print(row, flush=True)
            yield row


def table(result):
    lines = ["| view | over axes | operator | of reading | PyTorch's time |",
             "|---|---|---|---|---|"]
    for row in result["rows"]:
        axes = ", ".join(map(str, row["axes"]))
        ratio = row["ms"]["PyTorch"] / row["ms"]["onefold"]
        lines.append(f"| {row['view']} | {axes} | {row['operator']} | {row['share']:.2f} "
                     f"| {ratio:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print(table(json.loads(arguments.result.read_text(encoding="utf-8"))))
        return
    import onefold
    import torch
    result = {"schema": SCHEMA, "date": datetime.date.today().isoformat(),
              "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "rows": list(measured(torch, onefold, arguments.rounds))}
    arguments.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
