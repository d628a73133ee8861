"""Tables of findings: HTML to read, LaTeX and CSV to copy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ogive.answers import Comparison, Ranking, Summary
from ogive.answers._statistic import Statistic
from ogive.answers._summary import COLUMNS, Row
from ogive.answers._wording import (
    DECIDES,
    QUESTION_COLUMNS,
    WHY,
    difference_words,
    question_effect,
    score_label,
    shown_parts,
)
from ogive.plots import PairsDisplay
from ogive.profiles._aggregates import LABELS
from ogive.report._over_tasks import OverTasks
from ogive.report._page import Html, element, join, scrolled, table
from ogive.statistics import Interval
from ogive.words import clipped, comma_separated, interval_parts, latex, number, percent_sure, share

LONGEST_NAME = 40
# More columns need smaller type.
MOST_LOOSE = 5
# Of more methods the first ones stand open, and the others are folded.
MOST_OPEN, FIRST_OPEN = 60, 20
MOST_AHEAD = 12
NO_INTERVAL = "too few runs, or none that differ"


def summary_tables(summary: Summary) -> Html:
    """Statistics of one task; of several tasks the first statistic, and the rest folded."""
    tasks = list(dict.fromkeys(r.task for r in summary.rows))
    methods = list(dict.fromkeys(r.algorithm for r in summary.rows))
    names = list(dict.fromkeys(r.statistic for r in summary.rows))
    if len(tasks) == 1:
        return _statistics(summary, summary.rows, names, methods, "")
    first = {(r.task, r.algorithm): r for r in summary.rows if r.statistic == names[0]}
    label = Statistic.parse(names[0]).label
    body = [[element("th", clipped(t, LONGEST_NAME)), *(_cell(first.get((t, m))) for m in methods)] for t in tasks]
    overview = table(
        ["task", *(clipped(m, LONGEST_NAME) for m in methods)],
        body,
        caption=f"{label} on each task",
        class_=density_class(len(methods)),
    )
    if len(names) == 1:
        return overview
    rest = [_statistics(summary, [r for r in summary.rows if r.task == t], names, methods, t) for t in tasks]
    title = element("summary", f"All statistics of each of the {len(tasks)} tasks")
    return join([overview, element("details", title, *rest)])


def _statistics(summary: Summary, rows: Sequence[Row], names: Sequence[str], methods: Sequence[str], task: str) -> Html:
    cells = {(r.algorithm, r.statistic): r for r in rows}
    body = []
    for method in methods:
        found = [cells.get((method, s)) for s in names]
        known = next((r for r in found if r is not None), None)
        if known is None:
            continue
        body.append([element("th", clipped(method, LONGEST_NAME)), summary.count(known), *(_cell(r) for r in found)])
    return table(["method", "runs", *(Statistic.parse(s).label for s in names)], body, caption=clipped(task, 80))


def _cell(row: Row | None) -> Html:
    if row is None or math.isnan(row.estimate):
        return element("td", "–")
    if not (math.isfinite(row.low) or math.isfinite(row.high)):
        return element("td", number(row.estimate))
    return with_interval_below(interval_parts(row.estimate, row.low, row.high))


def with_interval_below(parts: tuple[str, str, str], **attributes: str) -> Html:
    """A number, its interval below it."""
    estimate, low, high = parts
    return element("td", estimate, element("small", f"{low} to {high}"), **attributes)


def pairs_table(display: PairsDisplay) -> Html:
    """The matrix of pairs; the method of a row is judged against that of the column."""
    by = "above 0.5" if display.question.criterion.statistic is None else "positive"
    says = f" ({by}: this method is better)" if display.has_numbers else ""
    head = [f"this method … against{says}", *(clipped(m, LONGEST_NAME) for m in display.methods)]
    body = [
        [
            element("th", clipped(a, LONGEST_NAME)),
            *(element("td", "") if a == b else _pair(display.lines(display.cells[a, b]), display.cells[a, b].certain) for b in display.methods),
        ]
        for a in display.methods
    ]  # fmt: skip
    return table(head, body, class_=f"pairs {density_class(len(display.methods))}")


def _pair(lines: Sequence[str], certain: int) -> Html:
    conclusion, *rest = lines
    colour = {1: "better", -1: "worse", 0: "open"}[certain]
    return element("td", conclusion, *(element("small", line) for line in rest), class_=colour)


def density_class(columns: int) -> str:
    """How tightly a table of so many columns is set."""
    return "dense" if columns > MOST_LOOSE else "loose"


def ranks_table(ranking: Ranking, left_out: Mapping[str, str]) -> Html:
    """Methods with the ranks that the data allow as bars; those without a rank below them, with the reason."""
    n = len(ranking.rows)
    lines = []
    for r in ranking.rows:
        left, width = 100 * (r.rank_low - 1) / n, 100 * (r.rank_high - r.rank_low + 1) / n
        bar = element("span", "", class_="bar", style=f"left:{left:.2f}%;width:{width:.2f}%")
        ranks = f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low} to {r.rank_high}"
        cells = [
            element("th", clipped(r.algorithm, LONGEST_NAME)), element("td", ranks),
            element("td", element("div", bar, class_="track")), element("td", str(r.tier)), element("td", number(r.score)),
        ]  # fmt: skip
        lines.append(element("tr", *cells, class_=f"tier{1 + (r.tier + 1) % 2}"))
    for method, reason in left_out.items():
        cells = [element("th", clipped(method, LONGEST_NAME)), element("td", "not ranked"), element("td", reason)]
        lines.append(element("tr", *cells, *(element("td", "–") for _ in range(2))))
    scale = f"rank 1 … {n}"
    head = [element("th", h) for h in ("method", "rank", scale, "tier", score_label(ranking.question))]
    return _folded_below(element("thead", element("tr", *head)), lines)


def _folded_below(head: Html, lines: Sequence[Html], **attributes: str) -> Html:
    """A table of methods, best first; of very many the first ones, and the others folded."""

    def whole(some: Sequence[Html]) -> Html:
        return scrolled(element("table", head, element("tbody", *some), **attributes), "methods")

    if len(lines) <= MOST_OPEN:
        return whole(lines)
    title = element("summary", f"The other {len(lines) - FIRST_OPEN} methods")
    return join([whole(lines[:FIRST_OPEN]), element("details", title, whole(lines[FIRST_OPEN:]))])


def questions_table(found: Comparison | Ranking) -> Html:
    """The four questions: who is ahead, by how much, how sure."""
    if isinstance(found, Ranking):
        return _leaders_table(found)
    names = {1: clipped(found.a, LONGEST_NAME), -1: clipped(found.b, LONGEST_NAME), 0: "cannot tell"}
    rows = []
    for one in found.questions.values():
        head = element("th", one.name + (DECIDES if one.primary else ""))
        if one.interval is None:
            rows.append([head, "–", WHY[str(one.refused)], "–"])
        else:
            rows.append([head, names[one.direction], question_effect(found, one), one.interval.strength])
    return table(QUESTION_COLUMNS, rows, class_="questions stacked")


def _leaders_table(ranking: Ranking) -> Html:
    rows = []
    for q in ranking.questions.values():
        head = element("th", q.name + (DECIDES if q.primary else ""))
        if q.refused is not None:
            rows.append([head, "–", WHY[q.refused]])
            continue
        who = ", ".join(clipped(m, LONGEST_NAME) for m in q.ahead[:MOST_AHEAD]) or "cannot tell"
        who += f" and {len(q.ahead) - MOST_AHEAD} more" if len(q.ahead) > MOST_AHEAD else ""
        rows.append([head, who, f"{share(q.resolution)} of pairs told apart"])
    return table(
        ["question", "ahead: no other method is certainly better", "how much can be told"],
        rows,
        class_="questions stacked",
    )


def over_table(over: OverTasks) -> Html:
    """A line for each method: how often it is best, its average rank, its aggregates over all tasks."""
    display, ranks, found = over.display, over.ranks, over.aggregates
    methods = display.order if display is not None else ranks.order if ranks is not None else ()
    columns: list[tuple[str, list[object]]] = []
    if display is not None:
        wins = dict(zip(display.profile.methods, display.profile.wins.tolist(), strict=True))
        columns.append(("best on", [share(wins[m]) for m in methods]))
    if ranks is not None:
        places = dict(zip(ranks.methods, ranks.ranks.tolist(), strict=True))
        columns.append(("average rank", [number(places[m], 2) for m in methods]))
    for s in found.statistics if found is not None else ():
        assert found is not None
        columns.append((LABELS[s], [_interval(found.of(m, s), s) for m in methods]))
    body = [[element("th", clipped(m, LONGEST_NAME)), *(cells[i] for _, cells in columns)] for i, m in enumerate(methods)]  # fmt: skip
    head = element("thead", element("tr", *(element("th", h) for h in ("method", *(label for label, _ in columns)))))
    lines = [element("tr", *(c if isinstance(c, Html) else element("td", c) for c in row)) for row in body]
    return _folded_below(head, lines, class_=density_class(len(columns)))


def comparison_table(found: Comparison) -> Html:
    """Two methods: by task where there are several, else by statistic."""
    if found.tasks:
        return _tasks_table(found)
    how = "on the same draw" if found.paired else "fresh runs"
    beats = f"P({clipped(found.a, 24)} beats {clipped(found.b, 24)}), {how}"
    rows: list[tuple[str, Interval, str]] = [
        (beats, found.probability_of_improvement, "improvement"),
        ("difference of means", found.mean_difference, "mean"),
        ("difference of the worst 10 %", found.cvar_difference, "worst_0.1"),
        *((f"difference at {share(p)} of the runs, worst → best", i, "q") for p, i in found.quantile_differences.items()),
    ]  # fmt: skip
    if found.other_improvement is not None:
        rows.insert(1, ("the same for fresh runs that share nothing", found.other_improvement, "fresh"))
    # The verdict's own line comes first, with the interval that the verdict reads.
    verdict = [(label, found.primary, s) for label, _, s in rows if s == found.criterion]
    rows = [*verdict, *(row for row in rows if row[2] != found.criterion)]
    differences = difference_words(clipped(found.a, 30), clipped(found.b, 30), found._samples.sign)
    return table(
        [f"{clipped(found.a, 30)} against {clipped(found.b, 30)}", f"estimate; differences: {differences}", "how"],
        [[label, _interval(i, s, found.margin), _way(i, found.primary)] for label, i, s in rows],
        class_="stacked",
    )


def _tasks_table(found: Comparison) -> Html:
    """One line for each task: the conclusion beside the interval it reads, and the difference of means where that is another."""
    by_mean, by_wins = found.criterion == "mean", found.criterion == "improvement"
    a, b = clipped(found.a, LONGEST_NAME), clipped(found.b, LONGEST_NAME)
    differences = difference_words(a, b, found._samples.sign)
    label = f"P({a} beats {b})" if by_wins else f"{found.question.criterion.label}, {differences}"
    body = []
    for c in found.tasks:
        described = [] if by_mean else [_interval(c.mean_difference, "mean")]
        body.append(
            [element("th", clipped(str(c.task), LONGEST_NAME)), c.conclusion, _interval(c.primary, c.criterion, c.margin), *described, c.n]
        )  # fmt: skip
    means = [] if by_mean else [f"difference of means, {differences}"]
    return table(["task", f"conclusion about {a}", label, *means, "runs or pairs"], body)


def _way(i: Interval, primary: Interval) -> str:
    if not (math.isfinite(i.low) or math.isfinite(i.high)):
        return "no interval: these runs limit it on neither side"
    read = f"; read by the verdict, at {percent_sure(i.confidence)}" if i is primary else ""
    return f"{i.method}, {i.strength}{read}"


def guarantee_words(guarantee: str) -> str:
    """`guaranteed`, or the weaker word."""
    return "guaranteed" if guarantee in ("exact", "conservative") else guarantee


def _interval(i: Interval, statistic: str, margin: float | None = None) -> Html:
    """Rounded so that no end crosses what a conclusion reads it against; no interval where the data set no limit at all."""
    if not (math.isfinite(i.low) or math.isfinite(i.high)):
        return element("td", number(i.estimate))
    return with_interval_below(shown_parts(i, "improvement" if statistic == "fresh" else statistic, margin))


def to_csv(summary: Summary) -> str:
    """One line for each statistic of each method on each task."""
    return as_csv(COLUMNS, [[getattr(r, c) for c in COLUMNS] for r in summary.rows])


def pairs_csv(ranking: Ranking) -> str:
    """One line for each pair."""
    by = "a_beats_b" if ranking.question.criterion.statistic is None else "a_better_by"
    head = ("a", "b", by, "low", "high", "wins", "ties", "losses", "conclusion")
    rows = [
        [p.a, p.b, p.difference.estimate, p.difference.low, p.difference.high, p.wins, p.ties, p.losses, p.conclusion]
        for p in ranking.pairs
    ]
    return as_csv(head, rows)


def as_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Comma-separated values that a spreadsheet does not run; six digits are enough beside a page."""
    return comma_separated(head, [[float(f"{v:.6g}") if isinstance(v, float) else v for v in row] for row in rows])


def to_latex(summary: Summary, note: Callable[[Sequence[Row]], str]) -> str:
    """A booktabs table; `note` says what the intervals of its rows are."""
    several = len({r.task for r in summary.rows}) > 1
    shown = [r for r in summary.rows if not several or r.statistic == summary.rows[0].statistic]
    return summary.to_latex("methods-by-tasks" if several else "methods-by-statistics", note=note(shown))


def ranking_latex(ranking: Ranking, left_out: Mapping[str, str]) -> str:
    """Methods with tier and ranks; those without a rank below them."""
    lines = [
        r"\begin{tabular}{lccc}",
        r"\toprule",
        rf"Method & Tier & Rank & {latex(score_label(ranking.question))} \\",
        r"\midrule",
    ]
    for r in ranking.rows:
        ranks = f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low}--{r.rank_high}"
        lines.append(rf"{latex(r.algorithm)} & {r.tier} & {ranks} & ${number(r.score)}$ \\")
    lines += [rf"{latex(method)} & -- & not ranked & -- \\" for method in left_out]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
