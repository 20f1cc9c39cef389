#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command that a failed random test prints, executed: it repeats the failure.

    repeat_test.py PROGRAM      PROGRAM is planted_random_failure
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parent
UNITTESTS = """
import random
import sys
import unittest
sys.path.insert(0, {support!r})
import random_seed
SEED = random_seed.chosen_seed()

class Planted(unittest.TestCase):
    def test_passes(self):
        random.Random(SEED).random()

    def test_fails(self):
        for k in (1, 2):
            with self.subTest(k=k):
                self.fail(random.Random(SEED + k).random())

if __name__ == "__main__":
    random_seed.main(SEED)
"""


def run(command, **variables):
    """Exit code and output of a command for the shell, without the seed of this process."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("ONEFOLD_")}
    done = subprocess.run(command, shell=True, check=False, text=True, cwd="/", timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**environment, "PYTHONDONTWRITEBYTECODE": "1", **variables})
    return done.returncode, done.stdout


def seeds(text):
    return re.findall(r"^ONEFOLD_TEST_SEED=(\d+)", text, re.M)


def repeats(text):
    return re.findall(r"^repeat: (.*)$", text, re.M)


class Repeat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, text, failure, count):
        """`text` has `count` commands, each of which repeats a failure of its own."""
        commands = repeats(text)
        self.assertEqual(len(commands), count, text)
        again = []
        for command in commands:
            code, said = run(command)
            self.assertEqual(code, 1, said)
            self.assertEqual(seeds(said), seeds(text))
            self.assertEqual(repeats(said), [command])
            again += re.findall(failure, said)
        self.assertEqual(again, re.findall(failure, text))
        self.assertNotEqual(again, [])

    def test_each_failed_test_prints_the_command_that_repeats_it(self):
        code, text = run(PROGRAM, ONEFOLD_TEST_CASES="2000000")
        self.assertEqual(code, 1)
        self.assertEqual(len(seeds(text)), 1)
        self.check(text, r"Which is: \d+|with \d+ cases", 2)
        self.assertIn("with 2000000 cases", text)

    def test_a_shell_reads_the_path_as_one_word(self):
        path = self.folder / "it's $HOME & co"
        shutil.copy(PROGRAM, path)
        code, text = run(shlex.quote(str(path)))
        self.assertEqual(code, 1)
        self.check(text, r"Which is: \d+", 2)

    def test_a_test_that_used_no_seed_prints_none(self):
        code, text = run(f"{PROGRAM} --gtest_filter=planted_fixed.*")
        self.assertEqual((code, repeats(text), seeds(text)), (1, [], []))

    def test_a_random_test_that_passes_prints_none(self):
        code, text = run(f"{PROGRAM} --gtest_filter=*passes_for_every_seed*")
        self.assertEqual((code, repeats(text), len(seeds(text))), (0, [], 1))

    def test_tests_in_python_print_it_too(self):
        script = self.folder / "planted test.py"
        script.write_text(UNITTESTS.format(support=str(SUPPORT)), encoding="utf-8")
        code, text = run(f"{sys.executable} '{script}'", ONEFOLD_PROGRAM="a b")
        self.assertEqual(code, 1)
        self.check(text, r"AssertionError: .*", 1)
        self.assertIn(" ONEFOLD_PROGRAM='a b' ", repeats(text)[0])

    def test_the_oracle_of_fractions_prints_it_too(self):
        oracle = SUPPORT / "fraction_oracle.py"
        reader = "import sys, zlib; print('crc', zlib.crc32(sys.stdin.buffer.read())); exit(1)"
        for program, code, count in ((f'{sys.executable} -c "{reader}"', 1, 1), ("true", 1, 1),
                                     ("sh -c 'cat >/dev/null'", 0, 0)):
            with self.subTest(program=program):
                found, text = run(f"{sys.executable} {oracle} {program}", ONEFOLD_TEST_CASES="5000")
                self.assertEqual((found, len(repeats(text))), (code, count), text)
                if "crc" in text:
                    self.check(text, r"crc \d+", count)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
