"""Which ranks the data allow each method: intervals instead of 1 … N."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ogive.answers import Rank, Ranking, rank
from ogive.plots._page import COLORS, Paper, Picture, name_rows
from ogive.reading import Source
from ogive.words import clipped, listed, number, percent_sure, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW = 6.4, 0.34
LONGEST_NAME = 32
# What a reader still looks through, and what an axis can hold.
MOST_ROWS, MOST_TICKS = 60, 30
HALF_BAR = 0.3
# Columns beside the bars, in points from the edge.
TIER, SCORE = 8, 40
# Characters of a heading before it is broken.
WIDEST_HEADING = 12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RanksDisplay(Picture):
    """The standing of every method, best first, ready to be drawn.

    Attributes
    ----------
    rows : tuple of Rank
        What is drawn.
    bars_ : set by `plot`
        The bars by method.
    """

    rows: tuple[Rank, ...]
    statistic: str
    bars_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"RanksDisplay({len(self.rows)} methods in {self.rows[-1].tier} tiers)"

    @staticmethod
    def reading(ranking: Ranking) -> str:
        """How to read a chart of ranks."""
        n = ranking.n_pairs
        open_ranks = sum(1 for r in ranking.rows if r.rank_low < r.rank_high)
        width = "Every method has one rank only."
        if open_ranks:
            width = f"{open_ranks} of {len(ranking.rows)} methods could stand at more than one rank."
        together = f" for all {n:,} pairs together" if n > 1 else ""
        together += f" at {ranking.question.looks} looks" if ranking.question.looks > 1 else ""
        return (
            f"Bars: the ranks that the data allow, with {percent_sure(ranking.confidence)} confidence{together}, "
            f"over {ranking.unit}. {width} The first tier holds the methods that no other is certainly better than, the next one those "
            f"that only methods of the first are certainly better than, and so on."
        )

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        n = len(self.rows)
        if ax is None:
            ax = paper.page(paper.wide(WIDTH), ROW * n + 0.9, self.headline, self.caption).subplots()
        self.axes_["ranks"] = ax
        for place, row in enumerate(self.rows):
            self._row(ax, place, row)
        self._tiers(ax)
        most = max(r.rank_high for r in self.rows)
        ax.set_xlim(0.4, most + 0.6)
        ax.set_xticks(range(1, most + 1, -(-most // (MOST_TICKS // 3 if paper.narrow else MOST_TICKS))))
        name_rows(ax, [r.algorithm for r in self.rows], paper.longest(LONGEST_NAME))
        ax.set_xlabel("rank (1 is best)")

    def _row(self, ax: Axes, place: int, row: Rank) -> None:
        bar = (row.rank_low - HALF_BAR, row.rank_high - row.rank_low + 2 * HALF_BAR)
        self.bars_[row.algorithm] = ax.barh(place, bar[1], left=bar[0], height=0.42, color=COLORS[0], zorder=3)[0]
        self._beside(ax, place, number(row.score), SCORE)

    def _tiers(self, ax: Axes) -> None:
        # A long heading in one line would take the room of the bars: it is broken, and stands on the line of the others.
        for text, points in (("tier", TIER), (textwrap.fill(self.statistic, WIDEST_HEADING), SCORE)):
            self._beside(ax, -0.6, text, points, color="#444444", fontsize=8, va="bottom")
        # A method may stand, by its score, among those of another tier: every run of neighbors is shaded apart.
        for tier, members in itertools.groupby(enumerate(self.rows), key=lambda entry: entry[1].tier):
            places = [place for place, _ in members]
            start, end = places[0] - 0.5, places[-1] + 0.5
            if tier % 2:
                ax.axhspan(start, end, color="#f0f0f0", linewidth=0, zorder=0)
            self._beside(ax, (start + end) / 2, str(tier), TIER)

    def _beside(self, ax: Axes, place: float, text: str, points: float, **look: Any) -> None:
        """A text in a column to the right of the bars."""
        ax.annotate(
            text, (1.0, place), xycoords=("axes fraction", "data"), xytext=(points, 0), textcoords="offset points",
            annotation_clip=False, **{"fontsize": 8.5, "va": "center", **look},
        )  # fmt: skip


def ranks(ranking: Ranking | Source) -> RanksDisplay:
    """Methods down, the ranks that the data allow as bars, tiers as shading, scores at the side.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> ranks(ogive.rank(trials, criterion="mean"))
    RanksDisplay(3 methods in 2 tiers)
    """
    ranking = ranking if isinstance(ranking, Ranking) else rank(ranking)
    rows, said = ranking.rows, RanksDisplay.reading(ranking)
    if len(rows) > MOST_ROWS:
        rows, said = rows[:MOST_ROWS], f"Shown: the first {MOST_ROWS} of {len(rows)} methods. {said}"
    return RanksDisplay(rows=rows, statistic=ranking.question.score_label, headline=headline(ranking), caption=said)


def headline(ranking: Ranking) -> str:
    """Who leads, and who cannot be told apart from the leader."""
    first, *others = [clipped(m, LONGEST_NAME) for m in ranking.leaders]
    if not others and all(ranking.pair(ranking.leaders[0], r.algorithm).certain > 0 for r in ranking.rows[1:]):
        return f"{first} is certainly better than {'the other' if len(ranking.rows) == 2 else 'all others'}"
    if not others:
        return f"{first} leads: no other method is certainly better"
    if len(others) + 1 == len(ranking.rows):
        return "No method can be told from the others"
    named = listed([first, *others]) if len(others) <= 3 else plural(len(others) + 1, "method")
    return f"{named} share the lead and cannot be told apart"
