# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU: the CPU's bits, the library's device and stream, and no synchronisation."""
import random

import numpy as np
import pytest

import cases
import onefold

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)
if onefold.machine()["gpus"] == 0:
    pytest.skip(f"onefold: {onefold.machine()['gpu_why_none']}", allow_module_level=True)
ft = pytest.importorskip("onefold.torch")

FUNCTIONS = ("sum", "mean", "var", "std", "norm1", "norm2", "norminf", "sumsq", "min", "max",
             "argmin", "argmax", "count_nonzero", "any", "all", "logsumexp")
TYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool")
FLOATS = TYPES[:4]


def same(got, want, said=""):
    """Whether a tensor on the GPU has the type, shape and bits of one on the CPU."""
    assert got.is_cuda and (got.shape, got.dtype) == (want.shape, want.dtype), said
    got, want = got.cpu().contiguous(), want.contiguous()
    nans = want.isnan() if want.dtype.is_floating_point else torch.zeros_like(want, dtype=bool)
    assert torch.equal(got[~nans].view(torch.uint8), want[~nans].view(torch.uint8)), said
    assert not nans.any() or bool(got[nans].isnan().all()), said


def random_tensor(choose, name):
    """A tensor of random values and strides, and what to say of it."""
    shape = cases.shape_of(choose)
    x = cases.array_of(choose, name, shape)
    if name == "bfloat16":
        wide = torch.from_numpy(np.ascontiguousarray(x.astype("float32")))
        x = wide.reshape(shape).to(torch.bfloat16)
    else:
        x = torch.from_numpy(np.ascontiguousarray(x.astype(x.dtype.newbyteorder("=")))).reshape(
            shape)
    if x.dim() > 1 and choose.random() < 0.5:
        x = x.transpose(0, -1)
    return x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_tensors_have_the_bits_of_the_cpu(name):
    function = getattr(onefold, name)
    seed = random.randrange(2**31)
    choose = random.Random(seed)
    for _ in range(60):
        dtype = choose.choice(FLOATS if name == "logsumexp" else TYPES)
        x = random_tensor(choose, dtype)
        axis = cases.axis_of(choose, x.dim(), tuples=not name.startswith("arg"))
        said = f"seed {seed}: {name} of {dtype} {tuple(x.shape)} {x.stride()} axis {axis}"
        try:
            want = function(x, axis=axis)
        except (OverflowError, ValueError) as error:
            with pytest.raises(type(error)):
                function(x.cuda(), axis=axis).cpu()
            continue
        same(function(x.cuda(), axis=axis), want, said)


@pytest.mark.parametrize("dtype", FLOATS)
def test_operators_of_torch_have_the_bits_of_the_cpu(dtype):
    generator = torch.Generator().manual_seed(3)
    x, y = (torch.randn(37, 515, generator=generator).to(getattr(torch, dtype)) for _ in range(2))
    weight = torch.randn(515, generator=generator).to(x.dtype)
    for function in (lambda a, b, w: ft.sum(a, 1), lambda a, b, w: ft.mean(a, 0),
                     lambda a, b, w: ft.var(a, 1), lambda a, b, w: ft.norm(a, 2, 1),
                     lambda a, b, w: ft.vecdot(a, b), lambda a, b, w: ft.logsumexp(a, 1),
                     lambda a, b, w: ft.rms_norm(a, 515, w)):
        arguments = (x, y, weight)
        same(function(*(t.cuda() for t in arguments)), function(*arguments))


def test_gradients_have_the_bits_of_the_cpu():
    def gradients(device):
        x = torch.randn(9, 65, generator=torch.Generator().manual_seed(4)).to(device)
        weight = torch.ones(65, device=device).requires_grad_()
        x.requires_grad_()
        (ft.rms_norm(x, 65, weight) * torch.arange(65., device=device)).sum().backward()
        return x.grad, weight.grad
    for got, want in zip(gradients("cuda"), gradients("cpu")):
        same(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ("sum", "mean", "var", "norm", "logsumexp"))
def test_gradients_of_reductions_have_the_bits_of_the_cpu(dtype, name):
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(300, 37, generator=generator).to(getattr(torch, dtype))
    g = torch.randn(37, generator=generator).to(x.dtype)

    def gradient(device):
        own = x.to(device).requires_grad_()
        getattr(ft, name)(own, dim=0).backward(g.to(device))
        return own.grad
    if name != "logsumexp":  # torch.exp differs
        same(gradient("cuda"), gradient("cpu"))
    else:
        torch.testing.assert_close(gradient("cuda").cpu(), gradient("cpu"))


@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("reduction", ("mean", "sum", "none"))
def test_losses_and_gradients_have_the_bits_of_the_cpu(dtype, reduction):
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(50, 1003, generator=generator) * 4
    target = torch.randint(0, 1003, (50,), generator=generator)
    x[::4, 7], target[::4], target[::9] = 40, 7, -100
    weight = torch.rand(1003, generator=generator)

    def results(device, by):
        leaf = x.to(device, getattr(torch, dtype), copy=True).requires_grad_()
        loss = ft.cross_entropy(leaf, target.to(device), None if by is None else by.to(device),
                                reduction=reduction)
        loss.sum().backward()
        return loss.detach(), leaf.grad
    for by in (None, weight):
        for got, want in zip(results("cuda", by), results("cpu", by)):
            same(got, want, (dtype, reduction))


def test_a_target_that_is_no_class_makes_its_row_nan():
    x = torch.randn(3, 5, device="cuda", requires_grad=True)
    loss = ft.cross_entropy(x, torch.tensor([1, 5, 2], device="cuda"), reduction="none")
    loss.sum().backward()
    assert loss.isnan().tolist() == x.grad.isnan().all(1).tolist() == [False, True, False]


@pytest.mark.parametrize("function", (ft.softmax, ft.log_softmax, lambda x: ft.rms_norm(x, 257)))
def test_a_row_does_not_depend_on_its_batch(function):
    x = torch.randn(300, 257, device="cuda").to(torch.bfloat16)
    whole = function(x)
    for first, last in ((0, 1), (5, 7), (100, 300), (299, 300)):
        assert torch.equal(function(x[first:last]), whole[first:last])


@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("function", (ft.softmax, ft.log_softmax))
@pytest.mark.parametrize("n", (7, 1024, 3001, 40000))
def test_gradients_of_softmax_have_the_bits_of_the_cpu(n, function, dtype):
    generator = torch.Generator().manual_seed(n)
    x, g = (torch.randn(9, n, generator=generator).to(getattr(torch, dtype)) for _ in range(2))
    x[2], g[3, 5] = -float("inf"), float("inf")
    g[4, 1::2] = -g[4, 0:n - 1:2]

    def gradient(device, dim):
        leaf = (x.T if dim == 0 else x).to(device).requires_grad_()
        function(leaf, dim).backward((g.T if dim == 0 else g).to(device))
        return leaf.grad
    for dim in (0, -1):
        same(gradient("cuda", dim), gradient("cpu", dim), dtype)


@pytest.mark.parametrize("dtype", FLOATS[1:])
def test_parts_of_rows_have_the_bits_of_the_rows(dtype):
    x = torch.randn(40, 3001, generator=torch.Generator().manual_seed(11)) * 3
    x[::3, 700] = 40  # has nearly all of the sum
    x[1, 5], x[4, 2999], x[7] = float("nan"), float("inf"), -float("inf")
    x[10:14, 100:1100] -= 600
    x = x.to(getattr(torch, dtype)).cuda()
    states = [onefold.State("logsumexp", dtype).add(row) for row in x]
    for function in (ft.softmax, ft.log_softmax):
        parts = [function(part, state=states) for part in x.split([1001, 8, 1, 1991], 1)]
        same(torch.cat(parts, 1), function(x.cpu()), dtype)
        same(function(x[:, :77].T, 0, state=states), function(x.cpu())[:, :77].T, dtype)


def test_the_current_stream_is_used():
    x = torch.zeros(1 << 20, device="cuda")
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.fill_(1)
        total = ft.sum(x)
        other = onefold.sum(x)
    stream.synchronize()
    assert total.item() == other.item() == 1 << 20


def test_a_cuda_graph_holds_the_reduction():
    x = torch.ones(1 << 16, device="cuda")
    rows = torch.ones(64, 1024, device="cuda", dtype=torch.bfloat16)
    target = torch.arange(64, device="cuda")
    calls = (lambda: ft.sum(x), lambda: onefold.sum(x), lambda: ft.var(rows, 1),
             lambda: ft.rms_norm(rows, 1024), lambda: ft.softmax(rows),
             lambda: ft.cross_entropy(rows, target))
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for call in calls:
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answers = [call() for call in calls]
    for value in (2.0, 3.0):
        x.fill_(value)
        rows.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        for answer, call in zip(answers, calls):
            assert torch.equal(answer, call())


def test_torch_compile_keeps_the_bits():
    x = torch.randn(33, 129, device="cuda")
    torch._dynamo.reset()
    compiled = torch.compile(lambda t: ft.softmax(ft.rms_norm(t, 129) * 2), fullgraph=True)
    assert torch.equal(compiled(x), ft.softmax(ft.rms_norm(x, 129) * 2))


def test_a_call_does_not_wait_for_the_gpu():
    x = torch.ones(1000, device="cuda")
    ft.sum(x)
    torch.cuda.synchronize()
    torch.cuda._sleep(2_000_000_000)
    answers = [ft.sum(x), onefold.sum(x), onefold.mean(x, axis=0)]
    event = torch.cuda.Event()
    event.record()
    assert not event.query()
    torch.cuda.synchronize()
    assert [answer.item() for answer in answers] == [1000, 1000, 1]


def test_where_and_out():
    x = torch.tensor([1.0, 2.0, 4.0], device="cuda")
    kept = torch.tensor([True, False, True], device="cuda")
    assert onefold.sum(x, where=kept).item() == 5
    out = torch.empty((), device="cuda")
    assert onefold.sum(x, out=out) is out and out.item() == 7
    with pytest.raises(ValueError, match="where is on the host"):
        onefold.sum(x, where=kept.cpu())
    with pytest.raises(ValueError, match="y is on the host"):
        onefold.dot(x, x.cpu())


def test_cupy_has_the_same_bits():
    x = torch.randn(100, 33, generator=torch.Generator().manual_seed(5))
    cupy = pytest.importorskip("cupy")
    for name in ("sum", "mean", "var", "max", "argmax"):
        function = getattr(onefold, name)
        got = function(cupy.asarray(x.numpy()), axis=1)
        assert isinstance(got, cupy.ndarray)
        assert cupy.asnumpy(got).tobytes() == function(x.numpy(), axis=1).tobytes()
    one = onefold.sum(cupy.asarray(x.numpy()))
    assert isinstance(one, cupy.ndarray) and one.shape == ()


def test_jax_has_the_same_bits():
    jax = pytest.importorskip("jax")
    if all(device.platform == "cpu" for device in jax.devices()):
        pytest.skip("JAX sees no GPU")
    x = np.random.default_rng(6).standard_normal((50, 20)).astype("float32")
    got = onefold.sum(jax.numpy.asarray(x), axis=0)
    assert np.asarray(got).tobytes() == onefold.sum(x, axis=0).tobytes()
