"""acumen: how far can an AI's ordinal judgments be trusted, when it may abstain?"""

from acumen._version import __version__

__all__ = ["__version__"]
