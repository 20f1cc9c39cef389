# SPDX-License-Identifier: Apache-2.0
"""What the families of cases share: runs, random numbers, and exact decompositions.

A family yields (rule, elements[, elements of the second view]), elements being floats of the
format, or runs (value, count) where a value repeats.
"""
import math
import random
from fractions import Fraction

NAN, INF = math.nan, math.inf


def runs(elements):
    """Elements and runs, mixed, as runs."""
    return [e if isinstance(e, tuple) else (e, 1) for e in elements]


class Chance:
    """Random elements of a format, from random bits only: the same in every Python."""

    def __init__(self, form, name):
        self.form = form
        self.bits = random.Random(name).getrandbits

    def below(self, n):
        return self.bits(64) % n

    def number(self, low, high):
        """Any sign, any fraction, an exponent from low to high."""
        fraction = 1.0 + self.bits(self.form.precision - 1) * self.form.unit
        exponent = low + self.below(high - low + 1)
        size = self.form.nearest(Fraction(fraction) * Fraction(2) ** exponent)
        return -size if self.bits(1) else size

    def numbers(self, count, low, high):
        return [self.number(low, high) for _ in range(count)]

    def shuffled(self, elements):
        elements = list(elements)
        for i in range(len(elements) - 1, 0, -1):
            j = self.below(i + 1)
            elements[i], elements[j] = elements[j], elements[i]
        return elements


def negated(elements):
    return [(-e[0], e[1]) if isinstance(e, tuple) else -e for e in elements]


def both_signs(elements):
    yield elements
    yield negated(elements)


def parts(number, form):
    """Elements of the format whose exact sum is the rational, a multiple of its last bit."""
    elements = []
    while number:
        piece = form.nearest(number)
        elements.append(math.copysign(form.max, piece) if math.isinf(piece) else piece)
        number -= Fraction(elements[-1])
    return elements


def square_parts(number, form):
    """Integers of the format whose squares add up to the integer."""
    elements = []
    while number:
        largest = math.isqrt(number)
        spare = max(0, largest.bit_length() - form.precision)
        elements.append(largest >> spare << spare)
        number -= elements[-1] ** 2
    return elements


def scaled(elements, exponent):
    """Integers times a power of two, as floats."""
    return [math.ldexp(float(e), exponent) for e in elements]


LENGTHS = (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65)
