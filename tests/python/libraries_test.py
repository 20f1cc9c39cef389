# SPDX-License-Identifier: Apache-2.0
"""Every function of arrays, on every library and device: NumPy's bits, and whose the answers are.

    python tests/python/libraries_test.py docs/python.md    writes the table of WHOSE to the page
"""
import pathlib
import re
import sys

import numpy as np
import pytest

import onefold

X = np.array([[0.1, -2.5e10, 3.0, 0.25], [7.0, 1e-20, 2.5e10, -1.0], [0.5, 0.1, -3.0, 4.0]])
LINE, BITS = X.reshape(-1), np.arange(7, 19).reshape(3, 4)
OFFSETS, IDS = np.array([0, 5, 5, 12]), np.array([2, 0, 1, 1, 2, 0, 3, 3, 0, 1, 2, 0])


def along(name, x):
    """The answers of a function of all elements, and along an axis where there are two."""
    function = getattr(onefold, name)
    return lambda of: (function(of(x.reshape(-1))),
                       *([function(of(x), axis=1)] if of.has_axes else []))


# Functions by kind: calls whose argument makes an array of the library from one of NumPy.
KINDS = {
    "reductions": {name: along(name, BITS if name.startswith("bit") else X) for name in (
        "sum mean var std prod min max minmax argmin argmax count count_nonzero any all norm norm1 "
        "norm2 norminf sumsq logsumexp nansum nanmean nanvar nanstd nanprod nanmin nanmax "
        "nanargmin nanargmax bit_and bit_or bit_xor").split()},
    "`dot` `vecdot`": {name: lambda of, name=name: (getattr(onefold, name)(of(LINE), of(LINE)),)
                       for name in ("dot", "vecdot")},
    "`reduce_at`": {"reduce_at": lambda of: (onefold.reduce_at(of(LINE), of(OFFSETS)),
                                             onefold.reduce_at(of(LINE), OFFSETS.tolist()))},
    "`group_by`": {"group_by": lambda of: tuple(onefold.group_by(of(IDS), of(LINE)))},
    "`segment`": {"segment": lambda of: (onefold.segment(of(LINE), of(IDS), 5),)},
    "`transpose`": {"transpose": lambda of: (onefold.transpose(of(X)),)},
    "`stats`": {"stats": lambda of: tuple(vars(onefold.stats(of(LINE))).values())},
    "`State.add`": {"State": lambda of: (onefold.State("sum").add(of(LINE)).value(),)},
}
OWN, NUMPYS, REFUSED, NONE = "its own", "NumPy's", "refused", ""
# Whose the answers are, in the order of LIBRARIES; NONE: there are no such arrays.
WHOSE = {
    "reductions": [OWN, OWN, OWN, OWN, OWN, OWN, NUMPYS],
    "`dot` `vecdot`": [OWN, OWN, OWN, OWN, OWN, OWN, NUMPYS],
    "`reduce_at`": [OWN, OWN, OWN, OWN, REFUSED, OWN, NUMPYS],
    "`group_by`": [OWN, OWN, OWN, OWN, REFUSED, OWN, NUMPYS],
    "`segment`": [OWN, OWN, OWN, NUMPYS, REFUSED, NUMPYS, NUMPYS],
    "`transpose`": [OWN, OWN, OWN, OWN, REFUSED, OWN, NONE],
    "`stats`": [NUMPYS] * 7,
    "`State.add`": [NUMPYS] * 7,
}


class Arrays:
    """Makes arrays of a library. Skips the test where the library or the device is not there."""

    def __init__(self, module, on_gpu=False, has_axes=True):
        self.module, self.on_gpu, self.has_axes = module, on_gpu, has_axes

    def load(self):
        self.library = pytest.importorskip(self.module)
        if self.on_gpu and not onefold.machine()["gpus"]:
            pytest.skip("no GPU")
        if self.module == "jax":
            self.library.config.update("jax_enable_x64", True)
            try:
                self.device = self.library.devices("gpu" if self.on_gpu else "cpu")[0]
            except RuntimeError as error:
                pytest.skip(str(error))
        return self

    def __call__(self, x):
        if self.module == "torch":
            return self.library.from_numpy(x).to("cuda" if self.on_gpu else "cpu")
        if self.module == "jax":
            return self.library.device_put(x, self.device)
        make = {"pyarrow": "array", "polars": "Series", "pandas": "Series"}
        return getattr(self.library, make.get(self.module, "asarray"))(x)

    def owns(self, answer):
        """Whether it is an array of the library on the device."""
        like = self(LINE)
        if self.module == "jax":
            return isinstance(answer, type(like)) and answer.devices() == like.devices()
        kinds = (np.ndarray, np.generic) if self.module == "numpy" else type(like)
        return isinstance(answer, kinds) and getattr(answer, "device", 0) == getattr(
            like, "device", getattr(answer, "device", 0))


LIBRARIES = {
    "PyTorch": [Arrays("torch")], "PyTorch, GPU": [Arrays("torch", True)],
    "CuPy": [Arrays("cupy", True)], "JAX": [Arrays("jax")], "JAX, GPU": [Arrays("jax", True)],
    "array API": [Arrays("array_api_strict")],
    "columns": [Arrays(name, has_axes=False) for name in ("pyarrow", "polars", "pandas")],
}


def flat(answers):
    for answer in answers:
        yield from answer if isinstance(answer, tuple) else (answer,)


def on_the_host(answer):
    if hasattr(answer, "get"):  # CuPy's
        return answer.get()
    return np.asarray(answer.cpu() if hasattr(answer, "cpu") else answer)


@pytest.mark.parametrize("kind,library", [(kind, name) for kind in KINDS for name in LIBRARIES])
def test_bits_are_numpys_and_answers_whose_the_table_says(kind, library):
    whose = WHOSE[kind][list(LIBRARIES).index(library)]
    tried = 0
    for arrays in LIBRARIES[library]:
        try:
            arrays.load()
        except pytest.skip.Exception:
            continue
        for name, call in KINDS[kind].items():
            if whose in (REFUSED, NONE):
                with pytest.raises((TypeError, ValueError, ImportError)):
                    call(arrays)
                continue
            plain = Arrays("numpy", has_axes=arrays.has_axes).load()
            for got, want in zip(flat(call(arrays)), flat(call(plain))):
                assert on_the_host(got).tobytes() == on_the_host(want).tobytes(), name
                assert (arrays.owns(got) if whose == OWN else plain.owns(got)
                        or isinstance(got, (int, float))), name
        tried += 1
    if not tried:
        pytest.skip(f"no {library} here")


def table():
    rows = [["", *LIBRARIES], ["---"] * (len(LIBRARIES) + 1), *([kind, *WHOSE[kind]]
                                                                 for kind in KINDS)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def with_table(page):
    """The text of a page with the table between its two comments."""
    return re.sub(r"(<!-- libraries -->\n).*?(<!-- end of libraries -->)",
                  lambda found: found[1] + table() + found[2], page, flags=re.DOTALL)


def test_the_page_has_the_table(checkout):
    page = (checkout / "docs/python.md").read_text()
    assert table() in page and with_table(page) == page


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    path.write_text(with_table(path.read_text()))
