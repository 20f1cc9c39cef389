#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onefold audit: the sums with a rounding after every addition, next to the exact one."""
import fractions
import json
import math
import random
import struct
import unittest

from report_test import faults
from safetensors_test import safetensors
from support import SCHEMA, ProgramTest, elements, npy, random_seed

SEED = random_seed.chosen_seed()
COLUMNS = ["count", "nan", "inf", "missing", "naive", "pairwise", "neumaier", "exact",
           "ulps_naive", "ulps_pairwise", "ulps_neumaier", "condition", "receipt"]
LETTERS = {"f16": "e", "f32": "f", "f64": "d"}
# Digits of the significand, and the exponent of the least subnormal.
FORMATS = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}


def bf16_bits(x):
    """Of a number that f32 holds, or that is rounded to it without harm."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def rounded(dtype, x):
    """A sum of two elements in f64 has digits enough for a second rounding."""
    if dtype == "bf16":
        return struct.unpack("<f", struct.pack("<I", bf16_bits(x) << 16))[0]
    return struct.unpack("<" + LETTERS[dtype], struct.pack("<" + LETTERS[dtype], x))[0]


class Sums:
    """The three sums by their definitions, of finite numbers that do not overflow."""

    def __init__(self, dtype):
        self.dtype = dtype

    def add(self, a, b):
        return rounded(self.dtype, a + b)

    def naive(self, x):
        total = 0.0
        for each in x:
            total = self.add(total, each)
        return total

    def pairwise(self, x):
        n = len(x)
        if n > 128:
            half = n // 2
            half -= half % 8
            return self.add(self.pairwise(x[:half]), self.pairwise(x[half:]))
        if n < 8:
            return self.naive(x)
        r = [self.naive(x[k:n - n % 8:8]) for k in range(8)]
        total = self.add(self.add(self.add(r[0], r[1]), self.add(r[2], r[3])),
                         self.add(self.add(r[4], r[5]), self.add(r[6], r[7])))
        for each in x[n - n % 8:]:
            total = self.add(total, each)
        return total

    def neumaier(self, x):
        total = errors = 0.0
        for each in x:
            large, small = (total, each) if abs(total) >= abs(each) else (each, total)
            new = self.add(total, each)
            errors = self.add(errors, self.add(self.add(large, -new), small))
            total = new
        return self.add(total, errors)


def nearest(dtype, exact):
    """A fraction rounded to the type, ties to even. Precondition: it does not overflow."""
    if exact == 0:
        return fractions.Fraction(0)
    ulp = fractions.Fraction(2) ** ulp_exponent(dtype, exact)
    return round(exact / ulp) * ulp


def ulp_exponent(dtype, exact):
    digits, least = FORMATS[dtype]
    top = exact.numerator.bit_length() - exact.denominator.bit_length()
    top -= abs(exact) < fractions.Fraction(2) ** top
    return max(top - digits + 1, least)


class Audit(ProgramTest):
    schema = json.loads((SCHEMA.parent / "audit.schema.json").read_text(encoding="utf-8"))

    def results(self, *words, code=0, **how):
        done = self.onefold("audit", *words, "--json", **how)
        self.assertEqual(done.code, code, done.err)
        value = done.json()
        self.assertEqual(list(faults(value, self.schema, self.schema)), [])
        return value["results"]

    def one(self, *words, **how):
        results = self.results(*words, **how)
        self.assertEqual(len(results), 1)
        return results[0]

    def data(self, generator, dtype, items):
        # Few enough and small enough for f16.
        values = [generator.choice((-1, 1)) * generator.uniform(0, 8) * 2.0 **
                  -generator.randint(0, 18) for _ in range(items)]
        return [rounded(dtype, x) for x in values]

    def file_of(self, dtype, values):
        if dtype != "bf16":
            return [self.write("a.npy", npy(dtype, values))]
        bits = struct.pack(f"<{len(values)}H", *map(bf16_bits, values))
        return [self.write("a.raw", bits), "--dtype", "bf16"]

    def test_sums_are_those_of_their_definitions(self):
        generator = random.Random(SEED)
        for items in (0, 1, 7, 8, 9, 127, 128, 129, 135, 136, 255, 257, 1000,
                      generator.randint(1000, 5000)):
            for dtype in FORMATS:
                values = self.data(generator, dtype, items)
                row = self.one(*self.file_of(dtype, values))
                exact = nearest(dtype, sum(map(fractions.Fraction, values), fractions.Fraction(0)))
                self.assertEqual(rounded(dtype, row["exact"]), exact, (SEED, dtype, items))
                self.assertEqual((row["count"], row["dtype"]), (items, dtype))
                for name in ("naive", "pairwise", "neumaier"):
                    wanted = getattr(Sums(dtype), name)(values)
                    self.assertEqual(rounded(dtype, row[name]), wanted, (SEED, dtype, items, name))
                    if exact != 0:
                        ulp = fractions.Fraction(2) ** ulp_exponent(dtype, exact)
                        self.assertEqual(row[f"ulps_{name}"], abs(wanted - exact) / ulp,
                                         (SEED, dtype, items, name))

    def test_the_condition_number_is_that_of_the_exact_sums(self):
        generator = random.Random(SEED + 1)
        values = self.data(generator, "f64", 1000)
        exact = list(map(fractions.Fraction, values))
        wanted = float(sum(map(abs, exact)) / abs(sum(exact)))
        condition = self.one(*self.file_of("f64", values))["condition"]
        self.assertLess(abs(condition / wanted - 1), 2e-15, SEED)
        for values, wanted in (([1, 2, 3], 1), ([3, -2], 5), ([1, -1], "inf"), ([], 1), ([0.0], 1),
                               ([math.inf, 1], "nan"), ([math.nan], "nan"),
                               ([1e308, 1e308, -1e308], 3), ([5e-324, -1e-323], 3),
                               ([1e308, 1e308, -1e308, -1e308, 5e-324], "inf")):
            self.assertEqual(self.one(*self.file_of("f64", values))["condition"], wanted, values)

    def test_large_files_are_the_same_in_any_windows(self):
        generator = random.Random(SEED + 2)
        values = [generator.uniform(-1, 1) for _ in range(300_001)]
        name = self.write("a.npy", npy("f64", values))
        row = self.one(name)
        self.assertEqual(row["naive"], Sums("f64").naive(values), SEED)
        self.assertEqual(row["pairwise"], Sums("f64").pairwise(values), SEED)
        for words in (["--mem-limit", "1M"], ["--threads", "1"]):
            self.assertEqual(self.one(name, *words), row, SEED)
        with open(self.folder / name, "rb") as there:
            piped = self.one("-", "--format", "npy", stdin=there.read())
        self.assertEqual({**piped, "input": name}, row)
        raw = self.onefold("audit", "-", "--format", "raw", "--dtype", "f64", "--json",
                           stdin=elements("f64", values)).json()["results"][0]
        self.assertEqual({**raw, "input": name}, row)

    def test_a_receipt_is_of_the_elements_and_not_of_their_order(self):
        values = [1.5, -2.25, 1e300, 3e-300]
        receipt = self.one(*self.file_of("f64", values))["receipt"]
        self.assertRegex(receipt, r"\Afnv1a64:[0-9a-f]{16}\Z")
        self.assertEqual(self.one(*self.file_of("f64", values[::-1]))["receipt"], receipt)
        self.assertNotEqual(self.one(*self.file_of("f64", values[:-1]))["receipt"], receipt)

    def test_what_is_not_finite_is_counted(self):
        inf, nan = math.inf, math.nan
        row = self.one(*self.file_of("f64", [nan, inf, -inf, nan, 1]))
        self.assertEqual((row["count"], row["nan"], row["inf"]), (5, 2, 2))
        self.assertEqual((row["exact"], row["naive"], row["ulps_naive"]), ("nan", "nan", 0))
        row = self.one(*self.file_of("f64", [inf, 1]))
        self.assertEqual((row["exact"], row["naive"], row["ulps_naive"]), ("inf", "inf", 0))
        row = self.one(*self.file_of("f64", [1e308, 1e308, -1e308]))
        self.assertEqual((row["exact"], row["naive"], row["ulps_naive"]), (1e308, "inf", "inf"))
        row = self.one(*self.file_of("f64", [1e16, 1, -1e16, -1]))
        self.assertEqual((row["exact"], row["naive"], row["ulps_naive"]), (0, -1, "inf"))
        row = self.one(*self.file_of("f16", [60000.0] * 3))
        self.assertEqual((row["exact"], row["pairwise"], row["ulps_pairwise"]), ("inf", "inf", 0))

    def test_sums_of_integers_are_exact(self):
        row = self.one(*self.file_of("u64", [2**64 - 1, 1]))
        self.assertEqual((row["exact"], row["count"]), (2**64, 2))
        for name in ("naive", "pairwise", "neumaier", "ulps_naive", "condition"):
            self.assertIsNone(row[name])
        self.assertEqual(self.one(*self.file_of("bool", [1, 0, 1]))["exact"], 2)
        line = self.answer("audit", "a.npy").split("\n")[1].split("\t")
        self.assertEqual(line[:-2], ["3", "0", "0", "0", "-", "-", "-", "2", "-", "-", "-", "-"])

    def test_axes_have_a_row_for_every_index_that_is_kept(self):
        name = self.write("a.npy", npy("f32", [1, 2, 3, 4, 5, 0.1], (2, 3)))
        for order, values in (("C", [1, 2, 3, 4, 5, 0.1]), ("F", [1, 4, 2, 5, 3, 0.1])):
            name = self.write("a.npy", npy("f32", values, (2, 3), order))
            rows = self.results(name, "--axis", "0")
            self.assertEqual([(row["index"], row["exact"], row["count"]) for row in rows],
                             [([0], 5, 2), ([1], 7, 2), ([2], 3.1, 2)])
        lines = self.answer("audit", name, "--axis", "-1").split("\n")
        self.assertEqual(lines[0].split("\t"), ["index"] + COLUMNS + ["input"])
        self.assertEqual([line.split("\t")[8] for line in lines[1:3]], ["6", "9.1"])
        self.refuses(2, "audit", name, "--axis", "2", says="axis 2")

    def test_text_asks_for_f64_and_counts_what_is_missing(self):
        self.refuses(2, "audit", "-", stdin="1", says="for audit say --as f64")
        row = self.one("-", "--as", "f64", "--missing", "skip", stdin="0.1 NA 0.2\nnull")
        self.assertEqual((row["count"], row["missing"], row["exact"]),
                         (2, 2, 0.30000000000000004))
        self.refuses(4, "audit", "-", "--as", "f64", stdin="1 NA", says="NA")

    def test_tensors_and_inputs_have_rows(self):
        name = self.write("m.safetensors", safetensors({
            "a": ("F32", [2], elements("f32", [1, 2])), "q": ("F8_E4M3", [1], b"x"),
            "b": ("F64", [1], elements("f64", [0.5]))}))
        other = self.write("o.npy", npy("f64", [1]))
        rows = self.results(other, name, "missing.npy", code=4)
        self.assertEqual([row.get("exact") for row in rows], [1, 3, None, 0.5, None])
        self.assertEqual(rows[2]["tensor"], {"name": "q", "dtype": "F8_E4M3", "shape": [1]})
        done = self.onefold("audit", other, name, "missing.npy")
        lines = [line.split("\t") for line in done.out[:-1].split("\n")]
        self.assertEqual(lines[0], COLUMNS + ["tensor", "dtype", "shape", "input"])
        self.assertEqual([line[-4:] for line in lines[1:]],
                         [["-", "-", "-", other], ["a", "f32", "(2)", name],
                          ["q", "F8_E4M3", "(1)", name], ["b", "f64", "(1)", name]])
        self.assertEqual(set(lines[3][:-4]), {"error"})

    def test_what_cannot_be_audited_is_refused(self):
        name = self.write("a.npy", npy("f64", [1, 2]))
        self.refuses(2, "audit", says="INPUT is missing")
        self.refuses(1, "audit", "x.npy", says="there is no such file")
        self.refuses(1, "audit", ".", says="it is a directory")
        self.refuses(3, "audit", self.write("cut.npy", npy("f64", [1, 2])[:-1]), says="cut short")
        self.refuses(2, "audit", name, "--nan", "omit", says="has no option '--nan'")
        failed = self.onefold("audit", "--json").json()
        self.assertEqual(list(faults(failed, self.schema, self.schema)), [])

    def test_a_report_goes_to_a_file_and_in_hexadecimal(self):
        name = self.write("a.npy", npy("f64", [0.5, 1]))
        self.assertEqual(self.answer("audit", name, "--hex", "-o", "report"), "")
        report = (self.folder / "report").read_text()
        self.assertEqual(report.split("\n")[1].split("\t")[4:8], ["0x1.8p+0"] * 4)


if __name__ == "__main__":
    random_seed.main(SEED)
