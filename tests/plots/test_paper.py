"""Pictures for a paper: a width that was asked for, words or none, fonts that a publisher takes, nothing cut."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.text import Text

import ogive
from ogive import plots, profiles
from ogive.algorithms import Algorithm, Series
from ogive.curves import learning_curves
from ogive.errors import InputError
from ogive.plots import Drawable, as_width
from ogive.progress import fan, over_training
from ogive.spaces import uniform
from ogive.study import Study
from ogive.tasks import none

LONG = "a method with quite a long name, of a kind"
READABLE = 6.0  # points


def learner(config, rng):
    """A run with a curve."""
    curve = config["x"] + np.arange(6.0) + rng.random()
    return {"loss": float(curve.mean()), "curve": Series(curve)}


@cache
def everything() -> dict[str, Drawable]:
    """One of every Display, with names that need room."""
    rng = np.random.default_rng(0)
    rows = [
        {"model": m, "task": t, "score": rng.normal(0.7 + 0.05 * i, 0.1), "C": rng.uniform(), "kernel": rng.choice(["linear", "rbf"])}
        for i, m in enumerate(("SVM", "random forest", LONG)) for t in ("moons", "circles") for _ in range(25)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    trials = ogive.read(frame.drop(columns=["C", "kernel"]), unit="row")
    one = trials.select(tasks=["moons"])
    searched = ogive.read(
        frame[(frame.model == "SVM") & (frame.task == "moons")], score="score", params=["C", "kernel"], unit="row"
    )
    ranking = ogive.rank(trials)
    times = {m: np.exp(rng.normal(i, 1.0, 15)).tolist() for i, m in enumerate(("one", "two", LONG))}
    profile = profiles.performance_profile(times, goal="minimize")
    scores = {m: rng.normal(0.5, 0.2, (4, 5)).tolist() for m in ("one", LONG)}
    X = rng.normal(size=(60, 2)) + rng.integers(0, 2, 60)[:, None]
    curves = learning_curves(
        ["nmc", "lda", "knn", "tree"],
        X,
        (X.sum(axis=1) > 1).astype(int),
        n_repetitions=20,
        sizes=[10, 20, 40],
        workers=0,
    )
    trained = ogive.read(pd.DataFrame([
        {"agent": a, "seed": s, "step": 1000 * k, "return": k * (1 + s / 9) + rng.normal()}
        for a in ("SAC", "TD3", LONG) for s in range(4) for k in range(6)
    ]))  # fmt: skip
    study = Study("tuned", [Algorithm(LONG, learner, {"x": uniform(0, 10)}, metrics={"loss": "minimize"})], none())
    sliced_of = ogive.run(study, 30, workers=0, progress=False)
    sliced = ogive.run(study.at_percentiles(sliced_of, [1, 50, 99]), 10, workers=0, progress=False)
    return {
        "distribution": plots.distribution(trials), "one distribution": plots.distribution(one, kind="cdf"),
        "best_of": plots.best_of(trials), "difference": plots.difference(one, "SVM", LONG), "pairs": plots.pairs(ranking),
        "ranks": plots.ranks(ranking), "intervals": plots.intervals(ogive.summarize(trials, statistics=["mean"])),
        "sources": plots.sources(ogive.sources(searched)), "planning": plots.planning(ogive.plan("improvement", difference=0.15)),
        "profile": plots.profile(profile), "profile_pairs": plots.profile_pairs(profile),
        "falling profile": plots.profile(profiles.performance_profile(scores, "score")),
        "critical_difference": plots.critical_difference(profiles.average_ranks(times, goal="minimize")),
        "aggregates": plots.aggregates(profiles.aggregates(scores, n_resamples=100)),
        "learning_fan": plots.learning_fan(curves), "one learning_fan": plots.learning_fan(curves, models=["lda"]),
        "leading": plots.leading(curves.leaders()), "slices": plots.slices(curves),
        "normality_strips": plots.normality_strips(curves.normality()),
        "progress": plots.progress(over_training(trained)), "progress_fan": plots.progress_fan(fan(trained)),
        "percentiles": plots.percentiles(sliced_of, sliced),
    }  # fmt: skip


NAMES = (
    "distribution", "one distribution", "best_of", "difference", "pairs", "ranks", "intervals", "sources", "planning", "profile",
    "profile_pairs", "falling profile", "critical_difference", "aggregates", "learning_fan", "one learning_fan", "leading",
    "slices", "normality_strips", "progress", "progress_fan", "percentiles",
)  # fmt: skip


def test_every_display_is_tried_here():
    made = {type(display).__name__ for display in everything().values()}
    assert tuple(everything()) == NAMES
    assert made == {name for name in plots.__all__ if name.endswith("Display")}


@pytest.mark.parametrize("width", ["3.25in", pytest.param("6.75in", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_at_the_width_of_a_column_nothing_is_cut_or_covered_and_type_stays_readable(name, width):
    display = everything()[name]
    figure = display.plot(width=width).figure_
    figure.canvas.draw()
    assert figure.get_figwidth() == as_width(width)
    unseen = {text for ax in figure.axes for text in (ax.findobj(Text) if not ax.get_visible() else _ticks_beyond(ax))}
    words = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in unseen]
    assert words
    assert min(t.get_fontsize() for t in words) >= READABLE
    page = figure.bbox
    for text in words:
        box = text.get_window_extent()
        inside = box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1 and box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1
        assert inside, (text.get_text(), box.extents, page.extents)
    panels = [ax.patch.get_window_extent() for ax in display.axes_.values()]
    for legend in figure.findobj(Legend):
        box = legend.get_window_extent()
        assert not any(box.shrunk(0.98, 0.98).overlaps(panel.shrunk(0.98, 0.98)) for panel in panels)


def test_words_around_a_picture_can_be_left_out():
    display = everything()["profile"]
    assert isinstance(display, plots.ProfileDisplay)

    def words(**asked: bool) -> str:
        return " ".join(" ".join(t.get_text().split()) for t in display.plot(**asked).figure_.findobj(Text))  # type: ignore[attr-defined]

    assert display.headline in words()
    assert display.caption[:40] in words()
    assert display.headline not in words(title=False)
    assert display.caption[:40] not in words(caption=False)
    heights = [
        display.plot(title=t, caption=c).figure_.get_figheight()
        for t, c in ((True, True), (False, True), (False, False))
    ]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3


def test_a_pdf_holds_truetype_and_no_type_3_font(tmp_path: Path):
    display = everything()["ranks"]
    with mpl.rc_context({"pdf.compression": 0}):
        content = display.save(tmp_path / "ranks.pdf").read_bytes()
    assert b"/Type3" not in content.replace(b" ", b"")
    assert b"/FontFile2" in content
    written = display.save(tmp_path / "ranks.eps").read_text("latin-1")
    assert "/FontType 42 def" in written
    assert "/FontType 3 def" not in written


def test_postscript_shows_bands_as_pale_as_they_are(tmp_path: Path, recwarn):
    text = everything()["profile"].save(tmp_path / "profile.eps").read_text("latin-1")
    assert not [w for w in recwarn if "transparency" in str(w.message)]
    fills = {tuple(map(float, rgb)) for rgb in re.findall(r"^([\d.]+) ([\d.]+) ([\d.]+) setrgbcolor$", text, re.M)}
    assert any(min(rgb) > 0.8 and rgb != (1.0, 1.0, 1.0) for rgb in fills)


def test_words_in_an_svg_are_words(tmp_path: Path):
    written = everything()["ranks"].save(tmp_path / "ranks.svg").read_text(encoding="utf-8")
    assert ">rank (1 is best)</text>" in written


def test_a_width_in_pixels_gives_so_many(tmp_path: Path):
    from PIL import Image

    with Image.open(everything()["ranks"].save(tmp_path / "ranks.png", width="500px")) as picture:
        assert picture.size[0] == 500


@pytest.mark.parametrize("width", ["wide", "3.25inch", "-3in", "0.5in", "4m", "nan", "100in", ""])
def test_a_width_that_is_none_is_refused_in_a_sentence(width):
    with pytest.raises(InputError, match="`width` must"):
        everything()["ranks"].plot(width=width)


def test_axes_of_the_caller_have_a_width_already():
    from matplotlib.figure import Figure

    with pytest.raises(InputError, match="`ax` has a width already"):
        everything()["ranks"].plot(Figure().subplots(), width=3)


def test_a_matrix_that_is_too_narrow_for_numbers_shows_signs_and_says_so():
    display = everything()["pairs"]
    shown = {t.get_text() for t in display.plot(width="3.25in").figure_.findobj(Text)}
    assert "?" in shown or "+" in shown
    assert any("+ where the row" in " ".join(text.split()) for text in shown)
    assert not any(
        "+ where the row" in " ".join(t.get_text().split()) for t in display.plot(width="6.75in").figure_.findobj(Text)
    )


def test_a_matrix_of_many_methods_says_how_wide_it_must_be():
    trials = ogive.read({f"m{i}": [float(i), i + 1.0, i + 0.5] for i in range(30)}, unit="row")
    with pytest.raises(InputError, match=r"at least 4\.3 inches for 30 methods"):
        plots.pairs(ogive.rank(trials)).plot(width="3.25in")


def _ticks_beyond(axes: Axes) -> set[Text]:
    """Labels of ticks that lie beyond the ends of their axis, which are not drawn."""
    found = set()
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if not low <= tick.get_loc() <= high:
                found |= {tick.label1, tick.label2}
    return found


def test_a_drawing_that_is_refused_leaves_the_last_one():
    runs = {"a": {"x": [0.1, 0.4, 0.3], "y": [0.5, 0.9, 0.7]}, "b": {"x": [0.2, 0.2, 0.1], "y": [0.6, 0.5, 0.4]}}
    display = plots.aggregates(profiles.aggregates(runs)).plot()
    drawn, figure = dict(display.axes_), display.figure_
    with pytest.raises(InputError, match="`ax` can hold one statistic"):
        display.plot(next(iter(drawn.values())))
    assert display.axes_ == drawn
    assert display.figure_ is figure


def test_a_statistic_named_twice_has_one_panel():
    runs = {"a": {"x": [0.1, 0.4, 0.3], "y": [0.5, 0.9, 0.7]}, "b": {"x": [0.2, 0.2, 0.1], "y": [0.6, 0.5, 0.4]}}
    display = plots.aggregates(profiles.aggregates(runs, statistics=["mean", "mean"])).plot()
    assert [panel.get_visible() for panel in display.figure_.axes] == [True]
