"""``llms.txt``: the contents of the site for a language model, in plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path


def llms(docs: Path, sections: Mapping[str, list[str]]) -> str:
    """The site in short: what acumen is, then every page with its title and first sentence."""
    index = (docs / "index.md").read_text("utf-8")
    about = index.split("\n\n")[1].strip("*")
    parts = [f"# acumen\n\n> {about}"]
    parts.append(
        "`acumen skill` prints a guide for coding agents, with the commands to begin with."
    )
    for section, pages in sections.items():
        lines = (_line(docs, page) for page in pages)
        parts.append("\n".join([f"## {section}\n", *lines]))
    return "\n\n".join(parts) + "\n"


def _line(docs: Path, page: str) -> str:
    """A page as a link with its first sentence."""
    path = next(p for end in (".md", ".rst") if (p := docs / f"{page}{end}").exists())
    text = re.sub(r"^(?:[(.=].*)?\n", "\n", path.read_text("utf-8"), flags=re.MULTILINE)
    title, *parts = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    prose = next((part for part in parts if re.match(r"(?!```)[A-Z*`]\S* ", part)), "")
    sentence = re.split(r"(?<=[.?!]) ", prose)[0].replace("**", "")
    sentence = re.sub(r"\[([^]]*)\]\([^)]*\)|\\(.)", r"\1\2", sentence)  # links; what RST escapes
    link = f"- [{title.lstrip('# ')}]({page}.html)"
    return f"{link}: {sentence}" if sentence else link
