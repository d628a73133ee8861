"""Write `docs/reference/profiles.md`: the simulated coverage of the bands of profiles (about five minutes).

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
from ogive.profiles._curve import corridor, largest_deviation
from ogive.profiles._distances import ratio
from ogive.statistics._band import margin

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "profiles.md"
REPETITIONS, SLOW_REPETITIONS, POINTWISE_REPETITIONS = 20_000, 2_000, 300
DESIGNS = tuple((runs, tasks) for runs in (3, 5, 20) for tasks in (5, 26))
PROBLEMS = (5, 20, 65)
# Tasks, and the fewest and most runs on one of them.
UNEQUAL = ((5, 5, 8), (5, 5, 20), (5, 10, 40), (26, 5, 20))
THRESHOLDS, POINTWISE_RESAMPLES, WIDTH_RESAMPLES = 30, 1000, 500
BLOCK = 4_000_000


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
    width = margin(tasks, confidence, "ks", two_sided=True)
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
    for truth, own in zip(truths, np.sort(d, axis=2), strict=True):
        finite = np.isfinite(own)
        at = np.where(finite, own, 1.0)
        upto = (own[:, None, :] <= at[:, :, None]).sum(axis=2)  # distances at or below each one
        below = (own[:, None, :] < at[:, :, None]).sum(axis=2)
        right = np.searchsorted(truth, at, side="right") / truth.size
        left = np.searchsorted(truth, at, side="left") / truth.size
        inside = (held.low[upto] <= right) & (left <= held.high[below])
        covered &= (inside | ~finite).all(axis=1)
        solved = finite.sum(axis=1)  # where the curve ends
        share = np.isfinite(truth).mean()
        covered &= (held.low[solved] <= share) & (share <= held.high[solved])
    return float(covered.mean())


def false_claims(problems: int, repetitions: int, seed: int) -> float:
    """How often one of two exchangeable methods is called ahead of the other at some τ."""
    rng, claimed = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        times = np.exp(rng.normal(1.0, 1.0, problems) + rng.standard_t(3, (2, problems)))
        found = performance_profile({"a": times[0], "b": times[1]}).compare("a", "b")
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
    ]  # fmt: skip
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
