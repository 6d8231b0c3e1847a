"""The run artifact: what is read, what is refused and how it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError, UsageError
from acumen.readers import read
from acumen.readers.run import read_run, run_from_document
from acumen.table.judgments import Judgments, Outcome
from acumen.table.scale import Scale
from tests.run_documents import ITEMS, entries, run_document, write


def refused(document: object, **options: Any) -> str:
    with pytest.raises(DataError) as error:
        run_from_document(document, path="folder/run.json", **options)
    assert all(line.startswith("run.json: ") for line in str(error.value).splitlines())
    return str(error.value)


def row(table: Judgments, case: int | str, item: str) -> int:
    at = (table.case == table.cases.index(case)) & (table.item == table.items.index(item))
    return int(np.flatnonzero(at)[0])


def test_a_run_is_read_row_by_row(tmp_path: Path) -> None:
    table = read_run(write(tmp_path, run_document()))
    assert table.cases == (101, 102)
    assert table.items == ITEMS
    assert len(table) == 16
    assert int(table.answered.sum()) == 13
    assert int(np.abs(table.prediction - table.truth)[table.answered].sum()) == 7
    assert table.warnings == ()
    at = row(table, 102, "Moving")
    assert (table.truth[at], table.prediction[at]) == (1, 1)
    assert table.signals["llm_evidence_count"].values[at] == 2.0


def test_where_a_table_came_from_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, run_document())
    source = read_run(path).source
    assert (source.run_id, source.git_commit, source.mode) == ("r1", "abc", "few_shot")
    assert (source.path, source.name) == (str(path), "run.json")
    assert source.sha256 is not None
    assert len(source.sha256) == 64


def test_null_is_an_abstention() -> None:
    table = run_from_document(run_document())
    at = row(table, 101, "Sleep")
    assert table.outcome[at] == Outcome.ABSTAINED
    assert table.prediction[at] == -1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "the text '' where a level 0..3 is expected"),
        ("N/A", "the text 'N/A'"),
        ("2", "the text '2'"),
        (True, "the boolean true"),
        (False, "the boolean false"),
        (1.5, "1.5 is not a level of 0..3"),
        (4, "4 is outside 0..3"),
        (-1, "-1 is outside 0..3"),
        (10**32, "is outside 0..3"),
        ([2], "a list where a level"),
        ({"score": 2}, "an object where a level"),
    ],
)
@pytest.mark.parametrize("field", ["predicted_items", "ground_truth_items"])
def test_what_is_no_level_is_refused_where_it_stands(field: str, value: object, said: str) -> None:
    document = run_document()
    entries(document)[1][field]["Sleep"] = value
    message = refused(document)
    assert message.startswith(f"run.json: participant 102, item Sleep, {field}: ")
    assert said in message


def test_two_point_zero_is_two() -> None:
    document = run_document()
    entries(document)[0]["predicted_items"]["NoInterest"] = 2.0
    table = run_from_document(document)
    assert table.prediction.tolist() == run_from_document(run_document()).prediction.tolist()


def test_a_truth_that_is_null_is_left_out_as_one_that_is_absent() -> None:
    null, absent = run_document(), run_document()
    entries(null)[0]["ground_truth_items"]["Sleep"] = None
    del entries(absent)[0]["ground_truth_items"]["Sleep"]
    entries(null)[1]["ground_truth_items"] = None
    del entries(absent)[1]["ground_truth_items"]
    table, same = run_from_document(null), run_from_document(absent)
    assert table.no_truth == same.no_truth == 1 + len(ITEMS)
    for column in ("case", "item", "truth", "prediction", "outcome"):
        assert getattr(table, column).tolist() == getattr(same, column).tolist()


def test_a_mean_of_nothing_may_be_nan_and_rows_may_not(tmp_path: Path) -> None:
    document = run_document()
    results = document["experiments"][0]["results"]
    results["item_mae_weighted"] = float("nan")
    results["per_item"] = {"Sleep": {"mae": float("nan")}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    assert read_run(path).warnings == ()
    entries(document)[0]["item_signals"]["Sleep"]["llm_evidence_count"] = float("nan")
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"llm_evidence_count.*NaN is not JSON"):
        read_run(path)


@pytest.mark.parametrize("field", ["predicted_items", "item_signals"])
def test_an_absent_item_is_an_error_and_no_abstention(field: str) -> None:
    document = run_document()
    del entries(document)[1][field]["Sleep"]
    message = refused(document)
    assert f"participant 102, item Sleep, {field}: lacks this item" in message


def test_rows_whose_truth_is_still_to_come_are_left_out_and_counted_or_refused() -> None:
    document = run_document()
    del entries(document)[1]["ground_truth_items"]["Sleep"]
    entries(document).append({**entries(document)[0], "participant_id": 103})
    del entries(document)[2]["ground_truth_items"]
    table = run_from_document(document)
    whole = run_from_document(run_document())
    assert (len(table), table.no_truth) == (len(whole) - 1, 1 + len(ITEMS))
    assert table.cases == (101, 102)
    rows = ~((whole.case == 1) & (whole.item == whole.items.index("Sleep")))
    for column in ("truth", "prediction", "outcome"):
        assert getattr(table, column).tolist() == getattr(whole, column)[rows].tolist()
    with pytest.raises(DataError, match="participant 102, item Sleep, truth: has no truth, as 9"):
        run_from_document(document, strict=True)


def test_a_run_without_any_truth_is_read_on_the_levels_of_its_answers() -> None:
    own = [
        {"participant_id": i, "success": True, "predicted_items": {"tone": 1 + i % 5}}
        for i in range(6)
    ]
    table = run_from_document({"experiments": [{"results": {"results": own}}]})
    assert (table.has_truth, table.scale.levels, len(table)) == (False, (1, 2, 3, 4, 5), 6)


def test_a_misspelled_item_is_named_with_the_one_that_was_meant() -> None:
    document = run_document()
    predicted = entries(document)[1]["predicted_items"]
    predicted["sleep "] = predicted.pop("Sleep")
    message = refused(document)
    assert (
        "item 'sleep ', predicted_items: is not an item of PHQ-8 (did you mean Sleep?)" in message
    )


@pytest.mark.parametrize("field", ["predicted_items", "ground_truth_items"])
def test_a_missing_or_misspelled_field_is_named(field: str) -> None:
    document = run_document()
    entry = entries(document)[1]
    entry[field + "s"] = entry.pop(field)
    assert f"participant 102, {field}: is missing (did you mean {field}s?)" in refused(document)
    entry[field] = None
    message = "must be an object by item, not null"
    if field == "ground_truth_items":  # a null is no truth, and so is a missing key
        message = f"is missing (did you mean {field}s?)"
    assert f"{field}: {message}" in refused(document)


@pytest.mark.parametrize(
    ("success", "said"),
    [("false", "not the text 'false'"), (1, "not 1"), (None, "not null"), (..., "it is missing")],
)
def test_success_is_true_or_false_and_nothing_like_it(success: object, said: str) -> None:
    document = run_document()
    entries(document)[1]["success"] = success
    if success is ...:
        del entries(document)[1]["success"]
    assert f"participant 102, success: must be true or false, {said}" in refused(document)


@pytest.mark.parametrize("number", [None, True, 101.9, 101.0, "", [101], {}])
def test_what_is_no_id_is_refused_by_its_place(number: object) -> None:
    document = run_document()
    entries(document)[1]["participant_id"] = number
    assert "results[1].participant_id: must be a whole number or a text" in refused(document)


def test_a_record_without_an_id_is_refused_by_its_place() -> None:
    document = run_document()
    entries(document)[1]["participantid"] = entries(document)[1].pop("participant_id")
    assert "results[1]: lacks participant_id (did you mean participantid?)" in refused(document)


@pytest.mark.parametrize(("entry", "came"), [(None, "null"), ([], "a list"), ("x", "the text 'x'")])
def test_a_record_is_an_object(entry: object, came: str) -> None:
    document = run_document()
    entries(document)[1] = entry  # type: ignore[call-overload]
    assert f"results[1]: must be an object, not {came}" in refused(document)


def test_a_case_given_twice_is_refused_naming_both_places() -> None:
    document = run_document()
    entries(document).append(entries(document)[0] | {})
    assert "participant 101: duplicate: given twice, in results[0] and results[2]" in refused(
        document
    )


def test_a_case_that_both_failed_and_succeeded_is_told_as_such() -> None:
    document = run_document()
    entries(document).append({"participant_id": 101, "success": False, "error": "x"})
    assert "results[2], both as a success and as a failure" in refused(document)


def test_a_number_and_its_text_are_not_merged() -> None:
    document = run_document()
    entries(document)[1]["participant_id"] = "101"
    assert "participant 101: is there twice, as a number and as text" in refused(document)


def test_a_failed_case_is_counted_and_its_rows_are_kept_apart() -> None:
    document = run_document()
    entry = entries(document)[1]
    entry |= {"success": False, "error": "TimeoutError: x", "predicted_items": None}
    table = run_from_document(document)
    assert [f.case for f in table.failed] == [102]
    assert table.failed[0].reason.startswith("TimeoutError (error text of 15 characters")
    assert table.included.cases == (101,)
    assert int((table.outcome == Outcome.FAILED).sum()) == 8


def test_the_text_of_an_error_is_never_kept() -> None:
    document = run_document()
    secret = "She said that she has not slept since March"
    entries(document)[1] = {"participant_id": 102, "success": False, "error": secret}
    table = run_from_document(document)
    assert secret[:8] not in repr(table) + str(table.failed) + str(table.warnings)
    assert table.failed[0].reason.startswith(f"error text of {len(secret)} characters, sha256 ")


def test_the_text_of_a_failed_case_is_not_in_the_message_of_another_case() -> None:
    document = run_document()
    entries(document)[1] = {"participant_id": 102, "success": False, "error": "SECRET words"}
    entries(document)[0]["predicted_items"]["Sleep"] = 9
    assert "SECRET" not in refused(document)


def test_a_failed_case_needs_no_fields_of_a_successful_one() -> None:
    document = run_document()
    entries(document)[1] = {"participant_id": 102, "success": False}
    table = run_from_document(document)
    assert table.failed[0].reason == "no reason given"
    assert len(table) == 8


def test_all_problems_come_at_once_one_line_a_cause() -> None:
    document = run_document()
    for entry in entries(document):
        entry["predicted_items"] = dict.fromkeys(ITEMS, 9)
        entry["ground_truth_items"] = dict.fromkeys(ITEMS, -9)
    lines = refused(document).splitlines()
    assert len(lines) == 2  # two causes
    assert all("; and 15 more like it: participant 101, " in line for line in lines)


def test_problems_of_different_kinds_come_together() -> None:
    document = run_document()
    entries(document)[0]["predicted_items"]["Sleep"] = 9
    entries(document)[1]["success"] = 1
    entries(document).append(None)  # type: ignore[arg-type]
    message = refused(document)
    assert len(message.splitlines()) == 3
    assert "results[2]" in message
    assert "success" in message
    assert "item Sleep" in message


def two_modes() -> dict[str, Any]:
    document = run_document()
    other = run_document()["experiments"][0]
    other["provenance"]["mode"] = other["results"]["mode"] = "zero_shot"
    other["results"]["results"].pop()
    document["experiments"].append(other)
    return document


def test_a_mode_is_chosen_by_its_name() -> None:
    with pytest.raises(UsageError, match="the file holds few_shot, zero_shot: choose"):
        run_from_document(two_modes())
    assert run_from_document(two_modes(), mode="zero_shot").cases == (101,)
    assert run_from_document(two_modes(), mode="few_shot").cases == (101, 102)


def test_several_modes_and_none_chosen_is_an_error_that_lists_them() -> None:
    with pytest.raises(UsageError, match=r"the file holds few_shot, zero_shot: .* --mode NAME"):
        run_from_document(two_modes())


@pytest.mark.parametrize("document", [run_document(), two_modes()])
def test_a_mode_that_is_not_there_is_refused_with_those_that_are(document: object) -> None:
    with pytest.raises(UsageError, match="there is no mode best; the file holds few_shot"):
        run_from_document(document, mode="best")


def unnamed_mode() -> dict[str, Any]:
    document = run_document()
    del document["experiments"][0]["provenance"]
    del document["experiments"][0]["results"]["mode"]
    return document


def test_a_single_mode_without_a_name_is_read_with_a_warning() -> None:
    assert run_from_document(unnamed_mode()).warnings == ("the run does not name its mode",)
    table = run_from_document(unnamed_mode(), mode="few_shot")
    assert table.warnings == ("the run does not name its mode; it is read as few_shot",)
    assert table.source.mode == "few_shot"


def test_one_statement_of_the_mode_is_enough() -> None:
    for part in ("provenance", "results"):
        document = run_document()
        del document["experiments"][0][part]["mode"]
        assert run_from_document(document).source.mode == "few_shot"


def test_statements_of_the_mode_that_disagree_are_refused_showing_both() -> None:
    document = run_document()
    document["experiments"][0]["provenance"]["mode"] = "zero_shot"
    assert "experiments[0].mode: provenance says zero_shot but results say few_shot" in refused(
        document
    )


def test_a_mode_given_twice_or_not_as_text_is_refused() -> None:
    document = run_document()
    document["experiments"] *= 2
    assert "mode few_shot is there twice, in experiments[0] and experiments[1]" in refused(document)
    document = run_document()
    document["experiments"][0]["provenance"]["mode"] = 5
    assert "experiments[0].provenance.mode: must be a text, not 5" in refused(document)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"experiments": []}, "experiments: must be a list of at least one experiment, not an em"),
        ({"experiments": {}}, "experiments: must be a list of at least one experiment, not an ob"),
        ({"experiments": None}, "not null"),
        ({"experiments": [None]}, "experiments[0]: must be an object, not null"),
        ({"experiments": [{"results": {"mode": "a"}}]}, "experiments[0].results.results: must be"),
        ({"experiments": [{"results": {"mode": "a", "results": {}}}]}, "list, not an object"),
        ({"experiments": [{"results": {"mode": "a", "results": []}}]}, "there are no cases in it"),
        ({"schema_version": {}}, "schema_version: must be a text or a whole number"),
    ],
)
def test_a_document_of_another_shape_is_refused(change: dict[str, Any], said: str) -> None:
    assert said in refused(run_document() | change)


@pytest.mark.parametrize("document", [None, [], "x", 3])
def test_a_document_is_an_object(document: object) -> None:
    assert "must be an object" in refused(document)


def only(document: dict[str, Any], *items: str) -> dict[str, Any]:
    for entry in entries(document):
        for field in ("predicted_items", "ground_truth_items", "item_signals"):
            entry[field] = {i: entry[field][i] for i in items}
    return document


def test_fewer_items_than_the_scale_declares_is_a_warning() -> None:
    table = run_from_document(only(run_document(), "Tired", "Sleep"))
    assert table.items == ("Sleep", "Tired")
    assert len(table) == 4
    assert len(table.warnings) == 1
    assert table.warnings[0].startswith("2 of the 8 items of PHQ-8 are judged; not in the file: No")


def test_the_items_are_the_union_over_the_cases() -> None:
    document = only(run_document(), "Tired", "Sleep")
    for field in ("predicted_items", "ground_truth_items", "item_signals"):
        del entries(document)[0][field]["Tired"]
    assert len(run_from_document(document)) == 3  # what a case was not asked is no row
    entries(document)[0]["ground_truth_items"]["Tired"] = 1
    message = refused(document)
    assert "participant 101, item Tired, predicted_items: lacks this item" in message
    assert "item Moving" not in message


def test_many_cases_with_items_of_their_own_are_told_by_case_and_not_by_gap() -> None:
    """Gaps grow with the square of such a file: 2,000 cases would make 12 million problems."""
    own: list[Any] = [
        {
            "participant_id": case,
            "success": True,
            "predicted_items": {f"q{case}": 1},
            "ground_truth_items": {f"q{item}": 1 for item in range(60)},
            "item_signals": {f"q{case}": {}},
        }
        for case in range(60)
    ]
    own[7]["predicted_items"]["q7"] = 9
    document = {"experiments": [{"results": {"mode": "m", "results": own}}]}
    with pytest.raises(DataError) as refused_:
        run_from_document(document, scale=Scale.numbered(0, 3))
    problems = [str(p) for p in refused_.value.problems]
    assert len(problems) == 60 * 2 + 1
    rest = "nor 58 more of the 60 items"
    assert problems[0] == f"case 0, item q1, predicted_items: lacks this item, {rest}"
    assert any(
        p.startswith("case 7, item q7, predicted_items: 9 is outside 0..3") for p in problems
    )


def test_signals_whose_keys_are_values_are_refused() -> None:
    document = run_document()
    entries(document)[0]["item_signals"]["Sleep"] = {f"token{i}": i for i in range(1001)}
    assert refused(document) == (
        "run.json: item_signals: 1002 different signals (llm_evidence_count, token0, token1, …), "
        "at most 1000 are read"
    )


def test_the_older_shape_brings_evidence_counts() -> None:
    document = run_document()
    for entry in entries(document):
        signals = entry.pop("item_signals")
        entry["evidence_counts"] = {i: s["llm_evidence_count"] for i, s in signals.items()}
    old, new = run_from_document(document), run_from_document(run_document())
    assert list(old.signals) == ["llm_evidence_count"]
    key = "llm_evidence_count"
    assert old.signals[key].values.tolist() == new.signals[key].values.tolist()


def test_a_run_without_signals_is_a_run() -> None:
    document = run_document()
    for entry in entries(document):
        del entry["item_signals"]
    assert dict(run_from_document(document).signals) == {}


@pytest.mark.parametrize("value", [None, [1], "x"])
def test_the_signals_of_an_item_are_an_object(value: object) -> None:
    document = run_document()
    entries(document)[1]["item_signals"]["Sleep"] = value
    assert "participant 102, item Sleep, item_signals: must be an object" in refused(document)


def test_stored_aggregates_that_contradict_the_rows_are_a_warning() -> None:
    document = run_document()
    results = document["experiments"][0]["results"]
    results |= {"item_mae_weighted": 7 / 13, "prediction_coverage": 13 / 16}
    assert run_from_document(document).warnings == ()
    results |= {"item_mae_weighted": 0.01, "prediction_coverage": "all"}
    assert run_from_document(document).warnings == (
        "the stored item_mae_weighted is 0.01 but the rows give 0.5385",
        "the stored prediction_coverage is the text 'all' but the rows give 0.8125",
    )


def test_a_stored_total_that_contradicts_its_items_is_a_warning() -> None:
    document = run_document()
    entries(document)[1]["ground_truth_total"] = 8
    assert run_from_document(document).warnings == ()
    entries(document)[1]["ground_truth_total"] = 3
    assert run_from_document(document).warnings == (
        "participant 102: ground_truth_total is 3 but its items sum to 8",
    )


def test_many_contradicting_totals_are_three_and_a_count() -> None:
    document = run_document()
    template = entries(document)[0] | {"ground_truth_total": 99}
    entries(document)[:] = [template | {"participant_id": n} for n in range(5)]
    warnings = run_from_document(document).warnings
    assert len(warnings) == 4
    assert warnings[-1] == "and 2 more stated totals contradict their items"


@pytest.mark.parametrize(
    ("part", "field"),
    [("provenance", "participants_requested"), ("results", "total_subjects")],
)
def test_cases_that_were_asked_for_and_are_gone_are_a_warning(part: str, field: str) -> None:
    document = run_document()
    document["experiments"][0][part][field] = 5
    assert run_from_document(document).warnings == (
        f"3 of 5 cases ({field}) are not in the file, which holds 2",
    )


def test_labels_and_other_scales_are_read_the_same_way() -> None:
    document = run_document()
    record = {
        "participant_id": "cafe",
        "success": True,
        "predicted_items": {"verdict": "HIGH_RISK"},
        "ground_truth_items": {"verdict": "Critical Risk"},
    }
    entries(document)[:] = [record]
    table = run_from_document(document, scale=Scale.named("risk"))
    assert (table.prediction.tolist(), table.truth.tolist()) == ([1], [2])
    record["success"] = "yes"
    assert "restaurant cafe, success" in refused(document, scale=Scale.named("risk"))


def test_ids_and_items_cannot_write_to_the_terminal() -> None:
    document = run_document()
    entries(document)[0]["participant_id"] = "\x1b[2J\n101"
    entries(document)[0]["predicted_items"]["\x1b]0;x"] = 1
    message = refused(document)
    assert "\x1b" not in message
    assert "participant '\\x1b[2J\\n101', item '\\x1b]0;x'" in message


def test_a_mode_is_only_for_runs_that_have_modes(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("case,truth,prediction\n1,1,1\n")
    with pytest.raises(UsageError, match=r"rows\.csv has no modes"):
        read(tmp_path / "rows.csv", mode="few_shot")


def test_a_run_is_known_by_its_content_whatever_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, run_document(), "run.txt")
    assert read(path, mode="few_shot").cases == (101, 102)


PAIN = {"name": "pain", "levels": ["none", "some", "much"], "items": ["Back"], "case": "patient"}


def pain_document(**scale: Any) -> dict[str, Any]:
    result = {
        "participant_id": "p1",
        "success": True,
        "predicted_items": {"Back": "much"},
        "ground_truth_items": {"Back": "some"},
    }
    return {
        "run_metadata": {"scale": {**PAIN, **scale}},
        "experiments": [{"results": {"mode": "zero_shot", "results": [result]}}],
    }


def test_a_run_is_read_on_the_scale_it_names(tmp_path: Path) -> None:
    for table in (read(write(tmp_path, pain_document())), run_from_document(pain_document())):
        assert table.scale == Scale("pain", ("none", "some", "much"), ("Back",), case="patient")
        assert (table.prediction.tolist(), table.truth.tolist()) == ([2], [1])


def test_a_scale_that_is_asked_for_wins_over_the_one_the_run_names(tmp_path: Path) -> None:
    worse = Scale("other", ("none", "some", "more", "much"), ("Back",))
    path = write(tmp_path, pain_document(levels="of no use"))
    assert read(path, scale=worse).prediction.tolist() == [3]
    with pytest.raises(DataError, match="Back"):
        read(path, scale="phq8")


def test_a_run_that_names_a_scale_we_ship_is_read_on_ours() -> None:
    document = run_document()
    document["run_metadata"]["scale"] = {
        "name": "phq8",
        "levels": [0, 1, 2, 3],
        "items": list(ITEMS),
    }
    assert run_from_document(document).scale is Scale.named("phq8")
    document["run_metadata"]["scale"] = None
    assert run_from_document(document).scale is Scale.named("phq8")
    document["run_metadata"]["scale"] = {"name": "phq8", "levels": [0, 1, 2, 3, 4]}
    assert run_from_document(document).scale.range == 4


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("phq8", "run_metadata.scale: must be an object, not the text 'phq8'"),
        ({"levels": [0, 1]}, "run_metadata.scale.name: is missing"),
        (PAIN | {"levels": {}}, "run_metadata.scale.levels: must be a list"),
        (PAIN | {"levels": [0]}, "run_metadata.scale.levels: needs 2 to 1000 levels, has 1"),
        (PAIN | {"levels": [0, True]}, "levels: must be all numbers or all text"),
        (PAIN | {"levels": [0, 2, 3]}, "levels: must be evenly spaced numbers, lowest first"),
        (PAIN | {"items": [[], []]}, "run_metadata.scale.items: must be text"),
        (PAIN | {"name": 8}, "run_metadata.scale.name: must be text, not 8"),
        (PAIN | {"case\x1b": 1}, r"run_metadata.scale.'case\x1b': is not a key of a scale"),
    ],
)
def test_a_scale_that_is_none_is_refused_where_it_stands(scale: Any, said: str) -> None:
    document = run_document()
    document["run_metadata"]["scale"] = scale
    assert said in refused(document)


@pytest.mark.parametrize("version", ["2", 2, "2.1", "1.x9", "new"])
def test_a_run_of_a_newer_version_is_refused_by_name(version: object) -> None:
    document = {"schema_version": version, "experiments": []}
    known = str(version).startswith("1.")
    message = "must be a list of at least one experiment" if known else "reads up to 1: update it"
    with pytest.raises(DataError, match=message):
        run_from_document(document)


def test_a_case_that_was_declined_as_a_whole_is_refused_and_has_not_failed(tmp_path: Path) -> None:
    document = run_document()
    cases = entries(document)
    for case, error in ((301, "RefusalError: refused"), (302, "RefusalErrors"), (303, None)):
        truth = {"ground_truth_items": dict.fromkeys(ITEMS, 1)}
        cases.append({"participant_id": case, "success": False, "error": error} | truth)
    cases.append({"participant_id": 304, "success": False, "error": "RefusalError: refused"})
    table = read_run(write(tmp_path, document))
    assert (table.outcomes["refused"], table.outcomes["failed"]) == (8, 16)
    assert {case.case for case in table.failed} == {302, 303, 304}
    assert int(table.answered.sum()) == 13
    at = row(table, 301, "Moving")
    assert (table.truth[at], Outcome(table.outcome[at])) == (1, Outcome.REFUSED)
