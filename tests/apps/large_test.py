#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More elements than 32 bits count, in a sparse file that takes no disk."""
import os
import subprocess
import unittest

from support import PROGRAM, ProgramTest, npy_header

ITEMS = (1 << 32) + 12345
MEMORY_LIMIT = 64 << 20


class Large(ProgramTest):
    def test_a_7_behind_four_billion_zeros_is_found_in_little_memory(self):
        shape = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({ITEMS},)}}"
        header = npy_header(shape)
        path = self.folder / "a.npy"
        with open(path, "wb") as file:
            file.write(header)
            file.truncate(len(header) + ITEMS)
            file.seek(-1, os.SEEK_END)
            file.write(b"\7")
        with subprocess.Popen([PROGRAM, "sum", path, "--json"], stdout=subprocess.PIPE) as run:
            out = run.stdout.read().decode()
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(run.returncode, 0)
        self.assertIn(f'"value": 7, "hex": null, "dtype": "u64", "count": {ITEMS}', out)
        if "SANITIZED" not in os.environ:
            self.assertLess(usage.ru_maxrss << 10, MEMORY_LIMIT)


if __name__ == "__main__":
    unittest.main()
