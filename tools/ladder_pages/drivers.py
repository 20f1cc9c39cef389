# SPDX-License-Identifier: Apache-2.0
"""The table of ladder/host/drivers.cu: who folds the partial sums."""
import json
import re

from ladder_pages.ladder import Refusal, count, microseconds, table

PROGRAM = "ladder/host/drivers.cu"
LENGTH = 65536
LINE = re.compile(r"^(?P<driver>[a-z ]+?) +(?P<launches>\d+) launches, +(?P<bytes>\d+) bytes", re.M)
# Recorded lengths at which the grid is one block, which needs no second launch, and a few blocks.
ONE_BLOCK, FEW_BLOCKS = 4096, 16384
RUNGS = ("reduce/cascading", "reduce/two-stage")


def drivers(ladder, page, words):
    """Launches and copies as the executor counted them, and a second launch as a GPU timed it."""
    report = json.loads(ladder.ask(
        f"try '{ladder.root / PROGRAM}' --main --json --schedule forward -- {LENGTH} 1"))
    if report["exit_code"] != 0:
        raise Refusal(f"{PROGRAM} is not clean: {report['verdict']}")
    rows = [(found["driver"], found["launches"], count(int(found["bytes"])))
            for found in LINE.finditer(report["runs"][0]["output"])]
    last = [launch for launch in report["launches"] if "<<<1, " in launch["launch"]][-1]
    sectors = sum(last["counts"][kind]["sectors"] for kind in ("global_load", "global_store"))
    share = sectors // last["times"]
    head = ("finished by", "launches", "bytes copied to the host")
    return table(head, rows, head[1:]) + (
        f"\nCounted by the executor for {count(LENGTH)} int, blocks of 256. The second launch is "
        f"one block that moves {count(share)} sectors of 32 bytes. A call that needs it took "
        f"{extra(ladder)} longer than one that does not: {ladder.recorded(ladder.times)}, "
        f"{count(FEW_BLOCKS)} int in four blocks against {count(ONE_BLOCK)} in one.\n")


def extra(ladder):
    """ "1.3 µs (`reduce/cascading`) and ...": with more elements and a second launch."""
    parts = []
    for name in RUNGS:
        one, few = ladder.time(name, ONE_BLOCK), ladder.time(name, FEW_BLOCKS)
        if one is None or few is None or one["grid"] != 1 or few["grid"] == 1:
            raise Refusal(f"no recorded times of {name} with one block and with several")
        parts.append(f"{few['median_us'] - one['median_us']:.1f} µs (`{name}`)")
    return " and ".join(parts)


TIMES = "ladder_host.json"


def timed(ladder, page, words):
    """The three drivers until the value is on the host, and who is first."""
    path = ladder.results / TIMES
    if not path.exists():
        return "Not recorded yet: `tools/gpu_check host`.\n"
    found = ladder.read(path)
    names = list(dict.fromkeys(row["driver"] for row in found["drivers"]))
    by_length = {}
    for row in found["drivers"]:
        by_length.setdefault(row["n"], {})[row["driver"]] = row
    rows = [(count(n), *(microseconds(at[name]) for name in names), first(at))
            for n, at in sorted(by_length.items())]
    head = ("elements", *names, "first")
    return table(head, rows, head[:-1]) + "\n" + verdict(by_length) + (
        f"\nMicroseconds, int, until the value is on the host, the median of {found['runs']} "
        f"medians of {found['rounds']} rounds; two are called equal where their "
        f"{found['runs']} medians overlap. {ladder.recorded(found)}.\n")


def beats(a, b):
    """Every median of the first is below every one of the second."""
    return a["most_us"] < b["least_us"]


def first(at):
    """The driver that beats the others, or those that none beats."""
    return ", ".join(name for name, row in at.items()
                     if not any(beats(other, row) for other in at.values()))


def verdict(by_length):
    """ "Better back to the CPU", of the recorded lengths."""
    pairs = [(at["host"], at["second launch"]) for at in by_length.values()]
    won = sum(beats(host, launch) for host, launch in pairs)
    lost = sum(beats(launch, host) for host, launch in pairs)
    saved = [launch["median_us"] - host["median_us"] for host, launch in pairs]
    so = "yes" if won == len(pairs) else "no" if won == 0 else "not always"
    return (f"\"Better back to the CPU\", where the value is needed on the host: **{so}**. The "
            f"host is faster than a second launch at {won} of {len(pairs)} lengths and slower at "
            f"{lost}; it saves {min(saved):.1f} to {max(saved):.1f} µs.\n")
