"""The page of learning curves: what it says, that it stays text, and what odd curves do to it."""

import base64
import hashlib
import html
import itertools
import json
import re

import numpy as np
import pytest

from ogive.curves import LearningCurves
from ogive.curves._metrics import definition
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, naming, said
from ogive.plots._curves import Cell
from ogive.report import _curves, write, write_curves
from ogive.report._figures import MOST_CELLS, OTHERS, _joined

HOSTILE = "</script><img src=x onerror=alert(1)>"
SIZES = (5, 10, 20, 40)
CENTRE = np.array([[0.50, 0.52, 0.54, 0.56], [0.40, 0.50, 0.62, 0.72]])


def curves_of(values, sizes=SIZES, *, metric="accuracy", **facts):
    values = np.asarray(values, dtype=float)
    facts = {"models": tuple("abcdefgh"[: len(values)]), "n_rows": 500, "n_test": 100, **facts}
    return LearningCurves(
        values=values[:, None], definitions={metric: definition(metric)}, sizes=np.array(sizes), design="additive",
        test="fixed", **facts,
    )  # fmt: skip


def crossing(n=60, seed=1):
    """Scores on multiples of 1/100 whose means cross."""
    return np.round(CENTRE[:, :, None] + 0.03 * np.random.default_rng(seed).normal(size=(2, 4, n)), 2)


@pytest.fixture(scope="module", autouse=True)
def _small_pages():
    """Pages without plotly's own script, which is four megabytes of the same for each of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plotly.offline.get_plotlyjs", lambda: "/* plotly */")
        yield


class Page:
    """A written page, taken apart."""

    def __init__(self, curves, folder, **options):
        self.raw = write_curves(curves, folder / "curves.html", **options).read_text(encoding="utf-8")
        self.main = self.raw[self.raw.index("<main>") : self.raw.index("</main>")]
        self.text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.main)).split())
        parts = re.findall(r'<script type="application/json" id="[^"]+">(.*?)</script>', self.raw, re.DOTALL)
        self.figures = [json.loads(part) for part in parts]

    @property
    def titles(self):
        return [html.unescape(title) for title in re.findall(r"<h2[^>]*>(.*?)</h2>", self.main)]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return Page(curves_of(crossing()), tmp_path_factory.mktemp("page"))


def test_the_sentences_of_the_leaders_come_first_with_their_scope(page):
    found = curves_of(crossing()).leaders()
    assert page.titles[0] == "In short"
    assert all(fact in found.sentences[0] for fact in ("500 rows", "n = 40", "b certainly"))
    assert all(sentence in page.text for sentence in found.sentences)
    assert found.verdict in page.text


def test_every_question_has_its_section_and_its_words(page):
    assert page.titles == [
        "In short", "Scores against the training-set size", "Who leads where", "Distributions at chosen sizes",
        "Normal or not, along the curve", "The numbers", "What the numbers stand on", "Error bars of what?", "For the paper",
    ]  # fmt: skip
    for words in (
        "b overtakes a between n = 10 and 20 by the mean",
        "Rankings by the mean and by the worst 2.5 % quantile",
        "not about new data",
        "two training sets have 10 % of their rows in common",
        "nothing is extrapolated beyond n = 40",
        "We measured accuracy of 2 models (a and b) at 4 training-set sizes from 5 to 40",
    ):
        assert words in page.text


def test_the_csv_holds_what_the_curves_say(page):
    block = html.unescape(re.search(r"<pre[^>]*>(model,size.*?)</pre>", page.main, re.DOTALL)[1])
    lines = block.strip().split("\n")
    assert len(lines) == 1 + 3 * 2 * 4
    mean = curves_of(crossing()).mean()["a"].estimate[0]
    assert lines[1].startswith(f"a,5,accuracy,mean,{mean:.6g},")


def test_a_csv_of_some_sizes_names_what_gives_the_same_statistics_at_all(monkeypatch):
    monkeypatch.setattr(_curves, "MOST_LINES", 3)
    monkeypatch.setattr(_curves, "MOST_CSV_SIZES", 2)
    made = curves_of(crossing())
    found = _curves.find(made, metric=None, confidence=0.95, failures=None, sizes=None)
    title, some = _curves._csv(found)
    assert title == (
        "CSV: 2 of 4 sizes; all of them: curves.statistic(s, 'accuracy').to_pandas() for each s of 'mean', 'q0.05', 'q0.95'"
    )
    every = [one for s in ("mean", "q0.05", "q0.95") for one in made.statistic(s, "accuracy").to_dict()["rows"]]
    assert len(every) == 3 * 2 * 4
    assert len(some.strip().split("\n")) == 1 + 3 * 2 * 2
    with naming("cli"):
        assert _curves._csv(found)[0] == "CSV: 2 of 4 sizes; all of them: ogive curves … --metric accuracy --json"


def test_pictures_hold_the_numbers_of_the_displays(page):
    strips, fans, slices, normality = page.figures
    made = curves_of(crossing())
    (line,) = [trace for trace in fans["data"] if trace["name"] == "b" and trace["showlegend"]]
    assert np.allclose(line["y"], made.mean()["b"].estimate, rtol=1e-5)
    assert fans["layout"]["xaxis"]["type"] == "log"
    assert strips["layout"]["yaxis"]["ticktext"] == [
        "by the mean",
        "in the worst 5 % of runs",
        "in the best 5 % of runs",
    ]
    assert {"a: certain", "b: certain"} <= {trace["name"] for trace in strips["data"]}
    assert len([trace for trace in slices["data"] if trace.get("hoveron") == "fills"]) == 2 * 4
    assert {trace["name"] for trace in normality["data"]} <= {"rejected", "not rejected", "constant", "no answer"}


def test_the_policy_names_the_only_scripts(page):
    scripts = re.findall(r"<script>(.*?)</script>", page.raw, re.DOTALL)
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in page.raw.split("</head>")[0]
    assert "connect-src 'none'" in page.raw


def test_hostile_names_stay_text(tmp_path):
    made = curves_of(
        crossing(30), models=(HOSTILE, "%{x} {0}"), name=HOSTILE, notes=(said("\x1b[31m odd").about(HOSTILE),)
    )
    found = Page(made, tmp_path)
    assert "<img" not in found.raw.replace("onerror=", "").split("<script>")[0]
    assert HOSTILE in found.text
    assert "\x1b" not in found.raw.split("<script>")[0]
    names = {trace.get("name", "") for figure in found.figures for trace in figure["data"]}
    assert not any("<" in name for name in names)


def test_missing_scores_are_counted_said_and_can_be_given_a_value(tmp_path):
    values = crossing(30)
    values[1, 3, 0] = np.nan
    made = curves_of(
        values,
        notes=(Note(NoteKind.FITS_FAILED, values={"of": "b", "n": 1, "of_fits": 120, "sizes": (40,), "more": False}),),
    )
    found = Page(made, tmp_path)
    assert "1 of 240 fits" in found.text
    assert "Failures" in found.titles
    assert "1 of 120 fits" in found.text
    assert "would read: " in found.text
    counted = Page(made, tmp_path, failures="worst")
    assert "count as 0" in counted.text
    assert "b certainly" in counted.text
    with pytest.raises(InputError, match="'worst'"):
        write_curves(made, tmp_path / "curves.html", failures="like:a")


GAP = np.where(np.arange(4)[:, None] == 3, np.nan, 0.5) + np.zeros((2, 4, 20))
ODD = {
    "one model": (curves_of(crossing(20)[:1]), "9 in 10 runs of a have accuracy"),
    "one size": (curves_of(crossing(20)[:, :1], (7,)), "2 models at n = 7"),
    "one repetition of one model at one size": (curves_of([[[0.5]]], (7,)), "1 repetition of each"),
    "few repetitions": (curves_of(crossing(5)), "No verdict: differences along a curve need at least 20 repetitions"),
    "equal and missing": (curves_of(GAP), "no model has a score in every repetition"),
    "many models": (curves_of(np.tile(crossing(20), (4, 1, 1))), "8 models at 4 training-set sizes"),
    "unbounded": (curves_of(np.where(GAP != GAP, np.nan, crossing(20)), metric="r2"), "has no worst possible score"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_curves_are_described(name, tmp_path):
    made, words = ODD[name]
    found = Page(made, tmp_path)
    assert words in found.text
    assert "nan" not in found.text.split()
    assert found.figures


def test_sizes_metric_and_path_are_checked(tmp_path):
    made = curves_of(crossing(20))
    with pytest.raises(InputError, match="the grid"):
        write_curves(made, tmp_path / "a.html", sizes=[6])
    with pytest.raises(InputError, match="these curves"):
        write_curves(made, tmp_path / "a.html", metric="auc")
    with pytest.raises(InputError, match=r"\.html"):
        write_curves(made, tmp_path / "a.pdf")
    with pytest.raises(InputError, match="got list"):
        write_curves([1], tmp_path / "a.html")
    with pytest.raises(InputError, match="write_curves"):
        write(made, tmp_path / "a.html")


def test_the_sides_of_a_distribution_are_named_by_good_and_bad_where_small_is_good(tmp_path):
    text = Page(curves_of(1.0 - crossing(), metric="cross_entropy"), tmp_path).text
    assert "5 % are better" in text
    assert "exceed" not in text


def test_one_repetition_is_said_to_be_one_and_shows_no_modes(tmp_path):
    text = Page(curves_of(crossing(1)[:1]), tmp_path).text
    assert "1 repetition" in text
    assert "one mode fits" not in text
    assert "too few different" in text.lower()


def test_many_sizes_are_thinned_in_pictures_and_counted_in_tables(tmp_path):
    """Five models at 400 sizes: no curve is drawn at all of them, equal neighbors of a strip are one, a gap keeps its ends."""
    values = np.round(np.random.default_rng(0).random((5, 400, 20)), 2)
    values[0, 200:203, 0] = np.nan
    made = curves_of(values, range(1, 401))
    found = Page(made, tmp_path)
    strips, fans, _, normality = found.figures
    lines = [trace for trace in fans["data"] if "fill" not in trace]
    gray = [trace for trace in lines if trace["line"]["color"] == OTHERS]
    assert {len(trace["x"]) < 400 for trace in lines} == {True}
    assert max(len(trace["x"]) for trace in gray) < 120
    (own,) = [trace for trace in lines if trace.get("name") == "a" and "customdata" in trace]
    assert {200, 201, 203, 204} <= set(own["x"])
    assert {own["y"][own["x"].index(n)] is None for n in (201, 203)} == {True}
    for picture in (strips, normality):
        drawn = sum(trace["x"].count(None) + 1 for trace in picture["data"])
        rows = len(picture["layout"]["yaxis"]["ticktext"])
        assert drawn < 400 * rows
    assert " of 400 sizes" in found.text


def test_a_strip_without_a_leader_is_thinner_than_one_with_a_pale_leader(tmp_path):
    values = crossing(30)
    values[:, 0] = 0.5
    strips = Page(curves_of(values), tmp_path).figures[0]
    heights = {t["name"]: max(t["y"][:5]) - min(t["y"][:5]) for t in strips["data"]}
    thin = [height for name, height in heights.items() if name.startswith("thin")]
    assert max(thin) < 0.5 * min(height for name, height in heights.items() if not name.startswith("thin"))


def test_a_panel_of_one_model_says_nothing_of_names_to_click(tmp_path):
    one = Page(curves_of(np.round(np.random.default_rng(0).random((4, 4, 20)), 2)), tmp_path)
    assert not any(trace.get("showlegend") for trace in one.figures[1]["data"])
    several = Page(curves_of(crossing(30)), tmp_path)
    assert several.text.count("click a name") == 1
    assert "click a name" not in one.text


@pytest.mark.parametrize("place", [40, 2000, 2003, 2480])
def test_a_lead_at_few_of_many_sizes_stays_in_the_strip(place):
    """Whatever is thinned, no look is lost: a page that says a lead is certain there must show it."""
    looks = ["A" if n % 2 else "equal" for n in range(1, 2500)]
    looks[place : place + 3] = ["B"] * 3
    cells = [Cell(low=float(n), high=n + 1.0, color=who, full=True, who=who) for n, who in enumerate(looks, start=1)]
    drawn = _joined(cells)
    assert len(drawn) < 3 * MOST_CELLS
    (lead,) = [cell for cell in drawn if cell.who == "B"]
    assert abs(np.log(lead.low / cells[place].low)) < 2 * np.log(2500) / MOST_CELLS
    assert all(a.high == pytest.approx(b.low) for a, b in itertools.pairwise(drawn))
