# SPDX-License-Identifier: Apache-2.0
"""bench/python_speed.py runs, and the pages have the tables of its stored result."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def speed(*words):
    return subprocess.run([sys.executable, ROOT / "bench/python_speed.py", *map(str, words)],
                          stdout=subprocess.PIPE, text=True, check=False)


def test_short_arrays(tmp_path):
    result = tmp_path / "result.json"
    done = speed("--quick", "--sizes", 3, 10, "--out", result)
    assert done.returncode == 0
    assert "| library | threads | 3 | 10 |" in done.stdout
    cells = json.loads(result.read_text(encoding="utf-8"))["cells"]
    assert {(cell["op"], cell["dtype"], cell["size"]) for cell in cells
            if cell["library"] == "onefold" and cell["threads"] == "all"} == {
        (op, dtype, size) for op in ("sum", "mean", "var", "dot")
        for dtype in ("float64", "float32") for size in (3, 10)}


def test_the_pages_are_those_of_the_result():
    for result in (ROOT / "bench/results").glob("python-*.json"):
        done = speed("--table", result, "--check")
        assert (done.returncode, done.stdout.strip()) == (0, "")
