"""Findings about learning curves as sections of a page."""

from __future__ import annotations

import math

from ogive.notes import argument
from ogive.plots import leading, learning_fan, normality_strips, slices
from ogive.report._judgment import attempt
from ogive.report._page import Html, aside, definition_list, details, element
from ogive.report._sections import Report
from ogive.report._tables import BEST_MARK
from ogive.report.curves._figures import fan_figure, slices_figure, strips_figure
from ogive.report.curves._findings import MOST_MODELS, CurveFindings
from ogive.report.curves._methods import caveats, checklist, paragraph, references
from ogive.report.curves._tables import (
    changes_table,
    csv_of,
    disagreements_table,
    leaders_table,
    missing_table,
    modes_table,
    numbers_tables,
)
from ogive.words import listed, percent_sure, plural, printable, share

HINT = " Point at a line to read it; click a name to hide or show a model; drag to zoom, double-click to go back."


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
        element("p", f"{how} In the worst 5 % of runs: by the score that 5 % of runs are worse than; in the best 5 %: by the score that 5 % are better than.", class_="caption"),
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
    said = [element("p", f"{display.headline}.")] if found.leaders is not None else []  # else it stands above
    return [
        *said,
        report.figure(fan_figure(display)),
        element("p", display.caption + HINT, class_="caption"),
    ]


def _changes(found: CurveFindings) -> list[Html]:
    """Crossings as ranges, and whether rankings by mean and by quantile agree."""
    if found.leaders is None:
        return []
    parts = [leaders_table(found.leaders), *changes_table(found.leaders)]
    if found.disagreements is not None and found.curves.sizes.size > 1:
        parts += [
            element("h3", "Do rankings by the mean and by quantiles agree?"),
            *disagreements_table(found.disagreements),
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
        element("p", shown[0].caption, class_="caption"),
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
        f"{printable(row)}: {share(value)}" for row, value in zip(along.rows, shares.tolist(), strict=True) if not math.isnan(value)
    ]  # fmt: skip
    display = normality_strips(along)
    ties = " with regard for ties" if tied else ""
    return [
        element("p", f"Share of sizes at which normal scores are not rejected{ties}: {'; '.join(said)}."),
        report.figure(strips_figure(display, list(display.strips))),
        element("p", f"{display.caption} Sizes depend on each other: a description of the curve, not one test of it.", class_="caption"),
    ]  # fmt: skip


def _numbers(found: CurveFindings) -> list[Html]:
    mean, quantile, _ = found.statistics
    ways = f"mean: {mean.method}, {mean.strength}; quantiles: {quantile.method}, {quantile.strength}"
    reading = f"{percent_sure(found.confidence)} intervals for each size alone ({ways}), {plural(mean.n, 'repetition')}, {mean.scope}."
    shaded = " Blue: certainly ahead of all other models." if found.leaders is not None else ""
    return [
        *numbers_tables(found),
        aside(f"{BEST_MARK} Under each number: {reading}{shaded}"),
        details("CSV: all sizes", csv_of(found.statistics)),
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
