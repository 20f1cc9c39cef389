# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it, the files it reads, and random_seed."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import random_seed  # noqa: E402, F401 (for the tests that import it from here)

PROGRAM = os.environ.get("ONEFOLD_PROGRAM", "onefold")
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "apps/onefold/schema/result.schema.json"

# struct's letter and NumPy's code of the element types that both know.
LETTERS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H",
           "u32": "I", "u64": "Q", "f16": "e", "f32": "f", "f64": "d"}
CODES = {"bool": "b1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2",
         "u32": "u4", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8"}


def elements(dtype, values, endian="<"):
    return struct.pack(f"{endian}{len(values)}{LETTERS[dtype]}", *values)


def npy_header(text, version=(1, 0), align=64):
    """The bytes in front of the elements; `text` is the dictionary."""
    wide = version[0] > 1
    front = 12 if wide else 10
    text = text.encode("latin-1")
    text += b" " * (-(front + len(text) + 1) % align) + b"\n"
    length = struct.pack("<I" if wide else "<H", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text


def npy(dtype, values, shape=None, order="C", endian="<", version=(1, 0), align=64):
    shape = (len(values),) if shape is None else shape
    code = ("|" if CODES[dtype][1] == "1" else endian) + CODES[dtype]
    text = f"{{'descr': '{code}', 'fortran_order': {order == 'F'}, 'shape': {tuple(shape)}, }}"
    return npy_header(text, version, align) + elements(dtype, values, endian)


class Run:
    """What a run of the program left."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self):
        return json.loads(self.out)

    def results(self):
        """The results of --json, with numbers as they are written."""
        return json.loads(self.out, parse_int=str, parse_float=str)["results"]


class ProgramTest(unittest.TestCase):
    """Tests in a folder of their own, which is the working folder of the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    def onefold(self, *words, stdin=b"", env=None, **how):
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        environment = {**os.environ, "LC_ALL": "C", **(env or {})}
        done = subprocess.run([PROGRAM, *words], input=stdin, cwd=self.folder, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              env=environment, **how)
        return Run(subprocess.CompletedProcess(done.args, done.returncode,
                                               done.stdout.decode(errors="replace"),
                                               done.stderr.decode(errors="replace")))

    def answer(self, *words, **how):
        """Standard output of a run that has to succeed without a word on standard error."""
        done = self.onefold(*words, **how)
        self.assertEqual((done.code, done.err), (0, ""))
        return done.out

    def refuses(self, code, *words, says=(), **how):
        """A run that fails with `code`, prints nothing, and says each of the words."""
        done = self.onefold(*words, **how)
        self.assertEqual(done.code, code, done.err)
        self.assertEqual(done.out, "")
        self.assertEqual(done.err.count("\n"), 1, done.err)
        for word in (says,) if isinstance(says, str) else says:
            self.assertIn(word, done.err)
        return done.err
