#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--axis and --keepdims: which elements belong to which answer, and how arrays are printed."""
import itertools
import math
import random

from reference import answer, is_float
from support import ProgramTest, elements, npy, random_seed

SEED = random_seed.chosen_seed()
OPS = ["sum", "mean", "norm2", "var", "min", "max", "argmin", "argmax", "any", "count_nonzero"]


def split(values, shape, axes):
    """The elements of each answer, rows first, by the row-major index of the axes that stay."""
    kept = [i for i in range(len(shape)) if i not in axes]
    groups = {index: [] for index in itertools.product(*(range(shape[i]) for i in kept))}
    for value, index in zip(values, itertools.product(*map(range, shape))):
        groups[tuple(index[i] for i in kept)].append(value)
    return groups


def column_major(values, shape):
    """Row-major values in column-major order."""
    by_index = dict(zip(itertools.product(*map(range, shape)), values))
    reversed_indices = itertools.product(*map(range, shape[::-1]))
    return [by_index[index[::-1]] for index in reversed_indices]


def nest(flat, shape):
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return [nest(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


class Axes(ProgramTest):
    def check(self, dtype, values, shape, axes, order):
        stored = values if order == "C" else column_major(values, shape)
        name = self.write("a.npy", npy(dtype, stored, shape, order))
        words = [",".join(OPS), name, "--axis", ",".join(map(str, axes)), "--json"]
        real = {axis % len(shape) for axis in axes}
        groups = split(values, shape, real)
        kept = [n for i, n in enumerate(shape) if i not in real]
        for keepdims in (False, True):
            results = self.onefold(*words, *(["--keepdims"] if keepdims else [])).json()["results"]
            extents = [1 if i in real else n for i, n in enumerate(shape)] if keepdims else kept
            for result in results:
                expected = [answer(result["operation"], group, dtype) for group in groups.values()]
                if is_float(result["dtype"]):
                    self.assertEqual(self.hexes(result["hex"]), nest(expected, extents))
                else:
                    self.assertEqual(result["value"], nest(expected, extents),
                                     (SEED, result["operation"]))
                self.assertEqual(result["count"], len(next(iter(groups.values()))))

    def hexes(self, nested):
        return [self.hexes(x) for x in nested] if isinstance(nested, list) else \
            float.fromhex(nested)

    def test_every_set_of_axes_of_either_order_gives_the_answers_of_its_elements(self):
        generator = random.Random(SEED)
        shape = (2, 3, 4)
        for dtype in ("f64", "i16", "u8"):
            values = [generator.randint(0, 100) for _ in range(24)]
            values = [x * 0.37 for x in values] if dtype == "f64" else values
            for axes in ((0,), (1,), (2,), (-1,), (0, 1), (0, -1), (2, 1), (0, 1, 2), (-3,)):
                for order in "CF":
                    with self.subTest(dtype=dtype, axes=axes, order=order):
                        self.check(dtype, values, shape, axes, order)

    def test_a_position_is_the_logical_one_whatever_the_order_in_memory(self):
        values = [5, 1, 7, 3, 0, 9]
        for order in "CF":
            stored = values if order == "C" else column_major(values, (2, 3))
            name = self.write("a.npy", npy("i32", stored, (2, 3), order))
            self.assertEqual(self.answer("argmax", name), "5\n")
            self.assertEqual(self.answer("argmin", name), "4\n")
            self.assertEqual(self.answer("argmin", name, "--first-index", "100"), "104\n")
            self.assertEqual(self.answer("argmax", name, "--axis", "0"), "0\n0\n1\n")

    def test_raw_elements_and_streams_have_axes_too(self):
        data = elements("u8", range(6), ">")
        words = ["-", "--format", "raw", "--dtype", "u8"]
        self.assertEqual(self.answer("sum", *words, "--shape", "2,3", "--axis", "1", stdin=data),
                         "3\n12\n")
        self.assertEqual(self.answer("max", *words, "--axis", "0", stdin=data), "5\n")
        name = self.write("a.npy", npy("i32", [1, 2, 300], (3, 1), endian=">"))
        self.assertEqual(self.answer("sum", name, "--axis", "0"), "303\n")


class Printed(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("a.npy", npy("f64", [1, 2, 3, 4, 5, 6.5], (2, 3)))
        self.write("b.npy", npy("i16", range(8), (2, 2, 2)))

    def test_one_axis_is_a_number_a_line(self):
        self.assertEqual(self.answer("sum", "a.npy", "--axis", "0"), "5\n7\n9.5\n")

    def test_more_axes_are_lines_of_their_last_axis(self):
        self.assertEqual(self.answer("sum", "b.npy", "--axis", "0"), "4\t6\n8\t10\n")
        self.assertEqual(self.answer("sum", "b.npy", "--axis", "0", "--keepdims"), "4\t6\n8\t10\n")
        self.assertEqual(self.answer("sum", "a.npy", "--axis", "0,1", "--keepdims"), "21.5\n")
        self.assertEqual(self.answer("minmax", "a.npy", "--axis", "1"), "1\t3\n4\t6.5\n")

    def test_several_operators_have_a_line_for_each_index(self):
        self.assertEqual(self.answer("sum,argmax", "a.npy", "--axis", "1"),
                         "index\tsum\targmax\n0\t6\t2\n1\t15.5\t2\n")
        self.assertEqual(self.answer("min,minmax", "b.npy", "--axis", "0"),
                         "index\tmin\tmin\tmax\n0,0\t0\t0\t4\n0,1\t1\t1\t5\n1,0\t2\t2\t6\n"
                         "1,1\t3\t3\t7\n")

    def test_several_inputs_have_their_names(self):
        self.assertEqual(self.answer("max", "a.npy", "a.npy", "--axis", "1"),
                         "index\tmax\tinput\n0\t3\ta.npy\n1\t6.5\ta.npy\n0\t3\ta.npy\n"
                         "1\t6.5\ta.npy\n")
        self.assertEqual(self.answer("max", "a.npy", "--axis", "1", "--tsv"),
                         "index\tmax\tinput\n0\t3\ta.npy\n1\t6.5\ta.npy\n")

    def test_all_axes_by_name_are_one_number(self):
        self.assertEqual(self.answer("sum", "a.npy", "--axis", "0,1"), "21.5\n")
        self.assertEqual(self.answer("sum", "a.npy", "--axis=-1,-2"), "21.5\n")

    def test_no_answers_are_no_lines(self):
        name = self.write("e.npy", npy("f64", [], (0, 3)))
        self.assertEqual(self.answer("sum", name, "--axis", "1"), "")
        self.assertEqual(self.answer("sum", name, "--axis", "0"), "0\n0\n0\n")
        result = self.onefold("sum", name, "--axis", "1", "--json").json()["results"][0]
        self.assertEqual((result["value"], result["hex"]), ([], []))


class Refused(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("a.npy", npy("f64", [1, 2, 3, 4], (2, 2)))

    def test_axes_that_are_not_there_are_named(self):
        for axes in ("2", "-3", "0,2"):
            self.refuses(2, "sum", "a.npy", "--axis", axes, says="a.npy: ")
        for axes in ("0,0", "0,-2"):
            self.refuses(2, "sum", "a.npy", "--axis", axes, says="twice")
        for axes in ("", "x", "0,", "1.5"):
            self.refuses(2, "sum", "a.npy", "--axis", axes, says="axes such as 0 or 0,-1")

    def test_keepdims_needs_axes(self):
        self.refuses(2, "sum", "a.npy", "--keepdims", says="--keepdims keeps the axes that --axis")

    def test_a_total_of_arrays_is_refused(self):
        self.refuses(2, "sum", "a.npy", "--axis", "0", "--total", says="--axis gives arrays")

    def test_an_empty_axis_has_no_least_element(self):
        name = self.write("e.npy", npy("f64", [], (0, 3)))
        self.refuses(4, "min", name, "--axis", "0", says="e.npy: min of nothing")

    def test_memory_is_checked_before_it_is_asked_for(self):
        path = self.folder / "big.raw"
        with open(path, "wb") as file:
            file.truncate(1 << 42)
        how = ["--dtype", "f64", "--shape", f"{1 << 19},{1 << 20}"]
        self.refuses(1, "sum", "big.raw", *how, "--axis", "0", "--mem-limit", "64M",
                     says=("big.raw: --axis needs 4.0 TiB in memory", "--mem-limit allows 64.0 MiB",
                           "cut the input into parts"))
        self.refuses(1, "sum", "big.raw", *how, "--axis", "0", says="this machine allows")
        self.refuses(1, "argmin", "big.raw", *how, "--order", "F", "--mem-limit", "64M",
                     says="an index in column-major data needs")


if __name__ == "__main__":
    random_seed.main(SEED)
