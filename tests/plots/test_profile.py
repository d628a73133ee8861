"""Pictures of profiles, ranks and aggregates: their data and artists, never their pixels."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from ogive.errors import InputError
from ogive.plots import aggregates as draw_aggregates
from ogive.plots import critical_difference
from ogive.plots import profile as draw
from ogive.plots._profile import _spread
from ogive.profiles import AverageRanks, RankedPair, aggregates, average_ranks, performance_profile

RNG = np.random.default_rng(4)
TIMES = {f"m{i}": np.exp(RNG.normal(i / 2, 1, 30)) for i in range(5)}
PROFILE = performance_profile(TIMES, time_limit=60)
NAME = "</script>; $x$ <img src=x onerror=alert(1)>"


def test_lines_are_the_steps_of_the_profile():
    display = draw(PROFILE).plot()
    for m in PROFILE.methods:
        steps, line = PROFILE.steps(m), display.lines_[m]
        assert line.get_xdata()[:-1].tolist() == steps.tau.tolist()
        assert line.get_ydata()[:-1].tolist() == steps.estimate.tolist()
        assert line.get_drawstyle() == "steps-post"
    ax = display.axes_["profile"]
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] == 1.0
    assert [t.get_text() for t in ax.get_xticklabels()][:2] == ["1×", "2×"]


def test_many_methods_have_bands_for_the_leaders_only():
    assert draw(PROFILE).banded == draw(PROFILE).order[:2]
    assert set(draw(PROFILE, bands="all").plot().bands_) == set(PROFILE.methods)
    assert draw(PROFILE, bands="none").plot().bands_ == {}
    two = performance_profile({m: TIMES[m] for m in ("m0", "m4")}, goal="minimize")
    assert set(draw(two).plot().bands_) == {"m0", "m4"}


def test_every_curve_has_its_name_beside_it():
    ax = draw(PROFILE).plot().axes_["profile"]
    assert {t.get_text() for t in ax.texts} == set(PROFILE.methods)
    heights = sorted(t.xy[1] for t in ax.texts)
    assert min(np.diff(heights)) > 0.05


def test_names_of_curves_that_end_level_stand_in_the_order_of_the_curves():
    times = {"slow": [9.0] * 5, "fast": [1.0] * 5, "middle": [3.0] * 5}
    ax = draw(performance_profile(times, goal="minimize")).plot().axes_["profile"]
    names = [t.get_text() for t in sorted(ax.texts, key=lambda t: -t.xy[1])]
    assert names == ["fast", "middle", "slow"]


def test_words_of_the_picture_follow_direction_and_count():
    scores = {"a": [1.0, 2.0, 9.0], "b": [2.0, 1.0, 3.0]}
    large = draw(performance_profile(scores, goal="maximize", strict=True))
    assert "less than" in large.caption
    assert "score over" in large.plot().axes_["profile"].get_xlabel()
    score = draw(performance_profile(scores, "score", strict=False))
    assert "as good as τ" in score.plot().axes_["profile"].get_ylabel()


def test_labels_are_spread_and_stay_below_the_top():
    placed = _spread([0.98, 0.99, 1.0, 1.0])
    assert max(placed) <= 1.0
    assert min(np.diff(placed)) > 0.05
    assert _spread([0.1, 0.9]) == [0.1, 0.9]


def test_the_headline_never_says_more_than_the_bands():
    assert draw(PROFILE).headline.startswith("m0 ")
    two = performance_profile({"a": np.exp(RNG.normal(size=20)), "b": np.exp(RNG.normal(size=20))}, goal="minimize")
    assert "cannot be told" in draw(two).headline
    far = performance_profile({"a": [1.0] * 40, "b": [2.0] * 40}, goal="minimize")
    assert draw(far).headline == "a is ahead of b for some τ"


@pytest.mark.parametrize(("others", "said"), [("bc", "both others"), ("bcd", "all 3 others")])
def test_the_headline_claims_no_lead_at_every_tau(others, said):
    values = {"a": [1.0] * 60, **{m: [2.0 + i] * 60 for i, m in enumerate(others)}}
    assert draw(performance_profile(values, goal="minimize")).headline == f"a is ahead of {said} for some τ"


def test_equal_areas_have_no_leader():
    same = performance_profile({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [3.0, 4.0]}, goal="minimize")
    assert draw(same).headline.startswith("a and b have")


@pytest.mark.parametrize("kind", ["difference", "improvement", "rank", "welch", "score"])
def test_every_kind_can_be_drawn_into_a_given_axis(kind):
    runs = {m: RNG.normal(size=(6, 8)) for m in "ab"}
    ax = Figure().subplots()
    display = draw(performance_profile(runs, kind)).plot(ax=ax)
    assert display.axes_ == {"profile": ax}
    assert ax.get_xlabel()
    assert len(display.lines_) == 2


def test_tau_max_ends_the_picture():
    assert draw(PROFILE, tau_max=4).plot().axes_["profile"].get_xlim() == (1.0, 4.0)
    with pytest.raises(InputError, match="`tau_max`"):
        draw(PROFILE, tau_max=0.5)
    with pytest.raises(InputError, match="`bands`"):
        draw(PROFILE, bands="some")


def test_bars_join_the_groups():
    ranks = average_ranks({f"m{i}": RNG.normal(i / 3, 1, 20) for i in range(6)})
    display = critical_difference(ranks).plot()
    assert len(display.bars_) == len(ranks.groups)
    for bar, group in zip(display.bars_, ranks.groups, strict=True):
        ends = [float(ranks.ranks[ranks.methods.index(m)]) for m in (group[0], group[-1])]
        assert bar.get_xdata()[0] < ends[0] <= ends[1] < bar.get_xdata()[1]
    assert set(display.names_) == set(ranks.methods)


def test_aggregates_have_a_panel_for_each_statistic():
    found = aggregates({m: RNG.normal(0.5 + i / 10, 0.1, (8, 5)) for i, m in enumerate("abc")})
    display = draw_aggregates(found).plot()
    assert tuple(display.axes_) == found.statistics
    assert display.order == ("c", "b", "a")
    point = display.points_["iqm", "c"]
    assert point.get_xdata()[0] == found.of("c", "iqm").estimate
    assert display.headline.startswith("c ")
    with pytest.raises(InputError, match="one statistic"):
        draw_aggregates(found).plot(ax=Figure().subplots())


def test_names_stay_text(tmp_path: Path):
    times = {NAME: np.exp(RNG.normal(size=12)), "b": np.exp(RNG.normal(size=12)), "c": np.exp(RNG.normal(size=12))}
    for i, display in enumerate((draw(performance_profile(times, goal="minimize")), critical_difference(average_ranks(times, goal="minimize")))):  # fmt: skip
        assert b"<script" not in display.save(tmp_path / f"{i}.svg").read_bytes()


def test_the_headline_of_ranks_knows_pairs_that_no_bar_joins():
    """The best is separated from its neighbor in rank, but not from the one behind that."""
    pairs = [RankedPair(a="a", b="b", wins=9, ties=0, losses=1, p=0.01, p_holm=0.03),
             RankedPair(a="a", b="c", wins=7, ties=0, losses=3, p=0.3, p_holm=0.6),
             RankedPair(a="b", b="c", wins=6, ties=0, losses=4, p=0.5, p_holm=0.6)]  # fmt: skip
    ranks = AverageRanks(
        methods=("a", "b", "c"), ranks=np.array([1.4, 2.2, 2.4]), friedman=0.05, pairs=tuple(pairs), groups=(("b", "c"),),
        test="Wilcoxon's test", n_problems=10, confidence=0.95,
    )  # fmt: skip
    assert "1 other" in critical_difference(ranks).headline
