#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch and CuPy on the rows of bench/gpu_rows.py: JSON lines with the name of the row.

    bench/gpu_peers_eager.py [--log2 30]

Times are the medians of 21 calls by events of the library's own stream, after 3 that are not
counted; what a call allocates comes from the library's cache. A row that takes too long is
measured fewer times, and says how often. What is not installed is skipped, with a sentence."""

import argparse
import json
import math
import statistics
import sys

from gpu_rows import COLUMN_COUNTS, OPERATOR_ROW_LENGTHS, ROW_LENGTHS

CALLS, WARM_UPS, MOST_MS = 21, 3, 2000
WIDTHS = {"i8": 1, "u8": 1, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "f64": 8}


def tell(**row):
    print(json.dumps(row), flush=True)


def quartiles(values):
    ordered = sorted(values)
    last = len(ordered) - 1
    return [ordered[len(ordered) // 4], statistics.median(ordered), ordered[last - last // 4]]


def measure(clock, call):
    """Microseconds of each call that counts."""
    first = clock(call)
    calls = max(3, min(CALLS, int(MOST_MS / max(first, 1e-3))))
    for _ in range(WARM_UPS - 1 if calls == CALLS else 0):
        clock(call)
    return [1e3 * clock(call) for _ in range(calls)]


class Torch:
    """PyTorch."""

    name = "PyTorch"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no GPU")
        self.lib, self.version = torch, torch.__version__
        self.kinds = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
                      "bf16": torch.bfloat16, "i32": torch.int32, "i8": torch.int8,
                      "u8": torch.uint8}

    def clock(self, call):
        begin, end = (self.lib.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def array(self, dtype, shape):
        kind = self.kinds[dtype]
        if kind.is_floating_point:
            return self.lib.randn(shape, dtype=self.lib.float32, device="cuda").to(kind)
        return self.lib.randint(0, 100, shape, dtype=kind, device="cuda")

    def whole(self):
        """(row, type, call of x) for whole arrays."""
        torch = self.lib
        for dtype in ("f32", "f64", "f16", "bf16", "i32", "i8"):
            yield f"sum {dtype}", dtype, torch.sum
        for dtype in ("f32", "f64"):
            yield f"norm1 {dtype}", dtype, lambda x: torch.linalg.vector_norm(x, 1)
            yield f"norm2 {dtype}", dtype, torch.linalg.vector_norm
            yield f"var {dtype}", dtype, lambda x: torch.var(x, correction=0)
            yield f"largest magnitude {dtype}", dtype, lambda x: torch.linalg.vector_norm(
                x, math.inf)
        yield "min f32", "f32", torch.min
        yield "argmin f32", "f32", torch.argmin
        yield "argmax f32", "f32", torch.argmax
        yield "min and max f32", "f32", torch.aminmax
        yield "count_nonzero f32", "f32", torch.count_nonzero
        yield "logsumexp f32", "f32", lambda x: torch.logsumexp(x, 0)

    def dot(self, x, y):
        return self.lib.dot(x, y)

    def sum_over(self, x, axis):
        out = self.lib.int64 if x.dtype == self.lib.uint8 else None
        return self.lib.sum(x, axis, dtype=out)

    def of_rows(self):
        """(operator, bytes of an answer, call of x) for the other operators of rows."""
        torch = self.lib
        yield "var", 4, lambda x: torch.var(x, 1, correction=0)
        yield "argmax", 8, lambda x: torch.argmax(x, 1)
        yield "logsumexp", 4, lambda x: torch.logsumexp(x, 1)

    def transpose(self, x, out):
        out.copy_(x.T)


class CuPy:
    """CuPy; it has no bf16."""

    name = "CuPy"

    def __init__(self):
        import cupy

        if cupy.cuda.runtime.getDeviceCount() < 1:
            raise RuntimeError("CuPy sees no GPU")
        self.lib, self.version = cupy, cupy.__version__
        self.kinds = {"f64": "f8", "f32": "f4", "f16": "f2", "i32": "i4", "i8": "i1", "u8": "u1"}

    def clock(self, call):
        begin, end = self.lib.cuda.Event(), self.lib.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        return self.lib.cuda.get_elapsed_time(begin, end)

    def array(self, dtype, shape):
        if dtype.startswith("f"):
            return self.lib.random.standard_normal(shape, "f4").astype(self.kinds[dtype])
        return self.lib.random.randint(0, 100, shape).astype(self.kinds[dtype])

    def whole(self):
        cupy = self.lib
        for dtype in ("f32", "f64", "f16", "i32", "i8"):
            yield f"sum {dtype}", dtype, cupy.sum
        for dtype in ("f32", "f64"):
            yield f"norm1 {dtype}", dtype, lambda x: cupy.linalg.norm(x, 1)
            yield f"norm2 {dtype}", dtype, cupy.linalg.norm
            yield f"var {dtype}", dtype, cupy.var
        yield "min f32", "f32", cupy.min
        yield "argmin f32", "f32", cupy.argmin
        yield "argmax f32", "f32", cupy.argmax
        yield "count_nonzero f32", "f32", cupy.count_nonzero

    def dot(self, x, y):
        return self.lib.dot(x, y)

    def sum_over(self, x, axis):
        return self.lib.sum(x, axis, dtype="i8" if x.dtype == "u1" else None)

    def of_rows(self):
        yield "var", 4, lambda x: self.lib.var(x, 1)
        yield "argmax", 8, lambda x: self.lib.argmax(x, 1)

    def transpose(self, x, out):
        out[...] = x.T


def rows_of(lib, size):
    """(row, bytes read and written, type, shape, call of x), biggest array first of each type."""
    for name, dtype, call in lib.whole():
        yield name, size, dtype, (size // WIDTHS[dtype],), call
    for dtype in ("f32", "f64"):
        half = size // 2 // WIDTHS[dtype]  # of one array, which is two
        yield (f"dot {dtype}", size, dtype, (2 * half,),
               lambda x, half=half: lib.dot(x[:half], x[half:]))
    items = size // 4
    for length in ROW_LENGTHS:
        rows = items // length
        yield (f"rows of {length}: sum f32", size + 4 * rows, "f32", (rows, length),
               lambda x: lib.sum_over(x, 1))
    for count in COLUMN_COUNTS:
        yield (f"columns, {count}: sum f32", size + 4 * count, "f32", (items // count, count),
               lambda x: lib.sum_over(x, 0))
    yield ("first and last of 512 x 1024 x 512: sum f32", size + 4096, "f32",
           (512, 1024, items >> 19), lambda x: lib.sum_over(x, (0, 2)))
    for length in OPERATOR_ROW_LENGTHS:
        for name, width, call in lib.of_rows():
            rows = items // length
            yield (f"rows of {length}: {name} f32", size + width * rows, "f32", (rows, length),
                   call)
    side = 32768
    other = size // side
    yield ("rows of 32768: sum u8", size + 8 * other, "u8", (other, side),
           lambda x: lib.sum_over(x, 1))
    yield ("columns, 32768: sum u8", size + 8 * side, "u8", (other, side),
           lambda x: lib.sum_over(x, 0))


def transposes_of(size):
    for dtype, rows in (("u8", 32768), ("f16", 32768), ("f32", 16384), ("f64", 16384)):
        yield f"transpose {dtype}", dtype, (rows, size // WIDTHS[dtype] // rows)


def told(lib, name, size, us):
    low, median, high = quartiles(us)
    tell(row=name, peer=lib.name, bytes=size, us=round(median, 3),
         quartiles_us=[round(low, 3), round(high, 3)], calls=len(us),
         **{"TB/s": round(size / median * 1e-6, 4)})


def guarded(lib, name, measurement):
    """A row that a library refuses or has no room for is a line with the reason."""
    try:
        measurement()
    except Exception as why:  # its errors have no class in common
        tell(row=name, peer=lib.name, skipped=str(why).splitlines()[0][:200])


def measure_all(lib, size):
    tell(what="versions", **{lib.name: lib.version})
    x, held = None, None
    for name, total, dtype, shape, call in rows_of(lib, size):

        def one(name=name, total=total, dtype=dtype, shape=shape, call=call):
            nonlocal x, held
            if held != (dtype, math.prod(shape)):
                x = None
                x, held = lib.array(dtype, (math.prod(shape),)), (dtype, math.prod(shape))
            view = x.reshape(shape)
            told(lib, name, total, measure(lib.clock, lambda: call(view)))

        guarded(lib, name, one)
    x = None
    for name, dtype, shape in transposes_of(size):

        def turned(name=name, dtype=dtype, shape=shape):
            x, out = lib.array(dtype, shape), lib.array(dtype, shape[::-1])
            told(lib, name, 2 * size, measure(lib.clock, lambda: lib.transpose(x, out)))

        guarded(lib, name, turned)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, default=30, help="2^LOG2 bytes of input")
    asked = parser.parse_args()
    found = 0
    for library in (Torch, CuPy):
        try:
            lib = library()
        except Exception as why:  # ImportError, or no GPU
            tell(what="skipped", peer=library.name, why=f"{library.name} is left out: {why}")
            continue
        found += 1
        measure_all(lib, 1 << asked.log2)
    if not found:
        print("gpu_peers_eager: neither PyTorch nor CuPy is here with a GPU; nothing was measured",
              file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
