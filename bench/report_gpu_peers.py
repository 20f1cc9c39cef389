# SPDX-License-Identifier: Apache-2.0
"""The engine beside other libraries: the section of the GPU's page that bench/report_gpu.py prints
from gpu_peers.jsonl (one process, by turns), gpu_peers_python.jsonl (other processes of the same
machine) and gpu_peers_torch.json, a run of its own, which the library is in too: a row of it has
its rate and share, and the ratios to its peers are of that run. `alone` is {row: (share, TB/s)} of
the other rows that the engine's own benchmark has: their share and rate are those, so that a page
has one figure of a row; ratios are of the pairs here."""

import statistics
from collections import namedtuple

from gpu_rows import README_ROWS, ROWS

EMPTY = "an empty kernel"
BROKEN = 1.03  # a share above it: the ceiling was none

# ratio: the other's time by ours; above 1 ours is the faster.
Peer = namedtuple("Peer", "name ratio rate reproducible")
Line = namedtuple("Line", "row ours share met peers best reproducible")


def peers_of(measured, others):
    """Of the same process by the medians of pairs, of Python's by the rates."""
    found = [
        Peer(peer["peer"], peer["ratio"][1], peer["TB/s"], peer["reproducible"])
        for peer in measured["peers"]
        if peer["peer"] != EMPTY
    ]
    for other in others:
        ours = (other.get("ours") or measured)["TB/s"]
        ratio = ours / other["TB/s"] if other["TB/s"] else float("inf")
        found.append(Peer(other["peer"], ratio, other["TB/s"], False))
    return found


def line_of(row, measured, others, alone):
    peers = peers_of(measured, others)
    own = next((other["ours"] for other in others if other.get("ours")), None)
    if own:
        measured = {**measured, **{name: own[name] for name in ("us", "of ceiling", "TB/s")}}
    elif alone:
        measured = {**measured, "of ceiling": alone[0], "TB/s": alone[1]}
    best = min(peers, key=lambda peer: peer.ratio, default=None)
    again = [peer for peer in peers if peer.reproducible]
    share = None if row.small else measured["of ceiling"]
    if row.goal is None or (row.small and not best):
        met = None
    elif row.small:
        met = 1 / best.ratio <= row.goal
    else:
        met = row.goal <= share <= BROKEN
    reproducible = min(again, key=lambda peer: peer.ratio, default=None)
    return Line(row, measured, share, met, peers, best, reproducible)


def lines_of(cpp, python, alone):
    """In the order of ROWS; a row that ROWS has not is an error."""
    measured = {row["row"]: row for row in cpp if "row" in row}
    unknown = set(measured) - {row.name for row in ROWS}
    if unknown:
        raise ValueError(f"bench/gpu_rows.py has no row named {', '.join(sorted(unknown))}")
    others = {}
    for row in (row for row in python if "us" in row):
        others.setdefault(row["row"], []).append(row)
    return [
        line_of(row, measured[row.name], others.get(row.name, []), alone.get(row.name))
        for row in ROWS
        if row.name in measured
    ]


def verdict(line):
    if line.share is not None and line.share > BROKEN:
        return "above the ceiling"
    return {None: "", True: "met", False: "missed"}[line.met]


def cell_of(peer):
    return f"{peer.name}: {peer.ratio:.2f}" if peer else ""


def summary(lines):
    compared = [line for line in lines if line.best]
    if not compared:
        return "No other library was measured."
    ratios = [line.best.ratio for line in compared]
    ahead = sum(ratio >= 1 for ratio in ratios)
    worst = min(compared, key=lambda line: line.best.ratio)
    return (
        f"{len(compared)} rows beside the best of the others: median "
        f"{statistics.median(ratios):.2f} times as fast, {ahead} of them "
        f"({100 * ahead / len(compared):.0f} %) at least as fast, worst "
        f"{worst.best.ratio:.2f} ({worst.row.name}, {worst.best.name})."
    )


def table_row(line):
    small = line.row.small
    goal = "" if line.row.goal is None else f"{line.row.goal:g}"
    return [
        line.row.name,
        f"{line.ours['us']:.2f} us" if small else f"{line.ours['TB/s']:.2f}",
        f"{1 / line.best.ratio:.2f} of CUB's time"
        if small and line.best
        else f"{line.share:.3f}"
        if line.share is not None
        else "",
        goal,
        verdict(line),
        cell_of(line.best),
        cell_of(line.reproducible),
    ]


def versions_of(*files):
    facts = {}
    for row in (row for rows in files for row in rows if row.get("what") == "versions"):
        facts.update({name: value for name, value in row.items() if name != "what"})
    missing = [row["why"] for rows in files for row in rows if row.get("what") == "skipped"]
    text = ", ".join(f"{name} {value}" for name, value in facts.items())
    return ". ".join([text, *missing]) + "."


def readme_table(cpp, python, alone, table):
    """The README's rows; nothing where nothing was measured, or nobody says on what."""
    lines = {line.row.name: line for line in lines_of(cpp, python, alone)}
    rows = [table_row(lines[name]) for name in README_ROWS if name in lines]
    machine = next((row for row in cpp if row.get("what") == "machine"), None)
    if not rows or not machine:
        return ""
    run = next((row for row in python if row.get("what") == "run"), None)
    when = f"{run['date']}, small sums and CUB {machine['date']}" if run else machine["date"]
    first = f"1 GiB on an {machine['gpu']}"
    heads = (first, "TB/s", "of the ceiling", "best peer: its time by ours")
    return (
        f"{table(heads, [[*row[:3], row[5]] for row in rows])}\n{when}; every row, and "
        "where others are ahead: [docs/performance.md](docs/performance.md).\n"
    )


def section(cpp, python, alone, table):
    """Markdown, and whether a row is above its ceiling; nothing where nothing was measured."""
    lines = lines_of(cpp, python, alone)
    if not lines:
        return "", False
    heads = ("", "TB/s", "of the ceiling", "goal", "", "best peer: its time by ours",
             "best that promises its bits")
    broken = any(verdict(line) == "above the ceiling" for line in lines)
    missing = [row.name for row in ROWS if row.name not in {line.row.name for line in lines}]
    left_out = f"\nNot measured: {', '.join(missing)}.\n" if missing else ""
    return (
        f"\n### Beside other libraries on a GPU\n\n{summary(lines)}\n\n{versions_of(cpp, python)} "
        "Rows of `gpu_peers_torch.json` have its rates and shares, and the ratios to "
        "its peers, of one run; other ratios are medians of pairs measured by turns, or, of "
        "Python, of processes of their own, not all of one day. Other rows that an earlier table "
        "has too have its rates and shares.\n\n"
        f"{table(heads, [table_row(line) for line in lines])}{left_out}"
    ), broken
