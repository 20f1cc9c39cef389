# SPDX-License-Identifier: Apache-2.0
"""Means: the elements of sums, and quotients that need their own rounding."""
import math
from fractions import Fraction

from families.common import Chance, both_signs, parts
from families.plain import sums

COUNTS = (3, 5, 6, 7, 10, 1000, 65537)


def divisions(form, name):
    for count in COUNTS:
        for signed in both_signs([1.0, (0.0, count - 1)]):
            yield "division", signed
        yield "division", [(form.nearest(Fraction(1, 10)), count)]
        yield "division", [(form.max, count)]
        yield "division", [form.tiny, (form.tiny, count // 2), (-0.0, count - 1 - count // 2)]
    yield "division", [1.0, (0.0, 1048576)]
    chance = Chance(form, "division " + name)
    for count in (3, 7, 11, 13):
        for _ in range(6):
            yield "division", chance.numbers(count, -2, 2)


def near_ties(form, name):
    """Sums of n elements that are n times a half-way case, exactly and a hair off it."""
    chance = Chance(form, "ties of means " + name)
    for count in (2, 3, 7):
        for _ in range(3):
            low = abs(chance.number(0, 0))
            for hair in (0.0, form.tiny, -form.tiny):
                total = count * (Fraction(low) + Fraction(form.half)) + Fraction(hair)
                elements = parts(total, form)
                elements += [0.0] * (count - len(elements))
                if len(elements) == count:
                    yield "tie", elements


def twice_rounded(form, name):
    """Means that are wrong where the sum is rounded before it is divided."""
    chance = Chance(form, "twice " + name)
    found = 0
    while found < 16:
        elements = chance.numbers((3, 7, 9)[found % 3], -2, 2)
        total = sum((Fraction(e) for e in elements), Fraction(0))
        twice = form.nearest(Fraction(form.nearest(total)) / len(elements))
        if twice != form.nearest(total / len(elements)):
            found += 1
            yield "double-rounding", elements


def underflows(form):
    for elements in ([form.tiny, 0.0], [form.tiny, 0.0, 0.0], [form.tiny, form.tiny, 0.0],
                     [form.tiny, form.tiny, form.tiny, 0.0], [form.normal, -form.tiny],
                     [form.tiny, form.tiny, form.tiny, 0.0, 0.0, 0.0]):
        for signed in both_signs(elements):
            yield "underflow", signed
    half = math.ldexp(form.half, form.e_max)
    for elements in ([form.max, form.max], [form.max, form.max, half], [(form.max, 1000)]):
        for signed in both_signs(elements):
            yield "intermediate-overflow", signed


def means(form, name):
    # A mean of large numbers is in range: what sums call overflow is none here.
    for rule, elements in sums(form, name):
        yield "intermediate-overflow" if rule == "overflow" else rule, elements
    for family in (divisions(form, name), near_ties(form, name), twice_rounded(form, name),
                   underflows(form)):
        yield from family
