#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/ladder_docs on a small tree with a program that answers from a table."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "ladder_docs"


def counts(load_wavefronts, sectors):
    shared = {"requests": 1, "wavefronts": load_wavefronts, "conflicts": 0, "worst_ways": 1}
    return {"shared_load": shared, "shared_store": {**shared, "wavefronts": 10},
            "global_load": {"requests": 1, "sectors": sectors, "lines": 1},
            "global_store": {"requests": 1, "sectors": 2, "lines": 1},
            "divergent_branches": 0, "barriers": 8}


def trial(rung, wavefronts=20, **other):
    return {"rung": rung, "published": rung.startswith("published/"),
            "launch": {"n": 65536, "block": 256, "type": "int"}, "answer": "10", "expected": "10",
            "right": True, "reads": {"never": 0, "once": 4, "more": 0},
            "counts": counts(wavefronts, 64), "findings": [], "claims_hold": True,
            "verdict": "right", **other}


TWIN = trial("published/off", answer="1234567", expected="7654321", right=False,
             verdict="race, wrong value", reads={"never": 3, "once": 1, "more": 2},
             findings=[{"defect": "race", "detail": "a write and a read meet", "times": 9,
                        "place": {"file": "ladder/published/off.cuh", "line": 7}}])
TRIALS = [trial("reduce/low", 40), trial("reduce/high"), TWIN]
PAGE = {"printed_as": [{"document": "notes", "citation": "", "step": "Step 2"}],
        "changes": [{"before": "slow", "after": "fast"}],
        "claims": [{"says": "a | b", "so": "no", "counted": "1", "measured": None}]}
TEXT = "reduce/high: title\n\nblock 0\nstep  lanes\n   1  ####\n\nschedules  right\n"


def time(rung, us, n=1 << 26):
    return {"rung": rung, "type": "int", "n": n, "right": True, "bytes": 4 * n, "median_us": us}


def recorded(rung, wavefronts):
    return {"rung": rung, "type": "int", "counters": {
        "shared_load_wavefronts": wavefronts, "shared_store_wavefronts": 10,
        "global_load_sectors": 64, "global_store_sectors": 1, "global_reduction_sectors": 1,
        "instructions": 120192, "active_lanes_not_predicated_off": 21.543}}


MACHINE = {"machine": {"gpu": "NVIDIA H200", "runtime": "13.0"}, "date": "2026-11-21"}
SOURCES = {"documents": [{"id": "notes", "title": "Notes", "author": "A. Teacher", "date": None,
                          "address": "example.org"}],
           "listings": [{"document": "notes", "listing": "Step 2", "rung": "reduce/high",
                         "twin": "published/off", "defect": "two lanes meet"}]}


class LadderDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.program = self.root / "program"
        self.write("ladder/sources.json", json.dumps(SOURCES))
        self.write("ladder/reduce/high.cuh", "")
        self.write("docs/ladder/agreement.md", "# Agreement\n")
        self.write("README.md",
                   "<!-- begin readme-table -->\nnot ours\n<!-- end readme-table -->\n")
        self.record([time("read", 10), time("reduce/vendor", 12), time("reduce/low", 40),
                     time("reduce/high", 20)], [recorded("reduce/low", 40)])
        self.answer(TRIALS)

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def record(self, times, counters, card="h200", machine=None):
        head = machine or MACHINE
        self.write(f"bench/results/{card}/ladder_times.json", json.dumps({**head, "rows": times}))
        self.write(f"bench/results/{card}/ladder_counters.json", json.dumps(
            {**head, "n": 65536, "block": 256, "source": "Nsight", "rungs": counters}))

    def answer(self, trials, page=PAGE):
        one = {t["rung"]: t for t in trials}
        self.program.write_text(
            f"#!{sys.executable}\nimport json, sys\n"
            f"one = {one!r}\nwords = sys.argv[1:]\n"
            "if words[0] == 'run':\n"
            "  print(json.dumps({'results': [one[word] for word in words if word in one]}))\n"
            "elif words[0] == 'list': print(json.dumps({'rungs': [\n"
            "    {'rung': name, 'published': t['published'], 'file': name + '.cuh'}\n"
            "    for name, t in one.items()]}))\n"
            f"elif '--json' in words: print(json.dumps({{'page': {page!r}}}))\n"
            f"else: print({TEXT!r}, end='')\n", encoding="utf-8")
        self.program.chmod(0o755)

    def region(self, words, old=""):
        name = words.split()[0]
        self.write("docs/ladder.md",
                   f"before\n<!-- begin {words} -->\n{old}<!-- end {name} -->\nafter\n")

    def docs(self, *options):
        return subprocess.run([sys.executable, SCRIPT, self.program, "--root", self.root, *options],
                              text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def written(self, words):
        self.region(words)
        done = self.docs()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.read("docs/ladder.md")

    def refuses(self, words):
        done = self.docs("--check")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stderr)

    def test_a_region_is_written_once_and_then_fresh(self):
        page = self.written("ladder-climb reduce")
        self.assertIn("| 50 | 8 | 66 | 120,192 | 21.5 | 40.0 | 0.25 |", page)
        self.assertIn("[`reduce/high`](../ladder/reduce/high.cuh)", page)
        self.assertTrue(page.startswith("before\n") and page.endswith("-->\nafter\n"))
        done = self.docs("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_the_card_that_was_recorded_last_gives_the_figures(self):
        def of(date):
            return {"machine": {"gpu": "NVIDIA H100 80GB HBM3", "runtime": "13.0"}, "date": date}
        self.record([time("read", 10), time("reduce/vendor", 12), time("reduce/low", 40),
                     time("reduce/high", 16)], [recorded("reduce/low", 40)], "h100",
                    of("2026-11-20"))
        self.assertIn("µs on the H200", self.written("ladder-climb reduce"))
        self.record([time("read", 10), time("reduce/vendor", 12), time("reduce/low", 40),
                     time("reduce/high", 16)], [recorded("reduce/low", 40)], "h100",
                    of("2026-11-22"))
        page = self.written("ladder-climb reduce")
        self.assertIn("µs on the H100", page)
        self.assertIn("NVIDIA H100 80GB HBM3, CUDA 13.0, 2026-11-22", page)

    def test_drivers_have_a_verdict_of_their_recorded_times(self):
        self.assertIn("Not recorded yet", self.written("ladder-driver-times"))
        rows = [{"driver": name, "n": n, "median_us": us, "least_us": us - 1, "most_us": us + 1}
                for n, host in ((1024, 10), (4096, 21))
                for name, us in (("passes", 30), ("second launch", 20), ("host", host))]
        self.write("bench/results/h200/ladder_host.json",
                   json.dumps({**MACHINE, "runs": 3, "rounds": 9, "drivers": rows}))
        page = self.written("ladder-driver-times")
        self.assertIn("| 1,024 | 30.0 | 20.0 | 10.0 | host |", page)
        self.assertIn("| 4,096 | 30.0 | 20.0 | 21.0 | second launch, host |", page)
        self.assertIn("**not always**. The host is faster than a second launch at 1 of 2", page)

    def test_lines_and_blocks_are_compared_with_the_profilers(self):
        self.assertIn("Not recorded yet", self.written("ladder-lines"))
        place = {"file": "ladder/reduce/low.cuh", "line": 7}
        lines = [{**place, "instructions": 30, "global_load_sectors": 64},
                 {**place, "line": 8, "instructions": 10, "shared_load_wavefronts": 16}]
        self.write("bench/results/h200/ladder_lines.json", json.dumps(
            {**MACHINE, "n": 65536, "block": 256, "source": "Nsight", "rungs": [
                {"rung": "reduce/low", "type": "int", "blocks_of_warps": 20,
                 "executor_blocks": 30, "lines": lines}]}))
        accesses = [[{"access": "global load", "sectors": 64, "wavefronts": None}],
                    [{"access": "shared load", "sectors": None, "wavefronts": 64}]]
        self.answer(TRIALS, {**PAGE, "trial": {"launch": {"type": "int"}}, "lines": [
            {"place": {**place, "line": 7 + i}, "accesses": a} for i, a in enumerate(accesses)]})
        page = self.written("ladder-lines")
        self.assertIn("1 of 2 pairs", page)
        self.assertIn("| `reduce/low` | low.cuh:8 | shared load | 64 | 16 |", page)
        self.assertIn("| `reduce/low` | 30 | 20 | 1.50 | 40 |", self.written("ladder-blocks"))

    def test_check_names_a_stale_region_and_writes_nothing(self):
        self.region("ladder-climb reduce", "| typed by hand |\n")
        before = self.read("docs/ladder.md")
        done = self.docs("--check")
        self.assertEqual((done.returncode, self.read("docs/ladder.md")), (1, before))
        self.assertIn("docs/ladder.md: ladder-climb reduce: stale", done.stdout)

    def test_regions_of_others_stay(self):
        self.assertIn("before", self.written("ladder-climb reduce"))
        self.assertIn("not ours", self.read("README.md"))

    def test_steps_tell_what_fell_and_how_the_time_followed(self):
        self.assertIn("| `reduce/high` | 1.7 × fewer | same | same | – | – | 2.00 × |",
                      self.written("ladder-steps reduce"))

    def test_steps_tell_what_became_of_the_instructions(self):
        high = recorded("reduce/high", 20)
        high["counters"]["instructions"] //= 2
        self.record([time("read", 10), time("reduce/low", 40)], [recorded("reduce/low", 40), high])
        self.assertIn("| `reduce/high` | 1.7 × fewer | same | same | 2.0 × fewer | – | – |",
                      self.written("ladder-steps reduce"))

    def test_cub_is_named_where_it_wins(self):
        page = self.written("ladder-cub")
        self.assertIn("| 2^26 | `reduce/high` | 20.0 | 12.0 | CUB | 1.67 × |", page)
        self.assertIn("CUB wins at 1 of 1 sizes", page)

    def test_a_rung_tells_its_claims(self):
        page = self.written("ladder-rung reduce/high")
        self.assertIn("Printed as Step 2 [1].", page)
        self.assertIn("- slow\n+ fast\n", page)
        self.assertIn("| a \\| b | **no** | 1 | – |", page)

    def test_a_drawing_is_the_part_that_begins_so(self):
        page = self.written('ladder-page "block 0" reduce/high --warp 4')
        self.assertIn("```text\nblock 0\nstep  lanes\n   1  ####\n```", page)
        self.assertNotIn("schedules", page)

    def test_a_drawing_that_is_not_there_is_refused(self):
        self.region('ladder-page "worst request" reduce/high')
        self.refuses("has no part that begins with 'worst request'")

    def test_errata_tell_verdict_numbers_place_and_command(self):
        page = self.written("ladder-errata notes")
        for words in ("**race, wrong value**", "the answer is 1,234,567, not 7,654,321",
                      "2 elements read more than once, 3 never", "line 7 of `off.cuh`",
                      "`onefold ladder run published/off`", "A. Teacher, “Notes”, example.org"):
            self.assertIn(words, page)

    def test_counters_that_agree_need_no_words(self):
        page = self.written("ladder-agreement")
        self.assertIn("| `reduce/low` | 64 | 2 | 40 | 10 | yes |", page)
        self.assertIn("Not recorded yet: `reduce/high`.", page)

    def test_a_disagreement_needs_its_section(self):
        self.record([time("read", 10)], [recorded("reduce/low", 41)])
        self.region("ladder-agreement")
        self.refuses("reduce/low: shared load wavefronts: say why")
        self.write("docs/ladder/agreement.md", "### reduce/low: shared load wavefronts\nBecause.\n")
        self.assertIn("| 40 ≠ 41 | 10 | see below |", self.written("ladder-agreement"))

    def test_a_section_about_counters_that_agree_is_refused(self):
        self.region("ladder-agreement")
        self.write("docs/ladder/agreement.md", "### reduce/low: shared load wavefronts\nBecause.\n")
        self.refuses("they agree; drop it")

    def test_a_rung_that_is_not_right_has_no_page(self):
        self.answer([trial("reduce/low", right=False, verdict="wrong value"), *TRIALS[1:]])
        self.region("ladder-climb reduce")
        self.refuses("reduce/low is not as expected (wrong value)")

    def test_a_time_of_a_wrong_answer_is_refused(self):
        self.record([time("read", 10), time("reduce/vendor", 12),
                     {**time("reduce/low", 1), "right": False}],
                    [])
        self.region("ladder-climb reduce")
        self.refuses("a wrong answer")

    def test_an_unknown_region_and_one_without_an_end_are_refused(self):
        self.region("ladder-clmb")
        self.refuses("no region is called ladder-clmb")
        self.write("docs/ladder.md", "<!-- begin ladder-climb reduce -->\n")
        self.refuses("has no end")


if __name__ == "__main__":
    unittest.main()
