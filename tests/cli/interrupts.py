"""Ctrl-C at random moments: ``python -m tests.cli.interrupts 1000`` counts who does not hear it.

A warm interpreter forks for each try, so that a thousand of them take minutes. It needs ``os.fork``
and a pseudo-terminal. A command whose answer was out before the signal came counts apart.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import chdir, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LATEST: Final = 1.5
"""Seconds until which the signal comes, or until the command ends without one."""
MOST: Final = 2.0
"""Seconds that it has to end in."""
CLOSING: Final = 0.05
"""Seconds before its end in which a command has its answer out."""
ENDS: Final = (0, 1, 5)
"""How a command ends that nobody interrupts."""
ENDLESS: Final = ("--resamples", "40000000")
MANY: Final = ("many.csv", "--case", "case")
METRICS: Final = ("--metric", "mean_loss", "--metric", "augrc", "--metric", "quadratic_kappa")
COMMANDS: Final = {
    "evaluate": ("rows.csv", *ENDLESS),
    "evaluate of functions": ("rows.csv", "--confidence", "all", *ENDLESS),
    "evaluate in one thread": ("rows.csv", "--threads", "1", *ENDLESS),
    "rate": (*MANY, "--raters", "truth,human", "--judge", "prediction"),
    "threshold": (*MANY, "--risk", "0.3"),
    "score": ("--demo", *ENDLESS),
    "gate": (*MANY, *METRICS, "--at-most", "2"),
    "estimate": (*MANY, "--labelled", "human", "--prediction", "prediction", "--levels", "0-4"),
    "demo": (".", *ENDLESS),
}
"""What is interrupted: a name that begins with the command's, and its arguments."""


@dataclass(frozen=True)
class Try:
    """One interrupt: the command, its exit code (None: it went on), and what it was at then."""

    name: str
    code: int | None
    is_early: bool
    """Whether the signal came before the answer was out."""
    trace: str

    @property
    def is_heard(self) -> bool | None:
        """Whether it ended as it must; None where it was done before."""
        return self.code == 130 if self.is_early or self.code not in ENDS else None


def write_inputs() -> None:
    """The files of the commands, in the working folder."""
    for name, rows in (("rows", 300), ("many", 10_000)):
        lines = ["case,truth,prediction,human,confidence,self_conf"]
        for k in range(rows):
            human = str((k * 5 + (k % 7 == 0)) % 4) if k % 2 == 0 else ""
            lines.append(f"{k},{k % 4},{k * 7 % 11 % 4},{human},{k % 97 / 97},{k % 89 / 89}")
        Path(f"{name}.csv").write_text("\n".join(lines), "utf-8")


def warm_up(names: Collection[str]) -> dict[str, float]:
    """Import what the commands do and load their loops, in one thread: it will be forked.

    Of each command, the last moment to interrupt it.
    """
    from acumen.cli import progress, run

    moments = {}
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        for name in names:
            words = ["20" if word == ENDLESS[1] else word for word in COMMANDS[name]]
            alone = name.startswith("evaluate") and "--threads" not in words
            words += ["--threads", "1"] if alone else []
            for _ in range(2):  # the first time it imports
                began = time.monotonic()
                code = run([name.split(" ")[0], *words])
                assert code in ENDS, (name, code)
                is_endless = ENDLESS[1] in COMMANDS[name]
                moments[name] = LATEST if is_endless else min(LATEST, time.monotonic() - began)
    progress.waiting.__wrapped__.__kwdefaults__["patience"] = 0.05  # type: ignore[attr-defined]
    return moments


def interrupt(name: str, moment: float) -> Try:
    """Begin a command, interrupt it once at that moment, and see how it ends."""
    import pty

    own, other = pty.openpty()
    os.set_blocking(own, False)
    with tempfile.TemporaryFile() as trace:
        # a process forgets, as it begins, the signals that came before
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        if not (child := os.fork()):
            _be(name, other, trace.fileno())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(other)
        code, _, _ = _wait(child, own, moment)
        if code is not None:
            return Try(name, code, False, "")
        os.kill(child, signal.SIGINT)
        code, seconds, text = _wait(child, own, MOST)
        if code is None:
            os.kill(child, signal.SIGUSR1)
            time.sleep(0.2)
            trace.seek(0)
            text += trace.read().decode()
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    os.close(own)
    return Try(name, code, seconds > CLOSING, text)


def _wait(child: int, terminal: int, most: float) -> tuple[int | None, float, str]:
    """The exit code of a process that ends in time, the seconds it took, and what it said."""
    text, began = bytearray(), time.monotonic()
    while (seconds := time.monotonic() - began) < most:
        with suppress(OSError):
            text += os.read(terminal, 65536)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), seconds, text.decode()
        time.sleep(min(0.005, most - seconds))
    return None, most, text.decode()


def _be(name: str, terminal: int, trace: int) -> None:
    """In the child: the command as its own process would be."""
    code = 99
    try:
        faulthandler.register(signal.SIGUSR1, os.fdopen(trace, "w"), all_threads=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(terminal, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        from acumen.__main__ import main

        sys.argv = ["acumen", name.split(" ")[0], *COMMANDS[name]]
        # a shell lets what it starts in the background ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        main()
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except KeyboardInterrupt:  # before the command had begun, or when it had ended
        code = 130
    finally:
        os._exit(code)


def tries(many: int, names: Collection[str] = COMMANDS.keys()) -> Iterator[Try]:
    """So many interrupts over the commands, in a folder of their own."""
    draw = random.Random(many)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        write_inputs()
        moments = [*warm_up(names).items()]
        for k in range(many):
            name, latest = moments[k % len(moments)]
            yield interrupt(name, draw.uniform(0, latest))


if __name__ == "__main__":
    counts: Counter[tuple[str, bool | None]] = Counter()
    for each in tries(int(sys.argv[1])):
        counts[each.name, each.is_heard] += 1
        if each.is_heard is False:
            print(each.name, each.code, each.trace, flush=True)
    for (name, heard), count in sorted(counts.items(), key=str):
        print(
            f"{name:24} {'done before' if heard is None else 'heard' if heard else 'LOST'} {count}"
        )
