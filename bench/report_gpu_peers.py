# SPDX-License-Identifier: Apache-2.0
"""The engine beside other libraries: the section of the GPU's page that bench/report_gpu.py prints
from gpu_peers.jsonl (one process, by turns), gpu_peers_python.jsonl (other processes of the same
machine) and gpu_peers_torch.json, a run of its own, which the library is in too: a row of it has
its rate and share, and the ratios to its peers are of that run. `alone` is {row: (share, TB/s)} of
the other rows that the engine's own benchmark has: their share and rate are those, so that a page
has one figure of a row; ratios are of the pairs here."""

import statistics
from collections import namedtuple

from gpu_rows import ROWS

EMPTY = "an empty kernel"
BROKEN = 1.03  # a share above it: the ceiling was none

# ratio: the other's time by ours, of one run where there is one; above 1 ours is the faster.
Peer = namedtuple("Peer", "name ratio reproducible")
Line = namedtuple("Line", "row ours share met peers best reproducible")


def peers_of(measured, others, own):
    """Of the same process by the medians of pairs, others by the rates. own: the library's entry of
    the run with peers in Python, whose kernels users get; bench/gpu_peers.cu may launch others."""
    found = [
        Peer(peer["peer"], own["TB/s"] / peer["TB/s"] if own else peer["ratio"][1],
             peer["reproducible"])
        for peer in measured["peers"]
        if peer["peer"] != EMPTY
    ]
    for other in others:
        ours = (own or measured)["TB/s"]
        ratio = ours / other["TB/s"] if other["TB/s"] else float("inf")
        found.append(Peer(other["peer"], ratio, "reproducible" in other["peer"]))
    return found


def line_of(row, measured, others, alone):
    own = next((other["ours"] for other in others if other.get("ours")), None)
    peers = peers_of(measured, others, own)
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


def cell_of(peer, line):
    """A peer's speed: ours by the ratio of the two."""
    if not peer:
        return ""
    if line.row.small:
        return f"{peer.name}: {line.ours['us'] * peer.ratio:.2f} us"
    return f"{peer.name}: {line.ours['TB/s'] / peer.ratio:.2f}"


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
    """Speeds of both sides: TB/s, of small sums microseconds."""
    small = line.row.small
    return [
        line.row.name,
        f"{line.ours['us']:.2f} us" if small else f"{line.ours['TB/s']:.2f}",
        "" if small or line.share is None else f"{line.share:.3f}",
        "" if line.row.goal is None else f"{line.row.goal:g}" + " of the time" * small,
        verdict(line),
        cell_of(line.best, line),
        cell_of(line.reproducible, line),
    ]


def versions_of(*files):
    facts = {}
    for row in (row for rows in files for row in rows if row.get("what") == "versions"):
        facts.update({name: value for name, value in row.items() if name != "what"})
    missing = [row["why"] for rows in files for row in rows if row.get("what") == "skipped"]
    text = ", ".join(f"{name} {value}" for name, value in facts.items())
    return ". ".join([text, *missing]) + "."


def days_of(cpp, python):
    """When the runs were made."""
    machine = next((row for row in cpp if row.get("what") == "machine"), None)
    run = next((row for row in python if row.get("what") == "run"), None)
    days = [f"`gpu_peers_torch.json` is of {run['date']}"] if run else []
    days += [f"small sums and peers in C++ are of {machine['date']}"] if machine else []
    return f" {', '.join(days)}." if days else ""


def section(cpp, python, alone, table):
    """Markdown, and whether a row is above its ceiling; nothing where nothing was measured."""
    lines = lines_of(cpp, python, alone)
    if not lines:
        return "", False
    heads = ("", "TB/s", "of the ceiling", "goal", "", "best peer, TB/s",
             "best that promises its bits, TB/s")
    broken = any(verdict(line) == "above the ceiling" for line in lines)
    missing = [row.name for row in ROWS if row.name not in {line.row.name for line in lines}]
    left_out = f"\nNot measured: {', '.join(missing)}.\n" if missing else ""
    return (
        f"\n### Beside other libraries on a GPU\n\n{summary(lines)}\n\n"
        f"{versions_of(cpp, python)}{days_of(cpp, python)} A row that "
        "`gpu_peers_torch.json` has is of that run, here and in every table; the peers of other "
        "rows were measured by turns, or, those in Python, in processes of their own. A peer's "
        "speed is the library's by the ratio of the two.\n\n"
        f"{table(heads, [table_row(line) for line in lines])}{left_out}"
    ), broken
