"""The pendulum as a task: what is fixed, what each trial draws, and an environment to step by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import as_answer, as_whole
from ogive.errors import InputError
from ogive.tasks import Task

INTEGRATORS = ("semi-implicit", "explicit")
STARTS = ("anywhere", "bottom")


def pendulum(
    *,
    episodes: int = 500,
    steps: int = 2000,
    time_step: float = 0.01,
    gravity: float = 9.8,
    friction: float = 0.01,
    torque: float = 5.0,
    integrator: str = "semi-implicit",
    start: str = "anywhere",
    over_rotation: bool = False,
    bootstrap: bool = False,
    speed_scale: float = 4 * math.pi,
    name: str = "pendulum",
) -> Task:
    """Swing up and hold a pendulum whose motor is too weak to lift it at once (Doya, 2000).

    θ' = ω, ω' = g sin θ − μ ω + u with mass and length 1; the reward of each step is cos θ, 1 upright.

    Parameters
    ----------
    episodes : int
        Training episodes of a trial: its lifetime, over which it is scored.
    steps, time_step : int, float
        Steps of an episode, and seconds of a step: 20 seconds.
    gravity, friction, torque : float
        g, μ, and the largest torque; an action of 1 asks for all of it.
    integrator : {"semi-implicit", "explicit"}
        Euler's rule with the new speed, which keeps energy, or with the old one, which gains it.
    start : {"anywhere", "bottom"}
        Any angle, or hanging down; at rest.
    over_rotation : bool
        Whether an episode ends beyond 5 π, with a reward of −1 for one second.
    bootstrap : bool
        Whether the end of the time is no end for learning: the last state has its value. Else it is 0.
    speed_scale : float
        The speed that the Fourier basis takes for the end of its range; faster is not cut off.
    name : str

    Examples
    --------
    >>> (env,) = pendulum(episodes=1, steps=3).draw(np.random.default_rng(0))
    >>> angle, speed = env.reset()
    >>> state, reward, over = env.step(0.5)
    >>> -1 <= reward <= 1, over
    (True, False)
    """
    for what, value, allowed in (("integrator", integrator, INTEGRATORS), ("start", start, STARTS)):
        if value not in allowed:
            raise InputError(f"`{what}` must be {' or '.join(map(repr, allowed))}; got {value!r}.")
    rules = Rules(
        episodes=as_whole(episodes, "episodes", at_least=1),
        steps=as_whole(steps, "steps", at_least=1),
        time_step=as_amount(time_step, "time_step", above=True),
        gravity=as_amount(gravity, "gravity"),
        friction=as_amount(friction, "friction"),
        torque=as_amount(torque, "torque", above=True),
        integrator=integrator,
        start=start,
        over_rotation=as_answer(over_rotation, "over_rotation"),
        bootstrap=as_answer(bootstrap, "bootstrap"),
        speed_scale=as_amount(speed_scale, "speed_scale", above=True),
    )
    return Task(name, rules, scope="generator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is the same in every trial; drawing adds the key of the first angles."""

    episodes: int
    steps: int
    time_step: float
    gravity: float
    friction: float
    torque: float
    integrator: str
    start: str
    over_rotation: bool
    bootstrap: bool
    speed_scale: float

    def __call__(self, rng: np.random.Generator) -> tuple[Pendulum]:
        return (Pendulum(self, stream_of(rng)),)

    def definition(self) -> dict[str, Any]:
        """All choices."""
        return {"pendulum": asdict(self)}

    @property
    def world(self) -> NDArray[np.float64]:
        """The numbers that kernels take."""
        turns = 5.0 if self.over_rotation else 0.0
        flags = (self.integrator == "explicit", self.start == "bottom", turns, self.bootstrap)
        numbers = (self.time_step, self.gravity, self.friction, self.torque, self.speed_scale)
        return np.array([*numbers, *flags], dtype=np.float64)


class Pendulum:
    """A pendulum with the first angles of one trial, to be stepped by hand.

    Attributes
    ----------
    rules : the choices of `pendulum`
    n_episodes, n_steps : int
    starts : the stream of first angles, four words
    """

    __slots__ = ("_kernels", "_left", "_state", "_turned", "n_episodes", "n_steps", "rules", "starts")

    def __init__(self, rules: Rules, starts: NDArray[np.uint64]) -> None:
        self.rules, self.starts = rules, starts
        self.n_episodes, self.n_steps = rules.episodes, rules.steps
        self._left, self._turned, self._state = 0, 0.0, (0.0, 0.0)
        self._kernels: tuple[Callable[..., Any], ...] = ()

    def __repr__(self) -> str:
        return f"Pendulum({self.n_episodes} episodes of {self.n_steps} steps)"

    def reset(self) -> tuple[float, float]:
        """Begin an episode: angle (0 is upright) and speed."""
        if not self._kernels:
            from ogive.kernels._pendulum import first_angle, pendulum_step
            from ogive.kernels._xoshiro import uniform

            self._kernels = first_angle, pendulum_step, uniform
        first, _, uniform_ = self._kernels
        states = self.starts.reshape(4, 1)
        with np.errstate(over="ignore"):
            self._state = float(first(uniform_(states, 0), self.rules.start == "bottom")), 0.0
        self.starts = states.ravel()
        self._turned, self._left = self._state[0], self.n_steps
        return self._state

    def step(self, action: float) -> tuple[tuple[float, float], float, bool]:
        """State, reward and whether the episode is over after an action, in units of the largest torque."""
        if not self._left:
            raise InputError("the episode is over; call reset() before step().")
        rules, (before, speed) = self.rules, self._state
        angle, speed = self._kernels[1](
            before, speed, float(action), math.sin(before), rules.time_step, rules.gravity, rules.friction, rules.torque,
            rules.integrator == "explicit",
        )  # fmt: skip
        self._turned += angle - before
        if abs(angle) > math.pi:
            angle -= math.copysign(2.0 * math.pi, angle)
        self._state = angle, speed
        self._left -= 1
        reward = math.cos(angle)
        if rules.over_rotation and abs(self._turned) > 5.0 * math.pi:
            self._left, reward = 0, reward - 1.0 / rules.time_step
        return self._state, reward, not self._left


def stream_of(rng: np.random.Generator) -> NDArray[np.uint64]:
    """The state of a generator of the kernels, out of a trial's stream."""
    return rng.integers(0, 2**64, size=4, dtype=np.uint64)


def as_amount(value: object, name: str, *, above: bool = False) -> float:
    """A finite number of at least 0, or above it."""
    fine = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not fine or not math.isfinite(float(value)) or float(value) < 0 or (above and float(value) == 0):  # type: ignore[arg-type]
        raise InputError(f"`{name}` must be a number {'above' if above else 'of at least'} 0; got {value!r}.")
    return float(value)  # type: ignore[arg-type]
