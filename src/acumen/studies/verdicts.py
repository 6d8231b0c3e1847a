"""The bundled verdict study: 100 invented restaurants, their reviews, and two methods' claims.

78 are Low, 21 High, 1 Critical under ``G1_allergy_V2``. ``direct`` guesses verdicts well and gives
reasons that do not hold: incidents nobody told, snippets nobody wrote, severities off, verdicts its
own evidence contradicts. ``rag`` is right about as often and for reasons that can be looked up.
One case of ``direct`` failed, and ``rag`` abstained once. Everything here is made up by this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from acumen.files.json import write_json
from acumen.policy import Evidence, Policy, decide, find_policy

POLICY: Final = "G1_allergy_V2"
SEED: Final = 7

Told = tuple[str, tuple[str, ...]]
"""An incident to be told: its severity and its modifiers."""

_RECIPES: Final[Mapping[str, tuple[tuple[Told, ...], ...]]] = {
    "High Risk": (
        (("mild", ()), ("mild", ())),
        (("moderate", ()),),
        (("mild", ("False assurance",)),),
        (("mild", ("Dismissive staff",)),),
        (("moderate", ()), ("mild", ())),
        (("mild", ()), ("mild", ()), ("mild", ())),
    ),
    "Critical Risk": ((("moderate", ("False assurance",)), ("mild", ("Dismissive staff",))),),
}

_PRAISE: Final = (
    "The noodles came quickly and were still steaming.",
    "We had the corner table and a lovely view of the canal.",
    "Portions are generous, and the lemonade is made in the house.",
    "A little loud on Fridays, but the grilled fish is worth it.",
    "Parking is hard to find; come by tram.",
    "The lunch menu changes every week and never disappoints.",
    "Our waiter knew every dish and suggested a fine pudding.",
    "Fair prices, clean tables, friendly faces.",
)
_SAFE: Final = (
    "They keep a separate fryer and showed us the list of ingredients.",
    "My son has a peanut allergy and the cook came out to talk with us.",
    "We asked about nuts and got a clear answer.",
)
_INCIDENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "mild": (
        "My lips tingled for an hour after the satay, so there was peanut in it.",
        "My daughter got a few hives on her arm from the dressing.",
        "I felt an itch in my mouth at once and stopped eating the curry.",
    ),
    "moderate": (
        "My partner's face swelled up and we needed antihistamines from the car.",
        "I was wheezing before the plate was half empty and spent the night awake.",
    ),
    "severe": (
        "We used the adrenaline pen at the table and left in an ambulance.",
        "He lost consciousness; the hospital said it was the peanut oil.",
    ),
}
_MODIFIERS: Final[Mapping[str, tuple[str, str, str, str]]] = {
    # modifier -> (field, judgement that claims it, judgement that denies it, how a review tells it)
    "False assurance": (
        "ASSURANCE_CLAIM",
        "true",
        "false",
        "The waiter had promised us twice that the dish was free of nuts.",
    ),
    "Dismissive staff": (
        "STAFF_RESPONSE",
        "dismissive",
        "helpful",
        "When we told the manager, she rolled her eyes and walked away.",
    ),
}
_INVENTED: Final = (
    "Half the room was sick that evening, ask anyone.",
    "The kitchen is known to swap the oil without telling.",
    "A guest at the next table turned blue.",
)


@dataclass(frozen=True, slots=True)
class VerdictStudy:
    """The documents of a study, as they lie on disk."""

    truth: dict[str, Any]
    reviews: dict[str, Any]
    results: dict[str, dict[str, Any]]

    def documents(self) -> dict[str, dict[str, Any]]:
        """The documents by the name of their file, without its ending."""
        results = {f"results-{method}": document for method, document in self.results.items()}
        return {"truth": self.truth, "reviews": self.reviews, **results}

    def write(self, folder: str | Path) -> list[Path]:
        """Write the study as JSON files into a folder and return their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, document in self.documents().items():
            write_json(folder / f"{name}.json", document)
            paths.append(folder / f"{name}.json")
        return paths


@dataclass(frozen=True, slots=True)
class _Habits:
    """How often a method does what."""

    finds: float
    right_severity: float
    right_modifier: float
    quotes_truly: float
    invents: float
    follows_evidence: float
    right_primitive: float
    right_verdict: float


_METHODS: Final[Mapping[str, _Habits]] = {
    "rag": _Habits(0.97, 0.93, 0.97, 0.96, 0.03, 0.97, 0.92, 0.9),
    "direct": _Habits(0.60, 0.55, 0.60, 0.45, 0.30, 0.05, 0.45, 0.93),
}


def verdict_study(seed: int = SEED) -> VerdictStudy:
    """The study; the same seed gives the same study.

    >>> from collections import Counter
    >>> Counter(case["verdict"] for case in verdict_study().truth.values())
    Counter({'Low Risk': 78, 'High Risk': 21, 'Critical Risk': 1})
    """
    random = Random(seed)  # noqa: S311  # a reproducible study, no secrets
    policy = find_policy(POLICY)
    levels = ["Critical Risk"] + ["High Risk"] * 21 + ["Low Risk"] * 78
    random.shuffle(levels)
    truth, reviews = {}, {}
    high = 0
    for number, level in enumerate(levels, start=1):
        case = f"B{number:03d}"
        if level == "Low Risk":
            told: tuple[Told, ...] = (("mild", ()),) if random.random() < 0.3 else ()
        else:
            recipes = _RECIPES[level]
            told, high = recipes[high % len(recipes)], high + (level == "High Risk")
        truth[case], reviews[case] = _restaurant(case, level, told, policy, random)
    results = {
        method: _run(method, habits, truth, reviews, policy, random)
        for method, habits in _METHODS.items()
    }
    return VerdictStudy(truth, reviews, results)


def _restaurant(
    case: str, level: str, told: tuple[Told, ...], policy: Policy, random: Random
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    size = random.randint(6, 9)
    tellers = sorted(random.sample(range(size), len(told)))
    incidents, reviews, evidence = [], [], []
    for place in range(size):
        review = f"{case}-R{place + 1}"
        text = [random.choice(_PRAISE)]
        if place in tellers:
            severity, modifiers = told[tellers.index(place)]
            text.append(random.choice(_INCIDENTS[severity]))
            text += [_MODIFIERS[name][3] for name in modifiers]
            incidents.append(
                {"review_id": review, "severity": severity, "modifiers": list(modifiers)}
            )
            evidence.append(Evidence(review, review, policy.severity, severity))
            evidence += [
                Evidence(f"{review}{name}", review, *_MODIFIERS[name][:2]) for name in modifiers
            ]
        elif random.random() < 0.3:
            text.append(random.choice(_SAFE))
        reviews.append({"review_id": review, "text": " ".join(text)})
    score = decide(policy, evidence).score
    entry = {
        "verdict": level,
        "score": score,
        "incidents": incidents,
        "primitives": {
            "n_total_incidents": len(incidents),
            "incident_score": score,
            "recency_decay": round(random.uniform(0.3, 1.0), 2),
            "credibility_factor": round(random.uniform(0.5, 1.5), 2),
        },
    }
    return entry, reviews


def _run(
    method: str,
    habits: _Habits,
    truth: Mapping[str, Any],
    reviews: Mapping[str, Any],
    policy: Policy,
    random: Random,
) -> dict[str, Any]:
    rows = []
    quiet = [case for case, known in truth.items() if known["verdict"] == "Low Risk"]
    silent = random.choice(quiet)
    for case, known in truth.items():
        row = _claims(case, known, reviews[case], habits, policy, random)
        if case == silent:
            failed = {"business_id": case, "error": "the reply could not be parsed"}
            row = failed if method == "direct" else row | {"verdict": None, "risk_score": None}
        rows.append(row)
    return {
        "run_id": f"demo_{method}",
        "policy_id": POLICY,
        "domain": "restaurants",
        "method": method,
        "model": "none (simulated)",
        "k": 8,
        "n": len(rows),
        "timestamp": "20260108_120000",
        "results": rows,
    }


def _claims(
    case: str,
    known: Mapping[str, Any],
    reviews: list[dict[str, str]],
    habits: _Habits,
    policy: Policy,
    random: Random,
) -> dict[str, Any]:
    texts = {review["review_id"]: review["text"] for review in reviews}
    evidence: list[dict[str, Any]] = []
    for incident in known["incidents"]:
        if random.random() < habits.finds:
            evidence += _about(incident, texts, habits, policy, random)
    told = {incident["review_id"] for incident in known["incidents"]}
    others = [review for review in texts if review not in told]
    if random.random() < habits.invents:
        invented = {"review_id": random.choice(others), "severity": "mild", "modifiers": []}
        evidence += _about(invented, texts, habits, policy, random)
    for place, entry in enumerate(evidence, start=1):
        entry["evidence_id"] = f"E{place}"
    direct = [entry["evidence_id"] for entry in evidence]
    claimed = decide(
        policy,
        [Evidence(e["evidence_id"], e["review_id"], e["field"], e["judgement"]) for e in evidence],
    )
    total = claimed.score or 0.0
    verdict, risk = _verdict(known, claimed.rank, total, habits, policy, random)
    off = random.random() >= habits.follows_evidence and random.random() < 0.5
    return {
        "business_id": case,
        "verdict": verdict,
        "risk_score": risk,
        "parsed": {
            "evidences": evidence,
            "justification": {
                "direct_evidence": direct,
                "scoring_trace": {"total_score": total + (3 if off else 0)},
            },
            "primitives": {
                name: value if random.random() < habits.right_primitive else round(value + 1, 2)
                for name, value in known["primitives"].items()
            },
        },
    }


def _about(
    incident: Mapping[str, Any],
    texts: Mapping[str, str],
    habits: _Habits,
    policy: Policy,
    random: Random,
) -> list[dict[str, Any]]:
    """The evidence a method files on one incident it found, or thinks it found."""
    review = incident["review_id"]
    severity = incident["severity"]
    if random.random() >= habits.right_severity:
        severity = random.choice([s for s in ("mild", "moderate", "severe") if s != severity])
    sentences = texts[review].split(". ")
    truly = random.random() < habits.quotes_truly
    snippet = random.choice(sentences) if truly else random.choice(_INVENTED)
    rows = [{"field": policy.severity, "judgement": severity, "snippet": snippet}]
    for name, (field, claims, denies, _) in _MODIFIERS.items():
        present = (name in incident["modifiers"]) == (random.random() < habits.right_modifier)
        rows.append({"field": field, "judgement": claims if present else denies, "snippet": None})
    return [{"evidence_id": "", "review_id": review, **row} for row in rows]


def _verdict(
    known: Mapping[str, Any],
    claimed: int,
    total: float,
    habits: _Habits,
    policy: Policy,
    random: Random,
) -> tuple[str, float]:
    """A verdict and a score: from the evidence, or from a hunch that is mostly right."""
    levels = policy.scale.levels
    if random.random() < habits.follows_evidence:
        return str(levels[claimed]), round(total + random.random(), 2)
    rank = levels.index(known["verdict"])
    if random.random() >= habits.right_verdict:
        rank = max(0, min(len(levels) - 1, rank + random.choice((-1, 1))))
    return str(levels[rank]), round(4 * rank + 4.5 * random.random(), 2)
