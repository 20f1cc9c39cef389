# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: its names, its examples, its version."""
import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import onefold

MODULES = [m.name for m in pkgutil.iter_modules(onefold.__path__)
           if m.name not in ("_core", "torch", "dask")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_docstrings_hold(name):
    module = importlib.import_module(f"onefold.{name}" if name else "onefold")
    with np.printoptions(legacy=False):
        assert doctest.testmod(module).failed == 0


def test_every_public_name_is_there_and_described():
    for name in onefold.__all__:
        assert getattr(onefold, name).__doc__, name


def test_the_version_is_the_librarys():
    assert onefold.__version__ == "0.1.0"
