"""``acumen FILE``, ``acumen map``, ``acumen.survey``: what is proposed, what is taken unasked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError

ROWS = [(case, 1 + case % 5, 1 + (case + (case % 4 == 0)) % 5) for case in range(40)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, header: str, rows: list[tuple[Any, ...]] | None = None) -> str:
    lines = [header, *(",".join(map(str, row)) for row in ROWS if rows is None)]
    lines += [",".join(map(str, row)) for row in rows or ()]
    Path(name).write_text("\n".join(lines) + "\n", "utf-8")
    return name


def commands_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("acumen ")]


def test_a_file_alone_is_mapped_and_evaluated_where_all_goes_by_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("rows.csv", "id,human,judge")
    assert run(["rows.csv"]) == 0
    out = capsys.readouterr().out
    assert "What is in it" in out
    assert "All of it goes by its names, so it is evaluated:" in out
    assert "exactly right in 75.0%" in out
    assert acumen.survey("rows.csv").document.sure


def test_a_file_of_which_something_is_guessed_is_mapped_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("rows.csv", "a,b,c")  # which of two columns is the truth, their content does not say
    assert run(["rows.csv"]) == 0
    out = capsys.readouterr().out
    assert "You can ask" in out
    assert "exactly right" not in out
    assert not acumen.survey("rows.csv").document.sure


def test_a_result_is_shown_and_several_files_take_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write("rows.csv", "id,human,judge")
    assert run(["evaluate", path, "--resamples", "0", "--output", "m.json", "-q"]) == 0
    assert run(["m.json"]) == 0
    assert "exactly right in 75.0%" in capsys.readouterr().out
    assert run([path, "m.json"]) == 2
    assert "name a command: acumen evaluate rows.csv m.json" in capsys.readouterr().err
    assert run([path, "--levels", "1-5"]) == 2
    assert "name a command: acumen map rows.csv --levels 1-5" in capsys.readouterr().err
    assert run(["nothing.csv"]) == 2


def test_every_question_has_one_command_in_one_line_that_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [(*row, row[0] / 40) for row in ROWS]
    name = "a file with a long name, so that no terminal holds the command in one line.csv"
    write(name, "the_id_of_the_case,human_stars_1,judge_stars,judge_confidence", rows)
    assert run(["map", name]) == 0
    commands = commands_in(capsys.readouterr().out)
    assert [shlex.split(command)[1] for command in commands] == ["evaluate", "threshold", "gate"]
    for command in commands:
        assert len(command) > 80
        assert run(shlex.split(command)[1:]) in (0, 1, 5), capsys.readouterr().err


def test_labels_are_to_be_drawn_where_there_is_no_truth_and_raters_compared_where_several_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("open.csv", "id,judge", [(case, level) for case, _, level in ROWS])
    write("two.csv", "id,human_1,human_2,judge", [(c, t, p, p) for c, t, p in ROWS])
    questions = {"open.csv": "label", "two.csv": "rate"}
    for name, question in questions.items():
        assert run(["map", name]) == 0
        commands = [shlex.split(c) for c in commands_in(capsys.readouterr().out)]
        (asked,) = [words for words in commands if words[1] == question]
        more = ["--output", "sample.json"] if question == "label" else []
        assert run([*asked[1:], *more]) == 0, capsys.readouterr().err
        capsys.readouterr()


def test_frames_and_rows_are_looked_at_too_and_the_answers_are_calls() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"id": case, "human": truth, "judge": level} for case, truth, level in ROWS]
    for data in (rows, pandas.DataFrame(rows)):
        survey = acumen.survey(data).document
        assert survey.columns == {"case": "id", "truth": "human", "prediction": "judge"}
        command = survey.measurable["agreement"].command
        assert command == "acumen.evaluate(data, case='id', truth='human', prediction='judge')"
        answer = eval(command, {"acumen": acumen, "data": data})
        assert answer.document.population.outcomes == survey.outcomes


def test_words_in_names_are_taken_where_the_levels_are_the_same_and_told() -> None:
    path = write("stars.csv", "nr,human_stars,ai_stars")
    table = acumen.read(path)
    note = "by words in their names and their levels are taken: nr as the case (--case)"
    assert any(warning.startswith(note) for warning in table.warnings)
    other = write(
        "other.csv", "nr,human_stars,ai_words", [(k, k % 5, "ab"[k % 2]) for k in range(9)]
    )
    with pytest.raises(DataError, match="name it: --case nr"):
        acumen.read(other)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match="a survey is of a path, a dataframe or a list of rows"):
        acumen.survey(3)
