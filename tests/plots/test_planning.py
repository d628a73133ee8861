"""The picture of a plan: its data and its artists, never its pixels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from ogive.answers import plan
from ogive.errors import InputError
from ogive.plots import PlanDisplay, planning


@pytest.fixture
def display() -> PlanDisplay:
    return planning(plan("band", half_width=0.1, method="dkw"))


def test_the_line_is_what_each_number_of_trials_achieves(display):
    line = display.plot().artists_["width"]
    assert list(line.get_xdata()) == [row.n_trials for row in display.rows]
    assert list(line.get_ydata()) == [row.achieved_width for row in display.rows]
    assert 185 in line.get_xdata()
    assert np.all(np.diff(line.get_ydata()) < 0)


def test_the_plan_and_its_target_are_marked(display):
    artists = display.plot().artists_
    assert artists["plan"].get_xydata().tolist() == [[185, display.achieved_width]]
    assert set(artists["target"].get_ydata()) == {0.1}


def test_the_reverse_question_has_no_target_line():
    display = planning(plan("improvement", n_trials=100)).plot()
    assert "target" not in display.artists_
    assert display.labels == ("number of trials in all", "smallest |P(A beats B) − 1/2| seen with 80 % power")


def test_numbers_that_achieve_nothing_are_not_drawn():
    rows = planning(plan("quantile", p=0.99, half_width=0.5)).rows
    assert rows[0].n_trials >= 368


def test_it_draws_into_a_given_axis_and_as_often_as_asked(display):
    figure, ax = plt.subplots()
    assert display.plot(ax=ax).figure_ is figure
    assert display.plot(ax=ax).artists_["ax"] is ax
    plt.close(figure)


def test_words_stand_where_a_reader_looks(display):
    figure = display.plot().figure_
    texts = " ".join(t.get_text().replace("\n", " ") for t in figure.findobj(lambda a: hasattr(a, "get_text")))
    for words in ("185 trials put the 95 % band", "number of trials", "asked for: 0.1", "independent scores"):
        assert words in texts


def test_it_is_saved_by_the_names_ending(display, tmp_path):
    for ending in ("png", "pdf", "svg"):
        assert display.save(tmp_path / f"plan.{ending}").stat().st_size > 0
    with pytest.raises(InputError):
        display.save(tmp_path / "plan.txt")


def test_what_achieves_nothing_or_is_not_drawn_is_refused(display):
    with pytest.raises(InputError, match="cannot be drawn"):
        planning(plan("improvement", paired=True, n_trials=4))
    with pytest.raises(InputError, match="nothing has been drawn"):
        _ = display.figure_
