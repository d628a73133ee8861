"""Tables of findings about learning curves: HTML to read, CSV to copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ogive.report._page import Html, element, table
from ogive.report._tables import LONGEST_NAME, Bounded, Scale, as_csv, density_class, with_interval_below
from ogive.words import clipped, interval_parts, number, plural, printable

if TYPE_CHECKING:
    from ogive.curves import Disagreements, Leaders, Range, Slice, StatisticCurve, StatisticCurves
    from ogive.report.curves._findings import CurveFindings

MOST_SIZES, MOST_RANGES, MOST_OPEN, MOST_CHANGES, MOST_LISTED = 12, 6, 8, 200, 12
COLUMNS = ("model", "size", "metric", "statistic", "estimate", "low", "high", "method", "guarantee", "n")


def leaders_table(leaders: Leaders) -> Html:
    """A line for each statistic: who is ahead at which sizes, and where that is certain."""
    rows = [
        [element("th", lead.words), _ranges(lead.ranges(), "equal"), _ranges(lead.ranges(certain=True), "")]
        for lead in leaders.by.values()
    ]
    return table([f"by {printable(leaders.metric)}", "ahead", "certainly ahead of all"], rows)


def _ranges(ranges: Sequence[Range], none: str) -> Html:
    """A line for each range; ranges without a leader are named `none`, or left out."""
    kept = [r for r in ranges if r.who is not None or none]
    lines = [f"{none if r.who is None else clipped(r.who, LONGEST_NAME)}: {r.words}" for r in kept[:MOST_RANGES]]
    if len(kept) > MOST_RANGES:
        lines.append(f"… and {plural(len(kept) - MOST_RANGES, 'more range')}, in the picture")
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
        parts = [made, element("p", note, class_="note")]
    if behind:
        parts.append(
            element("p", f"Behind the leaders {plural(behind, 'more change')} of order are certain.", class_="note")
        )
    return parts


def disagreements_table(found: Disagreements) -> list[Html]:
    """How often two ways of ranking reverse a pair."""
    rows = []
    for row in found.rows:
        sizes = ", ".join(map(str, row.sizes[:MOST_LISTED])) + (", …" if len(row.sizes) > MOST_LISTED else "")
        rows.append(
            [row.first, row.second, f"{len(row.sizes)} of {row.n_sizes} sizes", f"n = {sizes}" if sizes else "–"]
        )
    note = (
        f"Sizes at which a pair with a member in the first {found.top} places is reversed; sd: standard deviation. A description without an "
        "interval: close models change places by chance."
    )
    return [table(["ranked by", "against", "reversed at", "which"], rows), element("p", note, class_="note")]


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
    return table(["n", *names], body, caption=f"{_title(curves)}{some}", class_=density_class(len(names)))


def _cell(curve: StatisticCurve, i: int, certain: bool, scale: Scale) -> Html:
    estimate, low, high = (float(part[i]) for part in (curve.estimate, curve.low, curve.high))
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


def csv_of(statistics: Sequence[StatisticCurves]) -> str:
    """One line for each statistic of each model at each size."""
    rows = [row for one in statistics for row in one.to_dict()["rows"]]
    return as_csv(COLUMNS, [[math.nan if row[c] is None else row[c] for c in COLUMNS] for row in rows])
