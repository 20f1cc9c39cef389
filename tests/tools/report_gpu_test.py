#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/report_gpu.py on result files written by hand."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "report_gpu.py"
MACHINE = {"what": "machine", "gpu": "G", "date": "2026-01-02"}


def full(what, dtype, values, share, size=2**30):
    return {"what": what, "type": dtype, "input": values, "bytes": size, "TB/s": 4 * share,
            "of read": share}


def many(dtype, n, inner, share, values="normal"):
    return {"what": "sum", "type": dtype, "input": values, "n": n, "inner": inner, "TB/s": 1,
            "of read": share}


def turn(item, rows, columns, panel, share):
    return {"what": "transpose", "item": item, "rows": rows, "columns": columns, "gap": 0,
            "to_gap": 0, "panel": panel, "TB/s": 1, "of copy": share}


def ragged(lengths, share, who="onefold", us=100.0):
    return {"what": "sum", "who": who, "type": "f32", "lengths": lengths, "us": us, "TB/s": 1,
            "of read": share}


def shaped(what, where, share):
    return {"what": what, "where": where, "bytes": 2**30, "us": 1.0, "TB/s": 1, "of read": share}


def beside(row, share, *peers, us=100.0):
    return {"row": row, "bytes": 2**30, "us": us, "TB/s": 4 * share, "ceiling": "read",
            "of ceiling": share, "peers": list(peers)}


def peer(name, ratio, reproducible=False):
    return {"peer": name, "us": 100 * ratio, "TB/s": 3.9, "ratio": [ratio, ratio, ratio],
            "reproducible": reproducible}


FILES = {
    "full": [full("read", "bytes", "", 1), full("total", "f32", "normal", 0.98)],
    "many": [{"what": "read", "bytes": 2**30, "TB/s": 4}, many("f32", 64, 1, 0.95)],
    "transpose": [{"what": "copy, 512 x 2", "bytes": 2**30, "TB/s": 4},
                  turn(4, 4096, 4096, 16, 0.98)],
}


class ReportGpu(unittest.TestCase):
    def report(self, code=0, peers=(), python=(), compiled=None, release=None, **more):
        """The text of FILES and some more rows; of the peers' files where there are rows."""
        with tempfile.TemporaryDirectory() as folder:
            for name in {**FILES, **more}:
                rows = [MACHINE, *FILES.get(name, []), *more.get(name, [])]
                text = "\n".join(json.dumps(row) for row in rows)
                path = pathlib.Path(folder) / f"cuda_{name}_bench.jsonl"
                path.write_text(f"{text}\nreal 0m9.3s\n", encoding="utf-8")
            for name, rows in (("gpu_peers", peers), ("gpu_peers_python", python)):
                text = "\n".join(json.dumps(row) for row in rows)
                if rows:
                    (pathlib.Path(folder) / f"{name}.jsonl").write_text(text, encoding="utf-8")
            if compiled:
                (pathlib.Path(folder) / "gpu_peers_torch.json").write_text(json.dumps(compiled))
            built = pathlib.Path(folder) / "gpu_release.json"
            if release:
                built.write_text(json.dumps(release), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-B", SCRIPT, "--print", folder, "--release", built], text=True,
                check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def row(self, text, start):
        rows = [line for line in text.splitlines() if line.startswith(f"| {start} |")]
        self.assertEqual(len(rows), 1, text)
        return rows[0]

    def test_goals_that_are_met(self):
        text = self.report()
        self.assertIn("2026-01-02, G.", text)
        self.assertIn("3 of 3 goals met (100 %)", text)
        self.assertIn("| 0.980 | 0.97 | met |", self.row(text, "sum f32"))

    def test_a_share_below_its_goal_is_missed(self):
        text = self.report(full=[full("squares", "f64", "normal", 0.92)])
        self.assertIn("| 0.920 | 0.93 | missed |", self.row(text, "sum of squares f64"))
        self.assertIn("3 of 4 goals met (75 %)", text)
        self.assertIn("worst 0.92 (sum of squares f64)", text)

    def test_a_broken_ceiling_is_named_and_meets_nothing(self):
        text = self.report(code=1, full=[full("total", "u8", "all bits", 1.04)])
        self.assertIn("above the ceiling", self.row(text, "sum u8"))
        self.assertIn("3 of 4 goals met", text)

    def test_other_values_and_cub_stand_beside(self):
        text = self.report(full=[full("total", "f32", "drift", 0.4),
                                 full("total", "f32", "random bits", 0.5),
                                 full("CUB sum", "f32", "", 0.91)])
        self.assertIn("| 0.40 (drift) | 0.910 |", self.row(text, "sum f32"))
        self.assertIn("| 0.5 | met |", self.row(text, "sum f32, random bits"))

    def test_segments_have_goals_by_their_mean_length(self):
        self.assertNotIn("Segments", self.report())
        text = self.report(segments=[ragged("mean 64", 0.86), ragged("mean 16", 0.74),
                                     ragged("mean 2", 0.61), ragged("Zipf, one giant", 0.79),
                                     ragged("mean 16", 0.1, "CUB", us=250.0)])
        self.assertIn("| 0.85 | 1 of 1 |", self.row(text, "segments of 64 and more: sum f32"))
        self.assertIn("| 0.75 | 0 of 1 |", self.row(text, "segments of 8 to 64: sum f32"))
        self.assertIn("| 0.6 | 1 of 1 |", self.row(text, "segments of 1 to 8: sum f32"))
        self.assertIn("| 0.8 | 0 of 1 |", self.row(text, "segments of Zipf, one giant: sum f32"))
        self.assertIn("takes 2.5 to 2.5 times as long", text)

    def test_operators_with_one_goal_for_all_types(self):
        text = self.report(full=[full("extrema", "i8", "all bits", 0.98),
                                 full("extrema", "f32", "normal", 0.96),
                                 full("extrema", "f32", "drift", 0.1),
                                 full("product", "f64", "normal", 0.98)])
        self.assertIn("| 0.97 | 0.96 (f32) | 0.97 | 1 of 2 |",
                      self.row(text, "min, max, argmin, argmax | 2"))
        self.assertIn("| 0.985 | 0 of 1 |", self.row(text, "prod | 1"))
        self.assertIn("4 of 6 goals met", text)

    def test_other_shapes_and_keys(self):
        self.assertNotIn("Other shapes", self.report())
        text = self.report(axes=[shaped("three axes: sum f32", "2 x 3 x 4 over 0 2", 0.86),
                                 shaped("rows: var f32", "2 x 3 over 1", 0.91),
                                 shaped("keys in any order: sum f32", "groups of 16", 0.1),
                                 shaped("ascending keys: sum f32", "runs of 16", 0.5)])
        self.assertTrue(self.row(text, "three axes: sum f32").endswith("| 0.85 | 1 of 1 |"))
        self.assertIn("(runs of 16) | 0.7 | 0 of 1 |", self.row(text, "ascending keys: sum f32"))
        self.assertTrue(self.row(text, "rows: var f32").endswith("| 0.9 | 1 of 1 |"))
        self.assertTrue(self.row(text, "keys in any order: sum f32").endswith("|  |  |"))

    def test_smaller_arrays_are_left_out(self):
        text = self.report(full=[full("total", "f32", "normal", 0.1, size=2**28)])
        self.assertIn("3 of 3 goals met", text)

    def test_short_rows_of_doubles_have_a_goal_of_their_own(self):
        text = self.report(many=[many("f64", 32, 1, 0.82), many("f64", 64, 1, 0.82)])
        self.assertTrue(self.row(text, "rows below 64: sum f64").endswith("| 0.8 | 1 of 1 |"))
        self.assertTrue(self.row(text, "rows from 64: sum f64").endswith("| 0.9 | 0 of 1 |"))
        self.assertIn("1 lengths of rows are below 0.85", text)

    def test_the_worst_length_is_named(self):
        text = self.report(many=[many("f32", 7, 1, 0.3), many("f32", 9, 128, 0.93)])
        self.assertIn("| 0.30 (of 7) | 0.9 | 1 of 2 |", self.row(text, "rows: sum f32"))
        self.assertIn("(128 columns) | 0.92 | 1 of 1 |", self.row(text, "columns: sum f32"))

    def test_of_the_panels_that_were_tried_the_engines_counts(self):
        text = self.report(transpose=[turn(4, 4096, 4096, 1, 0.5), turn(4, 4096, 4096, 64, 0.5)])
        self.assertIn("3 of 3 goals met", text)

    def test_odd_and_narrow_matrices_stand_apart(self):
        text = self.report(transpose=[turn(1, 4095, 4096, 16, 0.4), turn(1, 2, 4096, 0, 0.3)])
        self.assertIn("| 0.40 (4095 x 4096) |", self.row(text, "1 byte, odd sides or pitches"))
        self.assertIn("| 0.30 (2 x 4096) |", self.row(text, "1 byte, 2 to 64 rows or columns"))

    def test_the_cost_of_a_build_for_every_gpu_is_told_where_it_is_known(self):
        self.assertNotIn("every GPU", self.report())
        files = [{"file": f"full/{i}.cu", "core_s": 10.0 * i} for i in range(5)]
        text = self.report(release={"architectures": ["80-real", "100"], "core_minutes": 12.34,
                                    "bytes": 56_780_000, "files": files})
        self.assertIn("for 80-real, 100 (in", text)
        self.assertIn("12.3 minutes of a core, 56.8 MB of objects. Longest: full/4.cu 40 s, "
                      "full/3.cu 30 s, full/2.cu 20 s.", text)

    def test_without_peers_there_is_no_table_of_them(self):
        self.assertNotIn("other libraries", self.report())

    def test_the_best_peer_stands_beside_ours(self):
        text = self.report(peers=[
            {"what": "versions", "CCCL": "3.6.0"},
            beside("sum f32", 0.98, peer("CUB", 1.02), peer("Thrust", 1.01),
                   peer("CUB reproducible sum", 1.8, True)),
            beside("dot f32", 0.96, peer("cuBLAS dot", 0.97)),
            beside("var f32", 0.94)])
        row = [line for line in text.splitlines() if line.startswith("| sum f32 | 3.92 | 0.980 |")]
        self.assertEqual(len(row), 2, text)  # one of the engine alone
        self.assertIn("| 0.97 | met | Thrust: 3.88 | CUB reproducible sum: 2.18 |", row[1])
        self.assertIn("| 0.97 | missed | cuBLAS dot: 3.96 |  |", self.row(text, "dot f32"))
        self.assertTrue(self.row(text, "var f32").endswith("| met |  |  |"))
        self.assertIn("2 rows beside the best of the others: median 0.99 times as fast, 1 of them "
                      "(50 %) at least as fast, worst 0.97 (dot f32, cuBLAS dot).", text)
        self.assertIn("CCCL 3.6.0.", text)
        self.assertIn("Not measured: sum f64,", text)

    def test_a_row_that_the_engine_has_alone_too_has_one_figure(self):
        text = self.report(peers=[MACHINE, beside("sum f32", 0.96, peer("CUB", 1.02))])
        rows = [line for line in text.splitlines() if line.startswith("| sum f32 |")]
        self.assertEqual(len(rows), 2, text)  # alone, beside others
        for row in rows:
            self.assertTrue(row.startswith("| sum f32 | 3.92 | 0.980 |"), row)

    def test_peers_of_python_count_by_their_rates(self):
        text = self.report(
            peers=[beside("sum f32", 0.98, peer("CUB", 1.5))],
            python=[{"what": "versions", "PyTorch": "2.11"},
                    {"what": "skipped", "peer": "CuPy", "why": "CuPy is left out: none"},
                    {"row": "sum f32", "peer": "PyTorch", "us": 1, "TB/s": 3.5},
                    {"row": "sum f64", "peer": "PyTorch", "skipped": "no room"}])
        self.assertIn("PyTorch: 3.50", text)
        self.assertIn("PyTorch 2.11. CuPy is left out: none.", text)

    def test_torch_compile_and_triton_count_too(self):
        rows = [{"row": "sum f32", "peers": [{"peer": "torch.compile", "us": 1, "TB/s": 4.0},
                                             {"peer": "Triton", "us": 1, "TB/s": 3.0}]},
                {"row": "rows of 3: sum f32", "peers": []}]
        text = self.report(peers=[beside("sum f32", 0.98, peer("CUB", 1.5))],
                           compiled={"versions": {"Triton": "3.6"}, "runs": [{"date": "today"}],
                                     "rows": rows})
        self.assertIn("| torch.compile: 4.00 |", text)
        self.assertIn("Triton 3.6.", text)

    def test_a_row_that_the_library_is_in_has_the_figures_of_that_run(self):
        rows = [{"row": "sum f32", "peers": [{"peer": "torch.compile", "us": 1, "TB/s": 4.0}],
                 "onefold": {"us": 2, "TB/s": 3.0, "of ceiling": 0.7}}]
        # The ratio of another run's kernels does not count, CUB's own rate of 3.9 does.
        text = self.report(peers=[MACHINE, beside("sum f32", 0.98, peer("CUB", 0.01))],
                           compiled={"versions": {}, "runs": [{"date": "today"}], "rows": rows})
        self.assertIn("| 3.00 | 0.700 | 0.97 | missed | torch.compile: 4.00 |",
                      text[text.index("Beside other libraries"):])
        self.assertIn("| sum f32 | 3.00 | 0.700 | 0.97 | missed |  |  |",
                      text[:text.index("Beside other libraries")])
        self.assertIn("is of today, small sums and peers in C++ are of 2026-01-02.", text)

    def test_small_sums_are_set_against_cubs_time(self):
        empty = peer("an empty kernel", 0.3)
        text = self.report(peers=[
            beside("small sum, 64 KiB", 0, peer("CUB", 0.7), empty, us=1.5),
            beside("small sum, 1 KiB", 0, peer("CUB", 0.9), empty, us=1.2)])
        self.assertIn("| 1.50 us |  | 1.5 of the time | met | CUB: 1.05 us |",
                      self.row(text, "small sum, 64 KiB"))
        least = self.row(text, "small sum, 1 KiB")
        self.assertIn("| 1.20 us |  |  |  | CUB: 1.08 us |", least)

    def test_a_row_above_its_ceiling_fails(self):
        text = self.report(code=1, peers=[beside("dot f32", 1.04, peer("cuBLAS dot", 1))])
        self.assertIn("above the ceiling", self.row(text, "dot f32"))

    def test_a_row_that_was_not_fixed_before_is_an_error(self):
        self.assertIn("no row named sum f8", self.report(code=1, peers=[beside("sum f8", 0.9)]))


if __name__ == "__main__":
    unittest.main()
