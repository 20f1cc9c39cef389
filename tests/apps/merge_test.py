#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""States in files: the bits of one run, in any order; subtraction; words in text and in SQL."""
import contextlib
import itertools
import random
import sqlite3
import struct

try:
    import duckdb
except ImportError:
    duckdb = None

from support import ProgramTest, npy, random_seed

SEED = random_seed.chosen_seed()
OPS = {"sum": "f64", "mean": "f32", "norm1": "f64", "norm2": "f32", "sumsq": "f64", "var": "f64",
       "std": "f32", "any": "i16", "all": "f32", "count": "f64", "count_nonzero": "u8",
       "bit_xor": "u32", "bit_and": "i64", "min": "f64", "max": "f32", "minmax": "i8",
       "norminf": "f64", "logsumexp": "f32"}


class Merge(ProgramTest):
    def numbers(self, dtype, count):
        if dtype[0] == "f":
            return [self.random.uniform(-1, 1) * 10.0 ** self.random.randint(-30, 30)
                    for _ in range(count)]
        bits = int(dtype[1:])
        low = 0 if dtype[0] == "u" else -2 ** (bits - 1)
        return [self.random.randint(low, low + 2 ** bits - 1) for _ in range(count)]

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)

    def state(self, op, name, dtype, values, *options):
        """Writes an array and its state."""
        self.write(f"{name}.npy", npy(dtype, values))
        self.answer(op, f"{name}.npy", "--state-out", f"{name}.state", *options)
        return f"{name}.state"

    def test_states_merge_in_any_order_to_the_bits_of_one_run(self):
        for op, dtype in OPS.items():
            with self.subTest(op=op):
                parts = [self.numbers(dtype, count) for count in (5, 0, 40, 1)]
                if op in ("min", "max", "minmax"):
                    parts[1] = self.numbers(dtype, 1)
                self.write("all.npy", npy(dtype, list(itertools.chain(*parts))))
                whole = self.answer(op, "all.npy", "--hex")
                states = [self.state(op, f"part{i}", dtype, part) for i, part in enumerate(parts)]
                for order in itertools.islice(itertools.permutations(states), 0, None, 5):
                    self.assertEqual(self.answer("merge", *order, "--hex"), whole)
                if op in ("min", "max", "minmax", "norminf"):
                    continue  # their states have positions, which begin at 0 in every file
                self.answer("merge", *states, "--state-out", "merged.state")
                self.answer(op, "all.npy", "--state-out", "whole.state")
                self.assertEqual((self.folder / "merged.state").read_bytes(),
                                 (self.folder / "whole.state").read_bytes())

    def test_dot_and_totals_and_large_files_have_states(self):
        x, y = self.numbers("f64", 30), self.numbers("f64", 30)
        self.write("x.npy", npy("f64", x)), self.write("y.npy", npy("f64", y))
        whole = self.answer("dot", "x.npy", "y.npy", "--hex")
        for name, part in (("a", slice(0, 11)), ("b", slice(11, 30))):
            self.write("p.npy", npy("f64", x[part])), self.write("q.npy", npy("f64", y[part]))
            self.answer("dot", "p.npy", "q.npy", "--state-out", f"{name}.state")
        self.assertEqual(self.answer("merge", "b.state", "a.state", "--hex"), whole)

        total = self.answer("sum", "x.npy", "y.npy", "--total", "--state-out", "t.state", "--hex")
        self.assertEqual(total.splitlines()[-1].split("\t")[0] + "\n",
                         self.answer("merge", "t.state", "--hex"))

        large = struct.pack("<d", 0.1) * 2 ** 23
        self.write("large.raw", large)
        whole = self.answer("sum", "large.raw", "--dtype", "f64", "--state-out", "large.state")
        self.assertEqual(self.answer("merge", "large.state"), whole)

    def test_ordered_states_merge_in_the_order_of_the_files(self):
        x = [self.random.uniform(0.5, 2) for _ in range(20)]
        self.write("all.npy", npy("f64", x))
        self.state("prod", "a", "f64", x[:8]), self.state("prod", "b", "f64", x[8:])
        merged = self.answer("merge", "a.state", "b.state")
        self.assertAlmostEqual(float(merged) / float(self.answer("prod", "all.npy")), 1, 12)

    def test_subtract_removes_elements_exactly(self):
        self.state("sum", "week", "f64", [1e100, 0.1, -3.0, 1e-300])
        self.state("sum", "monday", "f64", [1e100])
        self.state("sum", "rest", "f64", [0.1, -3.0, 1e-300])
        rest = self.answer("merge", "rest.state", "--digits", "all")
        self.assertEqual(self.answer("merge", "week.state", "--subtract", "monday.state",
                                     "--digits", "all"), rest)
        self.refuses(2, "merge", "monday.state", "--subtract", "week.state",
                     says=("week.state: ", "has not all elements"))
        self.state("logsumexp", "far", "f64", [1000.0, -1000.0])
        self.state("logsumexp", "near", "f64", [1000.0])
        self.refuses(2, "merge", "far.state", "--subtract", "near.state",
                     says="near.state: all elements near the largest one are removed")
        self.state("max", "most", "f64", [1.0])
        self.refuses(2, "merge", "most.state", "--subtract", "most.state",
                     says="most.state: a state of max does not subtract")

    def test_options_of_the_rounding(self):
        self.state("var", "v", "f64", [1.0, 2.0, 4.0, float("nan")])
        self.assertEqual(self.answer("merge", "v.state"), "nan\n")
        self.write("w.npy", npy("f64", [1.0, 2.0, 4.0]))
        self.assertEqual(self.answer("merge", "v.state", "--nan", "omit", "--correction", "1"),
                         self.answer("var", "w.npy", "--correction", "1"))
        self.assertEqual(self.answer("merge", "v.state", "--nan", "omit", "--dtype-out", "f32"),
                         self.answer("var", "w.npy", "--dtype-out", "f32"))
        result = self.onefold("merge", "v.state", "--json").results()[0]
        self.assertEqual((result["input"], result["operation"], result["count"]),
                         (None, "var", "4"))
        self.state("sum", "s", "f64", [1.0])
        self.refuses(2, "merge", "s.state", "--correction", "1", says="--correction is for var")
        self.refuses(4, "merge", "v.state", "--nan", "error", says="NaN")

    def test_words_add_as_text(self):
        op, dtype, x = "sum", "f64", [1e308, 1e308, -1e308, 0.1, 1e-320]
        self.write("all.npy", npy(dtype, x))
        lines = [self.answer("merge", self.state(op, f"p{i}", dtype, x[i:i + 2]), "--words")
                 for i in range(0, len(x), 2)]
        self.assertEqual(len(lines[0].split(",")), 76)
        self.random.shuffle(lines)
        whole = self.answer(op, "all.npy", "--hex")
        for separator in (",", " ", "\t", "|"):
            text = "\n".join(line.replace(",", separator) for line in lines)
            self.assertEqual(self.answer("merge", "-", "--additive", "--hex", stdin=text), whole)
        self.write("a.words", lines[0]), self.write("b.words", "".join(lines[1:]))
        self.assertEqual(self.answer("merge", "b.words", "a.words", "--additive", "--hex"), whole)
        again = self.answer("merge", "b.words", "a.words", "--additive", "--words")
        self.assertEqual(again.split(",")[0], "1")

    def test_words_of_exponentials_add_in_every_band(self):
        x = [float(self.random.randrange(-2, 3) * 512 + self.random.randrange(-255, 255))
             for _ in range(12)] + [float("-inf")]
        self.write("all.npy", npy("f32", x))
        whole = self.answer("logsumexp", "all.npy", "--hex")
        lines = [self.answer("merge", self.state("logsumexp", "p", "f32", x[i:i + 3]), "--words")
                 for i in range(0, len(x), 3)]
        self.assertEqual(len(lines[0].split(",")), 71)
        self.assertEqual(self.answer("merge", "-", "--additive", "--hex", stdin="".join(lines)),
                         whole)
        keyed = "".join(f"{key},{line}" for key in "ab" for line in lines)
        self.assertEqual(self.answer("merge", "-", "--additive", "--by-key", "--hex", stdin=keyed),
                         f"logsumexp\tinput\n{whole.strip()}\ta\n{whole.strip()}\tb\n")
        words = [[int(word) for word in self.answer("merge", state, "--words").split(",")]
                 for state in (self.state("logsumexp", "a", "f32", [1.0]),
                               self.state("logsumexp", "b", "f32", [1000.0]))]
        mixed = ",".join(str(a + b) for a, b in zip(*words))
        self.refuses(2, "merge", "-", "--additive", stdin=mixed, says="in different bands")

    def test_words_add_in_sqlite(self):
        self.add_in_sql(sqlite3.connect)

    def test_words_add_in_duckdb(self):
        if duckdb is None:
            self.skipTest("no DuckDB")
        self.add_in_sql(duckdb.connect)

    def add_in_sql(self, connect):
        for op, dtype in (("sum", "f64"), ("var", "f32"), ("mean", "i64"), ("any", "u8"),
                          ("logsumexp", "f64")):
            x = self.numbers(dtype, 24)
            self.write("all.npy", npy(dtype, x))
            rows = [self.answer("merge", self.state(op, "p", dtype, x[i:i + 3]), "--words")
                    for i in range(0, len(x), 3)]
            rows = [[int(word) for word in row.split(",")] for row in rows]
            columns = [f"w{i}" for i in range(len(rows[0]))]
            with contextlib.closing(connect(":memory:")) as sums:
                sums.execute(f"create table states ({', '.join(f'{c} bigint' for c in columns)})")
                sums.executemany(f"insert into states values ({', '.join('?' * len(columns))})",
                                 rows)
                band = "group by w3, w4, w5, w6" if op == "logsumexp" else ""
                added = sums.execute(f"select {', '.join(f'sum({c})' for c in columns)} "
                                     f"from states {band}").fetchall()
            text = "\n".join("|".join(str(word) for word in row) for row in added)
            self.assertEqual(self.answer("merge", "-", "--additive", "--hex", stdin=text),
                             self.answer(op, "all.npy", "--hex"))

    def test_groups_of_rows_add_in_sqlite(self):
        self.group_in_sql(sqlite3.connect)

    def test_groups_of_rows_add_in_duckdb(self):
        if duckdb is None:
            self.skipTest("no DuckDB")
        self.group_in_sql(duckdb.connect)

    def group_in_sql(self, connect):
        op, dtype, regions = "mean", "f64", ("north", "New York", "-7", "x")
        elements = {region: [] for region in regions}
        rows = []
        for i in range(20):
            region = regions[i if i < 4 else self.random.randrange(4)]
            x = self.numbers(dtype, 3)
            elements[region] += x
            words = self.answer("merge", self.state(op, "p", dtype, x), "--words")
            rows.append([region, *map(int, words.split(","))])
        columns = [f"w{i}" for i in range(len(rows[0]) - 1)]
        with contextlib.closing(connect(":memory:")) as sums:
            sums.execute("create table states (region varchar, "
                         f"{', '.join(f'{c} bigint' for c in columns)})")
            sums.executemany(f"insert into states values ({', '.join('?' * len(rows[0]))})", rows)
            added = sums.execute(f"select region, {', '.join(f'sum({c})' for c in columns)} "
                                 "from states group by region order by region desc").fetchall()
        expected = "mean\tinput\n"
        for region, *_ in added:
            self.write("all.npy", npy(dtype, elements[region]))
            expected += self.answer(op, "all.npy", "--hex").rstrip() + f"\t{region}\n"
        for separator in "|,\t":
            text = "\n".join(separator.join(map(str, row)) for row in added)
            self.assertEqual(self.answer("merge", "-", "--additive", "--by-key", "--hex",
                                         stdin=text), expected)
        text = "".join(separator.join(map(str, row)) + "\n" for row in rows)
        done = self.onefold("merge", "-", "--additive", "--by-key", "--json", stdin=text)
        self.assertEqual([(each["input"], each["count"]) for each in done.results()],
                         [(region, str(len(elements[region]))) for region in regions])

    def test_bad_keys_are_refused(self):
        words = self.answer("merge", self.state("sum", "s", "f32", [1.0, 2.0]), "--words")
        keyed = ("merge", "-", "--additive", "--by-key")
        self.assertEqual(self.answer(*keyed, stdin=f"a b {words}".replace(",", " ")[2:]),
                         "sum\tinput\n3\tb\n")
        mean = self.answer("merge", self.state("mean", "m", "f32", [1.0, 2.0]), "--words")
        self.refuses(2, *keyed, stdin=f"a,{words}a,{mean}", says=("a: ", "different operators"))
        self.refuses(2, *keyed, stdin=f"a,{words}a,1,2", says="line 2 has 2 words")
        self.refuses(3, *keyed, stdin=f"a,b,{words}", says="line 1: 'b' is no integer")
        self.refuses(3, *keyed, stdin="a\n", says="a: ")
        self.refuses(3, *keyed, stdin="\n", says="no line of words")
        self.refuses(2, "merge", "s.state", "--by-key", says="--by-key needs --additive")
        for option in ("--words", "--subtract=s.state", "--state-out=x.state"):
            self.refuses(2, *keyed, option, stdin=f"a,{words}", says="--by-key and --")

    def test_bad_states_are_refused(self):
        good = (self.folder / self.state("sum", "s", "f32", [1.0, 2.0])).read_bytes()
        self.state("mean", "m", "f32", [1.0])
        self.state("sum", "d", "f64", [1.0])
        for other in ("m.state", "d.state"):
            self.refuses(2, "merge", "s.state", other, says=(f"{other}: ", "cannot merge into"))
        for bad, says in ((b"", "does not begin with"), (good[:-1], "do not fit together"),
                          (good[:12], "does not begin with"),
                          (good[:7] + b"\2" + good[8:], "its version is 2"),
                          (good + b"x", "does not begin with"),
                          (good[:8] + b"\x63" + good[9:], "operator or element type is unknown"),
                          (npy("f64", [1.0]), "does not begin with"),
                          (bytes(70000), "more than 65536 bytes")):
            self.write("bad.state", bad)
            self.refuses(3, "merge", "s.state", "bad.state", says=("bad.state: ", says))
        self.refuses(1, "merge", "none.state", says="no such file")
        self.refuses(2, "merge", says="INPUT is missing")
        self.refuses(2, "merge", "-", "--subtract", "-", says="standard input")

    def test_bad_words_are_refused(self):
        words = self.answer("merge", self.state("sum", "s", "f32", [1.0, 2.0]), "--words")
        mean = self.answer("merge", self.state("mean", "m", "f32", [1.0, 2.0]), "--words")
        later = words.split(",")
        later[1] = str(int(later[1]) + 1024)
        later[2] = str(int(later[1]) ** 2)
        most = ",".join(str(int(word) * (2 ** 31 - 1)) for word in words.split(","))
        for code, text, says in (
                (2, words + mean, "different operators"), (3, "", "no line of words"),
                (3, words + "1,2,x", "line 2: 'x' is no integer"),
                (3, words.replace(",", ".5,", 1), "line 1: '1.5' is no integer"),
                (2, words + "1,2", "line 2 has 2 words, and the one before has 20"),
                (3, words.rsplit(",", 1)[0], "19 words for sum of f32, which has 20"),
                (3, ",".join(later), "their version is 2"), (4, most + "\n" + words, "2^31"),
                (3, str(2 ** 63), "is no integer of 64 bits"),
                (4, f"{2 ** 63 - 1}\n1", "leaves 64 bits")):
            self.refuses(code, "merge", "-", "--additive", stdin=text, says=says)
        self.state("min", "x", "f32", [1.0])
        self.refuses(2, "merge", "x.state", "--words", says="a state of min is no sum")

    def test_reductions_without_a_state_are_refused(self):
        self.write("a.npy", npy("f64", [1.0, 2.0]))
        self.write("f.npy", npy("f64", [1.0, 2.0, 3.0, 4.0], (2, 2), "F"))
        self.write("a.txt", "1 2 3")
        for options, says in (
                (("sum,mean", "a.npy"), "one operator"), (("sum", "a.npy", "a.npy"), "--total"),
                (("sum", "a.npy", "--axis", "0"), "--axis"),
                (("sum", "a.npy", "--accuracy", "fast"), "--accuracy fast"),
                (("sum", "a.npy", "--initial", "1"), "--initial"),
                (("sum", "a.npy", "-o", "x"), "--out"), (("sum", "a.txt"), "--as f64"),
                (("argmin", "f.npy"), "row-major")):
            self.refuses(2, *options, "--state-out", "s.state", says=says)
            self.assertFalse((self.folder / "s.state").exists())
        self.refuses(2, "sum", "a.npy", "--state-out", "a.npy", says="a.npy")
        self.refuses(1, "sum", "a.npy", "--state-out", "none/s.state", says="none/s.state")
        self.refuses(1, "sum", "none.npy", "--state-out", "s.state", says="no such file")
        self.assertFalse((self.folder / "s.state").exists())
        self.assertEqual(self.answer("sum", "a.txt", "--as", "f64", "--state-out", "s.state"),
                         "6\n")


if __name__ == "__main__":
    random_seed.main(SEED)
