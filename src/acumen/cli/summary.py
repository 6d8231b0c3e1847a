"""What each command does, in a line: the list that ``acumen --help`` prints."""

from __future__ import annotations

from typing import Final

MOST_USED: Final = {
    "demo": "Try it: made-up studies from their input files to a report",
    "map": "What is in a file, how it would be read, what it can answer",
    "evaluate": "How right is it, is its confidence useful, which system is better",
    "threshold": "From which confidence on may its answers be used",
    "gate": "Pass or fail a system against limits, for automatic checks",
    "calibrate": "Turn a confidence into a probability of being right",
    "total": "Add up the items of a case: how far off, on which side of a cut",
    "rate": "Do raters agree, and may an AI judge stand in for one of them",
    "score": "Are verdicts right, and right for the right reasons",
    "run": "Ask a model about every case and write a run file",
    "show": "Show results that were saved, as tables or for other programs",
    "report": "Make one HTML page of saved results",
}
MORE: Final = {
    "explain": "What a metric means, with an example and a caution",
    "skill": "A guide for coding agents",
    "confidence": "The confidence functions, and the signals that each needs",
    "sets": "Sets of levels that hold the truth as often as promised",
    "cost": "The threshold at which answering and handing over cost least",
    "watch": "Watch whether a threshold keeps its promise",
    "card": "One file that documents a promise, and its check on other data",
    "cascade": "Ask a cheap judge first, and a dearer one where it is unsure",
    "label": "Which cases people should label next",
    "plan": "How many cases a study needs",
    "estimate": "What people would say of all cases, from few that they labelled",
    "curve": "The risk-coverage curve as CSV",
    "reconcile": "AURC as other tools compute it, and why the numbers differ",
    "plot": "Draw one chart as SVG, PNG or PDF",
    "export": "Flat metrics, parameters and tags, for experiment trackers",
    "task": "Check a task file, begin a new one, list those that ship",
    "count": "Count rows where they lie, to exchange counts and no rows",
    "merge": "Merge the counts of several sites",
    "schema": "The JSON Schema of a document",
}
