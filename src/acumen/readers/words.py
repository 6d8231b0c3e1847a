"""Words whose order everybody knows, lowest first, in English and six other languages.

``a|b`` are two words for one rung. Nothing is ordered by where it was seen first: words that stand
in no list here, or in two that disagree, have no order until somebody says it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from acumen.files.text import folded

ORDERS: Final = (
    # English
    "none, very low, low, medium|mid, moderate, high, very high, critical",
    "none|absent, minimal, mild, moderate, moderately severe, severe, very severe, extreme",
    "not at all, slightly, somewhat, moderately, very, extremely",
    "not at all, several days, more than half the days, nearly every day",
    "never, almost never, rarely|seldom, sometimes|occasionally, often|frequently, usually, "
    "almost always, always",
    "terrible|awful, very poor|very bad, poor|bad, fair, average|ok|okay|acceptable, good, "
    "very good, great, excellent, outstanding|perfect",
    "strongly disagree, disagree, slightly disagree, neutral|neither agree nor disagree, "
    "slightly agree, agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "very unlikely, unlikely, neutral, likely, very likely",
    "very negative, negative, neutral, positive, very positive",
    "trivial, minor, major, critical, blocker",
    "small, medium, large",
    "no, partly|partially|partial|somewhat, yes",
    "incorrect|wrong, partially correct|partly correct, correct|right",
    "irrelevant, partially relevant|somewhat relevant, relevant, highly relevant",
    "false, true",
    "fail|failed, pass|passed",
    "unmet|not met, partially met, met",
    # German
    "keine|kein, sehr niedrig|sehr gering, niedrig|gering, mittel|mäßig|moderat, hoch, sehr hoch, "
    "kritisch",
    "keine|kein, minimal, leicht|leichte, mittel|mittelschwer|mäßig|moderat, schwer|schwere, "
    "sehr schwer, extrem",
    "nie|niemals, selten, manchmal|gelegentlich, oft|häufig, meistens, immer",
    "überhaupt nicht, an einzelnen tagen, an mehr als der hälfte der tage, beinahe jeden tag",
    "ungenügend, mangelhaft, ausreichend, befriedigend, gut, sehr gut",
    "sehr schlecht, schlecht, mittelmäßig|mittel|durchschnittlich|ok|okay, gut, sehr gut, "
    "ausgezeichnet|hervorragend",
    "stimme gar nicht zu|stimme überhaupt nicht zu|trifft gar nicht zu, "
    "stimme nicht zu|stimme eher nicht zu|trifft eher nicht zu, teils teils|neutral|weder noch, "
    "stimme zu|stimme eher zu|trifft eher zu, stimme voll zu|stimme voll und ganz zu|"
    "trifft voll zu|trifft völlig zu",
    "negativ, neutral, positiv",
    "falsch, teilweise richtig, richtig",
    "nein, teilweise|teils, ja",
    # French
    "aucun|aucune|nul|nulle, très faible, faible, moyen|moyenne|modéré|modérée, "
    "élevé|élevée|fort|forte, très élevé|très élevée, critique",
    "aucun|aucune|absent|absente, minime, léger|légère, modéré|modérée, sévère|grave, très sévère",
    "jamais, rarement, parfois|quelquefois, souvent, toujours",
    "jamais, plusieurs jours, plus de la moitié des jours, presque tous les jours",
    "très mauvais, mauvais|médiocre, passable, moyen|correct, bon|bien, très bon|très bien, "
    "excellent",
    "pas du tout d'accord, pas d'accord|plutôt pas d'accord, neutre|ni d'accord ni pas d'accord, "
    "d'accord|plutôt d'accord, tout à fait d'accord",
    "négatif, neutre, positif",
    "faux, partiellement correct, vrai|correct",
    "non, en partie|partiellement, oui",
    # Spanish
    "ninguno|ninguna|nulo|nula, muy bajo|muy baja, bajo|baja, medio|media|moderado|moderada, "
    "alto|alta, muy alto|muy alta, crítico|crítica",
    "ninguno|ninguna|ausente, mínimo|mínima, leve, moderado|moderada, grave|severo|severa, "
    "muy grave",
    "nunca, rara vez|raramente, a veces, a menudo|frecuentemente, casi siempre, siempre",
    "muy malo|muy mala, malo|mala, regular|aceptable, bueno|buena, muy bueno|muy buena, excelente",
    "muy en desacuerdo|totalmente en desacuerdo, en desacuerdo, neutral|"
    "ni de acuerdo ni en desacuerdo, de acuerdo, muy de acuerdo|totalmente de acuerdo",
    "negativo, neutral|neutro, positivo",
    "no, en parte|parcialmente, sí|si",
    # Italian
    "nessuno|nessuna|nullo|nulla, molto basso|molto bassa, basso|bassa, "
    "medio|media|moderato|moderata, alto|alta, molto alto|molto alta, critico|critica",
    "nessuno|nessuna|assente, minimo|minima, lieve, moderato|moderata, grave|severo|severa, "
    "molto grave",
    "mai, raramente, a volte|qualche volta, spesso, sempre",
    "pessimo|pessima, scarso|scarsa|cattivo, insufficiente, sufficiente|discreto|discreta, "
    "buono|buona, ottimo|ottima, eccellente",
    "fortemente in disaccordo, in disaccordo, neutrale, d'accordo, molto d'accordo|"
    "fortemente d'accordo",
    "negativo, neutro|neutrale, positivo",
    "no, in parte|parzialmente, sì|si",
    # Portuguese
    "nenhum|nenhuma|nulo|nula, muito baixo|muito baixa, baixo|baixa, "
    "médio|média|moderado|moderada, alto|alta, muito alto|muito alta, crítico|crítica",
    "nenhum|nenhuma|ausente, mínimo|mínima, leve, moderado|moderada, grave|severo|severa, "
    "muito grave",
    "nunca, raramente, às vezes, frequentemente|muitas vezes, sempre",
    "muito ruim|péssimo|péssima, ruim|mau|má, regular|razoável, bom|boa, muito bom|muito boa, "
    "excelente|ótimo|ótima",
    "discordo totalmente, discordo, neutro, concordo, concordo totalmente",
    "negativo, neutro, positivo",
    "não, em parte|parcialmente, sim",
    # Dutch
    "geen, zeer laag|heel laag, laag, gemiddeld|middel|matig, hoog, zeer hoog|heel hoog, kritiek",
    "geen, minimaal, licht|mild, matig, ernstig, zeer ernstig",
    "nooit, zelden, soms, vaak, meestal, altijd",
    "zeer slecht, slecht, matig, voldoende|redelijk, goed, zeer goed, uitstekend",
    "helemaal mee oneens|zeer mee oneens, mee oneens|oneens, neutraal, mee eens|eens, "
    "helemaal mee eens|zeer mee eens",
    "negatief, neutraal, positief",
    "nee, deels|gedeeltelijk, ja",
)
"""Levels, one scale a line."""
SURENESS: Final = (
    "not at all confident|not confident, slightly confident, "
    "somewhat confident|moderately confident, "
    "fairly confident|quite confident, confident, very confident|highly confident, "
    "extremely confident|completely confident|certain",
    "guess|guessing, very unsure, unsure|uncertain|not sure, fairly sure|somewhat sure, sure, "
    "very sure, certain|completely sure",
    "almost no chance, highly unlikely, very unlikely, unlikely|improbable, about even|toss up, "
    "likely|probable, very likely, highly likely, almost certain, certain",
    "sehr unsicher, unsicher, eher unsicher, eher sicher, ziemlich sicher, sicher, sehr sicher",
    "très incertain, incertain|pas sûr, plutôt sûr, sûr|certain, très sûr",
    "muy inseguro, inseguro, bastante seguro, seguro, muy seguro",
    "molto incerto, incerto, abbastanza sicuro, sicuro, molto sicuro",
    "muito inseguro, inseguro, razoavelmente seguro, seguro, muito seguro",
    "zeer onzeker, onzeker, redelijk zeker, zeker, zeer zeker",
)
"""How sure somebody is, in words."""


def usual_order(words: Iterable[object]) -> list[str]:
    """The words in the order that everybody means; none where that is not known.

    >>> usual_order(["High", "low", "medium"]), usual_order(["red", "blue"])
    (['low', 'medium', 'High'], [])
    >>> usual_order(["schwer", "keine", "leicht"]), usual_order(["poor", "bad"])
    (['keine', 'leicht', 'schwer'], [])
    """
    names = {folded(str(word)): str(word) for word in words}
    orders = {
        tuple(sorted(names, key=rungs.__getitem__))
        for rungs in _rungs(ORDERS)
        if names and names.keys() <= rungs.keys()
        if len({rungs[name] for name in names}) == len(names)
    }
    return [names[name] for name in orders.pop()] if len(orders) == 1 else []


def sureness_of(words: Iterable[object]) -> dict[str, int]:
    """How sure each word says one is, as a rank; nothing where their order is not known.

    >>> sureness_of(["High", "low"]), sureness_of(["certain", "red"])
    ({'high': 6, 'low': 3}, {})
    """
    names = {folded(str(word)) for word in words}
    for rungs in _rungs(SURENESS + ORDERS):
        if names and names <= rungs.keys():
            return {name: rungs[name] for name in sorted(names)}
    return {}


def is_ordered_word(word: str) -> bool:
    """Whether a word is one of a usual order.

    >>> is_ordered_word("OK"), is_ordered_word("red")
    (True, False)
    """
    return any(folded(word) in rungs for rungs in _rungs(ORDERS))


@cache
def _rungs(orders: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Word -> rung, from 1, of each list."""
    return tuple(
        {
            folded(word): rung
            for rung, words in enumerate(order.split(","), start=1)
            for word in words.split("|")
        }
        for order in orders
    )
