# SPDX-License-Identifier: Apache-2.0
"""Verdicts, tables and the words between the markers, from the measured rows alone."""

import re
import statistics
import sys

from rows import SECTIONS


def verdict(row):
    """'' where nothing was promised, else met / missed; a broken ceiling is named."""
    reading = row.get("ratio", {}).get("median")
    if row.get("yardstick_kind") == "ceiling" and reading > 1.03:
        return "above the ceiling"
    if row["goal"] is not None and reading is None:
        return "its yardstick was left out"
    missed = row["goal"] is not None and reading < row["goal"]
    unit, bound = row["least"] or (None, None)
    if unit == "GB/s":
        missed |= row["gb_per_s"] < bound
    if unit == "ns":
        missed |= row["ns"] > bound
    if row["goal"] is None and unit is None:
        return ""
    return "missed" if missed else "met"


def goal_text(row):
    parts = [f"{row['goal']:g}"] if row["goal"] else []
    parts += [f"{row['least'][1]:g} {row['least'][0]}"] if row["least"] else []
    return " and ".join(parts)


def spread(ratio):
    return f"{ratio['median']:.2f} ({ratio['q1']:.2f}–{ratio['q3']:.2f})" if ratio else ""


def number(value):
    return "" if value is None else f"{value:.2f}"


def section_table(rows):
    lines = ["| row | GB/s | of | ratio (quartiles) | goal | | AVX2 | of NumPy |", "|---" * 8 + "|"]
    for row in rows:
        cells = [
            row["row"],
            f"{row['gb_per_s']:.1f}" if row["ns"] > 1000 else f"{row['ns']:.0f} ns",
            row.get("yardstick", ""),
            spread(row.get("ratio")),
            goal_text(row),
            row["verdict"],
            number(row.get("avx2")),
            number(row.get("numpy")),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def summary(rows):
    """Goals met; against NumPy the median, the worst row and the share of rows above 1."""
    promised = [row for row in rows if row["verdict"]]
    met = sum(row["verdict"] == "met" for row in promised)
    text = f"{met} of {len(promised)} goals met."
    against = {row["row"]: row["numpy"] for row in rows if row.get("numpy")}
    if against:
        worst = min(against, key=against.get)
        above = sum(ratio >= 1 for ratio in against.values())
        text += (
            f" Of NumPy's speed: median {statistics.median(against.values()):.1f}, worst "
            f"{against[worst]:.2f} ({worst}), {100 * above / len(against):.0f} % of "
            f"{len(against)} rows at 1 or above."
        )
    return text


def tables(report):
    facts, rows = report["machine"], report["rows"]
    # Rows that were measured anew have a commit and a number of pairs of their own.
    commits = " and ".join(sorted({row.get("commit", report["commit"]) for row in rows}))
    pairs = sorted({row["pairs"] for row in rows})
    text = (
        f"{report['date']}, commit {commits}, {facts['cpu']}, threads {facts['threads']}, "
        f"SIMD {facts['simd']}, NumPy {report['numpy']}. Ratios are speeds: the yardstick's time "
        f"over ours, medians of {pairs[0]} to {pairs[-1]} interleaved pairs. "
        "onefold and std::reduce have the threads above, or one where a row says so; NumPy and "
        "Eigen have one, but NumPy's BLAS (dot, and norm2 of f32 and f64) has all.\n\n"
    )
    text += f"**{summary(report['rows'])}**\n"
    for section, title in SECTIONS.items():
        rows = [row for row in report["rows"] if row["section"] == section]
        if rows:
            text += f"\n### {title}\n\n{summary(rows)}\n\n{section_table(rows)}"
    return text


def costs(report):
    """Exact beside fast where both were measured, and every goal that was missed."""
    rows = {row["row"]: row for row in report["rows"]}
    lines = ["| row | exact, GB/s | fast, GB/s | exact of fast | AVX2 |", "|---" * 5 + "|"]
    for name, fast in rows.items():
        exact = rows.get("exact " + name.removeprefix("fast "))
        if not name.startswith("fast ") or exact is None:
            continue
        both = [exact.get("avx2_ns"), fast.get("avx2_ns")]
        narrow = number(both[1] / both[0]) if all(both) else ""
        lines.append(
            f"| {name.removeprefix('fast ')} | {exact['gb_per_s']:.1f} | {fast['gb_per_s']:.1f} | "
            f"{fast['ns'] / exact['ns']:.2f} | {narrow} |"
        )
    missed = [
        f"* {row['row']}: {spread(row.get('ratio')) or format(row['ns'], '.0f') + ' ns'}, "
        f"goal {goal_text(row)}"
        for row in report["rows"]
        if row["verdict"] == "missed"
    ]
    text = "\n".join(lines) + "\n\n"
    return text + ("Goals missed:\n\n" + "\n".join(missed) if missed else "No goal missed.") + "\n"


def write_between(path, name, text):
    marked = path.read_text()
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(marked):
        sys.exit(f"bench: {path} has no markers {begin} … {end}")
    path.write_text(pattern.sub(lambda _: f"{begin}\n{text}{end}", marked))


def write_all(root, report):
    performance = root / "docs/performance.md"
    write_between(performance, "bench", tables(report))
    write_between(performance, "costs", costs(report))
