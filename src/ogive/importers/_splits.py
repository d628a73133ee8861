"""Columns that split the runs of a method on a task, and that nobody declared: settings, modes, versions.

Pooled, such rows would count as runs of one thing. A question is asked only where the rows look like a plan: under
each seed, fold or item (under each method and task where there are none) every value of the column stands equally
often, in so many of them that chance would hardly do it. A hyper-parameter that a search drew at random, a host, a date
or a note does not stand so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.files import is_text
from ogive.importers._columns import as_text, holds_text
from ogive.importers._roles import Roles, plain
from ogive.importers._within import as_planned, codes
from ogive.metric import is_measure
from ogive.notes import Note, NoteKind

RARE = 1e-3
NUMBERED = re.compile(r"(run|seed|rep|repeat|repetition|replicate|trial|try|attempt|episode|sample|r|s)?[ _-]?\d+")
MOST_LOOKED_AT = 20_000
MOST_VALUES = 12
MOST_GAPS = 0.3  # the share of keys that may lack a value: runs get lost
# What these are called is a part of what was run, even where few rows say so.
NAMED = (
    "setting", "settings", "mode", "version", "variant", "preset", "condition", "scenario", "config", "configuration",
    "metric", "metricname", "measure", "promptstyle", "prompttemplate", "optimizer",
)  # fmt: skip
# What these hold is about the work of running, or is an outcome.
BOOKKEEPING = (
    "host", "hostname", "machine", "node", "worker", "device", "gpu", "cpu", "date", "day", "time", "timestamp", "datetime",
    "started", "finished", "start", "end", "user", "author", "owner", "commit", "note", "notes", "comment", "comments", "remark",
    "message", "file", "filename", "path", "url", "answer", "response", "prediction", "output", "label", "gold", "target",
)  # fmt: skip


def find_split(table: pa.Table, roles: Roles, cell: np.ndarray, varied: Sequence[str]) -> Note | None:
    """The question about the first column that splits the runs, with its ways out."""
    guessed_group = roles.group if roles.group is not None and "group" in roles.guessed else None
    free = [*roles.unused, *(c for c in (guessed_group,) if c is not None and holds_text(table[c]))]
    free = [c for c in few_valued(table, free) if c not in varied and plain(c) not in BOOKKEEPING]
    free = [c for c in free if not (is_measure(c) and pa.types.is_floating(table[c].type))]  # measured beside the score
    if not free:
        return None
    key, numbered = _keys(table, roles, cell)
    if np.unique(key).size == key.size:  # nothing collides: only a column that is called so can split these runs
        key, numbered, free = cell, True, [c for c in free if plain(c) in NAMED]
    for name in free:
        if not _may_split(table[name], name, roles, numbered):
            continue
        share, chance = as_planned(key, table[name])
        rare = chance < RARE / len(free) and share >= 1.0 - MOST_GAPS
        if rare or (plain(name) in NAMED and share >= 0.5):
            return _asked(table, roles, name)
    return None


def _asked(table: pa.Table, roles: Roles, name: str) -> Note:
    if roles.algorithm is None and holds_text(table[name]) and plain(name) not in ("metric", "metricname", "measure"):
        return Note(NoteKind.ASKS_METHOD, "algorithm", {"column": name})
    values = [str(v) for v in as_text(table[name], name).unique().to_pylist()]
    found = {
        "column": name, "value": values[0], "values": values[:5], "n": len(values), "algorithm": roles.algorithm, "task": roles.task,
    }  # fmt: skip
    return Note(NoteKind.ASKS_SPLIT, "where", found)


def _keys(table: pa.Table, roles: Roles, cell: np.ndarray) -> tuple[np.ndarray, bool]:
    """A number for each method, task, seed, fold and item, as far as there are such columns; and whether seeds or folds are."""
    key = cell
    for name in (roles.repeat, roles.fold, roles.item):
        if name is not None:
            label = codes(table[name])
            key = np.unique(key * (int(label.max(initial=0)) + 1) + label, return_inverse=True)[1]
    return key, roles.repeat is not None or roles.fold is not None


def _may_split(column: pa.ChunkedArray, name: str, roles: Roles, numbered: bool) -> bool:
    """Whether values of a column can be sets of runs: words, yes and no; numbers where they cannot number the runs."""
    kind = column.type
    if pa.types.is_temporal(kind) or (plain(name) not in NAMED and _numbers_runs(column)):
        return False
    if holds_text(column) or pa.types.is_boolean(kind) or plain(name) in NAMED:
        return True
    if len(column.unique()) > MOST_VALUES:
        return False
    return numbered or (roles.item is not None and pa.types.is_floating(kind))


def _numbers_runs(column: pa.ChunkedArray) -> bool:
    """Whether values count on, as numbers of runs, episodes or attempts do: 0, 1, 2 or `run 1`, `run 2`."""
    values = column.unique().to_pylist()
    if holds_text(column):
        return all(NUMBERED.fullmatch(str(value).strip().lower()) for value in values)
    return (
        len(values) > 2
        and pa.types.is_integer(column.type)
        and sorted(values)[0] in (0, 1)
        and (max(values) - min(values) == len(values) - 1)
    )


def few_valued(table: pa.Table, names: Sequence[str]) -> list[str]:
    """Columns without gaps whose values repeat: each stands twice on average, or more often."""
    out = []
    for name in names:
        column = table[name]
        if pa.types.is_nested(column.type) or column.null_count:
            continue
        # Of a long table the beginning tells enough.
        head = column.slice(0, MOST_LOOKED_AT)
        labels = head.unique()
        blank = is_text(column.type) and pc.any(pc.equal(pc.utf8_trim_whitespace(labels), "")).as_py()
        if not blank and 1 < len(labels) <= len(head) // 2:
            out.append(name)
    return out
