# SPDX-License-Identifier: Apache-2.0
"""Elements of integer types, for every operator. bool counts as 0 and 1."""
import random

from oracle import INTEGERS


def widened(kind):
    return "u64" if kind[0] == "u" else "i64"


def elements_of(kind):
    """Yields (rule, elements) that every operator takes."""
    low, high = INTEGERS[kind]
    yield "empty", []
    for x in {low, high, 1}:
        yield "single", [x]
    for elements in ([(high, 2)], [(high, 3), (low, 3)], [(high, 1000)], [high, low, 1], [0, 0],
                     [(1, 65537)], [(1, 3), (0, 4)], [(high, 70001)]):
        yield "wide", elements
    bits = random.Random("integers " + kind).getrandbits
    for count in (2, 3, 7, 16, 17, 33, 65):
        yield "random", [low + bits(64) % (high - low + 1) for _ in range(count)]
    if high > 1:
        yield "tie", [high, high - 1]
        yield "tie", [high, high - 1, high - 1, high]
    if high >= 2**53:
        for elements in ([2**53, 1], [2**53 + 1, 0], [2**53, 3], [2**53, 1, 1], [2**60, 2**7],
                         [2**60 + 2**8, 2**7], [2**60, 2**7, 1], [2**60, 2**7 - 1]):
            yield "tie", elements


def overflows(kind):
    """Yields (output, elements): sums at and beyond the ends of integer outputs."""
    low, high = INTEGERS[kind]
    wide = widened(kind)
    for output in {wide, kind} - {"bool"}:
        least, most = INTEGERS[output]
        if output == kind:
            yield output, [most, 1]
            yield output, [most, 1, most, 1]
            yield output, [most, 0]
            if least < 0:
                yield output, [least, -1]
                yield output, [most, 1, -1]
                yield output, [least, -1, 1]
                yield output, [least, 0]
    if kind == "i64":
        yield "u64", [-1]
        yield "u64", [high, high, 1]
        yield "u64", [high, high, 1, 1]
    if kind == "u64":
        yield "i64", [2**63 - 1, 1]
        yield "i64", [2**63 - 1, 0]
    if low == 0:
        yield "i8", [(1, 127)]
        yield "i8", [(1, 128)]


def products(kind):
    """Yields (rule, output, x, y)."""
    low, high = INTEGERS[kind]
    wide = widened(kind)
    yield "empty", wide, [], []
    bits = random.Random("products " + kind).getrandbits
    for count in (1, 2, 3, 8, 17, 65):
        x, y = ([low + bits(64) % (high - low + 1) for _ in range(count)] for _ in range(2))
        yield "random", "f64", x, y
        if high < 2**31:
            yield "random", wide, x, y
    yield "wide", "f64", [(high, 3), (low, 3)], [(low, 3), (high, 3)]
    yield "wide", "f64", [(high, 70001)], [(high, 70001)]
    if high >= 2**63 - 1:
        yield "integer-overflow", wide, [high], [2]
        yield "integer-overflow", wide, [high, high], [high, high]
        yield "integer-overflow", wide, [2**32, 2**32], [2**32, 1]
        yield "single", wide, [high], [1]
    if kind == "i64":
        yield "wide", wide, [high, high, 7], [high, -high, 1]
        yield "wide", wide, [low, low, low], [high, -high, 1]
        yield "wide", wide, [low, low], [low, low + 1]
        yield "integer-overflow", wide, [low], [-1]
