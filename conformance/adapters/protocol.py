# SPDX-License-Identifier: Apache-2.0
"""The adapter's side of the judge's protocol, for adapters in Python. conformance/README.md."""
import math
import sys

SKIPPED = 77  # the exit code of an adapter whose library is not here


class Unsupported(Exception):
    """The library has no such operator, element type or output type."""


def element(word):
    if word in ("nan", "inf", "-inf"):
        return float(word)
    return float.fromhex(word) if "x" in word else int(word)


class Question:
    """One vector without its answer."""

    def __init__(self, line):
        self.op, self.input, self.output, self.rule, _, _, n, *words = line.split()
        elements = []
        for word in words:
            value, _, count = word.partition("*")
            elements += [element(value)] * int(count or 1)
        self.x, self.y = elements[:int(n)], elements[int(n):]


def written(value):
    """A Python int or float as an answer. A float is a number of the output's format already."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value) or math.isinf(value):
        return str(float(value))
    return float(value).hex()


def said(answer, question):
    try:
        return written(answer(question))
    except Unsupported:
        return "unsupported"
    except Exception as why:  # whatever a library raises is its refusal
        return "error " + " ".join(f"{type(why).__name__}: {why}".split())


def missing(why):
    print(why, file=sys.stderr)
    sys.exit(SKIPPED)


def serve(version, answer):
    """`--version` prints the name and version; else a line in, a line out, until the end."""
    if sys.argv[1:] == ["--version"]:
        print(version)
        return
    for line in sys.stdin:
        print(said(answer, Question(line)))
