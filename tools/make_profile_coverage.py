"""Write `docs/reference/profiles.md`: the simulated coverage of profile bands and aggregates (about eight minutes).

python tools/make_profile_coverage.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats
from simulate import plausible

from ogive.profiles import performance_profile
from ogive.profiles._curves import Corridor, corridor, largest_deviation
from ogive.profiles._distances import ratio
from ogive.statistics import aggregate, band_margin

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "profiles.md"
REPETITIONS, SLOW_REPETITIONS, POINTWISE_REPETITIONS = 20_000, 2_000, 300
DESIGNS = tuple((runs, tasks) for runs in (3, 5, 20) for tasks in (5, 26))
PROBLEMS = (5, 20, 65)
# Tasks, and the fewest and most runs on one of them.
UNEQUAL = ((5, 5, 8), (5, 5, 20), (5, 10, 40), (26, 5, 20))
THRESHOLDS, POINTWISE_RESAMPLES, WIDTH_RESAMPLES = 30, 1000, 500
BLOCK = 4_000_000
# Improvement: runs of each of three methods; the first number is also what the library's docstrings quote.
IMPROVEMENT_RUNS = (5, 20)
FEW, MANY = 3, 30
COLLAPSE_DESIGNS = ((3, 5), (5, 5), (3, 26), (10, 5), (10, 10), (20, 5), (5, 26), (50, 10))
COLLAPSE_RATES = (0.0, 0.02, 0.05, 0.1)
COLLAPSE_RESAMPLES = 400


@dataclass(frozen=True)
class Population:
    """Tasks with normal scores: fixed means and spreads, or drawn anew in every repetition."""

    name: str
    random: bool
    shift: float
    spread: float

    def draw(self, rng: np.random.Generator, repetitions: int, runs: int, tasks: int) -> np.ndarray:
        """Scores, repetitions × runs × tasks."""
        means, sds = self._tasks(tasks)
        if self.random:
            means = rng.normal(0.0, self.shift, (repetitions, 1, tasks))
            sds = np.ones(tasks)
        return rng.normal(size=(repetitions, runs, tasks)) * sds + means

    def cdf(self, x: np.ndarray, tasks: int) -> np.ndarray:
        """The mean of the tasks' CDFs, over these tasks or over all."""
        if self.random:
            return np.asarray(stats.norm.cdf(x, 0.0, np.hypot(1.0, self.shift)))
        if self.shift == 0.0:
            return np.asarray(stats.norm.cdf(x))
        means, sds = self._tasks(tasks)
        return np.mean([stats.norm.cdf(x, m, s) for m, s in zip(means, sds, strict=True)], axis=0)

    def _tasks(self, tasks: int) -> tuple[np.ndarray, np.ndarray]:
        place = np.linspace(-1.0, 1.0, tasks)
        return self.shift * place, self.spread**place


POPULATIONS = (
    Population("these tasks, all alike", False, 0.0, 1.0),
    Population("these tasks, very unequal", False, 10.0, 6.0),
    Population("random tasks, nearly alike", True, 0.1, 1.0),
    Population("random tasks, very unequal", True, 3.0, 1.0),
)


def score_sides(runs: int, tasks: int, confidence: float, *, random: bool) -> tuple[np.ndarray, np.ndarray]:
    """What holds the mean CDF once k of all runs have been passed, k = 0 … runs × tasks."""
    n = runs * tasks
    if not random:
        held = corridor(n, confidence, "exact")
        return held.low, held.high
    width = band_margin(tasks, confidence, "ks", two_sided=True)
    return np.arange(n + 1) / n - width, np.arange(n + 1) / n + width


def score_coverage(
    population: Population, runs: int, tasks: int, sides: tuple[np.ndarray, np.ndarray], repetitions: int, seed: int
) -> float:
    """How often the whole mean CDF lies inside, at every run and from both sides of it."""
    rng, n = np.random.default_rng(seed), runs * tasks
    covered, block = 0, max(1, BLOCK // n)
    for start in range(0, repetitions, block):
        x = np.sort(population.draw(rng, min(block, repetitions - start), runs, tasks).reshape(-1, n), axis=1)
        truth = population.cdf(x, tasks)
        inside = (sides[0][1:] <= truth) & (truth <= sides[1][:-1])
        covered += int(np.count_nonzero(inside.all(axis=1)))
    return covered / repetitions


def pointwise_band(
    scores: np.ndarray, thresholds: np.ndarray, rng: np.random.Generator, n_resamples: int = POINTWISE_RESAMPLES
) -> np.ndarray:
    """rliable's band: at each threshold the 2.5 and 97.5 % quantiles of resamples of the runs within tasks."""
    runs, tasks = scores.shape
    shares = np.zeros((n_resamples, thresholds.size))
    for t in range(tasks):
        counts = rng.multinomial(runs, np.full(runs, 1.0 / runs), size=n_resamples)
        shares += counts @ (scores[:, t, None] > thresholds)
    return np.quantile(shares / (runs * tasks), [0.025, 0.975], axis=0)


def pointwise_coverage(population: Population, runs: int, tasks: int, repetitions: int, seed: int) -> float:
    """How often rliable's band holds the true shares at all of thirty thresholds at once."""
    rng = np.random.default_rng(seed)
    wide = np.linspace(-14.0, 14.0, 20_001)
    inner = wide[(population.cdf(wide, tasks) > 0.02) & (population.cdf(wide, tasks) < 0.98)]
    thresholds = np.linspace(inner[0], inner[-1], THRESHOLDS)
    truth, covered = 1.0 - population.cdf(thresholds, tasks), 0
    for scores in population.draw(rng, repetitions, runs, tasks):
        low, high = pointwise_band(scores, thresholds, rng)
        covered += bool(np.all((low <= truth + 1e-12) & (truth <= high + 1e-12)))
    return covered / repetitions


def unequal_coverage(
    population: Population, sizes: np.ndarray, confidence: float, repetitions: int, seed: int
) -> float:
    """How often the bootstrap of the largest deviation holds the mean CDF, tasks having different numbers of runs."""
    rng, tasks, covered = np.random.default_rng(seed), sizes.size, 0
    weights = np.repeat(1.0 / (tasks * sizes), sizes)
    for r in range(repetitions):
        scores = population.draw(rng, 1, int(sizes.max()), tasks)[0]
        runs = [scores[:size, t] for t, size in enumerate(sizes)]
        pooled = np.concatenate(runs)
        order = np.argsort(pooled)
        upto = np.cumsum(weights[order])
        width = largest_deviation(runs, confidence, r, WIDTH_RESAMPLES)
        truth = population.cdf(pooled[order], tasks)
        covered += bool(np.all((upto - width <= truth) & (truth <= upto - weights[order] + width)))
    return covered / repetitions


def _times(rng: np.random.Generator, n: int) -> np.ndarray:
    hard = rng.normal(2.0, 1.5, n)
    return np.exp(hard + np.array([[0.0], [0.3], [0.3]]) + rng.standard_t(3, (3, n)) * np.array([[0.4], [0.4], [1.2]]))


# Times of three methods on n problems drawn from a population; infinite for failures.
SUITES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "continuous times": _times,
    "whole seconds, many ties": lambda rng, n: np.ceil(_times(rng, n) / 4.0),
    "time limit, a third unsolved": lambda rng, n: np.where((t := _times(rng, n)) > 12.0, np.inf, t),
}


def ratio_coverage(
    suite: str, problems: int, confidence: float, repetitions: int, seed: int, population: int = 2_000_000
) -> float:
    """How often the bands hold the profiles of all three methods, at every τ, over the whole population."""
    rng = np.random.default_rng(seed)
    truths = [np.sort(d) for d in ratio(SUITES[suite](rng, population))]
    held = corridor(problems, 1.0 - (1.0 - confidence) / 3, "exact")
    d = ratio(SUITES[suite](rng, repetitions * problems)).reshape(3, repetitions, problems)
    covered = np.ones(repetitions, dtype=bool)
    for truth, own in zip(truths, d, strict=True):
        covered &= whole_curve_held(truth, own, held)
    return float(covered.mean())


def whole_curve_held(truth: np.ndarray, own: np.ndarray, held: Corridor) -> np.ndarray:
    """Whether the CDF of `truth` (sorted) lies in the bands of samples, a row each, at every τ and from both sides."""
    own = np.sort(own, axis=1)
    finite = np.isfinite(own)
    at = np.where(finite, own, 1.0)
    upto = (own[:, None, :] <= at[:, :, None]).sum(axis=2)  # distances at or below each one
    below = (own[:, None, :] < at[:, :, None]).sum(axis=2)
    right = np.searchsorted(truth, at, side="right") / truth.size
    left = np.searchsorted(truth, at, side="left") / truth.size
    inside = (held.low[upto] <= right) & (left <= held.high[below])
    solved = finite.sum(axis=1)  # where the curve ends
    share = np.isfinite(truth).mean()
    ends = (held.low[solved] <= share) & (share <= held.high[solved])
    return np.asarray((inside | ~finite).all(axis=1) & ends)


def duels(runs: np.ndarray) -> np.ndarray:
    """Estimated distances by improvement, 3 × problems, from runs 3 × problems × runs; continuous scores."""
    return _from_best(_wins(runs), _wins(runs))


def cross_fitted_duels(runs: np.ndarray) -> np.ndarray:
    """The best method chosen by half of the runs, its duels counted by the others, and the other way round."""
    one, two = _wins(runs[:, :, ::2]), _wins(runs[:, :, 1::2])
    return (_from_best(one, two, least=-0.5) + _from_best(two, one, least=-0.5)) / 2.0


def _wins(runs: np.ndarray) -> np.ndarray:
    """How often a run of i beats one of j on each problem, i × j × problems."""
    beats = [[(a[:, :, None] > b[:, None, :]).mean(axis=(1, 2)) for b in runs] for a in runs]
    for i in range(len(runs)):
        beats[i][i] = np.full(runs.shape[1], 0.5)
    return np.array(beats)


def _from_best(chooser: np.ndarray, measured: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Distances from the method with most wins; of several equal ones the nearest counts."""
    sums = chooser.sum(axis=1).round(12)
    best = sums == sums.max(axis=0)
    gaps = np.maximum(measured - 0.5, least)
    return np.asarray(np.where(best[:, None, :], gaps, np.inf).min(axis=0))


def improvement_coverage(problems: int, runs: int, repetitions: int, seed: int, population: int = 200_000) -> dict[str, float]:  # fmt: skip
    """How often the bands hold three curves together: of the true distances, of cross-fitted bands, of R-run distances.

    Three methods whose means differ from problem to problem by half of the spread of their runs.
    """
    rng = np.random.default_rng(seed)
    means = rng.normal(0.0, 0.5, (3, population))
    wins = stats.norm.cdf((means[:, None] - means[None, :]) / np.sqrt(2.0))
    true = np.sort(_from_best(wins, wins), axis=1)
    shown = np.sort(duels(rng.normal(means[:, :, None], 1.0, (3, population, runs))), axis=1)
    held = corridor(problems, 1.0 - 0.05 / 3, "exact")
    x = rng.normal(rng.normal(0.0, 0.5, (3, repetitions * problems, 1)), 1.0, (3, repetitions * problems, runs))
    plain, crossed = (f(x).reshape(3, repetitions, problems) for f in (duels, cross_fitted_duels))
    asked = {"true": (true, plain), "cross-fitted": (true, crossed), "as estimated": (shown, plain)}
    return {
        name: float(np.all([whole_curve_held(t, d, held) for t, d in zip(*both, strict=True)], axis=0).mean())
        for name, both in asked.items()
    }


# What two methods with the same distribution are compared by: kind, how runs are joined, and their scores.
UNEQUAL_RUNS: dict[str, tuple[str, str | None, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]]] = {
    "best run, normal scores": ("difference", "best", lambda rng, size: rng.normal(size=size)),
    "best run, ratio of lognormal times": ("ratio", "best", lambda rng, size: rng.lognormal(size=size)),
    "mean, ratio of lognormal times": ("ratio", "mean", lambda rng, size: rng.lognormal(size=size)),
    "mean, 10 % of runs collapse": (
        "difference", "mean", lambda rng, size: np.where(rng.random(size) < 0.1, 0.0, rng.normal(10.0, 1.0, size)),
    ),
    "median, lognormal scores": ("difference", "median", lambda rng, size: rng.lognormal(size=size)),
    "improvement, scores 0 or 1": ("improvement", None, lambda rng, size: 1.0 * (rng.random(size) < 0.9)),
    "rank test, scores 0 or 1": ("rank", None, lambda rng, size: 1.0 * (rng.random(size) < 0.9)),
    "Welch test, 10 % of runs collapse": (
        "welch", None, lambda rng, size: np.where(rng.random(size) < 0.1, 0.0, 10.0) + rng.normal(0.0, 0.01, size),
    ),
}  # fmt: skip
# The same by the version before numbers of runs were made equal, 1,000 tables each.
BEFORE_UNEQUAL = {
    "best run, normal scores": "1.000",
    "best run, ratio of lognormal times": "1.000",
    "mean, ratio of lognormal times": "0.163",
    "mean, 10 % of runs collapse": "0.362",
    "median, lognormal scores": "0.080",
    "improvement, scores 0 or 1": "0.781",
    "rank test, scores 0 or 1": "0.997",
    "Welch test, 10 % of runs collapse": "1.000",
}


def unequal_claims(case: str, problems: int, repetitions: int, seed: int) -> float:
    """How often one of two equal methods, one with few and one with many runs, is called ahead somewhere."""
    kind, runs, draw = UNEQUAL_RUNS[case]
    rng, claimed = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        scores = {"few": draw(rng, (FEW, problems)), "many": draw(rng, (MANY, problems))}
        found = performance_profile(scores, kind, runs=runs, goal="minimize" if kind == "ratio" else None)  # type: ignore[arg-type]
        claimed += found.compare("few", "many").conclusion != "cannot tell"
    return claimed / repetitions


@dataclass(frozen=True)
class Collapse:
    """Tasks with normal scores, a share of whose runs falls to a score far below."""

    name: str
    means: tuple[float, float]
    spread: float
    bottom: float

    def tasks(self, n_tasks: int) -> np.ndarray:
        """The mean of each task's runs that do not collapse."""
        return np.linspace(*self.means, n_tasks)

    def draw(self, rng: np.random.Generator, runs: int, tasks: int, rate: float) -> np.ndarray:
        """Scores, runs × tasks."""
        x = rng.normal(self.tasks(tasks), self.spread, (runs, tasks))
        x[rng.random((runs, tasks)) < rate] = self.bottom
        return x

    def truth(self, tasks: int, rate: float, draws: int = 50_000) -> dict[str, float]:
        """IQM, mean and median over the tasks, to four digits."""
        lost = round(rate * draws)
        z = stats.norm.ppf((np.arange(draws - lost) + 0.5) / (draws - lost))
        means = self.tasks(tasks)
        x = np.sort(np.concatenate([np.append(m + self.spread * z, np.full(lost, self.bottom)) for m in means]))
        each = (1.0 - rate) * means + rate * self.bottom
        middle = x[x.size // 4 : 3 * x.size // 4]
        return {"iqm": float(middle.mean()), "mean": float(each.mean()), "median": float(np.median(each))}


COLLAPSES = (
    Collapse("tasks near each other", (0.6, 0.9), 0.05, 0.1),
    Collapse("tasks far apart", (0.0, 10.0), 0.5, -5.0),
)


def collapse_coverage(
    population: Collapse, runs: int, tasks: int, rate: float, repetitions: int, seed: int
) -> dict[str, tuple[float, bool]]:
    """How often the intervals of IQM, mean and median hold the truth, and whether they are called heuristic."""
    rng, truth = np.random.default_rng(seed), population.truth(tasks, rate)
    covered, rough = dict.fromkeys(truth, 0), dict.fromkeys(truth, False)
    for r in range(repetitions):
        scores = population.draw(rng, runs, tasks, rate)
        found = aggregate(scores, statistics=list(truth), n_resamples=COLLAPSE_RESAMPLES, seed=r)
        for name, value in truth.items():
            covered[name] += found[name].low <= value <= found[name].high
            rough[name] |= found[name].guarantee == "heuristic"
    return {name: (covered[name] / repetitions, rough[name]) for name in truth}


def false_claims(problems: int, repetitions: int, seed: int) -> float:
    """How often one of two exchangeable methods is called ahead of the other at some τ."""
    rng, claimed = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        times = np.exp(rng.normal(1.0, 1.0, problems) + rng.standard_t(3, (2, problems)))
        found = performance_profile({"a": times[0], "b": times[1]}, goal="minimize").compare("a", "b")
        claimed += found.conclusion != "cannot tell"
    return claimed / repetitions


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table."""
    names = list(head)
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names), *("| " + " | ".join(r) + " |" for r in rows), ""]  # fmt: skip


def score_rows() -> Iterable[list[str]]:
    """Our band and rliable's, for each population and design; the pooled band on random tasks beside them."""
    for population in POPULATIONS:
        ours, theirs, pooled = [population.name, "this band"], [population.name, "rliable's, pointwise"], [population.name, "runs pooled"]  # fmt: skip
        for runs, tasks in DESIGNS:
            sides = score_sides(runs, tasks, 0.95, random=population.random)
            ours.append(f"{score_coverage(population, runs, tasks, sides, REPETITIONS, runs * tasks):.3f}")
            theirs.append(f"{pointwise_coverage(population, runs, tasks, POINTWISE_REPETITIONS, runs * tasks):.2f}")
            if population.random:
                wrong = score_sides(runs, tasks, 0.95, random=False)
                pooled.append(f"{score_coverage(population, runs, tasks, wrong, REPETITIONS, runs * tasks):.3f}")
        print(ours, theirs, pooled, flush=True)
        yield ours
        if population.random:
            yield pooled
        yield theirs


def unequal_rows() -> Iterable[list[str]]:
    """The bootstrap of the largest deviation."""
    for population in POPULATIONS[:2]:
        row = [population.name]
        for tasks, few, many in UNEQUAL:
            sizes = np.resize(np.array([few, many, (few + many) // 2]), tasks)
            row.append(f"{unequal_coverage(population, sizes, 0.95, SLOW_REPETITIONS, tasks):.3f}")
        print(row, flush=True)
        yield row


def ratio_rows() -> Iterable[list[str]]:
    """Bands of ratio profiles."""
    for suite in SUITES:
        row = [suite, *(f"{ratio_coverage(suite, p, 0.95, REPETITIONS, p):.3f}" for p in PROBLEMS)]
        print(row, flush=True)
        yield row


def improvement_rows() -> Iterable[list[str]]:
    """What the band of estimated distances holds."""
    found = {
        (runs, p): improvement_coverage(p, runs, SLOW_REPETITIONS, seed=p)
        for runs in IMPROVEMENT_RUNS
        for p in PROBLEMS
    }
    for name, words in (
        ("true", "the true distances (claimed before, as guaranteed)"),
        ("cross-fitted", "the true distances, best chosen by one half of the runs, measured by the other"),
        ("as estimated", "distances as estimated from so many runs (claimed now, called heuristic)"),
    ):
        yield [words, *(f"{one[name]:.3f}" for one in found.values())]


def unequal_runs_rows() -> Iterable[list[str]]:
    """Before and after numbers of runs were made equal."""
    for case in UNEQUAL_RUNS:
        row = [case, BEFORE_UNEQUAL[case], f"{unequal_claims(case, 65, SLOW_REPETITIONS // 2, seed=1):.3f}"]
        print(row, flush=True)
        yield row


def collapse_rows() -> Iterable[list[str]]:
    """Coverage of aggregates; a star where they are called heuristic."""
    for population in COLLAPSES:
        for rate in COLLAPSE_RATES:
            found = [
                collapse_coverage(population, runs, tasks, rate, SLOW_REPETITIONS // 2, seed=runs * tasks)
                for runs, tasks in COLLAPSE_DESIGNS
            ]
            for name in ("iqm", "mean", "median"):
                cells = [f"{one[name][0]:.2f}{'*' if one[name][1] else ''}" for one in found]
                yield [population.name, f"{100 * rate:g} %", "IQM" if name == "iqm" else name, *cells]
            print(population.name, rate, flush=True)


def main() -> None:
    """Simulate and write."""
    least, most = plausible(0.95, REPETITIONS)
    designs = [f"{runs} × {tasks}" for runs, tasks in DESIGNS]
    lines = [
        "# Coverage of profile bands",
        "",
        "Every guarantee is a claim; this page checks it. All bands are asked for 95 %, over *all* τ at once: the true curve"
        " must lie inside at every run or distance and from both sides of it. Made by `python tools/make_profile_coverage.py`;"
        " the tests in `tests/profiles` repeat the parts that matter.",
        "",
        "## Score profiles, equally many runs on every task",
        "",
        f"{REPETITIONS:,} samples of runs × tasks for this band (a band that covers exactly 95 % shows {least:.4f} to {most:.4f}),"
        f" {POINTWISE_REPETITIONS} for rliable's, which is read at {THRESHOLDS} thresholds only and with {POINTWISE_RESAMPLES:,} resamples, computed by"
        " its definition. Fixed tasks: the exact band with n = runs × tasks. Random tasks: the Kolmogorov-Smirnov margin with n = tasks;"
        " `runs pooled` is what happens when random tasks are taken for fixed ones.",
        "",
        *table(["tasks", "band", *designs], score_rows()),
        "## Score profiles, unequal numbers of runs",
        "",
        f"{SLOW_REPETITIONS:,} samples, {WIDTH_RESAMPLES} resamples each; runs per task alternate between the two numbers and their mean. Approximate.",
        "",
        *table(["tasks", *(f"{a}–{b} runs, {t} tasks" for t, a, b in UNEQUAL)], unequal_rows()),
        "## Ratio profiles",
        "",
        f"{REPETITIONS:,} samples of problems from a population of two million; three methods together, the error divided over them. Guaranteed:"
        " at least 95 %. (The level of three methods is rounded to the next tabulated one, hence the surplus.)",
        "",
        *table(["problems", *(f"{p} problems" for p in PROBLEMS)], ratio_rows()),
        "## Verdicts about two equal methods",
        "",
        f"{SLOW_REPETITIONS:,} pairs of exchangeable methods: how often `compare` claims that one is ahead somewhere. At most 5 %.",
        "",
        *table(
            [f"{p} problems" for p in PROBLEMS],
            [[f"{false_claims(p, SLOW_REPETITIONS, p):.3f}" for p in PROBLEMS]],
        ),
        "## Improvement profiles: what the band holds",
        "",
        f"{SLOW_REPETITIONS:,} samples of problems; three methods whose means differ from problem to problem by half of the spread of their"
        " runs; bands for all three together. Distances are estimated from the runs, and from the method that looks best in the same"
        " runs: too large for equal methods, and too spread out for all. So the band does not hold the curve that endless runs would show,"
        " and less still where one half of the runs chooses the best and the other measures: distances then fall on both sides of 0, where the truth"
        " has a third of them. What the band holds is the curve of distances as so many runs show them on other problems. Profiles say this (`as estimated from 5 runs each`) and call their band heuristic;"
        " so do `ratio` and `difference` where several runs stand behind a cell.",
        "",
        *table(["the band is of", *(f"{r} runs, {p} problems" for r in IMPROVEMENT_RUNS for p in PROBLEMS)], improvement_rows()),
        "## Verdicts about two equal methods with unequal numbers of runs",
        "",
        f"{SLOW_REPETITIONS // 2:,} tables of 65 problems; two methods with the same distribution, one with {FEW} runs on every problem and one with"
        f" {MANY}: how often `compare` claims that one is ahead somewhere. At most 5 %. Before: all runs counted. Now as many runs of each method are"
        " counted as the poorest has on the problem, drawn by a fixed stream.",
        "",
        *table(["compared by", "before", "now"], unequal_runs_rows()),
        "## Aggregates where runs collapse",
        "",
        f"{SLOW_REPETITIONS // 2:,} tables of runs × tasks, {COLLAPSE_RESAMPLES} resamples, 95 %, fixed tasks: how often the intervals of"
        " `aggregate` hold the truth where a share of the runs collapses. A star: called heuristic (before: nowhere). The rule looks at"
        " numbers of runs and tasks only: fewer than 100 runs in all, or, for the median, fewer than 10 tasks. No resample shows a"
        " collapse that no run had; without bounds of the scores nothing cheap can. Collapses of 2 % need more runs than the rule asks for.",
        "",
        *table(["tasks", "collapse", "statistic", *(f"{r} × {t}" for r, t in COLLAPSE_DESIGNS)], collapse_rows()),
    ]  # fmt: skip
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
