#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums of random arrays by fractions.Fraction, for a program that sums them too.

    fraction_oracle.py PROGRAM

Shares nothing with the library or with the other oracle, neither language nor arithmetic. Each
case goes to PROGRAM's input as a line `TYPE F64 F32 F16 BF16 ELEMENT…`, all in hex: the elements
and what their sum must be in each format. ONEFOLD_TEST_SEED repeats a run, ONEFOLD_TEST_CASES
says how many of 1000000 cases a full run has; here a fiftieth of them are made.
"""
import os
import random
import subprocess
import sys
from fractions import Fraction

# name: exponent bits, fraction bits
FORMATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


class Format:
    def __init__(self, exponent_bits, fraction_bits):
        self.fraction_bits = fraction_bits
        self.width = 1 + exponent_bits + fraction_bits
        self.bias = 2 ** (exponent_bits - 1) - 1
        self.special = 2**exponent_bits - 1  # exponent field of Inf and NaN
        self.infinity = self.special << fraction_bits
        self.sign = 1 << (exponent_bits + fraction_bits)
        self.nan = self.infinity | 1 << (fraction_bits - 1)

    def value(self, bits):
        """A Fraction, or "nan", "inf", "-inf"."""
        field = (bits & self.infinity) >> self.fraction_bits
        fraction = Fraction(bits & (2**self.fraction_bits - 1), 2**self.fraction_bits)
        if field == self.special:
            return "nan" if fraction else "-inf" if bits & self.sign else "inf"
        scale = Fraction(2) ** (max(field, 1) - self.bias)
        magnitude = (fraction + (field > 0)) * scale
        return -magnitude if bits & self.sign else magnitude

    def at_most(self, number):
        """The bits of the largest finite element that is not above a number >= 0."""
        if number == 0:
            return 0
        width = number.numerator.bit_length() - number.denominator.bit_length()
        field = min(max(width + self.bias, 1), self.special - 1)
        if number < Fraction(2) ** (field - self.bias) and field > 1:
            field -= 1
        steps = number / Fraction(2) ** (field - self.bias - self.fraction_bits)
        low = min(((field - 1) << self.fraction_bits) + int(steps), self.infinity - 1)
        assert self.value(low) <= number
        assert low == self.infinity - 1 or number < self.value(low + 1)
        return low

    def nearest(self, number):
        """The bits of the nearest number of the format, ties to even. Zero is +0."""
        sign, number = (self.sign, -number) if number < 0 else (0, number)
        low = self.at_most(number)
        high = low + 1
        # Beyond the largest number the next one would be as far away as the last one was.
        last = high == self.infinity
        above = 2 * self.value(low) - self.value(low - 1) if last else self.value(high)
        down, up = number - self.value(low), above - number
        return sign | (high if up < down or (up == down and high % 2 == 0) else low)


ALL = {name: Format(*bits) for name, bits in FORMATS.items()}


def expected(into, values, all_minus_zero):
    kinds = {value for value in values if isinstance(value, str)}
    if "nan" in kinds or len(kinds) == 2:
        return into.nan
    if kinds:
        return into.infinity | (into.sign if "-inf" in kinds else 0)
    if values and all_minus_zero:
        return into.sign
    return into.nearest(sum(values, Fraction(0)))


def plain(chance, form, spread):
    middle = chance.randrange(form.special)
    lengths = (1, 2, 3, 8, 30, 140, 600) if chance.random() < 0.1 else (2, 3, 5, 9)
    for _ in range(chance.choice(lengths)):
        field = min(max(middle + chance.randint(-spread, spread), 0), form.special - 1)
        sign, fraction = chance.choice((0, form.sign)), chance.getrandbits(form.fraction_bits)
        yield sign | field << form.fraction_bits | fraction


def near_a_tie(chance, form):
    """Half-way between two numbers of some format, perhaps a hair more or less."""
    to = chance.choice(list(ALL.values()))
    field = chance.randint(form.fraction_bits + 3, form.special - 1)
    sign = chance.getrandbits(1) * form.sign
    spare = form.fraction_bits - to.fraction_bits
    if spare > 0:
        fraction = (2 * chance.getrandbits(to.fraction_bits) + 1) << (spare - 1)
        yield sign | field << form.fraction_bits | fraction
    else:
        yield sign | field << form.fraction_bits | chance.getrandbits(form.fraction_bits)
        yield sign | (field - form.fraction_bits - 1) << form.fraction_bits
    for _ in range(chance.randrange(2)):
        yield chance.choice((0, form.sign)) | chance.choice((1, 2, 1 << form.fraction_bits))
    for _ in range(chance.randrange(3)):
        other = chance.randrange(form.infinity)
        yield other
        yield other | form.sign


def elements(chance, form):
    kind = chance.randrange(8)
    if kind < 3:
        return list(plain(chance, form, (0, 3, 40)[kind]))
    if kind < 5:
        return list(near_a_tie(chance, form))
    if kind == 5:
        return [chance.getrandbits(form.width) for _ in range(chance.randrange(6))]
    if kind == 6:
        return [chance.choice((0, form.sign, form.sign)) for _ in range(chance.randrange(4))]
    largest = [form.infinity - 1 - chance.randrange(2) for _ in range(chance.randrange(5))]
    half_unit = (2 * form.bias - form.fraction_bits - 1) << form.fraction_bits
    return [x | chance.choice((0, form.sign)) for x in largest] + [half_unit]


def lines(chance, count):
    for _ in range(count):
        name, form = chance.choice(list(ALL.items()))
        bits = elements(chance, form)
        chance.shuffle(bits)
        values = [form.value(x) for x in bits]
        minus_zeros = all(x == form.sign for x in bits)
        answers = [expected(into, values, minus_zeros) for into in ALL.values()]
        yield " ".join([name] + [format(word, "x") for word in answers + bits]) + "\n"


def main():
    seed = int(os.environ.get("ONEFOLD_TEST_SEED") or random.SystemRandom().getrandbits(64))
    count = max(100, int(os.environ.get("ONEFOLD_TEST_CASES", "1000000")) // 50)
    print(f"ONEFOLD_TEST_SEED={seed}, {count} cases", flush=True)
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, text=True) as program:
        program.stdin.writelines(lines(random.Random(seed), count))
        program.stdin.close()
        return program.wait()


if __name__ == "__main__":
    sys.exit(main())
