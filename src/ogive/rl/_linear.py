"""Actor-Critic(λ) and PPO with linear Gaussian policies on the Fourier basis, as algorithms of a study.

Trials of Actor-Critic that are handed over together run side by side in the lanes of one kernel, sorted by the
orders of their critics so that lanes have equal work. What a trial draws, and so its numbers, is its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.algorithms import Algorithm, Outcome, Series
from ogive.arguments import as_answer, as_whole
from ogive.errors import InputError
from ogive.rl._pendulum import Pendulum, as_amount, pendulum, stream_of
from ogive.spaces import integer, loguniform, uniform

LARGEST_ORDER = 50
VERSION = 1  # of the kernels, part of what defines an algorithm: raised when their numbers change
PRECISIONS = {"float32": np.float32, "float64": np.float64}
REMAINDERS = ("drop", "keep", "cap")
BATCH = 128  # trials of Actor-Critic at once: enough to be sorted into lanes of nearly equal orders

CRITIC = {"dependent_order": integer(0, 10), "independent_order": integer(0, 10), "lambda": uniform(0, 1)}
ACTOR_CRITIC_SPACE = {**CRITIC, "actor_step": loguniform(1e-4, 0.1), "critic_step": loguniform(1e-4, 0.1)}
PPO_SPACE = {
    **CRITIC, "rate": loguniform(1e-5, 1e-2), "log2_horizon": uniform(4, 8), "epochs": integer(1, 15), "batch": integer(8, 64),
    "clip": uniform(0.1, 0.3),
}  # fmt: skip


def actor_critic(
    space: Any = None,
    *,
    discount: float = 0.99,
    policy: tuple[int, int] = (5, 6),
    spread: float = 1.0,
    train_spread: bool = False,
    per_feature: bool = False,
    bound: float = 1e8,
    marks: Sequence[int] = (100, 200),
    series: bool = True,
    precision: str = "float32",
    name: str = "Actor-Critic",
) -> Algorithm:
    """Actor-Critic(λ) with accumulating traces, linear in the Fourier basis, with a Gaussian policy.

    Parameters
    ----------
    space : optional
        Of dependent_order and independent_order of the critic, lambda (of both traces), actor_step and
        critic_step. Left out, that of Jordan et al. (2018): orders 0 to 10, λ in [0, 1], steps log-uniform
        in [1e-4, 0.1].
    discount : float
        γ.
    policy : (int, int)
        Dependent and independent order of the policy's basis.
    spread, train_spread : float, bool
        The standard deviation of actions, in units of the largest torque, and whether it is trained (then
        kept within [0.001, 100]).
    per_feature : bool
        Whether both steps are divided by the number of features.
    bound : float
        |value| or |mean action| beyond which, as with NaN, a trial has diverged: learning ends, the metric
        `diverged` is 1, and the motor pushes with all its torque to the end.
    marks : sequence of int
        The mean return over the first so many episodes is the metric `return_100`, and so on.
    series : bool
        Whether the return of each episode is kept.
    precision : {"float32", "float64"}
        Of everything that is computed. float64 takes half as long again.
    name : str
    """
    settings = _settings(discount, policy, bound, marks, series, precision)
    function = ActorCritic(
        settings, as_amount(spread, "spread", above=True), as_answer(train_spread, "train_spread"), as_answer(per_feature, "per_feature")
    )  # fmt: skip
    return Algorithm(name, function, ACTOR_CRITIC_SPACE if space is None else space, metrics=METRICS)


def ppo(
    space: Any = None,
    *,
    remainder: str = "drop",
    discount: float = 0.99,
    policy: tuple[int, int] = (5, 6),
    spread: float = 1.0,
    falling_rate: bool = False,
    value_weight: float = 1.0,
    entropy_weight: float = 0.0,
    epsilon: float = 1e-5,
    bound: float = 1e8,
    marks: Sequence[int] = (100, 200),
    series: bool = True,
    precision: str = "float32",
    name: str = "PPO",
) -> Algorithm:
    """Proximal policy optimization, linear in the Fourier basis, with a Gaussian policy, as OpenAI published it.

    Parameters
    ----------
    space : optional
        Of dependent_order and independent_order of the critic, lambda, rate, log2_horizon (steps between
        updates: 2 to that power, rounded), epochs, batch and clip. Left out, that of Jordan et al. (2018).
    remainder : {"drop", "keep", "cap"}
        What becomes of the samples that do not fill a batch: they are dropped, as in the published code,
        where a batch that is larger than the horizon means that nothing is ever learned (a quarter of the
        draws); kept as a smaller batch; or dropped after batches were cut to the horizon.
    discount, policy, bound, marks, series, precision, name :
        As of `actor_critic`.
    spread : float
        The first standard deviation of actions; its logarithm is trained.
    falling_rate : bool
        Whether the rate falls to 0 over the lifetime.
    value_weight, entropy_weight : float
        Weights of the squared error of values, and of the entropy bonus, in the loss.
    epsilon : float
        Of Adam.
    """
    if remainder not in REMAINDERS:
        raise InputError(f"`remainder` must be {', '.join(map(repr, REMAINDERS))}; got {remainder!r}.")
    function = Ppo(
        _settings(discount, policy, bound, marks, series, precision),
        remainder,
        as_amount(spread, "spread", above=True),
        as_answer(falling_rate, "falling_rate"),
        as_amount(value_weight, "value_weight"),
        as_amount(entropy_weight, "entropy_weight"),
        as_amount(epsilon, "epsilon", above=True),
    )
    return Algorithm(name, function, PPO_SPACE if space is None else space, metrics=METRICS)


METRICS = {"return": "maximize", "diverged": "minimize"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What both algorithms are told."""

    discount: float
    policy: tuple[int, int]
    bound: float
    marks: tuple[int, ...]
    series: bool
    precision: str

    @property
    def unit(self) -> NDArray[Any]:
        """An array of the type that kernels compute in."""
        return np.zeros(1, PRECISIONS[self.precision])

    def outcome(self, returns: NDArray[np.float64], diverged: int) -> Outcome:
        """Scores of a trial from the returns of its episodes."""
        scores = {"return": float(returns.mean())}
        scores |= {f"return_{n}": float(returns[:n].mean()) for n in self.marks if n < len(returns)}
        scores["diverged"] = float(diverged < len(returns))
        return Outcome(scores, series={"returns": Series(returns)} if self.series else {})

    def definition(self) -> dict[str, Any]:
        """What changes numbers; which of them are kept does not."""
        return {
            "discount": self.discount,
            "policy": list(self.policy),
            "bound": self.bound,
            "precision": self.precision,
        }


def _settings(discount: Any, policy: Any, bound: Any, marks: Any, series: Any, precision: Any) -> Settings:
    if precision not in PRECISIONS:
        raise InputError(f"`precision` must be 'float32' or 'float64'; got {precision!r}.")
    if not 0 <= as_amount(discount, "discount") <= 1:
        raise InputError(f"`discount` must lie in [0, 1]; got {discount:g}.")
    orders = tuple(policy) if isinstance(policy, (tuple, list)) else ()
    if len(orders) != 2:
        raise InputError(f"`policy` must be two orders, dependent and independent; got {policy!r}.")
    return Settings(
        float(discount),
        (_order(orders[0], "policy"), _order(orders[1], "policy")),
        as_amount(bound, "bound", above=True),
        tuple(as_whole(n, "marks", at_least=1) for n in marks),
        as_answer(series, "series"),
        precision,
    )


@dataclass(frozen=True, slots=True)
class ActorCritic:
    """The function of Actor-Critic: one trial, or many in lanes."""

    settings: Settings
    spread: float
    train_spread: bool
    per_feature: bool
    batch: int = BATCH

    def __call__(self, config: Mapping[str, Any], env: Pendulum, *, rng: np.random.Generator) -> Outcome:
        return self.evaluate_many([config], [(env,)], [rng])[0]

    def evaluate_many(
        self,
        configs: Sequence[Mapping[str, Any]],
        draws: Sequence[tuple[Pendulum]],
        rngs: Sequence[np.random.Generator],
    ) -> list[Outcome]:
        """Outcomes of trials, the same ones whoever stands beside them."""
        from ogive.kernels._actor_critic import LANES

        for (env,) in draws:
            _swung(env)
        orders = np.array([_orders(config) for config in configs], dtype=np.int64).T
        noise = np.array([stream_of(rng) for rng in rngs]).T
        steps = np.array(
            [[config["lambda"], config["actor_step"], config["critic_step"]] for config in configs], dtype=float
        ).T
        if self.per_feature:
            steps[1] /= n_features(*self.settings.policy)
            steps[2] /= [n_features(*pair) for pair in orders.T]
        outcomes: dict[int, Outcome] = {}
        worlds: dict[Any, list[int]] = {}
        for i, (env,) in enumerate(draws):
            worlds.setdefault(env.rules, []).append(i)
        for trials in worlds.values():
            ordered = sorted(trials, key=lambda i: tuple(orders[:, i]))
            for first in range(0, len(ordered), LANES):
                some = ordered[first : first + LANES]
                outcomes |= self._lanes(some, draws, noise[:, some], orders[:, some], steps[:, some])
        return [outcomes[i] for i in range(len(configs))]

    def _lanes(
        self, trials: list[int], draws: Sequence[tuple[Pendulum]], noise: NDArray[np.uint64], orders: NDArray[np.int64],
        steps: NDArray[np.float64],
    ) -> dict[int, Outcome]:  # fmt: skip
        from ogive.kernels._actor_critic import LANES, actor_critic

        settings, rules = self.settings, draws[trials[0]][0].rules
        filled = np.minimum(np.arange(LANES), len(trials) - 1)  # the last trial stands in empty lanes
        starts = np.array([draws[i][0].starts for i in trials], dtype=np.uint64).T
        starts, noise = np.ascontiguousarray(starts[:, filled]), np.ascontiguousarray(noise[:, filled])
        orders, steps = np.ascontiguousarray(orders[:, filled]), np.ascontiguousarray(steps[:, filled])
        unit, returns, diverged = settings.unit, np.empty((rules.episodes, LANES)), np.empty(LANES, np.int64)
        n_critic = n_features(int(orders[0].max()), int(orders.max()))
        critic, actor = (np.empty((n, LANES), unit.dtype) for n in (n_critic, n_features(*settings.policy)))
        with np.errstate(all="ignore"):
            actor_critic(
                rules.world, rules.steps, starts, noise, orders, np.array(settings.policy), steps[0], steps[1], steps[2],
                settings.discount, self.spread, self.train_spread, settings.bound, unit, returns, diverged, critic, actor,
                np.empty(LANES, unit.dtype),
            )  # type: ignore[no-untyped-call]  # fmt: skip
        return {i: settings.outcome(returns[:, k], int(diverged[k])) for k, i in enumerate(trials)}

    def definition(self) -> dict[str, Any]:
        """All choices."""
        own = {"spread": self.spread, "train_spread": self.train_spread, "per_feature": self.per_feature}
        return {"actor_critic": {**self.settings.definition(), **own, "version": VERSION}}

    def warm_up(self) -> None:
        """Compile the kernel, or load it, by a trial of two steps."""
        config = {"dependent_order": 0, "independent_order": 0, "lambda": 0.5, "actor_step": 1e-3, "critic_step": 1e-3}
        self(config, *_little(), rng=np.random.default_rng(0))


@dataclass(frozen=True, slots=True)
class Ppo:
    """The function of PPO."""

    settings: Settings
    remainder: str
    spread: float
    falling_rate: bool
    value_weight: float
    entropy_weight: float
    epsilon: float

    def __call__(self, config: Mapping[str, Any], env: Pendulum, *, rng: np.random.Generator) -> Outcome:
        from ogive.kernels._ppo import ppo

        settings, rules, orders = self.settings, _swung(env).rules, _orders(config)
        horizon = round(2.0 ** config["log2_horizon"])
        batch = min(config["batch"], horizon) if self.remainder == "cap" else config["batch"]
        unit, returns = settings.unit, np.empty(rules.episodes)
        critic, actor = (np.empty(n_features(*pair), unit.dtype) for pair in (orders, settings.policy))
        with np.errstate(all="ignore"):
            diverged = ppo(
                rules.world, rules.steps, env.starts.reshape(4, 1).copy(), stream_of(rng).reshape(4, 1), np.array(orders),
                np.array(settings.policy), float(config["lambda"]), float(config["rate"]), horizon, int(config["epochs"]), int(batch),
                float(config["clip"]), settings.discount, math.log(self.spread), self.falling_rate, self.remainder == "keep",
                self.value_weight, self.entropy_weight, self.epsilon, settings.bound, unit, returns, critic, actor, np.empty(1),
            )  # type: ignore[no-untyped-call]  # fmt: skip
        return settings.outcome(returns, int(diverged))

    def definition(self) -> dict[str, Any]:
        """All choices."""
        own = {name: value for name, value in asdict(self).items() if name != "settings"}
        return {"ppo": {**self.settings.definition(), **own, "version": VERSION}}

    def warm_up(self) -> None:
        """Compile the kernel, or load it, by a trial of two steps."""
        config = {
            "dependent_order": 0, "independent_order": 0, "lambda": 0.5, "rate": 1e-3, "log2_horizon": 1.0, "epochs": 1,
            "batch": 2, "clip": 0.2,
        }  # fmt: skip
        self(config, *_little(), rng=np.random.default_rng(0))


def _swung(env: object) -> Pendulum:
    """The pendulum, which is all that these kernels know."""
    if not isinstance(env, Pendulum):
        raise InputError(
            f"whole trials in a kernel know `ogive.rl.pendulum()` alone; the task drew a {type(env).__name__}."
        )
    return env


def n_features(dependent: int, independent: int) -> int:
    """How many features a Fourier basis of these orders has."""
    return (dependent + 1) ** 2 + 2 * max(independent - dependent, 0)


def _orders(config: Mapping[str, Any]) -> tuple[int, int]:
    return _order(config["dependent_order"], "dependent_order"), _order(
        config["independent_order"], "independent_order"
    )


def _order(value: Any, name: str) -> int:
    order = as_whole(value, name)
    if order > LARGEST_ORDER:
        raise InputError(f"`{name}` must be at most {LARGEST_ORDER}; got {order}.")
    return order


def _little() -> tuple[Any, ...]:
    return pendulum(episodes=1, steps=2).draw(np.random.default_rng(0))
