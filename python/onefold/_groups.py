# SPDX-License-Identifier: Apache-2.0
"""One answer for each segment of an array, or for each distinct key."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _reductions
from ._arrays import check_devices, numpy_array, own_array, view_of
from ._arrow import plain_where
from ._dtypes import BFLOAT16, LONG_NAMES, code_of

_OPS = _core.operators


class Groups(NamedTuple):
    """The result of group_by: the distinct keys, ascending, and the value of each."""

    keys: Any
    values: Any


def _number_of(op: str) -> int:
    names = [name for name in _OPS if name != "dot"]
    if op not in names:
        raise ValueError(f"op must be one of {', '.join(names)}, not {op!r}")
    return _OPS[op]


class _Answers:
    """The arguments of a call, and the arrays for its answers: of x's library, on x's device."""

    def __init__(self, x, op, dtype, where, initial, accuracy, nan, correction, min_count,
                 empty_value):
        self.op = _number_of(op)
        self.library, self.x = own_array(x)
        self.view = self.library.view(self.x)
        self.code = (_core.default_output(self.op, self.view.dtype) if dtype is None
                     else code_of(dtype))
        where = plain_where(where)
        mask = None if where is True else view_of(where, "where")
        check_devices(self.view, where=mask)
        self.options = (mask, initial, accuracy, nan, correction, min_count, empty_value,
                        self.library.stream(self.x))

    def empty(self, n):
        """An array for n answers, and its memory."""
        shape = (n, 2) if self.op == _OPS["minmax"] else (n,)
        made = self.library.empty(shape, self.library.output_type(self.code), self.x)
        return made, self.library.view_of_new(made)

    def result(self, made):
        return self.library.result(made, self.x)


def _check_integers(view, name):
    if 0 not in view.shape and "int" not in LONG_NAMES[view.dtype]:
        raise TypeError(f"{name} must be integers, not {LONG_NAMES[view.dtype]}")


def _offsets(offsets, x):
    """The offsets of segments of x as memory: on x's device as they are, or on the host."""
    library, offsets = own_array(offsets, "offsets")
    view = library.view(offsets)
    _check_integers(view, "offsets")
    if view.device >= 0:
        check_devices(x, offsets=view)
        return view
    return view_of(np.ascontiguousarray(numpy_array(offsets)).astype(np.int64, copy=False))


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

    The other arguments are those of `sum` and `var`. Returns an array of one axis, in x's library
    and on its device; for "minmax" of two, least and largest side by side. Offsets of elements on a
    GPU may be there too, as int64. On a GPU the call waits for its answers.

    >>> import numpy as np
    >>> reduce_at(np.array([1.0, 2.0, 3.0, 4.0]), [0, 1, 1, 4])
    array([1., 0., 9.])
    """
    answers = _Answers(x, op, dtype, where, initial, accuracy, nan, correction, min_count,
                       empty_value)
    bounds = _offsets(offsets, answers.view)
    made, memory = answers.empty(max(bounds.shape[0] - 1, 0) if bounds.shape else 0)
    _core.segments_into(answers.op, answers.view, bounds, memory, *answers.options)
    return answers.result(made)


def group_by(keys, values, op="sum", *, dtype=None, where=True, initial=None, accuracy="exact",
             nan="propagate", correction=0, min_count=0, empty_value=None) -> Groups:
    """One answer for each distinct key.

    Args:
        keys: n integers or bools.
        values: n elements.
        op: an operator's name.
        min_count, empty_value: as in `reduce_at`; elements that a mask or nan="omit" leaves out
            do not count.

    The other arguments are those of `sum` and `var`. Keys and answers are arrays of the library
    and on the device of `keys` and of `values`; on a GPU the call waits for the number of groups.

    >>> import numpy as np
    >>> group_by(np.array([7, 3, 7]), np.array([0.1, 0.2, 0.3]))
    Groups(keys=array([3, 7]), values=array([0.2, 0.4]))
    """
    answers = _Answers(values, op, dtype, where, initial, accuracy, nan, correction, min_count,
                       empty_value)
    library, keys = own_array(keys, "keys")
    view = library.view(keys)
    check_devices(answers.view, keys=view)
    found = []

    def make(n):
        group_keys = library.empty((n,), library.output_type(view.dtype), keys)
        made, memory = answers.empty(n)
        found.extend((group_keys, made))
        return library.view_of_new(group_keys), memory
    _core.groups_into(answers.op, view, answers.view, make, *answers.options)
    return Groups(library.result(found[0], keys), answers.result(found[1]))


def segment(x, ids, n=None, op="sum", **arguments):
    """One answer for each of the numbers 0 … n - 1: of the elements of x with that id.

    Args:
        x: elements of one axis.
        ids: as many integers from 0 on, in any order.
        n: the number of answers; None: the largest id + 1.

    The other arguments are those of `group_by`. Of arrays on a GPU it waits for the largest id and
    the number of distinct ones.

    >>> import numpy as np
    >>> segment(np.array([0.1, 0.2, 0.3]), np.array([2, 0, 2]))
    array([0.2, 0. , 0.4])
    """
    library, x = own_array(x)
    if not library.assigns:
        x, ids = numpy_array(x), numpy_array(ids, "ids")
        library, x = own_array(x)
    ids_library, ids = own_array(ids, "ids")
    view = ids_library.view(ids)
    _check_integers(view, "ids")
    most = 0
    if 0 not in view.shape:
        least, most = int(_reductions.min(ids)), int(_reductions.max(ids)) + 1
        if least < 0:
            raise ValueError(f"ids must be 0 or more, not {least}")
    n = most if n is None else n
    if most > n:
        raise ValueError(f"id {most - 1} is not below n = {n}")
    found = group_by(ids if most else np.empty(0, np.int64), x, op, **arguments)
    answers = library.empty((n, *found.values.shape[1:]), code_of(found.values.dtype), x)
    if len(found.keys) < n:
        for k, value in enumerate(_value_of_none(library.view(x).dtype, op, arguments)):
            answers[(...,) if answers.ndim == 1 else (..., k)] = value
    answers[library.places(found.keys)] = found.values
    return answers


def _value_of_none(code, op, arguments):
    """The answer of no elements of a type, two for "minmax", as numbers of Python."""
    options = {name: value for name, value in arguments.items() if name != "where"}
    name = "float32" if code == BFLOAT16 else LONG_NAMES[code]
    return reduce_at(np.empty(0, name), [0, 0], op, **options).reshape(-1).tolist()
