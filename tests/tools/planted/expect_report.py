#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Passes when a program with a planted bug is caught: it fails, and its report names the bug.

    expect_report.py WORDS PROGRAM [ARGUMENT ...]
"""
import subprocess
import sys


def main():
    words, command = sys.argv[1], sys.argv[2:]
    done = subprocess.run(command, text=True, errors="replace", check=False, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 and words in done.stdout:
        print(f"caught: {words}")
        return 0
    print(done.stdout[-4000:])
    print(f"NOT caught: {command[0]} ended with {done.returncode}; expected: {words}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
