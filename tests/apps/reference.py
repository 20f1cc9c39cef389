# SPDX-License-Identifier: Apache-2.0
"""Every operator in rational numbers, rounded once: what the program's answers are compared with.

Values are Fractions, or the floats inf, -inf and nan; -0.0 is kept as a float zero.
"""
import functools
import math
import struct
from fractions import Fraction

# Precision and largest exponent of the floating types.
FORMATS = {"f16": (11, 15), "bf16": (8, 127), "f32": (24, 127), "f64": (53, 1023)}


def exact(x):
    return x if isinstance(x, float) and (not math.isfinite(x) or x == 0) else Fraction(x)


def nearest(value, dtype):
    """A number rounded once to a floating type, ties to even, as a Python float."""
    if isinstance(value, float):
        return value
    precision, most = FORMATS[dtype]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, 1 - most) - precision + 1)
    size = round(size / unit) * unit  # Python rounds halves to even
    size = math.inf if size >= Fraction(2) ** (most + 1) else float(size)
    return -size if value < 0 else size


def root(value, dtype):
    """The square root of a Fraction, rounded once: by an integer root with bits to spare."""
    if isinstance(value, float):
        return value
    if value == 0:
        return 0.0
    shift = 2 * (4 * 1100)
    scaled = value * Fraction(2) ** shift
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    # Below the last bit a half stands for what is left over: it is never the tie.
    sticky = Fraction(1, 2) if whole * whole != scaled else 0
    return nearest((whole + sticky) / Fraction(2) ** (shift // 2), dtype)


def is_float(dtype):
    return dtype in FORMATS


def answer_type(op, dtype):
    """The program's type: NumPy's, but f64 of the formats of 16 bits."""
    if dtype in ("f16", "bf16"):
        dtype = "f64"
    if op in ("argmin", "argmax", "count", "count_nonzero"):
        return "i64"
    if op in ("any", "all"):
        return "bool"
    if op in ("min", "max", "minmax", "bit_and", "bit_or", "bit_xor"):
        return dtype
    if is_float(dtype):
        return dtype
    if op in ("mean", "norm2", "var", "std", "logsumexp"):
        return "f64"
    return "u64" if dtype[0] == "u" else "i64"


def total(values):
    """The sum of Fractions and special floats; only negative zeros sum to -0."""
    if any(isinstance(x, float) and math.isnan(x) for x in values):
        return math.nan
    infinite = {x for x in values if isinstance(x, float) and math.isinf(x)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else math.nan
    if values and all(isinstance(x, float) and math.copysign(1, x) < 0 for x in values):
        return -0.0
    return sum((Fraction(x) for x in values), Fraction(0))


def has_nan(values):
    return any(isinstance(x, float) and math.isnan(x) for x in values)


def squares(values):
    return total([abs(x) if isinstance(x, float) else x * x for x in values])


def variance(values, correction):
    n = len(values)
    if any(isinstance(x, float) and not math.isfinite(x) for x in values):
        return math.nan
    plain = [Fraction(x) for x in values]
    moment = n * sum(x * x for x in plain) - sum(plain) ** 2
    if n - correction <= 0:
        return math.nan
    return moment / (n * (n - correction))


def extremum(values, best):
    if has_nan(values):
        return math.nan
    # -0 is less than +0.
    return best(values, key=lambda x: (x, math.copysign(1, x)))


def position(values, best):
    nans = [i for i, x in enumerate(values) if isinstance(x, float) and math.isnan(x)]
    return nans[0] if nans else values.index(best(values))


def answer(op, stored, dtype, correction=0, out=None):
    """The answer of an operator over stored numbers, as a Python int, float or pair."""
    values = [exact(x) for x in stored]
    out = out or answer_type(op, dtype)

    def rounded(x):
        return nearest(x, out) if is_float(out) else int(x)

    if op == "sum":
        return rounded(total(values))
    if op == "mean":
        whole = total(values)
        return rounded(whole if isinstance(whole, float) else whole / len(values))
    if op == "norm1":
        return rounded(total([abs(x) for x in values]))
    if op in ("sumsq", "norm2"):
        whole = squares(values)
        return root(whole, out) if op == "norm2" else rounded(whole)
    if op == "norminf":
        return math.nan if has_nan(values) else rounded(max(abs(x) for x in values))
    if op == "var":
        return rounded(variance(values, correction))
    if op == "std":
        return root(variance(values, correction), out)
    if op == "min":
        return rounded(extremum(values, min))
    if op == "max":
        return rounded(extremum(values, max))
    if op == "minmax":
        return [rounded(extremum(values, min)), rounded(extremum(values, max))]
    if op == "argmin":
        return position(values, min)
    if op == "argmax":
        return position(values, max)
    if op in ("any", "all"):
        return int((any if op == "any" else all)(x != 0 for x in values))
    if op == "count":
        return len(values)
    if op == "count_nonzero":
        return sum(x != 0 for x in values)
    steps = {"bit_and": lambda a, b: a & b, "bit_or": lambda a, b: a | b,
             "bit_xor": lambda a, b: a ^ b}
    return functools.reduce(steps[op], [int(x) for x in stored])


def bits_of(dtype, value):
    """A float of a type as its bits, so that -0 is not 0 and nan is nan."""
    if math.isnan(value):
        return "nan"
    return struct.pack("<d", value)
