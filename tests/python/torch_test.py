# SPDX-License-Identifier: Apache-2.0
"""onefold.torch: values, shapes, types and errors, and rows that do not see their batch."""
import random
import runpy
from math import inf

import numpy as np
import onefold
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

from torch_cases import FLOATS, equal_bits  # noqa: E402

F = torch.nn.functional
BATCHES = (1, 2, 3, 8, 17, 64, 129)


def random_tensor(generator, shape, dtype=torch.float32):
    return (torch.randn(shape, generator=generator, dtype=torch.float64)
            * 2.0 ** torch.randint(-6, 7, shape, generator=generator)).to(dtype)


# Reductions: name, function of (x, dim, keepdim), PyTorch's, onefold's of NumPy arrays.
REDUCTIONS = [
    ("sum", ft.sum, torch.sum, onefold.sum),
    ("mean", ft.mean, torch.mean, onefold.mean),
    ("var", ft.var, lambda x, dim, keepdim: torch.var(x, dim, keepdim=keepdim),
     lambda x, axis, keepdims: onefold.var(x, axis, keepdims=keepdims, correction=1)),
    ("norm2", lambda x, dim, keepdim: ft.norm(x, 2, dim, keepdim),
     lambda x, dim, keepdim: torch.linalg.vector_norm(x, 2, dim, keepdim), onefold.norm2),
    ("norm1", lambda x, dim, keepdim: ft.norm(x, 1, dim, keepdim),
     lambda x, dim, keepdim: torch.linalg.vector_norm(x, 1, dim, keepdim), onefold.norm1),
    ("norminf", lambda x, dim, keepdim: ft.norm(x, inf, dim, keepdim),
     lambda x, dim, keepdim: torch.linalg.vector_norm(x, inf, dim, keepdim), onefold.norminf),
    ("logsumexp", ft.logsumexp,
     lambda x, dim, keepdim: torch.logsumexp(
         x, tuple(range(x.dim())) if dim is None else dim, keepdim), onefold.logsumexp),
]
NAMED = pytest.mark.parametrize("ours,theirs,numpys", [row[1:] for row in REDUCTIONS],
                                ids=[row[0] for row in REDUCTIONS])


@NAMED
def test_shapes_types_and_bits(ours, theirs, numpys):
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    pick = random.Random(seed)
    for _ in range(20):
        shape = [pick.randrange(1, 6) for _ in range(pick.randrange(0, 4))]
        rank = len(shape)
        dim = pick.choice([None] + ([pick.randrange(-rank, rank), pick.sample(range(rank), 2)
                                     if rank > 1 else [0]] if rank else [-1, [0]]))
        keepdim = pick.random() < .5
        dtype = pick.choice(FLOATS)
        x = random_tensor(generator, shape, dtype)
        if rank > 1:
            x = x.transpose(0, 1)
        said = f"seed {seed}: shape {tuple(x.shape)} dim {dim} keepdim {keepdim} {dtype}"
        got = ours(x, dim, keepdim)
        peer = theirs(x, dim, keepdim)
        assert (got.shape, got.dtype) == (peer.shape, peer.dtype), said
        if dtype != torch.bfloat16:
            axis = tuple(dim) if isinstance(dim, list) else dim
            with np.errstate(all="ignore"):
                want = numpys(x.numpy(), axis if rank else None, keepdims=keepdim)
            assert equal_bits(got, torch.from_numpy(np.asarray(want).reshape(got.shape))), said


def test_bfloat16_rounds_the_exact_value_once():
    x = torch.tensor([256.0, 1.0, 2.0**-8], dtype=torch.bfloat16)
    assert ft.sum(x).item() == 258.0  # 257 is a tie; what is above it decides
    assert ft.sum(x, dtype=torch.float64).item() == 257.00390625
    assert ft.norm(torch.full((4,), 1e30, dtype=torch.bfloat16)).item() == 2 * torch.tensor(
        1e30, dtype=torch.bfloat16).item()


def test_exact_where_pytorch_is_not():
    assert ft.sum(torch.tensor([1e38, 3e38, -3e38])).item() == torch.tensor(1e38).item()
    assert ft.dot(torch.tensor([1e30, 1.0, 1e30]), torch.tensor([1e8, 1.0, -1e8])).item() == 1.0
    rows = ft.vecdot(torch.tensor([[1e8, 1.0], [1.0, 1e8]]), torch.tensor([1.0, 1e-3]))
    assert rows.tolist() == [100000000.0, 100001.0078125]


def test_integers_and_bool_as_pytorch():
    for dtype in (torch.uint8, torch.int8, torch.int32, torch.int64, torch.bool):
        x = torch.tensor([[1, 0, 3], [1, 1, 0]]).to(dtype)
        assert equal_bits(ft.sum(x, 1), x.sum(1))
        assert equal_bits(ft.mean(x, 0, dtype=torch.float32), x.float().mean(0))
    assert ft.vecdot(torch.tensor([[1, 2], [3, 4]]), torch.tensor([5, 6])).tolist() == [17, 39]
    with pytest.raises(TypeError, match="floating dtype"):
        ft.mean(torch.tensor([1, 2]))
    with pytest.raises(OverflowError):
        ft.sum(torch.tensor([2**62, 2**62]))


def test_empty():
    x = torch.empty(0, 3)
    assert ft.sum(x, 0).tolist() == [0, 0, 0] and ft.sum(x, 1).shape == (0,)
    assert ft.mean(x, 0).isnan().all()
    for function in (ft.softmax, ft.log_softmax):
        assert function(x, 0).shape == function(x, 1).shape == (0, 3)
    assert ft.rms_norm(x, 3).shape == ft.layer_norm(x, 3).shape == (0, 3)
    y, inverse = torch.ops.onefold.rms_norm(x.T, torch.ones(0), 1, 0.0)
    assert y.shape == (3, 0) and inverse.isnan().all()


def test_wrong_arguments():
    x = torch.ones(2, 3)
    with pytest.raises(IndexError, match="dim 2"):
        ft.sum(x, 2)
    with pytest.raises(ValueError, match="twice"):
        ft.sum(x, (0, -2))
    with pytest.raises(TypeError):
        ft.sum(x.to(torch.complex64))
    with pytest.raises(TypeError):
        ft.softmax(torch.ones(2, dtype=torch.int64))
    with pytest.raises(TypeError, match="float8"):
        ft.rms_norm(x.to(torch.float8_e5m2), 3)
    with pytest.raises(ValueError, match="ord"):
        ft.norm(x, 3)
    with pytest.raises(ValueError, match="one dimension"):
        ft.dot(x, x)
    with pytest.raises(ValueError, match="elements"):
        ft.dot(x[0], x[0, :2])
    with pytest.raises(ValueError, match="normalized_shape"):
        ft.rms_norm(x, 2)
    with pytest.raises(ValueError, match="weight"):
        ft.rms_norm(x, 3, torch.ones(2))
    with pytest.raises(ValueError, match="bias"):
        ft.layer_norm(x, 3, None, torch.ones(2))
    with pytest.raises(ValueError, match="residual"):
        ft.add_rms_norm(x, x[:1], 3)
    with pytest.raises(TypeError, match="class indices"):
        ft.cross_entropy(x, x)
    with pytest.raises(ValueError, match="reduction"):
        ft.cross_entropy(x, torch.tensor([0, 1]), reduction="all")


def rows_functions(n, dtype, generator):
    """The row operators as functions of x (…, n) along the last dimension, with PyTorch's."""
    weight = random_tensor(generator, (n,), dtype)
    return {
        "rms_norm": (lambda x: ft.rms_norm(x, n, weight), lambda x: F.rms_norm(x, (n,), weight)),
        "rms_norm_plain": (lambda x: ft.rms_norm(x, [n], eps=1e-3),
                           lambda x: F.rms_norm(x, (n,), eps=1e-3)),
        "layer_norm": (lambda x: ft.layer_norm(x, n, weight, weight),
                       lambda x: F.layer_norm(x, (n,), weight, weight)),
        "softmax": (ft.softmax, lambda x: F.softmax(x, -1)),
        "log_softmax": (ft.log_softmax, lambda x: F.log_softmax(x, -1)),
        "logsumexp": (lambda x: ft.logsumexp(x, -1), lambda x: torch.logsumexp(x, -1)),
        "var": (lambda x: ft.var(x, -1), lambda x: torch.var(x, -1)),
    }


ROWS = pytest.mark.parametrize("name", ["rms_norm", "rms_norm_plain", "layer_norm", "softmax",
                                        "log_softmax", "logsumexp", "var"])


def forward_and_backward(function, x, g):
    x = x.detach().clone().requires_grad_()
    y = function(x)
    y.backward(g)
    return y.detach(), x.grad


@ROWS
@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_agree_with_pytorch_in_float64(name, dtype):
    x = torch.randn(5, 40, generator=torch.Generator().manual_seed(7)).to(dtype)
    ours = rows_functions(40, dtype, torch.Generator().manual_seed(9))[name][0]
    theirs = rows_functions(40, torch.float64, torch.Generator().manual_seed(9))[name][1]
    g = x.flip(-1) if ours(x).dim() == 2 else x[:, 0]
    results = forward_and_backward(ours, x, g)
    peers = forward_and_backward(theirs, x.double(), g.double())
    for got, peer in zip(results, peers):
        assert got.dtype == dtype
        error = (got.double() - peer).abs().max() / peer.abs().max()
        # The weights differ by their rounding; the backward reads outputs rounded to dtype.
        assert error < 16 * torch.finfo(dtype).eps


@ROWS
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_row_does_not_see_its_batch(name, dtype):
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    n = random.Random(seed).choice([1, 7, 96, 1000, 4096])
    function = rows_functions(n, dtype, generator)[name][0]
    x = random_tensor(generator, (BATCHES[-1], n), dtype)
    g = random_tensor(generator, function(x).shape, dtype)
    whole = forward_and_backward(function, x, g)
    for batch in BATCHES:
        said = f"seed {seed}: {batch} rows of {n}"
        for first in (0, BATCHES[-1] - batch):
            part = slice(first, first + batch)
            for got, want in zip(forward_and_backward(function, x[part], g[part]), whole):
                assert equal_bits(got, want[part]), said
    strided = torch.empty(n, BATCHES[-1], dtype=dtype).t()
    strided.copy_(x)
    for got, want in zip(forward_and_backward(function, strided, g), whole):
        assert equal_bits(got, want), f"seed {seed}: strided"


def test_losses_and_weight_gradients_do_not_see_the_order_of_rows():
    seed = random.randrange(2**31)
    generator = torch.Generator().manual_seed(seed)
    x = random_tensor(generator, (50, 30))
    target = torch.randint(0, 30, (50,), generator=generator)
    weight = random_tensor(generator, (30,)).requires_grad_()
    g = random_tensor(generator, (50, 30))
    order = torch.randperm(50, generator=generator)
    assert equal_bits(ft.cross_entropy(x, target), ft.cross_entropy(x[order], target[order]))
    gradients = [torch.autograd.grad(ft.rms_norm(x[i], 30, weight), weight, g[i])[0]
                 for i in (torch.arange(50), order)]
    assert equal_bits(*gradients), f"seed {seed}"


@pytest.mark.parametrize("value", [inf, -inf, float("nan")])
def test_special_values_as_pytorch(value):
    x = torch.tensor([[1.0, value, 2.0], [value] * 3])
    for ours, theirs in ((ft.softmax, F.softmax), (ft.log_softmax, F.log_softmax)):
        torch.testing.assert_close(ours(x, -1), theirs(x, -1), equal_nan=True)
    torch.testing.assert_close(ft.rms_norm(x, 3), F.rms_norm(x, (3,)), equal_nan=True)
    torch.testing.assert_close(ft.layer_norm(x, 3), F.layer_norm(x, (3,)), equal_nan=True)


def test_elementwise_steps_do_not_see_the_position():
    """What the rows rely on: PyTorch's exp of an element is the same anywhere in a tensor."""
    x = torch.randn(70001, generator=torch.Generator().manual_seed(1)) * 10
    for dtype in (torch.float32, torch.float64):
        whole = torch.exp(x.to(dtype))
        for first in (1, 2, 3, 5, 8, 13, 31, 40000):
            assert equal_bits(torch.exp(x[first:].to(dtype)), whole[first:])
        assert equal_bits(torch.stack([torch.exp(one) for one in x[:500].to(dtype)]), whole[:500])


def test_the_example_finds_no_difference(checkout, monkeypatch, capsys):
    example = checkout / "examples" / "batch_invariant.py"
    monkeypatch.setattr("sys.argv", [str(example), "--hidden", "64", "--rows", "8"])
    assert runpy.run_path(str(example))["main"]() == 0
    assert "onefold: 0 differences" in capsys.readouterr().out
