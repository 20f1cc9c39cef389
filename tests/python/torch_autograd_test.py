# SPDX-License-Identifier: Apache-2.0
"""onefold.torch under autograd, the dispatcher, transforms and torch.compile."""
from math import inf

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")

from torch_cases import equal_bits  # noqa: E402

FakeTensorMode = torch._subclasses.FakeTensorMode
TorchDispatchMode = torch.utils._python_dispatch.TorchDispatchMode


def forward_and_backward(function, x, g):
    x = x.detach().clone().requires_grad_()
    y = function(x)
    y.backward(g)
    return y.detach(), x.grad


GRADIENTS = {
    "sum": lambda x: ft.sum(x, 1), "mean": lambda x: ft.mean(x, (0, 2), True),
    "var": lambda x: ft.var(x, 1), "var0": lambda x: ft.var(x, correction=0),
    "norm2": lambda x: ft.norm(x, 2, 1), "norm1": lambda x: ft.norm(x, 1),
    "norminf": lambda x: ft.norm(x, inf, -1, True), "logsumexp": lambda x: ft.logsumexp(x, 1),
    "vecdot": lambda x: ft.vecdot(x, x.flip(-1) + 1), "vecdot1": lambda x: ft.vecdot(x, x[0], 1),
    "softmax": lambda x: ft.softmax(x, 1), "log_softmax": lambda x: ft.log_softmax(x, -1),
    "rms_norm": lambda x: ft.rms_norm(x[1:], (3, 4), x[0] + 1, eps=1e-2),
    "rms_norm1": lambda x: ft.rms_norm(x, 4),
    "layer_norm": lambda x: ft.layer_norm(x[1:], (3, 4), x[0] + 1, x[0] * 2, 1e-2),
    "layer_norm1": lambda x: ft.layer_norm(x, 4),
    "add_rms_norm": lambda x: torch.cat(ft.add_rms_norm(x[:1], x[1:] * 2, 4, x[0, 0] + 1, 1e-2)),
    "smoothed": lambda x: ft.cross_entropy(x, torch.tensor([[0, 1, 2, 0]] * 2),
                                           torch.tensor([0.5, 1.0, 2.0]), label_smoothing=0.1),
    "cross_entropy": lambda x: ft.cross_entropy(x, torch.tensor([[0, 1, 2, 0]] * 2)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    x = torch.randn(2, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    assert torch.autograd.gradcheck(GRADIENTS[name], x.requires_grad_())
    if name in ("sum", "mean", "var", "norm2", "vecdot"):
        assert torch.autograd.gradgradcheck(GRADIENTS[name], x)


def test_no_second_derivative_of_row_operators():
    x = torch.ones(3, requires_grad=True)
    gradient, = torch.autograd.grad(ft.softmax(x)[0], x, create_graph=True)
    with pytest.raises(NotImplementedError, match="has no gradient"):
        gradient[0].backward()


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_loops():
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(2))
    assert equal_bits(torch.func.vmap(ft.softmax)(x), ft.softmax(x))


def test_gradients_where_the_norm_has_none():
    x = torch.zeros(3, requires_grad=True)
    ft.norm(x).backward()
    assert x.grad.tolist() == [0, 0, 0]
    x = torch.tensor([2.01, -2.01, 1.0], requires_grad=True)
    ft.norm(x, inf, dtype=torch.float64).backward()
    assert x.grad.tolist() == [.5, -.5, 0]


class Recorder(TorchDispatchMode):
    """The names of the operators that PyTorch's dispatcher sees."""
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(str(function))
        return function(*args, **(kwargs or {}))


def test_a_watched_call_goes_through_the_dispatcher():
    x = torch.tensor([[1e30, 1.0, -1e30], [1.0, 2.0, 3.0]])
    with Recorder() as seen:
        ft.sum(x)
        ft.vecdot(x, x)
    assert "onefold.sum.default" in seen.names and "onefold.vecdot.default" in seen.names
    with pytest.raises(RuntimeError, match="functorch"):
        torch.func.grad(ft.sum)(x)
    assert torch.func.vmap(ft.sum)(x).tolist() == [1, 6]
    assert ft.sum(FakeTensorMode().from_tensor(x), 1).shape == (2,)


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_those_of_the_dispatcher(name):
    x = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(9)).requires_grad_()
    g = torch.randn(GRADIENTS[name](x).shape, generator=torch.Generator().manual_seed(10))
    alone = torch.autograd.grad(GRADIENTS[name](x), x, g)[0]
    with Recorder() as seen:
        watched = torch.autograd.grad(GRADIENTS[name](x), x, g)[0]
    assert any(one.startswith("onefold.") for one in seen.names)
    assert equal_bits(alone, watched)


def test_checkpoints_and_autocast_have_the_same_gradients():
    x = torch.randn(4, 33, generator=torch.Generator().manual_seed(10)).requires_grad_()
    want = torch.autograd.grad(ft.rms_norm(x, 33, eps=1e-6).sum(), x)[0]
    again = torch.utils.checkpoint.checkpoint(lambda x: ft.rms_norm(x, 33, eps=1e-6), x,
                                              use_reentrant=False)
    assert equal_bits(torch.autograd.grad(again.sum(), x)[0], want)
    with torch.autocast("cpu", torch.bfloat16):
        got = torch.autograd.grad(ft.rms_norm(x, 33, eps=1e-6).sum(), x)[0]
    assert equal_bits(got, want)


def test_tangents_are_refused():
    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="forward-mode"):
        torch.func.jvp(ft.sum, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        assert ft.sum(x) == 3
        with pytest.raises(NotImplementedError, match="forward-mode"):
            ft.rms_norm(torch.autograd.forward_ad.make_dual(x, x), 3)


def test_the_bits_of_a_negated_view_count():
    x = torch._neg_view(torch.tensor([1.0, 2.0]))
    assert x.is_neg() and ft.sum(x).item() == -3


def test_registration():
    def samples(*shape):
        return torch.randn(shape, dtype=torch.float64, requires_grad=True)
    ops = torch.ops.onefold
    tests = ("test_schema", "test_autograd_registration", "test_faketensor",
             "test_aot_dispatch_dynamic")
    for op, arguments in (
            (ops.sum, ([1], False, None)), (ops.mean, (None, True, torch.float32)),
            (ops.logsumexp, ([0, 1], False, None)), (ops.var, ([0], False, None, 1.0)),
            (ops.norm, ([0], True, None, 2.0)), (ops.vecdot, (samples(3, 4), 1, False, None)),
            (ops.softmax, (1,)), (ops.log_softmax, (0,)), (ops.rms_norm, (samples(4), 1, 1e-6)),
            (ops.layer_norm, (samples(4), samples(4), 1, 1e-5))):
        torch.library.opcheck(op, (samples(3, 4), *arguments), test_utils=tests)


@pytest.mark.parametrize("name", GRADIENTS)
def test_compiled_has_the_same_bits(name):
    torch._dynamo.reset()
    x = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(6))
    compiled = torch.compile(GRADIENTS[name], fullgraph=True, backend="aot_eager")
    y = GRADIENTS[name](x)
    g = torch.randn(y.shape, generator=torch.Generator().manual_seed(8))
    for got, want in zip(forward_and_backward(compiled, x, g),
                         forward_and_backward(GRADIENTS[name], x, g)):
        assert equal_bits(got, want)
