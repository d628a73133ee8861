"""The figures of Turan, Loog and Tax (2026) from committed results: each function draws one and says what it shows.

`ogive reproduce turan2026 --figure 2a` draws one of them. Nothing is drawn where its results are not there yet.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import database
import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ogive import curves, plots, writing

DPI = 110
BINS = 20
LOOK = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e5e5e5",
    "grid.linewidth": 0.6, "figure.facecolor": "white",
}  # fmt: skip
PAPER_NAMES = {ours: theirs for theirs, ours in database.NAMES.items()}
# What the paper reads off its Figure 1a, and the statistic of ours that comes next to it.
CROSSING = {
    "the mean": ("mean", "n > 100"),
    "the 5 % quantile": ("q0.05", "n > 200"),
    "the 90 % quantile": ("q0.9", "n > 80"),
}


def kept(name: str) -> curves.LearningCurves | None:
    """Curves that were kept whole."""
    path = database.RESULTS / f"figure-{name}.parquet"
    return curves.read(path) if path.exists() else None


def figure_1a(_: pd.DataFrame, target: Path) -> str:
    """QDC against LREG on OpenML-46597."""
    found = kept("1a")
    if found is None:
        return ""
    plots.learning_fan(found).save(target, dpi=DPI)
    said = [
        f"by {name} {crossed(found, statistic)} (published: {where})" for name, (statistic, where) in CROSSING.items()
    ]
    return f"{PAPER_NAMES['qda']} overtakes {PAPER_NAMES['logistic']} {'; '.join(said)}."


def crossed(found: curves.LearningCurves, statistic: str) -> str:
    """Between which sizes the quadratic discriminant certainly overtakes logistic regression for good."""
    ranges = found.crossings("qda", "logistic", statistic, seed=database.SEED).ranges
    if ranges[-1].who != "qda":
        return "not certainly"
    behind = [r.last for r in ranges if r.who == "logistic"]
    return f"between n = {behind[-1]} and {ranges[-1].first}" if behind else f"before n = {ranges[-1].first}"


def figure_1b(_: pd.DataFrame, target: Path) -> str:
    """A network by 20-fold cross-validation on OpenML-1063, by learning rate."""
    path = database.RESULTS / "figure-1b.parquet"
    if not path.exists():
        return ""
    cv = cross_validation(pd.read_parquet(path))
    plots.cross_validation(cv).save(target, dpi=DPI)
    rates = [one.model.removeprefix("rate ") for one in cv.slices() if one.several_modes]
    below = ", ".join(f"{100 * cv.share_below(0.5, s):.0f} %" for s in cv.settings)
    return (
        f"more than one mode at {len(rates)} of {len(cv.settings)} learning rates ({', '.join(rates)}; published: two modes); "
        f"of the folds {below} lie below 0.5, from the smallest rate to the largest; {cv.values.shape[3]} repeats of {cv.k} folds."
    )


def cross_validation(table: pd.DataFrame) -> curves.CrossValidation:
    """The folds as Ogive's own result."""
    named = table["setting"].str.replace("learning_rate_init=", "rate ", regex=False)
    settings = tuple(dict.fromkeys(named))
    shape = (int(table["repeat"].max()) + 1, int(table["fold"].max()) + 1)
    scores = np.stack([table.loc[named == s, "accuracy"].to_numpy().reshape(shape).T for s in settings])
    drawn = kept("2c")
    assert drawn is not None
    return curves.CrossValidation(
        values=scores[:, None], settings=settings, definitions={"accuracy": drawn.definitions["accuracy"]}, k=shape[1],
        n_rows=drawn.n_rows, name="kc2", seed=database.SEED,
    )  # fmt: skip


def figure_2a(_: pd.DataFrame, target: Path) -> str:
    """ADAB on OpenML-1063 by sampling."""
    found = {f"{design}, {test}": kept(f"2a-{design}-{test}") for design, test in database.DESIGNS}
    there = {label: one for label, one in found.items() if one is not None}
    return rows(there, target, "ADAB, n = 100, by how training and test sets are drawn") if there else ""


def figure_2b(_: pd.DataFrame, target: Path) -> str:
    """QDC on OpenML-1063 by training-set size."""
    found = kept("2b")
    if found is None:
        return ""
    display = plots.slices(found, found.sizes.tolist())
    display.save(target, dpi=DPI)
    return several(display.labels, display.slices)


def figure_2c(_: pd.DataFrame, target: Path) -> str:
    """All models on OpenML-1063 at n = 100."""
    found = kept("2c")
    if found is None:
        return ""
    display = plots.slices(found)
    display.save(target, dpi=DPI)
    return several([PAPER_NAMES[one] for one in display.labels], display.slices)


def figure_2d(_: pd.DataFrame, target: Path) -> str:
    """QDC on OpenML-1063 at n = 100, tuned and not."""
    tuned, plain = kept("2d"), kept("2c")
    if tuned is None or plain is None:
        return ""
    alone = replace(plain, models=("qda",), values=plain.scores("qda")[None, None])
    means = [float(one.scores().mean()) for one in (alone, tuned)]
    said = rows({"not tuned": alone, "tuned": tuned}, target, "QDC, n = 100, with and without tuning")
    return f"{said}; mean {means[0]:.3f} without tuning, {means[1]:.3f} with it."


def rows(found: dict[str, curves.LearningCurves], target: Path, what: str) -> str:
    """Distributions of several curves of one model at one size, one above the other."""
    slices = [one.densities([int(one.sizes[0])])[0] for one in found.values()]
    said = several(list(found), slices)
    plots.SlicesDisplay(
        slices=tuple(slices), labels=tuple(found), metric="accuracy", goal="maximize", headline=f"{what}: {said}",
        caption="Each row: how often an accuracy occurs in 1000 repetitions, all rows equally high; black: the mean. "
        "More than one mode: the dip test rejects a single one at 0.05, row by row. OpenML-1063.",
    ).save(target, dpi=DPI)  # fmt: skip
    return said


def several(labels: Sequence[str], slices: Sequence[curves.Slice]) -> str:
    """Which distributions have more than one mode."""
    found = [label for label, one in zip(labels, slices, strict=True) if one.several_modes]
    return f"more than one mode for {len(found)} of {len(labels)}{': ' if found else ''}{', '.join(found)}"


def figure_3a(cells: pd.DataFrame, target: Path) -> str:
    """Where on the curve accuracy and AUC are not normal."""
    lines = {
        "accuracy, as published": share_along(cells, "accuracy", "p_shapiro"),
        "accuracy, tie-aware": share_along(cells, "accuracy", "p_lattice"),
        "AUC": share_along(cells, "auc", "p_shapiro"),
    }
    return along(lines, target)


def figure_d5(cells: pd.DataFrame, target: Path) -> str:
    """Where on the curve Brier score and cross-entropy are not normal."""
    lines = {"Brier score": share_along(cells, "brier", "p_shapiro"), "cross-entropy": share_along(cells, "cross_entropy", "p_shapiro")}  # fmt: skip
    return along(lines, target)


def share_along(cells: pd.DataFrame, metric: str, p_value: str) -> np.ndarray:
    """Percentage not normal in each twentieth of the additive curves with a fixed test set; every data set the same."""
    chosen = cells[(cells["design"] == "additive") & (cells["test"] == "fixed") & ~cells["tuned"]]
    chosen = chosen[(chosen["metric"] == metric) & (chosen["status"] != "missing")]
    place = chosen["n"] / chosen.groupby("data")["n"].transform("max")
    part = np.minimum((place * BINS).astype(int), BINS - 1)
    rejected = 100.0 * (chosen[p_value] < database.LEVEL)
    each = rejected.groupby([chosen["data"], part]).mean()
    return each.groupby(level=1).mean().reindex(range(BINS)).to_numpy()


def along(lines: dict[str, np.ndarray], target: Path) -> str:
    """Draw shares along the curve; the first and the last twentieth in words."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        middle = (np.arange(BINS) + 0.5) / BINS
        for (name, share), color in zip(lines.items(), ("#0072B2", "#D55E00", "#009E73"), strict=False):
            known = np.isfinite(share)
            ax.plot(
                middle[known],
                share[known],
                color=color,
                linewidth=2,
                linestyle="--" if "tie" in name else "-",
                label=name,
            )
        ax.set(
            xlim=(0, 1),
            ylim=(0, 102),
            xlabel="training-set size, as a share of the largest",
            ylabel="not normal, % of distributions",
        )
        ax.set_title(
            "How many distributions are not normal, from small training sets to large",
            loc="left",
            fontsize=10,
            fontweight="bold",
        )
        ax.legend(frameon=False, loc="lower left")
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=DPI, format="png")
    writing.write(target, drawn.getvalue())
    return "; ".join(f"{name} from {s[0]:.0f} % in the first twentieth of the curves to {s[-1]:.0f} % in the last" for name, s in lines.items()) + "."  # fmt: skip


def figure_3b(cells: pd.DataFrame, target: Path) -> str:
    """Quantile curves of QDC on OpenML-11."""
    chosen = cells[(cells["data"] == "balance") & (cells["model"] == "qda") & (cells["metric"] == "accuracy")]
    chosen = chosen[(chosen["design"] == "additive") & (chosen["test"] == "fixed") & ~chosen["tuned"]].sort_values("n")
    if chosen.empty:
        return ""
    read = {name: chosen[name].to_numpy(dtype=np.float64) for name in ("n", "mean", "q0.05", "q0.25", "q0.75", "q0.95")}
    fan = plots.Fan(
        model="qda", sizes=read["n"], mean=read["mean"], low=read["q0.05"], high=read["q0.95"], inner_low=read["q0.25"],
        inner_high=read["q0.75"],
    )  # fmt: skip
    n, mean, low = read["n"], read["mean"], read["q0.05"]
    lowest = int(n[n <= 100][np.argmin(low[n <= 100])])
    said = (
        f"the mean rises from {mean[n == 5][0]:.2f} at n = 5 to {mean[n == 40][0]:.2f} at n = 40 and {mean[n == 100][0]:.2f} at n = 100; "
        f"the 5 % quantile is {low[n == 5][0]:.2f}, {low[n == 40][0]:.2f} and {low[n == 100][0]:.2f} there, lowest at n = {lowest}"
    )
    plots.FanDisplay(
        fans=(fan,), metric="accuracy", goal="maximize", share=0.05, headline="QDC on OpenML-11: mean and quantiles",
        caption="Line: mean of 1000 repetitions. Shaded, with dotted edges: from the 5 % to the 95 % quantile; darker: the middle half. "
        "Additive sampling, fixed test set.",
    ).save(target, dpi=DPI)  # fmt: skip
    return f"{said} (published: the lower quantile flat until n = 40)."


FIGURES: dict[str, Callable[[pd.DataFrame, Path], str]] = {
    "1a": figure_1a, "1b": figure_1b, "2a": figure_2a, "2b": figure_2b, "2c": figure_2c, "2d": figure_2d, "3a": figure_3a,
    "3b": figure_3b, "D.5": figure_d5,
}  # fmt: skip
