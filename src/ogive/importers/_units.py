"""What one independent draw is: declared, seen in the columns, or asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError
from ogive.importers._columns import as_text, as_truths, holds_text
from ogive.importers._roles import COUNTING, IDENTIFIER, NUMBERS_OR_STEPS, STEPS, Roles, is_outcome, plain
from ogive.importers._steps import counts_within, labeled
from ogive.importers._within import (
    as_planned,
    balance_by_chance,
    codes,
    cut_from,
    depends_on,
    explained,
    few_valued,
    holds_folds,
    in_blocks,
    in_order,
    is_identifier,
    label_counts,
    repeats,
    shared,
    stands_several_times,
    usual,
    varies,
)
from ogive.metric import goal_in_name, is_measure
from ogive.notes import Note, NoteKind

EACH_ROW = ("row", "rows")
CONFIGURATION = ("configuration", "config", "params")
RARE = 1e-3
NUMBERED = re.compile(r"(run|seed|rep|repeat|repetition|replicate|trial|try|attempt|episode|sample|r|s)?[ _-]?\d+")
MOST_VALUES = 12
MOST_GAPS = 0.3  # the share of keys that may lack a value: runs get lost
STRONG = 0.25  # of the spread of the scores' ranks: what lies between values of a column that matters
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
    "reason", "stopreason", "termination", "verdict", "judgment", "rating", "grade", "result", "rank", "tag", "tags",
)  # fmt: skip
# Whom or what several rows may be about: one draw each, and neither a setting nor a task.
SAMPLED = (
    "patient", "patientid", "subject", "subjectid", "participant", "participantid", "person", "proband", "speaker", "speakerid",
    "sprecher", "volunteer", "animal", "mouse", "case", "caseid", "scan", "image", "molecule", "userid", "sujet", "paciente",
)  # fmt: skip


# What searches draw, where nobody declared it; other numbers that hardly repeat may be measured as well.
TUNED = (
    "lr", "learningrate", "rate", "eta", "weightdecay", "wd", "dropout", "momentum", "alpha", "beta", "gamma", "lambda", "c", "epsilon", "eps",
    "l1", "l2", "subsample", "colsamplebytree", "clip", "cliprange", "entcoef", "tau", "regalpha", "reglambda", "minchildweight",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Units:
    """How rows are counted, numbered and joined."""

    unit: str | None
    clustered: bool
    group: pa.Array | None
    question: Note | None
    trial: np.ndarray
    pair: str | None
    n_folds: int | None
    varied: tuple[str, ...]
    notes: tuple[Note, ...]


def find_units(
    table: pa.Table,
    roles: Roles,
    declared: str | None,
    algorithm: pa.Array,
    task: pa.Array,
    params: pa.Array | None,
    *,
    scores: np.ndarray,
    varied: tuple[str, ...] = (),
) -> Units:
    """The unit of each row, its trial number, and the key that joins methods; `varied` is what the caller said of it."""
    cell = codes(algorithm) * (int(codes(task).max()) + 1) + codes(task)
    by_fold = declared is not None and roles.fold is not None and declared in ("fold", roles.fold)
    unit: str | None
    question: Note | None = None
    notes: list[Note] = []
    roles = _without_seeds_of_folds(table, roles, cell, notes)
    if by_fold and roles.repeat is None and roles.group is not None and "group" in roles.guessed:
        roles = replace(roles, repeat=roles.group, group=None)  # it names repeats of one cross-validation
    if declared is not None and not by_fold:
        unit, group, n_folds = declared, _declared_group(declared, table, roles, params, cell), None
    else:
        unit, group, n_folds = _seen_unit(table, roles, cell)
        question = _question(table, roles, cell, params, varied, scores, by_fold=by_fold)
    clustered = group is not None and n_folds is None and repeats(cell, group)
    if clustered:
        refuse_gaps(group, unit)
        notes.append(Note(NoteKind.SHARED_UNIT, "unit", {"unit": unit}))
    if roles.fold is not None and n_folds is None:
        notes.append(_overruled_fold(roles, unit, clustered))
    pair, matched = _pairing(table, roles, cell, task)
    if pair is None and roles.pair is not None:
        notes.append(Note(NoteKind.NOT_PAIRED, "pair", {"column": roles.pair}))
    if pair is not None:
        found = {"column": pair, "guessed": roles.pair is None, "matched": matched, "of_rows": table.num_rows}
        notes.append(Note(NoteKind.PAIRED, "pair", found))
    differed = _varied(table, roles, unit, cell, params)
    if clustered and unit == roles.item and roles.repeat is not None and varies(cell, table[roles.repeat]):
        differed = tuple(word for word in differed if word != "seed")
        notes.append(Note(NoteKind.HELD, "unit", {"unit": unit, "repeat": roles.repeat}))
    numbers = _trial_numbers(table, roles, cell)
    return Units(unit, clustered, group, question, numbers, pair, n_folds, differed, tuple(notes))


def _without_seeds_of_folds(table: pa.Table, roles: Roles, cell: np.ndarray, notes: list[Note]) -> Roles:
    """A seed of its own for every fold numbers no repeat: as one it made two folds of ten, and joined nothing."""
    if roles.fold is None or roles.repeat is None or holds_folds(cell, table[roles.repeat], table[roles.fold]):
        return roles
    if not is_identifier(cell, table[roles.fold]):
        return roles  # folds stand several times, and this column may be what tells them apart
    notes.append(Note(NoteKind.SEED_OF_FOLD, "repeat", {"column": roles.repeat}))
    return replace(roles, repeat=None)


def _seen_unit(table: pa.Table, roles: Roles, cell: np.ndarray) -> tuple[str | None, pa.Array | None, int | None]:
    """Unit, group and folds by the columns; what was guessed is a unit only where rows share it."""
    group = None if roles.group is None else as_text(table[roles.group], roles.group)
    n_folds = None if roles.fold is None else _count_folds(table, roles, cell)
    if group is not None and ("group" not in roles.guessed or repeats(cell, group)):
        return roles.group, group, n_folds
    if n_folds is not None:
        return "fold", (group if roles.repeat is None else as_text(table[roles.repeat], roles.repeat)), n_folds
    if roles.item is not None:
        item = as_text(table[roles.item], roles.item)
        again = repeats(cell, item)
        if again or "item" not in roles.guessed:
            return roles.item, item if again else group, None
    return None, group, None


def _count_folds(table: pa.Table, roles: Roles, cell: np.ndarray) -> int:
    """Folds of one cross-validation: of the usual cell, since a short one lost some; of several usual the fewest,
    which share more rows.

    Repeated cross-validations may number their folds on, so folds count within a repeat.
    """
    if roles.repeat is None:
        return max(2, usual(label_counts(cell, table[roles.fold])))
    number = codes(table[roles.repeat])
    span = int(number.max()) + 1
    whole = np.unique(cell * span + number, return_inverse=True)
    held = label_counts(whole[1], table[roles.fold])
    most = np.zeros(int(cell.max()) + 1, dtype=np.int64)
    np.maximum.at(most, whole[0] // span, held)
    k = usual(most[np.unique(cell)])
    # A label that holds one fold numbers no repeat, though it may join the methods.
    return k if k > 1 else max(2, usual(label_counts(cell, table[roles.fold])))


def _varied(
    table: pa.Table, roles: Roles, unit: str | None, cell: np.ndarray, params: pa.Array | None
) -> tuple[str, ...]:
    """What differs between the runs of a method on a task, as far as the columns say so."""
    found = ["configuration"] if varies(cell, params) else []
    if roles.fold is not None:
        found.append("fold")
    seeds = [name for name in (roles.repeat, roles.pair) if name is not None and name.lower() == "seed"]
    if any(varies(cell, table[name]) for name in seeds):
        found.append("seed")
    if unit not in found and roles.item is not None:
        found.append(roles.item)
    return tuple(found)


def _overruled_fold(roles: Roles, unit: str | None, clustered: bool) -> Note:
    """That a declared unit is taken instead of folds; refused where both were declared and folds would count as runs."""
    if "fold" not in roles.guessed and not clustered:
        raise InputError(
            f"`unit` {unit!r} takes every row for independent, but the rows are folds (`fold` {roles.fold!r}), which share "
            "training data; leave out one of the two."
        )
    return Note(NoteKind.FOLDS_OVERRULED, "unit", {"column": roles.fold})


def _declared_group(
    declared: str, table: pa.Table, roles: Roles, params: pa.Array | None, cell: np.ndarray
) -> pa.Array | None:
    if declared in EACH_ROW or (declared == roles.repeat and not repeats(cell, table[declared])):
        return None
    roles_of_units = {"item": roles.item, "group": roles.group, "repeat": roles.repeat}
    column = declared if declared in table.column_names else roles_of_units.get(declared)
    if column is not None:
        return as_text(table[column], column)
    if declared in CONFIGURATION and params is not None:
        return params
    if declared in CONFIGURATION:
        raise InputError(f"`unit` {declared!r} needs the columns of the configuration; name them with params=.")
    raise InputError(
        f"`unit` must be 'row' or name a column; got {declared!r}. The columns are {', '.join(map(repr, table.column_names))}."
    )


def _question(
    table: pa.Table,
    roles: Roles,
    cell: np.ndarray,
    params: pa.Array | None,
    varied: tuple[str, ...],
    scores: np.ndarray,
    *,
    by_fold: bool,
) -> Note | None:
    """Why rows may not be counted as independent, to be answered."""
    known = roles.group is not None and ("group" not in roles.guessed or repeats(cell, table[roles.group]))
    split = None if known and roles.group in varied else find_split(table, roles, cell, varied, scores)
    if split is not None or by_fold:
        return split
    if known and roles.fold is not None and "group" in roles.guessed:
        return Note(NoteKind.ASKS_GROUP, "unit", {"column": roles.group, "fold": roles.fold})
    if known:
        return None
    if params is not None and shared(cell, params):
        counts = {"n": table.num_rows, "n_configurations": len(params.unique()), "fold": roles.fold}
        return Note(NoteKind.ASKS_CONFIGURATION, "unit", counts)
    if roles.fold is not None or roles.item is not None:
        return None
    if roles.repeat is not None:
        if not repeats(cell, table[roles.repeat]):
            return None
        several = (c for c in few_valued(table, roles.unused) if repeats(cell, table[c]) and varies(cell, table[c]))
        run = labeled(cell, table, roles.repeat)
        step = next((c for c in roles.unused if counts_within(table, c, run)), None)
        found = {"column": roles.repeat, "apart": next(several, None)}
        return Note(NoteKind.ASKS_REPEAT, "unit", found if step is None else found | {"step": step})
    return None if roles.params else _question_of_unused(table, roles, cell)


def _question_of_unused(table: pa.Table, roles: Roles, cell: np.ndarray) -> Note | None:
    """Columns that nobody gave a role, and by which rows belong to several methods, or together.

    Only what chance would hardly make is asked about, and nothing where a column tells the rows apart.
    """
    if any(is_identifier(cell, table[name]) for name in roles.unused if not pa.types.is_nested(table[name].type)):
        return None
    names = few_valued(table, roles.unused)
    for name in names:
        planned = balance_by_chance(cell, table[name]) < RARE / len(names)
        if roles.algorithm is None and holds_text(table[name]) and (planned or in_blocks(table[name])):
            return Note(NoteKind.ASKS_METHOD, "algorithm", {"column": name})
        if planned:
            # Where every label stands under several methods, all may have been given the same thing.
            joins = roles.algorithm is not None and bool(
                (label_counts(codes(table[name]), table[roles.algorithm]) > 1).all()
            )
            return Note(NoteKind.ASKS_PLANNED, "unit", {"column": name, "joins": joins})
    return None


def _pairing(table: pa.Table, roles: Roles, cell: np.ndarray, task: pa.Array) -> tuple[str | None, int]:
    """The joining column and how many rows have a partner in another method.

    Items and folds are the same thing for every method. Equal seeds of two methods rarely mean equal draws:
    they join only where they are asked to.
    """
    column = roles.pair or roles.item or roles.fold
    if column is None or np.unique(cell).size < 2:
        return None, 0
    labels = as_text(table[column])
    draw = _splits(table, roles) if column == roles.fold else codes(labels)
    if column == roles.fold and roles.pair is None and not _once(cell, draw):
        return None, 0  # rows would be joined by their places in the file
    key = draw * (int(codes(task).max()) + 1) + codes(task)
    pairs = np.unique(np.stack([key, cell]), axis=1)
    in_several = np.bincount(pairs[0], minlength=int(key.max()) + 1) > 1
    said = np.asarray(pc.not_equal(pc.fill_null(labels, ""), "").to_numpy(zero_copy_only=False), dtype=bool)
    matched = int(np.count_nonzero(in_several[key] & said))
    return (column, matched) if matched else (None, 0)


def _splits(table: pa.Table, roles: Roles) -> np.ndarray:
    """A number for each fold of each repeat, by their names: the same in another table of the same splits."""
    names = [
        as_text(table[name]).to_numpy(zero_copy_only=False).astype(str)
        for name in (roles.fold, roles.repeat)
        if name is not None
    ]
    fold, *repeat = (np.unique(labels, return_inverse=True)[1] for labels in names)
    return np.asarray(fold if not repeat else repeat[0] * (int(fold.max()) + 1) + fold)


def _once(cell: np.ndarray, draw: np.ndarray) -> bool:
    """Whether no draw stands twice in a cell."""
    return int(np.unique(np.stack([cell, draw]), axis=1).shape[1]) == cell.size


def _trial_numbers(table: pa.Table, roles: Roles, cell: np.ndarray) -> np.ndarray:
    if roles.pair in (None, roles.fold) and roles.fold is not None and roles.item is None:
        splits = _splits(table, roles)
        # A number that stands several times in a cell joins nothing: rows are numbered through instead. Where repeats
        # are numbered, rows of one fold of one repeat share their data, and their number says so.
        if roles.repeat is not None or _once(cell, splits):
            return splits
    column = roles.pair or roles.repeat
    if column is None:
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(cell[order]) != 0))
        within = np.arange(cell.size) - np.repeat(starts, np.diff(np.append(starts, cell.size)))
        out = np.empty(cell.size, dtype=np.int64)
        out[order] = within
        return out
    values = table[column].combine_chunks()
    if pa.types.is_integer(values.type) and values.null_count == 0:
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.int64)
    labels = as_text(values)
    numbers = codes(labels)
    # Rows that name no draw share none: each gets a number of its own.
    unnamed = np.asarray(pc.equal(pc.fill_null(labels, ""), "").to_numpy(zero_copy_only=False), dtype=bool)
    numbers[unnamed] = numbers.max() + 1 + np.arange(np.count_nonzero(unnamed))
    return numbers


def refuse_gaps(group: pa.Array | pa.ChunkedArray, unit: str | None) -> None:
    """Rows that belong to no unit cannot be counted."""
    gaps = int(pc.sum(pc.equal(pc.fill_null(group, ""), "")).as_py())
    if gaps:
        raise InputError(
            f"`unit`: {unit!r} is empty in {gaps} of {len(group)} rows, which then belong to no unit; fill it, or say unit='row'."
        )


def find_split(
    table: pa.Table, roles: Roles, cell: np.ndarray, varied: Sequence[str], scores: np.ndarray
) -> Note | None:
    """The question about the first column that splits the runs and that nobody declared: settings, modes, versions.

    Pooled, such rows would count as runs of one thing. A question is asked where the rows look like a plan: under
    each seed, fold or item (under each method and task where there are none) every value of the column stands equally
    often, in so many of them that chance would hardly do it. A hyper-parameter that a search drew at random, a host, a
    date or a note does not stand so. And it is asked where words of a column tell the scores of a method on a task
    apart: regions of which one is easy, in other shares for every method, turned a comparison round.
    """
    guessed_group = roles.group if roles.group is not None and "group" in roles.guessed else None
    free = [*roles.unused, *(c for c in (guessed_group,) if c is not None and holds_text(table[c]))]
    free = [c for c in few_valued(table, free) if c not in varied and plain(c) not in BOOKKEEPING]
    free = [c for c in free if not (is_measure(c) and pa.types.is_floating(table[c].type))]  # measured beside the score
    if not free:
        return None
    key = labeled(cell, table, roles.repeat, roles.fold, roles.item)
    numbered = roles.repeat is not None or roles.fold is not None
    if not numbered and roles.item is None:
        number = next((c for c in roles.unused if _may_number_runs(table, c, cell)), None)
        key = labeled(cell, table, number)
    planned = free
    if np.unique(key).size == key.size:  # nothing collides: only a column that is called so can split these runs
        key, numbered, planned = cell, True, [c for c in free if plain(c) in NAMED]
    for name in planned:
        if not _may_split(table[name], name, roles, numbered):
            continue
        share, chance = as_planned(key, table[name])
        rare = chance < RARE / len(free) and share >= 1.0 - MOST_GAPS
        if rare or (plain(name) in NAMED and share >= 0.5):
            return _asked(table, roles, name)
    drawn = _holds_draws(table, roles)
    for name in free:
        if _tells_apart(table, roles, name, cell, scores, drawn=drawn, limit=RARE / len(free)):
            return _asked(table, roles, name)
    return None


def _may_number_runs(table: pa.Table, name: str, cell: np.ndarray) -> bool:
    """Whether a column without a role numbers runs, from the beginning again under each value of another one."""
    column = table[name]
    if pa.types.is_nested(column.type) or column.null_count or pa.types.is_floating(column.type):
        return False
    called = plain(name) in COUNTING or IDENTIFIER.fullmatch(name) is not None
    return (called or _numbers_runs(column)) and varies(cell, column) and repeats(cell, column)


def _holds_draws(table: pa.Table, roles: Roles) -> bool:
    """Whether rows hold hyper-parameters that a search drew: declared ones, or numbers that are called so and hardly repeat.

    An energy or a temperature was measured beside the score, and says nothing of what else stands there.
    """
    if roles.params:
        return True
    numbers = [c for c in roles.unused if pa.types.is_floating(table[c].type) and plain(c) in TUNED]
    return any(2 * len(table[c].unique()) > table.num_rows for c in numbers)


def _tells_apart(
    table: pa.Table, roles: Roles, name: str, cell: np.ndarray, scores: np.ndarray, *, drawn: bool, limit: float
) -> bool:
    """Whether words or codes of a column split the rows of a method on a task in a way that matters.

    They do where they tell good scores from bad ones, or are called settings and stand several times each. What an item
    is about splits no runs of it; and beside hyper-parameters that were drawn, words in no order were drawn too.
    """
    column = table[name]
    if not _may_tell(column, name, roles, cell):
        return False
    if any(depends_on(column, table[of]) for of in (roles.item, roles.group, roles.pair) if of not in (None, name)):
        return False
    if (drawn and not in_order(cell, column)) or not varies(cell, column):
        return False
    if holds_text(column) and plain(name) in NAMED and stands_several_times(cell, column):
        return True
    share, chance = explained(cell, column, scores)
    return share >= STRONG and chance < limit and not cut_from(column, scores)


def _may_tell(column: pa.ChunkedArray, name: str, roles: Roles, cell: np.ndarray) -> bool:
    """Whether a column may say what was run: words; yes and no, or a few codes, where they are not called an outcome."""
    words = holds_text(column)
    if (not words or as_truths(column) is not None) and (goal_in_name(name) is not None or is_outcome(name)):
        return False
    if words:
        return _may_split(column, name, roles, numbered=True)
    if not (pa.types.is_boolean(column.type) or pa.types.is_integer(column.type)):
        return False
    if len(column.unique()) > MOST_VALUES or plain(name) in (*COUNTING, *STEPS, *NUMBERS_OR_STEPS):
        return False
    # Codes count on as numbers of runs do, which stand once in each cell.
    return not _numbers_runs(column) or stands_several_times(cell, column)


def _asked(table: pa.Table, roles: Roles, name: str) -> Note:
    if roles.algorithm is None and holds_text(table[name]) and plain(name) not in ("metric", "metricname", "measure"):
        return Note(NoteKind.ASKS_METHOD, "algorithm", {"column": name})
    values = [str(v) for v in as_text(table[name], name).unique().to_pylist()]
    found = {
        "column": name, "value": values[0], "values": values[:5], "n": len(values), "algorithm": roles.algorithm, "task": roles.task,
        "sampled": plain(name) in SAMPLED or (len(values) > MOST_VALUES and plain(name) not in NAMED),
    }  # fmt: skip
    return Note(NoteKind.ASKS_SPLIT, "where", found)


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
