#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--by: which elements belong to which key, and how groups are printed."""
import random

from reference import answer, is_float
from support import ProgramTest, npy, random_seed

SEED = random_seed.chosen_seed()
OPS = ["sum", "mean", "norm2", "var", "min", "max", "argmin", "argmax", "any", "count_nonzero"]


def grouped(keys, values):
    """The elements of each key and their places, keys ascending."""
    groups = {}
    for place, (key, value) in enumerate(zip(keys, values)):
        groups.setdefault(key, []).append((place, value))
    return dict(sorted(groups.items()))


class Keys(ProgramTest):
    def check(self, key_type, keys, dtype, values):
        self.write("k.npy", npy(key_type, keys))
        self.write("x.npy", npy(dtype, values))
        done = self.onefold(",".join(OPS), "x.npy", "--by", "k.npy", "--json")
        self.assertEqual((done.code, done.err), (0, ""))
        groups = grouped(keys, values)
        for result in done.json()["results"]:
            what = result["operation"]
            self.assertEqual(result["keys"], list(groups))
            self.assertEqual(result["count"], len(values))
            expected = [self.expected(what, group, dtype) for group in groups.values()]
            found = result["hex"] if is_float(result["dtype"]) else result["value"]
            if is_float(result["dtype"]):
                found = [float.fromhex(x) for x in found]
            self.assertEqual(found, expected, (SEED, what))

    @staticmethod
    def expected(what, group, dtype):
        found = answer(what, [value for _, value in group], dtype)
        return group[found][0] if what.startswith("arg") else found

    def test_groups_are_those_of_the_keys(self):
        source = random.Random(SEED)
        for n in (0, 1, 7, 300, 5000):
            for key_type, least, most in (("i64", -2**63, 2**63 - 1), ("u8", 0, 255),
                                          ("i32", -3, 3)):
                keys = [source.randint(least, most) for _ in range(n)]
                if source.random() < 0.3:
                    keys.sort()
                self.check(key_type, keys, "f64",
                           [source.choice((-1, 1)) * source.random() * 10**source.randint(-9, 9)
                            for _ in range(n)])
                self.check(key_type, keys, "i16",
                           [source.randint(-2**15, 2**15 - 1) for _ in range(n)])

    def test_groups_of_too_few_elements_have_the_empty_value(self):
        self.write("k.npy", npy("i32", [7, -1, 7, 2]))
        self.write("x.npy", npy("f64", [1.0, 0.5, 2.0, float("nan")]))
        by = ("x.npy", "--by", "k.npy", "--nan", "omit")
        self.assertEqual(self.answer("min,sum", *by, "--empty-value", "nan"),
                         "key\tmin\tsum\n-1\t0.5\t0.5\n2\tnan\t0\n7\t1\t3\n")
        self.assertEqual(self.answer("sum", *by, "--min-count", "2", "--empty-value=-1"),
                         "key\tsum\n-1\t-1\n2\t-1\n7\t3\n")
        # Answers that are replaced need not fit.
        self.write("wide.npy", npy("i64", [5, 2**62, 5, 2**62]))
        self.write("twice.npy", npy("i32", [7, -1, 7, -1]))
        three = ("--min-count", "3", "--empty-value", "0")
        self.assertEqual(self.answer("sum,prod", "wide.npy", "--by", "twice.npy", *three),
                         "key\tsum\tprod\n-1\t0\t0\n7\t0\t0\n")
        done = self.onefold("sum", *by, "--min-count", "2")
        self.assertEqual(done.code, 4)
        self.assertIn("--empty-value", done.err)
        for option in ("--min-count", "--empty-value"):
            done = self.onefold("sum", "x.npy", option, "1")
            self.assertEqual((done.code, option in done.err), (2, True))

    def test_a_line_for_each_key(self):
        self.write("k.npy", npy("i32", [7, -1, 7]))
        self.write("x.npy", npy("f64", [1e308, 0.5, 1e308]))
        self.assertEqual(self.answer("sum", "x.npy", "--by", "k.npy"),
                         "key\tsum\n-1\t0.5\n7\tinf\n")
        self.assertEqual(self.answer("mean,minmax", "x.npy", "--by", "k.npy"),
                         "key\tmean\tmin\tmax\n-1\t0.5\t0.5\t0.5\n"
                         "7\t1e+308\t1e+308\t1e+308\n")
        self.assertEqual(self.answer("sum", "x.npy", "--by", "k.npy", "--nan", "omit", "--tsv",
                                     "--initial", "1"),
                         "key\tsum\tinput\n-1\t1.5\tx.npy\n7\tinf\tx.npy\n")

    def test_of_nothing_there_are_no_groups(self):
        self.write("k.npy", npy("u64", []))
        self.write("x.npy", npy("f32", []))
        self.assertEqual(self.answer("min", "x.npy", "--by", "k.npy"), "key\tmin\n")

    def test_refusals(self):
        self.write("k.npy", npy("i32", [7, -1, 7]))
        self.write("f.npy", npy("f64", [7, -1, 7]))
        self.write("x.npy", npy("f64", [1, 2]))
        self.write("m.npy", npy("f64", [1, 2, 3], (1, 3)))
        self.write("x.txt", "1 2 3")
        self.refuses(2, "sum", "x.npy", "--by", "k.npy", says="3 keys for 2 values")
        self.refuses(2, "sum", "m.npy", "--by", "k.npy", says="one axis")
        self.refuses(2, "sum", "f.npy", "--by", "f.npy", says="integers")
        self.refuses(2, "sum", "f.npy", "--by", "x.txt", says=".npy")
        self.refuses(2, "sum", "x.txt", "--by", "k.npy", says="--as f64")
        self.refuses(2, "sum", "x.npy", "--by", "k.npy", "--axis", "0", says="--axis")
        self.refuses(2, "sum", "x.npy", "--by", "k.npy", "--total", says="--total")
        self.refuses(2, "dot", "x.npy", "x.npy", "--by", "k.npy", says="dot")
        self.refuses(1, "sum", "f.npy", "--by", "none.npy", says="none.npy")
        self.write("large.npy", npy("i32", [100, 1, 100]))
        self.refuses(4, "sum", "large.npy", "--by", "k.npy", "--dtype-out", "i8",
                     says="does not fit")

    def test_text_as_f64_may_be_grouped(self):
        self.write("k.npy", npy("i32", [2, 1, 2]))
        self.assertEqual(self.answer("sum", "-", "--by", "k.npy", "--as", "f64", stdin="1 2 3"),
                         "key\tsum\n1\t2\n2\t4\n")


if __name__ == "__main__":
    random_seed.main(SEED)
