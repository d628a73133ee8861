"""How often true hypotheses are rejected, and false ones: simulated, as claims.

A null distribution drawn with 1,999 samples puts the 5 % point off by up to half a percent, and
rows with similar fits share it: on lattices the plausible range is widened by SHARED.
"""

import math

import numpy as np
import pytest
from simulate import plausible

from ogive.statistics import dip, normality

pytestmark = pytest.mark.statistical
REPETITIONS = 20_000
ON_LATTICE = 3_000
SHARED = 0.005
TESTS = ("dagostino", "shapiro", "skewness", "kurtosis")
OPEN = (None, None)


def rejection_range(repetitions, slack=0.0):
    low, high = plausible(0.95, repetitions)
    return 1 - high - slack, 1 - low + slack


def rejected(rows, test, **options):
    return float(normality(rows, test=test, **options).rejected().mean())


def rounded(seed, location, scale, n, bounds=OPEN):
    rows = np.rint(np.random.default_rng(seed).normal(location, scale, size=(ON_LATTICE, n)))
    return rows if bounds == OPEN else np.clip(rows, *bounds)


# The scores of skewness and kurtosis are not independent, so K² rejects up to 6 %; the kurtosis
# approximation is cautious below n = 20.
@pytest.mark.parametrize(
    ("test", "slack"), [("shapiro", 0.001), ("skewness", 0.001), ("kurtosis", 0.003), ("dagostino", 0.01)]
)
@pytest.mark.parametrize("n", [20, 50, 200, 1000])
def test_normal_samples_are_rejected_as_often_as_the_level_says(test, slack, n):
    rows = np.random.default_rng(n).normal(7, 3, size=(REPETITIONS, n))
    least, most = rejection_range(REPETITIONS, slack)
    assert least <= rejected(rows, test) <= most


LATTICES = [
    ("6.6 steps", 173.0, 6.58, 1000, OPEN),
    ("2 steps", 173.3, 2.0, 200, OPEN),
    ("1 step", 173.3, 1.0, 200, OPEN),
    ("1 step, few", 173.3, 1.0, 30, OPEN),
    ("half a step", 173.3, 0.55, 100, OPEN),
    ("a fifth cut at a bound", 229.0, 3.0, 100, (0, 231)),
    ("cut at both bounds", 5.0, 4.0, 100, (0, 10)),
]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("name", "location", "scale", "n", "bounds"), LATTICES, ids=[c[0] for c in LATTICES])
def test_rounded_normals_are_not_rejected_more_often_than_the_level_says(test, name, location, scale, n, bounds):
    rows = rounded(n, location, scale, n, bounds)
    _, most = rejection_range(ON_LATTICE, SHARED)
    assert rejected(rows, test, lattice=1, bounds=bounds) <= most


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("scale", [1.0, 6.58])
def test_and_from_one_step_on_not_less_often_either(test, scale):
    least, _ = rejection_range(ON_LATTICE, SHARED)
    assert rejected(rounded(1, 40.3, scale, 300), test, lattice=1) >= least


def test_the_plain_test_reads_ties_as_a_departure():
    """The size test above would notice: this is what it is there to exclude."""
    rows = rounded(2, 173.0, 6.58, 1000)
    assert rejected(rows, "shapiro") > 0.7
    assert rejected(rounded(3, 173.0, 1.0, 200), "shapiro") > 0.95


def accuracies(p, n=1000, m=231):
    return np.random.default_rng(4).binomial(m, p, size=(ON_LATTICE, n)) / m


def test_accuracies_of_a_coin_are_normal_but_for_their_lattice():
    rows = accuracies(0.5)
    least, most = rejection_range(ON_LATTICE, SHARED)
    assert rejected(rows, "shapiro") > 0.4
    assert least <= rejected(rows, "shapiro", lattice=1 / 231, bounds=(0, 1)) <= most


def test_accuracies_at_three_quarters_are_rejected_for_their_skewness_only():
    """Plain Shapiro-Wilk rejects 86 %. What remains with the lattice known is what it finds in a
    continuous distribution of the same skewness, -0.076, and the same kurtosis to 0.01."""
    rows = accuracies(0.75)
    assert 0.83 <= rejected(rows, "shapiro") <= 0.89
    shape = (2 * math.sqrt(231 * 0.75 * 0.25) / 0.5) ** 2
    continuous = np.random.default_rng(5).gamma(shape, size=(ON_LATTICE, 1000))
    aware = rejected(rows, "shapiro", lattice=1 / 231, bounds=(0, 1))
    assert aware == pytest.approx(rejected(continuous, "shapiro"), abs=0.045)
    assert aware < 0.18


@pytest.mark.parametrize("test", ["dagostino", "shapiro", "skewness"])
@pytest.mark.parametrize("scale", [0.6, 1.0, 6.6])
def test_planted_skewness_is_found_on_every_lattice(test, scale):
    """Gamma of shape 5: skewness 0.9."""
    rows = np.rint(np.random.default_rng(6).gamma(5, scale / math.sqrt(5), size=(300, 500)))
    assert rejected(rows, test, lattice=1) > 0.9


@pytest.mark.parametrize("test", TESTS)
def test_dithering_holds_the_level_on_a_fine_lattice(test):
    rows = rounded(7, 173.3, 3.0, 200)
    _, most = rejection_range(ON_LATTICE, SHARED)
    assert rejected(rows, test, lattice=1, ties="dither") <= most


@pytest.mark.parametrize("n", [10, 50, 200])
def test_dip_p_values_of_uniform_samples_are_uniform(n):
    rng = np.random.default_rng(n)
    p = np.array([dip(rng.random(n), n_resamples=9999).p_value for _ in range(5000)])
    for level in (0.05, 0.2, 0.5, 0.8):
        low, high = plausible(level, p.size)
        assert low - 0.01 <= np.mean(p <= level) <= high + 0.01


def test_dip_rarely_rejects_other_unimodal_shapes_on_and_off_a_lattice():
    rng = np.random.default_rng(8)
    assert np.mean([dip(rng.normal(size=200)).p_value < 0.05 for _ in range(1000)]) < 0.02
    assert np.mean([dip(rng.binomial(231, 0.75, 500), lattice=1).p_value < 0.05 for _ in range(500)]) < 0.02
    assert np.mean([dip(rng.integers(0, 20, 500), lattice=1).p_value < 0.05 for _ in range(500)]) < 0.08


def test_dip_finds_two_modes():
    rng = np.random.default_rng(9)
    found = [
        dip(np.rint(10 * np.concatenate([rng.normal(0, 1, 100), rng.normal(4, 1, 100)])), lattice=1).p_value < 0.05
        for _ in range(200)
    ]
    assert np.mean(found) > 0.95
