#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/picture.py: the committed pictures are those of the committed result, and its drawing."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/picture.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import picture  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def check(path):
    done = subprocess.run([sys.executable, str(SCRIPT), str(path), "--check"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Picture(unittest.TestCase):
    def setUp(self):
        self.result = json.loads(picture.RESULT.read_text(encoding="utf-8"))

    def drawn(self, tag):
        return list(xml.fromstring(picture.picture(self.result, "light")).iter(SVG + tag))

    def words(self):
        return [element.text for element in self.drawn("text")]

    def row(self, name):
        return next(entry for entry in self.result["rows"] if entry["row"] == name)

    def test_the_pictures_and_the_readme_are_those_of_the_result(self):
        self.assertEqual(check(picture.RESULT), (0, ""))

    def test_another_figure_is_found(self):
        self.row("rows of 8: var f32")["onefold"]["of ceiling"] = 0.123
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            path.write_text(json.dumps(self.result), encoding="utf-8")
            code, text = check(path)
        self.assertEqual(code, 1)
        for name in ("gpu-rows-light.svg", "gpu-rows-dark.svg", "README.md"):
            self.assertIn(name, text)

    def test_bars_are_as_long_as_their_shares(self):
        row = self.row("rows of 1024: sum f32")
        row["onefold"]["of ceiling"], row["peers"][0]["of ceiling"] = 0.25, 1.5
        bars = [float(bar.get("width")) for bar in self.drawn("rect")[1:]]
        self.assertEqual(bars[:2], [picture.BARS[1] / 4, picture.BARS[1]])
        self.assertIn("1.50", self.words())

    def test_errors_lie_on_a_logarithmic_axis(self):
        places = [picture.error_at(ulps) for ulps in (0, 0.1, 1, 10, 1e11, 1e300)]
        self.assertEqual(places[0], picture.ERRORS[0])
        self.assertEqual(places[1], picture.ERRORS[0])
        self.assertAlmostEqual(places[3] - places[2], places[2] - places[1])
        self.assertEqual(places[4], sum(picture.ERRORS))
        self.assertEqual(places[5], sum(picture.ERRORS))
        self.assertEqual([picture.in_words(ulps) for ulps in (0, 0.5, 39.62, 4896.0, 1.398e6)],
                         ["0", "0.5", "39.6", "4900", "1.4e6"])

    def test_a_peer_that_was_not_measured_is_left_out(self):
        before = self.words().count("Triton")
        row = self.row("rows of 8: var f32")
        row["peers"] = [peer for peer in row["peers"] if peer["peer"] != "Triton"]
        self.assertEqual(self.words().count("Triton"), before - 1)

    def test_themes_differ_in_colours_alone(self):
        light, dark = (picture.picture(self.result, theme) for theme in picture.THEMES)
        for name, color in picture.THEMES["light"].items():
            dark = dark.replace(picture.THEMES["dark"][name], color)
        self.assertEqual(light, dark)

    def test_a_result_without_a_row_is_an_error(self):
        result = copy.deepcopy(self.result)
        result["rows"] = [row for row in result["rows"] if row["row"] != "rows of 8: var f32"]
        with self.assertRaisesRegex(SystemExit, "rows of 8: var f32"):
            picture.measured(result)


if __name__ == "__main__":
    unittest.main()
