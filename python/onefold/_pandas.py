# SPDX-License-Identifier: Apache-2.0
"""Series, indices and extension arrays of pandas 2 and 3, all by one rule.

An element is missing where pandas' `isna` says so: NaN of NumPy's floats, NA of pandas' own types,
null of Arrow's. Neither the Arrow stream that a Series of pandas 3 has nor `numpy.asarray` keeps
this rule: the one takes NaN for a number, the other rounds Int64 with NA to float64, and both give
numbers for categories.
"""
from __future__ import annotations

import sys

import numpy as np

from ._numpy import plain_array


def is_pandas(x) -> bool:
    """Whether x is one of pandas' objects: a Series, an Index, an extension array, a DataFrame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, (
        pandas.Series, pandas.Index, pandas.DataFrame, pandas.api.extensions.ExtensionArray))


def array_of_pandas(x):
    """The extension array that has the elements of a pandas object; pyarrow's own if it has one.

    Raises TypeError for tables, and for categories, which are names even where they are numbers.
    """
    pandas = sys.modules["pandas"]
    if isinstance(x, pandas.DataFrame):
        raise TypeError("x is a DataFrame; give one column, x['name'], or all elements, "
                        "x.to_numpy()")
    if isinstance(x, pandas.MultiIndex):
        raise TypeError("x is a MultiIndex; give one level, x.get_level_values(0)")
    if isinstance(x, (pandas.Series, pandas.Index)):
        x = x.array
    if isinstance(x, pandas.Categorical):
        raise TypeError("x has categories, which are not supported; convert them to numbers, "
                        "x.astype('int64')")
    return x.__arrow_array__() if isinstance(x.dtype, pandas.ArrowDtype) else x


def elements_of_pandas(x) -> tuple[np.ndarray, np.ndarray | None]:
    """The elements of an extension array, and the mask of those that are not missing, or None.

    The elements are copied where pandas' own types have missing ones, and of RangeIndex and sparse
    arrays, which have none in memory.
    """
    arrays = sys.modules["pandas"].arrays
    if isinstance(x, (arrays.IntegerArray, arrays.FloatingArray, arrays.BooleanArray)):
        values = x.to_numpy(dtype=x.dtype.numpy_dtype, na_value=0)
    else:
        values = plain_array(x.to_numpy())
        if values.dtype.kind != "f":
            return values, None
    missing = np.asarray(x.isna())
    return values, ~missing if missing.any() else None
