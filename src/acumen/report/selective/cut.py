"""The command that finds a threshold for a system of an evaluation, all but the risk it allows."""

from __future__ import annotations

import shlex
from typing import Final

from acumen.results.metrics import MetricsArtifact

CARRIED: Final = frozenset(
    f"--{name}"
    for name in (
        *("case", "item", "truth", "prediction", "confidence-column", "rater", "repeat", "system"),
        *("group", "weight", "mapping", "format", "rows", "where", "scale", "levels", "columns"),
        *("abstain", "unanswerable", "unparseable", "confidence-range", "truth-is"),
        *("complete", "strict", "labels", "on", "encoding", "distribution", "point"),
        *("loss", "calibration"),
    )
)
"""Options of an evaluation that a threshold takes too: how rows are read, what an error costs."""


def commands(artifact: MetricsArtifact) -> dict[str, str]:
    """System -> the beginning of its command; none where the rows lie in no file."""
    options = _options(artifact.command or "")
    beginnings = {}
    for at, (system, source) in enumerate(zip(artifact.input_names, artifact.inputs, strict=True)):
        if artifact.command is None or source.path is None:
            continue
        words = ["acumen", "threshold", source.path]
        words += ["--mode", source.mode] if source.mode else []
        for option, values in options:
            if option == "--system":  # its rows, of those of all systems
                name = artifact.systems[at] if artifact.systems else system
                words += ["--where", f"{values[0]}={name}"]
            else:
                words += [option, *values]
        beginnings[system] = shlex.join(words)
    return beginnings


def _options(command: str) -> list[tuple[str, list[str]]]:
    """The options of a command that say how rows are read and what an error costs."""
    try:
        words = shlex.split(command)
    except ValueError:  # written by hand into the document
        return []
    options: list[tuple[str, list[str]]] = []
    for word in words:
        if word.startswith("--"):
            options.append((word, []))
        elif options:
            options[-1][1].append(word)
    return [(option, values) for option, values in options if option in CARRIED]
