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

from ogive.words import listed

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
        f"{judged(aware > MOST and plain - aware < POINTS, aware > MOST / 2)} *Accuracy is rarely normal*: the plain test rejects it at "
        f"{plain:.0f} % of sizes (published: about 95 %), the tie-aware test at {aware:.0f} %."
    )


def others(found: Found) -> str:
    """2. So are the other metrics."""
    metrics = ("auc", "brier", "cross_entropy")
    share = {metric: averaged(of_metric(found, metric))[0] for metric in metrics}
    said = listed([f"{reproduce.METRICS[metric]} at {value:.0f} %" for metric, value in share.items()])
    cells = found.cells[found.cells["metric"].isin(metrics) & (found.cells["status"] == "tested")]
    mild = (cells["skewness"].abs() < MILD) & (cells["kurtosis"].abs() < MILD) & (cells["p_shapiro"] < database.LEVEL)
    hardly = 100.0 * mild.groupby(cells["data"]).mean().mean()
    return (
        f"{judged(min(share.values()) > MOST)} *AUC, Brier score and cross-entropy are rarely normal*: the plain test rejects {said} of sizes, and "
        f"their steps are mostly too fine to be the reason (but for NNC, whose Brier score and cross-entropy are multiples of its error rate). Often "
        f"the departure is small: in {hardly:.0f} % of all cases the test rejects although skewness and excess kurtosis are both below {MILD:g} "
        f"in size, which hardly shows in a picture."
    )


def everywhere(found: Found) -> str:
    """3. Regardless of data set and model."""
    ends = {}
    for what in ("data", "model"):
        shares = {name: averaged(part)[2] for name, part in of_metric(found, "accuracy").groupby(what)}
        ends[what] = [(figures.PAPER_NAMES.get(name, name), shares[name]) for name in (min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__))]  # fmt: skip
    least = min(low[1] for low, _ in ends.values())
    (data, models) = (
        f"at {low:.0f} % of sizes {word} {lowest} and at {high:.0f} % {word} {highest}"
        for word, ((lowest, low), (highest, high)) in zip(("on", "for"), ends.values(), strict=True)
    )
    return (
        f"{judged(least > MOST, least > MOST / 2)} *Regardless of data set and model*: by the tie-aware test accuracy is not normal {data}; "
        f"{models}."
    )


def size(found: Found) -> str:
    """4. Small training sets are less normal."""
    plain, aware = (figures.share_along(found.cells, "accuracy", p) for p in ("p_shapiro", "p_lattice"))
    fall = aware[0] - aware[-1]
    return (
        f"{judged(fall > POINTS)} *Small training sets give the least normal accuracies*: by the tie-aware test the share falls from "
        f"{aware[0]:.0f} % in the first twentieth of the curves to {aware[-1]:.0f} % in the last; the plain test hides it ({plain[0]:.0f} % and "
        f"{plain[-1]:.0f} %)."
    )


def sampling(found: Found) -> str:
    """5. Sampling has only a minor impact."""
    chosen = of_metric(found, "accuracy")
    chosen = chosen[chosen["data"].isin(database.WITH_ALL_DESIGNS) & ~chosen["tuned"]]
    shares = {key: averaged(part) for key, part in chosen.groupby(["test", "design"])}
    fixed = [shares.get(("fixed", design)) for design in ("additive", "random", "bootstrap")]
    bag = shares.get(("varying", "bootstrap"))
    if bag is None or None in fixed:
        return "**Not judged.** *Sampling has only a minor impact*: the other designs have not been computed."
    plain, aware = ([values[i] for values in fixed] for i in (0, 2))
    same = [max(np.ptp(plain[:k]), np.ptp(aware[:k])) < POINTS for k in (3, 2)]
    return (
        f"{judged(*same)} *Sampling has only a minor impact*: with a fixed test set, on {listed(list(database.WITH_ALL_DESIGNS))}, accuracy is "
        f"not normal at {plain[0]:.0f} % (additive), {plain[1]:.0f} % (random) and {plain[2]:.0f} % (bootstrap) of sizes by the plain test, at "
        f"{aware[0]:.0f} %, {aware[1]:.0f} % and {aware[2]:.0f} % by the tie-aware one. Tested out of bag, where the number of test rows varies "
        f"and ties are fewer, bootstrap has {bag[0]:.0f} %."
    )


def tuning(rows: pd.DataFrame) -> str:
    """6. Tuning increases non-normality."""
    part = rows[rows["table"] == "5"]
    part = part.assign(tuned=part["row"].str.startswith("tuned"), model=part["row"].str.split(", ").str[1])
    (before, aware_before), (plain, aware) = (
        part.loc[part["tuned"] == x, ["ours", "tie_aware"]].mean() for x in (False, True)
    )
    if math.isnan(plain):
        return "**Not judged.** *Tuning increases non-normality*: tuned curves have not been computed."
    by_model = part.pivot_table(index="model", columns="tuned", values="tie_aware")
    more = by_model[True] > by_model[False]
    sides = [
        f"{word} for {listed(list(by_model.index[which]))}"
        for word, which in (("more", more), ("less", ~more))
        if which.any()
    ]
    either = f"{plain:.0f} % either way" if round(before) == round(plain) else f"{before:.0f} % and {plain:.0f} %"
    return (
        f"{judged(bool(more.all()) and aware - aware_before > POINTS, aware > aware_before)} *Tuning increases non-normality*: averaged over "
        f"{listed(list(by_model.index))}, accuracy is not normal at {aware_before:.0f} % of sizes without tuning and at {aware:.0f} % with it by the "
        f"tie-aware test ({', '.join(sides)}); the plain test rejects {either}."
    )


def balance(rows: pd.DataFrame) -> str:
    """7. Balance has a marginal effect on accuracy, and some on AUC."""
    part = rows[rows["table"] == "3"].set_index(["row", "metric"])
    gap = {
        metric: part["ours"].loc["imbalanced", metric] - part["ours"].loc["balanced", metric]
        for metric in ("accuracy", "auc")
    }
    aware = part["tie_aware"].loc["imbalanced", "accuracy"] - part["tie_aware"].loc["balanced", "accuracy"]
    if math.isnan(gap["accuracy"]):
        return "**Not judged.** *Imbalance changes accuracy marginally, and makes AUC less normal by 6 points*: data sets of one kind have not been computed."
    return (
        f"{judged(abs(gap['accuracy']) < POINTS and gap['auc'] > POINTS / 2, abs(gap['accuracy']) < POINTS)} *Imbalance changes accuracy "
        f"marginally, and makes AUC less normal by 6 points*: on our imbalanced data sets accuracy is {points(gap['accuracy'])} than on the balanced "
        f"ones (tie-aware: {points(aware)}), AUC {points(gap['auc'])}. These are differences between a few data sets; whether balance makes them is "
        f"not known."
    )


def points(gap: float) -> str:
    """A difference of two shares of what is not normal."""
    return f"{'less' if gap > 0 else 'more'} often normal by {abs(gap):.1f} points"


def pairs(rows: pd.DataFrame) -> str:
    """8. Paired differences are more often normal with a varying test set."""
    part = rows[rows["table"] == "6"].set_index(["row", "metric"])
    rows_of = {name: part.loc[(name, "accuracy")] for name in (NOT_TUNED, "not tuned + fixed test set", TUNED)}
    varying, fixed, tuned = rows_of.values()
    if math.isnan(varying["ours"]):
        return "**Not judged.** *Paired differences are more often normal without tuning and with a varying test set*: these have not been computed."
    head = "*Paired differences of accuracy are more often normal without tuning and with a varying test set*"
    said = (
        f"on {listed(list(database.WITH_ALL_DESIGNS))} the plain test rejects {varying['ours']:.0f} % there and {fixed['ours']:.0f} % with a fixed "
        f"test set, the tie-aware test {varying['tie_aware']:.0f} % and {fixed['tie_aware']:.0f} %"
    )
    by_test = varying["tie_aware"] < fixed["tie_aware"] - POINTS
    if math.isnan(tuned["ours"]):
        return f"{judged(by_test)} {head}: {said}."
    by_tuning = fixed["tie_aware"] < tuned["tie_aware"] - POINTS
    what = {(True, True): "both count", (True, False): "the test set counts", (False, True): "it is tuning that counts", (False, False): "neither counts"}  # fmt: skip
    return (
        f"{judged(by_test and by_tuning, by_test or by_tuning)} {head}: {said}; tuned, with a fixed test set, they reject "
        f"{tuned['ours']:.0f} % and {tuned['tie_aware']:.0f} %. Once ties are known, {what[by_test, by_tuning]}."
    )


def top(rows: pd.DataFrame) -> str:
    """9. The first three models change with the statistic."""
    part = rows[rows["table"] == "7"].set_index(["row", "metric"])
    upper = part.loc[("mean+2sd vs 0.975-quantile", "accuracy")]
    beyond, normal = (part[f"not_tuned_{name}"].mean() for name in ("beyond_ties", "normal_beyond_ties"))
    return (
        f"{judged(beyond > 0.5, beyond > normal + WITHIN)} *Quantiles change the first three models, by the upper quantile in 94 % of the "
        f"cases*: without tuning we count {percent(upper['not_tuned_changed'])} of sizes, and {percent(upper['not_tuned_beyond_ties'])} where the order "
        f"among equal accuracies does not count. Over all six comparisons it is then {percent(beyond)}, where normal numbers would give "
        f"{percent(normal)}."
    )


def percent(share: float) -> str:
    """A share of sizes."""
    return f"{100.0 * share:.0f} %"


def defect(rows: pd.DataFrame) -> str:
    """10. All metrics are left-skewed; what the tool's defects do."""
    skew = rows[(rows["table"] == "B.10") & (rows["row"] == "skewness")].set_index("metric")["ours"]
    said = listed([f"{value:+.1f} for {reproduce.METRICS[metric]}" for metric, value in skew.items()])
    left = int((skew < 0).sum())
    bad = all(value > 0 if metric in defects.LOSSES else value < 0 for metric, value in skew.items())
    toward = ": the long tail lies on the side of bad scores in all four" if bad else ""
    head = f"{judged(left == 4, left >= 2)} *All metrics are skewed to the left at the last size*: our median skewness is {said}{toward}."
    if not defects.TARGET.exists():
        return head
    table = pd.read_csv(defects.TARGET)
    shares = table[table["metric"] != defects.TIES].set_index(["data", "metric", "defects"])["share"]
    both, none = (shares.xs(name, level="defects") for name in ("ABC", "none"))
    moved = (both - none).dropna()
    (data, metric), most = max(moved.items(), key=lambda item: item[1])
    before = rows[(rows["row"] == str(database.DATA[data])) & (rows["metric"] == metric)]["value"].iloc[0]
    return (
        f"{head} Three defects of the public versions of the tool, put into our curves of {listed(list(defects.DATA))}, move the share that is not "
        f"normal by {moved.min():+.0f} to {moved.max():+.0f} points; most for {reproduce.METRICS[metric]} on {data}, from {both[data, metric] - most:.0f} % to "
        f"{both[data, metric]:.0f} %, where {before:.0f} % is published."
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    (HERE / "README.md").write_text(text(Found.read(), PICTURES), encoding="utf-8")
