# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings give what they say."""
import doctest
import importlib
import pkgutil

import pytest

import onefold

MODULES = ["onefold"] + sorted(
    f"onefold.{module.name}" for module in pkgutil.iter_modules(onefold.__path__)
    if not module.ispkg and module.name != "_core")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "onefold.dask":
        pytest.importorskip("dask.array")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples():
    assert doctest.testmod(importlib.import_module("onefold._reductions")).attempted > 20
