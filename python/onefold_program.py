# SPDX-License-Identifier: Apache-2.0
"""Starts the program of the package onefold, which is not imported: that would load NumPy."""
import os
import sys


def start():
    """Becomes the program, with the arguments that it was started with."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onefold", "bin", "onefold")
    try:
        os.execv(program, ["onefold", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"onefold: the program {program} does not start: {error.strerror}")
