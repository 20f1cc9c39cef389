#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Log-probabilities of a vocabulary that ranks share have the bits of one rank's.

    python examples/vocabulary.py [--ranks 1 2 3 8] [--device cuda]

Each rank has a part of each row of logits. The states of the parts' logsumexp are combined by two
all-reduces of integers, and each rank computes its own elements from the state of the whole row.
Printed are hashes of all log-probabilities, and of those by PyTorch's functions in the same two
steps. The exit code is 1 if onefold's differ. With --device cuda ranks share the GPUs; where each
has one of its own, the backend is NCCL.
"""
import argparse
import hashlib
import sys
import tempfile

import numpy as np
import onefold.torch as ft
import torch
import torch.distributed as dist
from onefold import State


def logits(rows, vocabulary, dtype):
    """The same on every rank and machine: with an element that has nearly all of a row's sum, with
    masks, with elements that are less by hundreds."""
    x = np.random.default_rng(26).standard_normal((rows, vocabulary), np.float32) * 3
    x[0, vocabulary // 3] = 40
    x[1 % rows, ::7] = -float("inf")
    x[2 % rows, vocabulary // 2:] -= 600
    return torch.from_numpy(x).to(dtype)


def states_of(rows):
    """The states of the whole rows, of which each rank has a part."""
    states = [State("logsumexp", str(rows.dtype)[6:]).add(row) for row in rows]
    # NCCL sends the memory of a GPU.
    device = rows.device if dist.get_backend() == "nccl" else "cpu"
    bands = torch.tensor([state.band for state in states], device=device)
    dist.all_reduce(bands, dist.ReduceOp.MAX)
    words = np.stack([state.words(band) for state, band in zip(states, bands.tolist())])
    words = torch.from_numpy(words).to(device)
    dist.all_reduce(words, dist.ReduceOp.SUM)
    return [State.from_words(row) for row in words.cpu().numpy()]


def by_onefold(x):
    return ft.log_softmax(x, state=states_of(x))


def by_pytorch(x):
    wide = x.float() if dist.get_backend() == "nccl" else x.float().cpu()
    largest = wide.amax(1, keepdim=True)
    dist.all_reduce(largest, dist.ReduceOp.MAX)
    total = torch.exp(wide - largest).sum(1, keepdim=True)
    dist.all_reduce(total, dist.ReduceOp.SUM)
    return (wide - largest - total.log()).to(x.dtype)


def hash_of(part, ranks):
    """Of all ranks' parts, on the first rank."""
    parts = [None] * ranks if dist.get_rank() == 0 else None
    dist.gather_object(part.cpu(), parts)
    if parts is None:
        return None
    return hashlib.sha256(torch.cat(parts, 1).view(torch.uint8).numpy().tobytes()).hexdigest()


def work(rank, ranks, given, hashes):
    torch.set_num_threads(1)
    device, backend = "cpu", "gloo"
    if given.device == "cuda":
        device = f"cuda:{rank % torch.cuda.device_count()}"
        backend = "nccl" if ranks <= torch.cuda.device_count() else "gloo"
        torch.cuda.set_device(device)
    dist.init_process_group(backend, init_method=f"file://{hashes}.{ranks}", rank=rank,
                            world_size=ranks)
    for name in given.dtype:
        whole = logits(given.rows, given.vocabulary, getattr(torch, name))
        x = whole.tensor_split(ranks, 1)[rank].contiguous().to(device)
        for who, function in (("onefold", by_onefold), ("PyTorch", by_pytorch)):
            found = hash_of(function(x), ranks)
            if rank == 0:
                print(f"{ranks:5} {name:9} {who:8} {found}", flush=True)
                with open(hashes, "a") as file:
                    file.write(f"{name} {who} {found}\n")
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--vocabulary", type=int, default=128256)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 8])
    parser.add_argument("--dtype", nargs="+", default=["bfloat16", "float32"])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    print(f"{given.rows} rows of {given.vocabulary}; PyTorch {torch.__version__}, {given.device}\n"
          f"ranks dtype     log-probabilities of, SHA-256")
    with tempfile.TemporaryDirectory() as folder:
        hashes = f"{folder}/hashes"
        for ranks in given.ranks:
            torch.multiprocessing.spawn(work, (ranks, given, hashes), nprocs=ranks)
        found = {tuple(line.split()) for line in open(hashes)}
    for who in ("onefold", "PyTorch"):
        several = sum(line[1] == who for line in found)
        print(f"{who}: {several - len(given.dtype)} other hashes than those of {given.ranks[0]} "
              f"rank(s)")
    return sum(line[1] == "onefold" for line in found) > len(given.dtype)


if __name__ == "__main__":
    sys.exit(main())
