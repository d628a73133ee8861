"""Matrices of pairs: methods as rows and columns, a colored cell with words for each pair; of a ranking, and of a profile."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers import Pair, Question, Ranking, rank
from ogive.errors import InputError
from ogive.plots._page import COLORS, Paper, Picture
from ogive.plots._profile import all_others, by_area, of_two, scope
from ogive.profiles import PairOfCurves, Profile
from ogive.reading import Source
from ogive.stages import counting
from ogive.words import clipped, percent_sure, plural, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# More methods leave no room for numbers: cells then hold a sign.
MOST_WITH_NUMBERS = 10
# Beyond so many even signs are too small: cells are the pixels of an image, and only some rows are named.
MOST_WITH_SIGNS, NAMED = 60, 20
IMAGE_SIZE = 8.0
LONGEST_NAME = 18
BETTER, WORSE, UNDECIDED, EVEN = COLORS[0], COLORS[1], "#ffffff", "#bbbbbb"
TEXT_SIZE, SIGN_SIZE = 7.0, 9.0
# Inches: what names take beside the cells, and what a cell needs for an interval in one line, in two, for a sign.
NAMES, LEAST_FOR_ONE_LINE, LEAST_FOR_NUMBERS, LEAST_FOR_SIGNS = 1.3, 1.15, 0.85, 0.1
# The bar in a cell: half of its width, its top and its height; the words move up to make room.
BAR_HALF, BAR_TOP, BAR_HEIGHT, MOVED_UP = 0.4, 0.26, 0.11, 0.12


@dataclass(frozen=True, slots=True)
class Face:
    """What one cell shows; `bar` holds the shares that are won, even and lost."""

    text: str
    color: str
    bar: tuple[float, float, float] | None = None

    @property
    def strength(self) -> float:
        """Colors are pale, so that words stay readable on them."""
        return 1.0 if self.color == UNDECIDED else 0.22


def has_room_for_numbers(n: int, paper: Paper) -> bool:
    """Whether cells hold numbers: not where methods are many, nor where the paper leaves each too little."""
    return n <= MOST_WITH_NUMBERS and (paper.width is None or _cell(n, paper.width) >= LEAST_FOR_NUMBERS)


def size_of(n: int, paper: Paper) -> tuple[float, float]:
    """Width and height in inches for n methods."""
    if n > MOST_WITH_SIGNS:
        side = IMAGE_SIZE if paper.width is None else paper.width - NAMES
        return paper.wide(IMAGE_SIZE + 1.4), side
    full = has_room_for_numbers(n, paper)
    if paper.width is None:
        return (max(5.6, 1.2 * n + 1.4), 0.62 * n + 0.6) if full else (0.32 * n + 3.0, 0.32 * n + 1.6)
    each = _cell(n, paper.width)
    if full:
        return paper.width, (0.62 if each >= LEAST_FOR_ONE_LINE else 0.78) * n + 0.7
    if each < LEAST_FOR_SIGNS:
        least = LEAST_FOR_SIGNS * n + NAMES
        raise InputError(
            f"`width` must be at least {least:.1f} inches for {n} methods against each other; got {paper.width:.3g}."
        )
    return paper.width, min(0.32, each) * n + NAMES


def _cell(n: int, width: float) -> float:
    return (width - NAMES) / n


def draw_matrix(
    ax: Axes, methods: Sequence[str], faces: Mapping[tuple[str, str], Face], paper: Paper, *, full: bool
) -> None:
    """Every method of a row against every one of a column; the diagonal stays empty."""
    n = len(methods)
    each = 1.2 if paper.width is None else _cell(n, paper.width)
    place = {method: i for i, method in enumerate(methods)}
    if n > MOST_WITH_SIGNS:
        _draw_image(ax, place, faces)
    else:
        for (a, b), face in faces.items():
            # An interval stands below its estimate where a cell is too narrow for both.
            if each < LEAST_FOR_ONE_LINE:
                face = replace(face, text=face.text.replace(" [", "\n[").replace(" at some", "\nat some"))
            _draw_face(ax, place[a], place[b], face, TEXT_SIZE if full else min(SIGN_SIZE, 50 * each))
    named = range(n) if n <= MOST_WITH_SIGNS else np.linspace(0, n - 1, NAMED).round().astype(int).tolist()
    names = [clipped(methods[i], LONGEST_NAME) for i in named]
    turned = not full or (paper.width is not None and max(map(len, names)) * 0.06 > each)
    size = min(7.5 if paper.narrow else 9.0, 65 * each) if paper.width is not None and n <= MOST_WITH_SIGNS else None
    ax.set_xticks(named, names, rotation=90 if turned else 0, fontsize=size)
    ax.set_yticks(named, names, fontsize=size)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("this method …")
    ax.set_xlabel("… against this one")
    ax.xaxis.set_label_position("top")


def _draw_image(ax: Axes, place: Mapping[str, int], faces: Mapping[tuple[str, str], Face]) -> None:
    """Every cell as one pixel; the colors are stronger than behind words."""
    from matplotlib.colors import to_rgb

    n = len(place)
    image = np.ones((n, n, 3))
    shades = {color: np.array(to_rgb(color)) for color in {face.color for face in faces.values()}}
    for (a, b), face in faces.items():
        image[place[a], place[b]] = shades[face.color]
    ax.imshow(image, interpolation="nearest", aspect="auto")


def _draw_face(ax: Axes, row: int, column: int, face: Face, size: float) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(
        Rectangle(
            (column - 0.48, row - 0.46), 0.96, 0.92, facecolor=(face.color, face.strength), edgecolor="#cccccc", linewidth=0.6
        )
    )  # fmt: skip
    height = row if face.bar is None else row - MOVED_UP
    ax.text(column, height, face.text, ha="center", va="center", fontsize=size, linespacing=1.25)
    left = column - BAR_HALF
    for part, color in zip(face.bar or (), (BETTER, EVEN, WORSE), strict=False):
        ax.barh(row + BAR_TOP + BAR_HEIGHT / 2, 2 * BAR_HALF * part, BAR_HEIGHT, left=left, color=color)
        left += 2 * BAR_HALF * part


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Matrix(Picture):
    """Every method against every other, ready to be drawn; `sign_caption` says how to read it where the paper is too narrow for words."""

    methods: tuple[str, ...]
    cells: dict[tuple[str, str], Any]
    sign_caption: str

    @property
    def has_numbers(self) -> bool:
        """Whether cells hold numbers; where methods are many they hold a sign."""
        return len(self.methods) <= MOST_WITH_NUMBERS

    @abstractmethod
    def face(self, pair: Any, *, full: bool = True) -> Face:
        """What stands in a cell: words and numbers, or a sign."""

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        import matplotlib as mpl

        full = has_room_for_numbers(len(self.methods), paper)
        with mpl.rc_context({"axes.grid": False}):
            if ax is None:
                said = self.caption if full or not self.has_numbers else self.sign_caption
                ax = paper.page(*size_of(len(self.methods), paper), self.headline, said).subplots()
            self.axes_["pairs"] = ax
            faces = {at: self.face(pair, full=full) for at, pair in self.cells.items()}
            draw_matrix(ax, self.methods, faces, paper, full=full)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairsDisplay(Matrix):
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

    cells: dict[tuple[str, str], Pair]
    question: Question

    def __repr__(self) -> str:
        return f"PairsDisplay({len(self.methods)} methods, {len(self.cells) // 2} pairs)"

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

    def face(self, pair: Pair, *, full: bool = True) -> Face:
        """What stands in a cell, on the color of its conclusion."""
        colors = {1: BETTER, -1: WORSE, 0: UNDECIDED}
        return Face(self.text(pair) if full else _sign(pair), colors[pair.certain])


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
    if n == 1 and not separated:
        return f"Whether the two methods differ by more than {m} cannot be told"
    if n == 1:
        return f"{who} certainly differ by more than {m}"
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


COLOR = {"ahead": BETTER, "behind": WORSE, "cross": EVEN, "cannot tell": UNDECIDED}
# A pair costs some milliseconds, since nobody else is in its field; more would not be read either.
MOST_COMPARED = 40
SIGN = {"ahead": "+", "behind": "−", "cross": "±", "cannot tell": "?"}
WORDS = {
    "ahead": "ahead at some τ",
    "behind": "behind at some τ",
    "cross": "each ahead at some τ",
    "cannot tell": "cannot tell",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProfilePairsDisplay(Matrix):
    """The matrix of pairs of a profile, ready to be drawn.

    Attributes
    ----------
    profile : Profile
        Whose methods are compared.
    methods : tuple of str
        Rows and columns, the largest area first.
    cells : dict
        By (row, column): the pair, the method of the row first.
    sign_caption : str
        How to read it where the paper is too narrow for words.
    """

    profile: Profile
    cells: dict[tuple[str, str], PairOfCurves]

    def __repr__(self) -> str:
        return f"ProfilePairsDisplay({self.profile.kind}, {len(self.methods)} methods, {len(self.cells) // 2} pairs)"

    def face(self, pair: PairOfCurves, *, full: bool = True) -> Face:
        """What stands in a cell: who is ahead, on how many problems the row's method won and lost, and a bar of these."""
        if not full or not self.has_numbers:
            return Face(SIGN[pair.conclusion], COLOR[pair.conclusion])
        counts = pair.wins, pair.ties, pair.losses
        won = f"{pair.wins} won, {pair.losses} lost" + (f",\n{pair.ties} tied" if pair.ties else "")
        said = [WORDS[pair.conclusion]] if self.profile.band != "none" else []
        n = sum(counts)
        return Face("\n".join([*said, won]), COLOR[pair.conclusion], (counts[0] / n, counts[1] / n, counts[2] / n))


def profile_pairs(profile: Profile) -> ProfilePairsDisplay:
    """Every method of a profile against every other, with nobody else in the field.

    Examples
    --------
    >>> from ogive.profiles import performance_profile
    >>> display = profile_pairs(performance_profile({"a": [1.0] * 40, "b": [2.0] * 40, "c": [1.0, 2.0] * 20}, goal="minimize"))
    >>> display.cells["a", "b"].conclusion, display.cells["b", "a"].conclusion
    ('ahead', 'behind')
    """
    methods = by_area(profile)
    said = ""
    if len(methods) > MOST_COMPARED:
        said = f"Shown: the {MOST_COMPARED} of {len(methods)} methods with the largest area. "
        methods = methods[:MOST_COMPARED]
    asked = [(a, b) for a in methods for b in methods if a != b]
    cells = {(a, b): profile.compare(a, b) for a, b in counting(asked, "comparing methods, by pair")}
    return ProfilePairsDisplay(
        profile=profile, methods=methods, cells=cells, headline=_profile_headline(profile, methods, cells),
        caption=f"{said}{_profile_caption(profile, full=len(profile.methods) <= MOST_WITH_NUMBERS)}", sign_caption=f"{said}{_profile_caption(profile, full=False)}",
    )  # fmt: skip


def _profile_headline(profile: Profile, methods: tuple[str, ...], cells: dict[tuple[str, str], PairOfCurves]) -> str:
    """In how many pairs somebody is ahead, and who is so most often."""
    n = len(cells) // 2
    if profile.band == "none":
        return f"{plural(n, 'pair')} described without a verdict"
    if n == 1:
        a, b = methods
        return of_two(a, b, cells[a, b].conclusion)
    ahead = Counter(a for (a, _), pair in cells.items() if pair.conclusion == "ahead")
    if not ahead:
        return f"In none of {n} pairs is one method certainly ahead at some τ, which is no sign of equality"
    most = max(ahead.values())
    first = [m for m in methods if ahead[m] == most]
    others = len(methods) - 1
    who = clipped(first[0], LONGEST_NAME) if len(first) == 1 else f"{len(first)} methods"
    cut = " shown" if len(methods) < len(profile.methods) else ""
    often = (
        f"{who} is so against {all_others(others)}{cut}" if most == others else f"{who} most often ({most} of {others})"
    )
    return f"In {ahead.total()} of {n} pairs one method is certainly ahead at some τ and behind at none; {often}"


def _profile_caption(profile: Profile, *, full: bool) -> str:
    unit = "task" if profile.kind == "score" else "problem"
    better = "had the better mean" if profile.kind == "score" else "was the better of the two"
    n = len(profile.methods) * (len(profile.methods) - 1) // 2
    text = "Read a row: "
    if full:
        counts = f"on how many of {plural(len(profile.problems), unit)} the row's method {better}"
        text += f"won and lost say {counts}; the bar shows the same (blue won, gray tied or both failed, orange lost). "
    if profile.band == "none":
        return f"{text}Without a band nothing says how sure this is."
    together = f" for all {n:,} pairs together" if n > 1 else ""
    sure = profile.strength
    signs = "" if full else " + ahead, − behind, ± each at some τ, ? cannot tell."
    return (
        f"{text}Ahead, on blue: its profile lies above the column's at some τ and below it at none, with "
        f"{percent_sure(profile.confidence)} confidence{together}, {scope(profile)}{profile.estimated} ({sure}). Behind, on orange: the reverse. "
        f"Gray: each is ahead at some τ. White: it cannot be told, which is no sign of equality.{signs}"
    )
