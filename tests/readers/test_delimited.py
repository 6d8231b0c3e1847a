"""Long tables in files: CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import acumen
from acumen.confidence import compute
from acumen.errors import DataError, UsageError
from acumen.readers import read
from acumen.readers.run import run_from_document
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale
from tests.readers.test_frame import long_columns, numbers
from tests.run_documents import run_document

HEADER = "participant_id,item,gt,pred,confidence\n"


def csv(folder: Path, text: str | bytes) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(folder: Path, text: str | bytes, **reading: Any) -> str:
    with pytest.raises(DataError) as error:
        read(csv(folder, text), **reading)
    assert str(error.value).startswith("rows.csv: ")
    return str(error.value)


def test_files_give_the_numbers_of_the_run_artifact(tmp_path: Path) -> None:
    frame = pd.DataFrame(long_columns())
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    expected = numbers(run_from_document(run_document()), "llm_evidence_count")
    for name in ("rows.csv", "rows.parquet"):
        table = read(tmp_path / name)
        assert numbers(table, "confidence") == expected
        assert table.source.path == str(tmp_path / name)
        assert table.source.sha256 is not None


@pytest.mark.parametrize("cell", ["", "NA", "n/a", "null", " ", "nan", "none", "-"])
def test_an_abstention_is_written_in_many_ways(cell: str, tmp_path: Path) -> None:
    table = read(csv(tmp_path, HEADER + f"1,Sleep,2,{cell},0.5\n"))
    assert not table.answered.any()


@pytest.mark.parametrize("cell", ["?", "=1+1", "two", "0x2", "٢", "1_0"])
def test_any_other_text_is_refused_with_its_line_and_never_evaluated(
    cell: str, tmp_path: Path
) -> None:
    message = refused(tmp_path, HEADER + f"1,Tired,2,2,0.5\n1,Sleep,2,{cell},0.5\n")
    assert f"line 3, participant 1, item Sleep, prediction: the text '{cell}' where" in message


@pytest.mark.parametrize(
    ("cell", "level"), [("2", 2), ("2.0", 2), ("+2", 2), ("2e0", 2), (" 2 ", 2)]
)
def test_a_number_may_be_written_in_several_ways(cell: str, level: int, tmp_path: Path) -> None:
    table = read(csv(tmp_path, HEADER + f"1,Sleep,2,{cell},0.5\n"))
    assert table.prediction.tolist() == [level]


def test_ids_stay_text_so_a_leading_zero_makes_another_case(tmp_path: Path) -> None:
    table = read(csv(tmp_path, HEADER + "0101,Sleep,1,1,1\n101,Sleep,1,1,1\n"))
    assert table.cases == ("0101", "101")


def test_an_empty_id_is_no_case(tmp_path: Path) -> None:
    message = refused(tmp_path, HEADER + "1,Sleep,1,1,1\n,Sleep,1,1,1\n")
    assert "line 3, item Sleep, case: must be a whole number or a text, not null" in message


def test_ids_rewritten_by_a_spreadsheet_are_warned_of(tmp_path: Path) -> None:
    table = read(csv(tmp_path, HEADER + "1.02E+02,Sleep,1,1,1\n"))
    assert table.warnings[0] == "ids that look rewritten by a spreadsheet: 1.02E+02"


def test_the_same_judgment_twice_is_refused_naming_both_lines(tmp_path: Path) -> None:
    text = HEADER + '1,Sleep,1,1,1\n"2",Sleep,1,1,1\n\n1,Sleep,1,2,1\n'
    assert "participant 1, item Sleep: duplicate: given twice, in lines 2 and 5" in refused(
        tmp_path, text
    )


def test_lines_are_counted_through_cells_of_several_lines(tmp_path: Path) -> None:
    text = 'participant_id,item,gt,pred,note\n1,Sleep,1,1,"a\nb"\n1,Tired,1,9,c\n'
    assert "line 4, participant 1, item Tired, prediction: 9 is outside" in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        (HEADER, "there are no rows in it"),
        (HEADER + "1,Sleep,1,1\n", "line 2: has 4 fields, expected 5"),
        (HEADER + "1,Sleep,1,1,1,1\n", "line 2: has 6 fields, expected 5"),
        ("gt,gt,pred,case\n1,1,1,1\n", "line 1: column gt is there twice"),
        ("case,pred,human stars\n1,1,1\n", "name it: --truth 'human stars'"),
        (HEADER + '1,Sleep,1,1,"1\n', "line 2: unexpected end of data"),
        ((HEADER + "1,Sl\u00e9ep,1,1,1\n").encode("latin-1"), "line 2: is not UTF-8 text"),
        ((HEADER + "1,S").encode("utf-16")[:-1], "is no whole text in utf-16"),
        (b"\x1f\x8b\x08", "cannot be unpacked: it ends in the middle"),
        (HEADER + "1,Sleep,1,4,1\n", "prediction: 4 is outside 0..3"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(
    text: str | bytes, said: str, tmp_path: Path
) -> None:
    assert said in refused(tmp_path, text)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + (HEADER + "1,Sleep,1,1,1\n").encode()
    assert read(csv(tmp_path, text)).cases == ("1",)


def test_all_ragged_lines_are_told_at_once(tmp_path: Path) -> None:
    message = refused(tmp_path, HEADER + "1,Sleep\n" * 3)
    assert [line.split(":")[1] for line in message.splitlines()] == [
        " line 2",
        " line 3",
        " line 4",
    ]


@pytest.mark.parametrize(
    ("cell", "said"),
    [("", "is missing"), ("a", "must be a number, not the text"), ("-1", "-1 must be finite")],
)
def test_a_weight_is_a_number_and_not_negative(cell: str, said: str, tmp_path: Path) -> None:
    text = f"participant_id,item,gt,pred,weight\n1,Sleep,1,1,1\n1,Tired,1,1,{cell}\n"
    assert said in refused(tmp_path, text, weight="weight")


def test_any_scale_reads_its_own_levels(tmp_path: Path) -> None:
    path = csv(tmp_path, "case,truth,prediction\na,10,0\nb,-5,\n")
    table = read(path, scale=Scale.numbered(-5, 10))
    assert (table.truth.tolist(), table.prediction.tolist()) == ([15, 0], [5, -1])


def test_labels_are_read_from_csv(tmp_path: Path) -> None:
    path = csv(tmp_path, "business_id,y_true,y_pred\nb1,Low Risk,high_risk\n")
    table = read(path, scale="risk")
    assert (table.truth.tolist(), table.prediction.tolist()) == ([0], [1])
    assert table.items == ("verdict",)


def test_what_is_no_parquet_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    for data in (b"PAR1", b"not parquet at all"):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"rows\.parquet: is not a Parquet file"):
            read(path)


def test_files_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    for name in ("a.csv", "a.parquet", "a.jsonl", "a.json"):
        with pytest.raises(DataError, match="there is no such file"):
            read(tmp_path / name)


def test_a_bad_weight_and_a_bad_level_are_told_together(tmp_path: Path) -> None:
    text = "participant_id,item,gt,pred,weight\n1,Sleep,1,9,heavy\n"
    message = refused(tmp_path, text, weight="weight")
    assert len(message.splitlines()) == 2
    assert "line 2, participant 1, item Sleep, weight: must be a number, not the text" in message


def test_a_risk_score_may_be_missing(tmp_path: Path) -> None:
    table = read(csv(tmp_path, "case,truth,prediction,risk_score\na,1,1,0.5\nb,2,1,\n"))
    assert table.risk_score is not None
    assert table.risk_score[0] == 0.5
    assert table.risk_score[1] != table.risk_score[1]


def test_a_row_that_is_there_twice_is_refused_by_its_lines(tmp_path: Path) -> None:
    rows = "300,Sleep,2,2,1\n300,Tired,1,,1\n301,Sleep,0,1,1\n"
    twice = refused(tmp_path, HEADER + rows + "302,Tired,0,1,1\n302,Tired,0,2,1\n")
    assert "participant 302, item Tired: duplicate: given twice, in lines 5 and 6" in twice


def test_a_case_all_of_whose_rows_failed_is_listed(tmp_path: Path) -> None:
    text = "case,item,gt,pred,outcome\n1,Sleep,1,1,answered\n1,Tired,1,,abstained\n"
    failed = "2,Sleep,1,,failed\n2,Appetite,1,,failed\n"
    table = read(csv(tmp_path, text + failed))
    assert [f.case for f in table.failed] == ["2"]


def test_fewer_items_than_the_scale_declares_are_warned_of(tmp_path: Path) -> None:
    (warning,) = read(csv(tmp_path, HEADER + "1,Sleep,1,1,1\n1,Tired,1,1,1\n")).warnings
    assert warning.startswith("2 of the 8 items of PHQ-8 are judged; not in the file: NoInterest")
    assert read(csv(tmp_path, "case,gt,pred\n1,1,1\n2,2,1\n")).warnings == ()


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_cells_are_divided_by_what_divides_the_header(
    tmp_path: Path, mark: str, ending: str, before: str
) -> None:
    text = HEADER + "1,Sleep,1,1,0.9\n1,Tired,2,,0.5\n"
    path = csv(tmp_path, before + text.replace(",", mark).replace("\n", ending))
    assert numbers_of(read(path)) == ([1, 2], [1, -1], [0.9, 0.5])


def numbers_of(table: Judgments) -> tuple[list[int], list[int], list[float]]:
    sure = table.signals["confidence"].values.tolist()
    return table.truth.tolist(), table.prediction.tolist(), sure


def test_a_line_that_names_the_mark_is_no_header(tmp_path: Path) -> None:
    text = "\ufeffsep=;\r\nparticipant_id;item;gt;pred;confidence\r\n1;Sleep;1;9;0,9\r\n"
    assert "line 3, participant 1, item Sleep, prediction: 9 is outside" in refused(tmp_path, text)


def test_a_decimal_comma_is_one_where_a_column_has_no_point(tmp_path: Path) -> None:
    rows = "1;Sleep;1;1;0,9\n1;Tired;2;2,0;0,25\n"
    path = csv(tmp_path, HEADER.replace(",", ";") + rows)
    assert numbers_of(read(path)) == ([1, 2], [1, 2], [0.9, 0.25])
    mixed = HEADER.replace(",", ";") + rows + "1;Appetite;1;1;0.5\n"
    assert "confidence: must be a number, not the text '0,9'" in refused(tmp_path, mixed)


def test_another_scale_is_hinted_at_once_a_file(tmp_path: Path) -> None:
    levels = refused(tmp_path, HEADER + "1,Sleep,5,4,1\n1,Tired,1,9,1\n")
    assert levels.count("--levels") == 1
    assert "truth: 5 is outside 0..3; these look like levels 1–9: add --levels 1-9" in levels
    assert "--scale" not in refused(tmp_path, HEADER + "1,Sleep,x,1,1\n")


def test_columns_of_a_file_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("who,human,model,sure\na,1,1,0.5\nb,2,,0.25\n")
    named = {"case": "who", "truth": "human", "prediction": "model", "confidence": "sure"}
    table = acumen.read(path, columns=named)
    assert (table.cases, table.prediction.tolist()) == (("a", "b"), [0, -1])
    assert table.signals["confidence"].values.tolist() == [0.5, 0.25]
    (tmp_path / "run.json").write_text('{"experiments": []}')
    with pytest.raises(UsageError, match=r"run\.json has no columns; leave --case, --truth, "):
        acumen.read(tmp_path / "run.json", columns=named)
    with pytest.raises(
        UsageError, match=r"run\.json has no columns; leave --group \(and --by\) out"
    ):
        acumen.total(tmp_path / "run.json", by="sex")


def test_a_text_in_the_confidence_column_is_refused_with_its_line_and_all_else(
    tmp_path: Path,
) -> None:
    told = refused(tmp_path, HEADER + "1,Sleep,1,1,high\n1,Tired,1,9,0.5\n1,Appetite,1,,none\n")
    assert "line 2, participant 1, item Sleep, confidence: must be a number, not the text" in told
    assert "line 3, participant 1, item Tired, prediction: 9 is outside 0..3" in told
    assert "none" not in told  # an abstained row needs no confidence


def test_a_column_that_mixes_text_and_numbers_is_named_and_refused_when_asked_for(
    tmp_path: Path,
) -> None:
    rows = "1,0,0,3,a\n\n2,1,1,low,b\n3,2,,none,c\n4,2,3,4,d\n"
    table = read(csv(tmp_path, "case,gt,pred,self_conf,note\n" + rows))
    assert table.warnings[:2] == (
        "columns that are not used unless you name them: self_conf (--confidence-column self_conf)",
        "column self_conf holds text in 1 of 4 rows, first in line 4, where numbers are expected",
    )
    assert list(table.signals) == ["self_conf"]
    with pytest.raises(DataError) as error:
        compute("self_conf", table)
    (problem,) = error.value.problems
    assert (problem.line, problem.case, problem.field) == (4, "2", "self_conf")
    assert problem.message.startswith("the text 'low' where a number is expected")


def test_a_known_signal_that_is_text_throughout_is_refused_as_such(tmp_path: Path) -> None:
    rows = "case,gt,pred,verbalized_confidence\n1,0,0,high\n2,1,1,low\n"
    with pytest.raises(DataError, match=r"line 2, .*the text 'high' where a number is expected"):
        compute("verbalized", read(csv(tmp_path, rows)))


def test_lines_stay_with_their_rows_where_cases_are_left_out(tmp_path: Path) -> None:
    rows = "1,0,,failed,2\n2,1,1,answered,low\n3,1,1,answered,4\n"
    table = read(csv(tmp_path, "case,gt,pred,outcome,self_conf\n" + rows))
    with pytest.raises(DataError, match="line 3, case 2"):
        compute("self_conf", table)
