"""Simulated coverage: distributions with a known CDF, and how often a band or interval holds them.

Used by the tests of guarantees and by `make_coverage.py`, which writes the table in the docs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ogive.statistics import band

FALSE_ALARM = 1e-6
BLOCK = 5_000_000


@dataclass(frozen=True)
class Truth:
    """A distribution to draw from, with its CDF from the right and from the left, and its quantile."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    cdf: Callable[[Any], Any]
    cdf_left: Callable[[Any], Any]
    quantile: Callable[[float], float]
    continuous: bool


def _continuous(name: str, frozen: Any, draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]) -> Truth:
    return Truth(name, draw, frozen.cdf, frozen.cdf, lambda p: float(frozen.ppf(p)), True)


def _lattice(name: str, frozen: Any) -> Truth:
    return Truth(
        name,
        lambda rng, size: frozen.rvs(size=size, random_state=rng).astype(float),
        frozen.cdf,
        lambda x: frozen.cdf(np.asarray(x) - 0.5),
        lambda p: float(frozen.ppf(p)),
        False,
    )


def _mixture_quantile(p: float) -> float:
    return 2 * p if p <= 0.25 else 0.5 if p <= 0.75 else 2 * p - 1


UNIFORM = _continuous("uniform", stats.uniform(), lambda rng, size: rng.random(size))
TRUTHS = (
    UNIFORM,
    _continuous("Cauchy", stats.cauchy(), lambda rng, size: rng.standard_cauchy(size)),
    _lattice("Bernoulli .5", stats.binom(1, 0.5)),
    _lattice("Bernoulli .9", stats.binom(1, 0.9)),
    _lattice("Bernoulli .99", stats.binom(1, 0.99)),
    _lattice("Binomial(10, .7)", stats.binom(10, 0.7)),
    Truth(
        "constant",
        lambda rng, size: np.full(size, 2.0),
        lambda x: 1.0 * (np.asarray(x) >= 2),
        lambda x: 1.0 * (np.asarray(x) > 2),
        lambda p: 2.0,
        False,
    ),
    Truth(
        "half atom, half uniform",
        lambda rng, size: np.where(rng.random(size) < 0.5, 0.5, rng.random(size)),
        lambda x: 0.5 * np.clip(x, 0, 1) + 0.5 * (np.asarray(x) >= 0.5),
        lambda x: 0.5 * np.clip(x, 0, 1) + 0.5 * (np.asarray(x) > 0.5),
        _mixture_quantile,
        False,
    ),
)


def plausible(confidence: float, repetitions: int) -> tuple[float, float]:
    """Coverages that a method of this confidence leaves, on either side, once in a million times."""
    low, high = stats.binom.ppf([FALSE_ALARM, 1 - FALSE_ALARM], repetitions, confidence)
    return float(low / repetitions), float(high / repetitions)


def sides(n: int, **choices: Any) -> tuple[np.ndarray, np.ndarray]:
    """The band where k = 0 … n scores have been passed, which is all it depends on."""
    b = band(np.arange(1.0, n + 1), **choices)
    passed = np.arange(n + 1) + 0.5
    return np.asarray(b.low.cdf(passed)), np.asarray(b.high.cdf(passed))


def band_coverage(truth: Truth, low: np.ndarray, high: np.ndarray, repetitions: int, rng: np.random.Generator) -> float:
    """How often low[k(x)] <= F(x) <= high[k(x)] for every x, k(x) = number of scores up to x.

    Between scores k is constant and F rises, so the low side is tightest at a score and the high
    side just before the next one: the limits of F from both sides at every score decide.
    """
    n = low.size - 1
    covered, block = 0, max(1, BLOCK // n)
    for start in range(0, repetitions, block):
        x = np.sort(truth.draw(rng, (min(block, repetitions - start), n)), axis=1)
        index = np.arange(n)
        starts_tie = np.concatenate([np.ones((x.shape[0], 1), bool), x[:, 1:] != x[:, :-1]], axis=1)
        before = np.maximum.accumulate(np.where(starts_tie, index, 0), axis=1)  # scores below x
        ends_tie = np.concatenate([starts_tie[:, 1:], np.ones((x.shape[0], 1), bool)], axis=1)
        upto = n - np.maximum.accumulate(np.where(ends_tie, n - 1 - index, 0)[:, ::-1], axis=1)[:, ::-1]
        tolerance = 1e-12
        inside = (low[upto] <= truth.cdf(x) + tolerance) & (truth.cdf_left(x) <= high[before] + tolerance)
        covered += int(np.count_nonzero(inside.all(axis=1)))
    return covered / repetitions


def interval_coverage(
    draw: Callable[[np.random.Generator], Any],
    interval: Callable[[Any], Any],
    value: float,
    repetitions: int,
    seed: int,
) -> float:
    """How often an interval, made from a fresh sample, holds the true value."""
    rng = np.random.default_rng(seed)
    tolerance = 1e-12 * max(1.0, abs(value))
    covered = 0
    for _ in range(repetitions):
        found = interval(draw(rng))
        covered += found.low - tolerance <= value <= found.high + tolerance
    return covered / repetitions
