# SPDX-License-Identifier: Apache-2.0
"""Arguments of onefold.torch that are refused by name, and views that negate their elements."""
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
F = torch.nn.functional


def negated(x):
    """A view of elements that are x's, of which its memory has the negatives."""
    return torch._neg_view(-x)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("share", (0.0, 0.1))
def test_cross_entropy_refuses_weights_that_are_not_one_a_class(dtype, share):
    x, target = torch.randn(4, 3, dtype=dtype), torch.tensor([0, 1, 2, 0])
    for weight in (torch.ones(2), torch.ones(4), torch.ones(1), torch.ones(3, 1),
                   torch.ones(3).long(), torch.ones(3, dtype=torch.complex64)):
        with pytest.raises(ValueError, match="each of the 3 classes"):
            ft.cross_entropy(x, target, weight, label_smoothing=share)
    with pytest.raises(ValueError, match="weight is on meta"):
        ft.cross_entropy(x, target, torch.ones(3, device="meta"), label_smoothing=share)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_cross_entropy_refuses_other_shares_and_types(dtype):
    x, target = torch.randn(4, 3, dtype=dtype), torch.tensor([0, 1, 2, 0])
    for weight in (None, torch.ones(3)):
        for share in (-0.5, 1.5, float("nan")):
            with pytest.raises(ValueError, match="give a share, 0 to 1"):
                ft.cross_entropy(x, target, weight, label_smoothing=share)
        for share in (0.0, 0.1):
            with pytest.raises(TypeError, match="floating"):
                ft.cross_entropy(x, target, weight, label_smoothing=share, dtype=torch.int32)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
@pytest.mark.parametrize("share", (0.0, 0.1))
def test_weights_of_classes_have_no_gradient(dtype, share):
    x = torch.randn(4, 3, dtype=dtype, requires_grad=True)
    weight = torch.ones(3, dtype=dtype, requires_grad=True)
    ft.cross_entropy(x, torch.tensor([0, 1, 2, 0]), weight, label_smoothing=share).backward()
    assert weight.grad is None and x.grad is not None


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_no_rows_and_no_classes_have_no_mean(dtype):
    for weight in (None, torch.ones(0)):
        loss = ft.cross_entropy(torch.ones(0, 0, dtype=dtype), torch.ones(0).long(), weight,
                                label_smoothing=0.1)
        assert loss.isnan()


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_a_row_with_infinity_has_no_loss(dtype):
    x = torch.tensor([[float("inf"), 0, 0]], dtype=dtype)
    for target in range(3):
        assert ft.cross_entropy(x, torch.tensor([target])).isnan()


@pytest.mark.parametrize("weight", (None, torch.tensor([0.5, 1.0, 2.0])))
def test_a_target_of_minus_infinity_has_an_infinite_loss(weight):
    x = torch.tensor([[0, float("-inf"), 1], [0, 1, 2]])
    losses = ft.cross_entropy(x, torch.tensor([1, 1]), weight, reduction="none",
                              label_smoothing=0.1)
    assert losses[0] == float("inf") and losses[1].isfinite()


def test_views_that_negate_have_the_elements_that_they_show():
    generator = torch.Generator().manual_seed(5)
    x, weight, bias = (torch.randn(shape, generator=generator) for shape in ((4, 3), 3, 3))
    target = torch.tensor([0, 1, 2, 0])
    g = torch.randn(4, generator=generator)
    pairs = [(ft.rms_norm(x, 3, negated(weight)), ft.rms_norm(x, 3, weight)),
             (ft.rms_norm(x, 3, negated(weight.half())), ft.rms_norm(x, 3, weight.half())),
             (ft.layer_norm(x, 3, negated(weight), negated(bias)),
              ft.layer_norm(x, 3, weight, bias)),
             (ft.cross_entropy(x, negated(target), negated(weight.abs())),
              ft.cross_entropy(x, target, weight.abs())),
             (ft.scatter_reduce(x, 0, target.clamp(max=2)[None, :3], negated(x[:1]), "amax"),
              ft.scatter_reduce(x, 0, target.clamp(max=2)[None, :3], x[:1], "amax"))]
    gradients = []
    for one in (g, negated(g)):
        leaf = x.clone().requires_grad_()
        ft.cross_entropy(leaf, target, reduction="none").backward(one)
        gradients.append(leaf.grad)
    for made, want in (*pairs, gradients):
        assert torch.equal(made, want)


def test_norms_refuse_weights_on_another_device():
    x, there = torch.randn(4, 3), torch.ones(3, device="meta")
    for call in (lambda: ft.rms_norm(x, 3, there), lambda: ft.layer_norm(x, 3, None, there),
                 lambda: ft.add_rms_norm(x, x, 3, there)):
        with pytest.raises(ValueError, match="is on meta, and x on cpu"):
            call()


def test_distributed_is_there_without_an_import():
    code = "import onefold.torch as ft; ft.distributed.all_reduce; ft.nothing"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "has no attribute 'nothing'" in run.stderr, run.stderr
