#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/minutes.py --check: a committed figure above its cap is a finding."""
import importlib.util
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
SPEC = importlib.util.spec_from_file_location("minutes", ROOT / "bench/minutes.py")
minutes = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(minutes)


class Minutes(unittest.TestCase):
    def setUp(self):
        self.result = {name: {"minutes": cap} for name, (cap, _) in minutes.ROWS.items()}

    def test_figures_at_their_caps_pass(self):
        self.assertEqual(list(minutes.findings(self.result)), [])

    def test_a_figure_above_its_cap_is_named_with_its_command(self):
        for name, (cap, command) in minutes.ROWS.items():
            with self.subTest(name):
                found = list(minutes.findings(self.result | {name: {"minutes": cap + 0.01}}))
                self.assertEqual(len(found), 1)
                self.assertIn(command, found[0])

    def test_a_figure_that_is_not_measured_yet_is_none(self):
        self.assertEqual(list(minutes.findings({})), [])

    def test_the_first_mile_is_timed_without_the_installation_of_packages(self):
        log = ("setup: installed in 30 s\n[1/2] Building\ntook 150.0 s\ntook 6.0 s\n"
               "setup: installed in 60 s\n0 s\ntook 360.0 s\n")
        self.assertEqual(minutes.first_mile(log), {"run": 2.0, "run again": 0.1, "test": 5.0})

    def test_a_stage_that_timed_too_few_commands_is_refused(self):
        with self.assertRaises(ValueError):
            minutes.first_mile("took 150.0 s\ntook 6.0 s\n")

    def test_the_pages_have_the_committed_minutes(self):
        result = json.loads(minutes.RESULT.read_text(encoding="utf-8"))
        for page in minutes.PAGES:
            self.assertIn(f"<!-- begin minutes -->\n{minutes.sentence(result)}<!-- end minutes -->",
                          (ROOT / page).read_text(encoding="utf-8"))
        result["run"]["minutes"] = 12.34
        self.assertIn("takes 12.3 minutes", minutes.sentence(result))

    def test_packages_are_counted_by_their_groups(self):
        self.assertGreater(minutes.packages_of("build"), 5)
        self.assertEqual(minutes.packages_of("no group"), 0)

    def test_the_file_that_is_measured_is_there(self):
        self.assertTrue((ROOT / minutes.KERNEL).is_file())


if __name__ == "__main__":
    unittest.main()
