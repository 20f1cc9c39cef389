#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GPU's goals: the tables of docs/performance.md from cuda_*.jsonl.

    bench/report_gpu.py [--print] [FOLDER]    FOLDER: bench/results/h200

Every share is one of a ceiling that was measured in the same run: plain reading, or for transposes
the fastest plain copy. A goal counts for every type, length and shape that it names. Where
gpu_peers.jsonl, gpu_peers_python.jsonl and gpu_peers_torch.json lie beside them, other libraries
stand there too. The exit code is 1 where a share is above its ceiling by 3 %.
"""

import argparse
import json
import pathlib
import statistics
import sys
from collections import namedtuple

from gpu_peers_table import rates
from report import write_between
from report_gpu_peers import section as peers_section

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOATS = ("f16", "bf16", "f32", "f64")
TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", *FLOATS)
USUAL = ("normal", "all bits", "")  # what the goals are about, if they name no other values
BROKEN = 1.03  # above it the ceiling was none

# Whole arrays, by what the programs print: the operator, and the goal of each type.
EXACT = {
    "total": ("sum", dict.fromkeys(TYPES, 0.97)),
    "magnitudes": ("norm1", dict.fromkeys(TYPES, 0.97)),
    "squares": ("sum of squares", {"f32": 0.93, "f64": 0.93, "f16": 0.86, "bf16": 0.86}),
    "products": ("dot", {"f32": 0.97, "f64": 0.97, "f16": 0.86, "bf16": 0.86}),
    "moments": ("var", {"f32": 0.93, "f64": 0.86, "f16": 0.86, "bf16": 0.86}),
}
# The same of every type.
OTHERS = {
    "extrema": ("min, max, argmin, argmax", 0.97),
    "tally": ("count, count_nonzero, any, all", 0.97),
    "bits": ("bits", 0.985),
    "product": ("prod", 0.985),
    "log_sum": ("logsumexp", 0.93),  # until November 2026
    "exponentials": ("logsumexp", 0.93),
}
RANDOM_BITS = {"f32": 0.5, "f64": 0.1}  # sums
COLUMNS = {"f32": 0.92, "f64": 0.85}
# Other shapes. Of keys runs of 16 and more.
AXES = {"three axes": 0.85, "rows": 0.9, "columns": 0.92, "ascending keys": 0.7,
        "keys in any order": None}
TRANSPOSES = {1: 0.95, 2: 0.96, 4: 0.97, 8: 0.97}
# Of segments: the least mean length, the goal.
SEGMENTS = ((64, 0.85, "64 and more"), (8, 0.75, "8 to 64"), (1, 0.6, "1 to 8"))
ZIPF_SEGMENTS = 0.8
ROWS_NEVER_BELOW = 0.85  # but for short rows of f64
PANEL = 16  # the engine's in stored results, which have others too

# One measurement: of what group, where in it, its share of the ceiling, and its goal or None.
Point = namedtuple("Point", "group where share goal rate")


def row_goal(dtype, n):
    return 0.8 if dtype == "f64" and n < 64 else 0.9


def read(path):
    lines = [line for line in path.read_text().splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]


def whole_arrays(rows):
    """{(what, type, input): row} of the largest arrays."""
    most = max(row.get("bytes", 0) for row in rows)
    return {
        (row["what"], row["type"], row["input"]): row for row in rows if row.get("bytes") == most
    }


def whole_points(arrays):
    for (what, dtype, values), row in arrays.items():
        name, goals = EXACT.get(what, ("", {}))
        goal = goals.get(dtype) if values in USUAL else None
        if what == "total" and values == "random bits":
            goal = RANDOM_BITS.get(dtype)
        if goal:
            named = "" if values in USUAL else f", {values}"
            yield Point(f"{name} {dtype}{named}", "", row["of read"], goal, row["TB/s"])


def other_points(arrays):
    """Operators whose goal is one for all types."""
    for (what, dtype, values), row in arrays.items():
        if what in OTHERS and values in USUAL:
            name, goal = OTHERS[what]
            yield Point(name, dtype, row["of read"], goal, row["TB/s"])


def axes_points(rows):
    for row in (row for row in rows if "where" in row):
        kind = row["what"].partition(": ")[0]
        yield Point(row["what"], row["where"], row["of read"], AXES[kind], row["TB/s"])


def many_points(rows):
    """Rows and columns; those of other values than the usual have no goal."""
    for row in (row for row in rows if "of read" in row):
        along = "rows" if row["inner"] == 1 else "columns"
        kind = "" if row["input"] in USUAL else f", {row['input']}"
        length = row["n"] if along == "rows" else row["inner"]
        short = along == "rows" and row["type"] == "f64"
        part = (" below 64" if length < 64 else " from 64") if short else ""
        goal = row_goal(row["type"], length) if along == "rows" else COLUMNS.get(row["type"])
        name = f"{along}{part}: {row['what']} {row['type']}{kind}"
        where = f"of {length}" if along == "rows" else f"{length} columns"
        yield Point(name, where, row["of read"], None if kind else goal, row["TB/s"])


def transpose_points(rows):
    shapes = {}
    for row in (row for row in rows if row["what"] == "transpose"):
        key = tuple(row[name] for name in ("item", "rows", "columns", "gap", "to_gap"))
        if key not in shapes or row.get("panel") == PANEL:
            shapes[key] = row
    for (item, height, width, gap, to_gap), row in shapes.items():
        if min(height, width) <= 64:
            kind = "2 to 64 rows or columns"
        elif all(extent * item % 16 == 0 for extent in (height, width)) and gap % 16 == 0:
            kind = "rows of whole vectors"
        else:
            kind = "odd sides or pitches"
        where = f"{height} x {width}" + (f", {gap} bytes apart" if gap or to_gap else "")
        name = f"{item} byte{'s' * (item > 1)}, {kind}"
        yield Point(name, where, row["of copy"], TRANSPOSES[item], row["TB/s"])


def segment_points(rows):
    for row in (row for row in rows if row.get("who") == "onefold"):
        kind, _, mean = row["lengths"].partition(" ")
        goal, of = ZIPF_SEGMENTS, row["lengths"]
        if kind == "mean":
            _, goal, of = next(limit for limit in SEGMENTS if int(mean) >= limit[0])
        group = f"segments of {of}: {row['what']} {row['type']}"
        yield Point(group, row["lengths"], row["of read"], goal, row["TB/s"])


def cub_segments(rows):
    """How often CUB's time the engine's is, for each row that CUB has."""
    ours = {
        (row["what"], row["type"], row["lengths"]): row["us"]
        for row in rows
        if row.get("who") == "onefold"
    }
    ratios = [
        row["us"] / ours[row["what"], row["type"], row["lengths"]]
        for row in rows
        if row.get("who") == "CUB"
    ]
    if not ratios:
        return ""
    ahead = sum(ratio >= 1 for ratio in ratios)
    return (
        f" CUB's DeviceSegmentedReduce takes {min(ratios):.1f} to {max(ratios):.1f} times as long, "
        f"in the median {statistics.median(ratios):.1f} times; the engine is ahead in {ahead} of "
        f"{len(ratios)} rows."
    )


def alone(points):
    """{row: (share, TB/s)} of whole arrays, for the tables beside other libraries."""
    return {point.group: (point.share, point.rate) for point in points}


def verdict(point):
    if point.share > BROKEN:
        return "above the ceiling"
    return "met" if point.share >= point.goal else "missed"


def share_text(share):
    return f"{share:.2f}" if share >= 0.01 else f"{share:.1g}"


def summary(points):
    goals = [point for point in points if point.goal]
    met = sum(verdict(point) == "met" for point in goals)
    worst = min(goals, key=lambda point: point.share)
    place = f"{worst.group} {worst.where}".strip()
    return (
        f"{met} of {len(goals)} goals met ({100 * met / len(goals):.0f} %); share of the ceiling: "
        f"median {statistics.median(point.share for point in goals):.2f}, worst "
        f"{share_text(worst.share)} ({place})."
    )


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def other_values(arrays, group):
    """The worst of the values that the goal is not about."""
    shares = {
        values: row["of read"]
        for (what, dtype, values), row in arrays.items()
        if what in EXACT and f"{EXACT[what][0]} {dtype}" == group and values not in USUAL
    }
    worst = min(shares, key=shares.get, default=None)
    return f"{share_text(shares[worst])} ({worst})" if worst else ""


def whole_table(arrays, points):
    lines = []
    for point in points:
        name, _, dtype = point.group.rpartition(" ")
        cub = arrays.get(("CUB sum", dtype, "")) if name == "sum" else None
        cells = [point.group, f"{point.rate:.2f}", f"{point.share:.3f}", f"{point.goal:g}"]
        cells += [verdict(point), other_values(arrays, point.group)]
        lines.append([*cells, f"{cub['of read']:.3f}" if cub else ""])
    heads = ("exact", "TB/s", "of reading", "goal", "", "other values, worst", "CUB's sum")
    return table(heads, lines)


def without_goal(arrays):
    """Shares by what and type of everything that nothing was promised about."""
    kept = {
        (what, dtype): row["of read"]
        for (what, dtype, values), row in arrays.items()
        if values in USUAL
        and what not in ("read", "CUB sum", *OTHERS)
        and dtype not in EXACT.get(what, ("", {}))[1]
    }
    return matrix({(EXACT.get(what, (what,))[0], dtype): share
                   for (what, dtype), share in kept.items()})


def matrix(shares):
    """One line an operator, one column a type."""
    names = dict.fromkeys(name for name, _ in shares)

    def cell(key):
        return share_text(shares[key]) if key in shares else ""

    rows = [[name, *(cell((name, dtype)) for dtype in TYPES)] for name in names]
    return table(("of reading", *TYPES), rows)


def others_table(points):
    if not points:
        return ""
    return (
        f"One goal for all types:\n\n{grouped_table('by type', points)}\n"
        f"{matrix({(point.group, point.where): point.share for point in points})}\n"
    )


def grouped_table(head, points):
    groups = {}
    for point in points:
        groups.setdefault(point.group, []).append(point)
    lines = []
    for name, group in groups.items():
        worst = min(group, key=lambda point: point.share)
        goal, met = group[0].goal, ""
        if goal:
            met = f"{sum(verdict(point) == 'met' for point in group)} of {len(group)}"
        median = statistics.median(point.share for point in group)
        cells = [name, str(len(group)), share_text(median)]
        cells += [f"{share_text(worst.share)} ({worst.where})", f"{goal:g}" if goal else "", met]
        lines.append(cells)
    return table((head, "measured", "median", "worst", "goal", "met"), lines)


def never_below(points):
    """The floor of rows, which is beside their goal."""
    rows = [point for point in points if point.goal == 0.9 and point.group.startswith("rows")]
    low = [point for point in rows if point.share < ROWS_NEVER_BELOW]
    return f"{len(low)} lengths of rows are below {ROWS_NEVER_BELOW}, which none should be.\n"


def machine(files):
    """One line on where and when."""
    facts = [row for rows in files for row in rows if row["what"] == "machine"]
    drivers = [f" (driver {row['driver']})" if "driver" in row else "" for row in facts]
    gpus = ", ".join(dict.fromkeys(row["gpu"] + of for row, of in zip(facts, drivers)))
    days = " and ".join(sorted({row["date"] for row in facts}))
    return f"{days}, {gpus}. Medians of 20 launches; the ceilings are of the same runs."


def read_if_there(path):
    return read(path) if path.exists() else []


def segments_section(points, rows):
    if not points:
        return ""
    return (
        f"\n### Segments on a GPU\n\n{summary(points)}{cub_segments(rows)}\n\n"
        f"{grouped_table('exact', points)}"
    )


def axes_section(points):
    if not points:
        return ""
    return (
        "\n### Other shapes, and keys, on a GPU\n\nThrough the library's API, the host's part "
        f"of the call included. {summary(points)}\n\n{grouped_table('exact', points)}"
    )


def release_section(path):
    """What tools/gpu_release found that a build for every GPU costs."""
    if not path.exists():
        return ""
    built = json.loads(path.read_text(encoding="utf-8"))
    slowest = sorted(built["files"], key=lambda row: -row["core_s"])[:3]
    longest = ", ".join(f"{row['file']} {row['core_s']:.0f} s" for row in slowest)
    return (
        f"\n### A build for every GPU\n\nThe kernels for {', '.join(built['architectures'])} (in "
        f"CMake's words): {built['core_minutes']:.1f} minutes of a core, "
        f"{built['bytes'] / 1e6:.1f} MB of objects. Longest: {longest}.\n"
    )


def with_peers(points, python):
    """The points of whole arrays; one that the run with peers in Python has is of that run."""
    ours = {row["row"]: row["ours"] for row in python if row.get("ours")}
    for point in points:
        own = ours.get(point.group)
        yield point._replace(share=own["of ceiling"], rate=own["TB/s"]) if own else point


def peers_files(folder):
    """Measurements of peers in C++, and of those in Python, which two scripts make."""
    cpp, python = (read_if_there(folder / f"gpu_peers{of}.jsonl") for of in ("", "_python"))
    compiled = folder / "gpu_peers_torch.json"
    if compiled.exists():
        result = json.loads(compiled.read_text(encoding="utf-8"))
        run = {"what": "run", "date": result["runs"][-1]["date"]}
        python += [{"what": "versions", **result["versions"]}, run, *rates(result)]
    return [cpp, python]


def report(folder, release):
    """The text, and whether a share is above its ceiling."""
    files = [read(folder / f"cuda_{name}_bench.jsonl") for name in ("full", "many", "transpose")]
    arrays = whole_arrays(files[0])
    cpp, python = peers_files(folder)
    whole = list(with_peers(whole_points(arrays), python))
    many = list(many_points(files[1]))
    others = list(other_points(arrays))
    turned = list(transpose_points(files[2]))
    ragged_rows = read_if_there(folder / "cuda_segments_bench.jsonl")
    ragged = list(segment_points(ragged_rows))
    axes = list(axes_points(read_if_there(folder / "cuda_axes_bench.jsonl")))
    points = whole + others + many + turned + ragged + axes
    beside, broken = peers_section(cpp, python, alone(whole), table)
    broken = broken or any(point.share > BROKEN for point in points)
    gib = max(row.get("bytes", 0) for row in files[0]) / 2**30
    return (
        f"{machine(files)}\n\n**{summary(points)}**\n\n"
        f"### Whole arrays of {gib:g} GiB on a GPU\n\n{summary(whole + others)}\n\n"
        f"{whole_table(arrays, whole)}\n{others_table(others)}"
        f"Without a goal:\n\n{without_goal(arrays)}\n"
        f"### Rows and columns on a GPU\n\n{summary(many)} {never_below(many)}\n"
        f"{grouped_table('exact', many)}\n"
        f"### Transposes on a GPU\n\n{summary(turned)}\n\n{grouped_table('elements', turned)}"
        f"{segments_section(ragged, ragged_rows)}{axes_section(axes)}"
        f"{beside}{release_section(release)}"
    ), broken


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--print", action="store_true", help="to the terminal, not to the page")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "bench/results/h200")
    parser.add_argument("--release", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "bench/results/gpu_release.json")
    asked = parser.parse_args()
    text, broken = report(asked.folder, asked.release)
    if asked.print:
        print(text)
    else:
        write_between(ROOT / "docs/performance.md", "gpu", text)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
