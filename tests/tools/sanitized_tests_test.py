#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sanitized_tests with a ctest played by a script: a lost test is a finding."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SanitizedTests(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        for folder in ("tools", "tests", "bin"):
            (self.root / folder).mkdir()
        shutil.copy(ROOT / "tools/sanitized_tests", self.root / "tools")

    def ask(self, tests, *arguments):
        """(exit code, output) where ctest shows the commands `tests`."""
        shown = {"kind": "ctestInfo", "tests": [{"name": str(k), "command": words}
                                                for k, words in enumerate(tests)]}
        (self.root / "shown").write_text("Preset …\n" + json.dumps(shown), encoding="utf-8")
        (self.root / "bin/ctest").write_text(f'#!/bin/sh\ncat "{self.root}/shown"\n',
                                             encoding="utf-8")
        (self.root / "bin/ctest").chmod(0o755)
        done = subprocess.run([self.root / "tools/sanitized_tests", *arguments, "asan"], text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}"))
        return done.returncode, done.stdout

    TESTS = [["b/cpu_tests", "--gtest_filter=A.B"], ["b/cpu_tests", "--gtest_filter=A.C"],
             ["python3", "t/sum_test.py"]]

    def test_the_same_tests_pass(self):
        self.assertEqual(self.ask(self.TESTS, "--write"), (0, ""))
        self.assertEqual(self.ask(self.TESTS), (0, ""))

    def test_a_lost_test_a_lost_program_and_a_new_one_are_findings(self):
        self.ask(self.TESTS, "--write")
        for tests, line in ((self.TESTS[1:], "cpu_tests has 1 tests, tests/sanitized.txt says 2"),
                            (self.TESTS[:2], "sum_test.py has 0 tests"),
                            ([*self.TESTS, ["b/new_tests"]], "new_tests has 1 tests")):
            with self.subTest(line):
                code, shown = self.ask(tests)
                self.assertEqual(code, 1)
                self.assertIn(line, shown)

    def test_writing_keeps_the_other_presets(self):
        table = self.root / "tests/sanitized.txt"
        table.write_text("tsan  other_tests  4\n", encoding="utf-8")
        self.ask(self.TESTS, "--write")
        self.assertRegex(table.read_text(encoding="utf-8"), r"tsan +other_tests +4\n")


if __name__ == "__main__":
    unittest.main()
