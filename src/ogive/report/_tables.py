"""Tables of findings: HTML to read, LaTeX and CSV to copy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import NamedTuple

from ogive.answers import Comparison, Ranking, Summary, SummaryRow, difference_parts
from ogive.metric import Metric
from ogive.plots import PairsDisplay
from ogive.report._findings import OverTasks
from ogive.report._page import Html, element, join, scrolled, table
from ogive.statistics import Interval, Statistic, aggregate_label
from ogive.tables import Table
from ogive.words import clipped, comma_separated, interval_parts, number, percent_sure, share

LONGEST_NAME = 40
NOTHING = Html("")
# Statistics with a drawn interval; of more the folded tables hold figures alone, since each costs 100 bytes.
MOST_DRAWN = 3_000
BEST_MARK = "● marks the best value of those that stand beside each other, which is no verdict."
# More columns need smaller type.
MOST_LOOSE = 5
# Of more methods the first ones stand open, and the others are folded.
MOST_OPEN, FIRST_OPEN = 60, 20
NO_INTERVAL = "too few runs, or none that differ"


def summary_tables(summary: Summary, sign: float) -> Html:
    """Statistics of one task; of several tasks the first statistic, and the rest folded. `sign` is 1 where more is better."""
    tasks = list(dict.fromkeys(r.task for r in summary.rows))
    methods = list(dict.fromkeys(r.algorithm for r in summary.rows))
    names = list(dict.fromkeys(r.statistic for r in summary.rows))
    if len(tasks) == 1:
        return _statistics(summary, summary.rows, names, methods, "", sign)
    first = [r for r in summary.rows if r.statistic == names[0]]
    overview = _by_task(first, f"{Statistic.parse(names[0]).label} on each task", sign)
    if len(names) == 1:
        return overview
    drawn = len(summary.rows) <= MOST_DRAWN
    rest = [
        _statistics(summary, [r for r in summary.rows if r.task == t], names, methods, t, sign if drawn else 0.0)
        for t in tasks
    ]
    title = element("summary", f"All statistics of each of the {len(tasks)} tasks")
    return join([overview, element("details", title, *rest)])


def worst_table(rows: Sequence[SummaryRow], sign: float) -> Html:
    """The bad days of every method: on one task best first, on several a line for each task."""
    if len({r.task for r in rows}) > 1:
        return _by_task(rows, "mean of the worst 10 % on each task", sign)
    ordered = sorted(rows, key=lambda r: -sign * r.estimate)
    scale = Scale.of(ordered, sign)
    body = [[element("th", clipped(r.algorithm, LONGEST_NAME)), _cell(r, scale)] for r in ordered]
    return table(["method", "mean of the worst 10 %"], body)


def _by_task(rows: Sequence[SummaryRow], title: str, sign: float) -> Html:
    """One statistic: tasks down, methods across; the best of every line is marked."""
    tasks, methods = (list(dict.fromkeys(getattr(r, name) for r in rows)) for name in ("task", "algorithm"))
    cells = {(r.task, r.algorithm): r for r in rows}
    body = []
    for t in tasks:
        line = [cells.get((t, m)) for m in methods]
        scale = Scale.of(line, sign)
        body.append([element("th", clipped(t, LONGEST_NAME)), *(_cell(r, scale) for r in line)])
    head = ["task", *(clipped(m, LONGEST_NAME) for m in methods)]
    return table(head, body, title=title, class_=density_class(len(methods)))


def _statistics(
    summary: Summary, rows: Sequence[SummaryRow], names: Sequence[str], methods: Sequence[str], task: str, sign: float
) -> Html:
    """Methods down, statistics across; the best of every column is marked, nothing where `sign` is 0."""
    cells = {(r.algorithm, r.statistic): r for r in rows}
    scales = {s: Scale.of([cells.get((m, s)) for m in methods], sign) for s in names}
    body = []
    for method in methods:
        found = [cells.get((method, s)) for s in names]
        known = next((r for r in found if r is not None), None)
        if known is None:
            continue
        line = [_cell(r, scales[s]) for r, s in zip(found, names, strict=True)]
        body.append([element("th", clipped(method, LONGEST_NAME)), summary.count(known), *line])
    return table(["method", "runs", *(Statistic.parse(s).label for s in names)], body, title=clipped(task, 80))


class Bounded(NamedTuple):
    """A number with its limits."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Scale:
    """What numbers that stand beside each other share: from where to where they reach, and which is best."""

    low: float = math.nan
    high: float = math.nan
    best: float = math.nan

    @classmethod
    def of(cls, cells: Sequence[SummaryRow | Interval | Bounded | None], sign: float) -> Scale:
        """The scale of these cells; there is no best of fewer than two, or of equal ones."""
        known = [c for c in cells if c is not None and math.isfinite(c.estimate)]
        if not known or not sign:
            return cls()
        ends = [v for c in known for v in (c.low, c.estimate, c.high) if math.isfinite(v)]
        values = {c.estimate for c in known}
        return cls(min(ends), max(ends), max(values, key=lambda v: sign * v) if len(values) > 1 else math.nan)

    def drawn(self, estimate: float, low: float, high: float) -> Html:
        """The interval as a bar with a tick at the number; nothing where there is no scale."""
        if not self.high > self.low:
            return Html("")
        at, left, right = (100 * (min(max(v, self.low), self.high) - self.low) / (self.high - self.low) for v in (estimate, low, high))  # fmt: skip
        bar = f'<i style="left:{left:.0f}%;width:{right - left:.0f}%"></i><u style="left:{at:.0f}%"></u>'
        return Html(f'<span class="range">{bar}</span>')


NO_SCALE = Scale()


def _cell(row: SummaryRow | None, scale: Scale = NO_SCALE) -> Html:
    if row is None or math.isnan(row.estimate):
        return element("td", "–")
    look = "best" if row.estimate == scale.best else ""
    if not (math.isfinite(row.low) or math.isfinite(row.high)):
        return element("td", number(row.estimate), class_=look)
    return with_interval_below(
        interval_parts(row.estimate, row.low, row.high), scale.drawn(row.estimate, row.low, row.high), look
    )


def with_interval_below(parts: tuple[str, str, str], drawn: Html = NOTHING, look: str = "") -> Html:
    """A number, its interval below it, in figures and drawn."""
    estimate, low, high = parts
    return element("td", estimate, element("small", f"{low} to {high}"), drawn, class_=look)


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
    color = {1: "better", -1: "worse", 0: "open"}[certain]
    return element("td", conclusion, *(element("small", line) for line in rest), class_=color)


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
    head = [element("th", h) for h in ("method", "rank", scale, "tier", ranking.question.score_label)]
    return _folded_below(element("thead", element("tr", *head)), lines)


def _folded_below(head: Html, lines: Sequence[Html], **attributes: str) -> Html:
    """A table of methods, best first; of very many the first ones, and the others folded."""

    def whole(some: Sequence[Html]) -> Html:
        return scrolled(element("table", head, element("tbody", *some), **attributes), "methods")

    if len(lines) <= MOST_OPEN:
        return whole(lines)
    title = element("summary", f"The other {len(lines) - FIRST_OPEN} methods")
    return join([whole(lines[:FIRST_OPEN]), element("details", title, whole(lines[FIRST_OPEN:]))])


def over_table(over: OverTasks) -> Html:
    """A line for each method: how often it is best, its average rank, its aggregates over all tasks."""
    display, ranks, found = over.display, over.ranks, over.aggregates
    methods = display.order if display is not None else ranks.order if ranks is not None else ()
    columns: list[tuple[str, list[Html]]] = []
    absent = element("td", "–")  # a method that failed throughout on a task is in the profile alone
    if display is not None:
        wins = dict(zip(display.profile.methods, display.profile.wins.tolist(), strict=True))
        columns.append(("best on", _marked([(wins[m], share(wins[m])) for m in methods], 1.0)))
    if ranks is not None:
        places = dict(zip(ranks.methods, ranks.ranks.tolist(), strict=True))
        known = iter(_marked([(places[m], number(places[m], 2)) for m in methods if m in places], -1.0))
        columns.append(("average rank", [next(known) if m in places else absent for m in methods]))
    for s in found.statistics if found is not None else ():
        assert found is not None
        there = [m for m in methods if m in found.methods]
        scale = Scale.of([found.of(m, s) for m in there], Metric.toward(found.goal).sign)
        cells = {m: _interval(found.of(m, s), s, scale=scale) for m in there}
        columns.append((aggregate_label(s), [cells.get(m, absent) for m in methods]))
    body = [[element("th", clipped(m, LONGEST_NAME)), *(cells[i] for _, cells in columns)] for i, m in enumerate(methods)]  # fmt: skip
    head = element("thead", element("tr", *(element("th", h) for h in ("method", *(label for label, _ in columns)))))
    lines = [element("tr", *row) for row in body]
    return _folded_below(head, lines, class_=density_class(len(columns)))


def _marked(values: Sequence[tuple[float, str]], sign: float) -> list[Html]:
    """Cells of a column, the best of which are marked."""
    numbers = {v for v, _ in values}
    best = max(numbers, key=lambda v: sign * v) if len(numbers) > 1 else math.nan
    return [element("td", words, class_="best" if v == best else "") for v, words in values]


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
    differences = found.difference_words(30)
    return table(
        [f"{clipped(found.a, 30)} against {clipped(found.b, 30)}", f"estimate; differences: {differences}", "how"],
        [[label, _interval(i, s, found.margin), _way(i, found.primary)] for label, i, s in rows],
        class_="stacked",
    )


def _tasks_table(found: Comparison) -> Html:
    """One line for each task: the conclusion beside the interval it reads, and the difference of means where that is another."""
    by_mean, by_wins = found.criterion == "mean", found.criterion == "improvement"
    a, b = clipped(found.a, LONGEST_NAME), clipped(found.b, LONGEST_NAME)
    differences = found.difference_words(LONGEST_NAME)
    label = f"P({a} beats {b})" if by_wins else f"{found.question.criterion.label}, {differences}"
    body = []
    reach = Scale.of([c.primary for c in found.tasks], 1.0)
    drawn = Scale(reach.low, reach.high)  # differences of one pair: none of them is the best
    for c in found.tasks:
        described = [] if by_mean else [_interval(c.mean_difference, "mean")]
        body.append(
            [element("th", clipped(str(c.task), LONGEST_NAME)), c.conclusion, _interval(c.primary, c.criterion, c.margin, drawn), *described, c.n]
        )  # fmt: skip
    means = [] if by_mean else [f"difference of means, {differences}"]
    return table(["task", f"conclusion about {a}", label, *means, "runs or pairs"], body)


def _way(i: Interval, primary: Interval) -> str:
    if not (math.isfinite(i.low) or math.isfinite(i.high)):
        return "no interval: these runs limit it on neither side"
    read = f"; read by the verdict, at {percent_sure(i.confidence)}" if i is primary else ""
    return f"{i.method}, {i.strength}{read}"


def _interval(i: Interval, statistic: str, margin: float | None = None, scale: Scale = NO_SCALE) -> Html:
    """Rounded so that no end crosses what a conclusion reads it against; no interval where the data set no limit at all."""
    if not (math.isfinite(i.low) or math.isfinite(i.high)):
        return element("td", number(i.estimate))
    look = "best" if i.estimate == scale.best else ""
    parts = difference_parts(i, "improvement" if statistic == "fresh" else statistic, margin)
    return with_interval_below(parts, scale.drawn(i.estimate, i.low, i.high), look)


def to_csv(summary: Summary) -> str:
    """One line for each statistic of each method on each task."""
    return as_csv([field.name for field in fields(SummaryRow)], [astuple(row) for row in summary.rows])


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


def to_latex(summary: Summary, note: Callable[[Sequence[SummaryRow]], str]) -> str:
    """A booktabs table; `note` says what the intervals of its rows are."""
    several = len({r.task for r in summary.rows}) > 1
    shown = [r for r in summary.rows if not several or r.statistic == summary.rows[0].statistic]
    return summary.to_latex("methods-by-tasks" if several else "methods-by-statistics", note=note(shown))


def ranking_latex(ranking: Ranking, left_out: Mapping[str, str]) -> str:
    """Methods with tier and ranks; those without a rank below them."""
    rows: list[tuple[object, ...]] = [
        (r.algorithm, r.tier, f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low}–{r.rank_high}", r.score)
        for r in ranking.rows
    ]
    rows += [(method, None, "not ranked", None) for method in left_out]
    return Table(head=("Method", "Tier", "Rank", ranking.question.score_label), rows=tuple(rows)).to_latex()
