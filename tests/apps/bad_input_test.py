#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad files: the exit code, the sentence, and no more memory than a good file takes."""
import os
import resource
import struct
import subprocess
import unittest

from support import PROGRAM, ProgramTest, elements, npy, npy_header

GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
MAGIC = b"\x93NUMPY"
MEMORY_LIMIT = 64 << 20


class HostileHeaders(ProgramTest):
    def malformed(self, data, *says):
        name = self.write("bad.npy", data)
        said = self.refuses(3, "sum", name, says=("onefold: bad.npy: byte ", *says))
        return said

    def header(self, text, *says):
        with self.subTest(text):
            self.malformed(npy_header(text) + elements("f64", [1, 2]), *says)

    def shape(self, shape, *says):
        self.header(GOOD.replace("(2,)", shape), *says)

    def descr(self, descr, *says):
        self.header(GOOD.replace("'<f8'", descr), *says)

    def test_the_bytes_in_front_of_the_header_are_checked(self):
        self.malformed(b"", "byte 0: is empty")
        self.malformed(b"\x93NUMPX\x01\x00", "is no .npy file")
        self.malformed(b"PK\x03\x04", "is no .npy file")
        self.malformed(MAGIC[:4], "byte 4: ends inside the header")
        self.malformed(MAGIC + b"\x01", "byte 7: ends inside")
        self.malformed(MAGIC + b"\x01\x00\x10", "byte 9: ends inside")
        self.malformed(MAGIC + b"\x09\x09" + b"\x00" * 8, "byte 6: has version 9.9")
        self.malformed(MAGIC + b"\x01\x01" + b"\x00" * 8, "byte 6: has version 1.1")

    def test_the_length_of_the_header_is_checked_before_it_is_read(self):
        self.malformed(MAGIC + b"\x02\x00" + struct.pack("<I", 0xFFFFFFF0),
                       "byte 8: claims a header of 4294967280 bytes")
        self.malformed(MAGIC + b"\x01\x00" + struct.pack("<H", 500) + b" " * 100,
                       "byte 8: claims a header of 500 bytes in a file of 110")
        self.malformed(MAGIC + b"\x02\x00" + struct.pack("<I", 2 << 20) + b" " * (2 << 20),
                       "more than 1048576 are not read")

    def test_a_shape_is_whole_numbers_and_nothing_else(self):
        for shape in ("(-2,)", "(2.0,)", "('2',)", "(True,)", "[2]", "(1+1,)", "(2", "(2,", "2",
                      "()x", "(,)", "(2,,)", "(2 3)", "(0x2,)", "(02,)", "(1_0,)", "(2)", "(2l,)",
                      "(2LL,)", "(np.int64(2),)", "__import__('os').system('true')", "None",
                      "((2,),)", "(\0,)", "(" * 5000 + "2,", ""):
            self.shape(shape, "the header needs ")

    def test_shapes_that_no_file_holds_are_refused(self):
        self.shape(f"({10**30},)", "an extent of 2^63 or more")
        self.shape(f"({2**63},)", "an extent of 2^63 or more")
        self.shape(f"({2**32}, {2**32})", "multiply to 2^63 bytes or more")
        self.shape(f"({2**61 + 1},)", "multiply to 2^63 bytes or more")
        self.shape(f"(0, {2**62}, 4)", "multiply to 2^63 bytes or more")
        self.shape("(" + "1, " * 65 + ")", "more than 64 axes")

    def test_the_size_of_the_data_is_checked_before_it_is_read(self):
        self.malformed(npy("f64", [1, 2])[:-1],
                       "byte 128: the elements need 16 bytes and 15 are there")
        self.shape(f"({2**37},)", "need 1099511627776 bytes and 16 are there")

    def test_keys_are_three_and_each_is_there_once(self):
        self.header("{'descr': '<f8', 'fortran_order': False, 'shap': (2,)}", "has a key 'shap'")
        self.header("{'descr': '<f8', 'fortran_order': False}", "has no 'shape'")
        self.header(GOOD.replace("}", "'descr': '<f8'}"), "has 'descr' twice")
        self.header(GOOD.replace("}", "'more': 1}"), "has a key 'more'")
        self.header("{}", "has no 'descr'")

    def test_the_dictionary_is_one_and_is_closed(self):
        for text in ("", "{", "{'descr", "{'descr'", "{'descr':", GOOD[:-1], GOOD + "x",
                     GOOD + GOOD, "{,}", "{'descr': '<f8' 'shape': (2,)}", "[" + GOOD + "]",
                     GOOD + "\0", GOOD.replace("False", "0"), GOOD.replace("False", "'False'"),
                     GOOD.replace("'descr'", "b'descr'"), "{" * 5000, "eval('1')"):
            self.header(text)

    def test_element_types_that_are_no_numbers_are_refused_by_name(self):
        self.descr("'|O'", "Python objects (a pickle), which are never loaded")
        self.descr("'<c16'", "complex numbers")
        self.descr("'<M8[ns]'", "dates or times")
        self.descr("'<U5'", "strings")
        self.descr("'|S5'", "strings")
        self.descr("'|V8'", "records or raw bytes")
        self.descr("'<f3'", "floats of a size")
        self.descr("'<f16'", "floats of a size")
        self.descr("'<i3'", "does not read")
        self.descr("'>>f8'")
        self.descr("''", "does not read")
        self.descr("[('a', '<f8'), ('b', '<i4')]", "records of several fields", "array['field']")
        self.descr("'" + "f" * 900 + "'")

    def test_hostile_headers_take_no_memory(self):
        limit = 1 << 30  # of address space; onefold's threads reserve stacks in it

        def confine():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if "SANITIZED" not in os.environ:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        for data in (MAGIC + b"\x02\x00" + struct.pack("<I", 0xFFFFFFF0),
                     npy_header(GOOD.replace("(2,)", f"({2**37},)")) + b"\0" * 8,
                     npy_header(GOOD.replace("(2,)", f"({2**60},)")) + b"\0" * 8):
            name = self.write("bad.npy", data)
            for words, stdin in ((["sum", name], None), (["sum", "-", "--format", "npy"], name)):
                with open(self.folder / (stdin or "bad.npy"), "rb") as there:
                    # Through a pipe the size of the file is not known beforehand.
                    with subprocess.Popen(["cat"], stdin=there, stdout=subprocess.PIPE) as cat:
                        with subprocess.Popen([PROGRAM, *words], stdin=cat.stdout, cwd=self.folder,
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                              preexec_fn=confine) as run:
                            _, status, usage = os.wait4(run.pid, 0)
                            run.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(run.returncode, 3)
                if "SANITIZED" not in os.environ:
                    self.assertLess(usage.ru_maxrss << 10, MEMORY_LIMIT)


class CutFiles(ProgramTest):
    def test_a_stream_that_ends_early_is_malformed(self):
        data = npy("f64", [1, 2])
        for cut in (1, 8, 9):
            self.refuses(3, "sum", "-", "--format", "npy", stdin=data[:-cut],
                         says=f"ended after {16 - cut} of 16 bytes")
        self.refuses(3, "sum", "-", "--format", "npy", stdin=data[:50], says="byte 50: ends inside")

    def test_raw_files_are_checked_against_their_description(self):
        name = self.write("a.raw", b"\0" * 10)
        self.refuses(3, "sum", name, "--dtype", "f32",
                     says="10 bytes are not a whole number of f32 elements of 4 bytes")
        self.refuses(3, "sum", name, "--dtype", "u8", "--shape", "11", says="need 11 bytes and 10")
        self.refuses(3, "sum", name, "--dtype", "u8", "--skip", "11", says="--skip 11")
        self.refuses(3, "sum", "-", "--format", "raw", "--dtype", "f32", stdin=b"\0" * 10,
                     says="10 bytes are not a whole number")
        self.refuses(2, "sum", name, says="say --dtype")
        self.refuses(2, "sum", name, "--dtype", "f64", "--shape", f"{2**31},{2**31}", says="2^63")


class Files(ProgramTest):
    def test_what_cannot_be_opened_is_named_with_its_reason(self):
        self.refuses(1, "sum", "missing.npy",
                     says="missing.npy: cannot be read: there is no such file")
        (self.folder / "folder.npy").mkdir()
        self.refuses(1, "sum", "folder.npy", says="it is a directory")
        (self.folder / "loop.npy").symlink_to("loop.npy")
        self.refuses(1, "sum", "loop.npy", says="symbolic links")
        name = self.write("a.npy", npy("f64", [1]))
        self.refuses(1, "sum", name + "/x.npy", says="not a directory")
        self.refuses(1, "sum", "x" * 5000, says="too long")
        self.refuses(1, "sum", "", says="there is no such file")

    def test_a_file_without_permission_is_named(self):
        name = self.write("a.npy", npy("f64", [1]))
        (self.folder / name).chmod(0)
        how = {}
        if os.geteuid() == 0:
            how = {"user": 65534}
            self.folder.chmod(0o755)
            if not self.can_start(how):
                self.skipTest("another user cannot start the program from here")
        self.refuses(1, "sum", name, says="a.npy: cannot be read: permission denied", **how)

    def can_start(self, how):
        try:
            return self.onefold("--version", **how).code == 0
        except PermissionError:
            return False

    def test_a_name_that_does_not_show_its_format_asks_for_one(self):
        name = self.write("a.data", "1 2")
        self.refuses(2, "sum", name, says="a.data: its name does not show its format")
        self.assertEqual(self.answer("sum", name, "--format", "text"), "3\n")
        for name, says in (("a.csv", "tables"), ("a.npz", "archives of arrays"),
                           ("a.PNG", "images")):
            self.refuses(2, "sum", self.write(name, "x"), says=f"{says} are not read yet")

    def test_devices_without_an_end_are_refused_by_name(self):
        self.refuses(2, "sum", "/dev/zero", "--format", "raw", "--dtype", "u8", says="--shape N")
        self.assertEqual(self.answer("sum", "/dev/zero", "--format", "raw", "--dtype", "u8",
                                     "--shape", "1000"), "0\n")
        self.refuses(3, "sum", "/dev/zero", "--format", "npy", says="is no .npy file")
        self.refuses(3, "sum", "/dev/zero", "--format", "text")

    def test_options_of_raw_data_do_not_fit_other_formats(self):
        name = self.write("a.npy", npy("f64", [1]))
        self.refuses(2, "sum", name, "--dtype", "f32", says="a.npy: is read as npy")
        self.refuses(2, "sum", name, "--dtype", "bf16", says="a.npy: is read as npy")

    def test_two_bytes_of_anything_are_bfloat16_where_that_is_said(self):
        for code, bytes_of_three in (("<V2", b"\x40\x40"), ("|V2", b"\x40\x40")):
            header = npy_header(f"{{'descr': '{code}', 'fortran_order': False, 'shape': (2,), }}")
            name = self.write("a.npy", header + 2 * bytes_of_three)
            self.assertEqual(self.answer("sum", name, "--dtype", "bf16"), "6\n")
            self.refuses(3, "sum", name, says="for bfloat16 say --dtype bf16")
            self.refuses(2, "sum", name, "--dtype", "f16", says="is read as npy")
            self.refuses(2, "sum", name, "--dtype", "bf16", "--skip", "1", says="is read as npy")

    def test_names_of_any_bytes_are_read_and_printed(self):
        name = os.fsdecode(b"\xff\xfe.npy")
        self.write(name, npy("f64", [1]))
        self.assertEqual(self.answer("sum", name), "1\n")
        done = self.onefold("sum", name, "--json")
        self.assertEqual(done.json()["results"][0]["input"], os.fsdecode(b"\xff\xfe.npy"))

    def test_names_that_begin_with_a_dash_come_behind_two(self):
        self.write("-a.npy", npy("f64", [1]))
        self.assertEqual(self.answer("sum", "--", "-a.npy"), "1\n")
        self.assertEqual(self.answer("sum", "./-a.npy"), "1\n")
        self.refuses(2, "sum", "-a.npy", says="'--' comes in front of a name")


if __name__ == "__main__":
    unittest.main()
