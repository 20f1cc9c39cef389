# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.index_add, scatter_reduce, segment_reduce and bincount: values of PyTorch in
float64, their gradients, refusals and torch.compile."""
from math import inf

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

from torch_cases import equal_bits, random_tensor, seeded  # noqa: E402


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
