# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: its names and its version."""
import re

import numpy as np

import onefold


def test_every_public_name_is_there_and_described():
    for name in onefold.__all__:
        assert getattr(onefold, name).__doc__, name


def test_the_version_is_the_librarys(checkout):
    header = (checkout / "include" / "onefold" / "version.hpp").read_text(encoding="utf-8")
    version = re.search(r'VERSION_STRING "(.*)"', header)[1]
    assert onefold.__version__ == version


def test_the_examples_of_the_readme_give_what_they_say(checkout):
    text = (checkout / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", text, re.S)[1]
    examples = re.findall(r"^(onefold\..*?) +# (\S+)", block, re.M)
    assert len(examples) == 2
    for call, said in examples:
        value = eval(call, {"np": np, "onefold": onefold})
        assert value == type(value)(said), call
