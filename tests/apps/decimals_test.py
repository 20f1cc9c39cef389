#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decimals in text against rational numbers: ten thousand random texts, many to a run."""
import random
import unittest

from support import ProgramTest, random_seed

SEED = random_seed.chosen_seed()
TEXTS, AT_ONCE = 10_000, 500
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


class Integers(Decimals):
    def test_minus_zero_among_integers_is_the_integer_zero(self):
        for batch in self.batches(integers):
            texts = [" ".join(numbers) for numbers in batch]
            for text, told in zip(texts, self.answers(texts, OPS)):
                values = [int(number) for number in text.split()]
                low, high = str(min(values)), str(max(values))
                self.assertEqual(told, {"sum": (str(sum(values)), "i64"), "min": (low, "i64"),
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
