#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/gpu_peers.py, its rows and its table, over clocks and results written by hand."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))
import gpu_peer_compile  # noqa: E402
import gpu_peer_rows  # noqa: E402
import gpu_peers  # noqa: E402
import gpu_peers_table  # noqa: E402
import gpu_rows  # noqa: E402

SIZE = 1 << 30
ROWS = {row.name: row for row in gpu_peer_rows.all_rows(SIZE)}
CEILINGS = {"read": 4e12, "copy": 3e12, "mixed": {"1": 3e12, "2": 3.5e12, "8": 3.9e12}}
SUMS = ROWS["rows of 8: sum f32"]
FACTS = {"schema": gpu_peers.SCHEMA, "gpu": "G", "driver": "1", "log2": 30,
         "versions": {"PyTorch": "2"}}


def result_of(*names, gpu="G"):
    rows = [{"row": name, "peers": [{"peer": "PyTorch", "us": 1.0, "TB/s": 4.0}], "failed": []}
            for name in names]
    return {**FACTS, "gpu": gpu, "rows": rows, "not reached": [],
            "runs": [{"date": "2026-01-02", "ceilings": CEILINGS}]}


def moved_us(row, share):
    """The microseconds at which a row has this share of its ceiling."""
    moved = gpu_peer_rows.bytes_of(row)
    return sum(moved) / (share * gpu_peer_rows.ceiling_of(CEILINGS, *moved)) * 1e6


def entry_of(ours, row=SUMS, wrong=None, **peers):
    """An entry by shares of the ceiling; peers by name, or name and way."""
    times, facts = {}, {}
    for name, share in {**({"onefold": ours} if ours else {}), **peers}.items():
        peer, _, way = name.partition("_")
        times[peer, way] = [moved_us(row, share)] * 3
        facts[peer, way] = {"wrong": wrong} if wrong and peer == "onefold" else {}
    return gpu_peers.row_result(row, CEILINGS, times, facts, [])


class Rows(unittest.TestCase):
    def test_every_operator_has_every_length(self):
        for length in (2, 3, 7, 8, 32, 33, 100, 128, 513, 1024, 4096, 16384):
            for op in ("sum", "mean", "var", "norm2", "logsumexp", "max", "argmax"):
                self.assertIn(f"rows of {length}: {op} f32", ROWS)
        self.assertEqual(len(ROWS), len(list(gpu_peer_rows.all_rows(SIZE))))  # no name twice

    def test_no_row_reads_more_than_the_input(self):
        for row in ROWS.values():
            read, written = gpu_peer_rows.bytes_of(row)
            self.assertLessEqual(read, SIZE, row.name)
            self.assertGreater(read, 0.7 * SIZE, row.name)
            self.assertGreater(written, 0, row.name)

    # Keys and small arrays have other peers, in C++.
    def test_every_row_of_the_other_list_has_torch_compile_too(self):
        for row in gpu_rows.ROWS:
            if not row.name.startswith(("ascending keys", "small ")):
                self.assertIn(row.name, ROWS)

    def test_bytes_are_those_of_elements_and_answers(self):
        for name, read, written in (
                ("rows of 2: sum f32", SIZE, SIZE // 2), ("rows of 2: argmax f32", SIZE, SIZE),
                ("rows of 3: max f32", SIZE // 12 * 12, SIZE // 12 * 4),
                ("rows of 32: sum bf16", SIZE, SIZE // 32), ("rows of 32: sum u8", SIZE, SIZE // 4),
                ("rows of 32: sum i32", SIZE, SIZE // 16), ("columns, 8: var f32", SIZE, 32),
                ("sum f64", SIZE, 8), ("min and max f32", SIZE, 8), ("transpose u8", SIZE, SIZE),
                ("first and last of 512 x 1024 x 512: sum f32", SIZE, 4096),
                ("index_add f32, 2^26 into 2^20", 12 << 26, 4 << 20)):
            self.assertEqual(gpu_peer_rows.bytes_of(ROWS[name]), (read, written), name)


class Ceilings(unittest.TestCase):
    def ceiling(self, read, written):
        return gpu_peer_rows.ceiling_of(CEILINGS, read, written)

    def test_a_measured_mix_is_its_own_ceiling(self):
        for mix, rate in CEILINGS["mixed"].items():
            self.assertAlmostEqual(self.ceiling(int(mix) * 100, 100) / rate, 1)

    def test_a_row_that_writes_next_to_nothing_has_the_ceiling_of_reading(self):
        self.assertAlmostEqual(self.ceiling(1 << 30, 4) / CEILINGS["read"], 1, places=6)

    # Bytes read at one rate and written at another: times add up.
    def test_between_two_mixes_the_time_of_a_byte_is_interpolated(self):
        read, written = 4.0, 1.0  # a share of 1/5, between 1/9 and 1/3
        weight = (1 / 5 - 1 / 9) / (1 / 3 - 1 / 9)
        expected = 1 / ((1 - weight) / 3.9e12 + weight / 3.5e12)
        self.assertAlmostEqual(self.ceiling(read, written) / expected, 1)

    # A kernel could read a part and copy the rest, one after the other.
    def test_a_mix_that_is_slower_than_parts_of_others_is_left_out(self):
        ceilings = {"read": 4e12, "mixed": {"1": 3e12, "4": 1e12}}
        expected = 1 / (0.6 / 4e12 + 0.4 / 3e12)
        self.assertAlmostEqual(gpu_peer_rows.ceiling_of(ceilings, 4, 1) / expected, 1)

    def test_what_writes_more_than_it_reads_has_the_ceiling_of_copying(self):
        self.assertAlmostEqual(self.ceiling(1, 2) / 3e12, 1)


class Rounds(unittest.TestCase):
    def interleaved(self, ms, rounds=5):
        asked = []

        def clock(calls):
            asked.append(list(calls))
            return [ms[call] for call in calls]

        times = gpu_peers.interleaved(clock, {name: name for name in ms}, rounds)
        return times, asked

    def test_each_round_has_every_call_and_another_one_first(self):
        times, asked = self.interleaved({"a": 1.0, "b": 2.0, "c": 3.0})
        self.assertEqual(times, {"a": [1000.0] * 5, "b": [2000.0] * 5, "c": [3000.0] * 5})
        self.assertEqual(len(asked), gpu_peers.WARM_UPS + 5)
        self.assertEqual(asked[:3], [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])

    def test_a_slow_call_is_left_out_of_the_later_rounds(self):
        times, _ = self.interleaved({"a": 1.0, "b": gpu_peers.MOST_MS + 1.0})
        self.assertEqual(len(times["a"]), 5)
        self.assertEqual(len(times["b"]), gpu_peers.FEW_ROUNDS)

    def test_of_several_ways_of_a_peer_the_fastest_counts(self):
        entry = entry_of(0.9, Triton_a=0.5, Triton_b=0.8, Triton_c=0.7, PyTorch=0.6)
        triton = gpu_peers_table.peer_named(entry, "Triton")
        self.assertEqual((triton["how"], triton["tried"]), ("b", 3))
        self.assertAlmostEqual(triton["of ceiling"], 0.8, places=4)
        self.assertEqual(entry["best"], "Triton")
        self.assertAlmostEqual(entry["ratio"][1], 0.9 / 0.8, places=3)

    def test_ratios_are_of_pairs_of_a_round(self):
        times = {("onefold", ""): [1.0, 2.0, 4.0], ("PyTorch", ""): [2.0, 2.0, 2.0]}
        entry = gpu_peers.row_result(SUMS, CEILINGS, times, dict.fromkeys(times, {}), [])
        self.assertEqual(entry["ratio"], [0.5, 1.0, 2.0])
        self.assertEqual(entry["onefold"]["us"], 2.0)

    def test_a_row_above_its_ceiling_is_marked(self):
        self.assertFalse(entry_of(1.02, PyTorch=0.9)["above the ceiling"])
        self.assertTrue(entry_of(0.9, PyTorch=1.04)["above the ceiling"])


class Results(unittest.TestCase):
    def test_a_second_call_adds_its_rows_in_the_lists_order(self):
        first, second = "rows of 2: sum f32", "rows of 3: sum f32"
        both = gpu_peers.merged(result_of(second), result_of(first))
        self.assertEqual([row["row"] for row in both["rows"]], [first, second])
        self.assertEqual(len(both["runs"]), 2)
        self.assertEqual(len(both["not reached"]), len(ROWS) - 2)
        self.assertNotIn(first, both["not reached"])

    def test_results_of_another_card_do_not_stay(self):
        alone = gpu_peers.merged(result_of("sum f32", gpu="H"), result_of("sum f64"))
        self.assertEqual([row["row"] for row in alone["rows"]], ["sum f64"])

    def test_a_file_has_a_line_for_each_row(self):
        result = result_of("sum f32", "sum f64")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "more" / "result.json"
            gpu_peers.write_result(path, result)
            self.assertEqual(gpu_peers.read_result(path), result)
            lines = path.read_text(encoding="utf-8").splitlines()
            self.assertEqual(sum(line.startswith('{"row"') for line in lines), 2)
            self.assertEqual([at.name for at in path.parent.iterdir()], ["result.json"])

    def test_the_reason_of_a_failure_is_its_first_line(self):
        self.assertEqual(gpu_peer_compile.reason_of(MemoryError("\nno room\nat all")),
                         "MemoryError: no room")

    def test_a_failure_is_recorded_and_the_rest_goes_on(self):
        failed = []
        with gpu_peer_compile.recorded(failed, "Triton"):
            raise ValueError("no such type")
        self.assertEqual(failed, [{"peer": "Triton", "reason": "ValueError: no such type"}])

    def run_script(self, *words):
        script = (f"import sys; sys.modules['torch'] = None; sys.path.insert(0, {str(BENCH)!r}); "
                  f"import gpu_peers; sys.exit(gpu_peers.main({list(words)!r}))")
        return subprocess.run([sys.executable, "-B", "-c", script], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_without_pytorch_it_says_so_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_script(f"{folder}/result.json")
            self.assertEqual(done.returncode, 1)
            self.assertIn("torch", done.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_the_list_is_that_of_the_rows_that_match(self):
        done = self.run_script("--list", "--rows", "^rows of 33: (sum|max)")
        self.assertEqual(done.stdout.split("\n"),
                         ["rows of 33: sum f32", "rows of 33: max f32", ""])


class Table(unittest.TestCase):
    def test_verdicts(self):
        for entry, expected in (
                (entry_of(0.9, PyTorch=0.9), "met"), (entry_of(0.93, Triton=0.95), "level"),
                (entry_of(0.90, Triton=0.92), "slower"), (entry_of(0.9, Triton=0.95), "slower"),
                (entry_of(0.9, PyTorch=1.04), "above the ceiling"),
                (entry_of(0.9, PyTorch=0.5, wrong="1 of 2"), "wrong"),
                (entry_of(None, PyTorch=0.9), "not measured"), (entry_of(0.9), "not measured")):
            self.assertEqual(gpu_peers_table.verdict(entry), expected)

    def test_a_line_has_the_shares_and_the_best_peer(self):
        entry = entry_of(0.6, PyTorch=0.3, Triton=0.75)
        line = gpu_peers_table.table([entry]).splitlines()[2]
        self.assertTrue(line.startswith("| rows of 8: sum f32 | 2.34 | 0.600 | 0.300 |  | 0.750 |"),
                        line)
        self.assertTrue(line.endswith("| Triton: 2.92 | slower |"), line)

    def test_errors_are_shown_where_they_are_asked_for(self):
        entry = entry_of(0.6, PyTorch=0.3)
        entry["peers"][0]["ulps"] = {"max": 12.5, "mean": 0.75}
        line = gpu_peers_table.table([entry], ulps=True).splitlines()[2]
        self.assertTrue(line.endswith("|  | 12.5 (0.75) |  |  |  |"), line)

    def shown(self, result, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            path.write_text(json.dumps(result), encoding="utf-8")
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                code = gpu_peers_table.main([str(path), *words])
        return code, text.getvalue()

    def test_what_was_not_reached_and_what_failed_is_named(self):
        failed = dict(entry_of(0.9, PyTorch=0.8),
                      failed=[{"peer": "torch.compile", "reason": "no room"}])
        code, text = self.shown({**result_of(), "rows": [failed], "not reached": ["sum f64"]})
        self.assertEqual(code, 0)
        self.assertIn("2026-01-02, G (driver 1), PyTorch 2. TB/s of plain kernels: reading 4.00, "
                      "copying 3.00; read to written 1:1 3.00, 2:1 3.50, 8:1 3.90.", text)
        self.assertIn("1 rows beside the best of the peers: 1 met; median 1.12", text)
        self.assertIn("Not reached: sum f64.", text)
        self.assertIn("rows of 8: sum f32: torch.compile: no room", text)

    def test_only_rows_that_miss_their_goal(self):
        rows = [entry_of(0.9, PyTorch=0.8), entry_of(0.5, ROWS["sum f32"], PyTorch=0.8)]
        code, text = self.shown({**result_of(), "rows": rows}, "--slower")
        self.assertEqual(code, 0)
        self.assertIn("| sum f32 |", text)
        self.assertNotIn("| rows of 8: sum f32 |", text)

    def test_a_wrong_answer_fails(self):
        wrong = entry_of(0.9, PyTorch=0.8, wrong="1 of 2 answers are not rounded once")
        code, text = self.shown({**result_of(), "rows": [wrong]})
        self.assertEqual(code, 1)
        self.assertIn("onefold: 1 of 2 answers", text)

    def test_peers_are_rows_of_the_other_table(self):
        entry = entry_of(0.9, PyTorch=0.8)
        rates = list(gpu_peers_table.rates({"rows": [entry]}))
        self.assertEqual([(rate["row"], rate["peer"]) for rate in rates],
                         [("rows of 8: sum f32", "PyTorch")])


if __name__ == "__main__":
    unittest.main()
