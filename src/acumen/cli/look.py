"""``acumen FILE``: what is in it, and its evaluation where all of that is sure."""

from __future__ import annotations

import shlex

from acumen.errors import DataError

ASKED = ("calibration", "selective", "agreement", "outcomes")
"""Whose command is run: the first that the file can answer."""


def look(path: str) -> list[str]:
    """Print what a file holds; the arguments of the command that goes on with it."""
    from acumen.questions.map import map_
    from acumen.report.terminal import print_parts

    try:
        result = map_(path)
    except DataError:
        return ["show", path] if _is_ours(path) else ["map", path]
    survey = result.document
    commands = (survey.measurable[name].command for name in ASKED if name in survey.measurable)
    command = next((command for command in commands if command is not None), None)
    if not survey.sure or command is None:
        return ["show", path] if _is_ours(path) else ["map", path]
    from acumen.report.blocks import Paragraph, Tone

    sections = [section for section in result.sections() if section.key != "lacks"]
    lead = Paragraph("All of it goes by its names, so it is evaluated:", Tone.HEADING)
    print_parts([*sections, lead])
    print_parts([Paragraph(command, Tone.COMMAND)])
    return shlex.split(command)[1:]


def _is_ours(path: str) -> bool:
    """Whether a file is a document, as acumen or the source's tools write them."""
    from acumen.results.kinds import read_document

    try:
        read_document(path)
    except DataError:
        return False
    return True
