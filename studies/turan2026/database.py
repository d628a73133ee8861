"""The learning-curve database of Turan, Loog and Tax (2026), computed anew and kept as summaries.

    python studies/turan2026/database.py --data DIR                  every unit that is not there yet, cheapest first
    python studies/turan2026/database.py iris-additive-fixed         one unit

A unit is a data set with a design: ten models, four metrics, 1000 repetitions, every training-set size (or 20 of
them). Repetitions of an unfinished unit are kept under --work, so that the same command goes on where it stopped; a
finished unit is one Parquet file in `results/`, with a row for each model, metric and size. Data sets come through
`ogive.tasks.openml`; where its cache lacks one, --data names a folder with openml_<id>_<name>.csv, target last.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import ogive
from ogive import curves, statistics

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SEED = 2026
REPETITIONS = 1000
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
SPARSE = ("obesity", "rl")  # 20 sizes: every n would take days
DESIGNS = [(design, test) for design in ("additive", "random", "bootstrap") for test in ("fixed", "varying")]


@dataclass(frozen=True, slots=True)
class Unit:
    """A data set with a design; `every` asks for every training-set size, else for 20."""

    data: str
    design: str = "additive"
    test: str = "fixed"
    every: bool = True

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.data}-{self.design}-{self.test}"

    @property
    def path(self) -> Path:
        """Where its summary is kept."""
        return RESULTS / f"{self.name}.parquet"


def units() -> Iterator[Unit]:
    """The additive curves of every data set first; then the other designs of three of them."""
    for data in DATA:
        yield Unit(data, every=data not in SPARSE)
    for data in ("iris", "heart", "diabetes"):
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
    numbers = range(1, int(0.7 * len(y)) + 1)
    sizes = (
        list(numbers) if unit.every else np.unique(np.geomspace(1, numbers[-1], 24).round().astype(int))[-20:].tolist()
    )
    found = curves.learning_curves(
        list(curves.MODELS), X, y, design=unit.design, test=unit.test, sizes=sizes, n_repetitions=REPETITIONS,
        name=unit.data, seed=SEED, store=work / unit.name, workers=workers, max_cost=np.inf, progress=True,
    )  # fmt: skip
    table = summary(found)
    table.insert(0, "data", unit.data)
    table.insert(1, "design", unit.design)
    table.insert(2, "test", unit.test)
    RESULTS.mkdir(exist_ok=True)
    table.to_parquet(unit.path, compression="zstd", index=False)
    pairs(found).to_parquet(unit.path.with_suffix(".pairs.parquet"), compression="zstd", index=False)


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
    return compact(pd.concat(parts, ignore_index=True))


def pairs(found: curves.LearningCurves) -> pd.DataFrame:
    """For each metric and size, how many paired differences of two models are normal by Shapiro and Wilk's test."""
    parts = []
    for metric in found.metrics:
        status = np.zeros((3, len(found.sizes)), dtype=np.int64)
        for a, b in combinations(found.models, 2):
            along = found.normality(metric, test="shapiro", pair=(a, b), lattice=False)
            rejected = (along.status[0] == "tested") & (along.published[0] < 0.05)
            for row, what in enumerate((along.status[0] == "tested", rejected, along.status[0] == "constant")):
                status[row] += what
        parts.append(pd.DataFrame({"metric": metric, "n": found.sizes, "tested": status[0], "rejected": status[1], "constant": status[2]}))  # fmt: skip
    return compact(pd.concat(parts, ignore_index=True))


def compact(table: pd.DataFrame) -> pd.DataFrame:
    """Six digits and small integers: a table of numbers to compare, not to compute with."""
    small = {name: "float32" for name in table.columns if table[name].dtype == np.float64}
    small.update({name: "int16" for name in table.columns if table[name].dtype == np.int64})
    small.update({name: "category" for name in ("model", "metric", "status") if name in table.columns})
    return table.astype(small)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "units", nargs="*", help="names such as iris-additive-fixed; all that are missing where left out"
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("results/turan2026"))
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    if arguments.data is not None:  # a cache of its own: the user's may hold other versions of the same data sets
        os.environ["OGIVE_CACHE"] = str((arguments.work / "cache").resolve())
    chosen = [u for u in units() if u.name in arguments.units or not arguments.units]
    for unit in chosen:
        if arguments.units or not unit.path.exists():
            print(unit.name, flush=True)
            compute(unit, arguments.data, arguments.work, arguments.workers)
