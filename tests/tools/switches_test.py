#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests, benchmarks and CUDA are switches of one tree: turning one on compiles nothing again.

    switches_test.py CMAKE CXX [NVCC]

The compile commands of every configuration are compared with those of a tree without them.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, CXX, NVCC = (sys.argv[1:] + [""])[:3]
del sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
OFF = ("-DONEFOLD_TESTS=OFF", "-DONEFOLD_BENCH=OFF", "-DONEFOLD_CUDA=OFF")


def commands(build, *switches):
    """{object: command} of everything that the configuration compiles."""
    subprocess.run([CMAKE, "-G", "Ninja", "-S", ROOT, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
                    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                    *OFF, *switches], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {entry["command"].split(" -o ")[1].split()[0]: entry["command"] for entry in entries}


class Switches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.build = pathlib.Path(place.name) / "build"
        cls.plain = commands(cls.build)

    def check(self, *switches):
        found = commands(self.build, *switches)
        self.assertGreater(len(self.plain), 200)
        self.assertGreater(len(found), len(self.plain))
        kept = {name: command for name, command in self.plain.items() if name in found}
        self.assertGreater(len(kept), len(self.plain) - 5)  # what says that there is no CUDA goes
        for name, command in kept.items():
            self.assertEqual(found[name], command, f"{switches} compile {name} again")

    def test_tests_compile_nothing_again(self):
        self.check("-DONEFOLD_TESTS=ON")
        self.check("-DONEFOLD_TESTS=ALL")

    @unittest.skipUnless(NVCC, "there is no nvcc")
    def test_cuda_compiles_nothing_again(self):
        self.check("-DONEFOLD_CUDA=ON")


if __name__ == "__main__":
    unittest.main()
