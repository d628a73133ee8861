"""Studies of the configurations at percentiles: which are taken, what is drawn with them, and what is refused."""

import json
from math import inf

import numpy as np
import pytest

import ogive
from ogive.algorithms import Algorithm, Series, tuned
from ogive.cli import main
from ogive.errors import FailedTrials, InputError
from ogive.notes import NoteKind
from ogive.seeding import other_root, stream
from ogive.spaces import uniform
from ogive.study import Study, cycle, every
from ogive.tasks import Task, none

PERCENTILES = [1, 50, 95, 99]


def sum_of(config, shift, rng):
    return {"score": config["x"] + shift + rng.random(), "curve": Series(config["x"] + np.arange(4))}


class Sums:
    """The same, many at once."""

    def __call__(self, config, shift, rng):
        return sum_of(config, shift, rng)

    def evaluate_many(self, configs, draws, rngs):
        return [sum_of(config, *draw, rng) for config, draw, rng in zip(configs, draws, rngs, strict=True)]


def shift(rng):
    return (rng.random(),)


def study(function=sum_of, space=None, *, goal="maximize", name="sum", tasks=None, **options):
    algorithm = Algorithm(name, function, {"x": uniform(0, 10)} if space is None else space, metrics={"score": goal})
    return Study("sums", algorithm, Task("shifted", shift) if tasks is None else tasks, seed=3, **options)


def run(what, n, **options):
    return ogive.run(what, n_trials=n, workers=0, progress=False, **options)


def oracle(trials, percentile, *, goal="maximize"):
    """The trial at a percentile: the first one, from the worst on, at which so large a share has been seen."""
    rows = trials.to_pandas().sort_values("trial").sort_values("score", kind="stable", ascending=goal == "maximize")
    seen = np.arange(1, len(rows) + 1) * 100
    return rows[seen >= percentile * len(rows)].iloc[0]


@pytest.fixture(scope="module")
def trials():
    return run(study(), 200)


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_each_slice_has_the_configuration_of_the_trial_at_its_percentile(goal):
    of = study(goal=goal)
    before = run(of, 130)
    slices = of.at_percentiles(before, PERCENTILES)
    for one, percentile in zip(slices.slices, PERCENTILES, strict=True):
        expected = oracle(before, percentile, goal=goal)
        assert (one.trial, one.score, one.n_trials) == (expected["trial"], expected["score"], 130)
        assert one.config == json.loads(expected["params"])
    after = run(slices, 5).to_pandas()
    held = {one.method: one.config for one in slices.slices}
    assert all(json.loads(row.params) == held[row.algorithm] for row in after.itertuples())
    assert len(after) == 20


def test_the_best_slice_of_a_loss_is_the_smallest():
    of = study(goal="minimize")
    best, worst = of.at_percentiles(run(of, 40), [100, 0]).slices
    assert best.score < worst.score


def test_the_draw_that_was_chosen_is_never_drawn_again(trials):
    of = study()
    slices = of.at_percentiles(trials, PERCENTILES)
    before, after = of.cell("sum", "shifted"), slices.cell("sum at 99 %", "shifted")
    chosen = {before.draw(i)[0] for i in range(200)} | {before.rng(i).random() for i in range(200)}
    assert not chosen & ({after.draw(i)[0] for i in range(200)} | {after.rng(i).random() for i in range(200)})


def test_draws_are_those_of_named_streams_from_another_root_one_by_one_or_many_at_once():
    of = Study(
        "swing",
        ogive.rl.actor_critic(),
        ogive.rl.pendulum(episodes=2, steps=50),
        seed=3,
        metrics={"return": "maximize", "diverged": "minimize"},
    )
    slices = of.at_percentiles(run(of, 20), [10, 90])
    one, root = slices.slices[1], other_root(3, "percentiles")
    draw = of.tasks[0].draw(stream(root, "data", "pendulum", None, 3))
    expected = (
        of.algorithms[0].evaluate(one.config, draw, stream(root, "train", "pendulum", one.method, 3)).scores["return"]
    )
    for chunk in (1, None):
        assert run(slices, 6, chunk=chunk).scores(one.method)[3] == expected


def test_slices_share_their_data_so_that_comparisons_are_paired(trials):
    slices = study().at_percentiles(trials, PERCENTILES)
    cells = [slices.cell(f"sum at {p} %", "shifted") for p in PERCENTILES]
    assert len({cell.draw(7) for cell in cells}) == 1
    assert len({cell.rng(7).random() for cell in cells}) == 4
    assert run(slices, 3).pair == "trial"


def test_any_number_of_workers_and_an_interruption_give_the_same_table(trials, tmp_path):
    slices = study().at_percentiles(trials, PERCENTILES)
    run(slices, 3, store=tmp_path / "store")
    ogive.run(slices, n_trials=8, workers=2, store=tmp_path / "store", progress=False)
    columns = ["algorithm", "trial", "params", "score", "status"]
    resumed = ogive.read(tmp_path / "store")
    expected = run(slices, 8).to_pandas()[columns].sort_values(columns[:2], ignore_index=True)
    assert resumed.to_pandas()[columns].sort_values(columns[:2], ignore_index=True).equals(expected)
    assert resumed.varied == ("data", "seed")
    np.testing.assert_array_equal(resumed.series("sum at 1 %")[7], slices.slices[0].config["x"] + np.arange(4))


def test_the_table_says_where_its_configurations_come_from(trials):
    slices = study().at_percentiles(trials, [50, 99])
    found = run(slices, 2)
    origin = found.holds["config"]["percentiles"]
    assert {name: origin[name] for name in ("study", "seed", "metric", "failures")} == {
        "study": "sums", "seed": 3, "metric": "score", "failures": "refuse"
    }  # fmt: skip
    assert [one["trial"] for one in origin["slices"]] == [one.trial for one in slices.slices]
    notes = [str(note) for note in found.notes if note.kind is NoteKind.AT_PERCENTILE]
    assert len(notes) == 2
    assert f"'sum at 99 %' on 'shifted' has the configuration of trial {slices.slices[1].trial} of 'sum'" in notes[1]
    assert "the 99 % mark of 200 trials, worst to best" in notes[1]


def test_a_store_refuses_slices_that_were_chosen_otherwise(trials, tmp_path):
    of = study()
    run(of.at_percentiles(trials, [50]), 2, store=tmp_path / "store")
    with pytest.raises(InputError, match="holds was"):
        run(of.at_percentiles(run(of, 20), [50]), 2, store=tmp_path / "store")


def test_equal_scores_stand_in_the_order_of_their_trials_whatever_the_order_of_rows():
    of = study(lambda config, shift, rng: 1.0)
    before = run(of, 10)
    backwards = ogive.read(
        before.to_pandas()[::-1], score="score", algorithm="algorithm", task="task", repeat="trial", params="params"
    )
    assert [one.trial for one in of.at_percentiles(before, [10, 50, 100]).slices] == [0, 4, 9]
    assert [one.trial for one in of.at_percentiles(backwards, [10, 50, 100]).slices] == [0, 4, 9]


def fails_above_eight(config, shift, rng):
    if config["x"] > 8:
        raise ValueError("too large")
    return config["x"]


def test_failed_trials_count_by_the_rule_and_can_be_chosen():
    of = study(fails_above_eight)
    before = run(of, 60)
    n_failed = int(before.failed("score").sum())
    with pytest.raises(FailedTrials, match="failures="):
        of.at_percentiles(before, [1, 99])
    worst = of.at_percentiles(before, [1, 99], failures="worst")
    assert worst.slices[0].config["x"] > 8
    assert worst.slices[0].score == -inf
    assert worst.slices[0].n_trials == 60
    assert worst.holds["config"]["percentiles"]["slices"][0]["score"] is None
    left = of.at_percentiles(before, [1, 99], failures="exclude")
    assert left.slices[0].config["x"] < 1
    assert left.slices[0].n_trials == 60 - n_failed
    after = run(worst, 4)
    assert after.failed("score").sum() == 4
    assert any("which failed" in str(note) for note in after.notes if note.kind is NoteKind.AT_PERCENTILE)


def double(config, shift, rng):
    return 2 * sum_of(config, shift, rng)["score"]


def test_several_algorithms_and_tasks_have_slices_of_their_own():
    both = Study(
        "both",
        [
            Algorithm(n, f, {"x": uniform(0, 10)}, metrics={"score": "maximize"})
            for n, f in (("sum", sum_of), ("double", double))
        ],
        [Task("one", shift), Task("two", shift)],
    )
    before = run(both, 30)
    slices = both.at_percentiles(before, [10, 90])
    assert len(slices.slices) == 8
    assert len(slices.algorithms) == 4
    found = run(slices, 2).to_pandas()
    assert found.groupby(["algorithm", "task"])["params"].nunique().eq(1).all()
    assert found["params"].nunique() == 8
    some = both.at_percentiles(before.select(algorithms=["double"], tasks=["two"]), [10, 90])
    assert [one.config for one in some.slices] == [
        s.config for s in slices.slices if (s.algorithm, s.task) == ("double", "two")
    ]


class Scale:
    """An object that JSON does not know; the space knows it by a label."""

    def __init__(self, factor):
        self.factor = factor

    def __repr__(self):
        return f"Scale({self.factor})"


def scaled(config, shift, rng):
    config["sizes"].append(0)  # a trial may change what it got
    return config["scale"].factor * len(config["sizes"]) + shift


def test_objects_in_configurations_are_objects_again():
    space = {"scale": ogive.spaces.choice({"small": Scale(1), "large": Scale(100)}), "sizes": [[5, 5]]}
    of = study(scaled, space)
    slices = of.at_percentiles(run(of, 20), [10, 90])
    for workers in (0, 1):
        scores = ogive.run(slices, 3, workers=workers, progress=False).scores
        assert 3 < scores("sum at 10 %").min() < 4 < 300 < scores("sum at 90 %").min() < 301


def test_what_a_study_holds_stays_at_the_same_draw():
    of = study().hold(data=5)
    slices = of.at_percentiles(run(of, 20), [50])
    assert slices.cell("sum at 50 %", "shifted").draw(0) == of.cell("sum", "shifted").draw(0)
    assert slices.varied == ("seed",)
    fresh = study().hold(data=every(2))
    slices = fresh.at_percentiles(run(fresh, 20), [50])
    assert slices.cell("sum at 50 %", "shifted").draw(0) != fresh.cell("sum", "shifted").draw(0)
    assert slices.cell("sum at 50 %", "shifted").draw(0) == slices.cell("sum at 50 %", "shifted").draw(1)


@pytest.mark.parametrize("hold", [5, cycle(3)])
@pytest.mark.parametrize("at_once", [True, False])
def test_held_seeds_are_those_of_the_study_for_all_slices_alike(hold, at_once):
    of = study(Sums() if at_once else sum_of).hold(seed=hold)
    trials = run(of, 20)
    slices = of.at_percentiles(trials, [10, 90])
    after = run(slices, 6, chunk=6)
    before = of.cell("sum", "shifted")
    for one in slices.slices:
        cell = slices.cell(one.method, "shifted")
        assert [cell.rng(i).random() for i in range(6)] == [before.rng(i).random() for i in range(6)]
        expected = [one.config["x"] + cell.draw(i)[0] + before.rng(i).random() for i in range(6)]
        np.testing.assert_allclose(after.scores(one.method), expected)
    released = of.hold(seed=every(2)).at_percentiles(trials, [10, 90])
    drawn = {released.cell(one.method, "shifted").rng(0).random() for one in released.slices}
    assert len(drawn | {before.rng(0).random(), before.rng(5).random()}) >= 3


def test_at_99_ten_others_of_a_thousand_are_as_good_or_better():
    of = study(Sums())
    found = run(of, 1000)
    (one,) = of.at_percentiles(found, [99]).slices
    assert np.count_nonzero(found.scores() >= one.score) - 1 == 10  # without itself


def test_a_table_that_was_read_gives_its_own_configurations(trials):
    frame = trials.to_pandas()
    frame["x"] = [round(json.loads(text)["x"], 1) for text in frame["params"]]
    read = ogive.read(frame, score="score", algorithm="algorithm", task="task", repeat="trial", params=["x"])
    expected = frame["x"][oracle(trials, 99).name]
    assert study().at_percentiles(read, [99]).slices[0].config == {"x": expected}


@pytest.mark.parametrize(
    ("percentiles", "words"),
    [
        ([], "got none"), ([101], "between 0 and 100"), ([-1], "between 0 and 100"), (["5"], "between 0 and 100"),
        ([float("nan")], "between 0 and 100"), ("1,99", "numbers between"), (50, "numbers between"), ([50, 50.0], "50 comes twice"),
        ([99.8, 99.9], "different trials"),
    ],
)  # fmt: skip
def test_percentiles_that_make_no_sense_are_refused(trials, percentiles, words):
    with pytest.raises(InputError, match=words):
        study().at_percentiles(trials, percentiles)


def fixed(config, rng):
    return rng.random()


def test_studies_without_anything_to_hold_or_to_draw_are_refused(trials):
    with pytest.raises(InputError, match="must be of this study"):
        study(name="other").at_percentiles(trials, [50])
    with pytest.raises(InputError, match=r"must be ogive\.Trials"):
        study().at_percentiles("results/demo", [50])
    with pytest.raises(InputError, match="draws configurations"):
        study().hold(config=0).at_percentiles(trials, [50])
    with pytest.raises(InputError, match="something to draw anew"):
        study().hold(data=0, seed=cycle(3)).at_percentiles(trials, [50])
    with pytest.raises(InputError, match="something to draw anew"):
        study(tasks=none()).hold(seed=0).at_percentiles(run(study(fixed, tasks=none()), 5), [50])
    slices = study().at_percentiles(trials, [50])
    with pytest.raises(InputError, match="cannot be held"):
        slices.hold(config=0)
    with pytest.raises(InputError, match="draws configurations"):
        slices.at_percentiles(run(slices, 3), [50])
    bare = trials.to_pandas()[["algorithm", "task", "trial", "score"]]
    with pytest.raises(InputError, match="has none"):
        study().at_percentiles(ogive.read(bare, score="score", repeat="trial"), [50])


def test_a_tuned_algorithm_draws_no_configuration_of_its_own():
    from sklearn.tree import DecisionTreeClassifier

    tree = Algorithm.from_estimator(DecisionTreeClassifier(), {"max_depth": [1, 3, 5]}, name="tree")
    both = Study("trees", [tree, tuned(tree, n_configs=1, cv=2)], ogive.tasks.moons(n=20))
    before = run(both, 2)
    with pytest.raises(InputError, match=r"'tree \(tuned, 1\)' draws no configuration of its own"):
        both.at_percentiles(before, [50])
    assert both.at_percentiles(before.select(algorithms=["tree"]), [50]).slices[0].algorithm == "tree"


STUDY = """
import ogive

def f(config, rng):
    if config["x"] > 9:
        raise ValueError("too large")
    return {"loss": config["x"] + rng.random(), "curve": ogive.algorithms.Series([config["x"], rng.random()])}

study = ogive.Study("steps", ogive.Algorithm("f", f, {"x": ogive.spaces.uniform(0, 10)}, metrics={"loss": "minimize"}), ogive.tasks.none())
"""


def test_the_command_line_runs_and_draws_slices_and_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "study.py").write_text(STUDY)
    file, out, slices = (str(tmp_path / name) for name in ("study.py", "out", "slices"))
    call = ["run", file, "--trials", "20", "--quiet"]
    assert main([*call, "--workers", "0", "--out", out, "--failed-ok"]) == 0
    again = [*call, "--out", slices, "--workers", "1"]
    assert main([*again, "--percentiles", "10,90", "--of", out]) == 2
    assert "--failures" in capsys.readouterr().err
    assert main([*again, "--percentiles", "10,90", "--of", out, "--failures", "exclude"]) == 0
    assert ogive.read(slices).algorithms == ("f at 10 %", "f at 90 %")
    assert ogive.read(slices).scores("f at 90 %").max() < ogive.read(slices).scores("f at 10 %").min()
    assert main(["plot", slices, "--of", out, "--out", str(tmp_path / "p.png"), "--quiet"]) == 0
    assert (tmp_path / "p.png").stat().st_size > 10_000
    capsys.readouterr()
    picture = ["plot", slices, "--out", str(tmp_path / "p.png"), "--quiet"]
    for wrong, words in (
        (["--of", out, "--metric", "loss"], "`--metric` does not go with `--of`"), (["--of", out, "--kind", "cdf"], "`--kind` does not"),
        (["--of", out, "--band", "ks"], "`--band` does not"), (["--series", "curve"], "`--series` names a curve of the picture that `--of` draws"),
        (["--of", out, "--series", "loss"], "`series` 'loss' is not in the table"), (["--of", out, "--goal", "upward"], "goal"),
    ):  # fmt: skip
        assert main([*picture, *wrong]) == 2
        assert words in capsys.readouterr().err
    for wrong, words in (
        (["--percentiles", "10"], "go together"), (["--of", out], "go together"), (["--metric", "loss"], "belongs to `--percentiles`"),
        (["--percentiles", "ten", "--of", out], "numbers with commas"),
    ):  # fmt: skip
        assert main([*again, *wrong]) == 2
        assert words in capsys.readouterr().err
    assert main(["plot", out, "--of", slices, "--out", str(tmp_path / "p.png"), "--quiet"]) == 2
    assert "not held at percentiles" in capsys.readouterr().err
