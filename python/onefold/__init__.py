# SPDX-License-Identifier: Apache-2.0
"""Correctly rounded sums, means, norms, dot products and variances of arrays."""
from ._core import __version__
from ._reductions import (
    all, any, argmax, argmin, bit_and, bit_or, bit_xor, count, count_nonzero, dot, logsumexp, max,
    mean, min, minmax, nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum,
    nanvar, norm, norm1, norm2, norminf, prod, std, sum, sumsq, var, vecdot)

__all__ = [
    "__version__", "all", "any", "argmax", "argmin", "bit_and", "bit_or", "bit_xor", "count",
    "count_nonzero", "dot", "logsumexp", "max", "mean", "min", "minmax", "nanargmax", "nanargmin",
    "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "norm", "norm1",
    "norm2", "norminf", "prod", "std", "sum", "sumsq", "var", "vecdot"]
