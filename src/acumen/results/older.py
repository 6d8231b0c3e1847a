"""What metrics were called in documents of older versions, and what they were counted in.

One table for every kind of document: a file that was written with older names is read as if it
had been written today.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from acumen.values.measured import Delta, Interval, Measured

NAMES: Final = {
    "cmax": "coverage",
    "mae": "mean_loss",
    "mae_at_coverage": "mean_loss_at_coverage",
    "mae_at_cut": "mean_loss_at_cut",
    "mae_levels": "mae",
    "level_mae": "mae",
    "level_bias": "signed_error",
    "noise_floor_levels": "noise_floor_mae",
}
"""Older name -> name."""
IN_LEVELS: Final = ("mae_levels", "level_mae", "level_bias", "noise_floor_levels", "macro_mae")
"""Older names of what was counted in levels, and is in units of the scale now."""
MARKS: Final = ("mae_levels", "level_mae")
"""One of them stands in every older document that measures rows, under what needs no confidence."""
LEFT_OUT: Final = "mae_units"
"""The same as ``mae_levels``, in units of the scale."""

Shape = type[Measured] | type[Delta] | type[Interval]


def step_of(levels: Sequence[Any]) -> float:
    """From one level of a scale to the next; of words 1."""
    if len(levels) < 2 or not all(isinstance(level, int | float) for level in levels[:2]):
        return 1.0
    return float(levels[1] - levels[0])


def _step(scale: Any) -> float:
    return step_of(scale.get("levels", ()) if isinstance(scale, Mapping) else ())


def name_of(metric: Any) -> Any:
    """The name of today, its parameter kept.

    >>> name_of("mae_at_coverage@0.5"), name_of("augrc")
    ('mean_loss_at_coverage@0.5', 'augrc')
    """
    if not isinstance(metric, str):
        return metric
    base, at, value = metric.partition("@")
    return NAMES.get(base, base) + at + value


def numbers(content: Any, step: float = 1.0, shape: Shape = Measured) -> Any:
    """Numbers by metric, under the names of today and in the units of today."""
    if not isinstance(content, Mapping):
        return content
    return {
        name_of(key): _times(number, step, shape) if key in IN_LEVELS and step != 1.0 else number
        for key, number in content.items()
        if key != LEFT_OUT
    }


def _times(number: Any, step: float, shape: Shape) -> Any:
    if not isinstance(number, Mapping):
        return number
    return shape.model_validate(number).times(step).model_dump(mode="json")


def renewed(content: Mapping[str, Any]) -> Any:
    """A metrics document with the names of today, whatever version wrote it."""
    overall = content.get("overall")
    sides = overall if isinstance(overall, list) else [overall]
    if not any(isinstance(side, Mapping) and not side.keys().isdisjoint(MARKS) for side in sides):
        return content
    step = _step(content.get("scale"))

    def bounds(part: Any) -> Any:
        return _list(part, lambda entry: _bound(entry, step))

    return _with(
        content,
        overall=lambda part: _list(part, _side(step)) if part is sides else _side(step)(part),
        confidence_variants=lambda part: _each(part, _variant),
        comparison=lambda part: _with(
            part,
            deltas=lambda by: _each(by, _by_source),
            agreement=lambda by: numbers(by, step, Delta),
        ),
        leaderboard=lambda part: _with(part, metric=name_of),
        options=lambda part: _with(part, rank_by=name_of),
        slices=lambda part: _list(part, lambda entry: _slice(entry, step)),
        missing=lambda part: _with(
            part,
            inputs=lambda rows: _list(rows, lambda of: _with(of, bounds=bounds)),
            differences=bounds,
        ),
    )


def of_counts(content: Mapping[str, Any]) -> Any:
    """A document of counts with the names and the units of today."""
    systems = content.get("systems")
    sides = systems.values() if isinstance(systems, Mapping) else ()
    known = [s.get("metrics") for s in sides if isinstance(s, Mapping)]
    if not any(isinstance(metrics, Mapping) and "cmax" in metrics for metrics in known):
        return content
    step = step_of(content.get("levels") or ())

    def renamed(side: Any) -> Any:
        return _with(side, metrics=_side(step), deltas=lambda by: numbers(by, step, Delta))

    return _with(
        content,
        systems=lambda part: _each(part, renamed),
        slices=lambda part: _each(part, lambda group: _each(group, renamed)),
    )


def of_totals(content: Any) -> Any:
    """Risk against coverage, over cases, with the names of today."""
    return _with(content, measures=numbers)


def of_verdicts(content: Any) -> Any:
    """Verdicts, whose levels are words, with the names of today."""
    parts = [part for k in ("metrics", "deltas") if isinstance(part := content.get(k), Mapping)]
    names = {key: NAMES[key] for key in ("level_mae", "level_bias")}

    def renamed(part: Any) -> Any:
        known = part.items() if isinstance(part, Mapping) else ()
        return {names.get(key, key): value for key, value in known} if known else part

    keys = ("metrics", "ci95", "agreement", "deltas", "fragility")
    is_older = any("level_mae" in part for part in parts)
    return _with(content, **dict.fromkeys(keys, renamed)) if is_older else content


def decided(content: Mapping[str, Any]) -> Any:
    """A decision of schema version 1 with the names and the units of today."""
    step = _step(content.get("scale"))

    def agreement(part: Any) -> Any:
        return _list(part, lambda entry: _agreement(entry, step))

    return _with(
        content,
        schema_version=lambda _: 2,
        metric=name_of,
        checks=lambda part: _list(part, lambda check: _check(check, step)),
        agreement=agreement,
        before=agreement,
    )


Change = Callable[[Any], Any]


def _with(content: Any, **changes: Change) -> Any:
    """An object with some of its entries changed, where it has them."""
    if not isinstance(content, Mapping):
        return content
    return {k: changes[k](v) if k in changes else v for k, v in content.items()}


def _each(content: Any, change: Change) -> Any:
    return {k: change(v) for k, v in content.items()} if isinstance(content, Mapping) else content


def _list(content: Any, change: Change) -> Any:
    return [*map(change, content)] if isinstance(content, list) else content


def _by_source(deltas: Any) -> Any:
    """Differences, whose keys are the source's where it has one."""
    if not isinstance(deltas, Mapping):
        return deltas
    return {key if key == "cmax" else name_of(key): delta for key, delta in deltas.items()}


def _side(step: float) -> Change:
    return lambda content: numbers(content, step)


def _variant(content: Any) -> Any:
    """The numbers of a function: on one input, or on each of several."""
    if isinstance(content, Mapping) and "metrics" not in content:
        return _each(content, lambda side: _with(side, metrics=numbers))
    return _with(content, metrics=numbers)


def _slice(content: Any, step: float) -> Any:
    return _with(
        content,
        metrics=_side(step),
        difference=lambda part: numbers(part, step, Delta),
        worst=lambda part: numbers(part, step, Interval),
    )


def _check(content: Any, step: float) -> Any:
    """A requirement of a gate, or of a card."""
    return _of_metric(
        content,
        bound=lambda number: number * step,
        bounds=lambda ends: ends and [end * step for end in ends],
        values=lambda sides: [None if side is None else side * step for side in sides],
        measured=lambda number: _times(number, step, Measured),
    )


def _of_metric(content: Any, **scaled: Change) -> Any:
    """What says its metric: under its name, and with its numbers in units of the scale."""
    metric = content.get("metric") if isinstance(content, Mapping) else None
    return _with(content, metric=name_of, **(scaled if metric in IN_LEVELS else {}))


def _agreement(content: Any, step: float) -> Any:
    """How far a judge agrees with the labels, by a metric."""

    def times(number: Any) -> Any:
        return _times(number, step, Measured)

    return _of_metric(content, answered=times, accepted=times)


def _bound(content: Any, step: float) -> Any:
    """What missing rows leave open of a metric."""

    def times(end: Any) -> Any:
        return None if end is None else end * step

    return _of_metric(
        content,
        value=times,
        low=times,
        high=times,
        claim=times,
        interval=lambda ends: _times(ends, step, Interval),
        without=lambda ends: _times(ends, step, Interval),
    )
