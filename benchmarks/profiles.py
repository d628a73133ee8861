"""Profiles with bands against rliable, and a suite of many problems.

    python benchmarks/profiles.py     about three minutes, nearly all of them the opponent's

rliable is called as its documentation shows, with 2,000 resamples; its band is pointwise, ours holds
at all thresholds and for all methods together.
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import ROUNDS, Claim, circumstances, in_turns, number, report
from resampling import import_rliable

from ogive.profiles import performance_profile
from ogive.profiles._curves import corridor

METHODS, RUNS, TASKS = 5, 100, 26
MANY_METHODS, MANY_PROBLEMS = 50, 5000
THRESHOLDS = np.linspace(0.0, 4.0, 81)
RESAMPLES = 2000

NOTES = f"""\
CPU seconds of all threads, best of five in turns, new scores in each call, the memo of corridors emptied
before each; imports are not counted. First row: the score profile with bands, read at {THRESHOLDS.size} thresholds, of
{METHODS} methods with {RUNS} runs on {TASKS} tasks, against rliable's `create_performance_profile` with {RESAMPLES:,} resamples.
Second: a ratio profile with bands from a dictionary of times. The last row shows that both compute the same shares."""

library, _ = import_rliable()


def scores(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"method {m}": rng.gamma(2.0, 0.5, size=(RUNS, TASKS)) + 0.05 * m for m in range(METHODS)}


def ours(runs: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    corridor.cache_clear()
    found = performance_profile(runs, "score")
    return found.at(THRESHOLDS), found.low(THRESHOLDS), found.high(THRESHOLDS)


def theirs(runs: dict[str, np.ndarray]) -> object:
    return library.create_performance_profile(runs, THRESHOLDS, reps=RESAMPLES)


def times(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    hard = rng.normal(2.0, 2.0, MANY_PROBLEMS)
    return {f"method {m}": np.exp(hard + rng.normal(0.0, 1.0, MANY_PROBLEMS)) for m in range(MANY_METHODS)}


def many_problems(suite: dict[str, np.ndarray]) -> object:
    corridor.cache_clear()
    return performance_profile(suite, time_limit=5000.0).at([1.0, 2.0, 4.0])


def difference() -> float:
    runs = scores(7)
    shares, _ = library.create_performance_profile(runs, THRESHOLDS, reps=10)
    return float(np.max(np.abs(np.stack(list(shares.values())) - ours(runs)[0])))


def main() -> int:
    header = circumstances("numpy", "scipy", "rliable", "arch")
    ours(scores(99))
    seconds = in_turns(map(scores, range(ROUNDS)), ours, theirs)
    (suite,) = in_turns(map(times, range(ROUNDS)), many_problems)
    claims = [
        Claim(text=f"score profile with bands, {METHODS} methods × {TASKS} tasks × {RUNS} runs: times faster than rliable",
              measured=seconds[1] / seconds[0], limit=50.0, unit="×", at_least=True,
              detail=f"{number(seconds[0] * 1000)} ms against {number(seconds[1])} s"),
        Claim(text=f"ratio profile with bands, {MANY_METHODS} methods × {MANY_PROBLEMS:,} problems", measured=suite, limit=5.0),
        Claim(text="largest difference of shares from rliable's", measured=difference(), limit=1e-12, unit=""),
    ]  # fmt: skip
    return report("Profiles (`benchmarks/profiles.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
