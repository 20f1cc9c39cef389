# SPDX-License-Identifier: Apache-2.0
"""State: a reduction in progress, to add to, merge, store, send and round."""
from __future__ import annotations

from operator import index

import numpy as np

from . import _core
from ._arrays import add_to_state
from ._dtypes import LONG_NAMES, code_of

_OPS = _core.operators
_LARGEST_INDEX = 2**63 - 1
_NAMES = {number: name for name, number in _OPS.items()}


def _index_of(first_index) -> int:
    first_index = index(first_index)
    if not 0 <= first_index <= _LARGEST_INDEX:
        raise OverflowError(f"first_index must be from 0 to 2^63 - 1, not {first_index}")
    return first_index


class State:
    """The exact result of the elements added so far, before rounding.

    Args:
        op: an operator's name: "sum", "mean", "var", "std", "norm1", "norm2", "norminf", "sumsq",
            "dot", "min", "max", "minmax", "argmin", "argmax", "any", "all", "count",
            "count_nonzero", "bit_and", "bit_or", "bit_xor", "prod", "logsumexp".
        dtype: the type of the elements.
        first_index: the index of the first element to come. Parts of one array need it for
            positions, and for "prod", whose states merge only with the one that directly follows.

    States of equal elements are equal, and so are their bytes, on every machine. Those of all
    operators but "prod" merge in any order, with the same bits. A state is pickled by its bytes
    and `first_index`.

    >>> import numpy as np
    >>> parts = [State("sum").add(np.array([0.1] * n)) for n in (3, 7)]
    >>> parts[0] + parts[1]
    State('sum', float64: 10 elements, value 1.0)
    """

    __slots__ = ("_core",)

    def __init__(self, op: str = "sum", dtype="float64", *, first_index: int = 0):
        if op not in _OPS:
            raise ValueError(f"op must be one of {', '.join(_OPS)}, not {op!r}")
        self._core = _core.State.create(_OPS[op], code_of(dtype), _index_of(first_index))

    @classmethod
    def _of(cls, core) -> State:
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def from_bytes(cls, data: bytes, first_index: int = 0) -> State:
        """The state of these `bytes()`, which do not include `first_index`. ValueError if they are
        no state."""
        return cls._of(_core.State.from_bytes(bytes(data), _index_of(first_index)))

    @classmethod
    def from_words(cls, words) -> State:
        """The state of all elements, from a sum of states' `words()`.

        ValueError if words of other operators, types, versions or bands were added to them,
        OverflowError from 2^31 states on, TypeError if they are no 64-bit integers.
        """
        words = np.asarray(words)
        if words.dtype != np.int64 or words.ndim != 1:
            raise TypeError(f"words are one axis of int64, not {words.ndim} of {words.dtype}")
        return cls._of(_core.State.from_words(words.tobytes()))

    @property
    def op(self) -> str:
        """The operator's name."""
        return _NAMES[self._core.op]

    @property
    def dtype(self) -> str:
        """The name of the elements' type."""
        return LONG_NAMES[self._core.dtype]

    @property
    def count(self) -> int:
        """The number of elements added, NaNs among them."""
        return self._core.count

    @property
    def first_index(self) -> int:
        """The index of the first element."""
        return self._core.first_index

    def add(self, x, y=None, *, where=True) -> State:
        """Adds the elements of an array of any shape, and returns the state itself.

        x is any array that the functions take: nulls, pandas' missing values, masked elements and
        those where `where` is False do not count; an array on a GPU is reduced there. NaNs count,
        and `value` says what they do. "dot" takes two arrays of one shape. TypeError if the
        elements of x are not of the state's type; for "argmin" and "argmax", elements that do not
        count.
        """
        add_to_state(self._core, x, y, where)
        return self

    def merge(self, other: State) -> State:
        """Adds the elements of another state, and returns the state itself.

        ValueError if operators or types differ, or, for "prod", if `other` does not directly
        follow.
        """
        if not isinstance(other, State):
            raise TypeError(f"a State merges with a State, not with '{type(other).__name__}'")
        self._core.merge(other._core)
        return self

    def subtract(self, other: State) -> State:
        """Removes the elements of another state, added before, and returns the state itself.

        For sums, means, norms, "sumsq", "dot", "var", "std", "logsumexp", "any", "all" and counts:
        a window that slides is exact. Where elements are removed and only -0.0 is left, a sum is
        0.0. ValueError if such elements were not added, TypeError for another operator, and for
        "logsumexp" where all elements near the largest one are removed while others were added
        that are less by 512 or more.
        """
        if not isinstance(other, State):
            raise TypeError(f"a State is subtracted, not '{type(other).__name__}'")
        self._core.subtract(other._core)
        return self

    def value(self, dtype=None, *, correction=0, nan="propagate"):
        """The answer so far, rounded once: a NumPy scalar; for "minmax" a tuple of two.

        ValueError if the operator has no answer for no elements.
        """
        return self._core.value(-1 if dtype is None else code_of(dtype), nan, correction)

    def decimal(self, *, nan="propagate") -> str:
        """A sum in all its decimal digits, before rounding.

        >>> import numpy as np
        >>> State("sum").add(np.array([0.1])).decimal()
        '0.1000000000000000055511151231257827021181583404541015625'
        """
        return self._core.decimal(nan)

    def bytes(self) -> bytes:
        """The state serialized, little-endian; equal elements give equal bytes."""
        return self._core.to_bytes()

    @property
    def band(self) -> int:
        """The band of the `words()` of "logsumexp": words add in one, the largest of all states.
        It is that of the largest element, 0 for magnitudes up to 256, and -2^63 without finite
        elements; 0 for other sums. TypeError for operators that are no sums."""
        return self._core.band()

    def words(self, band: int | None = None) -> np.ndarray:
        """The state as 64-bit integers, whose sums word by word are the words of all elements.

        Any sum of integers adds states then: `jax.lax.psum` (with JAX's 64-bit types), SQL's SUM,
        a reduction of MPI. For "logsumexp", `band` is the largest `band` of the states to add
        (`jax.lax.pmax`, MPI's MAX); default: the state's own. TypeError for min, max and other
        operators that are no sums, ValueError for a band below the state's.

        >>> parts = [State("sum").add([0.1] * n) for n in (3, 7)]
        >>> State.from_words(parts[0].words() + parts[1].words())
        State('sum', float64: 10 elements, value 1.0)
        """
        words = self._core.to_words(None if band is None else index(band))
        return np.frombuffer(words, np.int64).copy()

    def copy(self) -> State:
        """Another state with the same elements."""
        return State._of(self._core.copy())

    def __add__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self.copy().merge(other)

    def __iadd__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self.merge(other)

    def __sub__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self.copy().subtract(other)

    def __eq__(self, other):
        if not isinstance(other, State):
            return NotImplemented
        return self._core.equals(other._core)

    __hash__ = None

    def __reduce__(self):
        return State.from_bytes, (self.bytes(), self.first_index)

    def __repr__(self):
        try:
            try:
                value = self.value()
            except TypeError:  # bfloat16 without ml_dtypes
                value = self.value("float32")
            shown = f"({value[0]}, {value[1]})" if isinstance(value, tuple) else str(value)
        except (ValueError, OverflowError):
            shown = "none"
        return f"State({self.op!r}, {self.dtype}: {self.count} elements, value {shown})"
