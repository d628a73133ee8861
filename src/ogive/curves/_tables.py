"""Learning curves as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ogive.notes import Note, NoteKind
from ogive.trials import Trials, compact

if TYPE_CHECKING:
    import pandas as pd

    from ogive.curves._curves import LearningCurves


def to_trials(curves: LearningCurves) -> Trials:
    """One row for each model, size and repetition; sizes are tasks, and share repetitions."""
    models, _, sizes, repetitions = curves.values.shape
    n = models * sizes * repetitions
    model, size, trial = np.indices((models, sizes, repetitions)).reshape(3, -1)
    tasks = [f"{curves.name}, n = {s}" for s in curves.sizes]
    columns = {
        "algorithm": pa.array(np.array(curves.models, dtype=object)[model], pa.string()),
        "task": pa.array(np.array(tasks, dtype=object)[size], pa.string()),
        "trial": pa.array(trial, pa.int64()),
        **{name: pa.nulls(n, pa.string()) for name in ("item", "group")},
        "status": pa.array(["ok"] * n, pa.string()).dictionary_encode(),
        **{name: pa.nulls(n, pa.string()) for name in ("message", "params")},
        **{name: pa.array(curves.values[:, i].reshape(-1)) for i, name in enumerate(curves.metrics)},
        **{name: pa.nulls(n, pa.float64()) for name in ("wall_s", "cpu_s")},
    }
    return Trials(
        table=compact(pa.table(columns)), definitions=dict(curves.definitions), unit="repetition", varied=("training set",),
        pair="trial" if models > 1 else None, scope=f"these {curves.n_rows} rows", source=curves.name,
        notes=(Note(NoteKind.SIZES_AS_TASKS), *curves.notes),
    )  # fmt: skip


def to_pandas(curves: LearningCurves) -> pd.DataFrame:
    """One row for each model, size and repetition."""
    import pandas as pd

    models, _, sizes, repetitions = curves.values.shape
    model, size, repetition = np.indices((models, sizes, repetitions)).reshape(3, -1)
    return pd.DataFrame(
        {
            "model": np.array(curves.models, dtype=object)[model],
            "size": curves.sizes[size],
            "repetition": repetition,
            **{name: curves.values[:, i].reshape(-1) for i, name in enumerate(curves.metrics)},
        }
    )
