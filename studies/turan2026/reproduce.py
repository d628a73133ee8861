"""The tables of Turan, Loog and Tax (2026), published beside ours, from the summaries in `results/`.

`ogive reproduce turan2026` prints all of them, `--table 1` one; the numbers are written as CSV too. A share of
non-normal distributions is that of the training-set sizes at which Shapiro and Wilk's test rejects at 0.05,
constant scores counted as normal (as published), averaged over curves. Beside it, for accuracy, stands the share by
a test that knows that accuracies on m test rows are multiples of 1/m. Units that were not computed are left out of
our side and named; `database.py` computes them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import database
import numpy as np
import pandas as pd

import ogive
from ogive import writing

HERE = Path(__file__).parent
LEVEL = 0.05
NAMES = {
    "ADAB": "adaboost", "DT": "tree", "GSVC": "rbf_svm", "LDC": "lda", "LREG": "logistic", "LSVC": "linear_svm",
    "NMC": "nmc", "NNC": "knn", "QDC": "qda", "RFOR": "forest",
}  # fmt: skip
BALANCED = ("heart", "iris", "rl", "obesity")  # as the paper's Table A.8 has it
MULTI_CLASS = ("balance", "cmc", "iris", "obesity")
CURVE = ["data", "design", "test", "model", "metric"]
# What is ranked instead of what, and on which side of the mean it lies (losses turn the side round).
RANKED = {
    "mean+2sd vs 0.975-quantile": (2.0, "q0.975"),
    "mean vs median": (0.0, "q0.5"),
    "mean-2sd vs 0.025-quantile": (-2.0, "q0.025"),
}
TABLES = ("1", "2", "3", "4", "5", "6", "7", "B.10", "C.11", "D.12", "D.13", "text")


def reproduce(*, table: int | None, figure: int | None, trials: int | None, out: Path, workers: int | None) -> str:
    """The tables as text; a CSV is written into `out`."""
    if figure is not None:
        raise ogive.errors.InputError("`--figure` is drawn by studies/turan2026/figures.py for this study.")
    if trials is not None:
        raise ogive.errors.InputError(
            "`--trials` cannot be said for this study: its units always have 1000 repetitions."
        )
    if table is not None and str(table) not in TABLES:
        raise ogive.errors.InputError(f"`--table` can be 1 to 7 for this study; got {table}.")
    cells, pairs = summaries()
    target = out / "tables.csv"
    writing.ready(target, folders=True)
    rows = compared(cells, pairs)
    if table is not None:
        rows = rows[rows["table"] == str(table)]
    writing.make_folder_of(target)
    writing.write(target, rows.to_csv(index=False).encode())
    return f"{rows.to_string(index=False, na_rep='–')}\n\n{scope(cells)}"


def summaries() -> tuple[pd.DataFrame, pd.DataFrame]:
    """All committed cells, and the counts of paired differences."""
    there = [unit for unit in database.units() if unit.path.exists()]
    if not there:
        raise ogive.errors.InputError("there are no results yet; `python studies/turan2026/database.py` computes them.")
    cells = pd.concat([pd.read_parquet(unit.path) for unit in there], ignore_index=True)
    counted = [
        pd.read_parquet(unit.path.with_suffix(".pairs.parquet")).assign(
            data=unit.data, design=unit.design, test=unit.test
        )
        for unit in there
    ]
    return cells, pd.concat(counted, ignore_index=True)


def scope(cells: pd.DataFrame) -> str:
    """Which units stand behind our side."""
    done = {(d, s, t) for d, s, t in cells[["data", "design", "test"]].drop_duplicates().itertuples(index=False)}
    missing = [unit.name for unit in database.units() if (unit.data, unit.design, unit.test) not in done]
    said = f"Ours: {len(done)} units of a data set with a design, ten models, 1000 repetitions each, not tuned."
    return said + (f" Not computed: {', '.join(missing)}." if missing else "")


def compared(cells: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Every published number with ours, in percent but for Tables 7 and B.10."""
    curves = by_curve(cells)
    asked: dict[str, Callable[[str, str], tuple[float, float, float]]] = {
        "1": lambda row, metric: averaged(curves[(curves["number"] == int(row)) & (curves["metric"] == metric)]),
        "2": lambda row, metric: averaged(curves[(curves["model"] == NAMES[row]) & (curves["metric"] == metric)]),
        "3": lambda row, metric: averaged(curves[(curves["balance"] == row) & (curves["metric"] == metric)]),
        "4": lambda row, metric: averaged(
            curves[(curves["classes"] == row) & (curves["model"] == "logistic") & (curves["metric"] == metric)]
        ),
        "5": lambda row, metric: untuned(cells, row, metric),
        "6": lambda row, metric: paired(pairs, row, metric),
        "7": lambda row, metric: (reordered(cells, row, metric), np.nan, np.nan),
        "B.10": lambda row, metric: (last_size(cells, row, metric), np.nan, np.nan),
        "C.11": lambda row, metric: sampled(curves, row, metric),
        "text": lambda row, metric: (overall(cells, row), np.nan, np.nan),
    }
    asked["D.12"] = lambda row, metric: asked["3" if row.endswith("balanced") else "4"](row, metric)
    asked["D.13"] = lambda row, metric: asked["1" if row.isdigit() else "2"](row, metric)
    rows = []
    published = pd.read_csv(HERE / "published.csv", dtype={"table": str, "row": str})
    for cell in published.to_dict("records"):
        ours, spread, aware = asked[cell["table"]](cell["row"], cell["metric"])
        rows.append({**cell, "ours": ours, "our_spread": spread, "knowing_ties": aware})
    return pd.DataFrame(rows).round(2)


def by_curve(cells: pd.DataFrame) -> pd.DataFrame:
    """The share of sizes of each curve that are not normal: as published, and knowing of ties."""
    counted = cells[cells["status"] != "missing"].copy()
    counted["plain"] = counted["p_shapiro"] < LEVEL
    counted["aware"] = np.where(counted["metric"] == "accuracy", counted["p_lattice"] < LEVEL, np.nan)
    found = 100 * counted.groupby(CURVE, observed=True)[["plain", "aware"]].mean()
    found = found.reset_index()
    found["number"] = found["data"].map(database.DATA)
    found["balance"] = np.where(found["data"].isin(BALANCED), "balanced", "imbalanced")
    found["classes"] = np.where(found["data"].isin(MULTI_CLASS), "multi-class", "binary")
    return found


def averaged(curves: pd.DataFrame) -> tuple[float, float, float]:
    """Mean and standard deviation over curves, and the mean that knows of ties."""
    return float(curves["plain"].mean()), float(curves["plain"].std(ddof=1)), float(curves["aware"].mean())


def untuned(cells: pd.DataFrame, row: str, metric: str) -> tuple[float, float, float]:
    """Table 5: from 10 training rows on, a fixed test set."""
    tuning, model = row.split(", ")
    if tuning == "tuned":
        return np.nan, np.nan, np.nan
    chosen = (
        (cells["n"] >= 10) & (cells["test"] == "fixed") & (cells["metric"] == metric) & (cells["model"] == NAMES[model])
    )
    return averaged(by_curve(cells[chosen]))


def paired(pairs: pd.DataFrame, row: str, metric: str) -> tuple[float, float, float]:
    """Table 6: differences of two models in the same repetition, all pairs and sizes together."""
    chosen = pairs[(pairs["test"] == "varying") & (pairs["metric"] == metric)]
    total = chosen[["tested", "constant"]].to_numpy().sum()
    if not row.startswith("not tuned") or not total:
        return np.nan, np.nan, np.nan
    return 100 * float(chosen["rejected"].sum()) / float(total), np.nan, np.nan


def reordered(cells: pd.DataFrame, row: str, metric: str) -> float:
    """Table 7: at how many sizes the first three models, in order, are others by a quantile than by the mean ± 2 sd."""
    deviations, quantile = RANKED[row]
    chosen = cells[(cells["design"] == "additive") & (cells["test"] == "fixed") & (cells["metric"] == metric)]
    if chosen.empty:
        return np.nan
    chosen = chosen.assign(normal=chosen["mean"] + deviations * chosen["sd"])
    changed = [
        first_three(size, "normal") != first_three(size, quantile)
        for _, size in chosen.groupby(["data", "n"], observed=True)
    ]
    return float(np.mean(changed))


def first_three(models: pd.DataFrame, column: str) -> list[str]:
    """The three best models by a column; of equal ones the first in the alphabet."""
    return models.sort_values([column, "model"], ascending=[False, True])["model"].head(3).tolist()


def last_size(cells: pd.DataFrame, row: str, metric: str) -> float:
    """Table B.10: the median over curves of the skewness or excess kurtosis at the largest size."""
    chosen = cells[(cells["metric"] == metric) & (cells["status"] == "tested")]
    last = chosen.loc[chosen.groupby(CURVE, observed=True)["n"].idxmax()]
    return float(last[row].median())


def sampled(curves: pd.DataFrame, row: str, metric: str) -> tuple[float, float, float]:
    """Table C.11: by design, without a test set of its own."""
    model, design = row.split(", ")
    chosen = (curves["test"] == "varying") & (curves["design"] == design) & (curves["model"] == NAMES[model])
    return averaged(curves[chosen & (curves["metric"] == metric)])


def overall(cells: pd.DataFrame, row: str) -> float:
    """The percentages of the text, over all cells."""
    counted = cells[cells["status"] != "missing"]
    if row.startswith("zero-variance"):
        return 100 * float((counted["status"] == "constant").mean())
    test = {"all, Shapiro-Wilk": "shapiro", "all, D'Agostino-Pearson": "dagostino"}.get(row, row.removesuffix(" test"))
    return 100 * float((counted[f"p_{test}"] < LEVEL).mean())
