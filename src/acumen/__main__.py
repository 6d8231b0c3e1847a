"""Entry point of the command ``acumen`` and of ``python -m acumen``."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import Final

INTERRUPTED: Final = 130
REST: Final = 0.5
"""Seconds until an interrupt comes again, where the command has not ended by then."""


def main() -> None:
    """Run the command line; the version is answered before anything heavy is imported."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from acumen._version import __version__

        print(f"acumen {__version__}")
        return
    if arguments[:1] != ["run"]:
        # a short life makes little garbage that holds itself; looking for it took 0.17 s of the
        # 2.4 s of processor time of `evaluate --confidence all` on the demo (least of 9 runs)
        gc.disable()
        _hear_interrupts()
    else:  # most of what a long run makes stays: 100,000 answers; it has a Ctrl-C of its own
        gc.set_threshold(100_000, 20, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them takes 20 ms
    # Numba imports it to be measured by it, where it is installed: 27 ms; who measures has done so
    sys.modules.setdefault("coverage", None)  # type: ignore[arg-type]  # that is how to say "no"
    # numpy's threads for matrices spin while they wait: 0.15 s of processor time, for nothing
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments[:1] == ["evaluate"]:
        reuse_memory()
    try:
        from acumen.cli import run

        code = run(arguments)
    except KeyboardInterrupt:  # before the first line of a command, or after its last
        code = INTERRUPTED
    if code == INTERRUPTED or arguments[:1] in (["evaluate"], ["score"]):
        # all is written by now; taking the compiler apart took 0.33 s more of evaluate's 2.4 s,
        # and 0.3 s of the 1.5 s of `score --demo`; threads may still be about what nobody awaits
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _hear_interrupts() -> None:
    """Have Ctrl-C raised, and again a moment later: a library may lose it.

    It is written down and forgotten within a ``__del__``, and where pydantic or Numba call back.
    """
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # a shell lets what it starts in the background ignore it

    def interrupt(*_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, REST)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, interrupt)


def reuse_memory() -> None:
    """Keep the memory of a large array for the next one, where glibc allocates it.

    By default it is given back and cleared anew: 27 of 73 s of processor time of 10⁷ rows.
    """
    import ctypes

    with suppress(OSError, AttributeError, TypeError):  # another C library
        allocator = ctypes.CDLL(None)
        allocator.mallopt(-4, 0)  # M_MMAP_MAX
        allocator.mallopt(-1, (1 << 31) - 1)  # M_TRIM_THRESHOLD


if __name__ == "__main__":
    main()
