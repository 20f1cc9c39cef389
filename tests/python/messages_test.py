# SPDX-License-Identifier: Apache-2.0
"""Messages have Python's names: the library's are C++'s, and NumPy's "i8" is another type."""
import re

import numpy as np
import pytest

import onefold

# The library's names of types, scopes, functions and the program's options; what a binding says of
# arguments that do not fit its signature.
NAMES_OF_CPP = re.compile(
    r"\b([iu](8|16|32|64)|b?f(16|32|64))\b|::|--|\btry_|_core|std_|stddev|bit_cast|additive|"
    r"to_string|nan=\w|incompatible function")
OPS = ["sum", "mean", "var", "prod", "norm1", "norm2", "norminf", "sumsq", "logsumexp", "min",
       "max", "minmax", "argmin", "any", "all", "count", "count_nonzero", "bit_or"]
X = np.ones((2, 3))
MASKED = np.ma.masked_array([1.0, 2.0], [True, False])
LARGEST = np.array([2**63 - 1, 1])


def answer_of_state(op, x, dtype, **rounding):
    return onefold.State(op, x.dtype).add(x).value(dtype, **rounding)


def calls_of_types(op):
    """Every operator's answer in types that may not hold it."""
    function = getattr(onefold, op)
    for x in (X, X.astype(int) * 1000, -X.astype("i1"), X > 0, X[:0], X * np.nan,
              X.astype("u8") << 62, X.astype("f2")):
        for dtype in ("bool", "int8", "uint64", "float16"):
            yield onefold.group_by, (np.zeros(x.size, int), x.ravel(), op), {"dtype": dtype}
            yield onefold.reduce_at, (x.ravel(), [0, 0, x.size], op), {"dtype": dtype}
            yield answer_of_state, (op, x, dtype), {}
            yield answer_of_state, (op, x, None), {"nan": "error"}
            yield function, (x,), {"out": np.zeros((), dtype)}
            yield function, (x,), {"axis": 0, "out": np.zeros(3, dtype)}
            if op in ("sum", "mean", "var", "prod", "norm1", "norm2", "norminf", "sumsq",
                      "logsumexp"):
                yield function, (x,), {"dtype": dtype}
                yield function, (x,), {"dtype": dtype, "axis": 0}


def calls_of_options(op):
    function = getattr(onefold, op)
    for x in (X, MASKED, X.astype("f2"), X.astype("u1"), X * np.nan):
        for options in ({"where": X}, {"initial": 1.5}, {"initial": 2**65}, {"nan": "error"},
                        {"accuracy": "fast", "nan": "omit"}, {"axis": (0, 0)}, {"axis": 2},
                        {"axis": 2**70}, {"initial": -1}, {"correction": np.inf},
                        {"correction": "1"}, {"accuracy": "fsat"}, {"nan": 3}):
            yield function, (x,), options
    for name, value in (("min_count", -1), ("min_count", 1.5), ("min_count", 2**63),
                        ("min_count", "1"), ("min_count", 3), ("correction", np.inf),
                        ("empty_value", "1"), ("empty_value", 2**65), ("accuracy", "fsat"),
                        ("accuracy", "fast"), ("nan", 3), ("initial", 1), ("where", [True])):
        yield onefold.reduce_at, (X[0], [0, 1, 1], op), {name: value}
        yield onefold.group_by, ([1, 2, 2], X[0], op), {name: value}
        yield onefold.segment, (X[0], [0, 2, 2], 3, op), {name: value}
    for offsets in ([0, 4], [2, 1], [], [[0]], [0.5], ["0"]):
        yield onefold.reduce_at, (X[0], offsets, op), {}
    for keys, values in ((X[0], X[0]), (X, X), ([1, 2], [1.0]), (["a"], [1.0]), ([1 + 1j], [1.0])):
        yield onefold.group_by, (keys, values, op), {}
    yield onefold.reduce_at, (X, [0, 3], op), {}
    yield onefold.plan, (X, op), {"axis": 5}
    yield onefold.State, (op, "c8"), {}
    for index in (1.5, 2**63, -1, "1"):
        yield lambda first: onefold.State(op, "u1", first_index=first), (index,), {}
    yield lambda: onefold.State(op, "u1").words(), (), {}
    yield lambda: onefold.State(op, "u1").decimal(), (), {}
    yield lambda: onefold.State(op, "u1").subtract(onefold.State(op, "u1").add(np.uint8([1]))), \
        (), {}
    yield lambda: onefold.State(op, "u1").merge(onefold.State(op, "u2")), (), {}
    yield lambda: onefold.State(op, "u1").add(np.ma.masked_array([1, 2], [1, 0], np.uint8)), (), {}


def other_calls():
    state = onefold.State("sum")
    words = state.words()
    for y in (LARGEST, LARGEST.astype("u8"), LARGEST > 0, X[0, :2], X[0], X):
        for options in ({}, {"dtype": "bool"}, {"dtype": "i1"}, {"accuracy": "fast"}):
            yield onefold.dot, (LARGEST, y), options
            yield onefold.vecdot, (LARGEST, y), options
    for call, given in (
            (state.merge, onefold.State("sum", "f4")), (state.add, LARGEST),
            (state.merge, onefold.State("max")), (state.subtract, state.copy().add(X)),
            (onefold.State.from_bytes, b"123"), (onefold.State.from_bytes, state.bytes()[:-1]),
            (onefold.State.from_bytes, "text"), (onefold.State.from_words, [1, 2]),
            (onefold.State.from_words, words * 2**31), (onefold.State.from_words, words[:-1]),
            (onefold.State.from_words, words + onefold.State("mean").words()),
            (onefold.State("dot").add, X), (onefold.stats, X * 1j), (onefold.stats, "abc"),
            (onefold.transpose, X[0]), (onefold.segment, X[0])):
        yield call, (given,), {}
    for n in (-1, 2**40, 1.5, "1"):
        yield lambda n: onefold.threads(n).__enter__(), (n,), {}
    yield onefold.State("prod", first_index=5).merge, (onefold.State("prod"),), {}
    yield onefold.State.from_bytes, (state.bytes(), 1.5), {}
    yield onefold.State.from_bytes, (state.bytes(), 2**63), {}
    yield onefold.transpose, (X,), {"out": np.ones((3, 2), "f4")}
    yield onefold.transpose, (X,), {"out": np.ones((2, 2))}
    for options in ({"nan": "error", "axis": 5}, {"nan": "error"}, {"nan": "skip"}):
        yield onefold.stats, (X * np.nan,), options


@pytest.mark.parametrize("calls", [*OPS, None])
def test_no_message_has_a_name_of_cpp(calls):
    refused = []
    for function, arguments, named in (other_calls() if calls is None else
                                       [*calls_of_types(calls), *calls_of_options(calls)]):
        try:
            function(*arguments, **named)
        except (TypeError, ValueError, OverflowError) as error:
            refused.append(str(error))
    assert [message for message in refused if NAMES_OF_CPP.search(message)] == []
    assert len(refused) > 25
