"""Distributions one above the other: at chosen training-set sizes, or for values of a hyper-parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._look import COLORS
from ogive.plots._page import Paper, Picture
from ogive.trials import FloatArray
from ogive.words import clipped, listed, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ogive.curves import CrossValidation, LearningCurves, Slice

ROW, LONGEST_NAME = 0.52, 30
ONE, SEVERAL = COLORS[0], COLORS[1]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SlicesDisplay(Picture):
    """Distributions one above the other, ready to be drawn.

    Attributes
    ----------
    slices : tuple of Slice
        What is drawn, from the top down.
    labels : tuple of str
        What each is called.
    fills_ : set by `plot`
        The shape of each, by its label.
    """

    height: ClassVar[float] = 0.86  # of a row, for the highest point of its curve
    slices: tuple[Slice, ...]
    labels: tuple[str, ...]
    metric: str
    goal: str
    fills_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"SlicesDisplay({len(self.slices)} distributions of {self.metric})"

    @staticmethod
    def color(one: Slice) -> str:
        """The color of a distribution: whether it has one mode or more."""
        return SEVERAL if one.several_modes else ONE

    @classmethod
    def heights(cls, one: Slice, base: float) -> FloatArray:
        """The curve of a distribution in a row that stands on `base`."""
        return np.asarray(base + cls.height * one.density / float(one.density.max()))

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is None:
            ax = self._new_figure(paper)
        self.axes_.clear()
        self.fills_.clear()
        self.axes_["slices"] = ax
        for i, (one, label) in enumerate(zip(self.slices, self.labels, strict=True)):
            self._row(ax, len(self.slices) - 1 - i, one, label)
        ax.set_yticks(
            range(len(self.slices)), [clipped(label, paper.longest(LONGEST_NAME)) for label in reversed(self.labels)]
        )
        ax.set_ylim(-0.12, len(self.slices))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"{printable(self.metric)} ({Metric.toward(self.goal).good_side} is better)")

    def _new_figure(self, paper: Paper) -> Axes:
        from matplotlib.patches import Patch

        kinds = [(ONE, "one mode fits"), (SEVERAL, "more than one mode")]
        several = {one.several_modes for one in self.slices}
        handles = [Patch(color=c, alpha=0.55, label=t) for c, t in kinds if (t == kinds[1][1]) in several]
        return paper.page(
            paper.wide(6.4), ROW * len(self.slices) + 0.75, self.headline, self.caption, handles
        ).subplots()

    def _row(self, ax: Axes, base: int, one: Slice, label: str) -> None:
        color = self.color(one)
        if one.grid.size:
            self.fills_[label] = ax.fill_between(
                one.grid, base, self.heights(one, base), color=color, alpha=0.55, linewidth=0.8, zorder=2
            )
        else:
            value = float(one.scores[0]) if one.scores.size else np.nan
            (self.fills_[label],) = ax.plot(
                [value, value], [base, base + self.height], color=color, linewidth=2.5, zorder=2
            )
        if one.scores.size:
            mean = float(one.scores.mean())
            ax.plot([mean, mean], [base, base + 0.30], color="black", linewidth=1.4, zorder=3)


def slices(
    curves: LearningCurves, sizes: Sequence[int] | None = None, *, model: str | None = None, metric: str | None = None
) -> SlicesDisplay:
    """The distributions of one model at several sizes, or of all models at one size."""
    name = curves.metric_name(metric)
    if model is None and len(curves.models) > 1:
        size = int(curves.sizes[-1]) if sizes is None else int(sizes[0])
        if sizes is not None and len(sizes) > 1:
            raise InputError("`model` must be named for several sizes; without it all models are shown at one size.")
        found = curves.densities([size], metric=name)
        return _display(found, tuple(one.model for one in found), name, curves, f"at n = {size}", "model", "models")
    chosen = _spread(curves.sizes.tolist()) if sizes is None else list(sizes)
    found = curves.densities(chosen, model, name)
    where = clipped(found[0].model, LONGEST_NAME)
    return _display(found, tuple(f"n = {one.size}" for one in found), name, curves, f"of {where}", "size", "sizes")


def cross_validation(cv: CrossValidation, metric: str | None = None) -> SlicesDisplay:
    """The distribution of fold scores for every setting of a hyper-parameter."""
    name = cv.metrics[0] if metric is None else metric
    found = cv.slices(name)
    return _display(found, cv.settings, name, cv, "of single folds", "setting", "settings")


def _spread(sizes: list[int], most: int = 7) -> list[int]:
    places = np.unique(np.round(np.linspace(0, len(sizes) - 1, min(most, len(sizes)))).astype(int))
    return [sizes[i] for i in places]


def _display(
    found: tuple[Slice, ...], labels: tuple[str, ...], metric: str, source: Any, where: str, word: str, words: str
) -> SlicesDisplay:
    several = [label for one, label in zip(found, labels, strict=True) if one.several_modes]
    tested = sum(one.dip is not None for one in found)
    if not tested:
        said = f"{printable(metric)} {where}: too few different scores to look for modes"
    elif not several:
        which = f"every {word}" if tested == len(found) else f"every {word} that can be tested"
        said = f"{printable(metric)} {where}: one mode fits {which}"
    elif len(several) <= 3:
        said = (
            f"{printable(metric)} {where}: more than one mode for {listed([clipped(s, LONGEST_NAME) for s in several])}"
        )
    else:
        said = f"{printable(metric)} {where}: more than one mode for {len(several)} of {plural(len(found), words)}"
    n = found[0].scores.size
    heuristic = any(one.dip is not None and one.dip.guarantee == "heuristic" for one in found)
    folds = " Folds of a repeat share training rows, so the test is heuristic." if heuristic else ""
    return SlicesDisplay(
        slices=found, labels=labels, metric=metric, goal=source.definitions[metric].goal, headline=said[0].upper() + said[1:],
        caption=(
            f"Each row: how often a score occurs among {n} scores, all rows equally high; black: the mean; a bare line: all scores are "
            f"equal. More than one mode: the dip test rejects a single one at 0.05, row by row.{folds} {source.scope[0].upper()}{source.scope[1:]}."
        ),
    )  # fmt: skip
