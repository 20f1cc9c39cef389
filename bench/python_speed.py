#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold's reductions from Python beside the libraries that people use today.

    python_speed.py [--sizes N…] [--quick] [--out FILE] [--write]    measure; --write: the pages
    python_speed.py --table FILE [--write | --check]                 the pages of a stored result

Sums, means, variances and dot products of float64 and float32, with one thread and with all. Every
library reads memory of its own kind, made before. The rounds of the libraries are interleaved; a
time is the least of its rounds, and a ratio is the median over the rounds of its time in NumPy's.
Libraries that are not installed are left out. --quick makes one call of each, to try the script.
"""
import argparse
import datetime
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import re
import statistics
import sys
import time

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # the dot products of NumPy
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

import onefold  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("docs/python.md", "docs/python/speed.md")
OPS, DTYPES = ("sum", "mean", "var", "dot"), ("float64", "float32")
SIZES = (10, 10**3, 10**6, 10**8)
REGION = re.compile(r"<!-- begin python-speed (\w+) (\w+) -->\n.*?<!-- end python-speed -->", re.S)
BASE = "NumPy"
THREADS = {"1": 1, "all": len(os.sched_getaffinity(0))}


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Entry:
    """One library's call. `enter` is called before each round: it sets the number of threads."""

    def __init__(self, name, threads, call, most=math.inf, enter=lambda: None):
        self.name, self.threads, self.call, self.most = name, threads, call, most
        self.enter, self.seconds = enter, []


def onefold_entries(op, arrays):
    call = getattr(onefold, op)
    for threads, number in THREADS.items():
        enter = lambda number=number: onefold.threads(number).__enter__()  # noqa: E731
        yield Entry("onefold", threads, lambda: call(*arrays), enter=enter)
        if op == "sum":
            yield Entry("onefold, fast", threads, lambda: call(*arrays, accuracy="fast"),
                        enter=enter)


def torch_entries(op, arrays):
    if torch := installed("torch"):
        tensors, call = [torch.from_numpy(x) for x in arrays], getattr(torch, op)
        named = {"correction": 0} if op == "var" else {}
        for threads, number in THREADS.items():
            yield Entry("PyTorch", threads, lambda: call(*tensors, **named),
                        enter=lambda number=number: torch.set_num_threads(number))


def polars_entries(op, arrays):
    if polars := installed("polars"):
        x, *others = [polars.Series(x) for x in arrays]
        call, named = getattr(x, op), {"ddof": 0} if op == "var" else {}
        yield Entry("polars", "1", lambda: call(*others, **named))


def duckdb_entries(op, arrays):
    duckdb = installed("duckdb")
    if not duckdb or arrays[0].dtype != "float64":
        return
    connection = duckdb.connect()
    connection.register("numbers", dict(zip("xy", arrays)))
    words = {"sum": "fsum(x)", "mean": "favg(x)", "var": "var_pop(x)", "dot": "fsum(x * y)"}[op]
    query = f"select {words} from numbers"
    for threads, number in THREADS.items():
        yield Entry(f"DuckDB {words.split('(')[0]}", threads,
                    lambda: connection.execute(query).fetchall(),
                    enter=lambda number=number: connection.execute(f"set threads = {number}"))


def other_entries(op, arrays):
    """numkong, xsum, accupy and Python's own, where a call does not take seconds."""
    double = arrays[0].dtype == "float64"
    if op in ("sum", "dot") and (numkong := installed("numkong")):
        call = getattr(numkong, op)
        yield Entry("numkong", "1", lambda: call(*arrays), most=10**6)
    if op != "var" and double and (xsum := installed("xsum")):
        add = xsum.xsum_add_dot if op == "dot" else xsum.xsum_add

        def accumulate():
            accumulator = xsum.xsum_large_accumulator()
            add(accumulator, *arrays)
            if op == "mean":
                return xsum.xsum_large_div_int(accumulator, arrays[0].size)
            return xsum.xsum_round(accumulator)
        yield Entry("xsum", "1", accumulate)
    if op in ("sum", "dot") and double and (accupy := installed("accupy")):
        call = getattr(accupy, "f" + op)
        yield Entry(f"accupy f{op}", "1", lambda: call(*arrays), most=10**6)
    if op in ("sum", "mean") and double:
        call = math.fsum if op == "sum" else statistics.fmean
        yield Entry(f"Python {call.__name__}", "1", lambda: call(arrays[0]), most=10**6)


def entries(op, arrays):
    call = getattr(np, op)
    yield Entry(BASE, "1", lambda: call(*arrays))
    for kind in (onefold_entries, torch_entries, polars_entries, duckdb_entries, other_entries):
        yield from kind(op, arrays)


def timed(entry, count):
    entry.enter()
    call = entry.call
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def measured(op, arrays, quick):
    """The cells of one operator on the same arrays: {(name, threads): cell}."""
    size = arrays[0].size
    found = [entry for entry in entries(op, arrays) if size <= entry.most]
    rounds, least = (15, 3e-3) if size < 10**5 else (7, 1e-2) if size < 10**7 else (3, 0)
    if quick:
        rounds, least = 1, 0
    counts = [1] * len(found)
    for _ in range(2 if least else 1):  # the first call makes threads and plans
        counts = [max(1, round(least / timed(entry, count))) for entry, count in zip(found, counts)]
    for _ in range(rounds):
        for entry, count in zip(found, counts):
            entry.seconds.append(timed(entry, count))
    base = found[0].seconds
    return [{"library": entry.name, "threads": entry.threads, "seconds": min(entry.seconds),
             "ratio": statistics.median(b / a for a, b in zip(base, entry.seconds))}
            for entry in found]


def measure(sizes, quick):
    random, cells = np.random.default_rng(1), []
    for size in sizes:
        x, y = random.standard_normal(size), random.standard_normal(size)
        for dtype in DTYPES:
            x, y = x.astype(dtype, copy=False), y.astype(dtype, copy=False)
            for op in OPS:
                print(f"{op} of {size:,} {dtype}", file=sys.stderr, flush=True)
                cells += [{"op": op, "dtype": dtype, "size": size, **cell}
                          for cell in measured(op, [x, y][:2 if op == "dot" else 1], quick)]
    names = ("onefold", "numpy", "torch", "polars", "duckdb", "numkong", "xsum", "accupy")
    versions = {name: importlib.metadata.version(name) for name in names
                if name != "onefold" and installed(name)}
    machine = onefold.machine()
    return {"schema": 2, "date": datetime.date.today().isoformat(), "sizes": list(sizes),
            "machine": {key: machine[key] for key in ("cpu", "target", "threads")},
            "versions": {"onefold": onefold.__version__, **versions,
                         "python": platform.python_version()}, "cells": cells}


def short(seconds):
    for unit, scale in (("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def table(result, op, dtype):
    """A row a library, a column a size: the time, and in parentheses its ratio to NumPy's."""
    rows = {}
    for cell in result["cells"]:
        if (cell["op"], cell["dtype"]) == (op, dtype):
            text = short(cell["seconds"])
            if cell["library"] != BASE:
                text += f" ({cell['ratio']:.2g})"
            rows.setdefault((cell["library"], cell["threads"]), {})[cell["size"]] = text
    head = ["library", "threads", *(f"{size:,}" for size in result["sizes"])]
    lines = [head, ["---", "---", *["---:"] * len(result["sizes"])]]
    lines += [[*key, *(row.get(size, "–") for size in result["sizes"])]
              for key, row in rows.items()]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    machine = result["machine"]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines) + (
        f"\n{result['date']}, {machine['cpu']}, {machine['target']}, {machine['threads']} threads; "
        f"{versions}.\n")


def pages(result, write):
    """Writes the tables between the markers, or names the pages that differ."""
    stale = []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = REGION.sub(lambda match: f"<!-- begin python-speed {match[1]} {match[2]} -->\n"
                         f"{table(result, match[1], match[2])}<!-- end python-speed -->", text)
        if new != text:
            stale.append(page)
            if write:
                (ROOT / page).write_text(new, encoding="utf-8")
    return stale


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.check and not asked.table:
        parser.error("--check compares the pages with a stored result: give --table")
    if asked.table:
        result = json.loads(asked.table.read_text(encoding="utf-8"))
    else:
        result = measure(asked.sizes, asked.quick)
    if asked.out:
        asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if asked.write or asked.check:
        stale = pages(result, asked.write)
        print("\n".join(f"{page}: {'written' if asked.write else 'stale'}" for page in stale))
        return 1 if stale and asked.check else 0
    for dtype in DTYPES:
        for op in OPS:
            print(f"{op} {dtype}\n\n{table(result, op, dtype)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
