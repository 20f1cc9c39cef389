#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NumPy, and CuPy, whose functions have the same names:  numpy_library.py [cupy] [--version]"""
import importlib
import sys

from array_library import Arrays
from protocol import missing, serve

NAMES = {"bool": "bool", "f16": "float16", "f32": "float32", "f64": "float64"}
for _bits in (8, 16, 32, 64):
    NAMES[f"i{_bits}"], NAMES[f"u{_bits}"] = f"int{_bits}", f"uint{_bits}"


class Library(Arrays):
    def __init__(self, np):
        self.np, self.types = np, NAMES

    def array(self, values, kind):
        return self.np.array(values, dtype=NAMES[kind])

    def cast(self, array, kind):
        return self.np.asarray(array).astype(NAMES[kind])

    def reduce(self, op, arrays, kind):
        x, into = arrays[0], NAMES[kind]
        if op == "dot":
            return self.np.dot(*(view.astype(into) for view in arrays))
        if op == "norm2":
            return self.np.linalg.norm(x.astype(into))
        return getattr(self.np, op)(x, dtype=into)

    def python(self, scalar):
        return scalar.item()


def main():
    name = "cupy" if sys.argv[1:2] == ["cupy"] else "numpy"
    if name == "cupy":
        del sys.argv[1]
    try:
        np = importlib.import_module(name)
        np.zeros(1).sum()
    except Exception as why:  # no module, or no device
        missing(f"{name}: {why}")
    if name == "numpy":
        np.seterr(all="ignore")
        import warnings
        warnings.simplefilter("ignore")
    serve(f"{'NumPy' if name == 'numpy' else 'CuPy'} {np.__version__}", Library(np).answer)


if __name__ == "__main__":
    main()
