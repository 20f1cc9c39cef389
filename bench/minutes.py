#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a newcomer and a change wait for, into bench/results/minutes.json.

    bench/minutes.py [--check] [--here] [--commit NAME] [ROW ...]

For a machine with the packages and nothing else running. A row is the wall time of a command of
ROWS below, run in fresh clones of this checkout's HEAD, and has a cap. Without names the rows for
two cores are measured; those that are not keep what the file says. --here: in this folder, from
which build/ is gone, for a machine without git; --commit names what it is. --check measures nothing:
the exit code is 1 if a committed figure is above its cap, or missing. The stages of `.ci/run` are in
the file too, as tools/check printed them.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench/results/minutes.json"
KERNEL = "src/cpu/many_integers.cpp"  # the longest to compile

# name: (cap in minutes, command, what it shows). Rows of one clone follow each other.
FIRST, CHANGE, GPU = "first", "change", "gpu"
ROWS = {
    "run": (5.0, FIRST, "make run", "the first build, and the tour"),
    "run again": (0.25, FIRST, "make run", "nothing to build"),
    "test": (12.0, FIRST, "make test", "after make run"),
    "kernel": (1.5, FIRST, f"touch {KERNEL} && make test FOLDER=cpu", f"{KERNEL} changed"),
    "ci": (65.0, CHANGE, "bash .ci/run", "every stage of tools/check"),
    "gpu run": (4.0, GPU, "make run", "a GPU and 16 cores: the CUDA engine too"),
    "gpu test": (12.0, GPU, "make test", "after it, the tests on the device among them"),
}


def machine():
    model = next((line.split(":", 1)[1].strip() for line in
                  pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                  if line.startswith("model name")), platform.machine())
    facts = {"cpu": model, "cores": len(os.sched_getaffinity(0)),
             "nvcc": shutil.which("nvcc") is not None}
    if shutil.which("nvidia-smi"):
        facts["gpu"] = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                                      check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    return facts


def timed(command, folder):
    start = time.monotonic()
    done = subprocess.run(["bash", "-c", command], cwd=folder, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    minutes = (time.monotonic() - start) / 60
    if done.returncode:
        sys.stdout.write(done.stdout[-4000:])
        raise SystemExit(f"minutes: {command} gave {done.returncode} after {minutes:.1f} min")
    return round(minutes, 2)


def measure(names, result, here, commit):
    commit = commit or subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True,
                                      text=True, stdout=subprocess.PIPE).stdout.strip()
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            _, tree, command, shows = ROWS[name]
            clone = ROOT if here else pathlib.Path(place) / tree
            if not clone.exists():
                subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
            row = {"minutes": timed(command, clone), "command": command, "shows": shows,
                   "commit": commit, "date": datetime.date.today().isoformat(), **machine()}
            stages = clone / "build/check/minutes.json"
            if name == "ci":
                row["stages"] = json.loads(stages.read_text(encoding="utf-8"))
            result[name] = row
            print(f"{name:<10}{row['minutes']:6.2f} min  {command}", flush=True)
            RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def findings(result):
    for name, (cap, _, command, _) in ROWS.items():
        if name not in result:
            yield f"{name}: no figure; run bench/minutes.py"
        elif result[name]["minutes"] > cap:
            yield f"{name}: `{command}` took {result[name]['minutes']} min, the cap is {cap}"


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--commit", default="")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    options = parser.parse_args()
    for name in options.rows:
        if name not in ROWS:
            parser.error(f"no row is called {name}; the rows: {', '.join(ROWS)}")
    result = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    if not options.check:
        usual = [name for name, (_, tree, *_) in ROWS.items() if tree != GPU]
        measure(options.rows or usual, result, options.here, options.commit)
    found = list(findings(result))
    for finding in found:
        print(f"minutes: {finding}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
