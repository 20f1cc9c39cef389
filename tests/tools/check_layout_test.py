#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule of tools/check_layout accepts a tidy tree and fails on one planted violation."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layout"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
TIDY = {
    "CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\nproject(tidy)\n",
    "include/onefold/dtype.hpp": HEADER + "#include <cstddef>\n",
    "include/onefold/exact.hpp": HEADER + '#include "onefold/dtype.hpp"\n',
    "include/onefold/array_view.hpp": HEADER + '#include "onefold/dtype.hpp"\n',
    "include/onefold/onefold.hpp": HEADER + '#include "onefold/exact.hpp"\n',
    "src/request/axes.hpp": HEADER + "#include <onefold/array_view.hpp>\n",
    "src/request/shape.hpp": HEADER + '#include "request/axes.hpp"\n',
    "src/request/shape.cpp": SPDX + '#include "request/shape.hpp"\n',
    "src/state/wide.hpp": HEADER + '#include "onefold/exact.hpp"\n',
    "src/rounding/round.hpp": HEADER + '#include "state/wide.hpp"\n',
    "src/cpu/fold.hpp": HEADER + '#include "request/shape.hpp"\n#include "rounding/round.hpp"\n',
    "src/api/read.hpp": HEADER + '#include "cpu/fold.hpp"\n',
    "src/runtime/share.hpp": HEADER + '#include "rounding/round.hpp"\n',
    "src/cpu/tasks/task.hpp": HEADER + '#include "runtime/share.hpp"\n',
    "apps/onefold/io/npy.hpp": HEADER + '#include "onefold/array_view.hpp"\n',
    "apps/onefold/main.cpp": SPDX + '#include "io/npy.hpp"\n#include "onefold/onefold.hpp"\n',
    "simt/simt.hpp": HEADER,
    "ladder/reduce/tree.cpp": SPDX + '#include "simt/simt.hpp"\n',
    "tests/request/shape_test.cpp": SPDX + '#include "request/shape.hpp"\n',
    "tools/help": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n",
}


class CheckLayout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for path, text in TIDY.items():
            self.write(path, text)

    def write(self, path, text):
        place = pathlib.Path(self.folder.name) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run_rules(self, *rules):
        command = [sys.executable, SCRIPT, "--root", self.folder.name, *rules]
        return subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)

    def refuses(self, rule, path, text, words):
        """One violation, one finding, in that file, of that rule, and exit code 1."""
        self.write(path, text)
        done = self.run_rules(rule)
        findings = done.stdout.splitlines()[:-1]
        self.assertEqual((done.returncode, len(findings)), (1, 1), done.stdout)
        self.assertTrue(findings[0].startswith(path.partition(":")[0]), done.stdout)
        self.assertIn(f" {rule}: ", findings[0])
        self.assertIn(words, findings[0])

    def test_a_tidy_tree_passes_every_rule(self):
        done = self.run_rules()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"{len(TIDY)} files, 0 findings", done.stdout)

    def test_an_unknown_rule_is_a_usage_error(self):
        done = self.run_rules("spelling")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_includes_never_point_back(self):
        for path, target in (
            ("src/request/back.hpp", "runtime/share.hpp"),
            ("src/state/back.hpp", "rounding/round.hpp"),
            ("src/state/back.hpp", "onefold/array_view.hpp"),
            ("src/runtime/back.hpp", "cpu/fold.hpp"),
            ("src/cpu/kernels/back.hpp", "cpu/tasks/task.hpp"),
            ("src/cpu/tasks/back.hpp", "cpu/fold.hpp"),
            ("src/request/back.hpp", "state/wide.hpp"),
            ("src/request/back.hpp", "../cpu/fold.hpp"),
            ("src/rounding/back.hpp", "request/shape.hpp"),
            ("src/cpu/back.hpp", "api/read.hpp"),
            ("src/cpu/back.hpp", "onefold/onefold.hpp"),
            ("src/api/back.cpp", "simt/simt.hpp"),
            ("src/api/back.cpp", "apps/onefold/io/npy.hpp"),
            ("apps/onefold/commands.cpp", "request/shape.hpp"),
            ("simt/back.hpp", "onefold/dtype.hpp"),
            ("ladder/reduce/back.cpp", "cpu/fold.hpp"),
            ("include/onefold/exact.hpp", "onefold/array_view.hpp"),
        ):
            with self.subTest(path=path, target=target):
                self.refuses("includes", path, HEADER + f'#include "{target}"\n', "knows")
                self.tidy_again(path)

    def test_includes_in_angle_brackets_are_followed_too(self):
        text = HEADER + "#include <request/shape.hpp>\n"
        self.refuses("includes", "src/state/back.hpp", text, "knows")

    def test_public_headers_never_include_src(self):
        text = HEADER + '#include "request/axes.hpp"\n'
        self.refuses("includes", "include/onefold/array_view.hpp", text, "not installed")

    def test_a_quoted_include_names_a_file_of_the_tree(self):
        text = HEADER + '#include "request/no.hpp"\n'
        self.refuses("includes", "src/request/gone.hpp", text, "no file")

    def test_a_test_without_its_module_fails(self):
        self.refuses("mirror", "tests/nowhere/a_test.cpp", SPDX, "mirrors the tree")

    def test_a_test_outside_a_module_fails(self):
        self.refuses("mirror", "tests/a_test.cpp", SPDX, "belongs to a module")

    def test_code_without_tests_fails(self):
        self.write("src/rounding/round.cpp", SPDX)
        done = self.run_rules("mirror")
        self.assertIn("src/rounding:1: mirror: has code and no test", done.stdout)

    def test_a_long_file_fails_and_a_test_may_be_longer(self):
        self.write("tests/request/shape_test.cpp", SPDX + "\n" * 499)
        self.assertEqual(self.run_rules("size").returncode, 0)
        self.refuses("size", "src/request/long.cpp", SPDX + "\n" * 400, "401 lines")

    def test_a_wide_line_fails(self):
        self.refuses("size", "src/request/wide.cpp", SPDX + "//" + "x" * 99 + "\n", "101 columns")

    def test_columns_are_characters_not_bytes(self):
        self.write("src/request/wide.cpp", SPDX + "//" + "→" * 98 + "\n")
        self.assertEqual(self.run_rules("size").returncode, 0)

    def test_the_tests_of_a_folder_cover_its_parts(self):
        self.write("src/request/views/a.cpp", SPDX)
        self.assertEqual(self.run_rules("mirror").returncode, 0)

    def test_a_crowded_folder_fails(self):
        for number in range(25 - 1):
            self.write(f"src/state/a{number}.hpp", HEADER)
        self.assertEqual(self.run_rules("folders").returncode, 0)
        self.write("src/state/b.hpp", HEADER)
        done = self.run_rules("folders")
        self.assertIn("src/state:1: folders: 26 files, the cap is 25", done.stdout)

    def test_a_name_twice_in_an_engine_fails(self):
        self.write("src/request/fold.hpp", HEADER)
        self.assertEqual(self.run_rules("folders").returncode, 0)
        self.refuses("folders", "src/cpu/tasks/fold.hpp", HEADER, "is called fold.hpp too")

    def test_a_file_without_its_licence_line_fails(self):
        for path in ("src/request/bare.cpp", "cmake/bare.cmake", "tools/bare.py", "tools/bare.sh"):
            with self.subTest(path=path):
                self.refuses("licence", path, "\n", "SPDX")
                self.tidy_again(path)

    def test_a_script_without_suffix_needs_the_licence_line_too(self):
        self.refuses("licence", "tools/bare", "#!/bin/sh\ntrue\n", "SPDX")

    def test_a_header_without_pragma_once_fails(self):
        self.refuses("licence", "src/request/twice.hpp", SPDX, "#pragma once")

    def test_a_header_read_per_simd_target_says_so_instead(self):
        self.write("src/cpu/good-inl.hpp", SPDX + "#if defined(X) == defined(HWY_TARGET_TOGGLE)\n")
        self.assertEqual(self.run_rules("licence").returncode, 0)
        self.refuses("licence", "src/cpu/fold-inl.hpp", HEADER, "HWY_TARGET_TOGGLE")

    def test_a_to_do_without_a_name_fails(self):
        marker = "TO" + "DO"
        self.write("src/request/named.cpp", SPDX + f"// {marker}(ada): until g++ 13\n")
        self.assertEqual(self.run_rules("words").returncode, 0)
        self.refuses("words", "src/request/bare.cpp", SPDX + f"// {marker}: later\n", "who and why")

    def test_a_path_of_one_machine_fails(self):
        for home in ("home", "root", "work"):
            with self.subTest(home=home):
                self.refuses("words", "README.md", f"cd /{home}/x\n", "one machine")

    def test_a_relative_path_passes(self):
        self.write("README.md", "see docs/home/x and https://example.org/home/\n")
        self.assertEqual(self.run_rules("words").returncode, 0)

    def test_a_download_at_configure_time_fails(self):
        self.refuses("words", "cmake/net.cmake", "include(FetchContent)\n", "network")

    def test_names_of_tests_are_snake_case(self):
        path = "tests/request/name_test.cpp"
        for text, name in (("TEST(Sum, is_exact) {}", "Sum"), ("TEST(sum, IsExact) {}", "IsExact"),
                           ("TEST_F(sum,\n       is__exact) {}", "is__exact"),
                           ("TEST_P(sum, _is_exact) {}", "_is_exact"),
                           ("TYPED_TEST(a_Sum, is_exact) {}", "a_Sum"),
                           ("TYPED_TEST_SUITE(Sum, types);", "Sum"),
                           ("INSTANTIATE_TEST_SUITE_P(All, sum, testing::Range(0, 5));", "All")):
            with self.subTest(text=text):
                self.refuses("tests", path, SPDX + text + "\n", f"{name} is no snake_case")
        self.write(path, SPDX + "TEST(sum_2, of_2_is_2) {}\n// not TEST(Sum, IsExact)\n")
        self.assertEqual(self.run_rules("tests").returncode, 0)

    def test_a_header_that_does_not_compile_alone_fails(self):
        self.write("include/onefold/op.hpp", HEADER + "inline std::size_t n;\n")
        done = self.run_rules("headers")
        self.assertEqual(done.returncode, 1)
        words = "include/onefold/op.hpp:1: headers: does not compile alone with g++"
        self.assertIn(words, done.stdout)

    def test_a_warning_in_a_header_fails(self):
        self.write("include/onefold/op.hpp", HEADER + "inline int f(int unused) { return 0; }\n")
        self.assertIn("with g++", self.run_rules("headers").stdout)

    def tidy_again(self, path):
        """Back to the tidy tree."""
        (pathlib.Path(self.folder.name) / path).unlink()
        if path in TIDY:
            self.write(path, TIDY[path])


if __name__ == "__main__":
    unittest.main()
