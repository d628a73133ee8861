"""Findings as sections of a page. A section without anything to say is left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ogive.answers import Comparison, Leading, NamedAnswer, Ranking, SummaryRow, facts
from ogive.notes import argument
from ogive.plots import DistributionDisplay, RanksDisplay, best_of, difference, distribution, pairs
from ogive.report._figures import best_of_figure, difference_figure, distribution_figure, profile_figure
from ogive.report._findings import MOST_NAMED, Findings, attempt, cell_numbers, some, unranked
from ogive.report._methods import band_method, caveats, checklist, paragraph, references
from ogive.report._page import Html, aside, caption, definition_list, details, element, join, table
from ogive.report._static import static
from ogive.report._tables import (
    BEST_MARK,
    LONGEST_NAME,
    NO_INTERVAL,
    comparison_table,
    over_table,
    pairs_csv,
    pairs_table,
    ranking_latex,
    ranks_table,
    summary_tables,
    to_csv,
    to_latex,
    worst_table,
)
from ogive.report._training import section
from ogive.statistics import Statistic
from ogive.words import clipped, listed, number, percent_sure, plural, printable, share

FEWEST_FOR_BEST_OF = 20
MOST_MESSAGES, MOST_KINDS = 40, 3
MOST_UNFOLDED = 8  # panels, or rows of a table that explains another
# A matrix of more methods is no longer read, and a browser takes seconds for it.
MOST_PAIRED, FOREMOST_PAIRED, MOST_PAIRS_TO_COPY = 60, 30, 5_000
BAD_DAY = "worst_0.1"
MOST_AHEAD, UNTOLD = 6, "cannot tell"  # on a card
ALL_PAIRS = "All pairs: ogive.rank(trials).pairs."


@dataclass(frozen=True, slots=True)
class Report:
    """Sections by title, and the pictures that they hold by their id."""

    sections: dict[str, Html] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)

    def add(self, title: str, *parts: Html) -> None:
        """A further section, unless it is empty."""
        inside = join(parts)
        if inside:
            self.sections[title] = inside

    def figure(self, picture: Any) -> Html:
        """A picture: a static one, and a place for the one that scripts draw."""
        key = f"figure-{len(self.figures) + 1}"
        self.figures[key] = picture
        return element("div", static(picture), element("div", "", class_="figure", data_figure=key), class_="picture")


def compose(found: Findings) -> Report:
    """All sections, verdicts first."""
    report = Report()
    if found.trials.is_split:
        # Runs that a column splits are runs of several things: no number or picture of them together means anything.
        report.add("In short", element("p", found.judgment.reason, class_="verdict undecided"))
        report.add("How the table was read", *_notes(found))
        return report
    shown = found.foremost
    display, refused = attempt(
        lambda: distribution(found.seen or found.trials, metric=found.metric, confidence=found.confidence, shown=shown)
    )
    report.add("In short", *_verdicts(found))
    many = found.judgment.ranking is not None and len(found.judgment.ranking.rows) > MOST_PAIRED
    runs, one = "All runs, worst to best", len(found.trials.tasks) == 1
    if many:  # of so many methods the ranks say most
        report.add("Ranks", *_ranks(found))
    if one:
        report.add(runs, *_distribution(found, report, display, refused))
    report.add("Over all tasks", *_over_tasks(found, report))
    report.add("Over training", *section(found, report.figure))
    report.add("The difference", *_difference(found, report))
    report.add("Every method against every other", *_pairs(found))
    if not many:
        report.add("Ranks", *_ranks(found))
    report.add("Bad days", *_bad_days(found))
    report.add("Failures", *_failures(found))
    if not one and any(cell.rows.size > 1 for cell in found.trials.cells):  # one run of each is no distribution
        report.add(runs, *_distribution(found, report, display, refused))
    report.add("The numbers", *_numbers(found))
    report.add("The best of k", *_best_of(found, report))
    report.add("What the numbers stand on", definition_list(caveats(found)), *_notes(found))
    report.add(
        "Error bars of what?", aside("As the NeurIPS paper checklist asks (item 7)."), definition_list(checklist(found))
    )
    report.add("For the paper", *_to_paste(found, band_method(display)))
    return report


def body(opening: str, report: Report, title: str) -> Html:
    """The page's content: the first sentence, a table of contents, the sections."""
    links = [element("a", name, href=f"#section-{i}") for i, name in enumerate(report.sections, 1)]
    parts = [element("h1", title), element("p", opening, class_="opening"), element("nav", *links)]
    for i, (name, inside) in enumerate(report.sections.items(), 1):
        parts.append(element("section", element("h2", name, id=f"section-{i}"), inside))
    return join(parts)


def _verdicts(found: Findings) -> list[Html]:
    judged = found.judgment
    if not judged.sentence:
        parts = [element("p", judged.reason, class_="verdict undecided")]
    else:
        claim, more, basis = judged.parts
        claim = f"Among runs that finished: {claim}" if _finished(found) else claim
        parts = [element("p", claim, class_="verdict" if judged.tells_something else "verdict undecided")]
        assert judged.decided is not None
        parts += [_cards(judged.decided)]
        parts += [element("p", more)] if more else []
        parts += [element("p", basis, class_="basis")]  # which ends with how sure one may be
    parts += [aside(judged.left_out)]
    if found.n_failed and found.sensitivity.words:
        parts.append(element("p", found.sensitivity.words))
    shown, _ = attempt(lambda: facts(found.trials, found.metric, found.confidence, found.rule))
    if shown:
        excluded = found.n_failed and found.rule == "exclude"
        parts.append(element("p", "Among the runs that finished:" if excluded else "In these runs:"))
        parts.append(element("ul", *(element("li", sentence) for sentence in shown)))
    others = [m for m in found.trials.metrics if m != found.metric]
    if others:
        also = ", ".join(map(printable, others))
        parts.append(aside(f"About {found.metric} only; the table also holds {also} ({argument('metric')})."))
    return parts


def _finished(found: Findings) -> bool:
    """Whether the verdict leaves out every task on which its methods failed, so that it knows of no failure itself."""
    part = found.judgment.part
    if part is None or found.rule != "exclude" or part.failed(found.metric).any():
        return False
    return bool(found.trials.select(algorithms=part.algorithms).failed(found.metric).any())


def _cards(found: Comparison | Ranking) -> Html:
    """The four questions as cards, in one list: who is ahead, by how much, how sure."""
    made = (
        [_leading(found, q) for q in found.questions.values() if q.refused != "items"]
        if isinstance(found, Ranking)
        else [_answer(found, q) for q in found.questions.values() if q.refused != "items"]
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
    # Shares of duels are better where they are larger, scores as the metric says.
    sign = 1.0 if q.criterion == "improvement" else found._samples.sign
    ordered = sorted(q.scores, key=lambda m: -q.scores[m] * sign)
    # Nine of ten that are unbeaten are no answer to the question who leads.
    ahead = q.ahead if len(q.ahead) <= max(2, len(ordered) // 2) else ()
    who = ", ".join(clipped(m, LONGEST_NAME) for m in ahead[:MOST_AHEAD]) or UNTOLD
    who += f" and {len(ahead) - MOST_AHEAD} more" if len(ahead) > MOST_AHEAD else ""
    sure = f"{share(q.resolution)} of pairs told apart with {percent_sure(found.question.confidence)} confidence"
    return _card(q, who, _by_how_much(q, ordered, ahead), sure, told=bool(ahead))


def _by_how_much(q: Leading, ordered: list[str], ahead: Sequence[str]) -> str:
    """The values of the two that are ahead; of one that is ahead, its value and that of the best of the others."""
    if len(ordered) < 2:
        return ""
    shown = list(dict.fromkeys([*ahead, *ordered]))[:2]
    names = [clipped(m, 24) for m in shown]
    if q.criterion == "improvement":
        one, two = (share(q.scores[m]) for m in shown)
        return f"A run of {names[0]} beats one of another method {one} of the time; a run of {names[1]} does so {two} of the time."
    one, two = (number(q.scores[m]) for m in shown)
    label = Statistic.parse(q.criterion).label
    return f"{label[:1].upper()}{label[1:]}: {names[0]} {one}, {names[1]} {two}."


def _distribution(found: Findings, report: Report, display: DistributionDisplay | None, refused: str) -> list[Html]:
    if display is None:
        return [aside(f"No picture: {refused}")]
    text = display.caption
    hint = " Point at a curve to read it; click a name to hide or show a method; drag to zoom, double-click to go back."
    if found.n_failed and found.rule == "exclude":
        text += f" {_left_out(found)}"
    shown = [report.figure(distribution_figure(display)), caption(text, hint)]
    if len(display.tasks) <= MOST_UNFOLDED:
        return shown
    title = element("summary", f"Pictures of {plural(len(display.tasks), 'task')}")
    return [element("details", title, *shown)]


def _left_out(found: Findings) -> str:
    """How many runs of which method a picture does not show."""
    t = found.trials
    failed, codes = t.failed(found.metric), t.codes("algorithm")
    counts = [(m, failed[codes == i]) for i, m in enumerate(t.algorithms)]
    said = [f"{own.sum()} of {own.size} of {clipped(m, LONGEST_NAME)}" for m, own in counts if own.any()]
    more = f" and of {len(said) - MOST_NAMED} more methods" if len(said) > MOST_NAMED else ""
    return f"Failed runs are left out here as in means and verdicts: {listed(said[:MOST_NAMED]) if not more else ', '.join(said[:MOST_NAMED])}{more}."


def _difference(found: Findings, report: Report) -> list[Html]:
    compared = found.judgment.comparison
    if compared is None:
        return []
    if compared.tasks and all(max(c.n_runs) < 2 for c in compared.tasks):
        return []  # of one run of each nothing can be told task by task
    if compared.tasks:
        counts = Counter(c.conclusion for c in compared.tasks)
        text = ", ".join(f"{conclusion} on {n}" for conclusion, n in counts.most_common())
        note = f"{compared.a} against {compared.b}, task by task: {text}. Positive differences: {compared.a} is better."
        return [comparison_table(compared), caption(note), aside(_withheld(compared))]
    return _one_difference(found, compared, report)


def _withheld(compared: Comparison) -> str:
    """Why an interval on the safe side of the margin may stand beside `cannot tell`."""
    kept = [c.hidden.rate for c in compared.tasks if c.hidden is not None and c.hidden.withheld]
    if not kept:
        return ""
    return (
        f"On {plural(len(kept), 'task')} a claim of no loss is withheld, although the interval would allow it: so few runs cannot rule "
        f"out that up to {share(max(kept))} of them collapse to the worst score, which would cost more than the margin."
    )


def _one_difference(found: Findings, c: Comparison, report: Report) -> list[Html]:
    seen, where = found.seen or found.trials, str(c.task)
    display, parts = None, []
    # Sorted zeros and ones differ at the few shares between the two means only, wherever these lie: a picture of nothing.
    if not c.right_or_wrong:
        display, _ = attempt(
            lambda: difference(seen, c.a, c.b, where, metric=found.metric, confidence=found.confidence)
        )
    if display is not None:
        figure = report.figure(difference_figure(display))
        parts += [element("h3", display.headline), figure, caption(display.caption)]
    note = (
        f"Positive differences: {c.a} is better. The verdict reads the first line of this table; the others describe, each at "
        f"{percent_sure(c.question.confidence)} alone and so narrower than the answers above, which share one error."
    )
    return [*parts, comparison_table(c), aside(note)]


def _over_tasks(found: Findings, report: Report) -> list[Html]:
    over = found.over
    if over is None:
        return []
    parts = []
    if over.display is not None and over.pair is not None:
        parts += [
            element("h3", over.display.headline), report.figure(profile_figure(over.display)),
            caption(over.display.caption), element("p", over.pair.verdict),
        ]  # fmt: skip
    parts.append(over_table(over))
    if over.ranks is not None:
        rank = "Average rank: by the mean on each task, 1 is best; a description, which other methods would change."
        parts.append(aside(rank))
    if over.aggregates is not None:
        parts.append(aside(over.aggregates.sentence))
    return [*parts, aside(" ".join([*over.notes, found.judgment.left_out]).strip())]


def _numbers(found: Findings) -> list[Html]:
    if found.summary is None:
        return [aside(found.unshown)]
    said = footnote(found, found.summary.rows, brackets="Under each number")
    sign = found.trials.definitions[found.metric].sign
    return [
        summary_tables(found.summary, sign), aside(found.shortened), aside(f"{BEST_MARK} {said}"), aside(found.unshown)
    ]  # fmt: skip


def footnote(found: Findings, rows: Sequence[SummaryRow], brackets: str = "Brackets") -> str:
    """What the intervals of these rows of the summary are."""
    assert found.summary is not None
    if found.trials.question is not None:
        return "No intervals: it is not known which rows are independent."
    bare = [r for r in rows if math.isnan(r.low) and not math.isnan(r.estimate) and r.guarantee == "none"]
    if bare and all(math.isnan(r.low) for r in rows):
        return found.summary.footnote(rows, without=NO_INTERVAL)
    text = found.summary.footnote(rows, brackets=brackets)
    return f"{text} Numbers without an interval: {NO_INTERVAL}." if bare else text


def _pairs(found: Findings) -> list[Html]:
    if found.judgment.ranking is None:
        return []
    n = len(found.judgment.ranking.rows)
    display = pairs(found.judgment.ranking, first=FOREMOST_PAIRED if n > MOST_PAIRED else None)
    left_out = f"The table holds the first {FOREMOST_PAIRED} of {n} methods. {ALL_PAIRS}" if n > MOST_PAIRED else ""
    return [element("p", f"{display.headline}."), pairs_table(display), aside(left_out), caption(display.caption)]


def _ranks(found: Findings) -> list[Html]:
    ranking = found.judgment.ranking
    if ranking is None:
        return []
    parts = [ranks_table(ranking, unranked(found)), caption(RanksDisplay.reading(ranking))]
    if len(ranking.rows) > MOST_PAIRED:
        sizes = Counter(r.tier for r in ranking.rows)
        first = listed([str(sizes[t]) for t in sorted(sizes)[:3]])
        tiers = f"{plural(len(ranking.rows), 'method')} in {plural(len(sizes), 'tier')}; the first tiers hold {first}."
        parts.insert(0, element("p", tiers))
    return parts


def _best_of(found: Findings, report: Report) -> list[Html]:
    """One task with enough runs that are no items; otherwise the curve repeats what the distributions show."""
    t = found.trials
    if t.of_items or len(t.tasks) > 1 or cell_numbers(t, found.metric)[0] < FEWEST_FOR_BEST_OF:
        return []
    display, _ = attempt(lambda: best_of(found.seen or t, metric=found.metric, confidence=found.confidence))
    if display is None:
        return []
    figure = report.figure(best_of_figure(display))
    return [element("p", f"{display.headline}."), figure, caption(display.caption)]


def _bad_days(found: Findings) -> list[Html]:
    """What the worst tenth of the runs of every method comes to, where the runs can say it."""
    if found.summary is None:
        return []
    rows = [r for r in found.summary.rows if r.statistic == BAD_DAY and not math.isnan(r.estimate)]
    failed = _without_values(found)
    if not rows or len(found.trials.algorithms) < 2:
        return failed
    made = worst_table(rows, found.trials.definitions[found.metric].sign)
    said = "The mean of the worst tenth of the runs: what a method comes to on its bad days."
    n_tasks = len({r.task for r in rows})
    if n_tasks > MOST_UNFOLDED:
        made = element("details", element("summary", f"On each of the {n_tasks} tasks"), made)
    ways = dict.fromkeys(f"{r.method}, {r.strength}" for r in rows if math.isfinite(r.low) or math.isfinite(r.high))
    beside = f" Beside each number: its {percent_sure(found.confidence)} interval ({'; '.join(ways)})." if ways else ""
    return [element("p", said), made, *failed, aside(f"{BEST_MARK}{beside}")]


def _without_values(found: Findings) -> list[Html]:
    """How many runs of every method failed, where a worst tenth with a failed run has no value."""
    decided = found.judgment.decided
    asked = () if decided is None else tuple(decided.questions.values())
    return [
        element("p", f"A worst tenth that holds a failed run has no mean. Failed runs: {q.counted}.")
        for q in asked
        if q.failed
    ]


def _failures(found: Findings) -> list[Html]:
    if not found.n_failed:
        return []
    t = found.trials
    rows = sorted(t.failures(found.metric), key=lambda row: -int(row["count"]))
    body_rows = [
        [*(printable(row[k]) for k in ("algorithm", "task")), row["status"] or "invalid", (row["message"] or "–")[:200], row["count"]]
        for row in rows[:MOST_MESSAGES]
    ]  # fmt: skip
    unlisted = len(rows) - MOST_MESSAGES
    more = f"{plural(unlisted, 'further kind')} of failure not listed." if unlisted > 0 else ""
    said = element("p", f"{found.n_failed} of {len(t)} runs have no usable {found.metric}.")
    listing = [table(["method", "task", "status", "message", "runs"], body_rows), aside(more)]
    if len(t.tasks) == 1:
        return [said, *listing]
    kinds = element("summary", f"By method, task and message: {plural(len(rows), 'kind')}")
    return [said, _failures_by_method(found, rows), element("details", kinds, *listing)]


def _failures_by_method(found: Findings, rows: Sequence[dict[str, Any]]) -> Html:
    """A line for each method with failures, most of them first: how many, where, and what they said."""
    t, lines = found.trials, []
    sizes = np.bincount(t.codes("algorithm"), minlength=len(t.algorithms)).tolist()
    for method, size in zip(t.algorithms, sizes, strict=True):
        own = [row for row in rows if row["algorithm"] == method]
        if not own:
            continue
        n, kinds = sum(int(row["count"]) for row in own), Counter[str]()
        for row in own:
            kinds[(row["message"] or row["status"] or "invalid")[:120]] += int(row["count"])
        said = [f"{words} ({count})" for words, count in kinds.most_common(MOST_KINDS)]
        said += [f"{plural(len(kinds) - MOST_KINDS, 'other message')}"] if len(kinds) > MOST_KINDS else []
        where = [row["task"] for row in own]
        cells = [f"{n} of {size} ({share(n / size)})", some(list(dict.fromkeys(where))), "; ".join(said)]
        lines.append((n, [element("th", clipped(method, LONGEST_NAME)), *cells]))
    lines.sort(key=lambda line: -line[0])
    unlisted = len(lines) - MOST_MESSAGES
    more = f"{plural(unlisted, 'further method')} with failures not listed." if unlisted > 0 else ""
    shown = table(["method", "failed runs", "on", "messages"], [line for _, line in lines[:MOST_MESSAGES]])
    return join([shown, aside(more)])


def _notes(found: Findings) -> list[Html]:
    """How the table was read, as far as that was guessed."""
    notes = [*found.trials.notes, *(found.summary.notes if found.summary is not None else ())]
    if not notes:
        return []
    items = [element("li", note) for note in dict.fromkeys(notes)]
    return [element("details", element("summary", "How the table was read"), element("ul", *items))]


def _to_paste(found: Findings, band: str) -> list[Html]:
    parts = [element("h3", "Methods paragraph"), element("blockquote", paragraph(found, band))]
    cited = references(found, band)
    if cited:
        parts += [element("h3", "References"), element("ul", *(element("li", one) for one in cited))]
    summary, ranking = found.summary, found.judgment.ranking
    if summary is not None:
        parts += [details("LaTeX: the numbers", to_latex(summary, lambda rows: footnote(found, rows)))]
    if ranking is not None:
        parts += [details("LaTeX: the ranking", ranking_latex(ranking, unranked(found)))]
    if summary is not None:
        parts += [details("CSV: the numbers", to_csv(summary))]
    if ranking is not None and ranking.n_pairs <= MOST_PAIRS_TO_COPY:
        parts += [details("CSV: the pairs", pairs_csv(ranking))]
    elif ranking is not None:
        parts += [aside(f"The {ranking.n_pairs:,} pairs are too many to copy from a page. {ALL_PAIRS}")]
    return [*parts, aside(found.shortened)]
