"""Entry point of the command ``acumen`` and of ``python -m acumen``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; the version is answered before anything heavy is imported."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from acumen._version import __version__

        print(f"acumen {__version__}")
        return
    from acumen.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
