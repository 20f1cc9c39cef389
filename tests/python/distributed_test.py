# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.distributed over ranks of Gloo on this machine."""
import pytest

torch = pytest.importorskip("torch")
distributed = pytest.importorskip("onefold.torch.distributed")
dist = torch.distributed
if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("this PyTorch has no Gloo", allow_module_level=True)

RANKS = 3
SHAPES = ((), (1,), (2, 5), (1001,))


def tensors_of(shape, dtype):
    """The tensor of each rank: values that cancel, so that an order would show."""
    generator = torch.Generator().manual_seed(5)
    wide = torch.randn((RANKS, *shape), generator=generator, dtype=torch.float64)
    wide *= 2.0 ** torch.randint(-12, 13, wide.shape, generator=generator)
    wide[-1] -= wide[:-1].sum(0)
    return wide.to(dtype)


def work(rank, rendezvous):
    import onefold.torch as ft
    from onefold.torch import distributed as ours
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=RANKS)
    ours._BLOCK_BYTES = 512  # several blocks
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        for shape in SHAPES:
            for op, exact in (("sum", ft.sum), ("mean", ft.mean)):
                all_ranks = tensors_of(shape, dtype)
                x = all_ranks[rank].clone()
                ours.all_reduce(x, op)
                assert torch.equal(x, exact(all_ranks, 0)), (rank, dtype, shape, op)
    dist.destroy_process_group()


def test_the_bits_are_those_of_one_exact_reduction(tmp_path):
    torch.multiprocessing.spawn(work, (str(tmp_path / "rendezvous"),), nprocs=RANKS)


def test_bad_arguments():
    with pytest.raises(ValueError, match="'max'"):
        distributed.all_reduce(torch.ones(2), "max")
    with pytest.raises(TypeError, match="int64"):
        distributed.all_reduce(torch.ones(2, dtype=torch.int64))
    with pytest.raises(ValueError, match="contiguous"):
        distributed.all_reduce(torch.ones(2, 3).T)
