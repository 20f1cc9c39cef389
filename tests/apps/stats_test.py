#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onefold stats: every statistic in one pass, also of nothing and of columns."""
import math
import random

from reference import answer
from support import ProgramTest, npy, random_seed

SEED = random_seed.chosen_seed()
COLUMNS = ["count", "nan", "sum", "mean", "var", "std", "norm2", "min", "argmin", "max", "argmax"]


class Stats(ProgramTest):
    def row(self, *words, **how):
        header, *rows = self.answer("stats", *words, **how)[:-1].split("\n")
        self.assertEqual(header.split("\t"), COLUMNS + ["input"])
        self.assertEqual(len(rows), 1)
        return rows[0].split("\t")

    def test_every_column_is_the_true_statistic(self):
        generator = random.Random(SEED)
        data = [generator.uniform(-1, 1) * 10.0 ** generator.randint(-20, 20) for _ in range(5000)]
        name = self.write("a.npy", npy("f64", data))
        row = dict(zip(COLUMNS, self.row(name)))
        for op in COLUMNS:
            if op != "nan":
                self.assertEqual(float(row[op]), answer(op, data, "f64"), (SEED, op))
        self.assertEqual(row["nan"], "0")

    def test_integers_and_small_floats_have_statistics_in_f64(self):
        row = self.row(self.write("a.npy", npy("i64", [2**62, 2**62, 5])))
        self.assertEqual(row[2], "9.223372036854776e+18")
        self.assertEqual((row[7], row[9]), ("5", str(2**62)))
        row = self.row(self.write("a.npy", npy("f32", [0.1, 0.2])))
        self.assertEqual((row[7], row[9]), ("0.1", "0.2"))
        self.assertEqual(row[2], "0.30000000447034836")

    def test_nothing_has_no_statistics_and_that_is_no_failure(self):
        for dtype in ("f64", "i32"):
            row = self.row(self.write("a.npy", npy(dtype, [])))
            self.assertEqual(row, ["0", "0", "0", "nan", "nan", "nan", "0", "nan", "-1", "nan",
                                   "-1", "a.npy"])

    def test_nans_are_counted_and_can_be_left_out(self):
        name = self.write("a.npy", npy("f64", [3.0, math.nan, 1.0, math.nan]))
        row = self.row(name)
        self.assertEqual(row[:4], ["2", "2", "nan", "nan"])
        self.assertEqual(row[8], "1")
        self.assertEqual(self.row(name, "--nan", "omit"),
                         ["2", "2", "4", "2", "1", "1", "3.1622776601683795", "1", "2", "3", "0",
                          "a.npy"])
        self.refuses(4, "stats", name, "--nan", "error", says="met a NaN")

    def test_a_row_for_every_input(self):
        self.write("a.npy", npy("f64", [1]))
        self.write("b.npy", npy("i8", [2, 3]))
        lines = self.answer("stats", "a.npy", "b.npy", "--correction", "1").split("\n")
        self.assertEqual([line.split("\t")[-1] for line in lines[:3]], ["input", "a.npy", "b.npy"])
        self.assertEqual(lines[2].split("\t")[4], "0.5")

    def test_a_row_for_every_index_that_is_kept(self):
        nan = math.nan
        data = [1, 2, nan, 4, 5, nan]
        name = self.write("a.npy", npy("f64", data, (2, 3)))
        lines = self.answer("stats", name, "--axis", "0", "--nan", "omit").split("\n")
        self.assertEqual(lines[0].split("\t"), ["index"] + COLUMNS)
        self.assertEqual(lines[1].split("\t"), ["0", "2", "0", "5", "2.5", "2.25", "1.5",
                                                "4.123105625617661", "1", "0", "4", "1"])
        self.assertEqual(lines[3].split("\t"), ["2", "0", "2", "0", "nan", "nan", "nan", "0",
                                                "nan", "-1", "nan", "-1"])
        dense = self.write("b.npy", npy("i16", [1, 2, 3, 4, 5, 6], (2, 3)))
        lines = self.answer("stats", dense, "--axis", "-1").split("\n")
        self.assertEqual(lines[2].split("\t")[:4] + lines[2].split("\t")[8:],
                         ["1", "3", "0", "15", "4", "0", "6", "2"])

    def test_columns_of_an_array_agree_with_the_columns_alone(self):
        generator = random.Random(SEED + 1)
        columns = [[generator.uniform(-9, 9) for _ in range(40)] for _ in range(3)]
        rows = [x for row in zip(*columns) for x in row]
        name = self.write("a.npy", npy("f64", rows, (40, 3)))
        lines = self.answer("stats", name, "--axis", "0").split("\n")[1:-1]
        for line, column in zip(lines, columns):
            alone = self.row(self.write("b.npy", npy("f64", column)))
            self.assertEqual(line.split("\t")[1:], alone[:-1])

    def test_column_major_data_have_logical_indices(self):
        name = self.write("a.npy", npy("i8", [1, 9, 2, 0], (2, 2), "F"))  # rows 1 2, 9 0
        row = self.row(name)
        self.assertEqual((row[8], row[10]), ("3", "2"))

    def test_text_asks_for_f64(self):
        self.refuses(2, "stats", "-", stdin="1", says="for stats say --as f64")
        self.assertEqual(self.row("-", "--as", "f64", stdin="1 2 3")[2], "6")

    def test_json_has_an_entry_for_each(self):
        name = self.write("a.npy", npy("f32", [1, 2, 4]))
        results = self.onefold("stats", name, "--json").json()["results"]
        self.assertEqual([r["operation"] for r in results], COLUMNS)
        self.assertEqual([r["dtype"] for r in results],
                         ["i64", "i64"] + ["f64"] * 5 + ["f32", "i64", "f32", "i64"])
        self.assertEqual({r["level"] for r in results}, {"exact"})


if __name__ == "__main__":
    random_seed.main(SEED)
