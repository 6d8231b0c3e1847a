"""A gate on scored verdicts: each score against a bound, or two methods against each other.

It goes by the intervals that the file holds: the two ends of a 95% interval are one-sided 97.5%
ends, so it passes nothing that the gate of a run would not. Results scored with
``--confidence-level .9`` have the gate's own ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from acumen.decisions.gate import LEVEL, decide
from acumen.decisions.gate_file import Requirement
from acumen.defaults import RELIABLE_CASES
from acumen.errors import UsageError, label
from acumen.files.json import parse_json, read_bytes, source_name
from acumen.results.decisions import Check, Undecided, Verdict
from acumen.results.verdicts import PairDocument, ResultsDocument, method_names, results_of
from acumen.values.measured import Delta, Interval, Measured

SHORT: Final = {"auprc": "ordinal_auprc", "accuracy": "total_accuracy"}
"""What people call a metric -> its name."""
MARK: Final = b'"unified_scores"'
"""What a file of scores holds and a run does not."""
LARGEST: Final = 1 << 28
ROUNDING: Final = 1e-9


def scores_in(run: object) -> PairDocument | None:
    """Scored verdicts, as a document, its result, or a file of them; None where it is no such."""
    document = getattr(run, "document", run)
    if isinstance(document, PairDocument):
        return document
    if isinstance(run, Mapping) and "unified_scores" in run:
        return results_of(dict(run), "results")
    if not isinstance(run, str | Path) or Path(run).suffix != ".json" or not Path(run).is_file():
        return None
    data = read_bytes(run) if Path(run).stat().st_size <= LARGEST else b""
    if MARK not in data:
        return None
    return results_of(parse_json(data, source_name(run)), source_name(run))


def checks_of(pair: PairDocument, asks: Sequence[Requirement], least: int) -> Iterator[Check]:
    """Every requirement on every method; a margin on the difference of two, right minus left."""
    names = pair.names or method_names(pair.systems)
    for requirement in asks:
        (rule, bound), metric = (
            requirement.asked[0],
            SHORT.get(requirement.metric, requirement.metric),
        )
        if requirement.is_of_two:
            delta, cases = _difference(pair, metric)
            worse = 1.0 if delta.better == "lower" else -1.0
            measured = Measured(value=delta.delta, reason=delta.reason, interval=delta.interval)
            facts: dict[str, Any] = {"values": [delta.left, delta.right], "group": None}
            yield _check(metric, rule, bound, _turned(measured, worse), cases, least, facts)
            continue
        for system, name in zip(pair.systems, names, strict=True):
            measured = _of_method(system, metric)
            group = f"method={name}" if len(pair.systems) > 1 else None
            facts = {"values": [measured.value], "group": group}
            yield _check(metric, rule, bound, measured, system.total or 0, least, facts)


def _of_method(system: ResultsDocument, metric: str) -> Measured:
    measured = system.measured(metric)
    if measured.value is None and metric not in system.metrics:
        known = ", ".join((*SHORT, *system.metrics)) or "auprc, accuracy, process, consistency"
        raise UsageError(f"no metric {label(metric)} in the results; there are {known}")
    return measured


def _difference(pair: PairDocument, metric: str) -> tuple[Delta, int]:
    if pair.comparison is None:
        raise UsageError(
            "a margin needs a baseline: score both in one file "
            "(acumen score BASE NEW -o both.json), and give that"
        )
    if metric not in pair.comparison.deltas:
        known = ", ".join((*SHORT, *pair.comparison.deltas))
        raise UsageError(f"no difference in {label(metric)}; there are {known}")
    return pair.comparison.deltas[metric], pair.comparison.n_cases or 0


def _turned(measured: Measured, sign: float) -> Measured:
    """The difference, positive is worse."""
    if sign > 0.0 or measured.value is None:
        return measured
    turned = measured.times(-1.0)
    if (interval := turned.interval) is None:
        return turned
    ends = {"low": interval.high, "high": interval.low}
    return turned.model_copy(update={"interval": interval.model_copy(update=ends)})


def _check(
    metric: str,
    rule: Any,
    bound: float,
    measured: Measured,
    cases: int,
    least: int,
    facts: Mapping[str, Any],
) -> Check:
    verdict: Verdict = "undecided"
    why: Undecided | None = None
    interval: Interval | None = measured.interval
    if cases < max(least, RELIABLE_CASES):
        why = "few_cases"
    elif measured.value is None or interval is None:
        why = "no_value" if measured.value is None else "no_interval"
    elif interval.confidence_level < LEVEL - ROUNDING:
        why = "no_interval"
    elif not interval.is_reliable:
        why = "unreliable"
    else:
        verdict = decide(rule, interval.low, interval.high, bound)
        why = "between" if verdict == "undecided" else None
    own = {"metric": metric, "rule": rule, "bound": bound, "measured": measured, "cases": cases}
    return Check(**own, **facts, verdict=verdict, why=why)
