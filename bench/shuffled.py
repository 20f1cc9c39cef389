#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same float32 values in three orders: NumPy's sums and onefold's, bench/results/shuffled.json.

    bench/shuffled.py [--program onefold] [--write]

Two sets of 2 million values from generators with fixed seeds: a ledger, in which all values but
2,000 have their negative; and uniform ones in [-1, 1). math.fsum, which is correctly rounded to
float64, is the independent check. --write also puts the table into docs/python.md. Needs NumPy;
takes ten seconds. The exit code is 1 where onefold's sums differ from each other or from the check.
"""
import argparse
import array
import datetime
import json
import math
import pathlib
import platform
import random
import struct
import subprocess
import sys
import tempfile

from report import write_between

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench/results/shuffled.json"
ITEMS = 2_000_000
OPEN_ITEMS = 2_000  # of a ledger: those without their negative
ORDERS = ("as made", "shuffled", "shuffled again")
SEED = 1


def uniform(generator, items):
    """Multiples of 2^-23 in [-1, 1): every one is a float32."""
    return [(generator.getrandbits(24) - 2**23) / 2**23 for _ in range(items)]


def ledger(generator, items):
    """Amounts of 2^-10 to 2^20 with 24 bits, then their negatives, then small open items."""
    amounts = [(2**23 + generator.getrandbits(23)) * 2.0 ** (generator.randrange(30) - 33)
               for _ in range((items - OPEN_ITEMS) // 2)]
    return amounts + [-amount for amount in amounts] + uniform(generator, OPEN_ITEMS)


SETS = {"ledger": ledger, "uniform": uniform}


def orders(make, items):
    """The values in each order; the first is that in which they are made."""
    values = make(random.Random(SEED), items)
    for number in range(len(ORDERS)):
        if number:
            random.Random(SEED + number).shuffle(values)
        yield array.array("f", values)


def npy(elements):
    """A .npy file of float32, little-endian."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(elements)},), }}"
    padded = header + " " * (63 - (10 + len(header)) % 64) + "\n"
    if sys.byteorder == "big":
        elements = array.array("f", elements)
        elements.byteswap()
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded.encode("ascii")
            + elements.tobytes())


def to_float32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def output_of(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def cpu_model():
    path = pathlib.Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())


def sums(numpy, program, elements, folder):
    path = pathlib.Path(folder) / "x.npy"
    path.write_bytes(npy(elements))
    loaded = numpy.load(path)
    return {
        "numpy": str(loaded.sum()),
        "numpy_float64": float(loaded.sum(dtype=numpy.float64)),
        "onefold": output_of(program, "sum", path),
        "fsum": math.fsum(elements),
    }


def measure(program):
    import numpy  # only a run needs it

    with tempfile.TemporaryDirectory() as folder:
        rows = {
            name: [sums(numpy, program, elements, folder) for elements in orders(make, ITEMS)]
            for name, make in SETS.items()
        }
    return {
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "platform": platform.platform(),
        "cpu": cpu_model(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "onefold": output_of(program, "--version"),
        "items": ITEMS,
        "seed": SEED,
        "sets": rows,
    }


def findings(result):
    """Where onefold's sums of a set differ, or are not the check's in float32."""
    for name, rows in result["sets"].items():
        answers = {row["onefold"] for row in rows}
        if len(answers) > 1:
            yield f"{name}: onefold's sums differ: {', '.join(sorted(answers))}"
        for row in rows:
            if to_float32(float(row["onefold"])) != to_float32(row["fsum"]):
                yield f"{name}: onefold's sum is {row['onefold']}, math.fsum's {row['fsum']!r}"


def table(result):
    sets = result["sets"]
    heads = [f"{result['items'] / 1e6:g} million float32"]
    heads += [f"{name}: {who}" for name in sets for who in ("NumPy", "onefold")]
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for number, order in enumerate(ORDERS):
        cells = [rows[number][who] for rows in sets.values() for who in ("numpy", "onefold")]
        lines.append(f"| {order} | " + " | ".join(cells) + " |")
    wide = ", ".join(repr(row["numpy_float64"]) for row in sets["ledger"])
    return "\n".join(lines) + (
        f"\n\nThe ledger in float64: NumPy {wide}; Python's `math.fsum` "
        f"{sets['ledger'][0]['fsum']!r}. {result['time'][:10]}, {result['cpu']}, NumPy "
        f"{result['numpy']}; data and table by [`bench/shuffled.py`](../bench/shuffled.py).\n"
    )


def main():
    plain = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--program", default=ROOT / "build/release/onefold")
    parser.add_argument("--write", action="store_true", help="the table into docs/python.md too")
    asked = parser.parse_args()
    result = measure(asked.program)
    print(table(result), end="")
    found = list(findings(result))
    for finding in found:
        print(f"shuffled: {finding}")
    if found:
        return 1
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if asked.write:
        write_between(ROOT / "docs/python.md", "shuffled", table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
