"""Write `docs/reference/coverage.md`: the simulated coverage of every band and interval (about ten minutes).

python tools/make_coverage.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from simulate import TRUTHS, band_coverage, interval_coverage, plausible, sides

from ogive.statistics import band, bootstrap_interval, ecdf, mean_interval, quantile_interval, tail_mean_interval

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "coverage.md"
BAND_REPETITIONS = 100_000
REPETITIONS = 20_000
SLOW_REPETITIONS = 2_000
FEW_REPETITIONS = 400
NS = (5, 20, 100)

BANDS = {
    "exact, solved": {"method": "exact", "solve": True},
    "exact, from the table": {"method": "exact"},
    "ks": {"method": "ks"},
    "dkw": {"method": "dkw"},
    "exact, lower side only": {"method": "exact", "side": "lower"},
}


def _collapsing(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    return np.where(rng.random(n) < share, rng.normal(0.33, 0.01, n), rng.normal(0.88, 0.02, n))


# Shapes of score distributions: name, draw, quantile function.
SHAPES: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], Any]] = {
    "normal": (lambda rng, n: rng.normal(size=n), stats.norm()),
    "uniform": (lambda rng, n: rng.random(n), stats.uniform()),
    "exponential, long bad tail": (lambda rng, n: -rng.exponential(size=n), None),
    "accuracy-like, Beta(8, 2)": (lambda rng, n: rng.beta(8, 2, n), stats.beta(8, 2)),
    "two modes, a quarter collapses": (lambda rng, n: _collapsing(rng, n, 0.25), None),
    "two modes, 2 % collapse": (lambda rng, n: _collapsing(rng, n, 0.02), None),
}


def true_value(shape: str, functional: Callable[[Any], float]) -> float:
    """The functional of the shape, from ten million stratified quantiles or draws."""
    draw, frozen = SHAPES[shape]
    if frozen is not None:
        return functional(ecdf(frozen.ppf((np.arange(2_000_000) + 0.5) / 2_000_000)))
    return functional(ecdf(draw(np.random.default_rng(12345), 20_000_000)))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table."""
    names = list(head)
    return [
        "| " + " | ".join(names) + " |",
        "|" + " --- |" * len(names),
        *("| " + " | ".join(r) + " |" for r in rows),
        "",
    ]


def band_rows() -> Iterable[list[str]]:
    """Coverage of each band for each distribution at n = 5, 20, 100."""
    for name, choices in BANDS.items():
        for truth in TRUTHS:
            found = []
            for n in NS:
                rng = np.random.default_rng([n, len(name), len(truth.name)])
                found.append(
                    f"{band_coverage(truth, *sides(n, confidence=0.95, **choices), BAND_REPETITIONS, rng):.4f}"
                )
            print(name, truth.name, found, flush=True)
            yield [name, truth.name, *found]


def interval_rows() -> Iterable[list[str]]:
    """Coverage of each interval for each shape at n = 10, 20, 50, 100, 500."""
    kinds: dict[str, tuple[Callable[[Any], Any], Callable[[Any], float], int]] = {
        "mean: Student's t": (mean_interval, lambda d: d.mean(), REPETITIONS),
        "mean: BCa bootstrap": (_bootstrap_mean, lambda d: d.mean(), SLOW_REPETITIONS),
        "mean: exact band, bounds known": (_band_mean, lambda d: d.mean(), SLOW_REPETITIONS),
        "worst 10 %: tail t": (_tail(0.1), lambda d: d.cvar(mass=0.1, tail="lower"), REPETITIONS),
        "worst 25 %: tail t": (_tail(0.25), lambda d: d.cvar(mass=0.25, tail="lower"), REPETITIONS),
        "median: order statistics": (lambda x: quantile_interval(x, 0.5), lambda d: d.quantile(0.5), REPETITIONS),
        "5 % quantile: order statistics": (
            lambda x: quantile_interval(x, 0.05),
            lambda d: d.quantile(0.05),
            REPETITIONS,
        ),
        "IQM: BCa bootstrap": (_bootstrap_iqm, lambda d: d.iqm(), FEW_REPETITIONS),
        "std: BCa bootstrap": (_bootstrap_std, _standard_deviation, FEW_REPETITIONS),
    }
    for kind, (interval, functional, repetitions) in kinds.items():
        for shape, (draw, _) in SHAPES.items():
            if kind.startswith("mean: exact band") and shape.startswith(("normal", "exponential")):
                continue  # without bounds the band says nothing about the mean
            value = true_value(shape, functional)
            found = []
            for n in (10, 20, 50, 100, 500):
                covered = interval_coverage(
                    lambda rng, n=n, draw=draw: draw(rng, n), interval, value, repetitions, seed=n
                )  # type: ignore[misc]
                found.append(f"{covered:.3f}")
            print(kind, shape, found, flush=True)
            yield [kind, shape, *found]


def _tail(mass: float) -> Callable[[Any], Any]:
    return lambda x: tail_mean_interval(x, mass=mass, tail="lower")


def _bootstrap_mean(x: np.ndarray) -> Any:
    return bootstrap_interval(x, np.mean, rng=np.random.default_rng(abs(hash(x[0])) % 2**32), n_resamples=500)


def _bootstrap_iqm(x: np.ndarray) -> Any:
    rng = np.random.default_rng(abs(hash(x[0])) % 2**32)
    return bootstrap_interval(x, lambda v: ecdf(v).iqm(), rng=rng, n_resamples=300)


def _bootstrap_std(x: np.ndarray) -> Any:
    rng = np.random.default_rng(abs(hash(x[0])) % 2**32)
    return bootstrap_interval(x, lambda v: float(v.std(ddof=1)) if np.ptp(v) else 0.0, rng=rng, n_resamples=300)


def _standard_deviation(d: Any) -> float:
    return float(np.sqrt(np.dot((d.points - d.mean()) ** 2, d.weights)))


def _band_mean(x: np.ndarray) -> Any:
    return band(x).mean((-1.0, 2.0))


def cluster_rows() -> Iterable[list[str]]:
    """Coverage of the band of clusters and of the one that ignores them."""
    for k, size in ((8, 5), (20, 5), (50, 4)):
        rng = np.random.default_rng(k)
        clusters, held = np.repeat(np.arange(k), size), np.zeros(2)
        for _ in range(SLOW_REPETITIONS):
            x = np.sqrt(0.8) * np.repeat(rng.normal(size=k), size) + np.sqrt(0.2) * rng.normal(size=k * size)
            at = np.sort(x)
            for i, b in enumerate((band(x, clusters=clusters, method="ks"), band(x, method="ks"))):
                inside = (b.low.cdf(at) <= stats.norm.cdf(at)) & (
                    stats.norm.cdf(at) <= b.high.cdf(np.nextafter(at, -9.0))
                )
                held[i] += bool(np.all(inside))
        found = [f"{h / SLOW_REPETITIONS:.3f}" for h in held]
        print("clusters", k, size, found, flush=True)
        yield [f"{k} clusters of {size}, correlation 0.8", *found]


def main() -> None:
    """Simulate and write."""
    least, most = plausible(0.95, BAND_REPETITIONS)
    lines = [
        "# Simulated coverage",
        "",
        "Every guarantee is a claim; this page checks it. All methods are asked for 95 %. The table is made by"
        " `python tools/make_coverage.py`; the tests in `tests/statistics` repeat the guaranteed part and fail when a"
        " method leaves what is plausible, once in a million times.",
        "",
        "## Bands",
        "",
        f"Share of {BAND_REPETITIONS:,} samples in which the *whole* CDF lies inside the band, at every score and from both"
        f" sides of it. A method that covers exactly 95 % shows between {least:.4f} and {most:.4f}. `exact, solved` and `ks`"
        " are exact on continuous data; with atoms every band covers more.",
        "",
        *table(["band", "distribution", *(f"n = {n}" for n in NS)], band_rows()),
        "## Rows in clusters",
        "",
        f"{SLOW_REPETITIONS:,} samples; rows of a cluster are correlated. The band that counts rows fails.",
        "",
        *table(["sample", "ks, n = clusters", "ks, n = rows"], cluster_rows()),
        "## Intervals",
        "",
        f"{REPETITIONS:,} samples each; {SLOW_REPETITIONS:,} for the bootstrap of the mean and for the band, {FEW_REPETITIONS} for IQM and std. Order statistics and bands are"
        " guaranteed and cover at least 95 %. Student's t and its version for a tail are approximate: short of 95 % in small"
        " samples of skewed scores, and far short where a few runs in a hundred collapse: a sample without one of them cannot know. The bootstrap of a standard deviation is called heuristic below 50 runs. Where fewer than ten scores lie in the tail (worst 10 % of fewer than 100 runs) the tail"
        " interval is called heuristic; with one score in the tail its outer end is infinite, hence 1.000 at n = 10. Its inner end stops at the order statistic that bounds the quantile.",
        "",
        *table(["interval", "scores", *(f"n = {n}" for n in (10, 20, 50, 100, 500))], interval_rows()),
    ]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
