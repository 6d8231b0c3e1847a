"""The truth of a verdict study, and the reviews its snippets are looked up in."""

from __future__ import annotations

from acumen.errors import DataError, label, printable, what_came
from acumen.files.fields import Fields
from acumen.files.text import folded
from acumen.policy import Policy
from acumen.verdicts.claims import CaseTruth, Incident, Reviews, Truth


def parse_truth(document: object, policy: Policy, source: str = "truth") -> Truth:
    """Case -> truth from parsed JSON: ``{id: {verdict, incidents, primitives}}``.

    A bare verdict stands for an object with nothing else in it. The cases may stand under
    ``restaurants``, and what is true of each under its ``ground_truth``.
    """
    match document:
        case {"restaurants": dict() as inner} if "verdict" not in inner:
            document = inner
    if not isinstance(document, dict):
        raise DataError([f"must map case ids to truths, not {what_came(document)}"], source=source)
    fields = Fields(source)
    if not document:
        fields.wrong(None, "holds no cases")
    truth = {}
    undeclared: dict[str, list[str]] = {}
    for key, entry in document.items():
        case = fields.case = str(key)  # in a file keys are text; in a dict they may be numbers
        if case in truth:
            fields.wrong(None, "is there twice, as a number and as a text")
        known = entry.get("ground_truth", entry) if isinstance(entry, dict) else entry
        row = known if isinstance(known, dict) else {"verdict": known}
        if row.get("verdict", case) is None:
            continue  # nobody knows it: as if it were not there
        try:
            rank = policy.scale.rank(row.get("verdict"))
        except ValueError as error:
            fields.wrong("verdict", str(error) if "verdict" in row else "is missing")
            continue
        truth[case] = CaseTruth(
            rank,
            incidents=_incidents(row.get("incidents"), policy, fields, undeclared),
            primitives=fields.values("primitives", row.get("primitives")),
            facts={**entry, **row} if isinstance(entry, dict) else {},
        )
    fields.case = None
    for name, cases in undeclared.items():
        fields.wrong(None, _undeclared(name, cases, policy))
    fields.finish()
    return truth


def incidents_of(value: object, policy: Policy, fields: Fields) -> dict[str, Incident] | None:
    """The incidents of one case; what is wrong with them is noted."""
    undeclared: dict[str, list[str]] = {}
    incidents = _incidents(value, policy, fields, undeclared)
    for name, cases in undeclared.items():
        fields.wrong("incidents", _undeclared(name, cases, policy))
    return incidents


def _undeclared(name: str, cases: list[str], policy: Policy) -> str:
    """One message for a modifier the policy lacks, however many cases of the truth have it."""
    distinct = list(dict.fromkeys(cases))
    more = f"{len(distinct)} cases, first " if len(distinct) > 1 else "case "
    known = ", ".join(f"'{printable(modifier.name)}'" for modifier in policy.modifiers) or "none"
    none = f"the policy declares no modifier '{printable(name)}'"
    return f"{none} ({more}{label(distinct[0])}); it declares {known}"


def _incidents(
    value: object, policy: Policy, fields: Fields, undeclared: dict[str, list[str]]
) -> dict[str, Incident] | None:
    """The incidents of one case; cases with a modifier the policy lacks go to ``undeclared``.

    None where the policy is not known: what it calls an incident is not known either.
    """
    if value is None or not policy.decides:
        return None
    names = {folded(modifier.name): modifier.name for modifier in policy.modifiers}
    incidents: dict[str, Incident] = {}
    for place, row in fields.records("incidents", value):
        review = fields.name(f"{place}.review_id", row.get("review_id"))
        # later files name the field that was judged, and its value
        key = "severity_value" if "severity" not in row and "severity_value" in row else "severity"
        severity = row.get(key)
        if not isinstance(severity, str) or folded(severity) not in policy.severities:
            known = ", ".join(f"'{s}'" for s in sorted(policy.severities))
            fields.wrong(f"{place}.{key}", f"{what_came(severity)} is not one of {known}")
            continue
        modifiers = set()
        for inner, name in fields.entries(f"{place}.modifiers", row.get("modifiers")):
            if not isinstance(name, str):
                fields.wrong(inner, f"must be text, not {what_came(name)}")
            elif folded(name) in names:
                modifiers.add(names[folded(name)])
            else:
                undeclared.setdefault(name, []).append(str(fields.case))
        if review in incidents:
            fields.wrong(f"{place}.review_id", f"review '{printable(str(review))}' stands twice")
        elif review is not None:
            incidents[review] = Incident(review, folded(severity), frozenset(modifiers))
    return incidents


def parse_reviews(document: object, source: str = "reviews") -> Reviews:
    """Reviews by case: ``{case: {review id: text}}`` or ``{case: [{review_id, text}, …]}``."""
    if not isinstance(document, dict):
        raise DataError([f"must map case ids to reviews, not {what_came(document)}"], source=source)
    fields = Fields(source)
    reviews: dict[str, dict[str, str]] = {}
    for key, entry in document.items():
        case = fields.case = str(key)
        if case in reviews:
            fields.wrong(None, "is there twice, as a number and as a text")
        inner = entry.get("reviews", entry) if isinstance(entry, dict) else entry
        reviews[case] = _texts(inner, fields)
    fields.finish()
    return reviews


def _texts(value: object, fields: Fields) -> dict[str, str]:
    texts: dict[str, str] = {}
    if isinstance(value, dict):
        rows = [(printable(str(key)), str(key), text) for key, text in value.items()]
    else:
        rows = []
        for place, row in fields.records("reviews", value):
            name = fields.name(f"{place}.review_id", row.get("review_id"))
            if name is not None:
                rows.append((f"{place}.text", name, row.get("text")))
    for place, review, text in rows:
        if not isinstance(text, str):
            fields.wrong(place, f"must be text, not {what_came(text)}")
        elif review in texts:
            fields.wrong(place, f"review '{printable(review)}' stands twice")
        else:
            texts[review] = text
    return texts
