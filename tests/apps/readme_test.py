#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md and docs/command-line.md print what the pages show.

Each command of a block ```console runs, in a folder with the files that setUp() writes.
"""
import math
import os
import pathlib
import subprocess
import unittest

from safetensors_test import safetensors
from support import PROGRAM, ProgramTest, elements, npy

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"README.md": 3, "docs/command-line.md": 15}  # at least this many examples


def examples(page):
    """(command, what it prints) of every block ```console of the page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in text.split("```console")[1:]:
        for example in block.split("```")[0].split("\n$ ")[1:]:
            command, _, printed = example.partition("\n")
            yield command, printed.removesuffix("\n") + "\n"


class Readme(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("big.npy", npy("f64", [1e308, 1e308, -1e308]))
        self.write("table.npy", npy("f64", [1, 2, 3, 4, 5, 6.5], (2, 3)))
        self.write("tenths.npy", npy("f64", [0.1] * 10))
        self.write("holes.npy", npy("f64", [3, math.nan, 4]))
        self.write("bytes.npy", npy("u8", [200, 100]))
        self.write("accounts.npy", npy("i64", [7, 3, 7]))
        self.write("amounts.npy", npy("f64", [1, 0.5, 2]))
        self.write("model.safetensors", safetensors({
            "layer.weight": ("F32", [2, 3], elements("f32", [1, 2, 3, 4, 5, 6.5])),
            "layer.bias": ("BF16", [2], bytes.fromhex("803f0040"))}))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/onefold").symlink_to(os.path.abspath(PROGRAM))

    def test_every_example_prints_what_the_page_shows(self):
        for page, least in PAGES.items():
            commands = list(examples(page))
            self.assertGreaterEqual(len(commands), least, page)
            for command, printed in commands:
                self.prints(command, printed)

    def prints(self, command, printed):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        with self.subTest(command):
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, check=False,
                                  env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=60)
            self.assertEqual(done.stdout.decode(), printed)


if __name__ == "__main__":
    unittest.main()
