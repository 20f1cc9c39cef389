#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A result of bench/gpu_peers.py as a table: the library's share of each row's ceiling, the peers',
and the verdict.

    bench/gpu_peers_table.py [RESULT.json ...] [--rows REGEX] [--ulps] [--slower] [--write]

A row is `met` where the library takes no longer than the fastest peer, `level` where it reaches
0.97 of a peer that is above 0.93 of the ceiling, else `slower`. The exit code is 1 where a row is
above its ceiling by 3 %, or an answer of the library is wrong. --write puts those that are far
behind, on the cards of all results, into docs/performance.md."""

import argparse
import json
import pathlib
import re
import statistics
import sys

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = "onefold"
PEERS = ("PyTorch", "torch.compile", "Triton", "CUB reproducible sum")
LEVEL, FAST_PEER = 0.97, 0.93
FAR_BEHIND = 0.85  # of the speed of the best peer
BAD = ("wrong", "above the ceiling")


def peer_named(entry, name):
    return next((peer for peer in entry["peers"] if peer["peer"] == name), None)


def verdict(entry):
    ours = entry.get(OURS)
    if ours and ours.get("wrong"):
        return "wrong"
    if entry.get("above the ceiling"):
        return "above the ceiling"
    if not ours or "ratio" not in entry:
        return "not measured"
    ratio = entry["ratio"][1]
    if ratio >= 1:
        return "met"
    fast = peer_named(entry, entry["best"])["of ceiling"] > FAST_PEER
    return "level" if ratio >= LEVEL and fast else "slower"


def share(peer):
    return f"{peer['of ceiling']:.3f}" if peer else ""


def error(peer):
    """The greatest and the mean error in ulps."""
    if not peer or "ulps" not in peer:
        return ""
    return f"{peer['ulps']['max']:.3g} ({peer['ulps']['mean']:.2g})"


def cells(entry, ulps):
    ours = entry.get(OURS)
    best = ""
    if "ratio" in entry:
        best = f"{entry['best']}: {peer_named(entry, entry['best'])['TB/s']:.2f}"
    line = [entry["row"], f"{ours['TB/s']:.2f}" if ours else "", share(ours)]
    line += [share(peer_named(entry, name)) for name in PEERS]
    line += [best, verdict(entry)]
    if ulps:
        line += [error(peer) for peer in (ours, *(peer_named(entry, name) for name in PEERS))]
    return line


def table(entries, ulps=False):
    heads = ["", "TB/s", "onefold, of the ceiling", *PEERS, "best peer, TB/s", ""]
    if ulps:
        heads += [f"{name}: ulps, most (mean)" for name in (OURS, *PEERS)]
    lines = [heads, ["---"] * len(heads), *(cells(entry, ulps) for entry in entries)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def summary(entries):
    compared = [entry for entry in entries if "ratio" in entry]
    if not compared:
        return "No row has both the library and a peer."
    verdicts = [verdict(entry) for entry in compared]
    worst = min(compared, key=lambda entry: entry["ratio"][1])
    median = statistics.median(entry["ratio"][1] for entry in compared)
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in ("met", "level", "slower", *BAD)
                       if name in verdicts)
    return (f"{len(compared)} rows beside the best of the peers: {counts}; median "
            f"{median:.2f} times as fast, worst {worst['ratio'][1]:.2f} ({worst['row']}, "
            f"{worst['best']}).")


def left_out(result):
    """What was not reached, and what failed, by name."""
    lines = [f"Not reached: {', '.join(result['not reached'])}."] if result["not reached"] else []
    for entry in result["rows"]:
        lines += [f"{entry['row']}: {failure['peer']}: {failure['reason']}"
                  for failure in entry["failed"]]
        if entry.get(OURS, {}).get("wrong"):
            lines.append(f"{entry['row']}: {OURS}: {entry[OURS]['wrong']}")
    return "\n".join(lines)


def machine(result):
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    days = " and ".join(sorted({run["date"] for run in result["runs"]}))
    ceilings = result["runs"][-1]["ceilings"]
    mixed = ", ".join(f"{mix}:1 {rate * 1e-12:.2f}" for mix, rate in ceilings["mixed"].items())
    return (f"{days}, {result['gpu']} (driver {result['driver']}), {versions}. TB/s of plain "
            f"kernels: reading {ceilings['read'] * 1e-12:.2f}, copying "
            f"{ceilings['copy'] * 1e-12:.2f}; read to written {mixed}.")


def rates(result):
    """The peers as bench/report_gpu_peers.py takes those of Python, each with the library's entry
    of the same run."""
    for entry in result["rows"]:
        for peer in entry["peers"]:
            yield {"row": entry["row"], "peer": peer["peer"], "us": peer["us"],
                   "TB/s": peer["TB/s"], "ours": entry.get(OURS)}


def far_behind(results):
    """The rows that the first card has far behind a peer, by layout and operator: the shares of
    the ceiling on every card, and of the best peer on the first."""
    first = results[0]
    groups = {}
    for entry in first["rows"]:
        if "ratio" not in entry or entry["ratio"][1] >= FAR_BEHIND:
            continue
        layout, _, what = entry["row"].rpartition(": ")
        kind = re.match(r"rows of|columns,|", layout).group()
        length = layout[len(kind):].strip()
        groups.setdefault((kind, what), []).append((length, entry["row"], entry))
    names = [result["gpu"].split()[1] for result in results]
    lines = ["| what | " + " | ".join(f"of the ceiling, {name}" for name in names) +
             f" | best peer, {names[0]} |", "|" + "---|" * (len(results) + 2)]
    for (kind, what), found in groups.items():
        where = f"{kind} {', '.join(length for length, _, _ in found)}: {what}" if kind else what
        cells = []
        for result in results:
            rows = {entry["row"]: entry for entry in result["rows"]}
            cells.append(", ".join(f"{rows[row][OURS]['of ceiling']:.2f}" if row in rows else "–"
                                   for _, row, _ in found))
        best = ", ".join(f"{peer_named(entry, entry['best'])['of ceiling']:.2f}"
                         for _, _, entry in found)
        lines.append(f"| {where} | {' | '.join(cells)} | {best} |")
    return "\n".join(lines) + "\n"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="*", type=pathlib.Path, metavar="RESULT.json",
                        default=[ROOT / f"bench/results/{card}/gpu_peers_torch.json"
                                 for card in ("h200", "h100")])
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose names match")
    parser.add_argument("--ulps", action="store_true", help="errors too")
    parser.add_argument("--slower", action="store_true", help="only rows that miss their goal")
    parser.add_argument("--write", action="store_true", help="write the page's table")
    asked = parser.parse_args(words)
    results = [json.loads(path.read_text(encoding="utf-8")) for path in asked.results]
    if asked.write:
        write_between(ROOT / "docs/performance.md", "slow-gpu", far_behind(results))
        return 0
    return max(print_table(asked, result) for result in results)


def print_table(asked, result):
    chosen = [entry for entry in result["rows"] if re.search(asked.rows, entry["row"])]
    shown = [entry for entry in chosen
             if not asked.slower or verdict(entry) not in ("met", "level")]
    print(machine(result), summary(chosen), table(shown, asked.ulps), left_out(result), sep="\n\n")
    return 1 if any(verdict(entry) in BAD for entry in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
