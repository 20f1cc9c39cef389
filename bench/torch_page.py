#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the measured parts of docs/python/torch.md and docs/performance/gpu-torch.md from the
results in bench/results/h200.

    bench/torch_page.py

The first screen has figures of bfloat16 from one run of torch_gpu.py, of which the other page has
all, and llama.json, a list of what examples/llama.py --json writes; those of scatter_gpu.py and
losses_gpu.py follow.
"""
import json
import pathlib

import losses_gpu
import scatter_gpu
import torch_gpu
from report import write_between

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/python/torch.md"
RESULTS = pathlib.Path(__file__).resolve().parent / "results/h200"
SHAPE = [4096, 4096]
# A call of onefold's and PyTorch's, as torch_gpu.py names them.
HOST = (("sum of 1,000 elements", "onefold.torch.sum", "torch.sum"),
        *((f"rms_norm of 1,000 elements {which}", f"onefold.torch.rms_norm{end}",
           f"F.rms_norm{end}") for which, end in (("without gradients", " without gradients"),
                                                  ("with them", " with them"),
                                                  ("backward", ", backward"))))


def line(*cells):
    return f"| {' | '.join(cells)} |"


def passes(rows, which):
    """Lines of the forward or backward passes."""
    for row in rows:
        us = row["us"]
        if row["dtype"] == "bfloat16" and row.get("shape", SHAPE) == SHAPE:
            cells = [f"{us[peer]:.0f}" if peer in us else "failed"
                     for peer in ("copy", "onefold", "PyTorch", "torch.compile")]
            yield line(row["operator"], which, *cells)


def cost(result):
    """What an operator costs: of a GPU beside copying as many bytes, and of the host."""
    lines = [f"{result['gpu']}, {result['date']}, PyTorch {result['torch']}, bfloat16, "
             f"{result['rows']} rows of {result['hidden']}: microseconds of the GPU; then of the "
             "host.", "", line("operator", "pass", "copy", "onefold", "PyTorch", "torch.compile"),
             "|---|---|---:|---:|---:|---:|"]
    lines += passes(result["operators"], "forward")
    lines += passes(result["backward"], "backward")
    for name, own, other in HOST:
        host = result["host_us"]
        if own in host and other in host:
            lines.append(line(name, "host", "", f"{host[own]:.0f}", f"{host[other]:.0f}", ""))
    return "\n".join(lines) + "\n"


def llama(results):
    first = results[0]
    lines = [f"{first['device_name']}, {first['date']}, PyTorch {first['torch']}: milliseconds of "
             f"a Llama: {first['layers']} layers of {first['hidden']} in bfloat16, "
             f"{first['batch']} x {first['tokens']} tokens.", "",
             line("", "PyTorch", "onefold", "onefold's time by PyTorch's"), "|---|---:|---:|---:|"]
    for result in results:
        how = "compiled" if result["compile"] else "eager"
        for kind, ms in result["ms"].items():
            name = {"step": "training step"}.get(kind, kind)
            lines.append(line(f"{name}, {how}", f"{ms['PyTorch']:.1f}", f"{ms['onefold']:.1f}",
                              f"{ms['onefold'] / ms['PyTorch']:.2f}"))
    return "\n".join(lines) + "\n"


def sections():
    """{name of the markers: text} of the page."""
    def result(name):
        return json.loads((RESULTS / name).read_text(encoding="utf-8"))
    made = {"torch-cost": cost(result("torch_gpu.json")), "llama": llama(result("llama.json")),
            "scatter-gpu": scatter_gpu.table(result("scatter_gpu.json"))}
    if (RESULTS / "losses_gpu.json").exists():
        made["losses-gpu"] = losses_gpu.table(result("losses_gpu.json"))
    return made


def main():
    for name, text in sections().items():
        write_between(PAGE, name, text)
    kernels = json.loads((RESULTS / "torch_gpu.json").read_text(encoding="utf-8"))
    write_between(torch_gpu.PAGE, "torch-gpu", torch_gpu.table(kernels))


if __name__ == "__main__":
    main()
