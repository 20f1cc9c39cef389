#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""safetensors files: a row for every tensor, and headers that are refused."""
import json
import os
import random
import resource
import struct
import subprocess

from reference import answer
from support import PROGRAM, ProgramTest, elements, npy, random_seed
from safetensors_files import ENTRY, file_of, hostile, unsummed

SEED = random_seed.chosen_seed()
TYPES = {"bool": "BOOL", "i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64", "u8": "U8",
         "u16": "U16", "u32": "U32", "u64": "U64", "f16": "F16", "f32": "F32", "f64": "F64"}
MEMORY_LIMIT = 64 << 20


def safetensors(tensors, metadata=None):
    """tensors: {name: (type in the file, shape, bytes)}, in the order of their data."""
    header = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for name, (code, shape, content) in tensors.items():
        places = [len(data), len(data) + len(content)]
        header[name] = {"dtype": code, "shape": shape, "data_offsets": places}
        data += content
    return file_of(header, data)


class Tensors(ProgramTest):
    def rows(self, *words, code=0):
        done = self.onefold(*words)
        self.assertEqual(done.code, code, done.err)
        return [line.split("\t") for line in done.out[:-1].split("\n")]

    def test_stats_have_a_row_for_each_tensor(self):
        name = self.write("m.safetensors", safetensors({
            "weight": ("F32", [2, 3], elements("f32", [1, 2, 3, 4, 5, 6.5])),
            "bias": ("BF16", [2], struct.pack("<2H", 0x3f80, 0x4000)),
            "steps": ("I64", [], elements("i64", [7]))}, {"format": "pt"}))
        header, *rows = self.rows("stats", name)
        self.assertEqual(header[:3] + header[-4:],
                         ["count", "nan", "sum", "tensor", "dtype", "shape", "input"])
        self.assertEqual([row[:3] + row[-4:] for row in rows],
                         [["6", "0", "21.5", "weight", "f32", "(2,3)", name],
                          ["2", "0", "3", "bias", "bf16", "(2)", name],
                          ["1", "0", "7", "steps", "i64", "()", name]])

    def test_sums_of_every_type_are_those_of_npy_files(self):
        generator = random.Random(SEED)
        tensors, npys = {}, []
        for dtype, code in TYPES.items():
            values = [generator.randint(0, 1) if dtype == "bool" else generator.randint(0, 100)
                      for _ in range(generator.randint(1, 300))]
            tensors[dtype] = (code, [len(values)], elements(dtype, values))
            npys.append(self.write(f"{dtype}.npy", npy(dtype, values)))
        name = self.write("m.safetensors", safetensors(tensors))
        ours = [row[:2] for row in self.rows("sum,max", name)[1:]]
        self.assertEqual(ours, [row[:2] for row in self.rows("sum,max", *npys)[1:]], SEED)

    def test_a_tensor_larger_than_a_window_is_read_in_windows(self):
        generator = random.Random(SEED)
        data = [generator.uniform(-1, 1) for _ in range(700_000)]
        name = self.write("m.safetensors", safetensors({
            "small": ("U8", [3], b"\1\2\3"), "large": ("F64", [700, 1000], elements("f64", data)),
            "last": ("U8", [1], b"\4")}))
        wanted = answer("sum", data, "f64")
        for words in ([], ["--mem-limit", "1M"], ["--threads", "1"]):
            rows = self.rows("sum", name, *words)[1:]
            self.assertEqual([rows[0][0], rows[2][0]], ["6", "4"])
            self.assertEqual(float(rows[1][0]), wanted, SEED)

    def test_options_reach_every_tensor(self):
        name = self.write("m.safetensors", safetensors({
            "a": ("F32", [2, 2], elements("f32", [1, 2, 3, 4])),
            "b": ("F32", [1, 2], elements("f32", [5, 0.1]))}))
        self.assertEqual(self.rows("sum", name, "--axis", "0"),
                         [["index", "sum", "tensor", "dtype", "shape", "input"],
                          ["0", "4", "a", "f32", "(2,2)", name],
                          ["1", "6", "a", "f32", "(2,2)", name],
                          ["0", "5", "b", "f32", "(1,2)", name],
                          ["1", "0.1", "b", "f32", "(1,2)", name]])
        self.assertEqual(self.rows("max", name, "--total")[-1], ["5", "-", "-", "-", "total"])
        self.assertEqual(self.rows("sum", name, "--as", "f64")[2][0], "5.100000001490116")
        other = self.write("o.npy", npy("f64", [1]))
        self.assertEqual(self.rows("sum", other, name)[1], ["1", "-", "-", "-", "o.npy"])

    def test_json_names_the_tensor(self):
        name = self.write("m.safetensors", safetensors({
            "é\n": ("U8", [0, 3], b""), "q": ("F8_E4M3", [2], b"ab")}))
        done = self.onefold("count", name, "--json")
        self.assertEqual(done.code, 4)
        good, bad = done.json()["results"]
        self.assertEqual((good["input"], good["value"], good["tensor"]),
                         (name, 0, {"name": "é\n", "dtype": "u8", "shape": [0, 3]}))
        self.assertEqual((bad["tensor"]["dtype"], bad["error"]["status"]),
                         ("F8_E4M3", "unsupported"))

    def test_a_type_that_is_not_read_has_a_row_that_says_so(self):
        tensors = {f"q{i}": ("F8_E5M2", [3], b"abc") for i in range(9)}
        tensors["x"] = ("F16", [1], elements("f16", [2]))
        name = self.write("m.safetensors", safetensors(tensors))
        done = self.onefold("sum", name)
        self.assertEqual(done.code, 4)
        self.assertEqual(done.err.count("\n"), 1)
        self.assertIn("m.safetensors: has tensors of F8_E5M2, which this version does", done.err)
        lines = done.out.split("\n")
        self.assertEqual(lines[1], f"error\tq0\tF8_E5M2\t(3)\t{name}")
        self.assertEqual(lines[10], f"2\tx\tf16\t(1)\t{name}")

    def test_every_type_that_is_not_read_is_known_with_its_size(self):
        name = self.write("m.safetensors", safetensors({
            f"t{i}": (dtype, shape, bytes(size))
            for i, (dtype, shape, size) in enumerate(unsummed())}))
        rows = self.rows("sum", name, code=4)[1:]
        self.assertEqual([row[:3] for row in rows],
                         [["error", f"t{i}", row[0]] for i, row in enumerate(unsummed())])

    def test_a_failure_names_its_tensor_and_leaves_the_others(self):
        name = self.write("m.safetensors", safetensors({
            "a": ("F32", [1], elements("f32", [float("nan")])),
            "b": ("F32", [1], elements("f32", [3]))}))
        done = self.onefold("sum", name, "--nan", "error")
        self.assertEqual(done.code, 4)
        self.assertIn("m.safetensors: tensor 'a': ", done.err)
        self.assertTrue(done.out.endswith(f"3\tb\tf32\t(1)\t{name}\n"))

    def test_a_file_without_tensors_is_no_failure(self):
        name = self.write("m.safetensors", safetensors({}, {"a": "b"}))
        done = self.onefold("sum", name, "-o", "report")
        self.assertEqual((done.code, done.out), (0, ""))
        self.assertEqual(done.err, "onefold: warning: m.safetensors: has no tensors\n")
        self.assertEqual((self.folder / "report").read_text(), "")

    def test_commands_of_one_array_refuse_it(self):
        name = self.write("m.safetensors", safetensors({"a": ("U8", [1], b"1")}))
        keys = self.write("k.npy", npy("u8", [1]))
        for words, code in ((("dot", name, name), 2), (("plan", "sum", name), 2)):
            self.refuses(code, *words, says="takes one array")
        done = self.onefold("sum", name, "--by", keys)
        self.assertEqual(done.code, 2)
        self.assertIn("--by takes one array", done.err)
        self.refuses(2, "sum", name, "--dtype", "f32", says="is read as safetensors")

    def test_standard_input_may_be_a_file_but_no_pipe(self):
        name = self.write("m.safetensors", safetensors({"a": ("U8", [2], b"\1\2")}))
        self.refuses(2, "sum", "-", "--format", "safetensors", stdin=b"x", says="a pipe")
        with open(self.folder / name, "rb") as there:
            done = subprocess.run([PROGRAM, "sum", "-", "--format", "safetensors"], stdin=there,
                                  stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"sum\ttensor\tdtype\tshape\tinput\n3\ta\tu8\t(2)\t-\n")


class HostileHeaders(ProgramTest):
    def test_every_hostile_file_is_refused(self):
        for defect, data in hostile().items():
            with self.subTest(defect):
                self.malformed(data)

    def malformed(self, data, *says):
        name = self.write("bad.safetensors", data)
        self.refuses(3, "sum", name, says=("onefold: bad.safetensors: ", *says))

    def entry(self, says, data=b"ab", **changes):
        self.malformed(file_of({"a": {**ENTRY, **changes}}, data), "tensor 'a' ", says)

    def test_the_length_is_checked_before_it_is_read(self):
        self.malformed(b"", "byte 0: ends inside the length")
        self.malformed(b"\1\0\0", "byte 3: ends inside the length")
        self.malformed(b"\xff" * 8, "claims a header of 18446744073709551615 bytes")
        self.malformed(struct.pack("<Q", 100_000_001) + b"{}", "and the format has 100000000")
        self.malformed(struct.pack("<Q", 90_000_000) + b"{}", "in a file of 10; ")

    def test_the_header_is_one_json_object(self):
        for text in (b"", b" {}", b"\xef\xbb\xbf{}", b"[]", b"{", b"{}{}", b"{} x", b"1", b'"a"',
                     b"{'a': 1}", b'{"a": \xff}', b'{"\xff": {}}', b'{"a": NaN}', b"{/**/}"):
            with self.subTest(text):
                self.malformed(file_of(text), "the header is no JSON object")
        self.malformed(file_of(b'{"a": {"dtype": x'), "byte 24: ")
        name = self.write("padded.safetensors", file_of(b"{}   "))
        self.assertEqual(self.onefold("sum", name).code, 0)

    def test_nesting_is_refused_where_it_begins(self):
        for text in (b'{"a":' * 1_000_000, b'{"a": {"dtype":' + b"[" * 1_000_000,
                     b'{"a": {"shape": ' + b"[" * 1_000_000,
                     b'{"__metadata__": ' + b'{"a":' * 1_000_000):
            self.malformed(file_of(text))

    def test_an_entry_is_three_fields(self):
        for field in ENTRY:
            entry = {key: value for key, value in ENTRY.items() if key != field}
            self.malformed(file_of({"a": entry}, b"ab"), f"tensor 'a' has no {field}")
        self.entry("has a key 'more'", more=1)
        for value, says in ((None, "null"), (1, "a number"), ([], "a list"), ({}, "an object"),
                            (True, "true or false")):
            self.entry(f"has {says} in dtype", dtype=value)
        for value, says in (([-1], "a negative number"), ([1.5], "a number that is no integer"),
                            ([2**64], "a number that is no integer"), (["2"], "a string"),
                            ([[2]], "a list"), (2, "a number"), ("2", "a string")):
            self.entry(f"has {says}", shape=value)
        self.malformed(file_of({"a": [1]}), "tensor 'a' is a list, not an object")
        for text in (b'{"a": {"dtype": "U8", "dtype": "U8"}}',):
            self.malformed(file_of(text), "has dtype twice")
        self.malformed(file_of(b'{"a": %s, "b": %s, "a": %s}' % (
            (json.dumps({**ENTRY, "shape": [0], "data_offsets": [0, 0]}).encode(),) * 3)),
            "tensor 'a' is there twice")

    def test_metadata_are_strings(self):
        for value in (1, "x", None, [], {"a": 1}, {"a": {}}, {"a": ["b"]}):
            self.malformed(file_of({"__metadata__": value}), "__metadata__ holds strings")
        self.malformed(file_of(b'{"__metadata__": {}, "__metadata__": {}}'), "is there twice")

    def test_places_cover_the_data(self):
        self.entry("ends at byte 0 of the data, before its begin 2", data_offsets=[2, 0])
        self.entry("fewer than two", data_offsets=[0])
        self.entry("more than two", data_offsets=[0, 2, 3])
        self.entry("begins at byte 1 of the data", data=b"abc", data_offsets=[1, 3])
        self.entry("has 3 bytes, and its shape needs 2", data=b"abc", data_offsets=[0, 3])
        self.entry("has 2 bytes, and its shape needs 8", dtype="F32")
        self.entry("has 2 bytes, and its shape needs 400", dtype="F8_E4M3", shape=[400])
        self.entry("has 3 elements of 4 bits, which end inside a byte", dtype="F4", shape=[3])
        self.entry("is of 'Z9', a type that the format does not have", dtype="Z9")
        self.malformed(file_of({"a": ENTRY}, b"a"), "have 2 bytes of data and 1 are there", "short")
        self.malformed(file_of({"a": ENTRY}, b"abc"), "have 2 bytes of data and 3 are there")
        for begin, says in ((1, "overlap"), (3, "hole")):
            second = {**ENTRY, "data_offsets": [begin, begin + 2]}
            with self.subTest(says):
                self.malformed(file_of({"b": second, "a": ENTRY}, b"abcde"), "tensor 'b' begins at",
                               "ends at byte 2")

    def test_shapes_that_no_file_holds_are_refused(self):
        self.entry("an extent of 2^63 or more", shape=[2**63])
        self.entry("a shape of 2^63 bytes or more", shape=[2**32, 2**32])
        self.entry("a shape of 2^63 bytes or more", dtype="F64", shape=[2**61])
        self.entry("a shape of 2^63 bytes or more", dtype="F8_E4M3", shape=[2**32, 2**32])
        self.entry("more than 64 axes", shape=[1] * 65)
        self.entry("has 2 bytes, and its shape needs", shape=[2**40])

    def test_hostile_headers_take_no_memory(self):
        def confine():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        huge = {**ENTRY, "shape": [2**50], "data_offsets": [0, 2**50]}
        for data in (b"\xff" * 8, struct.pack("<Q", 99_999_999) + b"{", file_of({"a": huge})):
            name = self.write("bad.safetensors", data)
            with subprocess.Popen([PROGRAM, "stats", name], cwd=self.folder, preexec_fn=confine,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                _, status, usage = os.wait4(run.pid, 0)
                run.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(run.returncode, 3)
            if "SANITIZED" not in os.environ:
                self.assertLess(usage.ru_maxrss << 10, MEMORY_LIMIT)

    def test_what_cannot_be_opened_is_named(self):
        self.refuses(1, "stats", "missing.safetensors", says="there is no such file")
        (self.folder / "d.safetensors").mkdir()
        self.refuses(1, "stats", "d.safetensors", says="it is a directory")


if __name__ == "__main__":
    random_seed.main(SEED)
