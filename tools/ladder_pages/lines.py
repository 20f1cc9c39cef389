# SPDX-License-Identifier: Apache-2.0
"""The executor's counters of single lines and its basic blocks next to Nsight Compute's."""
from ladder_pages.ladder import Refusal, count, table

FILE = "ladder_lines.json"
NOT_RECORDED = "Not recorded yet: `tools/gpu_check lines`.\n"
# The executor's access: (its number, our word for Nsight's).
ACCESSES = {
    "global load": ("sectors", "global_load_sectors"),
    "global store": ("sectors", "global_store_sectors"),
    "global atomic": ("sectors", "global_atomic_sectors"),
    "shared load": ("wavefronts", "shared_load_wavefronts"),
    "shared store": ("wavefronts", "shared_store_wavefronts"),
}


def recorded(ladder):
    """The page of source counters, or None."""
    path = ladder.results / FILE
    return ladder.read(path) if path.exists() else None


def by_line(lines, numbers):
    """{(file, line, access): number}; lines that do not ask for memory are left out."""
    found = {}
    for line in lines:
        for access, number in numbers(line):
            if number:
                place = line.get("place", line)
                key = (place["file"], place["line"], access)
                found[key] = found.get(key, 0) + number
    return found


def executors(line):
    return [(one["access"], one[ACCESSES[one["access"]][0]]) for one in line["accesses"]
            if one["access"] in ACCESSES]


def nsights(line):
    return [(access, line.get(theirs, 0)) for access, (_, theirs) in ACCESSES.items()]


def differing(ladder, entry):
    """([(file, line, access, executor, GPU)] that differ, how many are the same)."""
    page = ladder.page(entry["rung"])
    if page["trial"]["launch"]["type"] != entry["type"]:
        raise Refusal(f"the counters by line of {entry['rung']} are of {entry['type']}: record "
                      "them again")
    ours, theirs = by_line(page["lines"], executors), by_line(entry["lines"], nsights)
    keys = sorted(ours | theirs)
    return ([(*key, ours.get(key, 0), theirs.get(key, 0)) for key in keys
             if ours.get(key, 0) != theirs.get(key, 0)],
            sum(ours.get(key, 0) == theirs.get(key, 0) for key in keys))


def lines(ladder, page, words):
    """Every line and access on which the two differ."""
    found = recorded(ladder)
    if found is None:
        return NOT_RECORDED
    rows, same = [], 0
    for entry in found["rungs"]:
        unlike, equal = differing(ladder, entry)
        same += equal
        rows += [(f"`{entry['rung']}`", f"{file.rpartition('/')[2]}:{line}" if file else "no line",
                  access, count(ours), count(theirs))
                 for file, line, access, ours, theirs in unlike]
    head = ("rung", "line", "access", "executor", "GPU")
    text = (f"{count(same)} of {count(same + len(rows))} pairs of a line and a kind of access have "
            "the same sectors or wavefronts. The others:\n\n" if rows else
            f"All {count(same)} pairs of a line and a kind of access agree.\n")
    return text + (table(head, rows, head[3:]) if rows else "") + (
        f"\n{count(found['n'])} elements or pixels, blocks of {found['block']}; {found['source']}, "
        f"{ladder.recorded(found)}.\n")


def blocks(ladder, page, words):
    """Basic blocks of warps: of the source, as g++ cuts it, and of the machine code."""
    found = recorded(ladder)
    if found is None:
        return NOT_RECORDED
    rows = []
    for entry in found["rungs"]:
        ours, theirs = entry.get("executor_blocks"), entry["blocks_of_warps"]
        rows.append((f"`{entry['rung']}`", count(ours) if ours else "–", count(theirs),
                     f"{ours / theirs:.2f}" if ours else "–",
                     count(sum(line["instructions"] for line in entry["lines"]))))
    head = ("rung", "blocks, executor", "blocks, GPU", "ratio", "instructions, GPU")
    return table(head, rows, head[1:]) + (
        "\nExecuted by warps. The executor's are blocks of the source as g++ cuts it, the GPU's "
        f"are blocks of the machine code. {count(found['n'])} elements or pixels, blocks of "
        f"{found['block']}; {found['source']}, {ladder.recorded(found)}.\n")
