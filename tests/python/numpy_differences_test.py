# SPDX-License-Identifier: Apache-2.0
"""The differences from NumPy's own tests, as stored, are those that docs/python.md lists."""
import importlib.machinery
import importlib.util
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parents[2] / "conformance/python"


def script():
    loader = importlib.machinery.SourceFileLoader("numpy_tests", str(HERE / "numpy_tests"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("numpy_tests", loader))
    loader.exec_module(module)
    return module


def test_each_reason_is_in_the_document():
    numpy_tests = script()
    assert {case for _, case in numpy_tests.REASONS} <= numpy_tests.documented().keys()


def test_the_stored_differences_have_reasons():
    numpy_tests = script()
    stored = json.loads((HERE / "results/numpy_tests.json").read_text(encoding="utf-8"))
    assert stored["files"] == list(numpy_tests.FILES)
    for case, tests in stored["differences"].items():
        assert {numpy_tests.case_of(said) for _, _, said in tests} == {case}
    assert stored["reasons"] == {case: row for case, row in numpy_tests.documented().items()
                                 if case in stored["differences"]}
    failed, passed = stored["counts"]["failed"], stored["counts"]["passed"]
    assert sum(map(len, stored["differences"].values())) == failed
    counts = f"{passed:,} pass; each of the {failed:,} others"
    assert counts in " ".join(numpy_tests.DOCUMENT.read_text(encoding="utf-8").split())
