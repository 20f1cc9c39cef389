# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.softmax and log_softmax: their definitions, gradients and parts of rows."""
from math import frexp, fsum, ldexp

import numpy as np
import onefold
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

from torch_cases import equal_bits  # noqa: E402


def exponentials(x):
    """E(x) of docs/numerics/logsumexp.md of float32 below 256."""
    def fused(a, b, c):  # a product of two binary32 is exact in binary64
        return (a.astype(np.longdouble) * b + c).astype(np.float32)
    k = np.rint(x.astype(np.float64) * float.fromhex("0x1.715476p+5"))
    t = fused(k, -float.fromhex("0x1.62e43p-6"), x)
    t = fused(k, float.fromhex("0x1.05c61p-34"), t)
    p = fused(t, float.fromhex("0x1.555594p-3"), float.fromhex("0x1.000088p-1"))
    s = fused(t * t, p, t)
    power = np.exp2((k % 32) / 32)
    e = (power + power * s.astype(np.longdouble)).astype(np.float64)
    return np.ldexp(e, (k // 32).astype(int))


def test_softmax_is_its_definition():
    """The steps of docs/numerics/softmax.md by NumPy, on any dimension and of any strides."""
    generator = torch.Generator().manual_seed(9)
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        x = (torch.randn((3, 40, 5), generator=generator) * 4).to(dtype)
        for dim in (0, 1, -1):
            rows = x.movedim(dim, -1).float().numpy()
            e = exponentials(rows)
            total = np.empty((*rows.shape[:-1], 1))
            for row in np.ndindex(rows.shape[:-1]):
                part, exponent = frexp(fsum(e[row]))
                total[row] = ldexp(round(ldexp(part, 32)), exponent - 32)
            want = torch.from_numpy((e * (1 / total)).astype(np.float32)).to(dtype)
            got = ft.softmax(x, dim)
            assert got.is_contiguous()
            assert equal_bits(got.movedim(dim, -1), want), (dtype, dim)
            apart = rows - np.log(total)
            if dtype != torch.float32:
                high = np.log(total).astype(np.float32)
                apart = (rows - high) - (np.log(total) - high).astype(np.float32)
            want = torch.from_numpy(apart.astype(np.float32)).to(dtype)
            got = ft.log_softmax(x, dim).movedim(dim, -1)
            assert equal_bits(got[apart <= -0.5], want[apart <= -0.5]), (dtype, dim)
            torch.testing.assert_close(got, want)
    assert ft.softmax(torch.tensor(3.0), 0).item() == 1.0


def test_gradients_of_softmax_are_their_definition():
    """The steps of docs/numerics/softmax.md by NumPy, on any dimension and of any strides."""
    generator = torch.Generator().manual_seed(11)

    def sums(terms):
        return np.apply_along_axis(fsum, -1, terms.astype(np.float64)).astype(np.float32)[..., None]
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        x = (torch.randn((3, 40, 5), generator=generator) * 4).to(dtype)
        for dim in (0, 1, -1):
            turned = torch.randn((5, 40, 3), generator=generator).to(dtype).permute(2, 1, 0)
            for gradient in (torch.randn(x.shape, generator=generator).to(dtype), turned,
                             torch.tensor(0.7).to(dtype).expand(x.shape)):
                g = gradient.movedim(dim, -1).float().numpy()
                for function in (ft.softmax, ft.log_softmax):
                    leaf = x.clone().requires_grad_()
                    y = function(leaf, dim)
                    y.backward(gradient)
                    rows = y.detach().movedim(dim, -1).float().numpy()
                    if function is ft.softmax:
                        want = (g - sums(g.astype(np.float64) * rows)) * rows
                    else:
                        want = g - exponentials(rows).astype(np.float32) * sums(g)
                    assert leaf.grad.is_contiguous()
                    assert equal_bits(leaf.grad.movedim(dim, -1),
                                      torch.from_numpy(want).to(dtype)), (dtype, dim, function)
    for function in (ft.softmax, ft.log_softmax):
        leaf = torch.tensor(3.0, requires_grad=True)
        function(leaf, 0).backward()
        assert leaf.grad.item() == 0.0


def test_parts_of_rows_have_the_bits_of_the_rows():
    generator = torch.Generator().manual_seed(10)
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        x = (torch.randn((4, 1000), generator=generator) * 3).to(dtype)
        x[0, 500] = 40  # has nearly all of the sum
        parts = x.split([300, 1, 699], 1)
        states = [onefold.State("logsumexp", str(dtype)[6:]) for _ in x]
        for part in reversed(parts):
            for state, row in zip(states, part, strict=True):
                state += onefold.State("logsumexp", str(dtype)[6:]).add(row)
        for function in (ft.softmax, ft.log_softmax):
            whole = function(x)
            assert equal_bits(torch.cat([function(p, state=states) for p in parts], 1), whole)
            # Along another dimension, and of one row.
            columns = [function(p.T, 0, state=states) for p in parts]
            assert equal_bits(torch.cat(columns).T, whole)
            assert equal_bits(function(parts[0][1], state=states[1]), whole[1, :300])
    with pytest.raises(NotImplementedError, match="detach"):
        ft.softmax(torch.ones(2, requires_grad=True), state=onefold.State("logsumexp", "float32"))
    with pytest.raises(TypeError, match="float64"):
        ft.softmax(torch.ones(2, dtype=torch.float64), state=onefold.State("logsumexp"))
    with pytest.raises(ValueError, match="1 states, 2 rows"):
        ft.softmax(torch.ones(2, 3), state=onefold.State("logsumexp", "float32"))
