#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/same_code sees that a name changed alone, and an instruction that changed with it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "same_code"
OLD = """
extern int count;
int outside(int);
int twice(int x) { return outside(x * 2 + count); }
int thrice(int x) { return x * 3; }
"""
RENAMED = OLD.replace("twice", "doubled").replace("outside", "elsewhere").replace("count", "number")


class SameCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def object_of(self, text, name):
        path = self.folder / f"{name}.o"
        subprocess.run(["g++", "-O2", "-x", "c++", "-c", "-o", path, "-"], input=text, text=True,
                       check=True)
        return path

    def compare(self, old, new, pattern="[.]o$"):
        return subprocess.run([sys.executable, SCRIPT, self.object_of(old, "old"),
                               self.object_of(new, "new"), "--objects", pattern],
                              text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def test_names_do_not_count(self):
        done = self.compare(OLD, RENAMED)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("2 functions equal, 0 only", done.stdout)

    def test_a_changed_instruction_does(self):
        done = self.compare(OLD, RENAMED.replace("x * 3", "x * 5"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("thrice", done.stdout)
        self.assertIn("1 functions equal, 1 only in the old build, 1 only in the new", done.stdout)

    def test_nothing_to_compare_is_an_error(self):
        done = self.compare(OLD, OLD, "kernels")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no function of kernels", done.stdout)


if __name__ == "__main__":
    unittest.main()
