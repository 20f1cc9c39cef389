# SPDX-License-Identifier: Apache-2.0
"""The rows that bench/gpu_peers.py measures, fixed before they are measured: names, shapes, bytes,
and the ceiling of a row. A row that bench/gpu_rows.py has too has the same name here."""

from collections import namedtuple

WIDTHS = {"i8": 1, "u8": 1, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}
FLOATS = ("f16", "bf16", "f32", "f64")

OPS = ("sum", "mean", "var", "norm2", "logsumexp", "max", "argmax")
ROW_LENGTHS = (2, 3, 7, 8, 32, 33, 100, 128, 513, 1024, 4096, 16384)
LONG_ROWS = (1 << 20,)  # of sums alone
OTHER_TYPES = ("bf16", "f64")
OTHER_LENGTHS = (32, 1024)  # of rows of other types than f32
COLUMN_COUNTS = {8: ("sum", "var"), 32: OPS, 128: ("sum",), 1024: OPS, 16384: ("sum", "var")}
INTEGERS = ("u8", "i32")
GROUPS = 1 << 20

# Read to written, in bytes, of the plain kernels whose rates are the mixed ceilings.
MIXES = (1, 2, 3, 4, 7, 8, 16, 32, 64)
BROKEN = 1.03  # a share above it: the ceiling was underestimated

# layout: whole, rows (the last of two axes is reduced), columns (the first), three axes (first and
# last), groups (elements by key), transpose. data: normal, or as gpu_peer_torch.Data makes it.
Row = namedtuple("Row", "name op dtype layout shape data", defaults=("normal",))

# Names of whole arrays where bench/gpu_rows.py has other words than the operator's.
WORDS = {"norminf": "largest magnitude", "minmax": "min and max"}


def whole(op, dtype, size, data="normal"):
    ending = "" if data == "normal" else f", {data}"
    return Row(f"{WORDS.get(op, op)} {dtype}{ending}", op, dtype, "whole",
               (size // WIDTHS[dtype],), data)


def rows_of(length, op, dtype, size, data="normal"):
    ending = "" if data == "normal" else f", {data}"
    return Row(f"rows of {length}: {op} {dtype}{ending}", op, dtype, "rows",
               (size // WIDTHS[dtype] // length, length), data)


def columns_of(count, op, dtype, size):
    return Row(f"columns, {count}: {op} {dtype}", op, dtype, "columns",
               (size // WIDTHS[dtype] // count, count))


def all_rows(size=1 << 30):
    """The rows over `size` bytes of input, those that matter most first."""
    for length in ROW_LENGTHS:
        for op in OPS:
            yield rows_of(length, op, "f32", size)
    for op in OPS:
        yield whole(op, "f32", size)
    for count, ops in COLUMN_COUNTS.items():
        for op in ops:
            yield columns_of(count, op, "f32", size)
    for dtype in OTHER_TYPES:
        for length in OTHER_LENGTHS:
            for op in OPS:
                yield rows_of(length, op, dtype, size)
    for dtype in INTEGERS:
        for length in OTHER_LENGTHS:
            yield rows_of(length, "sum", dtype, size)
    yield Row("index_add f32, 2^26 into 2^20", "index_add", "f32", "groups",
              (size // 16, min(GROUPS, size // 1024)))
    # Data on which peers lose digits, for the errors.
    yield rows_of(1024, "sum", "f32", size, "cancelling")
    # Data on which the library is slow: what the usual loops cannot certify is summed again.
    yield rows_of(1024, "sum", "f32", size, "each row's sum is zero")
    yield rows_of(1024, "sum", "bf16", size, "random bits below 2")
    for op in ("sum", "norm2", "var", "dot"):
        yield whole(op, "f64", size, "random bits below 2")
    yield whole("dot", "f32", size, "lognormal")
    yield whole("sum", "bf16", size, "lognormal")
    yield rows_of(1024, "var", "f32", size, "far from zero")
    yield rows_of(1024, "logsumexp", "f32", size, "log-probabilities")
    for op, dtype in (("sum", "f64"), ("sum", "bf16"), ("var", "f64"), ("sum", "f16"),
                      ("sum", "i32"), ("sum", "i8"), ("norm1", "f32"), ("norm1", "f64"),
                      ("norm2", "f64"), ("norminf", "f32"), ("norminf", "f64"), ("dot", "f32"),
                      ("dot", "f64"), ("min", "f32"), ("argmin", "f32"), ("minmax", "f32"),
                      ("count_nonzero", "f32")):
        yield whole(op, dtype, size)
    for length in LONG_ROWS:
        yield rows_of(length, "sum", "f32", size)
    for make in (rows_of, columns_of):
        yield make(32768, "sum", "u8", size)
    yield Row("first and last of 512 x 1024 x 512: sum f32", "sum", "f32", "three axes",
              (512, 1024, size >> 21))
    for dtype, side in (("u8", 32768), ("f16", 32768), ("f32", 16384), ("f64", 16384)):
        yield Row(f"transpose {dtype}", "transpose", dtype, "transpose",
                  (side, size // WIDTHS[dtype] // side))


def answer_type(row):
    if row.op in ("argmax", "argmin", "count_nonzero"):
        return "i64"
    if row.op in ("sum", "norm1") and row.dtype not in FLOATS:
        return "i64"
    return row.dtype


def answers_of(row):
    if row.layout == "whole":
        return 2 if row.op == "minmax" else 1
    if row.layout == "rows":
        return row.shape[0]
    return row.shape[0] * row.shape[1] if row.layout == "transpose" else row.shape[1]


def bytes_of(row):
    """Bytes read and bytes written, each element once. Keys of index_add have eight bytes."""
    items = 1
    for extent in row.shape:
        items *= extent
    if row.layout == "groups":
        items = row.shape[0]
        return items * (WIDTHS[row.dtype] + WIDTHS["i64"]), row.shape[1] * WIDTHS[row.dtype]
    return items * WIDTHS[row.dtype], answers_of(row) * WIDTHS[answer_type(row)]


def lower_hull(points):
    """Of points in rising order, those of the line under all of them that bends upwards alone."""
    hull = []
    for point in points:
        while len(hull) > 1 and turns_down(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def turns_down(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) <= (b[1] - a[1]) * (c[0] - a[0])


def ceiling_of(ceilings, read, written):
    """Bytes a second that a kernel could move at most. The time of a byte is interpolated between
    the measured mixes by the share of the bytes that is written; reading alone is a mix too. A mix
    that is slower than parts of two others, one after the other, is left out."""
    points = [(0.0, 1 / ceilings["read"])]
    points += [(1 / (1 + float(mix)), 1 / rate) for mix, rate in ceilings["mixed"].items()]
    points = lower_hull(sorted(points))
    share = written / (read + written)
    for (low, slow), (high, fast) in zip(points, points[1:]):
        if share <= high:
            return 1 / (slow + (fast - slow) * (share - low) / (high - low))
    return 1 / points[-1][1]
