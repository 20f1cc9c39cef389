#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces of one exact number: measured on this machine, and a model up to 10^5 ranks.

    bench/clusters.py --program build/…/bench/mpi_reduce [--note TEXT]   measure, and write the page
    bench/clusters.py --check                                           the page has these tables

Measured points are in bench/results/clusters.json. The model is that of recursive doubling, which
MPI uses for short messages: log2(ranks) steps, each of a latency and of the words over a bandwidth.
A call sends two messages: 21 words, in which the ranks agree on it, and the words of the state. Its
network is assumed, not measured: NETWORK.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/clusters.json", ROOT / "docs/clusters.md"
RANKS, MODELLED = (1, 2, 4, 8), (10, 100, 1000, 10**4, 10**5)
NETWORK = {"latency_us": 2.0, "bytes_per_us": 10_000.0}  # 10 GB/s
AGREEMENT = 21
WORDS = {"sum of f32": 20, "sum of f64": 76, "var of f64": 216}  # docs/numerics/additive.md


def model_us(ranks, words):
    steps = math.ceil(math.log2(ranks))
    messages = [words] if words == 1 else [AGREEMENT, words]
    return sum(steps * (NETWORK["latency_us"] + 8 * n / NETWORK["bytes_per_us"]) for n in messages)


def table(heads, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [heads, *rows]]
    lines.insert(1, "| --- |" + " ---: |" * (len(heads) - 1))
    return "\n".join(lines) + "\n"


def measured_table(result):
    points = result["points"]
    rows = [[name] + [f"{point['us'][name]:.3g}" for point in points] for name in points[0]["us"]]
    return (f"{result['machine']}:\n\n"
            + table(["us a call"] + [f"{point['ranks']}" for point in points], rows))


def model_table():
    rows = [[name] + [f"{model_us(ranks, words):.3g}" for ranks in MODELLED]
            for name, words in {"MPI_SUM of a double": 1, **WORDS}.items()]
    return table(["us a call"] + [f"{ranks:,}" for ranks in MODELLED], rows)


def measure(program, note):
    points = []
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"}
    for ranks in RANKS:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), program]
        done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                              env=environment)
        points.append(json.loads(done.stdout))
    version = subprocess.run(["mpirun", "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split("\n", 1)[0]
    cores = len(os.sched_getaffinity(0))
    models = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
              if line.startswith("model name")]
    machine = f"{models[0] if models else 'CPU'}, {cores} cores{note}, {version}"
    return {"machine": machine, "points": points}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--program")
    parser.add_argument("--note", default="", help="what else the machine did")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.program:
        RESULT.write_text(json.dumps(measure(given.program, given.note), indent=1) + "\n")
    before = PAGE.read_text()
    write_between(PAGE, "measured", measured_table(json.loads(RESULT.read_text())))
    write_between(PAGE, "model", model_table())
    if given.check and PAGE.read_text() != before:
        PAGE.write_text(before)
        sys.exit("docs/clusters.md has other tables: run bench/clusters.py")


main()
