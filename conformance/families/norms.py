# SPDX-License-Identifier: Apache-2.0
"""Elements for the root of a sum of squares."""
import math
from fractions import Fraction

from families.common import INF, LENGTHS, NAN, Chance, scaled, square_parts


def zeros(form):
    yield "empty", []
    for elements in ([0.0], [-0.0], [(-0.0, 100)], [0.0, -0.0, 0.0]):
        yield "zero", elements
    for x in (1.0, -1.0, form.max, -form.max, form.tiny, -form.tiny, form.normal,
              form.normal - form.tiny, 1.0 + form.unit):
        yield "single", [x]


def specials(form):
    for elements in ([INF], [-INF], [1.0, -INF], [INF, -INF], [form.max, INF, form.max]):
        yield "infinity", elements
    for elements in ([NAN], [1.0, NAN], [NAN, INF], [-INF, NAN], [(1.0, 100), NAN]):
        yield "nan", elements


def ranges(form):
    """Squares that overflow or underflow; roots that do neither, and roots that do."""
    top, bottom = form.e_max - 3, form.lsb
    for exponent in (top, top // 2 + 1, bottom // 2, bottom // 2 - 3, bottom, bottom + 1):
        for elements in ([3, 4], [-3, 4], [1, 1], [5, 12], [1, 2, 2], [1, 1, 1, 1], [2, 3, 6]):
            yield "square", scaled(elements, exponent)
    for elements in ([form.max, form.tiny], [form.max, math.ldexp(1.0, top // 2)],
                     [form.tiny, math.ldexp(1.0, form.lsb // 2)], [1.0, form.half, form.tiny]):
        yield "square", elements
    for elements in ([(form.tiny, 2)], [(form.tiny, 3)], [form.tiny, form.tiny * 2],
                     [form.normal - form.tiny, form.tiny], [form.normal / 2, form.normal / 2],
                     [(form.tiny, 1000)]):
        yield "subnormal", elements
    for elements in ([form.max, form.max], [(-form.max, 3)], [(math.ldexp(1.0, form.e_max), 4)],
                     [form.max, math.ldexp(1.0, form.e_max - form.precision // 2 - 1)],
                     [form.max, math.ldexp(1.0, form.e_max - form.precision // 2)],
                     [form.max, math.ldexp(1.0, form.e_max - form.precision // 2 + 1)],
                     [(math.ldexp(1.0, form.e_max), 3)]):
        yield "overflow", elements


def largest_exponent(form, integer):
    """An exponent that keeps the integer's parts in the format."""
    return min(0, form.e_max - integer.bit_length())


def perfect(form, name):
    chance = Chance(form, "perfect " + name)
    for _ in range(6):
        m = 2 ** (form.precision - 1) + chance.bits(form.precision - 1)
        for square in (m * m - 1, m * m, m * m + 1):
            yield "perfect-square", scaled(square_parts(square, form), largest_exponent(form, m))
    for _ in range(6):  # m is half-way between two numbers of the format
        m = 2**form.precision + (chance.bits(form.precision) | 1)
        for square in (m * m - 1, m * m, m * m + 1):
            yield "tie", scaled(square_parts(square, form), largest_exponent(form, m))


def ordinary(form, name):
    chance = Chance(form, "norms " + name)
    for count in LENGTHS:
        yield "length", chance.numbers(count, -2, 2)
    tenth = form.nearest(Fraction(1, 10))
    for elements in ([(1.0, 1000)], [(1.0, 65536)], [(1.0, 65537)], [(tenth, 1048576)]):
        yield "length", elements
    for spread in (0, 2, 5, min(form.e_max // 2 - 3, 300)):
        for count in (2, 3, 6, 10):
            yield "random", chance.numbers(count, -spread, spread)
    for _ in range(6):
        yield "random", chance.numbers(5, form.e_min, form.e_max - 4)
    for _ in range(6):
        elements = chance.numbers(9, -6, 6) + [1.0, form.half]
        for _ in range(3):
            elements = chance.shuffled(elements)
            yield "order", elements


def norms(form, name):
    for family in (zeros(form), specials(form), ranges(form), perfect(form, name),
                   ordinary(form, name)):
        yield from family
