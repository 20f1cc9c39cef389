# SPDX-License-Identifier: Apache-2.0
"""Random calls of the row operators of onefold.torch: peers in float64, and what each result may be
off by before it is rounded. u is half an ulp of the type, c of that of elementwise parts, w of
float64, in which the peers err.
"""
from __future__ import annotations

import onefold.torch as ft
import torch
import torch.nn.functional as F

from torch_cases import FLOATS, Case, compute_dtype, compute_error, half_ulp, least

W = 2.0**-53


def total(x, dim=-1):
    return x.sum(dim, keepdim=True)


def flat_rows(x, dims):
    """x as rows of one dimension."""
    shape = x.shape[:x.dim() - dims]
    return x.reshape(shape.numel(), x.shape[x.dim() - dims:].numel())


def normalized(draw):
    """What the norms draw: type, row's shape, x, and a vector of the row's shape or None."""
    dtype = draw.choose(*FLOATS)
    shape = draw.shape((1, 2, 2, 3))
    dims = draw.choose(1, 1, 1, len(shape))
    row = shape[len(shape) - dims:]
    vectors = dtype if draw.chance(.6) or dtype == torch.float64 else torch.float32

    def vector():
        return draw.tensor(row, vectors) if draw.chance(.7) else None
    return dtype, row, dims, draw.tensor(shape, dtype), vector


def row_alone(call, dims, count):
    """A row of the first `count` leaves has in a batch the bits that it has alone."""
    def pairs(draw, leaves, others, g, results, gradients):
        rows = [flat_rows(leaf.detach(), dims) for leaf in leaves[:count]]
        if rows[0].numel() == 0:
            return
        i = draw.pick.randrange(len(rows[0]))
        shape = leaves[0].shape[leaves[0].dim() - dims:]
        own = [one[i].reshape(1, *shape).clone().requires_grad_() for one in rows]
        y = call([*own, *leaves[count:]], others)
        g = [flat_rows(one, dims)[i].reshape(1, *shape) for one in g]
        made = torch.autograd.grad(y, own, g)
        for got, want in zip((*y, *made), (*results, *gradients[:count])):
            yield got.detach().reshape(-1), flat_rows(want, dims)[i]
    return pairs


def rms_gradients(x, weight, g, r, c):
    """The bounds of dx and of the terms of dweight; rows of one dimension."""
    n = max(x.shape[-1], 1)
    a = (g * weight).abs()
    size = a * r + x.abs() * total(a * x.abs()) * (r**3 / n)
    terms = (g * x * r).abs()
    return size * (8 * c + 4 * n * W), terms * (4 * c + 4 * n * W + len(x) * W)


def rms_norm(draw, with_residual=False):
    dtype, row, dims, x, vector = normalized(draw)
    weight, eps = vector(), draw.choose(1e-6, 1e-3, 1.0)
    leaves = [x] + ([draw.tensor(x.layout[0], dtype)] if with_residual else [])
    count = len(leaves)
    leaves += [weight] if weight is not None else []

    def call(leaves, others):
        by = leaves[count] if weight is not None else None
        if with_residual:
            return ft.add_rms_norm(leaves[0], leaves[1], row, by, eps)
        return (ft.rms_norm(leaves[0], row, by, eps),)

    def whole(leaves):
        """x, or its sum with the residual, as it is rounded to the type."""
        if not with_residual:
            return leaves[0]
        exact = leaves[0] + leaves[1]
        return exact + (exact.to(dtype).double() - exact).detach()

    def peer(leaves, others):
        x = whole(leaves)
        axes = list(range(x.dim() - dims, x.dim()))
        y = x * torch.rsqrt((x * x).mean(axes, keepdim=True) + eps)
        y = y * leaves[count] if weight is not None else y
        return (y, x) if with_residual else (y,)

    def bounds(leaves, results, g, gradients):
        u, c = half_ulp(dtype), compute_error(dtype)
        x = whole(leaves)
        rows, g_rows = flat_rows(x, dims), flat_rows(g[0], dims)
        n = max(rows.shape[-1], 1)
        by = torch.ones(rows.shape[-1]).double() if weight is None else leaves[count].reshape(-1)
        r = torch.rsqrt(total(rows * rows) / n + eps)
        dx, terms = rms_gradients(rows, by, g_rows, r, c)
        dx = dx.reshape(x.shape)
        if with_residual:  # the gradient of the sum is added in x's type
            dx = dx * 2 + 2 * u * (gradients[0].abs() + 2 * g[1].abs())
        made = [results[0].abs() * (4 * c + 4 * n * W)]
        made += [torch.zeros_like(x)] if with_residual else []
        made += [dx] * count
        return made + ([terms.sum(0).reshape(row)] if weight is not None else [])

    return Case(leaves, call, peer, bounds, dtype, alone=row_alone(call, dims, count),
                said=f"eps {eps} over {row}")


def add_rms_norm(draw):
    return rms_norm(draw, True)


def layer_norm(draw):
    dtype, row, dims, x, vector = normalized(draw)
    weight, bias, eps = vector(), vector(), draw.choose(1e-5, 1e-3, 1.0)
    leaves = [one for one in (x, weight, bias) if one is not None]

    def parts(leaves):
        rest = iter(leaves[1:])
        return (leaves[0], next(rest) if weight is not None else None,
                next(rest) if bias is not None else None)

    def call(leaves, others):
        x, by, plus = parts(leaves)
        return (ft.layer_norm(x, row, by, plus, eps),)

    def peer(leaves, others):
        x, by, plus = parts(leaves)
        axes = list(range(x.dim() - dims, x.dim()))
        d = x - x.mean(axes, keepdim=True)
        y = d * torch.rsqrt((d * d).mean(axes, keepdim=True) + eps)
        y = y if by is None else y * by
        return (y if plus is None else y + plus,)

    def bounds(leaves, results, g, gradients):
        c = compute_error(dtype)
        x, by, plus = (None if one is None else one.detach() for one in parts(leaves))
        rows, g_rows = flat_rows(x, dims), flat_rows(g[0], dims)
        n = max(rows.shape[-1], 1)
        by = torch.ones(rows.shape[-1]).double() if by is None else by.reshape(-1)
        d = rows - total(rows) / n
        r = torch.rsqrt(total(d * d) / n + eps)
        # What d may be off by, in the operator and the peer, and r for that.
        most = rows.abs().amax(-1, keepdim=True) if rows.numel() else torch.zeros(len(rows), 1)
        off = (n + 4) * W * most.double()
        k = 8 * c + 8 * n * W + 8 * off * r
        y = (d.abs() * k + 2 * off) * r * by.abs()
        if plus is not None:
            y = y + c * (plus.abs().reshape(-1) + (d * r * by).abs())
        a, size = (g_rows * by).abs(), d.abs() + off
        s, t = total(a * size), total(a) * off
        dx = ((a + total(a) / n) * r + size * s * (r**3 / n)) * k
        dx = dx + (off * s + size * t) * (2 * r**3 / n)
        made = [y.reshape(x.shape), dx.reshape(x.shape)]
        if weight is not None:
            made.append((g_rows.abs() * r * (size * k + 2 * off)).sum(0).reshape(row))
        if bias is not None:
            made.append((g_rows.abs() * (2 * c + len(rows) * W)).sum(0).reshape(row))
        return made

    return Case(leaves, call, peer, bounds, dtype, alone=row_alone(call, dims, 1),
                said=f"eps {eps} over {row}")


def along(draw, ours, theirs, bounds_of):
    """softmax or log_softmax along a dimension."""
    dtype, shape = draw.choose(*FLOATS), draw.shape()
    dim = draw.pick.randrange(-len(shape), len(shape))

    def moved(x):
        x = x.movedim(dim, -1)
        return x.reshape(x.shape[:-1].numel(), x.shape[-1])

    def bounds(leaves, results, g, gradients):
        x, y, dy = moved(leaves[0].detach()), moved(results[0]), moved(g[0])
        back = leaves[0].movedim(dim, -1).shape
        return [one.reshape(back).movedim(-1, dim) for one in bounds_of(x, y, dy, dtype)]

    def alone(draw, leaves, others, g, results, gradients):
        rows = moved(leaves[0].detach())
        if rows.numel():
            i = draw.pick.randrange(len(rows))
            own = rows[i].clone().requires_grad_()
            y = ours(own, 0)
            dx, = torch.autograd.grad(y, own, moved(g[0])[i])
            yield y.detach(), moved(results[0])[i]
            yield dx, moved(gradients[0])[i]

    wide = dtype == torch.float64  # whose exponential is PyTorch's
    return Case([draw.tensor(shape, dtype)], lambda leaves, others: (ours(leaves[0], dim),),
                lambda leaves, others: (theirs(leaves[0], dim),), bounds, dtype, alone=alone,
                on_gpu=[not wide] * 2, said=f"dim {dim}")


def largest(x):
    """Above the magnitude of what is subtracted from an element."""
    return x.abs().amax(-1, keepdim=True) if x.numel() else x


def softmax(draw):
    def bounds(x, y, g, dtype):
        u, c, n = half_ulp(dtype), compute_error(dtype), x.shape[-1]
        e = W * (x.abs() + largest(x) + n + 8) * (16 if dtype == torch.float64 else 4)
        made = y * (e + .08 * c + (0 if dtype == torch.float64 else .08 * u))
        size = g.abs() + total(g.abs() * y)
        relative = 4 * u + 8 * c + 4 * n * W + 4 * largest(e)
        return made, y * size * relative + 2 * (size + y * total(g.abs())) * least(dtype)
    return along(draw, ft.softmax, torch.softmax, bounds)


def log_softmax(draw):
    def bounds(x, y, g, dtype):
        u, c, n = half_ulp(dtype), compute_error(dtype), x.shape[-1]
        if dtype == torch.float64:
            made = (x.abs() + largest(x) + n + 8) * 8 * u + 2.0**-50
        else:
            made = y.abs() * (.08 * u + 2.0**-24 * (u > 2.0**-24)) + 4 * W * (
                x.abs() + largest(x) + n)
        p = y.exp() * total(g.abs())
        dx = p * (u * (y.abs() + 2) + made + 8 * c + n * W) + 2 * c * g.abs()
        dx = torch.where(y.isinf(), 2 * c * g.abs(), dx)
        return made, dx + 2 * total(g.abs()) * least(compute_dtype(dtype))
    return along(draw, ft.log_softmax, torch.log_softmax, bounds)


def cross_entropy(draw):
    dtype = draw.choose(*FLOATS)
    classes = draw.choose(1, 2, 3, 10, 100, 257, 1000, 4099)
    lead = draw.choose([], [1], [7], [40], [3, 2], [2, 3, 2])
    shape = [*lead[:1], classes, *lead[1:]] if lead else [classes]
    dim = 0 if not lead else 1
    target = torch.randint(0, classes, lead, generator=draw.generator)
    ignored = draw.choose(-100, 0, -1)
    if draw.chance(.4):
        target = torch.where(torch.rand(lead, generator=draw.generator) < .3, ignored, target)
    weight = None
    if draw.chance(.4):  # not zero: a mean divides by those of the targets
        weight = draw.values(classes, draw.choose(dtype, torch.float32)).abs() + 0.125
    arguments = {"ignore_index": ignored, "reduction": draw.choose("mean", "sum", "none"),
                 "label_smoothing": draw.choose(0, 0, 0.1, 1.0)}
    smoothing = arguments["label_smoothing"]
    composed = dtype == torch.float64
    others = [target] + ([weight] if weight is not None else [])

    def call(leaves, others):
        return (ft.cross_entropy(leaves[0], *others, **arguments),)

    def peer(leaves, others):
        by = [one.double() for one in others[1:]]
        return (F.cross_entropy(leaves[0], others[0], *by, **arguments),)

    def bounds(leaves, results, g, gradients):
        u, c = half_ulp(dtype), compute_error(dtype)
        x = leaves[0].detach().movedim(dim, -1)
        counted = target != ignored
        index = torch.where(counted, target, 0)
        by = torch.ones(classes).double() if weight is None else weight.double()
        w = by[index] * counted
        p = torch.softmax(x, -1)
        lse, own = torch.logsumexp(x, -1), x.gather(-1, index.unsqueeze(-1)).squeeze(-1)
        loss = (lse - own).abs() * w
        share, even = smoothing / classes, by.sum() * counted
        high = largest(x).squeeze(-1)
        e = 8 * W * (high + classes) * (w * (1 + smoothing) + share * even)
        if composed:
            e = e + 2.0**(-50 if dtype == torch.float64 else -29) * (w + share * even)
            e = e + 4 * classes * W * share * (x.abs() * by).sum(-1) * counted
        else:
            e = e + (loss + share * even * (lse - own).abs()) * 2.0**-22
            # Of the mean, or the products with the weights, which are rounded to float32.
            mean = (x * by).sum(-1).abs() * counted
            e = e + share * (2.0**-24 * mean + 8 * W * classes * (x.abs() * by).sum(-1))
        divisor = w.sum() if arguments["reduction"] == "mean" else 1
        result = e if arguments["reduction"] == "none" else e.sum() / divisor + (
            4 * len(index.reshape(-1)) * W * results[0].abs())
        a = (g[0].abs() / divisor * counted).unsqueeze(-1)
        hot = F.one_hot(index, classes)
        if composed:
            size = p * (w + share * even).unsqueeze(-1) + hot * w.unsqueeze(-1) + share * by
            relative = 8 * c + 6 * u + 4 * classes * W
            if dtype == torch.float64:
                relative = relative + 4 * u * (x.abs() + largest(x))
            dx = a * size * relative
        else:
            dx = gradients[0].movedim(dim, -1).abs() * (.3 * u + 2 * c) + (
                a * w.unsqueeze(-1) * (p + hot) * 8 * W * (largest(x) + classes))
            if smoothing:  # is rounded, before the share is subtracted, which is of float32
                scale = (w * (1 - smoothing) + share * even).unsqueeze(-1)
                dx = dx + a * (scale * p * (1.3 * u + 4 * c) + share * by * 4 * c + hot * 8 * c * (
                    scale + share * even.unsqueeze(-1)))
        return [result, dx.movedim(-1, dim)]

    def alone(draw, leaves, others, g, results, gradients):
        if arguments["reduction"] != "none" or not lead or 0 in lead:
            return
        x, dx = (one.detach().movedim(dim, -1).reshape(-1, classes)
                 for one in (leaves[0], gradients[0]))
        i = draw.pick.randrange(len(x))
        own = x[i:i + 1].clone().requires_grad_()
        y, = call([own], [others[0].reshape(-1)[i:i + 1], *others[1:]])
        made, = torch.autograd.grad(y, own, g[0].reshape(-1)[i:i + 1])
        yield y.detach(), results[0].reshape(-1)[i:i + 1]
        yield made[0], dx[i]

    return Case([draw.tensor(shape, dtype)], call, peer, bounds, dtype, others, alone,
                [True, dtype != torch.float64], f"{arguments}, weights {weight is not None}")
