# SPDX-License-Identifier: Apache-2.0
"""Every function over random arrays and arguments: the oracle's bits, NumPy's shape and dtype.

ONEFOLD_CASES=10000 asks more cases of each function, ONEFOLD_SEED another sequence of them. A
failure names the function and the number of the case; `python random_test.py sum 17` repeats it.
"""
from __future__ import annotations

import os
import random
import sys
import warnings

import numpy as np
import pytest

import cases
import onefold
import oracle

CASES = int(os.environ.get("ONEFOLD_CASES", "250"))
SEED = os.environ.get("ONEFOLD_SEED", "1")

REDUCTIONS = ("sum", "mean", "var", "std", "prod", "min", "max", "argmin", "argmax", "any", "all",
              "count", "count_nonzero", "norm1", "norm2", "norminf", "sumsq", "logsumexp",
              "bit_and", "bit_or", "bit_xor")
OMITTING = ("nansum", "nanmean", "nanvar", "nanstd", "nanprod", "nanmin", "nanmax", "nanargmin",
            "nanargmax")
SPECIAL = ("minmax", "norm", "dot", "vecdot")
FUNCTIONS = (*REDUCTIONS, *OMITTING, *SPECIAL)

# Functions without these parameters.
NO_DTYPE = ("min", "max", "minmax", "argmin", "argmax", "any", "all", "count", "count_nonzero",
            *oracle.BITS)
NO_OUT = ("minmax", "count", "count_nonzero")
NO_WHERE = ("argmin", "argmax", "dot", "vecdot")
NO_NAN = ("any", "all", *oracle.BITS)
WITH_INITIAL = ("sum", "prod", "min", "max", "minmax")
IN_NUMPY = ("sum", "mean", "var", "std", "prod", "min", "max", "argmin", "argmax", "any", "all",
            "count_nonzero", "nansum", "nanmean", "nanvar", "nanstd", "nanprod", "nanmin",
            "nanmax", "nanargmin", "nanargmax")
ERRORS = {oracle.Empty: ValueError, oracle.Overflow: OverflowError, oracle.FoundNan: ValueError}


def have_bfloat16() -> bool:
    try:
        cases.dtype_of("bfloat16")
    except ImportError:
        return False
    return True


DTYPES = oracle.DTYPES if have_bfloat16() else cases.NUMPY_DTYPES


def allowed_outputs(op: str, dtype: str) -> list[str]:
    """The types that an answer may be asked in, by section 1 of the specification."""
    floating = [name for name in DTYPES if name in oracle.FLOATS]
    if op in ("any", "all") or (dtype == "bool" and op in ("min", "max", *oracle.BITS)):
        return list(DTYPES)
    if op in oracle.MEANS or (dtype in oracle.FLOATS and op not in oracle.COUNTS):
        return floating
    without_bool = [name for name in DTYPES if name != "bool"]
    return list(DTYPES) if op in oracle.SUMS else without_bool


def common_dtype(a: str, b: str) -> str | None:
    """The type that holds the elements of both operands of a dot product."""
    if a == b:
        return a
    floats = [name for name in (a, b) if name in oracle.FLOATS]
    if "bfloat16" in floats or (floats and {a, b} & {"int64", "uint64"}):
        return None
    both = np.result_type(a, b).name
    return both if floats or both not in oracle.FLOATS else None


class Call:
    """A random call of a function, and what it must give."""

    def __init__(self, name: str, number: int):
        choose = random.Random(f"{SEED}/{name}/{number}")
        self.name, self.seed = name, f"ONEFOLD_SEED={SEED}, {name}, case {number}"
        self.op = name.removeprefix("nan")
        self.arguments: dict = {}
        if name == "norm":
            order = choose.choice((1, 2, float("inf")))
            self.op = {1: "norm1", 2: "norm2"}.get(order, "norminf")
            self.arguments["ord"] = order
        if name in ("dot", "vecdot"):
            self.op = "dot"
        self.dtype = choose.choice(
            ("bool", *oracle.INTEGERS) if name in oracle.BITS else DTYPES)
        self.arrays = self.random_arrays(choose)
        self.axis = None
        if name == "vecdot":
            self.axis = choose.randint(-self.x.ndim, self.x.ndim - 1)
        elif name != "dot":
            self.axis = cases.axis_of(choose, self.x.ndim)
        if name != "dot":
            self.arguments["axis"] = self.axis
        self.keepdims = name != "dot" and choose.random() < 0.3
        if self.keepdims:
            self.arguments["keepdims"] = True
        self.choose_options(choose)
        self.choose_output(choose)

    @property
    def x(self) -> np.ndarray:
        return self.arrays[0]

    def random_arrays(self, choose) -> list[np.ndarray]:
        if self.name not in ("dot", "vecdot"):
            return [cases.array_of(choose, self.dtype, cases.shape_of(choose))]
        self.other = choose.choice([name for name in DTYPES if common_dtype(self.dtype, name)])
        if choose.random() < 0.5:
            self.other = self.dtype
        shape = cases.shape_of(choose, 1)
        if self.name == "dot" or not shape:
            shape = (choose.choice((0, 1, 3, 8, 17, 65)),)
        return [cases.array_of(choose, self.dtype, shape),
                cases.array_of(choose, self.other, shape)]

    def choose_options(self, choose):
        self.nan, self.correction, self.initial, self.where = "propagate", 0, None, None
        if self.name.startswith("nan"):
            self.nan = "omit"
        elif self.name not in NO_NAN and choose.random() < 0.4:
            self.nan = self.arguments["nan"] = choose.choice(("propagate", "omit", "error"))
        if self.op in ("var", "std") and choose.random() < 0.6:
            self.correction = self.arguments["correction"] = choose.choice(
                (0, 1, 2, 5, -1, 0.5, 1.5, -0.25, 0.1, 2.9999999999999996, 1e-300, -1e300))
        if self.op not in NO_WHERE and choose.random() < 0.3:
            self.where = self.arguments["where"] = cases.mask_of(choose, self.x.shape)
        if self.op in WITH_INITIAL and choose.random() < 0.3:
            self.initial = cases.values_of(choose, self.dtype, 1)[0]
            self.arguments["initial"] = self.initial

    def choose_output(self, choose):
        dtype = self.dtype if self.op != "dot" else common_dtype(self.dtype, self.other)
        self.output = oracle.default_output(self.op.replace("minmax", "min"), dtype)
        self.out = None
        kind = choose.random()
        if kind < 0.3 and self.op not in NO_DTYPE:
            self.output = choose.choice(allowed_outputs(self.op, dtype))
            self.arguments["dtype"] = cases.dtype_of(self.output)
        elif kind < 0.5 and self.name not in NO_OUT:
            self.output = choose.choice(allowed_outputs(self.op, dtype))
            shape = cases.answer_shape(self.x, self.axis, self.keepdims)
            self.out = np.zeros((*shape, 3), cases.dtype_of(self.output))[..., 1]
            self.arguments["out"] = self.out

    def expected(self) -> tuple[list, set]:
        """The oracle's answers in row-major order, and the reasons why some have no value."""
        rows = cases.rows_of(self.x, self.axis)
        others = cases.rows_of(self.arrays[1], self.axis) if self.op == "dot" else rows
        masks = [None] * len(rows)
        if self.where is not None:
            masks = cases.rows_of(np.broadcast_to(self.where, self.x.shape), self.axis)
        answers, reasons = [], set()
        for row, other, mask in zip(rows, others, masks):
            if mask is not None:
                row = [value for value, counts in zip(row, mask) if counts]
            for op in ("min", "max") if self.op == "minmax" else (self.op,):
                try:
                    answers.append(oracle.answer(
                        op, row, self.dtype, self.output, y=other if self.op == "dot" else None,
                        correction=self.correction, nan=self.nan, initial=self.initial))
                except tuple(ERRORS) as reason:
                    reasons.add(type(reason))
        return answers, reasons

    def __str__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        arrays = ", ".join(f"{x!r} with strides {x.strides}" for x in self.arrays)
        return f"{self.seed}: onefold.{self.name}({arrays}, {given})"

    def run(self):
        return getattr(onefold, self.name)(*self.arrays, **self.arguments)


def check(call: Call):
    expected, reasons = call.expected()
    if reasons:
        names = ", ".join(sorted(reason.__name__ for reason in reasons))
        with pytest.raises(tuple(ERRORS[reason] for reason in reasons)):
            call.run()
            pytest.fail(f"{call}: no error, though the oracle says {names}")
        return
    try:
        result = call.run()
    except Exception as error:
        raise AssertionError(f"{call}: {type(error).__name__}: {error}") from error
    parts = result if isinstance(result, tuple) else (result,)
    shape = cases.answer_shape(call.x, call.axis, call.keepdims)
    for i, part in enumerate(parts):
        assert part.shape == shape, f"{call}: shape {part.shape}, not {shape}"
        assert part.dtype == cases.dtype_of(call.output), f"{call}: dtype {part.dtype}"
        check_values(call, part, expected[i::len(parts)])
    if call.out is not None:
        assert result is call.out, f"{call}: another array than out"
    if call.name in IN_NUMPY:
        check_numpy(call, parts[0])


def check_values(call: Call, part, expected: list):
    if expected and isinstance(expected[0], tuple):
        wide = np.asarray(part).astype(np.float64).reshape(-1).tolist()
        for value, (low, high) in zip(wide, expected):
            inside = oracle.is_nan(value) if oracle.is_nan(low) else low <= value <= high
            assert inside, f"{call}: {value!r} is not within {low!r} and {high!r}"
            if low == 0 and str(low) == str(high):
                assert str(value) == str(low), f"{call}: {value!r}, not {low!r}"
        return
    got = np.ascontiguousarray(part).tobytes()
    right = cases.bytes_of(expected, call.output)
    assert got == right, f"{call}: {part!r}, not {expected!r}"


def check_numpy(call: Call, part):
    """NumPy's shape and, without a dtype argument, its dtype."""
    if call.dtype == "bfloat16" or (isinstance(call.axis, tuple) and "arg" in call.op):
        return
    arguments = {name: value for name, value in call.arguments.items()
                 if name in ("axis", "keepdims", "initial", "where")}
    if call.name in ("count_nonzero",):
        arguments.pop("where", None)
    if call.op in ("min", "max") and call.where is not None and call.initial is None:
        arguments["initial"] = 0
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            theirs = getattr(np, call.name)(call.x, **arguments)
    except (ValueError, OverflowError):  # such as a least element of nothing
        return
    assert np.shape(theirs) == part.shape, f"{call}: NumPy's shape is {np.shape(theirs)}"
    if "dtype" not in call.arguments and call.out is None:
        theirs = np.asarray(theirs).dtype
        assert theirs.newbyteorder("=") == part.dtype, f"{call}: NumPy's dtype is {theirs}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_right(name):
    for number in range(CASES):
        check(Call(name, number))


if __name__ == "__main__":
    print(call := Call(sys.argv[1], int(sys.argv[2])))
    check(call)
    print("is right")
