#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""onefold sum: the right number from every format, type, order and byte order."""
import itertools
import math
import struct
import unittest
from fractions import Fraction

from support import CODES, LETTERS, ProgramTest, elements, npy, npy_header

INTEGERS = [t for t in CODES if t[0] in "iu"]


class Formats(ProgramTest):
    def test_every_element_type_of_numpy_is_summed(self):
        for dtype in CODES:
            values = [True, False, True] if dtype == "bool" else [1, 2, 4]
            with self.subTest(dtype):
                name = self.write("a.npy", npy(dtype, values))
                self.assertEqual(self.answer("sum", name), f"{sum(values)}\n")

    def test_the_largest_integers_do_not_wrap(self):
        for dtype in INTEGERS:
            bits = int(dtype[1:])
            top = 2 ** (bits - (dtype[0] == "i")) - 1
            values = [top, -1, 1, -7] if dtype[0] == "i" else [top - 9, 1, 8]
            with self.subTest(dtype):
                name = self.write("a.npy", npy(dtype, values))
                self.assertEqual(self.answer("sum", name), f"{sum(values)}\n")

    def test_order_byte_order_version_and_alignment_do_not_change_the_answer(self):
        values = [0.5, -3.25, 1e300, 7.0, -1e300, 0.125]
        for order, endian, version, align in itertools.product(
                "CF", "<>", ((1, 0), (2, 0), (3, 0)), (1, 16, 64)):
            with self.subTest(order=order, endian=endian, version=version, align=align):
                data = npy("f64", values, (2, 3), order, endian, version, align)
                name = self.write("a.npy", data)
                self.assertEqual(self.answer("sum", name), "4.375\n")

    def test_big_endian_elements_of_every_width_are_turned_round(self):
        for dtype in ("i16", "u32", "i64", "f16", "f32", "f64"):
            with self.subTest(dtype):
                name = self.write("a.npy", npy(dtype, [1, 2, 300], endian=">"))
                self.assertEqual(self.answer("sum", name), "303\n")

    def test_shapes_of_rank_zero_and_with_an_empty_axis_are_read(self):
        self.assertEqual(self.answer("sum", self.write("a.npy", npy("f64", [2.5], ()))), "2.5\n")
        for shape in ((0,), (0, 5), (5, 0), (2, 0, 3)):
            name = self.write("b.npy", npy("f64", [], shape))
            self.assertEqual(self.answer("sum", name), "0\n")

    def test_headers_of_python_2_other_quotes_and_other_key_orders_are_read(self):
        for text in ("{'descr': '<i4', 'fortran_order': False, 'shape': (2L,), }",
                     '{"shape": (2,), "descr": "<i4", "fortran_order": False}',
                     "{'shape':(2,),'fortran_order':True,'descr':'<i4'}",
                     "\n\t{ 'descr' : '<i4' , 'fortran_order' : False , 'shape' : ( 2 , ) , } "):
            with self.subTest(text):
                name = self.write("a.npy", npy_header(text) + elements("i32", [3, 4]))
                self.assertEqual(self.answer("sum", name), "7\n")

    def test_an_npy_file_comes_through_standard_input(self):
        data = npy("f32", [1.5, 2.5])
        self.assertEqual(self.answer("sum", "-", "--format", "npy", stdin=data), "4\n")
        self.assertEqual(self.answer("sum", "/dev/stdin", "--format", "npy", stdin=data), "4\n")

    def test_bytes_behind_the_array_are_named_and_not_read(self):
        name = self.write("a.npy", npy("i32", [1, 2]) + npy("i32", [3]))
        done = self.onefold("sum", name)
        self.assertEqual((done.code, done.out), (0, "3\n"))
        self.assertIn("warning: a.npy: 132 bytes after the last element", done.err)

    def test_any_byte_that_is_not_zero_is_a_true_bool(self):
        name = self.write("a.raw", bytes([0, 1, 2, 255, 0]))
        self.assertEqual(self.answer("sum", name, "--dtype", "bool"), "3\n")


class Raw(ProgramTest):
    def test_raw_elements_are_read_as_they_are_described(self):
        for dtype, endian in itertools.product(LETTERS, ("little", "big")):
            if dtype == "bool":
                continue
            data = elements(dtype, [1, 2, 3, 4], "<" if endian == "little" else ">")
            name = self.write("a.raw", b"junk" + data)
            with self.subTest(dtype=dtype, endian=endian):
                self.assertEqual(self.answer("sum", name, "--dtype", dtype, "--endian", endian,
                                             "--skip", "4"), "10\n")

    def test_bfloat16_arrives_as_raw(self):
        halves = b"".join(struct.pack(">f", x)[:2] for x in (1.5, -0.25))
        name = self.write("a.bin", halves)
        self.assertEqual(self.answer("sum", name, "--dtype", "bf16", "--endian", "big"), "1.25\n")

    def test_a_shape_takes_as_much_of_the_file_as_it_says(self):
        name = self.write("a.raw", elements("i32", range(1, 7)))
        self.assertEqual(self.answer("sum", name, "--dtype", "i32", "--shape", "2,3"), "21\n")
        done = self.onefold("sum", name, "--dtype", "i32", "--shape", "2", "--order", "F")
        self.assertEqual((done.code, done.out), (0, "3\n"))
        self.assertIn("16 bytes after", done.err)

    def test_raw_standard_input_is_read_to_its_end(self):
        data = elements("f64", [0.1] * 10)
        self.assertEqual(self.answer("sum", "-", "--format", "raw", "--dtype", "f64", stdin=data),
                         "1\n")
        self.assertEqual(self.answer("sum", "-", "--format", "raw", "--dtype", "f64", "--skip", "8",
                                     "--shape", "2", stdin=data), "0.2\n")


class Text(ProgramTest):
    def test_text_holds_decimals(self):
        self.assertEqual(self.answer("sum", "-", stdin="0.1\n0.2\n"), "0.3\n")
        self.assertEqual(self.answer("sum", "-", "--as", "f64", stdin="0.1\n0.2\n"),
                         "0.30000000000000004\n")

    def test_a_column_of_integers_has_an_integer_sum(self):
        text = "9007199254740993\n1\n"
        self.assertEqual(self.answer("sum", "-", stdin=text), "9007199254740994\n")
        result = self.onefold("sum", "-", "--json", stdin=text).json()["results"][0]
        self.assertEqual((result["dtype"], result["hex"]), ("i64", None))
        for text in ("1.0\n", "1e0\n", "", f"{2**63 - 1} 1"):
            result = self.onefold("sum", "-", "--json", stdin=text).json()["results"][0]
            self.assertEqual(result["dtype"], "decimal")

    def test_the_type_of_the_answer_can_be_chosen(self):
        for dtype, expected in (("f64", "3"), ("f32", "3"), ("i64", "3")):
            self.assertEqual(self.answer("sum", "-", "--dtype-out", dtype, stdin="1 2"),
                             f"{expected}\n")
        self.assertEqual(self.answer("sum", "-", "--dtype-out", "f32", stdin="0.1"), "0.1\n")
        self.refuses(2, "sum", "-", "--dtype-out", "i64", stdin="0.5", says="-: ")
        self.refuses(2, "sum", "-", "--dtype-out", "u8", stdin="1", says="no u8 form")

    def test_decimals_have_means_counts_and_extrema(self):
        text = "0.3 0.1 2e-1\n"
        self.assertEqual(self.answer("sum,mean,count,min,max,minmax", "-", stdin=text),
                         "sum\tmean\tcount\tmin\tmax\tmin\tmax\tinput\n"
                         "0.6\t0.2\t3\t0.1\t0.3\t0.1\t0.3\t-\n")
        self.assertEqual(self.answer("mean", "-", stdin="1 2"), "1.5\n")
        self.assertEqual(self.answer("mean", "-", stdin=""), "nan\n")
        self.assertEqual(self.answer("mean", "-", "--dtype-out", "f32", stdin="0.1"), "0.1\n")

    def test_the_extrema_of_integers_are_integers(self):
        top = 2**63 - 1
        text = f"{top} {top - 1} -{top}\n"
        self.assertEqual(self.answer("minmax", "-", stdin=text), f"-{top}\t{top}\n")
        self.assertEqual(self.answer("max", "-", stdin=f"{top}"), f"{top}\n")
        self.assertEqual(self.answer("max", "-", stdin=f"{2**63} 1"), f"{2**63}\n")
        self.assertEqual(self.answer("min", "-", stdin="9007199254740993 9007199254740993.0"),
                         "9007199254740993\n")
        self.assertEqual(self.answer("min", "-", stdin="-0 0.0"), "-0\n")
        self.assertEqual(self.answer("max", "-", "--dtype-out", "f64", stdin=f"{top}"),
                         "9.223372036854776e+18\n")
        self.refuses(4, "min", "-", stdin="", says="-: min of nothing")
        self.assertEqual(self.answer("min", "-", "--dtype-out", "f32", stdin="0.1 1"), "0.1\n")
        self.refuses(2, "min", "-", "--dtype-out", "u8", stdin="1", says="f64, f32 or i64")

    def test_the_extrema_of_long_numbers_and_exponents_are_exact_or_rounded_once(self):
        for number, exact in (("1e400", "1e+400"), ("-1e400", "-1e+400"),
                              ("0." + "3" * 60, "0." + "3" * 60), ("1e-400", "1e-400"),
                              ("12345678901234567890123", "12345678901234567890123"), ("+7", "7"),
                              (".5", "0.5"), ("5.", "5")):
            for op in ("min", "max"):
                self.assertEqual(self.answer(op, "-", stdin=number + " "), f"{exact}\n")
                self.assertEqual(self.answer(op, "-", "--dtype-out", "f64", stdin=number),
                                 self.answer(op, "-", "--as", "f64", stdin=number))

    def test_operators_without_a_decimal_form_ask_for_f64(self):
        for op in ("var", "norm2", "argmin", "prod", "logsumexp", "any"):
            self.refuses(2, op, "-", stdin="1 2", says=f"for {op} say --as f64")
        self.assertEqual(self.answer("var,argmax", "-", "--as", "f64", stdin="1 2 3"),
                         "var\targmax\tinput\n0.6666666666666666\t2\t-\n")
        self.refuses(2, "sum", "-", "--initial", "1", stdin="1", says="--initial is for binary")
        self.refuses(2, "sum", "-", "--axis", "0", stdin="1", says="has no axes")

    def test_nan_policies_hold_for_text(self):
        text = "1 nan 3\n"
        for op, expected in (("sum", "4"), ("mean", "2"), ("min", "1"), ("count", "2")):
            self.assertEqual(self.answer(op, "-", "--nan", "omit", stdin=text), f"{expected}\n")
        for op in ("sum", "mean", "max"):
            self.assertEqual(self.answer(op, "-", stdin=text), "nan\n")
            self.refuses(4, op, "-", "--nan", "error", stdin=text, says=f"-: {op} met a NaN")

    def test_totals_of_decimals_are_exact(self):
        self.write("a.txt", "0.1 7")
        self.write("b.txt", "0.2 -3")
        self.assertEqual(self.answer("sum,mean,min,max,count", "a.txt", "b.txt", "--total")
                         .split("\n")[3], "4.3\t1.075\t-3\t7\t4\ttotal")

    def test_a_text_file_is_known_by_its_name(self):
        name = self.write("a.txt", "1.5\n2.5")
        self.assertEqual(self.answer("sum", name), "4\n")

    def test_missing_values_are_refused_or_skipped(self):
        text = "1\nNA\n2\n"
        self.refuses(4, "sum", "-", stdin=text, says="standard input:2:1:")
        self.assertEqual(self.answer("sum", "-", "--missing", "skip", stdin=text), "3\n")

    def test_what_is_no_number_is_named_by_line_and_column(self):
        self.refuses(3, "sum", "-", stdin="1\n  2x\n", says="standard input:2:4:")


class Numbers(ProgramTest):
    def test_policies_for_infinities_nan_and_zeros_hold(self):
        inf, nan = math.inf, math.nan
        for values, expected in (([inf, 1], "inf"), ([-inf, 1], "-inf"), ([inf, -inf], "nan"),
                                 ([nan, 1], "nan"), ([-0.0, -0.0], "-0"), ([-0.0, 0.0], "0"),
                                 ([], "0"), ([1e308, 1e308, -1e308], "1e+308"),
                                 ([1e308, 1e308], "inf"), ([5e-324, 5e-324], "1e-323")):
            with self.subTest(values):
                name = self.write("a.npy", npy("f64", values))
                self.assertEqual(self.answer("sum", name), f"{expected}\n")

    def test_the_sum_is_the_true_sum_rounded_once(self):
        values = [((i * 2654435761) % 2**32 - 2**31) * 2.0 ** ((i * 37) % 600 - 300)
                  for i in range(5000)]
        expected = float(sum(map(Fraction, values)))
        name = self.write("a.npy", npy("f64", values))
        self.assertEqual(float(self.answer("sum", name)), expected)

    def test_threads_and_memory_do_not_change_a_bit(self):
        values = [math.sin(i) * 1e10 ** (i % 3) for i in range(300_000)]
        name = self.write("a.npy", npy("f64", values))
        for level in ("exact", "fast"):
            answers = {self.answer("sum", name, "--hex", "--accuracy", level, "--threads", threads,
                                   "--mem-limit", memory)
                       for threads in ("1", "2", "7") for memory in ("1M", "2M", "1G")}
            self.assertEqual(len(answers), 1)

    def test_fast_sums_say_so(self):
        name = self.write("a.npy", npy("f64", [1.0, 2.0]))
        result = self.onefold("sum", name, "--accuracy", "fast", "--json").json()["results"][0]
        self.assertEqual((result["value"], result["level"]), (3, "fast"))
        text = self.onefold("sum", "-", "--as", "f64", "--accuracy", "fast", stdin="1 2 3.5")
        self.assertEqual(text.out, "6.5\n")

    def test_all_digits_of_a_sum_are_those_of_the_exact_one(self):
        name = self.write("a.npy", npy("f64", [0.1] * 10))
        tenths = "1.000000000000000055511151231257827021181583404541015625"
        self.assertEqual(self.answer("sum", name, "--digits", "all"), f"{tenths}\n")
        result = self.onefold("sum,norm1", name, "--digits", "all", "--json").results()
        self.assertEqual([(r["value"], r["dtype"], r["count"]) for r in result],
                         [(tenths, "decimal", "10")] * 2)
        self.assertIn("\n2.00000000000000011102230246251565404236316680908203125\ttotal\n",
                      self.answer("sum", name, name, "--digits", "all", "--total"))
        name = self.write("i.npy", npy("i64", [2**63 - 1] * 3))
        self.assertEqual(self.answer("sum,sumsq", name, "--digits", "all").split("\n")[1],
                         f"{3 * (2**63 - 1)}\t{3 * (2**63 - 1)**2}\ti.npy")
        name = self.write("n.npy", npy("f32", [math.nan, 1.5]))
        self.assertEqual(self.answer("sum", name, "--digits", "all"), "nan\n")
        self.assertEqual(self.answer("sum", name, "--digits", "all", "--nan", "omit"), "1.5\n")
        self.refuses(4, "sum", name, "--digits", "all", "--nan", "error", says="met a NaN")
        self.assertEqual(self.answer("sum", "-", "--digits", "all", stdin="0.1"), "0.1\n")
        self.assertEqual(self.answer("sum", "-", "--digits", "all", "--as", "f64", stdin="0.5"),
                         "0.5\n")

    def test_digits_are_asked_of_sums_alone(self):
        name = self.write("a.npy", npy("f64", [1]))
        for words in (["--axis", "0"], ["--initial", "1"], ["--dtype-out", "f32"],
                      ["--accuracy", "fast"], ["--by", name]):
            self.refuses(2, "sum", name, "--digits", "all", *words, says="do not go together")
        for op in ("mean", "max", "sum,count", "dot"):
            self.refuses(2, op, *[name] * (1 + (op == "dot")), "--digits", "all",
                         says="is for sum, norm1 and sumsq")
        self.refuses(2, "sum", name, "--digits", "17", says="--digits cannot be '17'")

    def test_elements_are_rounded_to_f64_first_where_that_is_asked_for(self):
        big = 2**53 + 1
        for dtype, endian in (("i64", "<"), ("u64", ">")):
            name = self.write("a.npy", npy(dtype, [big, big, 1], endian=endian))
            self.assertEqual(self.answer("sum", name, "--as", "f64", "--dtype-out", "f64"),
                             "1.8014398509481984e+16\n")
            printed = self.answer("sum,max", name, "--as", "f64", "--axis", "0").split("\n")[1]
            self.assertEqual(printed, "1.8014398509481984e+16\t9007199254740992\ta.npy")
        for dtype in CODES:
            values = [True, False, True] * 50_000 if dtype == "bool" else [3, 1, 2] * 50_000
            name = self.write("a.npy", npy(dtype, values))
            for words in ([], ["--mem-limit", "1M"], ["--accuracy", "fast"]):
                result = self.onefold("sum", name, "--as", "f64", "--json", *words).json()
                self.assertEqual((result["results"][0]["value"], result["results"][0]["dtype"]),
                                 (sum(values), "f64"))
        name = self.write("a.raw", bytes([0, 255, 7]))
        self.assertEqual(self.answer("argmax", name, "--dtype", "u8", "--as", "f64"), "1\n")
        self.refuses(2, "sum", "-", "--format", "raw", "--dtype", "u8", "--shape",
                     f"{2**61},2", "--as", "f64", says="multiplies to 2^63 bytes")

    def test_an_integer_sum_that_does_not_fit_is_refused(self):
        name = self.write("a.npy", npy("i64", [2**63 - 1, 1]))
        self.refuses(4, "sum", name, says="a.npy: the exact sum does not fit i64")
        self.assertEqual(self.answer("sum", name, "--dtype-out", "f64"), 
                         "9.223372036854776e+18\n")
        self.refuses(2, "sum", self.write("b.npy", npy("f64", [1])), "--dtype-out", "i64",
                     says="b.npy")


if __name__ == "__main__":
    unittest.main()
