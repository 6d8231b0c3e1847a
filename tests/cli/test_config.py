"""The file of defaults: what it sets, what wins over it, and everything wrong with it at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from acumen.cli import COMMANDS, app_of, run
from acumen.files.json import write_json
from acumen.studies import phq8_run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_json("run.json", phq8_run())
    return tmp_path


def curve(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The confidence functions in the curve's CSV."""
    assert run(["curve", "run.json", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    return list(dict.fromkeys(line.split(",")[0] for line in lines))


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert run(["curve", "run.json", "--mode", "few_shot", *arguments]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.removeprefix("acumen: ").splitlines()


def test_a_file_gives_defaults_and_the_command_line_wins(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("acumen.toml").write_text('[curve]\nmode = "few_shot"\nconfidence = "token_msp"\n')
    assert curve(capsys) == ["token_msp"]
    assert curve(capsys, "--confidence", "llm") == ["llm"]


def test_the_environment_wins_over_the_file_and_the_command_line_over_both(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("acumen.toml").write_text('[curve]\nmode = "few_shot"\nconfidence = "token_msp"\n')
    monkeypatch.setenv("ACUMEN_CURVE_CONFIDENCE", "token_pe")
    assert curve(capsys) == ["token_pe"]
    assert curve(capsys, "--confidence", "llm") == ["llm"]


def test_pyproject_serves_where_there_is_no_file_of_our_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = '[project]\nname = "x"\n[tool.acumen.curve]\nmode = "few_shot"\nconfidence = {}\n'
    Path("pyproject.toml").write_text(table.format('["llm", "token_pe"]'))
    assert curve(capsys) == ["llm", "token_pe"]
    Path("acumen.toml").write_text('[curve]\nmode = "few_shot"\nconfidence = "consistency"\n')
    assert curve(capsys) == ["consistency"]


def test_a_pyproject_that_is_not_about_us_is_not_even_parsed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("pyproject.toml").write_text("[broken")
    assert curve(capsys, "--mode", "few_shot") == ["llm", "total_evidence"]


def test_every_option_is_named_as_on_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["evaluate", "run.json", "--mode", "few_shot", "--output", "out.json"]
    Path("acumen.toml").write_text("[evaluate]\nbootstrap-resamples = 7\n")
    assert run(command) == 0
    assert '"bootstrap_resamples": 7' in Path("out.json").read_text()
    twice = "[evaluate]\nbootstrap-resamples = 7\nbootstrap_resamples = 8\n"
    Path("acumen.toml").write_text(twice)
    assert run(command) == 3
    assert "evaluate.bootstrap_resamples: is given twice" in capsys.readouterr().err


def test_everything_wrong_is_told_at_once_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    Path("acumen.toml").write_text(
        'seed = 3\nshow = 1\n[curv]\n[curve]\nlos = "abs"\nloss = 2026-01-08\nscale = true\n'
        'output = "x.csv"\n"a\\u001b" = 1\n'
    )
    assert refused(capsys) == [
        "acumen.toml: seed: stands outside a command's table, such as [evaluate]",
        "acumen.toml: show: must be a table, not 1",
        "acumen.toml: curv: is no command (did you mean curve?)",
        "acumen.toml: curve.los: is no option of curve (did you mean loss?)",
        "acumen.toml: curve.loss: must be a text, not the date 2026-01-08",
        "acumen.toml: curve.scale: must be a text, not the boolean true",
        "acumen.toml: curve.output: can only be given on the command line or in the environment",
        "acumen.toml: curve.a\\x1b: is no option of curve "
        "(there are mode, confidence, loss, calibration, case, item, truth, mapping, "
        "format, rows, where, prediction, confidence_column, distribution, point, "
        "rater, repeat, system, group, weight, "
        "encoding, labels, on, scale, levels, abstain, unanswerable, unparseable, "
        "confidence_range, truth_is, complete, strict)",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[demo]\nseed = 2.0", "demo.seed: must be a whole number, not 2.0"),
        ("[demo]\nseed = [1]", "demo.seed: takes one value, not a list"),
        ("[demo]\nseed = -1", "demo.seed: "),
        ("[demo]\nseed = 1\nseed = 2", "the key is given twice (at "),
        ("[score]\ndemo = 1", "score.demo: must be true or false, not 1"),
        ("[demo", "Expected ']' at the end of a table"),
        ("\xff", "line 1: is not UTF-8"),
    ],
)
def test_a_value_of_the_wrong_type_is_one_line_and_nothing_is_run(
    text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("acumen.toml").write_bytes(text.encode("latin-1"))
    name = "score" if "score" in text else "demo"
    assert run([name, "out"]) == 3
    captured = capsys.readouterr()
    assert captured.err.startswith(f"acumen: acumen.toml: {told}")
    assert captured.err.count("\n") == 1
    assert not Path("out").exists()


READING = (
    "case item truth mapping format rows where prediction confidence-column rater repeat system "
    "distribution point "
    "group weight scale levels abstain unanswerable unparseable confidence-range truth-is complete "
    "strict on encoding"
)
ALLOWED = {
    "which column or word of the rows that were named means what": READING,
    "a number or a switch of the evaluation": "resamples bootstrap-resamples seed folds alpha risk "
    "coverage confidence-level level area-coverage prorate cut bands wrong "
    "positive total price matched-coverage threads delta grid starts power "
    "most-items abstain-cost margin equivalence superiority at-least at-most least-cases detect sd "
    "non-inferiority draws agreement epsilon q fewest-instances by-row k fewest intersection-only "
    "pairwise coverage-grid demo budget",
    "which risks are kept beside the first": "also",
    "how a promise is watched": "promise every least-coverage time repeated person-price",
    "which of the methods that ship": "for interval items estimand method test target metric loss "
    "missing costs confidence features probabilities undecided engine rank-by aggregate",
    "which part of what was named is looked at": "input mode label baseline by labelled judge "
    "rating raters length own position score run-id domain model policy latest dev",
    "a file that is read beside it, on this machine": "calibration threshold file truth reviews "
    "against overrides labels inclusion",
    "how it is shown": "json full metrics quiet format chart width font-size functions",
}
OF_A_RUN = {
    "numbers that shape replies, and which of the prompts and formats there are": "mode samples "
    "consistency-samples temperature max-tokens max-completion-tokens seed top-logprobs "
    "reply-format limit",
    "how many cases are drawn for people, into a file beside the output that was named": "audit",
    "how fast, how long, for how much": "concurrency timeout retries requests-per-minute "
    "tokens-per-minute failure-limit time-limit token-limit cost-limit prompt-price "
    "completion-price",
    "whether it is begun, continued or rehearsed, and what is printed": "resume dry-run "
    "compute-aurc json",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_every_command_is_refused_or_allowed_for_a_reason(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that lies in a folder chooses nothing that is written, sent or shown of a case.

    One option after the other is put into the file, as the flag of the command and by its names.
    """
    reasons = OF_A_RUN if name == "run" else ALLOWED
    allowed = {word for words in reasons.values() for word in words.split()}
    allowed -= {"to", "run-id", "log"} if name == "export" else set()
    known = {
        flag.removeprefix("--")
        for parameter in get_command(app_of(name)).params
        if parameter.param_type_name == "option" and parameter.name != "help"
        for flag in parameter.opts
        if flag.startswith("--")
    }
    for part in getattr(get_command(app_of(name)), "commands", ()):  # which take nothing of a file
        for table in (f"[{name}]\n{part} = {{output = 'x'}}", f"[{name}.{part}]\noutput = 'x'"):
            Path("acumen.toml").write_text(table)
            assert run([name, part, "any"]) == 3
            assert f"{name}.{part}: is no option of {name}" in capsys.readouterr().err
    for flag in sorted(known):
        Path("acumen.toml").write_text(f"[{name}]\n{flag.replace('-', '_')} = {{}}\n")
        assert run([name, "any", "any"]) == 3, flag  # a table is a value of no option
        told = capsys.readouterr().err
        assert ("can only be given on" in told) == (flag not in allowed), (flag, told)


def test_what_a_folder_would_write_send_or_leak_is_refused_and_nothing_is_done(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("precious.txt").write_text("mine")
    Path("acumen.toml").write_text(
        '[gate]\njunit = "precious.txt"\nmarkdown = "precious.txt"\n'
        '[run]\nextra_body = \'{"tools": []}\'\nmodel = "other"\nheader = ["X-To: there"]\n'
        'base_url = "http://127.0.0.1:9/v1"\ncases = "precious.txt"\napi = "messages"\n'
    )
    for name, count in (("gate", 2), ("run", 6)):
        assert run([name, "run.json", "run.json"]) == 3
        assert capsys.readouterr().err.count("can only be given on the command line") == count
    assert Path("precious.txt").read_text() == "mine"


def test_a_folder_puts_no_file_on_the_page_that_is_handed_to_people(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("id_rsa").write_text("a key")
    Path("acumen.toml").write_text('[label]\nguidelines = "id_rsa"\n')
    assert run(["label", "run.json", "--budget", "9", "--for", "rate", "--page", "m.html"]) == 3
    assert "label.guidelines: can only be given on" in capsys.readouterr().err
    assert not Path("m.html").exists()


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_a_file_cannot_have_texts_of_cases_written(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("acumen.toml").write_text(f"[{command}]\ntexts = true\n")
    assert run([command, "any.json"]) == 3
    told = capsys.readouterr().err
    assert f"{command}.texts: can only be given on the command line" in told


def test_help_is_shown_even_where_the_file_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    Path("acumen.toml").write_text("[broken")
    assert run(["curve", "--help"]) == 0
    assert run(["--help"]) == 0
    assert "Example: acumen curve run.json" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_a_worked_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    below = getattr(get_command(app_of(name)), "commands", None)
    told = ""
    for words in [[name, part] for part in below] if below else [[name]]:
        assert run([*words, "--help"]) == 0
        told += capsys.readouterr().out.partition("[OPTIONS]")[2]
    assert f"acumen {name} " in told


def test_the_example_of_the_guide_is_taken_by_the_commands_it_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    Path("acumen.toml").write_text(example, "utf-8")
    for command in ("evaluate", "calibrate"):
        assert f"[{command}]" in example
        assert run([command, "absent.json"]) != 0
        assert "acumen.toml" not in capsys.readouterr().err
    Path("acumen.toml").write_text(example.replace("method", "methood"), "utf-8")
    assert run(["calibrate", "absent.json"]) == 3
    assert "acumen.toml: calibrate.methood" in capsys.readouterr().err


def test_a_number_with_a_fraction_is_taken_and_one_without_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json("run.json", phq8_run())
    command = ["evaluate", "run.json", "--mode", "few_shot", "--resamples", "0", "-o", "m.json"]
    Path("acumen.toml").write_text("[evaluate]\narea-coverage = 0.4\n")
    assert run([*command, "--quiet"]) == 0
    assert '"area_coverage": 0.4' in Path("m.json").read_text("utf-8")
    Path("acumen.toml").write_text("[evaluate]\narea-coverage = inf\n")
    assert run(command) == 3
    assert "evaluate.area-coverage: must be finite, not inf" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        *("VERSION", "HELP", "INSTALL_COMPLETION", "SHOW_COMPLETION"),
        *("EVALUATE_HELP", "EVALUATE_DEBUG", "EXPLAIN_HELP"),
    ],
)
@pytest.mark.parametrize("value", ["1", "bash", ""])
def test_what_a_command_is_asked_once_is_not_asked_by_the_environment(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["explain", "mean_loss"]
    if name.startswith("EVALUATE"):
        command = ["evaluate", "run.json", "--mode", "few_shot", "--resamples", "20", "-q"]
    assert run(command) == 0
    usual = capsys.readouterr()
    monkeypatch.setenv(f"ACUMEN_{name}", value)
    assert run(command) == 0
    assert capsys.readouterr() == usual


def test_an_empty_value_in_the_environment_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("THREADS", "QUIET", "CONFIDENCE", "LEVELS", "OUTPUT"):
        monkeypatch.setenv(f"ACUMEN_EVALUATE_{name}", "")
    assert run(["evaluate", "run.json", "--mode", "few_shot", "--resamples", "20", "-q"]) == 0
    assert capsys.readouterr().out == ""
