"""A policy from its TOML text: everything that is wrong with it at once, by line and key.

Nothing in a policy is executed. Values are compared and counted, numbers are added.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path as FilePath
from typing import Final

from acumen.errors import UsageError, printable
from acumen.files.json import source_name
from acumen.files.toml import Path, shipped, shipped_text, toml_text
from acumen.policy.model import TOLERANCES, AllOf, AnyOf, Condition, Count, Points, Policy
from acumen.policy.reach import Draft, unreachable
from acumen.policy.tables import ConditionTable, Vocabulary
from acumen.table.scale import Scale

_SHIPPED: Final = "acumen.policy.builtin"
_DEEPEST_CONDITION: Final = 20
_NUMBER: Final = r"-?[0-9]{1,9}"
_KINDS: Final = {"any": "any_of", "all": "all_of", "at_least": "at_least", "points": "points"}
"""The keys that make a condition -> the table's attribute."""
_UNREAD: Final = Draft(("rules",), "", None, None)
"""Stands for rules that could not be read at all: who knows what they would have given."""


def builtin_policies() -> tuple[str, ...]:
    """Names of the policies that ship with acumen."""
    return shipped(_SHIPPED)


def find_policy(policy: str | FilePath | Policy) -> Policy:
    """A policy as it is, by the name it ships under, or from a TOML file."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, FilePath) or policy.endswith(".toml") or "/" in policy:
        return parse_policy(toml_text(policy), str(policy))
    if policy not in builtin_policies():
        known = f"there are {', '.join(builtin_policies())}, or name a .toml file"
        raise UsageError(f"no policy '{printable(policy)}'; {known}")
    return _builtin(policy)


@cache
def _builtin(name: str) -> Policy:
    return parse_policy(shipped_text(_SHIPPED, name), f"{name}.toml")


def parse_policy(text: str, source: str = "policy") -> Policy:
    """The policy in a TOML text; ``DataError`` with every problem, by line and key.

    >>> parse_policy('name = "toy"\\nlevels = ["Low", "High"]\\n[thresholds]\\nHigh = -4\\n')
    Traceback (most recent call last):
    acumen.errors.DataError: policy: severity: no field 'INCIDENT_SEVERITY' is declared, only none
    policy: line 3, thresholds: nothing in the policy gives points
    policy: line 4, thresholds.High: must be at least 0, not -4
    """
    reader = _Reader(text, source_name(source))
    policy = reader.policy()
    if policy is None:
        raise reader.refusal
    return policy


class _Reader(Vocabulary):
    """Holds the rules against the declarations, and makes the policy where nothing is wrong."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, source)
        levels = self.table.levels
        name = self.table.name or "policy"
        self.scale = None if levels is None else Scale(name, tuple(levels))

    def policy(self) -> Policy | None:
        """The policy, or None when something is wrong with it."""
        table, scale = self.table, self.scale
        if table.severity is not None and table.severity not in self.values and self.complete:
            known = ", ".join(printable(field) for field in sorted(self.values)) or "none"
            message = f"no field '{printable(table.severity)}' is declared, only {known}"
            self.wrong(("severity",), message)
        drafts = [*self.rules(), *self.thresholds()]
        if any(table.unknown.values()):
            drafts.append(_UNREAD)
        default = None
        if scale is not None:
            lowest = scale.levels[0]
            default = self.level(("default",), lowest if table.default is None else table.default)
            for path, message in unreachable(scale, default, drafts):
                self.wrong(path, message)
        if self.problems or scale is None or default is None:
            return None
        primitives = (table.primitives or {}).items()
        return Policy(
            name=table.name or "",
            title=table.title or "",
            scale=scale,
            default=default,
            severity=table.severity or "",
            values={field: frozenset(values) for field, values in self.values.items()},
            points=self.points,
            modifiers=self.modifiers,
            rules=tuple(rule for draft in drafts if (rule := draft.rule) is not None),
            tolerances={**TOLERANCES, **{n: t for n, t in primitives if t is not None}},
        )

    def level(self, path: Path, value: object) -> int | float | str | None:
        """A level of the policy's scale, or a problem."""
        if self.scale is None:
            return None
        try:
            return self.scale.levels[self.scale.rank(value)]
        except ValueError as error:
            self.wrong(path, str(error))
            return None

    def thresholds(self) -> list[Draft]:
        """Thresholds as rules on the points, highest level first."""
        table, scale = self.table.thresholds or {}, self.scale
        if table:
            self.check_points(("thresholds",))
        numbers: dict[int, float] = {}
        drafts: list[tuple[int, Draft]] = []
        for key, number in table.items():
            path = ("thresholds", key)
            # a TOML key is text: on a numeric scale "2" names level 2
            is_number = scale is not None and scale.is_numeric and re.fullmatch(_NUMBER, key)
            level, rank = self.level(path, int(key) if is_number else key), -1
            if scale is not None and level is not None and number is not None:
                rank = scale.levels.index(level)
                if rank in numbers:
                    self.wrong(path, "this level has a threshold already")
                    continue
                self.check_rise(path, scale, rank, number, numbers)
                numbers[rank] = number
            name = "" if number is None else f"at least {number:g} point{'s' * (number != 1)}"
            when = None if number is None else Points(number)
            drafts.append((rank, Draft(path, name, level, when)))
        return [draft for _, draft in sorted(drafts, key=lambda entry: -entry[0])]

    def check_rise(
        self, path: Path, scale: Scale, rank: int, number: float, numbers: dict[int, float]
    ) -> None:
        """Complain where a higher level has no higher threshold."""
        names = [printable(str(level)) for level in scale.levels]
        for other, least in numbers.items():
            if least >= number if other < rank else least <= number:
                both = f"{number:g} for '{names[rank]}', {least:g} for '{names[other]}'"
                self.wrong(path, f"thresholds must rise with the levels: {both}")

    def check_points(self, path: Path) -> None:
        """Complain where points are asked for and nothing gives any."""
        if not self.adds and self.complete:
            self.wrong(path, "nothing in the policy gives points")

    def rules(self) -> list[Draft]:
        """The counting rules, in the order they are tried."""
        tables = self.table.rules
        drafts: list[Draft] = [_UNREAD] if tables is None else []
        for at, rule in enumerate(tables or ()):
            if rule is None:
                drafts.append(_UNREAD)
                continue
            path, verdict = ("rules", at), rule.verdict
            if verdict is not None:
                verdict = self.level((*path, "verdict"), verdict)
            name = rule.name or f"rule {at + 1}"
            drafts.append(Draft(path, name, verdict, self.condition(path, rule)))
        return drafts

    def condition(self, path: Path, table: ConditionTable, depth: int = 0) -> Condition | None:
        """One condition: exactly one of any, all, at_least with where, points."""
        if depth > _DEEPEST_CONDITION:
            self.wrong(path, f"conditions nested deeper than {_DEEPEST_CONDITION}")
            return None
        kinds = [kind for kind, field in _KINDS.items() if field in table.model_fields_set]
        if "where" in table.model_fields_set and kinds and "at_least" not in kinds:
            self.wrong((*path, "where"), "goes with at_least only")
        conditions = [self.of_kind(kind, path, table, depth) for kind in kinds]
        if table.unknown and not kinds:
            return None  # one of them will be the key that seems to be missing
        if len(kinds) != 1:
            has = " and ".join(kinds) or "none"
            self.wrong(path, f"needs exactly one of any, all, at_least, points; has {has}")
            return None
        return conditions[0]

    def of_kind(self, kind: str, path: Path, table: ConditionTable, depth: int) -> Condition | None:
        """The condition under one of the keys that make one."""
        match kind:
            case "points":
                self.check_points((*path, "points"))
                return None if table.points is None else Points(table.points)
            case "at_least":
                return self.count(path, table)
        tables = (table.any_of if kind == "any" else table.all_of) or []
        parts = [
            None if part is None else self.condition((*path, kind, at), part, depth + 1)
            for at, part in enumerate(tables)
        ]
        sound = tuple(part for part in parts if part is not None)
        if not sound or len(sound) < len(tables):
            return None
        return AnyOf(sound) if kind == "any" else AllOf(sound)

    def count(self, path: Path, table: ConditionTable) -> Condition | None:
        """A condition that counts reviews."""
        is_stated = "where" in table.model_fields_set
        if (table.where == {} or not is_stated) and not table.unknown:
            self.wrong((*path, "where"), "must say what is counted, as { FIELD = value }")
        pairs = [
            (field, values)
            for field, values in (table.where or {}).items()
            if values is not None and self.is_declared((*path, "where", field), field, values)
        ]
        if table.at_least is None or not pairs or len(pairs) < len(table.where or {}):
            return None
        return Count(table.at_least, tuple(pairs))

    def is_declared(self, path: Path, field: str, values: frozenset[str]) -> bool:
        """Whether a field has these values, or may have them; a problem where it has not."""
        if field not in self.values:
            if self.complete:
                self.wrong(path, "no such field is declared under [fields], [points] or modifiers")
            return not self.complete
        strange = values - self.values[field]
        if field in self.unsure or not strange:
            return True
        odd = ", ".join(f"'{printable(value)}'" for value in sorted(strange))
        known = ", ".join(f"'{printable(value)}'" for value in sorted(self.values[field]))
        self.wrong(path, f"{odd} is not among its values {known}")
        return False
