"""The run artifact: ``run_metadata`` and ``experiments``, one experiment a mode."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label, what_came
from acumen.files.json import source_name
from acumen.readers.content import Content, load
from acumen.readers.entries import table_from_entries
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
    content: Content, *, mode: str | None = None, scale: Scale | None = None
) -> Judgments:
    """The table of one mode of a run artifact that was read from a file."""
    return run_from_document(
        content.document, mode=mode, scale=scale, path=content.path, digest=content.sha256
    )


def run_from_document(
    document: object,
    *,
    mode: str | None = None,
    scale: Scale | None = None,
    path: str | Path = "run",
    digest: str | None = None,
) -> Judgments:
    """The table of one mode of a run artifact already parsed."""
    name = source_name(path)
    experiments = _experiments(document, name)
    warnings: list[str] = []
    key = _choose(experiments, mode, name, warnings)
    at, experiment = experiments[key]
    results = experiment.get("results")
    results = results if isinstance(results, dict) else {}
    entries = results.get("results")
    if not isinstance(entries, list):
        message = f"must be a list, not {what_came(entries)}"
        raise DataError([Problem(message, field=f"{at}.results.results")], source=name)
    metadata = document.get("run_metadata") if isinstance(document, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    provenance = experiment.get("provenance")
    provenance = provenance if isinstance(provenance, dict) else {}
    table = table_from_entries(
        entries,
        scale=scale or _named_scale(metadata.get("scale"), name),
        source=Source(
            path=str(path),
            sha256=digest,
            run_id=_text(metadata.get("run_id")),
            git_commit=_text(metadata.get("git_commit")),
            mode=key if isinstance(key, str) else mode,
            is_long=False,
        ),
        name=name,
        warnings=warnings + _missing_cases(provenance, results, len(entries)),
    )
    return _checked_against(table, results)


def modes_of(path: str | Path) -> list[str]:
    """The modes of a run artifact."""
    content = load(path)
    return [key for key in _experiments(content.document, content.name) if isinstance(key, str)]


def _named_scale(content: object, name: str) -> Scale | None:
    """The scale a run says it was judged on; None where it says nothing."""
    if content is None:
        return None
    at = "run_metadata.scale"
    if not isinstance(content, dict):
        message = f"must be an object, not {what_came(content)}"
        raise DataError([Problem(message, field=at)], source=name)
    scale = Scale.parse(content, name, at)
    if scale.name in builtin_scales():  # a file may leave out how ours calls itself and its cases
        ours = Scale.named(scale.name)
        if (ours.levels, ours.items) == (scale.levels, scale.items):
            return ours
    return scale


def _experiments(document: object, name: str) -> dict[str | int, tuple[str, dict[str, Any]]]:
    """Experiments by mode; an unnamed one by its position."""
    if not isinstance(document, dict):
        raise DataError([f"must be an object, not {what_came(document)}"], source=name)
    version = document.get("schema_version")
    if version is not None and (isinstance(version, bool) or not isinstance(version, str | int)):
        message = f"must be a text or a whole number, not {what_came(version)}"
        raise DataError([Problem(message, field="schema_version")], source=name)
    major = str(version or 0).partition(".")[0]
    if not major.isdecimal() or int(major[:9]) > NEWEST:
        message = f"{what_came(version)} is not known; this acumen reads up to {NEWEST}: update it"
        raise DataError([Problem(message, field="schema_version")], source=name)
    experiments = document.get("experiments")
    if not isinstance(experiments, list) or not experiments:
        content = "an empty list" if experiments == [] else what_came(experiments)
        message = f"must be a list of at least one experiment, not {content}"
        if isinstance(document.get("results"), list) and "policy_id" in document:
            message += "; this is a verdict study: use acumen score"
        raise DataError([Problem(message, field="experiments")], source=name)
    by_mode: dict[str | int, tuple[str, dict[str, Any]]] = {}
    problems = []
    for index, experiment in enumerate(experiments):
        at = f"experiments[{index}]"
        if not isinstance(experiment, dict):
            message = f"must be an object, not {what_came(experiment)}"
            problems.append(Problem(message, field=at))
            continue
        mode = _mode(experiment, at, problems)
        key: str | int = index if mode is None else mode
        if key in by_mode:
            message = f"mode {label(key)} is there twice, in {by_mode[key][0]} and {at}"
            problems.append(Problem(message))
        by_mode[key] = (at, experiment)
    if problems:
        raise DataError(problems, source=name)
    return by_mode


def _mode(experiment: dict[str, Any], at: str, problems: list[Problem]) -> str | None:
    names = {}
    for part in ("provenance", "results"):
        section = experiment.get(part)
        mode = section.get("mode") if isinstance(section, dict) else None
        if isinstance(mode, str) and mode:
            names[part] = mode
        elif mode is not None:
            message = f"must be a text, not {what_came(mode)}"
            problems.append(Problem(message, field=f"{at}.{part}.mode"))
    modes = list(dict.fromkeys(names.values()))
    if len(modes) > 1:
        message = f"provenance says {label(modes[0])} but results say {label(modes[1])}"
        problems.append(Problem(message, field=f"{at}.mode"))
    return modes[0] if modes else None


def _choose(
    experiments: dict[str | int, Any], mode: str | None, name: str, warnings: list[str]
) -> str | int:
    modes = ", ".join(label(m) if isinstance(m, str) else "(unnamed)" for m in experiments)
    if mode in experiments:
        return mode
    if len(experiments) > 1:
        reason = "no mode was chosen" if mode is None else f"there is no mode {label(mode)}"
        raise UsageError(f"{name}: {reason}; the file holds {modes}: choose with --mode NAME")
    (only,) = experiments
    if isinstance(only, str):
        if mode is not None:
            raise UsageError(f"{name}: there is no mode {label(mode)}; the file holds {modes}")
        return only
    warnings.append(
        "the run does not name its mode"
        + ("" if mode is None else f"; it is read as {label(mode)}")
    )
    return only


def _missing_cases(provenance: dict[str, Any], results: dict[str, Any], size: int) -> list[str]:
    """Cases that were asked for and are not in the file."""
    counts = {
        "participants_requested": provenance.get("participants_requested"),
        "participants_evaluated": provenance.get("participants_evaluated"),
        "total_subjects": results.get("total_subjects"),
    }
    most = max((v for v in counts.values() if type(v) is int), default=size)
    if most <= size:
        return []
    field = next(k for k, v in counts.items() if v == most)
    return [f"{most - size} of {most} cases ({field}) are not in the file, which holds {size}"]


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
    return value - 5e-3 <= stated <= value + 5e-3


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)
