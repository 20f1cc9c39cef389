#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold's sums from Python beside the libraries that people use today.

    python_speed.py [--items N] [--out FILE]       measure
    python_speed.py --table FILE                   the Markdown table of a result

Two questions: the time of a call for 10 elements, and the throughput of a sum of N float64, with
one thread and with all. A time is the least of several; a ratio is beside np.sum in this process.
Libraries that are not installed are left out.
"""
import argparse
import datetime
import importlib
import json
import math
import os
import pathlib
import platform
import timeit

import numpy as np

import onefold

REPEATS = 7


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def libraries(x):
    """(name, version, function of no argument, threads) of each library's sum of x."""
    yield "NumPy sum", np.__version__, lambda: np.sum(x), "1"
    yield "onefold sum", onefold.__version__, lambda: onefold.sum(x), "all"
    yield "onefold sum, fast", onefold.__version__, lambda: onefold.sum(x, accuracy="fast"), "all"
    yield "math.fsum", platform.python_version(), lambda: math.fsum(x), "1"
    if torch := installed("torch"):
        tensor = torch.from_numpy(x)
        yield "PyTorch sum", torch.__version__, lambda: torch.sum(tensor), "all"
    if polars := installed("polars"):
        series = polars.Series(x)
        yield "polars sum", polars.__version__, series.sum, "1"
    if duckdb := installed("duckdb"):
        connection = duckdb.connect()
        connection.register("numbers", {"x": x})
        yield ("DuckDB fsum", duckdb.__version__,
               lambda: connection.execute("select fsum(x) from numbers").fetchone(), "all")
    if xsum := installed("xsum"):
        yield "xsum", getattr(xsum, "__version__", ""), lambda: xsum.xsum(x), "1"
    if accupy := installed("accupy"):
        yield "accupy fsum", accupy.__version__, lambda: accupy.fsum(x), "1"


def seconds(function, least):
    """The least time of one call: of rounds that take a while each."""
    timer = timeit.Timer(function)
    count, _ = timer.autorange() if least else (1, 0)
    return min(timer.repeat(REPEATS if least else 3, count)) / count


def measured(x, small):
    rows = []
    for name, version, function, threads in libraries(x):
        if name == "math.fsum" and not small:
            continue  # seconds of boxing say nothing new
        function()
        rows.append({"name": name, "version": version, "threads": threads,
                     "seconds": seconds(function, small)})
        if name.startswith("onefold") and not small:
            with onefold.threads(1):
                rows.append({"name": name, "version": version, "threads": "1",
                             "seconds": seconds(function, small)})
    base = rows[0]["seconds"]
    for row in rows:
        row["beside NumPy"] = row["seconds"] / base if small else base / row["seconds"]
    return rows


def table(result):
    lines = []
    for title, key, unit in (("10 elements: time of a call", "calls", "times np.sum's time"),
                             (f"{result['items']:,} float64: throughput", "throughput",
                              "times np.sum's speed")):
        lines += [f"### {title}", "", f"| library | version | threads | time | {unit} |",
                  "|---|---|---|---|---|"]
        for row in result[key]:
            time = row["seconds"]
            text = f"{time * 1e6:.2f} us" if time < 1e-3 else f"{time * 1e3:.1f} ms"
            lines.append(f"| {row['name']} | {row['version']} | {row['threads']} | {text} | "
                         f"{row['beside NumPy']:.2f} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=10**8)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.table:
        print(table(json.loads(asked.table.read_text(encoding="utf-8"))))
        return
    random = np.random.default_rng(1)
    result = {"schema": 1, "date": datetime.date.today().isoformat(), "items": asked.items,
              "machine": {**onefold.machine(), "cpus": os.cpu_count()},
              "calls": measured(random.standard_normal(10), True),
              "throughput": measured(random.standard_normal(asked.items), False)}
    print(table(result))
    if asked.out:
        asked.out.write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
