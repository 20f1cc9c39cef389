#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/shake with programs that take the flags of GoogleTest: what it runs, prints and writes."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

# Of the seeds that follow from the base seed, the second and the sixth are multiples of five.
BASE, SEEDS = "49", "10"
SHAKE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "shake"
# The tests of the program are the functions whose names have "__" for the dot. A line of its log is
# the seed, then the tests of one process.
PROGRAM = '''#!{python}
import json, os, signal, sys, time
SEED = int(os.environ.get("ONEFOLD_TEST_SEED", "1"))
SAID = {{}}  # seconds that a test says it took
class Skip(Exception): pass
def seed():
    print(f"ONEFOLD_TEST_SEED={{SEED}}", flush=True)
    return SEED
{functions}
NAMES = [name for name in list(globals()) if "__" in name.strip("_")]
flags = dict(word.partition("=")[::2] for word in sys.argv[1:])
if "--gtest_list_tests" in flags:
    print("Running main() from a file")
    for name in NAMES:
        suite, case = name.split("__")
        print(f"{{suite}}.  # TypeParam = float\\n  {{case}}  # GetParam() = 3")
    sys.exit(0)
chosen = flags["--gtest_filter"].split(":")
with open({log!r}, "a") as log:
    print(SEED, *chosen, file=log)
suites = []
for name in NAMES:
    suite, case = name.split("__")
    if suite + "." + case in chosen:
        print(f"[ RUN      ] {{suite}}.{{case}}", flush=True)
        row, start = dict(name=case, result="COMPLETED"), time.monotonic()
        try:
            globals()[name]()
        except Skip:
            row["result"] = "SKIPPED"
        except AssertionError as error:
            print(f"Failure: {{error}}")
            row["failures"] = [dict(failure=f"Failure: {{error}}")]
        row["time"] = f"{{SAID.get(name, time.monotonic() - start):.3f}}s"
        suites.append(dict(name=suite, testsuite=[row]))
if "--gtest_output" in flags:
    with open(flags["--gtest_output"].removeprefix("json:"), "w") as report:
        json.dump(dict(testsuites=suites), report)
sys.exit(any("failures" in suite["testsuite"][0] for suite in suites))
'''
PASSES = "def A__passes(): seed()\n"
FAILS = "def A__fails(): assert seed() % 5, 'a multiple of five'\n"
FIXED = "def B__is_fixed(): pass\n"


class Shake(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"

    def program(self, functions, name="fake_tests"):
        path = self.folder / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM.format(python=sys.executable, functions=functions,
                                       log=str(self.log)), encoding="utf-8")
        path.chmod(0o755)
        return path

    def command(self, *words):
        return [sys.executable, SHAKE, "--base-seed", BASE, "--jobs", "2", *words]

    def shake(self, code, *words, source=("--programs", "programs"), **env):
        # The commands that it prints name every variable of ours.
        others = {name: value for name, value in os.environ.items()
                  if not name.startswith("ONEFOLD_")}
        done = subprocess.run(self.command(*source, *words), cwd=self.folder, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60, env={**others, **env})
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def processes(self):
        """The seed and the tests of each process."""
        rows = [line.split() for line in self.log.read_text(encoding="utf-8").splitlines()]
        return [(int(row[0]), row[1:]) for row in rows]

    def seeds_of(self, case):
        return [seed for seed, cases in self.processes() if case in cases]

    def table(self, path="table"):
        lines = (self.folder / path).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not line.startswith("#")]

    def test_a_failure_is_found_and_its_command_repeats_it(self):
        self.program(PASSES + FAILS + FIXED)
        said = self.shake(1, "--seeds", SEEDS)
        commands = re.findall(r"^fake_tests:A\.fails: failed: (.*)$", said, re.M)
        multiples = {seed for seed in self.seeds_of("A.passes") if seed % 5 == 0}
        self.assertEqual(len(multiples), 2, said)
        self.assertEqual(len(commands), len(multiples), said)
        for command in commands:
            self.assertIn(" programs/fake_tests --gtest_filter=A.fails", command)
            again = subprocess.run(command, shell=True, cwd=self.folder, check=False, text=True,
                                   stdout=subprocess.PIPE)
            self.assertEqual(again.returncode, 1)
            self.assertIn("Failure: a multiple of five", again.stdout)
        self.assertEqual(said.count("  | Failure: a multiple of five"), 1)
        self.assertIn(f"A.fails: {SEEDS} seeds, 2 failures, ", said)
        self.assertIn(f"A.passes: {SEEDS} seeds, 0 failures, ", said)

    def test_each_process_has_a_seed_of_its_own_and_the_base_seed_repeats_them(self):
        self.program(PASSES)
        self.shake(0, "--seeds", "9")
        first = self.seeds_of("A.passes")
        self.assertEqual(len(set(first)), 9)
        self.log.unlink()
        self.assertIn(f"--base-seed {BASE}\n", self.shake(0, "--seeds", "9"))
        self.assertEqual(self.seeds_of("A.passes"), first)

    def test_cheap_tests_share_processes_after_their_first_run(self):
        self.program(PASSES + FAILS)
        self.shake(1, "--seeds", SEEDS, "--jobs", "1")
        shared = [cases for _, cases in self.processes() if len(cases) == 2]
        self.assertEqual(len(shared), int(SEEDS) - 1)

    def test_a_test_that_uses_no_seed_runs_once(self):
        self.program(PASSES + FIXED)
        said = self.shake(0, "--seeds", "5", "--write", "table")
        self.assertEqual(len(self.seeds_of("B.is_fixed")), 1)
        self.assertIn("1 random tests, 5 runs, 0 tests failed, 0 skipped, 1 not random", said)
        self.assertEqual(self.table(), ["fake_tests:A.passes\t5\t0"])

    def test_a_failure_without_a_seed_counts(self):
        self.program("def B__fails(): assert False, 'always'\n")
        self.assertIn("fake_tests:B.fails: failed without a seed: programs/fake_tests "
                      "--gtest_filter=B.fails", self.shake(1))

    def test_skipped_tests_are_reported_and_not_tried(self):
        self.program(PASSES + "def A__skips():\n  seed()\n  raise Skip\n")
        said = self.shake(0, "--seeds", "3", "--write", "table")
        self.assertIn("fake_tests:A.skips: skipped\n", said)
        self.assertEqual(len(self.seeds_of("A.skips")), 1)
        self.assertEqual(self.table(), ["fake_tests:A.passes\t3\t0",
                                        "fake_tests:A.skips\t0\t0\tskipped"])

    def test_seconds_limit_a_test_after_its_first_run(self):
        self.program("def A__is_slow():\n  seed()\n  SAID['A__is_slow'] = 99\n" + PASSES)
        said = self.shake(0, "--seeds", "4", "--seconds", "40")
        self.assertEqual(len(self.seeds_of("A.is_slow")), 1, said)
        self.assertIn("A.is_slow: 1 seeds, 0 failures, ", said)
        self.assertGreater(len(self.seeds_of("A.passes")), 1)

    def test_a_budget_ends_the_run_and_keeps_the_table(self):
        self.program("def A__hangs():\n  seed()\n  time.sleep(50)\n" + PASSES)
        start = time.monotonic()
        said = self.shake(0, "--seeds", "4", "--budget", "10", "--write", "table")
        self.assertLess(time.monotonic() - start, 40)
        self.assertIn("1 not tried", said)
        self.assertEqual(self.table(), ["fake_tests:A.passes\t4\t0"])

    def test_interruption_ends_the_processes_and_keeps_the_table(self):
        self.program(PASSES + "def A__hangs():\n  seed()\n"
                     "  open('pid', 'w').write(str(os.getpid()))\n  time.sleep(50)\n")
        # A test run in the background of a script inherits that SIGINT is ignored.
        with subprocess.Popen(self.command("--programs", "programs", "--seeds", "4", "--write",
                                           "table"), cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(
                                  signal.SIGINT, signal.SIG_DFL)) as run:
            for line in run.stdout:
                if "A.passes: 4 seeds" in line:
                    break
            pid = self.folder / "programs" / "pid"
            while not (pid.exists() and pid.read_text(encoding="utf-8")):
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            rest = run.stdout.read()
            self.assertEqual(run.wait(30), 130, rest)
        self.assertNotIn("Traceback", rest)
        self.assertEqual(self.table(), ["fake_tests:A.passes\t4\t0"])
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text(encoding="utf-8")), 0)

    def test_a_crash_counts_for_the_test_that_crashed(self):
        self.program(PASSES + "def A__crashes():\n"
                     "  if seed() % 5 == 0: os.kill(os.getpid(), signal.SIGSEGV)\n"
                     "def C__passes(): seed()\n")
        said = self.shake(1, "--seeds", SEEDS, "--write", "table")
        self.assertRegex(self.table()[0], rf"^fake_tests:A.crashes\t{SEEDS}\t2\t")
        self.assertEqual([row.split("\t")[1:] for row in self.table()[1:]], [[SEEDS, "0"]] * 2)
        self.assertIn("  | signal 11\n", said)

    def test_a_failure_of_two_tests_together_has_the_command_of_both(self):
        self.program("STATE = []\n" + PASSES.replace("seed()", "STATE.append(seed())") +
                     "def A__needs_a_fresh_process():\n  seed()\n  assert not STATE, 'stale'\n")
        said = self.shake(1, "--seeds", "2", "--jobs", "1")
        command = re.search(r"process: failed: (.*)", said)[1]
        self.assertRegex(command, "--gtest_filter=A.*:A")
        self.assertEqual(subprocess.run(command, shell=True, cwd=self.folder, check=False,
                                        stdout=subprocess.DEVNULL).returncode, 1)

    def test_a_process_beyond_the_time_limit_fails(self):
        self.program("def A__hangs():\n  if seed(): time.sleep(50)\n")
        loader = importlib.machinery.SourceFileLoader("shake", str(SHAKE))
        sys.path.insert(0, str(SHAKE.parent))
        sys.dont_write_bytecode = True
        shake = importlib.util.module_from_spec(importlib.util.spec_from_loader("shake", loader))
        loader.exec_module(shake)
        shake.TIMEOUT = 1
        tests, _ = shake.test_lists.of_programs(self.folder / "programs")
        run = shake.Shake(tests, [7], 60, self.folder)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertFalse(run.run(1, 30))
        self.assertIn("  | more than 1 s\n", said.getvalue())
        self.assertEqual(tests[0].failed, [7])

    def test_shards_have_every_test_once_and_merge_to_one_table(self):
        self.program(PASSES + FAILS + FIXED + "def A__third(): seed()\n")
        self.program(PASSES, "more_tests")
        self.shake(1, "--seeds", SEEDS, "--write", "whole")
        for k, code in ((1, 1), (2, 0), (3, 0)):  # the test that fails is the first one by name
            self.shake(code, "--seeds", SEEDS, "--shard", f"{k}/3", "--write", f"part{k}")
        self.shake(0, "--merge", "part2", "part3", "part1", "--write", "merged", source=())
        self.assertEqual(*((self.folder / name).read_text(encoding="utf-8")
                           for name in ("whole", "merged")))
        self.assertEqual(len(self.table("whole")), 4)

    def test_tables_of_the_same_seeds_or_of_two_commits_do_not_merge(self):
        self.program(PASSES)
        for name, *words in (("a", "--commit", "c1"), ("b", "--commit", "c2", "--base-seed", "2"),
                             ("c", "--commit", "c1", "--base-seed", "2")):
            self.shake(0, "--seeds", "2", "--write", name, *words)
        self.assertIn("repeats seeds", self.shake(1, "--merge", "a", "a", source=()))
        self.assertIn("commit c1 and commit c2", self.shake(1, "--merge", "a", "b", source=()))
        self.assertIn("fake_tests:A.passes\t4\t0", self.shake(0, "--merge", "a", "c", source=()))

    def test_the_table_has_a_header_and_lines_sorted_by_name(self):
        self.program(FAILS + PASSES)
        self.shake(1, "--seeds", SEEDS, "--commit", "abc", "--write", "table")
        lines = (self.folder / "table").read_text(encoding="utf-8").splitlines()
        self.assertRegex(lines[1],
                         rf"^# run \d{{4}}-\d\d-\d\d, commit abc, base seed {BASE}$")
        self.assertEqual(lines[2], "# test\tseeds\tfailures")
        failed = sorted({seed for seed in self.seeds_of("A.fails") if seed % 5 == 0})
        self.assertEqual(lines[3:], [f"fake_tests:A.fails\t{SEEDS}\t2\t{failed[0]} {failed[1]}",
                                     f"fake_tests:A.passes\t{SEEDS}\t0"])

    def test_a_table_that_cannot_be_written_is_an_error_before_the_run(self):
        self.program(PASSES)
        self.assertIn("shake: [Errno 21] Is a directory", self.shake(1, "--write", "programs"))
        self.assertFalse(self.log.exists())

    def test_patterns_choose_tests(self):
        self.program(PASSES + FAILS)
        self.shake(0, "--seeds", "3", "passes$")
        self.assertEqual({tuple(cases) for _, cases in self.processes()}, {("A.passes",)})
        self.assertIn("no test matches", self.shake(1, "nothing"))

    def test_a_program_that_lists_no_tests_is_named(self):
        self.program(PASSES)
        self.program("sys.exit('no such library')\n", "broken_tests")
        self.assertIn("does not list its tests: no such library", self.shake(1, "--seeds", "2"))
        self.assertEqual(len(self.seeds_of("A.passes")), 2)

    @unittest.skipUnless(shutil.which("ctest"), "ctest is not installed")
    def test_ctest_gives_tests_with_their_environment(self):
        program = self.program("def A__passes():\n  assert os.environ['ONEFOLD_MODE'] == 'a b'\n"
                               "  assert os.path.basename(os.getcwd()) == 'programs'\n  seed()\n")
        (self.folder / "script.py").write_text(
            "import os\nseed = int(os.environ['ONEFOLD_TEST_SEED'])\n"
            "print(f'ONEFOLD_TEST_SEED={seed}')\nassert seed % 5\n", encoding="utf-8")
        build = self.folder / "build"
        build.mkdir()
        (build / "CTestTestfile.cmake").write_text(
            f'add_test("A passes" "{program}" "--gtest_filter=A.passes")\n'
            f'set_tests_properties("A passes" PROPERTIES ENVIRONMENT "ONEFOLD_MODE=a b" '
            f'WORKING_DIRECTORY "{program.parent}")\n'
            f'add_test(a.script "{sys.executable}" "{self.folder}/script.py")\n'
            f'add_test(a.skip sh -c "exit 77")\n'
            f'set_tests_properties(a.skip PROPERTIES SKIP_RETURN_CODE 77)\n'
            f'add_test(a.fixed true)\n'
            f'add_test(a.long false)\nset_tests_properties(a.long PROPERTIES LABELS long)\n'
            f'add_test(missing_NOT_BUILT missing_NOT_BUILT)\n', encoding="utf-8")
        said = self.shake(1, "--seeds", SEEDS, "--write", "table", source=("--build", "build"))
        rows = [row.split("\t") for row in self.table()]
        self.assertEqual([row[0] for row in rows], ["a.script", "a.skip", "fake_tests:A.passes"])
        self.assertEqual(rows[2][1:], [SEEDS, "0"])
        self.assertEqual(rows[1][1:], ["0", "0", "skipped"])
        commands = re.findall(r"^a\.script: failed: (.*)$", said, re.M)
        self.assertEqual(len(commands), int(rows[0][2]))
        for command in commands[:1]:
            self.assertEqual(subprocess.run(command, shell=True, cwd=self.folder, check=False,
                                            stderr=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL).returncode, 1)
        self.shake(0, "--seeds", "2", "^A passes$", source=("--build", "build"))


if __name__ == "__main__":
    unittest.main()
