# SPDX-License-Identifier: Apache-2.0
"""The rows that the engine is set against other libraries in, and their goals; fixed before they
are measured. bench/gpu_peers.cu measures them with peers in C++, bench/gpu_peers_eager.py and
bench/gpu_peers.py with peers in Python. A goal is a share of the ceiling, or for small sums a share
of CUB's time."""

from collections import namedtuple

Row = namedtuple("Row", "name section goal small", defaults=(False,))

EXACT_SUM, NORM, SELECTION = 0.97, 0.93, 0.97
VAR = {"f32": 0.93, "f64": 0.86}
ROW_LENGTHS = (2, 8, 32, 128, 1024, 16384, 1 << 20)
OPERATOR_ROW_LENGTHS = (32, 1024)  # of other operators than sums
COLUMN_COUNTS = (8, 32, 128, 1024, 16384)
KEY_RUNS = (16, 256)
TRANSPOSES = {"u8": 0.95, "f16": 0.96, "f32": 0.97, "f64": 0.97}
SIZES = [f"{1 << k} KiB" for k in range(0, 10, 2)] + [f"{1 << k} MiB" for k in range(0, 7, 2)]


def small_goal(size):
    """A share of CUB's time; None: nothing was promised."""
    count, unit = size.split()
    kib = int(count) * (1024 if unit == "MiB" else 1)
    return 1.5 if 64 <= kib <= 1024 else 1.0 if kib >= 16384 else None


def all_rows():
    for dtype in ("f32", "f64", "f16", "bf16", "i32", "i8"):
        yield Row(f"sum {dtype}", "whole", EXACT_SUM)
    for dtype in ("f32", "f64"):
        yield Row(f"norm1 {dtype}", "whole", EXACT_SUM)
        yield Row(f"norm2 {dtype}", "whole", NORM)
        yield Row(f"dot {dtype}", "whole", EXACT_SUM)
        yield Row(f"var {dtype}", "whole", VAR[dtype])
        yield Row(f"largest magnitude {dtype}", "whole", SELECTION)
    for name in ("min", "argmin", "argmax", "min and max", "count_nonzero"):
        yield Row(f"{name} f32", "whole", SELECTION)
    yield Row("logsumexp f32", "whole", 0.93)
    for length in ROW_LENGTHS:
        yield Row(f"rows of {length}: sum f32", "rows", 0.9)
    for count in COLUMN_COUNTS:
        yield Row(f"columns, {count}: sum f32", "rows", 0.92)
    yield Row("rows of 32768: sum u8", "rows", 0.9)
    yield Row("columns, 32768: sum u8", "rows", 0.85)
    yield Row("first and last of 512 x 1024 x 512: sum f32", "shapes", 0.85)
    for length in OPERATOR_ROW_LENGTHS:
        for name in ("var", "argmax", "logsumexp"):
            yield Row(f"rows of {length}: {name} f32", "shapes", 0.9)
    for run in KEY_RUNS:
        yield Row(f"ascending keys, runs of {run}: sum f32", "shapes", 0.7)
    for dtype, goal in TRANSPOSES.items():
        yield Row(f"transpose {dtype}", "transposes", goal)
    for size in SIZES:
        yield Row(f"small sum, {size}", "small", small_goal(size), True)
    for size in SIZES[:5]:
        for name in ("dot", "norm2", "var", "max", "logsumexp"):
            yield Row(f"small {name}, {size}", "small", None, True)


ROWS = tuple(all_rows())
