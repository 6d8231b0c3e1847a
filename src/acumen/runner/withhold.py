"""Answers that a threshold does not accept: the run file leaves them open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from acumen.confidence import compute, find
from acumen.confidence.grammar import uses_calibration
from acumen.errors import DataError
from acumen.evaluation.abstain import bound_of, own_loss_of, threshold_of, under_loss_of
from acumen.files.json import source_name
from acumen.readers.entries import table_from_entries
from acumen.results.decisions import ThresholdDocument
from acumen.table.distribution import EXPECTED_LOSS
from acumen.table.judgments import Source
from acumen.table.scale import Scale

AT_ONCE: Final = 5000
"""Answers whose confidences are computed together; a long run is not held in memory."""

Answer = tuple[Any, Any, Mapping[str, Any], Sequence[float] | None]
"""What it is known by, its level, its signals, and the probabilities of the levels if any."""


@dataclass(frozen=True)
class Sieve:
    """A threshold that fits a task's scale, and what a confidence must be above."""

    document: ThresholdDocument
    scale: Scale
    bound: float

    @classmethod
    def of(cls, threshold: Any, scale: Scale) -> Sieve:
        """The sieve of a threshold or its file; what could not be applied later is refused now."""
        named = threshold_of(threshold)
        assert named is not None, "without a threshold there is no sieve"
        name, document = source_name(named[0]), named[1]
        bound = bound_of(named, scale)
        if uses_calibration(find(document.confidence, signals=[document.confidence])):
            message = f"rests on {document.confidence}, whose calibration a run does not have"
            raise DataError([f"{message}; apply it with acumen evaluate --threshold"], source=name)
        if EXPECTED_LOSS in document.confidence:
            own_loss_of(document, name)
        return cls(document, scale, bound)

    def hold_back(self, answers: Iterable[Answer]) -> tuple[set[Any], dict[str, Any]]:
        """The answers that do not pass; and what the run file says of the threshold."""
        stream, keys, total, bare = iter(answers), set(), 0, 0
        while part := list(islice(stream, AT_ONCE)):
            values = self._confidences(part)
            total, bare = total + len(part), bare + values.count(None)
            keys |= {
                key
                for (key, *_), value in zip(part, values, strict=True)
                if value is None or value <= self.bound
            }
        stated = {"confidence", "threshold", "alpha", "delta", "loss", "method"}
        counts = {"answers": total, "withheld": len(keys), "without_confidence": bare}
        return keys, self.document.model_dump(mode="json", include=stated) | counts

    def _confidences(self, answers: Sequence[Answer]) -> list[float | None]:
        """The confidence of each answer; None where it has not the signals for one."""
        item = self.scale.items[0]
        entries = [
            {
                "participant_id": at,
                "success": True,
                "predicted_items": {item: level},
                "ground_truth_items": {item: level},  # no confidence looks at the truth
                "item_signals": {item: signals},
                "item_distributions": {} if chances is None else {item: list(chances)},
            }
            for at, (_, level, signals, chances) in enumerate(answers)
        ]
        table = table_from_entries(entries, scale=self.scale, source=Source(), name="run")
        table = under_loss_of(table, self.document, "the threshold")
        try:
            return [float(value) for value in compute(self.document.confidence, table)]
        except DataError:  # one without a signal stops all: halve, until it stands alone
            if len(answers) == 1:
                return [None]
            half = math.ceil(len(answers) / 2)
            return self._confidences(answers[:half]) + self._confidences(answers[half:])
