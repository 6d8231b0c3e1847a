"""A threshold applied: answers that it does not accept are left open."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import confidence as confidences
from acumen.errors import DataError, UsageError, label, source_name, what_came
from acumen.files.json import read_json
from acumen.files.problems import validated
from acumen.readers.reading import Reading
from acumen.results.kinds import kind_of
from acumen.table.distribution import under_loss
from acumen.table.judgments import Judgments
from acumen.table.losses import LOSSES, Loss, loss_of
from acumen.table.scale import Scale, find_scale

if TYPE_CHECKING:
    from acumen.results.decisions import ThresholdDocument


def threshold_of(threshold: Any) -> tuple[str, ThresholdDocument] | None:
    """A threshold as it is or from its file, and what it is called: the file as it was named."""
    if threshold is None:
        return None
    from acumen.results.cards import CardDocument
    from acumen.results.decisions import ThresholdDocument

    if isinstance(threshold, str | Path):
        name, content = source_name(threshold), read_json(threshold)
        is_card = (kind := kind_of(content)) == "card"
        if kind not in (None, "card", "threshold"):
            raise DataError([f"kind: must be 'threshold' or 'card', not '{kind}'"], source=name)
        model: Any = CardDocument if is_card else ThresholdDocument
        document = validated(content, model, name)
        return str(threshold), document.threshold if is_card else document
    document = getattr(threshold, "document", threshold)
    if isinstance(document, CardDocument):
        return "the card", document.threshold
    if not isinstance(document, ThresholdDocument):
        raise UsageError(f"a threshold is what acumen threshold made, not {what_came(threshold)}")
    return "the threshold", document


def under_loss_of(table: Judgments, document: ThresholdDocument, name: str) -> Judgments:
    """The table under the loss that a threshold was made with: an expected loss is one under it."""
    return table if table.distribution is None else under_loss(table, own_loss_of(document, name))


def own_loss_of(document: Any, name: str) -> Loss:
    """The loss of a document; one that neither its name nor its costs say is refused."""
    loss = loss_of(document.loss, document.costs)
    if loss is None:
        message = f"is under the loss {label(document.loss)}, whose costs it does not hold"
        message += f": make it with one of {', '.join(LOSSES)}, or with a .toml file of costs"
        raise DataError([message], source=name)
    return loss


def bound_of(threshold: tuple[str, ThresholdDocument], scale: Scale) -> float:
    """What a confidence must be above; a threshold that cannot be applied on a scale is refused."""
    name, document = source_name(threshold[0]), threshold[1]
    if not document.certified:
        raise DataError(["certifies no threshold: there is nothing to abstain by"], source=name)
    if document.scale.levels != list(scale.levels):
        own, here = (
            label(", ".join(map(str, levels))) for levels in (document.scale.levels, scale.levels)
        )
        names = f"the scale {document.scale.name}, not for {scale.name}"
        message = f"is for {names}: its levels are {own}, and here they are {here}"
        raise DataError([message], source=name)
    return -math.inf if document.threshold is None else document.threshold


def abstain(
    table: Judgments, threshold: tuple[str, ThresholdDocument] | None, calibration: Any = None
) -> Judgments:
    """The table with every answer open whose confidence is not above the threshold."""
    if threshold is None:
        return table
    name, document = source_name(threshold[0]), threshold[1]
    bound = bound_of(threshold, table.scale)
    rated = under_loss_of(table, document, name)
    values = confidences.compute(document.confidence, rated, calibration=calibration)
    rows, judged = np.zeros(len(table), bool), table.included
    rows[table.judged] = values <= bound
    opened, answers = int((rows & table.once).sum()), judged.tally["answered"]
    by = f"{document.confidence} is not above {bound:g}"
    notes = [f"{name} leaves {opened} of {answers} answers open: {by}"]
    if shared := document.case_hashes.shared_with(judged.cases):
        notes.append(
            f"{name} was made from {shared} of the {len(judged.cases)} {table.scale.case}s here "
            "(same ids): what is measured is in-sample, so too good"
        )
    return replace(table.leave_open(rows), warnings=(*table.warnings, *notes))


def on_scale_of(document: ThresholdDocument, data: Any, reading: Reading) -> Reading:
    """How rows are read, on a threshold's scale where nobody names one: few show all its levels."""
    if isinstance(data, Judgments) or {"scale", "levels", "mapping"} & reading.keys():
        return reading
    name, levels = document.scale.name, document.scale.levels
    try:
        is_known = list(find_scale(name).levels) == levels
    except (DataError, UsageError):
        is_known = False
    return {**reading, "scale": name if is_known else levels}
