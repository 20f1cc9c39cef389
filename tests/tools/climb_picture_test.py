#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/climb_picture.py, with a result that is made up: bars, colours, links, both themes."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/climb_picture.py"
MADE_UP = ROOT / "tests/ladder/made_up_climb.json"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import climb_picture as climb  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def run(*words):
    done = subprocess.run([sys.executable, str(SCRIPT), *map(str, words)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class ClimbPicture(unittest.TestCase):
    def setUp(self):
        self.result = json.loads(MADE_UP.read_text(encoding="utf-8"))

    def links(self, theme="light"):
        return list(xml.fromstring(climb.picture(self.result, theme)).iter(SVG + "a"))

    def bars(self, theme="light"):
        return [link.find(SVG + "rect") for link in self.links(theme)]

    def words(self):
        drawn = xml.fromstring(climb.picture(self.result, "dark"))
        return [t.text for t in drawn.iter(SVG + "text")]

    def test_the_pictures_and_the_pages_are_those_of_the_recorded_run(self):
        self.assertEqual(run("--check"), (0, ""))

    def test_another_figure_is_found(self):
        result = json.loads(climb.RESULT.read_text(encoding="utf-8"))
        result["steps"][0]["median_us"] *= 2
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "result.json")
            path.write_text(json.dumps(result), encoding="utf-8")
            code, text = run(path, "--check")
        self.assertEqual(code, 1)
        for name in ("climb-light.svg", "climb-dark.svg", "README.md", "ladder.md"):
            self.assertIn(name, text)

    def test_a_bar_is_as_high_as_its_share_of_the_fastest(self):
        heights = [float(b.get("height")) for b in self.bars()]
        self.assertEqual(heights[-1], climb.HEIGHT)  # as fast as reading
        self.assertAlmostEqual(heights[1], climb.HEIGHT / 2, places=1)
        self.result["reading_us"] = 125.0
        self.assertAlmostEqual(float(self.bars()[-1].get("height")), climb.HEIGHT / 2, places=1)

    def test_no_bar_leaves_its_axis_or_another_bars_place(self):
        self.result["steps"][2]["median_us"] = 100.0  # faster than reading
        bars = self.bars()
        self.assertLessEqual(max(float(b.get("height")) for b in bars), climb.HEIGHT)
        for one, other in zip(bars, bars[1:]):
            self.assertLess(float(one.get("x")) + float(one.get("width")), float(other.get("x")))

    def test_colours_are_those_of_the_errors(self):
        for theme, column in (("light", 2), ("dark", 3)):
            colors = [b.get("fill") for b in self.bars(theme)]
            wanted = [climb.ERRORS[i][column] for i in (3, 2, 1, 1, 0)]
            self.assertEqual(colors, wanted)

    def test_figures_stand_in_words_too(self):
        words = self.words()
        for figure in ("2", "3.2e6", "2147", "42", "4295", "0", "atomic", "onefold exact"):
            self.assertIn(figure, words)
        description = xml.fromstring(climb.picture(self.result, "light")).find(SVG + "desc").text
        self.assertIn("reduce/vector 4130 GB/s, at most 1.5 ulps off", description)

    def test_each_bar_links_a_section_that_is_there(self):
        text = (ROOT / "docs/ladder.md").read_text(encoding="utf-8")
        for link, step in zip(self.links(), self.result["steps"]):
            page, _, anchor = link.get("href").partition("#")
            self.assertEqual(page, "../ladder.md", step)
            self.assertTrue(anchor, step)
            first = anchor.split("-")[0].removeprefix("reduce")
            self.assertIn(f"### `reduce/{first}", text)

    def test_both_themes_are_written_and_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(MADE_UP, "--out", folder, "--check")[0], 1)
            self.assertEqual(run(MADE_UP, "--out", folder), (0, ""))
            self.assertEqual(sorted(p.name for p in pathlib.Path(folder).iterdir()),
                             ["climb-dark.svg", "climb-light.svg"])
            self.assertEqual(run(MADE_UP, "--out", folder, "--check"), (0, ""))
            pathlib.Path(folder, "climb-dark.svg").write_text("", encoding="utf-8")
            code, text = run(MADE_UP, "--out", folder, "--check")
            self.assertEqual(code, 1)
            self.assertIn("climb-dark.svg", text)

    def test_what_is_no_run_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "other.json")
            path.write_text("{}", encoding="utf-8")
            code, text = run(path, "--out", folder)
            self.assertEqual(code, 1)
            self.assertIn("no run of the climb", text)


if __name__ == "__main__":
    unittest.main()
