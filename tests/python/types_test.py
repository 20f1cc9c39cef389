# SPDX-License-Identifier: Apache-2.0
"""The words of element types, bfloat16 in groups and states, positions in narrow types."""
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import onefold


def numpy_knows(word):
    try:
        np.dtype(word)
    except TypeError:
        return False
    return True


# By the characters and numbers of bytes that NumPy's words are made of, and its names.
NUMPY_WORDS = list(filter(numpy_knows, (
    [order + kind + size for order in ("", "<", "=", "|") for kind in "iufb?"
     for size in ("", "1", "2", "4", "8")] + list("bhilqpBHILQPefdg?") +
    ["int", "uint", "float", "bool", "half", "single", "double", "byte", "short", "intc", "int_",
     "longlong", "ubyte", "ushort", "uintc", "ulonglong", "intp", "uintp", "int8", "uint8", "int16",
     "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"])))


@pytest.mark.parametrize("word", NUMPY_WORDS)
def test_a_word_of_numpys_means_what_it_means_to_numpy(word):
    dtype = np.dtype(word)
    if dtype.char not in "?bhilqBHILQefd":
        with pytest.raises(TypeError, match="is not supported"):
            onefold.State("sum", word)
        return
    assert onefold.State("sum", word).dtype == dtype.name
    for x in (np.array([1, 1]), np.array([1.0, 1.0])):
        if dtype.kind == "f" or x.dtype.kind == "i" and dtype.kind != "b":
            assert onefold.sum(x, dtype=word).dtype == dtype.newbyteorder("=")


def test_words_that_numpy_has_are_not_onefolds():
    """Of the program's, i8 and u8 are one byte, and f16 two, where NumPy's are 8, 8 and 16."""
    assert onefold.sum(np.int8([100, 100]), dtype="i8") == 200
    assert onefold.sum(np.uint8([200, 200]), dtype="u8").dtype == np.uint64
    assert onefold.group_by([1], [1], dtype="u8").values.dtype == np.uint64
    with pytest.raises(TypeError, match="float16"):
        onefold.sum(np.ones(2), dtype="f16")
    assert onefold.State("sum", "f32").dtype == "float32"
    for word in ("bf16", "bfloat16"):
        assert onefold.State("sum", word).dtype == "bfloat16"
    for word in ("nonsense", "", "f4,f4", "U3", "M8[D]", "c8", "(2,)f4", "O", "3"):
        with pytest.raises(TypeError, match="is not supported"):
            onefold.State("sum", word)


def test_bfloat16_in_groups_segments_and_states():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([256, 1, 1], ml_dtypes.bfloat16)
    keys, values = onefold.group_by([4, 4, 9], x)
    assert keys.tolist() == [4, 9] and values.dtype == x.dtype and values.tolist() == [256, 1]
    assert onefold.group_by([4, 4, 4], x).values.tolist() == [258]  # 257 was no step
    assert onefold.reduce_at(x, [0, 0, 3], "max", empty_value=-1).tolist() == [-1, 256]
    assert onefold.reduce_at(x, [0, 2, 3], "minmax").tolist() == [[1, 256], [1, 1]]
    answers = onefold.segment(x, [0, 2, 2])
    assert answers.dtype == x.dtype and answers.tolist() == [256, 0, 2]
    assert onefold.reduce_at(np.float64([3, 1e-3]), [0, 2], dtype="bfloat16").dtype == x.dtype
    state = onefold.State("sum", "bfloat16").add(x)
    for one in (state, pickle.loads(pickle.dumps(state))):
        assert type(one.value()) is ml_dtypes.bfloat16 and float(one.value()) == 258
        assert repr(one) == "State('sum', bfloat16: 3 elements, value 258)"
    low, high = onefold.State("minmax", x.dtype).add(x).value()
    assert (type(low), float(low), float(high)) == (ml_dtypes.bfloat16, 1, 256)
    assert onefold.sum(np.float32([1, 2]), dtype="bf16").dtype == x.dtype
    assert onefold.sum(np.ones((2, 2)), axis=0, dtype="bf16").dtype == x.dtype


def test_bfloat16_without_ml_dtypes_has_its_remedy():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import sys
        sys.modules["ml_dtypes"] = None
        import onefold
        state = onefold.State("sum", "bfloat16")
        print(repr(state), state.value("float32"))
        for call in (state.value, lambda: onefold.sum([1.0], dtype="bf16"),
                     lambda: onefold.reduce_at([1.0], [0, 1], dtype="bf16"),
                     lambda: onefold.group_by([1], [1.0], dtype="bf16")):
            try:
                call()
            except TypeError as error:
                print(error)
        """)], text=True, capture_output=True, check=True, timeout=120)
    first, *rest = done.stdout.splitlines()
    assert first == "State('sum', bfloat16: 0 elements, value 0.0) 0.0"
    assert rest == ["NumPy has no bfloat16; install ml_dtypes, or ask for another type, as "
                    "dtype='float32'"] * 4


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64", "float16",
                                   "float64"])
def test_positions_of_what_is_there_fit_out_or_are_refused(name, dtype):
    """A masked array's are found another way than those of a plain one: they say the same."""
    function, sign = getattr(onefold, name), 1 if name == "argmax" else -1
    for position in (0, 5, 127, 128, 255, 256, 399):
        x = np.zeros(400)
        x[position] = sign
        masked = np.ma.masked_array(x, np.arange(400) == (position + 1) % 400)
        for keepdims in (False, True):
            outs = [np.zeros((1,) if keepdims else (), dtype) for _ in range(2)]
            try:
                right = function(x, keepdims=keepdims, out=outs[0])
            except OverflowError as error:
                with pytest.raises(OverflowError, match=f"does not fit {dtype}") as found:
                    function(masked, keepdims=keepdims, out=outs[1])
                assert str(found.value) == str(error)
            else:
                assert right == position
                assert function(masked, keepdims=keepdims, out=outs[1]) is outs[1]
            assert outs[0] == outs[1]
    with pytest.raises(TypeError, match="no bool form"):
        function(masked, out=np.zeros((), bool))
    assert function(masked) == position


def test_positions_of_nulls_in_narrow_types():
    pa = pytest.importorskip("pyarrow")
    x = pa.array([None] + [0.0] * 399 + [1.0])
    with pytest.raises(OverflowError, match="the exact argmax does not fit int8"):
        onefold.argmax(x, keepdims=True, out=np.zeros(1, np.int8))
    with pytest.raises(TypeError, match="no bool form"):
        onefold.argmax(x, out=np.zeros((), bool))
    assert onefold.argmax(x, out=np.zeros((), np.int16)) == 400


def test_first_indices_within_64_bits():
    largest = 2**63 - 1
    for first in (2**63, 2**70, -1):
        with pytest.raises(OverflowError, match="first_index must be from 0 to 2\\^63 - 1"):
            onefold.State("argmax", first_index=first)
    with pytest.raises(TypeError):
        onefold.State("argmax", first_index=1.5)
    state = onefold.State("argmax", first_index=largest - 2).add([1.0, 2.0])
    assert state.value() == largest - 1
    for full in (state, onefold.State.from_bytes(state.bytes(), largest)):
        before = full.bytes()
        with pytest.raises(OverflowError, match="64 bits"):
            full.add([3.0])
        assert full.bytes() == before
    with pytest.raises(OverflowError, match="first_index is 9223372036854775807"):
        onefold.State("sum", first_index=largest).add([1.0])
