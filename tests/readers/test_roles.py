"""Which column plays which role when nobody says."""

from __future__ import annotations

import pytest

from acumen.errors import DataError
from acumen.readers.roles import COMMON, CONVENTIONS, DECLARED, DERIVED, guess_roles


def test_conventional_names_are_taken_in_silence_the_first_before_the_others() -> None:
    roles = guess_roles(["ID", "Ground-Truth", "gt", "pred", "conf"], {})
    assert roles.columns == {
        "case": "ID",
        "truth": "Ground-Truth",
        "prediction": "pred",
        "confidence": "conf",
    }
    assert roles.notes == ()


@pytest.mark.parametrize("role", COMMON)
def test_a_common_name_is_taken_where_it_is_alone_and_told(role: str) -> None:
    plain = {"case": "case", "truth": "truth", "prediction": "pred"}
    for name in COMMON[role]:
        names = [n for r, n in plain.items() if r != role] + [name]
        roles = guess_roles(names, {})
        assert roles.columns[role] == name
        assert f"{name} as the {role} (--" in roles.notes[0]


def test_two_common_names_are_proposed_and_not_taken() -> None:
    with pytest.raises(DataError, match=r"name it: --prediction rating$") as error:
        guess_roles(["id", "gold", "rating", "judge score", "answer"], {})
    assert "no column for the prediction" in str(error.value)
    # the other role's column is named, so that one is left
    named = {"truth": ["rating"]}
    assert guess_roles(["id", "rating", "answer"], named).columns["prediction"] == "answer"


def test_what_is_missing_is_proposed_with_options_to_paste() -> None:
    with pytest.raises(DataError) as error:
        guess_roles(["case nr", "AI verdict", "human stars", "correct"], {})
    assert str(error.value).endswith(
        "name it: --case 'case nr' --truth 'human stars' --prediction 'AI verdict'"
    )


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_what_is_computed_from_the_truth_is_never_a_confidence(name: str) -> None:
    roles = guess_roles(["id", "truth", "pred", name], {})
    assert "confidence" not in roles.columns
    assert roles.notes == ()


@pytest.mark.parametrize("role", DECLARED)
def test_roles_that_are_declared_are_mentioned_once_and_never_taken(role: str) -> None:
    for name in DECLARED[role]:
        roles = guess_roles(["id", "truth", "pred", name], {})
        assert role not in roles.columns
        (note,) = roles.notes
        option = "by" if role == "group" else role
        assert note.endswith(f"{name} (--{option} {name})")
        assert guess_roles(["id", "truth", "pred", name], {role: [name]}).notes == ()


def test_a_column_that_could_be_the_confidence_is_mentioned() -> None:
    (note,) = guess_roles(["id", "truth", "pred", "llm_conf"], {}).notes
    assert note.endswith("llm_conf (--confidence-column llm_conf)")


def test_no_name_is_that_of_two_roles() -> None:
    names = [n for known in (CONVENTIONS, COMMON) for names in known.values() for n in names]
    assert len(names) == len(set(names))
