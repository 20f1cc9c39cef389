# SPDX-License-Identifier: Apache-2.0
"""State: adding in parts, merging in any order, bytes, pickles."""
import multiprocessing
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

import onefold
from onefold import State

FREE = ["sum", "mean", "var", "std", "norm1", "norm2", "norminf", "sumsq", "min", "max", "minmax",
        "argmin", "argmax", "any", "all", "count", "count_nonzero", "logsumexp"]


def data(seed, n=1000, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return np.ldexp(rng.standard_normal(n), rng.integers(-60, 60, n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("op", FREE)
def test_parts_merge_in_any_order_to_the_whole(op, dtype):
    x = data(1, dtype=dtype) if dtype is not np.float16 else data(1).clip(-9, 9).astype(dtype)
    parts, begin = [], 0
    for piece in np.array_split(x, 7):
        parts.append(State(op, dtype, first_index=begin).add(piece))
        begin += len(piece)
    random.Random(2).shuffle(parts)
    merged = parts[0].copy()
    for part in parts[1:]:
        merged += part
    whole = State(op, dtype).add(x)
    assert merged == whole and merged.bytes() == whole.bytes()
    assert merged.count == len(x) and merged.op == op and merged.dtype == np.dtype(dtype).name
    direct = getattr(onefold, op)(x)
    assert np.array_equal(np.array(merged.value()), np.array(direct))
    assert np.array(merged.value()).dtype == np.array(direct).dtype


def test_states_of_products_take_their_parts_in_order():
    x = data(3)
    state = State("prod")
    for piece in np.array_split(x, 5):
        state.add(piece)
    assert state.count == len(x)
    with pytest.raises(ValueError):
        state.merge(State("prod", first_index=len(x) + 1).add(x))


def test_states_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="mean"):
        State("sum").merge(State("mean"))
    with pytest.raises(ValueError):
        State("sum", "f32").merge(State("sum", "f64"))
    with pytest.raises(TypeError, match="int64"):
        State("sum", "f64").add(np.array([1]))
    with pytest.raises(TypeError, match="State"):
        State("sum").merge(3)
    with pytest.raises(ValueError, match="op must be"):
        State("summ")
    with pytest.raises(TypeError):
        State("bit_and", "f64")
    with pytest.raises(TypeError, match="dtype"):
        State("sum", "complex64")


def test_bytes_and_pickles_hold_the_state():
    state = State("var", "f32").add(data(4, dtype=np.float32))
    for again in (State.from_bytes(state.bytes()), pickle.loads(pickle.dumps(state))):
        assert again == state and again.value() == state.value()
    with pytest.raises(ValueError):
        State.from_bytes(state.bytes()[:-1])
    with pytest.raises(ValueError):
        State.from_bytes(b"")


@pytest.mark.parametrize("op", ["prod", "logsumexp", "argmin", "sum"])
def test_parts_in_order_travel_with_their_first_index(op):
    x = data(12)
    left, right = State(op).add(x[:400]), State(op, first_index=400).add(x[400:600])
    again = pickle.loads(pickle.dumps(right))
    assert again == right and again.first_index == 400
    assert State.from_bytes(right.bytes(), 400).first_index == 400
    again.add(x[600:])
    assert left + again == left + right.add(x[600:])
    if op != "prod":
        assert (left + again).value() == getattr(onefold, op)(x)


ADDED = ["sum", "mean", "var", "std", "norm1", "norm2", "sumsq", "any", "all", "count",
         "count_nonzero", "logsumexp"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.uint8])
@pytest.mark.parametrize("op", ADDED)
def test_words_add_to_the_state_of_all_elements(op, dtype):
    x = data(4).clip(0, 9).astype(dtype)
    parts = [State(op, dtype).add(piece) for piece in np.array_split(x, 8)]
    # Devices by words, as psum adds them; and Python's integers, as a database sends them.
    shards = np.stack([part.words() for part in parts])
    assert shards.dtype == np.int64
    whole = State(op, dtype).add(x)
    for words in (shards.sum(axis=0), list(map(sum, zip(*shards.tolist())))):
        added = State.from_words(words)
        assert added == whole and added.bytes() == whole.bytes() and added.first_index == 0
    assert State.from_words(whole.words()) == whole


def test_words_of_exponentials_add_in_the_largest_band():
    x = np.array([-3000.0, 700.0, 1.0, 1500.0, 1400.0, -np.inf])
    parts = [State("logsumexp").add(piece) for piece in (x[:1], x[1:3], x[3:5], x[5:], x[:0])]
    assert parts[1].band == State("logsumexp").add([700.0]).band > 0
    assert parts[3].band == parts[4].band == -2**63
    assert State("logsumexp").add([-256.0, 256.0]).band == State("sum").band == 0
    band = max(part.band for part in parts)
    added = State.from_words(sum(part.words(band) for part in parts))
    assert added == State("logsumexp").add(x)
    with pytest.raises(ValueError, match=r"largest|State\.band"):
        State.from_words(parts[0].words() + parts[1].words())
    with pytest.raises(ValueError, match=r"State\.band"):
        parts[2].words(0)
    with pytest.raises(TypeError, match="max is no sum"):
        State("max").band


def test_words_that_do_not_belong_together_are_refused():
    words = State("sum").add(data(5)).words()
    with pytest.raises(ValueError, match="different operators"):
        State.from_words(words + State("mean").words())
    with pytest.raises(ValueError, match="75 words for sum of float64"):
        State.from_words(words[:-1])
    with pytest.raises(OverflowError, match="2\\^31 groups"):
        State.from_words(State("sum").words() * 2**31)
    for other in (words.astype(np.int32), words.astype(np.float64), words.reshape(2, -1), [2**63]):
        with pytest.raises(TypeError, match="int64"):
            State.from_words(other)
    with pytest.raises(TypeError, match="max is no sum"):
        State("max").words()


def test_a_state_says_what_it_is():
    assert repr(State("sum").add(np.array([0.5, 0.25]))) == \
        "State('sum', float64: 2 elements, value 0.75)"
    assert repr(State("min")) == "State('min', float64: 0 elements, value none)"


def test_decimal_is_the_exact_sum():
    x = data(5, n=50)
    assert Fraction(State("sum").add(x).decimal()) == sum(map(Fraction, x.tolist()))


def test_values_have_other_types_and_policies():
    state = State("sum", "f32").add(np.float32([0.1, np.nan]))
    assert np.isnan(state.value())
    assert state.value("float64", nan="omit") == float(np.float32(0.1))
    with pytest.raises(ValueError):
        state.value(nan="error")
    with pytest.raises(ValueError):
        State("max").value()
    assert State("var").add(np.array([1.0, 3.0])).value(correction=1) == 2.0


def test_a_mask_leaves_elements_out():
    x = np.arange(6.0).reshape(2, 3)
    assert State("sum").add(x, where=np.array([True, False, True])).value() == 0 + 2 + 3 + 5
    assert State("sum").add(x, where=[[True], [False]]).value() == 0 + 1 + 2
    assert State("sum").add(x, where=None).value() == 15
    masked = np.ma.masked_greater(x, 3)
    assert State("sum").add(masked).value() == 6
    assert State("sum").add(masked, where=x != 2).value() == 4
    dot = State("dot").add(masked, x)
    assert dot.value() == 0 + 1 + 4 + 9 and dot.count == 4
    with pytest.raises(TypeError, match="argmin"):
        State("argmin").add(masked)


@pytest.mark.parametrize("op", FREE + ["prod"])
def test_missing_values_of_columns_do_not_count(op):
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array([[1.5, None, np.nan], [], [None, -2.0], [4.25]], pa.float64())
    kept = np.array([1.5, np.nan, -2.0, 4.25])
    if op in ("argmin", "argmax"):
        with pytest.raises(TypeError, match=op):
            State(op).add(column)
        return
    assert State(op).add(column) == State(op).add(kept)
    part = State(op).add(column, where=[True, True, False, True, True, False])
    assert part == State(op).add(np.array([1.5, -2.0]))
    with pytest.raises(TypeError, match="float32"):
        State(op, "f32").add(column)


def test_missing_values_of_pandas_and_polars_do_not_count():
    pd = pytest.importorskip("pandas")
    assert State("sum").add(pd.Series([1.5, np.nan, 2.0])).count == 2
    assert State("sum", "i64").add(pd.Series([1, None, 2], dtype="Int64")).value() == 3
    pl = pytest.importorskip("polars")
    assert State("mean", "i64").add(pl.Series([1, None, 2])).value() == 1.5


def test_arrays_of_other_libraries_are_added():
    torch = pytest.importorskip("torch")
    x = torch.arange(6).reshape(2, 3).T.to(torch.float32)
    assert State("var", "f32").add(x).value() == onefold.var(x.numpy())
    bf16 = torch.tensor([1.5, 2.0], dtype=torch.bfloat16)
    assert State("sum", "bf16").add(bf16).value("float32") == 3.5
    mask = torch.tensor([[True], [False], [True]])
    assert State("sum", "f32").add(x, where=mask).value() == 0 + 3 + 2 + 5


def partial_of(x):
    return State("sum").add(x)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_states_travel_between_processes(method):
    x = data(6)
    with multiprocessing.get_context(method).Pool(2) as pool:
        first, *others = pool.map(partial_of, np.array_split(x, 4))
    for other in others:
        first.merge(other)
    assert first == State("sum").add(x)


@pytest.mark.parametrize("op", ["sum", "mean", "var", "std", "norm1", "norm2", "count_nonzero",
                                "logsumexp"])
def test_a_window_slides_exactly(op):
    x = data(9, n=300)
    if op == "logsumexp":  # of one band: elements far below what is removed are not kept
        x = x.clip(-256, 256)
    window = State(op).add(x[:100])
    for begin in range(0, 200, 25):
        window += State(op).add(x[begin + 100:begin + 125])
        window.subtract(State(op).add(x[begin:begin + 25]))
        assert window == State(op).add(x[begin + 25:begin + 125])
        assert (window - window).count == 0
    with pytest.raises(ValueError):
        State(op).subtract(window)
    with pytest.raises(TypeError):
        State("max").add(x).subtract(State("max").add(x))


def test_dot_products_in_parts():
    x, y = data(10), data(11)
    parts = [State("dot").add(a, b) for a, b in zip(np.array_split(x, 3), np.array_split(y, 3))]
    assert (parts[2] + parts[0] + parts[1]).value() == onefold.dot(x, y)
    with pytest.raises(ValueError):
        State("dot").add(x)
    with pytest.raises(ValueError):
        State("sum").add(x, y)


def test_corrections_are_real_numbers():
    x = np.array([1.0, 2.0, 4.0])
    exact = Fraction(14, 3) / (3 - Fraction(0.3))
    assert State("var").add(x).value(correction=0.3) == float(exact)
    assert onefold.var(x, correction=0.3) == float(exact)
    with pytest.raises(ValueError):
        onefold.var(x, correction=np.inf)
    with pytest.raises(TypeError):
        onefold.var(x, correction="1")
