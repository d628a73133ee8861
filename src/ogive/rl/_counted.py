"""The environment that an agent gets: Gymnasium's own interface, with a count, seeds and an end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from ogive.errors import InputError, InvalidScores

if TYPE_CHECKING:
    from ogive.algorithms import Outcome
    from ogive.rl._gymnasium import Rules

IDLE = 1000  # resets in a row without a step, before an agent is told that it does nothing


class CountedEnvironment(gymnasium.Wrapper):  # type: ignore[misc, type-arg, unused-ignore]
    """An environment that counts its episodes, seeds each of them, and ends with its budget.

    Attributes
    ----------
    n_episodes, n_steps : int or None
        The budget of the trial; the other one is None.
    used_up : bool
        Whether there is nothing left.
    steps_taken : int
    returns, lengths : list
        Of the episodes that count so far.
    """

    keeps_score = True  # see `ogive.algorithms.Referee`

    def __init__(self, env: Any, rules: Rules, seeds: np.random.Generator) -> None:
        super().__init__(env)
        self.rules, self._seeds = rules, seeds
        self.n_episodes, self.n_steps = rules.episodes, rules.steps
        self.returns: list[float] = []
        self.lengths: list[int] = []
        self.steps_taken = 0
        self.fault: InvalidScores | None = None
        self._running, self._return, self._length, self._idle = False, 0.0, 0, 0
        self.begin(seeds)

    @property
    def used_up(self) -> bool:
        """Whether the budget is used up."""
        if self.n_steps is None:
            return len(self.returns) == self.n_episodes
        return self.steps_taken == self.n_steps

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, with the seed that the trial has for it; `seed` is not used."""
        if self._running and self._length:
            raise InputError(
                f"episode {len(self.returns) + 1} of {self.rules.name!r} is not over after {self._length} steps, and an "
                "abandoned one would count for less; go on with it, or shorten all of them by `episode_steps`."
            )
        self._idle += 1
        if self._idle > IDLE:
            raise InputError(
                f"{self.rules.name!r} was reset {IDLE} times in a row without a step; act, or return from the agent."
            )
        if not self._running:
            self._seed = int(self._seeds.integers(2**31))
        self._running, self._return, self._length = not self.used_up, 0.0, 0
        found: tuple[Any, dict[str, Any]] = self.env.reset(seed=self._seed, options=options)
        return found

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act; the last step of a budget of steps is `truncated`, with `budget_used` among its information."""
        from ogive.rl._gymnasium import BudgetUsed

        if self.used_up:
            raise BudgetUsed(
                f"the {self.rules.budget} of {self.rules.name!r} are used up; return from the agent, or look at `env.used_up`."
            )
        if self.fault is not None:
            raise self.fault
        if not self._running:
            raise InputError("the episode is over; call reset() before step().")
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._idle = 0
        self.steps_taken += 1
        self._length += 1
        self._return += self._number(reward)
        if terminated or truncated:
            self._running = False
            self.returns.append(self._return)
            self.lengths.append(self._length)
        if self.used_up:
            self._running = False
            truncated = bool(truncated) or not terminated
            info = {**info, "budget_used": True}
        return observation, reward, terminated, truncated, info

    def _number(self, reward: Any) -> float:
        try:
            number = float(reward)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            self.fault = InvalidScores(
                f"{self.rules.name!r} must give rewards that are finite numbers; it gave {reward!r} in step "
                f"{self._length} of episode {len(self.returns) + 1}."
            )
            raise self.fault
        return number

    # What the trial asks of an environment that keeps the score.

    def begin(self, rng: np.random.Generator) -> None:
        """Seed what an agent may draw from spaces, by a child of its generator: its own numbers stay as they are."""
        own = rng.spawn(1)[0]
        self.action_space.seed(int(own.integers(2**31)))
        self.observation_space.seed(int(own.integers(2**31)))

    def ended(self, error: BaseException) -> bool:
        """Whether an exception says only that the budget is used up."""
        from ogive.rl._gymnasium import BudgetUsed

        return isinstance(error, BudgetUsed) and self.used_up

    def outcome(self, algorithm: str) -> Outcome:
        """What the trial was worth."""
        from ogive.rl._gymnasium import judged

        return judged(self, algorithm)
