# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of bench/gpu_peers.py: data, functions, references and errors of the rows of
bench/gpu_peer_rows.py."""

import ctypes
import hashlib
import json
import pathlib

import torch
from gpu_peer_rows import FLOATS, answer_type, answers_of

KINDS = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
         "i64": torch.int64, "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8}
SAME_WIDTH = {torch.float64: torch.int64, torch.float32: torch.int32, torch.float16: torch.int16,
              torch.bfloat16: torch.int16}
AXES = {"whole": 0, "rows": 1, "columns": 0, "three axes": (0, 2)}
DIGITS = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}
SAMPLED = 256  # rows of f64 whose reference is computed in extended precision on the CPU
MODE = "max-autotune-no-cudagraphs"


class Data:
    """The inputs; those of the row before stay where the next row has the same."""

    def __init__(self, device="cuda"):
        self.device, self.kept, self.x = device, None, None

    def of(self, row):
        """(x,), or (x, keys) of groups."""
        count = row.shape[0] if row.layout == "groups" else torch.Size(row.shape).numel()
        if self.kept != (row.dtype, row.data) or self.x.numel() < count:
            self.x, self.kept = None, (row.dtype, row.data)
            self.x = self.made(row, count)
        x = self.x.view(-1)[:count]
        if row.layout == "groups":
            generator = torch.Generator(self.device).manual_seed(2)
            return x, torch.randint(0, row.shape[1], (count,), device=self.device,
                                    generator=generator)
        return (x.view(row.shape),)

    def made(self, row, count):
        kind = KINDS[row.dtype]
        generator = torch.Generator(self.device).manual_seed(1)
        if row.dtype not in FLOATS:
            return torch.randint(0, 100, (count,), dtype=kind, device=self.device,
                                 generator=generator)
        wide = torch.float64 if row.dtype == "f64" else torch.float32
        x = torch.randn(count, dtype=wide, device=self.device, generator=generator)
        if row.data == "cancelling":  # each row's second half is minus its first, but for one
            x = x.view(row.shape)
            half = row.shape[1] // 2
            x[:, half:] = -x[:, :half].flip(1)
            x[:, 0] *= 1 + 2.0**-10
        elif row.data == "far from zero":
            x += 1e4
        elif row.data == "each row's sum is zero":
            x = x.view(row.shape)
            half = row.shape[1] // 2
            x[:, half:] = -x[:, :half].flip(1)
        elif row.data == "lognormal":
            x *= torch.exp(4 * torch.randn(count, dtype=wide, device=self.device,
                                           generator=generator))
        elif row.data == "random bits below 2":
            return self.random_bits(kind, count, generator)
        elif row.data == "log-probabilities":
            x = torch.log_softmax(x.view(row.shape), 1)
        return x.view(-1).to(kind)

    def random_bits(self, kind, count, generator):
        """Each exponent and each mantissa equally often, below 2, so that no sum overflows."""
        width = kind.itemsize
        bits = torch.randint(-2**31, 2**31 - 1, (count * width // 4,), dtype=torch.int32,
                             device=self.device, generator=generator)
        bits = bits.view(SAME_WIDTH[kind])
        return bits.bitwise_and_(~(1 << (8 * width - 2))).view(kind)


def function_of(row):
    """The row in PyTorch's words, for eager calls and for torch.compile."""
    axis = AXES.get(row.layout)
    if row.layout == "groups":
        groups = row.shape[1]
        return lambda x, keys: torch.zeros(groups, dtype=x.dtype, device=x.device).index_add(
            0, keys, x)
    return {
        "sum": lambda x: torch.sum(x, axis),
        "mean": lambda x: torch.mean(x, axis),
        "var": lambda x: torch.var(x, axis, correction=0),
        "norm1": lambda x: torch.linalg.vector_norm(x, 1, axis),
        "norm2": lambda x: torch.linalg.vector_norm(x, 2, axis),
        "norminf": lambda x: torch.linalg.vector_norm(x, float("inf"), axis),
        "logsumexp": lambda x: torch.logsumexp(x, axis),
        "max": lambda x: torch.amax(x, axis),
        "min": lambda x: torch.amin(x, axis),
        "minmax": lambda x: torch.stack(torch.aminmax(x, dim=axis)),
        "argmax": lambda x: torch.argmax(x, axis),
        "argmin": lambda x: torch.argmin(x, axis),
        "count_nonzero": lambda x: torch.count_nonzero(x, axis),
        "dot": lambda x: torch.dot(x[: x.numel() // 2], x[x.numel() // 2 :]),
        "transpose": lambda x: x.t().contiguous(),
    }[row.op]


def compiled(function):
    """With nothing kept of the functions before, so that no limit of recompilations makes it
    eager, and with an error where a part of it cannot be compiled."""
    torch._dynamo.reset()
    return torch.compile(function, mode=MODE, dynamic=False, fullgraph=True)


class Reference:
    """What a row's answers are compared with: binary64, of f64 extended precision of some rows.
    errors(y): greatest and mean error in units in the last place; wrong(y): beyond `allowed`."""

    def __init__(self, row, args):
        self.row, self.exact, self.rows = row, True, None
        if row.op in ("argmax", "argmin"):
            # Answers may be any place of an equal element.
            self.x, self.axis = args[0], AXES[row.layout]
            best = torch.amax if row.op == "argmax" else torch.amin
            self.value = best(args[0], self.axis)
        elif row.dtype not in FLOATS or row.op in ("max", "min", "minmax", "norminf", "transpose",
                                                   "count_nonzero"):
            self.value = function_of(row)(*args)
        else:
            self.exact = False
            self.value, self.allowed = self.rounded(args)

    def rounded(self, args):
        row, x = self.row, args[0]
        if row.dtype == "f64":
            if row.layout != "rows":
                return None, None
            return self.extended(x[:SAMPLED])
        wide = x.double()
        if row.op == "var" and row.layout == "rows":
            # PyTorch's own way loses the digits of a large mean; differences of f32 lose none here.
            wide = wide - wide[:, :1]
        value = function_of(row)(wide, *args[1:]).reshape(-1)
        return value, self.slack(value, lambda: self.magnitude(args), 2.0**-48, 2.0**-44, 2.0**-27)

    def magnitude(self, args):
        """The sums of the terms' magnitudes, which bound the reference's own error."""
        x = args[0].double()
        if self.row.op == "dot":
            return torch.dot(x[: x.numel() // 2].abs(), x[x.numel() // 2 :].abs())
        row = self.row if self.row.op in ("mean", "index_add") else self.row._replace(op="sum")
        return function_of(row)(x.abs(), *args[1:]).reshape(-1)

    def slack(self, value, magnitude, of_sums, of_squares, of_logarithms):
        if self.row.op == "logsumexp":
            return of_logarithms
        if self.row.op in ("var", "norm2"):
            return of_squares * abs(value)
        return of_sums * magnitude()

    def extended(self, x):
        import numpy

        rows = x.cpu().numpy().astype(numpy.longdouble)
        self.rows, n = len(rows), rows.shape[1]
        centred = rows - rows.mean(1, keepdims=True)
        most = rows.max(1)
        value = {"sum": lambda: rows.sum(1), "mean": lambda: rows.mean(1),
                 "var": lambda: (centred * centred).sum(1) / n,
                 "norm2": lambda: numpy.sqrt((rows * rows).sum(1)),
                 "norm1": lambda: abs(rows).sum(1),
                 "logsumexp": lambda: most + numpy.log(
                     numpy.exp(rows - most[:, None]).sum(1))}[self.row.op]()
        share = n if self.row.op == "mean" else 1
        return value, self.slack(value, lambda: abs(rows).sum(1) / share, 2.0**-58, 2.0**-56,
                                 2.0**-45)

    def ulp(self, value):
        """The unit in the last place of the answer's type at each value."""
        digits, least = DIGITS[self.row.dtype]
        if isinstance(value, torch.Tensor):
            exponent = torch.frexp(value).exponent.double() - digits
            return torch.exp2(exponent.masked_fill(value == 0, least).clamp(min=least))
        import numpy

        exponent = numpy.where(value == 0, least, numpy.frexp(value)[1] - digits)
        return numpy.exp2(numpy.maximum(exponent, least).astype(float))

    def difference(self, y):
        if self.rows is None:
            return (y.reshape(-1).double() - self.value).abs()
        return abs(y.reshape(-1)[: self.rows].cpu().numpy().astype(self.value.dtype) - self.value)

    def errors(self, y):
        """{"max", "mean"} in ulps; None where the answers are exact or have no reference."""
        if self.exact or self.value is None:
            return None
        ulps = self.difference(y) / self.ulp(self.value)
        return {"max": float(f"{float(ulps.max()):.4g}"),
                "mean": float(f"{float(ulps.mean()):.4g}")}

    def wrong(self, y, rounded_once=True):
        """Why the answers are not what they should be; None: they are."""
        if self.value is None:
            return None
        if not self.exact:
            if not rounded_once:
                return None
            excess = self.difference(y) - (0.5 * self.ulp(self.value) + self.allowed)
            count = int((excess > 0).sum())
            return f"{count} of {len(excess)} answers are not rounded once" if count else None
        if self.row.op in ("argmax", "argmin"):
            index = y.reshape(self.value.shape).long()
            found = (self.x[index] if self.row.layout == "whole" else self.x.gather(
                self.axis, index.unsqueeze(self.axis)).squeeze(self.axis))
        else:
            found = y.reshape(self.value.shape).to(self.value.dtype)
        count = int((found != self.value).sum())
        return f"{count} of {found.numel()} answers are not the expected ones" if count else None


class Library:
    """onefold by bench/gpu_library.cpp, on PyTorch's memory and stream. None of its calls waits,
    but for those of groups and of transposes."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("version", "reduce", "sums_by_key", "transpose"):
            getattr(self.lib, f"gpu_library_{name}").restype = ctypes.c_char_p
        # Two builds of one version are told apart, so that no result mixes them.
        digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]
        self.version = f"{self.lib.gpu_library_version().decode()} (library {digest})"
        self.status = torch.zeros(16, dtype=torch.int32, device="cuda")
        self.lib.gpu_library_cub_name.restype = ctypes.c_char_p
        self.lib.gpu_library_cub_versions.restype = ctypes.c_char_p
        cub = json.loads(f"{{{self.lib.gpu_library_cub_versions().decode()}}}")
        self.cccl = cub["CCCL"]

    def call_of(self, row, args):
        """A function that leaves the answers in a tensor, and returns it."""
        x = args[0]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        at = {name: ctypes.c_void_p(tensor.data_ptr()) for name, tensor in
              (("x", x), ("keys", args[-1]), ("status", self.status))}
        kind = row.dtype.encode()
        count = row.shape[1] if row.layout == "groups" else answers_of(row)
        out = torch.empty(count, dtype=KINDS[answer_type(row)], device="cuda")
        to = ctypes.c_void_p(out.data_ptr())
        if row.layout == "transpose":
            sides = [ctypes.c_int64(side) for side in row.shape]
            return self.checked(self.lib.gpu_library_transpose, out, kind, at["x"], *sides, to,
                                stream)
        if row.layout == "groups":
            keys_out = torch.empty(count, dtype=torch.int64, device="cuda")
            return self.checked(self.lib.gpu_library_sums_by_key, out, kind, at["keys"], at["x"],
                                ctypes.c_int64(row.shape[0]), ctypes.c_void_p(keys_out.data_ptr()),
                                to, ctypes.c_int64(count), stream, keep=keys_out)
        shape = [x.numel() // 2] if row.op == "dot" else list(row.shape)
        second = ctypes.c_void_p(x.data_ptr() + x.numel() // 2 * x.element_size())
        extents = (ctypes.c_int64 * len(shape))(*shape)
        axes = {"whole": (), "three axes": (0, 2)}.get(row.layout, (AXES[row.layout],))
        return self.checked(self.lib.gpu_library_reduce, out, row.op.encode(), kind, 0, at["x"],
                            second, len(shape), extents, len(axes), (ctypes.c_int * len(axes))(
                                *axes), to, at["status"], stream)

    def cub_calls(self, row, args):
        """{name: a function that leaves CUB's sum in a tensor, and returns it}; {} of other rows.
        Those of the call before are no longer valid."""
        x = args[0]
        if (row.op, row.layout) != ("sum", "whole") or row.dtype not in FLOATS:
            return {}
        wide = torch.float64 if row.dtype == "f64" else torch.float32
        out = torch.empty(1, dtype=wide, device="cuda")
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        count = self.lib.gpu_library_cub(row.dtype.encode(), ctypes.c_void_p(x.data_ptr()),
                                         ctypes.c_int64(x.numel()), ctypes.c_void_p(out.data_ptr()))

        def call_of(i):
            return lambda: (self.lib.gpu_library_cub_run(i, stream), out)[1]

        return {self.lib.gpu_library_cub_name(i).decode(): call_of(i) for i in range(count)}

    def checked(self, function, out, *words, keep=None):
        def call():
            message = function(*words)
            if message:
                raise RuntimeError(message.decode())
            return out

        call.kept = keep
        return call


__all__ = ["Data", "Library", "Reference", "compiled", "function_of"]
