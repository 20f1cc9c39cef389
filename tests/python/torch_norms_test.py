# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.rms_norm, its gradients and add_rms_norm: each step by other means."""
import random
from math import fsum

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits; a NaN equals itself."""
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.view(bits), b.view(bits))


def test_rms_norm_is_its_definition():
    """Each step by NumPy, whose square roots are correctly rounded; PyTorch's are not."""
    generator = torch.Generator().manual_seed(5)
    for k in range(300):
        dtype = FLOATS[k % len(FLOATS)]
        real = np.float64 if dtype == torch.float64 else np.float32
        rows, n = (1, 7, 40)[k % 3], (1, 3, 64, 333)[k % 4]
        x, weight = (torch.randn(shape, generator=generator).to(dtype)
                     for shape in ((rows, n), (n,)))
        if dtype == torch.float64:
            x = x.float().double()  # squares of 48 bits: fsum is given them exactly
        y, inverse = torch.ops.onefold.rms_norm(x, weight, 1, 1e-6)
        wide = x.double().numpy()
        sums = np.array([fsum(row) for row in wide * wide])
        want = 1 / np.sqrt(sums / n + 1e-6)
        assert equal_bits(inverse, torch.from_numpy(want[:, None]))
        scaled = x.to(torch.float64).numpy().astype(real) * want[:, None].astype(real)
        scaled *= weight.double().numpy().astype(real)
        assert equal_bits(y, torch.from_numpy(scaled).to(dtype)), (k, dtype)


def test_norm_gradients_are_their_definition():
    """Each step by NumPy, the row's dot by fsum of exact products."""
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    for k in range(120):
        dtype = FLOATS[k % len(FLOATS)]
        real = np.float64 if dtype == torch.float64 else np.float32
        rows, n = (1, 7, 40)[k % 3], (1, 3, 64, 333)[k % 4]
        x, g, weight = (torch.randn(shape, generator=generator).bfloat16().to(dtype)
                        for shape in ((rows, n), (rows, n), (n,)))
        x, weight = x.requires_grad_(), weight.requires_grad_(k % 5 > 0)
        y = ft.rms_norm(x, n, weight if k % 7 > 0 else None, 1e-6)
        y.backward(g)
        r = torch.ops.onefold.rms_norm(x.detach(), None, 1, 1e-6)[1].numpy()
        wide, a = (t.detach().double().numpy().astype(real) for t in (x, g))
        terms = torch.from_numpy(a * (wide * r.astype(real)))
        if k % 7 > 0:
            a = a * weight.detach().double().numpy().astype(real)
        dots = np.array([[fsum(row)] for row in a.astype(float) * wide.astype(float)])
        c = (dots * (r * r * r / n)).astype(real)
        want = torch.from_numpy(a * r.astype(real) - wide * c).to(dtype)
        assert equal_bits(x.grad, want), (seed, k, dtype)
        if k % 7 > 0 and weight.requires_grad:
            assert equal_bits(weight.grad, ft.sum(terms, 0, dtype=dtype)), (seed, k, dtype)


def test_add_rms_norm_is_the_sum_and_its_norm():
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    for k in range(40):
        dtype, n = FLOATS[k % len(FLOATS)], (1, 3, 64, 333)[k // 4 % 4]
        x, residual, g, g_sum = (torch.randn(2, 5, n, generator=generator).to(dtype)
                                 for _ in range(4))
        weight = torch.randn(n, generator=generator).to(dtype) if k % 3 else None
        leaves = [t.requires_grad_() for t in (x, residual, weight) if t is not None]
        y, total = ft.add_rms_norm(x, residual, n, weight)
        same = (x + residual).detach().requires_grad_()
        want = ft.rms_norm(same, n, weight)
        assert equal_bits(total, same) and equal_bits(y, want), (seed, k, dtype)
        gradients = torch.autograd.grad((y, total), leaves, (g, g_sum))
        dx = torch.autograd.grad(want, same, g, retain_graph=True)[0] + g_sum
        assert equal_bits(gradients[0], dx) and equal_bits(gradients[1], dx), (seed, k, dtype)
        if weight is not None:
            assert equal_bits(gradients[2], torch.autograd.grad(want, weight, g)[0])


def test_rms_norm_takes_weights_of_other_types():
    x = torch.tensor([[3.0, 4.0]], dtype=torch.bfloat16)
    for dtype in FLOATS:
        weight = torch.tensor([1.0, 0.5], dtype=dtype)
        assert equal_bits(ft.rms_norm(x, 2, weight), ft.rms_norm(x, 2, weight.to(x.dtype)))


def test_operators_refuse_what_they_would_read_past_its_end():
    x, own = torch.ones(4, 8), torch.ops.onefold
    short, half = torch.ones(3, 8), torch.ones(4, 8, dtype=torch.float16)
    r, target, saved = torch.ones(4).double(), torch.zeros(4).long(), torch.ones(12).double()
    weight, scales = torch.ones(8), torch.ones(4)
    for call in (
            lambda: own.rms_norm(x, weight[:7], 1, 0.0),
            lambda: own.add_rms_norm(x, half, weight, 1, 0.0),
            lambda: own.rms_norm_backward(half, x, weight, r, 1, True, True),
            lambda: own.rms_norm_backward(x, x, weight, r[:3], 1, True, True),
            lambda: own.layer_norm(x, weight, weight[:7], 1, 0.0),
            lambda: own.layer_norm_backward(short, x, weight, None, r, r, 1, True, True, False),
            lambda: own.layer_norm_backward(x, x, weight, None, r[:3], r, 1, True, True, False),
            lambda: own.layer_norm_backward(x, x, weight, None, r, r.float(), 1, True, True,
                                            False),
            lambda: own.softmax_backward(short, x, -1),
            lambda: own.log_softmax_backward(half, x, 1),
            lambda: own.cross_entropy(x, target.int(), None, -100, "none", None, 0.0),
            lambda: own.cross_entropy(x, target, weight[:7], -100, "none", None, 0.0),
            lambda: own.cross_entropy_backward(scales[:3], x, target, None, saved, -100, "none",
                                               0.0),
            lambda: own.cross_entropy_backward(scales, x, target[:3], None, saved, -100, "none",
                                               0.0),
            lambda: own.cross_entropy_backward(scales, x, target, None, saved[:11], -100, "none",
                                               0.0)):
        with pytest.raises((ValueError, RuntimeError)):
            call()
