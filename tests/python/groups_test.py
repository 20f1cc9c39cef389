# SPDX-License-Identifier: Apache-2.0
"""reduce_at, group_by, segment: each group has the bits of its elements alone."""
import numpy as np
import pytest

import onefold

OPS = ["sum", "mean", "var", "min", "max", "argmax", "count_nonzero", "prod", "norm2"]


def data(n=500):
    rng = np.random.default_rng(11)
    return np.ldexp(rng.standard_normal(n), rng.integers(-40, 40, n)), rng.integers(-3, 9, n)


@pytest.mark.parametrize("op", OPS)
def test_each_segment_has_the_bits_of_its_elements(op):
    x, _ = data()
    offsets = [0, 1, 10, 10, 499, 500] if op in ("sum", "prod", "count_nonzero") else [3, 9, 500]
    answers = onefold.reduce_at(x, offsets, op)
    for k, answer in enumerate(answers):
        alone = getattr(onefold, op)(x[offsets[k]:offsets[k + 1]])
        assert answer == alone + (offsets[k] if op == "argmax" else 0)
        assert answers.dtype == alone.dtype


@pytest.mark.parametrize("op", OPS)
def test_each_group_has_the_bits_of_its_elements(op):
    x, keys = data()
    found = onefold.group_by(keys, x, op)
    assert np.array_equal(found.keys, np.unique(keys)) and found.keys.dtype == keys.dtype
    for key, value in zip(found.keys, found.values):
        alone = getattr(onefold, op)(x[keys == key])
        assert value == (np.flatnonzero(keys == key)[alone] if op == "argmax" else alone)


def test_two_answers_stand_side_by_side():
    assert np.array_equal(onefold.reduce_at(np.array([3, 1, 2]), [0, 2, 3], "minmax"),
                          [[1, 3], [2, 2]])
    keys, values = onefold.group_by([1, 1, 0], [3.0, 1.0, 2.0], "minmax")
    assert np.array_equal(keys, [0, 1]) and np.array_equal(values, [[2, 2], [1, 3]])


def test_segments_by_number():
    x, _ = data()
    ids = np.random.default_rng(12).integers(0, 7, len(x))
    answers = onefold.segment(x, ids, 9)
    for k in range(9):
        assert answers[k] == onefold.sum(x[ids == k])
    assert np.array_equal(onefold.segment(x, ids, 8, "max", empty_value=-np.inf)[7:], [-np.inf])
    assert len(onefold.segment(np.array([]), np.array([], int))) == 0
    with pytest.raises(ValueError, match="not below n"):
        onefold.segment(x, ids, 3)
    with pytest.raises(ValueError, match="0 or more"):
        onefold.segment([1.0], [-1])
    with pytest.raises(TypeError, match="integers"):
        onefold.segment([1.0], [1.5])
    with pytest.raises(ValueError):
        onefold.segment([1.0], [1], op="min")


def test_masks_and_nans_of_groups():
    x = np.array([1.0, np.nan, 3.0])
    assert np.array_equal(onefold.group_by([0, 0, 0], x, nan="omit").values, [4])
    assert np.array_equal(onefold.reduce_at(x, [0, 3], where=[True, False, True]), [4])


def test_bad_offsets_and_keys():
    with pytest.raises(ValueError):
        onefold.reduce_at([1.0, 2.0], [0, 3])
    with pytest.raises(ValueError):
        onefold.reduce_at([1.0, 2.0], [1, 0])
    with pytest.raises(ValueError):
        onefold.reduce_at([1.0, 2.0], [])
    with pytest.raises(TypeError, match="integers"):
        onefold.reduce_at([1.0, 2.0], [0.0, 1.0])
    with pytest.raises(ValueError, match="op must be"):
        onefold.reduce_at([1.0], [0, 1], "dot")
    with pytest.raises(ValueError):
        onefold.group_by([1, 2], [1.0])
    with pytest.raises(TypeError):
        onefold.group_by([1.5], [1.0])


def test_too_few_elements_have_a_value_of_their_own():
    x = np.array([1.0, 2.0, np.nan])
    assert np.array_equal(onefold.reduce_at(x, [0, 2, 2], "max", empty_value=-1), [2, -1])
    found = onefold.group_by([1, 1, 2], x, nan="omit", min_count=2, empty_value=np.nan)
    assert np.array_equal(found.values, [3, np.nan], equal_nan=True)
    q = np.array([2**62, 2**62, 5, 5, 5])
    few = {"min_count": 3, "empty_value": 0}
    for op, whole in (("sum", 15), ("norm1", 15), ("sumsq", 75), ("prod", 125)):
        assert np.array_equal(onefold.reduce_at(q, [0, 2, 5], op, **few), [0, whole])
        for keys in ([1, 1, 2, 2, 2], [2, 2, 1, 1, 1]):
            wanted = [0, whole] if keys[0] == 1 else [whole, 0]
            assert np.array_equal(onefold.group_by(keys, q, op, **few).values, wanted)
            assert np.array_equal(onefold.segment(q, np.array(keys) - 1, 2, op, **few), wanted)
        with pytest.raises(OverflowError):
            onefold.reduce_at(q, [0, 2, 5], op, min_count=2, empty_value=0)
    with pytest.raises(ValueError):
        onefold.group_by([1, 1, 2], x, min_count=2)
    with pytest.raises(ValueError):
        onefold.reduce_at(x, [0, 2, 2], "max")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_groups_of_tensors_are_tensors_of_their_device(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not (torch.cuda.is_available() and onefold.machine()["gpus"]):
        pytest.skip("no GPU")
    x, keys = data()
    ids, offsets = keys + 3, np.array([0, 1, 1, 10, 499, 500])

    def of(array):
        return torch.from_numpy(array).to(device)

    def same(got, want):
        bits = got.cpu().numpy()
        assert got.device.type == device
        assert bits.dtype == want.dtype and bits.tobytes() == want.tobytes()
    for op in OPS:
        if device == "cuda" and op in ("var", "prod"):  # not of segments there
            continue
        has_empty = op in ("sum", "norm2", "count_nonzero")
        bounds = offsets if has_empty else offsets[[0, 1, 3, 4, 5]]
        want = onefold.reduce_at(x, bounds, op)
        same(onefold.reduce_at(of(x), of(bounds), op), want)
        same(onefold.reduce_at(of(x), bounds.tolist(), op), want)
        for got, want in zip(onefold.group_by(of(keys), of(x), op),
                             onefold.group_by(keys, x, op)):
            same(got, want)
        if has_empty:
            same(onefold.segment(of(x), of(ids), 14, op), onefold.segment(x, ids, 14, op))
    if device == "cpu":
        same(onefold.segment(of(x), of(ids), 14, "max", empty_value=3.0),
             onefold.segment(x, ids, 14, "max", empty_value=3.0))
    with pytest.raises(ValueError, match="not below n"):
        onefold.segment(of(x), of(ids), 3)
    with pytest.raises(ValueError):
        onefold.reduce_at(of(x), of(np.array([0, 501])))
    with pytest.raises(TypeError, match="integers"):
        onefold.reduce_at(of(x), of(np.array([0.0, 5.0])))
    with pytest.raises(ValueError):
        onefold.reduce_at(of(x), of(offsets.astype(np.int32)[::2]) if device == "cuda" else [])
    if device == "cuda":
        with pytest.raises(ValueError, match="on the host"):
            onefold.group_by(keys, of(x))
