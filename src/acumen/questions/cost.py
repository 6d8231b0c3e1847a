"""Below which confidence is it cheaper to hand a judgment over?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Unpack

from acumen.declare import say
from acumen.defaults import CONFIDENCE, COST_FOLDS, COSTS
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.decisions import CostDocument
    from acumen.table.losses import AnyLoss


@question(
    "acumen cost run.json --mode few_shot --confidence token_msp --abstain-cost .5 "
    "--html cost.html",
    "acumen cost rows.csv --abstain-cost 2 --costs triage.toml -o cost.json",
)
def cost(
    run: options.Run,
    *,
    abstain_cost: Annotated[
        float, say("What handing a judgment over costs, in the same units as --costs.")
    ],
    costs: Annotated[
        AnyLoss,
        say(
            "A loss by name, or a TOML file of costs.",
            kind=str,
            is_file=True,
            more="By default 1 for every level off.",
        ),
    ] = COSTS,
    confidence: options.OneConfidence = CONFIDENCE,
    folds: Annotated[int, say("Folds of cases: the others choose, each is paid on.")] = COST_FOLDS,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    **reading: Unpack[Reading],
) -> CostDocument:
    """Find the threshold at which answering and handing over together cost least.

    What the document states was measured on cases that the threshold was not chosen on: ``folds``
    of them, by a hash of the case's id.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(10), truth=[0] * 10, prediction=[0] * 6 + [2] * 4,
    ...                             confidence=[0.9] * 6 + [0.2] * 4, scale=[0, 1, 2])
    >>> document = acumen.cost(table, abstain_cost=0.5).document
    >>> document.threshold, document.cost.value, document.always_answer.value
    (0.2, 0.2, 0.8)
    """
    from acumen.decisions.cost import document_of
    from acumen.decisions.sample import one_confidence, origin, sample_of
    from acumen.evaluation.inputs import calibration_of, one_table
    from acumen.table.distribution import under_loss

    table = under_loss(one_table(run, mode, reading).scored, costs)
    artifact = calibration_of(calibration)
    name = one_confidence(confidence, table, artifact)
    sample = sample_of(table, name, costs, artifact)
    return document_of(sample, abstain_cost, folds, origin(table, name, costs))
