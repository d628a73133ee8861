"""Environments of Gymnasium as tasks of a study: what is made, how much of it an agent may use, how its episodes count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ogive.algorithms import Outcome, Series
from ogive.arguments import as_printable, as_whole
from ogive.canonical import content
from ogive.errors import InputError, InvalidScores, MissingDependency
from ogive.metric import Metric
from ogive.tasks import Task

if TYPE_CHECKING:
    from ogive.rl._counted import CountedEnvironment

SHARE = 10  # the usual window: one in so many of the episodes
METRICS = {name: Metric("maximize") for name in ("return", "final_return", "best_return")}


class BudgetUsed(BaseException):
    """The environment has nothing left for this trial: no error, but the end, as GeneratorExit is.

    It is raised by a step beyond the budget and ends the agent; the trial then counts as any other. It is no
    Exception, so that `except Exception` in an agent does not keep it running.
    """


def gymnasium_task(
    environment: str | Callable[..., Any],
    *,
    episodes: int | None = None,
    steps: int | None = None,
    episode_steps: int | None = None,
    window: int | None = None,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Task:
    """An environment of Gymnasium, in which an agent learns until its budget is used up.

    An agent is an Algorithm whose function is called as `f(config, env, rng=rng)`. `env` is the environment; it
    counts, and the score is made of what it counted, whatever the agent returns. A step beyond the budget raises
    `BudgetUsed`, which ends the agent and which the task expects.

    Parameters
    ----------
    environment : str or callable
        An id ("CartPole-v1", "package:Name-v0"), or a function that makes the environment.
    episodes, steps : int
        The budget of a trial; one of both. With `steps`, the last one cuts its episode off (`truncated`), and
        an episode that is cut off so is not scored.
    episode_steps : int, optional
        The longest that an episode may be. Left out, what the environment says; one that says nothing needs it
        where episodes are the budget.
    window : int, optional
        Episodes in the windows of `final_return` and `best_return`. Left out, a tenth of them, and all where
        there are fewer.
    settings : mapping, optional
        What the environment is made with.
    name : str, optional
        Left out, the id, or the name of the function. Part of the streams.

    Notes
    -----
    Metrics: `return`, the mean return of all episodes of training; `final_return`, of the last ones;
    `best_return`, of the best window of consecutive ones, which flatters agents that waver. Series: `returns`
    of the episodes, and with `steps` also their `lengths`. Trial i has the same seed in its k-th episode for all methods; a
    seed that an agent gives to `reset` is not used.
    """
    if (episodes is None) == (steps is None):
        got = "neither" if episodes is None else "both"
        raise InputError(f"the budget of an environment must be either `episodes` or `steps`; got {got}.")
    given = _as_settings(settings)
    rules = Rules(
        environment=environment,
        episodes=None if episodes is None else as_whole(episodes, "episodes", at_least=1),
        steps=None if steps is None else as_whole(steps, "steps", at_least=1),
        episode_steps=None if episode_steps is None else as_whole(episode_steps, "episode_steps", at_least=1),
        window=None if window is None else as_whole(window, "window", at_least=1),
        settings=given,
        name=_name_of(environment) if name is None else as_printable(name, "a task"),
    )
    if rules.window is not None and rules.episodes is not None and rules.window > rules.episodes:
        raise InputError(f"`window` must be at most `episodes`, {rules.episodes}; got {rules.window}.")
    found = rules.checked()
    return Task(found.name if name is None else rules.name, found, scope="generator")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is the same in every trial; drawing adds the seeds of the episodes."""

    environment: Any  # an id, or what is registered under it, or a function
    episodes: int | None
    steps: int | None
    episode_steps: int | None
    window: int | None
    settings: dict[str, Any]
    name: str
    keeps_score: ClassVar[bool] = True
    counted_by: ClassVar[dict[str, str]] = {"returns": "episode", "lengths": "episode"}

    def __call__(self, rng: np.random.Generator) -> tuple[CountedEnvironment]:
        from ogive.rl._counted import CountedEnvironment

        return (CountedEnvironment(self.make(), self, rng.spawn(1)[0]),)

    @property
    def metrics(self) -> dict[str, Metric]:
        """What every trial in this environment has."""
        return dict(METRICS)

    @property
    def budget(self) -> str:
        """In words."""
        n, what = (self.steps, "step") if self.episodes is None else (self.episodes, "episode")
        return f"{n} {what}{'' if n == 1 else 's'}"

    def make(self) -> Any:
        """A new environment."""
        gymnasium = module()
        if not callable(self.environment):
            made = gymnasium.make(self.environment, max_episode_steps=self.episode_steps, **self.settings)
        else:
            made = self.environment(**self.settings)
            if isinstance(made, gymnasium.Env) and self.episode_steps is not None:
                made = gymnasium.wrappers.TimeLimit(made, max_episode_steps=self.episode_steps)
        if isinstance(made, gymnasium.vector.VectorEnv) or hasattr(made, "num_envs"):
            made.close()
            raise InputError(
                f"an agent gets one environment at a time, whose steps are counted; {self.name!r} is a vector of "
                f"{getattr(made, 'num_envs', 'some')}. Make a single one; an agent may wrap it itself."
            )
        if not isinstance(made, gymnasium.Env):
            raise InputError(
                f"`environment` {self.name!r} must make a gymnasium.Env; it made a {type(made).__name__} of "
                f"{type(made).__module__}."
            )
        return made

    def checked(self) -> Rules:
        """The same, with the environment as it is registered here, once it was made."""
        gymnasium = module()
        try:
            made = self.make()
        except InputError:
            raise
        except Exception as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"the environment {self.name!r} cannot be made: {said}{'' if said[-1] in '.?!' else '.'}"
            ) from error
        made.close()
        if (
            self.steps is None
            and (made.spec is None or made.spec.max_episode_steps is None)
            and self.episode_steps is None
        ):
            raise InputError(
                f"{self.name!r} does not say how long an episode may be, and {self.budget} might never end; "
                "give `episode_steps`, or `steps` as the budget."
            )
        if not isinstance(self.environment, str):
            return self
        # What is registered in this process need not be in a worker: the specification travels, not the id.
        return replace(self, environment=gymnasium.registry[made.spec.id], name=made.spec.id)

    def definition(self) -> dict[str, Any]:
        """What changes numbers."""
        spec = self.environment
        limits = {key: getattr(self, key) for key in ("episodes", "steps", "episode_steps", "window")}
        if not hasattr(spec, "entry_point"):
            return {"gymnasium": {"function": content(spec), **limits, "settings": content(self.settings)}}
        what = {"id": spec.id, "entry_point": content(spec.entry_point), "kwargs": content(dict(spec.kwargs))}
        if self.episode_steps is None:  # what is registered counts
            limits["episode_steps"] = spec.max_episode_steps
        wrappers = [[one.entry_point, content(dict(one.kwargs or {}))] for one in spec.additional_wrappers]
        return {"gymnasium": {**what, **limits, "wrappers": wrappers, "settings": content(self.settings)}}

    def warm_up(self) -> None:
        """Load what environments need."""
        self.make().close()

    def outcome(self, returns: NDArray[np.float64], lengths: NDArray[np.float64]) -> Outcome:
        """Scores of a trial from its episodes."""
        window = max(1, len(returns) // SHARE) if self.window is None else min(self.window, len(returns))
        sums = np.concatenate([[0.0], np.cumsum(returns)])
        means = (sums[window:] - sums[:-window]) / window
        scores = {
            "return": float(returns.mean()),
            "final_return": float(returns[-window:].mean()),
            "best_return": float(means.max()),
        }
        series = {"returns": Series(returns)}
        if self.steps is not None:  # one alone is what questions about curves take without being told
            series["lengths"] = Series(lengths)
        return Outcome(scores, series=series)


def module() -> Any:
    """The package."""
    try:
        import gymnasium
        import gymnasium.vector
        import gymnasium.wrappers
    except ImportError:
        raise MissingDependency(
            "environments of Gymnasium need the package gymnasium: pip install 'ogive[gymnasium]'."
        ) from None
    return gymnasium


def _as_settings(settings: object) -> dict[str, Any]:
    if settings is None:
        return {}
    if not isinstance(settings, Mapping) or any(not isinstance(key, str) for key in settings):
        raise InputError(f"`settings` must map names to values; got {type(settings).__name__}.")
    for key, instead in (("max_episode_steps", "episode_steps"), ("num_envs", None), ("vectorization_mode", None)):
        if key in settings:
            way_out = f"use `{instead}`" if instead else "an agent gets one environment at a time"
            raise InputError(f"`settings` must not hold {key!r}: {way_out}.")
    return dict(settings)


def _name_of(environment: object) -> str:
    if isinstance(environment, str):
        return as_printable(environment, "an environment")
    if not callable(environment):
        raise InputError(
            "`environment` must be an id of Gymnasium, or a function that makes an environment; "
            f"got {type(environment).__name__}."
        )
    return str(getattr(environment, "__name__", type(environment).__name__))


def judged(env: CountedEnvironment, algorithm: str) -> Outcome:
    """What a trial was worth, once its agent has ended."""
    if env.fault is not None:
        raise env.fault
    rules = env.rules
    if not env.used_up:
        done = f"{len(env.returns)} of {rules.episodes} episodes" if rules.steps is None else \
            f"{env.steps_taken} of {rules.steps} steps"  # fmt: skip
        raise InvalidScores(
            f"{algorithm!r} stopped after {done} of {rules.name!r}; an agent must go on until `env.used_up`, so that all "
            "are scored over the same budget."
        )
    if not env.returns:
        raise InvalidScores(
            f"{algorithm!r} finished no episode of {rules.name!r} within {rules.budget}; allow more `steps`, or shorter "
            "episodes by `episode_steps`."
        )
    return rules.outcome(np.array(env.returns), np.array(env.lengths, dtype=np.float64))
