# SPDX-License-Identifier: Apache-2.0
"""What all tests of the Python package share: the header of a run, the checkout around them."""
import os
import pathlib

import numpy
import pytest

import onefold


def pytest_report_header(config):
    facts = onefold.machine()
    return (f"onefold {onefold.__version__} on {facts['target']}, {facts['threads']} threads, "
            f"NumPy {numpy.__version__}, ONEFOLD_SEED={os.environ.get('ONEFOLD_SEED', '1')}")


@pytest.fixture
def checkout():
    """The folder of the README; a copy of the tests alone has none."""
    root = pathlib.Path(__file__).resolve().parents[2]
    if not (root / "include" / "onefold" / "version.hpp").exists():
        pytest.skip("needs the checkout around the tests")
    return root
