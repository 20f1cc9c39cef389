# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: its names and its version."""
import pathlib
import re

import onefold

HEADER = pathlib.Path(__file__).resolve().parents[2] / "include" / "onefold" / "version.hpp"


def test_every_public_name_is_there_and_described():
    for name in onefold.__all__:
        assert getattr(onefold, name).__doc__, name


def test_the_version_is_the_librarys():
    version = re.search(r'VERSION_STRING "(.*)"', HEADER.read_text(encoding="utf-8"))[1]
    assert onefold.__version__ == version
