#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's lines "Where it is slow", from the committed results.

    bench/slow.py [FOLDER]      FOLDER: bench/results/h200, of the card that the README is about

Each figure is looked up by the name of its row: gpu_peers_torch.json and torch_gpu.json of FOLDER,
gpu_peers.jsonl for small sums, cuda_many_bench.jsonl for sums that cancel, and the CPU's cpu.json.
A row that is not there is an error."""

import argparse
import json
import pathlib
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
GPU = ROOT / "bench/results/h200"
CPU = ROOT / "bench/results/x86_64-avx512-2cores/cpu.json"
BITS = "f64, random bits below 2"


def json_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def small_sums(folder):
    """{row: (our microseconds, CUB's)}."""
    return {row["row"]: (row["us"], peer["us"])
            for row in lines_of(folder / "gpu_peers.jsonl") if "row" in row
            for peer in row["peers"] if peer["peer"] == "CUB DeviceReduce::Sum"}


def cancelling(folder):
    """The least and the largest share of reading of rows and columns of f32 that cancel."""
    shares = [row["of read"] for row in lines_of(folder / "cuda_many_bench.jsonl")
              if row.get("input") == "cancelling" and row["type"] == "f32"]
    return f"{min(shares):.2f} to {max(shares):.2f}"


def lines(folder, cpu):
    result = json_of(folder / "gpu_peers_torch.json")
    gpu = {entry["row"]: entry["onefold"]["of ceiling"] for entry in result["rows"]
           if "onefold" in entry}
    card = result["gpu"].split()[1]
    training = {row["operator"]: row["us"]
                for row in json_of(folder / "torch_gpu.json")["training"]}
    small = small_sums(folder)
    at_cpu = {row["row"]: row for row in json_of(cpu)["rows"]}

    def share(row):
        return f"{gpu[row]:.2f}"

    ours, theirs = small["small sum, 1 KiB"]
    norm, loss = training["rms_norm"], training["cross_entropy"]
    return [
        f"{card}, float64 of random bits: of the speed of reading, sum {share('sum ' + BITS)}, "
        f"norm2 {share('norm2 ' + BITS)}, var {share('var ' + BITS)}, dot {share('dot ' + BITS)}.",
        f"{card}, rows of 65536 float32 and more, and long columns, that cancel to zero: "
        f"{cancelling(folder)} of reading; lognormal values: dot of float32 "
        f"{share('dot f32, lognormal')}, sum of bfloat16 {share('sum bf16, lognormal')}.",
        f"{card}, 1 KiB of float32 in a CUDA graph: {ours:.1f} µs, CUB {theirs:.1f} µs.",
        f"{card}, PyTorch, forward and backward in eager mode: `rms_norm` "
        f"{norm['onefold']:.0f} µs, PyTorch {norm['PyTorch']:.0f} µs; `cross_entropy` "
        f"{loss['onefold']:.0f} µs, PyTorch {loss['PyTorch']:.0f} µs.",
        "CPU (two cores, AVX-512): sums of float32 in segments of 4 "
        f"{at_cpu['exact sum f32, segments of 4']['ratio']['median']:.2g} of reading, of float64 "
        f"of random bits {at_cpu['exact sum f64, bits']['ratio']['median']:.2g}.",
    ]


def text(folder=GPU, cpu=CPU):
    return "".join(f"* {line}\n" for line in lines(folder, cpu))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=GPU)
    asked = parser.parse_args()
    write_between(ROOT / "README.md", "slow", text(asked.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
