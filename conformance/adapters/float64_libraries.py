#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries of float64 sums:  float64_libraries.py polars|duckdb|xsum|accupy|numkong [--version]

Each is asked for what it offers, of floats and with answers in float64. Those that give the sum of
squares and no norm are asked for its root.
"""
import importlib
import importlib.metadata
import math
import sys

from protocol import Unsupported, missing, serve


def polars_operators(polars):
    return {"sum": lambda x: polars.Series(x).sum(), "mean": lambda x: polars.Series(x).mean(),
            "var": lambda x: polars.Series(x).var(ddof=0),
            "std": lambda x: polars.Series(x).std(ddof=0),
            "dot": lambda x, y: polars.Series(x).dot(polars.Series(y))}


def duckdb_operators(duckdb):
    import pyarrow  # a NaN of NumPy would be a NULL
    connection = duckdb.connect()

    def ask(expression):
        def answer(x, y=None):
            columns = {"x": x} if y is None else {"x": x, "y": y}
            connection.register("numbers", pyarrow.table(columns))
            return connection.execute(f"select {expression} from numbers").fetchall()[0][0]
        return answer
    return {"sum": ask("fsum(x)"), "mean": ask("favg(x)"), "var": ask("var_pop(x)"),
            "std": ask("stddev_pop(x)"), "dot": ask("fsum(x * y)"),
            "norm2": ask("sqrt(fsum(x * x))")}


def xsum_operators(xsum):
    def filled(add, *arrays):
        accumulator = xsum.xsum_large_accumulator()
        add(accumulator, *arrays)
        return accumulator
    return {"sum": lambda x: xsum.xsum_round(filled(xsum.xsum_add, x)),
            "mean": lambda x: xsum.xsum_large_div_int(filled(xsum.xsum_add, x), len(x)),
            "dot": lambda x, y: xsum.xsum_round(filled(xsum.xsum_add_dot, x, y)),
            "norm2": lambda x: math.sqrt(xsum.xsum_round(filled(xsum.xsum_add_sqnorm, x)))}


def accupy_operators(accupy):
    return {"sum": accupy.fsum, "dot": accupy.fdot}


def numkong_operators(numkong):
    return {"sum": numkong.sum, "dot": numkong.dot, "norm2": numkong.norm}


LIBRARIES = {"polars": polars_operators, "duckdb": duckdb_operators, "xsum": xsum_operators,
             "accupy": accupy_operators, "numkong": numkong_operators}
FLOATS = ("f64", "f32", "f16", "bf16")


def main():
    name = sys.argv.pop(1)
    try:
        import numpy
        operators = LIBRARIES[name](importlib.import_module(name))
    except ImportError as why:
        missing(f"{name}: {why}")

    def answer(asked):
        if asked.op not in operators or asked.output != "f64" or asked.input not in FLOATS:
            raise Unsupported
        arrays = [numpy.array(values, dtype=float) for values in (asked.x, asked.y)]
        return float(operators[asked.op](*arrays[:2 if asked.op == "dot" else 1]))
    serve(f"{name} {importlib.metadata.version(name)}", answer)


if __name__ == "__main__":
    main()
