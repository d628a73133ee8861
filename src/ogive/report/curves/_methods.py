"""What the numbers of learning curves stand on: caveats, "error bars of what?", a methods paragraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ogive import __version__
from ogive.report._methods import REFERENCES, WORKS
from ogive.words import listed, percent_sure, plural, printable, share

if TYPE_CHECKING:
    from ogive.curves import LearningCurves
    from ogive.report.curves._findings import CurveFindings

MOST_NAMED = 8
DRAWN = {
    "additive": "training sets were longer and longer beginnings of one random order of the rows, so that they are nested",
    "random": "training sets were drawn afresh without replacement at each size",
    "bootstrap": "training sets were drawn afresh with replacement at each size",
}
TESTS = {"shapiro": "the Shapiro-Wilk test"}
OWN_REFERENCES = {
    "curves": "Turan, O. T., Loog, M. and Tax, D. M. J. (2026). Generalization performance distributions along learning curves. Pattern Recognition Letters 201, 29-36.",
    "band": "Montiel Olea, J. L. and Plagborg-Møller, M. (2019). Simultaneous confidence bands: theory, implementation, and an application to SVARs. Journal of Applied Econometrics 34, 1-17.",
    "shapiro": "Shapiro, S. S. and Wilk, M. B. (1965). An analysis of variance test for normality (complete samples). Biometrika 52, 591-611.",
    "dip": "Hartigan, J. A. and Hartigan, P. M. (1985). The dip test of unimodality. Annals of Statistics 13, 70-84.",
}  # fmt: skip


def caveats(found: CurveFindings) -> list[tuple[str, str]]:
    """What a reader must know before believing a number."""
    c = found.curves
    entries = [
        ("Scope", f"Results hold {c.scope}. More repetitions tell more about these rows, not about new data."),
        ("Repetitions share rows", _sharing(c)),
        ("Sizes depend on each other", _dependence(c)),
        ("Between and beyond the sizes", f"Only the {plural(c.sizes.size, 'size')} of the grid were measured. Nothing is said between them, and nothing is extrapolated beyond n = {int(c.sizes[-1])}."),
        ("What was fixed", _fixed(c)),
        ("Failures", _missing(found)),
        ("Bounds and steps", _bounds(found)),
    ]  # fmt: skip
    if found.leaders is not None:
        entries += [
            ("How many verdicts", f"Three, by the mean, in the worst and in the best runs. They hold for all pairs and sizes and for all three together with {percent_sure(found.confidence)}: each has a third of the error."),
            ("Looking again", "If repetitions are added and the page is read again, that is a second look, and the confidence no longer holds for both together."),
        ]  # fmt: skip
    return entries


def _sharing(c: LearningCurves) -> str:
    """How much two training sets of the largest size have in common."""
    pool, last = c.n_rows - c.n_test, int(c.sizes[-1])
    if c.design == "bootstrap":
        return f"All repetitions draw from the same {pool} rows, with replacement."
    return (
        f"All repetitions draw from the same {pool} rows. At n = {last} two training sets have {share(last / pool)} of their rows in common on "
        "average, so that the spread between them says little about a new sample of that size."
    )


def _dependence(c: LearningCurves) -> str:
    nested = "training sets of a repetition are nested, so that " if c.design == "additive" else ""
    return (
        f"{nested[:1].upper()}{nested[1:]}a repetition that is lucky at one size tends to be so at the next. " if nested else ""
    ) + "Who is certainly ahead rests on resampling whole repetitions, which keeps that; shares of sizes are descriptions."  # fmt: skip


def _fixed(c: LearningCurves) -> str:
    tested = f"the {c.n_test} test rows, set aside once" if c.test == "fixed" else ""
    return f"The rows, the models and their settings{f', and {tested}' if tested else ''}: the error bars say nothing about them."


def _missing(found: CurveFindings) -> str:
    if not found.n_missing:
        return "None: every fit has a score."
    return f"{_missing_words(found)} {found.sensitivity}".strip()


def _missing_words(found: CurveFindings) -> str:
    how = "left as gaps" if found.rule is None else f"counted as {found.rule_words}"
    return f"{found.n_missing} of {found.curves.values.size} fits have no score; they are {how}."


def _bounds(found: CurveFindings) -> str:
    low, high = found.curves.definitions[found.metric].bounds
    ends = f"[{'−∞' if low is None else f'{low:.4g}'}, {'∞' if high is None else f'{high:.4g}'}]"
    step = found.curves.step(found.metric)[-1]
    text = f"{printable(found.metric)} lies in {ends}; intervals are cut there."
    return (
        text
        if step is None
        else f"{text} At n = {int(found.curves.sizes[-1])} it moves in steps of 1/{round(1 / step)}."
    )


def checklist(found: CurveFindings) -> list[tuple[str, str]]:
    """ "Error bars of what?", answered as the NeurIPS paper checklist asks."""
    c = found.curves
    mean, *quantiles = found.statistics
    return [
        ("Which factors of variability do the error bars capture?", f"Which rows are drawn for training{'' if c.test == 'fixed' else ' and for testing'}, and the models' own randomness; within these {c.n_rows} rows. {_fixed(c)}"),
        ("How were they calculated?", f"mean: {mean.method}, {mean.strength}; {listed([q.label for q in quantiles])}: {quantiles[0].method}, {quantiles[0].strength}. Computed with Ogive {__version__}."),
        ("What was assumed?", "Repetitions are independent draws, given the rows. Student's t also needs means that are nearly normal; order statistics need no such thing."),
        ("Standard deviation, standard error or interval?", f"Neither: {percent_sure(found.confidence)} confidence intervals at each size alone. The shade in the picture is the spread of runs, not an error bar."),
        ("Over how many runs?", f"{plural(c.n_repetitions, 'repetition')} of each model at each size."),
    ]  # fmt: skip


def paragraph(found: CurveFindings) -> str:
    """Sentences for the methods section of a paper."""
    c = found.curves
    names = [printable(m) for m in c.models]
    who = f" ({listed(names)})" if len(names) <= MOST_NAMED else ""
    first, last = int(c.sizes[0]), int(c.sizes[-1])
    where = f"n = {first}" if first == last else f"{c.sizes.size} training-set sizes from {first} to {last}"
    tested = (
        f"scored on {c.n_test} rows set aside once"
        if c.test == "fixed"
        else "scored on all rows that were not trained on"
    )
    paired = ", and every model saw the same rows" if len(names) > 1 else ""
    text = (
        f"We measured {printable(found.metric)} of {plural(len(names), 'model')}{who} at {where}, with {plural(c.n_repetitions, 'repetition')} on "
        f"{c.n_rows} rows (seed {c.seed}). In each repetition {DRAWN[c.design]}; fits were {tested}{paired}."
    )
    if found.n_missing:
        text += f" {_missing_words(found)}"
    mean, *quantiles = found.statistics
    text += f" Brackets are {percent_sure(found.confidence)} confidence intervals at each size (means: {mean.method}; quantiles: {quantiles[0].method})."
    if found.leaders is not None:
        text += (
            " A model is called certainly ahead where a simultaneous band for the paired differences of all models at all sizes, made by "
            f"resampling repetitions, excludes zero ({percent_sure(found.confidence)} for three statistics together, one band for each with a third of the error)."
        )
    test = TESTS.get(found.normality.test, found.normality.test)
    tied = (
        ", against normal numbers rounded to the steps of the score"
        if found.curves.step(found.metric)[0] is not None
        else ""
    )
    text += f" Normality was tested by {test} at each size (level 0.05{tied}), and more than one mode by Hartigan's dip test."
    return f"{text} Results hold {c.scope}. Computed with Ogive {__version__}."


def references(found: CurveFindings) -> list[str]:
    """Who described the methods that were used."""
    known = [WORKS[work] for one in found.statistics for work in REFERENCES[one.method]]
    band = [OWN_REFERENCES["band"]] if found.leaders is not None else []
    return [OWN_REFERENCES["curves"], *dict.fromkeys(known), *band, OWN_REFERENCES["shapiro"], OWN_REFERENCES["dip"]]
