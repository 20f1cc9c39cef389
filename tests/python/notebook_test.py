# SPDX-License-Identifier: Apache-2.0
"""The notebook of the examples: its cells run, one after another."""
import json


def test_the_notebook_runs(checkout):
    notebook = checkout / "examples" / "tour.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    names = {}
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 7
    for source in code:
        exec(compile(source, str(notebook), "exec"), names)
