# SPDX-License-Identifier: Apache-2.0
"""The reductions: sum, mean, var, min … with NumPy's and the array API's arguments."""
from __future__ import annotations

from math import inf as _inf
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from . import _core
from ._arrays import broadcast, foreign_reduce, shape_of
from ._dtypes import BFLOAT16, code_of
from ._numpy import has_buffer

_OPS = _core.operators
_ndarray = np.ndarray
_core_reduce = _core.reduce
# All reductions end here: NumPy's arrays in the compiled part, the others in _reduce_others.
_reduce = _core.reduce_any

Axis = int | tuple[int, ...] | list[int] | None
Accuracy = Literal["exact", "fast"]
NanPolicy = Literal["propagate", "omit", "error"]


def _reduce_others(op, x, axis, dtype, keepdims, out, where, initial, accuracy, nan, correction, y):
    """NumPy's arrays in the compiled part, with all arguments; the others by their library."""
    if type(x) is _ndarray and (y is None or type(y) is _ndarray):
        if where is True:
            where = None
        if (where is None or type(where) is _ndarray) and (out is None or type(out) is _ndarray):
            code = -1 if dtype is None else code_of(dtype)
            try:
                return _core_reduce(op, x, y, axis, code, keepdims, out, where, initial, accuracy,
                                    nan, correction)
            except TypeError:
                if code != BFLOAT16 and has_buffer(x) and has_buffer(y) and has_buffer(out):
                    raise
    return foreign_reduce(op, x, y, axis, dtype, keepdims, out, where, initial, accuracy, nan,
                          correction)


def sum(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
        initial: float | None = None, where: Any = True, accuracy: Accuracy = "exact",
        nan: NanPolicy = "propagate") -> Any:
    """The sum of the elements, rounded once.

    Args:
        x: an array of any shape and strides, or what `numpy.asarray` takes.
        axis: the axes to sum over: an integer, a tuple of them, or None for all.
        dtype: the type of the answer. Default: floats keep theirs, integers and bool give int64
            or uint64. The elements are not converted: the exact sum is rounded to this type.
        out: an array of the answer's shape, which receives the answers.
        keepdims: whether reduced axes stay, with extent 1.
        initial: one more term.
        where: a mask, broadcast to x's shape; elements where it is False do not count.
        accuracy: "exact" (correctly rounded, ties to even, any order of the elements gives the
            same bits), or "fast" (a tree of plain additions with a documented bound; integers
            wrap).
        nan: "propagate" (NaN gives NaN), "omit" (NaNs do not count), "error" (ValueError).

    Returns:
        A scalar if all axes are reduced, else an array, in x's library and on its device.

    Raises:
        OverflowError: an exact sum of integers that does not fit the type of the answer.
        TypeError: elements that are no numbers; a dtype that a sum does not have.
        ValueError: wrong shapes or words; numpy.exceptions.AxisError for an axis that x lacks.

    >>> import numpy as np
    >>> sum(np.array([1e308, 1e308, -1e308]))
    np.float64(1e+308)
    >>> sum(np.full((2, 10), 0.1), axis=1)
    array([1., 1.])
    """
    return _reduce(_OPS["sum"], x, axis, dtype, keepdims, out, where, initial, accuracy, nan)


def mean(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
         where: Any = True, accuracy: Accuracy = "exact", nan: NanPolicy = "propagate") -> Any:
    """The sum divided by the number of elements, rounded once; NaN if there are none.

    The arguments are those of `sum`. Integers give float64.

    >>> import numpy as np
    >>> mean(np.array([0.1, 0.2, 0.3]))
    np.float64(0.2)
    """
    return _reduce(_OPS["mean"], x, axis, dtype, keepdims, out, where, None, accuracy, nan)


def var(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, correction: float = 0,
        keepdims: bool = False, where: Any = True, accuracy: Accuracy = "exact",
        nan: NanPolicy = "propagate") -> Any:
    """The variance: squared differences from the mean, divided by count - correction.

    The exact rational value is rounded once, whatever the mean is. The other arguments are those
    of `sum`.

    >>> import numpy as np
    >>> var(np.array([1e9 + 1, 1e9 + 2, 1e9 + 3]), correction=1)
    np.float64(1.0)
    """
    return _reduce(_OPS["var"], x, axis, dtype, keepdims, out, where, None, accuracy, nan,
                   correction)


def std(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, correction: float = 0,
        keepdims: bool = False, where: Any = True, accuracy: Accuracy = "exact",
        nan: NanPolicy = "propagate") -> Any:
    """The standard deviation: the root of the exact variance, rounded once. As `var`.

    >>> import numpy as np
    >>> std(np.array([1, 3]))
    np.float64(1.0)
    """
    return _reduce(_OPS["std"], x, axis, dtype, keepdims, out, where, None, accuracy, nan,
                   correction)


def prod(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
         initial: float | None = None, where: Any = True, accuracy: Accuracy = "exact",
         nan: NanPolicy = "propagate") -> Any:
    """The product: of integers exact, of floats within a relative 2.02 n 2^-106 before rounding.

    The arguments are those of `sum`. OverflowError: a product of integers that does not fit.

    >>> import numpy as np
    >>> prod(np.array([1e200, 1e200, 1e-200]))
    np.float64(1e+200)
    """
    return _reduce(_OPS["prod"], x, axis, dtype, keepdims, out, where, initial, accuracy, nan)


def min(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
        initial: float | None = None, where: Any = True, nan: NanPolicy = "propagate") -> Any:
    """The least element; -0 is less than +0. ValueError if there is none and no `initial`.

    The arguments are those of `sum`.

    >>> import numpy as np
    >>> min(np.array([[3, 1], [2, 5]]), axis=0)
    array([2, 1])
    """
    return _reduce(_OPS["min"], x, axis, None, keepdims, out, where, initial, "exact", nan)


def max(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
        initial: float | None = None, where: Any = True, nan: NanPolicy = "propagate") -> Any:
    """The largest element; +0 is more than -0. ValueError if there is none and no `initial`.

    The arguments are those of `sum`.

    >>> import numpy as np
    >>> max(np.array([[3, 1], [2, 5]]), axis=1)
    array([3, 5])
    """
    return _reduce(_OPS["max"], x, axis, None, keepdims, out, where, initial, "exact", nan)


def minmax(x, /, axis: Axis = None, *, keepdims: bool = False, initial: float | None = None,
           where: Any = True, nan: NanPolicy = "propagate") -> Any:
    """The least and the largest element in one pass: a tuple of two. As `min` and `max`.

    >>> import numpy as np
    >>> minmax(np.array([3, 1, 2]))
    (np.int64(1), np.int64(3))
    """
    both = _reduce(_OPS["minmax"], x, axis, None, keepdims, None, where, initial, "exact", nan)
    least, largest = both[..., 0], both[..., 1]
    return (least[()], largest[()]) if type(both) is _ndarray else (least, largest)


def argmin(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
           nan: NanPolicy = "propagate") -> Any:
    """The index of the first least element along an axis; of all, in row-major order.

    A NaN is the least element, as in NumPy, under "propagate". ValueError if there is none.

    >>> import numpy as np
    >>> argmin(np.array([3, 1, 2, 1]))
    np.int64(1)
    """
    return _reduce(_OPS["argmin"], x, axis, None, keepdims, out, True, None, "exact", nan)


def argmax(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
           nan: NanPolicy = "propagate") -> Any:
    """The index of the first largest element along an axis. As `argmin`.

    >>> import numpy as np
    >>> argmax(np.array([[3, 1], [2, 5]]), axis=1)
    array([0, 1])
    """
    return _reduce(_OPS["argmax"], x, axis, None, keepdims, out, True, None, "exact", nan)


def any(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
        where: Any = True) -> Any:
    """Whether any element is not zero; NaN is not. False if there is none.

    >>> import numpy as np
    >>> any(np.array([[0, 0], [0, 2]]), axis=1)
    array([False,  True])
    """
    return _reduce(_OPS["any"], x, axis, None, keepdims, out, where, None, "exact", "propagate")


def all(x, /, axis: Axis = None, out: Any = None, *, keepdims: bool = False,
        where: Any = True) -> Any:
    """Whether no element is zero; NaN is not. True if there is none.

    >>> import numpy as np
    >>> all(np.array([1.0, float("nan")]))
    np.True_
    """
    return _reduce(_OPS["all"], x, axis, None, keepdims, out, where, None, "exact", "propagate")


def count(x, /, axis: Axis = None, *, keepdims: bool = False, where: Any = True,
          nan: NanPolicy = "propagate") -> Any:
    """The number of elements; under nan="omit" of those that are not NaN.

    >>> import numpy as np
    >>> count(np.array([1.0, float("nan")]), nan="omit")
    np.int64(1)
    """
    return _reduce(_OPS["count"], x, axis, None, keepdims, None, where, None, "exact", nan)


def count_nonzero(x, /, axis: Axis = None, *, keepdims: bool = False, where: Any = True,
                  nan: NanPolicy = "propagate") -> Any:
    """The number of elements that are not zero; NaN is not, unless omitted.

    >>> import numpy as np
    >>> count_nonzero(np.array([[0, 1], [2, 3]]), axis=0)
    array([1, 2])
    """
    return _reduce(_OPS["count_nonzero"], x, axis, None, keepdims, None, where, None, "exact", nan)


def _bits(op):
    def reduction(x, /, axis=None, out=None, *, keepdims=False, where=True):
        return _reduce(op, x, axis, None, keepdims, out, where, None, "exact", "propagate")
    return reduction


bit_and, bit_or, bit_xor = (_bits(_OPS[name]) for name in ("bit_and", "bit_or", "bit_xor"))
for _name, _function, _meaning in (
        ("bit_and", bit_and, "The bits that all elements have"),
        ("bit_or", bit_or, "The bits that any element has"),
        ("bit_xor", bit_xor, "The bits that an odd number of elements has")):
    _function.__name__ = _function.__qualname__ = _name
    _function.__doc__ = f"{_meaning}; elements are integers or bool. The arguments are `sum`'s."


def norm(x, /, ord: float = 2, *, axis: Axis = None, dtype: Any = None, out: Any = None,
         keepdims: bool = False, where: Any = True, accuracy: Accuracy = "exact",
         nan: NanPolicy = "propagate") -> Any:
    """A vector norm, rounded once and without overflow on the way.

    Args:
        ord: 2 (root of the sum of squares), 1 (sum of magnitudes) or inf (largest magnitude).

    The other arguments are those of `sum`.

    >>> import numpy as np
    >>> norm(np.array([3.0, 4.0]) * 2.0**600) / 2.0**600
    np.float64(5.0)
    """
    for order, name in ((2, "norm2"), (1, "norm1"), (_inf, "norminf")):
        if ord == order:
            op = _OPS[name]
            break
    else:
        raise ValueError(f"ord must be 1, 2 or inf, not {ord!r}")
    # The largest magnitude has no rounding to trade for speed.
    exact = ord == _inf and accuracy == "fast"
    return _reduce(op, x, axis, dtype, keepdims, out, where, None,
                   "exact" if exact else accuracy, nan)


def norm1(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
          where: Any = True, accuracy: Accuracy = "exact", nan: NanPolicy = "propagate") -> Any:
    """The sum of magnitudes, rounded once. The arguments are those of `sum`."""
    return _reduce(_OPS["norm1"], x, axis, dtype, keepdims, out, where, None, accuracy, nan)


def norm2(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
          where: Any = True, accuracy: Accuracy = "exact", nan: NanPolicy = "propagate") -> Any:
    """The root of the sum of squares, rounded once. The arguments are those of `sum`."""
    return _reduce(_OPS["norm2"], x, axis, dtype, keepdims, out, where, None, accuracy, nan)


def norminf(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
            where: Any = True, nan: NanPolicy = "propagate") -> Any:
    """The largest magnitude. The arguments are those of `sum`."""
    return _reduce(_OPS["norminf"], x, axis, dtype, keepdims, out, where, None, "exact", nan)


def sumsq(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False,
          where: Any = True, accuracy: Accuracy = "exact", nan: NanPolicy = "propagate") -> Any:
    """The sum of squares, rounded once. The arguments are those of `sum`."""
    return _reduce(_OPS["sumsq"], x, axis, dtype, keepdims, out, where, None, accuracy, nan)


def logsumexp(x, /, axis: Axis = None, dtype: Any = None, out: Any = None, *,
              keepdims: bool = False, where: Any = True, nan: NanPolicy = "propagate") -> Any:
    """The logarithm of the sum of exponentials, in no order; the arguments are those of `sum`.

    Within 2^-51.8 (float64) or 2^-29.8 before it is rounded.

    >>> import numpy as np
    >>> logsumexp(np.array([1000.0, 1000.0]))
    np.float64(1000.6931471805599)
    """
    return _reduce(_OPS["logsumexp"], x, axis, dtype, keepdims, out, where, None, "exact", nan)


def _product_dtype(x, y, dtype, out):
    """The type of the products' sum: that of both operands together, where none is asked for."""
    own, other = getattr(x, "dtype", None), getattr(y, "dtype", None)
    if dtype is not None or out is not None or own == other or not isinstance(x, _ndarray):
        return dtype
    both = np.result_type(own, other) if isinstance(y, _ndarray) else own
    return both if both.kind in "fV" else "uint64" if both.kind == "u" else "int64"


def _check_vectors(x, y):
    for name, one in (("x", x), ("y", y)):
        axes = len(shape_of(one, name))
        if axes != 1:
            raise ValueError(f"dot takes arrays of one axis, {name} has {axes}; "
                             "vecdot reduces one axis of many")


def dot(x, y, /, *, dtype: Any = None, out: Any = None, accuracy: Accuracy = "exact",
        nan: NanPolicy = "propagate") -> Any:
    """The dot product of two arrays of one axis, rounded once.

    Operands of different types are multiplied exactly; the answer has the type that holds both.
    ValueError if they have more axes (`vecdot` takes them) or different lengths.

    >>> import numpy as np
    >>> dot(np.array([1e200, 1.0, 1e200]), np.array([1e200, 1.0, -1e200]))
    np.float64(1.0)
    """
    # The usual operands pass without the checks, which take as long as a short product.
    if not (type(x) is type(y) is _ndarray and x.ndim == y.ndim == 1 and x.dtype is y.dtype):
        _check_vectors(x, y)
        dtype = _product_dtype(x, y, dtype, out)
    return _reduce(_OPS["dot"], x, None, dtype, False, out, True, None, accuracy, nan, None, y)


def vecdot(x, y, /, *, axis: int = -1, dtype: Any = None, out: Any = None, keepdims: bool = False,
           accuracy: Accuracy = "exact", nan: NanPolicy = "propagate") -> Any:
    """The dot products of the vectors along an axis of two arrays, rounded once.

    The other axes broadcast. ValueError if the vectors differ in length, or if the arrays differ
    in rank and the axis does not count from the last one.

    >>> import numpy as np
    >>> vecdot(np.eye(2), np.array([2.0, 3.0]))
    array([2., 3.])
    """
    axis = index(axis)
    shapes = shape_of(x), shape_of(y, "y")
    if shapes[0] != shapes[1]:
        if axis >= 0 and len(shapes[0]) != len(shapes[1]):
            raise ValueError(f"axis must be negative for arrays of different ranks, not {axis}")
        lengths = [shape[normalize_axis_index(axis, len(shape))] for shape in shapes]
        if lengths[0] != lengths[1]:
            raise ValueError(f"the vectors along axis {axis} have different lengths, "
                             f"{lengths[0]} and {lengths[1]}")
        x, y = broadcast(x, y)
    dtype = _product_dtype(x, y, dtype, out)
    return _reduce(_OPS["dot"], x, axis, dtype, keepdims, out, True, None, accuracy, nan, None, y)


def _without_nans(function, name):
    def reduction(x, /, axis=None, **arguments):
        return function(x, axis=axis, nan="omit", **arguments)
    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f'`{function.__name__}` of the elements that are not NaN: nan="omit".'
    return reduction


nansum = _without_nans(sum, "nansum")
nanmean = _without_nans(mean, "nanmean")
nanvar = _without_nans(var, "nanvar")
nanstd = _without_nans(std, "nanstd")
nanprod = _without_nans(prod, "nanprod")
nanmin = _without_nans(min, "nanmin")
nanmax = _without_nans(max, "nanmax")
nanargmin = _without_nans(argmin, "nanargmin")
nanargmax = _without_nans(argmax, "nanargmax")
