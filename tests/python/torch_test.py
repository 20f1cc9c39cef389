# SPDX-License-Identifier: Apache-2.0
"""onefold.torch: values, shapes, gradients, torch.compile, and rows that do not see their batch."""
import random
import runpy
from math import frexp, fsum, inf, ldexp

import numpy as np
import onefold
import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
F = torch.nn.functional
FakeTensorMode = torch._subclasses.FakeTensorMode
TorchDispatchMode = torch.utils._python_dispatch.TorchDispatchMode

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
BATCHES = (1, 2, 3, 8, 17, 64, 129)


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits; a NaN equals itself."""
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    return a.dtype == b.dtype and torch.equal(a.view(bits), b.view(bits))


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
    x = random_tensor(torch.Generator().manual_seed(10), (4, 33)).requires_grad_()
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
