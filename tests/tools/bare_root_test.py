#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/bare_root where it cannot work; where it can, tools/check runs the README's commands."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class BareRoot(unittest.TestCase):
    def ask(self, *arguments, **programs):
        """(exit code, errors) in an empty checkout on a machine whose PATH has these programs."""
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            for folder in ("tools", "bin"):
                (root / folder).mkdir()
            shutil.copy(ROOT / "tools/bare_root", root / "tools")
            for name in ("bash", "env", "sed", "awk", "rm", "mkdir"):
                (root / "bin" / name).symlink_to(shutil.which(name))
            for name, body in programs.items():
                path = root / "bin" / name.replace("_", "-")
                path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
                path.chmod(0o755)
            done = subprocess.run([root / "tools/bare_root", *arguments], text=True, check=False,
                                  stderr=subprocess.PIPE, env={"PATH": str(root / "bin")})
        return done.returncode, done.stderr

    def test_without_a_command_it_says_how(self):
        code, said = self.ask()
        self.assertEqual(code, 2)
        self.assertIn("tools/bare_root [--new] [--fresh] make run", said)

    def test_who_is_not_root_gets_none(self):
        self.assertEqual(self.ask("true", id="echo 1000"),
                         (77, "bare_root: only root can make and enter one\n"))

    def test_without_debootstrap_the_remedy_is_named(self):
        code, said = self.ask("true", id="echo 0")
        self.assertEqual(code, 77)
        self.assertIn("tools/setup check installs it", said)

    def test_without_mount_namespaces_it_says_so(self):
        code, said = self.ask("true", id="echo 0", debootstrap="exit 0", unshare="exit 1")
        self.assertEqual((code, said.count("mount namespace")), (77, 1))

    def test_without_a_source_of_the_release_it_says_so(self):
        code, said = self.ask("true", id="echo 0", debootstrap="exit 0", unshare="exit 0",
                              apt_get="echo http://x noble main")
        self.assertEqual((code, said),
                         (77, "bare_root: no package source of this machine has Debian bookworm\n"))

    def test_a_suite_and_a_processor_reach_debootstrap(self):
        code, said = self.ask("--suite=trixie:arm64", "true", id="echo 0", unshare="exit 0",
                              tail='while read l; do echo "$l"; done <"$3"',
                              apt_get="echo http://x bookworm main",
                              debootstrap='echo "$*"; exit 1')
        self.assertNotEqual(code, 0)
        self.assertIn("--arch=arm64", said)
        self.assertIn(" trixie ", said)
        self.assertIn("/build/bare/trixie-arm64.new http://x", said)

    def test_a_root_that_cannot_be_made_is_a_failure_and_shows_the_end_of_the_log(self):
        code, said = self.ask("true", id="echo 0", unshare="exit 0",
                              tail='while read l; do echo "$l"; done <"$3"',
                              apt_get="echo http://x bookworm main",
                              debootstrap="echo no such mirror; exit 1")
        self.assertNotIn(code, (0, 77))
        self.assertIn("no such mirror", said)


if __name__ == "__main__":
    unittest.main()
