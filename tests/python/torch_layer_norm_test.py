# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.layer_norm and its gradients: each step by NumPy, the sums by fsum."""
import random
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
