#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks, judges them, writes bench/results/<machine>/sum.json and two tables.

Every figure is a ratio within this run: subject and yardstick are called in turn, at least 15
times, and the ratio's median and quartiles are what is told. A row above the read ceiling by more
than 3 % means that the ceiling is none, and fails the run.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGE, CACHE = 512 << 20, 256 << 10

# The rows, fixed before measuring: name, subject, data, threads (0: all), calls, yardstick, goal.
# Yardstick "ceiling" is the fastest reader of this machine over the same bytes and at most the
# same threads.
ROWS = [
    ("exact f64, 512 MiB", "exact", "f64:normal", 0, 1, "ceiling", 0.95),
    ("exact f32, 512 MiB", "exact", "f32:normal", 0, 1, "ceiling", 0.85),
    ("fast f64, 512 MiB", "fast", "f64:normal", 0, 1, "ceiling", 0.95),
    ("fast f32, 512 MiB", "fast", "f32:normal", 0, 1, "ceiling", 0.95),
    ("exact f64, lognormal sigma 10", "exact", "f64:lognormal10", 0, 1, "ceiling", 0.5),
    ("exact f64, random bits", "exact", "f64:bits", 0, 1, "ceiling", 0.25),
    ("exact f32, random bits", "exact", "f32:bits", 0, 1, "ceiling", 0.25),
    ("Eigen f64, 512 MiB, one thread", "eigen", "f64:normal", 1, 1, "ceiling", None),
    ("std::reduce par_unseq f64, 512 MiB", "std_reduce", "f64:normal", 0, 1, "ceiling", None),
    ("std::reduce par_unseq f32, 512 MiB", "std_reduce", "f32:normal", 0, 1, "ceiling", None),
    ("NumPy f64, 512 MiB", "numpy", "f64:normal", 1, 1, "ceiling", None),
    ("NumPy f32, 512 MiB", "numpy", "f32:normal", 1, 1, "ceiling", None),
    ("exact f64, 256 KiB, one core", "exact", "f64:cache", 1, 200, "numpy", 0.6),
    ("exact f32, 256 KiB, one core", "exact", "f32:cache", 1, 200, "numpy", None),
    ("fast f64, 256 KiB, one core", "fast", "f64:cache", 1, 200, "ceiling", 0.9),
    ("exact f64, 8 elements", "sum", "f64:eight", 1, 20000, None, None),
]
FLOORS = {  # absolute goals: row, unit, bound
    "exact f64, 256 KiB, one core": ("GB/s", 20.0),
    "exact f64, 8 elements": ("ns", 150.0),
}


class Worker:
    """The C++ side: one process, asked by name."""

    def __init__(self, path):
        self.pipe = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line):
        self.pipe.stdin.write(line + "\n")
        self.pipe.stdin.flush()
        answer = self.pipe.stdout.readline()
        if not answer:
            sys.exit(f"bench: the worker died on '{line}'")
        return answer.split()

    def seconds(self, subject, data, threads, calls):
        return float(self.ask(f"{subject} {data} {threads} {calls}")[0]) / calls


class NumPy:
    """NumPy on data of the same kind and size, in this process."""

    def __init__(self):
        import numpy

        self.numpy, self.sets = numpy, {}

    def seconds(self, _subject, data, _threads, calls):
        if data not in self.sets:
            kind, name = data.split(":")
            size = CACHE if name == "cache" else LARGE
            random = self.numpy.random.default_rng(1)
            fresh = random.standard_normal(min(1 << 20, size // int(kind[1:]) * 8)).astype(
                kind[0] + str(int(kind[1:]) // 8)
            )
            self.sets[data] = self.numpy.resize(fresh, size // fresh.itemsize)
        x = self.sets[data]
        begin = time.perf_counter()
        for _ in range(calls):
            x.sum()
        return (time.perf_counter() - begin) / calls


def quartiles(values):
    q1, q2, q3 = statistics.quantiles(values, n=4)
    return {"median": q2, "q1": q1, "q3": q3}


def bytes_of(data):
    return {"cache": CACHE, "eight": 64}.get(data.split(":")[1], LARGE)


class Bench:
    def __init__(self, worker, numpy, threads, pairs):
        self.worker, self.numpy, self.threads, self.pairs = worker, numpy, threads, pairs
        self.readers = worker.ask("list")
        self.ceilings = {}

    def seconds(self, subject, data, threads, calls):
        source = self.numpy if subject == "numpy" else self.worker
        return source.seconds(subject, data, threads, calls)

    def ceiling(self, data, threads, calls):
        """The fastest reader and thread count for these bytes, found once by five rounds."""
        key = (data.split(":")[0], bytes_of(data), threads)
        if key not in self.ceilings:
            counts = range(1, threads + 1)
            best = {
                (r, t): statistics.median(self.worker.seconds(r, data, t, calls) for _ in range(5))
                for t in counts
                for r in self.readers
            }
            self.ceilings[key] = min(best, key=best.get)
        return self.ceilings[key]

    def measure(self, row):
        name, subject, data, threads, calls, yardstick, goal = row
        threads = threads or self.threads
        yard_threads = threads
        if yardstick == "ceiling":
            # A peer with one thread is still held against the whole machine.
            yardstick, yard_threads = self.ceiling(
                data, self.threads if bytes_of(data) == LARGE else threads, calls
            )
        ours, theirs = [], []
        self.seconds(subject, data, threads, calls)
        for _ in range(self.pairs):
            ours.append(self.seconds(subject, data, threads, calls))
            if yardstick:
                theirs.append(self.seconds(yardstick, data, yard_threads, calls))
        result = {
            "row": name,
            "threads": threads,
            "goal": goal,
            "pairs": self.pairs,
            "ns": statistics.median(ours) * 1e9,
            "gb_per_s": bytes_of(data) / statistics.median(ours) / 1e9,
        }
        if yardstick:
            result |= {
                "yardstick": yardstick,
                "yardstick_threads": yard_threads,
                "yardstick_gb_per_s": bytes_of(data) / statistics.median(theirs) / 1e9,
                "ratio": quartiles([t / o for o, t in zip(ours, theirs)]),
            }
        return result


def text_rows(pairs):
    """The program against awk on the same file, whole processes."""
    program = ROOT / "build/bench/onefold"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "prices.txt"
        path.write_text("".join(f"{i * 7919 % 100000 / 100:.2f}\n" for i in range(4_000_000)))
        for awk in ("mawk", "gawk"):
            if subprocess.run(["which", awk], capture_output=True).returncode:
                continue
            ratios, ours = [], []
            for _ in range(pairs):
                times = []
                for command in ([program, "sum", path], [awk, "{s+=$1} END{print s}", path]):
                    begin = time.perf_counter()
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                    times.append(time.perf_counter() - begin)
                ratios.append(times[1] / times[0])
                ours.append(times[0])
            size = path.stat().st_size
            rows.append(
                {
                    "row": f"text, {size / 1e6:.0f} MB of prices, against {awk}",
                    "threads": 1,
                    "goal": 3.0,
                    "pairs": pairs,
                    "gb_per_s": size / statistics.median(ours) / 1e9,
                    "ns": statistics.median(ours) * 1e9,
                    "yardstick": awk,
                    "ratio": quartiles(ratios),
                    "yardstick_threads": 1,
                }
            )
    return rows


def verdict(row):
    """'' where nothing was promised, else met / missed; a broken ceiling is named."""
    reading = row.get("ratio", {}).get("median")
    against_ceiling = row.get("yardstick") not in (None, "numpy", "mawk", "gawk")
    if against_ceiling and reading > 1.03:
        return "above the ceiling"
    missed = row["goal"] is not None and reading < row["goal"]
    unit, bound = FLOORS.get(row["row"], (None, None))
    if unit == "GB/s":
        missed |= row["gb_per_s"] < bound
    if unit == "ns":
        missed |= row["ns"] > bound
    if row["goal"] is None and unit is None:
        return ""
    return "missed" if missed else "met"


def table(report):
    head = "| row | threads | GB/s | yardstick | ratio (quartiles) | goal | |\n"
    head += "|---" * 7 + "|\n"
    lines = []
    for row in report["rows"]:
        ratio = row.get("ratio")
        unit, bound = FLOORS.get(row["row"], (None, None))
        goal = " and ".join(
            filter(
                None,
                [f"{row['goal']:g}" if row["goal"] else "", f"{bound:g} {unit}" if bound else ""],
            )
        )
        speed = f"{row['gb_per_s']:.1f}" if row["ns"] > 1000 else f"{row['ns']:.0f} ns"
        lines.append(
            "| {} | {} | {} | {} | {} | {} | {} |".format(
                row["row"],
                row["threads"],
                speed,
                row.get("yardstick", ""),
                f"{ratio['median']:.2f} ({ratio['q1']:.2f}–{ratio['q3']:.2f})" if ratio else "",
                goal,
                row["verdict"],
            )
        )
    facts = report["machine"]
    return (
        f"{report['date']}, commit {report['commit']}, {facts['cpu']}, threads {facts['threads']}, "
        f"SIMD {facts['simd']}, NumPy {report['numpy']}. Ratios are speeds: the yardstick's time "
        f"over ours, medians of {report['rows'][0]['pairs']} interleaved pairs.\n\n"
        + head
        + "\n".join(lines)
        + "\n"
    )


README_ROWS = [
    "exact f64, 512 MiB",
    "exact f32, 512 MiB",
    "fast f64, 512 MiB",
    "NumPy f64, 512 MiB",
    "std::reduce par_unseq f64, 512 MiB",
    "Eigen f64, 512 MiB, one thread",
]


def readme_table(report):
    rows = {row["row"]: row for row in report["rows"]}
    lines = [
        f"| {name} | {rows[name]['gb_per_s']:.1f} | {rows[name]['ratio']['median']:.2f} |"
        for name in README_ROWS
    ]
    return (
        "| sum | GB/s | of the read ceiling |\n|---|---|---|\n"
        + "\n".join(lines)
        + f"\n\n{report['date']}, {report['machine']['cpu']}, {report['machine']['threads']}; "
        "every row: [docs/performance.md](docs/performance.md).\n"
    )


def write_between(path, name, text):
    marked = path.read_text()
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(marked):
        sys.exit(f"bench: {path} has no markers {begin} … {end}")
    path.write_text(pattern.sub(lambda _: f"{begin}\n{text}{end}", marked))


def machine_facts():
    """What `onefold doctor` says of CPU, SIMD target and threads."""
    program = ROOT / "build/bench/onefold"
    checks = json.loads(
        subprocess.run([program, "doctor", "--json"], capture_output=True, text=True).stdout
    )
    said = {check["subject"]: check["text"] for check in checks["checks"]}
    return {subject: said[subject] for subject in ("cpu", "simd", "threads", "compiler")}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pairs", type=int, default=15)
    arguments.add_argument(
        "--only", default="", help="rows whose name contains this; writes nothing"
    )
    arguments.add_argument(
        "--machine", default=platform.machine(), help="folder under bench/results"
    )
    asked = arguments.parse_args()
    threads = len(os.sched_getaffinity(0))
    numpy = NumPy()
    bench = Bench(Worker(ROOT / "build/bench/bench/sum_worker"), numpy, threads, asked.pairs)
    rows = []
    for row in ROWS:
        if asked.only in row[0]:
            rows.append(bench.measure(row))
    if asked.only in "text":
        rows += text_rows(max(5, asked.pairs // 3))
    for row in rows:
        row["verdict"] = verdict(row)
        ratio = row.get("ratio", {}).get("median", float("nan"))
        print(
            f"{row['row']:<42} {row['gb_per_s']:8.2f} GB/s {row['ns']:12.0f} ns  "
            f"{ratio:5.2f} of {row.get('yardstick', '-'):<16} {row['verdict']}",
            flush=True,
        )
    if asked.only:
        return 0
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    report = {
        "schema": 1,
        "date": datetime.date.today().isoformat(),
        "commit": commit,
        "machine": machine_facts(),
        "numpy": numpy.numpy.__version__,
        "rows": rows,
    }
    folder = ROOT / "bench/results" / asked.machine
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sum.json").write_text(json.dumps(report, indent=1) + "\n")
    write_between(ROOT / "docs/performance.md", "sum", table(report))
    write_between(ROOT / "README.md", "readme-table", readme_table(report))
    return int(any(row["verdict"] == "above the ceiling" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
