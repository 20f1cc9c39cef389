# SPDX-License-Identifier: Apache-2.0
"""stats: every statistic of an array in one pass. plan: how a reduction runs. transpose."""
from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, fields
from html import escape

import numpy as np

from . import _core
from . import _reductions as _r
from ._arrays import check_devices, numpy_array, own_array, view_of

_OPS = _core.operators
_INTEGERS = ("count", "nan_count", "argmin", "argmax")


@dataclass(frozen=True)
class Stats:
    """The result of stats(). If no element counts, positions are -1, mean, var, std, min and max
    are NaN, sum and norm2 are 0."""

    count: int
    nan_count: int
    sum: float
    mean: float
    var: float
    std: float
    norm2: float
    min: float
    max: float
    argmin: int
    argmax: int

    def __str__(self):
        return "\n".join(f"{f.name:<10}{getattr(self, f.name)}" for f in fields(self))

    def _repr_html_(self):
        rows = "".join(f"<tr><th>{f.name}</th><td>{escape(str(getattr(self, f.name)))}</td></tr>"
                       for f in fields(self))
        return f"<table>{rows}</table>"


def stats(x, /, axis=None, *, nan="propagate") -> Stats:
    """Count, sum, mean, variance, norm and extrema; of all elements in one pass.

    Each is exact and rounded once to float64; under nan="omit" of the elements that are not NaN.
    Along axes each is an array, in a pass of its own, and min and max must not be empty. On a GPU
    each has a pass of its own too, and the call waits for them.

    >>> import numpy as np
    >>> stats(np.array([1.0, 2.0, 6.0])).mean
    3.0
    """
    library, x = own_array(x)
    view = library.view(x)
    if axis is None and view.device < 0:
        return Stats(**_core.stats(view, nan))
    found = _by_passes(x, axis, nan)
    if axis is not None:
        return Stats(**found)
    return Stats(**{name: int(value) if name in _INTEGERS else float(value)
                    for name, value in found.items()})


def _by_passes(x, axis, nan):
    """The statistics of stats(), each by a reduction."""
    present, elements = _r.count(x, axis, nan="omit"), _r.count(x, axis)
    counts = {"count": present, "nan_count": elements - present}
    numbers = {name: function(x, axis, np.float64, nan=nan)
               for name, function in (("sum", _r.sum), ("mean", _r.mean), ("var", _r.var),
                                      ("std", _r.std), ("norm2", _r.norm2))}
    if axis is None and int(present if nan == "omit" else elements) == 0:
        nothing = {"min": math.nan, "max": math.nan, "argmin": -1, "argmax": -1}
        return counts | numbers | nothing
    others = {name: function(x, axis, nan=nan)
              for name, function in (("min", _r.min), ("max", _r.max), ("argmin", _r.argmin),
                                     ("argmax", _r.argmax))}
    return counts | numbers | others


class Plan(dict):
    """The plan of a reduction: name and value of each of its parts, as text."""

    def __str__(self):
        return "\n".join(f"{name:<14} {value}" for name, value in self.items())


def plan(x, op="sum", *, y=None, axis=None, keepdims=False, where=True, accuracy="exact",
         nan="propagate") -> Plan:
    """How a reduction would run on this machine: shape, loops, chunks, threads, SIMD target.

    Reads no element. No exact answer depends on it.

    >>> import numpy as np
    >>> plan(np.ones((3, 4)), "sum", axis=1)["shape"]
    'rows'
    """
    if op not in _OPS:
        raise ValueError(f"op must be one of {', '.join(_OPS)}, not {op!r}")
    text = _core.plan(_OPS[op], view_of(numpy_array(x)),
                      None if y is None else view_of(numpy_array(y)), axis, keepdims,
                      None if where is True else np.asarray(where), accuracy, nan)
    lines = (line.split(None, 1) for line in text.splitlines() if line)
    return Plan((line[0], line[1] if len(line) > 1 else "") for line in lines)


def transpose(x, /, *, out=None):
    """A copy of a matrix with its axes exchanged, C-contiguous; or written to `out`.

    ValueError if x is no matrix, or if out has other extents or shares memory with x.

    >>> import numpy as np
    >>> transpose(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    library, x = own_array(x)
    view = library.view(x)
    if len(view.shape) != 2:
        raise ValueError(f"transpose takes a matrix, x has {len(view.shape)} axes")
    if out is None:
        made = library.empty(view.shape[::-1], view.dtype, x)
        target = library.view_of_new(made)
    else:
        target = view_of(out, writable=True)
        check_devices(view, out=target)
    _core.transpose_into(view, target, library.stream(x))
    return library.result(made, x) if out is None else out


@contextlib.contextmanager
def threads(n: int):
    """Within the block, calls use at most n threads; 0 stands for as many as there are.

    The setting is the process', not the calling thread's. Exact answers do not depend on it.

    >>> with threads(1):
    ...     _ = stats([1.0, 2.0])
    """
    before = _core.threads()
    _core.set_threads(n)
    try:
        yield
    finally:
        _core.set_threads(before)


def machine() -> dict:
    """The CPU, its SIMD target, the threads and GPUs that onefold uses here."""
    return _core.machine()
