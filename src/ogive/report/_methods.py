"""What the numbers stand on: caveats, "error bars of what?", a methods paragraph with its references."""

from __future__ import annotations

import math

from ogive import __version__
from ogive.answers import Ranking
from ogive.answers._question import Criterion
from ogive.answers._statistic import Statistic
from ogive.answers._wording import unit_words
from ogive.plots import DistributionDisplay
from ogive.profiles._aggregates import LABELS
from ogive.report._findings import Findings, count_words
from ogive.report._over_tasks import profile_words
from ogive.report._tables import guarantee_words
from ogive.trials import Trials
from ogive.words import listed, percent_sure, plural, printable

# A gap that the author must fill; it stands in texts that are pasted into a paper.
GAP = "[STATE WHAT VARIED BETWEEN RUNS]"
SOURCES = {"config": "configuration", "data": "data", "seed": "seed"}
USUAL_SOURCES = ("configuration", "data split", "training seed")
# What a method's name begins with, and who described it.
REFERENCES: tuple[tuple[str, str], ...] = (
    ("exact band", "Learned-Miller, E. and DeStefano, J. (2008). A probabilistic upper bound on differential entropy. IEEE Transactions on Information Theory 54(11), 5223-5230."),
    ("ks", "Smirnov, N. (1948). Table for estimating the goodness of fit of empirical distributions. Annals of Mathematical Statistics 19(2), 279-281."),
    ("Student's t", "Student (1908). The probable error of a mean. Biometrika 6(1), 1-25."),
    ("Welch", "Welch, B. L. (1947). The generalization of 'Student's' problem when several different population variances are involved. Biometrika 34, 28-35."),
    ("corrected resampled t", "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281."),
    ("order statistics", "Conover, W. J. (1999). Practical Nonparametric Statistics, 3rd edition. Wiley."),
    ("tail t", "Rockafellar, R. T. and Uryasev, S. (2000). Optimization of conditional value-at-risk. Journal of Risk 2(3), 21-41."),
    ("Clopper-Pearson", "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 26, 404-413."),
    ("wider of Welch", "Welch, B. L. (1947). The generalization of 'Student's' problem when several different population variances are involved. Biometrika 34, 28-35."),
    ("wider of t", "Student (1908). The probable error of a mean. Biometrika 6(1), 1-25."),
    ("t of tasks", "Student (1908). The probable error of a mean. Biometrika 6(1), 1-25."),
    ("paired tail t", "Rockafellar, R. T. and Uryasev, S. (2000). Optimization of conditional value-at-risk. Journal of Risk 2(3), 21-41."),
    ("paired trimmed t", "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. Biometrika 61, 165-170."),
    ("trimmed t", "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. Biometrika 61, 165-170."),
    ("Hoeffding", "Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American Statistical Association 58, 13-30."),
    ("paired t", "Student (1908). The probable error of a mean. Biometrika 6(1), 1-25."),
    ("placements", "Brunner, E. and Munzel, U. (2000). The nonparametric Behrens-Fisher problem. Biometrical Journal 42, 17-25."),
    ("betting", "Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting. Journal of the Royal Statistical Society B 86(1), 1-27."),
    ("Holm", "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 65-70."),
    ("max-T", "Romano, J. P. and Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis testing. Journal of the American Statistical Association 100, 94-108."),
    ("Newcombe's hybrid", "Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in Medicine 17, 873-890."),
    ("Newcombe paired", "Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial proportions based on paired data. Statistics in Medicine 17, 2635-2650."),
    ("Newcombe", "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2. Statistics in Medicine 25, 559-573."),
    ("t with a bootstrap", "Agarwal, R. et al. (2021). Deep reinforcement learning at the edge of the statistical precipice. NeurIPS 34."),
    ("BCa", "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association 82, 171-185."),
    ("Performance profiles", "Dolan, E. D. and Moré, J. J. (2002). Benchmarking optimization software with performance profiles. Mathematical Programming 91, 201-213."),
    ("Score profiles", "Agarwal, R. et al. (2021). Deep reinforcement learning at the edge of the statistical precipice. NeurIPS 34."),
    ("Bonferroni", "Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56, 52-64."),
)  # fmt: skip


def varied_words(trials: Trials) -> str:
    """What differed from run to run."""
    if not trials.varied:
        return "what varied between runs was not stated (say varied= when reading)"
    kept = held_words(trials)
    rest = {"configuration": "the rest of the configuration"} if "values" in kept else {}
    fresh = [rest.get(word, word) for word in trials.varied if word not in kept]
    said = [f"{printable(listed(fresh))} drawn anew for each run"] if fresh else []
    return "; ".join([*said, *kept.values()])


def held_words(trials: Trials) -> dict[str, str]:
    """What several runs of a study share, in words, by what it is."""
    found = {}
    for source, how in (trials.holds or {}).items():
        word = SOURCES.get(source, source)
        ((rule, k),) = how.items()
        if rule == "values":
            found["values"] = "held for every run: " + printable(
                ", ".join(f"{name} = {value}" for name, value in k.items())
            )
        elif rule in ("every", "cycle") and k > 1:
            draws = {"data": "data sets", "seed": "seeds"}.get(word, f"{word}s")
            found[word] = f"{word} kept for {k} runs at a time" if rule == "every" else f"{k} {draws} used in turn"
    return found


def fixed_words(trials: Trials) -> str:
    """What stayed the same, as far as it was said."""
    if not trials.varied:
        return "Not stated, since what varied was not stated."
    said = " ".join(trials.varied).lower()
    fixed = [s for s in USUAL_SOURCES if not any(word in said for word in s.split())]
    where = f" ({listed(fixed)}, as far as they apply)" if fixed else ""
    return f"Everything else{where}: the error bars say nothing about it."


def caveats(found: Findings) -> list[tuple[str, str]]:
    """What a reader must know before believing a number."""
    t = found.trials
    entries = [
        ("What varied", f"{varied_words(t)[:1].upper()}{varied_words(t)[1:]}."),
        ("What was fixed", fixed_words(t)),
        ("Scope", _scope(t)),
        ("Unit", f"{count_words(t, found.metric)} of each method on each task; counted: {printable(unit_words(t))}."),
        ("Independence", _independence(t, hint=" (say unit=)")),
        ("Failures", _failures(found)),
        ("Bounds", _bounds(found)),
    ]
    if found.judgement.sentence:
        entries += [("How many verdicts", _family(found)), ("Looking again", _looks(found))]
    return entries


def _scope(t: Trials) -> str:
    """What the results speak of; the tasks are named where they differ."""
    found: dict[str, list[str]] = {}
    for task in t.tasks:
        found.setdefault(t.scope_of(task) or "", []).append(printable(task))
    sentences = []
    for scope, tasks in found.items():
        where = "" if len(found) == 1 else f"{listed(tasks)}: "
        if scope == "generator":
            drawn = (
                "data were made afresh"
                if "data" in held_words(t) or "data" not in t.varied
                else "fresh data were made for each run"
            )
            says = f"{drawn}: results speak of the process that makes the data."
        elif scope:
            says = f"fresh splits of one data set: results speak of {scope}, over random splits. More runs do not tell more about new data."
        else:
            says = "not stated (say scope=): results speak of runs made as these were, on these tasks."
        sentences.append(where + (says if where else says[0].upper() + says[1:]))
    return " ".join(sentences)


def _independence(t: Trials, hint: str = "") -> str:
    if not t.independent:
        return "A grid or an adaptive sampler chose the runs: they are no sample, and no interval or band is given."
    if t.question is not None:
        return f"Open: {printable(t.question)}"
    if t.n_folds is not None:
        return f"Runs are folds of a cross-validation ({t.n_folds} to a repeat) and share training data: intervals are heuristic."
    pairs = (
        f" Rows of two methods with the same {t.pair!r} share a draw and are compared as pairs."
        if t.pair
        else " Methods are compared as separate samples."
    )
    if t.clustered:
        return f"Rows that share {printable(str(t.unit))} count once together.{printable(pairs)}"
    if t.unit is None:
        return f"Assumed, not stated: every row is taken for one independent run{hint}.{printable(pairs)}"
    return f"Stated: every {'row' if t.unit in ('row', 'rows') else printable(t.unit)} is one independent draw.{printable(pairs)}"


def _failures(found: Findings) -> str:
    if not found.n_failed:
        return "None."
    bands = "in the curves and bands they count as worse than every score"
    if found.trials.clustered:
        bands = "they are left out of the curves as well"
    return f"{found.opening.split('; ', 1)[1][:-1]}; {bands}. {found.sensitivity}".strip()


def _bounds(found: Findings) -> str:
    low, high = found.trials.bounds[found.metric]
    if low is None and high is None:
        return f"None declared for {printable(found.metric)}; no number here needs them."
    ends = f"[{'−∞' if low is None else f'{low:g}'}, {'∞' if high is None else f'{high:g}'}]"
    return f"{printable(found.metric)} is taken to lie in {ends}. That is an assumption: no sample can prove it."


def _family(found: Findings) -> str:
    own = " The profile over all tasks is a family of its own." if found.over and found.over.pair else ""
    return _verdict_family(found) + own


def _verdict_family(found: Findings) -> str:
    judged, level = found.judgement, _level(found)
    assert judged.question is not None
    others = f"{'Three further' if judged.question.criterion.named else 'Four named'} questions share a second error"
    if judged.ranking is not None:
        return f"{plural(judged.ranking.n_pairs, 'pair')}; decided together so that all hold with {level} ({family_rule(judged.ranking)}). {others}."
    compared = judged.comparison
    if compared is not None and compared.tasks:
        together = percent_sure(compared.primary.confidence)
        return f"{len(compared.tasks)} tasks, one verdict each, decided together so that all hold with {level} (Holm). The sentence about all tasks together has {together} of its own. {others}."
    wider = ""
    if found.looks > 1 and compared is not None:
        wider = f" Its interval has {percent_sure(compared.primary.confidence)}."
    return f"One, at {level}.{wider} {others}; everything else about the pair is description, at {100 * found.confidence:g} %."


def family_rule(ranking: Ranking) -> str:
    """How the error is divided among pairs."""
    return "step-down max-T, Romano and Wolf" if ranking.by_draws else "Holm"


def _level(found: Findings) -> str:
    """`95 % confidence`, or `95 % confidence at 3 looks` where the error is divided among them."""
    return f"{100 * found.confidence:g} % confidence" + (f" at {found.looks} looks" if found.looks > 1 else "")


def _looks(found: Findings) -> str:
    """What another look at a growing table costs, what was paid, and what was looked at before."""
    looks, before = found.looks, found.trials.looks
    if looks > 1:
        text = f"The error of the verdict is divided among {looks} looks: it may be read {looks} times while runs are added, and not once more."
    else:
        text = "If runs are added and the report is read again, that is a second look, and the confidence no longer holds for both together."
    if not before:
        return text
    times = "once" if before == 1 else f"{before} times"
    paid = "which is accounted for" if looks > before else f"which looks={before + 1} would account for"
    return f"Smaller tables of this study were judged {times} before, {paid}. {text}"


def checklist(found: Findings) -> list[tuple[str, str]]:
    """ "Error bars of what?", answered as the NeurIPS paper checklist asks."""
    t = found.trials
    ways = interval_methods(found)
    if not ways:
        return [("Are there error bars?", f"No. {found.judgement.reason or 'The runs set no limits.'}")]
    captured = f"{varied_words(t)[:1].upper()}{varied_words(t)[1:]}. {fixed_words(t)}" if t.varied else GAP
    return [
        ("Which factors of variability do the error bars capture?", captured),
        ("How were they calculated?", f"{_grouped(ways)}. Computed with Ogive {__version__}."),
        ("What was assumed?", f"{_independence(t)} Student's and Welch's t also need means that are nearly normal; order statistics and bands need no such thing."),
        ("Standard deviation, standard error or interval?", f"Neither: {100 * found.confidence:g} % confidence intervals (and bands for whole curves), not ± one standard error.{_verdicts_level(found)}"),
        ("Over how many runs?", f"{count_words(t, found.metric)} of each method on each task, over {printable(unit_words(t))}."),
        ("Can they leave the range of the score?", _range(found)),
    ]  # fmt: skip


def _verdicts_level(found: Findings) -> str:
    if found.looks < 2 or not found.judgement.sentence:
        return ""
    return f" The intervals of verdicts are wider: the error is divided among {found.looks} looks."


def _range(found: Findings) -> str:
    """Whether intervals can leave the range of the score."""
    low, high = found.trials.bounds[found.metric]
    tails = "Student's t is symmetric and can pass a limit that"
    if low is None and high is None:
        return f"Those from order statistics and bands cannot; {tails} nobody declared."
    if low is not None and high is not None:
        text = f"No: those of a method's own numbers are cut at the bounds {low:g} and {high:g}."
    else:
        side, bound = ("below", low) if low is not None else ("above", high)
        text = f"Not {side} {bound:g}, where those of a method's own numbers are cut; on the other side {tails} nobody declared."
    return f"{text} Differences between methods are not cut." if found.judgement.sentence else text


def interval_methods(found: Findings) -> dict[str, str]:
    """Statistic in words to the way its interval was made, for what the report shows."""
    ways: dict[str, str] = {}
    for row in found.summary.rows if found.summary is not None else ():
        if math.isfinite(row.low) or math.isfinite(row.high):
            ways.setdefault(Statistic.parse(row.statistic).label, f"{row.method}, {guarantee_words(row.guarantee)}")
    judged = found.judgement
    if judged.ranking is not None:
        first = judged.ranking.pairs[0].difference
        ways[f"pairs ({judged.ranking.question.criterion.label})"] = f"{first.method}, {first.strength}"
    compared = judged.comparison
    if compared is not None:
        where = " over all tasks" if compared.tasks else ""
        ways[f"{_difference_words(compared.question.criterion)}{where}"] = (
            f"{compared.primary.method}, {compared.strength}"
        )
        if compared.tasks:
            one = compared.tasks[0]
            ways[_difference_words(compared.question.criterion)] = f"{one.primary.method}, {one.strength}"
    return ways | _ways_over_tasks(found)


def _difference_words(criterion: Criterion) -> str:
    return (
        "probability of beating"
        if criterion.statistic is None
        else f"difference of {criterion.label}s"
        if criterion.name == "mean"
        else f"difference of {criterion.label}"
    )


def _ways_over_tasks(found: Findings) -> dict[str, str]:
    ways: dict[str, str] = {}
    over = found.over
    if over is None:
        return ways
    if over.display is not None:
        drawn = over.display.profile
        ways["profiles over all tasks"] = f"{drawn.band} band, {guarantee_words(drawn.guarantee)}"
    if over.aggregates is not None:
        labels = [LABELS[s] for s in over.aggregates.statistics]
        first = over.aggregates.of(over.aggregates.methods[0], over.aggregates.statistics[0])
        ways[f"{listed(labels)} over all tasks"] = f"{first.method}, {guarantee_words(first.guarantee)}"
    return ways


def _grouped(ways: dict[str, str]) -> str:
    """Statistics that share a method are named together."""
    by_way: dict[str, list[str]] = {}
    for what, how in ways.items():
        by_way.setdefault(how, []).append(what)
    return "; ".join(f"{listed(names)}: {how}" for how, names in by_way.items())


def band_name(display: DistributionDisplay | None) -> str:
    """`exact band` or `ks band` where bands are drawn."""
    for cell in display.bands if display is not None else ():
        if cell.band is not None and cell.band.n >= 20:
            return f"{cell.band.method} band"
    return ""


def _failures_in_the_paper(found: Findings) -> str:
    """How failures counted, without advice to the one who made the report."""
    text = f"{_failures(found)[: -len(found.sensitivity)] if found.sensitivity else _failures(found)}".strip()
    text = text.replace(" failed", " runs failed", 1)
    return text if found.sensitivity.startswith("Whether") else f"{text} {found.sensitivity}".strip()


def paragraph(found: Findings, band: str) -> str:
    """Sentences for the methods section of a paper."""
    t, judged = found.trials, found.judgement
    count, methods, tasks = count_words(t, found.metric, usable=False), len(t.algorithms), plural(len(t.tasks), "task")
    each = f"each of {methods} methods" if methods > 1 else "one method"
    made = f"made {count} of {each} on {tasks}"
    if t.clustered and t.unit:
        made = f"evaluated {each} on {tasks} with {count}"
    text = f"We {made} ({varied_words(t) if t.varied else GAP}) and report {printable(found.metric)}."
    if found.n_failed:
        text += f" {_failures_in_the_paper(found)}"
    if band:
        text += (
            f" Distributions are shown whole, with simultaneous {100 * found.confidence:g} % confidence bands "
            f"({'equal local level' if band.startswith('exact') else 'Kolmogorov-Smirnov'})."
        )
    ways = interval_methods(found)
    if ways:
        text += f" Brackets are {100 * found.confidence:g} % confidence intervals ({_grouped(ways)})."
    else:
        text += " The runs are described without intervals."
    if judged.ranking is not None:
        text += (
            f" Methods are ranked in tiers by pairwise comparison ({judged.ranking.question.criterion.label}), decided together for {plural(judged.ranking.n_pairs, 'pair')}{_and_looks(found)} ({family_rule(judged.ranking)}); "
            "the first tier holds the methods that no other is certainly better than."
        )
    elif judged.comparison is not None and judged.comparison.tasks:
        text += f" Methods are compared over all tasks and on each, decided together for {len(judged.comparison.tasks)} tasks{_and_looks(found)} (Holm)."
    elif judged.comparison is not None and found.looks > 1:
        text += f" The verdict's interval is adjusted for {found.looks} looks (Bonferroni)."
    if found.over is not None:
        text = f"{text} {profile_words(found.over)}".strip()
    return f"{text} Computed with Ogive {__version__}."


def _and_looks(found: Findings) -> str:
    return f" and {found.looks} looks" if found.looks > 1 else ""


def references(found: Findings, band: str) -> list[str]:
    """Who described the methods that were used."""
    used = [band, *(how for how in interval_methods(found).values())]
    judged = found.judgement
    if judged.ranking is not None and judged.ranking.n_pairs > 1:
        used.append("max-T" if judged.ranking.by_draws else "Holm")
    if judged.comparison is not None and judged.comparison.tasks:
        used.append("Holm")
    if found.looks > 1 and judged.decided is not None:
        used.append("Bonferroni")
    used += [profile_words(found.over)] if found.over is not None else []
    cited: list[str] = []
    for how in used:
        known = next((reference for start, reference in REFERENCES if how and how.startswith(start)), None)
        if known is not None and known not in cited:
            cited.append(known)
    return cited
