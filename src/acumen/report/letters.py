"""Text in the letters that a terminal's encoding has."""

from __future__ import annotations

from typing import Final

_PLAIN: Final = str.maketrans(
    {"…": "...", "×": "x", "≥": ">=", "≤": "<=", "✓": "v", "═": "="}
    | dict.fromkeys("–—−─━╌", "-")
    | dict.fromkeys("·│┃║", "|")
    | dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┡┩╇┳┻╋", "+")
)


def in_letters_of(encoding: str, text: str) -> str:
    """The text as it is where the encoding is Unicode; else near it, what is left spelled out.

    >>> in_letters_of("utf-8", "0.1–0.2"), in_letters_of("ascii", "0.1–0.2 é")
    ('0.1–0.2', '0.1-0.2 \\\\xe9')
    >>> in_letters_of("cp1252", "0.1–0.2 · −1")
    '0.1–0.2 · -1'
    """
    if encoding.lower().startswith("utf"):
        return text
    lacking = {c: near for c, near in _PLAIN.items() if not chr(c).encode(encoding, "ignore")}
    return text.translate(lacking).encode(encoding, "backslashreplace").decode(encoding)
