"""The picture of all runs: its data and its artists, never its pixels."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend

import ogive
from ogive.errors import InputError, InvalidConfidence
from ogive.plots._distribution import in_thousands

RNG = np.random.default_rng(3)
MANY = RNG.normal(size=40)


def drawn(trials: ogive.Trials, **options):
    return ogive.plots.distribution(trials, **options).plot()


def fills(ax) -> list:
    """Shades where the runs limit both sides; paler ones stand at the ends."""
    found = [c for c in ax.collections if isinstance(c, FillBetweenPolyCollection)]
    return [c for c in found if c.get_alpha() in (0.12, 0.22)]


def marks(ax, marker: str) -> list:
    return [line for line in ax.lines if line.get_marker() == marker]


def all_texts(figure) -> set[str]:
    return {t.get_text() for t in figure.findobj(lambda a: hasattr(a, "get_text"))}


def test_the_line_runs_through_the_sorted_scores_worst_to_best():
    display = drawn(ogive.read({"a": MANY}))
    line = display.lines_["all", "a"]
    shares, scores = line.get_xdata(), line.get_ydata()
    np.testing.assert_array_equal(scores, np.repeat(np.sort(MANY), 2))
    np.testing.assert_allclose(shares, np.repeat(np.arange(41) / 40, 2)[1:-1])


def test_for_losses_the_line_starts_with_the_largest():
    line = drawn(ogive.read({"a": MANY}, goal="minimize")).lines_["all", "a"]
    np.testing.assert_array_equal(line.get_ydata(), np.repeat(np.sort(MANY)[::-1], 2))
    assert np.all(np.diff(line.get_xdata()) >= 0)
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_cdf_has_scores_across_and_shares_up_for_either_goal(goal):
    line = drawn(ogive.read({"a": MANY}, goal=goal), kind="cdf").lines_["all", "a"]
    np.testing.assert_array_equal(line.get_xdata(), np.repeat(np.sort(MANY), 2))
    np.testing.assert_allclose(line.get_ydata(), np.repeat(np.arange(41) / 40, 2)[1:-1])


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_shade_is_the_band_of_the_quantiles(goal):
    display = drawn(ogive.read({"a": MANY}, goal=goal))
    ax = display.axes_["all"]
    (fill,) = fills(ax)
    corners = fill.get_paths()[0].vertices
    band = display.bands[0].band
    for p in (0.22, 0.333, 0.5, 0.77):
        expected = band.quantile(p)
        at = p if goal == "maximize" else 1 - p
        assert _heights(corners, at) == pytest.approx((expected.low, expected.high))
    ends = sorted(p if goal == "maximize" else 1 - p for p in (corners[:, 0].min(), corners[:, 0].max()))
    assert not np.isfinite(band.quantile(ends[0] - 1e-6).low)
    assert not np.isfinite(band.quantile(ends[1] + 1e-6).high)


def _heights(corners: np.ndarray, x: float) -> tuple[float, float]:
    """Where a vertical line at x enters and leaves a polygon of steps."""
    start, end = corners[:-1], corners[1:]
    crossed = (np.minimum(start[:, 0], end[:, 0]) < x) & (np.maximum(start[:, 0], end[:, 0]) > x)
    y = start[crossed, 1]
    return float(y.min()), float(y.max())


def test_few_runs_are_dots_without_a_band():
    display = drawn(ogive.read({"a": MANY[:8], "b": MANY}))
    ax = display.axes_["all"]
    assert len(fills(ax)) == 1
    (dots,) = marks(ax, "o")
    np.testing.assert_array_equal(dots.get_ydata(), np.sort(MANY[:8]))
    np.testing.assert_allclose(dots.get_xdata(), (np.arange(8) + 0.5) / 8)
    assert "20 runs" in display.caption
    assert "Shaded" in display.caption


def test_a_picture_of_few_runs_does_not_speak_of_a_shade():
    display = drawn(ogive.read({"a": MANY[:8]}))
    assert not fills(display.axes_["all"])
    assert "Shaded" not in display.caption
    assert "No bands" not in display.caption


@pytest.mark.parametrize(("goal", "edge"), [("maximize", 0), ("minimize", 1)])
def test_failed_runs_stand_before_the_worst_run(goal, edge):
    display = drawn(ogive.read({"a": [*MANY, *[np.nan] * 10]}, goal=goal))
    ax = display.axes_["all"]
    (crosses,) = marks(ax, "x")
    assert crosses.get_xdata().size == 10
    assert (crosses.get_xdata()[0], crosses.get_xdata()[-1]) == pytest.approx((0.01, 0.19))
    (height,) = set(crosses.get_ydata())
    worst = min(MANY) if goal == "maximize" else max(MANY)
    assert min(worst, ax.get_ylim()[edge]) < height < max(worst, ax.get_ylim()[edge])
    assert display.lines_["all", "a"].get_xdata()[0] == pytest.approx(0.2)
    assert any("10 of 50" in text for text in all_texts(display.figure_))


def test_crosses_of_two_methods_stand_apart_within_the_picture():
    display = drawn(ogive.read({"a": [*MANY, np.nan], "b": [*MANY, np.nan, np.nan]}))
    ax = display.axes_["all"]
    heights = [set(crosses.get_ydata()).pop() for crosses in marks(ax, "x")]
    assert ax.get_ylim()[0] < heights[1] < heights[0] < min(MANY)
    assert all(crosses.get_markeredgewidth() >= 1.5 for crosses in marks(ax, "x"))


def test_the_picture_of_shares_has_no_room_for_crosses():
    ax = drawn(ogive.read({"a": [*MANY, np.nan]}), kind="cdf").axes_["all"]
    assert not marks(ax, "x")
    assert ax.get_xlim() == pytest.approx((min(MANY) - 0.05 * np.ptp(MANY), max(MANY) + 0.05 * np.ptp(MANY)))


def test_the_legend_shows_dots_where_a_method_has_them_and_room_for_dashes():
    display = drawn(ogive.read({"few": MANY[:8], "many": MANY}))
    (legend,) = display.figure_.findobj(Legend)
    markers = {line.get_label().split(" ")[0]: line.get_marker() for line in legend.get_lines()}
    assert (markers["few"], markers["many"]) == ("o", "")
    assert legend.handlelength >= 3


def test_small_panels_write_shares_and_large_scores_in_few_letters():
    display = drawn(ogive.read({"a": {"x": 60_000 + 40_000 * MANY, "y": MANY}}))
    display.figure_.canvas.draw()
    assert [t.get_text() for t in display.axes_["x"].get_xticklabels()] == ["0", "50", "100"]
    assert any("in %" in text for text in all_texts(display.figure_))
    shown = [t.get_text() for t in display.axes_["x"].get_yticklabels()]
    assert all(len(text) <= 5 for text in shown)
    assert any(text.endswith("k") for text in shown)
    assert not any(t.get_text().endswith("k") for t in display.axes_["y"].get_yticklabels())


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (-1000, "-1k"), (12_500, "12.5k"), (3e6, "3M"), (2e9, "2G"), (400, "400")]
)
def test_thousands_are_letters(value, shown):
    assert in_thousands(value) == shown


def test_a_method_that_failed_on_many_tasks_is_named_once():
    samples = {"a": {f"t{i}": [np.nan] * 3 for i in range(12)}, "b": {f"t{i}": MANY for i in range(12)}}
    caption = ogive.plots.distribution(ogive.read(samples)).caption
    assert caption.count("a on ") == 1
    assert "12 tasks (36 failed)" in caption


def test_failed_runs_of_few_shift_the_dots():
    display = drawn(ogive.read({"a": [0.1, 0.2, np.nan, np.nan]}))
    (dots,) = marks(display.axes_["all"], "o")
    np.testing.assert_allclose(dots.get_xdata(), [0.625, 0.875])


def test_failures_of_clustered_rows_are_left_out_and_said():
    table = pd.DataFrame({"score": [0.1, 0.2, np.nan, 0.4, 0.5, 0.6], "lr": [1, 1, 2, 2, 3, 3]})
    display = drawn(ogive.read(table, params=["lr"], unit="configuration"))
    (dots,) = marks(display.axes_["all"], "o")
    assert dots.get_xdata().max() < 1.0
    assert "left out" in display.caption


@pytest.mark.parametrize(("goal", "end"), [("maximize", 0), ("minimize", -1)])
def test_the_cdf_keeps_a_place_for_failed_runs(goal, end):
    display = drawn(ogive.read({"a": [*MANY, *[np.nan] * 10], "b": MANY}, goal=goal), kind="cdf")
    share = display.lines_["all", "a"].get_ydata()[end]
    assert share == pytest.approx(0.2 if goal == "maximize" else 0.8)


def clustered_failures(method: str = "b") -> ogive.Trials:
    """Two methods with 24 configurations of two rows; three rows of one of them, or of both, failed."""
    table = pd.DataFrame({"method": np.repeat(["a", "b"], 48), "lr": np.tile(np.repeat(np.arange(24), 2), 2)})
    table["score"] = np.random.default_rng(1).normal(size=96)
    for name in method:
        table.loc[table.index[table["method"] == name][:3], "score"] = np.nan
    return ogive.read(table, params=["lr"], unit="configuration")


@pytest.mark.parametrize("kind", ["quantile", "cdf"])
def test_a_curve_without_a_band_beside_one_with_a_band_says_why(kind):
    display = drawn(clustered_failures(), kind=kind)
    assert len(fills(display.axes_["all"])) == 1
    assert "b on all (3 failed)" in display.caption
    assert not fills(drawn(clustered_failures("ab"), kind=kind).axes_["all"])


def test_a_method_without_any_usable_run_is_said():
    display = drawn(ogive.read({"a": [np.nan] * 5, "b": MANY}))
    assert display.methods == ("b",)
    assert "a on all (5 failed)" in display.caption


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"independent": False}, "adaptive sampler"), ({"fold": "fold"}, "share folds"), ({"repeat": "seed"}, "not independent")],
)  # fmt: skip
def test_without_independence_there_is_no_band_and_the_caption_says_why(options, reason):
    columns = {"score": MANY, **({"fold": range(40)} if "fold" in options else {"seed": [0, 0, *range(38)]})}
    if "independent" in options:
        columns = {"score": MANY}
    display = drawn(ogive.read(pd.DataFrame(columns), **options))
    assert display.bands[0].band is None
    assert not fills(display.axes_["all"])
    assert "No bands: " in display.caption
    assert reason in display.caption


def test_a_given_axis_is_drawn_into():
    figure = Figure()
    ax = figure.subplots()
    display = ogive.plots.distribution(ogive.read({"a": MANY, "b": MANY + 1})).plot(ax=ax)
    assert display.axes_ == {"all": ax}
    assert display.figure_ is figure
    assert len(fills(ax)) == 2


def test_one_axis_cannot_hold_several_tasks():
    display = ogive.plots.distribution(ogive.read({"a": {"x": MANY, "y": MANY}}))
    with pytest.raises(InputError, match=r"`ax`.*2"):
        display.plot(ax=Figure().subplots())
    assert tuple(display.plot().axes_) == ("x", "y")


def test_drawing_leaves_no_open_figure_and_no_changed_setting_behind():
    before = dict(plt.rcParams)
    drawn(ogive.read({"a": MANY}))
    assert plt.get_fignums() == []
    assert dict(plt.rcParams) == before


@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg", ".PNG"])
def test_the_ending_decides_the_format(tmp_path: Path, ending):
    path = ogive.plots.distribution(ogive.read({"a": MANY})).save(tmp_path / f"p{ending}", dpi=40)
    marks_of = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
    assert path.read_bytes().startswith(marks_of[ending.lower()])


@pytest.mark.parametrize("name", ["p", "p.txt", "p.exe", ".png"])
def test_other_endings_are_refused(tmp_path: Path, name):
    with pytest.raises(InputError, match=r"must end.*\.png"):
        ogive.plots.distribution(ogive.read({"a": MANY})).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


NAMES = ("a$b$c", "$", "<script>", "_hidden", "日本 🙂", "été", r"\frac{", "x_1^2", "100%")


@pytest.mark.parametrize(
    "samples", [dict.fromkeys(NAMES, MANY), {"a": dict.fromkeys(NAMES, MANY)}], ids=["methods", "tasks"]
)
def test_names_stay_text(tmp_path: Path, samples):
    display = ogive.plots.distribution(ogive.read(samples))
    display.save(tmp_path / "p.svg")
    texts = all_texts(display.figure_)
    assert all(name in texts for name in NAMES)
    assert all(
        not t.get_parse_math()
        for t in display.figure_.findobj(lambda a: hasattr(a, "get_parse_math"))
        if "$" in t.get_text()
    )
    assert b"<script" not in (tmp_path / "p.svg").read_bytes()


def test_long_names_are_clipped_and_control_characters_are_not_drawn(tmp_path: Path):
    display = ogive.plots.distribution(ogive.read({"n" * 500: {"t" * 500: MANY, "\x1b[31m": MANY}}))
    display.save(tmp_path / "p.png", dpi=40)
    texts = all_texts(display.figure_)
    assert "t" * 39 + "…" in texts
    assert "n" * 59 + "…" in texts
    assert not any("\x1b" in t for t in texts)


def test_questions_that_make_no_sense_are_refused():
    trials = ogive.read({"a": MANY})
    with pytest.raises(InputError, match=r"`kind`.*'pdf'"):
        ogive.plots.distribution(trials, kind="pdf")
    with pytest.raises(InputError, match=r"`metric`.*'auc'"):
        ogive.plots.distribution(trials, metric="auc")
    with pytest.raises(InputError, match=r"`method`.*'bootstrap'"):
        ogive.plots.distribution(trials, method="bootstrap")
    with pytest.raises(InvalidConfidence):
        ogive.plots.distribution(ogive.read({"a": MANY}, independent=False), confidence=95)
    with pytest.raises(InputError, match="drawn yet"):
        _ = ogive.plots.distribution(trials).figure_


def test_each_of_many_tasks_has_a_panel_with_bands_for_methods_with_many_runs():
    """As in published tables of games: five agents with many runs, three with few."""
    games = [f"game {i}" for i in range(26)]
    display = drawn(ogive.read({f"m{i}": dict.fromkeys(games, MANY[: 30 if i < 5 else 5] + i) for i in range(8)}))
    assert len(display.lines_) == 26 * 8
    assert all(len(fills(ax)) == 5 for ax in display.axes_.values())
    assert [ax.get_title() for ax in display.axes_.values()] == games


def test_a_notebook_shows_the_picture():
    shown = ogive.plots.distribution(ogive.read({"a": [1.0, 2.0, 3.0]}, unit="row"))._repr_png_()
    assert shown.startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["quantile", "cdf"])
@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_no_run_stands_outside_the_shade_of_its_own_method(kind, goal):
    scores = np.random.default_rng(0).normal(size=40)
    display = drawn(ogive.read({"a": scores}, goal=goal, unit="row"), kind=kind)
    (ax,) = display.axes_.values()
    shade = [path for found in ax.collections for path in found.get_paths()]
    (line,) = display.lines_.values()
    corners = line.get_xydata()
    middles = (corners[1:] + corners[:-1]) / 2
    assert all(any(path.contains_point(point, radius=1e-9) for path in shade) for point in middles)


@pytest.mark.parametrize(
    ("rule", "failed", "worst", "said"),
    [
        (None, 1, 0.7, "counted as worse than every score"),
        ("worst", 1, 0.7, "counted as worse than every score"),
        ("exclude", 0, 0.7, "1 run failed and is left out."),
        ("0.2", 0, 0.2, "1 run failed and counts as 0.2."),
        ("like:b", 0, 0.7, "1 run failed and has the score of b."),
    ],
)
def test_a_picture_counts_failed_runs_as_it_is_told_and_says_how(rule, failed, worst, said):
    trials = ogive.read({"a": [0.9, 0.8, 0.7, float("nan")], "b": [0.8, 0.85, 0.7, 0.75]}, unit="row")
    display = ogive.plots.distribution(trials, failures=rule)
    cell = display.bands[0]
    assert said in display.caption
    assert display.caption.count("failed") == 1
    assert cell.n_failed == failed
    assert min(cell.estimate.points[np.isfinite(cell.estimate.points)]) == worst
