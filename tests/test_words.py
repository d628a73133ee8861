"""Numbers and names as a reader wants them."""

import math
import re

import numpy as np
import pytest

from ogive import words
from ogive.words import clipped, interval, latex, listed, markdown, number, plural, printable, share


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.8941, 0.8922, 0.8967), "0.8941 [0.8922, 0.8967]"),
        ((0.894, 0.85, 0.93), "0.89 [0.85, 0.93]"),
        ((12.3, 10.0, 15.0), "12.3 [10.0, 15.0]"),
        ((12.3, 8.0, 16.0), "12 [8, 16]"),
        ((0.75, -0.04, 1.54), "0.8 [-0.1, 1.6]"),
        ((0.96, 0.41, 0.98), "0.960 [0.410, 0.980]"),
        ((0.9, 0.5204, 0.9304), "0.90 [0.52, 0.94]"),
        ((0.5, -math.inf, math.inf), "0.500 [-∞, ∞]"),
        ((0.5, math.nan, math.nan), "0.500"),
        ((math.nan, math.nan, math.nan), "–"),
        ((1.23e-10, 1.1e-10, 1.4e-10), "1.23e-10 [1.1e-10, 1.4e-10]"),
        ((3e20, 1e20, 5e20), "3e+20 [1e+20, 5e+20]"),
        ((1e8 + 2e-4, 1e8 - 2.4e-4, 1e8 + 5.9e-4), "100000000.0002 [99999999.9997, 100000000.0006]"),
        ((1e9 + 0.5, 1e9 + 0.38, 1e9 + 0.61), "1000000000.50 [1000000000.38, 1000000000.61]"),
        ((3.14e-11, 3.1364e-11, 3.1444e-11), "3.14e-11 [3.136e-11, 3.145e-11]"),
        ((0.5, 0.5 - 4e-11, 0.5 + 5e-11), "0.5 [0.49999999996, 0.50000000005]"),
        ((4.56e10, 4.51e10, 4.62e10), "4.56e+10 [4.51e+10, 4.62e+10]"),
        ((-math.inf, -math.inf, 0.12345), "-∞ [-∞, 0.124]"),
        ((0.3, 0.1 + 0.2, 0.29 * 2), "0.300 [0.300, 0.580]"),
        ((1.5, -4.853, 7.853), "1.5 [-4.9, 7.9]"),
        ((0.004, -0.5, 0.5), "0.00 [-0.50, 0.50]"),
        ((1e10, -1e12, 1e12), "1e+10 [-1e+12, 1e+12]"),
    ],
)
def test_an_interval_has_as_many_digits_as_it_deserves(ends, text):
    assert interval(*ends) == text


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e-5, 1.0, 1e4, 1e8, 1e9, 1e14])
@pytest.mark.parametrize("width", [1.0, 1e-4, 1e-9, 1e-12])
def test_a_printed_interval_holds_the_interval_and_its_estimate(scale, width):
    rng = np.random.default_rng(0)
    for _ in range(20):
        estimate = scale * float(rng.normal(1.0, 0.2))
        low, high = estimate - scale * width * float(rng.random()), estimate + scale * width * float(rng.random())
        middle, below, above = (float(v) for v in re.findall(r"[^\s,\[\]]+", interval(estimate, low, high)))
        rounding = 8 * math.ulp(scale)
        assert below <= low + rounding
        assert above >= high - rounding
        assert below <= middle <= above
        assert above - below <= 2.0 * (high - low) + 1e-12 * scale


def test_a_landmark_far_below_the_numbers_is_no_reason_for_more_digits_than_a_float_has():
    assert interval(1e150, 1e-9, 2e150, (0.0,)) == "1e+150 [0, 2e+150]"
    assert interval(1e12, 5.0, 2e12, (0.0,)) == "1000000000000 [5, 2000000000000]"


def test_numbers_without_an_interval_have_three_significant_digits():
    assert [number(x) for x in (0.0, 0.12345, 12.345, 1234.5, 0.00001234, -0.5)] == [
        "0", "0.123", "12.3", "1234", "1.23e-05", "-0.500",
    ]  # fmt: skip


def test_shares_counts_and_lists_read_well():
    assert [share(x) for x in (0.0, 0.004, 0.234, 1.0)] == ["0 %", "0.4 %", "23 %", "100 %"]
    assert [plural(1, "run"), plural(2, "run"), plural(2, "units")] == ["1 run", "2 runs", "2 units"]
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_names_lose_control_characters_and_keep_the_rest():
    assert printable("é日🙂 \x1b[31m\n\u202e") == "é日🙂 �[31m��"
    assert clipped("abcdef", 4) == "abc…"
    assert clipped("abcd", 4) == "abcd"


def test_names_are_escaped_for_latex_and_markdown():
    assert latex(r"_&%$#{}~^\<[*") == (
        r"\_\&\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}\textless{}{[}{*}"
    )
    assert markdown("a|b*c_d`<e>[f]") == r"a\|b\*c\_d\`\<e\>\[f\]"


def test_an_estimate_that_is_an_end_of_its_interval_is_not_rounded_beyond_it():
    assert interval(0.967, 0.0, 0.967) == "0.967 [0.000, 0.967]"


def test_rounding_in_floats_is_rounding_in_decimals(monkeypatch):
    rng = np.random.default_rng(0)
    near = [0.0, 0.5, 5e-10, 1e-9, 1.01e-9, 2e-9]
    cases = [
        ((round(rng.normal() * 10.0 ** rng.integers(-6, 5), d) + rng.choice(near) * 10.0**-d) * sign, d, side)
        for d in range(8)
        for _ in range(40)
        for sign in (-1.0, 1.0)
        for side in (-1, 0, 1)
    ]
    found = [words._rounded(*case) for case in cases]
    monkeypatch.setattr(words, "_SAFE", 0.0)
    assert found == [words._rounded(*case) for case in cases]


def test_common_intervals_are_printed_without_decimals_that_are_slow(monkeypatch):
    monkeypatch.delattr(words, "Decimal")
    assert interval(0.894, 0.85, 0.93) == "0.89 [0.85, 0.93]"
