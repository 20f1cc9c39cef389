#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line itself: what it refuses, what it suggests, what it helps with."""
import unittest

from support import ProgramTest


class Usage(ProgramTest):
    def test_no_command_and_unknown_commands_are_refused(self):
        self.refuses(2, says="no command")
        self.refuses(2, "smu", "x", says="did you mean 'sum'?")
        self.refuses(2, "doctro", says="did you mean 'doctor'?")
        self.refuses(2, "frobnicate", says="there is no command 'frobnicate'")
        self.refuses(2, "mean", "x", says="no operation 'mean' in this version")
        self.refuses(2, "--threads", "2", "sum", "x", says="comes before the command")

    def test_misspelt_options_are_suggested(self):
        self.refuses(2, "sum", "x", "--acuracy", "fast", says="did you mean '--accuracy'?")
        self.refuses(2, "sum", "x", "--jsno", says="did you mean '--json'?")
        self.refuses(2, "sum", "x", "--frobnicate=1", says="has no option '--frobnicate'")
        self.refuses(2, "doctor", "x", says="has no place for 'x'")
        self.refuses(2, "plan", "sum", "x", "y", says="has no place for 'y'")

    def test_values_are_checked_and_the_allowed_ones_named(self):
        for words, says in (
                (["--threads", "0"], "from 1 to 4096"), (["--threads", "x"], "--threads"),
                (["--threads", "-1"], "--threads"), (["--accuracy", "best"], "exact, fast"),
                (["--dtype", "f8"], "f16, bf16, f32 or f64"), (["--shape", "2,x"], "--shape"),
                (["--shape", ""], "--shape"), (["--order", "X"], "C, F"),
                (["--endian", "middle"], "little, big"), (["--skip", "-1"], "--skip"),
                (["--skip", "99999999999999999999"], "--skip"), (["--as", "f32"], "f64"),
                (["--missing", "no"], "skip, error"), (["--mem-limit", "12Q"], "a size"),
                (["--mem-limit", "1K"], "1M or more"), (["--device", "tpu"], "auto, cpu"),
                (["--progress", "on"], "auto, always, never"), (["--nan", "keep"], "propagate"),
                (["--format", "csv"], "npy, raw, text"), (["--accuracy"], "--accuracy"),
                (["--json", "--tsv"], "do not go together")):
            with self.subTest(words):
                done = self.onefold("sum", "x.npy", *words)
                self.assertEqual(done.code, 2)
                self.assertIn(says, done.err)

    def test_policies_of_later_versions_are_refused_by_name(self):
        self.refuses(2, "sum", "x", "--nan", "omit", says="--nan omit is not in this version")
        self.refuses(2, "sum", "x", "--nan", "error", says="--nan error is not in this version")

    def test_a_device_that_is_not_in_the_build_is_named(self):
        for device in ("cuda", "cuda:0", "all"):
            self.refuses(1, "sum", "x", "--device", device,
                         says=f"the device '{device}' is not in this build")
        self.assertEqual(self.answer("sum", "-", "--device", "cpu", stdin="1"), "1\n")

    def test_inputs_that_cannot_go_together_are_refused(self):
        self.refuses(2, "sum", says="INPUT is missing")
        self.refuses(2, "sum", "-", "-", says="name it once")
        self.refuses(2, "sum", "-", "--total", "--accuracy", "fast", says="--total")
        self.refuses(2, "plan", "sum", "-", says="has no plan")
        self.refuses(2, "plan", "mean", "x", says="'sum' is there")

    def test_help_begins_with_examples(self):
        for words in (["help"], ["--help"], ["-h"]):
            text = self.answer(*words)
            self.assertLess(text.index("onefold sum prices.npy"), text.index("Commands:"))
        for command in ("sum", "plan", "doctor", "fingerprint"):
            text = self.answer("help", command)
            self.assertLess(text.index(f"  onefold {command}"), text.index("Usage:"))
            self.assertEqual(self.answer(command, "--help"), text)
        self.assertIn("onefold ladder list", self.answer("help", "ladder"))
        self.refuses(2, "help", "xyz", says="no help on 'xyz'")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.answer("--version"), r"\Aonefold \d+\.\d+\.\d+\n\Z")


if __name__ == "__main__":
    unittest.main()
