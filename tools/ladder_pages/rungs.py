# SPDX-License-Identifier: Apache-2.0
"""What pages show of single rungs: claims, drawings, the GPU's counts, the documents' defects."""
import json
import re

from ladder_pages.ladder import Refusal, citation, count, document_of, link, table

AGREEMENT = "docs/ladder/agreement.md"


def documents(ladder, page, words):
    rows = [(f"[{n}]", citation(d)) for n, d in enumerate(ladder.sources["documents"], 1)]
    return table(("", "document"), rows)


def beliefs(ladder, page, words):
    """One rung: where it is printed, the lines it changes, its claims against the counts."""
    rung = ladder.page(words[0])
    text = ""
    printed = [f"{p['step']} [{document_of(ladder, p['document'])[0]}]"
               for p in rung["printed_as"]]
    if printed:
        text += f"Printed as {'; '.join(printed)}.\n\n"
    if rung["changes"]:
        text += "```diff\n" + "".join(f"- {c['before']}\n+ {c['after']}\n"
                                      for c in rung["changes"]) + "```\n\n"
    rows = [(c["says"], f"**{c['so']}**" if c["so"] == "no" else c["so"],
             "–" if c["counted"] == "-" else c["counted"],
             c["measured"] or "–") for c in rung["claims"]]
    return text + table(("claim", "so?", "counted", ladder.card), rows)


def drawing(ladder, page, words):
    """The paragraphs of a page of `explain` that begin with the first word."""
    start, command = words[0], " ".join(words[1:])
    parts = [p for p in ladder.ask(f"explain {command}").split("\n\n") if p.startswith(start)]
    if not parts:
        raise Refusal(f"{page}: `explain {command}` has no part that begins with '{start}'")
    return f"`onefold ladder explain {command}`\n\n```text\n" + "\n\n".join(
        p.rstrip("\n") for p in parts) + "\n```\n"


COUNTERS = ("global load sectors", "global store sectors", "shared load wavefronts",
            "shared store wavefronts")


def compared(ladder, entry):
    """(executor, GPU) for each of COUNTERS. An atomic update counts with the stores."""
    trial, theirs = ladder.trials.get(entry["rung"]), entry["counters"]
    if trial is None or trial["launch"]["type"] != entry["type"]:
        raise Refusal(f"the counters of {entry['rung']} ({entry['type']}) are of a launch that "
                      "onefold-ladder does not repeat: record them again")
    ours = trial["counts"]

    def total(keys, field):
        return sum(ours.get(key, {}).get(field, 0) for key in keys)

    def recorded(*keys):
        return sum(theirs.get(key, 0) for key in keys)

    return {
        COUNTERS[0]: (total(["global_load"], "sectors"), recorded("global_load_sectors")),
        COUNTERS[1]: (total(["global_store", "global_atomic"], "sectors"),
                      recorded("global_store_sectors", "global_reduction_sectors",
                               "global_atomic_sectors")),
        COUNTERS[2]: (total(["shared_load"], "wavefronts"), recorded("shared_load_wavefronts")),
        COUNTERS[3]: (total(["shared_store", "shared_atomic"], "wavefronts"),
                      recorded("shared_store_wavefronts", "shared_atomic_wavefronts")),
    }


def explained(ladder):
    """{(rung, counter)} that the page of agreement has a section about: ### rungs: counters."""
    text = (ladder.root / AGREEMENT).read_text(encoding="utf-8")
    return {(rung.strip("` "), counter.strip())
            for heading in re.findall(r"^### (.*: .*)$", text, re.M)
            for rung in heading.rpartition(": ")[0].split(",")
            for counter in heading.rpartition(": ")[2].split(",")}


def disagreeing(ladder):
    """{(rung, counter)} that the executor and the GPU count differently."""
    return {(entry["rung"], name) for entry in ladder.counters["rungs"]
            for name, (a, b) in compared(ladder, entry).items() if a != b}


def apart(ladder, page, words):
    names = sorted({rung for rung, _ in disagreeing(ladder)})
    number = {1: "one rung", 2: "two rungs", 3: "three rungs", 4: "four rungs"}[len(names)]
    listed = " and ".join(filter(None, (", ".join(f"`{n}`" for n in names[:-1]),
                                        f"`{names[-1]}`")))
    return f"They differ in {number}: {listed}.\n"


def agreement(ladder, page, words):
    rows, unequal = [], disagreeing(ladder)
    for entry in ladder.counters["rungs"]:
        pairs = compared(ladder, entry)
        unlike = {(entry["rung"], name) for name, (a, b) in pairs.items() if a != b}
        rows.append((f"`{entry['rung']}`", *(count(a) if a == b else f"{count(a)} ≠ {count(b)}"
                                             for a, b in pairs.values()),
                     "see below" if unlike else "yes"))
    explanations = explained(ladder)
    for problem, which in (("say why in a section '### RUNG: COUNTER'", unequal - explanations),
                           ("they agree; drop it from the headings", explanations - unequal)):
        if which:
            names = "; ".join(f"{rung}: {counter}" for rung, counter in sorted(which))
            raise Refusal(f"{AGREEMENT}: {names}: {problem}")
    missing = set(ladder.rungs("reduce", "dot", "image", "loop")) - {
        entry["rung"] for entry in ladder.counters["rungs"]}
    equal = sum(row[-1] == "yes" for row in rows)
    head = ("rung", *COUNTERS, "equal?")
    return table(head, rows, COUNTERS) + (
        f"\n{equal} of {len(rows)} rungs agree in all four counters. One number: the executor and "
        f"the GPU have counted the same; `a ≠ b`: executor, GPU. {count(ladder.counters['n'])} "
        f"elements or pixels, blocks of {ladder.counters['block']}, whole grid; "
        f"{ladder.counters['source']}, {ladder.recorded(ladder.counters)}.\n") + (
        f"\nNot recorded yet: {', '.join(f'`{m}`' for m in sorted(missing))}.\n" if missing else "")


def answer_text(text):
    return count(int(text)) if re.fullmatch(r"-?\d+", text) else text


def what_happens(trial):
    parts = [f"**{trial['verdict']}**"]
    if not trial["right"] and "nan" not in trial["answer"]:
        expected = f", not {answer_text(trial['expected'])}" if trial["expected"] else ""
        parts.append(f"the answer is {answer_text(trial['answer'])}{expected}")
    elif not trial["right"]:
        parts.append("the answer is not a number")
    again, never = trial["reads"]["more"], trial["reads"]["never"]
    if again or never:
        parts.append(f"{count(again)} elements read more than once, {count(never)} never")
    kinds = {}
    for finding in trial["findings"]:
        kinds.setdefault(finding["defect"], []).append(finding)
    for found in kinds.values():
        place = found[0]["place"]
        more = f", and at {len(found) - 1} more" if len(found) > 1 else ""
        parts.append(f"{found[0]['detail']}: line {place['line']} of "
                     f"`{place['file'].rpartition('/')[2]}`{more}")
    return "; ".join(parts)


def errata(ladder, page, words):
    rows = []
    for row in ladder.sources["listings"]:
        if row["document"] != words[0]:
            continue
        regression, defect = row["twin"], row["defect"] or "nothing wrong"
        happens, command = "", ""
        if regression is not None:
            named = link(ladder, page, ladder.file(regression), f"`{regression}`")
            if (ladder.file(regression) or "").endswith(".cu"):
                happens, command = "**does not compile**", named
            else:
                trial, = json.loads(ladder.ask(f"run {regression} --json"))["results"]
                happens = what_happens(trial)
                command = f"{named}<br>`onefold ladder run {regression}`"
        rows.append((row["listing"], defect, happens, command,
                     link(ladder, page, ladder.file(row["rung"]), f"`{row['rung']}`")))
    if not rows:
        raise Refusal(f"ladder/sources.json has no listing of '{words[0]}'")
    number, document = document_of(ladder, words[0])
    return f"[{number}] {citation(document)}\n\n" + table(
        ("listing", "what is printed", "what happens", "see it", "repaired"), rows)
