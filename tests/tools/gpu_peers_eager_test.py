#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/gpu_peers_eager.py over a library that is not there, and the names of its rows and of those
of bench/gpu_peers.cu."""
import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))
import gpu_peers_eager  # noqa: E402
import gpu_rows  # noqa: E402

SIZE = 1 << 22


class Planted:
    """Answers at once, by a clock that goes one millisecond a call; refuses one row."""

    name, version = "Planted", "1.0"

    def __init__(self):
        self.asked = []

    def clock(self, call):
        call()
        return 1.0

    def array(self, dtype, shape):
        return Array(dtype, shape)

    def whole(self):
        yield "sum f32", "f32", self.asked.append
        yield "sum f64", "f64", self.refuse

    def refuse(self, _):
        raise MemoryError("no room\nat all")

    def dot(self, x, y):
        self.asked += [x, y]

    def sum_over(self, x, axis):
        self.asked.append((x.shape, axis))

    def of_rows(self):
        yield "argmax", 8, lambda x: self.asked.append((x.shape, "argmax"))

    def transpose(self, x, out):
        assert x.shape == out.shape[::-1]


class Array:
    def __init__(self, dtype, shape):
        self.dtype, self.shape = dtype, shape

    def reshape(self, shape):
        return Array(self.dtype, shape)

    def __getitem__(self, part):
        return part


def rows_told(lib):
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        gpu_peers_eager.measure_all(lib, SIZE)
    return [json.loads(line) for line in told.getvalue().splitlines()]


class GpuPeers(unittest.TestCase):
    def test_rows_have_the_names_that_were_fixed(self):
        names = {row["row"] for row in rows_told(Planted()) if "row" in row}
        self.assertLessEqual(names, {row.name for row in gpu_rows.ROWS})
        self.assertIn("rows of 128: sum f32", names)
        self.assertIn("transpose u8", names)

    def test_the_rate_is_of_bytes_read_and_written(self):
        rows = {row["row"]: row for row in rows_told(Planted()) if "us" in row}
        self.assertEqual(rows["sum f32"]["bytes"], SIZE)
        self.assertEqual(rows["sum f32"]["us"], 1000)
        self.assertEqual(rows["sum f32"]["TB/s"], round(SIZE / 1000 * 1e-6, 4))
        self.assertEqual(rows["rows of 2: sum f32"]["bytes"], SIZE + SIZE // 2)
        self.assertEqual(rows["transpose f32"]["bytes"], 2 * SIZE)
        self.assertEqual(rows["sum f32"]["calls"], gpu_peers_eager.CALLS)

    def test_a_row_that_is_refused_says_why_and_the_rest_goes_on(self):
        rows = {row["row"]: row for row in rows_told(Planted()) if "row" in row}
        self.assertEqual(rows["sum f64"]["skipped"], "no room")
        self.assertIn("us", rows["dot f32"])

    def test_both_factors_of_a_dot_are_read(self):
        lib = Planted()
        rows_told(lib)
        halves = [part for part in lib.asked if isinstance(part, slice)]
        self.assertEqual(halves[0].stop, halves[1].start)

    def test_without_libraries_it_says_so(self):
        script = ("import sys; sys.modules['torch'] = sys.modules['cupy'] = None; "
                  f"sys.path.insert(0, {str(BENCH)!r}); sys.argv = ['x']; "
                  "import gpu_peers_eager; sys.exit(gpu_peers_eager.main())")
        done = subprocess.run([sys.executable, "-B", "-c", script], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("PyTorch is left out", done.stdout)
        self.assertIn("nothing was measured", done.stderr)

    def test_quartiles(self):
        self.assertEqual(gpu_peers_eager.quartiles(range(1, 22)), [6, 11, 16])

    # The names in C++ are put together of an operator and a type, or stand there whole.
    def test_every_fixed_row_is_measured_in_cpp(self):
        text = (BENCH / "gpu_peers.cu").read_text(encoding="utf-8")
        words = set(re.findall(r'"([^"]+)"', text))
        for row in gpu_rows.ROWS:
            operator = row.name.rsplit(" ", 1)[0]
            heads = ("rows of ", "columns, ", "transpose ", "small ", "fast ",
                     "ascending keys, ")
            self.assertTrue({operator, row.name} & words or row.name.startswith(heads), row.name)


if __name__ == "__main__":
    unittest.main()
