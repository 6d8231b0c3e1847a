"""Threads share work, and Ctrl-C or an error ends all of it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from itertools import count

import pytest

from acumen.threads import begin, finish, share

needs_masks = pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="Windows hands signals to the main thread alone"
)


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_outcomes_stand_in_the_order_of_the_tasks() -> None:
    def slow_first(task: int) -> int:
        time.sleep(0.02 * (task == 0))
        return -task

    for threads in (1, 3, 50):
        assert share(slow_first, range(20), threads) == [-task for task in range(20)]
    assert share(slow_first, (), 2) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_work_that_is_shared_within_work(threads: int) -> None:
    steps: list[int] = []

    def step(at: int) -> None:
        time.sleep(0.01)
        steps.append(at)

    def long_task(_: int) -> list[None]:
        return share(step, range(10_000), 1)

    timer, began = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        share(long_task, range(8), threads)
    assert time.monotonic() - began < 1
    timer.join()
    time.sleep(0.1)  # what is being done comes to its end; then nothing more is done
    number = len(steps)
    time.sleep(0.1)
    assert len(steps) == number


def test_an_error_ends_what_others_share_within_their_work() -> None:
    numbers = count()

    def step(_: int) -> None:
        next(numbers)
        time.sleep(0.001)

    def task(at: int) -> object:
        if at == 1:
            raise ZeroDivisionError
        return share(step, range(10**5), 1)

    with pytest.raises(ZeroDivisionError):
        share(task, range(2), 2)
    assert next(numbers) < 10**4


@needs_masks
def test_no_other_thread_takes_an_interrupt() -> None:
    def mask(_: object = None) -> None:
        masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    masks: list[set[int]] = []
    share(mask, range(2), 2)
    finish(begin(mask))
    assert len(masks) == 3
    assert all(signal.SIGINT in each for each in masks)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_who_waits_for_a_thread_hears_an_interrupt() -> None:
    is_over = threading.Event()
    thread, timer = begin(lambda: is_over.wait(5)), interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        finish(thread)
    is_over.set()
    timer.join()


def test_no_thread_is_begun_that_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[threading.Thread] = []

    def beginning(work: Callable[[], None]) -> threading.Thread:
        begun.append(begin(work))
        return begun[-1]

    monkeypatch.setattr("acumen.threads.begin", beginning)
    assert share(abs, (-1, -2), 5) == [1, 2]
    assert len(begun) == 2
