# SPDX-License-Identifier: Apache-2.0
"""One answer for each segment of an array, or for each distinct key."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _core
from ._arrays import numpy_array, view_of
from ._arrow import plain_where
from ._dtypes import code_of

_OPS = _core.operators


class Groups(NamedTuple):
    """The result of group_by: the distinct keys, ascending, and the value of each."""

    keys: np.ndarray
    values: np.ndarray


def _number_of(op: str) -> int:
    names = [name for name in _OPS if name != "dot"]
    if op not in names:
        raise ValueError(f"op must be one of {', '.join(names)}, not {op!r}")
    return _OPS[op]


def _mask(where):
    where = plain_where(where)
    return None if where is True else np.asarray(where)


def reduce_at(x, offsets, op="sum", *, dtype=None, where=True, initial=None, accuracy="exact",
              nan="propagate", correction=0, min_count=0, empty_value=None):
    """One answer for each piece of an array of one axis.

    Args:
        x: n elements.
        offsets: ascending integers within 0 … n; piece k has the elements offsets[k] up to, not
            including, offsets[k + 1]. There is one piece fewer than offsets, and a piece may be
            empty. (`np.add.reduceat` takes the last piece to the end instead: append n.)
        op: an operator's name.
        min_count: a piece of fewer elements is empty.
        empty_value: the answer of an empty piece; None: ValueError where the operator has no
            value for no elements, or where min_count asks for some.

    The other arguments are those of `sum` and `var`. Returns an array of one axis; for "minmax"
    of two, least and largest side by side.

    >>> import numpy as np
    >>> reduce_at(np.array([1.0, 2.0, 3.0, 4.0]), [0, 1, 1, 4])
    array([1., 0., 9.])
    """
    bounds = np.ascontiguousarray(offsets)
    if bounds.size and bounds.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, not {bounds.dtype}")
    return _core.segments(_number_of(op), view_of(numpy_array(x)), bounds.astype(np.int64),
                          -1 if dtype is None else code_of(dtype), _mask(where), initial, accuracy,
                          nan, correction, min_count, empty_value)


def group_by(keys, values, op="sum", *, dtype=None, where=True, initial=None, accuracy="exact",
             nan="propagate", correction=0, min_count=0, empty_value=None) -> Groups:
    """One answer for each distinct key.

    Args:
        keys: n integers or bools.
        values: n elements.
        op: an operator's name.
        min_count, empty_value: as in `reduce_at`; elements that a mask or nan="omit" leaves out
            do not count.

    The other arguments are those of `sum` and `var`.

    >>> import numpy as np
    >>> group_by(np.array([7, 3, 7]), np.array([0.1, 0.2, 0.3]))
    Groups(keys=array([3, 7]), values=array([0.2, 0.4]))
    """
    return Groups(*_core.groups(_number_of(op), view_of(numpy_array(keys)),
                                view_of(numpy_array(values)),
                                -1 if dtype is None else code_of(dtype), _mask(where), initial,
                                accuracy, nan, correction, min_count, empty_value))


def segment(x, ids, n=None, op="sum", **arguments):
    """One answer for each of the numbers 0 … n - 1: of the elements of x with that id.

    Args:
        x: elements of one axis.
        ids: as many integers from 0 on, in any order.
        n: the number of answers; None: the largest id + 1.

    The other arguments are those of `group_by`.

    >>> import numpy as np
    >>> segment(np.array([0.1, 0.2, 0.3]), np.array([2, 0, 2]))
    array([0.2, 0. , 0.4])
    """
    labels = numpy_array(ids)
    if labels.size and labels.dtype.kind not in "iu":
        raise TypeError(f"ids must be integers, not {labels.dtype}")
    if labels.size and labels.min() < 0:
        raise ValueError(f"ids must be 0 or more, not {labels.min()}")
    most = int(labels.max()) + 1 if labels.size else 0
    n = most if n is None else n
    if most > n:
        raise ValueError(f"id {most - 1} is not below n = {n}")
    found = group_by(labels if labels.size else labels.astype(np.int64), x, op, **arguments)
    answers = np.empty((n, *found.values.shape[1:]), found.values.dtype)
    if len(found.keys) < n:
        options = {name: value for name, value in arguments.items() if name != "where"}
        answers[...] = reduce_at(numpy_array(x)[:0], [0, 0], op, **options)
    answers[found.keys] = found.values
    return answers
