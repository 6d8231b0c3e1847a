"""Quotes that are there, less those that are not."""

from __future__ import annotations

import numpy as np
import pytest

from acumen import confidence
from acumen.confidence import FUNCTIONS
from acumen.errors import DataError
from acumen.readers.run import run_from_document
from tests.run_documents import entries, run_document


def with_invented(*invented: int | None) -> dict[str, object]:
    document = run_document()
    for entry in entries(document):
        for at, signals in enumerate(entry["item_signals"].values()):
            signals["llm_evidence_invented"] = invented[at % len(invented)]
    return document


def test_an_invented_quote_takes_a_true_one() -> None:
    table = run_from_document(with_invented(0, 2))
    values = confidence.compute("grounded", table)
    counts = table.signals["llm_evidence_count"].values
    invented = table.signals["llm_evidence_invented"].values
    rows = table.answered
    assert values[rows] == pytest.approx((counts - invented)[rows])
    assert np.any(values[rows] < confidence.compute("llm", table)[rows])


def test_it_is_known_by_name_and_says_what_it_needs() -> None:
    assert "grounded" in FUNCTIONS
    with pytest.raises(DataError, match=r"llm_evidence_invented.* missing.*the runner counts them"):
        confidence.compute("grounded", run_from_document(run_document()))
    with pytest.raises(DataError, match="llm_evidence_invented"):
        confidence.compute("grounded", run_from_document(with_invented(-1)))
