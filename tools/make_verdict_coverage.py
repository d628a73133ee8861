"""Write `docs/reference/verdicts.md`: how often comparisons, aggregates and verdicts are right (about ten minutes).

python tools/make_verdict_coverage.py

The page's first section is that of `attack_verdicts.py --write`, and is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from attack_cells import verdicts_of
from attack_verdicts import kept_section
from make_coverage import table
from scipy import stats

import ogive
from ogive.statistics import (
    aggregate,
    almost_dominance,
    guaranteed_improvement,
    independent_improvement,
    mean_difference,
    mean_interval,
    paired_improvement,
    tail_mean_difference,
    tail_mean_interval,
)

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "verdicts.md"
UNEQUAL_SIZES = ((5, 5), (10, 10), (20, 20), (100, 100), (10, 100), (20, 200), (100, 10))


def share(count: float, repetitions: int) -> str:
    """A rate with three digits."""
    return f"{count / repetitions:.3f}"


def holds(
    draw: Callable[[np.random.Generator], Any], interval: Callable[[Any], Any], value: float, seed: int, n: int
) -> str:
    """How often the interval of a fresh sample holds the value."""
    rng = np.random.default_rng(seed)
    found = (interval(draw(rng)) for _ in range(n))
    return share(sum(i.low - 1e-12 <= value <= i.high + 1e-12 for i in found), n)


def improvement_rows(repetitions: int = 4000) -> Iterable[list[str]]:
    """Paired and independent probability of improvement for shifted normals, separation and ties."""
    for theta in (0.5, 0.65, 0.8, 0.92, 0.98):
        shift = stats.norm.ppf(theta) * math.sqrt(2)
        kinds: dict[str, Callable[[Any], Any]] = {
            "paired: Clopper-Pearson, with ties Tango": lambda x: paired_improvement(*x),
            "independent: Newcombe with placements": lambda x: independent_improvement(*x),
            "independent: guaranteed": lambda x: guaranteed_improvement(*x),
        }
        for kind, interval in kinds.items():
            found = [
                holds(
                    lambda rng, n=n, shift=shift: (rng.normal(shift, 1, n), rng.normal(size=n)),
                    interval,
                    theta,
                    n,
                    repetitions,
                )  # type: ignore[misc]
                for n in (5, 20, 100)
            ]
            yield [kind, f"normal, P = {theta:g}", *found]
    p, q = stats.binom(10, 0.7), stats.binom(10, 0.6)
    masses = p.pmf(range(11)), q.pmf(range(11))
    truth = float(sum(masses[0][i] * (masses[1][:i].sum() + masses[1][i] / 2) for i in range(11)))
    for kind, interval in kinds.items():
        found = [
            holds(
                lambda rng, n=n: (rng.binomial(10, 0.7, n), rng.binomial(10, 0.6, n)), interval, truth, n, repetitions
            )  # type: ignore[misc]
            for n in (5, 20, 100)
        ]
        yield [kind, f"Binomial(10, ·), many ties, P = {truth:.2f}", *found]


def unequal_rows(repetitions: int = 4000) -> Iterable[list[str]]:
    """Independent probability of improvement where A's scores spread more than B's, which has another number of runs."""
    for spread in (3, 100):
        for theta in (0.5, 0.7, 0.85, 0.95):
            shift = stats.norm.ppf(theta) * math.hypot(spread, 1.0)
            found = [
                holds(
                    lambda rng, m=m, n=n, a=(shift, spread): (rng.normal(*a, m), rng.normal(size=n)),
                    lambda x: independent_improvement(*x),
                    theta,
                    m + n,
                    repetitions,
                )  # type: ignore[misc]
                for m, n in UNEQUAL_SIZES
            ]
            yield [f"{spread} times the spread", f"{theta:g}", *found]


def iqm_rows(repetitions: int = 2000) -> Iterable[list[str]]:
    """IQM over fixed tasks of different level and spread."""
    for runs, tasks in ((3, 5), (5, 5), (3, 26), (20, 5)):
        level = np.linspace(0, 2, tasks)
        spread = np.linspace(0.3, 1.0, tasks)
        population = np.sort(
            (level[:, None] + spread[:, None] * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)).ravel()
        )
        truth = float(population[population.size // 4 : -(population.size // 4)].mean())
        rng, held, percentile = np.random.default_rng(runs * tasks), 0, 0
        for r in range(repetitions):
            x = level + spread * rng.normal(size=(runs, tasks))
            i = aggregate(x, statistics=("iqm",), n_resamples=500, seed=r)["iqm"]
            held += i.low <= truth <= i.high
            if runs >= 10:
                j = aggregate(x, statistics=("iqm",), n_resamples=500, seed=r, method="percentile")["iqm"]
                percentile += j.low <= truth <= j.high
        yield [
            f"{runs} x {tasks}",
            share(held, repetitions),
            share(percentile, repetitions) if runs >= 10 else "refused",
        ]


def cluster_rows(repetitions: int = 4000) -> Iterable[list[str]]:
    """Intervals of clustered rows, intra-class correlation 0.5, five rows a cluster."""
    truth = -stats.norm.pdf(stats.norm.ppf(0.25)) / 0.25
    kinds: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
        "mean: t of clusters' means": (lambda x, c: mean_interval(x, clusters=c), 0.0),
        "worst 25 %: tail t of clusters": (
            lambda x, c: tail_mean_interval(x, mass=0.25, tail="lower", clusters=c),
            truth,
        ),
        "paired improvement: wider of t and score t of clusters' shares": (
            lambda x, c: paired_improvement(x, np.zeros(x.size), clusters=c),
            0.5,
        ),
    }
    for kind, (interval, value) in kinds.items():
        found = []
        for k in (8, 20, 50):
            c = np.repeat(np.arange(k), 5)

            def draw(rng: np.random.Generator, k: int = k) -> np.ndarray:
                return math.sqrt(0.5) * np.repeat(rng.normal(size=k), 5) + math.sqrt(0.5) * rng.normal(size=5 * k)

            found.append(holds(draw, lambda x, c=c, f=interval: f(x, c), value, k, repetitions))  # type: ignore[misc]
        yield [kind, *found]


def false_verdicts(tasks: int, looks: int | None, repetitions: int) -> str:
    """How often equal methods are told apart in any verdict, at one table or at five looks at a growing one."""
    rng, wrong = np.random.default_rng([tasks, looks or 0]), 0
    for _ in range(repetitions):
        full = {m: {f"t{i}": rng.normal(size=100) for i in range(tasks)} for m in ("a", "b")}
        sizes = (20,) if looks is None else (20, 40, 60, 80, 100)
        decided = False
        for n in sizes:
            t = ogive.read({m: {k: v[:n] for k, v in by.items()} for m, by in full.items()}, unit="row")
            c = ogive.compare(t, "a", "b", looks=looks or 1)
            found = verdicts_of(c)
            decided |= any(conclusion != "cannot tell" for conclusion, _ in (found[1:] if tasks > 1 else found))
        wrong += decided
    return share(wrong, repetitions)


def tail_rows(repetitions: int = 4000) -> Iterable[list[str]]:
    """How often the worst shares of two equal methods are told apart."""
    draws: dict[str, Callable[..., Any]] = {
        "normal": lambda rng, n: rng.normal(size=(2, n)),
        "exponential": lambda rng, n: rng.exponential(size=(2, n)),
        "uniform": lambda rng, n: rng.random((2, n)),
    }
    for mass in (0.1, 0.25):
        for name, draw in draws.items():
            for paired in (False, True):
                found = []
                for n in (20, 40, 100, 400):
                    rng = np.random.default_rng([n, int(100 * mass), paired])
                    wrong = sum(
                        tail_mean_difference(*draw(rng, n), mass=mass, tail="lower", paired=paired).excludes(0.0)
                        for _ in range(repetitions)
                    )
                    found.append(share(wrong, repetitions))
                yield [f"worst {100 * mass:g} %", name, "paired" if paired else "not paired", *found]


def almost_rows(repetitions: int = 1000) -> Iterable[list[str]]:
    """False claims of almost stochastic dominance between equal distributions."""
    for n in (20, 50, 200):
        rng, ours, usual = np.random.default_rng(n), 0, 0
        for r in range(repetitions):
            found = almost_dominance(rng.normal(size=n), rng.normal(size=n), seed=r, n_resamples=300)
            ours += bool(found.almost_dominates)
            usual += found.epsilon_min < 0.5
        yield [f"{n}", share(usual, repetitions), share(ours, repetitions)]


def split_rows(data_sets: int = 400, rows: int = 270) -> Iterable[list[str]]:
    """Two classifiers of equal population accuracy on random 60/40 splits of the same 270 rows.

    A reads feature 1, B feature 2; both features are equally good, so no difference exists in the
    population, while on any 270 rows one of them is the luckier one.
    """
    rng = np.random.default_rng(0)
    counts = (20, 100, 500, 2000)
    wrong = {(n, kind): 0 for n in counts for kind in ("rows", "corrected")}
    n_train = int(0.6 * rows)
    for _ in range(data_sets):
        y = rng.integers(0, 2, rows)
        x = rng.normal(size=(2, rows)) + 0.8 * y
        train = np.argsort(rng.random((max(counts), rows)), axis=1) < n_train
        accuracy = np.stack([_nearest_mean_accuracy(f, y, train) for f in x])
        for n in counts:
            a, b = accuracy[:, :n]
            for kind, test_share in (("rows", None), ("corrected", (rows - n_train) / n_train)):
                i = mean_difference(a, b, paired=True, test_share=test_share)
                wrong[n, kind] += i.excludes(0.0)
    for n in counts:
        yield [f"{n}", share(wrong[n, "rows"], data_sets), share(wrong[n, "corrected"], data_sets)]


def _nearest_mean_accuracy(x: np.ndarray, y: np.ndarray, train: np.ndarray) -> np.ndarray:
    ones, zeros = train & (y == 1), train & (y == 0)
    high, low = (ones @ x) / ones.sum(axis=1), (zeros @ x) / zeros.sum(axis=1)
    guess = np.abs(x - high[:, None]) < np.abs(x - low[:, None])
    right = (guess == (y == 1)) & ~train
    return np.asarray(right.sum(axis=1) / (~train).sum(axis=1))


def few_task_rows(
    repetitions: int = 20_000, folds: int = 10, repeats: int = 10, sd: float = 0.03
) -> Iterable[list[str]]:
    """How often differences over tasks like these, and of these tasks, are claimed falsely; and the first alone."""
    rng, n = np.random.default_rng(0), folds * repeats
    ways: dict[str, Callable[[tuple[int, int]], np.ndarray]] = {
        "equal": np.zeros, "normal": lambda size: rng.normal(0, 0.01, size),
        "one task in ten": lambda size: np.where(rng.random(size) < 0.1, 0.09, -0.01) + rng.normal(0, 0.002, size),
    }  # fmt: skip
    for tasks in (3, 5, 10):
        for name, draw in ways.items():
            size = (repetitions, tasks)
            true, own = draw(size), sd * np.sqrt(1 - 1 / folds)  # folds share 1 / folds of their variance
            mean = true + rng.normal(0, sd / np.sqrt(folds), size) + rng.normal(0, own / np.sqrt(n), size)
            variance = own**2 * rng.chisquare(n - 1, size) / (n - 1) * (1 / n + 1 / (folds - 1))
            degrees = variance.sum(axis=1) ** 2 / (variance**2 / (n - 1)).sum(axis=1)
            found = mean.mean(axis=1)
            sample = stats.t.ppf(0.975, tasks - 1) * mean.std(axis=1, ddof=1) / np.sqrt(tasks)
            fixed = stats.t.ppf(0.975, degrees) * np.sqrt(variance.sum(axis=1)) / tasks
            claimed, missed = np.abs(found) > sample, np.abs(found - true.mean(axis=1)) > fixed
            alone = claimed & (np.abs(found) < fixed)
            yield [str(tasks), name, *(share(float(what.sum()), repetitions) for what in (claimed, missed, alone))]


def main() -> None:
    """Simulate and write."""
    kept = kept_section(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else []
    lines = [
        "# How often verdicts are right", "",
        "Simulated; all methods are asked for 95 %. Made by `python tools/make_verdict_coverage.py`.", "",
        *kept,
        "## Probability of improvement", "",
        "Share of 4,000 samples whose interval holds the true probability. The conservative interval is guaranteed, the paired one where no pair is tied;"
        " Newcombe's, widened by the variance of the placements, is approximate.", "",
        *table(["interval", "scores", "n = 5", "n = 20", "n = 100"], improvement_rows()),
        "The same for two independent samples of normal scores where A's spread more than B's; columns are the runs of A and of B."
        " Newcombe's interval alone covers 0.67 with 10 runs of A that spread 100 times as much as 100 of B.", "",
        *table(["A's scores", "P", *(f"{m}, {n}" for m, n in UNEQUAL_SIZES)], unequal_rows()),
        "## IQM over fixed tasks", "",
        "2,000 samples of runs x tasks with tasks of different level and spread. The percentile bootstrap is refused below 10 runs.", "",
        *table(["runs x tasks", "t with bootstrap standard error", "percentile bootstrap"], iqm_rows()),
        "## Rows in clusters", "",
        "Five rows to a cluster, intra-class correlation 0.5, 4,000 samples. Approximate intervals.", "",
        *table(["interval", "8 clusters", "20 clusters", "50 clusters"], cluster_rows()),
        "## Equal methods", "",
        "How often `compare` tells two equal methods apart in any of its verdicts (20 runs each); at five looks at a table that"
        " grows from 20 to 100 runs, first as if each look were the only one, then with `looks=5`. Methods of unequal spread are equal in"
        " that each wins half the time.", "",
        *table(["verdicts", "told apart"], [
            ["one comparison", false_verdicts(1, None, 2000)],
            ["ten comparisons, one family", false_verdicts(10, None, 600)],
            ["one comparison, 20 runs against 200 with a twentieth of the spread", _unequal_verdicts(1000)],
            ["five looks, not said", _unsaid_looks(1000)],
            ["five looks, looks=5", false_verdicts(1, 5, 1000)],
        ]),
        "## Equal methods, by their worst runs", "",
        "How often the interval of the difference of the worst runs' means excludes zero when both methods are equal, 4,000 samples."
        " With fewer than ten runs in the tail (10 % of 20 or 40, 25 % of 20) it is called heuristic. A paired interval counts"
        " the runs in one tail only: pairs without anything in common, as here, are told apart less often.", "",
        *table(["statistic", "scores", "design", "n = 20", "n = 40", "n = 100", "n = 400"], tail_rows()),
        "## Almost stochastic dominance", "",
        "False claims between equal distributions, 1,000 samples: by the usual rule (epsilon below 0.5), and by Ogive's (below 0.2,"
        " and only after a test of equality rejects). It is a description and never enters a verdict.", "",
        *table(["n", "usual rule", "Ogive"], almost_rows()),
        "## Random splits of the same rows", "",
        "Two classifiers of exactly equal population accuracy, 270 rows, random 60/40 splits, paired. How often the interval of the"
        " mean difference excludes zero. The first interval speaks of *these rows*: more splits make it sure of a difference that the"
        " population does not have. The corrected one (`test_share=`, Nadeau and Bengio) speaks, heuristically, of new data.", "",
        *table(["splits", "these rows", "corrected"], split_rows()),
    ]  # fmt: skip
    lines += [
        "## Few tasks", "",
        'Ten repeats of 10-fold cross-validation of two methods on T tasks; folds share 0.1 of their variance, 20,000 tables. True differences over tasks have mean 0: all equal; normal; 0.09 on one task in ten and −0.01 on the others. How often the interval over tasks like these excludes 0 (*sample*), how often that of these tasks misses their own mean (*fixed*), and how often the first claims a direction where the second does not.', "",
        *table(["T", "true differences", "sample", "fixed", "sample alone"], few_task_rows()),
        'With three tasks most false claims of the sample are made where these tasks themselves show nothing: their agreement is chance. With more tasks that becomes rare. An effect that one task in ten has misleads the sample more with ten tasks than with three, since tasks that agree have not seen the other kind; the limit of five does not help there. Folds on fewer than five tasks are judged as these tasks unless `over="sample"` says otherwise.', "",
    ]  # fmt: skip
    TARGET.write_text("\n".join(lines), encoding="utf-8")


def _unequal_verdicts(repetitions: int) -> str:
    """How often methods that win against each other equally often are told apart where one is less stable."""
    rng, wrong = np.random.default_rng(78), 0
    for _ in range(repetitions):
        t = ogive.read({"a": {"t": rng.normal(size=20)}, "b": {"t": rng.normal(0.0, 0.05, 200)}}, unit="row")
        wrong += ogive.compare(t, "a", "b").conclusion != "cannot tell"
    return share(wrong, repetitions)


def _unsaid_looks(repetitions: int) -> str:
    rng, wrong = np.random.default_rng(77), 0
    for _ in range(repetitions):
        a, b = rng.normal(size=(2, 100))
        wrong += any(independent_improvement(a[:n], b[:n]).excludes(0.5) for n in (20, 40, 60, 80, 100))
    return share(wrong, repetitions)


if __name__ == "__main__":
    main()
