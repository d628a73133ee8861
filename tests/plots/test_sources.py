"""Where the spread comes from, drawn: data and artists, never pixels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers import sources as ask
from ogive.errors import InputError
from ogive.plots import sources

EVERY_TEN = {"config": {"every": 10}}


def table(n_configs=60, n_parameters=3):
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(n_configs), 10)
    columns = {f"x{j}": np.exp(rng.uniform(-3, 3, n_configs))[of] for j in range(n_parameters - 1)}
    columns["kind"] = rng.choice(["a", "b$x$"], n_configs)[of]
    score = (columns["kind"] == "a") + np.log(columns["x0"]) / 3 + 0.2 * rng.normal(size=of.size)
    data = pd.DataFrame({"model": "<m>", "run": np.arange(of.size), **columns, "score": score})
    names = list(columns)
    return ogive.read(data, score="score", algorithm="model", repeat="run", params=names, unit="configuration", varied=["configuration", "seed"])  # fmt: skip


def test_every_parameter_has_a_panel_with_median_and_worst_runs():
    found = ask(table(), holds=EVERY_TEN)
    display = sources(found).plot()
    assert set(display.axes_) == {"shares", "x0", "x1", "kind"}
    for e in found.cell().effects:
        for kind, values in (("median", [b.median for b in e.bins]), ("worst", [b.worst for b in e.bins])):
            assert np.array_equal(display.lines_[e.parameter, kind].get_ydata(), [v.estimate for v in values])
    assert display.axes_["x0"].get_xscale() == "log"


def test_the_bar_is_made_of_the_shares():
    found = ask(table(), holds=EVERY_TEN).cell()
    display = sources(table(), holds=EVERY_TEN).plot()
    widths = {name: bar[0].get_width() / 100 for name, bar in display.bars_.items()}
    assert widths == pytest.approx({c.name: c.share.estimate for c in found.shares.components})
    assert sum(widths.values()) == pytest.approx(1.0)


def test_without_shares_the_caption_names_the_missing_runs():
    display = sources(table(), holds={}).plot()
    assert "shares" not in display.axes_
    assert "study.hold(config=ogive.study.every(10))" in display.caption


def test_the_headline_says_what_is_seen():
    display = sources(table(), holds=EVERY_TEN)
    assert "of the variance comes from configuration" in display.headline
    assert "explains most" in display.headline


def test_many_parameters_show_those_that_explain_most():
    display = sources(table(200, n_parameters=9), holds=EVERY_TEN)
    assert len(display.effects) == 6
    assert "not drawn" in display.caption


def test_one_panel_can_be_drawn_into_an_axes():
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    display = sources(table(), holds=EVERY_TEN).plot(ax)
    assert list(display.axes_.values()) == [ax]
    assert display.lines_


def test_shares_alone_are_drawn_where_there_are_no_parameters(tmp_path: Path):
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"split": np.repeat(range(10), 5), "score": rng.normal(size=50)})
    display = sources(ogive.read(data, score="score", group="split", varied=["split", "seed"]))
    assert display.save(tmp_path / "a.png").stat().st_size > 0
    assert set(display.axes_) == {"shares"}
    with pytest.raises(InputError, match="no parameter"):
        display.plot(new_axes())


def new_axes():
    from matplotlib.figure import Figure

    return Figure().subplots()


def test_nothing_to_draw_is_refused_with_the_reason():
    with pytest.raises(InputError, match=r"nothing to draw\. Where the spread of a"):
        sources(ogive.read({"a": [1.0, 2, 3, 4]}, unit="row"))


def test_pictures_of_every_kind_are_written(tmp_path: Path):
    display = sources(table(), holds=EVERY_TEN)
    for ending in ("png", "svg"):
        assert display.save(tmp_path / f"a.{ending}", dpi=50).stat().st_size > 0
