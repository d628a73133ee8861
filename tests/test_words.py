"""Numbers and names as a reader wants them."""

import math

import pytest

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
    ],
)
def test_an_interval_has_as_many_digits_as_it_deserves(ends, text):
    assert interval(*ends) == text


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
