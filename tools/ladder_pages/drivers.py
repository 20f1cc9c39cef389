# SPDX-License-Identifier: Apache-2.0
"""The table of ladder/host/drivers.cu: who folds the partial sums."""
import json
import re

from ladder_pages.ladder import Refusal, count, table

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
