#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mpirun onefold … --ranks` next to the same command without: the same bytes, or one error."""
import os
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "apps"))
from support import PROGRAM, ProgramTest, Run, elements, npy, random_seed  # noqa: E402

LAUNCHER = os.environ.get("ONEFOLD_MPIRUN", "mpirun -n").split()  # the number of ranks follows
SEED = random_seed.chosen_seed()
FLOAT_OPS = ("sum,mean,norm1,norm2,norminf,sumsq,var,std,min,max,argmin,argmax,minmax,any,all,"
             "count,count_nonzero,logsumexp")
INTEGER_OPS = FLOAT_OPS + ",bit_and,bit_or,bit_xor,prod"
WORD_BYTES = 2 ** 20


class Ranks(ProgramTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)

    def launch(self, *words):
        """Runs the words after the launcher; a hang is a failure. Open MPI ends the ranks of a
        failed job at once, and does not wait for a second."""
        done = subprocess.run([*LAUNCHER, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=60,
                              env={**os.environ, "OMPI_MCA_odls_base_sigkill_timeout": "0"})
        return Run(done)

    def ranks(self, count, *words):
        return self.launch(str(count), PROGRAM, *words, "--ranks")

    def expect_same(self, count, *words):
        alone, many = self.onefold(*words, "--json"), self.ranks(count, *words, "--json")
        self.assertEqual(many.results(), alone.results(), (count, words, many.err))
        self.assertEqual(many.code, alone.code)

    def refused(self, done, code, *says):
        self.assertEqual((done.code, done.out), (code, ""), done.err)
        self.assertEqual(done.err.count("onefold: "), 1, done.err)
        for part in says:
            self.assertIn(part, done.err)

    def floats(self, count):
        special = (0.0, -0.0, 1e308, -1e308, 5e-324, 1.0)
        return [self.random.choice(special) if self.random.random() < 0.2 else
                self.random.uniform(-1, 1) * 10.0 ** self.random.randint(-300, 300)
                for _ in range(count)]

    def integers(self, dtype, count):
        bits = int(dtype[1:])
        low = 0 if dtype[0] == "u" else -2 ** (bits - 1)
        return [self.random.randint(low, low + 2 ** bits - 1) for _ in range(count)]

    def test_the_same_answers(self):
        halves = [self.random.uniform(-6e4, 6e4) for _ in range(self.random.randint(1, 200))]
        names = [self.write("halves.npy", npy("f16", halves, (1, len(halves)))),
                 self.write("one.npy", npy("f64", self.floats(1))),
                 self.write("empty.npy", npy("f64", [])),
                 self.write("zeros.npy", npy("f32", [-0.0] * self.random.randint(1, 9))),
                 self.write("nan.npy", npy("f64", [*self.floats(5), float("nan")])),
                 self.write("big.npy", npy("f64", self.floats(2000) * 600, endian=">"))]
        for count in (1, 2, 3, 5, 8):
            self.expect_same(count, FLOAT_OPS, *names, "--nan", "omit")

    def test_the_same_answers_of_integers_and_raw_elements(self):
        names = [self.write(f"{dtype}.npy", npy(dtype, self.integers(dtype, length)))
                 for dtype, length in (("u8", 1), ("i16", 7), ("i64", 301), ("u64", 20))]
        self.expect_same(3, INTEGER_OPS, *names)
        x = self.write("x.raw", b"skip" + elements("f32", [self.random.gauss(0, 1)
                                                           for _ in range(40)], ">"))
        self.expect_same(3, "sum,mean", x, "--skip", "4", "--endian", "big", "--dtype", "f32",
                         "--shape", "4,9", "--as", "f64", "--first-index", "0")

    def test_dot(self):
        x = self.write("x.npy", npy("f64", self.floats(35), (5, 7)))
        y = self.write("y.npy", npy("f32", [self.random.gauss(0, 1) for _ in range(35)], (5, 7)))
        self.expect_same(3, "dot", x, y)
        z = self.write("z.npy", npy("f32", [1.0] * 35, (7, 5)))
        self.refused(self.ranks(2, "dot", x, z), 2, "x.npy z.npy: ", "(5, 7)", "(7, 5)")

    def test_files_of_the_first_rank(self):
        names = [self.write(f"{i}.npy", npy("f64", self.floats(10))) for i in range(3)]
        words = ("sum", *names, "--total", "--hex")
        alone = self.onefold(*words, "--state-out", "alone.state")
        many = self.ranks(2, *words, "--state-out", "many.state")
        self.assertEqual((many.out, many.code), (alone.out, 0), many.err)
        self.assertEqual((self.folder / "many.state").read_bytes(),
                         (self.folder / "alone.state").read_bytes())
        done = self.ranks(2, "sum,mean", names[0], "-o", "out.tsv")
        self.assertEqual((done.out, done.code), ("", 0), done.err)
        self.assertEqual((self.folder / "out.tsv").read_text(),
                         self.answer("sum,mean", names[0]))
        self.refused(self.ranks(2, "sum", names[0], "-o", "none/out.tsv"), 1, "none/out.tsv")

    def test_what_is_refused_by_name(self):
        self.write("x.npy", npy("f64", [1.0] * 4))
        self.write("x.txt", "1 2 3")
        self.write("f.npy", npy("f64", [1.0] * 4, (2, 2), "F"))
        self.write("m.safetensors", (2).to_bytes(8, "little") + b"{}")
        # Without mpirun the program is a job of one.
        for word, says in (("--axis=0", "--ranks and --axis"), ("--nonsense", "--nonsense")):
            self.refused(self.onefold("sum", "x.npy", word, "--ranks"), 2, says)
        self.refused(self.onefold("sum", "x.npy", "--ranks=true"), 2, "--ranks takes no value")
        done = self.onefold("sum", "-", "--format", "npy", "--ranks", stdin=npy("f64", [1.0]))
        self.refused(done, 2, "standard input: --ranks reads a part of a file")
        done = self.ranks(2, "sum,argmin", "x.txt", "-", "f.npy", "m.safetensors", "x.npy",
                          "--format", "auto")
        for says in ("x.txt: --ranks takes .npy files", "m.safetensors: --ranks takes one array",
                     "f.npy: argmin of column-major data", "-: "):
            self.assertIn(says, done.err)
        self.assertEqual((done.code, done.out), (2, "sum\targmin\tinput\n4\t0\tx.npy\n"))

    def test_an_error_of_one_rank_is_an_error_of_all(self):
        def two(*second):
            return self.launch("1", PROGRAM, "sum", "x.npy", "--ranks", ":", *second)
        (self.folder / "other").mkdir()
        there = ("--wdir", str(self.folder / "other"), LAUNCHER[-1], "1", PROGRAM)
        self.write("x.npy", npy("f64", [1.0] * 4))
        self.refused(two(*there, "sum", "x.npy", "--ranks"), 1, "rank 1: x.npy: cannot be read")
        self.write("other/x.npy", npy("f64", [1.0] * 5))
        self.refused(two(*there, "sum", "x.npy", "--ranks"), 2, "not the same number of elements")
        self.write("other/x.npy", npy("f32", [1.0] * 4))
        self.refused(two(*there, "sum", "x.npy", "--ranks"), 2, "from f32 to f64")
        self.refused(two(LAUNCHER[-1], "1", PROGRAM, "mean", "x.npy", "--ranks"), 2,
                     "different command lines")

    def test_a_rank_that_dies_ends_the_job(self):
        self.write("x.npy", npy("f64", [1.0] * 4))
        done = self.launch("1", PROGRAM, "sum", "x.npy", "--ranks", ":", LAUNCHER[-1], "1", "sh",
                           "-c", "kill -9 $$")
        self.assertNotEqual(done.code, 0)
        self.assertEqual(done.out, "")
        self.assertNotEqual(done.err, "")  # MPI's message, which is not the same in every run

    def test_a_rank_reads_its_share_alone(self):
        words = 16
        self.write("x.raw", elements("f64", [0.5]) * (words * WORD_BYTES // 8))
        program = f"{PROGRAM} sum x.raw --dtype f64 --ranks"
        done = self.launch("4", "sh", "-c", f"{program}; grep rchar /proc/$$/io")
        read = [int(line.split()[1]) for line in done.out.splitlines() if "rchar" in line]
        self.assertIn(f"{words * WORD_BYTES // 16}\n", done.out.replace("\r", ""))
        self.assertEqual(len(read), 4, done.err)
        # A quarter, and less than another quarter of all that a process reads when it starts.
        for got in read:
            self.assertGreaterEqual(got, words * WORD_BYTES // 4)
            self.assertLess(got, words * WORD_BYTES // 2)

    def test_without_the_module(self):
        shutil.copy(PROGRAM, self.folder / "onefold")
        self.write("x.npy", npy("f64", [1.0]))
        words = [self.folder / "onefold", "sum", "x.npy", "--ranks", "--json"]
        for module, says in ((None, "build onefold where CMake finds MPI"),
                             (b"", "install the MPI that it was built with")):
            if module is not None:
                self.write("onefold_mpi.so", module)
            done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stdout)


if __name__ == "__main__":
    random_seed.main(SEED)
