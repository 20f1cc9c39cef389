# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.index_add, scatter_reduce, segment_reduce and bincount: exact rationals, PyTorch's
values in float64, their gradients, and the same bits in every order."""
import random
from fractions import Fraction
from math import inf, isfinite

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits; a NaN equals itself."""
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return (a.dtype == b.dtype and a.shape == b.shape
            and torch.equal(a.contiguous().view(bits), b.contiguous().view(bits)))


def seeded(k=0):
    seed = random.randrange(2**31)
    return seed, random.Random(seed), torch.Generator().manual_seed(seed + k)


def random_tensor(generator, shape, dtype=torch.float32, spread=7):
    """Exponents that differ, with zeros, ties and elements that cancel."""
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    x = x * 2.0 ** torch.randint(-spread, spread, tuple(shape), generator=generator)
    x = torch.where(torch.rand(tuple(shape), generator=generator) < .3, (x * 4).round() / 4, x)
    return x.to(dtype)


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


def compare(ours, theirs, tensors, close=None):
    """Values, shapes, types and gradients of two functions of leaves."""
    results = []
    for function in (ours, theirs):
        leaves = [t.detach().clone().requires_grad_() for t in tensors]
        y = function(*leaves)
        g = torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
        results.append((y, *torch.autograd.grad(y, leaves, g, allow_unused=True)))
    for got, want in zip(*results):
        if want is None:
            assert got is None or bool((got == 0).all())
            continue
        assert got.shape == want.shape and got.dtype == want.dtype
        torch.testing.assert_close(got, want, equal_nan=True,
                                   **(close or {"rtol": 1e-12, "atol": 1e-12}))


def test_index_add_agrees_with_pytorch():
    _, _, generator = seeded()
    for shape, dim, count in (((5,), 0, 9), ((4, 3), 0, 7), ((4, 3), 1, 5), ((2, 5, 3), 1, 6),
                              ((2, 5, 3), -1, 4), ((3, 0, 2), 0, 4), ((3, 2), 0, 0), ((), 0, 3)):
        x = random_tensor(generator, shape, torch.float64)
        source = list(shape)
        if shape:
            source[dim] = count
        source = random_tensor(generator, source or (count,), torch.float64)
        index = torch.randint(0, shape[dim] if shape else 1, (count,), generator=generator)
        for alpha in (1, -2.5):
            if shape:
                compare(lambda a, b: ft.index_add(a, dim, index, b, alpha=alpha),
                        lambda a, b: torch.index_add(a, dim, index, b, alpha=alpha), (x, source))
    whole = torch.arange(12).reshape(4, 3)
    index = torch.tensor([0, 3])
    assert torch.equal(ft.index_add(whole, 0, index, whole[:2], alpha=2),
                       torch.index_add(whole, 0, index, whole[:2], alpha=2))


def test_scatter_reduce_agrees_with_pytorch():
    _, _, generator = seeded()
    for shape, other, dim in (((5,), (9,), 0), ((4, 3), (7, 3), 0), ((4, 3), (6, 2), 0),
                              ((4, 3), (4, 8), 1), ((2, 5, 3), (2, 9, 2), 1), ((3, 4), (0, 4), 0)):
        x = random_tensor(generator, shape, torch.float64, 2)
        src = random_tensor(generator, other, torch.float64, 2)
        for wide in (False, True):
            index = torch.randint(0, shape[dim], other, generator=generator)
            if wide and index.numel():
                columns = [slice(0, 1)] * len(other)
                columns[dim] = slice(None)
                index = index[tuple(columns)].expand(other)
            for reduce in ("sum", "mean", "amax", "amin"):
                for include_self in (True, False):
                    # PyTorch's shares of a gradient count an element of input that is left out.
                    start = x if include_self else x + 1 / 3
                    compare(lambda a, b: ft.scatter_reduce(a, dim, index, b, reduce,
                                                           include_self=include_self),
                            lambda a, b: torch.scatter_reduce(a, dim, index, b, reduce,
                                                              include_self=include_self),
                            (start, src))
    # More of src than index has, whose gradient is zero, and integers.
    src = torch.ones(5, 3, requires_grad=True)
    ft.scatter_reduce(torch.zeros(4, 3), 0, torch.zeros(2, 2, dtype=torch.int64), src,
                      "sum").sum().backward()
    assert src.grad.sum() == 4 and bool((src.grad[:2, :2] == 1).all())
    whole, index = torch.arange(6), torch.tensor([0, 0, 5])
    assert torch.equal(ft.scatter_reduce(whole, 0, index, whole[:3], "prod"),
                       torch.scatter_reduce(whole, 0, index, whole[:3], "prod"))


def test_segment_reduce_agrees_with_pytorch():
    _, _, generator = seeded()
    for shape, lengths in (((9,), [2, 0, 4, 3]), ((9, 2, 2), [2, 0, 4, 3]), ((0, 3), [0, 0]),
                           ((2, 6), [[1, 5, 0], [0, 2, 4]]), ((2, 6, 3), [[1, 5, 0], [0, 2, 4]])):
        x = random_tensor(generator, shape, torch.float64, 2)
        # No ties: of one after another segment PyTorch gives each element all of the gradient.
        x = x + torch.linspace(0, .01, x.numel(), dtype=x.dtype).reshape(shape)
        lengths = torch.tensor(lengths)
        axis = lengths.dim() - 1
        offsets = torch.nn.functional.pad(lengths.cumsum(-1), (1, 0))
        for reduce in ("sum", "mean", "max", "min"):
            for initial in (None, 0.3):  # no tie, of which PyTorch gives all to the data
                theirs = (lambda a: torch.segment_reduce(a, reduce, lengths=lengths, axis=axis,
                                                         initial=initial, unsafe=True))
                compare(lambda a: ft.segment_reduce(a, reduce, lengths=lengths, axis=axis,
                                                    initial=initial), theirs, (x,))
                compare(lambda a: ft.segment_reduce(a, reduce, offsets=offsets, axis=axis,
                                                    initial=initial), theirs, (x,))


def test_ties_share_the_gradient_of_an_extremum():
    x = torch.tensor([[[-.5, 1.], [-.25, 2.], [-1.5, 3.], [-.25, 3.]]], dtype=torch.float64,
                     requires_grad=True)
    y = ft.segment_reduce(x, "max", lengths=torch.tensor([[1, 3]]), axis=1)
    y.backward(torch.tensor([[[1., 2.], [4., 6.]]], dtype=torch.float64))
    assert x.grad.tolist() == [[[1, 2], [2, 0], [0, 3], [2, 3]]]


def test_segments_that_leave_elements_out():
    x = torch.arange(6.0, requires_grad=True)
    offsets = torch.tensor([1, 3, 3, 5])
    y = ft.segment_reduce(x, "sum", offsets=offsets, unsafe=True)
    assert y.tolist() == [3, 0, 7]
    y.backward(torch.tensor([2.0, 3.0, 5.0]))
    assert x.grad.tolist() == [0, 2, 2, 5, 5, 0]
    assert ft.segment_reduce(x, "max", offsets=offsets, unsafe=True).tolist() == [2, -inf, 4]
    with pytest.raises(ValueError, match="there are 6"):
        ft.segment_reduce(x, "sum", offsets=offsets)
    with pytest.raises(ValueError, match="there are 6"):
        ft.segment_reduce(x, "sum", lengths=torch.tensor([3, 2]))


def test_bincount_agrees_with_pytorch():
    _, _, generator = seeded()
    keys = torch.randint(0, 6, (50,), generator=generator)
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.int32):
        weights = (random_tensor(generator, (50,), torch.float64, 1) * 8).round().to(dtype)
        for minlength in (0, 3, 11):
            got, want = (function(keys.to(torch.uint8), weights, minlength)
                         for function in (ft.bincount, torch.bincount))
            assert torch.equal(got, want) and got.dtype == want.dtype
    assert torch.equal(ft.bincount(keys, minlength=9), torch.bincount(keys, minlength=9))
    none = torch.empty(0, dtype=torch.int64)
    assert ft.bincount(none, none.float(), 2).tolist() == [0, 0]
    weights = torch.ones(50, requires_grad=True)
    g = torch.rand(6)
    ft.bincount(keys, weights, minlength=6)[:6].backward(g)
    assert torch.equal(weights.grad, g[keys])


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


def test_gradients_by_differences():
    _, _, generator = seeded()
    index = torch.tensor([2, 0, 2, 1, 2])
    wide = index[:, None].expand(-1, 2)
    x, source = (torch.randn(k, 2, dtype=torch.float64, generator=generator).requires_grad_()
                 for k in (4, 5))
    functions = [lambda a, b: ft.index_add(a, 0, index, b, alpha=1.5)]
    functions += [lambda a, b, i=i, reduce=reduce, include_self=include_self: ft.scatter_reduce(
        a, 0, i, b, reduce, include_self=include_self) for i in (wide, wide.contiguous())
        for reduce in ("sum", "mean", "amax", "amin") for include_self in (True, False)]
    functions += [lambda a, b, reduce=reduce: ft.segment_reduce(
        b, reduce, lengths=torch.tensor([3, 0, 2]), initial=0.0)
        for reduce in ("sum", "mean", "max", "min")]
    functions += [lambda a, b: ft.bincount(index, b[:, 0])]
    for function in functions:
        assert torch.autograd.gradcheck(function, (x, source))
        assert torch.autograd.gradgradcheck(function, (x, source))


def test_refusals():
    x, index = torch.zeros(3, 2), torch.tensor([0, 2])
    source = torch.ones(2, 2)
    for function in (lambda reduce: ft.scatter_reduce(x, 0, index[:, None].expand(-1, 2), source,
                                                      reduce),
                     lambda reduce: ft.segment_reduce(x, reduce, lengths=torch.tensor([3]))):
        with pytest.raises(NotImplementedError, match="prod"):
            function("prod")
        with pytest.raises(ValueError, match="median"):
            function("median")
    for call, kind, message in (
            (lambda: ft.index_add(x, 0, torch.tensor([0, 3]), source), ValueError, "row 1 is 3"),
            (lambda: ft.index_add(x, 0, torch.tensor([-1, 0]), source), ValueError, "row 0 is -1"),
            (lambda: ft.scatter_reduce(x, 1, torch.tensor([[0, -1], [0, 1]]), source, "sum"),
             ValueError, "row 1 is -1"),
            (lambda: ft.index_add(x, 0, index, source[:, :1]), ValueError, "source has the shape"),
            (lambda: ft.index_add(x, 0, index, source.double()), TypeError, "float64"),
            (lambda: ft.index_add(x, 0, index.float(), source), TypeError, "int64 or int32"),
            (lambda: ft.index_add(x, 2, index, source), IndexError, "dim 2"),
            (lambda: ft.index_add(x, 0, index.to("meta"), source), ValueError, "meta"),
            (lambda: ft.scatter_reduce(x, 0, index, source, "sum"), ValueError, "dimensions"),
            (lambda: ft.scatter_reduce(x, 0, torch.zeros(4, 2, dtype=torch.int64), source, "sum"),
             ValueError, "more along dimension 0"),
            (lambda: ft.segment_reduce(x, "sum"), ValueError, "lengths or offsets"),
            (lambda: ft.segment_reduce(x, "sum", lengths=index, offsets=index), ValueError, "one"),
            (lambda: ft.segment_reduce(x, "sum", lengths=torch.tensor([4, -1])), ValueError,
             "0 or more"),
            (lambda: ft.segment_reduce(x, "sum", lengths=torch.tensor([3]), axis=1), ValueError,
             "axis 1"),
            (lambda: ft.segment_reduce(x.int(), "sum", lengths=torch.tensor([3])), TypeError,
             "int32"),
            (lambda: ft.bincount(torch.tensor([-1]), torch.ones(1)), ValueError, "-1"),
            (lambda: ft.bincount(index, torch.ones(3)), ValueError, "weights"),
            (lambda: ft.bincount(index, torch.ones(2), -1), ValueError, "minlength")):
        with pytest.raises(kind, match=message):
            call()


def test_registration():
    ops, utils = torch.ops.onefold, ("test_schema", "test_autograd_registration",
                                     "test_faketensor", "test_aot_dispatch_dynamic")
    x, start = torch.randn(4, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    keys = torch.tensor([0, 1, 1, 0])
    for is_mean in (False, True):
        for role in range(3):
            torch.library.opcheck(ops.scatter_rows, (x, keys, 2, start, is_mean, role),
                                  test_utils=utils)
    torch.library.opcheck(ops.scatter_rows, (x, keys, 2, None, True, 0), test_utils=utils)
    torch.library.opcheck(ops.gather_rows, (start, keys), test_utils=utils)
    offsets = torch.tensor([[0, 3, 4], [0, 1, 4]])
    for first in (None, torch.randn(4, 3, requires_grad=True)):
        torch.library.opcheck(ops.segment_rows, (torch.randn(2, 4, 3, requires_grad=True), offsets,
                                                 first, True, 1, True), test_utils=utils)
    torch.library.opcheck(ops.scatter_extremum, (start, 0, keys[:, None].expand(-1, 3), x, True,
                                                False), test_utils=utils)
    torch.library.opcheck(ops.bincount, (keys, torch.randn(4, requires_grad=True), 3),
                          test_utils=utils[:3])


def test_compiled_has_the_same_bits():
    _, _, generator = seeded()
    x, source = (random_tensor(generator, (k, 3), torch.float32) for k in (4, 9))
    index = torch.randint(0, 4, (9,), generator=generator)

    def whole(a, b):
        wide = index[:, None].expand(-1, 3)
        y = ft.index_add(a, 0, index, b, alpha=3)
        y = ft.scatter_reduce(y, 0, wide, b, "mean")
        y = ft.scatter_reduce(y, 0, wide.contiguous(), b, "sum", include_self=False)
        y = ft.scatter_reduce(y, 0, wide, b, "amax")
        y = y.T + ft.index_add(a.T, 1, index, b.T)
        lengths = torch.tensor([1, 2, 1])
        return (ft.segment_reduce(y.T, "sum", lengths=lengths),
                ft.segment_reduce(y.T, "max", lengths=lengths, initial=0.0),
                ft.bincount(index, b[:, 0]))
    results = []
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        torch._dynamo.reset()
        for function in (whole, torch.compile(whole, fullgraph=True, backend="aot_eager")):
            leaves = [t.clone().requires_grad_() for t in (x, source)]
            answers = function(*leaves)
            sum(y.sum() for y in answers).backward()
            results.append((*answers, *(leaf.grad for leaf in leaves)))
    for got, want in zip(*results):
        assert equal_bits(got.detach(), want.detach())
