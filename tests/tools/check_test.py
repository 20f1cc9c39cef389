#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check on stages played by small commands: what counts, what fails, what is not hidden."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("check", str(ROOT / "tools/check"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
    loader.exec_module(module)
    return module


class Check(unittest.TestCase):
    def setUp(self):
        self.check = load()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.check.ROOT = pathlib.Path(place.name)
        self.check.LOGS = self.check.ROOT / "logs"

    def run_stages(self, *stages, arguments=(), ci=False):
        """(exit code, output) of a table of (name, commands, commands instead)."""
        self.check.STAGES = tuple(self.check.Stage(name, "shows", "none", *commands)
                                  for name, *commands in stages)
        environment = {k: v for k, v in os.environ.items() if k != "CI"} | {"SETUP": "no"}
        if ci:
            environment["CI"] = "true"
        shown = io.StringIO()
        with mock.patch.dict(os.environ, environment, clear=True), \
                mock.patch("sys.argv", ["check", *arguments]), contextlib.redirect_stdout(shown):
            code = self.check.main()
        return code, shown.getvalue()

    def test_counts_the_tests_of_ctest_and_of_our_own_lines(self):
        code, shown = self.run_stages(
            ("first", ["echo '100% tests passed, 0 tests failed out of 12'"]),
            ("second", ["echo '2 passed, 0 failed'", "echo '3 passed, 0 failed'"]))
        self.assertEqual(code, 0)
        self.assertTrue(shown.endswith("17 passed, 0 failed\n"), shown)

    def test_a_stage_that_fails_without_counting_counts_one_and_the_next_still_runs(self):
        code, shown = self.run_stages(("first", ["exit 3", "echo never"]),
                                      ("second", ["echo '1 passed, 0 failed'"]))
        self.assertEqual(code, 1)
        self.assertNotIn("never", shown)
        self.assertTrue(shown.endswith("1 passed, 1 failed\n"), shown)

    def test_failures_are_named_at_the_end_with_their_first_lines(self):
        said = ("a_test.cpp:7: Failure", "  Expected: 1",
                "50% tests passed, 1 tests failed out of 2",
                "The following tests FAILED:", "\t 12 - sum.is_right (Failed)")
        code, shown = self.run_stages(
            ("first", ["printf '%s\\n' " + " ".join(f"'{line}'" for line in said) + "; exit 8"]))
        self.assertEqual(code, 1)
        end = shown[shown.index("---- first"):]
        for line in (said[0], said[1], said[4]):
            self.assertIn(line, end)
        self.assertTrue(shown.endswith("1 passed, 1 failed\n"), shown)

    def test_what_cannot_run_here_is_replaced_at_a_desk_and_fails_in_ci(self):
        stage = ("first", ["echo why; exit 77"], 0, ["echo '5 passed, 0 failed'"])
        code, shown = self.run_stages(stage)
        self.assertEqual(code, 0)
        self.assertIn("why", shown)
        self.assertTrue(shown.endswith("5 passed, 0 failed\n"), shown)
        code, shown = self.run_stages(stage, ci=True)
        self.assertEqual(code, 1)

    def test_a_stage_that_is_out_of_time_is_stopped_and_fails(self):
        code, shown = self.run_stages(("first", ["sleep 60"]), ("second", ["sleep 60"]),
                                      arguments=["--minutes", "0.02"])
        self.assertEqual(code, 1)
        self.assertRegex(shown, r"first +0\.0 min +out of time")
        self.assertTrue(shown.endswith("0 passed, 2 failed\n"), shown)

    def test_a_stage_is_left_out_where_too_few_minutes_are_left_and_the_table_says_so(self):
        stages = (("first", ["echo '1 passed, 0 failed'"]), ("second", ["exit 1"], 3))
        code, shown = self.run_stages(*stages, arguments=["--minutes", "2"])
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"second +0\.0 min +left out +0 passed +0 failed")
        self.assertTrue(shown.endswith("1 passed, 0 failed\n"), shown)
        code, shown = self.run_stages(*stages, arguments=["--minutes", "4"])
        self.assertEqual(code, 1)

    def test_the_pipe_of_a_command_does_not_hide_its_failure(self):
        code, _ = self.run_stages(("first", ["false | cat"]))
        self.assertEqual(code, 1)

    def test_an_unknown_stage_is_refused_and_the_known_ones_are_named(self):
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown), self.assertRaises(SystemExit):
            self.run_stages(("first", ["true"]), arguments=["third"])
        self.assertIn("no stage is called third; the stages: first", shown.getvalue())

    def test_the_table_of_minutes_is_written(self):
        self.run_stages(("first", ["echo '4 passed, 0 failed'"]))
        text = (self.check.LOGS / "minutes.json").read_text(encoding="utf-8")
        self.assertIn('"passed": 4', text)


if __name__ == "__main__":
    unittest.main()
