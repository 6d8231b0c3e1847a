"""A policy from its TOML text: everything that is wrong with it at once, by line and key.

Nothing in a policy is executed. Values are compared and counted, numbers are added.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, printable, what_came
from acumen.files.json import decode_text, read_bytes, source_name
from acumen.files.toml import parse_toml
from acumen.files.toml_lines import Lines, Path
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Points, Policy
from acumen.policy.reach import Draft, unreachable
from acumen.policy.vocabulary import Vocabulary
from acumen.table.scale import Scale

_KEYS: Final = {
    "policy": (
        *("name", "title", "levels", "default", "severity"),
        *("fields", "points", "modifiers", "thresholds", "rules"),
    ),
    "rule": ("name", "verdict", "any", "all", "at_least", "where", "points"),
    "condition": ("any", "all", "at_least", "where", "points"),
}
_DEEPEST_CONDITION: Final = 20
_UNREAD: Final = Draft(("rules",), "", None, None)
"""Stands for rules that could not be read at all: who knows what they would have given."""


def builtin_policies() -> tuple[str, ...]:
    """Names of the policies that ship with acumen."""
    names = (entry.name for entry in files("acumen.policy.builtin").iterdir())
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml")))


def find_policy(policy: str | FilePath | Policy) -> Policy:
    """A policy as it is, by the name it ships under, or from a TOML file."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, FilePath) or policy.endswith(".toml") or "/" in policy:
        return parse_policy(decode_text(read_bytes(policy), source_name(policy)), str(policy))
    if policy not in builtin_policies():
        known = ", ".join(builtin_policies())
        raise UsageError(
            f"no policy '{printable(policy)}'; there are {known}, or name a .toml file"
        )
    return _builtin(policy)


@cache
def _builtin(name: str) -> Policy:
    text = files("acumen.policy.builtin").joinpath(f"{name}.toml").read_text("utf-8")
    return parse_policy(text, f"{name}.toml")


def parse_policy(text: str, source: str = "policy") -> Policy:
    """The policy in a TOML text; ``DataError`` with every problem, by line and key.

    >>> parse_policy('name = "toy"\\nlevels = ["Low", "High"]\\n[thresholds]\\nHigh = -4\\n')
    Traceback (most recent call last):
    acumen.errors.DataError: policy: severity: no field 'INCIDENT_SEVERITY' is declared, only none
    policy: line 3, thresholds: nothing in the policy gives points
    policy: line 4, thresholds.High: -4 is negative; points only ever add
    """
    name = source_name(source)
    reader = _Reader(parse_toml(text, name), Lines(text))
    policy = reader.policy()
    if policy is None:
        by_line = sorted(reader.problems, key=lambda problem: problem.line or 0)
        raise DataError(by_line, source=name)
    return policy


def _at_least(points: float) -> str:
    return f"at least {points:g} point{'' if points == 1 else 's'}"


class _Reader(Vocabulary):
    """Turns parsed TOML into a policy and keeps the list of what is wrong."""

    def __init__(self, data: dict[str, Any], lines: Lines) -> None:
        super().__init__(data, lines)
        self.scale: Scale | None = None

    def policy(self) -> Policy | None:
        """The policy, or None when something is wrong with it."""
        meant = self.keys((), self.data, "policy", _KEYS["policy"])
        # what stands under a key that is misspelt may be just what seems to be missing
        self.complete = not meant
        name = None if "name" in meant else self.text(("name",), self.data.get("name"))
        self.scale = None if "levels" in meant else self.levels()
        title = self.text(("title",), self.data.get("title", ""), empty=True)
        severity = self.text(("severity",), self.data.get("severity", "INCIDENT_SEVERITY"))
        self.declare()
        if severity is not None and severity not in self.values and self.complete:
            known = ", ".join(printable(field) for field in sorted(self.values)) or "none"
            self.wrong(("severity",), f"no field '{printable(severity)}' is declared, only {known}")
        drafts = [*self.rules(), *self.thresholds()]
        if meant:
            drafts.append(_UNREAD)
        default = None
        if self.scale is not None:
            default = self.level(("default",), self.data.get("default", self.scale.levels[0]))
            for path, message in unreachable(self.scale, default, drafts):
                self.wrong(path, message)
        rules = tuple(rule for draft in drafts if (rule := draft.rule) is not None)
        if self.problems or self.scale is None or default is None:
            return None
        return Policy(
            name=name or "",
            title=title or "",
            scale=self.scale,
            default=default,
            severity=severity or "",
            values={field: frozenset(values) for field, values in self.values.items()},
            points=self.points,
            modifiers=self.modifiers,
            rules=rules,
        )

    def level(self, path: Path, value: object) -> int | str | None:
        """A level of the policy's scale, or a problem."""
        if self.scale is None:
            return None
        try:
            return self.scale.levels[self.scale.rank(value)]
        except ValueError as error:
            self.wrong(path, str(error))
            return None

    def levels(self) -> Scale | None:
        """The verdict's scale."""
        levels = self.data.get("levels")
        if not isinstance(levels, list):
            came = "is missing" if levels is None else f"must be a list, not {what_came(levels)}"
            self.wrong(("levels",), f"{came}: the verdicts, lowest first")
            return None
        try:
            name = self.data.get("name")
            return Scale(name if isinstance(name, str) else "policy", tuple(levels))
        except DataError as error:
            self.problems += [
                Problem(p.message, field=p.field, line=self.lines.find(("levels",)))
                for p in error.problems
            ]
            return None

    def thresholds(self) -> list[Draft]:
        """Thresholds as rules on the points, highest level first."""
        table = self.section("thresholds")
        if table and not self.adds and self.complete:
            self.wrong(("thresholds",), "nothing in the policy gives points")
        found: dict[int, tuple[float, Draft]] = {}
        astray: list[Draft] = []
        for key, value in table.items():
            path = ("thresholds", key)
            # a TOML key is text: on a numeric scale "2" names level 2
            numeric = self.scale is not None and self.scale.is_numeric
            named = int(key) if numeric and re.fullmatch(r"-?[0-9]{1,9}", key) else key
            level = self.level(path, named)
            number = self.number(path, value)
            when = None if number is None else Points(number)
            draft = Draft(path, "" if number is None else _at_least(number), level, when)
            if self.scale is None or level is None or number is None:
                astray.append(draft)
                continue
            rank = self.scale.levels.index(level)
            if rank in found:
                self.wrong(path, "this level has a threshold already")
                continue
            self.rising(path, rank, number, {r: least for r, (least, _) in found.items()})
            found[rank] = number, draft
        return [*(found[rank][1] for rank in sorted(found, reverse=True)), *astray]

    def rising(self, path: Path, rank: int, number: float, others: dict[int, float]) -> None:
        """Complain where a higher level has no higher threshold."""
        assert self.scale is not None
        names = [printable(str(level)) for level in self.scale.levels]
        for other, least in others.items():
            if least >= number if other < rank else least <= number:
                self.wrong(
                    path,
                    f"thresholds must rise with the levels: {number:g} for '{names[rank]}', "
                    f"{least:g} for '{names[other]}'",
                )

    def rules(self) -> list[Draft]:
        """The counting rules, in the order they are tried."""
        found: list[Draft] = []
        listed = self.data.get("rules", [])
        for path, table in self.tables(("rules",), listed):
            meant = self.keys(path, table, "rule", _KEYS["rule"])
            name = self.text((*path, "name"), table.get("name", f"rule {len(found) + 1}"))
            verdict = None
            if "verdict" in table:
                verdict = self.level((*path, "verdict"), table["verdict"])
            elif "verdict" not in meant:
                self.wrong((*path, "verdict"), "is missing")
            found.append(Draft(path, name or "", verdict, self.condition(path, table)))
        if not isinstance(listed, list) or len(found) < len(listed):
            found.append(_UNREAD)
        return found

    def condition(self, path: Path, table: dict[str, Any], depth: int = 0) -> Condition | None:
        """One condition: exactly one of any, all, at_least with where, points."""
        if depth > _DEEPEST_CONDITION:
            self.wrong(path, f"conditions nested deeper than {_DEEPEST_CONDITION}")
            return None
        kinds = [key for key in ("any", "all", "at_least", "points") if key in table]
        if "where" in table and kinds and "at_least" not in kinds:
            self.wrong((*path, "where"), "goes with at_least only")
        found = [self.of_kind(kind, path, table, depth) for kind in kinds]
        strange = set(table) - set(_KEYS["condition" if depth else "rule"])
        if strange and not kinds:
            return None  # one of them will be the key that seems to be missing
        if len(kinds) != 1:
            came = f"has {' and '.join(kinds)}" if kinds else "has none"
            self.wrong(path, f"needs exactly one of any, all, at_least, points; {came}")
            return None
        return found[0]

    def of_kind(self, kind: str, path: Path, table: dict[str, Any], depth: int) -> Condition | None:
        """The condition under one of the keys that make one."""
        match kind:
            case "points":
                return self.least_points(path, table["points"])
            case "at_least":
                return self.count(path, table)
        listed = table[kind]
        parts = []
        for inner, part in self.tables((*path, kind), listed):
            self.keys(inner, part, "condition", _KEYS["condition"])
            parts.append(self.condition(inner, part, depth + 1))
        if listed == []:
            self.wrong((*path, kind), "must hold at least one condition")
        sound = tuple(part for part in parts if part is not None)
        if not sound or len(sound) < len(listed):
            return None
        return AnyOf(sound) if kind == "any" else AllOf(sound)

    def least_points(self, path: Path, value: object) -> Condition | None:
        """A condition on the points."""
        number = self.number((*path, "points"), value)
        if number == 0:
            self.wrong((*path, "points"), "0 always holds")
        elif not self.adds and self.complete:
            self.wrong((*path, "points"), "nothing in the policy gives points")
        return Points(number) if number else None

    def count(self, path: Path, table: dict[str, Any]) -> Condition | None:
        """A condition that counts reviews."""
        before = len(self.problems)
        least = table["at_least"]
        if isinstance(least, bool) or not isinstance(least, int) or least < 1:
            came = what_came(least)
            self.wrong((*path, "at_least"), f"must be a whole number from 1 on, not {came}")
        where = table.get("where", {})
        if where == {} and set(table) <= set(_KEYS["rule"]):
            self.wrong((*path, "where"), "must say what is counted, as { FIELD = value }")
        pairs = []
        for field, wanted in self.table((*path, "where"), where).items():
            inner = (*path, "where", field)
            values = self.words(inner, wanted)
            pairs.append((field, values))
            if field not in self.values:
                if self.complete:
                    declared = "[fields], [points] or modifiers"
                    self.wrong(inner, f"no such field is declared under {declared}")
            elif field not in self.unsure and not values <= self.values[field]:
                odd = ", ".join(f"'{printable(v)}'" for v in sorted(values - self.values[field]))
                known = ", ".join(f"'{printable(v)}'" for v in sorted(self.values[field]))
                self.wrong(inner, f"{odd} is not among its values {known}")
        return Count(least, tuple(pairs)) if len(self.problems) == before else None
