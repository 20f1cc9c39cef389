# SPDX-License-Identifier: Apache-2.0
"""Threads, signals, processes and interpreters."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import onefold

POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is POSIX's")


def ignore_signals():
    """What nohup, and a script that starts a command in the background, leave to the command."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)


# How a Python of its own starts. Tests of signals run once with each.
START = pytest.mark.parametrize("start", [
    None, pytest.param(ignore_signals, marks=POSIX)], ids=["usual", "signals ignored"])


def run(code: str, start=None) -> subprocess.CompletedProcess:
    """A Python of its own, so that a crash or a hang is a failure of one test.

    Unbuffered: a sub-interpreter that has printed to a pipe may not end otherwise, with CPython
    3.11 and nothing imported.
    """
    return subprocess.run([sys.executable, "-u", "-c", textwrap.dedent(code)], text=True,
                          timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          preexec_fn=start)


def test_many_threads_at_once():
    data = [np.random.default_rng(seed).standard_normal(5000 + 1000 * seed) for seed in range(16)]
    alone = [(onefold.sum(x), onefold.var(x), onefold.max(x)) for x in data]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            together = list(pool.map(
                lambda x: (onefold.sum(x), onefold.var(x), onefold.max(x)), data))
            assert together == alone


def test_threads_share_an_array_and_write_to_their_own():
    x = np.random.default_rng(1).standard_normal((64, 500))
    right = onefold.sum(x, axis=1)
    outs = [np.zeros(64) for _ in range(8)]
    workers = [threading.Thread(target=onefold.sum, args=(x,), kwargs={"axis": 1, "out": out})
               for out in outs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all((out == right).all() for out in outs)


@START
def test_other_threads_run_during_a_sum(start):
    """The sum ends only because another thread of Python stops it: that thread had the lock."""
    done = run("""
        import _thread, signal, threading
        import numpy as np, onefold
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore it
        x = np.broadcast_to(np.float64(1), 10**15)  # days of work
        threading.Timer(0.3, _thread.interrupt_main).start()
        try:
            onefold.sum(x)
        except KeyboardInterrupt:
            print("stopped")
        print(onefold.sum(x[:10]))
    """, start)
    assert done.stdout.split() == ["stopped", "10.0"], done.stderr


@POSIX
@START
@pytest.mark.parametrize("call", [
    "onefold.sum(x)", "onefold.var(x)", "onefold.sum(x, accuracy='fast')", "onefold.max(x)",
    "onefold.prod(x)", "onefold.sum(x.reshape(10**6, 10**6), axis=1)"])
def test_an_interrupt_stops_a_long_call(call, start):
    """The calls would take many times as long."""
    done = run(f"""
        import os, signal, threading
        import numpy as np, onefold
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore it
        x = np.broadcast_to(np.float64(1), 10**12)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {call}
        except KeyboardInterrupt:
            print("stopped")
    """, start)
    assert done.stdout.strip() == "stopped", done.stderr


@POSIX
def test_interrupts_at_any_time_are_raised_once_and_spoil_nothing():
    """2,000 of them, 0 to 5 ms into calls of some 2 ms: before, within and after the work of the
    thread that is watched. No round begins after 15 s, on a machine that is slower or busy."""
    done = run("""
        import random, signal, time
        import numpy as np, onefold
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        x = np.random.default_rng(1).standard_normal(1 << 21)  # 16 MiB: the least that is watched
        right, choose = onefold.sum(x), random.Random(1)
        begun = raised = wrong = 0
        end = time.monotonic() + 15
        while begun < 2000 and time.monotonic() < end:
            begun += 1
            lost = time.monotonic() + 100
            try:
                signal.setitimer(signal.ITIMER_REAL, choose.uniform(1e-6, 5e-3))
                while time.monotonic() < lost:
                    wrong += onefold.sum(x) != right
            except KeyboardInterrupt:
                raised += 1
        print(begun > 0, raised - begun, wrong, onefold.sum(x) == right)
    """, ignore_signals)
    assert done.stdout.split() == ["True", "0", "0", "True"], done.stderr


@POSIX
@START
def test_a_handler_that_raises_stops_the_call_with_its_exception(start):
    done = run("""
        import signal
        import numpy as np, onefold
        class Late(Exception): pass
        def handler(*_): raise Late("too late")
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            onefold.sum(np.broadcast_to(np.float64(1), 10**15))
        except Late as error:
            print(error)
    """, start)
    assert done.stdout.strip() == "too late", done.stderr


@POSIX
def test_fork_after_use():
    done = run("""
        import os
        import numpy as np, onefold
        x = np.arange(4_000_000.0)
        right = onefold.sum(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if onefold.sum(x) == right and onefold.max(x) == x[-1] else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), onefold.sum(x) == right)
    """)
    assert done.stdout.split() == ["0", "True"], done.stderr


def total(seed):
    return float(onefold.sum(np.random.default_rng(seed).standard_normal(3_000_000)))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes(method):
    """Each process uses the threads of its own, whatever ran before it was started."""
    right = [total(seed) for seed in range(2)]
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map_async(total, range(2)).get(100) == right


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="3.14 has them under another name")
def test_another_interpreter_is_refused_by_name():
    interpreters = "_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters"
    done = run(f"""
        import {interpreters} as interpreters
        one = interpreters.create()
        code = '''
        try:
            import onefold._core
        except ImportError:
            import traceback
            print(traceback.format_exc())
        '''
        import textwrap
        interpreters.run_string(one, textwrap.dedent(code))
    """)
    assert done.returncode == 0, done.stderr
    # Python itself refuses it where the module says so when it is loaded.
    assert ("onefold cannot be imported in a sub-interpreter" in done.stdout or
            "onefold._core does not support loading in subinterpreters" in done.stdout), done.stderr


def test_the_module_shows_only_its_entry():
    """Symbols of the libraries in it would be taken for those of other modules of the process."""
    from onefold import _core
    try:
        shown = subprocess.run(["nm", "-D", "--defined-only", _core.__file__], text=True,
                               check=True, stdout=subprocess.PIPE).stdout.split("\n")
    except FileNotFoundError:
        pytest.skip("there is no nm")
    assert {line.split()[-1] for line in shown if line} == {"PyInit__core"}


def test_memory_that_runs_out_is_an_exception():
    """With little address space left a call gives its answer or a MemoryError, and goes on."""
    pytest.importorskip("resource")
    done = run("""
        import mmap, resource
        import numpy as np, onefold
        x = np.ones((1000, 1000))
        assert onefold.sum(x) == 1e6
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), resource.RLIM_INFINITY))
        wide = np.broadcast_to(np.float64(1), (1, 10**8))
        try:
            mmap.mmap(-1, 1 << 30)
            print("no limit")  # an emulator may have none
        except OSError:
            pass
        try:
            onefold.sum(wide, axis=0)
        except MemoryError as error:
            print("refused")
        print(onefold.sum(x))
    """)
    if done.stdout.startswith("no limit"):
        pytest.skip("the system does not limit the address space")
    assert done.stdout.split() == ["refused", "1000000.0"], done.stderr
