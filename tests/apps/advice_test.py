#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Advice in messages, followed: the command that a message names gives the answer."""
import os
import re
import shutil
import subprocess
import unittest
import zipfile

from support import PROGRAM, ProgramTest, npy


class Advice(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/onefold").symlink_to(os.path.abspath(PROGRAM))

    def shell(self, command, stdin=""):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, check=False, timeout=60,
                              env={**os.environ, "PATH": path}, input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode()

    @staticmethod
    def can_run(command):
        """Whether its program is here; Miller need not be."""
        return shutil.which("mlr") or not command.startswith("mlr ")


class Tables(Advice):
    def commands(self, said):
        """The commands of a message."""
        found = re.findall(r": ((?:mlr|python3) .*?)(?=, or: |$)", said.strip())
        self.assertTrue(found, said)
        return list(filter(self.can_run, found))

    def test_the_column_of_a_table_that_the_message_prints_is_read(self):
        for name, mark in (("sales.csv", ","), ("sales.tsv", "\t"), ("my 'own' sales.csv", ","),
                           ("-x.csv", ",")):
            with self.subTest(name):
                table = [["product", "price", "amount"], [f'"Bolt{mark} M6"', "5", "10.00"],
                         ['"a ""b"""', "6", "20.25"]]
                self.write(name, "".join(mark.join(row) + "\n" for row in table))
                said = self.refuses(2, "sum", "--", name, says="tables are not read yet")
                self.assertNotIn("cut -d", said)
                self.assertIn(": mlr --icsv", said)
                commands = self.commands(said)
                self.assertTrue(commands[-1].startswith("python3 "))
                for command in commands:
                    self.assertEqual(self.shell(command.replace("NAME", "amount")), "30.25\n")

    def test_an_empty_cell_of_a_printed_column_is_a_missing_value(self):
        self.write("sales.csv", "product,amount\nBolt,1\nGear,\nNut,3\n")
        said = self.refuses(2, "sum", "sales.csv")
        for command in self.commands(said):
            command = command.replace("NAME", "amount")
            self.assertIn("standard input:2:1: an empty line is a missing", self.shell(command))
            self.assertEqual(self.shell(f"{command} --missing skip"), "4\n")

    def test_a_table_that_is_read_as_text_says_how_to_print_a_column(self):
        for mark in ",;|":
            table = f'"a{mark} day"{mark}amount\n1{mark}2.50\n"2{mark} b"{mark}-0.25\n'
            for text in (table, table.replace(f'"a{mark} day"', "day")):
                said = self.refuses(3, "sum", "-", stdin=text, says="standard input:1:1: ")
                self.assertNotIn(" cut -d", said)
                for command in self.commands(said):
                    command = command.replace("NAME", "amount")
                    self.assertEqual(self.shell(f"{command} | onefold sum -", text), "2.25\n")

    def test_a_header_alone_is_left_out(self):
        said = self.refuses(3, "sum", "-", stdin="amount\n2.50\n-0.25\n")
        command = re.search("leave a header out with (tail .*)", said)[1]
        self.assertEqual(self.shell(f"{command} | onefold sum -", "amount\n2.50\n-0.25\n"),
                         "2.25\n")

    def test_an_archive_is_unpacked(self):
        with zipfile.ZipFile(self.folder / "a.npz", "w") as archive:
            archive.writestr("x.npy", npy("f64", [1, 2]))
        said = self.refuses(2, "sum", "a.npz", says="archives of arrays are not read yet")
        self.assertEqual(self.shell(said[:-1].rpartition(": ")[2]), "")
        self.assertEqual(self.answer("sum", "x.npy"), "3\n")


class Marks(Advice):
    def commands(self, text, place):
        """What a message about text advises, by what it is for."""
        said = self.refuses(3, "sum", "-", stdin=text, says=f"standard input:{place}: ")
        return dict(re.findall(r"[;,] ([a-z ]+): (\w+(?: (?:'[^']*'|[^ ,]*,?))*?)(?=, [a-z]|$)",
                               said.strip()))

    def test_a_comma_may_be_four_things_and_each_has_its_command(self):
        for text, meaning, total in (("1,5\n2,25\n", "a decimal comma", "3.75"),
                                     ("1,234\n1,000,000\n", "one between thousands", "1001234"),
                                     ("1,5\n7\n", "one between numbers", "13"),
                                     ("1,5\n2,7\n", "a column of a table", "12")):
            commands = self.commands(text, "1:2")
            self.assertEqual(len(commands), 4, commands)
            if self.can_run(commands[meaning]):
                self.assertEqual(self.shell(f"{commands[meaning]} | onefold sum -", text),
                                 f"{total}\n")

    def test_other_marks_have_theirs(self):
        for text, meaning, total in (("1;5\n7\n", "one between numbers", "13"),
                                     ("1|5\n2|7\n", "a column of a table", "12"),
                                     ("1_000\n", "leave such marks out", "1000"),
                                     ("1'000\n", "leave such marks out", "1000")):
            command = self.commands(text, "1:2")[meaning]
            if not self.can_run(command):
                continue
            self.assertEqual(self.shell(f"{command} | onefold sum -", text), f"{total}\n")

    def test_missing_values_are_left_out_as_the_message_says(self):
        said = self.refuses(4, "sum", "-", stdin="1\nNA\n2\n", says="standard input:2:1: ")
        option = re.search("leave such values out with (--missing [a-z]+)", said)[1]
        self.assertEqual(self.shell(f"onefold sum - {option}", "1\nNA\n2\n"), "3\n")
        said = self.refuses(4, "sum", "-", stdin="1\n\n2\n", says="standard input:2:1: ")
        option = re.search("leave such values out with (--missing [a-z]+)", said)[1]
        self.assertEqual(self.shell(f"onefold sum - {option}", "1\n\n2\n"), "3\n")


class Arrays(Advice):
    def followed(self, option, *words):
        """What a run prints that takes the option which the refusal of the run without it names."""
        said = self.refuses(2 if words[0] == "dot" else 4, *words)
        self.assertIn(f"say {option}", said)
        return self.answer(*words, *option.split())

    def test_an_answer_beyond_its_type_fits_the_type_that_is_named(self):
        self.write("i.npy", npy("i64", [2**63 - 1, 2**63 - 1]))
        self.write("u.npy", npy("u64", [2**64 - 1, 1]))
        for name in ("i.npy", "u.npy"):
            for op in ("sum", "norm1", "sumsq"):
                self.assertGreater(float(self.followed("--dtype-out f64", op, name)), 2.0 ** 63)
        said = self.refuses(4, "sum", "u.npy", "--dtype-out", "u8", says="and a wider type, or f64")
        self.assertNotIn("wider", self.refuses(4, "sum", "u.npy"))
        self.assertIn("does not fit u8", said)

    def test_a_product_beyond_64_bits_is_a_product_of_f64(self):
        name = self.write("i.npy", npy("i64", [2**62, 2**62, -3]))
        expected = repr(-3 * 2.0 ** 124) + "\n"
        self.assertEqual(self.followed("--as f64", "prod", name), expected)
        self.assertEqual(self.followed("--as f64", "prod", name, "--dtype-out", "f64"), expected)
        name = self.write("j.npy", npy("i64", [2**32, 2**31]))
        self.assertEqual(self.followed("--dtype-out f64", "prod", name), "9.223372036854776e+18\n")

    def test_types_that_no_type_holds_are_multiplied_in_f64(self):
        self.write("i.npy", npy("i64", [1, 2]))
        self.write("f.npy", npy("f64", [0.5, 4]))
        self.assertEqual(self.followed("--as f64", "dot", "i.npy", "f.npy"), "8.5\n")


class Options(Advice):
    """(what is refused, the advice in the message, what follows it, what that prints)"""
    CASES = [
        ("sum a.data", "say --format npy, safetensors, text or raw", "sum a.data --format text",
         "3"),
        ("sum bytes.raw", "say --dtype", "sum bytes.raw --dtype u8", "10"),
        ("sum /dev/zero --format raw --dtype u8", "say --shape N",
         "sum /dev/zero --format raw --dtype u8 --shape 9", "0"),
        ("sum x.npy", "name its format with --format", "sum x.npy --format text", "3"),
        ("sum f.npy --dtype f64", "leave --dtype, --shape, --order, --endian and --skip out",
         "sum f.npy", "3.5"),
        ("argmax a.txt", "for argmax say --as f64", "argmax a.txt --as f64", "1"),
        ("sum a.txt --initial 4", "say --as f64 too", "sum a.txt --initial 4 --as f64", "7"),
        ("sum a.txt --axis 0", "leave --axis out", "sum a.txt", "3"),
        ("sum a.txt --dtype-out u8", "say --dtype-out f64, f32 or i64", "sum a.txt --dtype-out f32",
         "3"),
        ("min none.npy", "give one with --initial", "min none.npy --initial 3", "3"),
        ("max n.npy --nan error", "--nan omit leaves it out", "max n.npy --nan omit", "2"),
        ("sum f.npy --keepdims", "say --axis", "sum f.npy --keepdims --axis 0", "3.5"),
        ("sum f.npy --dtype-out i64", "say --dtype-out f16, bf16, f32 or f64",
         "sum f.npy --dtype-out f32", "3.5"),
        ("sum f.npy --dtype-out i64 --accuracy fast", "say --dtype-out f64",
         "sum f.npy --dtype-out f64 --accuracy fast", "3.5"),
        ("sum -d.npy", "'--' comes in front of a name", "sum -- -d.npy", "1"),
        ("--threads 1 sum f.npy", "write: onefold sum FILE --threads", "sum f.npy --threads 1",
         "3.5"),
        ("sum f.npy f.npy --total --accuracy fast", "leave --accuracy fast out",
         "sum f.npy f.npy --total", "3.5\tf.npy\n3.5\tf.npy\n7\ttotal"),
        ("argmin f.npy --total", "leave argmin or --total out", "argmin f.npy", "0"),
        ("dot f.npy", "write: onefold dot A B", "dot f.npy f.npy", "6.25"),
        ("sum,dot f.npy f.npy", "give it a run of its own", "dot f.npy f.npy", "6.25"),
        ("sum,sum f.npy", "name it once", "sum f.npy", "3.5"),
        ("sum f.npy --correction 1", "ask for one of them", "var f.npy --correction 1", "0.125"),
    ]

    def test_the_option_that_a_message_names_gives_an_answer(self):
        self.write("a.data", "1 2")
        self.write("a.txt", "1 2")
        self.write("x.npy", "1 2")
        self.write("bytes.raw", bytes([1, 2, 3, 4]))
        self.write("f.npy", npy("f64", [1.5, 2]))
        self.write("n.npy", npy("f64", [float("nan"), 2]))
        self.write("none.npy", npy("f64", []))
        self.write("-d.npy", npy("f64", [1]))
        for refused, advice, followed, printed in self.CASES:
            with self.subTest(refused):
                done = self.onefold(*refused.split())
                self.assertNotEqual(done.code, 0)
                self.assertIn(advice, done.err)
                self.assertEqual(self.answer(*followed.split()), f"{printed}\n")


class Memory(Advice):
    def test_a_limit_is_raised_where_the_machine_has_the_memory(self):
        name = self.write("a.raw", bytes(3 << 20))
        how = ["--dtype", "f64", "--axis", "0"]
        self.refuses(1, "sum", name, *how, "--mem-limit", "1M", says="; raise it")
        self.assertEqual(self.answer("sum", name, *how, "--mem-limit", "4M"), "0\n")
        with open(self.folder / "big.raw", "wb") as file:
            file.truncate(1 << 42)
        said = self.refuses(1, "sum", "big.raw", *how, "--mem-limit", "1M")
        self.assertIn("; cut the input into parts", said)
        self.assertNotIn("raise it", said)


if __name__ == "__main__":
    unittest.main()
