"""Whatever comes, the readers answer with values or with a message: never another exception."""

from __future__ import annotations

from copy import deepcopy
from importlib.resources import files
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.errors import AcumenError
from acumen.files.problems import validated
from acumen.inference.options import Options
from acumen.policy import find_policy, parse_policy
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.verdicts import ComparisonDocument, PairDocument, ResultsDocument
from acumen.studies import verdict_study
from acumen.verdicts.compare import compare_runs, comparison_document
from acumen.verdicts.compute import unified_numbers
from acumen.verdicts.read import parse_results
from acumen.verdicts.score import document, score_study
from acumen.verdicts.study import prepare
from acumen.verdicts.truth import parse_reviews, parse_truth

POLICY = find_policy("G1_allergy_V2")
STUDY = verdict_study()
CASES = [case for case, entry in STUDY.truth.items() if entry["incidents"]][:4]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", " ", "\x00", "\x1b[2J", "Low Risk", "none", "R1", "E1", "\u202e"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


def tells(error: AcumenError) -> None:
    assert str(error)
    assert "\x1b" not in str(error)


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, child in children:
        found += _places(child, (*path, key))
    return found


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """The document with one or two of its values replaced by anything, or taken away."""
    changed = deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        places = _places(changed)
        if not places:
            return changed
        *above, last = draw(st.sampled_from(places))
        node = changed
        for key in above:
            node = node[key]
        if isinstance(node, dict) and draw(st.booleans()):
            del node[last]
        else:
            node[last] = draw(json_values)
    return changed


_whole: dict[str, Any] = STUDY.results["direct"]
RESULTS = {**_whole, "results": [r for r in _whole["results"] if r["business_id"] in CASES]}
TRUTH = {case: STUDY.truth[case] for case in CASES}
REVIEWS = {case: STUDY.reviews[case] for case in CASES}


@settings(max_examples=150, deadline=None)
@given(
    results=damaged(RESULTS),
    truth=damaged(TRUTH),
    reviews=damaged(REVIEWS),
    which=st.integers(0, 3),
)
def test_damaged_files_are_scored_or_refused(
    results: Any, truth: Any, reviews: Any, which: int
) -> None:
    try:
        run = parse_results(results if which in (0, 3) else RESULTS, POLICY)
        known = parse_truth(truth if which in (1, 3) else TRUTH, POLICY)
        texts = parse_reviews(reviews if which in (2, 3) else REVIEWS)
        unified_numbers(prepare(run, known, POLICY, texts))
    except AcumenError as error:
        tells(error)


@settings(max_examples=100, deadline=None)
@given(document=json_values)
def test_any_json_is_read_or_refused(document: Any) -> None:
    for parse in (parse_results, parse_truth):
        try:
            parse(document, POLICY)
        except AcumenError as error:
            tells(error)
    try:
        parse_reviews(document)
    except AcumenError as error:
        tells(error)


TEXTS = [
    files("acumen.policy.builtin").joinpath(f"{name}.toml").read_text("utf-8")
    for name in ("G1_allergy_V2", "G1_allergy_counts")
]
pieces = st.sampled_from(
    ["-1", "0", "1e400", "nan", "true", '"x"', "[]", "{}", "2026-01-08", "", "[[rules]]", "a.b = 1"]
)


@settings(max_examples=200, deadline=None)
@given(text=st.sampled_from(TEXTS), data=st.data())
def test_a_damaged_policy_is_read_or_refused_with_its_place(text: str, data: st.DataObject) -> None:
    lines = text.splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    match data.draw(st.sampled_from(["value", "line", "gone", "twice"])):
        case "value" if "=" in lines[place]:
            lines[place] = lines[place].split("=")[0] + "= " + data.draw(pieces)
        case "gone":
            del lines[place]
        case "twice":
            lines.insert(place, lines[place])
        case _:
            lines[place] = data.draw(pieces)
    try:
        parse_policy("\n".join(lines))
    except AcumenError as error:
        tells(error)


def _scored() -> Any:
    run, truth = parse_results(RESULTS, POLICY), parse_truth(TRUTH, POLICY)
    study = prepare(run, truth, POLICY, parse_reviews(REVIEWS))
    found = document(score_study(study, Options(resamples=20))).model_dump(mode="json")
    # leave out the rows per case, so that the damage falls on what is shown
    del found["results"], found["unified_metrics_full"]["consistency_details"]
    del found["unified_metrics_full"]["intermediate_metrics"]["per_sample"]
    return found


SCORED = _scored()
SYSTEM = validated(SCORED, ResultsDocument, "x")


@settings(max_examples=150, deadline=None)
@given(damaged_document=damaged(SCORED))
def test_a_damaged_results_document_is_shown_or_refused(damaged_document: Any) -> None:
    try:
        system = validated(damaged_document, ResultsDocument, "x")
    except AcumenError as error:
        tells(error)
        return
    assert "\x1b" not in render(sections_of(PairDocument(systems=[system]), full=True))


def _compared() -> Any:
    truth = parse_truth(STUDY.truth, POLICY)
    left, right = (parse_results(results, POLICY) for results in STUDY.results.values())
    found = compare_runs(left, right, truth, POLICY, options=Options(resamples=20))
    document = comparison_document(found, ("rag", "direct"))
    whole = document.model_dump(mode="json")
    keys = ("ordinal_auprc", "process", "consistency", "snippet_validity")
    return whole | {"deltas": {key: whole["deltas"][key] for key in keys}}


COMPARED = _compared()


@settings(max_examples=150, deadline=None)
@given(damaged_comparison=damaged(COMPARED))
def test_a_damaged_comparison_is_shown_or_refused(damaged_comparison: Any) -> None:
    try:
        pair = validated(damaged_comparison, ComparisonDocument, "x")
    except AcumenError as error:
        tells(error)
        return
    both = PairDocument(systems=[SYSTEM, SYSTEM], comparison=pair)
    assert "\x1b" not in render(sections_of(both))


@settings(max_examples=100, deadline=None)
@given(document=json_values.filter(lambda d: isinstance(d, dict)), scores=json_values)
def test_any_results_document_is_shown_or_refused(document: Any, scores: Any) -> None:
    try:
        validated({**document, "unified_scores": scores}, ResultsDocument, "x")
    except AcumenError as error:
        tells(error)
