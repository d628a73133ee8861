"""The chart of ranks: its data and its artists, never its pixels."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

import ogive
from ogive.answers import Rank
from ogive.plots import ranks
from ogive.plots._ranks import HALF_BAR, headline
from ogive.words import number

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


def test_tiers_and_scores_stand_beside():
    display = ranks(FOUND)
    shown = texts(display.plot().axes_["ranks"])
    assert "tier" in shown
    assert display.statistic in [text.replace("\n", " ") for text in shown]
    assert {str(r.tier) for r in FOUND.rows} <= set(shown)
    assert {number(r.score) for r in FOUND.rows} <= set(shown)


def test_headings_of_columns_do_not_overlap():
    samples = {n: {t: RNG.normal(size=8) for t in "xy"} for n in "abc"}
    ax = ranks(ogive.rank(ogive.read(samples, unit="row"))).plot().axes_["ranks"]
    ax.figure.canvas.draw()
    tier, score = (t.get_window_extent() for t in ax.texts if t.get_text().startswith(("tier", "share")))
    assert tier.x1 < score.x0
    assert score.width < ax.get_window_extent().width / 4


@pytest.mark.parametrize(
    ("methods", "begins"), [("c", "c is certainly"), ("be", "e and b share"), ("abcde", "5 methods share"), ("abcdef", "No method")]
)  # fmt: skip
def test_the_headline_says_who_leads_and_whom_it_is_certainly_better_than(methods, begins):
    rng = np.random.default_rng(5)
    samples = {m: rng.normal(9.0 if m in methods else 0.0, 1, 30) for m in "abcdef"}
    found = ogive.rank(ogive.read(samples, unit="row"))
    assert set(found.leaders) == set(methods)
    assert ranks(found).headline.startswith(begins)


def test_one_that_is_not_certainly_better_than_each_only_leads():
    """Alone in the first tier, since another method is certainly better than `c`, and yet not apart from `c` itself."""
    rows = [
        Rank(algorithm=m, score=s, rank_low=1, rank_high=3, tier=t)
        for m, s, t in (("a", 3, 1), ("b", 2, 2), ("c", 1, 2))
    ]
    known = SimpleNamespace(leaders=("a",), rows=rows, pair=lambda a, b: SimpleNamespace(certain=int(b == "b")))
    assert headline(known).startswith("a leads")


def test_the_caption_counts_open_ranks_and_looks():
    close = ogive.rank(ogive.read({n: RNG.normal(0, 1, 8) for n in "abcdef"}, unit="row"), looks=3)
    assert "6 of 6" in ranks(close).caption
    assert "15 pairs together at 3 looks" in ranks(close).caption


def test_a_given_axis_is_drawn_into_and_names_stay_text(tmp_path: Path):
    name = "</script>; $x$ <img src=x onerror=alert(1)>"
    found = ogive.rank(ogive.read({name: RNG.normal(size=9), "b": RNG.normal(size=9)}, unit="row"))
    ax = Figure().subplots()
    display = ranks(found).plot(ax=ax)
    assert display.axes_ == {"ranks": ax}
    assert b"<script" not in ranks(found).save(tmp_path / "p.svg").read_bytes()
