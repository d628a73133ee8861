"""Trials of reinforcement learning for each core-hour, against the prototypes.

    python benchmarks/rl.py [PROTOTYPES]          about four minutes

PROTOTYPES is a folder with ac.py, lanes_b.py, ppo.py and np_base.py; where left out, shared/prototypes/rl beside the
repository. One process, one thread, the same draws of the paper's spaces on both sides.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Claim, circumstances, cpu_seconds, in_turns, number, report

from ogive.rl import actor_critic, pendulum, ppo
from ogive.seeding import stream
from ogive.study import Study

ROUNDS = 3
LANES = 64  # of the prototype
EPISODES, STEPS = 4, 2000
TRIALS = 128  # of one batch of Actor-Critic
PPO_TRIALS = 24
WHOLE = 1e6  # steps of a trial

NOTES = """\
CPU seconds, best of three in turns, a trial being 500 episodes of 2,000 steps; 4 episodes were run and the time
scaled. Actor-Critic: a batch of 128 trials as the runner hands it over, drawn from the paper's space, scores and all,
against `lanes_b.py` on as many trials, whose 64 lanes all have one pair of orders (the prototype knows no other
way): the pairs of two trials of the batch. PPO: 24 trials, one after another, remainders of batches dropped, against
`ppo.py` with the same configurations. NumPy: `np_base.py`, 20,000 steps of critics of order 5. Compiling is not
counted."""


def per_hour(seconds: float, trials: int) -> float:
    return 3600.0 / (seconds / trials * WHOLE / (EPISODES * STEPS))


def drawn(algorithm: Any, n: int, seed: int) -> tuple[list[Any], list[Any], list[Any]]:
    cell = Study("speed", algorithm, pendulum(episodes=EPISODES, steps=STEPS), seed=seed).cell(
        algorithm.name, "pendulum"
    )
    rngs = [stream(seed, "train", "pendulum", algorithm.name, i) for i in range(n)]
    return [cell.config(i) for i in range(n)], [cell.draw(i) for i in range(n)], rngs


def against_lanes(lanes: Any, world: Any) -> tuple[float, float]:
    ours = actor_critic()

    def theirs(given: Any) -> None:
        configs = given[0]
        for first in range(0, TRIALS, LANES):
            some = configs[first : first + LANES]
            lambda_, actor, critic = (np.array([c[k] for c in some]) for k in ("lambda", "actor_step", "critic_step"))
            returns, diverged = np.zeros((EPISODES, LANES), np.float32), np.zeros(LANES, np.int64)
            d, i = some[0]["dependent_order"], some[0]["independent_order"]
            lanes.ac_lanes(
                np.uint64(first), d, i, lambda_, actor, critic, 0.99, 1.0, False, world, EPISODES, returns, diverged
            )

    ours.warm_up()
    theirs(drawn(ours, TRIALS, 0))
    # The prototype's batches have one pair of orders each: enough rounds that its mean pair is the mean of the space.
    total = np.zeros(2)
    for seed in range(10):
        given = drawn(ours, TRIALS, seed)
        total += in_turns([given] * ROUNDS, lambda g: ours.evaluate_many(*g), theirs)
    return per_hour(total[0], 10 * TRIALS), per_hour(total[1], 10 * TRIALS)


def against_ppo(prototype: Any, world: Any) -> tuple[float, float]:
    ours, unit = ppo(), np.zeros(1, np.float32)

    def mine(given: Any) -> None:
        for config, draw, rng in zip(*given, strict=True):
            ours.evaluate(config, draw, rng)

    def theirs(given: Any) -> None:
        for k, c in enumerate(given[0]):
            prototype.ppo_trial(
                np.uint64(k), c["dependent_order"], c["independent_order"], c["lambda"], c["rate"], round(2 ** c["log2_horizon"]),
                c["epochs"], c["batch"], c["clip"], 0.99, 0.0, False, True, world, EPISODES, np.zeros(EPISODES), unit,
            )  # fmt: skip

    def fresh() -> Iterator[Any]:
        for _ in range(ROUNDS):
            yield drawn(ours, PPO_TRIALS, 0)

    ours.warm_up()
    theirs(drawn(ours, 1, 0))
    seconds = in_turns(fresh(), mine, theirs)
    return per_hour(seconds[0], PPO_TRIALS), per_hour(seconds[1], PPO_TRIALS)


def slow(base: Any) -> tuple[float, float]:
    steps = 20_000
    seconds = in_turns(
        range(2),
        lambda seed: base.trial(seed, 5, 5, 0.5, 1e-3, 1e-3, steps),
        lambda seed: base.ppo_np(seed, 5, 5, 0.5, 1e-3, 64, 8, 36, 0.2, steps),
    )  # fmt: skip
    return 3600.0 / (seconds[0] / steps * WHOLE), 3600.0 / (seconds[1] / steps * WHOLE)


def main() -> int:
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "shared" / "prototypes" / "rl"
    if not (folder / "lanes_b.py").is_file():
        print("give the folder that holds ac.py, lanes_b.py, ppo.py and np_base.py", file=sys.stderr)
        return 2
    header = circumstances("numpy", "numba")
    sys.path.insert(0, str(folder))
    world = import_module("ac").envp(wmax=4 * math.pi)
    begin, wall = cpu_seconds(), time.monotonic()
    lanes, lanes_then = against_lanes(import_module("lanes_b"), world)
    one, one_then = against_ppo(import_module("ppo"), world)
    slow_lanes, slow_one = slow(import_module("np_base"))
    claims = [
        faster("Actor-Critic: trials a core-hour, times lanes_b.py", lanes, lanes_then, 1.0),
        faster("PPO, drop: trials a core-hour, times ppo.py", one, one_then, 1.2),
        faster("Actor-Critic: times np_base.py", lanes, slow_lanes, 300),
        faster("PPO, drop: times np_base.py", one, slow_one, 50),
    ]
    print(f"<!-- {cpu_seconds() - begin:.0f} s of CPU, {time.monotonic() - wall:.0f} s -->")
    return report("Reinforcement learning (`benchmarks/rl.py`)", header, NOTES, claims)


def faster(text: str, ours: float, theirs: float, limit: float) -> Claim:
    detail = f"{number(ours)} against {number(theirs)} an hour"
    return Claim(text=text, measured=ours / theirs, limit=limit, unit="×", at_least=True, detail=detail)


if __name__ == "__main__":
    sys.exit(main())
