# SPDX-License-Identifier: Apache-2.0
"""NumPy on the same request, in this process."""

import time


def logsumexp(numpy, x):
    most = x.max()
    return most + numpy.log(numpy.exp(x - most).sum())


class NumPy:
    def __init__(self):
        import numpy

        self.numpy, self.of, self.x, self.y, self.cuts = numpy, None, None, None, {}

    def type_of(self, dtype):
        return "?" if dtype == "bool" else dtype[0] + str(int(dtype[1:]) // 8)

    def prepare(self, row):
        of = (row.dtype, row.data, row.items, row.op == "dot")
        if self.of != of:
            self.x = self.y = None
            self.x = self.elements(row)
            self.y = self.x.copy() if row.op == "dot" else None
            self.of = of
        return self.x.reshape(row.shape)

    def elements(self, row):
        """A mebi of values of the kind, again and again."""
        random, kind = self.numpy.random.default_rng(1), self.type_of(row.dtype)
        n = min(1 << 20, row.items)
        if row.data == "zeros":
            fresh = self.numpy.zeros(n, kind)
        elif kind[0] in "iu" or row.data == "bits":
            fresh = random.integers(0, 256, n * self.numpy.dtype(kind).itemsize, "u1").view(kind)
        else:
            fresh = random.standard_normal(n)
            if row.data == "lognormal10":
                fresh *= self.numpy.exp(10 * random.standard_normal(n))
            fresh = fresh.astype(kind)
        if kind in ("i8", "u8"):  # 64 bits: sums fit
            fresh >>= 28
        if row.data == "bits":
            fresh = self.numpy.where(self.numpy.isfinite(fresh), fresh, 1).astype(kind)
        return self.numpy.resize(fresh, row.items)

    def offsets(self, row):
        """As data_sets.cpp makes them; reduceat takes none at the end of the elements."""
        key = (row.over, row.items)
        if key not in self.cuts:
            random, mean = self.numpy.random.default_rng(5), row.over[9:]
            n = 2 * row.items if mean == "zipf" else 2 * row.items // int(mean) + 1024
            if mean == "zipf":
                lengths = self.numpy.minimum(1e5, 1 / (1 - random.random(n))).astype("i8")
            else:
                lengths = random.integers(0, 2 * int(mean) + 1, n)
            ends = self.numpy.cumsum(lengths)
            self.cuts = {key: self.numpy.concatenate([[0], ends[ends < row.items]])}
        return self.cuts[key]

    def call(self, row):
        """The call that answers the row, or None where NumPy has no such operation."""
        np = self.numpy
        if row.dtype == "bf16" or row.op == "count" or row.subject in ("eigen", "std_reduce"):
            return None
        x = self.prepare(row)
        out = {"dtype": self.type_of(row.out)} if row.out else {}
        if row.over.startswith("segments"):
            cuts = self.offsets(row)
            return lambda: np.add.reduceat(x, cuts)
        if row.over not in ("all", "-"):
            along = int(row.over)
            return lambda: np.add.reduce(x, axis=along, **out)
        y = self.y
        return {
            "sum": lambda: np.add.reduce(x),
            "mean": lambda: np.mean(x),
            "dot": lambda: np.dot(x, y),
            "norm2": lambda: np.linalg.norm(x),
            "var": lambda: np.var(x),
            "std": lambda: np.std(x),
            "min": lambda: np.min(x),
            "max": lambda: np.max(x),
            "argmax": lambda: np.argmax(x),
            "any": lambda: np.any(x),
            "count_nonzero": lambda: np.count_nonzero(x),
            "logsumexp": lambda: logsumexp(np, x),
            "transpose": lambda: x.T.copy(),
        }[row.op]

    def seconds(self, row):
        call = self.call(row)
        with self.numpy.errstate(all="ignore"):
            begin = time.perf_counter()
            for _ in range(row.calls):
                call()
            return (time.perf_counter() - begin) / row.calls
