"""The matrix of pairs of a profile: its data and its artists, never its pixels."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import ogive
from ogive.plots import profile, profile_pairs
from ogive.plots._pairs import BETTER, UNDECIDED, WORDS, WORSE
from ogive.profiles import Profile, performance_profile

RNG = np.random.default_rng(5)
NAME = "</script>; $x$ <img src=x onerror=alert(1)>"


def times(n: int = 3, problems: int = 40) -> dict[str, np.ndarray]:
    return {f"m{i}": np.exp(RNG.normal(2 * min(i, 2), 1, problems)) for i in range(n)}


FOUND = performance_profile(times(4), time_limit=60)


def test_rows_and_columns_are_in_the_order_of_the_profiles_picture():
    display = profile_pairs(FOUND).plot()
    ax = display.axes_["pairs"]
    assert display.methods == profile(FOUND).order
    assert [t.get_text() for t in ax.get_yticklabels()] == list(display.methods)
    assert len(ax.texts) == len(display.cells) == 4 * 3


def test_a_cell_is_the_comparison_of_its_row_with_its_column():
    display = profile_pairs(FOUND)
    mirror = {"ahead": "behind", "behind": "ahead"}
    for (a, b), pair in display.cells.items():
        assert pair.verdict == FOUND.verdict(a, b)
        other = display.cells[b, a]
        assert other.conclusion == mirror.get(pair.conclusion, pair.conclusion)
        assert (pair.wins, pair.ties, pair.losses) == (other.losses, other.ties, other.wins)
        face = display.face(pair)
        assert face.text.startswith(f"{WORDS[pair.conclusion]}\n{pair.wins} won, {pair.losses} lost")
        assert face.bar == pytest.approx((pair.wins / 40, pair.ties / 40, pair.losses / 40))


def test_bars_and_colors_show_what_the_words_say():
    display = profile_pairs(
        performance_profile({"a": [1.0] * 40, "b": [2.0] * 40, "c": [1.0, 3.0] * 20}, goal="minimize")
    ).plot()
    patches = [p for p in display.axes_["pairs"].patches if isinstance(p, Rectangle)]
    colors = [p.get_facecolor()[:3] for p in patches]
    assert len(patches) == 6 * 4
    assert display.face(display.cells["a", "b"]).color == BETTER
    assert display.face(display.cells["b", "a"]).color == WORSE
    assert colors[1] == pytest.approx(to_rgb(BETTER))
    assert sum(p.get_width() for p in patches[1:4]) == pytest.approx(0.8)
    assert display.headline.endswith("; a is so against both others")


def test_what_cannot_be_told_is_white_and_no_sign_of_equality():
    same = {m: np.exp(RNG.normal(size=12)) for m in "abc"}
    display = profile_pairs(performance_profile(same, goal="minimize"))
    assert {display.face(p).color for p in display.cells.values()} == {UNDECIDED}
    assert "none of 3 pairs" in display.headline
    assert "equality" in display.caption
    two = profile_pairs(performance_profile({m: same[m] for m in "ab"}, goal="minimize"))
    assert "cannot be told" in two.headline
    assert "pairs together" not in two.caption


def test_curves_that_cross_with_certainty_have_a_color_of_their_own():
    one, two = [1.0] * 100 + [9.0] * 60, [2.0] * 100 + [1.0] * 60
    display = profile_pairs(performance_profile({"a": one, "b": two}, confidence=0.8, goal="minimize"))
    pair = display.cells["a", "b"]
    assert pair.conclusion == "cross"
    assert display.face(pair).text.startswith("each ahead at some τ")
    assert "each ahead" in display.headline


def test_without_a_band_there_are_counts_and_no_verdict():
    display = profile_pairs(performance_profile(times(3), band="none", goal="minimize"))
    assert "won" in display.face(display.cells["m0", "m1"]).text
    assert "cannot tell" not in display.face(display.cells["m0", "m1"]).text
    assert "without a verdict" in display.headline


def test_many_methods_have_signs_instead_of_numbers():
    display = profile_pairs(performance_profile(times(11, 12), goal="minimize")).plot()
    assert {t.get_text() for t in display.axes_["pairs"].texts} <= {"+", "−", "±", "?"}
    assert "? cannot tell" in display.caption


@pytest.mark.parametrize("kind", ["improvement", "score"])
def test_runs_are_counted_by_task(kind):
    runs = {m: RNG.normal(i, 1, size=(6, 8)) for i, m in enumerate("ab")}
    display = profile_pairs(performance_profile(runs, kind))
    pair = display.cells["b", "a"]
    assert pair.wins + pair.ties + pair.losses == 8
    assert ("better mean" in display.caption) == (kind == "score")


def test_a_given_axis_is_drawn_into_and_names_stay_text(tmp_path):
    found: Profile = performance_profile(
        {NAME: np.exp(RNG.normal(size=9)), "b": np.exp(RNG.normal(size=9))}, goal="minimize"
    )
    ax = Figure().subplots()
    assert ogive.plots.profile_pairs(found).plot(ax=ax).axes_ == {"pairs": ax}
    assert b"<script" not in profile_pairs(found).save(tmp_path / "p.svg").read_bytes()
