# SPDX-License-Identifier: Apache-2.0
"""Compiles the peers of bench/gpu_peers.py first, by several processes, into the caches of Triton
and torch.compile: one process would compile for most of the time that a GPU is there."""

import concurrent.futures
import contextlib
import fcntl
import multiprocessing
import os
import tempfile
import time


def reason_of(failure):
    lines = [line for line in str(failure).splitlines() if line.strip()] or [""]
    return f"{type(failure).__name__}: {lines[0].strip()}"[:300]


def start_worker(lock_path):
    """In a process that compiles: one thread each, and measurements of torch.compile's
    configurations one at a time on the GPU, so that they are what they would be alone."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    from torch._inductor.runtime.benchmarking import benchmarker

    measure = type(benchmarker).benchmark_gpu

    def one_at_a_time(self, *args, **options):
        with open(lock_path, "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return measure(self, *args, **options)

    type(benchmarker).benchmark_gpu = one_at_a_time


def compile_row(row):
    """Leaves the row's kernels in the caches of Triton and of torch.compile; says what failed."""
    import gpu_peer_kernels as kernels
    import torch
    from gpu_peer_torch import KINDS, compiled, function_of

    failed = []
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    for plan in kernels.plans_of(row, processors):
        with recorded(failed, f"Triton, {plan.label}"):
            kernels.compile_plan(plan, kernels.kinds_of(row))
    with recorded(failed, "torch.compile"):
        count = row.shape[0] if row.layout == "groups" else torch.Size(row.shape).numel()
        x = torch.zeros(count, dtype=KINDS[row.dtype], device="cuda")
        if row.layout == "groups":
            args = (x, torch.arange(count, device="cuda") % row.shape[1])
        else:
            args = (x.view(row.shape),)
        compiled(function_of(row))(*args)
        torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return failed


def compile_ceiling(items, moved):
    import gpu_peer_kernels as kernels

    for plan in kernels.ceiling_plans(items)[moved]:
        kernels.compile_plan(plan, {"x": "f32", "out": "f32"})
    return []


@contextlib.contextmanager
def recorded(failed, peer):
    try:
        yield
    except Exception as failure:  # those of libraries have no class in common
        failed.append({"peer": peer, "reason": reason_of(failure)})


def compile_all(rows, items, jobs, seconds):
    """Fills the caches by `jobs` processes. What is not done in time is compiled later, and what
    fails here fails again where it is recorded."""
    import gpu_peer_kernels as kernels

    end = time.monotonic() + seconds
    with tempfile.NamedTemporaryFile() as lock:
        pool = concurrent.futures.ProcessPoolExecutor(
            jobs, mp_context=multiprocessing.get_context("spawn"), initializer=start_worker,
            initargs=(lock.name,))
        asked = [pool.submit(compile_ceiling, items, moved)
                 for moved in kernels.ceiling_plans(items)]
        asked += [pool.submit(compile_row, row) for row in rows]
        done, _ = concurrent.futures.wait(asked, timeout=max(1, end - time.monotonic()))
        pool.shutdown(wait=True, cancel_futures=True)
    broken = [reason_of(one.exception()) for one in done if one.exception()]
    print(f"gpu_peers: {len(done)} of {len(asked)} compiled first in "
          f"{seconds - (end - time.monotonic()):.0f} s", *broken[:3], sep="\n  ", flush=True)
