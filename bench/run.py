#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark, judges it, writes bench/results/<machine>/cpu.json and the tables.

Every figure is a ratio within this run: subject, AVX2, yardstick and NumPy are called in turn, and
the ratios' median and quartiles are what is told. A row above the read ceiling by more than 3 %
means that the ceiling is none, and fails the run.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import report as reports
from peers import NumPy
from rows import ROWS

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEER_SECONDS = 1.5  # a slow peer is called less often than we are, 3 times at least


class Worker:
    """The C++ side: one process, asked by name."""

    def __init__(self, path, **environment):
        self.pipe = subprocess.Popen(
            [path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def ask(self, line):
        self.pipe.stdin.write(line + "\n")
        self.pipe.stdin.flush()
        answer = self.pipe.stdout.readline()
        if not answer.endswith("\n"):
            sys.exit(f"bench: the worker died on '{line}'")
        return answer.split()

    def measure(self, subject, row, threads):
        """Seconds of one call, and the bytes that it moves."""
        shape = "x".join(str(extent) for extent in row.shape)
        what = f"{row.op} {row.dtype} {row.out or '-'} {shape} {row.over} {row.data}"
        seconds, moved = self.ask(f"{subject} {what} {threads} {row.calls}")
        return float(seconds) / row.calls, int(moved)

    def seconds(self, subject, row, threads):
        return self.measure(subject, row, threads)[0]


def quartiles(values):
    q1, q2, q3 = statistics.quantiles(values, n=4)
    return {"median": q2, "q1": q1, "q3": q3}


class Bench:
    def __init__(self, path, asked, facts):
        self.worker, self.pairs, self.threads = Worker(path), asked.pairs, asked.threads
        self.readers = self.worker.ask("list")
        other = "avx2" in facts["simd"].split("(")[0].split()[2:]
        self.avx2 = Worker(path, ONEFOLD_SIMD="avx2") if other else None
        # A BLAS whose threads spin after a call would hold a core while the next one is timed.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        self.numpy = None if asked.no_numpy else NumPy()
        self.near = {}

    def timed(self, who, row, *how):
        """Seconds of one call of what has just been in no cache; rows of `small` stay there."""
        if row.section != "small":
            self.worker.ask("evict")
        return who.seconds(*how)

    def yardsticks(self, row, threads):
        """Who is asked besides us: all plain readers, or all copies, by one thread or by all."""
        if row.yardstick not in ("ceiling", "memcpy"):
            return []
        kinds = ["memcpy"] if row.yardstick == "memcpy" else self.readers
        return [(kind, count) for kind in kinds for count in sorted({1, threads})]

    def contenders(self, row, threads):
        """Of the yardsticks those that come within a quarter of the fastest, by three rounds."""
        key = (row.yardstick, row.view_bytes, row.op == "dot", threads)
        if key not in self.near:
            tried = {
                each: statistics.median(
                    self.timed(self.worker, row, each[0], row, each[1]) for _ in range(3)
                )
                for each in self.yardsticks(row, threads)
            }
            bound = 1.25 * min(tried.values(), default=0)
            self.near[key] = [each for each in tried if tried[each] <= bound]
        return self.near[key]

    def rounds(self, row, threads):
        """Times of all who take part, in turn: lists by name."""
        ours = row.subject in ("exact", "fast", "front")
        times = {"ours": [], "avx2": [], "numpy": []}
        plain = {each: [] for each in self.contenders(row, threads)}
        avx2 = self.avx2 if ours else None
        numpy = self.numpy if self.numpy and self.numpy.call(row) else None
        self.worker.seconds(row.subject, row, threads)
        if avx2:
            avx2.seconds(row.subject, row, threads)
        numpy_left = max(3, min(self.pairs, PEER_SECONDS / self.numpy.seconds(row))) if numpy else 0
        for k in range(self.pairs):
            times["ours"].append(self.timed(self.worker, row, row.subject, row, threads))
            for (reader, count), list_of in plain.items():
                list_of.append(self.timed(self.worker, row, reader, row, count))
            if avx2:
                times["avx2"].append(self.timed(avx2, row, row.subject, row, threads))
            if k < numpy_left:
                times["numpy"].append(self.timed(self.numpy, row, row))
        return times, plain

    def measure(self, row):
        threads = row.threads or self.threads
        kind = row.yardstick
        moved = self.worker.measure(row.subject, row, threads)[1]
        times, plain = self.rounds(row, threads)
        yardstick = min(plain, key=lambda each: statistics.median(plain[each]), default=None)
        ours, theirs = times["ours"], times["numpy"] if kind == "numpy" else plain.get(yardstick)
        # A reader reads the views; what the row moves besides costs the ceiling as much a byte.
        views = 2 if row.op == "dot" else 1
        scale = moved / (views * row.view_bytes) if kind == "ceiling" else 1
        ns = statistics.median(ours) * 1e9
        result = {
            "row": row.name,
            "section": row.section,
            "threads": threads,
            "goal": row.goal,
            "least": row.least,
            "pairs": self.pairs,
            "ns": ns,
            "gb_per_s": moved / ns,
        }
        if theirs:
            name = "NumPy" if kind == "numpy" else f"{yardstick[0]}, {yardstick[1]}"
            result |= {
                "yardstick": name,
                "yardstick_kind": kind,
                "yardstick_gb_per_s": moved / statistics.median(theirs) / scale / 1e9,
                "ratio": quartiles([scale * t / o for o, t in zip(ours, theirs)]),
            }
            if times["avx2"]:
                ratios = [scale * t / o for o, t in zip(times["avx2"], theirs)]
                result["avx2"] = statistics.median(ratios)
        if times["avx2"]:
            result["avx2_ns"] = statistics.median(times["avx2"]) * 1e9
        if times["numpy"]:
            result["numpy_ns"] = statistics.median(times["numpy"]) * 1e9
            result["numpy"] = statistics.median(t / o for o, t in zip(ours, times["numpy"]))
        return result


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def process_row(program, path, yardstick, kind, pairs, **facts):
    """`onefold sum` of a file, a whole process each time, beside what reads the same file."""
    def ours():
        subprocess.run([program, "sum", path], check=True, stdout=subprocess.DEVNULL)
    times = [(seconds_of(ours), seconds_of(yardstick)) for _ in range(pairs)]
    ns = statistics.median(own for own, _ in times) * 1e9
    return {
        "least": (),
        "pairs": pairs,
        "ns": ns,
        "gb_per_s": path.stat().st_size / ns,
        "yardstick": kind,
        "yardstick_kind": kind if kind == "numpy" else "awk",
        "ratio": quartiles([theirs / own for own, theirs in times]),
        **facts,
    }


def text_rows(program, pairs):
    """The program against awk."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "prices.txt"
        path.write_text("".join(f"{i * 7919 % 100000 / 100:.2f}\n" for i in range(4_000_000)))
        for awk in ("mawk", "gawk"):
            if subprocess.run(["which", awk], capture_output=True).returncode:
                continue
            def peer(command=(awk, "{s+=$1} END{print s}", path)):
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            name = f"text, {path.stat().st_size / 1e6:.0f} MB of prices, against {awk}"
            rows.append(process_row(program, path, peer, awk, pairs,
                                    row=name, section="text", threads=1, goal=3.0))
    return rows


def file_rows(program, numpy, pairs):
    """The program against NumPy's memory map, which is of one thread and no process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for dtype in ("float32", "float64"):
            path = pathlib.Path(folder) / f"{dtype}.npy"
            items = (512 << 20) // numpy.dtype(dtype).itemsize
            numpy.save(path, numpy.random.default_rng(1).standard_normal(items).astype(dtype))
            rows.append(process_row(
                program, path, lambda path=path: numpy.load(path, mmap_mode="r").sum(), "numpy",
                pairs, row=f"a cached .npy of 512 MiB of {dtype}, against NumPy's memory map",
                section="file", threads=os.cpu_count(), goal=1.0))
            path.unlink()
    return rows


def machine_facts(folder):
    """What `onefold doctor` says of CPU, SIMD target and threads."""
    doctor = [folder / "onefold", "doctor", "--json"]
    checks = json.loads(subprocess.run(doctor, capture_output=True, text=True).stdout)
    said = {check["subject"]: check["text"] for check in checks["checks"]}
    return {subject: said[subject] for subject in ("cpu", "simd", "threads", "compiler")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", default="", help="rows whose name or section contains this")
    parser.add_argument("--no-numpy", action="store_true", help="leave NumPy out; for short runs")
    parser.add_argument("--build", default="build/release", help="where worker and program are")
    parser.add_argument("--list", action="store_true", help="print rows and goals, and end")
    parser.add_argument("--update", action="store_true", help="with --only: replace these rows")
    parser.add_argument("--machine", default=platform.machine(), help="folder under bench/results")
    asked = parser.parse_args()
    asked.threads = len(os.sched_getaffinity(0))
    return asked


def updated(rows, newer):
    """The rows of an earlier run, with those that have been measured anew."""
    by_name = {row["row"]: row for row in newer}
    return [by_name.get(row["row"], row) for row in rows]


def say(row):
    ratio = row.get("ratio", {}).get("median", float("nan"))
    narrow, numpy = (f"{row[of]:5.2f}" if of in row else "    -" for of in ("avx2", "numpy"))
    print(
        f"{row['row']:<48} {row['gb_per_s']:7.2f} GB/s {row['ns']:11.0f} ns {ratio:5.2f} of "
        f"{row.get('yardstick', '-'):<18} avx2 {narrow} numpy {numpy} {row['verdict']}",
        flush=True,
    )


def main():
    asked = arguments()
    wanted = [row for row in ROWS if asked.only in row.name or asked.only == row.section]
    if asked.list:
        for row in wanted:
            print(row.section, row.name, row.yardstick, row.goal, *row.least, sep="\t")
        return 0
    folder = ROOT / asked.build
    facts = machine_facts(folder)
    bench = Bench(folder / "bench/bench_worker", asked, facts)
    measured = {}
    # Rows of the same elements one after the other: each set is made once.
    for row in sorted(wanted, key=lambda row: (row.items, row.dtype, row.data, row.op == "dot")):
        result = measured[row.name] = bench.measure(row)
        result["verdict"] = reports.verdict(result)
        say(result)
    rows = [measured[row.name] for row in wanted]
    pairs = max(5, asked.pairs // 3)
    processes = []
    if asked.only in "text":
        processes += text_rows(folder / "onefold", pairs)
    if asked.only in "file" and bench.numpy:
        processes += file_rows(folder / "onefold", bench.numpy.numpy, pairs)
    for row in processes:
        rows.append(row | {"verdict": reports.verdict(row)})
        say(rows[-1])
    if asked.no_numpy or (asked.only and not asked.update):
        return 0
    path = ROOT / "bench/results" / asked.machine / "cpu.json"
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    rows = [row | {"commit": commit} for row in rows]
    if asked.update:
        rows = updated(json.loads(path.read_text())["rows"], rows)
    report = {
        "schema": 2,
        "date": datetime.date.today().isoformat(),
        "commit": commit,
        "machine": facts,
        "numpy": bench.numpy.numpy.__version__,
        "pairs": asked.pairs,
        "rows": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n")
    reports.write_all(ROOT, report)
    return int(any(row["verdict"] == "above the ceiling" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
