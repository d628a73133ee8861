"""Environments of Gymnasium as tasks: budgets, seeds, scores, and agents that do not do as they should."""

import builtins
import math
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec, WrapperSpec

import ogive
from ogive.errors import InputError, InvalidScores, MissingDependency, StoreConflict
from ogive.rl import BudgetUsed, gymnasium_task
from ogive.runner import run
from ogive.store import Store, is_store
from ogive.study import Study

CART = "CartPole-v1"


class Corridor(gymnasium.Env):
    """Walk right four times; each step costs 1. `noise` is in the first observation."""

    observation_space = gymnasium.spaces.Box(-9.0, 9.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, reward=-1.0, length=4):
        self.reward, self.length = reward, length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.noise = 0, self.np_random.normal()
        return np.array([0.0, self.noise]), {}

    def step(self, action):
        self.place += int(action)
        return np.array([self.place, self.noise]), self.reward, self.place >= self.length, False, {"place": self.place}


def corridor(**choices):
    given = {"episode_steps": 10, **choices}
    if "steps" not in given:
        given.setdefault("episodes", 20)
    return gymnasium_task(Corridor, **given)


def wanderer(config, env, rng):
    while not env.used_up:
        env.reset()
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(int(rng.random() < 0.6))
            over = terminated or truncated


def outcome(agent, task, trial=0, **algorithm):
    study = Study("one", ogive.Algorithm("mine", agent, **algorithm), task, seed=3)
    cell = study.cell("mine", task.name)
    return cell.algorithm.evaluate(cell.config(trial), cell.draw(trial), cell.rng(trial))


def row(agent, task, **algorithm):
    """Status and message of one trial."""
    study = Study("one", ogive.Algorithm("mine", agent, **algorithm), task, seed=3)
    (found,) = run(study, 1, workers=0, progress=False).table.select(["status", "message"]).to_pylist()
    return found["status"], found["message"]


# ---------------------------------------------------------------- what counts


def test_scores_are_made_of_the_returns_of_all_episodes():
    found = outcome(wanderer, corridor(episodes=20, window=5))
    assert set(found.series) == {"returns"}
    returns = found.series["returns"].values
    lengths = -returns
    assert len(returns) == 20
    assert found.scores["return"] == pytest.approx(returns.mean())
    assert found.scores["final_return"] == pytest.approx(returns[-5:].mean())
    assert found.scores["best_return"] == pytest.approx(max(returns[i : i + 5].mean() for i in range(16)))
    assert lengths.min() >= 4
    assert lengths.max() <= 10  # `episode_steps` holds


@pytest.mark.parametrize(("episodes", "window", "last"), [(20, None, 2), (5, None, 1), (20, 20, 20)])
def test_a_window_is_a_tenth_of_the_episodes_or_what_was_asked(episodes, window, last):
    found = outcome(wanderer, corridor(episodes=episodes, window=window))
    assert found.scores["final_return"] == pytest.approx(found.series["returns"].values[-last:].mean())


def test_a_window_beyond_the_episodes_of_a_budget_of_steps_takes_all():
    found = outcome(wanderer, corridor(steps=60, window=1000))
    assert found.scores["return"] == pytest.approx(found.scores["final_return"])
    assert found.scores["return"] == pytest.approx(found.scores["best_return"])


def test_an_episode_that_the_budget_of_steps_cuts_off_is_not_scored():
    seen = []

    def walker(config, env, rng):  # 4 steps an episode
        while not env.used_up:
            env.reset()
            over = False
            while not over:
                *_, terminated, truncated, info = env.step(1)
                over = terminated or truncated
                seen.append((terminated, truncated, info.get("budget_used", False)))

    found = outcome(walker, corridor(steps=14))
    np.testing.assert_array_equal(found.series["lengths"].values, [4, 4, 4])
    np.testing.assert_array_equal(found.series["returns"].values, [-4, -4, -4])
    assert len(seen) == 14
    assert seen[-1] == (False, True, True)
    assert seen[3] == (True, False, False)
    seen.clear()
    assert len(outcome(walker, corridor(steps=12)).series["returns"]) == 3
    assert seen[-1] == (True, False, True)  # it ended of itself


def test_the_environment_is_stepped_as_without_ogive():
    def agent(config, env, rng):
        rewards = []
        for _ in range(env.n_episodes):
            env.reset()
            plain = gymnasium.make(CART)
            plain.reset()
            plain.unwrapped.state = tuple(env.unwrapped.state)
            over = False
            while not over:
                action = int(rng.integers(2))
                ours, theirs = env.step(action), plain.step(action)
                np.testing.assert_array_equal(ours[0], theirs[0])
                assert ours[1:4] == theirs[1:4]
                rewards.append(theirs[1])
                over = ours[2] or ours[3]
        return {"sum": sum(rewards)}

    found = outcome(agent, gymnasium_task(CART, episodes=3))
    assert found.scores["sum"] == found.series["returns"].values.sum()


# ---------------------------------------------------------------- seeds


def test_episodes_start_alike_for_all_agents_however_long_they_are():
    starts = {}

    def noting(name, probability):
        def agent(config, env, rng):
            env.action_space.sample()
            while not env.used_up:
                starts.setdefault(name, []).append(env.reset(seed=1)[0][1])  # this seed is not used
                over = False
                while not over:
                    *_, terminated, truncated, _ = env.step(int(rng.random() < probability))
                    over = terminated or truncated

        return ogive.Algorithm(name, agent)

    run(Study("seeds", [noting("fast", 1.0), noting("slow", 0.4)], corridor()), 3, workers=0, progress=False)
    assert starts["fast"] == starts["slow"]
    assert len(set(starts["fast"])) == 60


def test_looking_at_the_first_observation_twice_changes_nothing():
    def careful(config, env, rng):
        env.reset()
        env.reset(seed=5)
        wanderer(config, env, rng)

    assert outcome(careful, corridor()).scores == outcome(wanderer, corridor()).scores


def test_spaces_are_seeded_by_the_stream_of_the_agent_and_leave_its_numbers_alone():
    def sampler(config, env, rng):
        numbers = [rng.random(), *(env.action_space.sample() for _ in range(30))]
        wanderer(config, env, rng)
        return {"first": numbers[0], "drawn": ogive.algorithms.Series(numbers[1:])}

    one, again, other = (outcome(sampler, corridor(), trial=i) for i in (0, 0, 1))
    assert np.array_equal(one.series["drawn"].values, again.series["drawn"].values)
    assert not np.array_equal(one.series["drawn"].values, other.series["drawn"].values)
    study = Study("one", ogive.Algorithm("mine", sampler), corridor(), seed=3)
    assert one.scores["first"] == study.cell("mine", "Corridor").rng(0).random()
    held = study.hold(data=0).cell("mine", "Corridor")
    held_other = held.algorithm.evaluate({}, held.draw(1), held.rng(1))
    assert not np.array_equal(held_other.series["drawn"].values, one.series["drawn"].values)


def a_study():
    def learner(config, env, rng):
        weights = np.zeros(4)
        while True:  # it is ended by the environment
            (state, _), over = env.reset(), False
            trial = weights[: len(state)] + config["spread"] * rng.normal(size=len(state))
            while not over:
                action = int(trial @ state > 0) if rng.random() < 0.9 else env.action_space.sample()
                state, _, terminated, truncated, _ = env.step(action)
                over = terminated or truncated
            weights[: len(state)] = trial

    return Study(
        "pole",
        [ogive.Algorithm("climber", learner, {"spread": [0.1, 1.0]}), ogive.Algorithm("wanderer", wanderer)],
        [gymnasium_task(CART, episodes=4), gymnasium_task(CART, steps=90, name="by steps"), corridor()],
    )


def table(trials):
    return trials.table.drop_columns(["wall_s", "cpu_s"]).to_pylist()  # an equal table has no NaN: all trials are ok


def test_any_number_of_workers_makes_the_same_table(monkeypatch):
    here = str(Path(__file__).parents[2])
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if os.path.realpath(entry) != here])
    expected = run(a_study(), 6, workers=0, chunk=1, progress=False)
    found = run(a_study(), 6, workers=2, progress=False)
    assert table(found) == table(expected)
    assert {row["status"] for row in table(expected)} == {"ok"}
    assert expected.metrics == ("return", "final_return", "best_return")
    assert set(expected.goals.values()) == {"maximize"}
    assert not expected.notes or not any("guess" in note.words() for note in expected.notes)
    for task, name in ((CART, "returns"), ("by steps", "returns"), ("by steps", "lengths")):
        ours, theirs = (t.series("climber", task, name) for t in (found, expected))
        assert all(np.array_equal(ours[i], theirs[i]) for i in range(6))


def test_several_agents_at_once_keep_a_score_each():
    class Many:
        batch = 4

        def __call__(self, config, env, rng):
            wanderer(config, env, rng)

        def evaluate_many(self, configs, draws, rngs):
            def one(env, rng):
                try:
                    wanderer({}, env, rng)
                    env.step(0)
                except BudgetUsed as end:
                    return end

            return [one(env, rng) for (env,), rng in zip(draws, rngs, strict=True)]

    trials = [run(Study("many", ogive.Algorithm("mine", a), corridor()), 6, workers=0, progress=False) for a in (Many(), wanderer)]  # fmt: skip
    assert table(trials[0]) == table(trials[1])


# ---------------------------------------------------------------- agents that do not stop, or do not go on


def test_a_step_beyond_the_budget_ends_the_agent_and_its_trial_counts():
    def endless(config, env, rng):
        while True:
            env.reset()
            over = False
            while not over:
                *_, terminated, truncated, _ = env.step(int(rng.random() < 0.6))
                over = terminated or truncated

    for task in (corridor(), corridor(steps=57)):
        assert outcome(endless, task).scores == outcome(wanderer, task).scores


def test_an_agent_that_goes_on_is_told_so_each_time():
    said = []

    def deaf(config, env, rng):
        wanderer(config, env, rng)
        for _ in range(3):
            try:
                env.reset()
                env.step(0)
            except Exception:
                said.append("an Exception")
            except BaseException as end:
                said.append(str(end))
        return {"told": len(said)}

    assert outcome(deaf, corridor()).scores["told"] == 3
    assert said == ["the 20 episodes of 'Corridor' are used up; return from the agent, or look at `env.used_up`."] * 3


@pytest.mark.parametrize("play", [lambda *given: None, lambda config, env, rng: wanderer(config, env, rng)])
def test_an_agent_that_only_resets_is_told_so(play):
    def sleeper(config, env, rng):
        play(config, env, rng)
        while True:
            env.reset()

    status, said = row(sleeper, corridor())
    assert status == "error"
    assert "'Corridor' was reset 1000 times in a row without a step; act, or return from the agent." in said


def test_the_end_that_an_agent_raises_itself_is_no_excuse():
    def liar(config, env, rng):
        raise BudgetUsed

    assert row(liar, corridor())[0] == "error"


@pytest.mark.parametrize(
    ("agent", "task", "status", "said"),
    [
        (lambda config, env, rng: None, {}, "invalid", "'mine' stopped after 0 of 20 episodes of 'Corridor'; an agent must go on"),
        (lambda config, env, rng: env.reset() and None, {"steps": 9}, "invalid", "'mine' stopped after 0 of 9 steps of 'Corridor'"),
        (wanderer, {"steps": 3}, "invalid", "finished no episode of 'Corridor' within 3 steps; allow more `steps`"),
        (wanderer, {"settings": {"reward": math.nan}}, "invalid", "'Corridor' must give rewards that are finite numbers; it gave nan in step 1 of episode 1."),
        (wanderer, {"settings": {"reward": math.inf}}, "invalid", "it gave inf in step 1"),
        (wanderer, {"settings": {"reward": None}}, "invalid", "it gave None in step 1"),
        (wanderer, {"settings": {"reward": "much"}}, "invalid", "it gave 'much' in step 1"),
        (lambda config, env, rng: 1 / 0, {}, "error", "ZeroDivisionError"),
        (lambda config, env, rng: env.step(0), {}, "error", "the episode is over; call reset() before step()."),
        (lambda config, env, rng: env, {"episodes": 1}, "invalid", "'mine' stopped after 0 of 1 episodes"),
    ],
)  # fmt: skip
def test_a_trial_that_cannot_be_scored_says_why(agent, task, status, said):
    found = row(agent, corridor(**task))
    assert found[0] == status
    assert said in found[1]


def test_an_agent_that_raises_after_some_episodes_has_failed():
    def late(config, env, rng):
        for _ in range(3):
            env.reset()
            while True:
                if env.step(1)[2]:
                    break
        raise RuntimeError("out of ideas")

    assert row(late, corridor()) == ("error", "RuntimeError: out of ideas")


def test_a_reward_that_is_no_number_cannot_be_swallowed():
    def deaf(config, env, rng):
        env.reset()
        for _ in range(5):
            try:
                env.step(1)
            except InvalidScores:
                continue
        raise RuntimeError("never mind")

    task = corridor(settings={"reward": math.nan})
    assert row(deaf, task)[0] == "error"

    def deafer(config, env, rng):
        try:
            wanderer(config, env, rng)
        except InvalidScores:
            return {"mine": 1.0}

    assert row(deafer, task)[0] == "invalid"


def test_an_episode_is_not_abandoned():
    def picky(config, env, rng):
        env.reset()
        env.step(0)
        env.reset()

    status, said = row(picky, corridor())
    assert status == "error"
    assert "episode 1 of 'Corridor' is not over after 1 steps" in said
    assert "`episode_steps`" in said


def test_what_an_agent_returns_stands_beside_the_score():
    def talker(config, env, rng):
        wanderer(config, env, rng)
        return {"updates": 17, "losses": ogive.algorithms.Series([3.0, 2.0])}

    found = outcome(talker, corridor())
    assert list(found.scores) == ["return", "final_return", "best_return", "updates"]
    assert set(found.series) == {"returns", "losses"}
    assert found.scores["updates"] == 17


@pytest.mark.parametrize(
    ("returned", "metrics", "said"),
    [
        ({"return": 9.0}, None, "'mine' must leave 'return' to its environment, which counts it"),
        ({"returns": ogive.algorithms.Series([1.0])}, None, "must leave 'returns' to its environment"),
        (9.0, {"return": "maximize"}, "must leave 'return' to its environment"),
        ("a model", None, "must return a number"),
    ],
)
def test_an_agent_does_not_score_itself(returned, metrics, said):
    def boaster(config, env, rng):
        wanderer(config, env, rng)
        return returned

    status, message = row(boaster, corridor(), metrics=metrics)
    assert status == "invalid"
    assert said in message


@pytest.mark.parametrize("make", [ogive.rl.actor_critic, ogive.rl.ppo])
def test_kernels_of_the_pendulum_say_that_they_know_nothing_else(make):
    study = Study("other", make(), corridor(), seed=3)
    found = run(study, 2, workers=0, progress=False).table.select(["status", "message"]).to_pylist()
    said = "InputError: whole trials in a kernel know `ogive.rl.pendulum()` alone; the task drew a CountedEnvironment."
    assert found == [{"status": "error", "message": said}] * 2


def test_environments_are_closed_whatever_happens():
    opened, closed = [], []

    class Door(Corridor):
        def reset(self, **given):
            opened.append(id(self))
            return super().reset(**given)

        def close(self):
            closed.append(id(self))

    def breaker(config, env, rng):
        env.reset()
        raise RuntimeError("broken")

    for agent in (wanderer, breaker, lambda config, env, rng: env.reset() and None):
        opened.clear(), closed.clear()
        row(agent, gymnasium_task(Door, episodes=2, episode_steps=5))
        assert opened
        assert set(opened) <= set(closed)


# ---------------------------------------------------------------- tasks that are refused


class Vector(gymnasium.vector.VectorEnv):
    num_envs = 4


@pytest.mark.parametrize(
    ("environment", "choice", "said"),
    [
        (CART, {}, "the budget of an environment must be either `episodes` or `steps`; got neither."),
        (CART, {"episodes": 5, "steps": 5}, "either `episodes` or `steps`; got both."),
        (CART, {"episodes": 0}, "`episodes`"),
        (CART, {"steps": 2.5}, "`steps`"),
        (CART, {"episodes": 5, "window": 6}, "`window` must be at most `episodes`, 5; got 6."),
        (CART, {"episodes": 5, "episode_steps": 0}, "`episode_steps`"),
        (CART, {"episodes": 5, "settings": [1]}, "`settings` must map names to values; got list."),
        (CART, {"episodes": 5, "settings": {"max_episode_steps": 9}}, "must not hold 'max_episode_steps': use `episode_steps`."),
        (CART, {"episodes": 5, "settings": {"num_envs": 4}}, "an agent gets one environment at a time"),
        (CART, {"episodes": 5, "settings": {"speed": 4}}, "the environment 'CartPole-v1' cannot be made"),
        ("CartPull-v1", {"episodes": 5}, "'CartPull-v1' cannot be made: Environment `CartPull` doesn't exist. Did you mean: `CartPole`?"),
        ("CartPole-v99", {"episodes": 5}, "Environment version `v99` for environment `CartPole` doesn't exist"),
        ("nowhere_to_be_found:Cart-v0", {"episodes": 5}, "No module named 'nowhere_to_be_found'"),
        ("Blackjack-v1", {"episodes": 5}, "'Blackjack-v1' does not say how long an episode may be, and 5 episodes might never end"),
        (Corridor, {"episodes": 5}, "'Corridor' does not say how long an episode may be"),
        (7, {"episodes": 5}, "`environment` must be an id of Gymnasium, or a function that makes an environment; got int."),
        (lambda: 7, {"episodes": 5}, "must make a gymnasium.Env; it made a int of builtins."),
        (Vector, {"steps": 5}, "an agent gets one environment at a time, whose steps are counted; 'Vector' is a vector of 4."),
        (lambda: 1 / 0, {"steps": 5}, "cannot be made: division by zero."),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_is_refused_in_one_sentence(environment, choice, said):
    with pytest.raises(InputError) as refused:
        gymnasium_task(environment, **choice)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_environment_without_a_limit_is_taken_with_one():
    task = gymnasium_task("Blackjack-v1", episodes=5, episode_steps=30)
    assert len(outcome(wanderer, task).series["returns"]) == 5
    assert gymnasium_task("Blackjack-v1", steps=5).name == "Blackjack-v1"


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch):
    original = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == "gymnasium":
            raise ImportError(name)
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependency, match=r"^environments of Gymnasium need the package gymnasium: pip install 'ogive\[gymnasium\]'\.$"):  # fmt: skip
        gymnasium_task(CART, episodes=5)


def test_another_budget_or_environment_is_another_definition():
    one = gymnasium_task(CART, episodes=5).fingerprint()
    assert one == gymnasium_task(CART, episodes=5).fingerprint()
    others = [
        gymnasium_task(CART, episodes=6), gymnasium_task(CART, steps=5), gymnasium_task(CART, episodes=5, window=2),
        gymnasium_task(CART, episodes=5, settings={"sutton_barto_reward": True}), gymnasium_task("Acrobot-v1", episodes=5),
        gymnasium_task(CART, episodes=5, episode_steps=100), corridor(episodes=5),
    ]  # fmt: skip
    found = [str(task.fingerprint()) for task in others]
    assert str(one) not in found
    assert len(set(found)) == len(found)


def test_an_environment_that_is_registered_otherwise_is_another_definition(tmp_path, monkeypatch):
    def registered(limit, *wrappers):
        monkeypatch.setitem(
            gymnasium.registry, "Mine-v0",
            EnvSpec(
                "Mine-v0", entry_point="gymnasium.envs.classic_control:CartPoleEnv", max_episode_steps=limit, additional_wrappers=wrappers
            ),
        )  # fmt: skip
        return gymnasium_task("Mine-v0", episodes=2)

    def clock(flatten):
        return WrapperSpec("Clock", "gymnasium.wrappers:TimeAwareObservation", {"flatten": flatten})

    tasks = [registered(5), registered(9), registered(5, clock(True)), registered(5, clock(False))]
    assert len({str(task.fingerprint()) for task in tasks}) == 4
    assert registered(5).fingerprint() == tasks[0].fingerprint()
    asked = [
        str(gymnasium_task("Mine-v0", episodes=2, episode_steps=3).fingerprint())
        for _ in (registered(5), registered(9))
    ]
    assert asked[0] == asked[1]  # what was asked is the longest episode of both
    mine = ogive.Algorithm("mine", wanderer)
    ogive.run(Study("mine", mine, registered(5)), n_trials=1, store=tmp_path, workers=0, progress=False)
    with pytest.raises(StoreConflict, match="Mine-v0"):
        ogive.run(Study("mine", mine, registered(9)), n_trials=2, store=tmp_path, workers=0, progress=False)


def test_curves_of_an_environment_are_counted_in_episodes(tmp_path):
    study = Study("mine", ogive.Algorithm("mine", wanderer), corridor(steps=60))
    trials = ogive.run(study, n_trials=4, store=tmp_path / "store", workers=0, progress=False)
    trials.write(tmp_path / "table.parquet")
    for source in (trials, trials.select(algorithms=["mine"]), tmp_path / "store", tmp_path / "table.parquet"):
        found = ogive.read(source)
        assert [found.step_of(name) for name in ("returns", "lengths", "loss")] == ["episode", "episode", "step"]
    assert ogive.progress.on_grid(trials).step == "episode"
    reached = ogive.progress.steps_to_reach(trials, -100.0)
    assert reached.step == "episode"
    other = Study("mine", ogive.Algorithm("other", wanderer), corridor(steps=60))
    found = ogive.run(other, n_trials=4, workers=0, progress=False)
    assert ogive.read([trials, found]).step_of("returns") == "episode"
    assert ogive.read([trials, replace(found, counted_by={})]).step_of("returns") == "step"


def test_bounds_that_a_study_declares_hold_for_the_returns_of_its_environments():
    study = Study(
        "bounded", ogive.Algorithm("mine", wanderer), gymnasium_task(CART, episodes=2),
        metrics={"return": ogive.Metric("maximize", (0, 500))},
    )  # fmt: skip
    assert study.metrics["return"].bounds == (0.0, 500.0)
    assert tuple(study.metrics) == ("return", "final_return", "best_return")
    with pytest.raises(InputError, match="metric 'return' must have one direction; 'CartPole-v1' says maximize and 'mine' minimize"):  # fmt: skip
        Study("two", ogive.Algorithm("mine", wanderer, metrics={"return": "minimize"}), gymnasium_task(CART, steps=2))


# ---------------------------------------------------------------- the page, and the example, as a user runs them


@pytest.mark.slow  # it draws two pictures
def test_the_python_of_the_page_runs(repository, tmp_path, monkeypatch):
    page = (repository / "docs" / "reference" / "agents.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    own, curves, over_steps, slices, wrapped, library = blocks
    names: dict = {}
    monkeypatch.chdir(tmp_path)
    exec(compile(own.replace("episodes=100", "episodes=3"), "agents.md", "exec"), names)
    trials = run(names["study"], 3, workers=0, progress=False)
    assert trials.scores("climber", CART, "return").min() >= 1
    names["trials"] = run(names["study"], 8, workers=0, progress=False)
    exec(compile(curves.replace("400", "20"), "agents.md", "exec"), names)
    exec(
        compile(
            over_steps.replace("steps=20_000", "steps=400")
            .replace("n_trials=50", "n_trials=4")
            .replace("workers=2", "workers=0, progress=False"),
            "agents.md",
            "exec",
        ),
        names,
    )
    few = slices.replace("n_trials=200", "n_trials=4").replace("workers=2", "workers=0, progress=False")
    exec(compile(few.replace("[5, 50, 95]", "[5, 95]"), "agents.md", "exec"), names)
    assert (tmp_path / "slices.png").stat().st_size > 0
    exec(compile(wrapped.replace("episodes=50", "episodes=1"), "agents.md", "exec"), names)
    assert names["task"].name == "clipped_car"
    compile(library, "agents.md", "exec")


def done_in(store: Path) -> int:
    if not is_store(store) or not (store / "trials").is_dir():
        return 0
    return sum(done.trials.size for done in Store(store).finished().values())


@pytest.mark.slow
def test_the_example_killed_and_resumed_on_two_workers_makes_the_same_table(repository, tmp_path):
    def command(out: str, workers: int) -> list[str]:
        program = [sys.executable, "-m", "ogive.cli", "run", str(repository / "examples" / "cartpole.py")]
        return [*program, "--trials", "24", "--workers", str(workers), "--out", str(tmp_path / out), "--quiet"]

    environment = {**os.environ, "PYTHONPATH": str(repository / "src")}
    whole = subprocess.run(command("whole", 1), env=environment, capture_output=True, text=True, timeout=300)
    assert whole.returncode == 0, whole.stderr
    broken = subprocess.Popen(
        command("broken", 2), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 120
    while not done_in(tmp_path / "broken") and time.monotonic() < until:
        assert broken.poll() is None
        time.sleep(0.02)
    broken.send_signal(signal.SIGKILL)
    broken.wait()
    kept = done_in(tmp_path / "broken")
    assert 0 < kept < 48
    resumed = subprocess.run(command("broken", 2), env=environment, capture_output=True, text=True, timeout=300)
    assert resumed.returncode == 0, resumed.stderr
    one, other = (Store(tmp_path / name).trials() for name in ("broken", "whole"))
    assert len(table(one)) == 48
    assert table(one) == table(other)
    for algorithm in ("policy gradient", "hill climbing"):
        ours, theirs = (t.series(algorithm, CART, "returns") for t in (one, other))
        assert all(np.array_equal(ours[i], theirs[i]) for i in range(24))
