"""Every answer on the trials of an unfinished study says how many are missing, and of which method."""

import pytest

import ogive
from ogive.algorithms import Algorithm
from ogive.cli import main
from ogive.notes import NoteKind, unfinished_words
from ogive.runner import run, status
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import Task

N, ASKED = 12, 20


def score(config, x, rng):
    return {"accuracy": float(0.5 * x[0] + 0.5 * rng.random())}


def study(*names):
    tasks = [Task(name, lambda rng: (rng.random(1),)) for name in ("t", "u")]
    return Study("s", [Algorithm(name, score) for name in names], tasks, metrics={"accuracy": ogive.Metric("maximize", (0, 1))})  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Three methods of which one is finished, and a fourth that has not begun."""
    place = Store(tmp_path_factory.mktemp("unfinished") / "s")
    run(study("a", "b", "c"), N, place, workers=0, progress=False)
    place.create(study("d").record())
    place.note_plan([(name, task) for name in "abd" for task in "tu"], ASKED)
    return place


@pytest.fixture
def trials(store):
    return store.trials()


ALL = f"{6 * N} of {2 * N + 6 * ASKED} trials; {6 * ASKED - 4 * N} are missing (40 of d, 16 of a, 16 of b)"


@pytest.mark.parametrize(
    "ask",
    [
        ogive.summarize,
        ogive.rank,
        ogive.inspect,
        ogive.sources,
        lambda trials: ogive.profiles.performance_profile(trials, runs="mean", goal="minimize"),
        lambda trials: ogive.plots.distribution(trials).caption,
        lambda trials: ogive.plots.best_of(trials).caption,
    ],
)
def test_an_answer_on_all_methods_says_what_is_missing_of_which(trials, ask):
    assert ALL in str(ask(trials))


def test_a_comparison_says_what_is_missing_of_its_two_methods(trials):
    assert "48 of 80 trials; 32 are missing (16 of a, 16 of b)" in str(ogive.compare(trials, "a", "b"))
    assert "48 of 64 trials; 16 are missing (a)" in ogive.compare(trials, "a", "c").verdict
    assert "24 of 32 trials; 8 are missing (a)" in ogive.compare(trials.select(tasks=["t"]), "a", "c").verdict


def test_a_gate_says_what_is_missing_of_the_method_that_it_judges(trials):
    gate = ogive.check(trials, trials, margin=0.1, algorithm="a")
    assert "12 of 20 trials; 8 are missing (a)" in str(gate)
    assert "missing" not in str(ogive.check(trials, trials, margin=0.1, algorithm="c"))


def test_what_is_missing_of_methods_that_were_left_out_is_not_said(trials, store):
    kept = trials.select(algorithms=["a", "c"], tasks=["t"])
    (note,) = [n for n in kept.notes if n.kind is NoteKind.UNFINISHED]
    assert set(note.values["cells"]) == {("c", "t", N, N), ("a", "t", N, ASKED)}
    assert not [n for n in trials.select(algorithms=["c"]).notes if n.kind is NoteKind.UNFINISHED]
    assert "(16 of a, 16 of b)" in str(ogive.summarize(trials.select(algorithms=["a", "b", "c"])))


def test_what_is_missing_of_rows_that_are_not_read_is_not_said(store):
    said = {how: str(ogive.inspect(ogive.read(store.path, **{how: what}))) for how, what in (("where", "task=t"), ("without", "a"))}  # fmt: skip
    assert (
        f"{3 * N} of {N + 3 * ASKED} trials; {3 * ASKED - 2 * N} are missing (20 of d, 8 of a, 8 of b)" in said["where"]
    )
    assert (
        f"{4 * N} of {2 * N + 4 * ASKED} trials; {4 * ASKED - 2 * N} are missing (40 of d, 16 of b)" in said["without"]
    )


def test_a_file_keeps_what_is_missing(trials, tmp_path):
    trials.write(tmp_path / "s.parquet")
    assert ALL in str(ogive.rank(ogive.read(tmp_path / "s.parquet")))


def test_a_finished_study_says_nothing_of_it(tmp_path):
    trials = run(study("a", "b"), N, workers=0, progress=False)
    assert not [n for n in trials.notes if n.kind is NoteKind.UNFINISHED]
    assert "missing" not in str(ogive.compare(trials, "a", "b"))


@pytest.mark.parametrize("command", ["summary", "rank", "sources", "inspect", "profile --runs mean", "report"])
def test_every_command_says_what_is_missing(store, tmp_path, capsys, command):
    options = ["--out", str(tmp_path / "page.html")] if command == "report" else []
    name, *more = command.split()
    assert main([name, str(store.path), *more, *options]) == 0
    said = capsys.readouterr()
    page = (tmp_path / "page.html").read_text() if options else said.out
    assert ALL in page


def test_status_says_what_is_missing(store):
    assert f"unfinished: {ALL}" in str(status(store.path))


def test_one_trial_is_missing_in_the_singular():
    assert unfinished_words([("a", "t", 1, 2)]) == "1 of 2 trials; 1 is missing (a)"
    assert unfinished_words([("a", "t", 2, 2)]) == ""
    many = [(f"m{i}", "t", 0, 1) for i in range(9)]
    assert unfinished_words(many).endswith("1 of m5, the rest of 3 other methods)")
