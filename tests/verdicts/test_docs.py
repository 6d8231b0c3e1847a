"""The guide's policies are policies, and do what the guide says of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acumen.cli import run
from acumen.errors import DataError
from acumen.policy import parse_policy

GUIDE = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text("utf-8")
POLICIES = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)


def test_the_policies_of_the_guide_can_be_read() -> None:
    assert [parse_policy(block).name for block in POLICIES] == ["mine", "counting"]


@pytest.mark.parametrize("text", POLICIES)
def test_the_policies_of_the_guide_run_on_the_bundled_study(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    assert run(["score", "--demo", "--policy", str(path), "--resamples", "50", "--full"]) == 0
    told = f", policy {parse_policy(text).name}, K 8,"
    assert told in " ".join(capsys.readouterr().out.split())


def test_the_mistakes_of_the_guide_are_told_as_it_prints_them() -> None:
    wrong = POLICIES[0].replace("mild = 2", "mild = -2").replace('"Critical Risk" =', '"Severe" =')
    with pytest.raises(DataError) as caught:
        parse_policy(wrong, source="mine.toml")
    printed = re.search(
        r"All mistakes are reported at once, by line and key:\n\n<!-- .* -->\n```\n(.*?)```",
        GUIDE,
        re.DOTALL,
    )
    assert printed is not None
    assert set(printed[1].splitlines()) <= set(str(caught.value).splitlines())
