#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measured parts of the README, docs/clusters.md and the pages of PyTorch are those of the
committed results, and no two pages have two values of one row."""
import copy
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import clusters  # noqa: E402
import gpu_shuffled  # noqa: E402
import nccl_table  # noqa: E402
import slow  # noqa: E402
import torch_gpu  # noqa: E402
import torch_page  # noqa: E402

RESULTS = ROOT / "bench/results"


def section(page, name):
    """What stands between the page's markers of that name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.split(f"<!-- begin {name} -->\n")[1].split(f"<!-- end {name} -->")[0]


def result(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


# Pages of notes of single runs; what they say of a row is of its day.
NOTES = ("docs/performance/", "docs/ladder")
# Columns that say the same of a row, under one name.
SAME = {"of reading": "share", "of the ceiling": "share", "TB/s": "TB/s", "GB/s": "GB/s"}


def figures(text):
    """(row, column, value) of each table cell whose column is in SAME."""
    heads = []
    for line in text.splitlines():
        cells = [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif cells[0].strip("-:"):
            for head, cell in zip(heads[1:], cells[1:]):
                if head in SAME and cell:
                    yield cells[0], SAME[head], cell


def contradictions(pages):
    """Lines that name a row, a column and the values that pages have of it. pages: {name: text}."""
    found = {}
    for page, text in pages.items():
        for row, column, value in figures(text):
            found.setdefault((row, column), {}).setdefault(value, []).append(page)
    for (row, column), values in found.items():
        if len(values) > 1:
            where = "; ".join(f"{value} in {', '.join(names)}" for value, names in values.items())
            yield f"{row}, {column}: {where}"


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

    def test_shuffled_sums_on_a_gpu(self):
        measured = result("h200/gpu_shuffled.json")
        self.assertEqual(section("README.md", "gpu-shuffled"), gpu_shuffled.table(measured))
        self.assertEqual(list(gpu_shuffled.findings(measured)), [])
        measured["rows"]["onefold"] = gpu_shuffled.row_of([1.0, 2.0], 1.0, 0.5, 123.0)
        self.assertIn("| **onefold** | 123 | the answer, by up to 1: 2 in 21 orders | 2 ulp |",
                      gpu_shuffled.table(measured))
        self.assertEqual(len(list(gpu_shuffled.findings(measured))), 2)

    def test_where_it_is_slow(self):
        self.assertEqual(section("README.md", "slow"), slow.text())

    def test_no_two_pages_have_two_values_of_a_row(self):
        pages = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
                 for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]}
        pages = {name: text for name, text in pages.items() if not name.startswith(NOTES)}
        self.assertGreater(sum(1 for text in pages.values() for _ in figures(text)), 100)
        self.assertEqual(list(contradictions(pages)), [])
        one = "| exact | TB/s | of reading |\n|---|---|---|\n| var f64 | 3.6 | 0.804 |\n"
        other = "|  | us | of the ceiling |\n|---|---|---|\n| var f64 | 7 | 0.957 |\n"
        self.assertEqual(list(contradictions({"a": one, "b": other})),
                         ["var f64, share: 0.804 in a; 0.957 in b"])

    def test_operators_of_pytorch(self):
        for name, text in torch_page.sections().items():
            self.assertEqual(section("docs/python/torch.md", name), text)
        measured = result("h200/torch_gpu.json")
        self.assertEqual(section("docs/performance/gpu-torch.md", "torch-gpu"),
                         torch_gpu.table(measured))
        measured["operators"][0]["us"]["onefold"] = 123456.75
        self.assertIn("| 123457 |", torch_page.cost(measured))
        self.assertIn("123456.8", torch_gpu.table(measured))


if __name__ == "__main__":
    unittest.main()
