#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pipes, interrupts, full disks, closed streams, files that shrink, files larger than memory."""
import os
import resource
import signal
import subprocess
import time
import unittest

from support import PROGRAM, ProgramTest, elements, npy, npy_header

# A stop within 200 ms is promised; the rest is the slack of a loaded machine. ThreadSanitizer
# sleeps for a second in every _exit.
STOPPED_S = 0.2
SLACK_S = 5.0 if "SANITIZED" in os.environ else 1.0


class Interrupts(ProgramTest):
    def start(self, *words, before=lambda: None, **how):
        # An interrupt leaves the reader thread as it is, on purpose: to ThreadSanitizer a leak.
        options = os.environ.get("TSAN_OPTIONS", "") + " report_thread_leaks=0"
        # A job in the background of a shell inherits SIGINT ignored, and onefold keeps that.
        def prepare():
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            before()
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **how, preexec_fn=prepare,
                               env={**os.environ, "TSAN_OPTIONS": options})
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        return run

    def interrupt(self, run, number=signal.SIGINT):
        # The handlers are in place once the program has opened its input or output.
        self.wait_for(lambda: self.handles(run.pid, number))
        start = time.monotonic()
        self.send(run, number)
        out, err = run.communicate(timeout=10)
        self.assertLess(time.monotonic() - start, STOPPED_S + SLACK_S)
        self.assertEqual((run.returncode, out, err), (130, b"", b""))

    def send(self, run, number):
        run.send_signal(number)
        for _ in range(8 if "SANITIZED" in os.environ else 0):
            if self.ends(run, 0.5):
                break
            run.send_signal(number)

    @staticmethod
    def ends(run, seconds):
        """False where the signal did not get through: ThreadSanitizer puts off one that arrives
        as its thread enters a wait until that wait is over, and a later one finds it waiting."""
        try:
            run.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def wait_for(self, condition):
        limit = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), limit, "nothing happened")
            time.sleep(0.005)

    @staticmethod
    def handles(pid, number):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
        return int(caught.split()[1], 16) >> (number - 1) & 1

    def test_a_silent_pipe_can_be_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for words in (["sum", "-"], ["sum", "-", "--format", "npy", "--json"],
                          ["sum", "-", "--format", "raw", "--dtype", "f64"]):
                self.interrupt(self.start(*words, stdin=subprocess.PIPE), number)

    def test_a_fifo_without_a_writer_can_be_interrupted(self):
        os.mkfifo(self.folder / "pipe.npy")
        self.interrupt(self.start("sum", "pipe.npy"))

    def test_a_long_sum_can_be_interrupted_and_leaves_no_file(self):
        name = "a.raw"
        with open(self.folder / name, "wb") as file:
            file.truncate(1 << 40)
        for words in ([], ["--threads", "1"]):
            run = self.start("sum", name, "--dtype", "f64", "-o", "out.txt", *words)
            self.wait_for(lambda: len(list(self.folder.glob("out.txt.*"))) == 1)
            self.interrupt(run, signal.SIGTERM)
            self.assertEqual([path.name for path in self.folder.iterdir()], [name])

    def test_a_signal_that_ends_a_run_leaves_no_file(self):
        with open(self.folder / "a.raw", "wb") as file:
            file.truncate(1 << 40)
        # A core is the shell's or the user's business: none for the test.
        def no_core():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
                signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
            run = self.start("sum", "a.raw", "--dtype", "f64", "-o", "out.txt", before=no_core)
            self.wait_for(lambda: len(list(self.folder.glob("out.txt.*"))) == 1)
            self.wait_for(lambda: self.handles(run.pid, number))
            self.send(run, number)
            run.communicate(timeout=10)
            self.assertEqual(run.returncode, 130 if number == signal.SIGHUP else -number)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["a.raw"])

    def test_nohup_stays_in_force(self):
        with open(self.folder / "a.raw", "wb") as file:
            file.truncate(1 << 40)
        run = self.start("sum", "a.raw", "--dtype", "f64", "-o", "out.txt",
                         before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for(lambda: self.handles(run.pid, signal.SIGTERM))
        self.assertFalse(self.handles(run.pid, signal.SIGHUP))

    def test_several_operators_and_axes_can_be_interrupted(self):
        self.interrupt(self.start("stats", "-", "--format", "raw", "--dtype", "f64",
                                  stdin=subprocess.PIPE))
        self.interrupt(self.start("sum,var", "-", "--format", "npy", "--axis", "0",
                                  stdin=subprocess.PIPE))
        os.mkfifo(self.folder / "b.npy")
        self.write("a.npy", npy("f64", [1]))
        self.interrupt(self.start("dot", "a.npy", "b.npy"))
        with open(self.folder / "large.raw", "wb") as file:
            file.truncate(1 << 40)
        self.interrupt(self.start("mean,std,argmin", "large.raw", "--dtype", "f64"))

    def test_the_first_bad_line_of_a_slow_pipe_ends_the_run(self):
        run = self.start("sum", "-", stdin=subprocess.PIPE)
        run.stdin.write(b"1\nx\n")
        run.stdin.flush()
        self.assertEqual(run.wait(timeout=10), 3)


class Pipes(ProgramTest):
    def test_a_fifo_is_read_as_a_file(self):
        os.mkfifo(self.folder / "pipe.npy")
        data = npy("i32", range(100_000))
        with subprocess.Popen([PROGRAM, "sum", "pipe.npy"], cwd=self.folder,
                              stdout=subprocess.PIPE) as run:
            with open(self.folder / "pipe.npy", "wb") as pipe:
                pipe.write(data)
            self.assertEqual(run.stdout.read(), b"4999950000\n")

    def test_a_pipe_in_small_pieces_gives_the_same_sum(self):
        data = npy("f64", [0.1] * 200_000)
        for level in ("exact", "fast"):
            with subprocess.Popen([PROGRAM, "sum", "-", "--format", "npy", "--accuracy", level,
                                   "--mem-limit", "1M"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
                for start in range(0, len(data), 10_007):
                    run.stdin.write(data[start:start + 10_007])
                out, _ = run.communicate()
            name = self.write("a.npy", data)
            self.assertEqual(out.decode(), self.answer("sum", name, "--accuracy", level))

    def test_several_operators_of_a_pipe_in_small_pieces_say_the_same(self):
        data = npy("f32", [0.1 * (i % 97) - 3 for i in range(200_000)])
        ops = "sum,mean,std,norm2,min,argmax,prod,logsumexp,count_nonzero"
        with subprocess.Popen([PROGRAM, ops, "-", "--format", "npy", "--mem-limit", "1M", "--hex"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            for start in range(0, len(data), 10_007):
                run.stdin.write(data[start:start + 10_007])
            out, _ = run.communicate()
        name = self.write("a.npy", data)
        for threads in ("1", "3"):
            printed = self.answer(ops, name, "--hex", "--threads", threads)
            self.assertEqual(printed.replace("a.npy", "-"), out.decode())

    def test_a_file_on_standard_input_is_read_from_where_it_stands(self):
        name = self.write("a.raw", b"1234" + elements("i32", [5, 6]))
        with open(self.folder / name, "rb") as file:
            file.seek(4)
            done = subprocess.run([PROGRAM, "sum", "-", "--format", "raw", "--dtype", "i32"],
                                  stdin=file, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"11\n")


class Outputs(ProgramTest):
    def shell(self, line):
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, check=False,
                              env={**os.environ, "ONEFOLD": PROGRAM}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_a_full_disk_is_an_error(self):
        code, _, err = self.shell('echo 1 | "$ONEFOLD" sum - > /dev/full')
        self.assertEqual(code, 1)
        self.assertIn("standard output: cannot be written: no space is left", err)
        code, _, err = self.shell('echo 1 | "$ONEFOLD" sum - -o /dev/full')
        self.assertEqual(code, 1)
        self.assertIn("/dev/full: cannot be written", err)

    def test_a_closed_standard_output_is_an_error(self):
        code, _, err = self.shell('echo 1 | "$ONEFOLD" sum - >&-')
        self.assertEqual(code, 1)
        self.assertIn("the stream is closed", err)
        self.write("a.npy", npy("f64", [1]))
        self.assertEqual(self.shell('"$ONEFOLD" sum a.npy >&- 2>&-')[0], 1)
        self.assertEqual(self.shell('"$ONEFOLD" sum a.npy <&-')[:2], (0, "1\n"))

    def test_a_closed_standard_input_is_an_error(self):
        for words in ("sum -", "sum - --format npy", "sum - --format raw --dtype u8", "stats -"):
            code, out, err = self.shell(f'"$ONEFOLD" {words} <&-')
            self.assertEqual((code, out), (1, ""))
            self.assertIn("the stream is closed", err)
        self.assertEqual(self.shell('"$ONEFOLD" sum - 0> written')[:2], (1, ""))
        self.write("a.npy", npy("f64", [1]))
        self.assertEqual(self.shell('"$ONEFOLD" sum a.npy <&-')[:2], (0, "1\n"))

    def test_a_reader_that_has_gone_is_no_news(self):
        code, _, err = self.shell('set -o pipefail; echo 1 | "$ONEFOLD" sum - | true;'
                                  'for i in 1 2 3 4 5; do "$ONEFOLD" help; done | head -n 1')
        self.assertEqual(err, "")
        code, out, err = self.shell('{ sleep 0.3; echo 1; } | "$ONEFOLD" sum - | sleep 0;'
                                    'echo ${PIPESTATUS[1]}')
        self.assertEqual((out, err), ("1\n", ""))

    def test_an_output_file_appears_complete_or_not_at_all(self):
        name = self.write("a.npy", npy("f64", [1]))
        self.write("out.txt", "before")
        (self.folder / "out.txt").chmod(0o640)
        self.assertEqual(self.answer("sum", name, "-o", "out.txt"), "")
        self.assertEqual((self.folder / "out.txt").read_text(), "1\n")
        self.assertEqual((self.folder / "out.txt").stat().st_mode & 0o777, 0o640)
        self.refuses(1, "sum", "missing.npy", "-o", "out.txt")
        self.refuses(1, "sum", "missing.npy", "-o", "new.txt")
        self.assertEqual((self.folder / "out.txt").read_text(), "1\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [name, "out.txt"])
        self.refuses(1, "sum", name, "-o", "no/such/folder.txt", says="cannot be written")
        self.refuses(1, "sum", name, "-o", ".", says="it is a directory")

    def test_an_input_is_not_written_over(self):
        data = npy("f64", [1])
        self.write("a.npy", data)
        self.write("k.npy", npy("i32", [7]))
        (self.folder / "link.npy").symlink_to("a.npy")
        (self.folder / "hard.npy").hardlink_to(self.folder / "a.npy")
        for read, written in (("a.npy", "a.npy"), ("a.npy", "link.npy"), ("link.npy", "a.npy"),
                              ("hard.npy", "a.npy"), ("a.npy", "./a.npy")):
            self.refuses(2, "sum", "k.npy", read, "-o", written, says=f"is the input {read}")
        self.refuses(2, "sum", "a.npy", "--by", "k.npy", "-o", "k.npy", says="is the input k.npy")
        self.refuses(2, "plan", "sum", "a.npy", "-o", "a.npy", says="is the input a.npy")
        code, _, err = self.shell('"$ONEFOLD" sum - --format npy -o a.npy < hard.npy')
        self.assertEqual(code, 2)
        self.assertIn("is the input standard input", err)
        self.assertEqual((self.folder / "a.npy").read_bytes(), data)

    def test_an_output_named_dash_is_standard_output(self):
        self.write("a.npy", npy("f64", [1]))
        self.assertEqual(self.answer("sum", "a.npy", "-o", "-"), "1\n")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.npy"])

    def test_a_link_to_no_file_makes_the_file(self):
        self.write("a.npy", npy("f64", [1]))
        (self.folder / "inside").mkdir()
        (self.folder / "first").symlink_to("inside/second")
        (self.folder / "inside/second").symlink_to("target.txt")
        self.answer("sum", "a.npy", "-o", "first")
        self.assertTrue((self.folder / "first").is_symlink())
        self.assertTrue((self.folder / "inside/second").is_symlink())
        self.assertEqual((self.folder / "inside/target.txt").read_text(), "1\n")
        (self.folder / "loop").symlink_to("loop")
        self.refuses(1, "sum", "a.npy", "-o", "loop", says="a loop of them")
        self.assertTrue((self.folder / "loop").is_symlink())

    def test_a_file_that_may_not_grow_is_an_error(self):
        self.write("a.npy", npy("f64", [0.1] * 4000, (4000, 1)))
        code, _, err = self.shell('ulimit -f 1; "$ONEFOLD" sum a.npy --axis 1 -o out.txt')
        self.assertEqual(code, 1, err)
        self.assertIn("ulimit -f", err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.npy"])

    def test_a_link_to_an_output_file_stays_a_link(self):
        name = self.write("a.npy", npy("f64", [1]))
        self.write("real.txt", "before")
        (self.folder / "link.txt").symlink_to("real.txt")
        self.answer("sum", name, "-o", "link.txt")
        self.assertTrue((self.folder / "link.txt").is_symlink())
        self.assertEqual((self.folder / "real.txt").read_text(), "1\n")

    def test_a_progress_bar_goes_to_standard_error_only_where_it_is_wanted(self):
        name = self.write("a.npy", npy("f64", [1.0] * 2_000_000))
        done = self.onefold("sum", name, "--progress", "always")
        self.assertEqual(done.out, "2000000\n")
        self.assertIn("%", done.err)
        self.assertTrue(done.err.endswith("\r\x1b[K"))
        self.assertEqual(self.answer("sum", name), "2000000\n")


class Files(ProgramTest):
    def test_a_file_that_hides_its_size_is_read_to_its_end(self):
        name = "/proc/self/cmdline"
        if os.stat(name).st_size != 0:
            self.skipTest("/proc has sizes here")
        words = ["sum", name, "--format", "raw", "--dtype", "u8"]
        line = b"".join(word.encode() + b"\0" for word in [PROGRAM, *words])
        self.assertEqual(self.answer(*words), f"{sum(line)}\n")
        self.write("none.raw", b"")
        self.assertEqual(self.answer("sum", "none.raw", "--dtype", "u8"), "0\n")
        self.assertIn("items", self.answer("plan", "sum", "none.raw", "--dtype", "u8"))

    def test_a_file_that_becomes_shorter_is_an_io_error(self):
        name = self.folder / "a.npy"
        size = 1 << 40
        header = npy_header(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},)}}")
        name.write_bytes(header)
        os.truncate(name, len(header) + size)
        with subprocess.Popen([PROGRAM, "sum", "a.npy"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            time.sleep(0.3)
            os.truncate(name, len(header))
            out, err = run.communicate(timeout=20)
        self.assertEqual((run.returncode, out), (1, b""))
        self.assertIn(b"a.npy: became shorter while it was read", err)


if __name__ == "__main__":
    unittest.main()
