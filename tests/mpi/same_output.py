#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a program of ranks to one output, whatever their number.

    same_output.py PROGRAM 1,2,4,8 LAUNCHER ...     LAUNCHER takes the number as its last argument
"""
import hashlib
import subprocess
import sys


def main():
    program, numbers, *launcher = sys.argv[1:]
    digests = {}
    for ranks in numbers.split(","):
        done = subprocess.run([*launcher, ranks, program], stdout=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0 or not done.stdout:
            sys.exit(f"{ranks} ranks: exit code {done.returncode}, {len(done.stdout)} characters")
        digests[ranks] = hashlib.sha256(done.stdout.encode()).hexdigest()
        print(f"{ranks} ranks: sha256 {digests[ranks]}")
    sys.exit(0 if len(set(digests.values())) == 1 else "the outputs differ")


main()
