# SPDX-License-Identifier: Apache-2.0
"""Hand-written Triton kernels of the rows of bench/gpu_peer_rows.py, and the plain kernels whose
rates are the ceilings. A plan is a way to compute a row: some launches, as data, so that another
process can compile them first."""

from collections import namedtuple

import torch
import triton
import triton.language as tl

from gpu_peer_rows import MIXES, WIDTHS, answer_type, answers_of

KINDS = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
         "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8}
LEAST = -3e38  # below every element; finite, so that a difference of two is no NaN

# launches: of a plan; memory: {name: (kind, elements)} of what it needs beside x, keys and out.
Plan = namedtuple("Plan", "label launches memory")
Launch = namedtuple("Launch", "kernel grid args constants warps")


@triton.jit
def square_root(x):
    if x.dtype == tl.float64:
        return tl.sqrt(x)
    else:
        return tl.sqrt_rn(x)


@triton.jit
def reduce_rows(x, out, rows, LENGTH: tl.constexpr, PADDED: tl.constexpr, TILE: tl.constexpr,
                EVEN: tl.constexpr, FLAT: tl.constexpr, OP: tl.constexpr, TERM: tl.constexpr,
                FILL: tl.constexpr):
    """A program has TILE rows in registers. EVEN: no tile and no row ends within one. FLAT: loads
    are of consecutive elements across rows."""
    first = tl.program_id(0).to(tl.int64) * TILE
    row = first + tl.arange(0, TILE)
    column = tl.arange(0, PADDED)
    if FLAT:
        v = tl.reshape(tl.load(x + first * LENGTH + tl.arange(0, TILE * LENGTH)), (TILE, LENGTH))
    elif EVEN:
        v = tl.load(x + row[:, None] * LENGTH + column[None, :])
    else:
        inside = (row[:, None] < rows) & (column[None, :] < LENGTH)
        v = tl.load(x + row[:, None] * LENGTH + column[None, :], mask=inside, other=FILL)
    v = v.to(TERM)
    if OP == "sum":
        answer = tl.sum(v, 1)
    elif OP == "mean":
        answer = tl.sum(v, 1) / LENGTH
    elif OP == "norm2":
        answer = square_root(tl.sum(v * v, 1))
    elif OP == "max":
        answer = tl.max(v, 1)
    elif OP == "argmax":
        answer = tl.argmax(v, 1).to(tl.int64)
    elif OP == "var":
        mean = tl.sum(v, 1) / LENGTH
        d = tl.where(column[None, :] < LENGTH, v - mean[:, None], 0)
        answer = tl.sum(d * d, 1) / LENGTH
    else:
        m = tl.max(v, 1)
        answer = m + tl.log(tl.sum(tl.exp(v - m[:, None]), 1))
    if EVEN or FLAT:
        tl.store(out + row, answer.to(out.dtype.element_ty))
    else:
        tl.store(out + row, answer.to(out.dtype.element_ty), mask=row < rows)


@triton.jit
def merge_first_axis(a, b, OP: tl.constexpr):
    """The accumulators of axis 0 as one."""
    if OP == "max":
        return tl.max(a, 0), tl.sum(b, 0)
    elif OP == "argmax":
        most = tl.max(a, 0)
        return most, tl.min(tl.where(a == most[None, :], b, 2147483647), 0)
    elif OP == "logsumexp":
        most = tl.max(a, 0)
        return most, tl.sum(b * tl.exp(a - most[None, :]), 0)
    else:
        return tl.sum(a, 0), tl.sum(b, 0)


@triton.jit
def fold_columns(x, a_out, b_out, rows, columns, share, TILE: tl.constexpr, WIDTH: tl.constexpr,
                 WHOLE: tl.constexpr, OP: tl.constexpr, TERM: tl.constexpr, SECOND: tl.constexpr,
                 FILL: tl.constexpr):
    """A program folds `share` rows of WIDTH columns; of a WHOLE array the columns too."""
    column = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    first = tl.program_id(1).to(tl.int64) * share
    last = tl.minimum(first + share, rows)
    a = tl.full((TILE, WIDTH), FILL, TERM)
    b = tl.zeros((TILE, WIDTH), SECOND)
    if WHOLE:
        shift = tl.load(x).to(TERM)
    else:
        shift = tl.load(x + column).to(TERM)[None, :]
    for begin in range(first, last, TILE):
        row = begin + tl.arange(0, TILE)
        at = row[:, None] * columns + column[None, :]
        inside = (row < last)[:, None] & (column < columns)[None, :]
        v = tl.load(x + at, mask=inside, other=FILL).to(TERM)
        if OP == "max":
            a = tl.maximum(a, v)
        elif OP == "argmax":
            place = at if WHOLE else row[:, None] + tl.zeros((TILE, WIDTH), tl.int64)
            b = tl.where(v > a, place.to(SECOND), b)
            a = tl.maximum(a, v)
        elif OP == "logsumexp":
            most = tl.maximum(a, v)
            e = tl.exp(tl.minimum(a, v) - most)
            b = tl.where(v > a, b * e + 1, b + e)
            a = most
        elif OP == "var":
            d = tl.where(inside, v - shift, 0)
            a += d
            b += d * d
        elif OP == "norm2":
            a += v * v
        else:
            a += v
    if WHOLE:
        a = tl.reshape(a, (TILE * WIDTH, 1))
        b = tl.reshape(b, (TILE * WIDTH, 1))
        one, two = merge_first_axis(a, b, OP)
        to = tl.program_id(1) + tl.arange(0, 1)
        tl.store(a_out + to, one)
        tl.store(b_out + to, two)
    else:
        one, two = merge_first_axis(a, b, OP)
        to = tl.program_id(1) * columns + column
        tl.store(a_out + to, one, mask=column < columns)
        tl.store(b_out + to, two, mask=column < columns)


@triton.jit
def finish_columns(a_in, b_in, out, parts, columns, count, PADDED: tl.constexpr,
                   WIDTH: tl.constexpr, OP: tl.constexpr, FILL: tl.constexpr):
    column = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    part = tl.arange(0, PADDED)
    at = part[:, None] * columns + column[None, :]
    inside = (part < parts)[:, None] & (column < columns)[None, :]
    a = tl.load(a_in + at, mask=inside, other=FILL)
    b = tl.load(b_in + at, mask=inside, other=0)
    one, two = merge_first_axis(a, b, OP)
    if OP == "mean":
        answer = one / count
    elif OP == "norm2":
        answer = square_root(one)
    elif OP == "var":
        answer = (two - one * one / count) / count
    elif OP == "logsumexp":
        answer = one + tl.log(two)
    elif OP == "argmax":
        answer = two.to(tl.int64)
    else:
        answer = one
    tl.store(out + column, answer.to(out.dtype.element_ty), mask=column < columns)


@triton.jit
def add_by_key(x, keys, out, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(keys + i), tl.load(x + i), sem="relaxed")


@triton.jit
def read_only(x, out, BLOCK: tl.constexpr):
    """The store never happens, but the compiler cannot know."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + i))
    if total == 12345.678:
        tl.store(out, total)


@triton.jit
def read_and_write(x, out, BLOCK: tl.constexpr, MIX: tl.constexpr):
    """Reads MIX times what it writes, both in whole lines."""
    program = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + program * BLOCK * MIX + i)
    for k in tl.static_range(1, MIX):
        v += tl.load(x + program * BLOCK * MIX + k * BLOCK + i)
    tl.store(out + program * BLOCK + i, v)


def padded(n):
    return 1 << (n - 1).bit_length()


def term_of(row):
    """The type of the accumulator."""
    if row.dtype == "f64":
        return tl.float64
    return tl.float32 if row.dtype in ("f32", "f16", "bf16") else tl.int64


def fill_of(row):
    return LEAST if row.op in ("max", "argmax", "logsumexp") else 0


def row_plans(row):
    rows, length = row.shape
    wide = padded(length)
    for elements, warps in ((1024, 4), (2048, 4), (4096, 4), (4096, 8), (8192, 8), (16384, 16)):
        elements //= 2 if row.dtype == "f64" else 1
        tile = max(1, elements // wide)
        if tile * wide > 16384 or (elements < wide and (wide, warps) not in LONG_ROW_WARPS):
            continue
        even = wide == length and rows % tile == 0
        for flat in (False, True) if even and length <= 32 else (False,):
            constants = {"LENGTH": length, "PADDED": wide, "TILE": tile, "EVEN": even,
                         "FLAT": flat, "OP": row.op, "TERM": term_of(row), "FILL": fill_of(row)}
            launch = Launch(reduce_rows, (-(-rows // tile),), ("x", "out", rows), constants, warps)
            kind = "flat loads, " if flat else ""
            yield Plan(f"{kind}{tile} rows, {warps} warps", [launch], {})


LONG_ROW_WARPS = {(wide, warps) for wide in (8192, 16384) for warps in (8, 16)}


def fold_plans(row, processors):
    """Of columns and whole arrays: partial results, and a second kernel that merges them."""
    all_of = row.layout == "whole"
    columns = 1024 if all_of else row.shape[1]
    rows = row.shape[0] // (columns if all_of else 1)
    count = row.shape[0]
    if all_of and rows * columns != count:
        return
    second = tl.int32 if row.op == "argmax" else term_of(row)
    kinds = ("i32" if row.op == "argmax" else "f64" if row.dtype == "f64" else "f32")
    first_kind = {tl.float64: "f64", tl.float32: "f32", tl.int64: "i64"}[term_of(row)]
    for elements, warps, each in ((4096, 8, 4), (8192, 8, 4), (4096, 4, 8), (8192, 16, 2)):
        elements //= 2 if row.dtype == "f64" else 1
        width = min(columns, 1024 if all_of else 128)
        tile = max(1, elements // width)
        bands = 1 if all_of else -(-columns // width)
        parts = min(1024, max(1, processors * each // bands), -(-rows // tile))
        share = -(-rows // (parts * tile)) * tile
        parts = -(-rows // share)
        kept = 1 if all_of else columns
        shared = {"OP": row.op, "FILL": fill_of(row)}
        fold = Launch(fold_columns, (bands, parts), ("x", "a", "b", rows, columns, share),
                      {"TILE": tile, "WIDTH": width, "WHOLE": all_of, "TERM": term_of(row),
                       "SECOND": second, **shared}, warps)
        ending = max(1, min(padded(kept), 4096 // padded(parts)))
        finish = Launch(finish_columns, (-(-kept // ending),),
                        ("a", "b", "out", parts, kept, float(count)),
                        {"PADDED": padded(parts), "WIDTH": ending, **shared}, 4)
        yield Plan(f"{parts} x {tile} x {width}, {warps} warps", [fold, finish],
                   {"a": (first_kind, parts * kept), "b": (kinds, parts * kept)})


def plans_of(row, processors):
    """The kernels written here; none of some rows, which have other peers."""
    if row.layout == "rows" and row.op in KERNEL_OPS and row.shape[1] <= 16384:
        return list(row_plans(row))
    if row.layout in ("whole", "columns") and row.op in KERNEL_OPS and row.dtype in FOLDED:
        return list(fold_plans(row, processors))
    if row.layout == "groups":
        return [Plan(f"atomics, block {block}",
                     [Launch(add_by_key, (row.shape[0] // block,), ("x", "keys", "out"),
                             {"BLOCK": block}, 4)], {}) for block in (512, 1024, 2048)]
    return []


KERNEL_OPS = ("sum", "mean", "var", "norm2", "logsumexp", "max", "argmax")
FOLDED = ("f32", "f64", "bf16", "f16")


def ceiling_plans(items):
    """{(read, written) in items of four bytes: plans}."""
    sizes = ((1024, 4), (2048, 4), (4096, 8), (8192, 8))
    found = {(items, 0): [Plan(f"block {block}, {warps} warps",
                               [Launch(read_only, (items // block,), ("x", "out"),
                                       {"BLOCK": block}, warps)], {}) for block, warps in sizes]}
    for mix in MIXES:
        for block, warps in ((512, 4), (1024, 4), (2048, 8)):
            programs = items // (block * mix)
            launch = Launch(read_and_write, (programs,), ("x", "out"),
                            {"BLOCK": block, "MIX": mix}, warps)
            moved = (programs * block * mix, programs * block)
            found.setdefault(moved, []).append(Plan(f"mix {mix}, block {block}", [launch], {}))
    return found


def bind(plan, tensors):
    """The plan over tensors by name, as a call."""
    memory = {name: torch.empty(count, dtype=KINDS[kind], device="cuda")
              for name, (kind, count) in plan.memory.items()}
    known = {**tensors, **memory}
    launches = [(launch.kernel[launch.grid],
                 [known.get(arg, arg) if isinstance(arg, str) else arg for arg in launch.args],
                 {**launch.constants, "num_warps": launch.warps}) for launch in plan.launches]

    def call():
        for kernel, args, constants in launches:
            kernel(*args, **constants)
        return known["out"]

    return call


def compile_plan(plan, kinds):
    """Leaves the kernels in Triton's cache. kinds: {name: kind} of the tensors."""
    known = {**kinds, **{name: kind for name, (kind, _) in plan.memory.items()}}
    for launch in plan.launches:
        args = [KINDS[known[arg]] if isinstance(arg, str) else arg for arg in launch.args]
        launch.kernel.warmup(*args, grid=launch.grid, num_warps=launch.warps, **launch.constants)


def kinds_of(row):
    return {"x": row.dtype, "keys": "i64", "out": answer_type(row)}


def out_of(row):
    count = row.shape[1] if row.layout == "groups" else answers_of(row)
    return torch.zeros(count, dtype=KINDS[answer_type(row)], device="cuda")


__all__ = ["KINDS", "WIDTHS", "bind", "ceiling_plans", "compile_plan", "kinds_of", "out_of",
           "plans_of"]
