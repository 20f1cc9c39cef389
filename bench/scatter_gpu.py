#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold.torch.index_add on a GPU beside torch.index_add and reading.

    bench/scatter_gpu.py RESULT.json [--rounds 15]
    bench/scatter_gpu.py RESULT.json --table          the Markdown table of a stored result

bench/torch_page.py writes the table into docs/python/torch.md.

Rows of bf16 are added to as many answers as a mixture of experts has tokens, in random order; in
skewed ones half of the rows have one key. One dimension: elements of f32. A call is a CUDA graph of
one index_add, so no time of the host is in it. The ceiling is a sum of all elements of the source,
which reads them once, in the same rounds. Before that the results are compared with sums in
float64, and with those of shuffled sources bit for bit.
Needs PyTorch with a GPU, and onefold's module with CUDA.
"""
import statistics

from torch_gpu import answer, graph_of, milliseconds

SCHEMA = 1
# rows, width, answers, type, skewed.
CASES = (
    (65536, 4096, 8192, "bfloat16", False),
    (65536, 4096, 8192, "bfloat16", True),
    (65536, 4096, 8192, "float32", False),
    (16384, 2048, 2048, "bfloat16", False),
    (1 << 20, 64, 1 << 16, "float32", False),
    (1 << 26, 1, 1 << 20, "float32", False),
)


def inputs_of(torch, case):
    rows, width, answers, dtype, skewed = case
    generator = torch.Generator("cuda").manual_seed(1)
    shape = (rows, width) if width > 1 else (rows,)
    source = torch.randn(shape, generator=generator, device="cuda").to(getattr(torch, dtype))
    index = torch.randint(0, answers, (rows,), generator=generator, device="cuda")
    if skewed:
        index = torch.where(torch.rand(rows, generator=generator, device="cuda") < .5, 7, index)
    start = torch.zeros((answers, *shape[1:]), dtype=source.dtype, device="cuda")
    return start, index, source


def check(torch, ft, start, index, source):
    """How many results differ from the sums in float64, which are not exact; and whether a shuffled
    source has the same bits."""
    got = ft.index_add(start, 0, index, source)
    wide = torch.index_add(start.double(), 0, index, source.double()).to(start.dtype)
    order = torch.randperm(len(index), device="cuda")
    again = ft.index_add(start, 0, index[order], source[order])
    return int((got != wide).sum()), bool(torch.equal(got, again))


def measured(torch, ft, rounds):
    for case in CASES:
        start, index, source = inputs_of(torch, case)
        differ, same = check(torch, ft, start, index, source)
        calls = {"reading": lambda: ft.sum(source),
                 "onefold": lambda: ft.index_add(start, 0, index, source),
                 "PyTorch": lambda: torch.index_add(start, 0, index, source)}
        graphs = {peer: graph_of(torch, lambda _, call=call: call(), [None])
                  for peer, call in calls.items()}
        times = {peer: [] for peer in graphs}
        for _ in range(rounds):
            for peer, graph in graphs.items():
                times[peer].append(milliseconds(torch, graph))
        us = {peer: statistics.median(some) * 1e3 for peer, some in times.items()}
        row = {"case": case, "us": us, "differ_from_float64": differ, "same_when_shuffled": same}
        print(row, flush=True)
        yield row


def table(result):
    lines = [f"{result['gpu']}, {result['date']}, PyTorch {result['torch']}: microseconds of "
             "`index_add`.", "",
             "| rows x width | answers | type | reading | onefold | PyTorch | onefold's share | "
             "onefold's time by PyTorch's |", "|---|---|---|---:|---:|---:|---:|---:|"]
    for row in result["rows"]:
        rows, width, answers, dtype, skewed = row["case"]
        us = row["us"]
        lines.append(f"| {rows} x {width}{', half with one key' if skewed else ''} | {answers} | "
                     f"{dtype} | {us['reading']:.0f} | {us['onefold']:.0f} | {us['PyTorch']:.0f} | "
                     f"{us['reading'] / us['onefold']:.2f} | {us['onefold'] / us['PyTorch']:.2f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    answer(__doc__, SCHEMA, measured, table)
