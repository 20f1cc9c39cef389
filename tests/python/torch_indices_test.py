# SPDX-License-Identifier: Apache-2.0
"""Indices out of range of onefold.torch: refused on a CPU; on a GPU left out by index_add and
scatter_reduce, forward and backward, and NaN for a class of cross_entropy.

Where there is no GPU, what is called there is called with tensors of a CPU.
"""
import random

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
own = pytest.importorskip("onefold.torch._scatter_rows")
losses = pytest.importorskip("onefold.torch._losses")

GPU = torch.cuda.is_available()
needs_gpu = pytest.mark.skipif(not GPU, reason="PyTorch sees no GPU")


def some_keys(pick, rows, answers, dtype=torch.int64):
    """Keys, a third of them out of range."""
    limits = torch.iinfo(dtype)
    outside = (-1, answers, answers + 7, limits.min, limits.max)
    return torch.tensor([pick.choice(outside) if pick.random() < .3 or answers == 0 else
                         pick.randrange(answers) for _ in range(rows)], dtype=dtype)


def cases():
    seed = random.randrange(2**31)
    pick, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    for k in range(40):
        # More keys than answers, as many, less and none: each way of rows_of_keys.
        rows, answers, n = pick.randrange(0, 9), pick.randrange(0, 9), pick.randrange(1, 4)
        keys = some_keys(pick, rows, answers, torch.int32 if k % 2 else torch.int64)
        yield f"seed {seed}, case {k}", keys, answers, n, generator


def test_rows_of_keys_are_zeros_out_of_range():
    for said, keys, answers, n, generator in cases():
        x = torch.randn(answers, n, generator=generator)
        want = torch.stack([x[key] if 0 <= key < answers else torch.zeros(n)
                            for key in keys.tolist()]) if len(keys) else torch.empty(0, n)
        assert torch.equal(own.rows_of_keys(x, keys), want), said
        counts = [keys.tolist().count(key) for key in range(answers)]
        assert own.counts_of(keys, answers).tolist() == counts, said


def extrema(x, index, src, largest, include_self, g):
    """What a GPU does: the extrema along dim 1 and their gradients."""
    extent = x.shape[1]
    index = own.in_range(index, extent).long()
    more = own.with_one_more(x, 1)
    found = own.extrema(more, 1, index, src, largest, include_self)
    gradients = own.extremum_gradients(own.with_one_more(g, 1), more,
                                       own.with_one_more(found[:, :extent], 1), 1, index, src,
                                       include_self)
    return found[:, :extent], gradients[0][:, :extent], gradients[1]


def test_extrema_leave_out_what_is_out_of_range():
    for said, keys, answers, n, generator in cases():
        x, g = (torch.randn(n, answers, generator=generator) for _ in range(2))
        src = torch.randn(n, len(keys), generator=generator).round()
        inside = (keys >= 0) & (keys < answers)
        index = keys.expand(n, -1)
        for largest in (False, True):
            for include_self in (False, True):
                got = extrema(x, index, src, largest, include_self, g)
                leaves = [t.clone().requires_grad_() for t in (x, src)]
                want = ft.scatter_reduce(leaves[0], 1, index[:, inside], leaves[1][:, inside],
                                         "amax" if largest else "amin", include_self=include_self)
                want.backward(g)
                for one, other in zip(got, (want.detach(), *(leaf.grad for leaf in leaves))):
                    assert torch.equal(one, other), said


def test_no_class_is_nan():
    x = torch.randn(4, 3, 2, dtype=torch.float64)
    index = torch.tensor([[0, 3], [2, 1], [-1, 2], [2**62, -2**63]])
    outside = (index < 0) | (index > 2)
    elements = losses.elements_of(x, index, 1).squeeze(1)
    assert torch.equal(elements.isnan(), outside)
    assert elements[1].tolist() == [x[1, 2, 0], x[1, 1, 1]]
    known, g = losses.known_classes(index, torch.ones(4, 2), 3)
    assert torch.equal(g.isnan(), outside) and torch.equal(known[~outside], index[~outside])
    assert known.min() == 0 and known.max() == 2
    for dtype in (torch.float64, torch.float32):
        with pytest.raises(ValueError, match="no classes"):
            ft.cross_entropy(torch.ones(2, 0, dtype=dtype), torch.tensor([0, 0]))


def test_a_cpu_refuses_them():
    x, index = torch.ones(2, 3), torch.tensor([0, 2])
    wide = index[:, None].expand(-1, 3)
    for reduce in ("sum", "mean", "amax", "amin"):
        for each in (wide, wide.contiguous()):
            with pytest.raises((ValueError, IndexError, RuntimeError)):
                ft.scatter_reduce(x, 0, each, x, reduce)
    for dtype in (torch.float64, torch.float32):
        for smoothing in (0, 0.1):
            for target in ([0, 3], [-1, 0]):
                with pytest.raises((ValueError, IndexError, RuntimeError)):
                    ft.cross_entropy(x.to(dtype), torch.tensor(target), label_smoothing=smoothing)


def results_on(device, x, index, src, g, call):
    leaves = [t.to(device).requires_grad_() for t in (x, src)]
    y = call(leaves[0], index.to(device), leaves[1])
    return (y.detach(), *torch.autograd.grad(y, leaves, g.to(device)))


@needs_gpu
@pytest.mark.parametrize("dtype", (torch.float64, torch.float32, torch.bfloat16))
def test_a_gpu_leaves_them_out_forward_and_backward(dtype):
    calls = [lambda x, index, src: ft.index_add(x, 0, index, src)]
    calls += [lambda x, index, src, reduce=reduce, self=self, own=own: ft.scatter_reduce(
        x, 0, index[:, None].expand_as(src).contiguous() if own else
        index[:, None].expand_as(src), src, reduce, include_self=self)
        for reduce in ("sum", "mean", "amax", "amin") for self in (False, True)
        for own in (False, True)]
    for said, keys, answers, n, generator in cases():
        x, g = (torch.randn(answers, n, generator=generator).to(dtype) for _ in range(2))
        src = torch.randn(len(keys), n, generator=generator).to(dtype)
        inside = (keys >= 0) & (keys < answers)
        for call in calls:
            got = results_on("cuda", x, keys, src, g, call)
            want = results_on("cpu", x, keys[inside], src[inside], g, call)
            g_src = torch.zeros_like(src)
            g_src[inside] = want[2]
            for one, other in zip(got, (*want[:2], g_src)):
                assert torch.equal(one.cpu(), other), said


@needs_gpu
@pytest.mark.parametrize("smoothing", (0, 0.1))
@pytest.mark.parametrize("dtype", (torch.float64, torch.float32))
def test_a_class_that_is_none_is_nan_on_a_gpu(dtype, smoothing):
    for weight in (None, torch.ones(5, device="cuda", dtype=dtype)):
        x = torch.randn(4, 5, device="cuda", dtype=dtype, requires_grad=True)
        target = torch.tensor([1, 5, 2, -1], device="cuda")
        loss = ft.cross_entropy(x, target, weight, reduction="none", label_smoothing=smoothing)
        loss.sum().backward()
        torch.cuda.synchronize()
        assert loss.isnan().tolist() == x.grad.isnan().all(1).tolist() == [False, True] * 2
        assert not x.grad[::2].isnan().any()


@needs_gpu
def test_bounds_out_of_range_abort_nothing():
    data = torch.randn(6, 3, device="cuda", requires_grad=True)
    for bounds in ([0, 4, 9], [-3, 2, 6], [5, 1, 3], [9, 9, 9]):
        offsets = torch.tensor(bounds, device="cuda")
        for reduce in ("sum", "mean", "max", "min"):
            ft.segment_reduce(data, reduce, offsets=offsets).sum().backward()
    torch.cuda.synchronize()
    assert data.grad.shape == (6, 3)
