#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a newcomer and a change wait for, into bench/results/minutes.json, the README and
docs/install.md.

    bench/minutes.py                     two cores, an hour: .ci/run in a fresh clone of HEAD
    bench/minutes.py --first-mile        two cores, 15 minutes: the README's commands in a clone
    bench/minutes.py --gpu [--commit X]  a machine with a GPU: in this folder, which has no build/
    bench/minutes.py --check             measures nothing
    bench/minutes.py --write             only writes the two pages anew

Nothing else may run, and the packages are installed. Of .ci/run the rows `run`, `run again` and
`test` are the README's commands as the stage `readme` of tools/check times them in a bare Debian,
without the seconds in which packages are installed; `kernel` is the time from a changed kernel to
the passed tests of its folder. --check: the exit code is 1 if a committed figure is above its cap
in ROWS; it names those that are missing.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench/results/minutes.json"
PAGES = ("README.md", "docs/install.md")  # between the markers `minutes`
PACKAGES = ROOT / "tools/packages.txt"
KERNEL = "src/cpu/kernels/batched/batched_integers.cpp"  # the longest to compile

# name: (cap in minutes, command)
ROWS = {
    "run": (5.0, "make run"),
    "run again": (0.25, "make run"),
    "test": (12.0, "make test"),
    "kernel": (1.5, f"touch {KERNEL} && make test FOLDER=cpu"),
    "ci": (65.0, "bash .ci/run"),
    "gpu run": (4.0, "make run"),
    "gpu test": (12.0, "make test"),
}
BARE = ("run", "run again", "test")  # of a whole run: in a bare Debian, which has no nvcc
STEP = re.compile(r"^(?:setup: installed in (?P<setup>\d+) s|took (?P<took>[\d.]+) s)$", re.M)


def machine(commit):
    model = next((line.split(":", 1)[1].strip() for line in
                  pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                  if line.startswith("model name")), platform.machine())
    facts = {"commit": commit, "date": datetime.date.today().isoformat(), "cpu": model,
             "cores": len(os.sched_getaffinity(0)), "nvcc": shutil.which("nvcc") is not None}
    if shutil.which("nvidia-smi"):
        facts["gpu"] = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                                      check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    return facts


def timed(name, folder):
    """The minutes of a row's command; --check passes meanwhile."""
    start = time.monotonic()
    done = subprocess.run(["bash", "-c", ROWS[name][1]], cwd=folder, check=False, text=True,
                          env=dict(os.environ, ONEFOLD_MINUTES="measured"),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    minutes = (time.monotonic() - start) / 60
    if done.returncode:
        sys.stdout.write(done.stdout[-6000:])
        raise SystemExit(f"minutes: {ROWS[name][1]} gave {done.returncode} after {minutes:.1f} min")
    return minutes


def first_mile(log):
    """Minutes of `make run`, again, and `make test`, without those of installing packages."""
    minutes, setup = [], 0
    for step in STEP.finditer(log):
        if step["setup"]:
            setup += int(step["setup"])
        else:
            minutes.append((float(step["took"]) - setup) / 60)
            setup = 0
    return dict(zip(BARE, minutes, strict=True))


def measure_two_cores(first_mile_alone):
    """({row: minutes}, the stages of .ci/run or None, the commit)."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True,
                            text=True, stdout=subprocess.PIPE).stdout.strip()
    stages = None
    with tempfile.TemporaryDirectory() as place:
        clone = pathlib.Path(place) / "onefold"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        if first_mile_alone:
            found = {name: timed(name, clone) for name in ("run", "run again", "test")}
        else:
            found = {"ci": timed("ci", clone)}
            logs = clone / "build/check"
            stages = json.loads((logs / "minutes.json").read_text(encoding="utf-8"))
            found |= first_mile((logs / "readme.log").read_text(encoding="utf-8"))
        found["kernel"] = timed("kernel", clone)
    return found, stages, commit


def write(found, stages, commit):
    result = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for name, minutes in found.items():
        result[name] = {"minutes": round(minutes, 2), "command": ROWS[name][1], **machine(commit)}
        if stages and name in BARE:
            result[name]["nvcc"] = False
        print(f"{name:<10}{minutes:6.2f} min  {ROWS[name][1]}")
    if stages:
        result["ci"]["stages"] = stages
    RESULT.write_text(json.dumps({name: result[name] for name in ROWS if name in result},
                                 indent=1) + "\n", encoding="utf-8")


def packages_of(group):
    """How many Debian packages of tools/packages.txt belong to the group."""
    lines = [line.split() for line in PACKAGES.read_text(encoding="utf-8").splitlines()]
    return sum(1 for words in lines if words and words[0] != "#" and group in words[1].split(","))


def sentence(result):
    """What the README's two commands install and take."""
    run, test = result["run"], result["test"]
    day, cpu = (" and ".join(dict.fromkeys(row[name] for row in (run, test)))
                for name in ("date", "cpu"))
    return (f"On Debian 12, as root, `make run` installs what is missing of {packages_of('build')} "
            f"packages and takes {run['minutes']:.1f} minutes of two cores; `make test` installs "
            f"{packages_of('test')} more and takes {test['minutes']:.1f} ({cpu}, {day}, commit "
            f"{run['commit']}).\n")


def findings(result):
    """The figures above their caps."""
    for name, (cap, command) in ROWS.items():
        if name in result and result[name]["minutes"] > cap:
            yield f"{name}: `{command}` took {result[name]['minutes']} min, the cap is {cap}"


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--first-mile", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--commit", default="unknown", help="the name of what --gpu measures")
    options = parser.parse_args()
    if options.gpu:
        write({name: timed(name, ROOT) for name in ("gpu run", "gpu test")}, None, options.commit)
        return 0
    if not options.check and not options.write:
        write(*measure_two_cores(options.first_mile))
    if os.environ.get("ONEFOLD_MINUTES") == "measured":
        print("minutes: being measured")
        return 0
    result = json.loads(RESULT.read_text(encoding="utf-8"))
    if not options.check:
        for page in PAGES:
            write_between(ROOT / page, "minutes", sentence(result))
    found = list(findings(result))
    for name in (name for name in ROWS if name not in result):
        print(f"minutes: {name}: not measured yet")
    for finding in found:
        print(f"minutes: {finding}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
