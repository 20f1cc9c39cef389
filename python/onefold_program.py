# SPDX-License-Identifier: Apache-2.0
"""Starts the program of the package onefold, which is not imported: that would load NumPy."""
import os
import signal
import sys


def start():
    """Becomes the program, with the arguments and the signals that it was started with."""
    # Python ignores these, and a program inherits that.
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onefold", "bin", "onefold")
    try:
        os.execv(program, ["onefold", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"onefold: the program {program} does not start: {error.strerror}")
