#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/clusters.md and docs/python/torch.md are those of the committed results."""
import copy
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import clusters  # noqa: E402
import nccl_table  # noqa: E402
import torch_gpu  # noqa: E402

RESULTS = ROOT / "bench/results"


def section(page, name):
    """What stands between the page's markers of that name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.split(f"<!-- begin {name} -->\n")[1].split(f"<!-- end {name} -->")[0]


def result(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


class MeasuredPages(unittest.TestCase):
    def test_ranks_of_mpi(self):
        self.assertEqual(section("docs/clusters.md", "measured"),
                         clusters.measured_table(result("clusters.json")))
        self.assertEqual(section("docs/clusters.md", "model"), clusters.model_table())

    def test_gpus_and_nccl(self):
        bench, by_torch = (nccl_table.lines_of(RESULTS / "h100-x2" / name)
                           for name in ("nccl_bench.jsonl", "nccl_torch.jsonl"))
        self.assertEqual(section("docs/clusters.md", "nccl"), nccl_table.table(bench, by_torch))
        other = copy.deepcopy(bench)
        next(row for row in other if row["what"] == "sum of f32")["share"] = 0.123
        self.assertIn("0.123", nccl_table.table(other, by_torch))

    def test_operators_of_pytorch(self):
        measured = result("h100/torch_gpu.json")
        self.assertEqual(section("docs/python/torch.md", "torch-gpu"), torch_gpu.table(measured))
        measured["operators"][0]["us"]["onefold"] = 123456.75
        self.assertIn("123456.8", torch_gpu.table(measured))


if __name__ == "__main__":
    unittest.main()
