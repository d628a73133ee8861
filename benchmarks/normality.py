"""Tests of normality for 10,000 samples of 1,000 values, against scipy along an axis.

    python benchmarks/normality.py          about half a minute

Both sides get the same new numbers in each round and one thread. The row of differences shows that
both compute the same p-values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from _measure import ROUNDS, Claim, circumstances, cpu_seconds, in_turns, number, report
from scipy import stats

from ogive.statistics import _dip, _normality, dip, normality

N_SAMPLES, N_VALUES, N_BATCHES = 10_000, 1_000, 10
STEP = 1 / 231

NOTES = """\
CPU seconds of all threads, best of five in turns, new samples in each call; compiling the kernels
(once for each installation) and imports are not counted. *Door* is `normality(samples, test=…)`
with its checks; the opponents are `scipy.stats.normaltest` and `scipy.stats.shapiro` with `axis=1`.
Sorting takes most of Shapiro and Wilk's time on our side. On a lattice: 1,000 samples of 1,000
accuracies on 231 test points, 1,999 resamples, the memo of null distributions emptied before each call."""


def samples(n_samples: int) -> Iterator[np.ndarray]:
    for seed in range(ROUNDS):
        yield np.random.default_rng(seed).normal(size=(n_samples, N_VALUES))


def accuracies() -> Iterator[np.ndarray]:
    for seed in range(ROUNDS):
        yield np.random.default_rng(seed).binomial(231, 0.75, size=(1_000, N_VALUES)) * STEP


def against_scipy() -> list[Claim]:
    claims = []
    contests = (
        ("D'Agostino-Pearson", "dagostino", stats.normaltest, 36.0, 1e-12),
        ("Shapiro-Wilk", "shapiro", stats.shapiro, 1.5, 1e-8),
    )
    for name, test, opponent, limit, tolerance in contests:
        ours, theirs = in_turns(
            samples(N_SAMPLES), lambda x, test=test: normality(x, test=test), lambda x, f=opponent: f(x, axis=1)
        )
        detail = f"{number(ours / N_SAMPLES * 1e6)} µs against {number(theirs / N_SAMPLES * 1e6)} µs a sample"
        claims.append(
            Claim(text=f"{name}, {N_SAMPLES:,} × {N_VALUES:,} values, door: times faster than scipy", measured=theirs / ours,
                  limit=limit, unit="×", at_least=True, detail=detail)
        )  # fmt: skip
        x = next(samples(500))
        difference = float(np.max(np.abs(normality(x, test=test).p_value - opponent(x, axis=1).pvalue)))
        claims.append(
            Claim(text=f"{name}: largest difference between p-values, 500 samples, in units of {tolerance:g}",
                  measured=difference / tolerance, limit=1.0, unit="")
        )  # fmt: skip
    return claims


def alone() -> list[Claim]:
    def on_lattice(rows: np.ndarray) -> None:
        _normality.null_distribution.cache_clear()
        normality(rows, test="shapiro", lattice=STEP, bounds=(0, 1))

    def one_dip(rows: np.ndarray) -> None:
        _dip.null_dips.cache_clear()
        dip(rows[0])

    lattice = in_turns(accuracies(), on_lattice)[0]
    first_dip = in_turns(samples(1), one_dip)[0]
    return [
        Claim(text="Shapiro-Wilk on a lattice, 1,000 samples of 1,000 values", measured=lattice, limit=5.0),
        Claim(text="dip of 1,000 values with its null distribution", measured=first_dip, limit=1.0),
    ]


def both_tests() -> Claim:
    """Ten batches of new samples, each tested in both ways."""
    total = 0.0
    for seed in range(N_BATCHES):
        batch = np.random.default_rng(100 + seed).normal(size=(N_SAMPLES, N_VALUES))
        start = cpu_seconds()
        for test in ("shapiro", "dagostino"):
            normality(batch, test=test)
        total += cpu_seconds() - start
    text = f"Shapiro-Wilk and D'Agostino-Pearson, {N_BATCHES * N_SAMPLES:,} × {N_VALUES:,} values"
    return Claim(text=text, measured=total, limit=3.0)


def main() -> int:
    header = circumstances("numpy", "scipy", "numba")
    warm = np.random.default_rng(9).integers(0, 9, size=(3, 20)) * 1.0
    for test in ("dagostino", "shapiro"):  # compiles
        normality(warm, test=test, lattice=1, n_resamples=99)
    dip(warm[0], n_resamples=99)
    return report("Normality (`benchmarks/normality.py`)", header, NOTES, [*against_scipy(), both_tests(), *alone()])


if __name__ == "__main__":
    sys.exit(main())
