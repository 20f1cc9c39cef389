#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast is the sum of a text file, and how does that compare with awk?

    bench/text_sum.py PROGRAM [--megabytes N] [--runs N]

PROGRAM is the built `onefold`. Every file goes through stdin of each program, from the page cache,
`runs` times in turn with the others; start-up is included. One JSON object a line: the bandwidth
of the median run, the spread (slowest / fastest), and how many times faster than each awk it is.
An awk that is not installed is left out.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

AWK_SUM = "{s+=$1} END{print s}"


def integers(rng):
    first = rng.randrange(1000)
    while True:
        yield f"{first}\n"
        first += 1


def prices(rng):
    while True:
        yield f"{rng.randrange(1000)}.{rng.randrange(100):02}\n"


def doubles(rng):
    while True:
        yield f"{rng.random()!r}\n"


def exponents(rng):
    while True:
        yield f"{rng.gauss(0, 1):.18e}\n"


FILES = {"integers": integers, "prices": prices, "doubles": doubles, "exponents": exponents}


def write_file(path, make, size_bytes):
    """Writes lines of `make` up to a size: 4 MB that are made, over and over."""
    rng, lines, made = random.Random(1), [], 0
    for line in make(rng):
        lines.append(line)
        made += len(line)
        if made >= min(size_bytes, 4_000_000):
            break
    block = "".join(lines).encode()
    with open(path, "wb") as out:
        for _ in range(max(1, size_bytes // len(block))):
            out.write(block)


def peers(program):
    found = {"onefold": [program, "sum", "-"],
             "onefold --as f64": [program, "sum", "-", "--as", "f64"]}
    for awk in ("mawk", "gawk"):
        if shutil.which(awk):
            found[awk] = [awk, AWK_SUM]
    return found


def seconds(command, path):
    environment = dict(os.environ, LC_ALL="C", ONEFOLD_THREADS="1")
    with open(path, "rb") as source:
        start = time.perf_counter()
        subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL, check=True,
                       env=environment)
        return time.perf_counter() - start


def measure(commands, path, runs):
    for command in commands.values():
        seconds(command, path)
    times = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(seconds(command, path))
    return times


def report(kind, size_bytes, times):
    medians = {name: statistics.median(runs) for name, runs in times.items()}
    for name, runs in times.items():
        print(json.dumps({
            "bench": "text_sum", "file": kind, "size_bytes": size_bytes, "program": name,
            "bandwidth_gbps": round(size_bytes / medians[name] / 1e9, 4),
            "spread": round(max(runs) / min(runs), 2), "runs": len(runs),
            "ratio": {awk: round(medians[awk] / medians[name], 2)
                      for awk in ("mawk", "gawk") if awk in medians},
        }), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    program = shutil.which(asked.program)
    if program is None:
        sys.exit(f"{asked.program}: no such program; build it with make, then name its path")
    commands = peers(os.path.abspath(program))
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in FILES.items():
            path = os.path.join(folder, kind)
            write_file(path, make, asked.megabytes * 1_000_000)
            report(kind, os.path.getsize(path), measure(commands, path, asked.runs))


if __name__ == "__main__":
    main()
