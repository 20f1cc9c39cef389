#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of all-reduces over NCCL into docs/clusters.md.

    bench/nccl_table.py [FOLDER]     FOLDER: of nccl_bench.jsonl and nccl_torch.jsonl, as the stage
                                     nccl of tools/gpu_check leaves them (bench/results/h100-x2)
"""
import json
import pathlib
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def version_of(number):
    """22809 is 2.28.9."""
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def table(bench, by_torch):
    """The rows of the two files: of element-wise ones the fastest workspace."""
    machine = next(row for row in bench if row["what"] == "ranks")
    lines = [f"{machine['gpus']} x {machine['gpu']}, NCCL {version_of(machine['nccl'])}", ""]
    rows = [("what", "onefold", "next to")]
    elements = {}
    for row in bench:
        if row["what"] == "sum of f32":
            rows.append((f"exact sum of {row['bytes'] >> 30} GiB of f32",
                         f"{row['GB/s']:,.0f} GB/s",
                         f"the GPUs alone: {row['single GB/s']:,.0f} ({row['share']:.3f})"))
        elif row["what"] == "small sum in a graph":
            rows.append((f"sum of {row['n']} {row['type']} of each GPU, in a graph",
                         f"{row['all us']:.1f} us",
                         f"one GPU: {row['one us']:.1f} (added: {row['added us']:.1f})"))
        elif row["what"] == "elements":
            elements.setdefault(row["type"], []).append(row)
    for kind, tried in elements.items():
        best = min(tried, key=lambda row: row["ms"])
        rows.append((f"{best['bytes'] >> 20} MiB of {kind}, element by element",
                     f"{best['ms']:.2f} ms",
                     f"ncclAllReduce, which rounds: {best['nccl ms']:.2f} ({best['share']:.2f})"))
    for row in by_torch:
        if row["what"] == "torch elements":
            rows.append((f"the same by `onefold.torch.distributed`, {row['type'][6:]}",
                         f"{row['ms']:.2f} ms",
                         f"torch.distributed: {row['torch ms']:.2f} ({row['share']:.2f})"))
    rows.insert(1, ("---",) * 3)
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "bench/results/h100-x2"
    write_between(ROOT / "docs/clusters.md", "nccl",
                  table(lines_of(folder / "nccl_bench.jsonl"),
                        lines_of(folder / "nccl_torch.jsonl")))


if __name__ == "__main__":
    main()
