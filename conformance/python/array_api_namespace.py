# SPDX-License-Identifier: Apache-2.0
"""An array API namespace: NumPy's, with onefold's functions in place of those that onefold has.

The script array_api_tests runs data-apis/array-api-tests on it. The calls of LEFT_TO_NUMPY go to
NumPy, since a test there takes all types or all orders together.
"""
import builtins
import functools
import types

import numpy

import onefold

REPLACED = ("sum", "mean", "var", "std", "min", "max", "prod", "any", "all", "argmin", "argmax",
            "count_nonzero", "vecdot")
LEFT_TO_NUMPY = {
    "complex arrays, dtype=complex": "onefold has no complex numbers and refuses them by name",
    "vecdot of integers": "onefold answers in int64 or uint64 as its sum does; the array API keeps "
                          "the operands' type, in which most exact dot products do not fit",
    "vector_norm of other orders than 1, 2 and inf": "onefold has these three and refuses others",
}


def kind_of(argument):
    try:
        return numpy.result_type(argument).kind
    except (TypeError, ValueError):
        return ""


def but_complex(function, numpy_function):
    """onefold's function for all that is not complex, NumPy's for the rest."""
    @functools.wraps(function)
    def chosen(*arguments, **named):
        if "c" in builtins.map(kind_of, (*arguments, named.get("dtype"))):
            return numpy_function(*arguments, **named)
        return function(*arguments, **named)
    return chosen


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The array API's name for onefold.norm."""
    if ord not in (1, 2, numpy.inf):
        return numpy.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    return onefold.norm(x, ord, axis=axis, keepdims=keepdims)


def vecdot(x1, x2, /, *, axis=-1):
    """onefold.vecdot of floats."""
    if kind_of(x1) in "iub":
        return numpy.vecdot(x1, x2, axis=axis)
    return onefold.vecdot(x1, x2, axis=axis)


__array_api_version__ = numpy.__array_api_version__
__array_namespace_info__ = numpy.__array_namespace_info__
_own = {name: getattr(onefold, name) for name in REPLACED} | {"vecdot": vecdot}
globals().update({name: getattr(numpy, name) for name in dir(numpy) if not name.startswith("_")})
linalg = types.ModuleType("array_api_namespace.linalg")
linalg.__dict__.update(vars(numpy.linalg))
linalg.vector_norm = but_complex(vector_norm, numpy.linalg.vector_norm)
linalg.vecdot = but_complex(_own["vecdot"], numpy.linalg.vecdot)
globals().update({name: but_complex(function, getattr(numpy, name))
                  for name, function in _own.items()})
