"""Tests of normality: equal to scipy's, and the rules at the door."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from ogive.errors import InputError, InvalidScores
from ogive.statistics import Normality, _normality, normality

SCIPY = {
    "dagostino": stats.normaltest,
    "shapiro": stats.shapiro,
    "skewness": stats.skewtest,
    "kurtosis": stats.kurtosistest,
}
TOLERANCE = {"dagostino": 1e-10, "shapiro": 1e-8, "skewness": 1e-10, "kurtosis": 1e-10}
SMALLEST = {"dagostino": 8, "shapiro": 3, "skewness": 8, "kurtosis": 5}
SHAPES = {
    "normal": lambda rng, size: rng.normal(3, 2, size),
    "skewed": lambda rng, size: rng.gamma(0.5, size=size),
    "heavy tails": lambda rng, size: rng.standard_t(2, size),
    "light tails": lambda rng, size: rng.random(size),
    "tied": lambda rng, size: rng.integers(0, 5, size) + 0.25,
    "accuracies": lambda rng, size: rng.binomial(231, 0.75, size) / 231,
    "one outlier": lambda rng, size: np.where(np.arange(size[1]) == 0, 50.0, rng.normal(size=size)),
}


def scipys(rows, test):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples, nearly equal values
        found = SCIPY[test](rows, axis=1)
    return found.statistic, found.pvalue


def assert_equals_scipy(rows, test):
    found = normality(rows, test=test)
    chosen = found.status == "tested"
    if test in ("skewness", "dagostino"):  # see the test of symmetric samples below
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chosen &= np.abs(stats.skew(rows, axis=1)) > 1e-12
    statistic, p = scipys(rows[chosen], test)
    assert_allclose(found.statistic[chosen], statistic, rtol=TOLERANCE[test], atol=TOLERANCE[test])
    assert_allclose(found.p_value[chosen], p, rtol=0, atol=TOLERANCE[test])


@pytest.mark.parametrize("test", SCIPY)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 12, 40, 200, 1000, 4990])
def test_every_row_equals_scipy(test, shape, n):
    """n counts from the smallest size that scipy accepts, through each change of formula."""
    n += SMALLEST[test]
    assert_equals_scipy(SHAPES[shape](np.random.default_rng(n), (20, n)), test)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_small_samples_of_whole_numbers_equal_scipy(data):
    test = data.draw(st.sampled_from(sorted(SCIPY)))
    n = data.draw(st.integers(SMALLEST[test], 14))
    row = data.draw(st.lists(st.integers(-20, 20), min_size=n, max_size=n).filter(lambda v: len(set(v)) > 1))
    assert_equals_scipy(np.array([row], dtype=float), test)


def test_a_symmetric_sample_has_the_skewness_score_zero():
    """scipy replaces a skewness of exactly 0 by a score of about 1."""
    row = np.arange(8.0)
    assert normality(row, test="skewness").statistic[0] == pytest.approx(0.0, abs=1e-12)
    assert stats.skewtest(row).statistic == pytest.approx(1.01, abs=0.01)
    both = normality(row, test="dagostino").statistic[0]
    assert both == pytest.approx(normality(row, test="kurtosis").statistic[0] ** 2)


@pytest.mark.parametrize("test", SCIPY)
@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_the_unit_does_not_matter(test, unit):
    rows = np.random.default_rng(2).normal(size=(5, 30))
    assert_allclose(normality(rows * unit, test=test).p_value, normality(rows, test=test).p_value, rtol=1e-9)


@pytest.mark.parametrize("test", SCIPY)
def test_threads_do_not_change_a_bit(test):
    rows = np.random.default_rng(3).normal(size=(3000, 200))
    one, three = normality(rows, test=test), normality(rows, test=test, threads=3)
    assert_array_equal(one.p_value, three.p_value)
    lattice = np.rint(3 * rows[:40])
    one, three = (normality(lattice, test=test, lattice=1, n_resamples=99, threads=k) for k in (1, 3))
    assert_array_equal(one.p_value, three.p_value)


@pytest.mark.parametrize("test", SCIPY)
@pytest.mark.parametrize("lattice", [None, 0.05])
def test_a_constant_sample_is_constant_and_never_gaussian(test, lattice):
    rows = np.random.default_rng(4).integers(0, 20, (3, 30)) * 0.05
    rows[1] = 0.05 * 7
    found = normality(rows, test=test, lattice=lattice, n_resamples=99)
    assert found.status.tolist() == ["tested", "constant", "tested"]
    assert math.isnan(found.p_value[1])
    assert not found.rejected(0.999)[1]


def test_rounding_errors_of_one_number_are_constant():
    row = np.full(50, 0.75)
    row[::2] = np.nextafter(0.75, 1.0)
    assert normality(row).status.tolist() == ["constant"]


@pytest.mark.parametrize("test", SCIPY)
@pytest.mark.parametrize("lattice", [None, 1])
def test_too_few_values_are_said_and_not_tested(test, lattice):
    row = np.arange(SMALLEST[test])
    assert normality(row, test=test, lattice=lattice, n_resamples=99).status.tolist() == ["tested"]
    short = normality(row[:-1], test=test, lattice=lattice, n_resamples=99)
    assert short.status.tolist() == ["too few"]
    assert math.isnan(short.p_value[0])


def test_shares_can_count_constant_samples_either_way():
    found = Normality(
        statistic=np.full(5, np.nan), p_value=np.array([0.5, 0.5, 0.01, np.nan, np.nan]),
        status=np.array(["tested"] * 3 + ["constant"] * 2), test="dagostino", method="asymptotic", n=9,
    )  # fmt: skip
    assert found.gaussian_share() == pytest.approx(2 / 3)
    assert found.gaussian_share(constant="gaussian") == pytest.approx(4 / 5)
    assert found.gaussian_share(constant="not gaussian") == pytest.approx(2 / 5)
    assert json.loads(json.dumps(found.to_dict()))["p_value"] == [0.5, 0.5, 0.01, None, None]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("options", [{}, {"test": "shapiro"}, {"lattice": 1}])
def test_rows_that_are_not_finite_are_refused_by_number(bad, options):
    rows = np.arange(40.0).reshape(4, 10)
    rows[2, 5] = bad
    with pytest.raises(InvalidScores, match=r"1 of 4 rows .* row 2"):
        normality(rows, **options)


@pytest.mark.parametrize(
    ("samples", "options", "words"),
    [
        ([["a", "b"]], {}, "must be numbers"),
        ([[1, 2], [3]], {}, "as many in each row"),
        (np.zeros((2, 3, 4)), {}, "shape"),
        ([], {}, "shape"),
        (range(20), {"test": "ks"}, "`test` must be one of"),
        (range(20), {"threads": 0}, "`threads`"),
        (range(20), {"n_resamples": 5}, "`n_resamples`"),
        (range(20), {"bounds": (0, 20)}, "`lattice`"),
        (range(20), {"lattice": 0}, "`lattice` must be a positive step"),
        (range(20), {"lattice": [1, 2]}, "one for each of the 1 rows"),
        (range(20), {"lattice": 3}, "multiples of `lattice`"),
        (range(20), {"lattice": 1, "bounds": (0, 10)}, "must contain every score"),
        (range(20), {"lattice": 1, "ties": "jitter"}, "`ties`"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_a_sentence(samples, options, words):
    with pytest.raises(InputError, match=words):
        normality(samples, **options)


def test_dithering_is_refused_below_two_steps():
    rng = np.random.default_rng(5)
    wide, narrow = np.rint(rng.normal(0, 5, 300)), np.rint(rng.normal(0, 1, 300))
    assert normality(wide, lattice=1, ties="dither").method == "dithered"
    with pytest.raises(InputError, match="2 lattice steps"):
        normality([wide, narrow], lattice=1, ties="dither")


def test_a_p_value_does_not_depend_on_the_other_rows_or_on_the_memo():
    rows = np.random.default_rng(6).binomial(50, 0.8, (6, 100)) / 50
    together = normality(rows, lattice=1 / 50, bounds=(0, 1), n_resamples=199)
    _normality.null_distribution.cache_clear()
    alone = [normality(row, lattice=1 / 50, bounds=(0, 1), n_resamples=199).p_value[0] for row in rows[::-1]]
    assert_array_equal(together.p_value, alone[::-1])


def test_each_row_may_have_its_own_step():
    rng = np.random.default_rng(7)
    rows = np.array([rng.binomial(50, 0.8, 100) / 50, rng.binomial(30, 0.7, 100) / 30])
    both = normality(rows, lattice=[1 / 50, 1 / 30], bounds=(0, 1), n_resamples=199)
    single = [normality(r, lattice=1 / m, bounds=(0, 1), n_resamples=199) for r, m in zip(rows, (50, 30), strict=True)]
    assert_array_equal(both.p_value, [s.p_value[0] for s in single])
    assert_allclose(both.statistic, normality(rows).statistic, rtol=1e-10)


def test_p_values_on_a_lattice_are_counts_of_drawn_samples():
    p = normality(np.rint(np.random.default_rng(8).normal(0, 3, (20, 60))), lattice=1, n_resamples=199).p_value
    assert_allclose(p * 200, np.rint(p * 200), atol=1e-9)
    assert p.min() >= 1 / 200


@pytest.mark.parametrize("test", SCIPY)
def test_two_neighboring_values_are_no_evidence(test):
    """A narrow normal astride a rounding boundary gives any share of the two."""
    row = np.repeat([3.0, 4.0], [37, 3])
    assert normality(row, test=test, lattice=1, n_resamples=199).p_value[0] > 0.05


def test_similar_fits_share_a_null_distribution_and_stay_within_their_uncertainty():
    n = 400
    for location, scale in [(7.3, 0.4), (7.3, 5.0), (9.5, 2.0), (1.0, 2.0), (5.0, 9.0)]:
        rough, shift = _normality.coarse(location, scale, 0.0, 10.0, n)
        assert abs(math.log(rough.scale / scale)) <= 0.25 / math.sqrt(n) + 1e-12
        assert abs(rough.location + shift - location) <= 0.26 / math.sqrt(n) * scale
        assert shift + rough.high in (10.0, math.inf)
        assert shift + rough.low in (0.0, -math.inf)
    fine, _ = _normality.coarse(7.3, 5.0, -math.inf, math.inf, n)
    assert fine == _normality.coarse(107.8, 5.0, -math.inf, math.inf, n)[0]


@pytest.mark.parametrize("test", ["dagostino", "shapiro", "skewness", "kurtosis"])
@pytest.mark.parametrize("exponent", [-1030, -700, 700, 1020])
def test_units_at_the_ends_of_the_floating_point_range_do_not_matter(test, exponent):
    x = np.round(np.random.default_rng(3).normal(size=40), 2) * 2.0**-4
    expected = normality(x, test=test)
    found = normality(np.ldexp(np.array([x, np.ones(40) / 4.0]), exponent), test=test)
    assert_allclose(found.p_value[0], expected.p_value[0], rtol=1e-9)
    assert np.isnan(found.p_value).tolist() == [False, True]
