#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More elements than 32 bits count, in a sparse file that takes no disk."""
import json
import os
import subprocess
import unittest

from support import PROGRAM, ProgramTest, npy_header

ITEMS = (1 << 32) + 12345
MEMORY_LIMIT = 64 << 20


class Large(ProgramTest):
    def setUp(self):
        super().setUp()
        header = npy_header(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({ITEMS},)}}")
        self.path = self.folder / "a.npy"
        with open(self.path, "wb") as file:
            file.write(header)
            file.truncate(len(header) + ITEMS)
            file.seek(-1, os.SEEK_END)
            file.write(b"\7")

    def results(self, *words):
        """What the program prints of the file, in little memory."""
        with subprocess.Popen([PROGRAM, *words, self.path, "--json"],
                              stdout=subprocess.PIPE) as run:
            out = run.stdout.read().decode()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        if "SANITIZED" not in os.environ:
            self.assertLess(usage.ru_maxrss << 10, MEMORY_LIMIT)
        return json.loads(out)["results"]

    def test_a_7_behind_four_billion_zeros_is_found_in_little_memory(self):
        result = self.results("sum")[0]
        self.assertEqual((result["value"], result["dtype"], result["count"]), (7, "u64", ITEMS))

    def test_several_operators_count_beyond_32_bits_in_one_pass(self):
        values = {r["operation"]: r["value"]
                  for r in self.results("argmax,argmin,max,count,count_nonzero,mean")}
        self.assertEqual(values, {"argmax": ITEMS - 1, "argmin": 0, "max": 7, "count": ITEMS,
                                  "count_nonzero": 1, "mean": 7 / ITEMS})


if __name__ == "__main__":
    unittest.main()
