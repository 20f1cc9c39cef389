#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold.torch on a GPU beside PyTorch, torch.compile and copying.

    bench/torch_gpu.py RESULT.json [--rows 4096] [--hidden 4096] [--rounds 15]
    bench/torch_gpu.py RESULT.json --table          the Markdown tables of a stored result
    bench/torch_gpu.py RESULT.json --write          the same, in docs/performance/gpu-torch.md

Rows: each operator's forward pass over bf16 and f32, as a CUDA graph of one call on each of
several inputs, which are more than the L2 cache holds. So no time of the host is in it. The ceiling
is the copy of x, measured in the same rounds.
Backward: the gradients' kernels alone, in such graphs; the ceiling is the copy of as many bytes as
they read and write. torch.compile: of the formula by PyTorch's operations.
Training: a forward and a backward pass in eager mode, as a user calls them, of calls in a row that
nothing waits for; so the slower of the host and the GPU counts.
Host: microseconds of the host for a call on 1,000 elements, of calls in a row that nothing waits
for. Needs PyTorch with a GPU, and onefold's module with CUDA; CuPy where it is installed."""
import argparse
import datetime
import json
import pathlib
import statistics
import sys
import time

from report import write_between

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/performance/gpu-torch.md"
SCHEMA = 1
INPUTS = 8
HOST_CALLS = 300  # below the launches that a stream takes before the host has to wait
EPS = 1e-6


def operators(torch, ft, hidden, weight, target):
    """{name: (PyTorch's function, onefold's)} of x."""
    F = torch.nn.functional
    return {
        "rms_norm": (lambda x: F.rms_norm(x, (hidden,), weight, EPS),
                     lambda x: ft.rms_norm(x, hidden, weight, EPS)),
        "layer_norm": (lambda x: F.layer_norm(x, (hidden,), weight, weight, EPS),
                       lambda x: ft.layer_norm(x, hidden, weight, weight, EPS)),
        "softmax": (lambda x: torch.softmax(x, -1), lambda x: ft.softmax(x, -1)),
        "log_softmax": (lambda x: torch.log_softmax(x, -1), lambda x: ft.log_softmax(x, -1)),
        "cross_entropy": (lambda x: F.cross_entropy(x, target),
                          lambda x: ft.cross_entropy(x, target)),
        "sum": (lambda x: torch.sum(x, -1), lambda x: ft.sum(x, -1)),
        "var": (lambda x: torch.var(x, -1), lambda x: ft.var(x, -1)),
    }


def graph_of(torch, call, inputs):
    """A CUDA graph of one call on each input, after three calls that compile and allocate."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(inputs[0])
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for x in inputs:
            call(x)
    return graph


def milliseconds(torch, graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def measured_rows(torch, ft, asked):
    """A row for each operator and type: medians of a call, in microseconds."""
    for dtype in (torch.bfloat16, torch.float32):
        inputs = [torch.randn(asked.rows, asked.hidden, device="cuda").to(dtype)
                  for _ in range(INPUTS)]
        weight = torch.randn(asked.hidden, device="cuda").to(dtype)
        target = torch.randint(0, asked.hidden, (asked.rows,), device="cuda")
        table = operators(torch, ft, asked.hidden, weight, target)
        for name, (theirs, ours) in table.items():
            calls = {"copy": torch.clone, "onefold": ours, "PyTorch": theirs,
                     "torch.compile": torch.compile(theirs, dynamic=False)}
            row = {"operator": name, "dtype": str(dtype)[6:], "us": {}, "failed": {}}
            graphs = {}
            for peer, call in calls.items():
                try:
                    graphs[peer] = graph_of(torch, call, inputs)
                except Exception as error:  # a peer that cannot be captured is a result
                    row["failed"][peer] = f"{type(error).__name__}: {error}"[:200]
            times = {peer: [] for peer in graphs}
            for _ in range(asked.rounds):
                for peer, graph in graphs.items():
                    times[peer].append(milliseconds(torch, graph))
            row["us"] = {peer: statistics.median(of) * 1e3 / INPUTS for peer, of in times.items()}
            print(row, flush=True)
            yield row


def gradients(torch):
    """{name: (PyTorch's function of (g, x, statistics, weight), onefold's, the formula)}; x: what
    the forward pass gave for softmax and log_softmax, else what it was given."""
    aten, own = torch.ops.aten, torch.ops.onefold

    def of_softmax(g, y, known, weight):
        wide, y = g.float(), y.float()
        return ((wide - (wide * y).sum(-1, keepdim=True)) * y).to(g.dtype)

    def of_log_softmax(g, y, known, weight):
        wide = g.float()
        return (wide - y.float().exp() * wide.sum(-1, keepdim=True)).to(g.dtype)

    def of_rms_norm(g, x, known, weight):
        wide, a, r = x.float(), g.float() * weight.float(), known["root32"]
        dx = a * r - wide * ((a * wide).mean(-1, keepdim=True) * r ** 3)
        return dx.to(x.dtype), (g.float() * wide * r).sum(0).to(weight.dtype)

    def of_layer_norm(g, x, known, weight):
        wide, a, r = x.float() - known["mean32"], g.float() * weight.float(), known["deviation32"]
        unit = wide * r
        dx = (a - a.mean(-1, keepdim=True) - unit * (a * unit).mean(-1, keepdim=True)) * r
        return (dx.to(x.dtype), (g.float() * unit).sum(0).to(weight.dtype),
                g.float().sum(0).to(weight.dtype))

    def eager_rms_norm(g, x, known, weight):
        return aten._fused_rms_norm_backward(g, x, [x.shape[-1]], known["root32"], weight,
                                             [True, True])

    def eager_layer_norm(g, x, known, weight):
        return aten.native_layer_norm_backward(g, x, [x.shape[-1]], known["mean32"],
                                               known["deviation32"], weight, weight, [True] * 3)

    def own_rms_norm(g, x, known, weight):
        return own.rms_norm_backward(g, x, weight, known["root"], 1, True, True)

    def own_layer_norm(g, x, known, weight):
        return own.layer_norm_backward(g, x, weight, weight, known["mean"], known["deviation"], 1,
                                       True, True, True)
    return {
        "softmax": (lambda g, y, *_: aten._softmax_backward_data(g, y, -1, g.dtype),
                    lambda g, y, *_: own.softmax_backward(g, y, -1), of_softmax),
        "log_softmax": (lambda g, y, *_: aten._log_softmax_backward_data(g, y, -1, g.dtype),
                        lambda g, y, *_: own.log_softmax_backward(g, y, -1), of_log_softmax),
        "rms_norm": (eager_rms_norm, own_rms_norm, of_rms_norm),
        "layer_norm": (eager_layer_norm, own_layer_norm, of_layer_norm),
    }


def statistics_of(x):
    """What the forward passes of the norms leave of each row, in float64 and float32."""
    wide = x.double()
    known = {"mean": wide.mean(-1, keepdim=True),
             "root": (wide.pow(2).mean(-1, keepdim=True) + EPS).rsqrt(),
             "deviation": (wide.var(-1, correction=0, keepdim=True) + EPS).rsqrt()}
    return known | {name + "32": one.float() for name, one in known.items()}


def measured_backward(torch, rounds):
    """A row for each operator, type and shape: medians of a backward pass, in microseconds."""
    for rows, hidden in ((4096, 1024), (4096, 4096), (8192, 8192)):
        for dtype in (torch.bfloat16, torch.float32):
            weight = torch.randn(hidden, device="cuda").to(dtype)
            some = [[torch.randn(rows, hidden, device="cuda").to(dtype) for _ in range(2)]
                    for _ in range(3)]
            bytes_written = 3 * some[0][0].nbytes // 2  # read as often as they are written
            copied = torch.empty(2, bytes_written, dtype=torch.uint8, device="cuda")
            for name, (theirs, ours, formula) in gradients(torch).items():
                finish = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.get(name)
                inputs = [(g, finish(x, -1) if finish else x, statistics_of(x)) for g, x in some]
                calls = {"copy": lambda given: copied[0].copy_(copied[1]),
                         "onefold": lambda given, call=ours: call(*given, weight),
                         "PyTorch": lambda given, call=theirs: call(*given, weight)}
                compiled = torch.compile(formula, dynamic=False)
                calls["torch.compile"] = lambda given, call=compiled: call(*given, weight)
                graphs, failed = {}, {}
                for peer, call in calls.items():
                    try:
                        graphs[peer] = graph_of(torch, call, inputs)
                    except Exception as error:  # a peer that cannot be captured is a result
                        failed[peer] = f"{type(error).__name__}: {error}"[:200]
                times = {peer: [] for peer in graphs}
                for _ in range(rounds):
                    for peer, graph in graphs.items():
                        times[peer].append(milliseconds(torch, graph))
                yield {"operator": name, "dtype": str(dtype)[6:], "shape": (rows, hidden),
                       "failed": failed,
                       "us": {peer: statistics.median(of) * 1e3 / len(inputs)
                              for peer, of in times.items()}}


def training_operators(torch, ft):
    """{name: (shape of x, PyTorch's function of x and what goes with it, onefold's)}."""
    F = torch.nn.functional
    hidden, classes = 1024, 32000
    weight = torch.randn(hidden, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    target = torch.randint(0, classes, (2048,), device="cuda")
    rows = (8, 512, hidden)
    return {
        "rms_norm": (rows, lambda x: F.rms_norm(x, (hidden,), weight, EPS),
                     lambda x: ft.rms_norm(x, hidden, weight, EPS)),
        "softmax": (rows, lambda x: torch.softmax(x, -1), lambda x: ft.softmax(x, -1)),
        "log_softmax": (rows, lambda x: torch.log_softmax(x, -1),
                        lambda x: ft.log_softmax(x, -1)),
        "cross_entropy": ((2048, classes), lambda x: F.cross_entropy(x, target),
                          lambda x: ft.cross_entropy(x, target)),
    }


def measured_training(torch, ft, rounds):
    """A row for each operator over bf16: medians of a forward and a backward pass."""
    for name, (shape, theirs, ours) in training_operators(torch, ft).items():
        x = torch.randn(shape, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        g = torch.randn_like(theirs(x))

        def pass_of(function, x=x, g=g):
            return lambda: torch.autograd.backward(function(x), g)

        calls = {"onefold": pass_of(ours), "PyTorch": pass_of(theirs),
                 "torch.compile": pass_of(torch.compile(theirs, dynamic=False))}
        times = {peer: [] for peer in calls}
        for _ in range(rounds):
            for peer, call in calls.items():
                times[peer].append(call_microseconds(torch, call))
        row = {"operator": name, "dtype": "bfloat16", "shape": shape,
               "us": {peer: statistics.median(of) for peer, of in times.items()}}
        print(row, flush=True)
        yield row


def call_microseconds(torch, call, calls=20):
    """Of each of `calls` in a row, after three that compile and allocate."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls * 1e6


def host_microseconds(wait, call):
    for _ in range(10):
        call()
    best = float("inf")
    for _ in range(7):
        wait()
        start = time.perf_counter()
        for _ in range(HOST_CALLS):
            call()
        best = min(best, time.perf_counter() - start)
    wait()
    return best / HOST_CALLS * 1e6


def measured_host(torch, onefold, ft):
    """(name, microseconds) of the host for one call."""
    from onefold import _core
    from onefold.torch._bridge import view
    x = torch.randn(1000, device="cuda")
    y = torch.empty((), device="cuda")
    views, stream = (view(x), view(y, True)), torch.cuda.current_stream().cuda_stream
    calls = {
        "the engine's launch alone": lambda: _core.reduce_into(
            _core.operators["sum"], views[0], None, views[1], None, False, None, None, "exact",
            "propagate", None, stream),
        "torch.empty, a tensor for its answer": lambda: torch.empty((), device=x.device),
        "onefold.torch.sum": lambda: ft.sum(x),
        "onefold.sum of a tensor": lambda: onefold.sum(x),
        "torch.sum": lambda: torch.sum(x),
    }
    for name, call in calls.items():
        yield name, host_microseconds(torch.cuda.synchronize, call)
    yield from measured_norms(torch, ft)
    try:
        import cupy
    except ImportError:
        return
    z = cupy.asarray(x)
    for name, call in (("onefold.sum of a CuPy array", lambda: onefold.sum(z)),
                       ("cupy.sum", lambda: cupy.sum(z))):
        yield name, host_microseconds(torch.cuda.synchronize, call)


def measured_norms(torch, ft):
    """The same for rms_norm of 8 rows of 125, its backward pass through autograd alone."""
    F = torch.nn.functional
    x, g = (torch.randn(8, 125, device="cuda") for _ in range(2))
    weight = torch.randn(125, device="cuda")
    peers = {"onefold.torch.rms_norm": lambda x, weight: ft.rms_norm(x, 125, weight, EPS),
             "F.rms_norm": lambda x, weight: F.rms_norm(x, (125,), weight, EPS)}
    wait = torch.cuda.synchronize
    for name, function in peers.items():
        with torch.no_grad():
            yield f"{name} without gradients", host_microseconds(wait, lambda: function(x, weight))
        inputs = [one.clone().requires_grad_() for one in (x, weight)]
        yield f"{name} with them", host_microseconds(wait, lambda: function(*inputs))
        y = function(*inputs)
        yield f"{name}, backward", host_microseconds(
            wait, lambda: torch.autograd.grad(y, inputs, g, retain_graph=True))


def table(result):
    peers = ("copy", "onefold", "PyTorch", "torch.compile")
    lines = [f"{result['gpu']}, {result['date']}, PyTorch {result['torch']}, {result['rows']} rows "
             f"of {result['hidden']}: microseconds of a forward pass, and onefold's share of",
             "copying.", "",
             "| operator | type | " + " | ".join(peers) + " | onefold's share |",
             "|---|---|" + "---:|" * (len(peers) + 1)]
    for row in result["operators"]:
        cells = [f"{row['us'][peer]:.1f}" if peer in row["us"] else "failed" for peer in peers]
        share = (f"{row['us']['copy'] / row['us']['onefold']:.2f}"
                 if {"copy", "onefold"} <= row["us"].keys() else "")
        lines.append(f"| {row['operator']} | {row['dtype']} | {' | '.join(cells)} | {share} |")
    if "backward" in result:
        lines += ["", "| backward | shape | type | " + " | ".join(peers) + " | onefold's share |",
                  "|---|---|---|" + "---:|" * (len(peers) + 1)]
    for row in result.get("backward", ()):
        us = row["us"]
        cells = [f"{us[peer]:.1f}" if peer in us else "failed" for peer in peers]
        lines.append(f"| {row['operator']} | {row['shape'][0]} x {row['shape'][1]} | "
                     f"{row['dtype']} | {' | '.join(cells)} | {us['copy'] / us['onefold']:.2f} |")
    if "training" in result:
        lines += ["", "| forward and backward, eager | bf16 | onefold | PyTorch | torch.compile | "
                  "onefold's time by PyTorch's |", "|---|---|" + "---:|" * 4]
    for row in result.get("training", ()):
        us = row["us"]
        shape = " x ".join(str(extent) for extent in row["shape"])
        cells = [f"{us[peer]:.0f}" for peer in ("onefold", "PyTorch", "torch.compile")]
        lines.append(f"| {row['operator']} | {shape} | {' | '.join(cells)} | "
                     f"{us['onefold'] / us['PyTorch']:.1f} |")
    lines += ["", "| call on 1,000 elements | µs of the host |", "|---|---:|"]
    lines += [f"| {name} | {us:.1f} |" for name, us in result["host_us"].items()]
    return "\n".join(lines) + "\n"


def answer(description, schema, measured, table):
    """The program of a benchmark of onefold.torch: `measured(torch, ft, rounds)` has its rows."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        print(table(json.loads(given.result.read_text(encoding="utf-8"))), end="")
        return
    import torch

    import onefold.torch as ft
    result = {"schema": schema, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "date": str(datetime.date.today()), "rows": list(measured(torch, ft, given.rounds))}
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(table(result), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.table or asked.write:
        text = table(json.loads(asked.result.read_text(encoding="utf-8")))
        if asked.write:
            write_between(PAGE, "torch-gpu", text)
        else:
            print(text, end="")
        return
    import torch

    import onefold
    import onefold.torch as ft
    if not torch.cuda.is_available():
        sys.exit("torch_gpu.py: PyTorch sees no GPU")
    result = {"schema": SCHEMA, "date": datetime.date.today().isoformat(),
              "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "onefold": onefold.__version__, "rows": asked.rows, "hidden": asked.hidden,
              "inputs": INPUTS, "rounds": asked.rounds,
              "host_us": dict(measured_host(torch, onefold, ft)),
              "operators": list(measured_rows(torch, ft, asked)),
              "backward": list(measured_backward(torch, asked.rounds)),
              "training": list(measured_training(torch, ft, asked.rounds))}
    asked.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(table(result), end="")


if __name__ == "__main__":
    main()
