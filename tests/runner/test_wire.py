"""What an endpoint sends is judged before it is believed."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.runner.wire import TransportFailure, read_vectors


def vector(index: Any, *numbers: Any) -> dict[str, Any]:
    return {"index": index, "embedding": list(numbers)}


def test_vectors_come_in_the_order_of_the_texts() -> None:
    body = {"data": [vector(1, 3, 4.5), vector(0, 1, 2)]}
    assert read_vectors(body, 2) == [[1.0, 2.0], [3.0, 4.5]]
    bare = {"data": [{"embedding": [1]}, {"embedding": [2]}]}
    assert read_vectors(bare, 2) == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "rows",
    [
        None,
        [],
        [vector(0, 1)],
        [vector(0, 1), vector(1, 2), vector(1, 3)],
        [vector(0, 1), vector(0, 2)],
        [vector(0, 1), vector(2, 2)],
        [vector(-1, 1), vector(0, 2)],
        [vector(False, 1), vector(True, 2)],
        [vector("0", 1), vector("1", 2)],
        [vector(0, 1), vector(1)],
        [vector(0), vector(1)],
        [vector(0, 1), vector(1, 2, 3)],
        [vector(0, 1), vector(1, "2")],
        [vector(0, 1), {"index": 1, "embedding": "2"}],
        [vector(0, 1), "row"],
    ],
    ids=str,
)
def test_one_vector_a_text_all_of_one_length_or_none_at_all(rows: object) -> None:
    with pytest.raises(TransportFailure, match="malformed_response"):
        read_vectors({"data": rows}, 2)
