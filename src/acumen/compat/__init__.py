"""Functions of lists of rows, under the names that older tools have for them."""

from acumen.compat.compute import *  # noqa: F403  (the names are listed there)
from acumen.compat.compute import __all__ as __all__
