"""What the numbers stand on: caveats, "error bars of what?", a methods paragraph with its references."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ogive import __version__
from ogive.answers import Criterion, Ranking, one_run_each, unit_words
from ogive.notes import argument
from ogive.plots import DistributionDisplay
from ogive.report._findings import Findings, count_words, profile_words
from ogive.results import weakest
from ogive.statistics import Statistic, aggregate_label
from ogive.trials import Trials
from ogive.words import listed, percent_sure, plural, printable

# A gap that the author must fill; it stands in texts that are pasted into a paper.
SAMPLED = "The verdict takes the tasks for an independent sample"
GAP = "[STATE WHAT VARIED BETWEEN RUNS]"
SOURCES = {"config": "configuration", "data": "data", "seed": "seed"}
USUAL_SOURCES = ("configuration", "data split", "training seed")
# Who described what, by the name of a work.
WORKS = {
    "Agarwal 2021": "Agarwal, R. et al. (2021). Deep reinforcement learning at the edge of the statistical precipice. NeurIPS 34.",
    "Brunner 2000": "Brunner, E. and Munzel, U. (2000). The nonparametric Behrens-Fisher problem. Biometrical Journal 42, 17-25.",
    "Clopper 1934": "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the binomial. Biometrika 26, 404-413.",
    "Conover 1999": "Conover, W. J. (1999). Practical Nonparametric Statistics, 3rd edition. Wiley.",
    "Dolan 2002": "Dolan, E. D. and Moré, J. J. (2002). Benchmarking optimization software with performance profiles. Mathematical Programming 91, 201-213.",
    "Dunn 1961": "Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56, 52-64.",
    "Efron 1979": "Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1-26.",
    "Efron 1987": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association 82, 171-185.",
    "Hoeffding 1963": "Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American Statistical Association 58, 13-30.",
    "Holm 1979": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 65-70.",
    "Learned-Miller 2008": "Learned-Miller, E. and DeStefano, J. (2008). A probabilistic upper bound on differential entropy. IEEE Transactions on Information Theory 54(11), 5223-5230.",
    "Massart 1990": "Massart, P. (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Annals of Probability 18, 1269-1283.",
    "Nadeau 2003": "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.",
    "Newcombe 1998": "Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in Medicine 17, 873-890.",
    "Newcombe 2006": "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic, part 2. Statistics in Medicine 25, 559-573.",
    "Rockafellar 2000": "Rockafellar, R. T. and Uryasev, S. (2000). Optimization of conditional value-at-risk. Journal of Risk 2(3), 21-41.",
    "Romano 2005": "Romano, J. P. and Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis testing. Journal of the American Statistical Association 100, 94-108.",
    "Smirnov 1948": "Smirnov, N. (1948). Table for estimating the goodness of fit of empirical distributions. Annals of Mathematical Statistics 19(2), 279-281.",
    "Student 1908": "Student (1908). The probable error of a mean. Biometrika 6(1), 1-25.",
    "Tango 1998": "Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample design. Statistics in Medicine 17, 891-908.",
    "Waudby-Smith 2024": "Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting. Journal of the Royal Statistical Society B 86(1), 1-27.",
    "Welch 1947": "Welch, B. L. (1947). The generalization of 'Student's' problem when several different population variances are involved. Biometrika 34, 28-35.",
    "Wilson 1927": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the American Statistical Association 22, 209-212.",
    "Yuen 1974": "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. Biometrika 61, 165-170.",
    "Zou 2008": "Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a general approach. Statistics in Medicine 27, 1693-1702.",
}  # fmt: skip
# The works behind every `method` that an interval or a band on the page can have, by the method's whole name.
REFERENCES: dict[str, tuple[str, ...]] = {
    "exact band": ("Learned-Miller 2008",), "exact band on tasks": ("Learned-Miller 2008",), "ks band": ("Smirnov 1948",), "dkw band": ("Massart 1990",),
    "ks by cluster band": ("Smirnov 1948",), "ks by task band": ("Smirnov 1948",), "dkw by task band": ("Massart 1990",),
    "none": (), "none band": (),
    "Student's t": ("Student 1908",), "order statistics": ("Conover 1999",), "tail t": ("Rockafellar 2000",),
    "corrected resampled t": ("Nadeau 2003",), "corrected resampled t of tasks": ("Nadeau 2003",),
    "Clopper-Pearson": ("Clopper 1934",), "Clopper-Pearson on discordant pairs": ("Clopper 1934",),
    "Tango's score, direction by Clopper-Pearson": ("Tango 1998", "Clopper 1934"),
    "BCa bootstrap": ("Efron 1987",), "percentile bootstrap": ("Efron 1979",),
    "paired t": ("Student 1908",), "paired t of tasks": ("Student 1908",), "t of tasks": ("Student 1908",),
    "paired tail t": ("Rockafellar 2000",), "paired tail t of tasks": ("Rockafellar 2000",), "tail t of tasks": ("Rockafellar 2000",),
    "paired trimmed t": ("Yuen 1974",), "paired trimmed t of tasks": ("Yuen 1974",), "trimmed t of tasks": ("Yuen 1974",),
    "wider of Welch's and the pooled t": ("Welch 1947",),
    "wider of Welch's and the pooled tail t": ("Welch 1947", "Rockafellar 2000"),
    "wider of Welch's and the pooled trimmed t": ("Welch 1947", "Yuen 1974"),
    "wider of t and score t of tasks' shares": ("Student 1908", "Wilson 1927"),
    "wider of t and score t of clusters' shares": ("Student 1908", "Wilson 1927"),
    "Newcombe's hybrid score": ("Newcombe 1998",),
    "Newcombe with placements": ("Newcombe 2006", "Brunner 2000"), "placements": ("Brunner 2000",),
    "order statistics, variance recovery": ("Conover 1999", "Zou 2008"),
    "betting": ("Waudby-Smith 2024",), "betting on tasks": ("Waudby-Smith 2024",), "betting and exact band": ("Waudby-Smith 2024", "Learned-Miller 2008"),
    "Hoeffding": ("Hoeffding 1963",),
    "t with a bootstrap standard error, runs within tasks": ("Agarwal 2021",),
    "t with a bootstrap standard error, tasks and runs": ("Agarwal 2021",),
    "percentile bootstrap, runs within tasks": ("Agarwal 2021",), "percentile bootstrap, tasks and runs": ("Agarwal 2021",),
    "BCa bootstrap, runs within tasks": ("Efron 1987",), "BCa bootstrap, tasks and runs": ("Efron 1987",),
}  # fmt: skip
PROFILES = {"score": "Agarwal 2021", "ratio": "Dolan 2002", "improvement": "Dolan 2002"}


@dataclass(frozen=True, slots=True)
class Way:
    """How the intervals of one statistic were made, by one method or by several, and how sure they are."""

    methods: tuple[str, ...]
    strength: str

    def __str__(self) -> str:
        return f"{' or '.join(self.methods)}, {self.strength}"


def varied_words(trials: Trials) -> str:
    """What differed from run to run."""
    if trials.n_folds is not None:
        return f"{fold_words(trials)}; folds share training data"
    if not trials.varied:
        return f"what varied between runs was not stated (say {argument('varied')} when reading)"
    kept = held_words(trials)
    rest = {"configuration": "the rest of the configuration"} if "values" in kept else {}
    fresh = [rest.get(word, word) for word in trials.varied if word not in kept]
    said = [f"{printable(listed(fresh))} drawn anew for each run"] if fresh else []
    return "; ".join([*said, *kept.values()])


def fold_words(trials: Trials) -> str:
    """`one score for each fold of a 10-fold cross-validation, repeated 5 times`."""
    assert trials.n_folds is not None
    times = {len(cell.rows) // trials.n_folds for cell in trials.cells}
    low, high = min(times), max(times)
    repeated = "" if high < 2 else f", repeated {high} times" if low == high else f", repeated {low} to {high} times"
    return f"one score for each fold of a {trials.n_folds}-fold cross-validation{repeated}"


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
    said = " ".join(trials.varied).lower() + (" split" if trials.n_folds is not None else "")
    fixed = [s for s in USUAL_SOURCES if not any(word in said for word in s.split())]
    where = f" ({listed(fixed)}, as far as they apply)" if fixed else ""
    return f"Everything else{where}: the error bars say nothing about it."


def caveats(found: Findings) -> list[tuple[str, str]]:
    """What a reader must know before believing a number."""
    t = found.trials
    failed = f"{found.failed_words()}; {_in_the_curves(found)}. {found.sensitivity.words}".strip()
    entries = [
        ("What varied", f"{varied_words(t)[:1].upper()}{varied_words(t)[1:]}."),
        ("What was fixed", fixed_words(t)),
        ("Scope", _scope(t, sampled=found.sampled)),
        ("Unit", f"{count_words(t, found.metric)} of each method on each task; counted: {_counted(found)}."),
        ("Independence", _independence(t, hint=f" (say {argument('unit')})", sampled=found.sampled)),
        ("Failures", failed if found.n_failed else "None."),
        ("Bounds", _bounds(found)),
    ]
    if found.judgment.sentence:
        entries += [("How many verdicts", _family(found)), ("Looking again", _looks(found))]
    return entries


def _counted(found: Findings) -> str:
    """What is counted, in the numbers of a task and in the verdict."""
    words = printable(unit_words(found.trials))
    if not found.sampled or one_run_each(found.trials):
        return words
    return f"{words}; in the verdict {printable(unit_words(found.trials, sampled=True))}"


def _scope(t: Trials, *, sampled: bool) -> str:
    """What the results speak of; the tasks are named where they differ."""
    if sampled and one_run_each(t):
        return "The tasks are taken for a sample: verdicts speak of tasks like these, and of runs made as these were."
    found: dict[str, list[str]] = {}
    what = "the numbers of a task speak" if sampled else "results speak"
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
            says = f"{drawn}: {what} of the process that makes the data."
        elif scope:
            says = f"fresh splits of one data set: {what} of {scope}, over random splits. More runs do not tell more about new data."
        else:
            says = f"not stated: {what} of runs made as these were, on these tasks."
        sentences.append(where + (says if where else says[0].upper() + says[1:]))
    if sampled:
        sentences.append(f"{SAMPLED} and speaks of tasks like these.")
    return " ".join(sentences)


def _independence(t: Trials, hint: str = "", *, sampled: bool) -> str:
    if not t.independent:
        return "A grid or an adaptive sampler chose the runs: they are no sample, and no interval or band is given."
    if t.question is not None:
        return f"Open: {printable(t.question)}"
    if t.n_folds is not None:
        folds = f"Runs are folds of a cross-validation ({t.n_folds} to a repeat) and share training data: intervals"
        if sampled:
            return f"{folds} of single tasks are heuristic. {SAMPLED}, each counted by the mean of its folds."
        return f"{folds} are heuristic."
    if sampled and one_run_each(t):
        return "Assumed, not stated: the tasks are taken for an independent sample of tasks like these. Methods are compared task by task."
    pairs = (
        f" {SAMPLED}, and methods are compared task by task."
        if sampled
        else (
            f" Rows of two methods with the same {t.pair!r} share a draw and are compared as pairs."
            if t.pair
            else " Methods are compared as separate samples."
        )
    )
    if t.folds_overruled:
        return f"Said, but not so: the rows are folds of a cross-validation and share training data; intervals are heuristic.{pairs}"
    if t.clustered:
        return f"Rows that share {printable(str(t.unit))} count once together.{printable(pairs)}"
    if t.unit is None:
        return f"Assumed, not stated: every row is taken for one independent run{hint}.{printable(pairs)}"
    return f"Stated: every {'row' if t.unit in ('row', 'rows') else printable(t.unit)} is one independent draw.{printable(pairs)}"


def _in_the_curves(found: Findings) -> str:
    unscored = found.seen is None or bool(found.seen.failed(found.metric).any())  # the rule leaves runs without a score
    if found.rule == "exclude" or (found.trials.clustered and unscored):
        return "they are left out of the curves as well"
    return "in the curves and bands as well"


def _bounds(found: Findings) -> str:
    low, high = found.trials.bounds[found.metric]
    if low is None and high is None:
        return f"None declared for {printable(found.metric)}; no number here needs them."
    ends = f"[{'−∞' if low is None else f'{low:g}'}, {'∞' if high is None else f'{high:g}'}]"
    return f"{printable(found.metric)} is taken to lie in {ends}. That is an assumption: no sample can prove it."


def _family(found: Findings) -> str:
    judged, level = found.judgment, f"{percent_sure(found.confidence)} confidence"
    level += f" at {found.looks} looks" if found.looks > 1 else ""  # among which the error is divided
    assert judged.question is not None
    own = " The profile over all tasks is a family of its own." if found.over and found.over.pair else ""
    asked = () if judged.decided is None else judged.decided.questions.values()
    n = sum(not q.primary and q.refused != "items" for q in asked)
    named = "further" if judged.question.criterion.named else "named"
    others = f"{('No', 'One', 'Two', 'Three', 'Four')[n]} {named} {'question shares' if n == 1 else 'questions share'} a second error"
    if judged.ranking is not None:
        return f"{plural(judged.ranking.n_pairs, 'pair')}; decided together so that all hold with {level} ({family_rule(judged.ranking)}). {others}.{own}"
    compared = judged.comparison
    if compared is not None and compared.tasks:
        together = percent_sure(compared.primary.confidence)
        return f"{len(compared.tasks)} tasks, one verdict each, decided together so that all hold with {level} (Holm). The sentence about all tasks together has {together} of its own. {others}.{own}"
    wider = ""
    if found.looks > 1 and compared is not None:
        wider = f" Its interval has {percent_sure(compared.primary.confidence)}."
    return f"One, at {level}.{wider} {others}; everything else about the pair is description, at {percent_sure(found.confidence)}.{own}"


def family_rule(ranking: Ranking) -> str:
    """How the error is divided among pairs."""
    return "step-down max-T, Romano and Wolf" if ranking.by_draws else "Holm"


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
    paid = "which is accounted for" if looks > before else f"which {argument('looks', before + 1)} would account for"
    return f"Smaller tables of this study were judged {times} before, {paid}. {text}"


def checklist(found: Findings) -> list[tuple[str, str]]:
    """ "Error bars of what?", answered as the NeurIPS paper checklist asks."""
    t = found.trials
    ways = interval_methods(found)
    if not ways:
        return [("Are there error bars?", f"No. {found.judgment.reason or 'The runs set no limits.'}")]
    wider = ""
    if found.looks > 1 and found.judgment.sentence:
        wider = f" The intervals of verdicts are wider: the error is divided among {found.looks} looks."
    captured = f"{varied_words(t)[:1].upper()}{varied_words(t)[1:]}. {fixed_words(t)}" if t.varied else GAP
    if found.sampled:
        captured = (
            f"In the verdict, which tasks were taken, as a sample of tasks like these. From run to run: {captured}"
        )
    return [
        ("Which factors of variability do the error bars capture?", captured),
        ("How were they calculated?", f"{_grouped(ways)}. Computed with Ogive {__version__}."),
        ("What was assumed?", f"{_independence(t, sampled=found.sampled)} Student's and Welch's t also need means that are nearly normal; order statistics and bands need no such thing."),
        ("Standard deviation, standard error or interval?", f"Neither: {percent_sure(found.confidence)} confidence intervals (and bands for whole curves), not ± one standard error.{wider}"),
        ("Over how many runs?", f"{count_words(t, found.metric)} of each method on each task, over {_counted(found)}."),
        ("Can they leave the range of the score?", _range(found)),
    ]  # fmt: skip


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
    return f"{text} Differences between methods are not cut." if found.judgment.sentence else text


def interval_methods(found: Findings) -> dict[str, Way]:
    """Statistic in words to the way its interval was made, for what the report shows."""
    ways: dict[str, Way] = {}
    for row in found.summary.rows if found.summary is not None else ():
        if math.isfinite(row.low) or math.isfinite(row.high):
            ways.setdefault(Statistic.parse(row.statistic).label, Way((row.method,), row.strength))
    judged = found.judgment
    if judged.ranking is not None:
        ranked = judged.ranking
        ways[f"pairs ({ranked.question.criterion.label})"] = Way(ranked.interval_methods, ranked.strength)
    compared = judged.comparison
    if compared is not None:
        where = " over all tasks" if compared.tasks else ""
        criterion = compared.question.criterion
        ways[f"{_difference_words(criterion)}{where}"] = Way((compared.primary.method,), compared.strength)
        if compared.tasks:
            used = tuple(dict.fromkeys(one.primary.method for one in compared.tasks))
            ways[_difference_words(criterion)] = Way(used, weakest([one.strength for one in compared.tasks]))
    over = found.over
    if over is not None and over.display is not None:
        drawn = over.display.profile
        ways["profiles over all tasks"] = Way((f"{drawn.band} band",), drawn.strength)
    if over is not None and over.aggregates is not None:
        labels = [aggregate_label(s) for s in over.aggregates.statistics]
        first = over.aggregates.of(over.aggregates.methods[0], over.aggregates.statistics[0])
        ways[f"{listed(labels)} over all tasks"] = Way((first.method,), first.strength)
    return ways


def _difference_words(criterion: Criterion) -> str:
    if criterion.statistic is None:
        return "probability of beating"
    return f"difference of {criterion.label}{'s' if criterion.name == 'mean' else ''}"


def _grouped(ways: dict[str, Way]) -> str:
    """Statistics that share a method are named together."""
    by_way: dict[Way, list[str]] = {}
    for what, how in ways.items():
        by_way.setdefault(how, []).append(what)
    return "; ".join(f"{listed(names)}: {how}" for how, names in by_way.items())


def band_method(display: DistributionDisplay | None) -> str:
    """`exact`, `ks` … where bands are drawn; else nothing."""
    for cell in display.bands if display is not None else ():
        if cell.band is not None and cell.band.n >= 20:
            return cell.band.method
    return ""


def paragraph(found: Findings, band: str) -> str:
    """Sentences for the methods section of a paper."""
    t, judged = found.trials, found.judgment
    count, methods, tasks = count_words(t, found.metric, usable=False), len(t.algorithms), plural(len(t.tasks), "task")
    each = f"each of {methods} methods" if methods > 1 else "one method"
    made = f"made {count} of {each} on {tasks}"
    if t.clustered and t.unit:
        made = f"evaluated {each} on {tasks} with {count}"
    how = varied_words(t) if t.varied else GAP
    if t.n_folds is not None:
        made, how = f"evaluated {each} on {tasks} by cross-validation", varied_words(t)
    text = f"We {made} ({how}) and report {printable(found.metric)}."
    if found.n_failed:  # without advice to the one who made the report
        said = found.sensitivity.words if found.sensitivity.known else ""
        text += f" {found.failed_words('runs')}; {_in_the_curves(found)}. {said}".rstrip()
    if band:
        text += (
            f" Distributions are shown whole, with simultaneous {percent_sure(found.confidence)} confidence bands "
            f"({'equal local level' if band == 'exact' else 'Kolmogorov-Smirnov'})."
        )
    ways, and_looks = interval_methods(found), f" and {found.looks} looks" if found.looks > 1 else ""
    if ways:
        text += f" Brackets are {percent_sure(found.confidence)} confidence intervals ({_grouped(ways)})."
    else:
        text += " The runs are described without intervals."
    if found.sampled:
        n = len(judged.question.tasks) if judged.question is not None else len(t.tasks)
        text += f" Comparisons of methods are made task by task; their intervals are over the {n} tasks, taken as a random sample of tasks like these."
    if judged.ranking is not None:
        text += (
            f" Methods are ranked in tiers by pairwise comparison ({judged.ranking.question.criterion.label}), decided together for {plural(judged.ranking.n_pairs, 'pair')}{and_looks} ({family_rule(judged.ranking)}); "
            "the first tier holds the methods that no other is certainly better than."
        )
    elif judged.comparison is not None and judged.comparison.tasks:
        text += f" Methods are compared over all tasks and on each, decided together for {len(judged.comparison.tasks)} tasks{and_looks} (Holm)."
    elif judged.comparison is not None and found.looks > 1:
        text += f" The verdict's interval is adjusted for {found.looks} looks (Bonferroni)."
    if found.over is not None:
        text = f"{text} {profile_words(found.over)}".strip()
    return f"{text} Computed with Ogive {__version__}."


def references(found: Findings, band: str) -> list[str]:
    """Who described the methods that were used."""
    used = [*REFERENCES.get(f"{band} band", ())]
    used += [work for way in interval_methods(found).values() for m in way.methods for work in REFERENCES.get(m, ())]
    judged = found.judgment
    if judged.ranking is not None and judged.ranking.n_pairs > 1:
        used.append("Romano 2005" if judged.ranking.by_draws else "Holm 1979")
    if judged.comparison is not None and judged.comparison.tasks:
        used.append("Holm 1979")
    if found.looks > 1 and judged.decided is not None:
        used.append("Dunn 1961")
    if found.over is not None and found.over.display is not None:
        used.append(PROFILES[found.over.display.profile.kind])
    return [WORKS[work] for work in dict.fromkeys(used)]
