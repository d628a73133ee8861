"""Pictures of learning curves: data and artists, never pixels."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from ogive.curves import LearningCurves
from ogive.curves._metrics import definition
from ogive.errors import InputError
from ogive.plots import leading, learning_fan, normality_strips, slices
from ogive.plots._curves import NORMAL, REJECTED, size_ticks
from ogive.plots._page import COLORS

RNG = np.random.default_rng(2)
SIZES = np.array([5, 10, 20, 40])
CENTRE = np.array([[0.5, 0.52, 0.54, 0.55], [0.4, 0.5, 0.6, 0.7], [0.3, 0.3, 0.3, 0.3], [0.2, 0.2, 0.2, 0.2]])


def curves(n=2, metric="accuracy", names="abcd"):
    values = CENTRE[:n, :, None] + 0.03 * RNG.normal(size=(n, 4, 100))
    values = np.round(np.clip(values, 0, 1) * 200) / 200
    return LearningCurves(
        values=values[:, None], models=tuple(names[:n]), definitions={metric: definition(metric)}, sizes=SIZES.copy(),
        design="additive", test="fixed", n_rows=1000, n_test=200,
    )  # fmt: skip


def fills(ax):
    return [c for c in ax.collections if isinstance(c, FillBetweenPolyCollection)]


def test_a_fan_shows_the_mean_and_the_quantiles_of_each_model():
    made = curves()
    display = learning_fan(made).plot()
    ax = display.axes_["all"]
    for model in "ab":
        assert np.allclose(display.lines_[model].get_ydata(), made.mean()[model].estimate)
        heights = fills(ax)["ab".index(model)].get_paths()[0].vertices[:, 1]
        assert heights.min() == made.quantile(0.05)[model].estimate.min()
        assert heights.max() == made.quantile(0.95)[model].estimate.max()
    assert ax.get_xscale() == "log"
    assert "1000 rows" in display.caption


def test_many_models_have_a_panel_each_with_the_others_in_grey():
    display = learning_fan(curves(4)).plot()
    assert list(display.axes_) == list("abcd")
    greys = [line for line in display.axes_["a"].lines if to_hex(line.get_color()) == "#c8c8c8"]
    assert len(greys) == 3
    assert "Gray" in display.caption


def test_one_model_also_shows_its_middle_half():
    display = learning_fan(curves(1)).plot(ax=Figure().subplots())
    assert len(fills(display.axes_["all"])) == 2
    assert "middle half" in display.caption
    assert "9 in 10" in display.headline
    with pytest.raises(InputError, match="share"):
        learning_fan(curves(1), share=0.7)


def test_the_headline_says_when_mean_and_bad_runs_disagree():
    made = curves()
    values = made.values.copy()
    values[1, 0, -1, :10] = 0.0
    changed = replace(made, values=values)
    assert changed.mean()["b"].estimate[-1] > changed.mean()["a"].estimate[-1]
    assert "but a " in learning_fan(changed).headline
    assert "but a " not in learning_fan(made).headline


def test_where_scores_are_missing_nobody_is_said_to_lead():
    values = curves().values.copy()
    values[:, :, -1, 0] = np.nan
    gaps = replace(curves(), values=values)
    assert "best" not in learning_fan(gaps).headline
    display = leading(gaps.leaders())
    assert "no leader" in display.headline
    assert "thin: no score" in display.key
    assert {
        display.reach(cell) < display.half for cells in display.strips.values() for cell in cells if not cell.who
    } == {True}
    assert "equal" not in display.key
    none = replace(gaps, values=np.full_like(values, np.nan)).leaders()
    assert "nobody" in str(none["mean"])


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(("first", "last"), [(1, 1280), (20, 80), (22, 45), (2, 700_000), (5, 9), (100, 900)])
def test_every_range_of_sizes_has_two_numbers_on_its_axis_and_not_many(first, last, few):
    ticks = size_ticks(first, last, few=few)
    assert 2 <= len(ticks) <= 11
    assert all(first <= tick <= last for tick in ticks)


def test_a_single_size_is_drawn_as_points():
    made = curves(1)
    one = replace(made, values=made.values[:, :, :1], sizes=made.sizes[:1].copy())
    display = learning_fan(one).plot()
    assert display.lines_["a"].get_marker() == "o"
    assert "at 1 size," in display.caption
    assert [label.get_text() for label in display.axes_["all"].get_xticklabels()] == ["5"]


def test_slices_show_one_model_at_several_sizes_or_all_models_at_one():
    made = curves()
    one = slices(made, [5, 40], model="b").plot()
    assert one.labels == ("n = 5", "n = 40")
    assert len(fills(one.axes_["slices"])) == 2
    every = slices(made, [10]).plot()
    assert every.labels == ("a", "b")
    with pytest.raises(InputError, match="`model`"):
        slices(made, [5, 10])


def test_a_slice_with_two_modes_has_another_color_and_a_constant_one_is_a_line():
    values = curves(1).values.copy()
    values[0, 0, 0] = np.where(RNG.random(100) < 0.5, 0.2, 0.8) + RNG.integers(-4, 5, 100) / 200
    values[0, 0, 1] = 0.5
    display = slices(replace(curves(1), values=values), [5, 10, 20]).plot()
    assert to_hex(display.fills_["n = 5"].get_facecolor()[0]) == COLORS[1].lower()
    assert to_hex(display.fills_["n = 20"].get_facecolor()[0]) == COLORS[0].lower()
    assert display.fills_["n = 10"].get_xdata().tolist() == [0.5, 0.5]
    assert "n = 5" in display.headline


def test_leaders_are_full_color_only_where_certain():
    result = curves().leaders()
    display = leading(result).plot()
    mean = display.strips["mean"]
    assert [c.who for c in mean] == [one[0] for one in result["mean"].leaders]
    for cell, bar, contenders in zip(mean, display.bars_["mean"], result["mean"].contenders, strict=True):
        assert (bar.get_alpha() == 1.0) == (len(contenders) == 1) == cell.full
    assert display.headline.startswith("At n = 40: b leads by the mean")


def test_cells_of_a_strip_touch_and_hold_their_size():
    (cells, *_) = leading(curves().leaders()).strips.values()
    assert all(a.high == b.low for a, b in itertools.pairwise(cells))
    assert all(c.low < n < c.high for c, n in zip(cells, SIZES, strict=True))


def test_normality_is_drawn_plain_and_tie_aware():
    result = curves(1).normality()
    display = normality_strips(result).plot()
    assert list(display.strips) == ["a", "a, tie-aware"]
    for j, cell in enumerate(display.strips["a, tie-aware"]):
        assert cell.color == (REJECTED if result.lattice[0, j] < 0.05 else NORMAL)
    plain = normality_strips(curves(1, "auc").normality()).plot()
    assert list(plain.strips) == ["a"]
    assert "Tie-aware" not in plain.caption


def test_names_stay_text(tmp_path: Path):
    made = curves(2, names=["$a$ </script>", "b"])
    for display in (
        learning_fan(made),
        leading(made.leaders()),
        slices(made, [10]),
        normality_strips(made.normality()),
    ):
        assert b"<script" not in display.save(tmp_path / "p.svg").read_bytes()


def test_a_headline_claims_no_lead_where_scores_are_missing_or_equal():
    made = curves()
    values = made.values.copy()
    values[:, :, -1, 0] = np.nan
    assert "missing" in learning_fan(replace(made, values=values.copy())).headline
    values[:, :, -1] = 0.5
    for equal in (values, made.values[[0, 0]]):
        assert "a and b have the same" in learning_fan(replace(made, values=equal)).headline
