"""The reference of files: what acumen reads, and every document with its fields and its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from acumen.cli.schema import schema_of
from acumen.readers.formats import titles
from acumen.results.kinds import KINDS
from pages.rst import anchor, heading, literal, page, prose, table

Schema = Mapping[str, Any]


def formats() -> str:
    """The formats of rows, then every document with a schema, field by field."""
    rows = "\n".join(f"* {prose(title)}" for title in titles())
    about = (
        "A file of judgments is told by its content, not by its name. acumen reads these formats; "
        f":doc:`../data` says how their columns become judgments.\n\n{rows}\n\n"
        "Every document below has a JSON Schema (draft 2020-12), which ``acumen schema NAME`` "
        "prints: the model that checks the file."
    )
    return page("File formats", about, *(_document(name) for name in KINDS))


def schemas() -> dict[str, str]:
    """The schema of every document, as text."""
    return {name: json.dumps(schema_of(name), indent=2) + "\n" for name in KINDS}


def _document(name: str) -> str:
    schema = schema_of(name)
    parts = [anchor(f"format-{name}"), heading(name, "-"), _about(schema)]
    parts += [f":download:`JSON Schema <schemas/{name}.json>`"]
    parts += [table(("field", "type", "meaning"), _fields(schema))]
    for part, inner in schema.get("$defs", {}).items():
        if inner.get("properties"):
            parts += [f"**{part}**. {_about(inner)}"]
            parts += [table(("field", "type", "meaning"), _fields(inner))]
    return "\n\n".join(parts)


def _about(schema: Schema) -> str:
    paragraph = schema.get("description", "").split("\n\n")[0]
    return prose(" ".join(paragraph.split()).replace("``", ""))


def _fields(schema: Schema) -> Iterator[tuple[str, str, str]]:
    needed = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        about = _about(field) or prose(_default(field))
        yield literal(name), prose(_type(field)) + (", required" if name in needed else ""), about


def _default(field: Schema) -> str:
    value = field.get("default")
    return "" if value is None else f"By default {json.dumps(value, ensure_ascii=False)}."


def _type(field: Schema) -> str:
    """What a field may hold, in words: ``text or null``, ``list of Delta``."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(part) for part in field["anyOf"]))
    if "enum" in field or "const" in field:
        return " or ".join(map(str, field.get("enum", [field.get("const")])))
    match field.get("type"):
        case "array":
            return f"list of {_type(field.get('items', {}))}"
        case "object":
            inner = field.get("additionalProperties")
            return f"table of {_type(inner)}" if isinstance(inner, dict) and inner else "table"
        case kind:
            words = {"string": "text", "integer": "whole number", "boolean": "true or false"}
            return words.get(str(kind), str(kind or "anything"))
