# SPDX-License-Identifier: Apache-2.0
"""Elements for variances and standard deviations, divided by n."""
import math
from fractions import Fraction

from families.common import INF, LENGTHS, NAN, Chance, negated, scaled, square_parts
from families.norms import largest_exponent


def equal(form):
    yield "empty", []
    for x in (0.0, -0.0, 1.0, -1.0, form.max, form.tiny, form.nearest(Fraction(1, 10))):
        yield "single", [x]
        for count in (2, 3, 7, 1000, 65537):
            yield "equal", [(x, count)]
    for elements in ([0.0, -0.0], [-0.0, (0.0, 100)]):
        yield "equal", elements


def specials(form):
    for elements in ([INF], [1.0, -INF], [(1.0, 100), INF]):
        yield "infinity", elements
    for elements in ([INF, -INF], [1.0, -INF, INF]):
        yield "opposite-infinities", elements
    for elements in ([NAN], [1.0, NAN], [NAN, INF], [form.max, NAN, -form.max]):
        yield "nan", elements


def ranges(form):
    top = math.ldexp(1.0, form.e_max - 2)
    root = math.ldexp(1.0, form.e_max // 2)
    for elements in ([form.max, -form.max], [top, -top], [form.max, 0.0],
                     [form.max, -form.max, 0.0], [(top, 100), (-top, 100)]):
        yield "overflow", elements
    for elements in ([top, top, top + math.ldexp(top, -4)], [(form.max, 10), form.max / 2],
                     [form.max, math.ldexp(1.0, form.e_max) * (2 - 2 * form.unit)],
                     [root, -root], [root, 0.0], [root, -root, root, 3 * root / 4],
                     [root * (2 - form.unit), -root * (2 - form.unit)]):
        yield "square", elements
    middle = form.lsb // 2
    for exponent in (middle - 2, middle - 1, middle, middle + 1, middle + 3):
        for elements in ([0, 1], [0, 2], [1, -1], [0, 0, 1], [0, 3], [1, 2, 3, 4]):
            yield "subnormal", scaled(elements, exponent)
    for steps in ([0, 1], [0, 2], [0, 3], [0, 0, 1], [1, 1, -1], [-1, 1], [7, 0, 5]):
        yield "subnormal", [form.tiny * step for step in steps]


def shifted(form, name):
    """A mean that is large compared with the deviations: squares and their mean nearly cancel."""
    chance = Chance(form, "shift " + name)
    for exponent in (4, form.precision // 2, form.precision - 4):
        base = math.ldexp(1.0, exponent)
        last = math.ldexp(form.unit, exponent)
        for steps in ([4, 7, 13, 16], [0, 1], [0, 1, 2], [1, 0, 0, 0, 0, 0, 0], [5, 3, 3, 1, 8]):
            for sign in (1.0, -1.0):
                yield "shift", [sign * (base + step * last) for step in steps]
    for _ in range(8):
        base = chance.number(2, 8)
        yield "shift", [form.nearest(Fraction(base) * (1 + Fraction(chance.below(64), 2**7)))
                        for _ in range(3 + chance.below(7))]
    one_up = 1.0 + form.unit
    for counts in ((1, 1), (2, 1), (6, 1), (1000, 1), (1, 65536)):
        yield "shift", [(1.0, counts[0]), (one_up, counts[1])]


def perfect(form, name):
    """Deviations v and -v: the variance is the sum of their squares, over a power of four."""
    chance = Chance(form, "roots of spreads " + name)
    for rule, extra in (("perfect-square", 0), ("tie", 1)):
        for _ in range(4):
            bits = form.precision - 1 + extra
            m = 2**bits + (chance.bits(bits) | 1)
            for square in (m * m - 1, m * m, m * m + 1):
                v = scaled(square_parts(square, form), largest_exponent(form, m))
                yield rule, padded(v + negated(v))
    for _ in range(6):  # a^2 / 4 in one digit more than the format has
        a = 2 * chance.bits(form.precision // 2 - 1) + 2 ** ((form.precision + 1) // 2) + 1
        yield "tie", scaled([0, a], -4)


def padded(elements):
    """With zeros up to twice a power of four."""
    size = 2
    while size < len(elements):
        size *= 4
    return elements + ([(0.0, size - len(elements))] if size > len(elements) else [])


def ordinary(form, name):
    chance = Chance(form, "spreads " + name)
    for count in LENGTHS:
        yield "length", chance.numbers(count, -2, 2)
    for elements in ([(1.0, 500), (2.0, 500)], [(form.nearest(Fraction(1, 10)), 1048576), 1.0],
                     [(1.0, 32768), (-1.0, 32769)]):
        yield "length", elements
    for spread in (0, 2, 5, min(form.e_max // 2 - 3, 300)):
        for count in (2, 3, 6, 10):
            yield "random", chance.numbers(count, -spread, spread)
    for _ in range(6):
        elements = chance.numbers(9, -6, 6) + [1.0, form.half]
        for _ in range(3):
            elements = chance.shuffled(elements)
            yield "order", elements


def spreads(form, name):
    for family in (equal(form), specials(form), ranges(form), shifted(form, name),
                   perfect(form, name), ordinary(form, name)):
        yield from family
