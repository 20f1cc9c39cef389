#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule of tools/check_docs accepts sound pages and fails on one planted dangling name."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_docs"
PAGE = """# Halves

Source: `src/state/half.hpp`.

### Theorem 1 (halving)

*Half of a half is a quarter* [kulisch1986]. **Proof.** By definition. []

**Tested:** `tests/state/half_test.cpp`: `is_a_quarter_wherever_it_is`.
"""
CHECKS = "struct checks {\n  bool carry = true;  ///< digits are normalised\n};\n"
SOUND = {
    "README.md": "# Title\n\n[halves](docs/numerics/half.md#theorem-1-halving), [above](#title)\n",
    "docs/numerics.md": "[halves](numerics/half.md)\n\n| `carry` | wrong |\n",
    "docs/numerics/half.md": PAGE,
    "docs/references.bib": "@article{kulisch1986,\n}\n",
    "include/onefold/detail/round.hpp": CHECKS,
    "src/state/half.hpp": "// [kulisch1986]\n",
    "tests/state/half_test.cpp":
        "TEST(half, is_a_quarter_wherever_it_is) {}\nauto no_carry = without(&checks::carry);\n",
}


class CheckDocs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for path, text in SOUND.items():
            self.write(path, text)

    def write(self, path, text):
        place = pathlib.Path(self.folder.name) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def run_rules(self, *rules):
        command = [sys.executable, SCRIPT, "--root", self.folder.name, *rules]
        return subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)

    def refuses(self, rule, path, before, after, words):
        """One change, one finding of that rule, with these words, and exit code 1."""
        self.assertIn(before, SOUND[path])
        self.write(path, SOUND[path].replace(before, after))
        done = self.run_rules()
        findings = done.stdout.splitlines()[:-1]
        self.assertEqual((done.returncode, len(findings)), (1, 1), done.stdout)
        self.assertIn(f": {rule}: ", findings[0])
        self.assertIn(words, findings[0])
        self.write(path, SOUND[path])

    def test_sound_pages_pass_every_rule(self):
        done = self.run_rules()
        self.assertEqual((done.returncode, done.stdout), (0, "check_docs: 3 pages, 0 findings\n"))

    def test_a_tree_that_git_cannot_read_is_read_from_disk(self):
        self.write(".git", "gitdir: nowhere\n")
        self.assertEqual(self.run_rules().stdout, "check_docs: 3 pages, 0 findings\n")

    def test_an_unknown_rule_is_a_usage_error(self):
        self.assertEqual(self.run_rules("spelling").returncode, 2)

    def test_a_link_to_a_missing_file_fails(self):
        self.refuses("links", "README.md", "half.md#theorem-1-halving", "whole.md", "whole.md")

    def test_a_link_to_a_missing_heading_fails(self):
        self.refuses("links", "README.md", "#title", "#tail", "no heading #tail")
        self.refuses("links", "README.md", "#theorem-1-halving", "#theorem-2", "has no heading")

    def test_links_in_code_and_to_the_network_pass(self):
        self.write("README.md", "```\n[a](b.md)\n```\n`[c](d.md)` [e](https://example.org/f)\n")
        self.assertEqual(self.run_rules("links").returncode, 0)

    def test_a_page_that_the_entry_does_not_link_fails(self):
        self.refuses("links", "docs/numerics.md", "(numerics/half.md)", "(../README.md)",
                     "does not link this page")

    def test_a_missing_source_file_fails(self):
        self.refuses("names", "docs/numerics/half.md", "src/state/half.hpp", "src/state/hal.hpp",
                     "src/state/hal.hpp")
        self.refuses("names", "docs/numerics/half.md", "src/state/half.hpp",
                     "src/state/{half,hall}.hpp", "src/state/hall.hpp")

    def test_a_missing_test_fails(self):
        self.refuses("names", "docs/numerics/half.md", "tests/state/half_test.cpp", "hall_test.cpp",
                     "hall_test.cpp")
        self.refuses("names", "docs/numerics/half.md", "is_a_quarter_wherever_it_is",
                     "is_a_third_wherever_it_is", "is_a_third_wherever_it_is")

    def test_a_statement_without_proof_source_or_test_fails(self):
        self.refuses("theorems", "docs/numerics/half.md", " []", "", "Theorem 1 has no proof")
        self.refuses("theorems", "docs/numerics/half.md", "Source: ", "See ", "Source:")
        self.refuses("theorems", "docs/numerics/half.md", "**Tested:** ", "", "no paragraph")
        self.refuses("theorems", "docs/numerics/half.md",
                     "`tests/state/half_test.cpp`: `is_a_quarter_wherever_it_is`", "by hand",
                     "names no test")

    def test_a_check_without_row_or_mutant_fails(self):
        self.refuses("checks", "docs/numerics.md", "| `carry` | wrong |", "", "has no row")
        self.refuses("checks", "tests/state/half_test.cpp", "&checks::carry", "0", "no test")
        self.refuses("checks", "docs/numerics.md", "| `carry` | wrong |",
                     "| `carry` | wrong |\n| `borrow` | wrong |", "row for borrow")

    def test_a_key_without_entry_fails(self):
        self.refuses("keys", "src/state/half.hpp", "kulisch1986", "kulisch1987", "[kulisch1987]")

    def test_a_quote_that_is_not_the_code_fails_until_it_is_written(self):
        self.write("examples/a.cpp", "int main() {\n  // [a]\n  f();\n  // [a]\n}\n")
        self.write("docs/api.md", "<!-- quote examples/a.cpp a -->\n```cpp\ng();\n```\n")
        done = self.run_rules("quotes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/api.md:1: quotes: the quote is not examples/a.cpp [a]", done.stdout)
        self.assertEqual(self.run_rules("--write", "quotes").returncode, 0)
        page = pathlib.Path(self.folder.name) / "docs/api.md"
        self.assertEqual(page.read_text(), "<!-- quote examples/a.cpp a -->\n```cpp\nf();\n```\n")

    def test_a_quote_of_a_missing_region_fails(self):
        self.write("docs/api.md", "<!-- quote examples/a.cpp b -->\n```cpp\n```\n")
        self.assertIn("which is not there", self.run_rules("--write", "quotes").stdout)


if __name__ == "__main__":
    unittest.main()
