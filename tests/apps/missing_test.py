#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Missing values of text: positions count them, and inputs are paired by rows."""
import math
import pathlib
import random
import re
import unittest

from support import ProgramTest, npy, random_seed

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/command-line.md"

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
        printed = self.answer("argmin,argmax", "-", "--as", "f64", "--missing", "skip", *words,
                           stdin=text)
        self.assertEqual(printed.split("\n")[1], f"{low}\t{high}\t-", (SEED, cells[:50]))

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
        self.write("k.npy", npy("i32", [9, 7, 9, 7, 8, 7]))
        self.assertEqual(self.answer("argmax", "-", *how, "--by", "k.npy", stdin=text),
                         "key\targmax\n7\t1\n8\t4\n")


class Rows(ProgramTest):
    """A blank line is the missing value of its row, and rows of two inputs belong together."""
    SKIP = ["--as", "f64", "--missing", "skip"]

    def test_an_empty_line_is_refused_by_its_number(self):
        self.write("a.txt", "5\n\n7\n9\n")
        as_f64 = ["a.txt", "--as", "f64"]
        for words in (["sum", "a.txt"], ["sum", "a.txt", "a.txt", "--total"], ["sum", *as_f64],
                      ["stats", *as_f64], ["audit", *as_f64], ["argmax", *as_f64],
                      ["max", *as_f64, "--axis", "0"], ["dot", "a.txt", *as_f64]):
            done = self.onefold(*words)
            self.assertEqual(done.code, 4, words)
            self.assertIn("a.txt:2:1: an empty line is a missing value; leave such values out with "
                          "--missing skip", done.err, words)
        self.refuses(4, "sum", "-", stdin="1\n2\n\n", says="standard input:3:1: an empty line")
        self.refuses(4, "argmax", "-", "--as", "f64", stdin="1\n\n5\n", says=":2:1: an empty line")

    def test_empty_lines_are_counted_where_they_are_left_out(self):
        self.write("a.txt", "5\n\n7\n9\n")
        skip = ["a.txt", "--missing", "skip"]
        self.assertEqual(self.answer("sum,mean,min,max,count", *skip).split("\n")[1],
                         "21\t7\t5\t9\t3\ta.txt")
        self.assertEqual(self.answer("sum,argmax,argmin", *skip, "--as", "f64").split("\n")[1],
                         "21\t3\t0\ta.txt")
        row = self.answer("audit", *skip, "--as", "f64").split("\n")[1].split("\t")
        self.assertEqual((row[0], row[3], row[7]), ("3", "1", "21"))
        row = self.answer("stats", *skip, "--as", "f64").split("\n")[1].split("\t")
        self.assertEqual((row[0], row[2], row[-2]), ("3", "21", "3"))
        self.answer("sum", *skip, "--as", "f64", "--state-out", "a.state")
        self.assertEqual(self.answer("merge", "a.state"), "21\n")

    def test_dot_multiplies_the_numbers_of_each_row(self):
        self.write("p.txt", "1\n\n3\n4\n")
        self.write("q.txt", "10\n20\n\n40\n")
        self.refuses(4, "dot", "p.txt", "q.txt", "--as", "f64", says="p.txt:2:1: ")
        for words in ([], ["--axis", "0"], ["--mem-limit", "1M"]):
            self.assertEqual(self.answer("dot", "p.txt", "q.txt", *self.SKIP, *words), "170\n")
        self.write("q.npy", npy("f64", [10, 20, 30, 40]))
        self.assertEqual(self.answer("dot", "p.txt", "q.npy", *self.SKIP), "260\n")
        self.answer("dot", "p.txt", "q.txt", *self.SKIP, "--state-out", "pq.state")
        self.assertEqual(self.answer("merge", "pq.state"), "170\n")
        self.write("none.txt", "\nNA\n-\n\n")
        self.assertEqual(self.answer("dot", "p.txt", "none.txt", *self.SKIP), "0\n")

    def test_inputs_of_other_rows_are_refused(self):
        self.write("p.txt", "1\n\n3\n4\n")
        self.write("three.txt", "1\n3\n4\n")  # as many numbers as p.txt
        self.write("three.npy", npy("f64", [1, 3, 4]))
        self.write("square.npy", npy("i32", [1, 2, 3, 4], (2, 2)))
        self.write("row.npy", npy("i32", [1, 2, 3], (1, 3)))  # as many as there are numbers
        self.write("keys.npy", npy("i32", [1, 1, 1]))
        says = "p.txt: has 4 rows, missing values among them, and "
        for other in ("three.txt", "three.npy"):
            self.refuses(2, "dot", "p.txt", other, *self.SKIP, says=f"{says}{other} has 3")
        self.refuses(2, "sum", "p.txt", "--by", "keys.npy", *self.SKIP, says=f"{says}keys.npy has")
        for other in ("square.npy", "row.npy"):
            self.refuses(2, "dot", "p.txt", other, *self.SKIP, says="a product needs equal ones")
            self.refuses(2, "sum", "p.txt", "--by", other, *self.SKIP)

    def test_random_rows_are_paired(self):
        generator = random.Random(SEED + 2)
        for _ in range(12):
            rows = generator.choice((1, 5, 60, 20_000))
            columns, texts = [], []
            for name in "pq":
                # No zeros: a sum of products that are all -0 is -0.
                column = [None if generator.random() < 0.3
                          else generator.randint(1, 99) * generator.choice((1, -1))
                          for _ in range(rows)]
                empty = ["", " ", "NA", "-"]
                texts.append(self.write(f"{name}.txt", "".join(
                    (generator.choice(empty) if x is None else str(x)) + "\n" for x in column)))
                columns.append(column)
            keys = [generator.randint(0, 3) for _ in range(rows)]
            self.write("k.npy", npy("i32", keys))
            pairs = [(p, q) for p, q in zip(*columns) if p is not None and q is not None]
            self.assertEqual(self.answer("dot", *texts, *self.SKIP),
                             f"{sum(p * q for p, q in pairs)}\n", SEED)
            groups = {}
            for key, value in zip(keys, columns[0]):
                if value is not None:
                    groups[key] = groups.get(key, 0) + value
            lines = "".join(f"{key}\t{groups[key]}\n" for key in sorted(groups))
            self.assertEqual(self.answer("sum", "p.txt", "--by", "k.npy", *self.SKIP),
                             f"key\tsum\n{lines}", SEED)

    def test_nan_is_a_number_that_a_policy_leaves_out(self):
        self.write("a.txt", "1 nan 2 3")
        self.write("b.txt", "nan 4 5 6")
        self.assertEqual(self.answer("dot", "a.txt", "b.txt", "--as", "f64", "--nan", "omit"),
                         "28\n")

    def test_the_page_lists_what_is_missing(self):
        row = re.search(r"^\| (`NA`.*?) \| a missing value \|", PAGE.read_text(), re.MULTILINE)[1]
        words = re.findall(r"`(\S+)`", row)
        self.assertGreater(len(words), 5)
        cells = [cell for word in words for cell in (word, word.lower(), word.upper())]
        for how in ([], ["--as", "f64"]):
            text = "".join(f"1\n{cell}\n2\n" for cell in cells)
            counted = self.answer("count", "-", "--missing", "skip", *how, stdin=text)
            self.assertEqual(counted, f"{2 * len(cells)}\n")
        for cell in words:
            self.refuses(4, "sum", "-", stdin=f"1\n{cell}\n2\n",
                         says=f":2:1: '{cell}' is a missing value")


if __name__ == "__main__":
    random_seed.main(SEED)
