# SPDX-License-Identifier: Apache-2.0
"""Correctly rounded sums, means, norms, dot products and variances of arrays.

>>> import numpy as np, onefold
>>> onefold.sum(np.array([1e308, 1e308, -1e308]))
np.float64(1e+308)
"""
from ._core import __version__  # first: it refuses sub-interpreters, before NumPy warns of them
from ._audit import Audit, audit
from ._groups import Groups, group_by, reduce_at, segment
from ._reductions import (
    all, any, argmax, argmin, bit_and, bit_or, bit_xor, count, count_nonzero, dot, logsumexp, max,
    mean, min, minmax, nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum,
    nanvar, norm, norm1, norm2, norminf, prod, std, sum, sumsq, var, vecdot)
from ._safetensors import safetensors_stats
from ._scan import scan
from ._state import State
from ._stats import Plan, Stats, machine, plan, stats, threads, transpose

__all__ = [
    "Audit", "Groups", "Plan", "State", "Stats", "__version__", "all", "any", "argmax", "argmin",
    "audit", "bit_and", "bit_or", "bit_xor", "count", "count_nonzero", "dot", "group_by",
    "logsumexp", "machine", "max", "mean", "min", "minmax", "nanargmax", "nanargmin", "nanmax",
    "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "norm", "norm1", "norm2",
    "norminf", "plan", "prod", "reduce_at", "safetensors_stats", "scan", "segment", "stats",
    "std", "sum", "sumsq", "threads", "transpose", "var", "vecdot"]
