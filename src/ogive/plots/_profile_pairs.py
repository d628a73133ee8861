"""Every method against every other, two at a time: who is ahead over many problems, and how often it won."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ogive.plots._matrix import (
    BETTER,
    EVEN,
    LONGEST_NAME,
    MOST_WITH_NUMBERS,
    UNDECIDED,
    WORSE,
    Face,
    draw_matrix,
    has_room_for_numbers,
    size_of,
)
from ogive.plots._page import Paper, Picture
from ogive.plots._profile import by_area, of_two, scope
from ogive.profiles import PairOfCurves, Profile
from ogive.stages import counting
from ogive.words import clipped, percent_sure, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
class ProfilePairsDisplay(Picture):
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
    methods: tuple[str, ...]
    cells: dict[tuple[str, str], PairOfCurves]
    sign_caption: str

    def __repr__(self) -> str:
        return f"ProfilePairsDisplay({self.profile.kind}, {len(self.methods)} methods, {len(self.cells) // 2} pairs)"

    def face(self, pair: PairOfCurves, *, full: bool = True) -> Face:
        """What stands in a cell: who is ahead, on how many problems the row's method won and lost, and a bar of these."""
        if not full or len(self.methods) > MOST_WITH_NUMBERS:
            return Face(SIGN[pair.conclusion], COLOR[pair.conclusion])
        counts = pair.wins, pair.ties, pair.losses
        won = f"{pair.wins} won, {pair.losses} lost" + (f",\n{pair.ties} tied" if pair.ties else "")
        said = [WORDS[pair.conclusion]] if self.profile.band != "none" else []
        n = sum(counts)
        return Face("\n".join([*said, won]), COLOR[pair.conclusion], (counts[0] / n, counts[1] / n, counts[2] / n))

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        import matplotlib as mpl

        full = has_room_for_numbers(len(self.methods), paper)
        with mpl.rc_context({"axes.grid": False}):
            if ax is None:
                said = self.caption if full or len(self.methods) > MOST_WITH_NUMBERS else self.sign_caption
                ax = paper.page(*size_of(len(self.methods), paper), self.headline, said).subplots()
            self.axes_.clear()
            self.axes_["pairs"] = ax
            faces = {at: self.face(pair, full=full) for at, pair in self.cells.items()}
            draw_matrix(ax, self.methods, faces, paper, full=full)


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
        profile=profile, methods=methods, cells=cells, headline=_headline(profile, methods, cells),
        caption=f"{said}{_caption(profile, full=len(profile.methods) <= MOST_WITH_NUMBERS)}", sign_caption=f"{said}{_caption(profile, full=False)}",
    )  # fmt: skip


def _headline(profile: Profile, methods: tuple[str, ...], cells: dict[tuple[str, str], PairOfCurves]) -> str:
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
        f"{who} is ahead of all {others} others{cut}" if most == others else f"{who} most often ({most} of {others})"
    )
    return f"In {ahead.total()} of {n} pairs one method is certainly ahead at some τ and behind at none; {often}"


def _caption(profile: Profile, *, full: bool) -> str:
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
