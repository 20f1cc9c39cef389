#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Positions in text count every cell, also those that are left out."""
import math
import random
import unittest

from support import ProgramTest, npy, random_seed

SEED = random_seed.chosen_seed()
LEFT_OUT = ["NA", "n/a", "null", "NONE"]


def expected(cells, best):
    """The position of the first best number, or of the first NaN."""
    numbers = [(i, float(cell)) for i, cell in enumerate(cells) if cell not in LEFT_OUT]
    for i, number in numbers:
        if math.isnan(number):
            return i
    return best(numbers, key=lambda pair: pair[1])[0]


class Positions(ProgramTest):
    def check(self, cells, *words):
        text = "\n".join(cells)
        low, high = str(expected(cells, min)), str(expected(cells, max))
        told = self.answer("argmin,argmax", "-", "--as", "f64", "--missing", "skip", *words,
                           stdin=text)
        self.assertEqual(told.split("\n")[1], f"{low}\t{high}\t-", (SEED, cells[:50]))

    def test_both_ways_to_leave_cells_out_count_them(self):
        for cell, how in (("NA", ["--missing", "skip"]), ("nan", ["--nan", "omit"])):
            for words in ([], ["--axis", "0"], ["--first-index", "1"]):
                first = words == ["--first-index", "1"]
                self.assertEqual(self.answer("argmax", "-", "--as", "f64", *how, *words,
                                             stdin=f"{cell} 3 {cell} 9 1"), f"{3 + first}\n")

    def test_random_cells_have_their_positions(self):
        generator = random.Random(SEED)
        for _ in range(60):
            cells = [generator.choice(LEFT_OUT) if generator.random() < 0.4 else
                     str(generator.randint(-9, 9)) for _ in range(generator.randint(1, 40))] + ["0"]
            self.check(cells)
            self.check(cells, "--axis", "0")

    def test_cells_of_earlier_windows_are_counted(self):
        generator = random.Random(SEED + 1)
        for best in ("1000", "nan"):
            cells = ["NA" if generator.random() < 0.3 else str(generator.randint(-99, 99))
                     for _ in range(250_000)]
            cells[generator.randint(0, len(cells) - 1)] = best
            self.check(cells)

    def test_positions_have_the_type_asked_for(self):
        text = "NA " * 120 + "1 " + "NA " * 10 + "2"
        for words in ([], ["--axis", "0"]):
            how = ["--as", "f64", "--missing", "skip", *words]
            self.assertEqual(self.answer("argmax", "-", *how, "--dtype-out", "f32", stdin=text),
                             "131\n")
            self.assertEqual(self.answer("argmin", "-", *how, "--dtype-out", "i8", stdin=text),
                             "120\n")
            self.refuses(4, "argmax", "-", *how, "--dtype-out", "i8", stdin=text,
                         says="argmax does not fit i8")

    def test_statistics_and_groups_have_positions_too(self):
        text = "NA 5 NA NA 7 1"
        how = ["--as", "f64", "--missing", "skip"]
        for words in ([], ["--axis", "0"]):
            row = self.answer("stats", "-", *how, *words, stdin=text).split("\n")[1].split("\t")
            self.assertEqual((row[-4], row[-2]), ("5", "4"))
        self.write("k.npy", npy("i32", [7, 8, 7]))
        self.assertEqual(self.answer("argmax", "-", *how, "--by", "k.npy", stdin=text),
                         "key\targmax\n7\t1\n8\t4\n")

    def test_numbers_that_are_multiplied_lack_the_same_cells(self):
        how = ["--as", "f64", "--missing", "skip"]
        self.write("a.txt", "1 NA 2 3")
        self.write("b.txt", "NA 4 5 6")
        self.write("c.txt", "4 NA 5 6")
        self.assertEqual(self.answer("dot", "a.txt", "c.txt", *how), "32\n")
        self.refuses(2, "dot", "a.txt", "b.txt", *how, says="write nan for them, and say --nan")
        self.write("a.txt", "1 nan 2 3")
        self.write("b.txt", "nan 4 5 6")
        self.assertEqual(self.answer("dot", "a.txt", "b.txt", *how, "--nan", "omit"), "28\n")


if __name__ == "__main__":
    random_seed.main(SEED)
