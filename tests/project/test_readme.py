"""What the README shows is what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readme_examples import README, examples, output_of


@pytest.mark.parametrize(("command", "shown"), examples())
def test_an_example_of_the_readme_is_the_commands_real_output(
    command: str, shown: str, tmp_path: Path
) -> None:
    assert output_of(command, tmp_path) == shown


def test_the_readme_has_examples_and_its_links_lead_somewhere() -> None:
    import re

    assert len(examples()) >= 2
    text = README.read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    missing = [link for link in links if "//" not in link and not (README.parent / link).exists()]
    assert missing == []
