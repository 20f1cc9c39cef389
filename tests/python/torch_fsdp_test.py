# SPDX-License-Identifier: Apache-2.0
"""Two processes that share a model's parameters (FSDP over Gloo, on CPUs) have the losses and
gradients of a model that is whole."""
import copy

import pytest

torch = pytest.importorskip("torch")
ft = pytest.importorskip("onefold.torch")
dist = torch.distributed
if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("there is no Gloo", allow_module_level=True)
fsdp = pytest.importorskip("torch.distributed.fsdp")
if not hasattr(fsdp, "fully_shard"):
    pytest.skip("this PyTorch has no fully_shard", allow_module_level=True)

WIDTH, CLASSES, RANKS = 24, 11, 2


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = ft.RMSNorm(WIDTH)
        self.bias = torch.nn.Parameter(torch.randn(WIDTH))
        self.linear = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        y = ft.layer_norm(self.norm(x), WIDTH, self.norm.weight, self.bias)
        return x + ft.softmax(self.linear(y), -1)


def loss_of(model, rank):
    generator = torch.Generator().manual_seed(rank)
    x = torch.randn(7, WIDTH, generator=generator)
    target = torch.randint(CLASSES, (7,), generator=generator)
    return ft.cross_entropy(model(x), target)


def work(rank, rendezvous):
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=RANKS)
    torch.manual_seed(5)
    model = torch.nn.Sequential(Block(), Block(), torch.nn.Linear(WIDTH, CLASSES))
    gradients, losses = [], []
    for part in range(RANKS):
        whole = copy.deepcopy(model)
        losses.append(loss_of(whole, part))
        losses[-1].backward()
        gradients.append([p.grad for p in whole.parameters()])
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (RANKS,))
    for layer in model:
        fsdp.fully_shard(layer, mesh=mesh)
    fsdp.fully_shard(model, mesh=mesh)
    loss = loss_of(model, rank)
    loss.backward()
    assert torch.equal(loss, losses[rank])
    for shared, *of_ranks in zip(model.parameters(), *gradients):
        assert shared.to_local().numel() < shared.numel()
        assert torch.equal(shared.grad.full_tensor(), sum(of_ranks) / RANKS)
    dist.destroy_process_group()


def test_sharded_parameters_have_the_same_gradients(tmp_path):
    torch.multiprocessing.spawn(work, (str(tmp_path / "rendezvous"),), nprocs=RANKS)
