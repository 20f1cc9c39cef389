#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of the planted bugs passes only a program that fails and names its bug."""
import pathlib
import subprocess
import sys
import unittest

JUDGE = pathlib.Path(__file__).resolve().parent / "planted" / "expect_report.py"


def verdict(words, program):
    command = [sys.executable, JUDGE, words, "sh", "-c", program]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode


class ExpectReport(unittest.TestCase):
    def test_a_named_bug_that_fails_the_program_is_caught(self):
        self.assertEqual(verdict("data race", "echo 'WARNING: data race' >&2; exit 66"), 0)

    def test_a_program_that_succeeds_is_not_caught_whatever_it_prints(self):
        self.assertEqual(verdict("data race", "echo data race"), 1)

    def test_a_failure_with_other_words_is_not_caught(self):
        self.assertEqual(verdict("data race", "echo unexpected memory mapping; exit 66"), 1)


if __name__ == "__main__":
    unittest.main()
