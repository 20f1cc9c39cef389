# SPDX-License-Identifier: Apache-2.0
"""Elements for sums; means and dot products use them too."""
import math
from fractions import Fraction

from families.common import INF, LENGTHS, NAN, Chance, both_signs, negated, parts


def zeros(form):
    yield "empty", []
    for count in (1, 2, 17, 1000):
        yield "minus-zero", [(-0.0, count)]
    for elements in ([0.0], [-0.0, 0.0], [0.0, -0.0], [(-0.0, 100), 0.0], [0.0, (-0.0, 100)],
                     [1.0, -1.0], [-1.0, 1.0], [form.tiny, -form.tiny, -0.0],
                     [-0.0, form.max, -form.max]):
        yield "zero", elements


def edges(form):
    tiny, normal, largest = form.tiny, form.normal, form.max
    for x in (1.0, largest, normal, tiny, normal - tiny, 1.0 + form.unit):
        for elements in both_signs([x]):
            yield "single", elements
    for elements in ([tiny, tiny, tiny], [normal - tiny, tiny], [normal, -tiny], [(tiny, 1000)],
                     [normal, -tiny, -tiny], [normal - tiny, normal - tiny], [normal / 2] * 3,
                     [1.0, tiny, -1.0], [largest, tiny, -largest]):
        for signed in both_signs(elements):
            yield "subnormal", signed
    for elements in ([largest, largest, -largest], [largest, largest, -largest, -largest, tiny],
                     [(largest, 40), (-largest, 40), 1.0], [largest, -largest, largest],
                     [(largest, 1000), 1.0, (-largest, 1000)]):
        for signed in both_signs(elements):
            yield "intermediate-overflow", signed


def overflow(form):
    half = math.ldexp(form.half, form.e_max)  # half of the last bit of the largest number
    for elements in ([form.max, form.max], [form.max, half], [form.max, half, -form.tiny],
                     [form.max, half / 2], [form.max, half, form.tiny], [form.max, half, -half],
                     [(math.ldexp(1.0, form.e_max), 2)], [(form.max, 1000)]):
        for signed in both_signs(elements):
            yield "overflow", signed


def specials(form):
    for elements in ([INF], [1.0, INF], [INF, INF], [INF, -form.max, 5.0],
                     [form.max, form.max, INF], [-form.max, -form.max, INF],
                     [(1.0, 100), INF, (-0.0, 100)]):
        for signed in both_signs(elements):
            yield "infinity", signed
    for elements in ([INF, -INF], [1.0, -INF, 2.0, INF], [INF, (0.0, 100), -INF]):
        yield "opposite-infinities", elements
    for elements in ([NAN], [1.0, NAN], [NAN, INF], [NAN, -0.0], [NAN, INF, -INF], [-INF, NAN],
                     [(1.0, 100), NAN, (1.0, 100)], [form.max, form.max, NAN]):
        yield "nan", elements


def ties(form):
    unit, half, tiny = form.unit, form.half, form.tiny
    bases = ([1.0, half], [1.0 + unit, half], [1.0, (half / 8, 8)], [2.0 - unit, half],
             [1.0 + unit, half / 2, half / 2], [1.0, -half / 2], [1.0 + unit, -half],
             [half, half / 4, 1.0, half / 4, -half / 2])
    hairs = ([], [tiny], [-tiny], [tiny, -tiny], [form.max, tiny, -form.max])
    for base in bases:
        for hair in hairs:
            for signed in both_signs(base + hair):
                yield "tie", signed


def hard(form, name):
    chance = Chance(form, "hard " + name)
    exponent = min(form.e_max - 12, 300)
    for _ in range(12):
        crowd = chance.numbers(8, -exponent // 2, exponent // 2)
        stray = chance.number(-8, 8)
        yield "cancellation", chance.shuffled(crowd + negated(crowd) + [stray])
    for elements in ([math.ldexp(1.0, exponent), 1.0, -math.ldexp(1.0, exponent)],
                     [1.0, (math.ldexp(1.0, exponent), 3), (-math.ldexp(1.0, exponent), 3)],
                     [form.max, 1.0, -form.max, -1.0, form.tiny]):
        for signed in both_signs(elements):
            yield "cancellation", signed
    for bits in (27, 60, 120, 400, 1000, 1990):
        if bits < form.e_max - form.lsb:
            yield "condition", conditioned(chance, bits)


def conditioned(chance, bits):
    """Numbers whose sum is about 2^-bits of the sum of their magnitudes, by exact remainders."""
    form = chance.form
    top = min(form.e_max - 4, form.lsb + bits + form.precision)
    top = top if bits > 200 else min(form.e_max - 4, max(bits // 2, form.lsb + bits + 1))
    elements = [chance.number(max(top - bits * i // 8, form.lsb), top - bits * i // 8)
                for i in range(9)]
    rest = chance.number(max(top - bits, form.lsb), max(top - bits, form.lsb))
    total = sum((Fraction(e) for e in elements), Fraction(0))
    return chance.shuffled(elements + parts(Fraction(rest) - total, form))


def crowds(form, name):
    chance = Chance(form, "crowds " + name)
    reach = min(form.e_max - 12, 20)
    for case in range(6):
        elements = chance.numbers(9, -reach, reach) + [1.0, form.half, form.half / 2]
        for _ in range(3):
            elements = chance.shuffled(elements)
            yield "order", elements
    for count in LENGTHS:
        yield "length", chance.numbers(count, -3, 3)
    tenth = form.nearest(Fraction(1, 10))
    for elements in ([(tenth, 10)], [(tenth, 1000)], [(tenth, 1048577)],
                     [1.0, (form.half / 4, 65536)], [(form.half, 4096), 1.0, (-form.half, 4095)],
                     [(1.0, 4097)], [(tenth, 70000), (-tenth, 69999)]):
        yield "length", elements
    for spread in (0, 2, 12, reach):
        for count in (2, 3, 6, 10):
            yield "random", chance.numbers(count, -spread, spread)
    for _ in range(6):
        yield "random", chance.numbers(5, form.e_min, form.e_max - 4)


def sums(form, name):
    for family in (zeros(form), edges(form), overflow(form), specials(form), ties(form),
                   hard(form, name), crowds(form, name)):
        yield from family


def narrow(form, out):
    """Sums whose exact value lies a hair off a half-way case of a narrower (or equal) output."""
    hairs = [h for h in (math.ldexp(1.0, e) for e in (-60, -40, -24, -14)) if h >= form.tiny]
    for hair in hairs[:2]:
        for base in ([1.0, out.half], [1.0, out.unit, out.half]):
            for signed in both_signs(base):
                yield "double-rounding", signed + [hair]
                yield "double-rounding", signed + [-hair]
                yield "double-rounding", [hair] + signed
    for rule, elements in (*below(form, out), *beyond(form, out)):
        for signed in both_signs(elements):
            yield rule, signed


def below(form, out):
    if out.tiny > form.tiny:
        half = out.tiny / 2
        for elements in ([half], [half, form.tiny], [half, -form.tiny], [half / 2],
                         [half, out.tiny], [form.tiny], [half, form.tiny, half, -form.tiny],
                         [out.normal, -half / 2]):
            yield "underflow", elements


def beyond(form, out):
    if out.max < form.max:
        half = math.ldexp(out.half, out.e_max)
        largest = parts(Fraction(out.max), form)
        yield "overflow", largest + [half]
        yield "overflow", largest + [half, -form.tiny]
    if out.e_max < form.e_max:
        yield "overflow", [math.ldexp(1.0, out.e_max + 1)]
        yield "overflow", [math.ldexp(1.0, out.e_max + 2), -math.ldexp(1.5, out.e_max + 1)]
