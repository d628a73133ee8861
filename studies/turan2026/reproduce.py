"""The tables and figures of Turan, Loog and Tax (2026), published beside ours, from the summaries in `results/`.

`ogive reproduce turan2026` prints all tables and draws all figures, `--table B.10` or `--figure 2a` one. A share of
non-normal distributions is that of the training-set sizes at which Shapiro and Wilk's test rejects at 0.05, constant
scores counted as normal (as published), averaged over curves, every data set with the same weight; where a unit has 20
sizes, each stands for those nearest to it. Beside it, for accuracy, stands the share by a test that knows that
accuracies on m test rows are multiples of 1/m ("tie-aware"). Units that were not computed are left out of our side
and named; `database.py` computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from string import Template

import database
import defects
import figures
import numpy as np
import pandas as pd
from database import LEVEL, NAMES

import ogive
from ogive import writing
from ogive.tables import Table
from ogive.words import listed

HERE = Path(__file__).parent
CURVE = ["data", "design", "test", "tuned", "model", "metric"]
CHANGES = ["changed", "beyond_ties", "normal_changed", "normal_beyond_ties"]
SHARES = ("shapiro", "dagostino", "skewness", "kurtosis", "aware", "constant")
METRICS = {"accuracy": "accuracy", "auc": "AUC", "brier": "Brier", "cross_entropy": "cross-entropy"}
TUNED, NOT_TUNED = "tuned + fixed test set", "not tuned + varying test set"
TITLES = {
    "1": "Non-normal distributions by data set, % of sizes (mean ± sd over curves)",
    "2": "Non-normal distributions by model, % of sizes (mean ± sd over curves)",
    "3": "Non-normal distributions by balance of the data set, %",
    "4": "Non-normal distributions of logistic regression by number of classes, %",
    "5": "Non-normal distributions of accuracy with and without tuning, fixed test set, from 10 training rows on, %",
    "6": "Non-normal paired differences, all pairs of models, %",
    "7": "How often the first three models change, as a share of sizes",
    "B.10": "Skewness and excess kurtosis at the largest size, median over curves",
    "C.11": "Non-normal distributions of accuracy by sampling, test set not apart, %",
    "D.12": "Brier score and cross-entropy by balance, and of logistic regression by number of classes, %",
    "D.13": "Brier score and cross-entropy by data set and by model, %",
    "text": "Percentages of the text",
}
MEANING = {
    "1": "Ours average over the units below, the published over six designs, tuned and not. The spread is that of curves, not the error of the mean: a few points are within what other designs and tuning do. Where tie-aware is far below, the plain test has found the lattice of accuracies.",
    "2": "A model's row moves with settings that the paper leaves open (stopping rules, leaf sizes, jitter), and in the public versions of the tool QDC, LDC and NMC compute other probabilities than here: differences of AUC, Brier score and cross-entropy for these three are expected.",
    "3": "Balanced are $balanced; the others are $imbalanced. Which data sets they are explains as much as their balance. Differences of a few points do not speak for or against an effect.",
    "4": "One model on $count data sets, of which $several have more than two classes. Unpenalized logistic regression on separable data depends on when the solver stops.",
    "5": "Ours with the same data sets and designs on both sides. The effect of tuning is the difference of two rows; below a point it is less than what another set of repetitions gives.",
    "6": "Pairs are paired by repetition here: both models see the same rows. A varying test set changes its lattice with the size; tie-aware at ten sizes of a unit at most. Ours on three data sets (iris, heart, diabetes).",
    "7": "Beyond ties: no way to order equal values gives the same three. If normal: the same counts, not tuned, for normal numbers with the means and covariances of the scores, accuracies rounded to their lattice: what ties and 1000 repetitions give without any departure from the normal. Only what lies above them speaks against the normal. The three data sets with missing curves are left out, as published.",
    "B.10": "Medians over curves whose scores vary. A sign that differs for Brier score or cross-entropy can come from the order of classes in the public versions of the tool (defect C), which makes a good model's loss large.",
    "C.11": "Ours on three data sets (iris, heart, diabetes) with 20 sizes. Accuracy out of bag has another lattice in every repetition, so that there is no tie-aware test of it.",
    "D.12": "See Tables 3 and 4; the order of classes (defect C) bears on all of these.",
    "D.13": "See Tables 1 and 2; the order of classes (defect C) bears on all of these.",
    "text": "Over all curves of the units below, every data set with the same weight.",
    "defects": "Points: non-normal share of all ten models with the defect minus without, additive curves at 20 sizes with a fixed test set; C has no part in accuracy and AUC. B and C depend on luck, which is averaged. The published shares are of all designs, tuned and not.",
}  # fmt: skip
DEFECTS = {
    "none": "none (share, %)", "A": "A", "B": "B", "C": "C", "C, a new order each time": "C, a new order each time", "AB": "A + B",
    "ABC": "A + B + C",
}  # fmt: skip
COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
Cells = pd.DataFrame
Numbers = tuple[float, float, float]  # ours, its spread over curves, tie-aware


def reproduce(*, table: str | None, figure: str | None, trials: int | None, out: Path, workers: int | None) -> str:
    """Tables as text, with CSV and Markdown in `out`; figures are drawn there."""
    if trials is not None:
        raise ogive.errors.InputError(
            "`--trials` cannot be said for this study: its units always have 1000 repetitions; "
            "studies/turan2026/database.py computes them."
        )
    known = {"table": (table, (*TITLES, "defects")), "figure": (figure, tuple(figures.FIGURES))}
    for what, (name, names) in known.items():
        if name is not None and name not in names:
            raise ogive.errors.InputError(f"`--{what}` can be {', '.join(names)} for this study; got {name}.")
    found = Found.read()
    said = []
    if table is not None or figure is None:
        rows = compared(found)
        written = [show(rows, name, found) for name in known["table"][1] if table in (None, name)]
        put(
            out / "tables.csv",
            (rows if table in (None, "defects") else rows[rows["table"] == table]).to_csv(index=False),
        )
        put(out / "tables.md", "\n\n".join(one.to_markdown() for one in written) + "\n")
        said += [one.to_text() for one in written]
        said.append(found.scope)
    if figure is not None or table is None:
        said += [drawn(found, name, out) for name in figures.FIGURES if figure in (None, name)]
    return "\n\n".join(said)


def put(path: Path, text: str) -> None:
    """Write a file, its folder first."""
    writing.make_folder_of(path)
    writing.write(path, text.encode())


def drawn(found: Found, name: str, out: Path) -> str:
    """Draw a figure; what it shows, or why it cannot be drawn."""
    target = out / f"figure-{name}.png"
    writing.make_folder_of(target)
    words = figures.FIGURES[name](found.cells, target)
    return f"Figure {name}: {words or 'not computed yet'}{f' ({target})' if words else ''}"


class Found:
    """All summaries that are there: cells, counts of pairs, and first three models."""

    def __init__(self, cells: Cells, pairs: pd.DataFrame, top: pd.DataFrame) -> None:
        self.cells, self.pairs, self.top = cells, pairs, top
        self.curves = by_curve(cells)

    @classmethod
    def read(cls) -> Found:
        """From `results/`."""
        there = [unit for unit in database.units() if all(unit.path(part).exists() for part in ("", "pairs", "top"))]
        if not there:
            raise ogive.errors.InputError(
                "there are no results yet; `python studies/turan2026/database.py` computes them."
            )
        return cls(*(gathered(there, part) for part in ("", "pairs", "top")))

    @property
    def data(self) -> list[str]:
        """The data sets behind our side, smallest first."""
        return [name for name in database.DATA if name in set(self.cells["data"])]

    @property
    def words(self) -> dict[str, str]:
        """Which data sets they are, as sentences put it."""
        names = {
            "balanced": [name for name in self.data if name in database.BALANCED],
            "imbalanced": [name for name in self.data if name not in database.BALANCED],
        }
        whole, count = len(self.data) == len(database.DATA), COUNTS[len(self.data)]
        return {
            "ours": f"all {count} data sets"
            if whole
            else f"{count} of the {COUNTS[-1]} data sets ({listed(self.data)})",
            "count": count,
            "several": COUNTS[sum(name in database.MULTI_CLASS for name in self.data)],
            "sparse": "".join(f"{name} ({database.DATA[name]}), " for name in database.SPARSE if name in self.data),
            **{side: listed(some) if some else "none" for side, some in names.items()},
        }

    @property
    def scope(self) -> str:
        """Which units stand behind our side."""
        named = ["data", "design", "test", "tuned"]
        done = {
            database.Unit(d, s, t, tuned=x).name
            for d, s, t, x in set(self.cells[named].itertuples(index=False, name=None))
        }
        missing = [unit.name for unit in database.units() if unit.name not in done]
        tuned = sum(name.endswith("-tuned") for name in done)
        said = f"Ours: {len(done)} units of a data set with a design ({tuned} of them tuned), ten models, 1000 repetitions each."
        return said + (f" Not computed: {', '.join(missing)}." if missing else "")


def meaning(name: str, found: Found) -> str:
    """What stands below a table."""
    return Template(MEANING[name]).substitute(found.words)


def gathered(units: Iterable[database.Unit], part: str) -> pd.DataFrame:
    """One kind of table of many units."""
    parts = []
    for unit in units:
        table = pd.read_parquet(unit.path(part))
        words = [name for name in table.columns if isinstance(table[name].dtype, pd.CategoricalDtype)]
        parts.append(
            table.astype(dict.fromkeys(words, "str")).assign(
                data=unit.data, design=unit.design, test=unit.test, tuned=unit.tuned
            )
        )
    return pd.concat(parts, ignore_index=True)


def by_curve(cells: Cells) -> pd.DataFrame:
    """For each curve the percentage of sizes that are not normal, by every test, and that are constant."""
    counted = cells[cells["status"] != "missing"].sort_values([*CURVE, "n"])
    for test in database.TESTS:
        counted[test] = 100.0 * (counted[f"p_{test}"] < LEVEL)
    constant = counted["status"] == "constant"
    # Out of bag the number of test rows varies, and accuracies have no lattice; constants are normal, as published.
    known = (counted["metric"] == "accuracy") & (counted["p_lattice"].notna() | constant)
    counted["aware"] = np.where(known, 100.0 * (counted["p_lattice"] < LEVEL), np.nan)
    counted["constant"] = 100.0 * constant
    counted["weight"] = counted.groupby(CURVE)["n"].transform(lambda n: database.weights(n.to_numpy(dtype=np.int64)))
    found = averages(counted, CURVE, SHARES).reset_index()
    found.loc[(found["design"] == "bootstrap") & (found["test"] == "varying"), "aware"] = np.nan
    found["number"] = found["data"].map(database.DATA)
    found["balance"] = np.where(found["data"].isin(database.BALANCED), "balanced", "imbalanced")
    found["classes"] = np.where(found["data"].isin(database.MULTI_CLASS), "multi-class", "binary")
    return found


def averages(table: pd.DataFrame, by: list[str], columns: Iterable[str]) -> pd.DataFrame:
    """Weighted means of columns, of what is known of them."""
    groups = [table[name] for name in by]
    found = {}
    for name in columns:
        weight = table["weight"].where(table[name].notna())
        found[name] = (table[name] * weight).groupby(groups).sum(min_count=1) / weight.groupby(groups).sum(min_count=1)
    return pd.DataFrame(found)


def averaged(curves: pd.DataFrame, column: str = "shapiro") -> Numbers:
    """Mean and standard deviation over curves, and the tie-aware mean; every data set has the same weight."""
    if curves.empty:
        return math.nan, math.nan, math.nan
    weight = 1.0 / curves.groupby("data")["data"].transform("size")
    mean = float(np.average(curves[column], weights=weight))
    spread = math.sqrt(float(np.average((curves[column] - mean) ** 2, weights=weight)))
    aware = curves.groupby("data")["aware"].mean()
    return mean, spread if len(curves) > 1 else math.nan, float(aware.mean())


def compared(found: Found) -> pd.DataFrame:
    """Every published number with ours."""
    curves = found.curves
    asked: dict[str, Callable[[str, str], Numbers]] = {
        "1": lambda row, metric: averaged(curves[(curves["number"] == int(row)) & (curves["metric"] == metric)]),
        "2": lambda row, metric: averaged(curves[(curves["model"] == NAMES[row]) & (curves["metric"] == metric)]),
        "3": lambda row, metric: averaged(curves[(curves["balance"] == row) & (curves["metric"] == metric)]),
        "4": lambda row, metric: averaged(
            curves[(curves["classes"] == row) & (curves["model"] == "logistic") & (curves["metric"] == metric)]
        ),
        "5": lambda row, metric: tuning(found.cells, row, metric),
        "6": lambda row, metric: paired(found.pairs, row, metric),
        "7": lambda row, metric: (reordered(found.top, row, metric, tuned=True)[0], math.nan, math.nan),
        "B.10": lambda row, metric: (last_size(found.cells, row, metric), math.nan, math.nan),
        "C.11": lambda row, metric: sampled(curves, row, metric),
        "text": lambda row, _: (overall(found, row), math.nan, math.nan),
    }
    asked["D.12"] = lambda row, metric: asked["3" if row.endswith("balanced") else "4"](row, metric)
    asked["D.13"] = lambda row, metric: asked["1" if row.isdigit() else "2"](row, metric)
    rows = []
    for cell in published().to_dict("records"):
        ours, spread, aware = asked[cell["table"]](cell["row"], cell["metric"])
        rows.append({**cell, "ours": ours, "our_spread": spread, "tie_aware": aware})
        if cell["table"] == "7":
            rows[-1]["ours_beyond_ties"] = reordered(found.top, cell["row"], cell["metric"], tuned=True)[1]
            changed = reordered(found.top, cell["row"], cell["metric"], tuned=False)
            rows[-1] |= {f"not_tuned_{name}": value for name, value in zip(CHANGES, changed, strict=True)}
    return pd.DataFrame(rows).round(4)


def published() -> pd.DataFrame:
    """The numbers of the paper, and what is asked of ours alone."""
    table = pd.read_csv(HERE / "published.csv", dtype={"table": str, "row": str})
    ours = [("6", "not tuned + fixed test set", metric, math.nan, math.nan) for metric in ("accuracy", "auc")]
    return pd.concat([table, pd.DataFrame(ours, columns=table.columns)], ignore_index=True)


def tuning(cells: Cells, row: str, metric: str) -> Numbers:
    """Table 5: from 10 training rows on, a fixed test set; without tuning where there is the same with it, if anywhere."""
    tuned, model = row.split(", ")
    chosen = cells[(cells["n"] >= database.FIRST_TUNED) & (cells["test"] == "fixed") & (cells["metric"] == metric)]
    chosen = chosen[chosen["model"] == NAMES[model]]
    place = chosen["data"] + chosen["design"]
    if tuned == "tuned":
        chosen = chosen[chosen["tuned"]]
    elif chosen["tuned"].any():
        chosen = chosen[~chosen["tuned"] & place.isin(place[chosen["tuned"]])]
    return averaged(by_curve(chosen)) if len(chosen) else (math.nan, math.nan, math.nan)


def paired(pairs: pd.DataFrame, row: str, metric: str) -> Numbers:
    """Table 6: differences of two models in the same repetition, all pairs and sizes together."""
    tuned, test = row.startswith("tuned"), "varying" if "varying" in row else "fixed"
    chosen = pairs[(pairs["test"] == test) & (pairs["tuned"] == tuned) & (pairs["metric"] == metric)]
    chosen = chosen[chosen["data"].isin(database.WITH_ALL_DESIGNS)]  # the same on all sides
    plain = share_of_pairs(chosen, "rejected", "tested")
    return plain, math.nan, share_of_pairs(chosen[chosen["aware_tested"] > 0], "aware_rejected", "aware_tested")


def share_of_pairs(pairs: pd.DataFrame, rejected: str, tested: str) -> float:
    """Percentage of differences that are not normal; constants count as normal, every data set the same."""
    if pairs.empty:
        return math.nan
    unit = ["data", "design"]
    pairs = pairs.sort_values([*unit, "n"])
    pairs["weight"] = pairs.groupby(unit)["n"].transform(lambda n: database.weights(n.to_numpy(dtype=np.int64)))
    pairs["share"] = 100.0 * pairs[rejected] / (pairs[tested] + pairs["constant"])
    return float(averages(pairs, unit, ["share"])["share"].groupby("data").mean().mean())


def reordered(top: pd.DataFrame, row: str, metric: str, *, tuned: bool) -> tuple[float, ...]:
    """Table 7: at which share of sizes the first three are others; beyond ties; and both for normal numbers."""
    chosen = top[(top["ranked"] == row) & (top["metric"] == metric) & (top["tuned"] == tuned)]
    chosen = chosen[(chosen["design"] == "additive") & (chosen["test"] == "fixed")]
    chosen = chosen[~chosen["data"].isin(database.INCOMPLETE)].sort_values(["data", "n"])
    if chosen.empty:
        return (math.nan,) * len(CHANGES)
    chosen["weight"] = chosen.groupby("data")["n"].transform(lambda n: database.weights(n.to_numpy(dtype=np.int64)))
    chosen[CHANGES] = chosen[CHANGES].astype(np.float64)
    return tuple(float(value) for value in averages(chosen, ["data"], CHANGES).mean())


def last_size(cells: Cells, row: str, metric: str) -> float:
    """Table B.10: the median over curves of the skewness or excess kurtosis at the largest size."""
    chosen = cells[cells["metric"] == metric]
    last = chosen.loc[chosen.groupby(CURVE)["n"].idxmax()]
    return float(last.loc[last["status"] == "tested", row].median())


def sampled(curves: pd.DataFrame, row: str, metric: str) -> Numbers:
    """Table C.11: by design, without a test set of its own."""
    model, design = row.split(", ")
    chosen = (curves["test"] == "varying") & (curves["design"] == design) & (curves["model"] == NAMES[model])
    return averaged(curves[chosen & (curves["metric"] == metric)])


def overall(found: Found, row: str) -> float:
    """The percentages of the text, over all curves."""
    if row.startswith("0.95-quantile"):
        both = [reordered(found.top, "mean vs 0.95-quantile", metric, tuned=False)[0] for metric in ("accuracy", "auc")]
        return 100.0 * float(np.mean(both))
    columns = {
        "all, Shapiro-Wilk": "shapiro",
        "all, D'Agostino-Pearson": "dagostino",
        "zero-variance distributions": "constant",
    }
    return averaged(found.curves, columns.get(row, row.removesuffix(" test")))[0]


def show(rows: pd.DataFrame, name: str, found: Found) -> Table:
    """A table of the paper with ours beside it."""
    if name == "defects":
        return defects_table()
    part = rows[rows["table"] == name]
    title = f"Table {name}. {TITLES[name]}" if name != "text" else TITLES[name]
    if name == "7":
        head = (
            "",
            "",
            "published, tuned",
            "ours, tuned",
            "beyond ties",
            "ours, not tuned",
            "beyond ties",
            "if normal",
            "if normal, beyond ties",
        )
        values = ["value", "ours", "ours_beyond_ties", *(f"not_tuned_{change}" for change in CHANGES)]
        body = [(r["row"], METRICS[r["metric"]], *(number(r[v], 2) for v in values)) for r in part.to_dict("records")]
        return Table(head=head, rows=tuple(body), title=title, below=(meaning(name, found),))
    digits = 2 if name == "B.10" else 1
    metrics = list(dict.fromkeys(part["metric"]))
    head: list[str] = [""]
    for metric in metrics:
        said = "" if metric == "all" else f"{METRICS[metric]}, "
        head += [f"{said}published", "ours"]
        head += ["tie-aware"] if metric == "accuracy" and name != "B.10" else []
    body = []
    for row in dict.fromkeys(part["row"]):
        line: list[str] = [row]
        for metric in metrics:
            cell = part[(part["row"] == row) & (part["metric"] == metric)].to_dict("records")
            if not cell:
                line += ["", ""]
                continue
            line += [number(cell[0]["value"], digits, cell[0]["spread"]), number(cell[0]["ours"], digits, cell[0]["our_spread"] if cell[0]["spread"] == cell[0]["spread"] else math.nan)]  # fmt: skip
            line += [number(cell[0]["tie_aware"], digits)] if metric == "accuracy" and name != "B.10" else []
        body.append(tuple(line))
    return Table(head=tuple(head), rows=tuple(body), title=title, below=(meaning(name, found),))


def number(value: float, digits: int, spread: float = math.nan) -> str:
    """A number with its spread; a dash where there is none."""
    if math.isnan(value):
        return "–"
    said = f"{value:.{digits}f}"
    return said if math.isnan(spread) else f"{said} ± {spread:.{digits}f}"


def defects_table() -> Table:
    """By how many points each defect moves the share of non-normal distributions."""
    title = "Defects in the public versions of the tool: percentage points that each adds to the non-normal share"
    if not defects.TARGET.exists():
        return Table(head=("",), rows=(("not computed",),), title=title)
    table = pd.read_csv(defects.TARGET)
    rows: list[tuple[object, ...]] = []
    metrics = ("accuracy", defects.TIES, "auc", *defects.LOSSES)
    said_before = published().set_index(["row", "metric"])["value"]
    for data in defects.DATA:
        part = table[table["data"] == data].set_index(["defects", "metric"])
        before = [said_before.get((str(database.DATA[data]), metric), math.nan) for metric in metrics]
        rows.append((data, "published (share, %)", *(number(v, 1) for v in before)))
        for name, words in DEFECTS.items():
            values = [part["share" if name == "none" else "points"].get((name, metric), math.nan) for metric in metrics]
            said = [number(v, 1) if name == "none" or math.isnan(v) else f"{v:+.1f}" for v in values]
            rows.append((data, words, *said))
    head = ("", "defects", "accuracy", "tie-aware", "AUC", "Brier", "cross-entropy")
    normal = table[table["data"] == "normal numbers"].set_index("defects")["share"]
    check = f"Of 1000 truly normal numbers Shapiro and Wilk's test rejects {normal['none']:.1f} %, with defect B {normal['B']:.1f} %."
    return Table(head=head, rows=tuple(rows), title=title, below=(MEANING["defects"], check))
