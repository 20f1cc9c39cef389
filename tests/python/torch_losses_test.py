# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.cross_entropy: the steps of its docstring, and what PyTorch computes."""
from math import fsum, inf, isnan, nan

import numpy as np
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
F = torch.nn.functional
_core = pytest.importorskip("onefold._core")

OWN = (torch.bfloat16, torch.float16, torch.float32)


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits; a NaN equals itself."""
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.view(bits), b.view(bits))


def test_agrees_with_pytorch():
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(6, 11, 2, dtype=torch.float64, generator=generator)
    target = torch.randint(0, 11, (6, 2), generator=generator)
    target[2, 1] = target[4, 0] = -100
    weights = torch.rand(11, dtype=torch.float64, generator=generator)
    for dtype, close in ((torch.float64, {"rtol": 1e-12, "atol": 1e-14}),
                         (torch.float32, {"rtol": 1e-5, "atol": 1e-7})):
        for given in (x, x[:, :, 0], x[0, :, 0]):
            labels = target if given is x else target[:, 0] if given.dim() == 2 else target[0, 0]
            for weight in (None, weights.to(dtype)):
                for reduction in ("mean", "sum", "none"):
                    for smoothing in (0.0, 0.1):
                        arguments = {"weight": weight, "reduction": reduction,
                                     "label_smoothing": smoothing}
                        results = []
                        for function in (ft.cross_entropy, F.cross_entropy):
                            leaf = given.to(dtype).clone().requires_grad_()
                            loss = function(leaf, labels, **arguments)
                            loss.sum().backward()
                            results.append((loss, leaf.grad))
                        for got, peer in zip(*results):
                            assert got.dtype == dtype and got.is_contiguous()
                            torch.testing.assert_close(got, peer, **close)


def losses_and_totals(x, target, ignore_index=-100):
    """Of each row a loss, and three numbers for the backward pass."""
    losses, saved = torch.ops.onefold.cross_entropy(x, target, None, ignore_index, "none",
                                                    torch.float32, 0.0)
    return losses, saved.view(-1, 3)


def rows_of(generator, dtype):
    x = (torch.randn(300, 40, generator=generator) * 5).to(dtype)
    target = torch.randint(0, 40, (300,), generator=generator)
    target[::7] = x[::7].argmax(1)
    return x, target


@pytest.mark.parametrize("dtype", OWN)
def test_losses_are_log_softmax_of_the_target(dtype):
    x, target = rows_of(torch.Generator().manual_seed(11), dtype)
    losses = ft.cross_entropy(x, target, reduction="none")
    assert equal_bits(-losses, ft.log_softmax(x, 1).gather(1, target[:, None])[:, 0])


@pytest.mark.parametrize("dtype", OWN)
def test_reductions_are_their_steps(dtype):
    """The mean and the sum of the losses that the kernel writes, by NumPy's exact sum."""
    generator = torch.Generator().manual_seed(12)
    x, target = rows_of(generator, dtype)
    target[::5] = -1
    weight = torch.rand(40, generator=generator)
    losses, totals = losses_and_totals(x, target, -1)
    assert bool((losses[::5] == 0).all() and (totals[::5] == 0).all())
    counted = target >= 0
    for by in (None, weight):
        shares = (torch.ones(300) if by is None else by[target.clamp(0)]).double() * counted
        terms = losses.double() * shares
        total = torch.tensor(fsum(terms.tolist()), dtype=torch.float64)
        whole = torch.tensor(fsum(shares.tolist()), dtype=torch.float64)
        for reduction, want in (("none", terms), ("sum", total), ("mean", total / whole)):
            for answer in (None, torch.float32, torch.float64):
                got = ft.cross_entropy(x, target, by, -1, reduction, dtype=answer)
                assert equal_bits(got, want.to(answer or dtype)), reduction


@pytest.mark.parametrize("dtype", OWN)
@pytest.mark.parametrize("share", (0.1, 1.0))
def test_smoothed_losses_are_their_steps(dtype, share):
    """A loss and the share of x[target] - mean(x), and its gradient, by NumPy."""
    x, target = rows_of(torch.Generator().manual_seed(16), dtype)
    target[::5] = -1
    losses, totals = losses_and_totals(x, target, -1)
    counted = target >= 0
    means = torch.tensor([fsum(row) / 40 for row in x.double().tolist()]).float().double()
    own = x.gather(1, target.clamp(0)[:, None])[:, 0].double()
    terms = torch.where(counted, losses.double() + (own - means) * share, 0)
    total = torch.tensor(fsum(terms.tolist()), dtype=torch.float64)
    for reduction, want in (("none", terms), ("sum", total), ("mean", total / counted.sum())):
        for answer in (torch.float32, torch.float64):
            got = ft.cross_entropy(x, target, None, -1, reduction, share, answer)
            assert equal_bits(got, want.to(answer)), reduction
    leaf, g = x.clone().requires_grad_(), torch.tensor([2.0 ** (i % 9 - 4) for i in range(300)])
    ft.cross_entropy(leaf, target, None, -1, "none", share, torch.float32).backward(g)
    each = share / 40
    want = ft.softmax(x.float(), 1) * g[:, None] - (g.double() * each).float()[:, None]
    slope = ((totals[:, 2] + each * 39) * g.double()).float()
    want.scatter_(1, target.clamp(0)[:, None], slope[:, None])
    assert equal_bits(leaf.grad, torch.where(counted[:, None], want, 0).to(dtype))


@pytest.mark.parametrize("dtype", OWN)
def test_gradients_are_their_steps(dtype):
    """Those of softmax times a scale, by NumPy, where the scale is a power of two."""
    x, target = rows_of(torch.Generator().manual_seed(13), dtype)
    g = torch.tensor([2.0 ** (i % 9 - 4) for i in range(300)])
    leaf = x.clone().requires_grad_()
    losses, totals = losses_and_totals(leaf, target)
    losses.backward(g)
    wide = ft.softmax(x.float(), 1)
    want = (wide * g[:, None]).to(dtype)
    slope = torch.from_numpy(totals[:, 2].numpy() * g.double().numpy()).float().to(dtype)
    want.scatter_(1, target[:, None], slope[:, None])
    assert equal_bits(leaf.grad, want)
    p = torch.softmax(x.double(), 1).gather(1, target[:, None])[:, 0]
    np.testing.assert_allclose(totals[:, 2].numpy(), (p - 1).numpy(), rtol=1e-8, atol=1e-15)


def test_keeps_small_losses_and_gradients():
    """A loss near zero, and its gradient, are not lost by rounding logsumexp to x's type."""
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.tensor([[1000.0, 960.0]], dtype=dtype, requires_grad=True)
        loss = ft.cross_entropy(x, torch.tensor([0]))
        loss.backward()
        other = torch.softmax(x.detach().double(), 1)[:, 1]
        bound = 1.1 * torch.finfo(dtype).eps / 2
        assert abs(loss.double() - torch.log1p(other)) <= bound * other
        assert bool(((x.grad.double() - torch.stack([-other, other], 1)).abs()
                     <= bound * other).all())


@pytest.mark.parametrize("dtype", OWN)
def test_a_row_does_not_see_its_batch_nor_its_memory(dtype):
    x, target = rows_of(torch.Generator().manual_seed(14), dtype)
    g = torch.randn(300, generator=torch.Generator().manual_seed(15))

    def results(given, labels, gradient):
        leaf = given.detach().requires_grad_()
        loss = ft.cross_entropy(leaf, labels, reduction="none")
        loss.backward(gradient.to(dtype))
        return loss.detach(), leaf.grad
    whole = results(x, target, g)
    for got, want in zip(results(x[5:9], target[5:9], g[5:9]), whole):
        assert equal_bits(got, want[5:9])
    apart = torch.empty(40, 700, dtype=dtype).t()[::2][:300]
    apart.copy_(x)
    for got, want in zip(results(apart, target, g), whole):
        assert equal_bits(got, want)
    # The classes as the second of three dimensions.
    loss, dx = results(x.reshape(3, 100, 40).movedim(2, 1), target.reshape(3, 100),
                       g.reshape(3, 100))
    assert equal_bits(loss.reshape(-1), whole[0])
    assert equal_bits(dx.movedim(1, 2).reshape(300, 40), whole[1])


def test_ignored_rows_and_no_rows():
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(1)).requires_grad_()
    loss = ft.cross_entropy(x, torch.tensor([7, 2, 7]), ignore_index=7, reduction="sum")
    loss.backward()
    assert x.grad[0].tolist() == x.grad[2].tolist() == [0] * 4 and bool((x.grad[1] != 0).all())
    assert isnan(ft.cross_entropy(x, torch.tensor([7] * 3), ignore_index=7).item())
    none = ft.cross_entropy(x[:0], torch.zeros(0, dtype=torch.int64), reduction="none")
    assert none.shape == (0,) and none.dtype == torch.float32
    assert ft.cross_entropy(x[:0], torch.zeros(0, dtype=torch.int64), reduction="sum").item() == 0


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_special_values_as_pytorch(value):
    x = torch.tensor([[1.0, value, 2.0], [value] * 3, [1.0, 2.0, 3.0]])
    target = torch.tensor([0, 1, 2])
    got = ft.cross_entropy(x, target, reduction="none")
    torch.testing.assert_close(got, F.cross_entropy(x, target, reduction="none"), equal_nan=True)
    if value == -inf:
        assert ft.cross_entropy(x[:1], torch.tensor([1])).item() == inf


def test_refusals():
    x, target = torch.zeros(2, 3), torch.tensor([0, 1])
    with pytest.raises(ValueError, match="target has the shape"):
        ft.cross_entropy(x, target[:1])
    with pytest.raises(ValueError, match="target has the shape"):
        ft.cross_entropy(torch.tensor(1.0), target)
    with pytest.raises(ValueError, match="meta"):
        ft.cross_entropy(x, target.to("meta"))
    with pytest.raises(ValueError, match="row 1 is 3"):
        ft.cross_entropy(x, torch.tensor([0, 3]))
    with pytest.raises(TypeError, match="int32"):
        ft.cross_entropy(x.int(), target)


def test_a_second_backward_and_no_second_derivative():
    x = torch.randn(2, 3, generator=torch.Generator().manual_seed(4)).requires_grad_()
    loss = ft.cross_entropy(x, torch.tensor([0, 1]))
    first, = torch.autograd.grad(loss, x, retain_graph=True)
    second, = torch.autograd.grad(loss, x, create_graph=True)
    assert equal_bits(first, second.detach())
    with pytest.raises(NotImplementedError, match="has no gradient"):
        second[0, 0].backward()


def test_registration():
    x = torch.randn(3, 4, requires_grad=True)
    for weight, reduction, dtype, share in (
            (None, "mean", None, 0.0), (torch.rand(4), "mean", torch.float64, 0.0),
            (None, "none", None, 0.1), (None, "none", torch.bfloat16, 0.0)):
        torch.library.opcheck(torch.ops.onefold.cross_entropy,
                              (x, torch.tensor([0, 1, -100]), weight, -100, reduction, dtype,
                               share),
                              test_utils=("test_schema", "test_autograd_registration",
                                          "test_faketensor", "test_aot_dispatch_dynamic"))


def test_compiled_has_the_same_bits():
    torch._dynamo.reset()
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(6))
    target = torch.tensor([0, 1, 2, 3, 4, -100])
    results = []
    for function in (ft.cross_entropy,
                     torch.compile(ft.cross_entropy, fullgraph=True, backend="aot_eager")):
        leaf = x.clone().requires_grad_()
        loss = function(leaf, target)
        loss.backward()
        results.append((loss.detach(), leaf.grad))
    for got, want in zip(*results):
        assert equal_bits(got, want)
