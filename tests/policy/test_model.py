"""Which conditions of a policy follow from which."""

from __future__ import annotations

from acumen.policy.model import AllOf, AnyOf, Count, Points, implies

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
