# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.index_add, scatter_reduce, segment_reduce and bincount: exact rationals, special
values, and the same bits in every order."""
from fractions import Fraction
from math import inf, isfinite

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

from torch_cases import FLOATS, equal_bits, random_tensor, seeded  # noqa: E402


def nearest(value, dtype):
    """A rational to nearest even in dtype. None: not a number."""
    if value is None:
        return torch.tensor(float("nan"), dtype=dtype)
    largest = Fraction(torch.finfo(dtype).max)
    if abs(value) > 2 * largest:
        return torch.tensor(inf if value > 0 else -inf, dtype=dtype)
    middle = torch.tensor(float(value), dtype=torch.float64).to(dtype)
    integer = {8: torch.int64, 4: torch.int32, 2: torch.int16}[middle.element_size()]
    candidates = [(middle.view(integer) + step).view(dtype) for step in (-1, 0, 1)]
    return min((c for c in candidates if isfinite(c.item())),
               key=lambda c: (abs(Fraction(c.item()) - value), c.view(integer).item() % 2))


def test_the_oracle_rounds_to_nearest_even():
    assert nearest(Fraction(257), torch.bfloat16).item() == 256
    assert nearest(Fraction(257) + Fraction(1, 10**30), torch.bfloat16).item() == 258
    assert nearest(Fraction(1, 3), torch.float64).item() == 1 / 3
    assert nearest(Fraction(2**24 + 1), torch.float32).item() == 2**24


def exact(groups, initial, dtype, mean=False):
    """Each answer of lists of numbers; an answer of none is its initial element, or 0 or NaN."""
    answers = []
    for numbers, first in zip(groups, initial):
        terms = [Fraction(x) for x in numbers]
        if not terms and first is not None:
            answers.append(torch.tensor(first, dtype=dtype))
            continue
        if first is not None:
            terms.append(Fraction(first))
        total = sum(terms, Fraction(0))
        answers.append(nearest((total / len(terms) if terms else None) if mean else total, dtype))
    return torch.stack(answers) if answers else torch.empty(0, dtype=dtype)


def lists(keys, values, answers):
    groups = [[] for _ in range(answers)]
    for key, value in zip(keys, values):
        groups[key].append(value)
    return groups


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_and_means_of_rows_are_the_rationals(dtype):
    seed, pick, generator = seeded()
    for _ in range(6):
        rows, answers, n = pick.randrange(0, 40), pick.randrange(1, 9), pick.randrange(1, 4)
        source = random_tensor(generator, (rows, n), dtype)
        start = random_tensor(generator, (answers, n), dtype)
        index = torch.randint(0, answers, (rows,), generator=generator)
        wide = index[:, None].expand(-1, n)
        results = (ft.index_add(start, 0, index, source),
                   ft.scatter_reduce(start, 0, wide, source, "sum"),
                   ft.scatter_reduce(start, 0, wide.contiguous(), source, "sum"),
                   ft.scatter_reduce(start, 0, wide, source, "mean"),
                   ft.scatter_reduce(start, 0, wide.contiguous(), source, "mean"))
        for column in range(n):
            groups = lists(index.tolist(), source[:, column].tolist(), answers)
            first = start[:, column].tolist()
            for i, result in enumerate(results):
                want = exact(groups, first, dtype, i > 2)
                assert torch.equal(result[:, column], want), (seed, i)
            for mean in (False, True):
                apart = ft.scatter_reduce(start, 0, wide, source, "mean" if mean else "sum",
                                          include_self=False)
                want = exact(groups, [None if group else x for group, x in zip(groups, first)],
                             dtype, mean)
                want = torch.where(torch.tensor([not group for group in groups]),
                                   start[:, column], want)
                assert torch.equal(apart[:, column], want), seed


@pytest.mark.parametrize("dtype", FLOATS)
def test_segments_and_bins_are_the_rationals(dtype):
    seed, pick, generator = seeded()
    for _ in range(6):
        lengths = torch.tensor([pick.choice((0, 1, 3, 9)) for _ in range(5)])
        x = random_tensor(generator, (int(lengths.sum()),), dtype)
        groups = [piece.tolist() for piece in x.split(lengths.tolist())]
        for mean in (False, True):
            got = ft.segment_reduce(x, "mean" if mean else "sum", lengths=lengths)
            want = exact(groups, [None] * 5, dtype, mean)
            assert torch.equal(torch.nan_to_num(got), torch.nan_to_num(want)), seed
            assert torch.equal(got.isnan(), want.isnan())
        keys = torch.randint(0, 7, x.shape, generator=generator)
        answer = torch.float32 if dtype == torch.float32 else torch.float64
        got = ft.bincount(keys, x, minlength=7)
        assert torch.equal(got, exact(lists(keys.tolist(), x.tolist(), 7), [None] * 7, answer))


@pytest.mark.parametrize("dtype", FLOATS)
def test_no_order_changes_a_bit(dtype):
    seed, _, generator = seeded()
    source = random_tensor(generator, (300, 17), dtype, 14)
    start = random_tensor(generator, (9, 17), dtype, 14)
    index = torch.randint(0, 9, (300,), generator=generator)
    any_index = torch.randint(0, 9, (300, 17), generator=generator)
    order = torch.randperm(300, generator=generator)

    def results(p):
        yield ft.index_add(start, 0, index[p], source[p])
        yield ft.index_add(start.T, 1, index[p].int(), source[p].T, alpha=0.3).T
        for reduce in ("sum", "mean", "amax", "amin"):
            for include_self in (True, False):
                yield ft.scatter_reduce(start, 0, any_index[p], source[p], reduce,
                                        include_self=include_self)
        yield ft.bincount(index[p], source[p, 0])
    for i, (got, want) in enumerate(zip(results(order), results(torch.arange(300)))):
        assert equal_bits(got, want), (seed, i)
    # Within a segment.
    halves = torch.cat((torch.randperm(150, generator=generator),
                        150 + torch.randperm(150, generator=generator)))
    for reduce in ("sum", "mean", "max", "min"):
        got, want = (ft.segment_reduce(x, reduce, lengths=torch.tensor([150, 150]))
                     for x in (source[halves], source))
        assert equal_bits(got, want), (seed, reduce)


def test_special_values():
    nan, minus = float("nan"), -0.0
    x = torch.tensor([minus, minus, 0.0, inf, inf, nan, minus])
    index = torch.tensor([0, 0, 1, 2, 3, 4, 1])
    got = ft.index_add(torch.tensor([minus, minus, 1.0, -inf, 1.0, minus]), 0, index, x)
    assert equal_bits(got, torch.tensor([minus, 0.0, inf, nan, nan, minus]))
    pair = torch.tensor([0.0, minus])
    for order in ([0, 1], [1, 0]):
        for reduce, want in (("amax", 0.0), ("amin", minus)):
            got = ft.scatter_reduce(torch.tensor([5.0]), 0, torch.zeros(2, dtype=torch.int64),
                                    pair[order], reduce, include_self=False)
            assert equal_bits(got, torch.tensor([want]))
    for dtype in FLOATS:
        largest = torch.finfo(dtype).max
        x = torch.tensor([largest, largest, -largest, 1.0], dtype=dtype)
        zeros = torch.zeros(4, dtype=torch.int64)
        assert ft.index_add(torch.zeros(1, dtype=dtype), 0, zeros, x)[0] == x[0]
        assert ft.segment_reduce(x[:2], "sum", lengths=torch.tensor([2]))[0] == inf
        assert ft.segment_reduce(x[:2], "mean", lengths=torch.tensor([2]))[0] == largest
        for reduce in ("amax", "amin"):
            got = ft.scatter_reduce(x[:1], 0, zeros[:3],
                                    torch.tensor([1.0, nan, inf], dtype=dtype), reduce)
            assert bool(got.isnan())


def test_combines_experts_of_tokens():
    """The sum over the K experts of a token has the bits of ft.sum, in any order of the rows."""
    _, _, generator = seeded()
    tokens, experts, n = 40, 8, 96
    rows = random_tensor(generator, (tokens, experts, n), torch.bfloat16)
    want = ft.sum(rows, 1)
    order = torch.randperm(tokens * experts, generator=generator)
    index = torch.arange(tokens).repeat_interleave(experts)[order]
    got = ft.index_add(torch.zeros(tokens, n, dtype=torch.bfloat16), 0, index,
                       rows.reshape(-1, n)[order])
    assert equal_bits(got, want)
