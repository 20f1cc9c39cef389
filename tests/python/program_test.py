# SPDX-License-Identifier: Apache-2.0
"""The program by `python -m onefold`, and by the starter of a wheel where there is no program."""
import subprocess
import sys

import pytest

import onefold


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_the_module_is_the_program_or_says_where_it_is():
    done = run("-m", "onefold", "--version")
    if done.returncode == 0:
        assert done.stdout.startswith(f"onefold {onefold.__version__}")
    else:
        assert done.stderr.startswith("onefold: the program is not in this package")
        assert "Traceback" not in done.stderr


def test_a_program_that_is_not_there_is_named(checkout):
    if not (checkout / "python/onefold_program.py").exists():
        pytest.skip("needs the starter without its program")
    done = run("-c", f"import sys; sys.path.insert(0, {str(checkout / 'python')!r})\n"
                     "from onefold_program import start; start()")
    assert done.returncode == 1
    assert done.stderr.startswith("onefold: the program ")
    assert done.stderr.endswith("does not start: No such file or directory\n")
