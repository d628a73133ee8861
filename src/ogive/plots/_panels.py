"""Pictures with a panel for each task: one base for where panels stand; what is in them is each picture's own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ogive.errors import InputError
from ogive.plots._look import Look, grid, looks
from ogive.plots._page import Drawable, Paper
from ogive.stages import counting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Panels(Drawable):
    """A panel for each task, methods as colors."""

    # How one task is chosen, for the message that only one fits into the caller's axes.
    one_task: ClassVar[str]
    one_scale: ClassVar[bool] = False  # of the vertical axes
    least_width: ClassVar[float] = 1.35  # inches of a panel, below which fewer stand side by side

    @property
    @abstractmethod
    def entries(self) -> Sequence[Any]:
        """What is drawn; each has a task and an algorithm."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Panels, in order."""
        return tuple(dict.fromkeys(entry.task for entry in self.entries))

    if TYPE_CHECKING:  # a picture may keep them as a field, which a property here would forbid

        @property
        def methods(self) -> tuple[str, ...]:
            """Curves or rows, in order."""

    @property
    def style(self) -> dict[str, Look]:
        """How each method is drawn."""
        return looks(self.methods)

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is not None and len(self.tasks) > 1:
            raise InputError(f"`ax` can hold one task; there are {len(self.tasks)}. Leave it out, or {self.one_task}.")
        style = self.style
        panels = {self.tasks[0]: ax} if ax is not None else self._new_panels(style, paper)
        self.axes_.clear()
        self._artists().clear()
        for task, panel in counting(list(panels.items()), "drawing, by task"):
            self.axes_[task] = panel
            self._panel(panel, [entry for entry in self.entries if entry.task == task], style, paper)

    def _new_panels(self, style: dict[str, Look], paper: Paper) -> dict[str, Axes]:
        rows, columns = grid(len(self.tasks), paper.columns(self.least_width))
        middle = self._frame(rows, columns, style, paper)
        axes = np.atleast_1d(middle.subplots(rows, columns, sharey=self.one_scale)).ravel()
        for unused in axes[len(self.tasks) :]:
            unused.set_visible(False)
        return dict(zip(self.tasks, axes, strict=False))

    @abstractmethod
    def _artists(self) -> dict[tuple[str, str], Any]:
        """What was drawn last, by (task, method)."""

    @abstractmethod
    def _frame(self, rows: int, columns: int, style: dict[str, Look], paper: Paper) -> SubFigure:
        """A new page with room for so many panels, and the words around them."""

    @abstractmethod
    def _panel(self, ax: Axes, entries: list[Any], style: dict[str, Look], paper: Paper) -> None:
        """Draw one task."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurvePanels(Panels):
    """Panels with a curve for each method; `lines_` are the curves that `plot` drew, by (task, method)."""

    lines_: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Curves, in order."""
        return tuple(dict.fromkeys(entry.algorithm for entry in self.entries))

    def _artists(self) -> dict[tuple[str, str], Any]:
        return self.lines_
