# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.distributed over ranks of Gloo on this machine."""
import subprocess
import sys

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


def differing_calls(last):
    """Each rank's tensor and operation, and what all ranks get."""
    x = torch.ones(4)
    yield (x[:3] if last else x), "sum", "ValueError: the ranks give several shapes, from (3,) to"
    yield (x.view(2, 2) if last else x), "sum", "ValueError: the ranks give several shapes"
    yield (x.double() if last else x), "sum", (
        "ValueError: the ranks give several types of elements, from torch.float32 to torch.float64")
    yield x, ("mean" if last else "sum"), "ValueError: the ranks give several operations, from mean"
    yield x, ("max" if last else "sum"), f"ValueError: rank {RANKS - 1}: op must be 'sum' or 'mean'"
    yield (x.int() if last else x), "sum", f"TypeError: rank {RANKS - 1}: all_reduce of torch.int32"
    yield (x[::2] if last else x[:2]), "sum", f"ValueError: rank {RANKS - 1}: x is not contiguous"
    yield x.int(), "sum", "TypeError: rank 0: all_reduce of torch.int32"


def disagree(rank, rendezvous):
    from onefold.torch import distributed as ours
    dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=RANKS)
    group = dist.new_group(list(range(RANKS)))
    for where in (None, group):
        for x, op, says in differing_calls(rank == RANKS - 1):
            before = x.clone()
            with pytest.raises((TypeError, ValueError)) as found:
                ours.all_reduce(x, op, where)
            text = f"{found.type.__name__}: {found.value}"
            texts = [None] * RANKS
            dist.all_gather_object(texts, text)
            assert text.startswith(says) and texts == [text] * RANKS, texts
            assert torch.equal(x, before)
        ours.all_reduce(x := torch.ones(3), "sum", where)
        assert torch.equal(x, torch.full((3,), float(RANKS)))
    dist.destroy_process_group()


def test_ranks_that_ask_for_different_things_get_one_error(tmp_path):
    torch.multiprocessing.spawn(disagree, (str(tmp_path / "rendezvous"),), nprocs=RANKS)


def test_a_vocabulary_over_ranks_has_the_bits_of_one(checkout):
    run = subprocess.run([sys.executable, checkout / "examples" / "vocabulary.py", "--rows", "4",
                          "--vocabulary", "1000", "--ranks", "1", "2"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "onefold: 0 other hashes" in run.stdout


def test_a_communicator_of_nccl_is_used_on_the_current_stream(monkeypatch):
    from torch.utils.dlpack import from_dlpack
    calls = []

    def nccl(op, x, communicator, workspace, stream):
        from_dlpack(x).mul_(3)
        calls.append((op, communicator, from_dlpack(workspace).numel(), stream))

    monkeypatch.setattr(distributed, "_communicator", lambda x, group: 77)
    monkeypatch.setattr(distributed._core, "nccl_all_reduce_elements", nccl)
    monkeypatch.setattr(distributed, "stream_of_tensor", lambda x: 5)
    monkeypatch.setattr(dist, "get_world_size", lambda group: 3)
    monkeypatch.setattr(distributed, "_BLOCK_BYTES", 1 << 20)
    for op in ("sum", "mean"):
        for shape, block in (((), 4096 * 3), ((100, 50), 20224), ((1 << 19,), 1 << 20)):
            x = torch.ones(shape)
            before = x._version
            distributed.all_reduce(x, op)
            assert torch.equal(x, torch.full(shape, 3.0))
            assert x._version > before
            assert calls.pop() == (distributed.OPS[op], 77, 2 * block, 5)
    assert not calls


def test_memory_of_the_host_has_no_communicator():
    from torch.utils.dlpack import to_dlpack
    x, workspace = torch.ones(4), torch.empty(8192, dtype=torch.uint8)
    assert distributed._communicator(x, None) == 0
    with pytest.raises(TypeError, match="max of float32"):
        distributed._core.nccl_all_reduce_elements(
            distributed.OPS["max"], to_dlpack(x), 1, to_dlpack(workspace), 0)


def test_bad_arguments():
    with pytest.raises(ValueError, match="'max'"):
        distributed.all_reduce(torch.ones(2), "max")
    with pytest.raises(TypeError, match="int64"):
        distributed.all_reduce(torch.ones(2, dtype=torch.int64))
    with pytest.raises(ValueError, match="contiguous"):
        distributed.all_reduce(torch.ones(2, 3).T)
