"""The run artifact: ``run_metadata`` and ``experiments``, one experiment a mode."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label, what_came
from acumen.files.fields import Fields
from acumen.files.json import source_name
from acumen.readers.content import Content, load
from acumen.readers.entries import table_from_entries
from acumen.readers.logs import at, refuse_newer
from acumen.table.judgments import Judgments, Outcome, Source
from acumen.table.losses import rungs_off
from acumen.table.scale import Scale, builtin_scales, find_scale

NEWEST: Final = 1
"""The newest version of the format that is known; a file without one is of the first."""


def read_run(
    path: str | Path, mode: str | None = None, scale: str | Path | Scale | None = None
) -> Judgments:
    """The table of one mode of a run artifact; ``-`` reads standard input.

    One mode is chosen by its name. Without a name the file must hold a single one. Without a
    scale it is read on the one its ``run_metadata`` names, else on that of its items or numbers.
    """
    scale = None if scale is None else find_scale(scale)
    return run_of_content(load(path), mode=mode, scale=scale)


def run_of_content(
    content: Content, *, mode: str | None = None, scale: Scale | None = None, strict: bool = False
) -> Judgments:
    """The table of one mode of a run artifact that was read from a file."""
    path, digest = content.path, content.sha256
    document = content.document
    return run_from_document(
        document, mode=mode, scale=scale, path=path, digest=digest, strict=strict
    )


def run_from_document(
    document: object,
    *,
    mode: str | None = None,
    scale: Scale | None = None,
    path: str | Path = "run",
    digest: str | None = None,
    strict: bool = False,
) -> Judgments:
    """The table of one mode of a run artifact already parsed."""
    name = source_name(path)
    experiments = _experiments(document, name)
    key, warnings = _choose(experiments, mode, name)
    place, experiment = experiments[key]
    entries = at(experiment, "results", "results")
    if not isinstance(entries, list):
        message = f"must be a list, not {what_came(entries)}"
        raise DataError([Problem(message, field=f"{place}.results.results")], source=name)
    metadata = at(document, "run_metadata")
    table = table_from_entries(
        entries,
        scale=scale or _named_scale(at(metadata, "scale"), name),
        source=Source(
            path=str(path),
            sha256=digest,
            run_id=_text(at(metadata, "run_id")),
            git_commit=_text(at(metadata, "git_commit")),
            mode=key if isinstance(key, str) else mode,
            is_long=False,
        ),
        name=name,
        strict=strict,
        warnings=warnings + _missing_cases(document, experiment, len(entries)),
    )
    asked, left = (at(document, "run_metadata", key) for key in ("cases_asked", "questions_left"))
    if type(asked) is int and type(left) is int and left > 0:  # the run was ended early
        table = replace(table, planned=asked * len(table.items))
    if table.no_truth or not table.has_truth:  # what is stored is of rows that are not all here
        return table
    return _checked_against(table, experiment["results"])


def modes_of(path: str | Path) -> list[str]:
    """The modes of a run artifact."""
    content = load(path)
    return [key for key in _experiments(content.document, content.name) if isinstance(key, str)]


def _named_scale(content: object, name: str) -> Scale | None:
    """The scale a run says it was judged on; None where it says nothing."""
    if content is None:
        return None
    place, fields = "run_metadata.scale", Fields(name)
    table = fields.record(place, content)
    fields.finish()
    scale = Scale.parse(table, name, place)
    if scale.name in builtin_scales():  # a file may leave out how ours calls itself and its cases
        ours = Scale.named(scale.name)
        if (ours.levels, ours.items) == (scale.levels, scale.items):
            return ours
    return scale


def _experiments(document: object, name: str) -> dict[str | int, tuple[str, dict[str, Any]]]:
    """Experiments by mode; an unnamed one by its position."""
    if not isinstance(document, dict):
        raise DataError([f"must be an object, not {what_came(document)}"], source=name)
    refuse_newer(document.get("schema_version"), NEWEST, "schema_version", name)
    experiments = document.get("experiments")
    if not isinstance(experiments, list) or not experiments:
        content = "an empty list" if experiments == [] else what_came(experiments)
        message = f"must be a list of at least one experiment, not {content}"
        if isinstance(document.get("results"), list) and "policy_id" in document:
            message += "; this is a verdict study: use acumen score"
        raise DataError([Problem(message, field="experiments")], source=name)
    by_mode: dict[str | int, tuple[str, dict[str, Any]]] = {}
    fields = Fields(name)
    for index, (place, experiment) in enumerate(fields.records("experiments", experiments)):
        mode = _mode(experiment, place, fields)
        key: str | int = index if mode is None else mode
        if key in by_mode:
            both = f"in {by_mode[key][0]} and {place}"
            fields.wrong(None, f"mode {label(key)} is there twice, {both}")
        by_mode[key] = (place, experiment)
    fields.finish()
    return by_mode


def _mode(experiment: dict[str, Any], place: str, fields: Fields) -> str | None:
    modes = {}
    for part in ("provenance", "results"):
        mode = at(experiment, part, "mode")
        if isinstance(mode, str) and mode:
            modes[mode] = part
        elif mode is not None:
            fields.wrong(f"{place}.{part}.mode", f"must be a text, not {what_came(mode)}")
    if len(modes) > 1:
        one, other = map(label, modes)
        fields.wrong(f"{place}.mode", f"provenance says {one} but results say {other}")
    return next(iter(modes), None)


def _choose(
    experiments: dict[str | int, Any], mode: str | None, name: str
) -> tuple[str | int, list[str]]:
    """The experiment that is meant, and what to warn of."""
    if mode in experiments:
        return mode, []
    modes = ", ".join(label(m) if isinstance(m, str) else "(unnamed)" for m in experiments)
    reason = "no mode was chosen" if mode is None else f"there is no mode {label(mode)}"
    if len(experiments) > 1:
        raise UsageError(f"{name}: {reason}; the file holds {modes}: choose with --mode NAME")
    (only,) = experiments
    if isinstance(only, str) and mode is not None:
        raise UsageError(f"{name}: {reason}; the file holds {modes}")
    reading = "" if mode is None else f"; it is read as {label(mode)}"
    return only, [] if isinstance(only, str) else [f"the run does not name its mode{reading}"]


def _missing_cases(document: object, experiment: dict[str, Any], size: int) -> list[str]:
    """Cases that were asked for and are not in the file."""
    counts = {
        "cases_asked": at(document, "run_metadata", "cases_asked"),
        "participants_requested": at(experiment, "provenance", "participants_requested"),
        "participants_evaluated": at(experiment, "provenance", "participants_evaluated"),
        "total_subjects": at(experiment, "results", "total_subjects"),
    }
    more = {field: n for field, n in counts.items() if type(n) is int and n > size}
    if not more:
        return []
    field = max(more, key=more.__getitem__)
    gone = f"{more[field] - size} of {more[field]} cases ({field})"
    return [f"{gone} are not in the file, which holds {size}"]


def _checked_against(table: Judgments, results: dict[str, Any]) -> Judgments:
    """Warn where an aggregate stored in the file disagrees with the rows."""
    answered = table.outcome == Outcome.ANSWERED
    n_rows = int((table.outcome != Outcome.FAILED).sum())
    losses = rungs_off(table.prediction[answered], table.truth[answered])
    computed = {
        "item_mae_weighted": float(losses.mean()) if len(losses) else None,
        "prediction_coverage": len(losses) / n_rows if n_rows else None,
    }
    warnings = [
        f"the stored {key} is {what_came(results[key])} but the rows give {value:.4g}"
        for key, value in computed.items()
        if value is not None and key in results and not _close(results[key], value)
    ]
    return replace(table, warnings=table.warnings + tuple(warnings)) if warnings else table


def _close(stated: object, value: float) -> bool:
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return stated is None
    if math.isnan(stated):
        return True
    return value - 5e-3 <= stated <= value + 5e-3


def _text(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
