"""Every method against every other: difference, wins, ties and losses, conclusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ogive.answers import Pair, Question, Ranking, rank
from ogive.plots._matrix import (
    BETTER,
    MOST_WITH_NUMBERS,
    MOST_WITH_SIGNS,
    NAMED,
    UNDECIDED,
    WORSE,
    Face,
    draw_matrix,
    has_room_for_numbers,
    size_of,
)
from ogive.plots._page import Paper, Picture
from ogive.reading import Source
from ogive.words import percent_sure, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairsDisplay(Picture):
    """The matrix of pairs, ready to be drawn.

    Attributes
    ----------
    methods : tuple of str
        Rows and columns, best first.
    cells : dict
        By (row, column): the pair, turned so that the method of the row comes first.
    sign_caption : str
        How to read it where the paper is too narrow for numbers.
    """

    methods: tuple[str, ...]
    cells: dict[tuple[str, str], Pair]
    question: Question
    sign_caption: str

    def __repr__(self) -> str:
        return f"PairsDisplay({len(self.methods)} methods, {len(self.cells) // 2} pairs)"

    @property
    def has_numbers(self) -> bool:
        """Whether cells hold numbers; where methods are many they hold a sign."""
        return len(self.methods) <= MOST_WITH_NUMBERS

    def lines(self, pair: Pair) -> list[str]:
        """What stands in a cell: conclusion, difference with its interval, wins, ties and losses over tasks."""
        if not self.has_numbers:
            return [_sign(pair)]
        lines = [pair.conclusion, self.question.shown(pair.difference)]
        if pair.wins + pair.ties + pair.losses > 1:
            lines.append(f"{pair.wins} won, {pair.losses} lost" + (f", {pair.ties} tied" if pair.ties else ""))
        return lines

    def text(self, pair: Pair) -> str:
        """The lines of a cell, one below the other."""
        return "\n".join(self.lines(pair))

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        import matplotlib as mpl

        full = has_room_for_numbers(len(self.methods), paper)
        with mpl.rc_context({"axes.grid": False}):
            if ax is None:
                said = self.caption if full or not self.has_numbers else self.sign_caption
                ax = paper.page(*size_of(len(self.methods), paper), self.headline, said).subplots()
            self.axes_.clear()
            self.axes_["pairs"] = ax
            colors = {1: BETTER, -1: WORSE, 0: UNDECIDED}
            words = {at: self.text(p) if full else _sign(p) for at, p in self.cells.items()}
            faces = {at: Face(words[at], colors[p.certain]) for at, p in self.cells.items()}
            draw_matrix(ax, self.methods, faces, paper, full=full)


def _sign(pair: Pair) -> str:
    return {1: "+", -1: "−", 0: "?"}[pair.certain]


def pairs(ranking: Ranking | Source, *, first: int | None = None) -> PairsDisplay:
    """Every method against every other: the difference with its interval, wins and losses, the conclusion.

    Parameters
    ----------
    ranking : Ranking, Trials, or what `ogive.read` takes
        What `ogive.rank` returned; a table is ranked first.
    first : int, optional
        Only so many methods, from the best down; all where not given.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> pairs(ogive.rank(trials, criterion="mean")).cells["a", "c"].conclusion
    'better'
    """
    ranking = ranking if isinstance(ranking, Ranking) else rank(ranking)
    methods = tuple(r.algorithm for r in ranking.rows[:first])
    cells = {(a, b): ranking.pair(a, b) for a in methods for b in methods if a != b}
    return PairsDisplay(
        methods=methods,
        cells=cells,
        question=ranking.question,
        headline=_headline(ranking),
        caption=f"{_caption(ranking, len(methods))}{_withheld(cells)}",
        sign_caption=_caption(ranking, max(len(methods), MOST_WITH_NUMBERS + 1)),
    )


def _headline(ranking: Ranking) -> str:
    """How many pairs differ, by more than the margin where there is one; or why none does."""
    n, separated, question = ranking.n_pairs, ranking.n_separated, ranking.question
    who = "The two methods" if n == 1 else f"{separated:,} of {n:,} pairs"
    if not separated and ranking.tied:
        return f"{'The two methods' if n == 1 else 'No two methods'} {'cannot' if n == 1 else 'can'} be told apart: all runs are tied"
    if question.margin is None:
        if n == 1:
            return f"{who} {'can' if separated else 'cannot'} be told apart"
        return f"{who} can be told apart ({share(ranking.resolution)})"
    m = question.margin_words
    if ranking.equivalent:
        return f"{'The two methods' if n == 1 else f'All {n} pairs'} are equivalent within {m}"
    if n == 1:
        return (
            f"{who} certainly differ by more than {m}"
            if separated
            else f"Whether the two methods differ by more than {m} cannot be told"
        )
    equal = sum(p.conclusion == "equivalent" for p in ranking.pairs)
    also = f"; {equal} {'is' if equal == 1 else 'are'} equivalent within it" if equal else ""
    return f"{who} certainly differ{'s' if separated == 1 else ''} by more than {m} ({share(ranking.resolution)}){also}"


def _withheld(cells: dict[tuple[str, str], Pair]) -> str:
    """Why `cannot tell` may stand beside an interval on the safe side of the margin."""
    for p in cells.values():
        if p.margin is not None and p.conclusion == "cannot tell" and p.difference.low > p.even - p.margin:
            return (
                " Cannot tell, although the interval would allow a claim of no loss: so few runs cannot rule out collapses that would "
                "cost more than the margin."
            )
    return ""


def _caption(ranking: Ranking, n_methods: int) -> str:
    n, question = ranking.n_pairs, ranking.question
    over = ", averaged over tasks" if len(question.tasks) > 1 else ""
    counts = "; then on how many tasks its mean was better or worse" if over else ""
    if question.criterion.statistic is None:
        what = f"the probability that a run of the row's method beats a run of the column's{over} (0.5: even){counts}"
    else:
        what = (
            f"how much better the row's {question.criterion.label} is than the column's{over} (0: even; positive: the row's method is "
            f"better){counts}"
        )
    if n_methods > MOST_WITH_NUMBERS:
        what = "+ where the row's method is better, − where it is worse, ? where it cannot be told"
    level = f"{percent_sure(ranking.confidence)} confidence" + (f" for all {n:,} pairs together" if n > 1 else "")
    level += f" at {question.looks} looks" if question.looks > 1 else ""
    white = "the data cannot tell"
    if question.margin is not None:
        white = f"no difference of more than {question.margin_words} is certain"
    gives = what if n_methods > MOST_WITH_NUMBERS else f"the conclusion, and {what}"
    reads = f"each cell gives {gives}."
    if n_methods > MOST_WITH_SIGNS:
        reads = f"one line for each of {n_methods} methods, best first, of which {NAMED} are named."
    return (
        f"Read a row: {reads} Blue: the row's method is better; orange: worse; white: {white}. "
        f"Intervals have {level}, over {ranking.unit}."
    )
