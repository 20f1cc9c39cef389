# SPDX-License-Identifier: Apache-2.0
"""What NumPy, CuPy and PyTorch have in common: an array module asked as its users ask it.

Sums go to the wider of the input's and the output's type, as `dtype=` is used, and are converted
to a narrower output at the end. Dot products of integers are taken in the output's type.
"""
from protocol import Unsupported

FLOATS = ("f16", "bf16", "f32", "f64")


def is_float(name):
    return name in FLOATS


class Arrays:
    """Filled in by an adapter: `types` (our name -> its dtype) and the operators below."""

    types = {}

    def array(self, values, kind):
        raise NotImplementedError

    def cast(self, array, kind):
        raise NotImplementedError

    def reduce(self, op, arrays, kind):
        """The scalar in type `kind`, reduced by the library's own operator."""
        raise NotImplementedError

    def python(self, scalar):
        raise NotImplementedError

    def answer(self, asked):
        for kind in (asked.input, asked.output):
            if kind not in self.types:
                raise Unsupported
        arrays = [self.array(asked.x, asked.input)]
        if asked.op == "dot":
            arrays.append(self.array(asked.y, asked.input))
        return self.python(self.cast(self.reduce(asked.op, arrays, working(asked)), asked.output))


def working(asked):
    """The type that the reduction is asked to work in."""
    if not is_float(asked.input):
        wide = "u64" if asked.input[0] == "u" else "i64"
        return asked.output if is_float(asked.output) or asked.op == "dot" else wide
    if {asked.input, asked.output} == {"f16", "bf16"}:
        return asked.input
    return max(asked.input, asked.output, key=FLOATS.index)
