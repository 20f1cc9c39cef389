#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onefold doctor, fingerprint and ladder."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import PROGRAM, ProgramTest


def targets(test):
    """The SIMD targets of this build that the CPU runs; a sanitizer's build has one."""
    return re.search(r"\(this CPU runs ([\w ]+)\)", test.answer("doctor"))[1].split()


class Doctor(ProgramTest):
    def test_a_sound_machine_has_no_problem(self):
        text = self.answer("doctor")
        for subject in ("version", "compiler", "cpu", "simd", "threads", "rounding", "arithmetic",
                        "answers", "cuda"):
            self.assertRegex(text, rf"(?m)^(ok|note) +{subject} +\S")
        self.assertNotIn("problem", text)

    def test_the_checks_come_as_json(self):
        checks = json.loads(self.answer("doctor", "--json"))["checks"]
        for check in checks:
            self.assertEqual(set(check), {"finding", "subject", "text", "remedy"})
            self.assertIn(check["finding"], ("ok", "note", "problem"))

    def test_threads_come_with_their_reason(self):
        text = self.answer("doctor", env={"ONEFOLD_THREADS": "3"})
        self.assertRegex(text, r"(?m)^ok +threads +3 \(ONEFOLD_THREADS\)")
        done = self.onefold("doctor", env={"ONEFOLD_THREADS": "many"})
        self.assertEqual(done.code, 1)
        self.assertRegex(done.out, r"(?m)^problem +threads")
        self.assertIn("correct or unset it", done.out)

    def test_a_simd_target_that_is_not_there_is_a_problem(self):
        done = self.onefold("doctor", env={"ONEFOLD_SIMD": "altivec"})
        self.assertEqual(done.code, 1)
        self.assertRegex(done.out, r"(?m)^problem +simd")
        done = self.onefold("doctor", env={"ONEFOLD_SIMD": targets(self)[-1]})
        self.assertEqual(done.code, 0)


class Fingerprint(ProgramTest):
    def test_it_is_the_same_with_any_threads_and_any_target(self):
        digest = self.answer("fingerprint")
        self.assertRegex(digest, r"\A[0-9a-f]{16}\n\Z")
        for threads in ("1", "2"):
            self.assertEqual(self.answer("fingerprint", "--threads", threads), digest)
        found = targets(self)
        if "SANITIZED" not in os.environ:
            self.assertIn("scalar", found)
        for target in found:
            self.assertEqual(self.answer("fingerprint", env={"ONEFOLD_SIMD": target}), digest)

    def test_it_is_the_one_that_this_version_has_everywhere(self):
        expected = pathlib.Path(__file__).with_name("fingerprint.txt").read_text(encoding="ascii")
        self.assertEqual(self.answer("fingerprint", "--verbose"), expected)

    def test_json_holds_the_cases_where_they_are_asked_for(self):
        value = json.loads(self.answer("fingerprint", "--json"))
        self.assertEqual((value["fingerprint"] + "\n", value["cases"]),
                         (self.answer("fingerprint"), []))
        cases = json.loads(self.answer("fingerprint", "--json", "--verbose"))["cases"]
        names = [case["case"] for case in cases]
        self.assertEqual(len(set(names)), len(names))
        sums = [case["digest"] for case in cases if case["case"].startswith("sum ")]
        self.assertEqual(len(set(sums)), len(sums))
        for dtype in ("bool", "i8", "u64", "f16", "bf16", "f32", "f64"):
            self.assertIn(f"sum {dtype}", names)
            self.assertIn(f"fast sum {dtype}", names)
        self.assertIn("conformance/vectors/sum.txt", names)


class Ladder(ProgramTest):
    def test_its_words_go_through_unchanged(self):
        program = shutil.copy(PROGRAM, self.folder / "onefold")
        ladder = self.folder / "onefold-ladder"
        ladder.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n', encoding="ascii")
        ladder.chmod(0o755)
        done = subprocess.run([program, "ladder", "run", "--json", "-x", "a b", "--", ""],
                              stdout=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stdout), (7, b"<run><--json><-x><a b><--><>"))

    def test_its_absence_is_named(self):
        program = shutil.copy(PROGRAM, self.folder / "onefold")
        done = subprocess.run([program, "ladder", "list"], stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(os.fsencode(self.folder / "onefold-ladder") + b": is not there", done.stderr)


if __name__ == "__main__":
    unittest.main()
