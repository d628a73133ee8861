"""The page of this study, from the committed results: README.md and the pictures in `pictures/`.

    python studies/turan2026/page.py

The prose is in page.md; what stands in it as $name is put in here. Sentences that judge a conclusion of the paper are
made of numbers and of a rule that is written beside them, so that they follow the results when more units arrive.
"""

from __future__ import annotations

import math
from pathlib import Path
from string import Template

import database
import defects
import figures
import numpy as np
import pandas as pd
import reproduce
from reproduce import NOT_TUNED, TUNED, Found, averaged

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
# A conclusion about "most" distributions stands above this percentage; two shares differ beyond so many points.
MOST, POINTS = 80.0, 5.0
WITHIN = 0.05  # of a share of sizes
MILD = 0.5  # skewness and excess kurtosis


def text(found: Found, pictures: Path) -> str:
    """The page; pictures are drawn on the way."""
    rows = reproduce.compared(found)
    tables = {name: reproduce.show(rows, name, found) for name in reproduce.TITLES}
    drawn = {name: reproduce.drawn(found, name, pictures) for name in figures.FIGURES}
    template = Template((HERE / "page.md").read_text(encoding="utf-8"))
    return template.substitute(
        sentences="\n".join(f"{i}. {said}" for i, said in enumerate(sentences(found, rows), start=1)),
        tables="\n\n".join(table.to_markdown() for table in tables.values()),
        defects=reproduce.defects_table().to_markdown(),
        figures="\n\n".join(figure(name, words) for name, words in drawn.items()),
        scope=found.scope,
        **found.words,
    )


def figure(name: str, words: str) -> str:
    """A picture with what it shows."""
    said = words.split(": ", 1)[1].rsplit(" (", 1)[0].rstrip(".")
    if said.startswith("not computed"):
        return f"**Figure {name}**: {said}."
    about = figures.FIGURES[name].__doc__.rstrip(".")
    return f"**Figure {name}** {about}: {said}.\n\n![{about}](pictures/figure-{name}.png)"


def sentences(found: Found, rows: pd.DataFrame) -> list[str]:
    """Ten sentences on the paper's conclusions."""
    return [
        accuracy(found), others(found), everywhere(found), size(found), sampling(found), tuning(rows), balance(rows), pairs(rows),
        top(rows), defect(rows),
    ]  # fmt: skip


def judged(stands: bool, partly: bool = False) -> str:
    """A verdict, bold."""
    return "**Stands.**" if stands else "**Stands in part.**" if partly else "**Does not stand.**"


def of_metric(found: Found, metric: str) -> pd.DataFrame:
    """All curves of a metric."""
    return found.curves[found.curves["metric"] == metric]


def accuracy(found: Found) -> str:
    """1. Accuracy is rarely normal."""
    plain, _, aware = averaged(of_metric(found, "accuracy"))
    return (
        f"{judged(aware > MOST and plain - aware < POINTS, aware > MOST / 2)} *Accuracy is rarely normal*: the plain test rejects {plain:.0f} % of the distributions "
        f"(published: about 95 %), but of the same numbers {aware:.0f} % when it knows that accuracies on m test rows are multiples of 1/m."
    )


def others(found: Found) -> str:
    """2. So are the other metrics."""
    metrics = ("auc", "brier", "cross_entropy")
    share = {metric: averaged(of_metric(found, metric))[0] for metric in metrics}
    said = ", ".join(f"{reproduce.METRICS[metric]} {value:.0f} %" for metric, value in share.items())
    cells = found.cells[found.cells["metric"].isin(metrics) & (found.cells["status"] == "tested")]
    mild = (cells["skewness"].abs() < MILD) & (cells["kurtosis"].abs() < MILD) & (cells["p_shapiro"] < database.LEVEL)
    hardly = 100.0 * mild.groupby(cells["data"]).mean().mean()
    return (
        f"{judged(min(share.values()) > MOST)} *AUC, Brier score and cross-entropy are rarely normal*: the test rejects {said}, and their steps "
        f"are too fine to explain it (but for NNC, whose Brier score is twice its error rate); {hardly:.0f} % of the distributions are rejected "
        f"although skewness and excess kurtosis are both below {MILD:g} in size, which hardly shows in a picture."
    )


def everywhere(found: Found) -> str:
    """3. Regardless of data set and model."""
    parts = {}
    for what in ("data", "model"):
        parts[what] = of_metric(found, "accuracy").groupby(what)[["aware"]].mean()["aware"].sort_values()
    low, high = ((parts[w].index[i], parts[w].iloc[i]) for w, i in (("data", 0), ("data", -1)))
    models = parts["model"]
    least = min(low[1], models.iloc[0])
    return (
        f"{judged(least > MOST, least > MOST / 2)} *Regardless of data set and model*: tie-aware, accuracy is not normal at {low[1]:.0f} % of sizes on "
        f"{low[0]} and at {high[1]:.0f} % on {high[0]}, at {models.iloc[0]:.0f} % for {figures.PAPER_NAMES[models.index[0]]} and at "
        f"{models.iloc[-1]:.0f} % for {figures.PAPER_NAMES[models.index[-1]]}."
    )


def size(found: Found) -> str:
    """4. Small training sets are less normal."""
    plain, aware = (figures.share_along(found.cells, "accuracy", p) for p in ("p_shapiro", "p_lattice"))
    fall = aware[0] - aware[-1]
    return (
        f"{judged(fall > POINTS)} *Small training sets give the least normal accuracies*: tie-aware the share falls from {aware[0]:.0f} % in "
        f"the first twentieth of the curves to {aware[-1]:.0f} % in the last; the plain test hides it ({plain[0]:.0f} % and {plain[-1]:.0f} %)."
    )


def sampling(found: Found) -> str:
    """5. Sampling has only a minor impact."""
    chosen = of_metric(found, "accuracy")
    chosen = chosen[chosen["data"].isin(database.WITH_ALL_DESIGNS) & ~chosen["tuned"]]
    shares = {d: averaged(part) for d, part in chosen.groupby("design")}
    if len(shares) < 3:
        return "**Not judged.** *Sampling has only a minor impact*: the other designs have not been computed."
    plain = [values[0] for values in shares.values()]
    aware = [shares[d][2] for d in ("additive", "random")]
    return (
        f"{judged(np.ptp(plain) < POINTS and abs(aware[1] - aware[0]) < POINTS, np.ptp(plain) < POINTS)} *Sampling has only a minor impact*: by "
        f"the plain test accuracy is not normal at {', '.join(f'{v[0]:.0f} % ({d})' for d, v in shares.items())} of sizes, tie-aware at "
        f"{aware[0]:.0f} % (additive) and {aware[1]:.0f} % (random)."
    )


def tuning(rows: pd.DataFrame) -> str:
    """6. Tuning increases non-normality."""
    part = rows[rows["table"] == "5"]
    tuned = part["row"].str.startswith("tuned")
    (plain, aware), (before, aware_before) = (part.loc[x, ["ours", "tie_aware"]].mean() for x in (tuned, ~tuned))
    if math.isnan(plain):
        return "**Not judged.** *Tuning increases non-normality*: tuned curves have not been computed."
    return (
        f"{judged(plain > before and aware - aware_before > POINTS, aware > aware_before)} *Tuning increases non-normality*: averaged over DT, "
        f"LDC, LREG and RFOR accuracy is not normal at {before:.1f} % of sizes without tuning and at {plain:.1f} % with it; tie-aware at "
        f"{aware_before:.0f} % and {aware:.0f} %."
    )


def balance(rows: pd.DataFrame) -> str:
    """7. Balance has a marginal effect on accuracy, and some on AUC."""
    part = rows[rows["table"] == "3"].set_index(["row", "metric"])
    gap = {
        metric: part["ours"].loc["imbalanced", metric] - part["ours"].loc["balanced", metric]
        for metric in ("accuracy", "auc")
    }
    aware = part["tie_aware"].loc["imbalanced", "accuracy"] - part["tie_aware"].loc["balanced", "accuracy"]
    return (
        f"{judged(abs(gap['accuracy']) < POINTS and gap['auc'] > POINTS / 2, abs(gap['accuracy']) < POINTS)} *Imbalance changes accuracy "
        f"marginally, and makes AUC less normal by 6 points*: here by {gap['accuracy']:+.1f} and {gap['auc']:+.1f} points; tie-aware accuracy differs "
        f"by {aware:+.0f} points, which is a difference between a few data sets, and not known to be one of balance."
    )


def pairs(rows: pd.DataFrame) -> str:
    """8. Paired differences are more often normal with a varying test set."""
    part = rows[rows["table"] == "6"].set_index(["row", "metric"])
    rows_of = {name: part.loc[(name, "accuracy")] for name in (NOT_TUNED, "not tuned + fixed test set", TUNED)}
    varying, fixed, tuned = rows_of.values()
    if math.isnan(varying["ours"]):
        return "**Not judged.** *Paired differences are more often normal without tuning and with a varying test set*: these have not been computed."
    with_tuning = (
        "" if math.isnan(tuned["ours"]) else f", tuned and fixed {tuned['ours']:.0f} % ({tuned['tie_aware']:.0f} %)"
    )
    return (
        f"{judged(varying['ours'] < fixed['ours'] - POINTS and varying['tie_aware'] < fixed['tie_aware'] - POINTS, varying['tie_aware'] < fixed['tie_aware'] - POINTS)} "
        f"*Paired differences of accuracy are more often normal without tuning and with a varying test set*: not normal are "
        f"{varying['ours']:.0f} % there (tie-aware {varying['tie_aware']:.0f} %), with a fixed test set {fixed['ours']:.0f} % "
        f"({fixed['tie_aware']:.0f} %){with_tuning}; published 85 % and 99 %."
    )


def top(rows: pd.DataFrame) -> str:
    """9. The first three models change with the statistic."""
    part = rows[rows["table"] == "7"].set_index(["row", "metric"])
    upper = part.loc[("mean+2sd vs 0.975-quantile", "accuracy")]
    beyond, normal = (part[f"not_tuned_{name}"].mean() for name in ("beyond_ties", "normal_beyond_ties"))
    return (
        f"{judged(beyond > 0.5, beyond > normal + WITHIN)} *Quantiles change the first three models, by the upper quantile in 94 % of the "
        f"cases*: we count {upper['not_tuned_changed']:.2f} without tuning, but equal accuracies explain all of it except "
        f"{upper['not_tuned_beyond_ties']:.2f}; over all six comparisons {beyond:.2f} are beyond ties, where normal numbers would give {normal:.2f}."
    )


def defect(rows: pd.DataFrame) -> str:
    """10. All metrics are left-skewed; what the tool's defects do."""
    skew = rows[(rows["table"] == "B.10") & (rows["row"] == "skewness")].set_index("metric")["ours"]
    said = ", ".join(f"{reproduce.METRICS[metric]} {value:+.1f}" for metric, value in skew.items())
    left = int((skew < 0).sum())
    head = f"{judged(left == 4, left >= 2)} *All metrics are skewed to the left at the last size*: ours are {said}"
    if not defects.TARGET.exists():
        return f"{head}."
    table = pd.read_csv(defects.TARGET).set_index(["data", "defects", "metric"])["points"]
    moved = {d: [table.get((data, d, m), math.nan) for data in defects.DATA for m in ("accuracy", "auc", *defects.LOSSES)] for d in ("A", "B", "C", "ABC")}  # fmt: skip
    ends = {d: (np.nanmin(v), np.nanmax(v)) for d, v in moved.items()}
    points = ", ".join(f"{' + '.join(d)} {low:+.1f} to {high:+.1f}" for d, (low, high) in ends.items())
    shares = pd.read_csv(defects.TARGET).set_index(["data", "metric", "defects"])["share"]
    both = shares.xs("ABC", level="defects")
    (data, metric), most = max((both - shares.xs("none", level="defects")).dropna().items(), key=lambda item: item[1])
    before = rows[(rows["row"] == str(database.DATA[data])) & (rows["metric"] == metric)]["value"].iloc[0]
    return (
        f"{head}; and three defects in the public versions of the tool move the non-normal share of a metric on iris and diabetes by so many "
        f"points: {points}; most for {reproduce.METRICS[metric]} on {data}, from {both[data, metric] - most:.0f} % to {both[data, metric]:.0f} %, "
        f"where {before:.0f} % is published."
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    (HERE / "README.md").write_text(text(Found.read(), PICTURES), encoding="utf-8")
