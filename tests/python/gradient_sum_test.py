# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.GradientSum: one loss curve for every assignment of micro-batches to ranks."""
import hashlib

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
dist = torch.distributed

MICRO_BATCHES, STEPS, FEATURES = 8, 3, 37


def curve(micro_batches_of):
    """A hash of the losses and weights of some steps. micro_batches_of: those of a step, in the
    order in which this rank takes them."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(STEPS, MICRO_BATCHES, 5, FEATURES, generator=generator)
    x *= 2.0 ** torch.randint(-9, 10, x.shape, generator=generator)
    weight = torch.randn(FEATURES, generator=generator).requires_grad_()
    unused = torch.ones(2, requires_grad=True)
    bias = torch.zeros(3, dtype=torch.bfloat16, requires_grad=True)
    parameters = [weight, unused, bias]
    optimizer = torch.optim.SGD(parameters, lr=1e-3)
    gradients = ft.GradientSum(parameters)
    seen = hashlib.sha256()
    for step in range(STEPS):
        for number in micro_batches_of(step):
            loss = (x[step, number] @ weight).tanh().sum() / MICRO_BATCHES
            if number % 3 == 0:  # of the others the bias has no gradient
                loss = loss + (bias.float() * x[step, number, 0, :3]).sum()
            loss.backward()
            gradients.add()
            assert weight.grad is None
        gradients.write()
        assert unused.grad is None and bias.grad.dtype == torch.bfloat16
        optimizer.step()
        optimizer.zero_grad()
        seen.update(weight.detach().numpy().tobytes() + bias.detach().float().numpy().tobytes())
    return seen.hexdigest()


ALONE = curve(lambda step: range(MICRO_BATCHES))


def test_the_order_of_micro_batches_changes_nothing():
    for seed in range(5):
        order = torch.randperm(MICRO_BATCHES, generator=torch.Generator().manual_seed(seed))
        assert curve(lambda step: order.tolist()) == ALONE


def test_the_sum_is_rounded_once():
    weight = torch.zeros(3, requires_grad=True)
    gradients = ft.GradientSum([weight])
    for factor in (1e30, 1.0, -1e30, -0.0):
        (weight * factor).sum().backward()
        gradients.add()
    gradients.write()
    assert weight.grad.tolist() == [1, 1, 1]
    gradients.write()
    assert weight.grad is None


def work(rank, ranks, rendezvous):
    from onefold.torch import distributed
    distributed._BLOCK_BYTES = 256  # several blocks
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=ranks)
    for assigned in (lambda step, k: k % ranks, lambda step, k: (k * k + step) % ranks,
                     lambda step, k: 0):  # all to one rank: the others have none
        assert curve(lambda step: [k for k in range(MICRO_BATCHES)
                                   if assigned(step, k) == rank]) == ALONE
    dist.destroy_process_group()


@pytest.mark.skipif(not (dist.is_available() and dist.is_gloo_available()), reason="no Gloo")
@pytest.mark.parametrize("ranks", [2, 4])
def test_the_assignment_to_ranks_changes_nothing(ranks, tmp_path):
    torch.multiprocessing.spawn(work, (ranks, str(tmp_path / "rendezvous")), nprocs=ranks)
