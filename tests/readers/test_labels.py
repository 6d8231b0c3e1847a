"""Labels in files of their own: what is joined to which row, and what is refused or told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.readers.inputs import table_of
from acumen.readers.reading import Reading
from acumen.table.judgments import NO_TRUTH, Judgments

LEVELS = "1-5"
ROWS = [(7, 3), (8, 4), (9, 5), (10, 1)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("judged.csv", "id,text,score", *(f"{case},a text,{score}" for case, score in ROWS))
    return tmp_path


def write(name: str, *lines: str) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("\n".join(lines) + "\n", "utf-8")
    return name


def joined(labels: Any, data: Any = "judged.csv", **reading: Any) -> Judgments:
    said: Reading = {"levels": LEVELS, "label_files": labels, **reading}  # type: ignore[typeddict-item]  # any keywords
    return table_of(data, None, said)


def truths(table: Judgments) -> dict[Any, Any]:
    """Case -> its label; None where it has none."""
    levels = [None if rank == NO_TRUTH else table.scale.levels[rank] for rank in table.truth]
    return {table.cases[case]: level for case, level in zip(table.case, levels, strict=True)}


def test_labels_reach_the_rows_of_their_id_whatever_their_order() -> None:
    labels = write("gold.csv", "id,label", "9,2", "7,3", "10,5")
    table = joined(labels, on="id")
    assert truths(table) == {"7": 3, "9": 2, "10": 5}
    assert table.no_truth == 1  # 8 has none, and is left out as any row without truth
    assert "3 of 4 rows have a label of gold.csv" in table.warnings


def test_ids_are_compared_as_they_are_written() -> None:
    """7 in JSON and in CSV are one id, 07 is another."""
    gold = write("gold.json", '[{"id": 7, "label": 3}, {"id": 8, "label": null}]')
    assert truths(joined(gold)) == {"7": 3}
    with pytest.raises(DataError, match="differ by case, blanks or leading zeros alone"):
        joined(write("zeros.csv", "id,label", "007,3", "008,1"))


def test_a_label_may_be_of_a_case_and_an_item_or_stand_under_other_names() -> None:
    data = write("items.csv", "id,item,score", "1,a,3", "1,b,4", "2,a,5")
    gold = write("gold.csv", "nr,what,label", "1,b,1", "1,a,2", "2,a,3")
    table = joined(gold, data, on="id=nr,item=what")
    assert table.truth.tolist() == [1, 0, 2]  # ranks of 2, 1 and 3
    same = write("same.csv", "id,item,label", "1,b,1", "1,a,2", "2,a,3")
    assert joined(same, data).truth.tolist() == [1, 0, 2]  # both have them
    with pytest.raises(UsageError, match=r"both have item, .* --on id,item"):
        joined(same, data, on="id")


def test_several_files_are_raters_and_so_is_a_column_that_says_who() -> None:
    ann = write("ann.csv", "id,label", "7,3", "8,4")
    ben = write("ben.csv", "id,label", "8,5", "9,5")
    long = write("long.csv", "id,label,rater", "7,3,ann", "8,5,ben", "8,4,ann", "9,5,ben")
    for labels in ([ann, ben], long):
        table = joined(labels, on="id")
        assert table.rater is not None
        names = [table.rater.values[code] for code in table.rater.codes]
        cases = [table.cases[case] for case in table.case]
        levels = [table.scale.levels[rank] for rank in table.truth]
        assert {*zip(cases, names, levels, strict=True)} == {
            *(("7", "ann", 3), ("8", "ann", 4), ("8", "ben", 5), ("9", "ben", 5))
        }
        assert table.weight is not None
        assert table.weight[np.array(cases) == "8"].tolist() == [0.5, 0.5]  # a panel of two
    one = write("one.csv", "id,label,rater", "7,3,ann")
    assert joined(one).rater is None  # nobody beside her: her labels are the truth


def test_files_of_one_name_in_two_folders_are_two_raters() -> None:
    paths = [write(f"{who}/gold.csv", "id,label", "7,3") for who in ("ann", "ben")]
    rater = joined(paths).rater
    assert rater is not None
    assert {*rater.values} == {str(Path("ann", "gold")), str(Path("ben", "gold"))}
    with pytest.raises(UsageError, match=r"gold\.csv is given twice as --labels"):
        joined([paths[0], paths[0]])


def test_two_labels_of_one_id_are_refused_all_at_once_and_a_repeated_one_is_told() -> None:
    gold = write("gold.csv", "id,label", "7,3", "8,1", "7,4", "8,1", "9,2", "9,5")
    with pytest.raises(DataError) as error:
        joined(gold, on="id")
    assert [(p.case, p.line) for p in error.value.problems] == [("7", 4), ("9", 7)]
    assert "gold.csv: line 4, case 7: has two labels, 3 and 4 (the other in line 2)" in str(
        error.value
    )
    twice = write("twice.csv", "id,label", "7,3", "8,1", "8,1")
    assert "twice.csv: 1 label given again, the same: once" in joined(twice).warnings


def test_who_says_two_things_of_one_id_is_told_what_to_do() -> None:
    gold = write("gold.csv", "id,label", "7,3", "7,4")
    with pytest.raises(DataError, match="says who: --rater COLUMN"):
        joined(gold, on="id")
    gold = write("ann.csv", "id,rater,label", "7,ann,3", "7,ann,4")
    with pytest.raises(DataError, match="by one person: keep one of them"):
        joined(gold, on="id")


def test_a_label_without_an_id_is_counted() -> None:
    gold = write("gold.csv", "id,label", "7,3", ",1", ",2")
    assert "gold.csv: 2 rows without an id, left out" in joined(gold, on="id").warnings


def test_rows_of_labels_that_differ_say_in_what_and_the_same_ones_are_told() -> None:
    gold = write("gold.csv", "id,first,second,time", "7,3,3,1", "7,3,4,2")
    with pytest.raises(DataError, match="differ in second, time; the first in line 2"):
        joined(gold, on="id", truth=["first", "second"])
    gold = write("again.csv", "id,first,second", "7,3,3", "7,3,3")
    warnings = joined(gold, on="id", truth=["first", "second"]).warnings
    assert "again.csv: 1 label given again, the same: once" in warnings


def test_ids_of_no_row_are_told_and_refused_where_all_are_such() -> None:
    gold = write("gold.csv", "id,label", "7,3", "70,1", "71,2")
    table = joined(gold)
    assert truths(table) == {"7": 3}
    assert "gold.csv: 2 of its ids are of no row (70, 71)" in table.warnings
    with pytest.raises(DataError, match="none of its ids is of a row: it has x, the rows have 7"):
        joined(write("alien.csv", "id,label", "x,3"))


def test_the_labels_win_over_a_truth_of_the_rows_and_that_is_told() -> None:
    data = write("own.csv", "id,score,truth", "7,3,1", "8,4,4", "9,2,")
    table = joined(write("gold.csv", "id,label", "7,3", "8,4", "9,5"), data)
    assert truths(table) == {"7": 3, "8": 4, "9": 5}
    note = "the labels are taken, not the rows' own truth, which differs in 1 row"
    assert note in table.warnings


def test_one_label_for_several_rows_is_told() -> None:
    data = write("draws.csv", "id,score,run", "7,3,1", "7,4,2", "8,1,1", "8,1,2")
    table = joined(write("gold.csv", "id,label", "7,3", "8,1"), data, repeat="run")
    assert table.truth.tolist() == [2, 2, 0, 0]
    assert "4 of 4 rows have a label of gold.csv, one for up to 2 rows" in table.warnings


def test_columns_of_a_label_file_are_columns_of_the_rows() -> None:
    gold = write("gold.csv", "id,label,site,sampled", "7,3,north,0.5", "8,1,south,0.25")
    table = joined(gold, group="site", weight="sampled")
    assert {*table.groups["site"].values} == {"north", "south"}
    assert table.weight is not None
    assert table.weight.tolist() == [0.5, 0.25]
    wide = write("wide.csv", "id,gt_a,gt_b", "7,3,4", "8,1,2")
    data = write("wide_rows.csv", "id,ai_a,ai_b", "7,3,4", "8,1,2")
    table = joined(wide, data, truth="gt_{item}", prediction="ai_{item}")
    assert (len(table), table.items) == (4, ("a", "b"))
    side = write("side.csv", "id,ann,ben", "7,3,4", "8,1,2")
    assert joined(side, truth="ann,ben").rater is not None


def test_labels_may_be_frames_or_rows_and_so_may_the_judgments() -> None:
    rows = [{"id": case, "score": score} for case, score in ROWS]
    labels = [{"id": 7, "label": 3}, {"id": 9, "label": 2}]
    assert truths(joined(labels, rows)) == {7: 3, 9: 2} == truths(joined([labels], rows))
    import pandas as pd

    assert truths(joined(pd.DataFrame(labels), pd.DataFrame(rows))) == {7: 3, 9: 2}
    assert joined([labels, pd.DataFrame(labels)], rows).rater is not None


@pytest.mark.parametrize(
    ("lines", "reading", "message"),
    [
        (
            ["id,a,b", "7,1,2"],
            {},
            "gold.csv: which column is the label\\? name it: --truth a; there are a, b",
        ),
        (["id,label", "7,"], {}, "gold.csv: column label holds no label"),
        (["id,label", "7,1"], {"truth": "nope"}, r"no column for the truth \(nope\) in gold.csv"),
        (["id,label", "7,1"], {"rater": "who"}, r"gold.csv: no column for the rater \(who\)"),
        (["id,label", "7,1"], {"on": "pid"}, r"judged.csv: no column for the id \(pid\)"),
        (["nr,label", "7,1"], {"on": "id"}, r"gold.csv: no column for the id \(id\)"),
        (["id,label", "7,9"], {}, "judged.csv: case 7, label: 9 is outside 1..5"),
        ([""], {}, "gold.csv: there are no labels in it: the file is empty"),
        (['{"experiments": []}'], {}, "gold.csv: is a run artifact: labels are rows with columns"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(
    lines: list[str], reading: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        joined(write("gold.csv", *lines), **reading)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(UsageError, match="it goes with --labels FILE"):
        acumen.read("judged.csv", on="id")
    with pytest.raises(UsageError, match="they share no column"):
        joined(write("nr.csv", "nr,label", "7,1"))
    with pytest.raises(UsageError, match="--on takes COLUMN"):
        joined(write("gold.csv", "id,label", "7,1"), on="id,")
    table = joined("gold.csv")
    with pytest.raises(UsageError, match="a table is read already; leave --labels out"):
        acumen.evaluate(table, label_files="gold.csv", resamples=0)


def test_every_command_that_reads_rows_takes_them(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{i},{1 + i % 5},{0.1 + 0.8 * (i % 9 > 1)}" for i in range(40)]
    data = write("judged.csv", "id,score,confidence", *rows)
    gold = [f"{i},{1 + (i + (i % 4 == 0)) % 5}" for i in range(40)]
    write("gold.csv", "id,label", *gold)
    asks = (
        ["evaluate", data, "--resamples", "0"],
        ["gate", data, "--metric", "accuracy", "--at-least", "0.1"],
        ["threshold", data, "--risk", "0.5"],
        ["calibrate", data, "--confidence", "confidence", "--method", "temperature"],
        ["cost", data, "--abstain-cost", "0.1"],
        ["estimate", data, "--prediction", "score", "--labelled", "label"],
        ["plot", data, "--output", "curve.json"],
        ["map", data],
    )
    for words in asks:
        assert run([*words, "--labels", "gold.csv", "--on", "id"]) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    assert "acumen evaluate judged.csv" in out
    assert "--labels gold.csv --on id" in out  # what `map` proposes has them
    write("ben.csv", "id,label", *gold[:20])
    assert (
        run(["rate", data, "--judge", "score", "--labels", "gold.csv", "--labels", "ben.csv"]) == 0
    )
    assert "2 people and 1 judge" in capsys.readouterr().out
    result = acumen.evaluate(data, label_files="gold.csv", on="id", resamples=0)
    assert result.command is not None
    assert result.command.endswith("--labels gold.csv --on id")
