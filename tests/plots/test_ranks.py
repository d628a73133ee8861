"""The chart of ranks: its data and its artists, never its pixels."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import ogive
from ogive.plots import ranks
from ogive.plots._ranks import HALF_BAR

RNG = np.random.default_rng(4)
FOUND = ogive.rank(
    ogive.read({f"m{i}": RNG.normal(m, 1, 30) for i, m in enumerate((0.0, 0.1, 3.0, 6.0))}, unit="row", varied="seed")
)


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_bars_span_the_ranks_that_the_data_allow():
    display = ranks(FOUND).plot()
    assert tuple(display.bars_) == tuple(r.algorithm for r in FOUND.rows)
    for row in FOUND.rows:
        bar = display.bars_[row.algorithm]
        span = (bar.get_x() + HALF_BAR, bar.get_x() + bar.get_width() - HALF_BAR)
        assert span == pytest.approx((row.rank_low, row.rank_high))


def test_a_single_rank_is_still_a_bar():
    display = ranks(FOUND).plot()
    alone = [r for r in FOUND.rows if r.rank_low == r.rank_high]
    assert alone
    assert all(display.bars_[r.algorithm].get_width() == pytest.approx(2 * HALF_BAR) for r in alone)


def test_tiers_and_the_chance_to_be_first_stand_beside():
    shown = texts(ranks(FOUND).plot().axes_["ranks"])
    assert {"tier", "P(first)", "mean"} <= set(shown)
    assert {str(r.tier) for r in FOUND.rows} <= set(shown)
    assert "100 %" in shown


def test_the_headline_names_who_cannot_be_told_apart():
    assert ranks(FOUND).headline == "m3 leads, apart from all others"
    close = ogive.rank(ogive.read({n: RNG.normal(0, 1, 8) for n in "abcdef"}, unit="row"))
    assert ranks(close).headline.endswith("leads; 5 others cannot be told apart from it")
    assert "6 of 6 methods could stand at more than one rank" in ranks(close).caption


def test_a_given_axis_is_drawn_into_and_names_stay_text(tmp_path: Path):
    name = "</script>; $x$ <img src=x onerror=alert(1)>"
    found = ogive.rank(ogive.read({name: RNG.normal(size=9), "b": RNG.normal(size=9)}, unit="row"))
    ax = Figure().subplots()
    display = ranks(found).plot(ax=ax)
    assert display.axes_ == {"ranks": ax}
    assert b"<script" not in ranks(found).save(tmp_path / "p.svg").read_bytes()
