"""Which conditions of a policy follow from which."""

from __future__ import annotations

import pytest

from acumen.policy.model import AllOf, AnyOf, Condition, Count, Points, implies

SEVERE = Count(1, (("SEVERITY", frozenset({"severe"})),))
MILD = Count(1, (("SEVERITY", frozenset({"mild"})),))


def test_all_of_several_implies_each_of_them() -> None:
    assert implies(AllOf((SEVERE, Points(3))), SEVERE)
    assert implies(AllOf((SEVERE, Points(3))), Points(2))
    assert not implies(AllOf((SEVERE, Points(3))), MILD)


def test_one_of_several_is_implied_by_each_of_them_and_implies_none() -> None:
    assert implies(SEVERE, AnyOf((SEVERE, MILD)))
    assert not implies(AnyOf((SEVERE, MILD)), SEVERE)
    assert implies(AnyOf((Points(4), Points(3))), Points(3))
    assert not implies(SEVERE, AllOf((SEVERE, MILD)))


HARD = (("SEVERITY", frozenset({"severe"})), ("HAND", frozenset({"first"})))


@pytest.mark.parametrize(
    ("strong", "weak", "follows"),
    [
        (Points(3), Points(3), True),
        (Points(2), Points(3), False),
        (Count(2, SEVERE.where), SEVERE, True),
        (SEVERE, SEVERE, True),
        (SEVERE, Count(2, SEVERE.where), False),
        (Count(1, HARD), SEVERE, True),
        (SEVERE, Count(1, HARD), False),
        (SEVERE, Count(1, (("SEVERITY", frozenset({"severe", "mild"})),)), True),
        (Count(1, (("SEVERITY", frozenset({"severe", "mild"})),)), SEVERE, False),
        (SEVERE, Points(1), False),
        (Points(9), SEVERE, False),
        (AnyOf((SEVERE, MILD)), AnyOf((MILD, SEVERE)), True),
        (AnyOf((SEVERE, MILD)), MILD, False),
        (AllOf((SEVERE, MILD)), AllOf((MILD, SEVERE)), True),
    ],
)
def test_one_condition_follows_from_another(
    strong: Condition, weak: Condition, follows: bool
) -> None:
    assert implies(strong, weak) is follows
