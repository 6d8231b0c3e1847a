"""A policy from its TOML text: everything that is wrong with it at once, by line and key.

Nothing in a policy is executed. Values are compared and counted, numbers are added.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, printable, what_came
from acumen.policy.checks import TomlChecks
from acumen.policy.lines import Lines, Path
from acumen.policy.model import (
    AllOf,
    AnyOf,
    Condition,
    Count,
    Modifier,
    Points,
    Policy,
    Rule,
    folded,
)
from acumen.policy.reach import unreachable
from acumen.scale import Scale
from acumen.strict_json import decode_text, read_bytes, source_name

_KEYS: Final = {
    "policy": (
        *("name", "title", "levels", "default", "severity"),
        *("fields", "points", "modifiers", "thresholds", "rules"),
    ),
    "modifier": ("name", "field", "values", "points"),
    "rule": ("name", "verdict", "any", "all", "at_least", "where", "points"),
    "condition": ("any", "all", "at_least", "where", "points"),
}
_DEEPEST_CONDITION: Final = 20


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
    acumen.errors.DataError: policy: line 4, thresholds.High: -4 is negative; points only ever add
    policy: line 3, thresholds: nothing in the policy gives points
    """
    name = source_name(source)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError([_syntax(error)], source=name) from None
    reader = _Reader(data, Lines(text))
    policy = reader.policy()
    if reader.problems or policy is None:
        raise DataError(reader.problems, source=name)
    return policy


def _syntax(error: Exception) -> Problem:
    if isinstance(error, RecursionError):
        return Problem("is nested too deeply")
    found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error), re.DOTALL)
    if not found:
        return Problem(printable(str(error), limit=200))
    message = found[1].replace("Cannot overwrite a value", "the key is given twice")
    return Problem(printable(message, limit=200), line=int(found[2]), column=int(found[3]))


class _Reader(TomlChecks):
    """Turns parsed TOML into a policy and keeps the list of what is wrong."""

    def __init__(self, data: dict[str, Any], lines: Lines) -> None:
        super().__init__(lines)
        self.data = data
        self.values: dict[str, set[str]] = {}
        self.points: dict[tuple[str, str], float] = {}
        self.scale: Scale | None = None

    def policy(self) -> Policy | None:
        """The policy, or None when there is no making sense of it."""
        self.keys((), self.data, "policy", _KEYS["policy"])
        name = self.text(("name",), self.data.get("name"))
        self.scale = self.levels()
        title = self.text(("title",), self.data.get("title", ""), empty=True)
        severity = self.text(("severity",), self.data.get("severity", "INCIDENT_SEVERITY"))
        self.read_fields()
        self.read_points()
        modifiers = self.modifiers()
        thresholds = self.thresholds()
        rules = (*self.rules(), *thresholds)
        if self.scale is None or name is None or severity is None:
            return None
        default = self.level(("default",), self.data.get("default", self.scale.levels[0]))
        if default is None or self.problems:
            return None  # what follows would only echo what is wrong already
        if severity not in self.values:
            known = ", ".join(sorted(self.values)) or "none"
            self.wrong(("severity",), f"no field '{printable(severity)}' is declared, only {known}")
        for path, message in unreachable(self.scale, default, rules, len(rules) - len(thresholds)):
            self.wrong(path, message)
        return Policy(
            name=name,
            title=title or "",
            scale=self.scale,
            default=default,
            severity=severity,
            values={field: frozenset(values) for field, values in self.values.items()},
            points=self.points,
            modifiers=modifiers,
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

    def read_fields(self) -> None:
        """Fields that carry no points: which values they take."""
        for field, values in self.table(("fields",), self.data.get("fields", {})).items():
            self.values.setdefault(field, set()).update(self.words(("fields", field), values))

    def read_points(self) -> None:
        """Points per value of a field."""
        for field, table in self.table(("points",), self.data.get("points", {})).items():
            path = ("points", field)
            for value, points in self.table(path, table).items():
                number = self.number((*path, value), points)
                if (field, folded(value)) in self.points:
                    self.wrong((*path, value), "is given twice")
                self.values.setdefault(field, set()).add(folded(value))
                self.points[field, folded(value)] = number or 0

    def modifiers(self) -> tuple[Modifier, ...]:
        """The named circumstances, whose points join the one table of points."""
        found: list[Modifier] = []
        for path, table in self.tables(("modifiers",), self.data.get("modifiers", [])):
            self.keys(path, table, "modifier", _KEYS["modifier"])
            name = self.text((*path, "name"), table.get("name"))
            field = self.text((*path, "field"), table.get("field"))
            values = self.words((*path, "values"), table.get("values", []))
            points = self.number((*path, "points"), table.get("points", 0))
            if name is None or field is None:
                continue
            if any(folded(other.name) == folded(name) for other in found):
                self.wrong((*path, "name"), f"a modifier '{printable(name)}' stands above already")
            self.values.setdefault(field, set()).update(values)
            for value in values:
                if points and self.points.setdefault((field, value), points) != points:
                    self.wrong((*path, "values"), f"'{printable(value)}' has other points above")
            found.append(Modifier(name, field, values))
        return tuple(found)

    def thresholds(self) -> tuple[Rule, ...]:
        """Thresholds as rules on the points, highest level first."""
        table = self.table(("thresholds",), self.data.get("thresholds", {}))
        if self.scale is None:
            return ()
        found: dict[int, float] = {}
        for key, value in table.items():
            path = ("thresholds", key)
            # a TOML key is text: on a numeric scale "2" names level 2
            numeric = self.scale.is_numeric and key.lstrip("-").isdigit()
            level = self.level(path, int(key) if numeric else key)
            number = self.number(path, value)
            if level is None or number is None:
                continue
            rank = self.scale.levels.index(level)
            if rank in found:
                self.wrong(path, "this level has a threshold already")
            found[rank] = number
            below = [(r, t) for r, t in found.items() if (r < rank) == (t >= number) and r != rank]
            for other, least in below:
                self.wrong(
                    path,
                    f"thresholds must rise with the levels: {value} for '{level}', "
                    f"{least} for '{self.scale.levels[other]}'",
                )
        if table and not any(self.points.values()):
            self.wrong(("thresholds",), "nothing in the policy gives points")
        return tuple(
            Rule(f"at least {found[rank]:g} points", self.scale.levels[rank], Points(found[rank]))
            for rank in sorted(found, reverse=True)
        )

    def rules(self) -> tuple[Rule, ...]:
        """The counting rules, in the order they are tried."""
        found: list[Rule] = []
        for path, table in self.tables(("rules",), self.data.get("rules", [])):
            self.keys(path, table, "rule", _KEYS["rule"])
            name = self.text((*path, "name"), table.get("name", f"rule {len(found) + 1}"))
            if "verdict" not in table:
                self.wrong((*path, "verdict"), "is missing")
            verdict = (
                self.level((*path, "verdict"), table["verdict"]) if "verdict" in table else None
            )
            condition = {k: v for k, v in table.items() if k in _KEYS["condition"]}
            when = self.condition(path, condition, 0)
            # a rule in trouble still takes its place, so that later ones are judged against it
            lowest = 0 if self.scale is None else self.scale.levels[0]
            found.append(Rule(name or "", lowest if verdict is None else verdict, when))
        return tuple(found)

    def condition(self, path: Path, table: dict[str, Any], depth: int) -> Condition:
        """One condition: exactly one of any, all, at_least with where, points."""
        never = AnyOf(())
        kinds = [key for key in ("any", "all", "at_least", "points") if key in table]
        if depth > _DEEPEST_CONDITION:
            self.wrong(path, f"conditions nested deeper than {_DEEPEST_CONDITION}")
            return never
        if len(kinds) != 1:
            came = f"has {' and '.join(kinds)}" if kinds else "has none"
            self.wrong(path, f"needs exactly one of any, all, at_least, points; {came}")
            return never
        kind = kinds[0]
        if "where" in table and kind != "at_least":
            self.wrong((*path, "where"), "goes with at_least only")
        match kind:
            case "points":
                return self.least_points(path, table["points"])
            case "at_least":
                return self.count(path, table)
        parts = []
        for inner, part in self.tables((*path, kind), table[kind]):
            self.keys(inner, part, "condition", _KEYS["condition"])
            parts.append(self.condition(inner, part, depth + 1))
        if not parts:
            self.wrong((*path, kind), "must hold at least one condition")
            return never
        return AnyOf(tuple(parts)) if kind == "any" else AllOf(tuple(parts))

    def least_points(self, path: Path, value: object) -> Condition:
        """A condition on the points."""
        number = self.number((*path, "points"), value)
        if not number:
            if number == 0:
                self.wrong((*path, "points"), "0 always holds")
            return AnyOf(())
        if not any(self.points.values()):
            self.wrong((*path, "points"), "nothing in the policy gives points")
        return Points(number)

    def count(self, path: Path, table: dict[str, Any]) -> Condition:
        """A condition that counts reviews."""
        least = table["at_least"]
        if isinstance(least, bool) or not isinstance(least, int) or least < 1:
            came = what_came(least)
            self.wrong((*path, "at_least"), f"must be a whole number from 1 on, not {came}")
            least = 1
        where = self.table((*path, "where"), table["where"]) if "where" in table else {}
        if not where:
            self.wrong((*path, "where"), "must say what is counted, as { FIELD = value }")
            return AnyOf(())
        pairs = []
        for field, wanted in where.items():
            inner = (*path, "where", field)
            values = self.words(inner, wanted)
            if field not in self.values:
                self.wrong(inner, "no such field is declared under [fields], [points] or modifiers")
            elif not values <= self.values[field]:
                odd = ", ".join(f"'{printable(v)}'" for v in sorted(values - self.values[field]))
                known = ", ".join(f"'{printable(v)}'" for v in sorted(self.values[field]))
                self.wrong(inner, f"{odd} is not among its values {known}")
            pairs.append((field, values))
        return Count(least, tuple(pairs))
