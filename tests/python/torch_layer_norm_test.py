# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.layer_norm and its gradients: each step by NumPy, the sums by fsum."""
import random
from fractions import Fraction
from math import fsum

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits."""
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.view(bits), b.view(bits))


def wide(x):
    """The elements as NumPy's float64."""
    return x.detach().double().numpy()


def square_sum(d):
    """The sum of a row's squares, correctly rounded: fsum is given halves without an error."""
    high = d.astype(np.float32).astype(float)
    low = d - high
    return fsum([*(high * high), *(2 * high * low), *(low * low)])


def statistics(x, n, eps, real):
    """d, m and r of each row."""
    mean = np.array([[fsum(row) / n + 0.0] for row in wide(x)])
    d = (wide(x) - mean).astype(real)
    sums = np.array([[square_sum(row)] for row in d.astype(float)])
    return d, mean, 1 / np.sqrt(sums / n + eps)


def case(k, generator):
    """Rows, a gradient, a weight and a bias or None. Elements of 8 bits: sums of few bits."""
    dtype = FLOATS[k % len(FLOATS)]
    real = np.float64 if dtype == torch.float64 else np.float32
    rows, n = (1, 7, 40)[k % 3], (1, 3, 64, 333)[k // 4 % 4]
    x, g, weight, bias = (torch.randn(shape, generator=generator).bfloat16().to(dtype)
                          for shape in ((rows, n), (rows, n), (n,), (n,)))
    return x, g, weight if k % 5 else None, bias if k % 7 else None, n, real


def test_layer_norm_is_its_definition():
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    for k in range(240):
        x, _, weight, bias, n, real = case(k, generator)
        y, mean, inverse = torch.ops.onefold.layer_norm(x, weight, bias, 1, 1e-5)
        d, m, r = statistics(x, n, 1e-5, real)
        assert equal_bits(mean, torch.from_numpy(m)), (seed, k)
        assert equal_bits(inverse, torch.from_numpy(r)), (seed, k)
        want = d * r.astype(real)
        if weight is not None:
            want = want * wide(weight).astype(real)
        if bias is not None:
            want = want + wide(bias).astype(real)
        want = torch.from_numpy(want).to(x.dtype)
        assert equal_bits(y, want), (seed, k)
        assert equal_bits(ft.layer_norm(x, n, weight, bias), want), (seed, k)


def test_layer_norm_gradients_are_their_definition():
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    for k in range(160):
        x, g, weight, bias, n, real = case(k, generator)
        if real is np.float64:
            continue  # products of 106 bits; the same steps
        leaves = [t.requires_grad_() for t in (x, weight, bias) if t is not None]
        grads = iter(torch.autograd.grad(ft.layer_norm(x, n, weight, bias), leaves, g))
        d, _, r = statistics(x, n, 1e-5, real)
        a, scale = wide(g).astype(real), r.astype(real)
        terms = torch.from_numpy(a * (d * scale))
        if weight is not None:
            a = a * wide(weight).astype(real)
        sums = np.array([[fsum(row)] for row in a.astype(float)])
        dots = np.array([[fsum(row)] for row in a.astype(float) * d.astype(float)])
        shift, factor = (sums / n).astype(real), (dots * (r * r * r / n)).astype(real)
        want = torch.from_numpy((a - shift) * scale - d * factor).to(x.dtype)
        assert equal_bits(next(grads), want), (seed, k)
        if weight is not None:
            assert equal_bits(next(grads), ft.sum(terms, 0, dtype=x.dtype)), (seed, k)
        if bias is not None:
            assert equal_bits(next(grads), ft.sum(g, 0, dtype=x.dtype)), (seed, k)


def exact(x):
    return [[Fraction(float(a)) for a in row] for row in x.detach().double()]


def test_gradients_of_float64_are_their_definition_by_rationals():
    """Products of 106 bits, that fsum cannot be given."""
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    for k in range(60):
        rows, n = (1, 5)[k % 2], (2, 3, 24)[k % 3]
        x, g, weight = (torch.randn(shape, generator=generator, dtype=torch.float64)
                        for shape in ((rows, n), (rows, n), (n,)))
        leaves = [x.requires_grad_(), weight.requires_grad_()]
        dx, dweight = torch.autograd.grad(ft.layer_norm(x, n, weight), leaves, g)
        mean, r = torch.ops.onefold.layer_norm(x.detach(), None, None, 1, 1e-5)[1:]
        d, a = x.detach() - mean, g * weight.detach()
        sums = [float(sum(row)) for row in exact(a)]
        dots = [float(sum(p * q for p, q in zip(*both))) for both in zip(exact(a), exact(d))]
        for row in range(rows):
            own_r = float(r[row])
            factor = dots[row] * (own_r * own_r * own_r / n)
            want = (a[row] - sums[row] / n) * own_r - d[row] * factor
            assert equal_bits(dx[row], want), (seed, k)
        terms = exact(g * (d * r))
        want = torch.tensor([float(sum(column)) for column in zip(*terms)], dtype=torch.float64)
        assert equal_bits(dweight, want), (seed, k)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gradients_are_near_those_of_float64(dtype):
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    tolerance = {torch.float64: 1e-11, torch.float32: 1e-5}.get(
        dtype, 4 * torch.finfo(dtype).eps)
    for n in (8, 100, 700):
        x, g, weight, bias = (torch.randn(shape, generator=generator).to(dtype).requires_grad_()
                              for shape in ((2, 9, n), (2, 9, n), (n,), (n,)))
        leaves = (x, weight, bias)
        own = torch.autograd.grad(ft.layer_norm(x, n, weight, bias), leaves, g.detach())
        wide = [t.detach().double().requires_grad_() for t in leaves]
        y = torch.nn.functional.layer_norm(wide[0], (n,), *wide[1:])
        for a, b in zip(own, torch.autograd.grad(y, wide, g.detach().double())):
            assert a.dtype == dtype
            torch.testing.assert_close(a.double(), b, rtol=tolerance, atol=tolerance, msg=str(seed))


def test_gradcheck_and_every_choice_of_gradients():
    generator = torch.Generator().manual_seed(8)
    given = [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
             for shape in ((3, 5), (5,), (5,))]
    assert torch.autograd.gradcheck(lambda *t: ft.layer_norm(t[0], 5, *t[1:]), given)
    assert torch.autograd.gradcheck(lambda x: ft.layer_norm(x, 5), given[:1])
    g = torch.randn(3, 5, generator=generator, dtype=torch.float64)
    full = torch.autograd.grad(ft.layer_norm(given[0], 5, *given[1:]), given, g)
    for wanted in range(1, 8):
        some = [t.detach().requires_grad_(bool(wanted >> i & 1)) for i, t in enumerate(given)]
        leaves = [t for t in some if t.requires_grad]
        grads = torch.autograd.grad(ft.layer_norm(some[0], 5, *some[1:]), leaves, g)
        chosen = [one for i, one in enumerate(full) if wanted >> i & 1]
        assert all(equal_bits(a, b) for a, b in zip(grads, chosen))


def test_the_operators_that_compilers_see_have_the_same_bits():
    generator = torch.Generator().manual_seed(9)
    for dtype in FLOATS:
        x, g, weight, bias = (torch.randn(shape, generator=generator).to(dtype)
                              for shape in ((6, 40), (6, 40), (40,), (40,)))
        own = torch.ops.onefold
        torch.library.opcheck(own.layer_norm, (x, weight, bias, 1, 1e-5))
        _, mean, inverse = own.layer_norm(x, weight, bias, 1, 1e-5)
        arguments = g, x, weight, bias, mean, inverse, 1, True, True, True
        torch.library.opcheck(own.layer_norm_backward, arguments,
                              test_utils=("test_schema", "test_faketensor"))
        leaves = [t.requires_grad_() for t in (x, weight, bias)]
        eager = torch.autograd.grad(ft.layer_norm(x, 40, weight, bias), leaves, g)
        assert all(equal_bits(a, b) for a, b in zip(own.layer_norm_backward(*arguments), eager))


def test_gradients_of_strided_rows_and_of_a_sum():
    generator = torch.Generator().manual_seed(10)
    wide = torch.randn(7, 100, generator=generator)
    x, weight, bias = wide[:, 11:51], *torch.randn(2, 40, generator=generator)
    results = []
    for rows in (x, x.contiguous()):
        leaves = [t.detach().requires_grad_() for t in (rows, weight, bias)]
        results.append(torch.autograd.grad(ft.layer_norm(leaves[0], 40, *leaves[1:]).sum(), leaves))
    assert all(equal_bits(a, b) for a, b in zip(*results))


def test_layer_norm_takes_vectors_of_other_types():
    x = torch.tensor([[3.0, 4.0]], dtype=torch.bfloat16, requires_grad=True)
    vectors = torch.tensor([1.0, 0.5]), torch.tensor([2.0, -1.0])
    want = ft.layer_norm(x, 2, *(t.to(x.dtype) for t in vectors))
    for weight_dtype in FLOATS:
        for bias_dtype in FLOATS:
            weight, bias = (t.to(dtype).clone().requires_grad_() for t, dtype in
                            zip(vectors, (weight_dtype, bias_dtype)))
            y = ft.layer_norm(x, 2, weight, bias)
            assert equal_bits(y, want)
            y.sum().backward()
            assert weight.grad.dtype == weight_dtype and bias.grad.tolist() == [1, 1]


def test_layer_norm_of_several_dimensions_and_any_strides():
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(4, 6, 5, generator=generator).transpose(0, 2)
    weight, bias = (torch.randn(6, 4, generator=generator) for _ in range(2))
    y = ft.layer_norm(x, (6, 4), weight, bias)
    rows = ft.layer_norm(x.reshape(5, 24), 24, weight.reshape(24), bias.reshape(24))
    assert y.shape == x.shape and equal_bits(y, rows.reshape(5, 6, 4))
    for i in range(5):
        assert equal_bits(ft.layer_norm(x[i], (6, 4), weight, bias), y[i])
