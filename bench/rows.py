# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark and their goals, fixed before they are measured. No code but lists.

A goal is a share of the row's yardstick:
  ceiling  the fastest reader of this machine, scaled to all bytes that the row must move: elements,
           offsets, answers
  memcpy   the fastest copy of this machine, of the same bytes
  numpy    NumPy in the same run
Rows without a goal are there to be compared with. NumPy is timed for every row whose operation it
has, whatever the yardstick.
"""

import dataclasses

LARGE, MIDDLE, CACHE = 512 << 20, 64 << 20, 256 << 10
SIZES = {"bool": 1, "u8": 1, "i8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2}
SIZES |= {"i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


@dataclasses.dataclass(frozen=True)
class Row:
    section: str
    subject: str  # exact, fast, front (sum(x) itself), eigen, std_reduce
    op: str
    dtype: str
    shape: tuple
    over: str = "all"  # all; the axis that is reduced; segments/<mean length or zipf>
    out: str = ""  # the answers' type where it is not the operator's own
    data: str = "random"
    threads: int = 0  # 0: all
    calls: int = 1
    yardstick: str = "ceiling"
    goal: float | None = None
    least: tuple = ()  # an absolute goal: unit, bound

    @property
    def items(self):
        product = 1
        for extent in self.shape:
            product *= extent
        return product

    @property
    def view_bytes(self):
        """Of the elements of one view."""
        return self.items * SIZES[self.dtype]

    @property
    def name(self):
        of = f"{self.op} {self.dtype}" + (f" to {self.out}" if self.out else "")
        shape = " x ".join(str(extent) for extent in self.shape)
        if self.section == "whole" or self.section == "values":
            where = {"random": "", "normal": ""}.get(self.data, f", {self.data}")
        elif self.section == "small":
            where = f", {self.items} elements" if self.items <= 64 else ", 256 KiB, one core"
        elif self.over.startswith("segments"):
            where = f", segments of {self.over[9:]}"
        elif self.op == "transpose":
            where = f", {shape}"
        else:
            where = f", {shape}, axis {self.over}"
        plain = self.subject == "exact" and self.op in SAME_EITHER_WAY
        prefix = {"front": "exact", "std_reduce": "std::reduce", "eigen": "Eigen"}
        return ("" if plain else prefix.get(self.subject, self.subject) + " ") + of + where


# Operators that have one way of being done.
SAME_EITHER_WAY = {"min", "max", "argmax", "any", "count", "count_nonzero", "logsumexp"}
SAME_EITHER_WAY |= {"transpose"}


def whole(subject, op, goals, data="random"):
    for dtype, goal in goals.items():
        views = 2 if op == "dot" else 1
        shape = (LARGE // SIZES[dtype] // views,)
        yield Row("whole", subject, op, dtype, shape, data=data, goal=goal)


def values(data, dtype, goal):
    return Row("values", "exact", "sum", dtype, (LARGE // SIZES[dtype],), data=data, goal=goal)


def along_axes(subject, dtype, out, goal, layouts):
    for shape, axis in layouts:
        yield Row("axes", subject, "sum", dtype, shape, str(axis), out, goal=goal)


def segments(subject, goals):
    for length, goal in goals.items():
        over = f"segments/{length}"
        yield Row("segments", subject, "sum", "f32", (MIDDLE // 4,), over, goal=goal)


def transposed(dtype, side, goal):
    shape = (side, MIDDLE // SIZES[dtype] // side)
    yardstick = {"yardstick": "memcpy", "goal": goal}
    return Row("transposes", "exact", "transpose", dtype, shape, "-", **yardstick)


def in_cache(subject, dtype, yardstick, goal, least=()):
    shape = (CACHE // SIZES[dtype],)
    against = {"yardstick": yardstick, "goal": goal, "least": least}
    return Row("small", subject, "sum", dtype, shape, threads=1, calls=200, **against)


def a_few(op, dtype, items):
    """A call by name over a span: at most 40 ns and 1.5 ns an element; var 150 and 3."""
    least = ("ns", 150 + 3.0 * items if op == "var" else 40 + 1.5 * items)
    return Row("small", "front", op, dtype, (items,), threads=1, calls=20000, yardstick="",
               least=least)


FLOATS = {"f64": 0.95, "f32": 0.85, "f16": 0.85, "bf16": 0.85}
INTEGERS = {"u8": 0.95, "i16": 0.95, "i32": 0.95, "i64": 0.95, "u64": 0.95}
F32_AXES = [
    ((4096, 4096), 0),
    ((65536, 256), 0),
    ((4096, 4096), 1),
    ((1 << 18, 64), 1),
    ((1 << 22, 4), 1),
    ((256, 256, 256), 1),
    ((4096, 64, 64), 1),
]
U8_AXES = [
    ((8192, 8192), 0),
    ((1 << 18, 256), 0),
    ((8192, 8192), 1),
    ((1 << 20, 64), 1),
    ((256, 1024, 256), 1),
]

ROWS = [
    *whole("exact", "sum", FLOATS | INTEGERS),
    *whole("exact", "mean", {"f64": 0.95, "f32": 0.85, "u8": 0.95, "i64": 0.95}),
    *whole("exact", "dot", {"f64": 0.7, "f32": 0.9}),
    *whole("exact", "norm2", {"f64": 0.7, "f32": 0.7, "f16": 0.7, "u8": 0.7, "i64": 0.7}),
    *whole("exact", "var", {"f64": 0.6, "f32": 0.6, "f16": 0.6, "u8": 0.6, "i64": 0.6}),
    *whole("exact", "std", {"f64": 0.6, "f32": 0.6}),
    *whole("fast", "sum", dict.fromkeys(["f64", "f32", "f16", "bf16", "u8", "i64"], 0.95)),
    *whole("fast", "mean", dict.fromkeys(["f64", "f32"], 0.95)),
    *whole("fast", "dot", dict.fromkeys(["f64", "f32"], 0.95)),
    *whole("fast", "norm2", dict.fromkeys(["f64", "f32"], 0.95)),
    *whole("fast", "var", dict.fromkeys(["f64", "f32"], 0.95)),
    *whole("exact", "min", dict.fromkeys(["f64", "f32", "f16", "u8", "i64"], 0.95)),
    *whole("exact", "max", dict.fromkeys(["f32", "u8"], 0.95)),
    *whole("exact", "argmax", dict.fromkeys(["f64", "f32", "f16", "u8", "i64"], 0.95)),
    *whole("exact", "any", dict.fromkeys(["bool", "f32"], 0.95), data="zeros"),
    *whole("exact", "count", dict.fromkeys(["f64", "f32"], 0.95)),
    *whole("exact", "count_nonzero", dict.fromkeys(["f32", "u8"], 0.95)),
    *whole("exact", "logsumexp", dict.fromkeys(["f64", "f32", "u8"], 0.3)),
    *whole("eigen", "sum", {"f64": None}),
    *whole("std_reduce", "sum", {"f64": None, "f32": None}),
    values("lognormal10", "f64", 0.5),
    values("bits", "f64", 0.25),
    values("bits", "f32", 0.25),
    *along_axes("exact", "f32", "", 0.7, F32_AXES),
    *along_axes("fast", "f32", "", 0.85, F32_AXES),
    *along_axes("exact", "u8", "f32", 0.7, U8_AXES),
    *along_axes("fast", "u8", "f32", 0.85, U8_AXES),
    *segments("exact", {1: 0.4, 4: 0.5, 16: 0.6, 64: 0.7, 1024: 0.8, "zipf": 0.7}),
    *segments("fast", {1: 0.6, 4: 0.7, 16: 0.8, 64: 0.85, 1024: 0.9, "zipf": 0.85}),
    transposed("u8", 8192, 0.7),
    transposed("u8", 1000, 0.7),
    transposed("f16", 4096, None),
    transposed("f32", 4096, None),
    transposed("f64", 2048, None),
    in_cache("exact", "f64", "numpy", 0.6, ("GB/s", 20.0)),
    in_cache("exact", "f32", "numpy", None),
    in_cache("fast", "f64", "ceiling", 0.9),
    *[a_few(op, dtype, n) for op in ("sum", "norm2", "min", "var") for dtype in ("f64", "f32")
      for n in (8, 64)],
]

SECTIONS = {
    "whole": "512 MiB, all cores",
    "values": "512 MiB of other values, all cores",
    "axes": "Along an axis, 64 MiB, all cores",
    "segments": "Segments by their mean length, 64 MiB of f32, all cores",
    "transposes": "Transposes, 64 MiB, all cores",
    "small": "In cache, one core",
    "text": "Text",
    "file": "Files",
}
