"""Results of a verdict study, as a method wrote them -> a ``VerdictRun``.

A results file is a list of outputs, one a case, or an object that holds them under ``results``
beside what it says of itself. The ``amos`` method writes a shape of its own, which is converted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from acumen.errors import DataError, UsageError, label, printable, what_came
from acumen.files.fields import Fields, Record
from acumen.files.json import parse_json
from acumen.files.text import folded
from acumen.policy import NO_INCIDENT, Evidence, Policy
from acumen.readers.logs import at
from acumen.results.verdicts import CASE
from acumen.verdicts.claims import PROVENANCE, CaseTruth, Claim, VerdictRun

TRUTH: Final = ("gt_verdict", "ground_truth")
"""Keys of the truth that a result carries along."""
OUTPUTS: Final = ("verdict", "evidences", "justification", "primitives")
"""What an output says: without any of these it is no output, though there may be a reply."""


def named_policy(document: object) -> str | None:
    """The policy a results document says it was made under."""
    policy = document.get("policy_id") if isinstance(document, dict) else None
    return policy if isinstance(policy, str) else None


def named_methods(document: object) -> list[str]:
    """The methods whose results a document says it holds, in the order they come.

    >>> named_methods([{"method": "rag"}, {"method": "direct"}, {"method": "rag"}])
    ['rag', 'direct']
    """
    listed = document.get("results") if isinstance(document, dict) else document
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    named = (row.get("method") for row in rows)
    return list(dict.fromkeys(name for name in named if isinstance(name, str)))


def parse_results(
    document: object, policy: Policy, method: str | None = None, source: str = "results"
) -> VerdictRun:
    """One method's claims from parsed JSON; all problems at once."""
    fields = Fields(source)
    header, rows = _rows(document, fields)
    rows, method = _of_method(rows, header, method, fields)
    claims: dict[str, Claim] = {}
    truth: dict[str, CaseTruth] = {}
    for place, row in rows:
        fields.case = None
        case = fields.name(f"{place}.{CASE[0]}", next((row[k] for k in CASE if k in row), None))
        if case is None:
            continue
        fields.case = case
        if case in claims:
            fields.wrong(place, "duplicate: this case stands above already")
            continue
        claims[case] = replace(_claim(case, row, policy, fields), row=row)
        known = _carried_truth(row, policy, fields)
        if known is not None:
            truth[case] = known
    fields.case = None
    if not rows and not fields.problems:
        fields.wrong(None, "holds no results")
    provenance = _provenance(header, fields)
    fields.finish()
    return VerdictRun(
        scale=policy.scale,
        claims=tuple(claims.values()),
        provenance={**provenance, "method": method},
        truth=truth or None,
        source=source,
        asked=asked if type(asked := at(header, "run_metadata", "cases_asked")) is int else None,
    )


def _rows(document: object, fields: Fields) -> tuple[Record, list[tuple[str, Record]]]:
    if isinstance(document, list):
        return {}, list(fields.records("", document))
    if not isinstance(document, dict):
        wanted = "a list of results or an object that holds 'results'"
        message = f"must be {wanted}, not {what_came(document)}"
        raise DataError([message], source=fields.source)
    if document.get("results") is None:
        raise DataError(["has no 'results'"], source=fields.source)
    return document, list(fields.records("results", document["results"]))


def _of_method(
    rows: list[tuple[str, Record]], header: Record, method: str | None, fields: Fields
) -> tuple[list[tuple[str, Record]], str | None]:
    """The rows of the method asked for, where a file says which method made what."""
    stated = header.get("method")
    methods = [(place, row.get("method", stated)) for place, row in rows]
    for place, name in methods:
        if name is not None and not isinstance(name, str):
            fields.wrong(f"{place}.method", f"must be text, not {what_came(name)}")
    names = sorted({name for _, name in methods if isinstance(name, str)})
    source, known = fields.source, ", ".join(map(label, names))
    if method is None:
        if len(names) > 1:
            raise UsageError(f"{source} holds several methods ({known}); choose one with --method")
        return rows, names[0] if names else None
    if names and method not in names:
        raise UsageError(f"{source} holds {known}, not '{printable(method)}'")
    return [(p, r) for p, r in rows if r.get("method", stated) in (None, method)], method


def _provenance(header: Record, fields: Fields) -> dict[str, str | int | float | None]:
    origin: dict[str, str | int | float | None] = {}
    for key in PROVENANCE:
        value = header.get(key)
        if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
            origin[key] = value
        else:
            fields.wrong(key, f"must be text or a number, not {what_came(value)}")
    return origin


def _claim(case: str, row: Record, policy: Policy, fields: Fields) -> Claim:
    if row.get("error") not in (None, "", False):
        return Claim(case, failed=True)
    row, unreadable = _with_reply(row)
    own = _amos_output(row)
    if own is not None:
        return _converted(case, own, row, policy, fields)
    parsed = fields.maybe_record("parsed", row.get("parsed"))
    if "verdict" not in row and "verdict" not in parsed:
        fields.wrong("verdict", "is missing (null is an abstention, 'error' a failure)")
    before = len(fields.problems)
    evidence = _evidence(parsed, fields)
    # where evidence could not be read, an id that seems missing would only echo that
    known = {row.evidence_id for row in evidence} if len(fields.problems) == before else None
    justification = fields.maybe_record("parsed.justification", parsed.get("justification"))
    trace = fields.maybe_record(
        "parsed.justification.scoring_trace", justification.get("scoring_trace")
    )
    return Claim(
        case,
        rank=_rank("verdict", row.get("verdict", parsed.get("verdict")), policy, fields),
        risk_score=fields.number("risk_score", row.get("risk_score")),
        evidence=evidence,
        direct=_direct(justification, known, fields),
        total_score=fields.number(
            "parsed.justification.scoring_trace.total_score", trace.get("total_score")
        ),
        primitives=fields.values("parsed.primitives", parsed.get("primitives")),
        unreadable=unreadable,
    )


def _with_reply(row: Record) -> tuple[Record, bool]:
    """The row with the JSON that its ``response`` is the text of, and whether that is unreadable.

    A text that is no JSON, or stands beside an output of its own, is let be; an output that is
    empty, or holds only why it could not be read, is none.
    """
    text, parsed = row.get("response"), row.get("parsed")
    is_empty = parsed is None or (isinstance(parsed, dict) and not parsed.keys() & {*OUTPUTS})
    if not is_empty or _amos_output(row) is not None:
        return row, False
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return row, False
    try:
        return {**row, "parsed": parse_json(text)}, False
    except DataError:
        return row, True


def _rank(field: str, value: object, policy: Policy, fields: Fields) -> int | None:
    if value is None:
        return None
    try:
        return policy.scale.rank(value)
    except ValueError as error:
        fields.wrong(field, f"{error}; other levels need their own --policy, or --levels")
        return None


def _evidence(parsed: Record, fields: Fields) -> tuple[Evidence, ...]:
    evidence: dict[str, Evidence] = {}
    for place, row in fields.records("parsed.evidences", parsed.get("evidences")):
        keys = ("evidence_id", "review_id", "field")
        name, review, field = (fields.name(f"{place}.{key}", row.get(key)) for key in keys)
        judgement = _judgement(f"{place}.judgement", row.get("judgement"), fields)
        snippet = row.get("snippet")
        if snippet is not None and not isinstance(snippet, str):
            fields.wrong(f"{place}.snippet", f"must be text or null, not {what_came(snippet)}")
            snippet = None
        if name is None or review is None or field is None or judgement is None:
            continue
        if name in evidence:
            fields.wrong(f"{place}.evidence_id", f"duplicate evidence id '{printable(name)}'")
        evidence[name] = Evidence(name, review, field, judgement, snippet)
    return tuple(evidence.values())


def _judgement(field: str, value: object, fields: Fields) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}"
    if isinstance(value, str):
        return value
    fault = "is missing" if value is None else f"must be text, not {what_came(value)}"
    fields.wrong(field, fault)
    return None


def _direct(
    justification: Record, known: set[str] | None, fields: Fields
) -> tuple[str, ...] | None:
    if justification.get("direct_evidence") is None:
        return None
    ids: dict[str, None] = {}
    path = "parsed.justification.direct_evidence"
    for place, entry in fields.entries(path, justification["direct_evidence"]):
        name = fields.name(place, entry)
        if name is None:
            continue
        if known is not None and name not in known:
            fields.wrong(place, f"there is no evidence with the id '{printable(name)}'")
        ids[name] = None
    return tuple(ids)


def _carried_truth(row: Record, policy: Policy, fields: Fields) -> CaseTruth | None:
    """The truth a row carries itself, for results scored without a truth file."""
    key = next((key for key in TRUTH if row.get(key) is not None), None)
    if key is None:
        return None
    rank = _rank(key, row[key], policy, fields)
    primitives = fields.values("gt_primitives", row.get("gt_primitives"))
    return None if rank is None else CaseTruth(rank, primitives=primitives)


def _amos_output(row: Record) -> Record | None:
    for candidate in (row, row.get("parsed"), row.get("output")):
        if isinstance(candidate, dict) and ("VERDICT" in candidate or "_extractions" in candidate):
            return candidate
    return None


def _converted(case: str, output: Record, row: Record, policy: Policy, fields: Fields) -> Claim:
    """The ``amos`` shape: incidents among its extractions are evidence, all of it direct.

    What the output lacks may stand in the row around it.
    """
    if "VERDICT" not in output and "verdict" not in row:
        fields.wrong("VERDICT", "is missing (null is an abstention, 'error' a failure)")
    score = fields.number("SCORE", output.get("SCORE"))
    ranked_by = fields.number("risk_score", row.get("risk_score"))
    evidence = tuple(_extracted(output, policy, fields))
    return Claim(
        case,
        rank=_rank("VERDICT", output.get("VERDICT", row.get("verdict")), policy, fields),
        risk_score=score if ranked_by is None else ranked_by,
        evidence=evidence,
        direct=tuple(row.evidence_id for row in evidence),
        total_score=score,
        primitives=fields.values("primitives", output.get("primitives")),
    )


def _extracted(output: Record, policy: Policy, fields: Fields) -> Iterator[Evidence]:
    number = 0
    for place, row in fields.records("_extractions", output.get("_extractions")):
        if not _is_incident(place, row, policy, fields):
            continue
        review = fields.name(f"{place}.review_id", row.get("review_id"))
        for field in policy.values:
            if review is None or row.get(field) is None:
                continue
            judgement = _judgement(f"{place}.{field}", row[field], fields)
            if judgement is not None:
                number += 1
                yield Evidence(f"E{number}", review, field, judgement)


def _is_incident(place: str, row: Mapping[str, object], policy: Policy, fields: Fields) -> bool:
    relevant = row.get("is_relevant", True)
    if not isinstance(relevant, bool):
        fields.wrong(f"{place}.is_relevant", f"must be true or false, not {what_came(relevant)}")
    severity = row.get(policy.severity)
    return relevant is True and severity is not None and folded(str(severity)) != NO_INCIDENT
