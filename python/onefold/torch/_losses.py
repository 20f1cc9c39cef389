# SPDX-License-Identifier: Apache-2.0
"""cross_entropy: losses of rows and their gradients, which are functions of the library.

Label smoothing adds what depends on a row's mean. float64 has neither: losses by logsumexp, in
which every elementwise step is one PyTorch operation, in the order that is written here. A kernel
and its backward are one operator each, so that a compiler neither reorders nor contracts what is in
it.
"""
from __future__ import annotations

import torch

from .. import _core
from ._bridge import adjacent, all_dims, compute_dtype, define, float_dtype, like, reduce, rows
from ._reductions import sum
from ._rows import OWN, _softmax_kernel


def cross_entropy(x, target, weight=None, ignore_index=-100, reduction="mean",
                  label_smoothing=0.0, dtype=None):
    """The loss of class indices. As `torch.nn.functional.cross_entropy` for them.

    The loss of a row is -log_softmax(x)[target] in float32: within 0.5 + 2^-4.7 ulp for float32,
    2^-22.3 of it for 16 bits, near 0 too, with the same bits on every device. It is multiplied by
    the weight of its class in float64. reduction="mean" and "sum" add the losses exactly, rounded
    to float64: the order of the rows changes nothing; "mean" divides by the exact sum of the
    weights, in float64. The last step rounds to `dtype`.
    Backward, for a gradient g of the result: a = g ("mean": divided by the weights' sum), times the
    row's weight, in float64, rounded to float32; dx = softmax(x) * a, less a at the target, within
    0.5 + 2^-4 ulp of x's type, in one read of x. So the gradient of a row under reduction="none" or
    "sum" depends on that row only. The weights have no gradient.
    Label smoothing e: with the mean m of a row's elements, exact, rounded to float32, its loss is
    -log_softmax(x)[target] + e * (x[target] - m) in float64, and dx is less by a * e / classes; of
    weights, e times the mean of weight * (logsumexp(x) - x) and 1 - e times the loss, and dx is
    rounded to x's type twice. x is read twice.
    For float64 losses are differences with logsumexp, and gradients softmax(x) * g less g at the
    target: several reads.

    Args:
        x: (classes), (rows, classes) or (rows, classes, …), floating.
        target: class indices, of x's shape without the classes. One that is no class is an error on
            a CPU, and on a GPU makes its loss and its gradients NaN.
        weight: a weight a class, or None.
        ignore_index: rows of this target count as nothing, and are not read.
        reduction: "mean" (divides by the weights' sum), "sum" or "none".
        label_smoothing: the share, 0 to 1, that all classes receive equally.
        dtype: the type of the result; None: x's. A mean of bfloat16 has three digits: give float32.

    >>> import torch
    >>> cross_entropy(torch.tensor([[1000.0, 1000.0]]), torch.tensor([1]))
    tensor(0.6931)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"reduction must be 'mean', 'sum' or 'none', not {reduction!r}")
    if target.dtype.is_floating_point:
        raise TypeError(f"target must be class indices, not {target.dtype}; probabilities are not "
                        "supported")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing is {label_smoothing}; give a share, 0 to 1")
    float_dtype("cross_entropy", x, dtype)
    dim = 0 if x.dim() == 1 else 1
    _check_target(x, target, dim)
    if weight is not None:
        _check_weight(x, weight, x.shape[dim])
        weight = weight.detach()
    if x.dtype in OWN and (weight is None or label_smoothing == 0):
        return _cross_entropy(x, target.long(), weight, ignore_index, reduction, dtype,
                              float(label_smoothing))
    counted = target != ignore_index
    index = torch.where(counted, target.long(), 0)
    weights = None if weight is None else _row_weights(index, weight)
    if x.dtype in OWN:
        losses = _smoothed(x, target.long(), weight, ignore_index, label_smoothing)
    else:
        losses = torch.where(counted, _wide_losses(x, index, dim, weight, weights,
                                                   label_smoothing), 0)
    dtype = dtype or x.dtype
    if reduction == "none":
        return losses.to(dtype)
    total = sum(losses)
    if reduction == "mean":
        total = total / sum(counted if weights is None else torch.where(counted, weights, 0),
                            dtype=torch.float64)
    return total.to(dtype)


def _wide_losses(x, index, dim, weight, weights, label_smoothing):
    """Losses of float64, times their weights."""
    losses, whole = _class_losses(x, index, dim)
    losses = losses if weights is None else losses * weights
    if label_smoothing == 0:
        return losses
    # The sum over all classes of weight * (logsumexp(x) - x).
    if weight is None:
        even = whole * x.shape[dim] - sum(x, dim)
    else:
        columns = [1] * x.dim()
        columns[dim] = -1
        wide = weight.double()
        even = whole * sum(wide) - sum(x * wide.reshape(columns), dim)
    return (1 - label_smoothing) * losses + label_smoothing / max(x.shape[dim], 1) * even


def _check_target(x, target, dim):
    shape = x.shape[:dim] + x.shape[dim + 1:]
    if x.dim() == 0 or target.shape != shape:
        raise ValueError(f"target has the shape {tuple(target.shape)}, that of x without its "
                         f"classes is {tuple(shape)}")
    if x.shape[dim] == 0 < target.numel():
        raise ValueError("the rows have no classes")
    if target.device != x.device:
        raise ValueError(f"target is on {target.device}, and x on {x.device}; move one of them")


def _check_weight(x, weight, classes):
    if weight.shape != (classes,) or not weight.is_floating_point():
        raise ValueError(f"weight is {weight.dtype} of the shape {tuple(weight.shape)}; give a "
                         f"floating number for each of the {classes} classes")
    if weight.device != x.device:
        raise ValueError(f"weight is on {weight.device}, and x on {x.device}; move one of them")


def _with_classes_last(x):
    """They are the second dimension, or the only one."""
    return x if x.dim() < 3 else x.movedim(1, -1)


def _row_weights(target, weight):
    """The weight of each row's class, in float64. A target that is no class has any weight: its
    loss is NaN."""
    return weight[target.clamp(0, max(weight.numel() - 1, 0))].double()


def _cross_entropy_kernel(x, target, weight, ignore_index, reduction, dtype, label_smoothing):
    """The result, and what the backward pass needs: three numbers of each row, and what a mean is
    divided by."""
    result, saved = _cross_entropy_fake(x, target, weight, ignore_index, reduction, dtype,
                                        label_smoothing)
    losses = x.new_empty(target.shape, dtype=torch.float32)
    _core.cross_entropy_rows(rows(_with_classes_last(x)), adjacent(target),
                             adjacent(weight), losses, result, saved, ignore_index, reduction)
    if label_smoothing > 0:
        terms = _with_share(losses, x, target, ignore_index, label_smoothing)
        if reduction != "none":
            terms = reduce("sum", terms, None, False, torch.float64)
        result.copy_(terms / saved[-1] if reduction == "mean" else terms)
    return result, saved


def _with_share(losses, x, target, ignore_index, label_smoothing):
    """Losses of labels of which all classes receive a share equally: as logsumexp(x) is the same
    for all, it is the loss and the share of x[target] - mean(x)."""
    dim = 0 if x.dim() == 1 else 1
    counted = target != ignore_index
    own = elements_of(x, torch.where(counted, target, 0), dim).squeeze(dim).double()
    means = reduce("mean", x, (dim,), False, torch.float32).double()
    losses = losses.double()
    smoothed = losses + (own - means) * label_smoothing
    # Of a target of -Inf, whose difference is NaN.
    return torch.where(counted, torch.where(losses.isinf(), losses, smoothed), 0)


def _cross_entropy_fake(x, target, weight, ignore_index, reduction, dtype, label_smoothing):
    float_dtype("cross_entropy", x, dtype)
    count = target.numel()
    return (x.new_empty(target.shape if reduction == "none" else (), dtype=dtype or x.dtype),
            x.new_empty(3 * count + (1 if reduction == "mean" else 0), dtype=torch.float64))


def _cross_entropy_input(g, x, target, weight, saved, ignore_index, reduction, label_smoothing,
                         are_last=False):
    """dx. are_last: whether the classes are x's last dimension."""
    last = x if are_last else _with_classes_last(x)
    dx = like(last)
    if dx.numel() > 0:
        scales = x.new_empty(target.numel(), dtype=torch.float32)
        _core.cross_entropy_backward_rows(adjacent(g), rows(last), adjacent(target),
                                          adjacent(weight), saved, scales, dx, ignore_index,
                                          reduction, label_smoothing)
    return dx if are_last or x.dim() < 3 else dx.movedim(-1, 1).contiguous()


def _cross_entropy_context(ctx, inputs, output):
    x, target, weight, *ctx.options, _, ctx.label_smoothing = inputs
    ctx.save_for_backward(x, target, weight, output[1])


def _cross_entropy_backward(ctx, g, *_):
    if g is None:
        return (None,) * 7
    return (_cross_entropy_backward_input(g, *ctx.saved_tensors, *ctx.options, ctx.label_smoothing),
            None, None, None, None, None, None)


def _smoothed_kernel(x, target, weight, ignore_index, smoothing):
    """The loss of each row, of classes with weights, and three numbers of it."""
    loss, saved = _cross_entropy_kernel(x, target, None, ignore_index, "none", torch.float32, 0.0)
    last, counted, known = _known(x, target, ignore_index)
    own = last.gather(-1, known.unsqueeze(-1)).squeeze(-1).double()
    dims, classes, loss = (last.dim() - 1,), last.shape[-1], loss.double()
    dtype = torch.promote_types(x.dtype, weight.dtype)
    product = reduce("dot", last.to(dtype), dims, False, compute_dtype(dtype),
                     weight.to(dtype).expand(last.shape))
    even = (loss + own) * _weight_sum(weight) - product
    share = smoothing / max(classes, 1)
    smoothed = (1 - smoothing) * (loss * _row_weights(known, weight)) + share * even
    # Of a target of -Inf, whose differences are NaN.
    smoothed = torch.where(torch.isinf(loss), loss, smoothed)
    return torch.where(counted, smoothed, 0), saved


def _smoothed_fake(x, target, weight, ignore_index, smoothing):
    return (x.new_empty(target.shape, dtype=torch.float64),
            x.new_empty(3 * target.numel(), dtype=torch.float64))


def _known(x, target, ignore_index):
    """Rows of x, whether each counts, and its class, or any for one that is none."""
    last, counted = _with_classes_last(x), target != ignore_index
    return last, counted, torch.where(counted, target, 0).clamp(0, max(last.shape[-1] - 1, 0))


def _weight_sum(weight):
    return reduce("sum", weight, None, False, torch.float64)


def _smoothed_input(g, x, target, weight, saved, ignore_index, smoothing):
    last, counted, known = _known(x, target, ignore_index)
    g = torch.where(counted, g, 0)
    share = g * (smoothing / max(last.shape[-1], 1))
    own, whole = _row_weights(known, weight), _weight_sum(weight)
    # What softmax is multiplied by, and what the target's element has beyond its loss.
    scales, beyond = (1 - smoothing) * (g * own) + share * whole, share * (whole - own)
    dx = _cross_entropy_input(scales, last, target, None, saved, ignore_index, "none", 0.0, True)
    dx -= share.float().unsqueeze(-1) * weight.float()
    slopes = saved.reshape(-1, 3)[:, 2].reshape(target.shape)
    at_target = torch.where(counted, scales * slopes + beyond, 0).float().to(dx.dtype)
    dx.scatter_(-1, known.unsqueeze(-1), at_target.unsqueeze(-1))
    return dx if x.dim() < 3 else dx.movedim(-1, 1).contiguous()


def _smoothed_context(ctx, inputs, output):
    x, target, weight, ctx.ignore_index, ctx.smoothing = inputs
    ctx.save_for_backward(x, target, weight, output[1])


def _smoothed_backward(ctx, g, *_):
    if g is None:
        return (None,) * 5
    return (_smoothed_backward_input(g, *ctx.saved_tensors, ctx.ignore_index, ctx.smoothing),
            None, None, None, None)


def _class_losses_kernel(x, index, dim):
    float_dtype("cross_entropy", x, None)
    whole = reduce("logsumexp", x, all_dims(x, [dim]), False, torch.float64)
    own = elements_of(x, index, dim) if index.is_cuda else x.gather(dim, index.unsqueeze(dim))
    # As the differences of a row with +Inf, whose softmax is NaN.
    whole = torch.where(whole == torch.inf, torch.nan, whole)
    return whole - own.squeeze(dim).double(), whole


def elements_of(x, index, dim):
    """The element of each row's class; NaN for an index that is none, of which PyTorch's kernels
    on a GPU would abort."""
    index = index.unsqueeze(dim)
    known = index.clamp(0, x.shape[dim] - 1)
    return torch.where(index == known, x.gather(dim, known), torch.nan)


def _class_losses_fake(x, index, dim):
    float_dtype("cross_entropy", x, None)
    return tuple(x.new_empty(index.shape, dtype=torch.float64) for _ in range(2))


def _class_losses_input(g, g_whole, x, index, dim):
    compute = compute_dtype(x.dtype)
    dx = _softmax_kernel(x.to(compute), dim)
    if index.is_cuda:
        index, g = known_classes(index, g, x.shape[dim])
    dx *= (g + g_whole).to(compute).unsqueeze(dim)
    dx.scatter_add_(dim, index.unsqueeze(dim), -g.to(compute).unsqueeze(dim))
    return dx.to(x.dtype)


def known_classes(index, g, classes):
    """Indices of classes, and gradients that are NaN where an index is none."""
    known = index.clamp(0, classes - 1)
    return known, torch.where(index == known, g, torch.nan)


def _class_losses_context(ctx, inputs, output):
    x, index, ctx.dim = inputs
    ctx.save_for_backward(x, index)


def _class_losses_backward(ctx, g, g_whole):
    return _class_losses_backward_input(g, g_whole, *ctx.saved_tensors, ctx.dim), None, None


_cross_entropy = define(
    "cross_entropy",
    "(Tensor x, Tensor target, Tensor? weight, int ignore_index, str reduction, "
    "ScalarType? dtype, float label_smoothing) -> (Tensor, Tensor)",
    _cross_entropy_kernel, _cross_entropy_fake, _cross_entropy_backward, _cross_entropy_context,
    answers=1)
_cross_entropy_backward_input = define(
    "cross_entropy_backward",
    "(Tensor g, Tensor x, Tensor target, Tensor? weight, Tensor saved, int ignore_index, "
    "str reduction, float label_smoothing) -> Tensor",
    _cross_entropy_input,
    lambda g, x, target, weight, saved, ignore_index, reduction, label_smoothing: like(x))
_smoothed = define(
    "smoothed_cross_entropy",
    "(Tensor x, Tensor target, Tensor weight, int ignore_index, float smoothing) -> "
    "(Tensor, Tensor)", _smoothed_kernel, _smoothed_fake, _smoothed_backward, _smoothed_context,
    answers=1)
_smoothed_backward_input = define(
    "smoothed_cross_entropy_backward",
    "(Tensor g, Tensor x, Tensor target, Tensor weight, Tensor saved, int ignore_index, "
    "float smoothing) -> Tensor", _smoothed_input,
    lambda g, x, target, weight, saved, ignore_index, smoothing: like(x))
# The losses of class indices, and logsumexp along dim.
_class_losses = define(
    "class_losses", "(Tensor x, Tensor index, int dim) -> (Tensor, Tensor)",
    _class_losses_kernel, _class_losses_fake, _class_losses_backward, _class_losses_context)
_class_losses_backward_input = define(
    "class_losses_backward_input",
    "(Tensor g, Tensor g_whole, Tensor x, Tensor index, int dim) -> Tensor",
    _class_losses_input, lambda g, g_whole, x, index, dim: like(x))
