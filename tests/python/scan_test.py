# SPDX-License-Identifier: Apache-2.0
"""scan: files, pipes, open files, iterables; what it refuses."""
import contextlib
import gzip
import io
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import onefold


def data(seed, n=4000):
    rng = np.random.default_rng(seed)
    return np.ldexp(rng.standard_normal(n), rng.integers(-60, 60, n))


def written(tmp_path, x, name="x.npy"):
    np.save(tmp_path / name, x)
    return tmp_path / name


def test_arrays_and_files(tmp_path):
    x = data(7)
    expected = onefold.sum(x)
    assert onefold.scan(np.array_split(x, 3)).value() == expected
    assert onefold.scan(written(tmp_path, x.reshape(40, 100))).value() == expected
    x.tofile(tmp_path / "x.raw")
    assert onefold.scan(str(tmp_path / "x.raw"), dtype="f8").value() == expected
    assert onefold.scan(written(tmp_path, x.astype(">f8")), "var").value() == onefold.var(x)
    assert onefold.scan([], dtype="f4").value() == 0


class Pipe:
    """A FIFO that a thread writes to, in pieces that split elements."""

    def __init__(self, tmp_path, content):
        self.path = tmp_path / "fifo"
        os.mkfifo(self.path)
        self._writer = threading.Thread(target=self._write, args=(content,), daemon=True)
        self._writer.start()

    def _write(self, content):
        # Who refuses what it reads closes the pipe.
        with contextlib.suppress(BrokenPipeError), open(self.path, "wb", buffering=0) as file:
            for begin in range(0, len(content), 1001):
                file.write(content[begin:begin + 1001])

    def scan(self, *arguments, **named):
        try:
            return onefold.scan(self.path, *arguments, **named)
        finally:
            self._writer.join(60)
            os.remove(self.path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
def test_pipes_are_read_to_their_end(tmp_path):
    x = data(8)
    state = Pipe(tmp_path, x.tobytes()).scan(dtype="float64")
    assert (state.count, state.value()) == (len(x), onefold.sum(x))
    state = Pipe(tmp_path, written(tmp_path, x).read_bytes()).scan("argmax")
    assert (state.count, state.value()) == (len(x), onefold.argmax(x))
    with pytest.raises(ValueError, match="31999 bytes, no multiple of 8"):
        Pipe(tmp_path, x.tobytes()[:-1]).scan(dtype="float64")
    assert Pipe(tmp_path, b"").scan(dtype="float64").count == 0


def test_standard_input_is_a_path():
    x = data(9)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import sys, onefold
        source = sys.stdin.buffer if sys.argv[1] == "file" else sys.argv[1]
        print(onefold.scan(source, dtype="float64"))
        """), "/dev/stdin"], input=x.tobytes(), capture_output=True, check=True, timeout=120)
    assert done.stdout.decode().strip() == repr(onefold.State("sum").add(x))


def test_open_files_are_read_from_where_they_stand(tmp_path):
    x = data(10)
    path = written(tmp_path, x.reshape(80, 50))
    with open(path, "rb") as file:
        assert onefold.scan(file, "norm2").value() == onefold.norm2(x)
    with open(path, "rb", buffering=0) as file:
        assert onefold.scan(file).value() == onefold.sum(x)
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        file.write(x.tobytes())
    with gzip.open(tmp_path / "x.gz") as file:
        file.seek(8)
        assert onefold.scan(file, dtype=float).value() == onefold.sum(x[1:])
    assert onefold.scan(io.BytesIO(path.read_bytes()), "var").value() == onefold.var(x)
    with open(tmp_path / "text", "w+", encoding="ascii") as text:
        text.write("1\n2\n")
        text.seek(0)
        with pytest.raises(TypeError, match="binary mode"):
            onefold.scan(text)
    with pytest.raises(TypeError, match="binary mode"):
        onefold.scan(io.StringIO("1\n2\n"))


@pytest.mark.parametrize("shape", [(40, 100), (100, 40), (2, 4000), (4000, 2), (5, 1, 8, 100),
                                   (1, 4000), (4000, 1), (3, 7, 11)])
@pytest.mark.parametrize("op", ["argmin", "argmax", "sum", "prod", "logsumexp", "minmax"])
def test_column_major_files_are_those_arrays(tmp_path, monkeypatch, shape, op):
    """Every value is there several times: the position is the first one in C order."""
    monkeypatch.setattr(onefold._scan, "_PIECE_BYTES", 1000)
    x = np.asfortranarray(np.random.default_rng(11).integers(1, 9, shape) / 8)
    found = onefold.scan(written(tmp_path, x), op).value()
    assert found == getattr(onefold, op)(x)
    if op.startswith("arg"):
        assert found == getattr(np, op)(x)
    swapped = written(tmp_path, x.astype(">f4"))
    assert onefold.scan(swapped, op).value() == getattr(onefold, op)(x.astype("f4"))


def test_column_major_positions_of_pipes_are_refused(tmp_path):
    x = np.asfortranarray(data(12).reshape(40, 100))
    path = written(tmp_path, x)
    with open(path, "rb") as file:
        assert onefold.scan(file).value() == onefold.sum(x)
        file.seek(0)
        with pytest.raises(ValueError, match="column-major.*'argmax'.*path"):
            onefold.scan(file, "argmax")
    if hasattr(os, "mkfifo"):
        with pytest.raises(ValueError, match="column-major"):
            Pipe(tmp_path, path.read_bytes()).scan("argmin")
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="ends 3 bytes early"):
        onefold.scan(path, "argmin")


def npy(shape, descr="<f8", elements=b"", order=False):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": descr, "fortran_order": order, "shape": shape})
    return header.getvalue() + elements


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,), (0, 0, 2)])
def test_files_without_elements_have_a_state_of_none(tmp_path, shape, order):
    (tmp_path / "x.npy").write_bytes(npy(shape, "<f4", order=order))
    for op in ("sum", "argmax"):
        state = onefold.scan(tmp_path / "x.npy", op)
        assert (state.count, state.dtype, state.op) == (0, "float32", op)


@pytest.mark.parametrize("header, error, words", [
    (npy((-1, -1), elements=b"12345678"), ValueError, r"shape \(-1, -1\).*negative"),
    (npy((-1, 0)), ValueError, "negative"),
    (npy((2,), "|S0"), TypeError, "not supported"),
    (npy((2,), "|S8", b"1" * 16), TypeError, "not supported"),
    (npy((2,), "|V0"), TypeError, "not supported"),
    (npy((1,), "<c16", b"1" * 16), TypeError, "not supported"),
    (npy((1,), [("a", "<f8")], b"1" * 8), TypeError, "give a field"),
    (b"\x93NUMPY\4\0" + npy((1,), elements=b"1" * 8)[8:], ValueError, "version"),
    (b"\x93NUMPY", ValueError, "header|magic"), (npy((1,))[:20], ValueError, "header"),
    (npy((2,), elements=b"1" * 15), ValueError, "ends 1 bytes early")], ids=range(11))
def test_headers_that_are_refused(tmp_path, header, error, words):
    (tmp_path / "x.npy").write_bytes(header)
    with pytest.raises(error, match=words):
        onefold.scan(tmp_path / "x.npy")


@pytest.mark.parametrize("dtype, stored", [
    ("f4", "<f4"), ("f32", "<f4"), ("float32", "<f4"), (np.float32, "<f4"), (">f4", ">f4"),
    (np.dtype(">i8"), ">i8"), ("i8", "<i8"), (int, "<i8"), ("u8", "<u8"), ("bool", "?"),
    ("u1", "u1"), ("f2", "<f2")])
def test_raw_elements_of_every_word(tmp_path, dtype, stored):
    x = np.array([1, 0, 1]).astype(stored)
    (tmp_path / "raw").write_bytes(x.tobytes())
    assert onefold.scan(tmp_path / "raw", dtype=dtype).value() == 2
    assert onefold.scan(written(tmp_path, x), dtype=dtype).value() == 2


def test_raw_elements_of_bfloat16(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, 2.0], ml_dtypes.bfloat16)
    (tmp_path / "raw").write_bytes(x.tobytes())
    for dtype in ("bf16", "bfloat16", ml_dtypes.bfloat16, x.dtype):
        assert onefold.scan(tmp_path / "raw", dtype=dtype).value("float32") == 3.5
        assert onefold.scan(written(tmp_path, x), dtype=dtype).value("float32") == 3.5
    with pytest.raises(TypeError, match="not supported"):
        onefold.scan(written(tmp_path, x))


def test_raw_elements_of_another_librarys_type(tmp_path):
    torch = pytest.importorskip("torch")
    (tmp_path / "raw").write_bytes(np.float32([1, 2]).tobytes())
    assert onefold.scan(tmp_path / "raw", dtype=torch.float32).value() == 3


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "raw").write_bytes(b"1234567")
    with pytest.raises(ValueError, match="give the dtype"):
        onefold.scan(tmp_path / "raw")
    with pytest.raises(ValueError, match="7 bytes, no multiple of 4"):
        onefold.scan(tmp_path / "raw", dtype="f4")
    with pytest.raises(TypeError, match="complex"):
        onefold.scan(tmp_path / "raw", dtype="complex64")
    with pytest.raises(FileNotFoundError):
        onefold.scan(tmp_path / "none.npy")
    with pytest.raises(TypeError, match="never unpickled"):
        np.save(tmp_path / "o.npy", np.array([None]), allow_pickle=True)
        onefold.scan(tmp_path / "o.npy")
    with pytest.raises(TypeError, match="has float64, not float32"):
        onefold.scan(written(tmp_path, np.ones(3)), dtype="f4")


@pytest.mark.parametrize("source, words", [
    (3, "path, an open file or an iterable"), (b"x.npy", "'bytes'; give a path"),
    (bytearray(8), "'bytearray'; give a path"), (memoryview(bytes(8)), "'memoryview'"),
    ({1: np.ones(3)}, "'dict', whose items are names"), (None, "path, an open file")])
def test_sources_that_are_refused(source, words):
    with pytest.raises(TypeError, match=words):
        onefold.scan(source)


def test_iterables_that_are_refused():
    with pytest.raises(ValueError, match="no arrays"):
        onefold.scan([])
    with pytest.raises(TypeError):
        onefold.scan([np.ones(3), np.ones(3, "f4")])
    with pytest.raises(ValueError, match="op must be"):
        onefold.scan([np.ones(3)], "summ")
