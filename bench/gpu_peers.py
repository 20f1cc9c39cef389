#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a PyTorch user would run instead, on the rows of bench/gpu_peer_rows.py: eager PyTorch,
torch.compile and hand-written Triton kernels, beside the library in the same rounds; of sums of
whole arrays CUB too, of the CCCL that the library was built with.

    bench/gpu_peers.py RESULT.json [--onefold build/release/bench/libgpu_library.so]
                       [--rows REGEX] [--seconds 540] [--log2 30] [--jobs 12] [--list]

Rows that RESULT.json has of the same card and size stay; the others are measured and added, so a
second call goes on where the first one ran out of seconds. What fails is recorded with its reason,
what was not reached by its name. Needs PyTorch with Triton and one GPU, and no network."""

import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from gpu_peer_compile import compile_all, reason_of, recorded
from gpu_peer_rows import BROKEN, all_rows, bytes_of, ceiling_of

SCHEMA = 1
ROUNDS, WARM_UPS = 15, 2
SLEEP_CYCLES = 400_000  # the GPU waits while the host prepares a call, whose time is not counted
MOST_MS = 25  # of a call; a slower one is called in the first rounds alone
FEW_ROUNDS = 3
OURS = "onefold"


def quartiles(values):
    ordered = sorted(values)
    last = len(ordered) - 1
    return [ordered[len(ordered) // 4], statistics.median(ordered), ordered[last - last // 4]]


def significant(value):
    return float(f"{value:.5g}")


def turn(names, i):
    """The order of a round, so that each name follows each other one."""
    first = i % len(names)
    return names[first:] + names[:first]


def interleaved(clock, calls, rounds=ROUNDS):
    """{name: microseconds of each round}. clock(call, …) starts them and returns a function that
    waits, and has their milliseconds."""
    times = {name: [] for name in calls}
    slow = set()
    for i in range(WARM_UPS + rounds):
        names = [name for name in calls if name not in slow or i < WARM_UPS + FEW_ROUNDS]
        order = turn(names, i)
        for name, ms in zip(order, clock([calls[name] for name in order])):
            if ms > MOST_MS:
                slow.add(name)
            if i >= WARM_UPS:
                times[name].append(1e3 * ms)
    return times


def peer_of(name, us, moved, ceiling, facts):
    low, median, high = quartiles(us)
    rate = moved / median * 1e6
    return {"peer": name, "us": significant(median), "quartiles_us": [significant(low),
                                                                     significant(high)],
            "calls": len(us), "TB/s": significant(rate * 1e-12),
            "of ceiling": significant(rate / ceiling), **facts}


def best_plan(times):
    """Of the names of one peer, the one with the least median."""
    return min(times, key=lambda name: statistics.median(times[name]))


def row_result(row, ceilings, times, facts, failed):
    """The entry of a row. times: {(peer, how): microseconds by rounds}; facts: {(peer, how): …};
    of each peer the fastest way counts, and its `tried` says how many there were."""
    read, written = bytes_of(row)
    ceiling = ceiling_of(ceilings, read, written)
    ways = {}
    for peer, how in times:
        ways.setdefault(peer, []).append((peer, how))
    chosen = {peer: best_plan({key: times[key] for key in keys}) for peer, keys in ways.items()}
    entry = {"row": row.name, "op": row.op, "dtype": row.dtype, "layout": row.layout,
             "shape": list(row.shape), "data": row.data, "bytes read": read,
             "bytes written": written, "ceiling TB/s": significant(ceiling * 1e-12),
             "of reading": significant(ceiling / ceilings["read"]), "peers": [], "failed": failed}
    for peer, key in chosen.items():
        more = {**({"how": key[1]} if key[1] else {}), "tried": len(ways[peer]), **facts[key]}
        made = peer_of(peer, times[key], read + written, ceiling, more)
        if peer == OURS:
            entry[OURS] = made
        else:
            entry["peers"].append(made)
    if entry["peers"]:
        best = min(entry["peers"], key=lambda peer: peer["us"])["peer"]
        entry["best"] = best
        if OURS in chosen:
            pairs = zip(times[chosen[best]], times[chosen[OURS]])
            entry["ratio"] = [significant(part) for part in quartiles([a / b for a, b in pairs])]
    measured = entry["peers"] + ([entry[OURS]] if OURS in entry else [])
    entry["above the ceiling"] = any(peer["of ceiling"] > BROKEN for peer in measured)
    return entry


def merged(old, new):
    """Rows of both, those of `new` in the place of those that failed or were measured before. The
    results before stay only if they are of the same card, size and versions."""
    same = old and all(old.get(key) == new[key] for key in ("schema", "gpu", "log2", "versions"))
    if not same:
        return new
    rows = {row["row"]: row for row in old["rows"]}
    rows.update({row["row"]: row for row in new["rows"]})
    order = [row.name for row in all_rows(1 << new["log2"])]
    missing = [name for name in order if name not in rows]
    return {**new, "runs": old["runs"] + new["runs"], "not reached": missing,
            "rows": [rows[name] for name in order if name in rows]}


def read_result(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def write_result(path, result):
    path.parent.mkdir(parents=True, exist_ok=True)
    other = path.with_suffix(".part")
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in result.items()
             if key != "rows"]
    rows = ",\n".join(json.dumps(row) for row in result["rows"])
    other.write_text("{" + ",\n".join([*parts, f'"rows": [\n{rows}\n]']) + "}\n",
                     encoding="utf-8")
    other.replace(path)


class Bench:
    def __init__(self, log2, library):
        import gpu_peer_kernels as kernels
        import torch
        from gpu_peer_torch import Data, Library

        self.torch, self.kernels, self.log2 = torch, kernels, log2
        self.processors = torch.cuda.get_device_properties(0).multi_processor_count
        self.library = Library(library) if library else None
        self.data = Data()

    def clock(self, calls):
        """Milliseconds of each call by events; the GPU is kept busy while the host prepares it."""
        cuda, marks = self.torch.cuda, []
        for call in calls:
            begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
            cuda._sleep(SLEEP_CYCLES)
            begin.record()
            call()
            end.record()
            marks.append((begin, end))
        cuda.synchronize()
        return [begin.elapsed_time(end) for begin, end in marks]

    def facts(self):
        """The card, the driver and the versions."""
        import triton

        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        try:
            driver = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            driver = "unknown"
        versions = {"PyTorch": self.torch.__version__, "Triton": triton.__version__,
                    "CUDA": self.torch.version.cuda}
        if self.library:
            versions[OURS] = self.library.version
            versions["CCCL"] = self.library.cccl
        return {"schema": SCHEMA, "gpu": self.torch.cuda.get_device_name(),
                "driver": driver.splitlines()[0].strip(), "log2": self.log2, "versions": versions}

    def ceilings(self):
        """Bytes a second of plain kernels, the fastest of several each: reading alone, copying,
        and reading `mix` times what is written."""
        torch, items = self.torch, 1 << (self.log2 - 2)
        x = torch.randn(items, device="cuda")
        out = torch.empty(items, device="cuda")
        found = {"read": 0.0, "copy": 0.0, "mixed": {}}
        for (read, written), plans in self.kernels.ceiling_plans(items).items():
            calls = {plan.label: self.kernels.bind(plan, {"x": x, "out": out}) for plan in plans}
            times = interleaved(self.clock, calls)
            us = statistics.median(times[best_plan(times)])
            rate = 4 * (read + written) / us * 1e6
            if written == 0:
                found["read"] = max(found["read"], rate)
                continue
            mix = str(round(read / written))
            found["mixed"][mix] = max(found["mixed"].get(mix, 0.0), rate)
        times = interleaved(self.clock, {"copy": lambda: out.copy_(x)})
        copy = 8 * items / statistics.median(times["copy"]) * 1e6
        found["copy"] = found["mixed"]["1"] = max(copy, found["mixed"]["1"])
        return found

    def ways(self, row, args, failed):
        """{(peer, how): call}."""
        from gpu_peer_torch import compiled, function_of

        function, found = function_of(row), {}
        if self.library:
            with recorded(failed, OURS):
                found[OURS, ""] = self.library.call_of(row, args)
            with recorded(failed, "CUB"):
                calls = self.library.cub_calls(row, args)
                found.update({(name, ""): call for name, call in calls.items()})
        found["PyTorch", ""] = lambda: function(*args)
        fast = compiled(function)
        found["torch.compile", ""] = lambda: fast(*args)
        plans = self.kernels.plans_of(row, self.processors)
        out = self.kernels.out_of(row) if plans else None
        for plan in plans:
            with recorded(failed, f"Triton, {plan.label}"):
                call = self.kernels.bind(plan, {"x": args[0], "keys": args[-1], "out": out})
                found["Triton", plan.label] = call
                if row.layout == "groups":
                    found["Triton", plan.label] = lambda call=call: (out.zero_(), call())[1]
        return found

    def measure(self, row, ceilings):
        from gpu_peer_torch import Reference

        failed, facts, works = [], {}, {}
        args = self.data.of(row)
        ways = self.ways(row, args, failed)
        reference = Reference(row, args)
        for key, call in ways.items():
            peer, how = key
            with recorded(failed, f"{peer}, {how}" if how else peer):
                answers = call()
                self.torch.cuda.synchronize()
                ulps = reference.errors(answers)
                facts[key] = {"ulps": ulps} if ulps else {}
                wrong = reference.wrong(answers, peer == OURS)
                if wrong:
                    facts[key]["wrong"] = wrong
                # A wrong answer of a peer does not count as a peer.
                if wrong and peer != OURS:
                    raise ArithmeticError(wrong)
                works[key] = call
        del reference
        times = interleaved(self.clock, works) if works else {}
        return row_result(row, ceilings, times, facts, failed)


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", nargs="?", type=pathlib.Path, help="the JSON file to write")
    parser.add_argument("--onefold", metavar="FILE", help="the library: libgpu_library.so")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose names match")
    parser.add_argument("--seconds", type=float, default=540, help="no row is begun after these")
    parser.add_argument("--log2", type=int, default=30, help="2^LOG2 bytes of input")
    parser.add_argument("--jobs", type=int, default=max(1, min(12, (os.cpu_count() or 1) - 2)),
                        help="processes that compile first; 0: none")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    asked = parser.parse_args(words)
    if not asked.list and asked.result is None:
        parser.error("name the result file")
    return asked


def main(words=None):
    begin = time.monotonic()
    asked = parse(words)
    rows = [row for row in all_rows(1 << asked.log2)
            if re.search(asked.rows, row.name) and all(row.shape)]
    if asked.list:
        print("\n".join(row.name for row in rows))
        return 0
    try:
        bench = Bench(asked.log2, asked.onefold)
    except Exception as why:  # no PyTorch, no Triton, no GPU, no such library
        print(f"gpu_peers: {reason_of(why)}", file=sys.stderr)
        return 1
    facts, old = bench.facts(), read_result(asked.result)
    before = merged(old, {**facts, "rows": [], "runs": [], "not reached": []})
    known = {row["row"] for row in before["rows"] if row["peers"]}
    rows = [row for row in rows if row.name not in known]
    if asked.jobs and rows:
        compile_all(rows, 1 << (asked.log2 - 2), asked.jobs, 0.55 * asked.seconds)
    ceilings = bench.ceilings()
    run = {"date": datetime.date.today().isoformat(), "rounds": ROUNDS, "ceilings": ceilings}
    new = {**facts, "runs": [run], "rows": [], "not reached": [row.name for row in rows]}
    for row in rows:
        if time.monotonic() - begin > asked.seconds:
            break
        try:
            entry = bench.measure(row, ceilings)
        except Exception as failure:  # of a whole row: no room for its data, say
            entry = {"row": row.name, "peers": [], "failed": [{"peer": "all",
                                                               "reason": reason_of(failure)}]}
        new["rows"].append(entry)
        new["not reached"].remove(row.name)
        write_result(asked.result, merged(old, new))
        print(f"{time.monotonic() - begin:6.0f} s  {row.name}: {entry.get('best', 'failed')}, "
              f"{len(entry['failed'])} failed", flush=True)
    # The clock of a card moves: both are in the result.
    run["ceilings at the end"] = bench.ceilings()
    write_result(asked.result, merged(old, new))
    return 0 if not new["not reached"] else 3


if __name__ == "__main__":
    sys.exit(main())
