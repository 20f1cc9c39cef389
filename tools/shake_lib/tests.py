# SPDX-License-Identifier: Apache-2.0
"""Finds tests through ctest or through the GoogleTest programs of a folder."""
import json
import os
import pathlib
import re
import shlex
import subprocess

SEED = "ONEFOLD_TEST_SEED"
FILTER = "--gtest_filter="
PROGRAM = re.compile(r"_tests(_\w+)?$")


class Test:
    """A test and what its runs gave. `case` is its name in GoogleTest, None for other commands."""

    def __init__(self, name, command, case=None, cwd=None, env=None):
        self.name, self.command, self.case, self.cwd, self.env = name, command, case, cwd, env or {}
        self.ctest_name, self.skip_code, self.skip_text = name, None, None
        # Tests with the same group can share a process.
        self.group = (tuple(command), str(cwd), tuple(self.env.items()), None if case else name)
        self.kind = "new"  # later random, fixed or skipped
        self.used, self.tried, self.failed = 0, 0, []  # seeds; the used ones include skips
        self.seconds = 0.0  # of all runs
        self.cost = self.start = 0.0  # seconds of the last run, and of the start of its process
        self.running = False

    def summary(self):
        skipped = self.used - self.tried
        return (f"{self.name}: {self.tried} seeds, {len(self.failed)} failures, "
                f"{self.seconds:.1f} s" + (f", {skipped} skipped" if skipped else ""))


def of_ctest(build):
    """The tests of a build tree, without those labelled `long`, and a note for each problem."""
    try:
        listed = subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=build)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"shake: ctest lists no tests of \"{build}\" ({error}); configure it, or "
                         "name --build or --programs") from None
    tests, missing = [], 0
    for row in json.loads(listed)["tests"]:
        properties = {p["name"]: p["value"] for p in row.get("properties", ())}
        if "command" not in row:
            missing += 1
            continue
        if "long" in properties.get("LABELS", ()) or properties.get("DISABLED"):
            continue
        cases = [word for word in row["command"] if word.startswith(FILTER)]
        command = [word for word in row["command"] if not word.startswith(FILTER)]
        case = cases[0].removeprefix(FILTER) if cases else None
        name = f"{os.path.basename(command[0])}:{case}" if case else row["name"]
        variables = [entry.split("=", 1) for entry in properties.get("ENVIRONMENT", ()) if entry]
        test = Test(name, command, case, properties.get("WORKING_DIRECTORY"), dict(variables))
        test.ctest_name = row["name"]
        test.skip_code = properties.get("SKIP_RETURN_CODE")
        test.skip_text = "|".join(properties.get("SKIP_REGULAR_EXPRESSION", ())) or None
        tests.append(test)
    return tests, [f"{missing} tests of \"{build}\" are not built"] if missing else []


def of_programs(folder):
    """The tests of the programs *_tests below a folder, and a note for each that lists none."""
    tests, notes = [], []
    for path in sorted(pathlib.Path(folder).resolve().rglob("*_tests*")):
        if not (PROGRAM.search(path.name) and path.is_file() and os.access(path, os.X_OK)):
            continue
        listed = subprocess.run([path, "--gtest_list_tests"], cwd=path.parent, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = listed.stdout.decode(errors="replace")
        if listed.returncode != 0:
            notes.append(f"\"{path}\" does not list its tests: {text.strip()}")
            continue
        suite = ""
        for line in text.splitlines():
            if match := re.match(r"(\S+\.)(\s+#.*)?$", line):
                suite = match[1]
            elif match := re.match(r"  (\S+)", line):
                case = suite + match[1]
                if "DISABLED_" not in case:
                    tests.append(Test(f"{path.name}:{case}", [str(path)], case, path.parent))
    return tests, notes


def shorter(word):
    """A path below the working directory, relative to it."""
    inside = word.startswith(os.getcwd() + "/")
    return os.path.relpath(word) if inside else word


def command_of(tests, seed):
    """The command for a shell that runs tests of one program with a seed."""
    test = tests[0]
    env = {SEED: str(seed), **{name: value for name, value in os.environ.items()
                               if name.startswith("ONEFOLD_") and name != SEED}, **test.env}
    words = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
    words += [shlex.quote(shorter(word)) for word in test.command]
    if test.case:
        words.append(shlex.quote(FILTER + ":".join(t.case for t in tests)))
    return " ".join(words)
