"""Mean, CVaR and threshold area from a band, tested as theorems.

Coverage would not notice a bound that is off by one. So: every CDF drawn inside the band has its
functional inside the interval, and the extremal CDFs attain both ends. The same checks must fail
for deliberately wrong versions.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ogive.errors import InputError
from ogive.statistics import Distribution, band

BOUNDS = (-2.0, 3.0)
CASES = [(n, seed) for n in (1, 2, 5, 12, 40) for seed in range(4)]
THRESHOLDS = (-2.5, -1.3, -0.4, -0.05, 0.0, 0.3, 1.1, 2.9, 3.5)
MASSES = (0.1, 0.25, 0.5, 1.0)


def sample_band(n, seed, method="exact"):
    rng = np.random.default_rng([n, seed])
    values = rng.uniform(*BOUNDS, size=n)
    if seed % 2:  # ties, and scores on the bounds
        values = np.round(values)
    return band(values, method=method)


def cdfs_inside(b, rng, count):
    """Step CDFs inside the band, with jumps at, just before and just after the scores, and at the bounds."""
    base = b.estimate.points
    spots = np.unique(np.concatenate([base, base - 1e-7, base + 1e-7, rng.uniform(*BOUNDS, 8), [BOUNDS[0], BOUNDS[1]]]))
    spots = spots[(spots >= BOUNDS[0]) & (spots <= BOUNDS[1])]
    low, high = b.low.cdf(spots), b.high.cdf(spots)
    for _ in range(count):
        choice = rng.random(spots.size) if rng.random() < 0.5 else rng.integers(0, 2, spots.size).astype(float)
        levels = np.maximum.accumulate(low + choice * (high - low))
        levels = np.minimum(levels, high)
        levels[-1] = 1.0
        yield Distribution(spots, np.maximum.accumulate(levels), b.n)


def check_contains(functional, interval_of):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = interval_of(b)
        for cdf in cdfs_inside(b, np.random.default_rng([seed, n, 7]), 60):
            value = functional(cdf)
            assert interval.low - 1e-6 <= value <= interval.high + 1e-6


def within(side):
    """A side of the band as a distribution on the bounds."""
    return Distribution(np.clip(side.points, *BOUNDS), side.cumulative, side.n)


def check_attained(functional, interval_of):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = interval_of(b)
        assert_allclose(interval.low, functional(within(b.high)), atol=1e-12)
        assert_allclose(interval.high, functional(within(b.low)), atol=1e-12)


def mean_by_sum(d):
    return float(np.sum(d.points * np.diff(d.cumulative, prepend=0.0)))


def cvar_by_minimum(d, mass, tail):
    """Rockafellar and Uryasev: min over c of c + E[(Z - c)+] / mass; attained at one of the points."""
    if tail == "lower":
        flipped = Distribution(-d.points[::-1], np.cumsum(np.diff(d.cumulative, prepend=0.0)[::-1]), d.n)
        return -cvar_by_minimum(flipped, mass, "upper")
    weights = np.diff(d.cumulative, prepend=0.0)
    return float(np.min(d.points + np.maximum(d.points - d.points[:, None], 0.0) @ weights / mass))


def area_by_sum(d, t):
    return float(np.sum(d.points * np.diff(d.cumulative, prepend=0.0) * (d.points >= t)))


def test_mean_interval_contains_and_is_attained():
    check_contains(mean_by_sum, lambda b: b.mean(BOUNDS))
    check_attained(mean_by_sum, lambda b: b.mean(BOUNDS))


@pytest.mark.parametrize("tail", ["lower", "upper"])
@pytest.mark.parametrize("mass", MASSES)
def test_cvar_interval_contains_and_is_attained(mass, tail):
    def functional(d):
        return cvar_by_minimum(d, mass, tail)

    check_contains(functional, lambda b: b.cvar(mass=mass, tail=tail, bounds=BOUNDS))
    check_attained(functional, lambda b: b.cvar(mass=mass, tail=tail, bounds=BOUNDS))


@pytest.mark.parametrize("t", THRESHOLDS)
def test_threshold_area_interval_contains(t):
    check_contains(lambda d: area_by_sum(d, t), lambda b: b.threshold_area(t, BOUNDS))


@pytest.mark.parametrize("t", [t for t in THRESHOLDS if t >= 0])
def test_threshold_area_interval_is_attained_by_the_sides_for_thresholds_from_zero(t):
    check_attained(lambda d: area_by_sum(d, t), lambda b: b.threshold_area(t, BOUNDS))


@pytest.mark.parametrize("t", [t for t in THRESHOLDS if t < 0])
def test_threshold_area_interval_is_attained_for_negative_thresholds(t):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = b.threshold_area(t, BOUNDS)
        low, high = within(b.low), within(b.high)
        # least: as little as possible below t, then everything as far down as possible
        spots = np.unique(np.concatenate([low.points, high.points, [t]]))
        below = spots < t
        least = Distribution(spots, np.where(below, low.cdf(spots), high.cdf(spots)), n)
        assert_allclose(interval.low, area_by_sum(least, t), atol=1e-12)
        # most: a share c below t, then everything as far up as possible; the best c by search
        floor, ceiling = low.cdf(t, left=True), high.cdf(t, left=True)
        candidates = np.unique(np.clip(np.concatenate([low.cumulative, [floor, ceiling]]), floor, ceiling))
        best = -np.inf
        for c in candidates:
            points = np.concatenate([[np.nextafter(t, -np.inf)], low.points[low.points >= t]])
            levels = np.concatenate([[c], np.maximum(low.cumulative[low.points >= t], c)])
            # the step from c up to the low side at t itself happens at t
            points, levels = np.insert(points, 1, t), np.insert(levels, 1, max(c, low.cdf(t)))
            best = max(best, area_by_sum(Distribution(points, levels, n), t))
        assert_allclose(interval.high, best, atol=1e-12)


def test_sides_need_only_the_bound_of_their_own_side():
    b = sample_band(40, 0)
    assert np.isfinite(b.mean((BOUNDS[0], None)).low)
    assert b.mean((BOUNDS[0], None)).high == np.inf
    assert np.isfinite(b.cvar(mass=0.5, tail="upper").low)
    assert b.cvar(mass=0.5, tail="upper").high == np.inf
    assert np.isfinite(b.cvar(mass=0.5, tail="lower").high)
    assert b.cvar(mass=0.5, tail="lower").low == -np.inf


@pytest.mark.parametrize("k", [1, 20, 1000])
def test_without_bounds_the_mean_of_the_best_and_worst_of_k_is_unbounded_on_both_sides(k):
    b = sample_band(40, 0)
    for several in (b.best_of(k), b.worst_of(k)):
        assert (several.mean().low, several.mean().high) == (-np.inf, np.inf)
        assert np.isfinite([several.mean(BOUNDS).low, several.mean(BOUNDS).high]).all()
    assert b.worst_of(k).quantile(1.0).high == np.inf
    assert b.best_of(k).quantile(0.0).low == -np.inf


@pytest.mark.parametrize("mass", [1e-17, 1e-13, 1e-9, 0.01])
def test_a_tail_that_no_score_is_certain_to_reach_is_unbounded_at_its_end(mass):
    b = sample_band(40, 0)
    upper, lower = b.cvar(mass=mass, tail="upper"), b.cvar(mass=mass, tail="lower")
    assert upper.high == np.inf
    assert upper.low <= upper.estimate == b.estimate.points[-1]
    assert lower.low == -np.inf
    assert lower.high >= lower.estimate == b.estimate.points[0]


def test_the_threshold_area_of_everything_is_the_mean():
    b = sample_band(40, 0)
    assert b.threshold_area(-np.inf, BOUNDS) == b.mean(BOUNDS)


def test_a_band_refuses_a_threshold_that_is_no_number():
    b = sample_band(5, 0)
    for asked in (b.cdf, b.threshold_area):
        with pytest.raises(InputError, match="nan"):
            asked(np.nan)


# Deliberately wrong versions: each must be noticed.


class Wrong:
    """An interval with its ends."""

    def __init__(self, low, high):
        self.low, self.high = low, high


def notices(check, functional, interval_of):
    with pytest.raises(AssertionError):
        check(functional, interval_of)


def test_swapped_tails_are_noticed():
    for mass in (0.1, 0.25):
        notices(
            check_attained,
            lambda d, m=mass: cvar_by_minimum(d, m, "upper"),
            lambda b, m=mass: b.cvar(mass=m, tail="lower", bounds=BOUNDS),
        )
        notices(check_contains, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=m, tail="lower", bounds=BOUNDS))  # fmt: skip


def test_mass_for_one_minus_mass_is_noticed():
    for mass in (0.1, 0.25):
        notices(check_attained, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=1 - m, tail="upper", bounds=BOUNDS))  # fmt: skip
        notices(check_contains, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=1 - m, tail="upper", bounds=BOUNDS))  # fmt: skip


def test_a_mean_bound_that_is_off_by_one_is_noticed():
    def off_by_one(b):
        high = within(b.high)
        shifted = Distribution(high.points, np.append(high.cumulative[1:], 1.0), high.n)  # hi_{i+2} for hi_{i+1}
        return Wrong(mean_by_sum(shifted), mean_by_sum(within(b.low)))

    notices(check_attained, mean_by_sum, off_by_one)


def test_plugging_a_negative_threshold_into_the_formula_for_positive_ones_is_noticed():
    t = -1.3
    notices(
        check_contains,
        lambda d: area_by_sum(d, t),
        lambda b: Wrong(within(b.high).threshold_area(t), within(b.low).threshold_area(t)),
    )
