#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_commits and the hook commit-msg, in scratch repositories."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
GOOD = "plan: merge adjacent axes of stride zero"


class CheckCommits(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name) / "tree"
        self.root.mkdir()
        # No settings of this machine: no hooks, no signing, no name of the user.
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith("GIT_")} | {
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}

    def git(self, *arguments, check=True):
        return subprocess.run(["git", "-C", self.root, *arguments], check=check, text=True,
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def repository(self, *subjects):
        """A branch `work` with these commits, from a main of one."""
        self.git("init", "-q", "-b", "main")
        self.commit("Whatever Main Says.")
        self.git("checkout", "-q", "-b", "work")
        for subject in subjects:
            self.commit(subject)

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def run_it(self, *arguments):
        """(exit code, output)"""
        done = subprocess.run(
            [sys.executable, TOOLS / "check_commits", "--root", self.root, *arguments], text=True,
            check=False, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def message(self, subject):
        path = self.root / "message"
        path.write_text(subject, encoding="utf-8")
        return self.run_it("--message", path)

    def test_good_subjects_pass(self):
        for subject in (GOOD, "tests/cuda: ask again", "state, view: use one word",
                        "c: return the word", "check_layout: embed a table",
                        "bench: bring the rows back", "cpu: feed, pass and process chunks",
                        "cpu: shed a copy", "cuda: alias the words", "tests: never focus on one",
                        "docs: always say which figures are old", "cpu: certify sums of floats",
                        "cpu: co-locate parts", "a: " + "b" * 69, f"fixup! {GOOD}"):
            with self.subTest(subject=subject):
                self.assertEqual(self.message(subject), (0, ""))

    def test_bad_subjects_are_refused_with_the_remedy(self):
        for subject, words in (
            ("a: " + "b" * 70, "73 columns, the cap is 72"),
            ("merge adjacent axes", "no commit is called Merge"),
            ("Merge branch 'work'", "no commit is called Merge"),
            ("Docs: say what is there", "module in lower case"),
            ("What was tried", "module in lower case"),
            ("plan:merge axes", "module in lower case"),
            ("one two three four five: say it", "module in lower case"),
            ("plan:", "module in lower case"),
            ("plan:  merge axes", "one space"),
            ("plan: Merge axes", "lower case: merge"),
            ("plan: merge axes.", "drop the period"),
            ("plan: merged axes", "not with merged"),
            ("plan: merging axes", "not with merging"),
            ("plan: wrote it again", "not with wrote"),
            ("plan: merges axes", "not with merges"),
            ("plan: embedded tables", "not with embedded"),
            ("docs: releases and wheels", "not with releases"),
            ("docs: a word of the pages", "not with a"),
            ("docs: what a call takes", "not with what"),
            ("cpu: in one place", "not with in"),
            ("cpu: two lines within 100 columns", "not with two"),
            ("changelog: few elements; count tests", "not with few"),
            ("cpu: rows, read once", "not with rows"),
            ("cpu: order of the rows", "not with order"),
            ("cpu: time is measured", "not with time"),
            ("docs: README.md links to the pages", "not with README"),
            ("cuda: NaN first", "not with NaN"),
            ("bench: 0.76 of the peak", "not with 0"),
            ("tools: a wheel's library is linked once", "not with a"),
            ("", "module in lower case"),
        ):
            with self.subTest(subject=subject):
                code, said = self.message(subject)
                self.assertEqual((code, said.count("\n")), (1, 1), said)
                self.assertIn(words, said)

    def test_comments_of_the_message_are_no_subject(self):
        self.assertEqual(self.message(f"# On branch work\n\n{GOOD}\n\nWhy. And. So.\n"), (0, ""))

    def test_only_commits_that_main_does_not_have_are_checked(self):
        self.repository(GOOD, GOOD)
        self.assertEqual(self.run_it(), (0, "check_commits: 2 commits, 0 findings\n"))

    def test_a_finding_names_the_commit(self):
        self.repository("Say it", GOOD)
        commit = self.git("rev-parse", "--short", "HEAD~").stdout.strip()
        code, said = self.run_it()
        self.assertEqual(code, 1)
        self.assertTrue(said.startswith(f"{commit}: begin with the module"), said)
        self.assertTrue(said.endswith('"Say it"\ncheck_commits: 2 commits, 1 findings\n'), said)

    def test_a_commit_to_be_squashed_is_a_finding_in_a_range(self):
        self.repository(GOOD, f"fixup! {GOOD}")
        self.assertIn("squash it", self.run_it()[1])

    def test_the_remote_main_counts_where_there_is_one(self):
        self.repository(GOOD)
        self.git("update-ref", "refs/remotes/origin/main", "work")
        self.assertEqual(self.run_it(), (0, "check_commits: 0 commits, 0 findings\n"))

    def test_a_range_may_be_given(self):
        self.repository("Say it", GOOD)
        self.assertEqual(self.run_it("HEAD~..HEAD"),
                         (0, "check_commits: 1 commits, 0 findings\n"))
        self.assertEqual(self.run_it("main..HEAD")[0], 1)

    def test_a_range_that_git_does_not_know_is_a_usage_error(self):
        self.repository()
        code, said = self.run_it("nothing..HEAD")
        self.assertEqual(code, 2)
        self.assertIn("git knows no range 'nothing..HEAD'", said)

    def test_without_main_nothing_is_compared(self):
        self.repository("Say it")
        self.git("branch", "-q", "-D", "main")
        self.assertEqual(self.run_it(), (0, "check_commits: no main to compare with\n"))

    def test_outside_git_nothing_is_compared(self):
        self.assertEqual(self.run_it(), (0, "check_commits: no main to compare with\n"))

    def test_in_a_shallow_clone_without_the_fork_nothing_is_compared(self):
        self.repository("Say it", "Say it again")
        full, self.root = self.root, self.root.parent / "shallow"
        subprocess.run(["git", "clone", "-q", "--depth", "1", "--no-single-branch",
                        full.as_uri(), self.root], check=True, env=self.environment)
        self.assertEqual(self.run_it(), (0, "check_commits: no main to compare with\n"))

    def test_the_hook_refuses_a_commit(self):
        self.repository()
        shutil.copytree(TOOLS / "hooks", self.root / "tools/hooks")
        shutil.copy(TOOLS / "check_commits", self.root / "tools")
        self.git("config", "core.hooksPath", "tools/hooks")
        self.commit(GOOD)
        done = self.git("commit", "--allow-empty", "-m", "Say it", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("commit-msg: begin with the module", done.stderr)
        self.assertEqual(self.git("log", "-1", "--format=%s").stdout.strip(), GOOD)


if __name__ == "__main__":
    unittest.main()
