"""Rows that sum up the tasks of a table, such as `Average`: left out where they do, asked about where they do not."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError
from ogive.importers._columns import as_numbers, as_text
from ogive.importers._roles import Roles, plain
from ogive.importers._within import codes
from ogive.notes import Note, NoteKind

TOTALS = re.compile(
    r"(macro|micro|grand|geometric|geo|arithmetic|weighted|unweighted)?"
    r"(average|averages|avg|mean|means|median|overall|total|totals|sum|all|alltasks|aggregate|aggregated|geomean|gmean"
    r"|mittelwert|mittel|durchschnitt|gesamt|summe|moyenne|media|promedio)"
    r"(score|scores|performance|accuracy|\(\d+\)|\(\d+(tasks|datasets)\))?"
)
FEWEST_TASKS = 2
TOLERANCE = 1e-9
MOST_OFF = 0.1  # of the spread of the tasks: what a rounded mean may lie beside it


def settle_totals(table: pa.Table, roles: Roles) -> tuple[pa.Table, list[Note], Note | None]:
    """The table without rows that are the mean of the others, and the question about rows that are only called so.

    As one more task the mean counts every other task again, and gave a verdict that the tasks alone did not.
    """
    column = roles.task or roles.item
    if column is None or table.num_rows == 0:
        return table, [], None
    names = as_text(table[column], column)
    distinct = [name for name in names.unique().to_pylist() if name is not None]
    called = [name for name in distinct if TOTALS.fullmatch(plain(name).strip("*:. "))]
    if not called or len(distinct) - len(called) < FEWEST_TASKS:
        return table, [], None
    rows = pc.is_in(names, value_set=pa.array(called, pa.string()))
    found = {"column": column, "names": called, "n": int(pc.sum(rows).as_py())}
    if not all(_are_means(table, roles, names, name, called) for name in called):
        return table, [], Note(NoteKind.ASKS_TOTAL, "where", found)
    return table.filter(pc.invert(rows)), [Note(NoteKind.TOTALS_LEFT_OUT, "where", found)], None


def _are_means(table: pa.Table, roles: Roles, names: pa.Array, total: str, called: list[str]) -> bool:
    """Whether the rows of one name are what each method has on all other tasks: its mean, median, sum or geometric mean."""
    try:
        scores = as_numbers(table[roles.score[0]], roles.score[0])
    except InputError:
        return False
    mine = np.array(pc.equal(names, total).to_numpy(zero_copy_only=False), dtype=bool)
    others = ~np.array(
        pc.is_in(names, value_set=pa.array(called, pa.string())).to_numpy(zero_copy_only=False), dtype=bool
    )
    method = codes(table[roles.algorithm]) if roles.algorithm is not None else np.zeros(len(scores), dtype=np.int64)
    run = np.zeros(len(scores), dtype=np.int64)
    for name in (roles.repeat, roles.fold):
        if name is not None:
            label = codes(table[name])
            run = np.unique(run * (int(label.max()) + 1) + label, return_inverse=True)[1].reshape(-1)
    task = codes(names)
    for which in np.unique(method):
        own = method == which
        # One row sums up all runs of a method; of several, each has to sum up its own run.
        parts = (
            [own] if np.count_nonzero(mine & own) <= 1 else [own & (run == one) for one in np.unique(run[mine & own])]
        )
        for part in parts:
            said = scores[mine & part]
            if said.size > 1:
                return False
            known = others & part & np.isfinite(scores)
            if not known.any() and len(parts) > 1:
                return False
            if not known.any() or not np.isfinite(said).any():
                continue
            if not _sums_up(float(said[0]), scores[known], task[known]):
                return False
    return True


def _sums_up(said: float, scores: np.ndarray, task: np.ndarray) -> bool:
    """Whether a number is the mean, median, sum or geometric mean of tasks, as far as its decimals tell."""
    _, place = np.unique(task, return_inverse=True)
    each = np.bincount(place, weights=scores) / np.bincount(place)
    ways = [each.mean(), scores.mean(), np.median(each), each.sum()]
    ways += [np.exp(np.log(each).mean())] if each.min() > 0.0 else []
    # Right or wrong, 0 or 1, has no decimals: half of one would be any mean.
    near = min(_last_digit(said), MOST_OFF * float(np.ptp(each))) + TOLERANCE * float(np.abs(each).max())
    return bool(min(abs(way - said) for way in ways) <= near)


def _last_digit(value: float) -> float:
    """Half a unit, and a little, of the last decimal in which a value is written."""
    exponent = Decimal(f"{value:.12g}").normalize().as_tuple().exponent
    return 0.51 * 10.0 ** min(int(exponent), 0)
