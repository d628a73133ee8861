"""PPO on the pendulum: the kernel against stable-baselines3, which is no dependency.

    python -m pip install torch==2.13.0 && python -m pip install stable-baselines3
    python benchmarks/rl_library.py          about three minutes

Without it the program says so and ends. One process, one thread.
"""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any

import numpy as np
from _measure import Claim, circumstances, in_turns, number, report

from ogive.rl import Pendulum, pendulum, ppo
from ogive.study import Study

ROUNDS = 3
STEPS = 2048  # of the library, in each round
OURS = 200_000  # of the kernel
WHOLE = 1e6  # steps of a trial
CONFIG = {
    "dependent_order": 5, "independent_order": 6, "lambda": 0.5, "rate": 1e-3, "log2_horizon": 6.0, "epochs": 8, "batch": 32,
    "clip": 0.2,
}  # fmt: skip

NOTES = """\
CPU seconds of a trial of 10⁶ steps, scaled from 200,000 and 2,048 steps, best of three in turns. PPO with linear policy
and linear values over the same 38 features, horizon 64, 8 epochs, batches of 32, λ = 0.5, on the same pendulum, which the
library steps through Gymnasium's interface at a cost of its own that is given apart. What the library is made for, networks on
many environments or a graphics card, is not measured."""


def environment() -> Any:
    import gymnasium

    frequencies = [*itertools.product(range(6), repeat=2), (6, 0), (0, 6)]
    matrix = math.pi * np.array(frequencies, dtype=float)

    class Swing(gymnasium.Env):  # type: ignore[misc, type-arg, unused-ignore]
        observation_space = gymnasium.spaces.Box(-1.0, 1.0, (len(frequencies),), np.float32)
        action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        inner: Pendulum

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            super().reset(seed=seed)
            (self.inner,) = pendulum(episodes=1, steps=2000).draw(self.np_random)
            return self.seen(*self.inner.reset()), {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            state, reward, over = self.inner.step(float(action[0]))
            return self.seen(*state), reward, over, False, {}

        def seen(self, angle: float, speed: float) -> Any:
            x = np.array([(angle + math.pi) / (2 * math.pi), (speed + 4 * math.pi) / (8 * math.pi)])
            return np.cos(matrix @ x).astype(np.float32)

    return Swing()


def main() -> int:
    try:
        import torch
        from stable_baselines3 import PPO
    except ImportError as error:
        print(f"nothing is measured: {error}. See the first lines of this file.", file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    ours = ppo({name: [value] for name, value in CONFIG.items()}, policy=(5, 6), remainder="keep")
    task = pendulum(episodes=OURS // 2000, steps=2000)
    cell = Study("speed", ours, task).cell("PPO", "pendulum")
    ours.warm_up()
    models = [
        PPO(
            "MlpPolicy", environment(), learning_rate=1e-3, n_steps=64, n_epochs=8, batch_size=32, gae_lambda=0.5, gamma=0.99,
            clip_range=0.2, vf_coef=1.0, ent_coef=0.0, policy_kwargs={"net_arch": []}, seed=k, device="cpu",
        )
        for k in range(ROUNDS + 1)
    ]  # fmt: skip
    models.pop().learn(64)

    def steps_alone(_: Any) -> None:
        world = environment()
        world.reset(seed=0)
        for k in range(STEPS):
            if world.step(np.zeros(1))[2] or k == 0:
                world.reset()

    header = circumstances("numpy", "numba", "torch", "stable-baselines3", "gymnasium")
    kernel, library, stepping = in_turns(
        range(ROUNDS),
        lambda k: ours.evaluate(cell.config(k), cell.draw(k), cell.rng(k)),
        lambda k: models[k].learn(STEPS),
        steps_alone,
    )
    kernel, library, stepping = kernel / OURS * WHOLE, library / STEPS * WHOLE, stepping / STEPS * WHOLE
    detail = (
        f"{number(kernel)} s against {number(library)} s, of which {number(stepping)} s the steps of the environment"
    )
    claim = Claim(
        text="PPO on the pendulum: times faster than stable-baselines3", measured=library / kernel, limit=300, unit="×",
        at_least=True, detail=detail,
    )  # fmt: skip
    return report("A library on the pendulum (`benchmarks/rl_library.py`)", header, NOTES, [claim])


if __name__ == "__main__":
    sys.exit(main())
