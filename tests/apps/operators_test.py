#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operator on every element type, against rational numbers."""
import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

from reference import answer, answer_type, bits_of, is_float, nearest
from support import CODES, ProgramTest, elements, npy, random_seed

SEED = random_seed.chosen_seed()
EXACT = ["sum", "mean", "norm1", "norm2", "norminf", "sumsq", "var", "std", "min", "max", "argmin",
         "argmax", "minmax", "any", "all", "count", "count_nonzero"]
BITS = ["bit_and", "bit_or", "bit_xor"]
SPECIALS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def stored(dtype, n, generator):
    """Numbers that the type holds, of many sizes and with repeats."""
    if dtype == "bool":
        return [generator.random() < 0.7 for _ in range(n)]
    if not is_float(dtype):
        bits = int(dtype[1:])
        low = -2 ** (bits - 1) if dtype[0] == "i" else 0
        high = low + 2 ** bits - 1
        edges = [low, high, 0, 1, high - 1]
        # The squares of a thousand of them must fit 64 bits.
        if bits >= 32:
            low, high, edges = max(low, -2 ** 26), 2 ** 26, [0, 1, 7]
        return [generator.choice(edges) if generator.random() < 0.2 else
                generator.randint(low, high) for _ in range(n)]
    reach = {"f16": 6, "f32": 40, "f64": 300}[dtype]
    numbers = [nearest(Fraction(generator.randint(-2 ** 60, 2 ** 60), 2 ** 60) *
                       Fraction(2) ** generator.randint(-reach, reach), dtype) for _ in range(n)]
    return numbers + [-numbers[0], 0.0, -0.0, numbers[0]]


class Operators(ProgramTest):
    def values(self, ops, dtype, data, *words):
        """The answers of JSON by operator, which must have NumPy's types."""
        name = self.write("a.npy", npy(dtype, data))
        done = self.onefold(",".join(ops), name, "--json", *words)
        self.assertEqual((done.code, done.err), (0, ""))
        results = done.json()["results"]
        self.assertEqual([r["operation"] for r in results], ops)
        for result in results:
            self.assertEqual(result["dtype"], answer_type(result["operation"], dtype))
            self.assertEqual(result["count"], len(data))
        return {r["operation"]: r for r in results}

    def same(self, result, expected, context):
        dtype, value = result["dtype"], result["value"]
        if isinstance(expected, list):
            for i, each in enumerate(expected):
                hexes = result["hex"] and result["hex"][i]
                self.same({"dtype": dtype, "value": value[i], "hex": hexes}, each, context)
        elif not is_float(dtype):
            self.assertEqual((value, result["hex"]), (expected, None), context)
        else:
            self.assertEqual(value in SPECIALS, not math.isfinite(expected), context)
            self.assertEqual(bits_of(dtype, float.fromhex(result["hex"])),
                             bits_of(dtype, expected), context)
            shortest = SPECIALS.get(value, None)
            if shortest is None:
                self.assertEqual(nearest(Fraction(repr(value)), dtype), expected, context)

    def agree(self, dtype, data, ops):
        results = self.values(ops, dtype, data)
        for op in ops:
            self.same(results[op], answer(op, data, dtype), (SEED, op, dtype, data[:20]))

    def test_every_operator_on_every_type_is_the_true_answer_rounded_once(self):
        generator = random.Random(SEED)
        for dtype in CODES:
            ops = EXACT + ([] if is_float(dtype) else BITS)
            for n in (1, 2, 9, 1000):
                with self.subTest(dtype=dtype, n=n):
                    self.agree(dtype, stored(dtype, n, generator), ops)

    def test_the_widest_integers_are_rounded_once_into_f64(self):
        generator = random.Random(SEED + 2)
        ops = ["sum", "mean", "norm1", "norm2", "norminf", "sumsq", "var", "std"]
        for dtype in ("i32", "u32", "i64", "u64"):
            bits = int(dtype[1:])
            low = -2 ** (bits - 1) if dtype[0] == "i" else 0
            data = [generator.randint(low, low + 2 ** bits - 1) for _ in range(999)] + [low]
            name = self.write("a.npy", npy(dtype, data))
            lines = self.answer(",".join(ops), name, "--dtype-out", "f64").split("\n")
            printed = lines[1].split("\t")
            for op, text in zip(ops, printed):
                self.assertEqual(float(text), answer(op, data, dtype, out="f64"), (SEED, dtype, op))

    def test_one_operator_alone_says_the_same_as_all_together(self):
        generator = random.Random(SEED + 1)
        data = stored("f32", 300, generator)
        together = self.values(EXACT, "f32", data)
        for op in EXACT:
            alone = self.values([op], "f32", data)[op]
            self.assertEqual(alone, together[op])
        name = self.write("a.npy", npy("f32", data))
        for level in ("exact", "fast"):
            for op in ("sum", "max", "prod", "logsumexp"):
                alone = self.answer(op, name, "--accuracy", level, "--hex")
                row = self.answer(f"{op},count", name, "--accuracy", level, "--hex").split("\n")[1]
                self.assertEqual(row.split("\t")[0], alone[:-1])

    def test_nan_infinities_and_zeros_follow_the_policies(self):
        inf, nan = math.inf, math.nan
        floats = [op for op in EXACT if op not in ("var", "std")]
        for data in ([inf, 1.0], [-inf, 1.0], [inf, -inf], [1.0, nan, -2.0], [nan], [-0.0, -0.0],
                     [-0.0, 0.0], [0.0, -0.0, 1.0], [1e308, 1e308, -1e308], [5e-324, 5e-324]):
            with self.subTest(data):
                self.agree("f64", data, floats)

    def test_nan_omit_is_as_if_the_nans_were_not_there(self):
        data = [1.5, math.nan, -2.25, math.nan, 0.0, 7.0]
        kept = [x for x in data if not math.isnan(x)]
        ops = [op for op in EXACT if not op.startswith("arg")] + ["prod", "logsumexp"]
        with_nans = self.values(ops, "f64", data, "--nan", "omit")
        without = self.values(ops, "f64", kept)
        for op in ops:
            self.assertEqual(with_nans[op]["hex"], without[op]["hex"], op)
            self.assertEqual(with_nans[op]["value"], without[op]["value"], op)
        name = self.write("a.npy", npy("f64", data))
        self.assertEqual(self.answer("argmin,argmax", name, "--nan", "omit").split("\n")[1],
                         "2\t5\ta.npy")

    def test_corrections_divide_by_less(self):
        data = [1.0, 2.5, 4.0, 10.0]
        name = self.write("a.npy", npy("f64", data))
        for correction in (0, 1, 3, 0.5, 1.5, -2.25, 1e-300, -1e300):
            for op in ("var", "std"):
                printed = self.answer(op, name, f"--correction={correction}")
                self.assertEqual(float(printed), answer(op, data, "f64", Fraction(correction)))

    def test_products_of_integers_are_exact_and_of_floats_bounded(self):
        name = self.write("a.npy", npy("i16", [3, -5, 7, 11]))
        self.assertEqual(self.answer("prod", name), "-1155\n")
        name = self.write("b.npy", npy("f64", [2.0 ** 600, 2.0 ** 600, 2.0 ** -1000, 3.0]))
        self.assertEqual(float(self.answer("prod", name)), 3 * 2.0 ** 200)
        result = self.onefold("prod", name, "--json").json()["results"][0]
        self.assertEqual(result["level"], "bounded")
        result = self.onefold("prod", "a.npy", "--json").json()["results"][0]
        self.assertEqual(result["level"], "exact")

    def test_logsumexp_neither_overflows_nor_loses_the_small(self):
        for data in ([1000.0, 1000.0], [-1e4, -1e4 + 1], [0.0, -700.0, 2.5], [3.25]):
            with localcontext() as context:
                context.prec = 60
                true = sum(Decimal(x).exp() for x in data).ln()
            printed = float(self.answer("logsumexp", self.write("a.npy", npy("f64", data))))
            # docs/numerics/logsumexp.md, Theorem 7, and one rounding.
            bound = Decimal(2) ** Decimal("-51.8") + abs(true) * Decimal(2) ** -100 + \
                Decimal(math.ulp(float(true))) / 2
            self.assertLessEqual(abs(Decimal(printed) - true), bound)

    def test_bfloat16_comes_as_raw(self):
        import struct
        data = [1.5, -0.25, 3.0, -96.0]
        raw = b"".join(struct.pack(">f", x)[:2] for x in data)
        name = self.write("a.raw", raw)
        how = ["--dtype", "bf16", "--endian", "big"]
        for op in EXACT:
            printed = self.answer(op, name, *how)[:-1].split("\t")
            expected = answer(op, data, "bf16")
            expected = expected if isinstance(expected, list) else [expected]
            self.assertEqual([float(x) for x in printed], [float(x) for x in expected], op)


class SixteenBits(ProgramTest):
    def test_a_sum_beyond_the_format_is_no_infinity(self):
        for dtype, data in (("f16", elements("f16", [1.0])), ("bf16", b"\x80\x3f")):
            name = self.write("ones.raw", data * 100_000)
            how = ["--dtype", dtype]
            self.assertEqual(self.answer("sum", name, *how), "100000\n")
            self.assertEqual(self.answer("sum", name, *how, "--accuracy", "fast"), "100000\n")
            self.assertEqual(self.answer("sum", name, *how, "--dtype-out", dtype),
                             "inf\n" if dtype == "f16" else "99840\n")
        name = self.write("ones16.npy", npy("f16", [1.0] * 100_000))
        self.assertEqual(self.answer("sum", name), "100000\n")
        self.assertEqual(self.answer("sum", name, name, "--total").split("\n")[2], "200000\ttotal")
        self.assertEqual(self.answer("dot", name, name), "100000\n")
        self.write("k.npy", npy("bool", [True] * 100_000))
        self.assertEqual(self.answer("sum", name, "--by", "k.npy"), "key\tsum\n1\t100000\n")
        self.assertEqual(self.answer("sum", name, "--axis", "0"), "100000\n")

    def test_every_floating_answer_is_f64(self):
        name = self.write("a.npy", npy("f16", [0.1, 2]))
        ops = ["sum", "mean", "norm1", "norm2", "norminf", "sumsq", "var", "std", "min", "max",
               "minmax", "prod", "logsumexp"]
        for words in ([",".join(ops)], ["stats"]):
            for result in self.onefold(words[0], name, "--json").json()["results"]:
                integer = result["operation"] in ("count", "nan", "argmin", "argmax")
                self.assertEqual(result["dtype"], "i64" if integer else "f64", result)
        self.assertEqual(self.answer("min", name), "0.0999755859375\n")
        self.assertEqual(self.answer("min", name, "--dtype-out", "f16"), "0.1\n")


class Dot(ProgramTest):
    def test_two_inputs_of_any_types_multiply(self):
        a, b = [1.5, -2.0, 0.1], [4, 5, 6]
        self.write("a.npy", npy("f64", a))
        self.write("b.npy", npy("i8", b))
        expected = float(sum(Fraction(x) * y for x, y in zip(a, b)))
        self.assertEqual(float(self.answer("dot", "a.npy", "b.npy")), expected)
        self.assertEqual(float(self.answer("dot", "b.npy", "a.npy")), expected)
        self.assertEqual(self.answer("dot", "b.npy", "b.npy"), "77\n")

    def test_raw_and_standard_input_and_text_multiply_too(self):
        data = elements("f32", [1, 2, 3])
        self.write("a.raw", data)
        self.assertEqual(self.answer("dot", "a.raw", "-", "--format", "raw", "--dtype", "f32",
                                     stdin=data), "14\n")
        self.assertEqual(self.answer("dot", self.write("a.txt", "1 2 3"), "-", "--as", "f64",
                                     stdin="4 5 6"), "32\n")

    def test_axes_give_an_answer_each(self):
        self.write("a.npy", npy("i32", range(6), (2, 3)))
        self.write("b.npy", npy("i32", range(6), (2, 3), "F"))
        rows = [[0, 1, 2], [3, 4, 5]]
        columns = [[0, 2, 4], [1, 3, 5]]
        expected = [sum(x * y for x, y in zip(*pair)) for pair in zip(rows, columns)]
        self.assertEqual(self.answer("dot", "a.npy", "b.npy", "--axis", "1"),
                         "".join(f"{x}\n" for x in expected))

    def test_inputs_that_do_not_go_together_are_refused(self):
        self.write("a.npy", npy("f64", [1, 2]))
        self.write("b.npy", npy("f64", [1, 2, 3]))
        self.write("c.npy", npy("f64", [1, 2], (2, 1)))
        self.write("i.npy", npy("i64", [1, 2]))
        self.refuses(2, "dot", "a.npy", "b.npy", says="a.npy b.npy: ")
        self.refuses(2, "dot", "a.npy", "c.npy", says="a.npy c.npy: ")
        self.refuses(2, "dot", "a.npy", "i.npy", says="no element type holds both")
        self.refuses(2, "dot", "a.npy", says="dot takes two inputs, not 1")
        self.refuses(2, "dot", "a.npy", "a.npy", "a.npy", says="dot takes two inputs, not 3")
        self.refuses(2, "dot,sum", "a.npy", "a.npy", says="give it a run of its own")
        self.refuses(2, "dot", "a.npy", "a.npy", "--total", says="--total")
        self.refuses(2, "dot", "-", "-", stdin="1", says="name it once")
        self.refuses(2, "dot", self.write("a.txt", "1"), "a.txt", says="for dot say --as f64")


if __name__ == "__main__":
    random_seed.main(SEED)
