#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/same_code sees that a name changed alone, and an instruction that changed with it."""
import os
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

# Two kernels that call a function, and one that reads a variable.
PTX = """
//
.version 9.0
.target sm_90
.address_size 64
	// .globl	_Z4sumsl
.func  (.param .b32 func_retval0) _Z5addedi
(
	.param .b32 _Z5addedi_param_0
)
;
.global .align 4 .b8 _Z5table[8] = {1, 0, 0, 0, 2};
.global .align 4 .b8 _Z5other[8];

.visible .entry _Z4sumsl(
	.param .u64 _Z4sumsl_param_0
)
.maxntid 256, 1, 1
{
	.local .align 8 .b8 	__local_depot0[16];
	.reg .b32 	%r<3>;
	ld.param.u64 	%rd1, [_Z4sumsl_param_0];
$L__BB0_1:
	{ // callseq 0, 0
	call.uni (retval0), _Z5addedi, (param0);
	} // callseq 0
	@%p1 bra 	$L__BB0_1;
	ret;
}
.visible .entry _Z5pairsl(
	.param .u64 _Z5pairsl_param_0
)
{
	call.uni (retval0), _Z5addedi, (param0);
	call.uni (retval0), _Z5addedi, (param0);
	ret;
}
.visible .entry _Z5readsv()
{
	mov.u64 	%rd1, _Z5table;
	mov.u64 	%rd2, _Z5other;
	ret;
}
.func  (.param .b32 func_retval0) _Z5addedi(
	.param .b32 _Z5addedi_param_0
)
{
	add.s32 	%r2, %r1, 1;
	st.param.b32 	[func_retval0+0], %r2;
	ret;
}
"""
# Stands in for nvcc: the source is the PTX.
NVCC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp "$3" "$2" && echo compiled "$3"
"""


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

    def file_of(self, text, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def compare_ptx(self, old, new, *options):
        return subprocess.run([sys.executable, SCRIPT, "--ptx", old, new, *options], text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def compare_ptx_texts(self, old, new):
        return self.compare_ptx(self.file_of(old, "old.ptx"), self.file_of(new, "new.ptx"))

    def test_names_and_numbers_of_functions_in_ptx_do_not_count(self):
        renamed = PTX.replace("_Z4sumsl", "_Z6totalsl").replace("_Z5addedi", "_Z6joinedi").replace(
            "_Z5table", "_Z6values").replace("BB0_", "BB7_").replace("depot0", "depot7")
        self.assertNotEqual(renamed, PTX)
        done = self.compare_ptx_texts(PTX, renamed)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3 kernels equal, 0 only", done.stdout)

    def test_ptx_counts_of_kernels_and_of_what_they_use(self):
        for old, new, kernels, own in (
                (".maxntid 256", ".maxntid 128", ["sums"], ["sums"]),
                ("@%p1 bra", "@!%p1 bra", ["sums"], ["sums"]),
                ("%r1, 1;", "%r1, 2;", ["sums", "pairs"], ["added", "added"]),
                ("0, 2};", "0, 3};", ["reads"], ["table"]),
                # Two variables become one.
                ("%rd2, _Z5other", "%rd2, _Z5table", ["reads"], ["reads"])):
            with self.subTest(new):
                self.assertEqual(PTX.count(old), 1)
                done = self.compare_ptx_texts(PTX, PTX.replace(old, new))
                self.assertEqual(done.returncode, 1, done.stdout)
                differ = len(kernels)
                self.assertIn(f"{3 - differ} kernels equal, {differ} only in the old tree, "
                              f"{differ} only in the new", done.stdout)
                for word, line in zip(kernels, done.stdout.splitlines()[::2]):
                    self.assertRegex(line, fr"^only in old, 1 times: {word}\b")
                for word, line in zip(own, done.stdout.splitlines()[1::2]):
                    self.assertRegex(line, fr"^    its own code: {word}\b")

    def test_a_kernel_moves_to_another_file_of_a_folder(self):
        begin, end = PTX.index(".visible .entry _Z5reads"), PTX.rindex(".func")
        variables = PTX[PTX.index(".global"):PTX.index(".visible")]
        self.file_of(PTX, "old/all.ptx")
        self.file_of(PTX[:begin] + PTX[end:], "new/sums/sums.ptx")
        self.file_of(variables + PTX[begin:end], "new/reads.ptx")
        done = self.compare_ptx(self.folder / "old", self.folder / "new")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_ptx_without_a_kernel_or_without_an_end_is_an_error(self):
        for text, what in (("", "no kernel in one of the two"),
                           (PTX[:-3], "a file of PTX ends within a definition")):
            done = self.compare_ptx_texts(PTX, text)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(what, done.stdout)

    def test_trees_are_compiled_until_their_ptx_is_newer_than_their_sources(self):
        nvcc = self.file_of(NVCC, "nvcc")
        nvcc.chmod(0o755)
        for tree in ("old", "new"):
            for path in (self.file_of(PTX, f"{tree}/src/cuda/full/sums.cu"),
                         self.file_of("", f"{tree}/include/sum.hpp")):
                os.utime(path, (1, 1))

        def compiled():
            done = self.compare_ptx(self.folder / "old", self.folder / "new", "--nvcc", nvcc)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout.count("compiled src/cuda/full/sums.cu")

        self.assertEqual(compiled(), 2)
        self.assertEqual(compiled(), 0)
        now = (self.folder / "new/build/ptx/full/sums.ptx").stat().st_mtime_ns
        os.utime(self.folder / "new/include/sum.hpp", ns=(now + 1, now + 1))
        self.assertEqual(compiled(), 1)


if __name__ == "__main__":
    unittest.main()
