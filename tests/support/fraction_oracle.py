#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums, means, norms, variances of random arrays by fractions.Fraction, for a program to compare.

    fraction_oracle.py PROGRAM

Shares nothing with the library or with the other oracle, neither language nor arithmetic. Each case
goes to PROGRAM's input as a line `OPERATOR CORRECTION TYPE F64 F32 F16 BF16 ELEMENT…`, all numbers
in hex: the elements and what the answer must be in each format. The operators are sum, mean, norm2,
var, std, and dot, whose elements are x and y in turn. ONEFOLD_TEST_SEED repeats a run,
ONEFOLD_TEST_CASES says how many of 1000000 cases a full run has; here a fiftieth of them are made.
"""
import math
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

from random_seed import chosen_seed, print_repeat

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

    def at_most_root(self, number):
        """The same of the square root of a number >= 0."""
        places = 4**60 * number.denominator  # a root from below, to far more bits than any format
        low = self.at_most(Fraction(math.isqrt(number.numerator * places),
                                    number.denominator * 2**60))
        bits = low + (low + 1 < self.infinity and self.value(low + 1) ** 2 <= number)
        assert self.value(bits) ** 2 <= number
        return bits

    def nearest(self, number, power=1):
        """The bits of the format's number nearest to the number or, where power is 2, to its root:
        ties to even. Zero is +0."""
        sign, number = (self.sign, -number) if number < 0 else (0, number)
        low = self.at_most(number) if power == 1 else self.at_most_root(number)
        high = low + 1
        # Beyond the largest number the next one would be as far away as the last one was.
        last = high == self.infinity
        above = 2 * self.value(low) - self.value(low - 1) if last else self.value(high)
        middle = ((self.value(low) + above) / 2) ** power
        return sign | (high if middle < number or (middle == number and high % 2 == 0) else low)


ALL = {name: Format(*bits) for name, bits in FORMATS.items()}


def product(a, b):
    if "nan" in (a, b):
        return "nan"
    if not isinstance(a, str) and not isinstance(b, str):
        return a * b
    signs = [("-" if x[0] == "-" else "+") if isinstance(x, str) else "-0+"[(x > 0) - (x < 0) + 1]
             for x in (a, b)]
    return "nan" if "0" in signs else "inf" if signs[0] == signs[1] else "-inf"


def total(values):
    """A Fraction, or "nan", "inf", "-inf"."""
    kinds = {value for value in values if isinstance(value, str)}
    if "nan" in kinds or len(kinds) == 2:
        return "nan"
    return kinds.pop() if kinds else sum(values, Fraction(0))


def real_answer(operator, correction, values):
    """The answer, or for norm2 and std its square, before it is rounded."""
    if operator == "dot":
        return total([product(x, y) for x, y in zip(values[::2], values[1::2])])
    if operator == "norm2":
        return total([product(x, x) for x in values])
    summed, count = total(values), len(values)
    if operator == "sum" or (isinstance(summed, str) and operator == "mean"):
        return summed
    if any(isinstance(value, str) for value in values):
        return "nan"
    if count == 0 or (operator != "mean" and count <= correction):
        return "nan"
    mean = summed / count
    if operator == "mean":
        return mean
    return sum(((value - mean) ** 2 for value in values), Fraction(0)) / (count - correction)


def expected(into, answer, power, minus_zero):
    if isinstance(answer, str):
        if answer == "nan":
            return into.nan
        return into.infinity | (into.sign if answer == "-inf" else 0)
    return into.sign if minus_zero else into.nearest(answer, power)


def is_minus_zero(operator, form, bits):
    """Whether there is an element or product, and all of them are -0."""
    if operator in ("sum", "mean"):
        return bool(bits) and all(x == form.sign for x in bits)
    if operator != "dot":
        return False
    pairs = list(zip(bits[::2], bits[1::2]))
    return bool(pairs) and all((x ^ y) & form.sign and form.value(x) * form.value(y) == 0
                               for x, y in pairs)


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


OPERATORS = ("sum", "sum", "mean", "dot", "norm2", "var", "std")


def real_correction(chance):
    """A small integer, or a number of any exponent."""
    if chance.random() < 0.7:
        return float(chance.randrange(4))
    exponent = chance.choice((chance.randint(-1074, 1023), chance.randint(-70, 3)))
    return math.ldexp(chance.uniform(-1, 1), exponent)


def lines(chance, count):
    for _ in range(count):
        name, form = chance.choice(list(ALL.items()))
        operator, correction = chance.choice(OPERATORS), real_correction(chance)
        bits = elements(chance, form)
        if operator in ("var", "std") and bits and chance.random() < 0.3:
            bits = [x + chance.randrange(2) for x in bits[:1] * len(bits)]  # about equal
            bits = [x if x & ~form.sign < form.infinity else 1 for x in bits]
        if operator == "dot":
            bits = bits[:len(bits) // 2 * 2]
        chance.shuffle(bits)
        values = [form.value(x) for x in bits]
        answer = real_answer(operator, Fraction(correction), values)
        power = 2 if operator in ("norm2", "std") else 1
        minus_zero = not isinstance(answer, str) and is_minus_zero(operator, form, bits)
        answers = [expected(into, answer, power, minus_zero) for into in ALL.values()]
        correction_bits, = struct.unpack("<Q", struct.pack("<d", correction))
        words = [format(word, "x") for word in [correction_bits, *answers, *bits]]
        yield " ".join([operator, words[0], name, *words[1:]]) + "\n"


def main():
    count = max(100, int(os.environ.get("ONEFOLD_TEST_CASES", "1000000")) // 50)
    seed = chosen_seed(f", {count} cases")
    code = 1
    try:
        with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, text=True) as program:
            program.stdin.writelines(lines(random.Random(seed), count))
        code = program.returncode
    except BrokenPipeError:
        print("fraction_oracle: the program ended before it had read every case")
    if code != 0:
        print_repeat(seed, *sys.argv[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
