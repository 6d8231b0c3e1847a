"""Entry point of the command ``acumen`` and of ``python -m acumen``."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line; the version is answered before anything heavy is imported."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from acumen._version import __version__

        print(f"acumen {__version__}")
        return
    if sys.argv[1:2] != ["run"]:
        # a short life makes little garbage that holds itself; looking for it costs a tenth of it
        gc.disable()
    from acumen.cli import run

    code = run(sys.argv[1:])
    if sys.argv[1:2] == ["evaluate"]:
        # all is written by now; taking the compiler apart would cost a quarter of a second more
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
