"""The page of learning curves: who leads at which training-set size.

Findings first, then their tables, what they stand on, the sections of the page, and the page itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ogive import __version__
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.notes import argument, either
from ogive.plots import leading, learning_fan, normality_strips, slices
from ogive.report._figures import MOST_SIZES_EACH, fan_figure, slices_figure, strips_figure
from ogive.report._findings import attempt
from ogive.report._methods import REFERENCES, WORKS
from ogive.report._page import Html, aside, caption, definition_list, details, element, table
from ogive.report._sections import Report
from ogive.report._tables import BEST_MARK, LONGEST_NAME, Bounded, Scale, as_csv, density_class, with_interval_below
from ogive.report._write import as_target, write_page
from ogive.words import clipped, interval_parts, listed, number, percent_sure, plural, printable, share

if TYPE_CHECKING:
    from ogive.curves import (
        Disagreements,
        Leaders,
        LearningCurves,
        NormalityCurves,
        Range,
        Slice,
        StatisticCurve,
        StatisticCurves,
    )


BEYOND = 0.05  # share of runs that is called the worst, or the best
MOST_MODELS = 4  # that get a panel of distributions each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveFindings:
    """All that a page says about one metric of learning curves.

    Attributes
    ----------
    curves : LearningCurves
        With this metric alone; missing scores as the rule says.
    statistics : tuple of StatisticCurves
        By the mean, the bad side and the good side.
    leaders : Leaders or None
        None with the reason in `unled`.
    n_missing : int
        Fits without a score, before the rule.
    sensitivity : str
        Whether the first sentence would change if missing scores counted as the worst possible one.
    """

    curves: LearningCurves
    metric: str
    others: tuple[str, ...]
    confidence: float
    rule: str | float | None
    statistics: tuple[StatisticCurves, ...]
    leaders: Leaders | None
    unled: str
    disagreements: Disagreements | None
    normality: NormalityCurves
    sizes: tuple[int, ...]
    missing: dict[str, tuple[int, ...]]
    n_missing: int
    sensitivity: str

    @property
    def opening(self) -> str:
        """The first sentence: what there is, and how much of it is missing."""
        c = self.curves
        first, last = int(c.sizes[0]), int(c.sizes[-1])
        where = f"n = {first}" if first == last else f"{c.sizes.size} training-set sizes from n = {first} to {last}"
        text = f"{plural(len(c.models), 'model')} at {where}, {plural(c.n_repetitions, 'repetition')} of each, on these {c.n_rows} rows"
        total = c.values.size
        if not self.n_missing:
            return f"{text}; every fit has a score."
        counted = "count as gaps" if self.rule is None else f"count as {self.rule_words}"
        return (
            f"{text}; {self.n_missing} of {total} fits have no score ({share(self.n_missing / total)}) and {counted}."
        )

    @property
    def rule_words(self) -> str:
        """How missing scores count, where they do."""
        worst = self.curves.definitions[self.metric].worst
        return f"{worst:g}, the worst possible score" if self.rule == "worst" else f"{self.rule}"


def find(
    curves: LearningCurves, *, metric: str | None, confidence: float, failures: str | float | None, sizes: Sequence[int] | None
) -> CurveFindings:  # fmt: skip
    """Ask every question that the curves can answer; refusals become sentences."""
    name = curves.metric_name(metric)
    chosen = _chosen(curves, sizes)
    gaps = curves.of_metric(name)
    lacking = np.stack([np.isnan(gaps.scores(model)).sum(axis=1) for model in gaps.models])
    absent = lacking > 0
    missing = {
        m: tuple(gaps.sizes[row].tolist()) for m, row in zip(gaps.models, absent, strict=True) if row.any()
    }  # fmt: skip
    rule = _rule(failures)
    one = gaps if rule is None or not missing else gaps.with_failures(rule)
    bad, good = one.definitions[name].worst_first(BEYOND, 1.0 - BEYOND)
    leaders, unled = attempt(lambda: one.leaders(name, share=BEYOND, confidence=confidence))
    disagreements, _ = attempt(lambda: one.disagreements(name))
    return CurveFindings(
        curves=one, metric=name, others=tuple(m for m in curves.metrics if m != name), confidence=confidence, rule=rule,
        statistics=tuple(one.statistic(s, name, confidence=confidence) for s in ("mean", bad, good)),
        leaders=leaders, unled=unled, disagreements=disagreements, normality=one.normality(name), sizes=chosen,
        missing=missing, n_missing=int(lacking.sum()),
        sensitivity=_sensitivity(gaps, leaders, confidence) if missing and rule is None else "",
    )  # fmt: skip


def _chosen(curves: LearningCurves, sizes: Sequence[int] | None) -> tuple[int, ...]:
    """Sizes at which distributions are drawn."""
    if sizes is not None:
        return tuple(int(curves.sizes[curves.size_place(int(size))]) for size in sorted(set(sizes)))
    most = 5 if len(curves.models) <= MOST_MODELS else 3
    places = np.unique(np.round(np.linspace(0, curves.sizes.size - 1, min(most, curves.sizes.size))).astype(int))
    return tuple(curves.sizes[places].tolist())


def _rule(failures: str | float | None) -> str | float | None:
    if failures is None or failures == "worst":
        return failures
    try:
        return float(failures)
    except (TypeError, ValueError):
        raise InputError(
            f"`failures` must be 'worst' or a number for learning curves, or left out; got {failures!r}."
        ) from None


def _sensitivity(gaps: LearningCurves, leaders: Leaders | None, confidence: float) -> str:
    """Whether the sentence about the largest size would change if missing scores were the worst possible ones."""
    if leaders is None:
        return ""
    counted, _ = attempt(lambda: gaps.with_failures("worst").leaders(share=BEYOND, confidence=confidence))
    if counted is None:
        return f"Whether missing scores matter cannot be told: {printable(leaders.metric)} has no worst possible score (say failures= with a number)."
    if counted.sentences[0] == leaders.sentences[0]:
        return "If missing scores counted as the worst possible one, the sentence about the largest size would stay as it is."
    return f"If missing scores counted as the worst possible one, the first sentence would read: {counted.sentences[0]}"


MOST_LINES, MOST_CSV_SIZES = 5_000, 150  # of CSV within the page, 100 bytes a line
MOST_SIZES, MOST_RANGES, MOST_OPEN, MOST_CHANGES, MOST_LISTED, MOST_STRETCHES = 12, 6, 8, 200, 12, 6
COLUMNS = ("model", "size", "metric", "statistic", "estimate", "low", "high", "method", "guarantee", "n")


def leaders_table(leaders: Leaders) -> Html:
    """A line for each statistic: who is ahead at which sizes, and where that is certain."""
    rows = [
        [
            element("th", lead.words),
            _ranges(lead.ranges(), lead.leaders, "equal"),
            _ranges(lead.ranges(certain=True), lead.contenders, ""),
        ]
        for lead in leaders.by.values()
    ]
    return table([f"by {printable(leaders.metric)}", "ahead", "certainly ahead of all"], rows)


def _ranges(ranges: Sequence[Range], found: Sequence[tuple[str, ...]], none: str) -> Html:
    """A line for each range, or with many of them for each model; what has no leader is named `none`, or left out.

    `found` are the models at each size that share the first place.
    """
    kept = [r for r in ranges if r.who is not None or none]
    lines = [f"{none if r.who is None else clipped(r.who, LONGEST_NAME)}: {r.words}" for r in kept]
    if len(kept) > MOST_RANGES:  # the first of them would tell of the smallest sizes only
        counts = Counter(best[0] if len(best) == 1 else None for best in found)
        most = sorted(counts.items(), key=lambda one: (one[0] is None, -one[1]))
        lines = [
            f"{none if who is None else clipped(who, LONGEST_NAME)}: {count} of {len(found)} sizes"
            for who, count in most
            if who is not None or none
        ]
    return element("td", *(element("div", line) for line in lines or ["nowhere"]))


def changes_table(leaders: Leaders) -> list[Html]:
    """Between which sizes one model certainly overtakes another; among those that lead somewhere."""
    rows, behind = [], 0
    for lead in leaders.by.values():
        shown = lead.changes(leading=True)
        behind += len(lead.changes()) - len(shown)
        for change in shown:
            names = [clipped(who, LONGEST_NAME) for who in (change.after, change.before)]
            rows.append([lead.words, f"{names[0]} overtakes {names[1]}", change.words])
    if not rows:
        parts = [element("p", "At no size does one leader certainly overtake another.")]
    else:
        more = f" The first {MOST_CHANGES} of {len(rows)} are listed." if len(rows) > MOST_CHANGES else ""
        note = f"Certain at both ends of a range; within it the order cannot be told, or was not measured.{more}"
        made = table(["by", "who", "training-set size"], rows[:MOST_CHANGES])
        if len(rows) > MOST_OPEN:
            made = element(
                "details", element("summary", f"{len(rows)} changes of order among models that lead somewhere"), made
            )
        parts = [made, aside(note)]
    if behind:
        parts.append(aside(f"Behind the leaders {plural(behind, 'more change')} of order are certain."))
    return parts


def _stretches(sizes: Sequence[int], grid: Sequence[int]) -> str:
    """Sizes in words, neighbors on the grid as one stretch; the longest ones where there are many."""
    places = np.searchsorted(np.asarray(grid), np.asarray(sizes, dtype=int))
    parts = [part for part in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if part.size]
    longest = sorted(parts, key=len, reverse=True)[:MOST_STRETCHES]
    kept = sorted(longest, key=lambda part: int(part[0]))
    said = [str(grid[p[0]]) if p.size == 1 else f"{grid[p[0]]} to {grid[p[-1]]}" for p in kept]
    return ", ".join(said) + (f" and {len(parts) - len(kept)} shorter stretches" if len(parts) > len(kept) else "")


def disagreements_table(found: Disagreements, grid: Sequence[int]) -> list[Html]:
    """How often two ways of ranking reverse a pair."""
    rows = []
    for row in found.rows:
        sizes = _stretches(row.sizes, grid)
        rows.append(
            [row.first, row.second, f"{len(row.sizes)} of {row.n_sizes} sizes", f"n = {sizes}" if sizes else "–"]
        )
    note = (
        f"Sizes at which a pair with a member in the first {found.top} places is reversed; sd: standard deviation. A description without an "
        "interval: close models change places by chance."
    )
    return [table(["ranked by", "against", "reversed at", "which"], rows), aside(note)]


def modes_table(slices: Sequence[Slice]) -> Html:
    """The test for several modes: models down, sizes across."""
    models = list(dict.fromkeys(one.model for one in slices))
    sizes = list(dict.fromkeys(one.size for one in slices))
    cells = {(one.model, one.size): one for one in slices}
    body = [[element("th", clipped(m, LONGEST_NAME)), *(_modes(cells[m, s]) for s in sizes)] for m in models]
    return table(["modes", *(f"n = {s}" for s in sizes)], body, class_=density_class(len(sizes)))


def _modes(one: Slice) -> Html:
    if one.dip is None:
        return element("td", "all equal" if one.scores.size > 1 else "–")
    said, color = ("more than one", "worse") if one.several_modes else ("one fits", "open")
    return element("td", said, element("small", f"p = {one.dip.p_value:.2g}"), class_=color)


def numbers_tables(found: CurveFindings) -> list[Html]:
    """A table for each statistic, sizes down and models across; the first open, the others folded."""
    parts = []
    for i, curves in enumerate(found.statistics):
        made = _statistic_table(found, curves)
        parts.append(made if i == 0 else element("details", element("summary", _title(curves)), made))
    return parts


def _title(curves: StatisticCurves) -> str:
    return f"{curves.label[:1].upper()}{curves.label[1:]} of {printable(curves.metric)}"


def _statistic_table(found: CurveFindings, curves: StatisticCurves) -> Html:
    sizes = curves.curves[0].sizes
    places = np.unique(np.round(np.linspace(0, sizes.size - 1, min(MOST_SIZES, sizes.size))).astype(int))
    lead = None if found.leaders is None else found.leaders.by.get(curves.statistic)
    sign = found.curves.definitions[curves.metric].sign
    scales = {int(i): Scale.of([_at(c, int(i)) for c in curves], sign) for i in places}
    body = [
        [
            element("th", f"{int(sizes[i])}"),
            *(_cell(c, int(i), lead is not None and lead.contenders[i] == (c.model,), scales[int(i)]) for c in curves),
        ]
        for i in places
    ]
    names = [clipped(c.model, LONGEST_NAME) for c in curves]
    some = f", {places.size} of {sizes.size} sizes" if places.size < sizes.size else ""
    return table(["n", *names], body, title=f"{_title(curves)}{some}", class_=density_class(len(names)))


def _cell(curve: StatisticCurve, i: int, certain: bool, scale: Scale) -> Html:
    estimate, low, high = _at(curve, i)
    if math.isnan(estimate):
        return element("td", "–")
    if not (math.isfinite(low) or math.isfinite(high)):
        return element("td", number(estimate))
    look = " ".join(["better"] * certain + ["best"] * (estimate == scale.best))
    return with_interval_below(interval_parts(estimate, low, high), scale.drawn(estimate, low, high), look)


def _at(curve: StatisticCurve, i: int) -> Bounded:
    return Bounded(*(float(part[i]) for part in (curve.estimate, curve.low, curve.high)))


def missing_table(found: CurveFindings) -> Html:
    """Models without some scores, where, and what was said about it."""
    rows = []
    for model, sizes in found.missing.items():
        where = ", ".join(map(str, sizes[:MOST_LISTED])) + (", …" if len(sizes) > MOST_LISTED else "")
        said = [note.sentence() for note in found.curves.notes if note.subject == model]
        rows.append([element("th", clipped(model, LONGEST_NAME)), f"{len(sizes)}", where, "; ".join(said)[:300] or "–"])
    return table(["model", "sizes with gaps", "n", "what happened"], rows)


def _csv(found: CurveFindings) -> tuple[str, str]:
    """What the table behind the page is called, and the table: of very many sizes some, evenly spaced on a logarithmic scale."""
    sizes = found.curves.sizes
    if len(found.curves.models) * len(found.statistics) * sizes.size <= MOST_LINES:
        return "CSV: all sizes", csv_of(found.statistics)
    wanted = np.geomspace(sizes[0], sizes[-1], MOST_CSV_SIZES)
    places = np.unique(np.minimum(np.searchsorted(sizes, wanted * (1.0 - 1e-9)), sizes.size - 1))
    names = ", ".join(f"{one.statistic!r}" for one in found.statistics)
    every = either(
        f"curves.statistic(s, {found.metric!r}).to_pandas() for each s of {names}",
        f"ogive curves … --metric {found.metric} --json",
    )
    title = f"CSV: {places.size} of {sizes.size} sizes; all of them: {every}"
    return title, csv_of(found.statistics, set(sizes[places].tolist()))


def csv_of(statistics: Sequence[StatisticCurves], sizes: set[int] | None = None) -> str:
    """One line for each statistic of each model at each size, or at these."""
    rows = [row for one in statistics for row in one.to_dict()["rows"] if sizes is None or row["size"] in sizes]
    return as_csv(COLUMNS, [[math.nan if row[c] is None else row[c] for c in COLUMNS] for row in rows])


MOST_NAMED = 8
DRAWN = {
    "additive": "training sets were longer and longer beginnings of one random order of the rows, so that they are nested",
    "random": "training sets were drawn afresh without replacement at each size",
    "bootstrap": "training sets were drawn afresh with replacement at each size",
}
TESTS = {"shapiro": "the Shapiro-Wilk test"}
OWN_REFERENCES = {
    "curves": "Turan, O. T., Loog, M. and Tax, D. M. J. (2026). Generalization performance distributions along learning curves. Pattern Recognition Letters 201, 29-36.",
    "band": "Montiel Olea, J. L. and Plagborg-Møller, M. (2019). Simultaneous confidence bands: theory, implementation, and an application to SVARs. Journal of Applied Econometrics 34, 1-17.",
    "shapiro": "Shapiro, S. S. and Wilk, M. B. (1965). An analysis of variance test for normality (complete samples). Biometrika 52, 591-611.",
    "dip": "Hartigan, J. A. and Hartigan, P. M. (1985). The dip test of unimodality. Annals of Statistics 13, 70-84.",
}  # fmt: skip


def caveats(found: CurveFindings) -> list[tuple[str, str]]:
    """What a reader must know before believing a number."""
    c = found.curves
    entries = [
        ("Scope", f"Results hold {c.scope}. More repetitions tell more about these rows, not about new data."),
        ("Repetitions share rows", _sharing(c)),
        ("Sizes depend on each other", _dependence(c)),
        ("Between and beyond the sizes", f"Only the {plural(c.sizes.size, 'size')} of the grid were measured. Nothing is said between them, and nothing is extrapolated beyond n = {int(c.sizes[-1])}."),
        ("What was fixed", _fixed(c)),
        ("Failures", f"{_missing_words(found)} {found.sensitivity}".strip() if found.n_missing else "None: every fit has a score."),
        ("Bounds and steps", _bounds(found)),
    ]  # fmt: skip
    if found.leaders is not None:
        entries += [
            ("How many verdicts", f"Three, by the mean, in the worst and in the best runs. They hold for all pairs and sizes and for all three together with {percent_sure(found.confidence)}: each has a third of the error."),
            ("Looking again", "If repetitions are added and the page is read again, that is a second look, and the confidence no longer holds for both together."),
        ]  # fmt: skip
    return entries


def _sharing(c: LearningCurves) -> str:
    """How much two training sets of the largest size have in common."""
    pool, last = c.n_rows - c.n_test, int(c.sizes[-1])
    if c.design == "bootstrap":
        return f"All repetitions draw from the same {pool} rows, with replacement."
    return (
        f"All repetitions draw from the same {pool} rows. At n = {last} two training sets have {share(last / pool)} of their rows in common on "
        "average, so that the spread between them says little about a new sample of that size."
    )


def _dependence(c: LearningCurves) -> str:
    nested = "Training sets of a repetition are nested, so that a repetition that is lucky at one size tends to be so at the next. "
    rests = "Who is certainly ahead rests on resampling whole repetitions, which keeps that; shares of sizes are descriptions."
    return f"{nested}{rests}" if c.design == "additive" else rests


def _fixed(c: LearningCurves) -> str:
    tested = f"the {c.n_test} test rows, set aside once" if c.test == "fixed" else ""
    return f"The rows, the models and their settings{f', and {tested}' if tested else ''}: the error bars say nothing about them."


def _missing_words(found: CurveFindings) -> str:
    how = "left as gaps" if found.rule is None else f"counted as {found.rule_words}"
    return f"{found.n_missing} of {found.curves.values.size} fits have no score; they are {how}."


def _bounds(found: CurveFindings) -> str:
    low, high = found.curves.definitions[found.metric].bounds
    ends = f"[{'−∞' if low is None else f'{low:.4g}'}, {'∞' if high is None else f'{high:.4g}'}]"
    step = found.curves.step(found.metric)[-1]
    text = f"{printable(found.metric)} lies in {ends}; intervals are cut there."
    return (
        text
        if step is None
        else f"{text} At n = {int(found.curves.sizes[-1])} it moves in steps of 1/{round(1 / step)}."
    )


def checklist(found: CurveFindings) -> list[tuple[str, str]]:
    """ "Error bars of what?", answered as the NeurIPS paper checklist asks."""
    c = found.curves
    mean, *quantiles = found.statistics
    return [
        ("Which factors of variability do the error bars capture?", f"Which rows are drawn for training{'' if c.test == 'fixed' else ' and for testing'}, and the models' own randomness; within these {c.n_rows} rows. {_fixed(c)}"),
        ("How were they calculated?", f"mean: {mean.how}; {listed([q.label for q in quantiles])}: {quantiles[0].method}, {quantiles[0].strength}. Computed with Ogive {__version__}."),
        ("What was assumed?", "Repetitions are independent draws, given the rows. Student's t also needs means that are nearly normal; order statistics need no such thing."),
        ("Standard deviation, standard error or interval?", f"Neither: {percent_sure(found.confidence)} confidence intervals at each size alone. The shade in the picture is the spread of runs, not an error bar."),
        ("Over how many runs?", f"{plural(c.n_repetitions, 'repetition')} of each model at each size."),
    ]  # fmt: skip


def paragraph(found: CurveFindings) -> str:
    """Sentences for the methods section of a paper."""
    c = found.curves
    names = [printable(m) for m in c.models]
    who = f" ({listed(names)})" if len(names) <= MOST_NAMED else ""
    first, last = int(c.sizes[0]), int(c.sizes[-1])
    where = f"n = {first}" if first == last else f"{c.sizes.size} training-set sizes from {first} to {last}"
    tested = (
        f"scored on {c.n_test} rows set aside once"
        if c.test == "fixed"
        else "scored on all rows that were not trained on"
    )
    paired = ", and every model saw the same rows" if len(names) > 1 else ""
    text = (
        f"We measured {printable(found.metric)} of {plural(len(names), 'model')}{who} at {where}, with {plural(c.n_repetitions, 'repetition')} on "
        f"{c.n_rows} rows (seed {c.seed}). In each repetition {DRAWN[c.design]}; fits were {tested}{paired}."
    )
    if found.n_missing:
        text += f" {_missing_words(found)}"
    mean, *quantiles = found.statistics
    text += f" Brackets are {percent_sure(found.confidence)} confidence intervals at each size (means: {mean.how}; quantiles: {quantiles[0].method}, {quantiles[0].strength})."
    if found.leaders is not None:
        text += (
            " A model is called certainly ahead where a simultaneous band for the paired differences of all models at all sizes, made by "
            f"resampling repetitions, excludes zero ({percent_sure(found.confidence)} for three statistics together, one band for each with a third of the error)."
        )
    test = TESTS.get(found.normality.test, found.normality.test)
    tied = (
        ", against normal numbers rounded to the steps of the score"
        if found.curves.step(found.metric)[0] is not None
        else ""
    )
    text += f" Normality was tested by {test} at each size (level 0.05{tied}), and more than one mode by Hartigan's dip test."
    return f"{text} Results hold {c.scope}. Computed with Ogive {__version__}."


def references(found: CurveFindings) -> list[str]:
    """Who described the methods that were used."""
    known = [WORKS[work] for one in found.statistics for work in REFERENCES[one.method]]
    band = [OWN_REFERENCES["band"]] if found.leaders is not None else []
    return [OWN_REFERENCES["curves"], *dict.fromkeys(known), *band, OWN_REFERENCES["shapiro"], OWN_REFERENCES["dip"]]


HINT, NAMED = (
    " Point at a line to read it;{} drag to zoom, double-click to go back.",
    " click a name to hide or show a model;",
)


def compose(found: CurveFindings) -> Report:
    """All sections, verdicts first."""
    report = Report()
    report.add("In short", *_verdicts(found, report))
    report.add("Scores against the training-set size", *_fans(found, report))
    report.add("Who leads where", *_changes(found))
    report.add("Distributions at chosen sizes", *_slices(found, report))
    report.add("Normal or not, along the curve", *_normality(found, report))
    report.add("The numbers", *_numbers(found))
    report.add("Failures", *_failures(found))
    report.add("What the numbers stand on", definition_list(caveats(found)), *_notes(found))
    report.add(
        "Error bars of what?", aside("As the NeurIPS paper checklist asks (item 7)."), definition_list(checklist(found))
    )
    report.add("For the paper", *_to_paste(found))
    return report


def _verdicts(found: CurveFindings, report: Report) -> list[Html]:
    parts = _leading(found, report) if found.leaders is not None else _described(found)
    if found.sensitivity:
        parts.append(element("p", found.sensitivity))
    if found.others:
        also = listed([printable(m) for m in found.others])
        parts.append(aside(f"About {found.metric} only; the curves also hold {also} ({argument('metric')})."))
    return parts


def _leading(found: CurveFindings, report: Report) -> list[Html]:
    """Who leads at the largest size, what is otherwise before, and both as strips."""
    assert found.leaders is not None
    first, *middle, how = found.leaders.sentences
    decided = any(one.contenders[-1] == one.leaders[-1] for one in found.leaders.by.values())
    parts = [element("p", first, class_="verdict" if decided else "verdict undecided")]
    parts.append(element("ul", *(element("li", sentence) for sentence in [*middle, *_disagreeing(found)])))
    display = leading(found.leaders)
    labels = [lead.words for lead in found.leaders.by.values()]
    parts += [
        element("h3", "Who leads at which size"),
        report.figure(strips_figure(display, labels, (": certain", ": ahead, not certain"))),
        caption(f"{how} In the worst 5 % of runs: by the score that 5 % of runs are worse than; in the best 5 %: by the score that 5 % are better than."),
    ]  # fmt: skip
    return parts


def _disagreeing(found: CurveFindings) -> list[str]:
    """At how many sizes a ranking by the mean and one by the bad runs differ."""
    rows = found.disagreements.rows if found.disagreements is not None else ()
    row = next((r for r in rows if r.first == "mean" and r.side == "worst"), None)
    if row is None or row.n_sizes < 2:
        return []
    if not row.sizes:
        return [f"Rankings by the mean and by the {row.second} agree at all {row.n_sizes} sizes."]
    return [
        f"Rankings by the mean and by the {row.second} differ at {len(row.sizes)} of {row.n_sizes} sizes; close models change places by chance."
    ]


def _described(found: CurveFindings) -> list[Html]:
    """What can be said where nobody is compared with anybody."""
    display, _ = attempt(lambda: learning_fan(found.curves, found.metric))
    said = f"{display.headline}, {found.curves.scope}." if display is not None else ""
    if len(found.curves.models) == 1:
        return [element("p", said, class_="verdict undecided")]
    reason = f"No verdict: {found.unled[:1].lower()}{found.unled[1:]}"
    return [element("p", reason, class_="verdict undecided"), element("p", said)]


def _fans(found: CurveFindings, report: Report) -> list[Html]:
    display = learning_fan(found.curves, found.metric)
    legend = display.together and len(display.fans) > 1  # a panel of its own has no name to click
    n = found.curves.sizes.size
    some = (
        f" Of the {n} sizes as many are drawn as can be told apart; everything is computed at all of them."
        if n > MOST_SIZES_EACH
        else ""
    )
    return [report.figure(fan_figure(display)), caption(display.caption + some, HINT.format(NAMED if legend else ""))]


def _changes(found: CurveFindings) -> list[Html]:
    """Crossings as ranges, and whether rankings by mean and by quantile agree."""
    if found.leaders is None:
        return []
    parts = [leaders_table(found.leaders), *changes_table(found.leaders)]
    if found.disagreements is not None and found.curves.sizes.size > 1:
        parts += [
            element("h3", "Do rankings by the mean and by quantiles agree?"),
            *disagreements_table(found.disagreements, found.curves.sizes.tolist()),
        ]
    return parts


def _slices(found: CurveFindings, report: Report) -> list[Html]:
    """A panel for each model with sizes as rows; with many models a panel for each size with models as rows."""
    c, name = found.curves, found.metric
    if len(c.models) <= MOST_MODELS:
        shown = [slices(c, list(found.sizes), model=m, metric=name) for m in c.models]
        titles = list(c.models)
    else:
        shown = [slices(c, [size], metric=name) for size in found.sizes]
        titles = [f"n = {size}" for size in found.sizes]
    if not any(one.scores.size for display in shown for one in display.slices):
        return []
    said = [element("li", f"{display.headline}.") for display in shown]
    return [
        element("ul", *said),
        report.figure(slices_figure(shown, titles)),
        caption(shown[0].caption),
        modes_table([one for display in shown for one in display.slices]),
    ]


def _normality(found: CurveFindings, report: Report) -> list[Html]:
    along = found.normality
    if not (along.status == "tested").any():
        return [aside("No size could be tested: too few scores, gaps, or all scores equal.")]
    aware = along.gaussian_share(lattice=True)
    tied = not all(map(math.isnan, aware.tolist()))
    shares = aware if tied else along.gaussian_share()
    said = [
        f"{printable(row)} {share(value)}" for row, value in zip(along.rows, shares.tolist(), strict=True) if not math.isnan(value)
    ]  # fmt: skip
    display = normality_strips(along)
    ties = ", ties allowed for" if tied else ""
    return [
        element("p", f"At how many sizes the scores could be normal{ties}: {', '.join(said)} of the sizes."),
        report.figure(strips_figure(display, list(display.strips))),
        caption(f"{display.caption} Sizes depend on each other: a description of the curve, not one test of it."),
    ]  # fmt: skip


def _numbers(found: CurveFindings) -> list[Html]:
    mean, quantile, _ = found.statistics
    ways = f"mean: {mean.how}; quantiles: {quantile.method}, {quantile.strength}"
    reading = f"{percent_sure(found.confidence)} intervals for each size alone ({ways}), {plural(mean.n, 'repetition')}, {mean.scope}."
    shaded = " Blue: certainly ahead of all other models." if found.leaders is not None else ""
    return [
        *numbers_tables(found),
        aside(f"{BEST_MARK} Under each number: {reading}{shaded}"),
        details(*_csv(found)),
    ]


def _failures(found: CurveFindings) -> list[Html]:
    if not found.n_missing:
        return []
    c = found.curves
    text = f"{found.n_missing} of {c.values.size} fits have no {found.metric}."
    if found.rule is None:
        text += (
            " At a size where a model lacks a score it has no mean and no quantile, nothing is drawn, and it cannot lead; count them with "
            "failures='worst' or a number instead."
        )
    else:
        text += f" They count as {found.rule_words}."
    return [element("p", f"{text} {found.sensitivity}".strip()), missing_table(found)]


def _notes(found: CurveFindings) -> list[Html]:
    items = [element("li", note) for note in dict.fromkeys([found.curves.headline, *found.curves.notes])]
    return [element("details", element("summary", "How the curves were made"), element("ul", *items))]


def _to_paste(found: CurveFindings) -> list[Html]:
    parts = [element("h3", "Methods paragraph"), element("blockquote", paragraph(found))]
    if found.leaders is not None:
        parts += [element("h3", "Result"), element("blockquote", found.leaders.verdict)]
    return [*parts, element("h3", "References"), element("ul", *(element("li", one) for one in references(found)))]


def write_curves(
    curves: LearningCurves,
    path: str | Path,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    failures: str | float | None = None,
    sizes: Sequence[int] | None = None,
) -> Path:
    """Write a report of learning curves: one HTML file that needs no network.

    Parameters
    ----------
    curves : LearningCurves
        From `ogive.curves.learning_curves` or `ogive.curves.read`.
    metric : str, optional
        The metric that is judged; the first where not given.
    failures : {"worst"} or float, optional
        How fits without a score count. By default they are gaps: at a size where a repetition of a
        model has no score the model has no mean and no quantile, and cannot lead. The page says
        whether its first sentence would change if they counted as the worst possible score.
    sizes : list of int, optional
        At which the distributions are drawn, all of the grid; a few spread over it where left out.

    Notes
    -----
    Who is certainly ahead rests on one band for each of three statistics; together they hold for all pairs and
    sizes (see `ogive.curves.Leaders`); with fewer than 20 repetitions, or one model, the curves are
    described without a verdict. Nothing is said about other rows, between the sizes or beyond them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from ogive.curves import learning_curves
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)); y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    >>> curves = learning_curves(["nmc", "lda"], X, y, sizes=[5, 20], n_repetitions=20, workers=0)
    >>> write_curves(curves, Path(tempfile.mkdtemp()) / "curves.html").name
    'curves.html'
    """
    from ogive.curves import LearningCurves

    if not isinstance(curves, LearningCurves):
        raise InputError(
            f"`report.write_curves` takes learning curves; got {type(curves).__name__}. A table of runs is written by report.write."
        )
    target = as_target(path)
    found = find(curves, metric=metric, confidence=as_confidence(confidence), failures=failures, sizes=sizes)
    title = "Ogive report: learning curves" + (f" on {printable(curves.name)}" if curves.name != "data" else "")
    return write_page(target, title, found.opening, compose(found))
