#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/setup on machines played by programs on PATH: bare, complete, not root, not Debian."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "setup"
LIST = ROOT / "tools" / "packages.txt"


def packages_of(group):
    rows = [line.split() for line in LIST.read_text(encoding="utf-8").splitlines()]
    return {row[0] for row in rows if row and row[0] != "#" and group in row[1].split(",")}


class Machine:
    """A PATH of its own with the programs that the script needs, and those that are given."""

    def __init__(self, case, programs):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        for name in ("bash", "env", "sort"):
            (self.path / name).symlink_to(shutil.which(name))
        for name, body in programs.items():
            (self.path / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            (self.path / name).chmod(0o755)

    def setup(self, *groups):
        return subprocess.run([SCRIPT, *groups], env={"PATH": str(self.path)}, text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def calls(self):
        log = self.path / "calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def installed(*names):
    """A dpkg-query that knows these packages, and one that was removed but not purged."""
    lines = "".join(f"installed {name}\\n" for name in names) + "config-files libhwy-dev\\n"
    return f"printf '{lines}'; exit 1"


APT_GET = 'echo "$@" >>"${0%/*}/calls"'
ROOT_ID, USER_ID = "echo 0", "echo 1000"


class Setup(unittest.TestCase):
    def test_nothing_missing_says_nothing_and_calls_no_apt(self):
        known = installed(*packages_of("build"))
        machine = Machine(self, {"dpkg-query": known, "apt-get": APT_GET, "id": ROOT_ID})
        done = machine.setup("build")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(machine.calls(), [])

    def test_root_on_debian_names_each_package_and_installs_the_missing_ones_only(self):
        known = installed("cmake", "ninja-build")
        machine = Machine(self, {"dpkg-query": known, "apt-get": APT_GET, "id": ROOT_ID})
        done = machine.setup("build")
        missing = packages_of("build") - {"cmake", "ninja-build"}
        self.assertEqual(done.returncode, 0, done.stderr)
        _, *named, last = done.stdout.splitlines()
        self.assertEqual({line.split()[0] for line in named}, missing)
        self.assertRegex(last, r"^setup: installed in \d+ s$")
        update, install = machine.calls()
        self.assertIn("update", update.split())
        self.assertEqual(missing, set(install.split()) & packages_of("build"))
        self.assertNotIn("cmake", install.split())

    def test_a_package_that_was_removed_counts_as_missing(self):
        known = installed(*(packages_of("build") - {"libhwy-dev"}))
        machine = Machine(self, {"dpkg-query": known, "apt-get": APT_GET, "id": USER_ID})
        done = machine.setup("build")
        self.assertEqual(done.stdout, "sudo apt-get install -y libhwy-dev\n")

    def test_who_is_not_root_gets_one_line_to_type(self):
        known = installed(*(packages_of("test") - {"libgtest-dev", "libmpfr-dev"}))
        machine = Machine(self, {"dpkg-query": known, "apt-get": APT_GET, "id": USER_ID})
        done = machine.setup("test")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "sudo apt-get install -y libgtest-dev libmpfr-dev\n")
        self.assertEqual(machine.calls(), [])

    def test_a_system_that_is_not_debian_gets_one_line_too(self):
        done = Machine(self, {"id": ROOT_ID}).setup("sanitize")
        line = f"sudo apt-get install -y {' '.join(sorted(packages_of('sanitize')))}\n"
        self.assertEqual((done.returncode, done.stdout), (1, line))

    def test_several_groups_are_one_installation(self):
        machine = Machine(self, {"dpkg-query": "exit 1", "apt-get": APT_GET, "id": ROOT_ID})
        machine.setup("build", "test")
        install = set(machine.calls()[-1].split())
        self.assertLessEqual(packages_of("build") | packages_of("test"), install)

    def test_a_failed_installation_is_a_failure(self):
        apt_get = f'{APT_GET}; case "$*" in *install*) exit 100;; esac'
        machine = Machine(self, {"dpkg-query": "exit 1", "apt-get": apt_get, "id": ROOT_ID})
        self.assertNotEqual(machine.setup("build").returncode, 0)

    def test_an_unknown_group_is_a_usage_error(self):
        done = Machine(self, {"id": ROOT_ID}).setup("kitchen")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'kitchen'", done.stderr)

    def test_every_package_has_a_group_and_a_reason(self):
        for line in LIST.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                self.assertRegex(line, r"^[a-z0-9+.-]+ +[a-z]+(,[a-z]+)* +# \S")


if __name__ == "__main__":
    unittest.main()
