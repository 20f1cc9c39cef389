# SPDX-License-Identifier: Apache-2.0
"""audit: how wrong the usual sums of an array are."""
from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass
from html import escape

import numpy as np

from ._arrays import numpy_array
from ._arrow import is_column, numpy_column
from ._numpy import mask_of
from ._reductions import norm1, sum
from ._state import State

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Column:
    """The audit of one column. count does not include missing elements, and includes NaNs. Sums are
    floats of the column's type; ulps are units in the last place of the exact sum; condition is the
    sum of magnitudes over the magnitude of the sum."""

    name: str
    count: int
    nan: int
    inf: int
    missing: int
    naive: float
    numpy: float
    torch: float | None
    exact: float
    ulps_naive: float
    ulps_numpy: float
    ulps_torch: float | None
    condition: float
    receipt: str


class Audit(list):
    """The audits of the columns of an array: a list of Column, which a notebook shows as a table
    and a picture."""

    _SHOWN = ("name", "count", "nan", "inf", "missing", "naive", "numpy", "torch", "exact",
              "ulps_naive",
              "ulps_numpy", "ulps_torch", "condition")

    def rows(self) -> list[list[str]]:
        """The cells of the table, the names of its columns first."""
        shown = [n for n in self._SHOWN
                 if "torch" not in n or any(c.torch is not None for c in self)]
        return [list(shown)] + [[_text(getattr(column, name)) for name in shown]
                                for column in self]

    def __str__(self):
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths))
                         for row in rows)

    __repr__ = __str__

    def to_dicts(self) -> list[dict]:
        """The columns as dictionaries, for JSON or a data frame."""
        return [asdict(column) for column in self]

    def _repr_html_(self):
        head, *rows = self.rows()
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                       for row in rows)
        return f"<table><tr>{cells}</tr>{body}</table>{self.svg()}"

    def svg(self) -> str:
        """A picture: ulps of the naive and of NumPy's sum of each column, on a logarithmic axis."""
        if not self:
            return ""
        height, bars = 18, []
        for i, column in enumerate(self):
            for j, (ulps, colour) in enumerate(((column.ulps_naive, "#c44"),
                                                (column.ulps_numpy, "#48c"))):
                length = 300 if math.isinf(ulps) else 15 * math.log2(1 + ulps)
                bars.append(f'<rect x="120" y="{i * height + j * 7 + 2}" height="6" '
                            f'width="{min(length, 300):.1f}" fill="{colour}"/>')
            bars.append(f'<text x="114" y="{i * height + 13}" text-anchor="end" '
                        f'font-size="11">{escape(column.name)}</text>')
        return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="430" '
                f'height="{len(self) * height + 4}"><title>Ulps of error of the naive sum (red) '
                f'and of NumPy\'s (blue)</title>{"".join(bars)}</svg>')


def _text(value) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) and abs(value) < 1e6 and \
        value == round(value, 3) else str(value)


def _ulps(wrong, exact) -> float:
    """The distance in units in the last place of the exact sum."""
    if wrong == exact:
        return 0.0
    exact = np.float64(exact) if isinstance(exact, int) else exact
    if np.isnan(wrong) and np.isnan(exact):
        return 0.0
    if exact == 0 or not np.isfinite(exact) or not np.isfinite(wrong):
        return math.inf
    return float(abs(float(wrong) - float(exact)) / float(np.spacing(abs(exact))))


# Of the bits of each float, those of its fraction.
_FRACTION_BITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


def _units(x) -> tuple[int, int]:
    """A finite float, and a unit of its last place, in least subnormals of its type: by its bits,
    since DAZ takes subnormals out of floating-point operations."""
    width, bits = _FRACTION_BITS[x.dtype.name], int.from_bytes(x.tobytes(), sys.byteorder)
    sign, magnitude = divmod(bits, 1 << 8 * x.itemsize - 1)
    exponent, fraction = divmod(magnitude, 1 << width)
    unit = 1 << max(exponent, 1) - 1
    value = (fraction + (min(exponent, 1) << width)) * unit
    return (-value if sign else value), unit


def _ratio(a: int, b: int) -> float:
    try:
        return a / b
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _float_ulps(wrong, exact) -> float:
    """The same of two floats of one type."""
    if np.isnan(wrong) and np.isnan(exact):
        return 0.0
    if not np.isfinite(exact) or not np.isfinite(wrong):
        return 0.0 if wrong == exact else math.inf
    (others, _), (ours, unit) = _units(wrong), _units(exact)
    return _ratio(abs(others - ours), unit) if ours or not others else math.inf


def _float(x) -> float:
    """A scalar's value by its bits: `float(x)` of a float32 is a conversion."""
    return float(sum(np.asarray(x), dtype="float64"))


def _receipt(data: bytes) -> str:
    """FNV-1a of 64 bits, as `onefold audit` prints it."""
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return f"fnv1a64:{digest:016x}"


def _naive(x: np.ndarray):
    """From left to right in the element's type."""
    total = x.dtype.type(0)
    with np.errstate(all="ignore"):
        for begin in range(0, x.size, _BLOCK):
            piece = np.concatenate(([total], x[begin:begin + _BLOCK]), dtype=x.dtype)
            total = np.add.accumulate(piece)[-1]
    return total


def _torch_sum(x: np.ndarray):
    try:
        import torch
    except ImportError:
        return None
    x = np.ascontiguousarray(x)
    tensor = (torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype.kind == "V"
              else torch.from_numpy(x))
    total = tensor.sum()
    total = total.view(torch.int16) if x.dtype.kind == "V" else total
    return total.numpy().view(x.dtype)[()]


def _elements_of(x) -> tuple[np.ndarray, int]:
    """The elements of a column that are there, and the number of those that are missing."""
    mask = True
    if is_column(x):
        x, mask = numpy_column(x, True)
    elif isinstance(x, np.ma.MaskedArray):
        mask = mask_of(x, True)
    elements = numpy_array(np.asarray(x) if mask is not True else x)
    kept = elements.reshape(-1) if mask is True else elements[mask]
    return kept, elements.size - kept.size


def _column(name: str, x) -> Column:
    x, missing = _elements_of(x)
    state = State("sum", x.dtype).add(x)
    floating = x.dtype.kind in "fV"  # V: bfloat16
    exact = sum(x) if floating else int(state.decimal())  # beyond 64 bits too
    with np.errstate(all="ignore"):
        numpy = np.sum(x)
        naive = _naive(x) if floating else numpy
    torch = _torch_sum(x) if floating else None
    magnitudes = norm1(x, dtype="float64")
    of_magnitudes, total = _units(magnitudes)[0], abs(_units(state.value("float64"))[0])
    condition = (math.nan if not np.isfinite(magnitudes) else 1.0 if of_magnitudes == 0
                 else _ratio(of_magnitudes, total))
    number, ulps = (_float, _float_ulps) if floating else (int, _ulps)
    return Column(
        name, x.size, int(np.isnan(x).sum()) if floating else 0,
        int(np.isinf(x).sum()) if floating else 0, missing, number(naive), number(numpy),
        None if torch is None else number(torch), number(exact), ulps(naive, exact),
        ulps(numpy, exact), None if torch is None else ulps(torch, exact), condition,
        _receipt(state.bytes()))


def _named_columns(x, names):
    """The pairs of names and columns of a table, a mapping, a matrix or an array of one axis."""
    if hasattr(x, "items") and getattr(x, "ndim", 2) == 2:  # pandas; a Series has items() too
        return list(x.items())
    if hasattr(x, "get_columns"):  # polars
        return [(column.name, column) for column in x.get_columns()]
    if hasattr(x, "column_names"):  # pyarrow
        return list(zip(x.column_names, x.columns))
    if not is_column(x) and not isinstance(x, np.ma.MaskedArray):
        x = numpy_array(x)
    axes = getattr(x, "ndim", 1)
    if axes > 2:
        raise ValueError(f"audit takes an array of one axis or a matrix, x has {axes} axes")
    columns = [x] if axes < 2 else [x[:, i] for i in range(x.shape[1])]
    names = range(len(columns)) if names is None else list(names)
    if len(names) != len(columns):
        raise ValueError(f"{len(names)} names for {len(columns)} columns")
    return list(zip(names, columns))


def audit(x, names=None) -> Audit:
    """How wrong the usual sums of an array are, column by column.

    For each column: the sum from left to right, NumPy's and (where it is installed) PyTorch's, in
    the elements' type; the exact sum, rounded once; the ulps between; the condition number; NaNs,
    infinities; missing elements, which are in no sum: nulls, masked ones, missing values of pandas;
    and a receipt, the FNV-1a hash of the exact state's bytes, which is the same on every machine
    and for every order of the elements. `onefold audit` does the same for files.

    Args:
        x: an array or column of one axis; or a matrix, a table of pandas, polars or pyarrow, or a
            mapping of names to arrays, each of whose columns is audited.
        names: the names of a matrix' columns.

    >>> import numpy as np
    >>> result = audit(np.array([1e16, 1.0, -1e16]))[0]
    >>> result.naive, result.exact
    (0.0, 1.0)
    """
    return Audit(_column(str(name), column) for name, column in _named_columns(x, names))
