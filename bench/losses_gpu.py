#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times onefold.torch.cross_entropy on a GPU with label smoothing and of float64, which need more
than one read of x, beside PyTorch and the reads themselves.

    bench/losses_gpu.py RESULT.json [--rounds 15]
    bench/losses_gpu.py RESULT.json --table          the Markdown table of a stored result

bench/torch_page.py writes the table into docs/python/torch.md.

Calls are CUDA graphs, so no time of the host is in them. "mean" is the exact mean of each row, the
second read that label smoothing has; "plain" the loss without it. Needs PyTorch with a GPU, and
onefold's module with CUDA.
"""
import statistics

from torch_gpu import answer, graph_of, milliseconds

SCHEMA = 1
SHAPES = ((4096, 32000), (8192, 1024))
SMOOTHING = 0.1


def calls_of(torch, ft, x, target):
    """{name: a call without arguments}. plain: None for float64, of which it is the loss itself."""
    F = torch.nn.functional
    share = 0 if x.dtype == torch.float64 else SMOOTHING
    leaf = x.detach().requires_grad_()

    def trained(function):
        def run():
            loss = function(leaf, target, label_smoothing=share)
            return torch.autograd.grad(loss, leaf)
        return run
    return {
        "copy": lambda: torch.clone(x),
        "plain": lambda: ft.cross_entropy(x, target),
        "mean": lambda: ft.mean(x, 1, dtype=torch.float32),
        "forward": lambda: ft.cross_entropy(x, target, label_smoothing=share),
        "PyTorch's": lambda: F.cross_entropy(x, target, label_smoothing=share),
        "with backward": trained(ft.cross_entropy),
        "PyTorch's with": trained(F.cross_entropy),
    }


def measured(torch, ft, rounds):
    for rows, classes in SHAPES:
        for dtype in (torch.bfloat16, torch.float32, torch.float64):
            x = torch.randn(rows, classes, device="cuda").to(dtype)
            target = torch.randint(0, classes, (rows,), device="cuda")
            graphs = {name: graph_of(torch, lambda _, call=call: call(), [None])
                      for name, call in calls_of(torch, ft, x, target).items()}
            times = {name: [] for name in graphs}
            for _ in range(rounds):
                for name, graph in graphs.items():
                    times[name].append(milliseconds(torch, graph))
            row = {"shape": (rows, classes), "dtype": str(dtype)[6:],
                   "us": {name: statistics.median(some) * 1e3 for name, some in times.items()}}
            print(row, flush=True)
            yield row
            del graphs
            torch.cuda.empty_cache()


def table(result):
    names = tuple(result["rows"][0]["us"])
    lines = [f"{result['gpu']}, {result['date']}, PyTorch {result['torch']}: microseconds of "
             "losses with `label_smoothing`, of float64 without.", "",
             "| rows x classes | type | " + " | ".join(names) + " |",
             "|---|---|" + "---:|" * len(names)]
    for row in result["rows"]:
        cells = [f"{row['us'][name]:.0f}" for name in names]
        lines.append(f"| {row['shape'][0]} x {row['shape'][1]} | {row['dtype']} | "
                     f"{' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    answer(__doc__, SCHEMA, measured, table)
