# SPDX-License-Identifier: Apache-2.0
"""The three sources of the pages: the program, the documents, what a GPU recorded; and the words
that all pages write their numbers with."""
import functools
import json
import pathlib
import re
import shlex
import subprocess

BIG, SMALL = 1 << 26, 1 << 16  # elements at which times are compared


class Refusal(Exception):
    """Why no page can be written, with the remedy."""


def newest_results(root):
    """The folder below bench/results/ whose counters of the ladder were recorded last: kernels
    change, and what a card has counted before is of older ones. CMake takes the same folder."""
    def age(path):
        return json.loads(path.read_text(encoding="utf-8"))["date"], path.parent.name
    files = sorted(root.glob("bench/results/*/ladder_counters.json"), key=age)
    if not files:
        raise Refusal("bench/results/ has no ladder_counters.json: run tools/gpu_check counters")
    return files[-1].parent


def short_name(gpu):
    """ "NVIDIA H100 80GB HBM3" is an H100."""
    return next((word for word in gpu.split() if any(map(str.isdigit, word))), gpu)


class Ladder:
    """The three sources: the program, the documents, what a GPU recorded."""

    def __init__(self, root, program, pages=None):
        """pages: what `report --json` wrote; without it each page is asked for when needed."""
        self.root, self.program = root, program
        self.pages = pages and {page["rung"]: page for page in
                                json.loads(pages.read_text(encoding="utf-8"))["pages"]}
        self.sources = self.read("ladder/sources.json")
        self.results = newest_results(root)
        self.times = self.read(self.results / "ladder_times.json")
        self.counters = self.read(self.results / "ladder_counters.json")
        self.card = short_name(self.counters["machine"]["gpu"])
        self.rows = {(r["rung"], r["type"], r["n"]): r for r in self.times["rows"]}
        self.counted = {r["rung"]: r["counters"] for r in self.counters["rungs"]}

    def read(self, path):
        return json.loads((self.root / path).read_text(encoding="utf-8"))

    @functools.cache
    def ask(self, words):
        """What the program prints; 1 is its exit code for a rung that is not as expected."""
        done = subprocess.run([self.program, *shlex.split(words)], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in (0, 1) or not done.stdout:
            raise Refusal(f"`onefold-ladder {words}` failed: {done.stderr.strip()}")
        return done.stdout

    @functools.cached_property
    def trials(self):
        """The trial of every rung that the executor runs, at the launch that a GPU recorded."""
        launch = f"--n {self.counters['n']} --block {self.counters['block']}"
        names = [rung["rung"] for rung in json.loads(self.ask("list --json"))["rungs"]
                 if not rung["published"] and rung["file"].endswith(".cuh")]
        asked = f"run {' '.join(names)} {launch} --json"
        trials = {t["rung"]: t for t in json.loads(self.ask(asked))["results"]}
        for name, t in trials.items():
            if not (t["verdict"] == "right" and t["claims_hold"]):
                raise Refusal(f"{name} is not as expected ({t['verdict']}): see "
                              f"`onefold-ladder explain {name}`; pages show only rungs that are")
        return trials

    def rungs(self, *folders):
        return [name for name in self.trials if name.split("/")[0] in folders]

    @functools.cache
    def page(self, name):
        if self.pages:
            return self.pages[name]
        return json.loads(self.ask(f"explain {name} --json"))["page"]

    def file(self, name):
        """Of a kernel, from the root of the tree, or None."""
        stem = "ladder/" + name.replace("-", "_")
        found = (stem + end for end in (".cuh", ".cu") if (self.root / (stem + end)).exists())
        return next(found, None)

    def time(self, name, n):
        """A row of the recorded times with the rung's usual type, or None."""
        kind = self.trials[name]["launch"]["type"] if name in self.trials else "int"
        row = self.rows.get((name, kind, n))
        if row and not row["right"]:
            raise Refusal(f"the recorded time of {name} at n = {n} is that of a wrong answer")
        return row

    def instructions(self, name):
        """Of warps, as the GPU counted them, or None."""
        return self.counted.get(name, {}).get("instructions")

    def lanes_at_work(self, name):
        """Of an instruction, on average: those that are not predicated off; or None."""
        return self.counted.get(name, {}).get("active_lanes_not_predicated_off")

    def of_ceiling(self, row):
        """Its bytes a second over those of plain reading as many bytes, or nearly as many."""
        def distance(read):
            ratio = max(read["bytes"], row["bytes"]) / min(read["bytes"], row["bytes"])
            return ratio, read["type"] != row["type"], read["bytes"]
        read = min((r for r in self.rows.values() if r["rung"] == "read"), key=distance)
        return row["bytes"] / row["median_us"] / (read["bytes"] / read["median_us"])

    def recorded(self, page):
        return f"{page['machine']['gpu']}, CUDA {page['machine']['runtime']}, {page['date']}"


# Words and numbers.

def count(number):
    return f"{number:,}"


def microseconds(row):
    if row is None:
        return "–"
    us = row["median_us"]
    return f"{us:,.2f}" if us < 10 else f"{us:,.1f}" if us < 1000 else f"{us:,.0f}"


def times_fewer(was, now):
    if None in (was, now):
        return "–"
    if was == now:
        return "same"
    if 0 in (was, now):
        return f"{count(was)} → {count(now)}"
    if max(was, now) < 1.1 * min(was, now):
        return f"{abs(now / was - 1):.1%} {'fewer' if was > now else 'more'}"
    return f"{was / now:.1f} × fewer" if was > now else f"{now / was:.1f} × more"


def times_faster(was, now):
    return "–" if None in (was, now) else f"{was['median_us'] / now['median_us']:.2f} ×"


def table(head, rows, right=()):
    """Markdown; the columns named in `right` are aligned to the right."""
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join("---:" if name in right else "---" for name in head) + "|"]
    lines += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def link(ladder, page, path, words):
    """To a file of the tree, from the folder of the page."""
    if path is None:
        return words
    return f"[{words}]({'../' * (len(pathlib.PurePosixPath(page).parts) - 1)}{path})"


def wavefronts(trial):
    counts = trial["counts"]
    return counts["shared_load"]["wavefronts"] + counts["shared_store"]["wavefronts"]


def sectors(trial):
    counts = trial["counts"]
    return sum(value["sectors"] for key, value in counts.items() if key.startswith("global_"))


def citation(document):
    """A document without a title is named by what it holds."""
    name = f"“{document['title']}”" if document["title"] else document["contents"]
    return ", ".join(filter(None, (document["author"], name, document["date"],
                                   document["address"])))


def document_of(ladder, key):
    for number, document in enumerate(ladder.sources["documents"], 1):
        if document["id"] == key:
            return number, document
    raise Refusal(f"ladder/sources.json has no document '{key}'")
