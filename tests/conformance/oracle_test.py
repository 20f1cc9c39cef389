#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The oracle of the vectors against arithmetic that it does not use."""
import math
import pathlib
import random
import statistics
import struct
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "conformance"))
from families.common import runs, square_parts  # noqa: E402
from families.plain import conditioned, narrow  # noqa: E402
from families.common import Chance  # noqa: E402
from oracle import FORMATS, answer, hexadecimal, root  # noqa: E402


def asked(op, output, *views):
    return answer(op, output, *(runs(view) for view in views))


class Rounding(unittest.TestCase):
    def test_every_half_and_its_midpoints_are_those_of_the_bits(self):
        form = FORMATS["f16"]
        values = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in range(0x7C00)]
        for i, x in enumerate(values):
            self.assertEqual(form.nearest(Fraction(x)), x)
            if i + 1 < len(values):
                middle = (Fraction(x) + Fraction(values[i + 1])) / 2
                even = x if i % 2 == 0 else values[i + 1]
                self.assertEqual(form.nearest(middle), even)
                self.assertEqual(form.nearest(middle + Fraction(1, 2**60)), values[i + 1])
        self.assertEqual(form.nearest(Fraction(65519)), 65504.0)
        self.assertEqual(form.nearest(Fraction(65520)), math.inf)

    def test_doubles_and_floats_round_as_the_machine_does(self):
        chance = random.Random(1)
        for _ in range(20000):
            number = Fraction(chance.getrandbits(80), 1 + chance.getrandbits(70))
            number *= Fraction(2) ** chance.randint(-1100, 900) * chance.choice((-1, 1))
            self.assertEqual(FORMATS["f64"].nearest(number),
                             number.numerator / number.denominator)
            exact = chance.uniform(-1, 1) * 2.0 ** chance.randint(-160, 120)
            single = struct.unpack("<f", struct.pack("<f", exact))[0]
            self.assertEqual(FORMATS["f32"].nearest(Fraction(exact)), single)

    def test_roots_lie_on_their_side_of_every_midpoint(self):
        for number in (Fraction(2), Fraction(1, 3), Fraction(2) ** -2147, Fraction(4) ** 1000 + 1):
            found = root(number)
            self.assertEqual(found * found == number, False)
            self.assertLess(abs(found * found - number) / number, Fraction(1, 2**50))
        self.assertEqual(root(Fraction(9, 16)), Fraction(3, 4))
        chance = random.Random(2)
        for _ in range(5000):
            x = chance.uniform(0, 4) * 2.0 ** chance.randint(-500, 500)
            self.assertEqual(FORMATS["f64"].nearest(root(Fraction(x))), math.sqrt(x))


class Answers(unittest.TestCase):
    def test_sums_are_those_of_fsum(self):
        chance = random.Random(3)
        for _ in range(2000):
            x = [chance.uniform(-1, 1) * 2.0 ** chance.randint(-60, 60) for _ in range(9)]
            self.assertEqual(asked("sum", "f64", x), hexadecimal(math.fsum(x)))

    def test_means_and_variances_are_those_of_statistics(self):
        chance = random.Random(4)
        for _ in range(500):
            x = [chance.uniform(-1, 1) * 2.0 ** chance.randint(-9, 9) for _ in range(7)]
            self.assertEqual(asked("mean", "f64", x), hexadecimal(statistics.mean(x)))
            self.assertEqual(asked("var", "f64", x), hexadecimal(statistics.pvariance(x)))
        whole = [3, 4, -7, 2**63 - 1]
        self.assertEqual(asked("mean", "f64", whole), hexadecimal(float(statistics.mean(whole))))

    def test_special_values(self):
        inf, nan = math.inf, math.nan
        for op, output, views, said in (
                ("sum", "f64", ([],), "0x0p+0"), ("mean", "f64", ([],), "nan"),
                ("var", "f32", ([],), "nan"), ("norm2", "f16", ([],), "0x0p+0"),
                ("dot", "f64", ([], []), "0x0p+0"), ("sum", "f64", ([-0.0, -0.0],), "-0x0p+0"),
                ("sum", "f64", ([-0.0, 0.0],), "0x0p+0"), ("mean", "f64", ([-0.0],), "-0x0p+0"),
                ("dot", "f64", ([-0.0], [1.0]), "-0x0p+0"), ("dot", "f64", ([inf], [0.0]), "nan"),
                ("dot", "f64", ([-inf], [2.0]), "-inf"), ("norm2", "f64", ([-inf, 1.0],), "inf"),
                ("norm2", "f64", ([-inf, nan],), "nan"), ("var", "f64", ([inf],), "nan"),
                ("sum", "f64", ([1e308, 1e308, -1e308],), hexadecimal(1e308)),
                ("sum", "f64", ([1e308, 1e308],), "inf"),
                ("sum", "f32", ([-(2.0**-200)],), "-0x0p+0"),
                ("sum", "i64", ([(2**63 - 1, 2)],), "overflow"), ("dot", "i64", ([3], [-4]), "-12"),
                ("std", "f64", ([1.0, 3.0],), "0x1p+0"),
                ("norm2", "f64", ([3.0, 4.0],), "0x1.4p+2")):
            self.assertEqual(asked(op, output, *views), said, (op, output, views))

    def test_runs_count_as_their_elements(self):
        x = [0.1, 0.1, 0.1, -0.3]
        for op in ("sum", "mean", "norm2", "var", "std"):
            self.assertEqual(asked(op, "f64", x), asked(op, "f64", [(0.1, 3), -0.3]))


class Families(unittest.TestCase):
    def test_squares_add_up_to_the_integer(self):
        form, number = FORMATS["bf16"], 12345678901
        pieces = square_parts(number, form)
        self.assertEqual(sum(piece**2 for piece in pieces), number)
        self.assertTrue(all(form.nearest(Fraction(piece)) == piece for piece in pieces))

    def test_traps_of_double_rounding_are_traps(self):
        wrong = 0
        for rule, x in narrow(FORMATS["f64"], FORMATS["f32"]):
            twice = FORMATS["f32"].nearest(Fraction(math.fsum(x)))
            wrong += rule == "double-rounding" and hexadecimal(twice) != asked("sum", "f32", x)
        self.assertEqual(wrong, 6)

    def test_conditioned_sums_are_as_bad_as_they_say(self):
        for bits in (60, 400, 1000, 1990):
            x = [Fraction(e) for e in conditioned(Chance(FORMATS["f64"], "test"), bits)]
            ratio = sum(map(abs, x)) / abs(sum(x))
            self.assertGreater(ratio, Fraction(2) ** (bits - 8))


if __name__ == "__main__":
    unittest.main()
