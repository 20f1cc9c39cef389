# SPDX-License-Identifier: Apache-2.0
"""Runs processes with a time limit; another thread can end them."""
import os
import signal
import subprocess
import tempfile
import threading
import time

OUTPUT = 1 << 22  # bytes kept of the output of a process


class Processes:
    """Each process leads a process group of its own, which ends with it."""

    def __init__(self, limit):
        self.limit, self.lock = limit, threading.Lock()
        self.live = {}  # process: the time when it has to end, None once it is late
        self.stopped = False

    def run(self, command, cwd, env):
        """Exit code, output and seconds. The code is None after the time limit."""
        start = time.monotonic()
        with tempfile.TemporaryFile() as output:
            with self.lock:
                if self.stopped:
                    return None, "", 0.0
                try:
                    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                               stdout=output, stderr=subprocess.STDOUT,
                                               start_new_session=True)
                except OSError as error:
                    return 127, str(error), 0.0
                self.live[process] = start + self.limit
            code = process.wait()
            seconds = time.monotonic() - start
            with self.lock:
                code = None if self.live.pop(process) is None else code
            output.seek(0)
            return code, output.read(OUTPUT).decode(errors="replace"), seconds

    def end_late(self):
        """Ends the processes that are beyond the time limit."""
        with self.lock:
            for process, limit in self.live.items():
                if limit is not None and time.monotonic() > limit:
                    self.live[process] = None
                    self.end(process)

    def stop(self):
        """Ends every process; later calls of run() start none."""
        with self.lock:
            self.stopped = True
            for process in self.live:
                self.end(process)

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
