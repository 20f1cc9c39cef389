#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/kernel_coverage on records written by hand, and on a program that a script plays."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/kernel_coverage"
SUM, MAX = "_Z3sumIfEvPKT_", "_Z3maxIfEvPKT_"


class KernelCoverage(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def cover(self, *texts):
        """(exit code, output) where files have these texts."""
        paths = [self.folder / str(number) for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="utf-8")
        return self.run_script(*paths)

    def run_script(self, *arguments):
        done = subprocess.run([SCRIPT, *arguments], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_all_are_covered(self):
        code, said = self.cover(f"kernel {SUM}\nkernel {MAX}\nlaunch {MAX}\nlaunch {SUM}\n")
        self.assertEqual((code, said), (0, "covered 2 of 2 kernels\n"))

    def test_what_is_never_launched_is_named(self):
        code, said = self.cover(f"kernel {SUM}\nkernel {MAX}\nlaunch {MAX}\n")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"never launched: (_Z3sum|void sum<float>)")
        self.assertNotRegex(said, r"never launched: (_Z3max|void max)")
        self.assertIn("covered 1 of 2 kernels", said)

    def test_shares_count_together(self):
        both = f"kernel {SUM}\nkernel {MAX}\n"
        code, said = self.cover(both + f"launch {SUM}\n", both + f"launch {MAX}\n")
        self.assertEqual((code, said), (0, "covered 2 of 2 kernels\n"))

    def test_a_launch_of_another_library_counts_for_nothing(self):
        code, said = self.cover(f"kernel {SUM}\nlaunch {MAX}\n")
        self.assertEqual(code, 1)
        self.assertIn("covered 0 of 1 kernels", said)

    def test_kernels_that_nothing_launches_are_left_out(self):
        code, said = self.cover(f"kernel _ZN3cub11EmptyKernelIvEEvv\nkernel {SUM}\nlaunch {SUM}\n")
        self.assertEqual((code, said), (0, "covered 1 of 1 kernels\n"))

    def test_a_program_without_kernels_is_an_error(self):
        code, said = self.cover("")
        self.assertEqual(code, 1)
        self.assertIn("no kernel was recorded", said)

    def test_other_lines_are_an_error(self):
        code, said = self.cover(f"kernel {SUM}\n[ RUN ] small\n")
        self.assertEqual(code, 1)
        self.assertIn("line 2", said)

    def play(self, *lines, options=()):
        script = self.folder / "program"
        script.write_text("\n".join(["#!/bin/sh", f'echo "kernel {SUM}" >$ONEFOLD_LAUNCHES',
                                     *lines]) + "\n", encoding="utf-8")
        script.chmod(0o755)
        return self.run_script(*options, "--", script, "two words")

    def test_a_command_is_run(self):
        code, said = self.play('test "$1" = "two words" || exit 1',
                               f'echo "launch {SUM}" >>$ONEFOLD_LAUNCHES', "echo fine")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^share 0: passed in \d+ s: fine\ncovered 1 of 1 kernels\n$")

    def test_shares_run_side_by_side(self):
        code, said = self.play(f'echo "kernel {MAX}" >>$ONEFOLD_LAUNCHES',
                               f'test $GTEST_SHARD_INDEX = 0 && name={SUM} || name={MAX}',
                               'echo "launch $name" >>$ONEFOLD_LAUNCHES',
                               "test $GTEST_TOTAL_SHARDS = 2", options=("--shares", "2"))
        self.assertEqual(code, 0, said)
        self.assertIn("share 1: passed", said)
        self.assertIn("covered 2 of 2 kernels", said)

    def test_a_command_that_fails_is_a_failure_and_shows_its_output(self):
        code, said = self.play(f'echo "launch {SUM}" >>$ONEFOLD_LAUNCHES', "echo one",
                               "echo two", "exit 9")
        self.assertEqual(code, 1)
        self.assertIn("share 0: failed (9)", said)
        self.assertIn("\none\ntwo\ncovered 1 of 1 kernels", said)

    def test_a_skipped_test_is_a_failure(self):
        code, said = self.play(f'echo "launch {SUM}" >>$ONEFOLD_LAUNCHES', 'echo "[ SKIPPED ] a"')
        self.assertEqual(code, 1)
        self.assertIn("share 0: skipped tests", said)

    def test_a_command_that_takes_too_long_is_ended(self):
        code, said = self.play("sleep 60", options=("--seconds", "1"))
        self.assertEqual(code, 1)
        self.assertIn("share 0: out of time", said)

    def test_a_missing_program_is_named(self):
        code, said = self.run_script("--", "no-such-program")
        self.assertEqual(code, 1)
        self.assertIn('"no-such-program"', said)
        self.assertNotIn("Traceback", said)

    def test_files_and_a_command_are_refused(self):
        self.assertEqual(self.run_script("a", "--", "true")[0], 2)
        self.assertEqual(self.run_script()[0], 2)


if __name__ == "__main__":
    unittest.main()
