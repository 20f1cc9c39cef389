#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Llama of random weights, trained some steps: PyTorch's norms and loss, and onefold's.

    python examples/llama.py [--device cuda] [--layers 16] [--hidden 2048] [--compile]

Needs torch and transformers. Prints the time of a step next to PyTorch's in turns, and whether two
orders of the micro-batches' rows give one loss. --json FILE writes the times.
"""
import argparse
import copy
import datetime
import json
import pathlib
import statistics
import time

import torch
import transformers

import onefold.torch


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5, help="of both models, in turns")
    parser.add_argument("--compile", action="store_true", help="compile both by torch.compile")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where times are written")
    return parser.parse_args()


def models_of(options):
    """Two models of the same weights; the second one with onefold's norms and loss."""
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=options.vocabulary, hidden_size=options.hidden,
        intermediate_size=options.hidden * 11 // 4 // 64 * 64, num_hidden_layers=options.layers,
        num_attention_heads=options.hidden // 64, num_key_value_heads=options.hidden // 64)
    plain = transformers.LlamaForCausalLM(config).to(options.device, torch.bfloat16)
    own = copy.deepcopy(plain)
    print(f"swapped: {len(onefold.torch.swap(own))} modules")
    models = {"PyTorch": plain, "onefold": own}
    if options.compile:
        models = {name: torch.compile(model) for name, model in models.items()}
    return models


def wait(device):
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def step(model, ids, optimizer):
    optimizer.zero_grad(set_to_none=True)
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    return loss


def milliseconds(device, work):
    wait(device)
    began = time.perf_counter()
    work()
    wait(device)
    return (time.perf_counter() - began) * 1e3


def measured(options, models, ids):
    """Milliseconds of a forward pass and of a step, the median of each model."""
    optimizers = {name: torch.optim.SGD(model.parameters(), lr=1e-3)
                  for name, model in models.items()}
    works = {
        "forward": lambda name: models[name](input_ids=ids).logits,
        "step": lambda name: step(models[name], ids, optimizers[name]),
    }
    medians = {}
    for kind, work in works.items():
        times = {name: [] for name in models}
        for turn in range(options.rounds + 2):
            for name in models:
                with torch.set_grad_enabled(kind == "step"):
                    taken = milliseconds(options.device, lambda: work(name))
                if turn >= 2:  # the first ones compile and choose kernels
                    times[name].append(taken)
        own = medians[kind] = {name: statistics.median(taken) for name, taken in times.items()}
        print(f"{kind:<8}" + "".join(f"  {name} {taken:8.2f} ms" for name, taken in own.items())
              + f"  ratio {own['onefold'] / own['PyTorch']:.3f}", flush=True)
    return medians


def write_result(options, medians):
    device = torch.cuda.get_device_name() if options.device.startswith("cuda") else "CPU"
    given = {name: value for name, value in vars(options).items() if name != "json"}
    options.json.write_text(json.dumps(
        {"schema": 1, "date": datetime.date.today().isoformat(), "device_name": device,
         "torch": torch.__version__, "transformers": transformers.__version__, **given,
         "ms": medians}, indent=1) + "\n", encoding="utf-8")


def main():
    options = arguments()
    models = models_of(options)
    ids = torch.randint(0, options.vocabulary, (options.batch, options.tokens),
                        device=options.device)
    medians = measured(options, models, ids)
    if options.json:
        write_result(options, medians)

    with torch.no_grad():
        model = models["onefold"]
        logits = model(input_ids=ids).logits.reshape(-1, options.vocabulary)
        target = ids.reshape(-1)
        order = torch.randperm(len(target), device=options.device)
        losses = [onefold.torch.cross_entropy(logits[rows], target[rows])
                  for rows in (torch.arange(len(target), device=options.device), order)]
    print(f"loss of the rows in two orders: {losses[0].item()!r}, {losses[1].item()!r}")


if __name__ == "__main__":
    main()
