#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C and C++ libraries of reproducible sums:  c_libraries.py ReproBLAS|ExBLAS [--version]

REPROBLAS_LIBRARY and EXBLAS_LIBRARY name their shared libraries, REPROBLAS_VERSION and
EXBLAS_VERSION their versions; docs/conformance.md says how to build them. They are asked for
what they offer of float64 on a CPU.
"""
import ctypes
import os
import sys

from protocol import Unsupported, missing, serve

DOUBLES, DOUBLE, INT = ctypes.POINTER(ctypes.c_double), ctypes.c_double, ctypes.c_int
FLOATS = ("f64", "f32", "f16", "bf16")


def function(library, name, *parameters):
    found = getattr(library, name)
    found.restype, found.argtypes = DOUBLE, parameters
    return found


def reproblas(library):
    """The functions of the default fold: three bins."""
    one = {op: function(library, f"reproBLAS_{name}", INT, DOUBLES, INT)
           for op, name in (("sum", "dsum"), ("norm2", "dnrm2"))}
    dot = function(library, "reproBLAS_ddot", INT, DOUBLES, INT, DOUBLES, INT)
    return {op: lambda x, call=call: call(len(x), x, 1) for op, call in one.items()} | {
        "dot": lambda x, y: dot(len(x), x, 1, y, 1)}


def exblas(library):
    """The superaccumulators alone. exsum has no declaration for C: this is its name in C++."""
    exsum = function(library, "_Z5exsumiPdiiib", INT, DOUBLES, INT, INT, INT, ctypes.c_bool)
    return {"sum": lambda x: exsum(len(x), x, 1, 0, 0, False)}


LIBRARIES = {"ReproBLAS": reproblas, "ExBLAS": exblas}


def main():
    name = sys.argv.pop(1)
    path = os.environ.get(f"{name.upper()}_LIBRARY")
    if not path:
        missing(f"{name}: {name.upper()}_LIBRARY is not set")
    operators = LIBRARIES[name](ctypes.CDLL(path))

    def answer(asked):
        if asked.op not in operators or asked.output != "f64" or asked.input not in FLOATS:
            raise Unsupported
        vectors = (asked.x, asked.y)[:2 if asked.op == "dot" else 1]
        return operators[asked.op](*((DOUBLE * len(values))(*values) for values in vectors))
    serve(f"{name} {os.environ.get(f'{name.upper()}_VERSION', '')}".strip(), answer)


if __name__ == "__main__":
    main()
