"""The pendulum, Actor-Critic and PPO as tasks and algorithms of a study."""

import math

import numpy as np
import pytest
from scipy import stats

import ogive
from ogive.errors import InputError
from ogive.rl import actor_critic, pendulum, ppo
from ogive.rl._linear import n_features
from ogive.runner import run
from ogive.seeding import stream
from ogive.study import Study

SHORT = {"episodes": 3, "steps": 200}


def study(*algorithms, seed=7, **task):
    return Study("swing-up", algorithms or (actor_critic(), ppo()), pendulum(**{**SHORT, **task}), seed=seed)


def outcomes(algorithm, n, *, seed=7, first=0, **task):
    """What a batch of trials gives, with their series."""
    cell = study(algorithm, seed=seed, **task).cell(algorithm.name, "pendulum")
    trials = range(first, first + n)
    rngs = [stream(seed, "train", "pendulum", algorithm.name, i) for i in trials]
    return algorithm.evaluate_many([cell.config(i) for i in trials], [cell.draw(i) for i in trials], rngs)


# ---------------------------------------------------------------- a study like any other


@pytest.fixture(scope="module")
def expected():
    return run(study(), 70, workers=0, chunk=1, progress=False)


@pytest.mark.parametrize(("workers", "chunk"), [(0, 7), (1, 64), (2, None)])
def test_the_table_does_not_depend_on_lanes_chunks_or_workers(expected, workers, chunk):
    found = run(study(), 70, workers=workers, chunk=chunk, progress=False)
    columns = ["algorithm", "task", "trial", "status", "params", "return", "diverged"]
    assert found.table.select(columns).to_pylist() == expected.table.select(columns).to_pylist()
    for name in ("Actor-Critic", "PPO"):
        one, other = (trials.series(name, "pendulum", "returns") for trials in (found, expected))
        assert all(np.array_equal(one[i], other[i]) for i in range(70))


def test_each_trial_has_its_scores_and_the_return_of_each_episode(expected):
    assert set(expected.table.column("status").to_pylist()) == {"ok"}
    curves = expected.series("PPO", "pendulum", "returns")
    scores = expected.scores("PPO", "pendulum", "return")
    np.testing.assert_allclose([curves[i].mean() for i in range(70)], scores)
    assert expected.goals["return"] == "maximize"
    assert expected.goals["diverged"] == "minimize"


def test_marks_are_means_over_the_first_episodes():
    for algorithm in (actor_critic(marks=(1, 2, 50)), ppo(marks=(1, 2, 50))):
        cell = study(algorithm).cell(algorithm.name, "pendulum")
        found = algorithm.evaluate(cell.config(0), cell.draw(0), cell.rng(0))
        returns = found.series["returns"].values
        assert set(found.scores) == {"return", "return_1", "return_2", "diverged"}
        assert found.scores["return_2"] == returns[:2].mean()
        assert found.scores["return"] == returns.mean()
    assert not actor_critic(series=False).evaluate(*_first(actor_critic(series=False))).series


def _first(algorithm):
    cell = study(algorithm).cell(algorithm.name, "pendulum")
    return cell.config(0), cell.draw(0), cell.rng(0)


def test_first_angles_are_the_same_for_all_algorithms_and_for_an_agent_of_ones_own():
    def lazy(config, env, rng):
        total = []
        for _ in range(env.n_episodes):
            env.reset()
            rewards, over = [], False
            while not over:
                _, reward, over = env.step(0.0)
                rewards.append(reward)
            total.append(sum(rewards))
        return {"return": np.mean(total)}

    # Steps of zero and no spread to speak of: neither learns, neither pushes.
    still = {
        "dependent_order": [0],
        "independent_order": [0],
        "lambda": [0.0],
        "actor_step": [0.0],
        "critic_step": [0.0],
    }
    resting = actor_critic(still, spread=1e-9, precision="float64", name="resting")
    unmoved = {**still, "rate": [0.0], "log2_horizon": [4.0], "epochs": [1], "batch": [8], "clip": [0.2]}
    asleep = ppo({k: v for k, v in unmoved.items() if "step" not in k}, spread=1e-9, precision="float64", name="asleep")
    algorithms = (resting, asleep, ogive.Algorithm("lazy", lazy, metrics={"return": "maximize"}))
    trials = run(Study("still", algorithms, pendulum(**SHORT), seed=1), 5, workers=0, progress=False)
    scores = [trials.scores(name, "pendulum", "return") for name in ("resting", "asleep", "lazy")]
    np.testing.assert_allclose(scores[0], scores[2], rtol=1e-5)
    np.testing.assert_allclose(scores[1], scores[2], rtol=1e-5)
    assert np.ptp(scores[2]) > 1


def test_a_trial_that_diverges_is_counted_and_its_neighbors_do_not_notice():
    orders = {"dependent_order": [5], "independent_order": [5], "lambda": [0.9]}
    mixed = actor_critic({**orders, "actor_step": [0.01], "critic_step": [1e-3, 50.0]})
    found = outcomes(mixed, 40)
    cell = study(mixed).cell("Actor-Critic", "pendulum")
    bad = np.array([cell.config(i)["critic_step"] > 1 for i in range(40)])
    assert 5 < bad.sum() < 35
    assert np.array_equal([o.scores["diverged"] == 1.0 for o in found], bad)
    assert all(np.isfinite(o.series["returns"].values).all() for o in found)
    calm = np.flatnonzero(~bad)
    alone = [mixed.evaluate(cell.config(int(i)), cell.draw(int(i)), cell.rng(int(i))) for i in calm[:5]]
    assert [o.scores for o in alone] == [found[i].scores for i in calm[:5]]


def test_choices_of_the_pendulum_change_what_happens():
    usual = [o.scores["return"] for o in outcomes(actor_critic(), 4)]
    for choice in (
        {"integrator": "explicit"}, {"start": "bottom"}, {"bootstrap": True}, {"speed_scale": 5.0}, {"gravity": 5.0},
        {"friction": 0.5}, {"torque": 2.0}, {"time_step": 0.02},
    ):  # fmt: skip
        assert [o.scores["return"] for o in outcomes(actor_critic(), 4, **choice)] != usual


def test_choices_of_the_algorithms_change_what_happens():
    for make, choices in (
        (actor_critic, [{"discount": 0.9}, {"policy": (2, 2)}, {"spread": 0.5}, {"train_spread": True}, {"per_feature": True}]),
        (ppo, [{"remainder": "keep"}, {"remainder": "cap"}, {"value_weight": 0.1}, {"falling_rate": True}, {"epsilon": 1e-3}]),
    ):  # fmt: skip
        cell = study(make()).cell(make().name, "pendulum")
        usual = [make().evaluate(cell.config(i), cell.draw(i), cell.rng(i)).scores["return"] for i in range(8)]
        for choice in choices:
            other = make(**choice)
            found = [other.evaluate(cell.config(i), cell.draw(i), cell.rng(i)).scores["return"] for i in range(8)]
            assert found != usual, choice
            assert other.fingerprint() != make().fingerprint()


# ---------------------------------------------------------------- spaces of the paper


def test_the_spaces_are_those_of_the_paper():
    cells = {name: study().cell(name, "pendulum") for name in ("Actor-Critic", "PPO")}
    drawn = {name: [cell.config(i) for i in range(3000)] for name, cell in cells.items()}
    for configs in drawn.values():
        assert len({(c["dependent_order"], c["independent_order"]) for c in configs}) == 121
        assert stats.kstest([c["lambda"] for c in configs], "uniform").pvalue > 1e-4
    for step in ("actor_step", "critic_step"):
        assert stats.kstest([(math.log10(c[step]) + 4) / 3 for c in drawn["Actor-Critic"]], "uniform").pvalue > 1e-4
    ppos = drawn["PPO"]
    assert stats.kstest([(math.log10(c["rate"]) + 5) / 3 for c in ppos], "uniform").pvalue > 1e-4
    assert ({c["epochs"] for c in ppos}, {c["batch"] for c in ppos}) == (set(range(1, 16)), set(range(8, 65)))
    horizons = [round(2 ** c["log2_horizon"]) for c in ppos]
    assert (min(horizons), max(horizons)) == (16, 256)
    never = np.mean([c["batch"] > h for c, h in zip(ppos, horizons, strict=True)])
    assert abs(never - 0.26) < 0.03  # the published code never learns with these


@pytest.mark.parametrize(
    ("make", "choice", "said"),
    [
        (pendulum, {"integrator": "verlet"}, "`integrator` must be 'semi-implicit' or 'explicit'; got 'verlet'"),
        (pendulum, {"time_step": 0}, "`time_step` must be a number above 0; got 0"),
        (pendulum, {"episodes": 0}, "`episodes`"),
        (actor_critic, {"precision": "half"}, "`precision` must be 'float32' or 'float64'; got 'half'"),
        (actor_critic, {"discount": 1.5}, r"`discount` must lie in \[0, 1\]; got 1.5"),
        (actor_critic, {"policy": 5}, "`policy` must be two orders, dependent and independent; got 5"),
        (ppo, {"remainder": "lose"}, "`remainder` must be 'drop', 'keep', 'cap'; got 'lose'"),
        (ppo, {"spread": 0}, "`spread` must be a number above 0; got 0"),
    ],
)
def test_refusals_name_the_argument(make, choice, said):
    with pytest.raises(InputError, match=said):
        make(**choice)


def test_an_episode_that_is_over_is_not_stepped():
    (env,) = pendulum(episodes=1, steps=1).draw(np.random.default_rng(0))
    with pytest.raises(InputError, match="reset"):
        env.step(0.0)
    env.reset()
    env.step(0.0)
    with pytest.raises(InputError, match="the episode is over"):
        env.step(0.0)


def test_features_are_counted_as_by_the_kernels():
    from ogive.kernels._fourier import n_features as compiled

    assert all(n_features(d, i) == compiled(d, i) for d in range(8) for i in range(8))


# ---------------------------------------------------------------- what is learned


@pytest.mark.slow
def test_the_best_learned_policies_hold_the_pendulum_up():
    """A perfect policy loses what swinging up costs: 2000 less some 150."""
    found = outcomes(actor_critic(), 512, episodes=150, steps=2000)
    late = np.array([o.series["returns"].values[-20:].mean() for o in found])
    assert 1800 < late.max() < 1950


def alike(one, other):
    """The p-value of a test that two samples have one distribution, by their empirical distributions."""
    return stats.ks_2samp(one, other).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("make", [actor_critic, ppo])
def test_both_precisions_have_one_distribution_of_scores(make):
    n, task = 2000, {"episodes": 5, "steps": 1000}
    scores = []
    for precision, first in (("float32", 0), ("float64", n)):  # other trials, so that the samples are independent
        algorithm = make(precision=precision, series=False)
        if algorithm.batch > 1:
            found = outcomes(algorithm, n, first=first, **task)
        else:
            cell = study(algorithm, **task).cell(algorithm.name, "pendulum")
            found = [algorithm.evaluate(cell.config(i), cell.draw(i), cell.rng(i)) for i in range(first, first + n)]
        scores.append(np.array([o.scores["return"] for o in found]))
    assert alike(*scores) > 1e-4
    assert alike(scores[0], scores[1] + 0.25 * scores[1].std()) < 1e-4
