"""Columns for the roles that nobody named: what is proposed, and what is sure to be meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acumen.readers.guess import Column, Guess, are_sure, columns_of, guess_columns, side_by_side
from acumen.readers.guess_wide import guess_wide
from acumen.readers.records import Rows
from acumen.readers.roles import COMMON, CONVENTIONS, folded_name


def guess_table(columns: Sequence[Column], named: Mapping[str, str]) -> dict[str, Guess]:
    """A column for each role that can have one, or a template of columns side by side."""
    exact = {n for role in ("truth", "prediction") for n in (*CONVENTIONS[role], *COMMON[role])}
    by_name = [folded_name(c.path) in exact and c.has_levels for c in columns]
    wide = None if any(by_name) else guess_wide(columns, named)
    return wide or guess_columns(columns, named)


def propose(rows: Rows, named: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The columns that are guessed for roles that are not named, as options would name them."""
    columns = columns_of(rows)
    guesses = guess_table(columns, {role: paths[0] for role, paths in named.items() if paths})
    paths = {role: guess.column.path for role, guess in guesses.items()}
    several = {**paths, **side_by_side(columns, guesses)}
    return {role: path for role, path in several.items() if role not in named and path}


def sure_of(rows: Rows, named: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The columns of every role that is not named, where nothing about them depends on a guess."""
    columns = columns_of(rows)
    guesses = guess_table(columns, {r: paths[0] for r, paths in named.items() if paths})
    if not are_sure(guesses) or side_by_side(columns, guesses):
        return {}
    return {role: guess.column.path for role, guess in guesses.items() if role not in named}
