"""The door for people with a list of rows."""

from acumen.items.compute import *  # noqa: F403  (the names are listed there)
