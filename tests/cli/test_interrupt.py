"""The first Ctrl-C is heard, whenever it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from acumen.__main__ import _hear_interrupts
from tests.cli.interrupts import COMMANDS

MANY = len(COMMANDS)


def test_the_first_interrupt_ends_a_command_whenever_it_comes() -> None:
    pytest.importorskip("pty")  # there is none on Windows
    # a process of its own: what is forked must have one thread
    script = [sys.executable, "-m", "tests.cli.interrupts", str(MANY)]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "LOST" not in done.stdout, done.stdout
    assert "heard" in done.stdout


LOST = """
import signal, sys, time
from acumen import __main__, cli

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def lose():
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        pass

def run(arguments):
    try:
        Deaf() if sys.argv[2] == "del" else lose()
        time.sleep(5)
    except KeyboardInterrupt:
        return 130
    return 0

cli.run = run
sys.argv[1:] = ["evaluate", *sys.argv[1:]]
__main__.main()
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such clock on Windows")
@pytest.mark.parametrize("way", ["del", "except"])
def test_an_interrupt_that_a_library_loses_comes_again(way: str) -> None:
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", LOST, way], capture_output=True, check=False)
    assert done.returncode == 130
    assert time.monotonic() - began < 4


def test_what_hears_an_interrupt_raises_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _hear_interrupts()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, before)
