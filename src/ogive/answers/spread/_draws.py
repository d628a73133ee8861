"""Which runs share a draw of configuration, data or seed: from what a study held, or from a table's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ogive.errors import InputError
from ogive.trials import IntArray, Trials

CONFIGURATION, DATA, SEED, REST = "configuration", "data", "seed", "everything else"
WORDS = {"config": CONFIGURATION, "data": DATA, "seed": SEED}
# How columns of imported tables are called, in lower case and in the singular.
COLUMNS = {
    CONFIGURATION: ("configuration", "config", "param", "parameter", "hyperparameter", "hyper-parameter", "setting", "arm"),
    DATA: ("data", "data draw", "split", "resample", "fold", "dataset", "sample", "bootstrap"),
    SEED: ("seed", "random_state", "init", "initialization", "rng"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """For each source the draw that each run used; `declared` where a study said so.

    `by_fold` where data are the folds of a cross-validation, those of another repeat being other data.
    """

    codes: dict[str, IntArray]
    declared: bool
    by_fold: bool = False

    @property
    def shared(self) -> tuple[str, ...]:
        """Sources of which several runs, but not all, share a draw."""
        return tuple(name for name, codes in self.codes.items() if 1 < np.unique(codes).size < codes.size)

    @property
    def crossed(self) -> tuple[str, ...]:
        """Sources whose draws recur in several of the units that count, so that all results depend on them."""
        units = self.units()
        if units is None:
            return ()

        def recurs(codes: IntArray) -> bool:
            return bool(np.unique(np.stack([codes, units]), axis=1).shape[1] > np.unique(codes).size)

        return tuple(s for s in self.shared if self.codes[s] is not units and recurs(self.codes[s]))

    def units(self) -> IntArray | None:
        """What counts once where effects of parameters are judged; None where every run is one.

        Runs of one configuration share its parameters, so configurations count; where each run has its
        own, the draws of what else was shared do.
        """
        shared = self.shared
        if not shared:
            return None
        name = (
            CONFIGURATION if CONFIGURATION in shared else min(shared, key=lambda s: int(np.unique(self.codes[s]).size))
        )
        return self.codes[name]


def find_draws(trials: Trials, rows: IntArray, holds: Mapping[str, Any] | None) -> Draws:
    """The draws of these rows of one method on one task."""
    if holds is None:
        holds = getattr(trials, "holds", None)
    trial = trials.table["trial"].chunk(0).to_numpy()[rows].astype(np.int64)
    codes = _held(trials, trial, holds) if holds is not None else _seen(trials, rows, trial)
    item = trials.codes("item")[rows]
    # The column of items is a source already where rows share items, or where items are what varied.
    if item.max(initial=-1) > 0 and not any(_same(item, other) for name, other in codes.items() if name != REST):
        codes["item"] = _dense(item)
    return Draws(codes, declared=holds is not None, by_fold=holds is None and _by_fold(trials))


def _held(trials: Trials, trial: IntArray, holds: Mapping[str, Any]) -> dict[str, IntArray]:
    unknown = [source for source in holds if source not in WORDS]
    if unknown:
        raise InputError(f"`holds` must be about config, data or seed; got {unknown[0]!r}.")
    out = {}
    for source, word in WORDS.items():
        fixed = bool(trials.varied) and word not in trials.varied
        out[word] = np.zeros(trial.size, dtype=np.intp) if fixed else _counters(source, holds.get(source), trial)
    return out


def _counters(source: str, hold: Any, trial: IntArray) -> IntArray:
    """The trial whose draw each one used: `study.hold`'s rules."""
    rule, k = "every", 1
    if isinstance(hold, Mapping) and len(hold) == 1:
        ((rule, k),) = hold.items()
    elif hasattr(hold, "rule") and hasattr(hold, "k"):
        rule, k = hold.rule, hold.k
    elif hold is not None:
        rule, k = "at", hold
    if rule == "values":  # some parameters are fixed, the others are drawn anew
        rule, k = "every", 1
    if rule not in ("every", "cycle", "at") or isinstance(k, bool) or not isinstance(k, int) or k < (rule != "at"):
        raise InputError(f"`holds` of {source!r} must be a trial number, every(k) or cycle(k); got {hold!r}.")
    counters = trial // k if rule == "every" else trial % k if rule == "cycle" else np.zeros_like(trial)
    return _dense(counters)


def _seen(trials: Trials, rows: IntArray, trial: IntArray) -> dict[str, IntArray]:
    """From the columns: equal parameters are one configuration; a group or a seed that recurs is one draw."""
    out: dict[str, IntArray] = {}
    fresh = np.arange(rows.size, dtype=np.intp)
    params = trials.codes("params")[rows]
    if params.min(initial=0) >= 0:
        out[CONFIGURATION] = _dense(params)
    group = trials.codes("group")[rows]
    if _by_fold(trials):
        # The group holds repeats, each of which is another division of the data: their ten folds are ten draws.
        out[DATA] = _dense(trial)
    elif trials.unit is not None and group.min(initial=0) >= 0:
        word = source_word(trials.unit)
        if word not in out or np.unique(out[word]).size == rows.size:
            out[word] = _dense(group)
    varied = [source_word(word) for word in trials.varied]
    if SEED in varied and SEED not in out and not _by_fold(trials) and np.unique(trial).size < rows.size:
        out[SEED] = _dense(trial)
    for word in varied:
        out.setdefault(word, fresh)
    if all(np.unique(codes).size < rows.size for codes in out.values()):
        out[REST] = fresh
    return out


def _by_fold(trials: Trials) -> bool:
    return trials.n_folds is not None and trials.unit == "fold"


def source_word(column: str) -> str:
    """Configuration, data or seed where a column's name says so; else the name itself."""
    plain = column.lower().strip().replace("_", " ").removesuffix("s").replace("isation", "ization")
    for word, names in COLUMNS.items():
        if plain in names or plain.removesuffix(" id") in names or plain.replace(" ", "_") in names:
            return word
    return column


def _same(a: IntArray, b: IntArray) -> bool:
    """Whether two sources divide the runs alike."""
    n = np.unique(np.stack([a, b]), axis=1).shape[1]
    return bool(n == np.unique(a).size == np.unique(b).size)


def _dense(codes: IntArray) -> IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)
