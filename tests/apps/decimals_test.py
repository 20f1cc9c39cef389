#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decimals in text against rational numbers: ten thousand random texts, many to a run."""
import math
import os
import random
import unittest
from decimal import Decimal
from fractions import Fraction

from support import ProgramTest, random_seed

SEED = random_seed.chosen_seed()
# A sanitizer makes a run some ten times as long.
TEXTS, AT_ONCE = 1_000 if "SANITIZED" in os.environ else 10_000, 500
OPS = ["sum", "min", "max", "minmax"]


class Decimals(ProgramTest):
    def answers(self, texts, ops, *words):
        """For every text a dictionary of (value, dtype) by operator, values as they are written."""
        names = [self.write(f"{i}.txt", text) for i, text in enumerate(texts)]
        done = self.onefold(",".join(ops), *names, "--json", *words)
        self.assertEqual((done.code, done.err), (0, ""), SEED)
        results = iter(done.results())
        for _ in texts:
            yield {op: (answer["value"], answer["dtype"]) for op, answer in zip(ops, results)}

    def batches(self, make):
        """TEXTS lists of numbers as text, AT_ONCE at a time."""
        generator = random.Random(SEED)
        for _ in range(TEXTS // AT_ONCE):
            yield [make(generator) for _ in range(AT_ONCE)]


def integers(generator):
    """Numbers without a point, of which the sum fits 64 bits; one in three is a zero."""
    zeros = ["-0", "0", "+0", "-00", "000"]
    numbers = [generator.choice(zeros) if generator.random() < 0.33 else
               str(generator.randint(-10 ** digits, 10 ** digits))
               for digits in generator.choices(range(1, 18), k=generator.randint(1, 12))]
    return [generator.choice(["-0", "-0", "0"])] + numbers if generator.random() < 0.5 else numbers


def digits_of(value):
    """A Fraction in all its digits, or None where they do not end."""
    rest, places = value.denominator, [0, 0]
    for i, prime in enumerate((2, 5)):
        while rest % prime == 0:
            rest, places[i] = rest // prime, places[i] + 1
    if rest != 1:
        return None
    places = max(places)
    text = str(abs(value.numerator) * 10 ** places // value.denominator)
    text = text.rjust(places + 1, "0")
    point = len(text) - places
    text = text[:point] + ("." + text[point:] if places else "")
    return ("-" if value < 0 else "") + text


def written(value, minus_zero=False):
    """The same as the program writes it: with an exponent below 1e-5 and from 1e40 on."""
    text = digits_of(value)
    if text is None or value == 0:
        return ("-0" if minus_zero else "0") if value == 0 else None
    size = text.lstrip("-")
    whole, _, fraction = size.partition(".")
    exponent = len(whole) - 1 if whole != "0" else -1 - len(fraction) + len(fraction.lstrip("0"))
    if -5 <= exponent < 40:
        return text
    shown = (whole + fraction).strip("0")
    shown = shown[0] + ("." + shown[1:] if len(shown) > 1 else "")
    return f"{'-' if value < 0 else ''}{shown}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


def decimals(generator):
    """Numbers of any form, short and long, with zeros of both signs among them."""
    def digits(most):
        return "".join(generator.choices("0123456789", k=generator.randint(1, most)))
    numbers = []
    for _ in range(generator.randint(1, 12)):
        number = digits(6) if generator.random() < 0.9 else digits(40)
        if generator.random() < 0.6:
            number += "." + (digits(4) if generator.random() < 0.9 else digits(40))
        if generator.random() < 0.1:
            number += f"e{generator.randint(-60, 60)}"
        if generator.random() < 0.15:
            number = generator.choice(["0", "0.0", "0e3", "-0", "-0.00"])
        sign = generator.choice(["", "", "-", "+"]) if number[0] != "-" else ""
        numbers.append(sign + number)
    return numbers


class AllDigits(Decimals):
    def expected(self, numbers):
        values = [Decimal(number) for number in numbers]
        exact = [Fraction(value) for value in values]
        ends = [best(zip(exact, [not value.is_signed() for value in values]))
                for best in (min, max)]
        integers = not any(c in ".e" for number in numbers for c in number)
        total, zeros = sum(exact), all(value == 0 and value.is_signed() for value in values)

        def answer(as_integer, *pairs):
            if as_integer and all(-2 ** 63 <= value < 2 ** 63 for value, _ in pairs):
                return [str(value) for value, _ in pairs], "i64"
            return [written(value, minus) for value, minus in pairs], "decimal"

        low, high = [(value, not plus) for value, plus in ends]
        both, dtype = answer(integers, low, high)
        (whole,), sum_type = answer(integers, (total, zeros))
        mean = written(total / len(exact), zeros)
        return {"sum": (whole, sum_type), "min": (both[0], dtype), "max": (both[1], dtype),
                "minmax": (both, dtype), "mean": (mean, "decimal" if mean else "f64")}

    def test_answers_have_all_the_digits_of_the_exact_decimal(self):
        for batch in self.batches(decimals):
            texts = ["\n".join(numbers) for numbers in batch]
            for numbers, printed in zip(batch, self.answers(texts, [*OPS, "mean"])):
                expected = self.expected(numbers)
                if expected["mean"][0] is None:
                    mean = sum(map(Fraction, map(Decimal, numbers))) / len(numbers)
                    self.assertEqual(float(printed["mean"][0]), float(mean), (SEED, numbers))
                    expected["mean"] = (printed["mean"][0], "f64")
                self.assertEqual(printed, expected, (SEED, numbers))

    def test_f64_is_rounded_once(self):
        generator = random.Random(SEED + 1)
        batch = [decimals(generator) for _ in range(AT_ONCE)]
        texts = [" ".join(numbers) for numbers in batch]
        for numbers, printed in zip(batch, self.answers(texts, ["sum"], "--dtype-out", "f64")):
            value, dtype = printed["sum"]
            exact = sum(map(Fraction, map(Decimal, numbers)))
            self.assertEqual((float(value), dtype), (float(exact), "f64"), (SEED, numbers))

    def test_cents_are_kept(self):
        text = "900719925474099.31\n0.01\n"
        self.assertEqual(self.answer("sum", "-", stdin=text), "900719925474099.32\n")
        self.assertEqual(self.answer("sum", "-", "--dtype-out", "f64", stdin=text),
                         "900719925474099.4\n")
        self.assertEqual(self.answer("min,max", "-", stdin="0.30000000000000000001 0.3 0.2")
                         .split("\n")[1], "0.2\t0.30000000000000000001\t-")
        self.assertEqual(self.answer("mean", "-", stdin="900719925474099.31 0"),
                         "450359962737049.655\n")
        self.assertEqual(self.answer("mean", "-", stdin="1 0 0"), "0.3333333333333333\n")

    def test_sums_of_integers_have_all_their_digits_beyond_64_bits(self):
        text = f"{2**63 - 1} {2**63 - 1} {10**30}"
        self.assertEqual(self.answer("sum", "-", stdin=text), f"{2 * (2**63 - 1) + 10**30}\n")
        self.assertEqual(self.answer("max", "-", stdin=text), f"{10**30}\n")
        said = self.refuses(4, "sum", "-", "--dtype-out", "i64", stdin=text)
        self.assertIn("does not fit i64", said)
        self.assertIn("leave --dtype-out out, or say --dtype-out f64", said)
        self.assertEqual(float(self.answer("sum", "-", "--dtype-out", "f64", stdin=text)),
                         float(2 * (2**63 - 1) + 10**30))

    def test_json_and_hexadecimal_forms_have_the_nearest_f64_beside_the_digits(self):
        answer = self.onefold("sum", "-", "--json", stdin="0.1 0.2").results()[0]
        self.assertEqual((answer["value"], answer["hex"], answer["dtype"]),
                         ("0.3", (0.3).hex(), "decimal"))
        self.assertEqual(float.fromhex(self.answer("sum", "-", "--hex", stdin="0.1 0.2")), 0.3)
        for text in ("inf 1", "nan", "1 -inf"):
            answer = self.onefold("sum", "-", "--json", stdin=text).results()[0]
            self.assertEqual(answer["dtype"], "f64")
            self.assertFalse(math.isfinite(float(answer["value"])))

    def test_totals_have_all_digits(self):
        self.write("a.txt", "900719925474099.31")
        self.write("b.txt", "0.01")
        self.assertEqual(self.answer("sum,mean,max", "a.txt", "b.txt", "--total").split("\n")[3],
                         "900719925474099.32\t450359962737049.66\t900719925474099.31\ttotal")


class Integers(Decimals):
    def test_minus_zero_among_integers_is_the_integer_zero(self):
        for batch in self.batches(integers):
            texts = [" ".join(numbers) for numbers in batch]
            for text, printed in zip(texts, self.answers(texts, OPS)):
                values = [int(number) for number in text.split()]
                low, high = str(min(values)), str(max(values))
                self.assertEqual(printed, {"sum": (str(sum(values)), "i64"), "min": (low, "i64"),
                                        "max": (high, "i64"), "minmax": ([low, high], "i64")},
                                 (SEED, text))

    def test_minus_zero_hides_no_digit_and_takes_i64(self):
        text = "-0 9007199254740993\n"
        self.assertEqual(self.answer("max", "-", stdin=text), "9007199254740993\n")
        for op, expected in (("sum", "9007199254740993"), ("min", "0"),
                             ("max", "9007199254740993"), ("minmax", "0\t9007199254740993")):
            self.assertEqual(self.answer(op, "-", "--dtype-out", "i64", stdin=text),
                             f"{expected}\n")

    def test_minus_zero_is_a_negative_zero_where_the_answer_is_floating(self):
        for op, text, expected in (("sum", "-0 -00", "-0"), ("sum", "-0 0", "0"),
                                   ("min", "-0 0", "-0"), ("max", "-0 0", "0"),
                                   ("max", "-0 -5", "-0"), ("mean", "-0", "-0")):
            for dtype in ("f64", "f32"):
                self.assertEqual(self.answer(op, "-", "--dtype-out", dtype, stdin=text),
                                 f"{expected}\n")


if __name__ == "__main__":
    random_seed.main(SEED)
