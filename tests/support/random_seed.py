# SPDX-License-Identifier: Apache-2.0
"""The seed of a random test in Python, and the command that repeats the test when it fails.

ONEFOLD_TEST_SEED repeats a run, as in random.hpp."""
import os
import random
import shlex
import sys
import unittest


def chosen_seed(note=""):
    """The seed of this run, printed; `note` follows it on the line."""
    seed = int(os.environ.get("ONEFOLD_TEST_SEED") or random.SystemRandom().getrandbits(64))
    print(f"ONEFOLD_TEST_SEED={seed}{note}", flush=True)
    return seed


def print_repeat(seed, *arguments):
    """Prints the command that runs this script with `seed` and `arguments` in this environment."""
    variables = {"ONEFOLD_TEST_SEED": str(seed), **{
        name: value for name, value in os.environ.items()
        if name.startswith("ONEFOLD_") and name != "ONEFOLD_TEST_SEED"}}
    words = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    command = [sys.executable, os.path.abspath(sys.argv[0]), *arguments]
    print("repeat:", *words, shlex.join(command), flush=True)


def main(seed):
    """unittest.main() of a script whose tests use `seed`."""
    result = unittest.main(exit=False).result
    failed = [test for test, _ in result.failures + result.errors]
    tests = [getattr(test, "test_case", test) for test in failed]  # of a subtest
    for name in dict.fromkeys(test.id() for test in tests):
        print_repeat(seed, name.removeprefix("__main__."))
    sys.exit(not result.wasSuccessful())
