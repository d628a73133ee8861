"""Performance profiles: how often each method is within τ of the best, as steps with bands."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import FloatArray
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._page import Look, Paper, Picture, looks
from ogive.profiles import Conclusion, Profile, Steps
from ogive.stages import counting
from ogive.words import clipped, listed, percent_sure, plural, printable, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 6.4, 3.9
LONGEST_NAME = 24
# More bands than this hide the curves; then only the leaders have theirs.
MOST_BANDS, LEADERS = 3, 2
# There are 28 looks; of more methods only those are drawn that a reader can tell apart.
MOST_CURVES, DRAWN_CURVES = 28, 12
LABEL_STEP = 0.052
X_LABELS = {
    "ratio": "τ: times as much as the best method needs",
    "difference": "τ: distance from the best score",
    "improvement": "τ: how much more often than half of the time the best method wins",
    "welch": "τ: −log10 p of a Welch test against the best",
    "rank": "τ: −log10 p of a rank test against the best",
    "score": "score τ",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProfileDisplay(Picture):
    """The curves of a profile, ready to be drawn.

    Attributes
    ----------
    profile : Profile
        What is drawn.
    order : tuple of str
        Methods, the largest area first.
    banded : tuple of str
        The methods whose bands are drawn.
    tau_max : float
        Where the picture ends.
    lines_, bands_ : set by `plot`
        The curves and the shaded bands by method.
    """

    profile: Profile
    order: tuple[str, ...]
    banded: tuple[str, ...]
    tau_max: float
    lines_: dict[str, Any] = field(default_factory=dict)
    bands_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"ProfileDisplay({self.profile.kind}, {len(self.order)} methods)"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        style = self.style
        # Falling curves end at one place, and a narrow picture has no room beside it: their names stand above.
        keyed = ax is None and (paper.narrow or not self.profile.rising)
        if ax is None:
            height = paper.tall(WIDTH, HEIGHT)
            above = self._handles(style) if keyed else []
            ax = paper.page(paper.wide(WIDTH), height, self.headline, self.caption, above).subplots()
        self.axes_["profile"] = ax
        for method in reversed(self.drawn):  # the best one on top
            self._curve(ax, method, style[method])
        self._axes(ax, paper)
        if not keyed:
            self._labels(ax, style)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Methods with a curve: all, or of very many those with the largest area."""
        return self.order if len(self.order) <= MOST_CURVES else self.order[:DRAWN_CURVES]

    @property
    def style(self) -> dict[str, Look]:
        """How each curve looks; among all methods the same wherever the picture is drawn."""
        return looks(self.profile.methods if len(self.drawn) == len(self.order) else self.drawn)

    def steps(self, method: str) -> Steps:
        """The corners of one curve, up to `tau_max`."""
        s = self.profile.steps(method)
        kept = s.tau <= self.tau_max
        return Steps(
            np.append(s.tau[kept], self.tau_max), *(np.append(v[kept], v[kept][-1]) for v in (s.estimate, s.low, s.high))
        )  # fmt: skip

    @property
    def labels(self) -> tuple[str, str]:
        """What stands along the axes."""
        large = self.profile.goal == "maximize"
        if self.profile.kind != "score":
            over = self.profile.kind == "ratio" and large
            across = "τ: the best method's score over this one's" if over else X_LABELS[self.profile.kind]
            return across, "share of problems within τ"
        better = "better than τ" if self.profile.strict else "as good as τ or better"
        return (
            f"{X_LABELS['score']} ({Metric.toward(self.profile.goal).good_side} is better)",
            f"share of runs {better}",
        )

    @property
    def powers(self) -> FloatArray:
        """Powers of two along the axis of ratios, nine at most."""
        first = self.profile.start
        steps = np.arange(math.floor(math.log2(first)), math.ceil(math.log2(self.tau_max)) + 1)
        ticks = np.exp2(steps[:: max(1, -(-steps.size // 9))], dtype=np.float64)
        return ticks[(ticks >= first) & (ticks <= self.tau_max)]

    def _curve(self, ax: Axes, method: str, look: Look) -> None:
        s = self.steps(method)
        if method in self.banded:
            self.bands_[method] = ax.fill_between(
                s.tau, s.low, s.high, step="post", color=look.color, alpha=0.16, linewidth=0, zorder=2
            )
        (line,) = ax.step(
            s.tau, s.estimate, where="post", color=look.color, linestyle=look.style, linewidth=1.8, zorder=3,
            label=printable(method),
        )  # fmt: skip
        self.lines_[method] = line

    def _axes(self, ax: Axes, paper: Paper) -> None:
        if self.profile.kind == "ratio":
            ax.set_xscale("log", base=2)
            powers = self.powers[:: 2 if paper.narrow and self.powers.size > 5 else 1]
            ax.set_xticks(powers, [f"{t:g}×" for t in powers])
            ax.minorticks_off()
        ax.set_xlim(self.profile.start, self.tau_max)
        ax.set_ylim(0.0, 1.015)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        across, up = self.labels
        ax.set_xlabel(paper.fit(across, 0.8 * paper.wide(WIDTH), 8))
        ax.set_ylabel(paper.fit(up, 0.8 * paper.tall(WIDTH, HEIGHT), 8))

    def _handles(self, style: dict[str, Look]) -> list[Any]:
        from matplotlib.lines import Line2D

        return [
            Line2D(
                [], [], color=style[m].color, linestyle=style[m].style, linewidth=1.8, label=clipped(m, LONGEST_NAME)
            )
            for m in self.drawn
        ]

    def _labels(self, ax: Axes, style: dict[str, Look]) -> None:
        """Names beside the ends of the curves, or where the curves lie apart for falling ones."""
        if not self.profile.rising:
            ax.legend(handles=[self.lines_[m] for m in self.drawn], loc="upper right", frameon=False)
            return
        ends = {m: float(self.lines_[m].get_ydata()[-1]) for m in self.drawn}
        # Curves that end level keep their order by area: the largest one is named on top.
        upwards = sorted(self.drawn, key=lambda m: (ends[m], -self.drawn.index(m)))
        for method, height in zip(upwards, _spread([ends[m] for m in upwards]), strict=True):
            ax.annotate(
                clipped(method, LONGEST_NAME), (1.0, height), xycoords=("axes fraction", "data"), xytext=(6, 0),
                textcoords="offset points", va="center", color=style[method].color, fontsize=8.5, annotation_clip=False,
            )  # fmt: skip


def _spread(heights: list[float]) -> list[float]:
    """Increasing heights moved apart so that labels do not touch, as near to their places as the top allows."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LABEL_STEP) if placed else height)
    ceiling = 1.0
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - LABEL_STEP
    return placed


def profile(profile: Profile, *, tau_max: float | None = None, bands: str = "auto") -> ProfileDisplay:
    """The curves of a profile as steps with bands; ratios on a log2 axis.

    Parameters
    ----------
    tau_max : float, optional
        Where the picture ends; a little beyond the largest distance where not given.
    bands : {"auto", "all", "none"}
        `auto`: of all methods up to three, else of the two with the largest area.

    Examples
    --------
    >>> from ogive.profiles import performance_profile
    >>> profile(performance_profile({"a": [1.0, 2.0, 9.0], "b": [2.0, 1.0, 3.0]}, goal="minimize"))
    ProfileDisplay(ratio, 2 methods)
    """
    if bands not in ("auto", "all", "none"):
        raise InputError(f"`bands` must be 'auto', 'all' or 'none'; got {bands!r}.")
    order = by_area(profile)
    leaders = order[:LEADERS] if bands != "all" and len(order) > MOST_BANDS else order
    shown = (
        f"Shown: the {DRAWN_CURVES} of {len(order)} methods with the highest curves. "
        if len(order) > MOST_CURVES
        else ""
    )
    return ProfileDisplay(
        profile=profile, order=order, banded=() if bands == "none" or profile.band == "none" else leaders,
        tau_max=_end(profile, tau_max), headline=_headline(profile, order), caption=f"{shown}{_caption(profile, leaders, bands)}",
    )  # fmt: skip


def by_area(profile: Profile) -> tuple[str, ...]:
    """Methods, the largest area first."""
    areas = profile.area()
    return tuple(sorted(profile.methods, key=lambda m: -areas[m].estimate))


def _end(profile: Profile, tau_max: float | None) -> float:
    if tau_max is not None:
        if not profile.start < tau_max < math.inf:
            raise InputError(f"`tau_max` must be a finite number above {profile.start:g}; got {tau_max}.")
        return float(tau_max)
    if profile.kind == "ratio":
        return max(profile.end, 2.0) * 1.25
    if profile.kind == "score":
        # Beyond the best twentieth of every method's runs there is little to see.
        ends = [i.estimate for i in profile.reach(0.05 if not profile.rising else 0.95).values()]
        seen = max((e for e in ends if math.isfinite(e)), default=profile.end)
        return seen if seen > profile.start else profile.start + 1.0
    return profile.end * 1.03 if profile.end > 0.0 else 1.0


def _headline(profile: Profile, order: tuple[str, ...]) -> str:
    """Who leads, over whom that is certain, and over whom it is not."""
    first = clipped(order[0], LONGEST_NAME)
    if profile.band == "none":
        wins = float(profile.wins[profile.methods.index(order[0])])
        return f"{first} has the highest curve on average; best on {share(wins)} of {plural(len(profile.problems), 'problem')}"
    found = {
        m: profile.compare(order[0], m).conclusion for m in counting(order[1:], "comparing the leader with the others")
    }
    behind = [m for m, c in found.items() if c == "ahead"]
    if len(order) == 2:
        return of_two(order[0], order[1], found[order[1]])
    areas = {m: area.estimate for m, area in profile.area().items()}
    level = [m for m in profile.methods if math.isclose(areas[m], areas[order[0]], abs_tol=1e-12)]
    if len(level) > 1:
        return (
            f"{listed([clipped(m, LONGEST_NAME) for m in level])} have the highest curve on average, with equal areas"
        )
    if len(behind) == len(found):
        return f"{first} is ahead of {all_others(len(found))} for some τ"
    open_ = [clipped(m, LONGEST_NAME) for m in found if m not in behind]
    named = listed(open_) if len(open_) <= 3 else plural(len(open_), "other")
    are = "is" if len(open_) == 1 else "are"
    return f"{first} has the highest curve on average; by the curves alone {named} {are} not certainly behind it"


def scope(profile: Profile) -> str:
    """What the bands speak of."""
    return {
        "problems": "if these problems are a random sample of problems like them", "runs": "for other runs on these tasks",
    }.get(profile.random, "if these tasks are a random sample of tasks like them")  # fmt: skip


def all_others(n: int) -> str:
    """`both others`, `all 3 others`."""
    return "both others" if n == 2 else f"all {n} others"


def of_two(a: str, b: str, conclusion: Conclusion) -> str:
    """The headline where there are two methods."""
    first, other = (clipped(name, LONGEST_NAME) for name in (a, b))
    words = {
        "ahead": f"{first} is ahead of {other} for some τ", "behind": f"{first} is behind {other} for some τ",
        "cross": f"{first} and {other} are each ahead somewhere", "cannot tell": f"Whether {first} or {other} is ahead cannot be told",
    }  # fmt: skip
    return words[conclusion]


def _caption(profile: Profile, leaders: tuple[str, ...], bands: str) -> str:
    n = len(profile.problems)
    most = "less than" if profile.strict else "at most"
    twice = f"the best method has {most} twice as much as this one" if profile.goal == "maximize" else f"a method needs {most} twice as much as the best one"  # fmt: skip
    better = "better than τ" if profile.strict else "as good as τ or better"
    reads = {
        "ratio": f"Read: at 2×, the share of {plural(n, 'problem')} on which {twice}{profile.estimated}. Left edge: how often it is the best; right end: how often it succeeds at all.",
        "score": f"Read: the share of a method's runs that are {better}, averaged over {plural(n, 'task')}.",
    }.get(profile.kind, f"Read: the share of {plural(n, 'problem')} on which a method is within τ of the best one{profile.estimated}. Left edge: how often it is the best.")  # fmt: skip
    text = f"{reads} Higher curves are better; curves that cross give no order, and no sign of equality."
    if profile.band != "none" and bands != "none":
        whose = "" if len(leaders) == len(profile.methods) else f", for {listed([printable(m) for m in leaders])} only, to keep the others readable"  # fmt: skip
        text += (
            f" Shaded: where the whole curve lies with {percent_sure(profile.confidence)} confidence for {profile.together}, "
            f"{scope(profile)} ({profile.band} band, {profile.strength}){whose}."
        )
    return text
