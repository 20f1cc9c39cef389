#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times reductions of every shape of two axes, 2^k x 2^(22-k), along either axis, beside NumPy.

    PYTHONPATH=build/release/python build/python/bin/python bench/axes_sweep.py [--write | --page]

Goal: no cell takes both more than twice NumPy's time and more than four times that of `sum`. Both
sides are called in turn, and the least of ROUNDS times counts. --write: bench/results/axes.json,
and from it the table of docs/performance/cpu.md; --page: the table alone.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import onefold
from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "bench/results/axes.json", ROOT / "docs/performance/cpu.md"
BITS, ROUNDS, MOST_SECONDS = 22, 3, 0.3
OPERATORS = ("sum", "mean", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero", "var",
             "std", "prod")
TYPES = ("bool", "int8", "int32", "int64", "float32", "float64")
TIMES_NUMPY, TIMES_SUM = 2, 4


def data(dtype):
    random = np.random.default_rng(41)
    if dtype.startswith("float"):
        return random.standard_normal(1 << BITS).astype(dtype)
    return random.integers(0, 2 if dtype == "bool" else 100, 1 << BITS).astype(dtype)


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def least(ours, peer):
    """The least time of each; slow ones are called once."""
    times = [[], []]
    for _ in range(ROUNDS):
        for i, call in enumerate((ours, peer)):
            if not times[i] or min(times[i]) < MOST_SECONDS:
                times[i].append(seconds(call))
    return min(times[0]), min(times[1])


def cells(types, operators):
    for dtype in types:
        x = data(dtype)
        for k in range(BITS + 1):
            shaped = x.reshape(1 << k, -1)
            for axis in (0, 1):
                of_sum = None
                for name in operators:
                    if name == "prod" and not dtype.startswith("float"):
                        continue  # products of integers overflow
                    ours, peer = getattr(onefold, name), getattr(np, name)
                    took, theirs = least(lambda: ours(shaped, axis=axis),
                                         lambda: peer(shaped, axis=axis))
                    of_sum = of_sum or took  # sum is the first
                    yield {"op": name, "dtype": dtype, "k": k, "axis": axis,
                           "us": round(took * 1e6, 1), "numpy_us": round(theirs * 1e6, 1),
                           "of_numpy": round(took / theirs, 2), "of_sum": round(took / of_sum, 2)}


def is_slow(cell):
    return cell["of_numpy"] > TIMES_NUMPY and cell["of_sum"] > TIMES_SUM


def summary(rows, operators):
    for name in operators:
        of_op = [row for row in rows if row["op"] == name]
        slow = [row for row in of_op if is_slow(row)]
        worst = max(of_op, key=lambda row: min(row["of_numpy"] / TIMES_NUMPY,
                                               row["of_sum"] / TIMES_SUM))
        yield (f"{name:14} {len(slow):4} of {len(of_op)} cells beyond the goal; nearest to it or "
               f"worst: {worst['dtype']} 2^{worst['k']} x 2^{BITS - worst['k']} axis "
               f"{worst['axis']}: {worst['us']} us, {worst['of_numpy']} of NumPy, "
               f"{worst['of_sum']} of sum")


def worst_of(rows, key):
    row = max(rows, key=lambda row: row[key])
    where = f"{row['dtype']} 2^{row['k']} x 2^{BITS - row['k']} axis {row['axis']}"
    return f"{row[key]:.1f}, {where}"


def write_page():
    facts = json.loads(RESULT.read_text())
    rows = [dict(zip(facts["columns"], row)) for row in facts["rows"]]
    lines = [f"Of {facts['date']}, commit {facts['commit']}, {facts['threads']} threads of "
             f"{facts['processor']}, {facts['simd']}, NumPy {facts['numpy']}:", "",
             "| operator | cells | beyond both | beyond 2x NumPy | beyond 4x `sum` | most, of "
             "NumPy's time | most, of that of `sum` |", "|---|--:|--:|--:|--:|---|---|"]
    for name in dict.fromkeys(row["op"] for row in rows):
        of_op = [row for row in rows if row["op"] == name]
        beyond = [sum(row["of_numpy"] > TIMES_NUMPY for row in of_op),
                  sum(row["of_sum"] > TIMES_SUM for row in of_op)]
        both = sum(is_slow(row) for row in of_op)
        lines.append(f"| `{name}` | {len(of_op)} | {both} | {beyond[0]} | {beyond[1]} | "
                     f"{worst_of(of_op, 'of_numpy')} | {worst_of(of_op, 'of_sum')} |")
    write_between(PAGE, "axes", "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--types", nargs="+", default=TYPES)
    parser.add_argument("--operators", nargs="+", default=OPERATORS)
    asked = parser.parse_args()
    if asked.page:
        write_page()
        return
    if asked.operators[0] != "sum":
        sys.exit("axes_sweep: the first operator is sum: the others are measured beside it")
    rows = list(cells(asked.types, asked.operators))
    for line in summary(rows, asked.operators):
        print(line)
    if not asked.write:
        return
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True,
                            capture_output=True, check=False).stdout.strip() or "unknown"
    machine = onefold.machine()
    facts = {"date": datetime.date.today().isoformat(), "commit": commit, "numpy": np.__version__,
             "processor": machine["cpu"], "simd": machine["target"],
             "threads": machine["threads"], "bits": BITS, "rounds": ROUNDS,
             "columns": list(rows[0])}
    lines = ",\n".join(json.dumps(list(row.values())) for row in rows)
    text = json.dumps(facts, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n"
    RESULT.write_text(text)
    write_page()


if __name__ == "__main__":
    main()
