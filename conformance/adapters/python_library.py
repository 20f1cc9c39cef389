#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python's own library: math.fsum, math.hypot, math.sumprod (3.12), statistics.

All of them answer in binary64 only; integers go to `statistics`, which is exact for them.
"""
import math
import platform
import statistics

from protocol import Unsupported, serve

FLOATS = ("f64", "f32", "f16", "bf16")


def answer(asked):
    if asked.output != "f64":
        raise Unsupported
    if asked.op == "mean":
        return float(statistics.mean(asked.x))
    if asked.op == "var":
        return float(statistics.pvariance(asked.x))
    if asked.op == "std":
        return float(statistics.pstdev(asked.x))
    if asked.input not in FLOATS:
        raise Unsupported
    if asked.op == "sum":
        return math.fsum(asked.x)
    if asked.op == "norm2":
        return math.hypot(*asked.x)
    if asked.op == "dot" and hasattr(math, "sumprod"):
        return math.sumprod(asked.x, asked.y)
    raise Unsupported


if __name__ == "__main__":
    serve(f"math and statistics of Python {platform.python_version()}", answer)
