#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU, or on a GPU:  pytorch_library.py [cuda] [--version]"""
import sys

from array_library import Arrays, is_float
from protocol import Unsupported, missing, serve


class Library(Arrays):
    def __init__(self, torch, device):
        self.torch, self.device = torch, device
        names = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
                 "u8": "uint8", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
                 "f64": "float64"}
        self.types = {ours: getattr(torch, theirs) for ours, theirs in names.items()}

    def array(self, values, kind):
        return self.torch.tensor(values, dtype=self.types[kind], device=self.device)

    def cast(self, array, kind):
        return array.to(self.types[kind])

    def reduce(self, op, arrays, kind):
        if kind not in self.types:
            raise Unsupported
        torch, x, into = self.torch, arrays[0], self.types[kind]
        if op == "dot":
            return torch.dot(*(view.to(into) for view in arrays))
        if op in ("sum", "mean"):
            return getattr(torch, op)(x, dtype=into)
        if not is_float(kind):
            raise Unsupported
        if op == "norm2":
            return torch.linalg.vector_norm(x.to(into))
        return getattr(torch, op)(x.to(into), correction=0)

    def python(self, scalar):
        return scalar.item()


def main():
    device = "cuda" if sys.argv[1:2] == ["cuda"] else "cpu"
    if device == "cuda":
        del sys.argv[1]
    try:
        import torch
        torch.zeros(1, device=device)
    except Exception as why:  # no module, or no device
        missing(f"torch: {why}")
    serve(f"PyTorch {torch.__version__} ({device})", Library(torch, device).answer)


if __name__ == "__main__":
    main()
