"""The four questions as cards: who is ahead, by how much, how sure."""

from __future__ import annotations

from ogive.answers import Comparison, Leading, NamedAnswer, Ranking
from ogive.report._page import Html, element
from ogive.statistics import Statistic
from ogive.words import clipped, number, percent_sure, share

LONGEST_NAME = 40
MOST_AHEAD = 6
UNTOLD = "cannot tell"


def cards(found: Comparison | Ranking) -> Html:
    """A card for each question, in one list."""
    made = (
        [_leading(found, q) for q in found.questions.values()]
        if isinstance(found, Ranking)
        else [_answer(found, q) for q in found.questions.values()]
    )
    return element("ul", *made, class_="cards")


def _card(q: NamedAnswer | Leading, who: str, much: str, sure: str, told: bool) -> Html:
    looks = ["card", *(["told"] if told else []), *(["decides"] if q.primary else [])]
    lines = [(who, "who"), (much, "much"), (sure, "sure")]
    said = [element("p", words, class_=kind) for words, kind in lines if words]
    return element("li", element("h3", q.title), *said, class_=" ".join(looks))


def _answer(found: Comparison, q: NamedAnswer) -> Html:
    """One question about two methods."""
    if q.interval is None:
        return _card(q, "–", q.why_not, "", told=False)
    names = {1: clipped(found.a, LONGEST_NAME), -1: clipped(found.b, LONGEST_NAME), 0: UNTOLD}
    # The three that do not decide share an error: each holds with this confidence and more.
    sure = f"{percent_sure(found.question.confidence)} confidence, {q.interval.strength}"
    return _card(q, names[q.direction], found.effect(q), sure, told=q.direction != 0)


def _leading(found: Ranking, q: Leading) -> Html:
    """One question about all methods."""
    if q.refused is not None:
        return _card(q, "–", q.why_not, "", told=False)
    ordered = sorted(q.scores, key=lambda m: -q.scores[m] * _sign(found, q))
    ahead = [m for m in ordered if m in q.ahead]
    who = ", ".join(clipped(m, LONGEST_NAME) for m in ahead[:MOST_AHEAD]) or UNTOLD
    who += f" and {len(ahead) - MOST_AHEAD} more" if len(ahead) > MOST_AHEAD else ""
    sure = f"{share(q.resolution)} of pairs told apart with {percent_sure(found.question.confidence)} confidence"
    return _card(q, who, _by_how_much(q, ordered, ahead), sure, told=bool(ahead))


def _by_how_much(q: Leading, ordered: list[str], ahead: list[str]) -> str:
    """The value of the one that is ahead, and of the best of the others; of several that are ahead, the first and the last."""
    if len(ordered) < 2:
        return ""
    first = ahead[0] if ahead else ordered[0]
    others = [m for m in ordered if m not in ahead] or [m for m in ordered if m != first]
    (one, two), names = ((_value(q, m) for m in (first, others[0])), [clipped(m, 24) for m in (first, others[0])])
    if q.criterion == "improvement":
        return f"A run of {names[0]} beats one of another method {one} of the time, a run of {names[1]} {two}."
    label = Statistic.parse(q.criterion).label
    return f"{label[:1].upper()}{label[1:]}: {names[0]} {one}, {names[1]} {two}."


def _value(q: Leading, method: str) -> str:
    return share(q.scores[method]) if q.criterion == "improvement" else number(q.scores[method])


def _sign(found: Ranking, q: Leading) -> float:
    """Whether a larger value is better: shares of duels always, scores as the metric says."""
    return 1.0 if q.criterion == "improvement" else found._samples.sign
