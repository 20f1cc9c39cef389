#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public headers where they are used differently from this tree: 32 bits, no exceptions, strict
warnings, an older language, wrong types; and the accumulators as one file.

    headers_test.py ONE_FILE        onefold_exact.hpp of the build
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ONE_FILE = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/include"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
# The kernel's headers of a 64-bit Debian serve both; its package gcc-multilib, which links them,
# keeps cross compilers away.
BITS_32 = ("-m32", "-idirafter", "/usr/include/x86_64-linux-gnu")
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror")
EVERY_CALL, EXACT = HERE / "every_call.cpp", HERE / "exact_program.cpp"

ELEMENTS = ("bool", "integers of 8 to 64 bits", "onefold::f16", "onefold::bf16", "float", "double")
EXACT_ELEMENTS = ("float", "double", "onefold::f16", "onefold::bf16", "integers of up to 64 bits")
WRONG = {  # a statement, and the types that its error names
    "onefold::sum(words)": ELEMENTS,
    "onefold::try_max(words, {.accuracy = onefold::accuracy::fast})": ELEMENTS,
    "onefold::sum(wide.begin(), wide.end())": ELEMENTS,
    "onefold::dot(wide, wide)": ELEMENTS,
    "onefold::minmax(characters)": ELEMENTS,
    "onefold::reduce(onefold::executor{}, onefold::op::sum, {wide}, answer)": ELEMENTS,
    "onefold::partial(onefold::op::sum, wide)": ELEMENTS,
    "onefold::exact_sum<long double> s; s.add(1)": EXACT_ELEMENTS,
    "onefold::exact_dot<std::string> s; s.add(words[0], words[0])": EXACT_ELEMENTS,
    "onefold::exact_moments<long double> s; s.add(1)": EXACT_ELEMENTS,
}
WRONG_SOURCE = """\
#include <string>
#include <vector>
#include "onefold/onefold.hpp"
void wrong(const std::vector<std::string>& words, const std::vector<long double>& wide,
           const std::vector<char>& characters, double& answer) {{
  (void)words, (void)wide, (void)characters, (void)answer;
  {};
}}
"""


def compiled(compiler, *arguments, source=None):
    """The exit code and the words of a compiler; `source` is its input."""
    command = [compiler, *map(str, arguments), *(["-x", "c++", "-"] if source else [])]
    done = subprocess.run(command, cwd=ROOT, input=source, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def has_32_bits(compiler):
    with tempfile.TemporaryDirectory() as folder:
        code, _ = compiled(compiler, *BITS_32, "-o", f"{folder}/program",
                           source="#include <string>\nint main() { return 0; }\n")
    return code == 0


class Headers(unittest.TestCase):
    def expect_clean(self, compiler, *arguments, source=None):
        code, words = compiled(compiler, "-std=c++20", "-Iinclude", "-fsyntax-only", *arguments,
                               source=source)
        self.assertEqual((code, words), (0, ""), (compiler, arguments))

    def test_no_sign_changes_silently(self):
        for compiler in COMPILERS:
            self.expect_clean(compiler, *STRICT, EVERY_CALL)
            self.expect_clean(compiler, *STRICT, EXACT)

    def test_the_try_functions_need_no_exceptions(self):
        for compiler in COMPILERS:
            self.expect_clean(compiler, *STRICT, "-fno-exceptions", EVERY_CALL)

    def test_both_64_bit_integers_are_elements_where_pointers_have_32_bits(self):
        for compiler in COMPILERS:
            if not has_32_bits(compiler):
                self.skipTest(f"{compiler} -m32 has no C++ library here: install g++-12-multilib")
            self.expect_clean(compiler, *BITS_32, "-Wall", "-Wextra", "-Werror", EVERY_CALL)

    def test_an_older_language_is_one_error(self):
        for header in sorted(ROOT.glob("include/onefold/*.hpp")):
            if header.name == "mpi.hpp":
                continue  # needs mpi.h
            code, words = compiled("g++", "-std=c++17", "-Iinclude", "-fsyntax-only",
                                   source=f'#include "onefold/{header.name}"\n')
            errors = [line for line in words.splitlines() if "error:" in line]
            if code or header.name in ("exact.hpp", "onefold.hpp"):
                self.assertIn("onefold needs C++20", errors[0], header)
                self.assertEqual(len(errors), 2, words)  # the other one ends the compilation

    def test_a_wrong_type_is_one_error_that_names_the_right_ones(self):
        for compiler in COMPILERS:
            for statement, types in WRONG.items():
                code, words = compiled(compiler, "-std=c++20", "-Iinclude", "-fsyntax-only",
                                       source=WRONG_SOURCE.format(statement))
                self.assertNotEqual(code, 0, statement)
                lines = [line for line in words.splitlines()
                         if not line.lstrip().startswith(("In file included from", "from "))
                         and not line.endswith("generated.")]
                self.assertLess(len(lines), 10, words)
                for name in types:
                    self.assertIn(name, words, statement)


class Exact(unittest.TestCase):
    """The accumulators give the same bits as one file and as headers, by every compiler."""

    def output(self, compiler, *flags):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/program"
            code, words = compiled(compiler, "-std=c++20", "-O1", *STRICT, *flags, EXACT, "-o",
                                   program)
            self.assertEqual((code, words), (0, ""), (compiler, flags))
            return subprocess.run([program], text=True, check=True, stdout=subprocess.PIPE).stdout

    def alone(self, compiler, *flags):
        """The output with a folder that has onefold_exact.hpp and nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ONE_FILE, folder)
            return self.output(compiler, "-DONE_FILE", f"-I{folder}", *flags)

    def test_the_one_file_needs_no_other(self):
        right = self.output("g++", "-Iinclude")
        self.assertGreater(len(right.splitlines()), 900)
        for compiler in COMPILERS:
            self.assertEqual(self.alone(compiler), right, compiler)

    def test_flags_that_break_arithmetic_change_no_bit(self):
        for compiler in COMPILERS:
            self.assertEqual(self.alone(compiler, "-Ofast"), self.output("g++", "-Iinclude"))

    def test_32_bits_give_the_same_bits(self):
        for compiler in COMPILERS:
            if not has_32_bits(compiler):
                self.skipTest(f"{compiler} -m32 has no C++ library here: install g++-12-multilib")
            self.assertEqual(self.alone(compiler, *BITS_32), self.output("g++", "-Iinclude"))


if __name__ == "__main__":
    sys.exit(not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful())
