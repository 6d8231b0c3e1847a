"""A verdict study's results document as tables for the terminal. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import counted, printable
from acumen.report.letters import in_letters_of
from acumen.report.verdict_reading import (
    TARGET,
    UNRELIABLE,
    consistency_counts,
    is_unreliable,
    paragraphs,
)

WIDTH: Final = 80
_BESIDE: Final = {"evidence_recall": "Evidence Recall", "score_consistency": "Score Consistency"}
COMPONENTS: Final = tuple(
    (key, key.removesuffix("_rate").replace("_", " ").title(), f"{weight}%")
    for key, weight in PROCESS_WEIGHTS.items()
) + tuple((key, name, "") for key, name in _BESIDE.items())
"""Key, title and weight of each component, then of what is reported beside them."""
_AGREEMENT: Final = (
    ("accuracy", "Accuracy", True),
    ("macro_f1", "Macro F1", True),
    ("off_by_one_accuracy", "At most one level off", True),
    ("mae", "Mean error (levels)", False),
    ("macro_mae", "Mean error (macro)", False),
    ("quadratic_kappa", "Kappa (quadratic)", False),
    ("linear_kappa", "Kappa (linear)", False),
    ("kendall_tau_b", "Kendall's tau-b", False),
    ("krippendorff_alpha", "Krippendorff's alpha", False),
)


def terminal(file: Any = None) -> Console:
    """A console 80 columns wide, without colour when piped or where NO_COLOR is set.

    A narrower terminal gets no narrower tables: squeezed, they would lose their names.
    """
    return Console(file=file, highlight=False, markup=False, emoji=False, width=WIDTH)


def show(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print the parts, without blanks at line ends, in letters the console's encoding has."""
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    text = "\n".join(line.rstrip() for line in captured.get().split("\n"))
    console.file.write(in_letters_of(console.encoding, text))


def report(document: Mapping[str, Any]) -> list[RenderableType]:
    """Everything there is to show of one method."""
    parts: list[RenderableType] = [_header(document), _cases(document)]
    parts += _section("UNIFIED SCORES", unified_table(document))
    if document["unified_metrics_full"]["process_components"] is not None:
        parts += _section("PROCESS COMPONENTS", component_table(document))
    if document["auprc"]["thresholds"]:
        parts += _section("RANKING, BY THRESHOLD", threshold_table(document))
    if document.get("agreement") is not None:
        parts += _section("AGREEMENT OF VERDICTS", agreement_table(document))
    if document.get("primitives") is not None:
        parts.append(_primitives(document))
    parts += _notes(document)
    parts.append(Text(" READING", style="bold"))
    parts += [Padding(Text(text), (0, 1, 1, 1)) for text in paragraphs(document)]
    return parts


def _header(document: Mapping[str, Any]) -> RenderableType:
    told = [f"RUN: {_name(document.get('run_id') or document.get('policy_id'))}"]
    told.append(f"Method: {_name(document.get('method'))}")
    if document.get("k") is not None:
        told.append(f"K={_name(document['k'])}")
    told.append(f"N={_name(document.get('n'))}")
    rule = "═" * 67
    return Text(f"{rule}\n {' | '.join(told)}\n{rule}", overflow="fold")


def _name(value: object) -> str:
    return "unnamed" if value is None else printable(str(value))


def _cases(document: Mapping[str, Any]) -> RenderableType:
    policy = f"Policy {_name(document.get('policy_id'))}"
    if document.get("answered") is None:
        return Padding(Text(policy), (0, 1, 1, 1))
    text = counted(document["answered"], "verdict")
    if document["abstained"]:
        whose = "its" if document["abstained"] == 1 else "their"
        text += (
            f", {document['abstained']} abstained (wrong in accuracy, outside ranking, "
            f"other agreement and consistency; {whose} claims still count in the process score)"
        )
    if document["failed"]:
        text += f", {document['failed']} failed (left out)"
    return Padding(Text(f"{text}\n{policy}"), (0, 1, 1, 1))


def _section(title: str, table: Table) -> list[RenderableType]:
    return [Text(f" {title}", style="bold"), Padding(table, (0, 0, 1, 1))]


def table_of(*columns: str) -> Table:
    """An empty box table; the first column holds names, the others numbers."""
    table = Table(box=box.SQUARE, show_edge=True, header_style="bold", pad_edge=True)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right", no_wrap=place > 0)
    return table


def percent(value: float | None) -> str:
    """A share as the tables show it; what has no value is N/A."""
    return "N/A" if value is None else f"{100 * value:.1f}%"


def number(value: float | None) -> str:
    """A plain number as the tables show it."""
    return "N/A" if value is None else f"{value:.3f}"


def interval(entry: Mapping[str, Any], kind: str = "share") -> str:
    """The interval of an entry; a dash where there is none (the notes say why)."""
    if entry.get("low") is None or entry.get("high") is None:
        return "–"
    low, high = entry["low"], entry["high"]
    mark = UNRELIABLE if is_unreliable(entry) else ""
    match kind:
        case "share":
            return f"{100 * low:.1f}% to {100 * high:.1f}%{mark}"
        case "percent":
            return f"{low:.1f}% to {high:.1f}%{mark}"
        case _:
            return f"{low:.3f} to {high:.3f}{mark}"


def unified_table(document: Mapping[str, Any]) -> Table:
    """The three scores; a tick above the target only, and what consistency is counted over."""
    scores, found = document["unified_scores"], document["intervals"]
    followed = consistency_counts(document)
    shares = (
        ("AUPRC", scores["auprc"], found["ordinal_auprc"], "share"),
        ("Process", _hundredth(scores["process_score"]), found["process_score"], "percent"),
        (
            "Consistency" if followed is None else "Consistency ({}/{})".format(*followed),
            _hundredth(scores["consistency_score"]),
            found["consistency_score"],
            "percent",
        ),
    )
    table = table_of("Metric", "Score", _level(document), "Status")
    for name, share, entry, kind in shares:
        tick = Text()
        if share is not None and 100 * share > TARGET:
            tick.append("✓", style="green")
            tick.append(" (no interval)" if entry.get("low") is None else "")
        table.add_row(f"{name:<16}", percent(share), interval(entry, kind), tick)
    return table


def _hundredth(value: float | None) -> float | None:
    return None if value is None else value / 100


def _level(document: Mapping[str, Any]) -> str:
    return f"{100 * document['interval_settings']['confidence_level']:g}% interval"


def component_table(document: Mapping[str, Any]) -> Table:
    """The five components with their weights, then what is reported beside them."""
    found = document["intervals"]
    stages = document["unified_metrics_full"]["intermediate_metrics"] or {}
    parts = [stage for stage in stages.values() if isinstance(stage, dict)]
    counts = {key: value for stage in parts for key, value in stage.items()}
    table = table_of("Component", "Score", _level(document), "Right/of", "Weight")
    for key, name, weight in COMPONENTS:
        if key not in found:
            continue
        checked = "–"
        match counts.get(f"{key}_counts"):
            case [int(right), int(of)] if of:
                checked = f"{right}/{of}"
        entry = found[key]
        table.add_row(name, percent(entry["value"]), interval(entry), checked, weight)
        if key == "snippet_validity":
            table.add_section()
    return table


def threshold_table(document: Mapping[str, Any]) -> Table:
    """Average precision at every threshold, against its prevalence."""
    auprc, found = document["auprc"], document["intervals"]
    table = table_of("Truth at least", "AUPRC", _level(document), "Share", "nAP", "AUROC")
    for row in auprc["thresholds"]:
        key = f"auprc_ge_{row['threshold']}"
        share = f"{row['n_positive']}/{auprc['n_samples']}"
        table.add_row(
            _name(row["at_least"]),
            percent(row["ap"]),
            interval(found.get(key, {})),
            share,
            number(row["nap"]),
            number(row["auroc"]),
        )
    table.add_section()
    mean = found["ordinal_auprc"]
    table.add_row(
        "Mean",
        percent(mean["value"]),
        interval(mean),
        "",
        number(auprc["ordinal_nap"]),
        number(auprc["ordinal_auroc"]),
    )
    ordering = found.get("severity_ordering_ap", {})
    value = percent(ordering.get("value"))
    table.add_row("Worst among risky", value, interval(ordering), "", "", "")
    return table


def agreement_table(document: Mapping[str, Any]) -> Table:
    """How the verdicts themselves agree with the truth."""
    table = table_of("Measure", "Value", _level(document))
    for key, name, share in _AGREEMENT:
        entry = document["intervals"].get(key, {})
        shown = document["agreement"].get(key)
        value = percent(shown) if share else number(shown)
        if key == "accuracy" and document["correct"] is not None:
            name = f"{name} ({document['correct']}/{document['total']})"
        table.add_row(name, value, interval(entry, "share" if share else "number"))
    return table


def _primitives(document: Mapping[str, Any]) -> RenderableType:
    found, auprc = document["primitives"], document["auprc"]["ordinal_auprc"]
    accuracy, adjusted = found["primitive_accuracy"], found["adjusted_auprc"]
    lines = [
        "PROCESS-REWARD ADJUSTED METRICS:",
        "-" * 50,
        f"  Primitive Acc:  {accuracy:.3f}  (mean accuracy of intermediate calculations)",
        f"    - Range:      [{found['min']:.3f}, {found['max']:.3f}]",
        f"    - Std Dev:    {found['std']:.3f}",
        "",
    ]
    if adjusted is None or auprc is None:
        lines.append("  Adjusted AUPRC: N/A (no AUPRC)")
    else:
        lines.append(f"  Adjusted AUPRC: {adjusted:.3f}  = {auprc:.3f} × {accuracy:.3f}")
    return Text("\n".join(lines) + "\n")


def _notes(document: Mapping[str, Any]) -> list[RenderableType]:
    notes = []
    components = document["unified_metrics_full"]["process_components"]
    total = None if components is None else components.get("total_weight")
    if total and total < 1:
        notes.append(
            f"The weight of a component that is N/A goes to the others in proportion "
            f"(they weigh {total:g} in all)."
        )
    rows = document["auprc"]["thresholds"]
    covered = [_name(row["at_least"]) for row in rows if row["ap"] is not None]
    if 0 < len(covered) < len(rows):
        notes.append(f"The mean AUPRC covers {' and '.join(covered)} only.")
    notes += _reasons(document)
    notes += [f"Note: {printable(text, limit=200)}." for text in document["warnings"]]
    if not notes:
        return []
    return [Text(" NOTES", style="bold"), bullets(notes)]


def bullets(notes: Iterable[str]) -> RenderableType:
    """Notes one below the other, each once, the lines of one hanging together."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    for note in dict.fromkeys(notes):
        own = note.startswith(UNRELIABLE)
        grid.add_row(UNRELIABLE if own else "-", Text(note.removeprefix(f"{UNRELIABLE} ")))
    return Padding(grid, (0, 1, 1, 1))


def _reasons(document: Mapping[str, Any]) -> list[str]:
    """Why some numbers are N/A or have no interval that holds."""
    names = {key: name for key, name, _ in (*COMPONENTS, *_AGREEMENT)}
    names |= {"ordinal_auprc": "AUPRC", "process_score": "process"}
    names |= {"consistency_score": "consistency", "severity_ordering_ap": "worst among risky"}
    names |= {
        f"auprc_ge_{row['threshold']}": f"AUPRC of {_name(row['at_least'])}"
        for row in document["auprc"]["thresholds"]
    }
    return shared_reasons(names, document["intervals"])


def shared_reasons(names: Mapping[str, str], entries: Mapping[str, Any]) -> list[str]:
    """Each reason once, with the names of all it concerns."""
    told: dict[tuple[str, str], list[str]] = {}
    for key, name in names.items():
        entry = entries.get(key, {})
        mark = f"{UNRELIABLE} " if is_unreliable(entry) else ""
        kinds = {"reason": "N/A", "no_interval": "No interval", "note": f"{mark}Interval"}
        for kind, what in kinds.items():
            if entry.get(kind):
                told.setdefault((what, entry[kind]), []).append(name)
    return [
        f"{what} for {', '.join(concerned)}: {printable(reason, limit=200)}."
        for (what, reason), concerned in told.items()
    ]
