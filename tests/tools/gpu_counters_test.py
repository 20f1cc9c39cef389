#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_counters on profiles written by hand."""
import json
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "gpu_counters"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
LANES = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"


def profile(rungs, rows):
    """What ncu --csv prints around a program's JSON: [(rung)], [(id, kernel, metric, value)]."""
    page = {"machine": {"gpu": "G"}, "rungs": [{"rung": name, "type": "int"} for name in rungs]}
    lines = ["==PROF== Connected to process 1", *json.dumps(page, indent=1).splitlines(),
             "==PROF== Disconnected from process 1",
             '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
    lines += [f'"{row}","{kernel}","{metric}","","{value}"' for row, kernel, metric, value in rows]
    return "\n".join(lines) + "\n"


def convert(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return subprocess.run([SCRIPT, file.name], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class GpuCounters(unittest.TestCase):
    def test_rows_become_counters_of_their_rung(self):
        done = convert(profile(["reduce/modulo", "reduce/first-add"], [
            (0, "void reduce_modulo<int>(const T1 *)", WAVEFRONTS, "24,320"),
            (1, "void reduce_first_add<int>(const T1 *)", WAVEFRONTS, "3200"),
            (1, "void reduce_first_add<int>(const T1 *)", LANES, "21.5432"),
        ]))
        self.assertEqual(done.returncode, 0, done.stderr)
        rungs = json.loads(done.stdout)["rungs"]
        self.assertEqual(rungs[0]["counters"], {"shared_load_wavefronts": 24320})
        self.assertEqual(rungs[1]["counters"], {"shared_load_wavefronts": 3200,
                                                "active_lanes_not_predicated_off": 21.543})

    def test_a_counter_that_the_machine_refuses_is_left_out(self):
        done = convert(profile(["reduce/modulo"], [
            (0, "void reduce_modulo<int>(const T1 *)", WAVEFRONTS, "n/a"),
            (0, "void reduce_modulo<int>(const T1 *)", LANES, "24"),
        ]))
        self.assertEqual(json.loads(done.stdout)["rungs"][0]["counters"],
                         {"active_lanes_not_predicated_off": 24})

    def test_a_missing_launch_is_an_error(self):
        done = convert(profile(["reduce/modulo", "reduce/strided"], [
            (0, "void reduce_modulo<int>(const T1 *)", WAVEFRONTS, "1")]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 kernels, but 2 rungs", done.stderr)

    def test_a_kernel_of_another_rung_is_an_error(self):
        done = convert(profile(["reduce/modulo"], [
            (0, "void reduce_strided<int>(const T1 *)", WAVEFRONTS, "1")]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("reduce/modulo is not void reduce_strided", done.stderr)

    def test_the_metrics_are_one_list_for_the_profiler(self):
        done = subprocess.run([SCRIPT, "--metrics"], text=True, check=True, stdout=subprocess.PIPE)
        self.assertIn(WAVEFRONTS, done.stdout.strip().split(","))


if __name__ == "__main__":
    unittest.main()
