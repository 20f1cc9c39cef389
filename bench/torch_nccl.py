# SPDX-License-Identifier: Apache-2.0
"""onefold.torch.distributed.all_reduce over the GPUs of this machine, by the NCCL backend: its bits
next to those of one exact sum on the CPU, and its time next to torch.distributed's own sum.

    python3 bench/torch_nccl.py      JSON lines; 1 if bits differ
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

BYTES = 256 << 20
CALLS, ROUNDS = 10, 5
TYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float64)


def inputs(shape, dtype, ranks):
    """The tensor of each rank: values that cancel, so that an order would show."""
    generator = torch.Generator().manual_seed(25)
    wide = torch.randn((ranks, *shape), generator=generator, dtype=torch.float64)
    wide *= 2.0 ** torch.randint(-12, 13, wide.shape, generator=generator)
    wide[-1] -= wide[:-1].sum(0)
    return wide.to(dtype)


def check(rank, ranks):
    import onefold.torch
    from onefold.torch import distributed as ours
    wrong = cases = 0
    for dtype in TYPES:
        for shape in ((), (1,), (2, 5), (100_003,), (1 << 20,)):
            for op, exact in (("sum", onefold.torch.sum), ("mean", onefold.torch.mean)):
                all_ranks = inputs(shape, dtype, ranks)
                # On a stream of its own, after a sum of NCCL's that is on its way.
                with torch.cuda.stream(torch.cuda.Stream()):
                    x, other = all_ranks[rank].cuda(), torch.ones(1 << 20, device="cuda")
                    sent = dist.all_reduce(other, async_op=True)
                    ours.all_reduce(x, op)
                    sent.wait()
                    cases += 1
                    wrong += not torch.equal(x.cpu(), exact(all_ranks, 0))
                    wrong += not torch.equal(other, torch.full_like(other, ranks))
    return {"what": "torch all_reduce", "rank": rank, "ranks": ranks, "cases": cases,
            "wrong": wrong}


def milliseconds(call):
    """Of a call, the median of the rounds."""
    times = []
    for _ in range(ROUNDS + 1):
        dist.barrier()
        torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / CALLS)
    return sorted(times[1:])[ROUNDS // 2]


def bench(rank, ranks, dtype):
    from onefold.torch import distributed as ours
    x = torch.randn(BYTES // dtype.itemsize, device="cuda", dtype=torch.float32).to(dtype)
    theirs = milliseconds(lambda: dist.all_reduce(x))
    x.normal_()
    exact = milliseconds(lambda: ours.all_reduce(x, "mean"))
    by = "onefold::nccl" if ours._communicator(x, None) else "torch.distributed"
    return {"what": "torch elements", "gpu": torch.cuda.get_device_name(), "by": by, "rank": rank,
            "ranks": ranks, "type": str(dtype), "bytes": BYTES, "ms": round(exact, 4),
            "torch ms": round(theirs, 4), "share": round(theirs / exact, 3)}


def work(rank, ranks, rendezvous, code):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{rendezvous}", rank=rank,
                            world_size=ranks)
    lines = [check(rank, ranks)]
    if lines[0]["wrong"]:
        code[0] = 1
    lines += [bench(rank, ranks, dtype) for dtype in (torch.bfloat16, torch.float32)]
    if rank == 0:
        for line in lines:
            print(json.dumps(line), flush=True)
    dist.destroy_process_group()


def main():
    ranks = torch.cuda.device_count()
    if ranks == 0:
        print("torch_nccl: no CUDA device", file=sys.stderr)
        return 77
    code = torch.zeros(1, dtype=torch.int32).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (ranks, f"{folder}/rendezvous", code), nprocs=ranks)
    return int(code[0])


if __name__ == "__main__":
    sys.exit(main())
