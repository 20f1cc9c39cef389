# SPDX-License-Identifier: Apache-2.0
"""Random tensors of any strides for the tests of onefold.torch, and runs of a call on a device."""
from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import inf, nan
from typing import Callable

import torch

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
EXTENTS = (1, 2, 3, 7, 8, 16, 33, 64, 100, 257, 1000)


def half_ulp(dtype):
    """The relative error of rounding to dtype."""
    return torch.finfo(dtype).eps / 2


def least(dtype):
    """The least positive number."""
    return torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps


def compute_dtype(dtype):
    """The type of elementwise parts: float64 for float64, else float32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def compute_error(dtype):
    return half_ulp(compute_dtype(dtype))


def seeded(k=0):
    seed = random.randrange(2**31)
    return seed, random.Random(seed), torch.Generator().manual_seed(seed + k)


def random_tensor(generator, shape, dtype=torch.float32, spread=7):
    """Exponents that differ, with zeros, ties and elements that cancel."""
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    x = x * 2.0 ** torch.randint(-spread, spread, tuple(shape), generator=generator)
    x = torch.where(torch.rand(tuple(shape), generator=generator) < .3, (x * 4).round() / 4, x)
    return x.to(dtype)


class Strided:
    """A tensor of given strides, which is made with the same ones on any device."""

    def __init__(self, base, shape, strides, offset):
        self.base, self.layout = base, (tuple(shape), tuple(strides), offset)

    def on(self, device):
        return self.base.to(device).as_strided(*self.layout)

    def __str__(self):
        shape, strides, offset = self.layout
        return f"{self.base.dtype} {shape} strides {strides} offset {offset}"


class Draw:
    """What a case draws: choices, and tensors of random values."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.generator = torch.Generator().manual_seed(self.pick.randrange(2**62))
        self.special = self.pick.random() < .06  # infinities and NaNs among the values

    def choose(self, *values):
        return self.pick.choice(values)

    def chance(self, share):
        return self.pick.random() < share

    def values(self, count, dtype):
        """Of exponents that differ; some are ties, equal, or zeros of both signs."""
        spread = self.choose(0, 2, 4 if dtype == torch.float16 else 9)
        x = torch.randn(count, generator=self.generator, dtype=torch.float64)
        if spread:
            x = x * 2.0 ** torch.randint(-spread, spread + 1, (count,), generator=self.generator)
        if self.chance(.15):
            x = x.round()
        if self.special and count:
            x[self.pick.randrange(count)] = self.choose(inf, -inf, nan)
        return x.to(dtype)

    def tensor(self, shape, dtype, expanded=True):
        """Of contiguous, permuted, expanded or sliced memory, from any element on."""
        strides, step = [0] * len(shape), 1
        kind = self.choose("contiguous", "permuted", "expanded", "sliced", "any")
        order = list(range(len(shape)))
        if kind in ("permuted", "any"):
            self.pick.shuffle(order)
        for i in reversed(order):
            if kind in ("sliced", "any"):
                step *= self.choose(1, 1, 2, 3)
            if expanded and kind in ("expanded", "any") and self.chance(.4):
                continue
            strides[i] = step
            step *= max(shape[i], 1)
        offset = self.choose(0, 0, 1, 3)
        last = sum((extent - 1) * stride for extent, stride in zip(shape, strides) if extent > 0)
        return Strided(self.values(offset + last + 1, dtype), shape, strides, offset)

    def shape(self, ranks=(1, 2, 3), zero=.05, most=20000):
        """Extents of which all elements are at most so many."""
        extents, left = [], most
        for _ in range(self.choose(*ranks)):
            extent = 0 if self.chance(zero) else self.choose(
                *[one for one in EXTENTS if one <= left] or (1,))
            left //= max(extent, 1)
            extents.append(extent)
        if self.chance(.03) and extents and extents[-1]:
            extents = [1] * len(extents)
            extents[-1] = self.choose(4096, 9001, 33000)
        self.pick.shuffle(extents)
        return extents


@dataclass
class Case:
    """A call of one operator, and what is known of its results.

    leaves: Strided, which are differentiated; others: tensors of integers and the like.
    call(leaves, others): a tuple of results; peer(leaves, others): the same in float64.
    bounds(leaves, results, g, gradients): of each result and gradient the most that it may be off,
    all in float64; None: it is the peer's, rounded.
    alone(leaves, others, g, results): pairs of tensors, of part of the work and of all of it.
    on_gpu: which results and gradients have the bits of the CPU there; None: all.
    """
    leaves: list
    call: Callable
    peer: Callable
    bounds: Callable
    dtype: torch.dtype
    others: list = field(default_factory=list)
    alone: Callable | None = None
    on_gpu: list | None = None
    said: str = ""
    g: list | None = None

    def leaves_on(self, device):
        return [leaf.on(device).detach().requires_grad_() for leaf in self.leaves]

    def run(self, draw, device):
        """Results and the leaves' gradients."""
        leaves = self.leaves_on(device)
        results = self.call(leaves, [one.to(device) for one in self.others])
        if self.g is None:
            self.g = [draw.tensor(y.shape, y.dtype) for y in results]
        g = [one.on(device) for one in self.g]
        return [y.detach() for y in results], list(torch.autograd.grad(results, leaves, g))

    def expected(self):
        """The same by the peer, and the bounds."""
        # Also the strides of one element are a contiguous tensor's: segment_reduce of PyTorch 2.15
        # follows them past the end.
        leaves = [torch.clone(leaf.detach().double(), memory_format=torch.contiguous_format)
                  .requires_grad_() for leaf in self.leaves_on("cpu")]
        results = self.peer(leaves, self.others)
        g = [one.on("cpu").double() for one in self.g]
        gradients = torch.autograd.grad(results, leaves, g)
        with torch.no_grad():
            bounds = self.bounds(leaves, results, g, gradients)
        return [y.detach() for y in results], list(gradients), bounds


def equal_bits(a, b):
    """Whether two tensors have one type, shape and bits; a NaN equals any other."""
    return difference(a, b) is None


def difference(a, b):
    """Where two tensors differ first, and how many elements do; None: they have equal bits."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {tuple(a.shape)}, not {b.dtype} {tuple(b.shape)}"
    a, b = a.cpu().contiguous(), b.cpu().contiguous()
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    apart = ((a.view(bits) != b.view(bits)) & ~(a.isnan() & b.isnan())).reshape(-1)
    if not bool(apart.any()):
        return None
    first = int(apart.int().argmax())
    return (f"{int(apart.sum())} of {apart.numel()} elements, first {a.reshape(-1)[first].item()!r}"
            f", not {b.reshape(-1)[first].item()!r}, at {first}")


def excess(got, want, bound):
    """What the errors are above their bounds, at most. got: of a type; want, bound: float64."""
    if got.numel() == 0:
        return 0.0
    limits = torch.finfo(got.dtype)
    rounded = want.to(got.dtype)
    fine = (got == rounded) | (got.isnan() & want.isnan())
    if bound is None:
        return 0.0 if bool(fine.all()) else inf
    u = half_ulp(got.dtype)
    # Steps of the type itself may underflow.
    allowed = bound + u * want.abs() + 4 * least(got.dtype)
    near = want.abs() + allowed >= limits.max
    fine |= near & got.isinf() & (got.sign() == want.sign())
    beyond = (got.double() - want).abs() - allowed
    beyond = torch.where(fine, 0, beyond.nan_to_num(nan=inf))
    return max(float(beyond.max()), 0.0)
