"""What a trial costs beside its own work: trivial trials, speed-up, and ten million planned trials.

    python benchmarks/engine.py         about five minutes; needs ogive[dask,optuna] and joblib

The trivial trial draws its streams and a configuration (one log-uniform number, one choice) from
the native space, seeds the global generators, returns one random number, and is kept in a store.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _measure import ROUNDS, Claim, circumstances, report

from ogive.algorithms import Algorithm
from ogive.runner import Dask, run
from ogive.runner._cluster import own_cluster
from ogive.spaces import choice, loguniform
from ogive.study import Study
from ogive.tasks import none

TRIVIAL, JOBLIB, OPTUNA = 200_000, 20_000, 2_000
WORKING = 400
PLANNED = 10_000_000
SPACE = {"C": loguniform(1e-3, 1e3), "kernel": choice(["linear", "rbf", "poly"])}

NOTES = """\
Trivial trials: wall time from the call to the table, start of the processes and the store included,
the median of five. joblib runs a function that builds a seeded generator and draws the same two
parameters, and keeps nothing; Optuna is its in-memory random sampler with one job. Speed-up: wall
time of 400 trials of a fixed amount of arithmetic (about 20 ms), best of three; the Dask cluster is
running before. Planned trials: peak memory of a driver of which ten million trials are asked and
that is stopped after five seconds."""


def trivial(config: dict[str, Any], rng: np.random.Generator) -> float:
    return rng.random() * config["C"]


def working(config: dict[str, Any], rng: np.random.Generator) -> float:
    total = 0.0
    for i in range(350_000):
        total += i * 0.5
    return total + rng.random()


def study(seed: int, function: Callable[..., float]) -> Study:
    return Study("benchmark", Algorithm("a", function, SPACE), none(), seed=seed)


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ogive_trivial(seed: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return seconds(lambda: run(study(seed, trivial), TRIVIAL, folder, workers=2, progress=False)) / TRIVIAL


def one_for_joblib(root: int, i: int) -> tuple[str, float]:
    rng = np.random.default_rng(np.random.SeedSequence(root, spawn_key=(i,)))
    config = {
        "C": float(np.exp(rng.uniform(np.log(1e-3), np.log(1e3)))),
        "kernel": ["linear", "rbf", "poly"][rng.integers(3)],
    }
    return "ok", trivial(config, rng)


def joblib_trivial(seed: int) -> float:
    from joblib import Parallel, delayed

    return seconds(lambda: Parallel(n_jobs=2)(delayed(one_for_joblib)(seed, i) for i in range(JOBLIB))) / JOBLIB


def optuna_trivial(seed: int) -> float:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        config = {
            "C": trial.suggest_float("C", 1e-3, 1e3, log=True),
            "kernel": trial.suggest_categorical("k", ["linear", "rbf", "poly"]),
        }
        return trivial(config, np.random.default_rng(trial.number))

    tried = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    return seconds(lambda: tried.optimize(objective, n_trials=OPTUNA)) / OPTUNA


def speed_up() -> tuple[float, float, float]:
    """Seconds with one worker, with two, and on Dask with two."""
    best = [float("inf")] * 3
    with own_cluster(2) as cluster:
        dask = Dask(cluster)
        for seed in range(3):
            one = study(seed, working)
            engines: list[dict[str, Any]] = [{"workers": 1}, {"workers": 2}, {"engine": dask}]
            for i, where in enumerate(engines):
                best[i] = min(best[i], seconds(functools.partial(run, one, WORKING, progress=False, **where)))
    return best[0], best[1], best[2]


DRIVER = """
import sys
sys.path.insert(0, {here!r})
from engine import PLANNED, study, trivial
from ogive.runner import run
run(study(0, trivial), PLANNED, sys.argv[1], workers=1, progress=lambda progress: None)
"""


def gigabytes_of_planned() -> float:
    code = DRIVER.format(here=str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([sys.executable, "-c", code, folder], stderr=subprocess.DEVNULL)
        time.sleep(5)
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGTERM)
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def main() -> int:
    header = circumstances("numpy", "pyarrow", "distributed", "joblib", "optuna")
    ours, joblibs, optunas = [], [], []
    for seed in range(ROUNDS):
        ours.append(ogive_trivial(seed))
        joblibs.append(joblib_trivial(seed))
        optunas.append(optuna_trivial(seed))
    beside = (
        f"joblib {1e6 * statistics.median(joblibs):.0f}, Optuna in memory {1e6 * statistics.median(optunas):.0f} µs"
    )
    one, two, dask = speed_up()
    claims = [
        Claim(text=f"{TRIVIAL:,} trivial trials, two workers, with store: wall for each", measured=1e6 * statistics.median(ours),
              limit=60, unit="µs", detail=beside),
        Claim(text="20 ms of arithmetic: two workers against one", measured=one / two, limit=1.7, unit="×", at_least=True),
        Claim(text="20 ms of arithmetic: two Dask workers against one worker", measured=one / dask, limit=1.5, unit="×", at_least=True),
        Claim(text=f"{PLANNED:,} planned trials: peak memory", measured=gigabytes_of_planned(), limit=1.0, unit="GB"),
    ]  # fmt: skip
    return report("Engine (`benchmarks/engine.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
