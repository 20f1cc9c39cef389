#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first examples of the README's command line print what is written there."""
import math
import os
import pathlib
import subprocess
import unittest

from support import PROGRAM, ProgramTest, npy

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def examples():
    """(command, what it prints) of the first block behind the heading."""
    block = README.read_text(encoding="utf-8").split("## Command line\n")[1].split("```")[1]
    for example in block.split("\n$ ")[1:]:
        command, _, printed = example.partition("\n")
        yield command, printed if printed.endswith("\n") else printed + "\n"


class Readme(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("big.npy", npy("f64", [1e308, 1e308, -1e308]))
        self.write("table.npy", npy("f64", [1, 2, 3, 4, 5, 6.5], (2, 3)))
        self.write("tenths.npy", npy("f64", [0.1] * 10))
        self.write("holes.npy", npy("f64", [3, math.nan, 4]))
        self.write("bytes.npy", npy("u8", [200, 100]))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/onefold").symlink_to(os.path.abspath(PROGRAM))

    def test_every_example_prints_what_is_written_behind_it(self):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        commands = list(examples())
        self.assertGreater(len(commands), 8)
        for command, printed in commands:
            with self.subTest(command):
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, check=False,
                                      env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=60)
                self.assertEqual(done.stdout.decode(), printed)


if __name__ == "__main__":
    unittest.main()
