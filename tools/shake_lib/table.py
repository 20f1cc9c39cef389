# SPDX-License-Identifier: Apache-2.0
"""The table that tools/shake writes: a line for each random or skipped test, sorted by name."""
import pathlib

TITLE = "# tools/shake: random tests, how many seeds each was run with, and how many failed"
COLUMNS = "# test\tseeds\tfailures"


class TableError(Exception):
    pass


def write(runs, rows):
    """The text of a table of {name: (number of seeds, seeds that failed)}.

    Each run is a line "DATE, commit NAME, base seed NUMBER"."""
    lines = [TITLE, *(f"# run {run}" for run in sorted(runs)), COLUMNS]
    for name, (tried, failed) in sorted(rows.items()):
        note = " ".join(map(str, sorted(failed))) or ("" if tried else "skipped")
        lines.append("\t".join([name, str(tried), str(len(failed)), *([note] if note else [])]))
    return "\n".join(lines) + "\n"


def read(path):
    """The runs and the rows of a table."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    if lines[:1] != [TITLE]:
        raise TableError(f"\"{path}\" is no table of tools/shake")
    runs = {line.removeprefix("# run ") for line in lines if line.startswith("# run ")}
    rows = {}
    for line in lines:
        if not line.startswith("#"):
            name, tried, failures, *note = line.split("\t")
            rows[name] = (int(tried), list(map(int, note[0].split())) if int(failures) else [])
    return runs, rows


def merge(paths):
    """The runs and the rows of several tables, of shards or of different base seeds."""
    runs, rows, bases = set(), {}, {}
    for path in paths:
        own_runs, own_rows = read(path)
        runs |= own_runs
        own_bases = {run.rsplit(" ", 1)[1] for run in own_runs}
        for name, (tried, failed) in own_rows.items():
            before, failed_before = rows.get(name, (0, []))
            if tried:
                if common := own_bases & bases.setdefault(name, set()):
                    raise TableError(f"\"{path}\" repeats seeds of \"{name}\" (base seed "
                                     f"{min(common)} is in another table, too); leave it out")
                bases[name] |= own_bases
            rows[name] = (before + tried, failed_before + failed)
    if len(commits := {run.split(", ")[1] for run in runs}) > 1:
        raise TableError(f"the tables are of {' and '.join(sorted(commits))}; "
                         "merge tables of one commit")
    return runs, rows
