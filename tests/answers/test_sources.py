"""sources: shares of variance, effects of parameters, ranges, budgets; in sentences."""

import json

import numpy as np
import pandas as pd
import pytest
from make_sources_coverage import false_claims, planted_gains

import ogive
from ogive.answers import sources
from ogive.answers._parameters import draw_keys, first_half
from ogive.answers._sources import find_draws, source_word
from ogive.errors import FailedTrials, InputError
from ogive.statistics import variance_shares


def frame(n_configs=300, runs=1, seed=0, sign=1.0):
    """A method whose scores are ruined by kernel = sigmoid and by C < 0.1."""
    rng = np.random.default_rng(seed)
    C = np.exp(rng.uniform(np.log(0.01), np.log(100), n_configs))
    kernel = rng.choice(["linear", "poly", "rbf", "sigmoid"], n_configs)
    good = np.select([kernel == "linear", kernel == "poly", kernel == "rbf"], [0.86, 0.82, 0.9], 0.5) - 0.2 * (C < 0.1)
    of = np.repeat(np.arange(n_configs), runs)
    configs = [
        {"C": float(C[i]), "kernel": str(kernel[i]), "tol": float(rng.random()), **({"degree": int(rng.integers(2, 6))} if kernel[i] == "poly" else {})}
        for i in range(n_configs)
    ]  # fmt: skip
    scores = good[of] + rng.normal(0, 0.02, n_configs)[of] + rng.normal(0, 0.05, of.size)
    text = [json.dumps(configs[i], sort_keys=True) for i in of]
    return pd.DataFrame(
        {"algorithm": "SVM", "task": "moons", "run": np.arange(of.size), "params": text, "accuracy": sign * scores}
    )


def table(n_configs=300, runs=1, unit=None, sign=1.0, **choices):
    unit = unit or ("row" if runs == 1 else "configuration")
    data = frame(n_configs, runs, sign=sign)
    return ogive.read(data, score="accuracy", params="params", repeat="run", unit=unit, varied=["configuration", "data", "seed"], **choices)  # fmt: skip


EVERY_TEN = {"config": {"every": 10}}


def test_the_sentences_say_where_the_spread_comes_from():
    found = sources(table(100, 10), holds=EVERY_TEN)
    cell = found.cell()
    assert cell.shares.of("configuration").share.estimate > 0.8
    assert cell.sentences[0].startswith("9")
    assert cell.shares.of("configuration").share.guarantee == "approximate"
    assert "1000 runs, 100 configurations" in cell.sentences[0]
    assert cell.sentences[1].startswith("kernel explains ")
    assert cell.effects[0].parameter == "kernel"
    assert "kernel = sigmoid" in cell.sentences[2]
    assert "C < 0." in cell.sentences[2]
    assert str(found).startswith(cell.sentences[0])


def test_shares_of_few_configurations_come_with_what_they_cannot_rule_out():
    found = sources(table(20, 10), holds=EVERY_TEN)
    assert found.cell().shares.of("configuration").share.guarantee == "heuristic"
    assert any("14 %" in r for r in found.cell().remarks)
    assert "heuristic" in found.footnote()


def test_runs_that_drew_everything_anew_name_the_runs_that_are_missing():
    cell = sources(table(), holds={}).cell()
    assert cell.shares is None
    assert cell.missing.way.startswith("Run study.hold")
    assert "study.hold(config=ogive.study.every(10))" in str(cell.missing)
    assert cell.effects, "parameters can be judged all the same"


@pytest.mark.parametrize(
    ("holds", "names"),
    [
        ({"config": {"every": 10}}, ["configuration", "data and seed"]),
        ({"config": {"every": 10}, "seed": {"cycle": 10}}, ["configuration", "data", "seed"]),
        ({"config": {"every": 20}, "data": {"cycle": 10}}, ["configuration", "configuration × data", "data", "seed"]),
        ({"config": {"every": 20}, "data": {"every": 4}}, ["configuration", "data", "seed"]),
        ({"config": {"every": 10}, "data": {"at": 0}}, ["configuration", "seed"]),
        ({"data": {"every": 5}}, ["configuration and seed", "data"]),
        ({"config": ogive.study.every(10), "data": 3}, ["configuration", "seed"]),
    ],
    ids=str,
)
def test_what_was_held_decides_what_is_told_apart(holds, names):
    cell = sources(table(40, 10), holds=holds).cell()
    assert sorted(c.name for c in cell.shares.components) == names
    assert sum(c.share.estimate for c in cell.shares.components) == pytest.approx(1.0)


def test_counters_are_those_of_a_study():
    study = ogive.Study("s", ogive.Algorithm("a", lambda c, rng: 0.0, {"x": [1, 2]}), ogive.tasks.none())
    study = study.hold(config=ogive.study.every(6), seed=ogive.study.cycle(3), data=4)
    trials = table(12, 10)
    codes = find_draws(trials, np.arange(120), study.holds).codes
    cell = study.cell("a", study.tasks[0].name)
    for word in ("configuration", "seed", "data"):
        counters = [cell.counters(t)[word] for t in range(120)]
        assert np.array_equal(codes[word], np.unique(counters, return_inverse=True)[1])


def test_an_imported_table_shares_a_configuration_where_parameters_are_equal():
    rows = pd.DataFrame(
        [(lr, seed, lr + 0.1 * seed + 0.01 * ((7 * seed + int(10 * lr)) % 5)) for lr in np.arange(1, 13) / 10 for seed in range(5)],
        columns=["lr", "seed", "score"],
    )  # fmt: skip
    trials = ogive.read(rows, score="score", params=["lr"], repeat="seed")
    assert trials.question is not None, "others refuse this table; here it is just what is needed"
    cell = sources(trials).cell()
    assert [c.name for c in cell.shares.components][:2] == ["seed", "configuration"]
    grouped = ogive.read(rows.rename(columns={"lr": "split"}), score="score", group="split", varied=["split", "seed"])
    assert sources(grouped).cell().shares.of("data") is not None


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("Splits", "data"),
        ("config_id", "configuration"),
        ("random_state", "seed"),
        ("Initialization", "seed"),
        ("initial" + "isation", "seed"),
        ("lab", "lab"),
    ],
)
def test_columns_are_recognized_by_their_names(column, word):
    assert source_word(column) == word


def test_a_planted_bad_range_is_left_out_and_its_gain_is_shown():
    cell = sources(table(1500), holds={}).cell()
    shown = {(r.parameter, r.target): r for r in cell.ranges if r.shown}
    kernel = shown["kernel", "worst_0.1"]
    assert "sigmoid" not in kernel.words
    assert kernel.values == tuple(v for v in ("linear", "poly", "rbf", "sigmoid") if v in kernel.words)
    assert (kernel.low, kernel.high) == (None, None)
    assert kernel.after > kernel.before + 0.15
    assert shown["C", "median"].words.startswith("C ≥ 0.")
    assert shown["C", "median"].words == f"C ≥ {shown['C', 'median'].low:g}"
    assert (shown["C", "median"].high, shown["C", "median"].values) == (None, ())
    assert kernel.n_values == 4
    assert any(kernel.words in s for s in cell.sentences)
    assert not any(r.shown for r in cell.ranges if r.parameter == "tol")


def test_the_direction_of_the_score_turns_everything_round():
    up = sources(table(1500), holds={}).cell()
    down = sources(table(1500, sign=-1.0, goal="minimize"), holds={}).cell()
    assert [r.words for r in up.ranges if r.shown] == [r.words for r in down.ranges if r.shown]
    for a, b in zip(up.ranges, down.ranges, strict=True):
        assert a.gain.estimate == pytest.approx(b.gain.estimate, abs=0.005)
    worst_up, worst_down = (c.effects[0].bins[3].worst.estimate for c in (up, down))
    assert worst_up == pytest.approx(-worst_down)


def test_a_range_names_rare_values_one_by_one():
    """They share a bin, but a space that is built of the range needs each."""
    data = frame()
    data["params"] = [
        json.dumps(json.loads(p) | ({"kernel": f"mine {i % 6}"} if i < 18 else {}))
        for i, p in enumerate(data["params"])
    ]
    data.loc[:17, "accuracy"] = 0.95
    read = ogive.read(data, score="accuracy", params="params", repeat="run", unit="row", varied=["configuration"])
    kernel = next(r for r in sources(read).cell().ranges if (r.parameter, r.target) == ("kernel", "worst_0.1"))
    assert "other values" in kernel.words
    assert kernel.instead_of == "all 10 values"
    assert {f"mine {i}" for i in range(6)} <= set(kernel.values)
    assert "other values" not in kernel.values


def halves(trials):
    """The rows on which ranges are chosen."""
    trial = trials.table["trial"].chunk(0).to_numpy()
    return first_half(draw_keys(trials, np.arange(trial.size)), trial, None)


def test_ranges_are_chosen_on_one_half_only():
    """Scores of the other half change what is reported, never what is chosen."""
    trials = table(1500)
    data = frame(1500)
    held = ~halves(trials)
    data.loc[held, "accuracy"] = np.random.default_rng(5).permutation(data.loc[held, "accuracy"])
    shuffled = ogive.read(data, score="accuracy", params="params", repeat="run", unit="row", varied=["configuration"])
    one, other = (sources(t, holds={}).cell().ranges for t in (trials, shuffled))
    assert [(r.parameter, r.words) for r in one] == [(r.parameter, r.words) for r in other]
    assert any(r.shown for r in one)
    assert not any(r.shown for r in other), "where nothing holds out of sample, nothing is claimed"


def test_configurations_are_never_split_between_choosing_and_checking():
    rng = np.random.default_rng(1)
    units = rng.permutation(np.repeat(np.arange(30), 7))
    half = first_half(rng.integers(0, 10**9, 30)[units], np.arange(210), units)
    assert all(np.unique(half[units == u]).size == 1 for u in range(30))
    assert half.sum() == 105
    assert first_half(np.zeros(401, dtype=np.int64), np.arange(401), None).sum() == 201


@pytest.mark.parametrize(("n_configs", "runs", "holds"), [(400, 1, None), (120, 5, None)])
def test_the_order_of_rows_changes_no_range(n_configs, runs, holds):
    data = frame(n_configs, runs)
    mixed = data.sample(frac=1.0, random_state=3).reset_index(drop=True)
    unit = "row" if runs == 1 else "configuration"
    one, other = (
        sources(ogive.read(d, score="accuracy", params="params", repeat="run", unit=unit, varied=["configuration", "seed"]), holds=holds).cell().ranges
        for d in (data, mixed)
    )  # fmt: skip
    assert one
    assert any(r.shown for r in one) or runs > 1
    assert [(r.parameter, r.target, r.words, r.doubts, r.p_value) for r in one] == [
        (r.parameter, r.target, r.words, r.doubts, r.p_value) for r in other
    ]
    for r, s in zip(one, other, strict=True):
        assert (s.gain.low, s.gain.high) == pytest.approx((r.gain.low, r.gain.high), rel=1e-9)


def collapsing(n, rate, seed, **choices):
    """No parameter matters; a few runs collapse."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"lr": rng.random(n), "width": rng.random(n), "run": np.arange(n)})
    data["score"] = np.where(rng.random(n) < rate, 0.1, 0.9) + 0.02 * rng.normal(size=n)
    return ogive.read(data, score="score", params=["lr", "width"], repeat="run", unit="row", varied=["configuration"], goal="maximize", **choices)  # fmt: skip


def test_no_range_is_offered_after_no_effect_was_shown():
    """Before ranges were tested by permutation, one such table in seven had one."""
    for seed in range(12):
        cell = sources(collapsing(1000, 0.03, seed), holds={}).cell()
        assert all(r.effect_shown or not r.shown for r in cell.ranges)


def half_bad(n, drop, bounds, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"lr": rng.random(n), "run": np.arange(n)})
    data["score"] = 0.8 + 0.02 * rng.normal(size=n) - drop * (data["lr"] < 0.5)
    return ogive.read(data, score="score", params=["lr"], repeat="run", unit="row", varied=["configuration"], goal="maximize", bounds=bounds)  # fmt: skip


def test_a_gain_that_an_unseen_collapse_would_undo_is_not_suggested():
    free, bound = (sources(half_bad(300, 0.05, b), holds={}).cell() for b in (None, (0, 1)))
    shown = next(r for r in free.ranges if r.target == "median")
    hidden = next(r for r in bound.ranges if r.target == "median")
    assert shown.shown
    assert shown.unseen_cost is None
    assert f"{shown.n_kept} runs" in free.sentences[-1]
    assert shown.unseen == pytest.approx(1 - 0.05 ** (1 / shown.n_kept))
    assert hidden.doubts == ("collapse",)
    assert hidden.unseen_cost == pytest.approx(hidden.unseen * hidden.after)
    assert (1 - 0.05 ** (1 / hidden.n_needed)) * hidden.after <= hidden.gain.estimate
    assert (1 - 0.05 ** (1 / (hidden.n_needed - 1))) * hidden.after > hidden.gain.estimate
    assert f"{hidden.n_needed:,} runs" in bound.sentences[-1]
    assert not hidden.shown
    large = next(r for r in sources(half_bad(2000, 0.05, (0, 1)), holds={}).cell().ranges if r.target == "median")
    assert large.shown, "more runs leave less room"


def test_a_range_carries_facts_and_words_are_made_of_them():
    r = next(r for r in sources(half_bad(400, 0.2, None), holds={}).cell().ranges if r.shown)
    assert r.words == f"lr ≥ {r.low:g}"
    held = r.to_dict()
    assert held["p_value"] == r.p_value <= 0.05
    assert held["doubts"] == []
    assert (r.labels, r.n_values, r.instead_of) == ((), None, "the whole range of lr")


def test_no_range_is_claimed_where_parameters_have_no_effect():
    assert false_claims(300, 1, 60) <= 0.1  # 0.05 gives more once in fifty times; the table has 500


def test_a_planted_range_is_found_and_its_interval_holds_the_true_gain():
    found, held = planted_gains(1000, 40)
    assert found > 0.5
    assert held > 0.88


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "runs", "digits"), [(200, 1, None), (400, 1, None), (400, 1, 1), (200, 5, None)])
def test_false_claims_are_rarer_than_one_in_twenty(n, runs, digits):
    assert false_claims(n, runs, 2000, digits) < 0.05


def test_a_parameter_that_is_not_always_set_is_judged_where_it_is():
    cell = sources(table(1500), holds={}).cell()
    degree = next(e for e in cell.effects if e.parameter == "degree")
    assert degree.present == pytest.approx(0.25, abs=0.05)
    assert sum(b.n for b in degree.bins) == pytest.approx(1500 * degree.present)
    assert [b.label for b in degree.bins] == ["2", "3", "4", "5"]


def test_bins_hold_about_equally_many_runs_and_short_numbers_bound_them():
    c = next(e for e in sources(table(1600), holds={}).cell().effects if e.parameter == "C")
    assert c.log
    assert [b.n for b in c.bins] == pytest.approx([200] * 8, abs=40)
    assert all(len(f"{b.low:g}") <= 5 for b in c.bins[1:])


def test_runs_of_one_configuration_count_once_in_effects():
    once, often = (sources(table(100, runs), holds=h).cell() for runs, h in ((1, {}), (10, EVERY_TEN)))
    assert {b.median.n for b in often.effects[0].bins} == {b.median.n for b in once.effects[0].bins}
    assert often.effects[0].explained.n == 100


def test_the_budget_goes_to_configurations_unless_they_are_dear():
    cell = sources(table(100, 10), holds=EVERY_TEN).cell()
    s = cell.shares.of("configuration").share.estimate
    assert cell.allocate(1000).repeats == 1
    dear = cell.allocate(1000, cost_ratio=400.0)
    brute = min(range(1, 500), key=lambda r: (s + (1 - s) / r) * (400 + r))
    assert dear.repeats == brute > 1
    assert dear.repeats_low <= dear.repeats <= dear.repeats_high
    assert dear.configurations == int(1000 // (400 + brute))
    told = sources(table(100, 10), holds=EVERY_TEN, budget=1000, cost_ratio=400.0).cell()
    assert str(told.allocation) == told.sentences[-1]
    with pytest.raises(InputError, match="budget"):
        sources(table(), holds={}).cell().allocate(100)
    for wrong in ({"budget": 1}, {"budget": 100, "cost_ratio": -1}):
        with pytest.raises(InputError):
            cell.allocate(**wrong)


def test_a_table_without_parameters_says_so():
    trials = ogive.read({"svm": list(np.random.default_rng(0).normal(size=30))}, unit="row")
    cell = sources(trials).cell()
    assert "study.hold" in cell.missing.way
    assert "params=" in str(cell.missing)
    assert cell.effects == ()
    assert len(cell.sentences) == 2


def test_a_table_with_one_configuration_says_so():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"score": rng.normal(size=20), "lr": [0.1] * 20})
    cell = sources(ogive.read(data, score="score", params=["lr"], unit="row")).cell()
    assert cell.missing.way.startswith("Run study.hold")
    assert "20 runs" in cell.missing.why
    assert cell.effects == ()


def test_constant_scores_are_refused_or_named():
    with pytest.raises(InputError, match="all 20 scores"):
        sources(
            ogive.read(pd.DataFrame({"score": [1.0] * 20, "lr": range(20)}), score="score", params=["lr"], unit="row")
        )
    two = sources(ogive.read({"flat": [0.5] * 9, "free": list(np.arange(9.0))}, unit="row"))
    flat = two.cell("flat")
    assert (flat.shares, flat.effects, len(flat.sentences)) == (None, (), 1)
    assert "0.500" in flat.sentences[0]


def test_one_row_for_each_cell_says_so():
    trials = ogive.read({"a": {"x": [0.1], "y": [0.2]}, "b": {"x": [0.3], "y": [0.5]}}, unit="row")
    found = sources(trials)
    assert len(found.cells) == 4
    assert found.cell("a", "x").missing is not None
    assert len(found.cell("a", "x").sentences) == 1


def test_failures_count_by_the_usual_rule():
    data = frame(200)
    data.loc[:19, "accuracy"] = np.nan
    read = {"score": "accuracy", "params": "params", "repeat": "run", "unit": "row", "varied": ["configuration"]}
    trials = ogive.read(data, **read, bounds=(-1, 2))
    with pytest.raises(FailedTrials):
        sources(trials)
    assert sources(trials, failures="exclude").cell().n == 180
    counted = sources(trials, failures="worst", holds={})
    assert counted.cell().n == 200
    assert (counted.cell().n_failed, counted.failed.worst["accuracy"]) == (20, -1)
    assert counted.to_dict()["failures"] == "worst"
    with pytest.raises(InputError, match="variance is undefined"):
        sources(ogive.read(data, **read), failures="worst", holds={})


def test_adaptive_tables_and_wrong_names_are_refused():
    with pytest.raises(InputError, match="adaptive sampler"):
        sources(table(30, independent=False))
    for wrong in (
        {"algorithm": "x"},
        {"task": "x"},
        {"metric": "x"},
        {"holds": {"weather": 1}},
        {"holds": {"config": "x"}},
    ):
        with pytest.raises(InputError):
            sources(table(30), **wrong)
    with pytest.raises(InputError, match="a path"):
        sources([1, 2, 3])


def test_the_result_is_a_table_and_json():
    found = sources(table(100, 10), holds=EVERY_TEN, budget=500)
    rows = found.to_pandas()
    assert set(rows["kind"]) >= {"share", "explained"}
    assert (rows["low"] <= rows["estimate"] + 1e-12).all()
    curves = found.curves()
    assert {"parameter", "value", "median", "median_low", "worst_0.1_high"} <= set(curves.columns)
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert held["schema"] == 1
    assert held["allocation"][0]["repeats"] == 1
    assert repr(found) == "Sources(1 cell, 4 effects)"
    assert "&lt;" in sources(table(200), holds={})._repr_html_() or "explains" in found._repr_html_()


def test_the_same_table_gives_the_same_numbers():
    one, other = (sources(table(60, 10), holds=EVERY_TEN).to_dict() for _ in range(2))
    assert one == other


@pytest.mark.slow
def test_a_hundred_thousand_rows_take_seconds():
    import time

    trials = table(100_000)
    start = time.perf_counter()
    sources(trials, holds={})
    assert time.perf_counter() - start < 30


def test_sources_that_act_together_are_named_as_they_are_called():
    """A name that holds the sign between names was taken for two."""
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(6), 10), np.tile(np.repeat(np.arange(5), 2), 6)
    together = rng.normal(size=(6, 5))[rows, columns]
    found = variance_shares(together + rng.normal(scale=0.1, size=60), {"a × b": rows, "split": columns}, rng=rng)
    (component,) = (c for c in found.components if not c.sources and c.interaction)
    assert set(component.interaction) == {"a × b", "split"}


def test_a_parameter_that_is_bad_at_both_ends_is_blamed_for_both():
    lr = 10 ** np.random.default_rng(0).uniform(-5, -1, 60)
    runs = pd.DataFrame({"lr": lr, "score": 0.9 - 0.1 * np.abs(np.log10(lr) + 3)})
    cell = sources(ogive.read(runs, score="score", params=["lr"], unit="row", varied="configuration")).cell()
    worse = cell.effects[0].made_bad
    assert worse.spans == ((None, 0.0001), (0.01, None))
    assert worse.covered == 1.0
    assert "lr < 0.0001 or lr ≥ 0.01 " in " ".join(cell.sentences)


def test_what_makes_a_part_of_the_worse_half_is_blamed_for_a_part():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"kind": np.repeat(["a", "b", "c", "d", "e"], 40), "score": rng.normal(0.8, 0.05, 200)})
    runs.loc[runs["kind"] == "a", "score"] = 0.1 + 0.01 * rng.random(40)
    runs["tol"] = rng.random(200)
    trials = ogive.read(runs, score="score", params=["kind", "tol"], unit="row", varied="configuration")
    said = " ".join(sources(trials).sentences)
    assert "is partly made by kind = a (100 % of such runs; 40 % of the worse half)" in said


def folds(n_seeds):
    """Ten times tenfold cross-validation, in which all that differs is the data."""
    rng = np.random.default_rng(0)
    rows = [
        {"model": "A", "repeat": r, "fold": f, "seed": s, "auc": base + rng.normal(0, 0.001)}
        for r in range(10) for f in range(10) for base in [rng.normal(0.85, 0.03)] for s in range(n_seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_fold_of_another_repeat_is_other_data():
    assert sources(folds(1)).cell().shares is None
    shares = sources(folds(3)).cell().shares
    assert shares.of("data").n_levels == 100
    assert shares.of("data").share.estimate > 0.99


def curves_by_size():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        [
            {"model": m, "n_train": n, "seed": s, "accuracy": 0.9 - 1 / n**0.5 + rng.normal(0, 0.02)}
            for m in ("ridge", "mlp") for s in range(20) for n in (20, 50, 100, 200, 500)
        ]
    )  # fmt: skip


def test_a_column_that_splits_the_runs_is_asked_about_as_elsewhere():
    with pytest.raises(InputError, match="'n_train' splits the runs"):
        sources(ogive.read(curves_by_size()))
    assert sources(ogive.read(curves_by_size(), params=["n_train"])).cell("mlp").shares is not None


def test_bins_of_whole_numbers_share_none_and_say_that_they_are_ranges():
    rng = np.random.default_rng(0)
    rows = [{"epoch": e, "seed": s, "acc": e / 10 + rng.normal(0, 0.01)} for s in range(4) for e in range(1, 11)]
    cell = sources(ogive.read(pd.DataFrame(rows), score="acc", params=["epoch"], repeat="seed")).cell()
    assert [b.label for b in cell.effects[0].bins] == ["1 to 5", "6 to 10"]
    assert "epoch (in 2 ranges) explains" in " ".join(cell.sentences)


def test_a_column_of_items_is_one_source():
    rng = np.random.default_rng(0)
    rows = [{"solver": "a", "instance": i, "gap": i + rng.normal()} for i in range(25) for _ in range(2)]
    shares = sources(ogive.read(pd.DataFrame(rows), score="gap", item="instance")).cell().shares
    assert [c.sources for c in shares.components if c.sources] == [("instance",), ("everything else",)]


def test_advice_is_given_once_and_not_for_what_was_said():
    rows = [{"agent": a, "seed": s, "score": s + len(a)} for a in ("x", "yy", "zzz") for s in range(5)]
    found = sources(ogive.read(pd.DataFrame(rows), score="score", repeat="seed"))
    assert str(found).count("Name them when reading") == str(found).count("names no hyper-parameters") == 1
    assert "repeat=" not in found.cells[0].missing.way
    assert "params=" in found.cells[0].missing.way


def searched(n, shift, seed=0):
    """A search over a learning rate that explains nearly all, and an optimizer that shifts the loss."""
    rng = np.random.default_rng(seed)
    lr, optimizer, width = 10 ** rng.uniform(-5, 0, n), rng.choice(["adam", "sgd"], n), rng.choice([1, 2, 3], n)
    loss = 0.3 + 0.12 * (np.log10(lr) + 3) ** 2 + rng.normal(0, 0.05, n) + shift * (optimizer == "sgd")
    return pd.DataFrame({"param_lr": lr, "param_optimizer": optimizer, "param_width": width, "val_loss": loss})


def test_sources_shows_the_effect_of_a_parameter_that_compare_tells_apart():
    table = searched(150, 0.12)
    found = ogive.sources(ogive.read(table, unit="row"))
    (cell,) = found.cells
    by_name = {e.parameter: e for e in cell.effects}
    shown = {name for name, e in by_name.items() if e.shown}
    assert shown == {"param_lr", "param_optimizer"}
    by_optimizer = ogive.read(table, algorithm="param_optimizer", score="val_loss", unit="row")
    assert ogive.compare(by_optimizer, "adam", "sgd").conclusion == "better"
    said = " ".join(found.sentences)
    assert "no effect of param_width can be shown, judged together with the others" in said
    if by_name["param_optimizer"].explained.low == 0.0:
        assert "param_optimizer has an effect on the order of the runs" in said


@pytest.mark.statistical
def test_parameters_without_effect_are_seldom_shown_to_have_one():
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(400):
        table = searched(60, 0.0, int(rng.integers(2**31))).assign(val_loss=rng.exponential(size=60))
        (cell,) = ogive.sources(ogive.read(table, unit="row")).cells
        wrong += any(e.shown for e in cell.effects)
    assert wrong <= 40  # about 0.05 of tables, at most 0.1
