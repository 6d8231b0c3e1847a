"""Results of promptfoo: ``-o results.json``, or the rows alone as JSON Lines.

A row is one (test, prompt, provider). An output may be an object or the text of one: both stand
under ``output`` as the object. Each repeat has a test number of its own and nothing that says it is
one, so repeats are counted among rows with the same variables, prompt and provider.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from acumen.errors import Problem, refuse, what_came
from acumen.readers.content import Content
from acumen.readers.json_rows import read_lines
from acumen.readers.logs import Record, at, objects_in, own_mapping, plain_roles
from acumen.readers.records import Records


def read_promptfoo(content: Content) -> Records:
    """The rows of an evaluation, with their outputs parsed and their repeats counted."""
    if content.head.has_lines:
        records = read_lines(content)
    else:
        entries = {"results.results": at(content.document, "results", "results")}
        records = Records(rows=list(objects_in(entries, content.name).values()))
    rows = _numbered([{**row, "output": _output(row)} for row in records.rows], content.name)
    objects = [row for row in rows if isinstance(row["output"], dict)]
    output = plain_roles(objects, "output") if objects else {"prediction": "output"}
    roles = {k: v for k, v in output.items() if k in ("prediction", "confidence")}
    roles |= {k: v for k, v in plain_roles(rows, "vars").items() if k in ("case", "item", "truth")}
    return replace(
        records, rows=rows, mapping=own_mapping("promptfoo", **roles), format="promptfoo"
    )


def _output(row: Record) -> Any:
    """The output as the object it is the text of, if it is; else as it came."""
    output = at(row, "response", "output")
    if not isinstance(output, str) or not output.lstrip().startswith("{"):
        return output
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        return output


def _numbered(rows: Sequence[Record], source: str) -> list[Record]:
    """The rows with their test, the first number it has, and the repeat, counted from 0."""
    problems = [
        Problem(f"a test's number is expected, {what_came(at(row, 'testIdx'))} came", field=place)
        for k, row in enumerate(rows)
        if type(at(row, "testIdx")) is not int and (place := f"results.results[{k}].testIdx")
    ]
    refuse(problems, source)
    tests: dict[str, set[int]] = defaultdict(set)
    keys = []
    for row in rows:
        variables = json.dumps(row.get("vars"), sort_keys=True)
        prompt = json.dumps([at(row, "provider"), at(row, "prompt", "label")], sort_keys=True)
        keys.append((variables, variables + prompt))
        for key in keys[-1]:
            tests[key].add(row["testIdx"])
    return [
        {**row, "test": min(tests[test]), "repeat": sorted(tests[draw]).index(row["testIdx"])}
        for row, (test, draw) in zip(rows, keys, strict=True)
    ]
