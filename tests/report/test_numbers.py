"""What the page shows is what the artifact holds, to the last digit."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from typing import Any

import pytest

from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Plot, Section, Table
from acumen.report.html import render_report, study_of
from acumen.results.verdicts import PairDocument
from acumen.values.measured import Flag, Interval, RestsOn, RightOf
from tests.report.test_specs import walk


def plots(section: Section) -> list[Plot]:
    return [block for block in section.blocks if isinstance(block, Plot)]


class Numbers(HTMLParser):
    """Every ``<data value=…>`` with the text it shows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[float, str]] = []
        self._value: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "data":
            self._value = dict(attrs)["value"]

    def handle_data(self, data: str) -> None:
        if self._value is not None:
            self.found.append((float(self._value), data))
            self._value = None


def numbers_of(document: Any) -> set[float]:
    found = set()
    for _, value in walk(document):
        for one in value if isinstance(value, list) else [value]:
            inner = one if isinstance(one, list) else [one]
            found |= {float(n) for n in inner if isinstance(n, int | float)}
    return found


@pytest.mark.parametrize("kind", ["single", "paired", "results"])
def test_every_number_of_the_page_is_in_the_artifact(
    kind: str, request: pytest.FixtureRequest
) -> None:
    given = request.getfixturevalue(kind)
    document = (given.document if isinstance(given, Evaluation) else given).model_dump()
    held = numbers_of(document)
    shown = Numbers(render_report([given])).found
    assert len(shown) > 100
    # the mean loss of what is accepted is told in levels: times how many steps the scale has
    steps = len(given.document.scale["levels"]) - 1 if isinstance(given, Evaluation) else 1
    losses = [loss for key, own in walk(document) if key == "selective_risk" for loss in own]
    held |= {round(steps * loss, 12) for loss in losses}
    strangers = [(value, text) for value, text in shown if not {value, round(value, 12)} & held]
    assert strangers == []
    for value, text in shown:
        if text == "<0.001":
            assert value < 0.001
            continue
        text = text.replace("−", "-")
        plain = text.replace(",", "").removesuffix("%")
        share = text.endswith("%") or (text[0] in "+-" and len(plain.partition(".")[2]) == 1)
        percent = share and value <= 1 and float(plain) != pytest.approx(value, abs=0.06)
        digits = len(plain.partition(".")[2])
        near = 0.51 * 10.0**-digits if "e" not in plain else abs(value) * 0.01
        assert float(plain) == pytest.approx(100 * value if percent else value, abs=near), text


def test_the_summary_tells_the_artifact_s_numbers(single: Evaluation) -> None:
    page = render_report([single])
    best = single.document.best
    assert best is not None
    right = single.document.sides[best.name][0].metrics["failure_auroc"].value
    assert f"than a wrong one in {100 * (right or 0.0):.1f}%" in page
    assert "328 judgments: 264 answered (80.5%), 64 abstained" in page


def test_the_same_artifact_gives_the_same_bytes(single: Evaluation) -> None:
    assert render_report([single]) == render_report([single])


def test_a_study_without_summaries_rows_or_intervals_still_has_its_page(
    single: Evaluation,
) -> None:
    bare = single.document.model_copy(update={"summaries": [], "rows": [], "best": None})
    page = render_report([bare])
    assert 'id="s1-chart-forest"' in page
    assert 'id="s1-chart-confusion"' not in page


def test_the_page_tells_how_to_make_its_numbers_again(single: Evaluation) -> None:
    command = "acumen evaluate 'a run.json' --mode few_shot --confidence all"
    page = render_report([single.document.model_copy(update={"command": command})])
    assert html.escape(command).replace("&#x27;", "&#39;") in page
    assert "acumen score x" in render_report([single], command="acumen score x")


def test_no_page_tells_a_difference_of_errors_at_unequal_coverage(paired: Evaluation) -> None:
    """Who answers less errs less: a mean error is compared at a coverage, or on the same rows."""
    study = study_of(paired)
    tables = [plot.table for section in study.sections for plot in plots(section)]
    told = [
        " ".join(cell.text for cell in row)
        for table in tables
        for row in table.rows
        if "difference" in table.columns
    ]
    assert len(told) > 10
    wrong = ("mean loss", "Mean error (MAE)", "mae ", "macro_mae")
    assert [line for line in told if any(word in f"{line} " for word in wrong)] == []
    matched = paired.document.comparison.matched["llm"]
    (compared,) = [s for s in study.sections if s.key == "compared"]
    assert (
        f"Mean error, surest {matched.coverage:.1%} {3 * matched.left:.3f} {3 * matched.right:.3f}"
        in " ".join(" ".join(cell.text for cell in row) for row in plots(compared)[0].table.rows)
    )


def test_two_methods_mean_errors_are_compared_where_both_have_a_verdict(
    results: PairDocument,
) -> None:
    levels: list[Any] = list(results.systems[0].levels)
    left, right = (
        {
            row.business_id: abs(levels.index(row.verdict) - levels.index(row.gt_verdict))
            for row in document.results
            if row.verdict is not None
        }
        for document in results.systems
    )
    both = left.keys() & right.keys()
    assert len(both) < min(len(left), len(right))
    row = next(
        row for row in difference_table(results).rows if row[0].text.startswith("Mean error")
    )
    assert row[1].value == pytest.approx(sum(left[case] for case in both) / len(both))
    assert row[2].value == pytest.approx(sum(right[case] for case in both) / len(both))
    assert row[1].value != pytest.approx(sum(left.values()) / len(left))


def difference_table(results: PairDocument) -> Table:
    sections = study_of(results).sections
    return plots(next(s for s in sections if s.key == "comparison"))[0].table


def test_the_differences_of_two_methods_say_what_they_are_of(results: PairDocument) -> None:
    (section,) = [s for s in study_of(results).sections if s.key == "comparison"]
    assert section.title == "How the two differ on the same 99 cases"
    assert "are over the 98 where both have a verdict." in plots(section)[0].caption
    rows = {row[0].text: row for row in difference_table(results).rows}
    assert results.comparison is not None
    counts = results.comparison.deltas["incident_precision"].counts
    assert counts == RightOf(left=(99, 102), right=(56, 82))
    assert rows["Incident precision"][-1].text == "99/102 and 56/82"
    assert rows["Accuracy of all rows"][-1].text == "–"


def test_an_interval_that_cannot_be_relied_on_is_marked(results: PairDocument) -> None:
    few = RestsOn(cases=2, where="at", level="High Risk")
    interval = Interval(low=0.1, high=0.3, method="x", flags=(Flag.RARE_LEVEL,), rests_on=few)
    sound = Interval(low=0.1, high=0.3, method="x")
    marked = ("auprc_ge@1", "macro_f1", "ordinal_auprc")
    first, second = (
        d.model_copy(
            update={
                "metrics": {
                    key: m.model_copy(
                        update={"interval": interval if at == 0 and key in marked else sound}
                    )
                    for key, m in d.metrics.items()
                }
            }
        )
        for at, d in enumerate(results.systems)
    )
    pair = results.comparison
    assert pair is not None
    deltas = {
        key: d.model_copy(update={"interval": interval if key == "auprc_ge@1" else sound})
        for key, d in pair.deltas.items()
    }
    changed = PairDocument(
        systems=[first, second], comparison=pair.model_copy(update={"deltas": deltas})
    )
    cells = {
        (plot.key, row[0].text, cell.interval, cell.hint)
        for section in study_of(changed).sections
        for plot in plots(section)
        for row in plot.table.rows
        for cell in row
        if cell.marked
    }
    plain, signed = (
        (ends, "rests on 2 cases of 'High Risk': unreliable")
        for ends in ("[10.0%, 30.0%]", "[+10.0, +30.0]")
    )
    assert cells == {
        ("s1-chart-comparison", "AUPRC ≥ High Risk", *signed),
        ("s1-chart-scores", "Ordinal AUPRC", *plain),
        ("s1-chart-thresholds", "High Risk", *plain),
        ("s1-chart-thresholds", "Mean", *plain),
        ("s1-chart-precision-recall", "High Risk", *plain),
        ("s1-chart-precision-recall", "Mean", *plain),
        ("s1-chart-agreement", "Macro F1", *plain),
    }
    page = render_report([changed])
    assert "[10.0%, 30.0%]" in page
    assert "(rests on 2 cases of &#39;High Risk&#39;: unreliable)</span></span>*" in page


def test_the_agreement_table_names_thresholds_and_tells_differences(paired: Evaluation) -> None:
    study = study_of(paired)
    (section,) = [s for s in study.sections if s.key == "agreement"]
    rows = {(row[0].text, row[1].text): row[2].value for row in plots(section)[0].table.rows}
    held = paired.document
    assert rows["AUROC ≥ 2", "toy1"] == held.overall_by_input[0]["auroc_ge@2"].value
    delta = held.comparison.agreement["kendall_tau_b"].delta
    assert rows["Kendall's tau-b", "noisier minus toy1"] == delta


def test_the_calibration_errors_stand_beside_the_reliability_with_their_intervals(
    single: Evaluation,
) -> None:
    study = study_of(single)
    (section,) = [s for s in study.sections if s.key == "honest"]
    (drawn,) = [p for p in plots(section) if p.key == "s1-chart-calibration"]
    variants = single.document.confidence_variants
    told = {row[0].text: row for row in drawn.table.rows}
    assert set(told) == {f for f, v in variants.items() if v.metrics["ece"].value is not None}
    assert "llm" not in told  # a count of evidence is no probability
    held = variants["token_msp"].metrics["ece"]
    assert held.interval is not None
    assert told["token_msp"][1].value == held.value
    low, high = held.interval.low, held.interval.high
    assert told["token_msp"][1].interval == f"[{low:.3f}, {high:.3f}]"
