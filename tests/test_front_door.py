"""One front door: whatever takes trials takes what `read` takes, and means the same by it."""

import inspect
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ogive
from ogive.errors import AmbiguousColumns, InputError
from ogive.notes import NoteKind

RNG = np.random.default_rng(7)
ROWS = [
    {"model": m, "dataset": d, "seed": s, "accuracy": float(RNG.normal(0.8 + 0.05 * (m == "a"), 0.02))}
    for m in ("a", "b", "c")
    for d in ("x", "y")
    for s in range(12)
]
FRAME = pd.DataFrame(ROWS)


class Relation:
    """A frame of a package that Ogive does not know, such as DuckDB's: nothing but Arrow's stream."""

    columns = ("model", "dataset", "seed", "accuracy")

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.Table.from_pandas(FRAME).__arrow_c_stream__(requested_schema)


def polars_frame():
    return pytest.importorskip("polars").from_pandas(FRAME)


class Named:
    """A file that is named as `os.PathLike` says, and by no other way."""

    def __init__(self, path):
        self._path = path

    def __fspath__(self):
        return str(self._path)


SOURCES = {
    "file": lambda folder: folder / "scores.csv",
    "text": lambda folder: str(folder / "scores.csv"),
    "like a path": lambda folder: Named(folder / "scores.csv"),
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: polars_frame(),
    "lazy polars": lambda folder: polars_frame().lazy(),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME),
    "arrow batch": lambda folder: pa.RecordBatch.from_pandas(FRAME),
    "stream": lambda folder: Relation(),
    "list": lambda folder: [FRAME[FRAME.dataset == "x"], FRAME[FRAME.dataset == "y"]],
}
ANSWERS = {
    "inspect": lambda t: ogive.inspect(t).to_dict(),
    "summarize": lambda t: ogive.summarize(t, statistics=["median", "mean"]).to_dict(),
    "compare": lambda t: ogive.compare(t, "a", "b").to_dict(),
    "rank": lambda t: ogive.rank(t).to_dict(),
    "sources": lambda t: ogive.sources(t).to_dict(),
    "plan": lambda t: ogive.plan(t, a="a", b="b", task="x", difference=0.01).to_dict(),
    "pilot": lambda t: ogive.plan("mean", pilot=t, a="a", task="x", half_width=0.01).to_dict(),
    "check": lambda t: ogive.check(t, t, margin=0.5, algorithm="a").to_dict(),
    "leaders": lambda t: ogive.answers.leaders(t),
    "plots.distribution": lambda t: [c.estimate.quantile(0.5) for c in ogive.plots.distribution(t).bands],
    "plots.difference": lambda t: ogive.plots.difference(t, "a", "b", "x").caption,
    "plots.best_of": lambda t: ogive.plots.best_of(t, "x").curves[0].estimate.tolist(),
    "plots.intervals": lambda t: ogive.plots.intervals(t).caption,
    "plots.ranks": lambda t: ogive.plots.ranks(t).headline,
    "plots.pairs": lambda t: ogive.plots.pairs(t).headline,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path


def without_source(found):
    return {k: v for k, v in found.items() if k != "source"} if isinstance(found, dict) else found


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_to_a_frame_is_the_answer_to_what_was_read(answer):
    ask = ANSWERS[answer]
    assert json.dumps(ask(FRAME), default=str) == json.dumps(ask(ogive.read(FRAME)), default=str)


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_means_the_same(source, folder):
    made = SOURCES[source](folder)
    expected = [ANSWERS[a](ogive.read(FRAME)) for a in ("summarize", "compare", "rank")]
    found = [ANSWERS[a](made) for a in ("summarize", "compare", "rank")]
    for one, other in zip(found, expected, strict=True):
        assert json.dumps(without_source(one), default=str) == json.dumps(without_source(other), default=str)


def test_a_report_is_written_of_a_file(folder):
    path = ogive.report.write(folder / "scores.csv", folder / "report.html")
    assert "Ogive report: scores.csv" in path.read_text(encoding="utf-8")


def test_trials_pass_the_door_as_they_are():
    trials = ogive.read(FRAME)
    assert ogive.reading.as_trials(trials) is trials


@pytest.mark.parametrize("answer", [a for a in ANSWERS if a not in ("check", "pilot")])
def test_a_column_that_must_be_named_is_named_to_read(answer):
    unclear = FRAME.assign(f1=FRAME.accuracy).rename(columns={"accuracy": "auc"})
    with pytest.raises(AmbiguousColumns, match=r"score=.*ogive\.read\(source"):
        ANSWERS[answer](unclear)


@pytest.mark.parametrize("word", ["perhaps", None])
def test_a_column_that_judges_runs_in_unknown_words_is_explained_to_read(word):
    unclear = FRAME.assign(solved=[word] * len(FRAME))
    with pytest.raises(AmbiguousColumns, match=r"status='none'.*ogive\.read\(source"):
        ogive.summarize(unclear)


@pytest.mark.parametrize("call", [ogive.summarize, ogive.rank, lambda t: ogive.compare(t, "a", "b")])
def test_a_question_about_rows_is_answered_to_read(call):
    repeated = FRAME.assign(param_lr=FRAME.seed // 4).drop(columns="seed")
    with pytest.raises(InputError, match=r"unit=.*ogive\.read\(source"):
        call(repeated)
    with pytest.raises(InputError) as caught:
        call(ogive.read(repeated))
    assert "Read the table first" not in str(caught.value)


def test_roles_are_keywords_of_read_alone():
    roles = {"score", "repeat", "item", "group", "fold", "pair", "params", "unit", "wide", "where", "without"}
    for name in ("inspect", "summarize", "compare", "rank", "sources", "check"):
        assert roles.isdisjoint(inspect.signature(getattr(ogive, name)).parameters), name
    over_tasks = (
        "performance_profile",
        "aggregates",
        "average_ranks",
        "shifted_geometric_mean",
        "probability_of_improvement",
    )
    for name in over_tasks:
        taken = inspect.signature(getattr(ogive.profiles, name)).parameters
        assert (roles | {"algorithm", "task", "status"}).isdisjoint(taken), name


TIMES = RNG.integers(1, 90, size=(6, 11)).astype(float)  # runs x tasks, which no transposition leaves alike
FORMS = {
    "array": lambda x: x,
    "lists": lambda x: x.tolist(),
    "list of arrays": list,
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "objects": lambda x: x.astype(object),
    "by task": lambda x: {f"task {i + 1}": runs.tolist() for i, runs in enumerate(x.T)},
}
ENTRANCES = {
    "read": lambda t: ogive.read(t).table.to_pylist(),
    "summarize": lambda t: ogive.summarize(t, statistics=["median"]).to_dict(),
    "rank": lambda t: ogive.rank(t).to_dict(),
    "compare": lambda t: ogive.compare(t, "a", "b").to_dict(),
    "performance_profile": lambda t: ogive.profiles.performance_profile(t, goal="minimize").distances.tolist(),
    "aggregates": lambda t: ogive.profiles.aggregates(t).to_dict(),
    "average_ranks": lambda t: ogive.profiles.average_ranks(t).ranks.tolist(),
    "shifted_geometric_mean": lambda t: ogive.profiles.shifted_geometric_mean(t).to_dict(),
    "probability_of_improvement": lambda t: str(ogive.profiles.probability_of_improvement(t, "a", "b")),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_the_same_numbers_mean_the_same_at_every_entrance_in_every_form(entrance):
    """An array is runs x tasks, and so are lists of the same numbers: aggregates took them for tasks x runs."""
    held = {"a": TIMES, "b": TIMES[::-1] * 1.5}
    enter = ENTRANCES[entrance]
    expected = json.dumps(enter(held), default=str)
    for form in FORMS.values():
        assert json.dumps(enter({m: form(x) for m, x in held.items()}), default=str) == expected


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_lists_of_different_lengths_are_refused_at_every_entrance(entrance):
    with pytest.raises(InputError, match="each list"):
        ENTRANCES[entrance]({"a": [[1.0, 2.0], [3.0]], "b": [[1.0, 2.0], [3.0, 4.0]]})


@pytest.mark.parametrize("entrance", [e for e in ENTRANCES if e not in ("read", "summarize", "rank", "compare")])
@pytest.mark.parametrize("source", ["polars", "arrow", "stream", "pandas", "file"])
def test_profiles_take_every_source(entrance, source, folder):
    """Over two tasks; what needs more says the same of each source."""

    def asked(table):
        try:
            return ENTRANCES[entrance](table)
        except InputError as error:
            return str(error)

    found, expected = asked(SOURCES[source](folder)), asked(ogive.read(FRAME))
    kept = {"source", "notes"}
    if isinstance(found, dict):
        found, expected = ({k: v for k, v in d.items() if k not in kept} for d in (found, expected))
    assert found == expected


@pytest.mark.parametrize(("rule", "mean"), [(0.0, 1.25), ("exclude", 1.5), ("like:b", 1.5)])
def test_aggregates_count_failures_by_the_rules_of_the_house(rule, mean):
    table = {"a": {"x": [1.0, 2.0, np.inf], "y": [1.0, 2.0]}, "b": {"x": [1.5, 1.5], "y": [1.0, 2.0]}}
    assert ogive.profiles.aggregates(table, failures=rule).of("a", "mean").estimate == mean
    with pytest.raises(InputError, match="say failures="):
        ogive.profiles.aggregates(table)


SPLIT = pd.DataFrame(
    [(m, v, s, 0.5 + 0.01 * s + 0.1 * (v == "large")) for m in "ab" for v in ("small", "large") for s in range(10)],
    columns=["method", "version", "seed", "accuracy"],
)


@pytest.mark.parametrize(
    "call",
    [
        ogive.summarize,
        ogive.rank,
        ogive.sources,
        ogive.answers.bands,
        ogive.plots.distribution,
        ogive.plots.best_of,
        lambda table: ogive.plots.difference(table, "a", "b"),
    ],
)
def test_runs_that_a_column_splits_are_pooled_by_nobody(call):
    with pytest.raises(InputError, match="'version' splits the runs"):
        call(SPLIT)


def test_an_inspection_asks_a_question_once():
    found = ogive.inspect(SPLIT)
    assert [a.answer for a in found.answers if a.possible] == []
    assert {getattr(a.reason, "kind", None) for a in found.answers} == {NoteKind.ASKS_SPLIT}
    assert str(found).count("splits the runs") == 1
