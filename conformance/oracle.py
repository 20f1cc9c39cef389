# SPDX-License-Identifier: Apache-2.0
"""Expected answers, by exact rational arithmetic (fractions.Fraction, math.isqrt) and nothing else.

Elements are Python floats (every value of every format here is one, the special ones included) or,
for integer types, Python ints. A case is a list of runs (value, count). Answers are text, as the
vectors hold them.
"""
import math
from fractions import Fraction


class Format:
    """A binary floating format: precision, least and largest exponent of its normal numbers."""

    def __init__(self, precision, e_max):
        self.precision, self.e_max, self.e_min = precision, e_max, 1 - e_max
        self.lsb = self.e_min - precision + 1
        self.tiny = math.ldexp(1.0, self.lsb)
        self.normal = math.ldexp(1.0, self.e_min)
        self.unit = math.ldexp(1.0, 1 - precision)  # from 1 to the next number
        self.half = self.unit / 2
        self.max = math.ldexp(2.0 - self.unit, e_max)

    def nearest(self, number):
        """The rational, rounded once: to nearest, ties to even, infinite beyond the range."""
        if number == 0:
            return 0.0
        size = abs(number)
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        if size < Fraction(2) ** exponent:
            exponent -= 1
        last = Fraction(2) ** (max(exponent, self.e_min) - self.precision + 1)
        rounded = round(size / last) * last  # Fraction rounds half to even
        if rounded >= Fraction(2) ** (self.e_max + 1):
            rounded = math.inf
        return -float(rounded) if number < 0 else float(rounded)


FORMATS = {"f64": Format(53, 1023), "f32": Format(24, 127),
           "f16": Format(11, 15), "bf16": Format(8, 127)}
INTEGERS = {"bool": (0, 1)}
for _bits in (8, 16, 32, 64):
    INTEGERS[f"i{_bits}"] = (-(2 ** (_bits - 1)), 2 ** (_bits - 1) - 1)
    INTEGERS[f"u{_bits}"] = (0, 2**_bits - 1)

# Below half of the last bit of every format, and with it below every rounding boundary of a root.
ROOT_BITS = 1200


def hexadecimal(value):
    """C99's form of a double: one digit before the point, no zeros after the last one."""
    if math.isnan(value):
        return "nan"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isinf(value):
        return sign + "inf"
    if value == 0:
        return sign + "0x0p+0"
    fraction, exponent = math.frexp(abs(value))
    digits = f"{int(math.ldexp(fraction, 53)) - 2**52:013x}".rstrip("0")
    return f"{sign}0x1{'.' if digits else ''}{digits}p{exponent - 1:+d}"


def is_minus_zero(value):
    return value == 0 and math.copysign(1.0, value) < 0


def root(number):
    """The square root of a rational, as a rational on the same side of every midpoint."""
    scaled = number * 4**ROOT_BITS
    floor = math.isqrt(scaled.numerator // scaled.denominator)
    inexact = floor * floor != scaled
    return Fraction(2 * floor + inexact, 2 ** (ROOT_BITS + 1))


def special(terms):
    """The sum of terms of which some are no numbers; None if all are."""
    terms = [term for term in terms if not math.isfinite(term)]
    if not terms:
        return None
    same = all(term == terms[0] for term in terms)  # a NaN differs from itself
    return terms[0] if same else math.nan


# A term is (its sign, its exact value, its count), or (inf or nan, None, its count).


def sum_terms(x):
    return [(math.copysign(1.0, a), Fraction(a), count) if math.isfinite(a) else (a, None, count)
            for a, count in x]


def product_terms(x, y):
    for (a, count), (b, _) in zip(x, y):
        if math.isfinite(a) and math.isfinite(b):
            kind = math.copysign(1.0, a) * math.copysign(1.0, b)
            yield (kind, Fraction(a) * Fraction(b), count)
        else:
            yield (a * b, None, count)


def written(number, output):
    return hexadecimal(FORMATS[output].nearest(number))


def totals(terms, output, divisor):
    """The answer of a sum of terms, divided by `divisor`."""
    odd = special([kind for kind, value, _ in terms if value is None])
    if odd is not None:
        return hexadecimal(odd)
    if terms and all(value == 0 and kind < 0 for kind, value, _ in terms):
        return hexadecimal(-0.0)
    return written(sum((value * count for _, value, count in terms), Fraction(0)) / divisor, output)


def spread(x):
    """The variance (divided by n) of finite runs."""
    n = sum(count for _, count in x)
    first = sum((Fraction(a) * count for a, count in x), Fraction(0))
    second = sum((Fraction(a) ** 2 * count for a, count in x), Fraction(0))
    return (n * second - first * first) / (n * n)


def integer_answer(number, output):
    low, high = INTEGERS[output]
    return str(number) if low <= number <= high else "overflow"


def norm_answer(x, output):
    odd = special([abs(a) for a, _ in x])
    if odd is not None:
        return hexadecimal(odd)
    return written(root(sum((Fraction(a) ** 2 * count for a, count in x), Fraction(0))), output)


def answer(op, output, x, y=()):
    """What the operator says of the runs x (and y, of the same counts)."""
    n = sum(count for _, count in x)
    if output in INTEGERS:
        terms = sum_terms(x) if op == "sum" else product_terms(x, y)
        return integer_answer(int(sum(value * count for _, value, count in terms)), output)
    if op == "sum":
        return totals(sum_terms(x), output, 1)
    if op == "dot":
        return totals(list(product_terms(x, y)), output, 1)
    if op == "norm2":
        return norm_answer(x, output)
    if n == 0:
        return "nan"
    if op == "mean":
        return totals(sum_terms(x), output, n)
    if not all(math.isfinite(a) for a, _ in x):
        return "nan"
    return written(root(spread(x)) if op == "std" else spread(x), output)
