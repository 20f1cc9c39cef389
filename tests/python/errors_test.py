# SPDX-License-Identifier: Apache-2.0
"""Bad input: Python's usual exceptions, with what is wrong, where, and what to do."""
import numpy as np
import pytest

import onefold

X = np.arange(6.0).reshape(2, 3)
REDUCTIONS = [getattr(onefold, name) for name in ("sum", "mean", "var", "min", "any", "argmax")]


def raises(error, words, function, *arguments, **named):
    with pytest.raises(error) as found:
        function(*arguments, **named)
    for word in words:
        assert word in str(found.value), f"{word!r} is not in {str(found.value)!r}"


@pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("array", [
    np.array([1, "a", None], object), np.array(["a", "b"]), np.array([b"a"]),
    np.array(["2026-01-01"], "M8[D]"), np.array([1], "m8[s]"), np.array([1j]),
    np.array([1j], "c8"), np.zeros(2, [("a", "f8"), ("b", "i4")]), np.zeros(2, "V3"),
    np.array([1.0], np.longdouble)], ids=lambda array: str(array.dtype)[:10])
def test_elements_that_are_no_numbers(function, array):
    raises(TypeError, ("x has elements of dtype", "are not supported; "), function, array)


@pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("axis", [2, -3, 2**40])
def test_axis_that_the_array_lacks(function, axis):
    raises(np.exceptions.AxisError, (f"axis {axis} is out of bounds", "2 axes"), function, X,
           axis=axis)


@pytest.mark.parametrize("axis, error", [
    ((0, 2), np.exceptions.AxisError), ((0, 0), ValueError), ((0, -2), ValueError),
    (1.0, TypeError), ("0", TypeError), (2**70, OverflowError), ((0, None), TypeError)])
def test_axes_that_are_wrong(axis, error):
    with pytest.raises(error):
        onefold.sum(X, axis=axis)


@pytest.mark.parametrize("given, error, words", [
    ({"accuracy": "quick"}, ValueError, ("accuracy must be", "'exact'", "quick")),
    ({"accuracy": None}, TypeError, ("accuracy must be a string",)),
    ({"nan": "skip"}, ValueError, ("nan must be", "'omit'", "skip")),
    ({"dtype": "complex128"}, TypeError, ("complex128", "float64")),
    ({"dtype": "nonsense"}, TypeError, ("nonsense",)),
    ({"dtype": object}, TypeError, ("not supported",)),
    ({"dtype": "int64"}, TypeError, ()),
    ({"initial": "1"}, TypeError, ("initial must be a real number", "str")),
    ({"initial": 1j}, TypeError, ("initial must be a real number", "complex")),
    ({"initial": 2**70}, OverflowError, ("initial",)),
    ({"where": np.ones(2, bool)}, ValueError, ()),
    ({"where": np.ones((2, 3))}, ValueError, ("the mask's elements are float64", "bool")),
    ({"out": np.zeros(2)}, ValueError, ("out has another shape", "()")),
    ({"axis": 0, "out": np.zeros(4)}, ValueError, ("out has another shape", "(3,)")),
    ({"axis": 0, "out": [0.0] * 3}, TypeError, ("out must be",)),
    ({"axis": 0, "out": np.zeros(3, int)}, TypeError, ()),
    ({"dtype": "f4", "out": np.zeros(())}, TypeError, ("dtype is float32", "out float64")),
    ({"axis": 0, "out": np.zeros(3, complex)}, TypeError, ()),
])
def test_arguments_that_are_wrong(given, error, words):
    raises(error, words, onefold.sum, X, **given)


def test_out_that_is_read_only():
    out = np.zeros(3)
    out.flags.writeable = False
    raises(ValueError, ("read-only",), onefold.sum, X, axis=0, out=out)
    assert not out.any()


def test_out_that_holds_an_answer_at_two_places():
    out = np.lib.stride_tricks.as_strided(np.zeros(1), (3,), (0,))
    with pytest.raises(ValueError):
        onefold.sum(X, axis=0, out=out)


def test_out_that_is_the_input():
    x = X.copy()
    assert onefold.sum(x, axis=0, out=x[0]) is not None
    assert x.tolist() == [[3.0, 5.0, 7.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("name", ["min", "max", "minmax", "argmin", "argmax"])
def test_nothing_has_no_least_element(name):
    function = getattr(onefold, name)
    raises(ValueError, ("of nothing has no value",), function, np.zeros(0))
    raises(ValueError, ("of nothing has no value",), function, np.zeros((2, 0)), axis=1)
    parts = function(np.zeros((0, 2)), axis=1)
    assert all(part.shape == (0,) for part in (parts if isinstance(parts, tuple) else (parts,)))


def test_exact_integers_that_do_not_fit():
    largest = np.array([2**63 - 1, 1])
    raises(OverflowError, ("the exact sum does not fit",), onefold.sum, largest)
    assert onefold.sum(largest, dtype=float) == 2.0**63
    assert onefold.sum(largest, accuracy="fast") == -(2**63)
    raises(OverflowError, ("the exact sum does not fit int8",), onefold.sum, [100, 100], dtype="i1")
    raises(OverflowError, ("the exact prod does not fit",), onefold.prod, np.array([2**62, 4]))


def test_nan_that_is_refused():
    x = np.array([1.0, np.nan])
    raises(ValueError, ("NaN",), onefold.sum, x, nan="error")
    assert onefold.sum(x, nan="error", where=np.array([True, False])) == 1


def test_operators_of_integers_alone():
    with pytest.raises(TypeError):
        onefold.bit_and(X)


@pytest.mark.parametrize("correction", ["1", None, 1j, [1]])
def test_correction_is_a_number(correction):
    if correction is None:  # as if it were not given
        assert onefold.var(X, correction=None) == onefold.var(X)
    else:
        raises(TypeError, ("correction must be a real number",), onefold.var, X,
               correction=correction)


@pytest.mark.parametrize("correction", [float("nan"), float("inf"), float("-inf")])
def test_correction_is_finite(correction):
    with pytest.raises(ValueError):
        onefold.var(X, correction=correction)


@pytest.mark.parametrize("order", [0, 3, -1, "nuc", None, float("nan")])
def test_norms_that_are_not_there(order):
    raises(ValueError, ("ord must be 1, 2 or inf",), onefold.norm, X, order)


def test_norms_have_the_words_of_accuracy():
    for order in (1, 2, np.inf):
        raises(ValueError, ("accuracy must be", "'fsat'"), onefold.norm, X, order, accuracy="fsat")
        raises(TypeError, ("accuracy must be a string",), onefold.norm, X, order, accuracy=None)
    assert onefold.norm(X, np.inf, accuracy="fast") == onefold.norm(X, np.inf) == 5


def test_products_of_wrong_shapes():
    raises(ValueError, ("dot takes arrays of one axis", "x has 2"), onefold.dot, X, X[0])
    raises(ValueError, ("dot takes arrays of one axis", "y has 0"), onefold.dot, X[0],
           np.array(1.0))
    raises(ValueError, ("dot takes arrays of one axis", "x has 3"), onefold.dot, X[None], X)
    with pytest.raises(ValueError):
        onefold.dot(X[0], X[0, :2])
    raises(ValueError, ("different lengths", "1 and 3"), onefold.vecdot, X[:, :1], X)
    with pytest.raises(ValueError):
        onefold.vecdot(np.ones((2, 3)), np.ones((4, 3)))
    for axis in (None, [0], (0, 1)):
        raises(TypeError, ("integer",), onefold.vecdot, X, X, axis=axis)
    raises(TypeError, ("no element type holds both",), onefold.dot, np.ones(2, "i8"), np.ones(2))


def test_arguments_that_are_unknown_or_missing():
    for function in REDUCTIONS:
        with pytest.raises(TypeError):
            function()
        with pytest.raises(TypeError):
            function(X, axes=0)


def test_more_axes_than_numpy_has():
    with pytest.raises(np.exceptions.AxisError):
        onefold.sum(np.zeros((1,) * 64), axis=64)
    assert onefold.sum(np.ones((1,) * 64)) == 1


def test_memory_that_is_refused():
    """The answers of an array of stride 0 would take 2^50 bytes."""
    wide = np.broadcast_to(np.float64(1), (1, 2**47))
    with pytest.raises(MemoryError):
        onefold.sum(wide, axis=0)


def test_keepdims_is_a_bool():
    for keepdims in (1, np.True_, [0]):
        assert onefold.sum(X, keepdims=keepdims).shape == (1, 1)
    assert onefold.sum(X, keepdims=0) == 15
