# SPDX-License-Identifier: Apache-2.0
"""What all tests of the Python package share: the header that says what is tested."""
import os

import numpy

import onefold


def pytest_report_header(config):
    facts = onefold.machine()
    return (f"onefold {onefold.__version__} on {facts['target']}, {facts['threads']} threads, "
            f"NumPy {numpy.__version__}, ONEFOLD_SEED={os.environ.get('ONEFOLD_SEED', '1')}")
