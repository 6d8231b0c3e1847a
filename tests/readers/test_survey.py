"""What is said of a file before it is evaluated."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.files.toml import parse_toml
from acumen.results.survey import Survey
from acumen.studies import phq8_run

SAMPLES = Path(__file__).parents[1] / "samples"

WHAT_IT_HOLDS = {
    "stars.csv": ("csv", 36, 12, 3, [1, 2, 3, 4, 5], {"answered": 30, "abstained": 6}),
    "binary.tsv": ("tsv", 30, 15, 2, [0, 1], {"answered": 23, "abstained": 7}),
    "ragged.csv.gz": ("csv", 35, 11, 6, [0, 1, 2, 3, 4], {"answered": 30, "abstained": 5}),
    "subgroups.csv": ("csv", 36, 18, 2, [0, 1, 2, 3], {"answered": 30, "abstained": 6}),
    "repeats.jsonl": ("jsonl", 42, 7, 2, [1, 2, 3, 4, 5], {"answered": 38, "abstained": 4}),
    "raters_long.csv": ("csv", 47, 8, 2, [1, 2, 3, 4, 5], {"answered": 38, "abstained": 9}),
    "raters_wide.csv": ("csv", 53, 20, 1, [0, 1, 2, 3], {"answered": 41, "abstained": 12}),
    "three_systems.parquet": (
        *("parquet", 60, 10, 2, [1, 2, 3, 4, 5]),
        {"answered": 42, "abstained": 18},
    ),
    "words.json": (
        "json",
        18,
        9,
        2,
        ["low", "medium", "high"],
        {"answered": 15, "abstained": 2, "unparseable": 1},
    ),
    "inspect_killed.eval": (
        *("inspect", 11, 3, 2, [0, 1, 2, 3]),
        {"answered": 7, "abstained": 2, "refused": 2},
    ),
    "samples_severity_mc.jsonl": (
        *("lm-eval", 36, 10, 4, ["none", "mild", "moderate", "severe"]),
        {"answered": 36},
    ),
}


NOT_UNASKED: dict[str, dict[str, str]] = {
    "binary.tsv": {"abstain": "-1"},  # a quarter of the rows says so
    "ragged.csv.gz": {"prediction": "model"},  # whose column that is, its name does not say
}
"""What has to be said of a file, since it may be meant in two ways."""


def look(name: str, **reading: object) -> Survey:
    return acumen.survey(SAMPLES / name, **reading).document  # type: ignore[arg-type]  # any keyword


@pytest.mark.parametrize("name", WHAT_IT_HOLDS)
def test_a_file_is_understood_unasked(name: str) -> None:
    survey = look(name, **NOT_UNASKED.get(name, {}))
    outcomes = {outcome: n for outcome, n in survey.outcomes.items() if n}
    assert WHAT_IT_HOLDS[name] == (
        *(survey.format, survey.rows, survey.cases, survey.items, survey.levels),
        outcomes,
    )


@pytest.mark.parametrize("name", ["stars.csv", "binary.tsv", "ragged.csv.gz", "words.json"])
def test_every_command_it_gives_runs(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLES)
    survey = acumen.survey(name, **NOT_UNASKED.get(name, {})).document  # type: ignore[arg-type]  # keywords
    commands = {q.command for q in survey.measurable.values() if q.command is not None}
    assert commands
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "acumen"
        if words[1] != "evaluate":
            assert run([*words[1:], "--json"]) in (0, 1, 5), capsys.readouterr().err
            assert json.loads(capsys.readouterr().out)["command"]
            continue
        assert run([*words[1:], "--json", "--resamples", "0"]) == 0
        written = json.loads(capsys.readouterr().out)
        assert written["population"]["outcomes"] == survey.outcomes


def test_what_is_missing_is_named() -> None:
    questions = look("likert_half.jsonl").measurable
    assert questions["agreement"].possible
    assert not questions["selective"].possible
    assert "--confidence-column" in (questions["selective"].lacks or "")
    few = look("excel_semicolon.csv")
    assert few.measurable["intervals"].lacks == "2 more cases with a truth"
    assert "Sicherheit" in (few.measurable["selective"].lacks or "")


def test_a_percentage_is_told_with_its_range() -> None:
    command = look("subgroups.csv").measurable["calibration"].command or ""
    assert command.endswith("--confidence-range 0,100")


def test_roles_that_are_named_are_not_guessed() -> None:
    survey = look("subgroups.csv", item="sex")
    assert survey.columns["item"] == "sex"
    by_path = {column.path: column for column in survey.details}
    assert (by_path["sex"].role, by_path["sex"].reason) == ("item", "named")
    assert by_path["weight"].role is None


def test_no_long_text_and_no_name_of_a_case_is_shown() -> None:
    survey = look("hf_sentiment.parquet")
    by_path = {column.path: column for column in survey.details}
    assert by_path["text"].values == []
    assert by_path["tweet_id"].values == []
    assert by_path["label"].values == ["negative", "neutral", "positive"]


def test_the_mapping_it_writes_reads_the_file_as_it_said(tmp_path: Path) -> None:
    target = tmp_path / "m.toml"
    assert run(["map", str(SAMPLES / "repeats.jsonl"), "--output", str(target)]) == 0
    assert parse_toml(target.read_text("utf-8"), "m.toml")["columns"]["repeat"] == "run"
    table = acumen.read(SAMPLES / "repeats.jsonl", mapping=target)
    assert table.outcomes == look("repeats.jsonl").outcomes


def test_options_go_into_the_mapping_as_a_mapping_has_them(tmp_path: Path) -> None:
    rows = "id,human,judge,sure,part\n1,1,2,90,a\n2,2,2,40,a\n3,9,1,10,b\n"
    (tmp_path / "rows.csv").write_text(rows)
    target = tmp_path / "m.toml"
    options = ["--confidence-column", "sure", "--confidence-range", "0,100", "--where", "part=a"]
    assert run(["map", str(tmp_path / "rows.csv"), *options, "--output", str(target)]) == 0
    table = acumen.read(tmp_path / "rows.csv", mapping=target)
    assert table.cases == ("1", "2")
    assert table.signals["confidence"].values.tolist() == [0.9, 0.4]


def test_a_run_artifact_is_looked_at_too(tmp_path: Path) -> None:
    write_json(tmp_path / "run.json", phq8_run())
    survey = acumen.survey(tmp_path / "run.json", mode="few_shot").document
    assert (survey.format, survey.items, survey.levels) == ("run", 8, [0, 1, 2, 3])
    assert survey.measurable["agreement"].possible


def test_the_terminal_and_json_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(SAMPLES / "stars.csv")
    assert run(["map", path, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    keys = ("format", "rows", "cases", "items", "levels", "columns", "outcomes", "measurable")
    assert [key for key in keys if key not in written] == []
    assert run(["map", path]) == 0
    shown = capsys.readouterr().out
    assert "30 answered, 6 abstained" in shown
    assert "--truth human_stars --prediction ai_stars" in " ".join(shown.split())


def test_an_output_that_is_the_file_is_refused() -> None:
    path = str(SAMPLES / "stars.csv")
    assert run(["map", path, "--output", path]) == 2
    with pytest.raises(UsageError):
        acumen.survey(path, format="nonsense")


def test_a_file_without_truth_is_counted_and_says_what_it_lacks() -> None:
    survey = look("mtbench_single.jsonl")
    roles = {"case": "question_id", "item": "turn", "system": "model", "prediction": "score"}
    assert survey.columns == roles
    assert (survey.cases, survey.items, survey.rows) == (12, 2, 48)
    assert not survey.measurable["outcomes"].possible  # several systems need a truth
    assert survey.measurable["agreement"].lacks == "a column of the truth: --truth COLUMN"


def test_a_mapping_that_ships_tells_the_roles() -> None:
    survey = look("deepeval_helpfulness.json", mapping="deepeval")
    by_path = {column.path: column for column in survey.details}
    assert (by_path["expectedOutput"].role, by_path["expectedOutput"].reason) == (
        "truth",
        "the mapping",
    )
    assert {o: n for o, n in survey.outcomes.items() if n} == {
        "answered": 9,
        "abstained": 2,
        "unscored": 1,
    }


def write(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def test_a_column_of_systems_or_raters_is_no_item(tmp_path: Path) -> None:
    rows = [f"{c},{m},{c % 4},{(c + k) % 4}" for c in range(12) for k, m in enumerate("abc")]
    systems = acumen.survey(write(tmp_path / "s.csv", "case,model,truth,prediction", rows)).document
    assert systems.columns["system"] == "model"
    assert "item" not in systems.columns
    command = systems.measurable["agreement"].command or ""
    assert command.endswith("--system model")
    rows = [f"{c},{m},{(c + k) % 4},{c % 4}" for c in range(12) for k, m in enumerate("abc")]
    raters = acumen.survey(write(tmp_path / "r.csv", "case,who,truth,prediction", rows)).document
    assert raters.columns["rater"] == "who"


def test_a_code_for_no_answer_is_told_where_it_is_read_as_a_level(tmp_path: Path) -> None:
    rows = [f"{c},{1 + c % 5},{-1 if c % 4 == 0 else 1 + c % 5}" for c in range(12)]
    path = write(tmp_path / "n.csv", "case,truth,prediction", rows)
    with pytest.raises(acumen.DataError, match=r"-1 in 3 rows lies far from .* --levels 1-5$"):
        acumen.read(path)
    with pytest.raises(acumen.DataError, match=r"-1 in 3 of 12 rows may be a level"):
        acumen.read(path, levels="1-5")
    assert acumen.read(path, abstain="-1").scale.levels == (1, 2, 3, 4, 5)


def test_a_confidence_with_gaps_is_said_to_have_them(tmp_path: Path) -> None:
    rows = [f"{c},{c % 4},{c % 4},{'' if c < 2 else c / 20}" for c in range(12)]
    path = write(tmp_path / "g.csv", "case,truth,prediction,confidence", rows)
    questions = acumen.survey(path).document.measurable
    assert questions["selective"].lacks == "a confidence for 2 answered rows more"
    assert questions["agreement"].possible


@pytest.mark.parametrize("number", ["1000000000", "9" * 5000])
def test_a_level_beyond_all_levels_is_told_and_ends_nothing(tmp_path: Path, number: str) -> None:
    path = write(tmp_path / "b.csv", "case,truth,prediction", ["1,0,1", f"2,{number},1", "3,1,1"])
    assert acumen.survey(path).document.problems


def test_words_are_put_in_their_usual_order_or_in_none(tmp_path: Path) -> None:
    rows = [f"{c},{['high', 'low', 'medium'][c % 3]},low" for c in range(12)]
    usual = acumen.survey(write(tmp_path / "u.csv", "case,truth,prediction", rows)).document
    assert (usual.levels, usual.mapping["levels"]) == (["low", "medium", "high"], "low,medium,high")
    assert (usual.measurable["agreement"].command or "").endswith("--levels low,medium,high")
    assert any("usual order" in note for note in usual.notes)
    rows = [f"{c},{['red', 'blue', 'green'][c % 3]},red" for c in range(12)]
    unknown = acumen.survey(write(tmp_path / "c.csv", "case,truth,prediction", rows)).document
    assert (unknown.levels, "levels" in unknown.mapping) == (None, False)
    assert unknown.outcomes["answered"] == 12
    assert all(q.command is None for q in unknown.measurable.values())
    assert unknown.measurable["agreement"].lacks == (
        "the order of the levels: --levels LOWEST,…,HIGHEST"
    )


def test_columns_that_say_nothing_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", str(SAMPLES / "inspect_killed.eval"), "--full"]) == 0
    shown = capsys.readouterr().out
    assert "eval.config" not in shown
    assert "columns empty or the same in all rows" in shown
    assert "score.answer" in shown


def test_a_survey_is_of_a_file_a_frame_or_rows() -> None:
    with pytest.raises(UsageError, match="a path, a dataframe or a list of rows, not of dict"):
        acumen.survey({"case": [1]})


def test_every_column_of_the_truth_is_shown_as_one() -> None:
    survey = look("raters_wide.csv")
    assert [part.path for part in survey.details if part.role == "truth"] == [
        *("rater_1", "rater_2", "rater_3")
    ]
    assert survey.columns["truth"] == "rater_1,rater_2,rater_3"


@pytest.mark.parametrize(
    ("sample", "options"),
    [
        ("raters_long.csv", "--truth score --prediction ai_score"),
        ("raters_wide.csv", "--truth rater_1,rater_2,rater_3"),
        ("mtbench_single.jsonl", "--case question_id --truth COLUMN --prediction score"),
    ],
)
def test_an_error_proposes_the_columns_that_map_guesses(sample: str, options: str) -> None:
    with pytest.raises(DataError, match=f"name it: {options} .*see acumen map FILE"):
        acumen.read(SAMPLES / sample)


def test_a_number_may_be_declared_as_no_answer() -> None:
    rows = [{"id": i, "truth": i % 3, "prediction": i % 2 or -9} for i in range(6)]
    words: tuple[Any, ...] = (-9, ["-9"])
    tables = [acumen.evaluate(rows, abstain=word, resamples=0).document for word in words]
    assert [t.population.outcomes["abstained"] for t in tables] == [3, 3]


def test_a_lazy_frame_is_read_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    polars = pytest.importorskip("polars")
    rows = {"id": [1, 2, 3], "truth": [0, 1, 2], "prediction": [0, 1, 1]}
    artifact = acumen.evaluate(polars.LazyFrame(rows), resamples=0).document
    assert artifact.population.outcomes["answered"] == 3
    assert not [w for w in recwarn if "Performance" in w.category.__name__]


def test_booleans_are_levels_whose_order_is_known(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    rows = [{"id": i, "truth": i % 2 == 0, "prediction": i % 3 == 0} for i in range(4)]
    path.write_text(json.dumps(rows))
    findings = acumen.survey(path).document
    assert (findings.levels, findings.problems) == (["false", "true"], [])


def test_a_word_for_no_answer_among_truths_is_one_of_the_levels(tmp_path: Path) -> None:
    path = tmp_path / "n.csv"
    path.write_text("id,truth,prediction\n1,None,None\n2,Mild,None\n3,Severe,n/a\n4,Mild,Mild\n")
    findings = acumen.survey(path).document
    assert findings.levels == ["None", "Mild", "Severe"]
    assert findings.outcomes["answered"] == 3


def test_of_several_systems_without_a_truth_nothing_is_offered_that_is_refused() -> None:
    findings = acumen.survey(SAMPLES / "mtbench_single.jsonl", mapping="mt-bench").document
    assert not any(question.possible for question in findings.measurable.values())
    with pytest.raises(DataError, match="there is no truth in it"):
        acumen.evaluate(SAMPLES / "mtbench_single.jsonl", mapping="mt-bench", resamples=0)


@pytest.mark.parametrize("tool", ["mlflow", "openai-evals", "mt-bench"])
def test_a_shipped_mapping_that_fits_is_named(tool: str) -> None:
    name = {
        "mlflow": "mlflow_quality.csv",
        "openai-evals": "openai_evals_match.jsonl",
        "mt-bench": "mtbench_single.jsonl",
    }[tool]
    hint = f"this looks like a file of {tool}: --mapping {tool} reads it"
    assert look(name).notes[0] == hint
    assert hint not in look(name, mapping=tool).notes
    assert not [note for note in look("stars.csv").notes if "looks like" in note]


def test_a_test_run_of_deepeval_is_known_by_its_content(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey, named = (look("deepeval_helpfulness.json", mapping=m) for m in (None, "deepeval"))
    assert survey.columns == named.columns
    assert survey.outcomes == named.outcomes
    assert "others: 'metricsData[name=\"JudgeConfidence\"].score'" in " ".join(survey.notes)
    path = tmp_path / "results"
    document = json.loads((SAMPLES / "deepeval_helpfulness.json").read_text())
    path.write_text(json.dumps(document, indent=1))
    assert run([str(path)]) == 0
    assert f"acumen evaluate {path}" in capsys.readouterr().out
    for case in document["testCases"][::2]:
        case["metricsData"] = case["metricsData"][::-1]
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match="which column or path is the prediction"):
        acumen.read(path)
    assert len(acumen.read(path, prediction='metricsData[name="Helpfulness"].score')) == 12


def test_the_whole_of_a_long_file_is_told(tmp_path: Path) -> None:
    words = [*["low", "medium", "high"] * 1000, *["critical"] * 2000]
    rows = [
        f"c{at // 2},i{at % 2},{'' if at < 2500 else word},{word}" for at, word in enumerate(words)
    ]
    path, mapping = tmp_path / "rows.csv", tmp_path / "m.toml"
    path.write_text("\n".join(["case,item,truth,prediction", *rows]))
    columns = {column.path: column for column in acumen.survey(path).document.details}
    assert (columns["case"].distinct, columns["truth"].missing) == (2500, 2500)
    assert run(["map", str(path), "-o", str(mapping)]) == 0
    assert "low,medium,high,critical" in mapping.read_text()
    assert acumen.read(path, mapping=mapping).outcomes["answered"] == 2500


def test_one_number_above_one_among_probabilities_is_no_range(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"c{k},{k % 3},{k * k % 3},{0.5 + k / 100}" for k in range(40)]
    commands = []
    for top in ("1.01", "5"):
        path.write_text("\n".join(["case,truth,prediction,confidence", *rows, f"x,1,1,{top}"]))
        commands += [q.command for q in acumen.survey(path).document.measurable.values()]
    assert commands
    assert not [c for c in commands if c is not None and "--confidence-range" in c]
    stars = [f"c{k},{k % 3},{k * k % 3},{1 + k % 5}" for k in range(40)]
    path.write_text("\n".join(["case,truth,prediction,confidence", *stars]))
    measurable = acumen.survey(path).document.measurable
    assert any("--confidence-range 0,5" in str(q.command) for q in measurable.values())
