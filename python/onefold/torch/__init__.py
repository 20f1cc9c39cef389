# SPDX-License-Identifier: Apache-2.0
"""PyTorch operators whose reductions are onefold's: correctly rounded, whatever the batch.

A row of `rms_norm`, `layer_norm`, `softmax`, `log_softmax` or `cross_entropy` has the same bits,
forward and backward, alone and in a batch of any size, because an exact reduction has one answer.
The operators are registered as `torch.ops.onefold.*`; they work under autograd, torch.compile and,
on a GPU, on the current stream. The row operators and their backward are functions of the library,
but for softmax and cross_entropy of float64, which are composed of onefold's reductions and
PyTorch's elementwise operators, and what label smoothing adds.
"""
from ._gradients import GradientSum
from ._layer_norm import layer_norm
from ._losses import cross_entropy
from ._models import LayerNorm, RMSNorm, causal_lm_loss, swap
from ._norms import add_rms_norm, rms_norm
from ._reductions import dot, logsumexp, mean, norm, sum, var, vecdot
from ._rows import log_softmax, softmax
from ._scatter import bincount, index_add, scatter_reduce, segment_reduce

__all__ = ["GradientSum", "LayerNorm", "RMSNorm", "add_rms_norm", "bincount", "causal_lm_loss",
           "cross_entropy", "dot", "index_add", "layer_norm", "log_softmax", "logsumexp", "mean",
           "norm", "rms_norm", "scatter_reduce", "segment_reduce", "softmax", "sum", "swap", "var",
           "vecdot"]


def __getattr__(name):
    """onefold.torch.distributed, which loads torch.distributed, where it is first used."""
    if name == "distributed":
        import importlib
        return importlib.import_module(".distributed", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
