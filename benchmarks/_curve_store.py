"""A store of ten models x four metrics x every size of a data set x repetitions, made up, written as a run writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.curves import MODELS
from ogive.curves._engine import prepare
from ogive.curves._metrics import FAILED
from ogive.store import SERIES, TRIALS, Store

IN_A_PART = 100  # trials


def make(path: Path, n_rows: int, n_repetitions: int, seed: int = 0) -> Store:
    """Curves that rise with the size, nested as repetitions are; accuracies on the steps of the test set."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    X = rng.normal(size=(n_rows, 6)) + 0.5 * y[:, None]
    study, draw, _ = prepare(
        list(MODELS), X, y, design="additive", test="fixed", sizes=None, metrics=None, test_size=0.2,
        missing_class="zero", tuned=None, fit=None, name="made", seed=seed,
    )  # fmt: skip
    store = Store(path)
    store.create(study.record())
    sizes, n_test = np.array(draw.numbers, dtype=np.float64), len(draw.design.held_out)
    for place, model in enumerate(MODELS):
        rate, best = 0.25 + 0.05 * (place % 4), 0.80 + 0.01 * place
        for first in range(0, n_repetitions, IN_A_PART):
            trials = np.arange(first, min(first + IN_A_PART, n_repetitions))
            noise = rng.normal(size=(trials.size, sizes.size)).cumsum(axis=1) / np.sqrt(np.arange(1, sizes.size + 1))
            accuracy = np.clip(best - 0.4 * sizes**-rate + 0.2 * noise / np.sqrt(sizes + 20.0), 0.0, 1.0)
            accuracy = np.round(accuracy * n_test) / n_test
            jitter = 1e-3 * rng.normal(size=(3, *accuracy.shape))
            curves = {
                "accuracy": accuracy,
                "auc": np.clip(accuracy + 0.04 + jitter[0], 0.0, 1.0),
                "brier": np.clip(1.2 * (1.0 - accuracy) + jitter[1], 0.0, 2.0),
                "cross_entropy": np.maximum(2.0 * (1.0 - accuracy) + jitter[2], 0.0),
                FAILED: np.zeros_like(accuracy),
            }
            _write(store, model, trials, curves, draw.numbers[-1])
    return store


def _write(store: Store, model: str, trials: np.ndarray, curves: dict[str, np.ndarray], last: int) -> None:
    names, n = list(curves), trials.size
    stacked = np.stack(list(curves.values()), axis=1)
    ends = np.arange(0, stacked.size + 1, stacked.shape[2], dtype=np.int32)
    rows = n * len(names)
    series: dict[str, Any] = {
        "algorithm": [model] * rows, "task": ["made"] * rows, "trial": np.repeat(trials, len(names)),
        "attempt": np.zeros(rows, dtype=np.int16), "name": names * n,
        "values": pa.ListArray.from_arrays(pa.array(ends), pa.array(stacked.reshape(-1))),
    }  # fmt: skip
    store.write("series", pa.table(series, schema=SERIES))
    scores = [[(f"{m} at n = {last}", float(v[i, -1])) for m, v in curves.items() if m != FAILED] for i in range(n)]
    nothing, one = [None] * n, np.ones(n)
    done: dict[str, Any] = {
        "algorithm": [model] * n, "task": ["made"] * n, "trial": trials, "attempt": np.zeros(n, dtype=np.int16),
        "item": nothing, "group": nothing, "status": ["ok"] * n, "message": nothing, "params": ["{}"] * n,
        "metrics": scores, "wall_s": one, "cpu_s": one, "versions": nothing,
        "n_inner": np.zeros(n, dtype=np.int32), "n_series": np.full(n, len(names), dtype=np.int32),
    }  # fmt: skip
    store.write("trials", pa.table(done, schema=TRIALS))
