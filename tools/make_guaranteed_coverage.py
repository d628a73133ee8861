"""Write `docs/reference/guaranteed.md`: width and simulated coverage of guaranteed intervals (about four minutes).

python tools/make_guaranteed_coverage.py
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from make_coverage import table
from scipy import stats

from ogive.statistics import (
    band,
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_interval,
    guaranteed_improvement,
    independent_improvement,
)

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "guaranteed.md"
UNIT = (0.0, 1.0)
Draw = Callable[[np.random.Generator, int], np.ndarray]


def _collapse(rate: float) -> Draw:
    return lambda rng, n: np.where(rng.random(n) < rate, 0.0, rng.uniform(0.89, 0.91, n))


def _coin(p: float) -> Draw:
    return lambda rng, n: (rng.random(n) < p).astype(float)


# Scores and their mean.
DRAWS: dict[str, tuple[Draw, float]] = {
    "uniform": (lambda rng, n: rng.random(n), 0.5),
    "Beta(9, 1)": (lambda rng, n: rng.beta(9, 1, n), 0.9),
    "Bernoulli .5": (_coin(0.5), 0.5),
    "Bernoulli .9": (_coin(0.9), 0.9),
    "Bernoulli .98": (_coin(0.98), 0.98),
    "2 % collapse": (_collapse(0.02), 0.882),
    "10 % collapse": (_collapse(0.1), 0.81),
    "Binomial(10, .7) / 10": (lambda rng, n: rng.binomial(10, 0.7, n) / 10, 0.7),
    "constant": (lambda rng, n: np.full(n, 0.7), 0.7),
}
SHOWN = ("uniform", "Beta(9, 1)", "Bernoulli .9", "2 % collapse", "Binomial(10, .7) / 10")


def widths(pairs: Iterable[tuple[Any, Any]]) -> str:
    """How many times wider the first intervals are, on average."""
    found = np.array([[i.high - i.low for i in pair] for pair in pairs]).sum(axis=0)
    return f"{found[0] / found[1]:.2f}"


def mean_widths(samples: int = 100) -> Iterable[list[str]]:
    """The band's mean interval relative to betting."""
    for name in SHOWN:
        cells = []
        for n in (20, 50, 200, 1000):
            for confidence in (0.95, 0.999):
                rng = np.random.default_rng(n)
                drawn = (DRAWS[name][0](rng, n) for _ in range(samples))
                cells.append(widths(
                    (band(x, confidence=confidence).mean(UNIT), bounded_mean_interval(x, UNIT, confidence=confidence))
                    for x in drawn
                ))  # fmt: skip
        yield [name, *cells]


def plug_in_wealth(x: np.ndarray, means: np.ndarray, error: float) -> np.ndarray:
    """Log of the hedged wealth of Waudby-Smith and Ramdas, whose bets follow the scores in their order."""
    n, t = x.size, np.arange(1, x.size + 1)
    center = (0.5 + np.cumsum(x)) / (t + 1)
    variance = np.append(0.25, (0.25 + np.cumsum((x - center) ** 2)) / (t + 1))[:-1]
    size = np.sqrt(2 * math.log(2 / error) / (n * variance))[:, None]
    gaps = x[:, None] - means
    up = np.log1p(np.minimum(size, 0.9 / means) * gaps).sum(axis=0)
    down = np.log1p(-np.minimum(size, 0.9 / (1 - means)) * gaps).sum(axis=0)
    return np.logaddexp(up, down) - math.log(2)


def plug_in_widths(n: int = 1000, samples: int = 10) -> str:
    """The band's mean interval relative to the predictable plug-in's, averaged over 16 random orders."""
    means, found = np.linspace(0, 1, 1001)[1:-1], []
    for name in SHOWN:
        rng, sums = np.random.default_rng(n), np.zeros(2)
        for _ in range(samples):
            x = DRAWS[name][0](rng, n)
            logs = np.logaddexp.reduce([plug_in_wealth(rng.permutation(x), means, 0.05) for _ in range(16)])
            held = means[logs - math.log(16) < math.log(20)]
            wide = band(x).mean(UNIT)
            sums += [wide.high - wide.low, held[-1] - held[0]]
        found.append(f"{sums[0] / sums[1]:.1f}")
    return ", ".join(found)


def largest_expectation() -> str:
    """Of the wealth averaged over 64 fixed permutations of sorted tosses of a coin; exact, over its number of ones."""
    largest = 0.0
    for n in (20, 50, 200):
        rng = np.random.default_rng(n)
        orders = [rng.permutation(n) for _ in range(64)]
        for p in (0.02, 0.1, 0.3, 0.5, 0.9, 0.98):
            wealth = [
                np.mean([np.exp(plug_in_wealth((np.arange(n) >= n - k)[o] * 1.0, np.array([p]), 0.05)) for o in orders])
                for k in range(n + 1)
            ]
            largest = max(largest, float(np.dot(stats.binom.pmf(range(n + 1), n, p), wealth)))
    return f"{largest:.2f}"


def tail_widths(samples: int = 40) -> Iterable[list[str]]:
    """The band's tail interval relative to betting."""
    for name in SHOWN:
        for tail in ("lower", "upper"):
            cells = []
            for n, mass in ((200, 0.5), (400, 0.25), (1000, 0.1), (1000, 0.25), (1000, 0.5)):
                rng = np.random.default_rng(n)
                drawn = [DRAWS[name][0](rng, n) for _ in range(samples)]
                if name == "Bernoulli .9" and tail == "upper":
                    cells.append("both end at 1")
                    continue
                cells.append(widths(
                    (band(x).cvar(mass=mass, tail=tail, bounds=UNIT),
                     bounded_tail_mean_interval(x, mass=mass, tail=tail, bounds=UNIT))
                    for x in drawn
                ))  # fmt: skip
            yield [name, tail, *cells]


def _two_intervals(x: np.ndarray, y: np.ndarray) -> Any:
    from dataclasses import replace

    i, j = (bounded_mean_interval(v, UNIT, confidence=0.975) for v in (x, y))
    return replace(i, low=i.low - j.high, high=i.high - j.low)


def difference_widths(samples: int = 30) -> Iterable[list[str]]:
    """Two intervals at half the error relative to one wealth for both samples."""
    for name in SHOWN:
        cells = []
        for m, n in ((20, 20), (50, 50), (1000, 1000), (30, 1000)):
            rng = np.random.default_rng(m)
            drawn = [(DRAWS[name][0](rng, m), DRAWS[name][0](rng, n)) for _ in range(samples)]
            cells.append(
                widths((_two_intervals(x, y), bounded_mean_difference(x, y, UNIT, paired=False)) for x, y in drawn)
            )
        yield [name, *cells]


def improvement_widths(samples: int = 30) -> Iterable[list[str]]:
    """One random pairing with Clopper and Pearson's interval relative to betting on all pairings."""
    pairing = np.random.default_rng(1)
    for theta in (0.5, 0.85):
        for confidence in (0.95, 0.9999):
            cells = []
            for m, n in ((10, 10), (20, 20), (100, 100), (1000, 1000), (20, 1000)):
                rng = np.random.default_rng(m)
                shift = stats.norm.ppf(theta) * math.sqrt(2)
                drawn = [(rng.normal(shift, 1, m), rng.normal(size=n)) for _ in range(samples)]
                cells.append(widths(
                    (independent_improvement(x, y, method="conservative", rng=pairing, confidence=confidence),
                     guaranteed_improvement(x, y, confidence=confidence))
                    for x, y in drawn
                ))  # fmt: skip
            yield [f"{theta:g}", f"{confidence:g}", *cells]


def misses(draw: Callable[[np.random.Generator], Any], interval: Callable[[Any], Any], value: float, n: int) -> str:
    """How often the low end lies above the value, and the high end below it."""
    rng, low, high = np.random.default_rng(7), 0, 0
    for _ in range(n):
        i = interval(draw(rng))
        low += i.low > value + 1e-12
        high += i.high < value - 1e-12
    return f"{low / n:.4f} + {high / n:.4f}"


def mean_misses(repetitions: int = 20_000) -> Iterable[list[str]]:
    """Misses of the mean."""
    for name, (draw, mean) in DRAWS.items():
        yield [name, *(
            misses(lambda rng, n=n, draw=draw: draw(rng, n), lambda x: bounded_mean_interval(x, UNIT), mean, repetitions)  # type: ignore[misc]
            for n in (10, 25, 100)
        )]  # fmt: skip


def other_misses() -> Iterable[list[str]]:
    """Misses of the others."""
    for one, other in (
        ("uniform", "Bernoulli .5"),
        ("Bernoulli .9", "10 % collapse"),
        ("2 % collapse", "2 % collapse"),
    ):
        (x, mu), (y, nu) = DRAWS[one], DRAWS[other]
        for paired, n in ((True, 20_000), (False, 2000)):
            found = misses(
                lambda rng, x=x, y=y: (x(rng, 25), y(rng, 25)),  # type: ignore[misc]
                lambda p, paired=paired: bounded_mean_difference(*p, UNIT, paired=paired),  # type: ignore[misc]
                mu - nu,
                n,
            )
            yield [f"difference of means, {'pairs' if paired else 'independent'}", f"{one}; {other}", "25; 25", found]
    halves = {"uniform": 0.25, "Bernoulli .9": 0.8, "2 % collapse": 0.96 * (0.89 + 0.02 * 0.48 / 0.98 / 2)}
    for name, value in halves.items():
        found = misses(
            lambda rng, name=name: DRAWS[name][0](rng, 200),  # type: ignore[misc]
            lambda x: bounded_tail_mean_interval(x, mass=0.5, tail="lower", bounds=UNIT),
            value,
            5000,
        )
        yield ["mean of the lower half", name, "200", found]
    for theta in (0.5, 0.9):
        shift = stats.norm.ppf(theta) * math.sqrt(2)
        for m, n in ((10, 10), (10, 100)):
            found = misses(
                lambda rng, m=m, n=n, shift=shift: (rng.normal(shift, 1, m), rng.normal(size=n)),  # type: ignore[misc]
                lambda p: guaranteed_improvement(*p),
                theta,
                20_000,
            )
            yield ["improvement", f"normal, P = {theta:g}", f"{m}; {n}", found]


def main() -> None:
    """Simulate and write."""
    lines = [
        "# Guaranteed intervals of bounded scores", "",
        "What betting gives for scores with known bounds: widths, and how often each end is wrong. All samples lie in [0, 1];"
        " 95 % unless said otherwise. Made by `python tools/make_guaranteed_coverage.py`. A collapse is a score of 0 among"
        " scores within 0.01 of 0.9.", "",
        "## Means: width of the exact band relative to betting", "",
        *table(["scores", *(f"n = {n}, {c:g}" for n in (20, 50, 200, 1000) for c in (0.95, 0.999))], mean_widths()),
        f"Bets whose size follows the scores (predictable plug-in), averaged over random orders, reach {plug_in_widths()} at n = 1000,"
        " but depend on the order or on chance. Averaged over 64 fixed permutations of the *sorted* scores they no longer do,"
        f" and the wealth no longer has expectation 1 (up to {largest_expectation()} for coins with n = 20 to 200): its guarantee is lost.", "",
        "## Tails: width of the exact band relative to betting", "",
        *table(["scores", "tail", "n = 200, half", "n = 400, quarter", "n = 1000, tenth", "n = 1000, quarter", "n = 1000, half"],
               tail_widths()),
        "## Differences of means, independent: width of two intervals at half the error relative to one wealth", "",
        *table(["scores", "20; 20", "50; 50", "1000; 1000", "30; 1000"], difference_widths()),
        "## Improvement: width of Clopper and Pearson's interval of one random pairing relative to betting on all", "",
        "A random pairing depends on the generator: another seed, another interval.", "",
        *table(["P", "confidence", "10; 10", "20; 20", "100; 100", "1000; 1000", "20; 1000"], improvement_widths()),
        "## How often the mean's interval lies above + below it", "",
        "20,000 samples; 0.0250 + 0.0250 are allowed. Below n = 20 the interval is the exact band's.", "",
        *table(["scores", "n = 10", "n = 25", "n = 100"], mean_misses()),
        "## How often the other intervals lie above + below", "",
        "20,000 samples; 2,000 for differences of independent samples, 5,000 for tails.", "",
        *table(["interval", "scores", "n", "above + below"], other_misses()),
    ]  # fmt: skip
    TARGET.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
