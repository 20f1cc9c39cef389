#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/nvcc_report.sh in front of shell scripts that print as nvcc does."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "cmake/nvcc_report.sh"
REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 48 registers, used 1 barriers
"""
OTHERS = """a.cu(3): warning #177-D: variable "x" was declared but never referenced
      int x;
ptxas warning : Value of threads per SM for entry a is out of range
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
"""


class NvccReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.object = self.folder / "a b.cu.o"
        self.report = self.folder / "a b.cu.o.ptxas"
        (self.folder / "said").write_text(OTHERS + REPORT, encoding="utf-8")

    def start(self, body):
        compiler = self.folder / "nvcc"
        compiler.write_text(f"#!/bin/sh\ncd '{self.folder}'\n{body}\n", encoding="utf-8")
        compiler.chmod(0o755)
        return ["sh", LAUNCHER, compiler, "-DX='a b'", "-c", "a b.cu", "-o", self.object]

    def run_compiler(self, body):
        return subprocess.run(self.start(body), text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def files(self):
        return {path.name for path in self.folder.iterdir()} - {"nvcc", "said"}

    def test_the_report_is_written_beside_the_object_and_the_rest_is_passed_on(self):
        done = self.run_compiler('cat said >&2; printf "%s|" "$@"')
        self.assertEqual((done.returncode, done.stderr), (0, OTHERS))
        self.assertEqual(done.stdout, f"-DX='a b'|-c|a b.cu|-o|{self.object}|")
        self.assertEqual(self.report.read_text(encoding="utf-8"), REPORT)
        self.assertEqual(self.files(), {self.report.name})

    def test_a_failed_compilation_leaves_no_report(self):
        self.report.write_text("old", encoding="utf-8")
        done = self.run_compiler("cat said >&2; exit 3")
        self.assertEqual((done.returncode, done.stderr), (3, OTHERS))
        self.assertEqual(self.files(), set())

    def test_an_interrupted_compilation_leaves_no_report(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.report.write_text("old", encoding="utf-8")
            # A test run in the background inherits that SIGINT is ignored.
            with subprocess.Popen(self.start("cat said >&2; echo; exec sleep 60"), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
                                  ) as process:
                process.stdout.readline()
                os.killpg(process.pid, number)
                process.communicate(timeout=30)
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(self.files(), set())

    def test_a_command_without_an_object_is_run_as_it_is(self):
        command = ["sh", LAUNCHER, "sh", "-c", "echo 'ptxas info    : Used 1' >&2; exit 4"]
        done = subprocess.run(command, text=True, check=False, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (4, "ptxas info    : Used 1\n"))


if __name__ == "__main__":
    unittest.main()
