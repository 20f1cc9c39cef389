# SPDX-License-Identifier: Apache-2.0
"""The right answers by docs/specification.md, from fractions.Fraction and integer square roots.

Elements are Python's ints, bools and floats; every value of every format is one of these. The
code shares nothing with the library. `answer` returns an int, a bool or a float of the output's
format, or for bounded operators the least and the largest admissible float.
"""
from __future__ import annotations

import decimal
import math
from fractions import Fraction

# Precision and the largest exponent.
FLOATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}
INTEGERS = {f"{sign}int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if not sign else
            (0, 2**bits - 1) for bits in (8, 16, 32, 64) for sign in ("", "u")}
DTYPES = ("bool", *INTEGERS, *FLOATS)

SUMS = ("sum", "norm1", "sumsq", "dot")
MEANS = ("mean", "norm2", "var", "std", "logsumexp")
BITS = ("bit_and", "bit_or", "bit_xor")
COUNTS = ("argmin", "argmax", "count", "count_nonzero")


class Empty(Exception):
    """The operator has no value for nothing."""


class Overflow(Exception):
    """The exact integer does not fit the output."""


class FoundNan(Exception):
    """A NaN under the policy "error"."""


def default_output(op: str, dtype: str) -> str:
    """The type of an answer where none is asked for."""
    if op in COUNTS:
        return "int64"
    if op in ("any", "all"):
        return "bool"
    if op in ("min", "max", "minmax", *BITS) or dtype in FLOATS:
        return dtype
    if op in MEANS:
        return "float64"
    return "uint64" if dtype.startswith("u") else "int64"


def nearest(number: Fraction | int, dtype: str) -> float:
    """The rational, rounded once: to nearest, ties to even, infinite beyond the range."""
    number = Fraction(number)
    if number == 0:
        return 0.0
    precision, e_max = FLOATS[dtype]
    numerator, denominator = abs(number.numerator), number.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    if Fraction(numerator, denominator) < Fraction(2) ** exponent:
        exponent -= 1
    last = max(exponent, 1 - e_max) - precision + 1
    scaled = Fraction(numerator << max(-last, 0), denominator << max(last, 0))
    whole = round(scaled)  # half to even
    if whole.bit_length() + last > e_max + 1:
        size = math.inf
    else:
        size = math.ldexp(whole, last)
    return -size if number < 0 else size


def root(number: Fraction) -> Fraction:
    """A rational on the same side of every rounding boundary as the square root."""
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    shift = max(0, (160 - exponent) // 2)
    scaled = number * 4**shift
    floor = math.isqrt(scaled.numerator // scaled.denominator)
    return Fraction(2 * floor + (floor * floor != scaled), 2 ** (shift + 1))


def is_nan(value) -> bool:
    return isinstance(value, float) and math.isnan(value)


def is_minus_zero(value) -> bool:
    return isinstance(value, float) and value == 0 and math.copysign(1.0, value) < 0


def finite(value) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def size(value):
    return abs(int(value)) if isinstance(value, bool) else abs(value)


def product(a, b):
    """A term of a dot product: exact, with the sign of a zero."""
    if not (finite(a) and finite(b)):
        return float(a) * float(b)
    exact = Fraction(a) * Fraction(b)
    if exact == 0 and (isinstance(a, float) or isinstance(b, float)):
        return math.copysign(1.0, a) * math.copysign(1.0, b) * 0.0
    return exact


def rounded(number, output: str):
    """An exact value in the output's type."""
    if output in FLOATS:
        return nearest(number, output)
    low, high = (0, 1) if output == "bool" else INTEGERS[output]
    if not low <= number <= high:
        raise Overflow
    return int(number)


def total(terms, output: str, divisor=1):
    """The sum of terms, divided, rounded once."""
    odd = [term for term in terms if not finite(term)]
    if odd:
        return odd[0] if all(term == odd[0] for term in odd) else math.nan
    if terms and all(is_minus_zero(term) for term in terms):
        return -0.0
    if output == "bool":
        raise Overflow
    return rounded(sum(map(Fraction, terms), Fraction(0)) / divisor, output)


def variance(x, correction) -> Fraction | None:
    n, divisor = len(x), len(x) - Fraction(correction)
    if n == 0 or divisor <= 0 or not all(map(finite, x)):
        return None
    values = list(map(Fraction, x))
    mean = sum(values) / n
    return sum((value - mean) ** 2 for value in values) / divisor


def extremum(x, largest: bool):
    """The least or largest value; -0 is less than +0, a NaN is the answer."""
    nans = [value for value in x if is_nan(value)]
    if nans:
        return math.nan
    order = [(value, not is_minus_zero(value)) for value in x]
    best = (max if largest else min)(order)
    return x[order.index(best)]


def position(x, largest: bool) -> int:
    for index, value in enumerate(x):
        if is_nan(value):
            return index
    return x.index((max if largest else min)(x))


def integer_product(x, output: str):
    exact = math.prod(map(int, x))
    if abs(exact) >= 2**64:
        raise Overflow
    return rounded(exact, output)


def float_product(x, output: str) -> tuple[float, float]:
    """The least and the largest answer within the documented bound."""
    if not x:
        return 1.0, 1.0
    if any(map(is_nan, x)) or (0.0 in x and not all(map(finite, x))):
        return math.nan, math.nan
    sign = math.prod(math.copysign(1.0, value) for value in x)
    if 0.0 in x or not all(map(finite, x)):
        value = sign * (0.0 if 0.0 in x else math.inf)
        return value, value
    exact = math.prod(map(Fraction, x))
    error = Fraction(202 * len(x), 100 * 2**106)
    ends = [nearest(exact * (1 - error), output), nearest(exact * (1 + error), output)]
    return min(ends), max(ends)


def log_sum(x, output: str, dtype: str) -> tuple[float, float]:
    """The least and the largest answer within the documented bound."""
    x = [nearest(value, "float64") if finite(value) else value for value in x]
    if any(map(is_nan, x)):
        return math.nan, math.nan
    if math.inf in x:
        return math.inf, math.inf
    x = [value for value in x if value != -math.inf]
    if not x:
        return -math.inf, -math.inf
    with decimal.localcontext(decimal.Context(prec=80, Emin=-10**8, Emax=10**8)):
        most = decimal.Decimal(max(x))
        value = most + sum((decimal.Decimal(one) - most).exp() for one in x).ln()
    exact = Fraction(value)
    narrow = dtype in ("float16", "bfloat16", "float32")
    within = Fraction(2**-30.9 if narrow else 2**-51.8)
    within += abs(exact) / 2**100
    return nearest(exact - within, output), nearest(exact + within, output)


def bitwise(op: str, x, dtype: str) -> int:
    low, high = (0, 1) if dtype == "bool" else INTEGERS[dtype]
    answer = (high if low == 0 else -1) if op == "bit_and" else 0
    for value in x:
        if op == "bit_and":
            answer &= int(value)
        else:
            answer = answer | int(value) if op == "bit_or" else answer ^ int(value)
    return answer


def answer(op: str, x: list, dtype: str, output: str, *, y=None, correction=0, nan="propagate",
           initial=None):
    """What the operator says of the elements x (of type dtype), in the output's type.

    prod and logsumexp of floats give two floats: the least and the largest admissible answer.
    """
    if initial is not None:
        x = [*x, initial]
    where_from = list(range(len(x)))
    if nan == "error" and (any(map(is_nan, x)) or any(map(is_nan, y or []))):
        raise FoundNan
    if nan == "omit":
        keep = [i for i in where_from if not is_nan(x[i]) and not (y and is_nan(y[i]))]
        x, where_from = [x[i] for i in keep], keep
        y = None if y is None else [y[i] for i in keep]
    return _answer(op, x, dtype, output, y, correction, where_from)


def _answer(op, x, dtype, output, y, correction, where_from):
    if op == "sum":
        return total(x, output)
    if op == "norm1":
        return total([size(value) for value in x], output)
    if op == "sumsq":
        return total([product(value, value) for value in x], output)
    if op == "dot":
        return total([product(a, b) for a, b in zip(x, y)], output)
    if op == "mean":
        return total(x, output, len(x)) if x else math.nan
    if op in ("var", "std"):
        exact = variance(x, correction)
        if exact is None:
            return math.nan
        return nearest(root(exact) if op == "std" else exact, output)
    if op == "norm2":
        squares = [product(value, value) for value in x]
        if not all(map(finite, squares)):
            return total(squares, output)
        return nearest(root(sum(map(Fraction, squares), Fraction(0))), output)
    if op == "norminf":
        if any(map(is_nan, x)):
            return math.nan
        largest = max(map(size, x), default=0)
        return rounded(largest, output) if finite(largest) else largest
    if op in ("min", "max"):
        if not x:
            raise Empty
        best = extremum(x, op == "max")
        kept = is_minus_zero(best) or not finite(best)
        return best if kept else rounded(int(best) if isinstance(best, bool) else best, output)
    if op in ("argmin", "argmax"):
        if not x:
            raise Empty
        return rounded(where_from[position(x, op == "argmax")], output)
    if op in ("any", "all"):
        return bool((any if op == "any" else all)(value != 0 for value in x))
    if op == "count":
        return rounded(len(x), output)
    if op == "count_nonzero":
        return rounded(sum(value != 0 for value in x), output)
    if op in BITS:
        return rounded(bitwise(op, x, dtype), output)
    if op == "prod":
        return float_product(x, output) if dtype in FLOATS else integer_product(x, output)
    assert op == "logsumexp", op
    return log_sum(x, output, dtype)
