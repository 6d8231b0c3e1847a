"""The guide's policies are policies."""

from __future__ import annotations

import re
from pathlib import Path

from acumen.policy import parse_policy

GUIDE = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_the_policies_of_the_guide_can_be_read() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert [parse_policy(block).name for block in blocks] == ["mine", "counting"]
