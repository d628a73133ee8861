"""Resampling over many tasks against rliable, and almost stochastic dominance against deepsig.

    python benchmarks/resampling.py     about five minutes, nearly all of them the opponents'

The same resamples in number, the same thresholds, one thread on our side; rliable and deepsig
are called as their documentation shows, with their defaults otherwise.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from types import ModuleType

import numpy as np
from _measure import ROUNDS, Claim, circumstances, in_turns, number, report

from ogive.statistics import aggregate, almost_dominance, improvement_over_tasks, profile_counts

METHODS, RUNS, TASKS = 5, 100, 26
THRESHOLDS = np.linspace(0.0, 4.0, 81)
PROFILE_RESAMPLES, IMPROVEMENT_RESAMPLES, DOMINANCE_RESAMPLES = 2000, 200, 1000
N_SCORES = 500
# Two independent sets of 2,000 resamples place a limit of an interval with an error of some
# percent of its width; limits of 200 resamples of some ten percent.
SAMPLING_NOISE = 0.15

NOTES = f"""\
CPU seconds of all threads, best of five in turns, new scores in each call; compiling the kernels
(once for each installation) and imports are not counted. First row: IQM with interval and the
score profile at {THRESHOLDS.size} thresholds, for each of {METHODS} methods with {RUNS} runs on {TASKS} tasks,
{PROFILE_RESAMPLES:,} resamples; the opponent is rliable's `get_interval_estimates` and
`create_performance_profile`. Second: `improvement_over_tasks` with {IMPROVEMENT_RESAMPLES} resamples against
`get_interval_estimates` of `probability_of_improvement`. Third: `almost_dominance` against deepsig's
`aso`, {DOMINANCE_RESAMPLES:,} resamples each; our ratio is exact, deepsig's comes from a grid of 200 levels.
The rows of differences show that both sides compute the same thing, up to the noise of their resamples."""


def import_rliable() -> tuple[ModuleType, ModuleType]:
    """rliable's own dependency, arch 7, decorates one plotting function as pandas 2 did; pandas 3 refuses that."""
    import pandas.util._decorators as decorators

    kept = decorators.deprecate_kwarg
    decorators.deprecate_kwarg = lambda *_, **__: lambda function: function
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from rliable import library, metrics
    finally:
        decorators.deprecate_kwarg = kept
    return library, metrics


library, metrics = import_rliable()


def method_scores(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"method {m}": rng.gamma(2.0, 0.5, size=(RUNS, TASKS)) + 0.05 * m for m in range(METHODS)}


def iqm_and_profile(scores: dict[str, np.ndarray]) -> dict[str, object]:
    return {
        name: profile_counts(runs, THRESHOLDS, statistics=["iqm"], n_resamples=PROFILE_RESAMPLES, method="percentile")
        for name, runs in scores.items()
    }


def rliable_iqm_and_profile(scores: dict[str, np.ndarray]) -> tuple[object, object]:
    intervals = library.get_interval_estimates(
        scores, lambda runs: np.array([metrics.aggregate_iqm(runs)]), reps=PROFILE_RESAMPLES
    )
    return intervals, library.create_performance_profile(scores, THRESHOLDS, reps=PROFILE_RESAMPLES)


def improvement(pair: tuple[np.ndarray, np.ndarray]) -> object:
    return improvement_over_tasks(*pair, method="percentile", n_resamples=IMPROVEMENT_RESAMPLES)


def rliable_improvement(pair: tuple[np.ndarray, np.ndarray]) -> tuple[object, object]:
    return library.get_interval_estimates(
        {"x,y": list(pair)}, lambda x, y: np.array([metrics.probability_of_improvement(x, y)]), reps=IMPROVEMENT_RESAMPLES
    )  # fmt: skip


def dominance(pair: tuple[np.ndarray, np.ndarray]) -> object:
    return almost_dominance(*pair, n_resamples=DOMINANCE_RESAMPLES)


def deepsig_dominance(pair: tuple[np.ndarray, np.ndarray]) -> float:
    from deepsig import aso

    with contextlib.redirect_stderr(io.StringIO()):
        return float(aso(*pair, num_bootstrap_iterations=DOMINANCE_RESAMPLES, show_progress=False, seed=0))


def score_pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = list(method_scores(seed).values())[:2]
    return y, x


def sample_pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.2, 1.0, N_SCORES), rng.normal(0.0, 1.0, N_SCORES)


def times(text: str, ours: float, theirs: float, limit: float) -> Claim:
    detail = f"{number(ours * 1000)} ms against {number(theirs)} s"
    return Claim(text=text, measured=theirs / ours, limit=limit, unit="×", at_least=True, detail=detail)


def differences() -> list[Claim]:
    """Largest difference of interval limits, as a share of the interval's width."""
    one = {"m": method_scores(1)["method 1"]}
    (_, theirs), (_, profile) = rliable_iqm_and_profile(one)
    ours = aggregate(one["m"], statistics=["iqm"], method="percentile")["iqm"]
    limits, width = theirs["m"].ravel(), ours.high - ours.low
    iqm = float(np.max(np.abs(limits - [ours.low, ours.high]))) / width
    found = profile_counts(one["m"], THRESHOLDS)
    inner = (found.share > 0.1) & (found.share < 0.9)
    gap = np.abs(profile["m"] - np.array([found.low, found.high]))[:, inner]
    pair = score_pair(1)
    better, limits = improvement(pair), rliable_improvement(pair)[1]["x,y"].ravel()
    poi = float(np.max(np.abs(limits - [better.low, better.high]))) / (better.high - better.low)
    a, b = sample_pair(1)
    epsilon = abs(almost_dominance(a, b).epsilon_min - deepsig_dominance((a, b)))
    where = "largest difference of limits, share of the width"
    return [
        Claim(text=f"IQM, {where}", measured=iqm, limit=SAMPLING_NOISE, unit=""),
        Claim(text="profile between 0.1 and 0.9, mean difference of limits, share of the width",
              measured=float(np.mean(gap / (found.high - found.low)[inner])), limit=SAMPLING_NOISE, unit=""),
        Claim(text=f"improvement, {where}", measured=poi, limit=2 * SAMPLING_NOISE, unit=""),
        Claim(text="difference of the two bounds of the violation ratio", measured=epsilon, limit=SAMPLING_NOISE, unit=""),
    ]  # fmt: skip


def main() -> int:
    header = circumstances("numpy", "scipy", "numba", "rliable", "arch", "deepsig")
    iqm_and_profile(method_scores(99))  # these three compile
    improvement(score_pair(99))
    dominance(sample_pair(99))
    seeds, claims = range(ROUNDS), []
    ours, theirs = in_turns(map(method_scores, seeds), iqm_and_profile, rliable_iqm_and_profile)
    design = f"{METHODS} methods × {RUNS} runs × {TASKS} tasks"
    claims.append(times(f"IQM and profile, {design}: times faster than rliable", ours, theirs, 60.0))
    ours, theirs = in_turns(map(score_pair, seeds), improvement, rliable_improvement)
    claims.append(times(f"probability of improvement, {TASKS} tasks: times faster than rliable", ours, theirs, 100.0))
    ours, theirs = in_turns(map(sample_pair, seeds), dominance, deepsig_dominance)
    claims.append(times(f"almost stochastic dominance, n = {N_SCORES}: times faster than deepsig", ours, theirs, 300.0))
    return report("Resampling (`benchmarks/resampling.py`)", header, NOTES, [*claims, *differences()])


if __name__ == "__main__":
    sys.exit(main())
