"""Results documents of verdict studies as sections of a page. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from acumen.charts import verdicts as charts
from acumen.charts.tables import ABSTAINED
from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import counted
from acumen.report.plots import plot, section
from acumen.report.sections import (
    UNDEFINED,
    Cases,
    Cell,
    Column,
    Fact,
    Section,
    Study,
    Table,
    coded,
    number,
    percent,
    reach,
    shown,
    text,
)
from acumen.report.verdict_reading import (
    UNRELIABLE,
    compared_cases,
    comparison_paragraphs,
    is_unreliable,
    paragraphs,
)
from acumen.results.parts import name

Document = Mapping[str, Any]


def study_of(
    documents: Sequence[Document],
    comparison: Document | None,
    key: str,
    command: str | None = None,
) -> Study:
    """Everything a page tells of one method, or of two side by side."""
    methods = charts.method_names(documents)
    return Study(
        key=key,
        title=" and ".join(methods),
        subtitle=_subtitle(documents),
        summary=_summary(documents, comparison),
        facts=tuple(_facts(documents, methods)),
        warnings=tuple(
            shown(w)
            for d in (*documents, *([comparison] if comparison else []))
            for w in d["warnings"]
        ),
        sections=tuple(
            found for build in SECTIONS if (found := build(documents, comparison, key)) is not None
        ),
        provenance=_provenance(documents, command),
        cases=tuple(_cases(d, m) for d, m in zip(documents, methods, strict=True) if d["results"]),
        definitions=("verdicts", "intervals"),
    )


def _subtitle(documents: Sequence[Document]) -> str:
    """The cases, failed ones among them, and the policies, as far as they are told."""
    told = ["Verdict study"]
    if documents[0].get("total") is not None:
        told.append(counted(documents[0]["total"] + documents[0]["failed"], "case"))
    policies = {shown(d["policy_id"]) for d in documents if d.get("policy_id") is not None}
    if policies:
        told.append(f"policy {', '.join(sorted(policies))}")
    return ", ".join(told)


def _summary(
    documents: Sequence[Document], comparison: Document | None
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    measured = []
    for document, method in zip(documents, charts.method_names(documents), strict=True):
        if document.get("answered") is not None:
            told = f"{method}: {counted(document['answered'], 'verdict')}"
            told += f", {document['abstained']} abstained, {document['failed']} failed"
            measured.append(f"{told}.")
    measured.append(
        "An abstention is wrong in accuracy and outside ranking, other agreement, verdict support "
        "and consistency. What it claimed still counts in the rest of the process score."
    )
    concluded = [line for document in documents for line in paragraphs(document)]
    if comparison is not None:
        concluded += comparison_paragraphs(comparison)
    limits = [
        "The intervals speak of cases like these; a level with few cases says little, whatever its "
        "score.",
        "Process and consistency look at the evidence a method cites, not at what it left unsaid; "
        "evidence recall does.",
    ]
    return (
        ("What was measured", tuple(measured)),
        ("What can be concluded", tuple(concluded)),
        ("What cannot be concluded", tuple(limits)),
    )


def _facts(documents: Sequence[Document], methods: Sequence[str]) -> list[Fact]:
    facts = []
    for document, method in zip(documents, methods, strict=True):
        note = method if len(documents) > 1 else ""
        scores = document["unified_scores"]
        facts.append(Fact("AUPRC", percent(scores["auprc"]), note))
        for label, key in (("process", "process_score"), ("consistency", "consistency_score")):
            value = scores[key]
            cell = number(None) if value is None else Cell(f"{value:.1f}%", value)
            facts.append(Fact(label, cell, note))
    return facts


def _comparison(
    documents: Sequence[Document], comparison: Document | None, study: str
) -> Section | None:
    if comparison is None:
        return None
    left, right = shown(comparison["left"]), shown(comparison["right"])
    drawn = plot(
        study,
        "comparison",
        charts.comparison(comparison),
        "Paired differences",
        " ".join([f"{right} minus {left}, in points.", *compared_cases(comparison)]),
        _delta_table(comparison),
    )
    cases = comparison.get("n_cases")
    where = "" if cases is None else f" on the same {counted(cases, 'case')}"
    return section("comparison", f"How the two differ{where}", [drawn])


def _scores(documents: Sequence[Document], _: Document | None, study: str) -> Section | None:
    drawn = plot(
        study,
        "scores",
        charts.scores(documents),
        "Ranking, process, consistency",
        f"Percent, with intervals; the target is above {charts.TARGET:g}.",
        _entries("Scores", documents, [(key, title) for key, title, _ in charts.SCORES]),
    )
    return section("scores", "The three scores", [drawn])


def _components(documents: Sequence[Document], _: Document | None, study: str) -> Section | None:
    keys = (*PROCESS_WEIGHTS, "evidence_recall", "score_consistency")
    drawn = plot(
        study,
        "components",
        charts.components(documents),
        "Components of the process score",
        "The share of claims that hold, component by component.",
        _entries("Components", documents, [(key, charts.title_of(key)) for key in keys]),
    )
    return section("components", "Are its reasons right", [drawn])


def _ranking(documents: Sequence[Document], _: Document | None, study: str) -> Section | None:
    by_threshold = _threshold_table(documents)
    found = [
        plot(
            study,
            "thresholds",
            charts.thresholds(documents),
            "Average precision by threshold",
            "How well the risk score finds the cases at a level or above.",
            by_threshold,
        ),
        plot(
            study,
            "precision-recall",
            charts.precision_recall(documents),
            "Precision and recall by threshold",
            "As more cases are flagged, by falling score; dotted is the prevalence.",
            by_threshold,
        ),
    ]
    return section("ranking", "Does the worst come first", found)


_MEAN_ERRORS: Final = (
    ("mae", "Mean error in levels"),
    ("macro_mae", "Mean error in levels, every level alike"),
)


def _agreement(documents: Sequence[Document], _: Document | None, study: str) -> Section | None:
    found = [
        plot(
            study,
            "agreement",
            charts.agreement(documents),
            "Agreement of verdict and truth",
            "1 is perfect; for kappa, tau and alpha 0 is no better than guessing. An abstention is "
            "wrong in the accuracy and left out of the rest.",
            _entries("Agreement", documents, [*charts.AGREEMENT, *_MEAN_ERRORS]),
        ),
        plot(
            study,
            "confusion",
            charts.confusion(documents),
            "Truth and verdict",
            "Cases by true level and verdict; abstentions are a column of their own.",
            _confusion_table(documents),
        ),
    ]
    return section("agreement", "Does it agree with the truth", found)


SECTIONS: Final[
    tuple[Callable[[Sequence[Document], Document | None, str], Section | None], ...]
] = (_comparison, _scores, _components, _ranking, _agreement)
"""In the order they stand on the page; to add one, add it here."""


def _ends(entry: Mapping[str, Any], form: str = ".4f") -> Cell:
    """The interval of an entry, marked where it rests on too few cases."""
    why = entry.get("no_interval") or entry.get("reason")
    cell = reach(entry.get("low"), entry.get("high"), form, why)
    if not is_unreliable(entry):
        return cell
    return Cell(f"{cell.text}{UNRELIABLE}", hint=shown(entry["note"]))


def _entries(caption: str, documents: Sequence[Document], keys: Sequence[tuple[str, str]]) -> Table:
    rows = []
    for key, title in keys:
        for method, document in zip(charts.method_names(documents), documents, strict=True):
            entry = document["intervals"].get(key) or {}
            value = number(entry.get("value"), reason=entry.get("reason"))
            rows.append((text(title), text(method), value, _ends(entry), text(entry.get("note"))))
    return Table(caption, ("measure", "method", "value", "interval", "note"), tuple(rows))


def _threshold_table(documents: Sequence[Document]) -> Table:
    methods = charts.method_names(documents)
    rows = []
    for method, document in zip(methods, documents, strict=True):
        for at in document["auprc"]["thresholds"]:
            entry = document["intervals"].get(f"auprc_ge_{at['threshold']}") or {}
            cells = (text(method), text(at["at_least"]), number(at["n_positive"]), number(at["ap"]))
            rows.append((*cells, _ends(entry), number(at["nap"]), number(at["auroc"])))
    columns = ("method", "truth at least", "cases", "AUPRC", "interval", "nAP", "AUROC")
    return Table("Ranking by threshold", columns, tuple(rows))


def _confusion_table(documents: Sequence[Document]) -> Table:
    methods = charts.method_names(documents)
    rows = []
    levels: list[str] = []
    for method, document in zip(methods, documents, strict=True):
        summary = document["summary"] or {"levels": [], "confusion": []}
        levels = summary["levels"] or levels
        for level, counts in zip(summary["levels"], summary["confusion"], strict=False):
            rows.append((text(method), text(level), *(number(n) for n in counts)))
    columns = ("method", "truth", *(name(level) for level in levels), ABSTAINED)
    return Table("Confusion", columns, tuple(rows))


def _delta_table(comparison: Document) -> Table:
    rows = []
    for key, d in comparison["deltas"].items():
        if d.get("delta") is None:
            continue
        cells = (text(key), number(d.get("left")), number(d.get("right")))
        told = (_right_of_checked(d.get("counts")), text(d.get("note")))
        rows.append((*cells, number(d["delta"], "+.4f"), _ends(d, "+.4f"), *told))
    left, right = shown(comparison["left"]), shown(comparison["right"])
    columns = ("measure", left, right, "difference", "interval", "right of checked", "note")
    return Table("Paired differences, as stored", columns, tuple(rows))


def _right_of_checked(counts: Mapping[str, Sequence[int]] | None) -> Cell:
    if not counts:
        return text(None)
    return text(" and ".join("{}/{}".format(*counts[side]) for side in ("left", "right")))


def _provenance(documents: Sequence[Document], command: str | None) -> tuple[Table, ...]:
    keys = ("run_id", "method", "model", "policy_id", "domain", "k", "n", "timestamp")
    rows = tuple((text(key), *(text(d.get(key)) for d in documents)) for key in keys)
    rows += ((text("acumen"), *(text(d.get("acumen_version")) for d in documents)),)
    rows += tuple(
        (text(f"interval {key}"), *(text(d["interval_settings"].get(key)) for d in documents))
        for key in ("method", "level", "resamples", "seed")
    )
    made = [d["made_from"] for d in documents]
    commands = [command or m["command"] for m in made]
    if any(commands):
        rows += ((text("command"), *map(text, commands)),)
    methods = charts.method_names(documents)
    files = dict.fromkeys((i["role"], i["path"], i["sha256"]) for m in made for i in m["inputs"])
    inputs = tuple(tuple(map(text, file)) for file in files)
    tables = (Table("Inputs", ("what", "file", "SHA-256"), inputs),) if inputs else ()
    return (*tables, Table("Runs and settings", ("setting", *methods), rows))


def _cases(document: Document, method: str) -> Cases:
    rows = document["results"]
    full = document["unified_metrics_full"]
    samples = (full.get("consistency_details") or {}).get("per_sample")
    traces = {
        sample.get("business_id"): sample.get("computed") or {}
        for sample in samples or []
        if isinstance(sample, dict)
    }

    def trace(row: Mapping[str, Any]) -> str:
        if row.get("error") is not None or samples is None:
            return UNDEFINED
        if row.get("verdict") is None:  # with evidence or without
            return "not asked, as there is no verdict"
        found = traces.get(row.get("business_id"))
        if not isinstance(found, dict) or not found:
            return "no evidence claimed"
        because = found.get("because")
        ids = ", ".join(map(str, because)) if isinstance(because, list) and because else "no row"
        return f"{found.get('verdict')}: {found.get('rule')} ({ids}; {found.get('score')} points)"

    def outcome(row: Mapping[str, Any]) -> str:
        if row.get("error") is not None:
            return "failed"
        if row.get("verdict") is None:
            return ABSTAINED
        return "right" if row.get("verdict") == row.get("gt_verdict") else "wrong"

    def word(value: object) -> object:
        return UNDEFINED if value is None else value

    scores = [row.get("risk_score") for row in rows]
    numeric = all(
        s is None or (isinstance(s, int | float) and not isinstance(s, bool)) for s in scores
    )
    columns = [
        coded("case", [word(row.get("business_id")) for row in rows]),
        coded("truth", [word(row.get("gt_verdict")) for row in rows]),
        coded("verdict", [word(row.get("verdict")) for row in rows]),
        coded("outcome", [outcome(row) for row in rows]),
        Column("risk score", values=tuple(scores)) if numeric else coded("risk score", scores),
        coded("what the policy makes of its evidence", [trace(row) for row in rows]),
    ]
    return Cases(f"Cases of {method}", tuple(columns), 3, len(rows))
