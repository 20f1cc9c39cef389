#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The growth rule of docs/architecture.md: which files a new operator touches.

    growth_test.py CXX [--build]

The patches of growth/ add two toy operators to a copy of the tree, one after the other: count_zero,
of the accumulator of counts, and count_negative, with an accumulator of its own. The files that
change are the lists below. The states of both are compiled and run; --build compiles the library,
the program and the toys' own tests (minutes), and runs these.

The patches have one line of context. Where one does not apply any more, write its line anew.
"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

CXX, *OPTIONS = sys.argv[1:]
del sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
GROWTH = ROOT / "tests/tools/growth"

ROW = {"include/onefold/op.hpp"}
# An operator is offered by name in C++ and in C.
INTERFACES = {"include/onefold/functions.hpp", "include/onefold/onefold.h"}
ROUNDING = {"src/rounding/answer.hpp"}
# Its GPU kernels are those of the accumulator.
COUNT_ZERO = ROW | INTERFACES | ROUNDING | {"tests/cpu/operators_test.cpp"}
COUNT_NEGATIVE = ROW | INTERFACES | ROUNDING | {
    "include/onefold/detail/sign_counts.hpp",  # the state
    "include/onefold/state.hpp",               # one more alternative of the variant
    "src/cpu/tasks/signs_task.cpp",            # the CPU kernel
    "src/cpu/tasks/tasks.hpp", "src/CMakeLists.txt",
    "tests/cpu/signs_test.cpp", "tests/cpu/CMakeLists.txt"}

# What states need of the library.
STATES = ("request/dtype.cpp", "state/state.cpp", "state/product.cpp",
          "state/exponential_sum.cpp", "state/fast_parts.cpp", "rounding/round_state.cpp",
          "rounding/exact_sums.cpp", "rounding/selections.cpp", "rounding/products.cpp",
          "rounding/fast.cpp", "rounding/write.cpp", "api/status.cpp", "cpu/tasks/signs_task.cpp")


def contents(tree):
    return {path.relative_to(tree).as_posix(): path.read_bytes()
            for path in tree.rglob("*") if path.is_file()}


def apply(tree, patch):
    """The files that the patch changes."""
    before = contents(tree)
    subprocess.run(["git", "apply", "-C1", GROWTH / patch], cwd=tree, check=True)
    after = contents(tree)
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def run(*command, **how):
    done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **how)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}")
    return done.stdout


class Growth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = pathlib.Path(place.name)
        cls.tree = cls.place / "tree"
        skipped = shutil.ignore_patterns("build", ".git", "__pycache__", "results")
        shutil.copytree(ROOT, cls.tree, ignore=skipped)
        cls.count_zero = apply(cls.tree, "count_zero.patch")
        cls.count_negative = apply(cls.tree, "count_negative.patch")

    def test_an_operator_of_a_known_accumulator_touches_these_files(self):
        self.assertEqual(self.count_zero, COUNT_ZERO)

    def test_an_operator_of_a_new_accumulator_touches_these_files(self):
        self.assertEqual(self.count_negative, COUNT_NEGATIVE)

    def test_the_copy_keeps_its_shape(self):
        run(sys.executable, self.tree / "tools/check_layout", "includes", "mirror", "size",
            "folders", "licence")

    def test_their_states_work(self):
        objects = []
        for source in [*(self.tree / "src" / name for name in STATES), GROWTH / "states.cpp"]:
            objects.append(self.place / f"{source.stem}.o")
            run(CXX, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-c", source, "-o",
                objects[-1], f"-I{self.tree}/include", f"-I{self.tree}/src")
        run(CXX, *objects, "-o", self.place / "states")
        run(self.place / "states")

    @unittest.skipUnless("--build" in OPTIONS, "the whole library takes minutes")
    def test_the_library_and_the_program_have_them(self):
        build = self.place / "build"
        run("cmake", "-G", "Ninja", "-S", self.tree, "-B", build, f"-DCMAKE_CXX_COMPILER={CXX}",
            "-DCMAKE_BUILD_TYPE=Release", "-DONEFOLD_TESTS=ON", "-DONEFOLD_CUDA=OFF",
            "-DONEFOLD_LADDER=OFF", "-DONEFOLD_SIMD_TARGETS=scalar")
        run("cmake", "--build", build, "--parallel", "1", "--target", "onefold_program",
            "cpu_operator_tests", "cpu_signs_tests", "c_interface_tests", "state_tests")
        for tests in ("cpu/cpu_operator_tests", "cpu/cpu_signs_tests",
                      "include/c_interface_tests", "state/state_tests"):
            with self.subTest(tests):
                run(build / "tests" / tests)
        data = self.place / "x.raw"
        data.write_bytes(struct.pack("<6f", -1.0, -0.0, 0.0, 2.0, -3.0, -4.0))
        program = build / "onefold"
        said = run(program, "count_zero,count_negative", data, "--dtype", "f32", "--json")
        self.assertIn('"operation": "count_zero", "value": 2', said)
        self.assertIn('"operation": "count_negative", "value": 3', said)
        self.assertIn("the number of elements below zero", run(program, "help", "count_negative"))


if __name__ == "__main__":
    unittest.main()
