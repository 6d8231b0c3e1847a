"""The documents that questions about large data make, for tests that look at nothing else."""

from __future__ import annotations

from typing import Any

import acumen
from acumen.results.counts import CountsDocument, LargeArtifact


def evaluate(*inputs: Any, **options: Any) -> LargeArtifact:
    """The metrics of rows where they lie."""
    return acumen.measure(*inputs, **options).document


def count(rows: Any, **options: Any) -> CountsDocument:
    """The counts of a site."""
    document = acumen.count(rows, **options).document
    assert isinstance(document, CountsDocument)
    return document
