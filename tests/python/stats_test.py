# SPDX-License-Identifier: Apache-2.0
"""stats, plan, transpose, threads, audit, statistics of safetensors."""
import math
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import onefold

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import safetensors_files


def test_statistics_are_those_of_the_functions():
    x = np.random.default_rng(21).standard_normal(1001)
    found = onefold.stats(x)
    assert (found.count, found.nan_count) == (1001, 0)
    for name in ("sum", "mean", "var", "std", "norm2", "min", "max", "argmin", "argmax"):
        assert getattr(found, name) == getattr(onefold, name)(x), name
    rows = onefold.stats(x.reshape(7, 143), axis=1)
    for name in ("count", "sum", "mean", "var", "std", "norm2", "min", "max", "argmin", "argmax"):
        each = [getattr(onefold.stats(row), name) for row in x.reshape(7, 143)]
        assert np.array_equal(getattr(rows, name), each), name


@pytest.mark.parametrize("x", [[3.0, -1.0, math.nan, 2.0], [math.nan], []])
def test_statistics_of_several_passes_are_those_of_one(x):
    """As on a GPU."""
    x = np.array(x)
    for nan in ("propagate", "omit"):
        found = onefold._stats._by_passes(x, None, nan)
        for name, value in vars(onefold.stats(x, nan=nan)).items():
            assert found[name] == value or (found[name] != found[name] and value != value), name


def test_tensors_are_transposed_where_they_are():
    torch = pytest.importorskip("torch")
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() and onefold.machine()["gpus"]
                         else [])
    for device in devices:
        x = torch.arange(6.0, device=device).reshape(2, 3)
        made = onefold.transpose(x)
        assert made.device == x.device and torch.equal(made, x.T)
        out = torch.empty(3, 2, device=device)
        assert onefold.transpose(x, out=out) is out and torch.equal(out, x.T)
        assert onefold.stats(x) == onefold.stats(x.cpu().numpy())


def test_statistics_of_nothing_and_of_nans():
    found = onefold.stats(np.array([]))
    assert found.count == 0 and found.argmin == -1 and math.isnan(found.mean) and found.sum == 0
    found = onefold.stats(np.array([1.0, np.nan]), nan="omit")
    assert (found.count, found.nan_count, found.sum) == (1, 1, 1)
    assert "nan_count" in str(found) and "<table>" in found._repr_html_()


def test_a_plan_says_how_the_work_is_done():
    plan = onefold.plan(np.ones((1000, 1000)), "var", axis=0)
    assert plan["shape"] == "columns" and plan["operation"] == "var"
    assert "columns" in str(plan)
    with pytest.raises(ValueError, match="op must be"):
        onefold.plan([1.0], "summ")
    assert onefold.plan([1.0], "dot", y=[2.0])["operation"] == "dot"


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "?"])
def test_transposes(dtype):
    x = np.random.default_rng(22).integers(0, 2, (37, 53)).astype(dtype)
    for view in (x, x[::-1, ::2], x.T):
        assert np.array_equal(onefold.transpose(view), view.T)
    out = np.empty((53, 37), dtype)
    assert onefold.transpose(x, out=out) is out and np.array_equal(out, x.T)
    with pytest.raises(ValueError):
        onefold.transpose(x, out=np.empty((37, 53), dtype))
    with pytest.raises(ValueError, match="matrix"):
        onefold.transpose(x[0])
    with pytest.raises(ValueError):
        square = np.ones((4, 4), dtype)
        onefold.transpose(square, out=square)


def test_the_number_of_threads_changes_no_bit():
    x = np.random.default_rng(23).standard_normal(300000)
    expected = onefold.sum(x)
    for n in (1, 2, 5):
        with onefold.threads(n):
            assert onefold.sum(x) == expected
    with pytest.raises(ValueError):
        with onefold.threads(-1):
            pass
    assert onefold.machine()["threads"] >= 1


def test_an_audit_counts_ulps():
    x = np.array([2.0**53, 1.0, 1.0])
    column, = onefold.audit(x)
    assert (column.naive, column.exact, column.ulps_naive) == (2.0**53, 2.0**53 + 2, 1.0)
    assert column.condition == 1.0
    shuffled, = onefold.audit(x[::-1])
    assert shuffled.receipt == column.receipt and column.receipt.startswith("fnv1a64:")
    assert shuffled.ulps_naive == 0
    matrix = onefold.audit(np.array([[1, np.nan], [np.inf, 2.0]]), names=["a", "b"])
    assert [(c.name, c.nan, c.inf) for c in matrix] == [("a", 0, 1), ("b", 1, 0)]
    assert "<svg" in matrix._repr_html_() and "ulps_naive" in str(matrix)
    zero, = onefold.audit({"z": np.array([1e16, 1.0, -1e16, -1.0])})
    assert zero.exact == 0 and zero.condition == math.inf
    assert onefold.audit(np.array([], "f4"))[0].exact == 0
    with pytest.raises(ValueError, match="2 names"):
        onefold.audit(x, names=["a", "b"])
    with pytest.raises(ValueError, match="axes"):
        onefold.audit(np.ones((1, 1, 1)))


def test_an_audit_counts_what_is_missing():
    masked = np.ma.masked_array([[1.0, 2.0], [np.nan, 4.0]], mask=[[0, 1], [0, 0]])
    assert [(c.count, c.nan, c.missing) for c in onefold.audit(masked)] == [(2, 1, 0), (1, 0, 1)]
    assert onefold.audit(masked)[1].exact == 4.0 and "missing" in str(onefold.audit(masked))
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    floats, integers = [1e16, None, 1.0, -1e16, math.inf, math.nan], [1, 2, None, 4, 5, 6]
    tables = (pa.table({"f": floats, "i": integers}),
              pl.DataFrame({"f": floats, "i": integers}, strict=False))
    for table in tables:
        f, i = onefold.audit(table)
        assert (f.name, f.count, f.nan, f.inf, f.missing) == ("f", 5, 1, 1, 1)
        assert (i.name, i.count, i.missing, i.exact, i.naive) == ("i", 5, 1, 18, 18)
    f, i = onefold.audit(pd.DataFrame({"f": floats, "i": pd.array(integers, "Int64")}))
    assert (f.count, f.nan, f.inf, f.missing, i.missing, i.exact) == (4, 0, 1, 2, 1, 18)
    for column in (pd.Series([1.5, math.nan]), pa.array([1.5, None]), pl.Series([1.5, None])):
        only, = onefold.audit(column)
        assert (only.name, only.count, only.missing, only.exact) == ("0", 1, 1, 1.5)
        assert only.receipt == onefold.audit([1.5])[0].receipt


def test_an_audit_of_integers_beyond_64_bits():
    large = np.full(4, 2**63 - 1)
    columns = {"a": large, "b": np.arange(4), "c": np.full(4, 2**62, np.uint64)}
    table = onefold.audit(columns)
    a, b, c = table
    assert (a.exact, a.numpy) == (4 * (2**63 - 1), -4) and a.ulps_numpy > 2**50
    assert (b.exact, b.numpy, b.ulps_numpy) == (6, 6, 0)
    assert (c.exact, c.numpy) == (2**64, 0) and c.condition == 1
    assert str(a.exact) in str(table) and str(a.exact) in table._repr_html_()
    assert onefold.audit(np.array([2**63 - 1, 1, -1]))[0].exact == 2**63 - 1
    assert onefold.audit(np.ones(3, bool))[0].exact == 3
    for library, make in (("pyarrow", "table"), ("pandas", "DataFrame"), ("polars", "DataFrame")):
        try:
            module = __import__(library)
        except ImportError:
            continue
        assert onefold.audit(getattr(module, make)(columns)) == table, library


def test_an_audit_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    column, = onefold.audit(np.array([256, 1, 1], ml_dtypes.bfloat16))
    assert (column.naive, column.exact, column.ulps_naive, column.nan) == (256, 258, 1, 0)
    assert onefold.audit(np.array([math.nan], ml_dtypes.bfloat16))[0].nan == 1


def test_an_audit_sums_from_left_to_right_across_its_blocks():
    x = np.random.default_rng(24).standard_normal(2**20 + 1000).astype(np.float32)
    total = np.add.accumulate(x)[-1]
    assert onefold.audit(x)[0].naive == total


def test_the_program_prints_the_same_receipt(tmp_path):
    program = shutil.which("onefold")
    if program is None:
        pytest.skip("the program is not on PATH")
    x = np.random.default_rng(25).standard_normal(1000).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    done = subprocess.run([program, "audit", "--json", tmp_path / "x.npy"], check=True,
                          capture_output=True, text=True)
    column, = onefold.audit(x)
    assert column.receipt in done.stdout
    assert repr(column.exact) in done.stdout or str(np.float32(column.exact)) in done.stdout


def tensors(path, header, data=b""):
    path.write_bytes(safetensors_files.file_of(header, data))
    return path


def test_statistics_of_safetensors(tmp_path):
    path = tensors(tmp_path / "m.safetensors", {
        "__metadata__": {"a": "b"},
        "w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "h": {"dtype": "BF16", "shape": [2], "data_offsets": [16, 20]},
        "none": {"dtype": "I64", "shape": [0], "data_offsets": [20, 20]}},
        np.float32([1, 2, 3, 4]).tobytes() + np.float32([1, 3]).view(np.uint16)[1::2].tobytes())
    found = onefold.safetensors_stats(path)
    assert list(found) == ["w", "h", "none"]
    assert found["w"] == onefold.stats(np.float32([1, 2, 3, 4]))
    assert (found["h"].sum, found["h"].var, found["none"].count) == (4, 1, 0)


def test_hostile_safetensors_are_refused(tmp_path):
    for defect, data in safetensors_files.hostile().items():
        (tmp_path / "m").write_bytes(data)
        with pytest.raises(ValueError, match="not a safetensors file"):
            pytest.fail(f"{defect}: {onefold.safetensors_stats(tmp_path / 'm')}")


def test_rare_safetensors_are_read(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(safetensors_files.file_of(b'{"__metadata__": {"a": "b", "a": "c"}}   '))
    assert onefold.safetensors_stats(path) == {}
    header = '{"\\ud83d\\ude00é": {"dtype": "U8", "shape": [], "data_offsets": [0, 1]}}'
    path.write_bytes(safetensors_files.file_of(header.encode(), b"\7"))
    assert onefold.safetensors_stats(path)["\N{GRINNING FACE}é"].sum == 7
    path.write_bytes(safetensors_files.file_of(
        {"b": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]},
         "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}, b"12"))
    assert list(onefold.safetensors_stats(path)) == ["a", "b"]


def test_truncated_and_unknown_safetensors_are_refused(tmp_path):
    (tmp_path / "m").write_bytes(b"\xff" * 8)
    with pytest.raises(ValueError, match="no header"):
        onefold.safetensors_stats(tmp_path / "m")
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(ValueError):
        onefold.safetensors_stats(tmp_path / "m")


def one_tensor(path, dtype, shape, size):
    return tensors(path, {"w": {"dtype": dtype, "shape": shape, "data_offsets": [0, size]}},
                   bytes(size))


@pytest.mark.parametrize("dtype, shape, size", [
    ("F4", [2, 3], 3), ("F4", [0], 0), ("F6_E2M3", [4], 3), ("F6_E3M2", [8], 6),
    ("F8_E4M3", [3], 3), ("F8_E5M2", [], 1), ("F8_E8M0", [2, 2], 4), ("F8_E4M3FNUZ", [2], 2),
    ("F8_E5M2FNUZ", [1], 1), ("C64", [2], 16)])
def test_safetensors_that_are_not_summed_are_refused_by_type(tmp_path, dtype, shape, size):
    with pytest.raises(TypeError, match=f"'w' has elements of type {dtype}, which"):
        onefold.safetensors_stats(one_tensor(tmp_path / "m", dtype, shape, size))


@pytest.mark.parametrize("dtype, shape, size", [
    ("F8_E4M3", [400], 4), ("F8_E5M2", [1], 2), ("C64", [2], 8), ("F4", [3], 2), ("F4", [3], 1),
    ("F4", [4], 1), ("F6_E2M3", [4], 4), ("F6_E3M2", [5], 3), ("F4", [2**62], 0), ("Z9", [2], 2),
    ("", [2], 2), ("u8", [2], 2), ("U8 ", [2], 2), ("F8", [2], 2), ("I4", [2], 1),
    ("C128", [1], 16)])
def test_safetensors_of_wrong_types_and_sizes_are_refused(tmp_path, dtype, shape, size):
    """The reference reader, safetensors 0.8, refuses them too."""
    with pytest.raises(ValueError, match="is not a safetensors file: tensor 'w' has"):
        onefold.safetensors_stats(one_tensor(tmp_path / "m", dtype, shape, size))
