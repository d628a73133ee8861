"""Write `docs/reference/curves.md`: the simulated coverage of the answers of learning curves (about seven minutes).

python tools/make_curve_coverage.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import gamma
from simulate import plausible

from ogive.curves import LearningCurves
from ogive.curves._leaders import difference_band
from ogive.curves._metrics import definition
from ogive.curves._statistics import from_here_on
from ogive.statistics import Statistic

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "curves.md"
SIZES = (4, 8, 16, 32, 64, 128, 256, 512)
REPETITIONS = 2_000
BAND_REPETITIONS, BAND_RESAMPLES = 400, 499
STATISTICS = (Statistic.parse("mean"), Statistic.quantile(0.05), Statistic.quantile(0.5), Statistic.quantile(0.95))
N = np.array(SIZES, dtype=float)
MEANS = np.stack([0.90 - 0.60 / np.sqrt(N), 0.85 - 0.35 / np.sqrt(N)])
SPREADS = np.stack([0.30 / np.sqrt(N), 0.15 / np.sqrt(N) + 0.01])
CLOSE = np.stack([MEANS[0], MEANS[0] + np.where(N < 100, -0.01, 0.002)])


def _lattice(z: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    return np.round(60.0 * (means + spreads * z)) / 60.0


def _skewed(z: np.ndarray, means: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    return means - spreads * (gamma.ppf(ndtr(-z), 2.0) - 2.0) / np.sqrt(2.0)


@dataclass(frozen=True)
class Generator:
    """Scores of two models: increasing functions of normal numbers that depend on each other.

    The numbers of one repetition have correlation 0.8 between neighboring sizes and 0.36 between the
    models at a size, as additive curves of two models on the same rows do.
    """

    name: str
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    means: np.ndarray = field(default_factory=lambda: MEANS)
    spreads: np.ndarray = field(default_factory=lambda: SPREADS)

    def draw(self, rng: np.random.Generator, repetitions: int) -> np.ndarray:
        """Scores [model, size, repetition]."""
        walks = rng.normal(size=(3, len(SIZES), repetitions))
        for i in range(1, len(SIZES)):
            walks[:, i] = 0.8 * walks[:, i - 1] + 0.6 * walks[:, i]
        z = 0.6 * walks[0] + 0.8 * walks[1:]
        return self.score(z, self.means[:, :, None], self.spreads[:, :, None])

    def truth(self, statistic: Statistic) -> np.ndarray:
        """The statistic of every model and size, to six digits."""
        p = (np.arange(200_000) + 0.5) / 200_000 if statistic.p is None else np.array([statistic.p])
        return self.score(ndtri(p), self.means[:, :, None], self.spreads[:, :, None]).mean(axis=2)


GENERATORS = (
    Generator("normal", lambda z, m, s: m + s * z),
    Generator("skewed to the bad side", _skewed),
    Generator("multiples of 1/60", _lattice),
)
NEARLY_EQUAL = Generator("normal, nearly equal models", lambda z, m, s: m + s * z, CLOSE)
EQUAL = Generator(
    "normal, equal models", GENERATORS[0].score, np.stack([MEANS[0], MEANS[0]]), np.stack([SPREADS[0], SPREADS[0]])
)
# False claims of `leaders` among 1,000 sets of curves, by the version that gave each statistic the whole error:
# by the worst single statistic, and by any of the three.
BEFORE_LEADERS = "0.050 / 0.091"


def as_curves(scores: np.ndarray) -> LearningCurves:
    """Curves without a run."""
    return LearningCurves(
        values=scores[:, None], models=("a", "b")[: len(scores)], definitions={"r2": definition("r2")}, sizes=np.array(SIZES),
        design="additive", test="fixed", n_rows=1000, n_test=200,
    )  # fmt: skip


def curve_coverage(
    generator: Generator, statistic: Statistic, n: int, repetitions: int, seed: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Least coverage over the sizes of one model, and how often all sizes hold together when that was asked."""
    rng, truth = np.random.default_rng(seed), generator.truth(statistic)[0]
    each, together = np.zeros(len(SIZES)), 0
    for _ in range(repetitions):
        curves = as_curves(generator.draw(rng, n)[:1])
        one = curves.statistic(statistic, confidence=confidence)["a"]
        each += (one.low <= truth + 1e-9) & (truth <= one.high + 1e-9)
        every = curves.statistic(statistic, confidence=confidence, simultaneous=True)["a"]
        together += bool(np.all((every.low <= truth + 1e-9) & (truth <= every.high + 1e-9)))
    return float(each.min() / repetitions), together / repetitions


def required_coverage(
    generator: Generator, target: float, n: int, repetitions: int, seed: int
) -> tuple[float, float, float]:
    """How often the interval of the required size holds it, is bounded above, and how often the estimate is right."""
    rng = np.random.default_rng(seed)
    truth = from_here_on(SIZES, generator.truth(Statistic.quantile(0.05))[0] >= target - 1e-9)
    covered = bounded = right = 0
    for _ in range(repetitions):
        found = as_curves(generator.draw(rng, n)[:1]).required_size(target=target, quantile=0.05)
        covered += found.low <= truth <= found.high
        bounded += bool(np.isfinite(found.high))
        right += found.estimate == truth
    return covered / repetitions, bounded / repetitions, right / repetitions


def at_the_edge(generator: Generator, size: int = 64) -> float:
    """The target that the 5 % quantile just reaches at a size: the hardest one."""
    return float(generator.truth(Statistic.quantile(0.05))[0][SIZES.index(size)])


def crossing_coverage(
    generator: Generator, statistic: Statistic, n: int, repetitions: int, seed: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """How often the band holds all differences, how often a certain range is wrong, and the share of sizes decided."""
    rng = np.random.default_rng(seed)
    truth = np.subtract(*generator.truth(statistic))
    covered = wrong = 0
    decided = 0.0
    for i in range(repetitions):
        band = difference_band(
            generator.draw(rng, n), [(0, 1)], statistic, 1.0, confidence, seed=i, n_resamples=BAND_RESAMPLES
        )
        covered += bool(np.all((band.low[0] <= truth + 1e-9) & (truth <= band.high[0] + 1e-9)))
        sign = band.sign[0]
        wrong += bool(np.any((sign != 0) & (sign != np.sign(np.where(np.abs(truth) < 1e-9, 0.0, truth)))))
        decided += float(np.mean(sign != 0))
    return covered / repetitions, wrong / repetitions, decided / repetitions


def leaders_claims(
    generator: Generator, n: int, repetitions: int, seed: int, confidence: float = 0.95
) -> tuple[float, float]:
    """How often `leaders` calls one of two equal models certainly ahead: by the worst single statistic, and by any."""
    rng, each, some = np.random.default_rng(seed), np.zeros(3), 0
    for i in range(repetitions):
        found = as_curves(generator.draw(rng, n)).leaders(confidence=confidence, seed=i)
        claimed = np.array([bool(lead.ahead.any()) for lead in found.by.values()])
        each += claimed
        some += bool(claimed.any())
    return float(each.max() / repetitions), some / repetitions


def leaders_table(n: int = 200, repetitions: int = BAND_REPETITIONS) -> str:
    """False claims of `leaders`, before and after the error was divided."""
    each, some = leaders_claims(EQUAL, n, repetitions, seed=n)
    return _table(["scores", "before", "now"], [[EQUAL.name, BEFORE_LEADERS, f"{each:.3f} / {some:.3f}"]])


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(["| " + " | ".join(r) + " |" for r in (head, ["---"] * len(head), *rows)])


def curve_table(runs: tuple[int, ...] = (50, 100, 400)) -> str:
    """Coverage of curves of means and quantiles."""
    rows = []
    for generator in GENERATORS:
        for statistic in STATISTICS:
            found = [curve_coverage(generator, statistic, n, REPETITIONS, seed=n) for n in runs]
            rows.append([generator.name, statistic.name, *(f"{each:.3f} / {all_:.3f}" for each, all_ in found)])
    return _table(["scores", "statistic", *(f"{n} repetitions" for n in runs)], rows)


def required_table(runs: tuple[int, ...] = (100, 400, 1000)) -> str:
    """Coverage of required sizes."""
    rows = []
    for generator in GENERATORS:
        for target in (0.6, at_the_edge(generator), 0.95):
            found = [required_coverage(generator, target, n, REPETITIONS // 2, seed=n) for n in runs]
            rows.append([generator.name, f"{target:.3g}", *(f"{c:.3f} / {b:.2f} / {r:.2f}" for c, b, r in found)])
    return _table(["scores", "target of the 5 % quantile", *(f"{n} repetitions" for n in runs)], rows)


def crossing_table(runs: tuple[int, ...] = (50, 100, 400)) -> str:
    """Coverage of the bands behind crossings."""
    rows = []
    for generator in (*GENERATORS, NEARLY_EQUAL):
        for statistic in STATISTICS:
            found = [
                crossing_coverage(
                    generator, statistic, n, BAND_REPETITIONS if n < 400 else BAND_REPETITIONS // 2, seed=n
                )
                for n in runs
            ]
            rows.append([generator.name, statistic.name, *(f"{c:.3f} / {w:.3f} / {d:.2f}" for c, w, d in found)])
            print(rows[-1], file=sys.stderr, flush=True)
    return _table(["scores", "statistic", *(f"{n} repetitions" for n in runs)], rows)


def main() -> None:
    """Write the page."""
    low, _ = plausible(0.95, REPETITIONS)
    text = f"""# Learning curves: simulated coverage

Every interval is a claim; this page checks it on generators whose truth is known, at 95 %. Made by `python tools/make_curve_coverage.py`; `tests/curves/test_coverage.py` repeats a part of it. Two models, {len(SIZES)} sizes from {SIZES[0]} to {SIZES[-1]}; the sizes of a repetition depend on each other (0.8 between neighbors) and so do the models (0.36).

All of it is about what more repetitions on the same rows would show. None of it is about other data.

## Curves of means and quantiles

{REPETITIONS:,} sets of curves each. First number: the least coverage at one size when each size is asked alone; second: how often the whole curve lies inside when all sizes are asked together (error d/S each). Quantiles are guaranteed (order statistics): both must be at least 0.95, and a value below {low:.3f} would be a defect. Means are approximate (Student).

{curve_table()}

## Required size

{REPETITIONS // 2:,} sets of curves. First number: how often the interval of `required_size` holds the smallest size from which on the 5 % quantile reaches the target (guaranteed, so at least 0.95); second: how often it has a finite upper end; third: how often the estimate itself is right. The middle target is the true quantile at n = 64, where the estimate is as good as a coin. With few repetitions no order statistic bounds a 5 % quantile from below at all sizes together, and the upper end is infinite.

{required_table()}

## Crossings

{BAND_REPETITIONS} sets of curves ({BAND_REPETITIONS // 2} with 400 repetitions), {BAND_RESAMPLES} resamples each. First number: how often the band holds the true difference at all sizes at once (approximate: near 0.95, and higher for quantiles of few repetitions); second: how often a range that is called certain is wrong anywhere; third: the share of sizes that are decided. With fewer than ten repetitions beyond the quantile (5 % of 50 and of 100) the answer is called heuristic; with fewer than 2.5 nothing is certain.

{crossing_table()}

## Leaders

Two equal models, 200 repetitions, {BAND_REPETITIONS} sets of curves: how often `leaders` calls one of them certainly ahead anywhere, by the statistic with most such claims / by any of the mean, the worst 5 % and the best 5 % of runs. At most 0.05 is promised for all pairs, sizes and the three statistics together (approximate). Before (1,000 sets), each of the three had the whole error; now it has a third.

{leaders_table()}
"""
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
