# SPDX-License-Identifier: Apache-2.0
"""swap: onefold's norms and loss in the place of those that a model has."""
from __future__ import annotations

import copy

import torch

from ._layer_norm import layer_norm
from ._losses import cross_entropy
from ._norms import rms_norm


class RMSNorm(torch.nn.Module):
    """x / sqrt(mean(x^2) + eps) * (offset + weight), by `rms_norm`.

    >>> import torch
    >>> RMSNorm(2)(torch.tensor([3.0, 4.0]))
    tensor([0.8485, 1.1314], grad_fn=<rms_normBackward>)
    """

    def __init__(self, n: int, eps: float = 1e-6, offset: float = 0.0) -> None:
        super().__init__()
        self.eps, self.offset = eps, offset
        self.weight = torch.nn.Parameter(torch.full((n,), 1.0 - offset))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Sums of a weight and an offset are made in float32, where they are exact more often.
        weight = self.offset + self.weight.float() if self.offset else self.weight
        return rms_norm(x, len(self.weight), weight, self.eps)

    def extra_repr(self) -> str:
        offset = f", offset={self.offset}" if self.offset else ""
        return f"{len(self.weight)}, eps={self.eps}{offset}"


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm by `layer_norm`.

    >>> import torch
    >>> LayerNorm(3, elementwise_affine=False)(torch.tensor([3.0, 4.0, 8.0]))
    tensor([-0.9258, -0.4629,  1.3887])
    """

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


def causal_lm_loss(logits, labels, vocab_size, num_items_in_batch=None, ignore_index=-100,
                   shift_labels=None, **_):
    """The loss of the next token by `cross_entropy`, as models of transformers call theirs.

    Logits are read in their own type, with no copy in float32.
    """
    if shift_labels is None:
        labels = torch.nn.functional.pad(labels, (0, 1), value=ignore_index)
        shift_labels = labels[..., 1:]
    target = shift_labels.reshape(-1).to(logits.device)
    mean = num_items_in_batch is None
    loss = cross_entropy(logits.reshape(-1, vocab_size), target, ignore_index=ignore_index,
                         reduction="mean" if mean else "sum", dtype=torch.float32)
    return loss if mean else loss / torch.as_tensor(num_items_in_batch, device=loss.device)


def swap(model: torch.nn.Module, *, loss: bool = True) -> list[str]:
    """Replaces the RMSNorms and LayerNorms of a model, and the loss of a causal language model of
    transformers.

    A module is an RMSNorm if its class is called so, and a try with random numbers gives the values
    of rms_norm with its weight (Llama, Qwen, Mistral …) or with one more (Gemma). A LayerNorm is
    one of torch.nn, not of a subclass. Parameters, hooks and names stay; state dicts are the same.
    Call it before parameters are sharded and before torch.compile. Matrix products and attention
    are PyTorch's as before.

    Args:
        loss: whether `model.loss_function` is replaced, where there is one.

    Returns:
        The names of the modules that were replaced, and "loss_function".

    >>> import torch
    >>> swap(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.RMSNorm(8)))
    ['1']
    """
    replaced = []
    for name, module in model.named_modules():
        if type(module) is torch.nn.LayerNorm:
            module.__class__ = LayerNorm
            replaced.append(name)
            continue
        found = _formula_of(module)
        if found is None:
            continue
        module.__class__ = RMSNorm
        module.eps, module.offset = found
        replaced.append(name)
    if loss and getattr(model, "loss_type", None) == "ForCausalLM":
        model.loss_function = causal_lm_loss
        replaced.append("loss_function")
    return replaced


def _formula_of(module):
    """The eps and the offset of a module that is an RMSNorm; None of another one."""
    weight = getattr(module, "weight", None)
    if (not type(module).__name__.endswith("RMSNorm") or isinstance(module, RMSNorm)
            or type(weight) is not torch.nn.Parameter or weight.dim() != 1):
        return None
    eps = getattr(module, "variance_epsilon", getattr(module, "eps", None))
    if not isinstance(eps, float) and not isinstance(module, torch.nn.RMSNorm):
        return None
    generator = torch.Generator().manual_seed(1)
    trial = copy.deepcopy(module).to_empty(device="cpu").float()
    x, weight = (torch.rand(2, len(weight), generator=generator) + 0.5 for _ in range(2))
    weight = weight[0]
    with torch.no_grad():
        trial.weight.copy_(weight)
        try:
            y = trial(x)
        except (TypeError, ValueError, RuntimeError):
            return None  # it has other arguments
        for offset in (0.0, 1.0):
            if isinstance(y, torch.Tensor) and y.shape == x.shape and torch.allclose(
                    y, rms_norm(x, len(weight), offset + weight, eps), rtol=1e-5, atol=0):
                return eps, offset
    return None
