#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is in one place, and the two files that repeat it agree."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(path, pattern):
    return re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)[1]


class Version(unittest.TestCase):
    def test_it_is_that_of_the_header(self):
        version = found("include/onefold/version.hpp", r'ONEFOLD_VERSION_STRING "([\d.]+)"')
        self.assertEqual(found("CITATION.cff", r"^version: (.*)$"), version)
        self.assertEqual(found("CHANGELOG.md", r"^## \[(\d[\d.]*)\]"), version)
        self.assertEqual(version.split("."), [
            found("include/onefold/version.hpp", rf"ONEFOLD_VERSION_{part} (\d+)")
            for part in ("MAJOR", "MINOR", "PATCH")])


if __name__ == "__main__":
    unittest.main()
