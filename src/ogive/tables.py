"""One table, many forms: text, Markdown, HTML, LaTeX, comma-separated values.

A cell is a name, a number, or a number with its interval, until the last moment; each form writes it in its way.
"""

from __future__ import annotations

import html
import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ogive.words import aligned, comma_separated, interval, latex, latex_math, markdown, number, printable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Ranged:
    """A number with its interval; bold where a paper would print it so."""

    estimate: float
    low: float = math.nan
    high: float = math.nan
    bold: bool = False

    def __str__(self) -> str:
        limited = math.isfinite(self.low) or math.isfinite(self.high)
        return interval(self.estimate, self.low, self.high) if limited else number(self.estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A head, rows as long as it, a title above and sentences below; the first column holds names.

    Examples
    --------
    >>> table = Table(head=("method", "mean"), rows=(("a_1", Ranged(0.8, 0.7, 0.9)), ("b", Ranged(0.5))), below=("Brackets: 95 %.",))
    >>> print(table.to_text())
    method  mean
    a_1     0.80 [0.70, 0.90]
    b       0.500
    <BLANKLINE>
    Brackets: 95 %.
    >>> print(table.to_markdown())
    | method | mean |
    | --- | --- |
    | a\\_1 | 0.80 [0.70, 0.90] |
    | b | 0.500 |
    <BLANKLINE>
    Brackets: 95 %.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    title: str = ""
    below: tuple[str, ...] = ()

    def to_text(self, width: int | None = None) -> str:
        """Aligned lines; a table wider than `width` continues below with further columns."""
        whole = [[printable(cell) for cell in self.head], *([_plain(cell) for cell in row] for row in self.rows)]
        parts = ["\n".join(aligned(part)) for part in _folded(whole, width)]
        top = f"{printable(self.title)}\n" if self.title else ""
        return top + "\n\n".join([*parts, *(["\n".join(self.below)] if self.below else [])])

    def to_markdown(self) -> str:
        """A table as GitHub and others draw it."""
        top = [f"**{markdown(self.title)}**", ""] if self.title else []
        lines = [" | ".join(markdown(h) for h in self.head), " | ".join("---" for _ in self.head)]
        lines += [" | ".join(_marked(cell) for cell in row) for row in self.rows]
        below = ["", "\n".join(markdown(line) for line in self.below)] if self.below else []
        return "\n".join([*top, *(f"| {line} |" for line in lines), *below])

    def to_html(self) -> str:
        """A table and paragraphs; nothing in a name is read as HTML."""
        top = f"<caption>{html.escape(printable(self.title))}</caption>" if self.title else ""
        head = "".join(f"<th>{html.escape(printable(h))}</th>" for h in self.head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_plain(c))}</td>" for c in row) + "</tr>" for row in self.rows
        )
        below = "".join(f"<p>{html.escape(printable(line))}</p>" for line in self.below if line)
        return f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"

    def to_latex(self) -> str:
        r"""A tabular of the package booktabs, the sentences as its last line."""
        heads = [latex(h) for h in self.head]
        lines = [
            r"\begin{tabular}{l" + "c" * (len(heads) - 1) + "}",
            r"\toprule",
            " & ".join([heads[0][:1].upper() + heads[0][1:], *heads[1:]]) + r" \\",
            r"\midrule",
        ]
        lines += [" & ".join(_typeset(cell) for cell in row) + r" \\" for row in self.rows]
        lines.append(r"\bottomrule")
        below = latex(" ".join(line for line in (f"{self.title}." if self.title else "", *self.below) if line))
        if below:
            lines.append(rf"\multicolumn{{{len(heads)}}}{{p{{0.9\linewidth}}}}{{\footnotesize {below}}} \\")
        return "\n".join([*lines, r"\end{tabular}", ""])

    def to_csv(self, *, raw: bool = False) -> str:
        """Comma-separated values, an interval in three columns; names that nobody runs, unless `raw`."""
        wide = [i for i, _ in enumerate(self.head) if any(isinstance(row[i], Ranged) for row in self.rows)]
        head = [part for i, h in enumerate(self.head) for part in ((h, f"{h} low", f"{h} high") if i in wide else (h,))]
        rows = [[part for i, cell in enumerate(row) for part in _parts(cell, i in wide)] for row in self.rows]
        return comma_separated(head, rows, raw=raw)


class Tabular(ABC):
    """A result that is one table or several: each form of it comes from these."""

    __slots__ = ()

    @abstractmethod
    def as_tables(self) -> tuple[Table, ...]:
        """The result as tables, and what must be said below them."""

    def to_markdown(self) -> str:
        """Markdown, for a comment or a README."""
        return "\n\n".join(table.to_markdown() for table in self.as_tables()) + "\n"

    def to_latex(self) -> str:
        r"""LaTeX, with \usepackage{booktabs}."""
        return "\n".join(table.to_latex() for table in self.as_tables())

    @abstractmethod
    def to_pandas(self) -> pd.DataFrame:
        """One row for each entry."""

    def plot(self, **asked: Any) -> Any:
        """Draw it: the Display of `ogive.plots` for such a result; arguments as for its `plot`."""
        # Pictures stand above results; the way up is taken only when somebody asks for one, as pandas does.
        return importlib.import_module("ogive.plots").of(self).plot(**asked)

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.as_tables())


class Recorded(Tabular):
    """A result whose frame has one row for each of its records; for rooms that know only arrays."""

    __slots__ = ()

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """What `to_pandas` has as rows."""

    def to_pandas(self) -> pd.DataFrame:
        """One row for each entry."""
        frame: pd.DataFrame = importlib.import_module("pandas").DataFrame(self.records())
        return frame


def _plain(cell: object) -> str:
    return number(cell) if isinstance(cell, float) else printable(cell)


def _marked(cell: object) -> str:
    text = _plain(cell) if isinstance(cell, Ranged | float | int) else markdown(str(cell))
    return f"**{text}**" if isinstance(cell, Ranged) and cell.bold else text


def _typeset(cell: object) -> str:
    if isinstance(cell, Ranged | float | int) and not isinstance(cell, bool):
        text = latex_math(_plain(cell))
        return rf"$\mathbf{{{text}}}$" if isinstance(cell, Ranged) and cell.bold else f"${text}$"
    return latex(str(cell)) if cell is not None else "--"


def _parts(cell: object, wide: bool) -> Sequence[object]:
    if not wide:
        return (cell,)
    return (cell.estimate, cell.low, cell.high) if isinstance(cell, Ranged) else (cell, None, None)


def _folded(table: list[list[str]], width: int | None) -> list[list[list[str]]]:
    """The table; in parts that repeat the first column where all columns together are wider than `width`."""
    widths = [max(len(row[i]) for row in table) + 2 for i in range(len(table[0]))]
    parts: list[list[int]] = [[0]]
    for column in range(1, len(widths)):
        if width is not None and len(parts[-1]) > 1 and sum(widths[c] for c in (*parts[-1], column)) - 2 > width:
            parts.append([0])
        parts[-1].append(column)
    return [[[row[c] for c in part] for row in table] for part in parts]
