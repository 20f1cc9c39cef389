# SPDX-License-Identifier: Apache-2.0
"""Tables of times and counts: the climb."""
from ladder_pages.ladder import (BIG, SMALL, count, link, microseconds, sectors, table,
                                 times_faster, times_fewer, wavefronts)

SIZES = (10, 16, 20, 24, 26, 28)  # exponents of two, of the table of times
VENDOR = "reduce/vendor"  # which the executor does not run
CUB = "`cub::DeviceReduce::Sum`"
README_RUNGS = ("reduce/atomic", "reduce/modulo", "reduce/strided", "reduce/sequential",
                "reduce/first-add", "reduce/last-warp", "reduce/cascading", "reduce/shuffle",
                "reduce/one-launch")


def climb(ladder, page, words):
    head = ("rung", "shared wavefronts", "barriers", "global sectors", "instructions",
            "lanes at work", f"µs on the {ladder.card}", "of the read ceiling")
    rows = []
    for folder in words:
        for name in ladder.rungs(folder):
            trial, row = ladder.trials[name], ladder.time(name, BIG)
            rows.append((link(ladder, page, ladder.file(name), f"`{name}`"),
                         count(wavefronts(trial)), count(trial["counts"]["barriers"]),
                         count(sectors(trial)), *issued(ladder, name), microseconds(row),
                         f"{ladder.of_ceiling(row):.2f}" if row else "–"))
        if folder == "reduce":
            for name, label in ((VENDOR, CUB), ("read", "reading, nothing else")):
                row = ladder.time(name, BIG)
                share = f"{ladder.of_ceiling(row):.2f}" if row else "–"
                if name == VENDOR:
                    label = f"{link(ladder, page, ladder.file(name), f'`{name}`')}: {CUB}"
                rows.append((label, "", "", "", "", "", microseconds(row), share))
    n, block = ladder.counters["n"], ladder.counters["block"]
    note = (f"Counts: the executor, whole grid, {count(n)} elements or pixels, blocks of {block}, "
            "loads, stores and atomic updates together; barriers are warps that arrive at one. "
            "Instructions of warps, and the lanes of 32 that one puts to work, of the same launch: "
            f"{ladder.recorded(ladder.counters)}. Times: {ladder.recorded(ladder.times)}, "
            f"{count(BIG)} elements or pixels, medians; all launches until the value lies on the "
            "device, of `dot` until the partials do. A dash: not recorded yet.\n")
    return table(head, rows, head[1:]) + "\n" + note


def issued(ladder, name):
    """Two cells: instructions of warps, and the lanes of one that work."""
    instructions, lanes = ladder.instructions(name), ladder.lanes_at_work(name)
    return ("–" if instructions is None else count(instructions),
            "–" if lanes is None else f"{lanes:.1f}")


def readme(ladder, page, words):
    head = ("rung", "shared wavefronts", "barriers", f"µs on an {ladder.card}",
            "of the read ceiling")
    rows = []
    for name in README_RUNGS:
        row = ladder.time(name, BIG)
        rows.append((f"`{name}`", count(wavefronts(ladder.trials[name])),
                     count(ladder.trials[name]["counts"]["barriers"]), microseconds(row),
                     f"{ladder.of_ceiling(row):.2f}" if row else "–"))
    row = ladder.time(VENDOR, BIG)
    rows.append((CUB, "", "", microseconds(row), f"{ladder.of_ceiling(row):.2f}"))
    return table(head, rows, head[1:]) + (
        f"\nCounts at {count(ladder.counters['n'])} int, by the executor; times at {count(BIG)} "
        f"int, {ladder.recorded(ladder.times)}; every rung: [docs/ladder.md](docs/ladder.md).\n")


def steps(ladder, page, words):
    """What each rung changes in the counts, and in the time, against the one below it."""
    head = ("rung", "wavefronts", "barriers", "sectors", "instructions",
            f"speed, {count(SMALL)}", f"speed, {count(BIG)}")
    rows, names = [], ladder.rungs(*words)
    for was, now in zip(names, names[1:]):
        a, b = ladder.trials[was], ladder.trials[now]
        rows.append((f"`{now}`", times_fewer(wavefronts(a), wavefronts(b)),
                     times_fewer(a["counts"]["barriers"], b["counts"]["barriers"]),
                     times_fewer(sectors(a), sectors(b)),
                     times_fewer(ladder.instructions(was), ladder.instructions(now)),
                     times_faster(ladder.time(was, SMALL), ladder.time(now, SMALL)),
                     times_faster(ladder.time(was, BIG), ladder.time(now, BIG))))
    return table(head, rows, head[1:]) + "".join(standstill(ladder, names, n)
                                                 for n in (SMALL, BIG))


def standstill(ladder, names, n):
    """A sentence about the top rungs that take the same time within a tenth."""
    timed = [(name, ladder.time(name, n)["median_us"]) for name in names if ladder.time(name, n)]
    top = []
    for name, us in reversed(timed):
        if top and max([us, *(t for _, t in top)]) > 1.1 * min([us, *(t for _, t in top)]):
            break
        top.insert(0, (name, us))
    if len(top) < 2:
        return ""
    fronts = [wavefronts(ladder.trials[name]) for name, _ in top]
    return (f"\nAt {count(n)} elements the top {len(top)} rungs recorded, from `{top[0][0]}` on, "
            f"take the same time within a tenth, with {count(max(fronts))} shared wavefronts or "
            f"with {count(min(fronts))}.\n")


def sizes(ladder, page, words):
    exponents = [e for e in SIZES if ("read", "int", 1 << e) in ladder.rows]
    head = ["", *(f"2^{e}" for e in exponents)]
    rows = [[f"`{name}`", *(microseconds(ladder.time(name, 1 << e)) for e in exponents)]
            for name in ladder.rungs(*words)]
    for name, label in ((VENDOR, CUB), ("read", "reading, nothing else")):
        rows.append([label, *(microseconds(ladder.time(name, 1 << e)) for e in exponents)])
    return table(head, rows, head[1:]) + (
        f"\nMicroseconds, int, {ladder.recorded(ladder.times)}. Inputs that fit the GPU's cache "
        "stay in it from call to call.\n")


def types(ladder, page, words):
    """The recorded times of one rung, a row for each type, and how many times the first's."""
    name, = words
    exponents = [e for e in SIZES if (name, "int", 1 << e) in ladder.rows]
    head = ["", *(f"2^{e}" for e in exponents), "int = 1"]
    rows, first = [], ladder.rows[name, "int", BIG]["median_us"]
    for kind in ("int", "float", "double"):
        times = [ladder.rows.get((name, kind, 1 << e)) for e in exponents]
        ratio = ladder.rows[name, kind, BIG]["median_us"] / first
        rows.append([kind, *(microseconds(row) for row in times), f"{ratio:.0f}"])
    return table(head, rows, head[1:]) + (
        f"\nMicroseconds, {ladder.recorded(ladder.times)}; the last column: at {count(BIG)}.\n")


def cub(ladder, page, words):
    rows, lost, equal = [], [], []
    for n in sorted({n for name, kind, n in ladder.rows if (name, kind) == (VENDOR, "int")}):
        timed = [(ladder.time(name, n)["median_us"], name) for name in ladder.rungs("reduce")
                 if ladder.time(name, n)]
        us, name = min(timed)
        theirs = ladder.time(VENDOR, n)["median_us"]
        ratio = f"{max(us, theirs) / min(us, theirs):.2f}"
        faster = "neither" if ratio == "1.00" else "CUB" if theirs < us else f"`{name}`"
        equal += [n] if faster == "neither" else []
        lost += [n] if faster == "CUB" else []
        rows.append((f"2^{n.bit_length() - 1}", f"`{name}`", microseconds(ladder.time(name, n)),
                     microseconds(ladder.time(VENDOR, n)), faster, f"{ratio} ×"))
    head = ("n", "fastest rung", "µs", "µs, CUB", "faster", "by")
    return table(head, rows, ("n", "µs", "µs, CUB", "by")) + (
        f"\nCUB wins at {len(lost)} of {len(rows)} sizes; at {len(equal)} neither does.\n")
