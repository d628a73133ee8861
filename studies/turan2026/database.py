"""The learning-curve database of Turan, Loog and Tax (2026), computed anew and kept as summaries.

    python studies/turan2026/database.py --data DIR                  every unit that is not there yet, cheapest first
    python studies/turan2026/database.py iris-additive-fixed         one unit
    python studies/turan2026/database.py --again                     new summaries of all units whose repetitions are kept

A unit is a data set with a design: ten models, four metrics, 1000 repetitions, every training-set size (or 20 of
them). Repetitions are kept under --work, so that the same command goes on where it stopped, and a summary can be made
again from a finished unit. Data sets come through `ogive.tasks.openml`; where its cache lacks one, --data names a
folder with openml_<id>_<name>.csv, target last. A summary is three Parquet files in `results/`:

    <unit>.parquet          for each model, metric and size: moments, quantiles, p-values of tests of normality
    <unit>.pairs.parquet    for each metric and size: how many paired differences of two models are not normal
    <unit>.top.parquet      for each metric and size: the first three models by the mean ± 2 sd and by a quantile
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import ogive
from ogive import curves, statistics

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SEED = 2026
REPETITIONS = 1000
LEVEL = 0.05
LEVELS = (0.025, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
TESTS = ("shapiro", "dagostino", "skewness", "kurtosis")
DATA = {  # smallest first: OpenML's number of each data set of the paper's Table A.8
    "iris": 61,
    "heart": 53,
    "thyroid": 46847,
    "early-diabetes": 46733,
    "kc2": 1063,
    "balance": 11,
    "diabetes": 37,
    "cmc": 23,
    "obesity": 46597,
    "rl": 44037,
}
NAMES = {  # the paper's letters
    "ADAB": "adaboost", "DT": "tree", "GSVC": "rbf_svm", "LDC": "lda", "LREG": "logistic", "LSVC": "linear_svm",
    "NMC": "nmc", "NNC": "knn", "QDC": "qda", "RFOR": "forest",
}  # fmt: skip
BALANCED = ("heart", "iris", "rl", "obesity")  # as Table A.8 has it
MULTI_CLASS = ("balance", "cmc", "iris", "obesity")
INCOMPLETE = ("kc2", "rl", "obesity")  # of the published database, and left out of its Tables 6 and 7
SPARSE = ("obesity", "rl")  # 20 sizes: every n would take days
WITH_ALL_DESIGNS = ("iris", "heart", "diabetes")
FEW = 20
VALUES = 20  # of a hyper-parameter, where it is tuned
FIRST_TUNED = 10
DESIGNS = [(design, test) for design in ("additive", "random", "bootstrap") for test in ("fixed", "varying")]
# What is ranked instead of what: the mean and so many standard deviations, and a quantile.
RANKED = {
    "mean+2sd vs 0.975-quantile": (2.0, 0.975),
    "mean vs median": (0.0, 0.5),
    "mean-2sd vs 0.025-quantile": (-2.0, 0.025),
    "mean vs 0.95-quantile": (0.0, 0.95),
}
TOP = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A data set with a design; `every` asks for every training-set size, else for 20."""

    data: str
    design: str = "additive"
    test: str = "fixed"
    every: bool = True
    tuned: bool = False

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.data}-{self.design}-{self.test}{'-tuned' if self.tuned else ''}"

    def path(self, part: str = "") -> Path:
        """Where its summary is kept; `part` is "pairs" or "top"."""
        return RESULTS / f"{self.name}{'.' * bool(part)}{part}.parquet"

    def sizes(self, n_rows: int) -> list[int]:
        """Training-set sizes, up to 0.7 of the rows."""
        last = int(0.7 * n_rows)
        if self.tuned:
            return np.unique(np.geomspace(FIRST_TUNED, last, FEW).round().astype(int)).tolist()
        if self.every:
            return list(range(1, last + 1))
        return np.unique(np.geomspace(1, last, FEW + 4).round().astype(int))[-FEW:].tolist()


def units() -> Iterator[Unit]:
    """The additive curves of every data set first; then tuned ones and the other designs of three of them."""
    for data in DATA:
        yield Unit(data, every=data not in SPARSE)
    for data in WITH_ALL_DESIGNS:
        yield Unit(data, every=False, tuned=True)
        for design, test in DESIGNS[1:]:
            yield Unit(data, design, test, every=False)


def load(data: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes of a data set."""
    if folder is not None:
        cached = Path(os.environ["OGIVE_CACHE"]) / "openml" / f"{DATA[data]}.parquet"
        if not cached.exists():
            (source,) = (p for p in folder.glob(f"openml_{DATA[data]}_*.csv") if not p.stem.endswith("_raw"))
            cached.parent.mkdir(parents=True, exist_ok=True)
            pd.read_csv(source).to_parquet(cached)
    loaded = ogive.tasks.openml(DATA[data], kind="classification").draw.loaded()
    return loaded.X, loaded.y


def compute(unit: Unit, folder: Path | None, work: Path, workers: int | None) -> None:
    """Run what is missing of a unit and write its summary."""
    X, y = load(unit.data, folder)
    more: dict[str, Any] = {"tuned": VALUES} if unit.tuned else {}
    found = curves.learning_curves(
        list(curves.MODELS), X, y, design=unit.design, test=unit.test, sizes=unit.sizes(len(y)), n_repetitions=REPETITIONS,
        name=unit.data, seed=SEED, store=work / unit.name, workers=workers, max_cost=np.inf, progress=True, **more,
    )  # fmt: skip
    summarize(unit, found)


def kept(unit: Unit, work: Path) -> curves.LearningCurves | None:
    """The curves of a unit whose repetitions are all there."""
    if not curves.holds_curves(work / unit.name):
        return None
    try:
        found = curves.read(work / unit.name)
    except ogive.errors.OgiveError:  # a model has no repetition yet
        return None
    return found if found.n_repetitions == REPETITIONS and len(found.models) == len(curves.MODELS) else None


def summarize(unit: Unit, found: curves.LearningCurves) -> None:
    """Write the three tables of a unit."""
    RESULTS.mkdir(exist_ok=True)
    found = replace(found, models=tuple(name.split(" (")[0] for name in found.models))  # "knn (tuned, 20)"
    for part, table in (("", summary(found)), ("pairs", pairs(found)), ("top", top(found))):
        compact(table).to_parquet(unit.path(part), compression="zstd", compression_level=9, index=False)


def summary(found: curves.LearningCurves) -> pd.DataFrame:
    """For each model, metric and size: moments, quantiles, and p-values of tests of normality."""
    parts = []
    for metric in found.metrics:
        aware = found.normality(metric, test="shapiro", seed=SEED)
        for i, model in enumerate(found.models):
            scores = found.scores(model, metric)
            part = {"model": model, "metric": metric, "n": found.sizes, "status": aware.status[i]}
            part["mean"], part["sd"] = scores.mean(axis=1), scores.std(axis=1, ddof=1)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of constant scores, whose status says so
                part["skewness"], part["kurtosis"] = stats.skew(scores, axis=1), stats.kurtosis(scores, axis=1)
            for level, values in zip(LEVELS, np.quantile(scores, LEVELS, axis=1, method="inverted_cdf"), strict=True):
                part[f"q{level:g}"] = values
            tested = aware.status[i] == "tested"
            for test in TESTS:
                part[f"p_{test}"] = np.full(len(scores), np.nan)
                if tested.any():
                    part[f"p_{test}"][tested] = statistics.normality(scores[tested], test=test).p_value
            part["p_lattice"] = aware.lattice[i]
            parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def pairs(found: curves.LearningCurves) -> pd.DataFrame:
    """For each metric and size, how many paired differences of two models are not normal by Shapiro and Wilk's test.

    With regard for the lattice of accuracies at ten sizes at most: each costs a thousand samples of a rounded normal.
    """
    places = np.unique(np.geomspace(1, len(found.sizes), FEW // 2).round().astype(int)) - 1
    thin = replace(found, values=found.values[:, :, places], sizes=found.sizes[places])
    parts = []
    for metric in found.metrics:
        counts = pd.DataFrame({"metric": metric, "n": found.sizes, "tested": 0, "rejected": 0, "constant": 0, "aware_tested": 0, "aware_rejected": 0})  # fmt: skip
        for pair in combinations(found.models, 2):
            plain = found.normality(metric, test="shapiro", pair=pair, lattice=False)
            counts["tested"] += plain.status[0] == "tested"
            counts["rejected"] += (plain.status[0] == "tested") & (plain.published[0] < LEVEL)
            counts["constant"] += plain.status[0] == "constant"
            if metric == "accuracy":
                aware = thin.normality(metric, test="shapiro", pair=pair, seed=SEED).lattice[0]
                counts.loc[places, "aware_tested"] += np.isfinite(aware)
                counts.loc[places, "aware_rejected"] += aware < LEVEL
        parts.append(counts)
    return pd.concat(parts, ignore_index=True)


def top(found: curves.LearningCurves) -> pd.DataFrame:
    """For each metric and size, the first three models in order, by the mean ± 2 sd and by a quantile.

    `beyond_ties`: no way to order equal values makes both the same. `normal_changed`, `normal_beyond_ties`: the same
    for as many repetitions of normal numbers with these means and covariances, accuracies rounded to their lattice.
    """
    rows = []
    for metric, definition in found.definitions.items():
        sign = 1.0 if definition.goal == "maximize" else -1.0
        table = sign * np.stack([found.scores(model, metric) for model in found.models])
        for place, (n, step) in enumerate(zip(found.sizes, found.step(metric), strict=True)):
            scores = table[:, place]
            if np.isnan(scores).any():
                continue
            rng = np.random.default_rng((SEED, int(n)))
            normal = rng.multivariate_normal(scores.mean(axis=1), np.cov(scores), size=scores.shape[1], method="eigh").T
            if step is not None:
                normal = np.round(normal / step) * step
            for asked, (deviations, level) in RANKED.items():
                by_mean, by_quantile = values(scores, sign * deviations, level if sign > 0 else 1.0 - level)
                drawn = values(normal, sign * deviations, level if sign > 0 else 1.0 - level)
                rows.append({
                    "metric": metric, "n": n, "ranked": asked,
                    "by_mean": named(first(by_mean), found.models), "by_quantile": named(first(by_quantile), found.models),
                    "changed": first(by_mean) != first(by_quantile), "beyond_ties": beyond_ties(by_mean, by_quantile),
                    "normal_changed": first(drawn[0]) != first(drawn[1]), "normal_beyond_ties": beyond_ties(*drawn),
                })  # fmt: skip
    return pd.DataFrame(rows)


def values(scores: np.ndarray, deviations: float, level: float) -> tuple[np.ndarray, np.ndarray]:
    """What models are ranked by: mean and so many standard deviations, and a quantile; equal up to rounding is equal."""
    by_mean = scores.mean(axis=1) + deviations * scores.std(axis=1, ddof=1)
    return by_mean.round(10), np.quantile(scores, level, axis=1, method="inverted_cdf").round(10)


def first(ranked: np.ndarray) -> list[int]:
    """The best three, largest first; of equal ones the earlier in the list."""
    return np.argsort(-ranked, kind="stable")[:TOP].tolist()


def beyond_ties(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the first three differ however equal values are put in order."""
    left = np.ones(len(a), dtype=bool)
    for _ in range(TOP):  # models that are first by both are equal by both: any of them will do
        both = left & (a == a[left].max()) & (b == b[left].max())
        if not both.any():
            return True
        left[np.argmax(both)] = False
    return False


def named(order: list[int], models: tuple[str, ...]) -> str:
    """Models in order."""
    return " ".join(models[i] for i in order)


def weights(sizes: np.ndarray) -> np.ndarray:
    """How many training-set sizes each of the given ones stands for: those to which it is the nearest."""
    every = np.arange(sizes.min(), sizes.max() + 1)
    borders = (sizes[1:] + sizes[:-1]) / 2.0
    return np.bincount(np.searchsorted(borders, every, side="left"), minlength=len(sizes)).astype(np.float64)


def compact(table: pd.DataFrame) -> pd.DataFrame:
    """Six digits and small integers: a table of numbers to compare, not to compute with."""
    small = {name: "float32" for name in table.columns if table[name].dtype == np.float64}
    small.update({name: "int16" for name in table.columns if table[name].dtype == np.int64})
    words = ("model", "metric", "status", "ranked", "by_mean", "by_quantile")
    small.update({name: "category" for name in words if name in table.columns})
    return table.astype(small)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "units", nargs="*", help="names such as iris-additive-fixed; all that are missing where left out"
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("results/turan2026"))
    parser.add_argument("--workers", type=int)
    parser.add_argument("--again", action="store_true", help="only make summaries anew, of units that are complete")
    arguments = parser.parse_args()
    if arguments.data is not None:  # a cache of its own: the user's may hold other versions of the same data sets
        os.environ["OGIVE_CACHE"] = str((arguments.work / "cache").resolve())
    known = {unit.name: unit for unit in units()}
    if unknown := set(arguments.units) - set(known):
        parser.error(f"there is no unit {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for unit in [known[name] for name in arguments.units] or list(known.values()):
        there = unit.path().exists() and unit.path("top").exists()
        wanted = arguments.units or arguments.again or not there
        if wanted and (found := kept(unit, arguments.work)) is not None:
            print(f"{unit.name}: a new summary", flush=True)
            summarize(unit, found)
        elif wanted and not arguments.again:
            print(unit.name, flush=True)
            compute(unit, arguments.data, arguments.work, arguments.workers)
