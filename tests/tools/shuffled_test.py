#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/shuffled.py: its data, its file format and its table, without NumPy."""
import importlib.util
import json
import math
import pathlib
import random
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
SPEC = importlib.util.spec_from_file_location("shuffled", ROOT / "bench/shuffled.py")
shuffled = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(shuffled)

ITEMS = 2 * shuffled.OPEN_ITEMS


class Shuffled(unittest.TestCase):
    def setUp(self):
        self.result = json.loads(shuffled.RESULT.read_text(encoding="utf-8"))

    def test_every_value_is_a_float32(self):
        for name, make in shuffled.SETS.items():
            with self.subTest(name):
                values = make(random.Random(2), ITEMS)
                self.assertEqual(len(values), ITEMS)
                self.assertEqual(values, [shuffled.to_float32(value) for value in values])

    def test_all_but_the_open_items_of_a_ledger_cancel(self):
        values = shuffled.ledger(random.Random(2), ITEMS)
        closed = values[:-shuffled.OPEN_ITEMS]
        self.assertEqual(math.fsum(closed), 0)
        self.assertGreater(max(closed), 2**19)

    def test_the_orders_hold_the_same_values(self):
        for name, make in shuffled.SETS.items():
            with self.subTest(name):
                first, *others = (list(each) for each in shuffled.orders(make, ITEMS))
                self.assertEqual(len(others), len(shuffled.ORDERS) - 1)
                for other in others:
                    self.assertNotEqual(first, other)
                    self.assertEqual(sorted(first), sorted(other))

    def test_a_file_has_an_aligned_header_and_the_elements(self):
        elements = next(shuffled.orders(shuffled.uniform, 3))
        data = shuffled.npy(elements)
        length = struct.unpack("<H", data[8:10])[0]
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        self.assertEqual(((10 + length) % 64, data[9 + length : 10 + length]), (0, b"\n"))
        self.assertIn(b"'descr': '<f4', 'fortran_order': False, 'shape': (3,)", data)
        self.assertEqual(struct.unpack("<3f", data[10 + length :]), tuple(elements))

    def test_the_committed_sums_are_one_and_right(self):
        self.assertEqual(list(shuffled.findings(self.result)), [])

    def test_a_sum_that_depends_on_the_order_is_a_finding(self):
        self.result["sets"]["uniform"][1]["onefold"] = "1.5"
        found = list(shuffled.findings(self.result))
        self.assertEqual(len(found), 2, found)
        self.assertIn("uniform: onefold's sums differ", found[0])

    def test_the_page_has_the_table_of_the_committed_sums(self):
        page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        text = f"<!-- begin shuffled -->\n{shuffled.table(self.result)}<!-- end shuffled -->"
        self.assertIn(text, page)


if __name__ == "__main__":
    unittest.main()
