#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_words on scratch trees: what it searches, what it reports, what it allows."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("check_words", str(ROOT / "tools/check_words"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_words", loader))
    loader.exec_module(module)
    return module


class CheckWords(unittest.TestCase):
    def setUp(self):
        self.module = load()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        self.module.RETIRED = (
            self.module.Row(r"giants?", "long segment", "text names"),
            self.module.Row(r"slow way", "exact fallback", "text names"),
            self.module.Row(r"rooms?(?! for\b)", "module", "text"),
            self.module.Row(r"\.how", ".accuracy", "names"),
        )
        self.module.ALLOWED = ()

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run_it(self, *arguments):
        """(exit code, output lines)."""
        shown = io.StringIO()
        with mock.patch("sys.argv", ["check_words", "--root", str(self.root), *arguments]), \
                contextlib.redirect_stdout(shown):
            code = self.module.main()
        return code, shown.getvalue().splitlines()

    def findings(self, path, text):
        self.write(path, text)
        code, lines = self.run_it()
        (self.root / path).unlink()
        self.assertEqual(code, 1 if lines[:-1] else 0, lines)
        return lines[:-1]

    def test_a_clean_tree_passes(self):
        self.write("src/a.cpp", "// Long segments.\nint count;\n")
        self.assertEqual(self.run_it(),
                         (0, ["check_words: 1 files, 0 findings, 0 words pending"]))

    def test_a_finding_has_its_place_its_word_and_the_replacement(self):
        self.assertEqual(self.findings("src/a.cpp", "int a;\n// Giants first.\n"),
                         ["src/a.cpp:2: giants: in a comment; use instead: long segment"])

    def test_comments_strings_names_pages_and_file_names_are_searched(self):
        for path, text, where in (
            ("include/a.hpp", "/* a giant */\n", "in a comment"),
            ("src/a.cpp", 'auto a = "a giant";\n', "in a string"),
            ("src/a.cpp", 'auto a = R"x(a\n"giant" (b))x";\n', "in a string"),
            ("src/a.cpp", "int giant_count;\n", "a name"),
            ("src/cuda/a.cu", "// giant\n", "in a comment"),
            ("src/cuda/a.cuh", "int giants;\n", "a name"),
            ("src/giant_sums.cpp", "int a;\n", "the file's name"),
            ("docs/a.md", "A giant is long.\n", "in a page"),
            ("docs/a.md", "Call `giant()`.\n", "a name"),
            ("README.md", "```\ngiant()\n```\n", "a name"),
            ("tools/a", "#!/bin/sh\ntrue # a giant\n", "in a comment"),
            ("tools/a.py", '"""A giant."""\n', "in a string"),
            ("apps/CMakeLists.txt", "# giants\n", "in a comment"),
            ("tests/a_test.cpp", "// giant\n", "in a comment"),
            ("ladder/a.cuh", "int giants;\n", "a name"),
        ):
            with self.subTest(path=path, text=text):
                found = self.findings(path, text)
                self.assertEqual(len(found), 1, found)
                self.assertIn(f": {where}; use instead: long segment", found[0])

    def test_a_scope_is_kept(self):
        self.assertEqual(self.findings("src/a.cpp", "int room; // .how\n"), [])
        self.assertEqual(len(self.findings("src/a.cpp", "f({.how = 1}); g(a.how);\n")), 2)

    def test_an_identifier_is_one_as_a_whole_in_its_own_case(self):
        row = self.module.Row(r"of|what(?!\()", "its noun", "identifiers", "bench")
        self.module.RETIRED = (row,)
        for text in ("plan of;\n", "f(a.of.plan);\n", "f({.what = 1});\n", "g([&of] {});\n"):
            for path in ("src/a.cpp", "tests/a.cuh", "include/a.h"):
                with self.subTest(text=text, path=path):
                    self.assertEqual(len(self.findings(path, text)), 1)
        for path, text in (
            ("src/a.cpp", "size_of(of_2, Of, sizeof(x), error.what()); // of\n"),
            ("src/a.cpp", 'puts("of");\n'),
            ("bench/a.cpp", "plan of;\n"),
            ("tools/a.py", "of = what\n"),
            ("docs/a.md", "`of`\n"),
        ):
            with self.subTest(text=text, path=path):
                self.assertEqual(self.findings(path, text), [])

    def test_only_whole_words_count(self):
        self.assertEqual(self.findings("src/a.cpp", "// gigantic giantess\nint gianted;\n"), [])

    def test_a_phrase_may_go_on_in_the_next_line(self):
        found = self.findings("src/a.cpp", "// By the slow\n// way.\nint slow_way;\n")
        self.assertEqual([line.split(": ")[0] for line in found], ["src/a.cpp:1", "src/a.cpp:3"])

    def test_a_separator_of_digits_opens_no_string(self):
        self.assertEqual(len(self.findings("src/a.cpp", "int a = 1'000; // giant\nint b = 2'0;\n")),
                         1)

    def test_includes_other_folders_and_written_blocks_are_not_searched(self):
        for path, text in (
            ("src/a.cpp", '#include "giant/a.hpp"\n'),
            ("build/a.cpp", "// giant\n"),
            ("docs/a.md", "<!-- begin bench -->\ngiant\n<!-- end bench -->\n"),
            ("docs/a.json", '{"giant": 1}\n'),
        ):
            with self.subTest(path=path):
                self.assertEqual(self.findings(path, text), [])

    def test_an_allowed_phrase_passes_and_only_in_its_files(self):
        self.module.ALLOWED = (("standing room", "docs/*", "English"),)
        self.assertEqual(self.findings("docs/a.md", "There is standing room.\n"), [])
        self.assertEqual(len(self.findings("docs/a.md", "Standing room in a room.\n")), 1)
        self.assertEqual(len(self.findings("README.md", "There is standing room.\n")), 1)

    def test_an_allowed_phrase_that_is_nowhere_is_a_finding(self):
        self.module.ALLOWED = (("standing room", "docs/*", "English"),)
        self.write("tools/check_words", "#!/bin/sh\n")
        code, lines = self.run_it()
        self.assertEqual((code, len(lines)), (1, 2))
        self.assertIn('"standing room" is not in docs/*; drop the row', lines[0])

    def test_what_is_pending_is_counted_and_does_not_fail_in_its_places(self):
        self.module.RETIRED = (self.module.Row("giants?", "long segment", "text", "src README.md"),)
        self.write("src/a.cpp", "// giant giants\n")
        self.write("src/b.cpp", "// giant\n")
        self.assertEqual(self.run_it(),
                         (0, ["check_words: 2 files, 0 findings, 1 words pending"]))
        self.assertEqual(self.run_it("--pending"),
                         (0, ["giants?  (text; src README.md): 2 files, 3 hits"]))
        self.assertEqual(self.run_it("--all")[0], 1)
        self.assertEqual(len(self.findings("docs/a.md", "giant\n")), 1)

    def test_a_row_with_nothing_left_is_reported_by_pending(self):
        self.module.RETIRED = (self.module.Row("giants?", "long segment", "text", "src"),)
        self.write("src/a.cpp", "// Long segments.\n")
        code, lines = self.run_it("--pending")
        self.assertEqual(code, 0)
        self.assertIn("none left: empty its last column", lines[0])

    def test_the_tables_of_the_tree_are_sound(self):
        real = load()
        for row in real.RETIRED:
            with self.subTest(pattern=row.pattern):
                self.assertTrue(row.instead)
                self.assertLessEqual(set(row.scopes.split()), {"text", "names", "identifiers"})
                for scope in row.scopes.split():
                    self.assertIsNone(real.compile_row(row, scope).search(""))
                for place in row.pending.split():
                    self.assertTrue((ROOT / place).exists(), place)
        for phrase, glob, reason in real.ALLOWED:
            self.assertTrue(phrase and glob and reason)


if __name__ == "__main__":
    unittest.main()
