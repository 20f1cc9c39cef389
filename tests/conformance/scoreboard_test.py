#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the pages are those of the result file, and a changed one is noticed."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def scoreboard(*words):
    done = subprocess.run([sys.executable, ROOT / "conformance/scoreboard", *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


class Scoreboard(unittest.TestCase):
    def test_the_pages_are_fresh(self):
        self.assertEqual(scoreboard("--check"), (0, ""))

    def test_a_changed_count_is_noticed_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("docs", "conformance/results"):
                (root / name).mkdir(parents=True)
            page = "docs/conformance.md"
            shutil.copy(ROOT / page, root / page)
            source, = (ROOT / "conformance/results").glob("*.json")
            data = json.loads(source.read_text())
            data["libraries"][0]["ops"]["sum"]["tie"]["wrong"] += 1
            (root / "conformance/results/planted.json").write_text(json.dumps(data))
            code, said = scoreboard("--check", "--root", folder)
            self.assertEqual(code, 1)
            for region in ("conformance", "conformance-tables"):
                self.assertIn(f"{page}: {region}: stale", said)
            self.assertEqual(scoreboard("--root", folder)[0], 0)
            self.assertEqual(scoreboard("--check", "--root", folder), (0, ""))
            self.assertRegex((root / page).read_text(), r"\| onefold \| \d+ of \d+ \|")

    def test_no_result_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            code, said = scoreboard("--root", folder)
            self.assertEqual(code, 2)
            self.assertIn("0 result files", said)


if __name__ == "__main__":
    unittest.main()
