"""Write the small files that the pages use: all invented, and the same on every machine.

``python docs/data/make.py`` writes them beside itself. ``judge.csv``: 120 answers, five criteria,
two people and a judge that is surer where it is right and at times leaves a row open.
``systems.csv``: 150 cases in two languages and three models; ``beta`` fails in German.
``few.csv``: 630 answers that a judge rated, 30 of them rated by a person as well; the judge is
lenient. ``old.csv``, ``new.csv``, ``worse.csv``: three versions of a judge on the same
120 answers. ``notes.csv``: 80 notes, three questions and two models; some answers are not told.
``breaks.csv``: 60 texts, four questions and two models; replies fail, most where it is hard.
``urgency.csv``: 300 tickets and a model that gives a probability for each of five levels.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
Rows = list[dict[str, object]]
CRITERIA = ("accuracy", "clarity", "completeness", "safety", "tone")


def level(value: float) -> int:
    """The level of 1 to 5 that is nearest."""
    return min(5, max(1, round(value)))


def slip(true: int, chance: float, random: Random) -> int:
    """The level, or by chance one beside it."""
    return level(true + random.choice((-1, 1))) if random.random() < chance else true


def judge(random: Random) -> Rows:
    """Two people and a judge; the harder an answer is to rate, the less sure the judge."""
    rows: Rows = []
    for answer in range(1, 121):
        quality = random.gauss(3.2, 1.0)
        for criterion in CRITERIA:
            true = level(quality + random.gauss(0, 0.7))
            hard = random.random()
            silent = random.random() < 0.35 * hard**2
            stated = min(100, max(30, 104 - 60 * hard + random.gauss(0, 6)))
            rows.append(
                {
                    "answer_id": answer,
                    "criterion": criterion,
                    "human_1": slip(true, 0.04, random),
                    "human_2": slip(true, 0.08, random),
                    "judge": "" if silent else slip(true, 0.02 + 0.6 * hard**2, random),
                    "judge_confidence": "" if silent else 5 * round(stated / 5),
                }
            )
    return rows


def systems(random: Random) -> Rows:
    """Three models on the same cases."""
    rows: Rows = []
    for case in range(1, 151):
        language = "de" if random.random() < 0.35 else "en"
        human = level(random.gauss(3, 1.2))
        for model in ("alpha", "beta", "gamma"):
            german = model == "beta" and language == "de"
            spread = {"alpha": 0.55, "beta": 0.5, "gamma": 0.9}[model] + 0.6 * german
            rating = level(human + random.gauss(0, spread))
            rows.append(
                {
                    "case": case,
                    "language": language,
                    "model": model,
                    "human": human,
                    "rating": rating,
                }
            )
    return rows


def few(random: Random) -> Rows:
    """Many ratings of a lenient judge, and a person's of 30 rows drawn at random."""
    labelled = set(random.sample(range(1, 631), 30))
    rows: Rows = []
    for row in range(1, 631):
        quality = random.gauss(3.2, 1.1)
        human = level(quality + random.gauss(0, 0.3))
        rows.append(
            {
                "id": row,
                "ai_rating": level(quality + 0.35 + random.gauss(0, 0.4)),
                "human_rating": human if row in labelled else "",
            }
        )
    return rows


def versions(random: Random) -> dict[str, Rows]:
    """The same answers under an old version of a judge, one as good, and one that is worse."""
    spreads = {"old": 0.25, "new": 0.25, "worse": 0.9}
    files: dict[str, Rows] = {version: [] for version in spreads}
    for answer in range(1, 121):
        quality = random.gauss(3.1, 1.0)
        for criterion in CRITERIA:
            human = level(quality + random.gauss(0, 0.6))
            shared = random.gauss(0, 0.45)
            for version, spread in spreads.items():
                rating = level(human + shared + random.gauss(0, spread))
                row = {"answer": answer, "criterion": criterion, "human": human, "rating": rating}
                files[version].append(row)
    return files


def open_questions(random: Random) -> Rows:
    """Notes of patients, in which some things are not told: what two models make of that."""
    rows: Rows = []
    for note in range(1, 81):
        pain = random.gauss(1.4, 0.9)
        for question in ("pain", "sleep", "mood"):
            is_told = random.random() > 0.22
            true = min(3, max(0, round(pain + random.gauss(0, 0.6))))
            hard = random.random()
            for model, (knows, shy) in {"wary": (0.8, 0.1), "bold": (0.3, 0.02)}.items():
                is_open = random.random() < (shy * 2 * hard if is_told else knows)
                off = random.random() < 0.1 + 0.4 * hard
                answer = min(3, max(0, true + random.choice((-1, 1)) * off))
                sure = min(1.0, max(0.0, 0.95 - 0.5 * hard * is_told - 0.35 * (not is_told)))
                rows.append(
                    {
                        "note": note,
                        "question": question,
                        "person": true if is_told else "not told",
                        "model": model,
                        "rating": "" if is_open else answer,
                        "sure": "" if is_open else round(sure + random.gauss(0, 0.03), 2),
                    }
                )
    return rows


def breaks(random: Random) -> Rows:
    """Two models, one better and one that breaks more often, above all on hard questions."""
    rows: Rows = []
    for text in range(1, 61):
        quality = random.gauss(1.6, 0.9)
        for question in ("facts", "tone", "length", "sources"):
            true = min(3, max(0, round(quality + random.gauss(0, 0.7))))
            hard = random.random()
            for model, (slips, breaks) in {"old": (0.55, 0.02), "new": (0.3, 0.11)}.items():
                off = random.random() < 0.06 + slips * hard
                answer = min(3, max(0, true + random.choice((-1, 1)) * off))
                fails = random.random() < breaks * 2 * hard
                what = "failed" if fails else "answered"
                sure = min(0.99, max(0.05, 0.97 - 0.5 * hard + random.gauss(0, 0.05)))
                rows.append(
                    {
                        "text": text,
                        "question": question,
                        "person": true,
                        "model": model,
                        "rating": "" if fails else answer,
                        "sure": "" if fails else round(sure, 2),
                        "outcome": what,
                    }
                )
    return rows


def urgency(random: Random) -> Rows:
    """Tickets that a decision model rates with a probability for every level; it is too sure."""
    rows: Rows = []
    for ticket in range(1, 301):
        urgent = random.gauss(2.8, 1.1)
        person = level(urgent + random.gauss(0, 0.55))
        guess, width = urgent + random.gauss(0, 0.45), random.uniform(0.35, 0.75)
        masses = [math.exp(-(((k - guess) / width) ** 2) / 2) + 1e-3 for k in range(1, 6)]
        shares = [round(mass / sum(masses), 2) for mass in masses]
        refused = random.random() < 0.03
        mean = sum(k * share for k, share in enumerate(shares, 1))
        row: dict[str, object] = {"ticket": ticket, "person": person}
        # its own answer leans to the urgent side, and its own confidence is the largest share
        row |= {"urgency": level(mean + 0.6), "sure": max(shares)}
        row |= {f"p_{k}": share for k, share in enumerate(shares, 1)}
        rows.append(
            {k: "" if refused and k not in ("ticket", "person") else v for k, v in row.items()}
        )
    return rows


def files() -> dict[str, Rows]:
    """The rows of every file, by its name."""
    named = {"judge": judge(Random(0)), "systems": systems(Random(1)), "few": few(Random(2))}
    return (
        named
        | versions(Random(3))
        | {
            "notes": open_questions(Random(4)),
            "breaks": breaks(Random(5)),
            "urgency": urgency(Random(5)),
        }
    )


if __name__ == "__main__":
    for name, rows in files().items():
        with (HERE / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
