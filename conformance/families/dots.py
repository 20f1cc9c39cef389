# SPDX-License-Identifier: Apache-2.0
"""Pairs of views for dot products. A run of x meets a run of y of the same length."""
import math
from fractions import Fraction

from families.common import INF, LENGTHS, NAN, Chance, negated, parts
from families.plain import sums


def by_one(form, name):
    """Sums as dot products: 1 for each element."""
    for rule, elements in sums(form, name):
        if rule != "empty" and len(elements) < 30:
            x = [e if isinstance(e, tuple) else (e, 1) for e in elements]
            yield rule, x, [(1.0, count) for _, count in x]
    yield "empty", [], []


def zeros(form):
    for x, y in (([-0.0], [1.0]), ([0.0, -0.0], [-1.0, 2.0]), ([-form.tiny, 3.0], [0.0, -0.0]),
                 ([(-0.0, 100)], [(form.max, 100)])):
        yield "minus-zero", x, y
        yield "minus-zero", y, x
    for x, y in (([-0.0], [-1.0]), ([-0.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [1.0, -1.0]),
                 ([form.max, form.max], [form.max, -form.max]),
                 ([form.tiny, form.tiny], [form.tiny, -form.tiny])):
        yield "zero", x, y


def specials():
    for x, y in (([INF], [0.0]), ([0.0], [-INF]), ([INF, 1.0], [-0.0, 1.0]),
                 ([INF, INF], [1.0, -1.0]), ([INF, -INF], [2.0, 3.0])):
        yield "opposite-infinities", x, y
    for x, y in (([INF], [2.0]), ([1.0, INF], [1.0, INF]), ([-INF, INF], [-1.0, 3.0])):
        yield "infinity", x, y
        yield "infinity", negated(x), y
    for x, y in (([NAN], [0.0]), ([1.0, 2.0], [NAN, INF]), ([INF, NAN], [1.0, 1.0])):
        yield "nan", x, y
        yield "nan", y, x


def squares(form):
    """Products beyond the range, or below it, that do no harm to the result."""
    big, small = math.ldexp(1.0, form.e_max - 2), math.ldexp(1.0, form.e_min + 1)
    below = math.ldexp(1.0, form.lsb + 2)
    for x, y in (([big, big, 1.0], [big, -big, 1.0]), ([big, 3.0, big], [-big, 1.0, big]),
                 ([form.max, form.max, form.tiny], [form.max, -form.max, 1.0]),
                 ([1.0, small], [1.0, small]), ([1.0, form.half, small], [1.0, 1.0, small]),
                 ([1.0, form.half, small], [1.0, 1.0, -small]),
                 ([1.0 + form.unit, form.half, below], [1.0, 1.0, -below]),
                 ([big, form.tiny, big], [4.0, form.tiny, -4.0]),
                 ([(big, 50), (big, 50), 1.0], [(big, 50), (-big, 50), 1.0])):
        for signed in (y, negated(y)):
            yield "square", x, signed
    for x, y in (([small] * 4, [small] * 4), ([form.tiny], [0.5]), ([form.tiny] * 2, [0.5, 0.25]),
                 ([form.tiny] * 3, [0.5] * 3), ([small], [small])):
        for signed in (y, negated(y)):
            yield "underflow", x, signed
    for x, y in (([big], [big]), ([form.max], [1.0 + form.unit]), ([form.max] * 2, [0.5, 0.5]),
                 ([form.max, math.ldexp(form.half, form.e_max)], [1.0, 1.0])):
        for signed in (y, negated(y)):
            yield "overflow", x, signed


def hard(form, name):
    chance = Chance(form, "dots " + name)
    reach = min(form.e_max // 2 - 6, 100)
    for count in LENGTHS:
        yield "length", chance.numbers(count, -2, 2), chance.numbers(count, -2, 2)
    for spread in (0, 2, 5, reach // 2):
        for count in (2, 3, 6, 10):
            yield ("random", chance.numbers(count, -spread, spread),
                   chance.numbers(count, -spread, spread))
    for _ in range(8):
        x, y = chance.numbers(6, -reach, reach), chance.numbers(6, -reach, reach)
        yield ("cancellation", x + [chance.number(0, 0)] + x,
               y + [chance.number(0, 0)] + negated(y))
    for case in range(8):
        yield ("condition", *conditioned(chance, reach * (case % 4 + 1) // 4))
    for _ in range(4):
        pairs = list(zip(chance.numbers(9, -5, 5), chance.numbers(9, -5, 5)))
        for _ in range(3):
            pairs = chance.shuffled(pairs)
            yield "order", [a for a, _ in pairs], [b for _, b in pairs]


def conditioned(chance, reach):
    """Products whose sum is far smaller than they are: the exact rest is split over ones."""
    form = chance.form
    x, y = chance.numbers(5, 0, reach), chance.numbers(5, 0, reach)
    total = sum((Fraction(a) * Fraction(b) for a, b in zip(x, y)), Fraction(0))
    rest = [e for e in parts(total - Fraction(chance.number(-6, -6)), form)]
    return x + rest, y + [-1.0] * len(rest)


def tails(form, name):
    """Single products with all their digits, at half-way cases: the error of a product counts."""
    chance = Chance(form, "tails " + name)
    for _ in range(12):
        a, b = chance.number(0, 0), chance.number(0, 0)
        product = Fraction(a) * Fraction(b)
        near = form.nearest(product)
        yield "cancellation", [a, near], [b, -1.0]
        yield "cancellation", [a, -near, form.tiny], [b, 1.0, 1.0]
        yield "random", [a], [b]


def dots(form, name):
    for family in (by_one(form, name), zeros(form), specials(), squares(form), hard(form, name),
                   tails(form, name)):
        yield from family
