#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line itself: what it refuses, what it suggests, what it helps with."""
import json
import re
import shutil
import subprocess
import unittest

from support import PROGRAM, ProgramTest, elements, npy


class Usage(ProgramTest):
    def test_no_command_and_unknown_commands_are_refused(self):
        self.refuses(2, "smu", "x", says="did you mean 'sum'?")
        self.refuses(2, "doctro", says="did you mean 'doctor'?")
        self.refuses(2, "frobnicate", says="there is no command 'frobnicate'")
        self.refuses(2, "transpose", "x", says="no command 'transpose' in this version")
        self.refuses(2, "--threads", "2", "sum", "x", says="comes before the command")

    def test_misspelt_options_are_suggested(self):
        self.refuses(2, "sum", "x", "--acuracy", "fast", says="did you mean '--accuracy'?")
        self.refuses(2, "sum", "x", "--jsno", says="did you mean '--json'?")
        self.refuses(2, "sum", "x", "--frobnicate=1", says="has no option '--frobnicate'")
        self.refuses(2, "doctor", "x", says="has no place for 'x'")
        self.refuses(2, "plan", "sum", "x", "y", says="has no place for 'y'")

    def test_words_of_other_programs_are_known(self):
        for word, ours in (("stddev", "std"), ("average", "mean"), ("SUM", "sum"),
                           ("variance", "var"), ("Total", "sum"), ("describe", "stats")):
            self.refuses(2, word, "x", says=f"did you mean '{ours}'?")
        self.refuses(2, "sum,AVG", "x", says="did you mean 'mean'?")
        for word, ours in (("--ddof", "--correction"), ("--JSON", "--json"), ("--type", "--dtype"),
                           ("--output", "--out")):
            self.refuses(2, "var", "x", f"{word}=1", says=f"did you mean '{ours}'?")

    def test_numpys_names_of_types_are_known(self):
        self.write("a.raw", elements("f64", [1.5]))
        for word in ("f64", "float64", "double", "f8", "<f8", "=f8"):
            self.assertEqual(self.answer("sum", "a.raw", "--dtype", word), "1.5\n")
        self.write("b.raw", elements("i64", [-2]))
        for word in ("i64", "int64", "<i8", "=i8"):
            self.assertEqual(self.answer("sum", "b.raw", "--dtype", word), "-2\n")
        self.assertEqual(self.answer("count", "b.raw", "--dtype", "i8"), "8\n")
        self.refuses(2, "sum", "a.raw", "--dtype", ">f8", says="--dtype cannot be '>f8'")

    def test_messages_do_not_speak_cpp(self):
        self.write("a.npy", npy("f64", [1]))
        self.write("k.npy", npy("f64", [1]))
        for words in (["sum", "a.npy", "--by", "k.npy"], ["sum", "a.npy", "--device", "cuda:99"],
                      ["prod", "a.npy", "--dtype-out", "i64"], ["sum", "a.npy", "--axis", "9"]):
            done = self.onefold(*words)
            self.assertNotEqual(done.code, 0)
            for word in ("::", "reduce_", "nullptr", "bit_cast"):
                self.assertNotIn(word, done.err)

    def test_values_are_checked_and_the_allowed_ones_named(self):
        for words, says in (
                (["--threads", "0"], "from 1 to 4096"), (["--threads", "x"], "--threads"),
                (["--threads", "-1"], "--threads"), (["--accuracy", "best"], "exact, fast"),
                (["--dtype", "f80"], "f16, bf16, f32 or f64"), (["--shape", "2,x"], "--shape"),
                (["--shape", ""], "--shape"), (["--order", "X"], "C, F"),
                (["--endian", "middle"], "little, big"), (["--skip", "-1"], "--skip"),
                (["--skip", "99999999999999999999"], "--skip"), (["--as", "f32"], "f64"),
                (["--missing", "no"], "skip, error"), (["--mem-limit", "12Q"], "a size"),
                (["--mem-limit", "1K"], "1M or more"), (["--device", "tpu"], "auto, cpu"),
                (["--progress", "on"], "auto, always, never"),
                (["--nan", "keep"], "propagate, omit, error"),
                (["--format", "csv"], "npy, raw, text"), (["--accuracy"], "--accuracy"),
                (["--json", "--tsv"], "do not go together")):
            with self.subTest(words):
                done = self.onefold("sum", "x.npy", *words)
                self.assertEqual(done.code, 2)
                self.assertIn(says, done.err)

    def test_misspelt_operators_are_suggested(self):
        self.refuses(2, "maen", "x", says="no command 'maen'; did you mean 'mean'?")
        self.refuses(2, "argmix", "x", says="did you mean 'argmi")
        self.refuses(2, "sum,maen", "x", says="no operator 'maen'; did you mean 'mean'?")
        self.refuses(2, "sum,median", "x", says="no operator 'median'; 'onefold help' lists them")
        self.refuses(2, "plan", "smu", "x", says="no operator 'smu'; did you mean 'sum'?")

    def test_lists_of_operators_name_each_once(self):
        self.refuses(2, "sum,mean,sum", "x", says="'sum,mean,sum' names sum twice")
        for word in ("sum,", ",sum", "sum,,mean", ","):
            self.refuses(2, word, "x", says=f"'{word}' has no operator on one side of a comma")

    def test_options_without_a_use_are_refused(self):
        self.refuses(2, "sum", "x", "--correction", "1", says="--correction is for var and std")
        self.refuses(2, "sum", "x", "--first-index", "1", says="is for argmin and argmax")
        self.refuses(2, "var", "x", "--correction", "one", says="--correction cannot be 'one'")
        self.refuses(2, "var", "x", "--correction", "inf", says="a finite number such as 1 or 0.5")
        self.refuses(2, "argmin", "x", "--first-index", "-1", says="--first-index")
        self.refuses(2, "sum", "x", "--initial", "many", says="a number such as 0, -1.5 or inf")
        self.refuses(2, "stats", "x", "--dtype-out", "f32", says="has no option '--dtype-out'")

    def test_initial_values_must_be_elements(self):
        self.write("i.npy", npy("u8", [1, 2]))
        self.write("f.npy", npy("f64", [1, 2]))
        self.refuses(2, "sum", "i.npy", "--initial", "0.5", says="i.npy: --initial is one more ele")
        self.refuses(2, "sum", "i.npy", "--initial", "256", says="these are u8")
        self.refuses(2, "mean", "f.npy", "--initial", "1", says="mean takes no initial value")
        self.assertEqual(self.answer("sum", "i.npy", "--initial", "10"), "13\n")
        self.assertEqual(self.answer("sum", "f.npy", "--initial", "-0.5"), "2.5\n")
        self.assertEqual(self.answer("min,max,prod", "f.npy", "--initial", "-inf").split("\n")[1],
                         "-inf\t2\t-inf\tf.npy")
        self.assertEqual(self.answer("sum", "i.npy", "--initial", "-0"), "3\n")
        self.write("z.npy", npy("f64", [-0.0]))
        for op in ("sum", "min", "max"):
            self.assertEqual(self.answer(op, "z.npy", "--initial", "-0"), "-0\n")
        self.refuses(2, "sum", "i.npy", "--initial", "1", "--total", says="do not go together")

    def test_totals_that_mean_nothing_are_refused(self):
        self.refuses(2, "argmin", "x", "--total", says="--total has no argmin")
        self.refuses(2, "sum,mean", "x", "--total", "--accuracy", "fast", says="has none")

    def test_a_device_that_is_not_there_is_refused_with_the_reason(self):
        checks = json.loads(self.answer("doctor", "--json"))["checks"]
        has_gpu = any(c["subject"] == "cuda" and c["finding"] == "ok" for c in checks)
        remedy = "onefold doctor lists them" if has_gpu else "--device cpu"
        for device in ("cuda:999", "cuda", "cuda:0", "all"):
            if device == "cuda:999" or not has_gpu:
                for words in (("sum", "x"), ("stats", "x"), ("dot", "x", "y"), ("plan", "sum", "x"),
                              ("fingerprint",)):
                    self.refuses(1, *words, "--device", device, says=remedy)
        self.refuses(2, "sum", "x", "--device", "cuda:x", says="--device cuda:")
        self.refuses(2, "sum", "x", "--device", "gpu", says="cuda:N, all")
        self.assertEqual(self.answer("sum", "-", "--device", "cpu", stdin="1"), "1\n")

    def test_inputs_that_cannot_go_together_are_refused(self):
        self.refuses(2, "sum", says="INPUT is missing: name a file, or - for standard input")
        self.refuses(2, "sum", "-", "-", says="name it once")
        self.refuses(2, "sum", "-", "--total", "--accuracy", "fast", says="--total")
        self.refuses(2, "plan", "sum", "-", says="has no plan")
        self.refuses(2, "plan", "sum", "x", "y", says="has no place for 'y'")
        self.refuses(2, "plan", "dot", "x", says="dot takes two inputs")

    def test_help_begins_with_examples(self):
        for words in ([], ["help"], ["--help"], ["-h"]):
            text = self.answer(*words)
            self.assertLess(text.index("onefold sum prices.npy"), text.index("Commands:"))
        for command in ("sum", "logsumexp", "dot", "mean,count", "stats", "audit", "plan", "doctor",
                        "fingerprint"):
            text = self.answer("help", command)
            self.assertLess(text.index(f"  onefold {command}"), text.index("Usage:"))
            self.assertEqual(self.answer(command, "--help"), text)
        self.assertIn("the least element", self.answer("help", "min"))
        self.assertIn("onefold ladder list", self.answer("help", "ladder"))
        self.assertIn("onefold tour", self.answer("help", "tour"))
        self.refuses(2, "help", "xyz", says="no help on 'xyz'")

    def test_the_version_is_one_line(self):
        self.assertRegex(self.answer("--version"), r"\Aonefold \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.answer("-V"), self.answer("--version"))

    def test_help_lists_the_programs_that_are_there(self):
        (self.folder / "bin").mkdir()
        program = shutil.copy(PROGRAM, self.folder / "bin/onefold")
        for there in ([], ["ladder"], ["ladder", "tour"]):
            for name in there:
                other = self.folder / f"bin/onefold-{name}"
                other.write_text("#!/bin/sh\necho started\n")
                other.chmod(0o755)
            done = subprocess.run([program, "help"], check=True, stdout=subprocess.PIPE, text=True)
            listed = re.findall(r"^  (ladder|tour) ", done.stdout, re.MULTILINE)
            self.assertEqual(listed, there)
            for name in ("ladder", "tour"):
                done = subprocess.run([program, name], check=False, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
                if name in there:
                    self.assertEqual((done.returncode, done.stdout), (0, "started\n"))
                else:
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"onefold-{name}: is not there; 'make run' in", done.stderr)


if __name__ == "__main__":
    unittest.main()
