"""Which column plays which role: declared by the caller, or guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import AmbiguousColumns, InputError, UnreadableSource
from ogive.files import is_text
from ogive.importers._columns import as_text, holds_text, is_number, odd_one, seems_numbers
from ogive.words import quoted

# Role -> names that neighbouring fields use for it. Compared without case, spaces, hyphens.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "algorithm": ("algorithm", "method", "model", "agent", "solver", "learner", "estimator", "classifier", "system"),
    "task": ("task", "dataset", "benchmark", "env", "environment", "problem", "game", "domain"),
    "repeat": ("trial", "run", "seed", "repeat", "repetition", "replicate", "rep", "runid", "trialid", "iteration"),
    "item": (
        "item",
        "question",
        "example",
        "instance",
        "prompt",
        "itemid",
        "questionid",
        "qid",
        "exampleid",
        "instanceid",
        "promptid",
    ),
    "group": ("group", "cluster", "config", "configuration", "configid", "passage"),
    "fold": ("fold", "cvfold"),
    "status": ("status", "state"),
}
# Roles that a column keeps where it is declared the unit.
OF_UNITS = (*ALIASES["repeat"], *ALIASES["fold"], *ALIASES["item"])
# How pandas names the row numbers that it writes to CSV and Parquet, or puts into a column itself.
ROW_NUMBERS = re.compile(r"|Unnamed: 0(\.\d+)?|index|level_\d+|__index_level_\d+__")
SCORE_NAMES = ("score", "scores")
PARAM_PREFIXES = (
    "param_",
    "params_",
    "hp_",
    "config_",
    "param.",
    "params.",
    "config.",
    "config/",
    "hparams/",
    "hparams.",
)
COST_NAMES = {"wall_s": ("walls", "walltime", "duration", "fittime"), "cpu_s": ("cpus", "cputime")}
# A name is text, whatever it looks like: "01" is not "1".
NAMING = ("algorithm", "task", "item", "group")
PARTS_OF_DATA = ("train", "test", "val", "valid", "validation")
ROLES = ("algorithm", "task", "repeat", "item", "group", "fold", "pair", "status")


@dataclass(frozen=True, slots=True)
class Roles:
    """Column names by role; None where a role has no column."""

    score: tuple[str, ...]
    algorithm: str | None
    task: str | None
    repeat: str | None
    item: str | None
    group: str | None
    fold: str | None
    pair: str | None
    status: str | None
    params: tuple[str, ...]
    wall_s: str | None
    cpu_s: str | None
    guessed: frozenset[str]
    unused: tuple[str, ...]
    blank: tuple[str, ...] = ()


def find_roles(
    table: pa.Table,
    declared: Mapping[str, str | None],
    score: Sequence[str] | None,
    params: Sequence[str] | None,
    unit: str | None = None,
) -> Roles:
    """Roles for the columns of a long table."""
    columns: list[str] = list(table.column_names)
    chosen = {role: _existing(name, role, columns) for role, name in declared.items() if name is not None}
    scores = tuple(_existing(name, "score", columns) for name in score or ())
    given_params = tuple(_existing(name, "params", columns) for name in params or ())
    # A unit that is a seed, a fold or an item keeps that role too: methods are still joined by it.
    counted = {c for c in columns if c == unit and plain(c) not in OF_UNITS}
    taken = {*scores, *given_params, *chosen.values(), *counted}
    said = [c for c in columns if not _is_blank(table[c])]
    known = set(said)
    guessed = _guess(chosen, taken, said)
    if "fold" in chosen and _holds_one_value(table, chosen["fold"], guessed):
        taken.discard(chosen.pop("fold"))
        guessed.discard("fold")
    costs = {role: _by_name(role, names, [c for c in said if c not in taken]) for role, names in COST_NAMES.items()}
    if params is None:
        given_params = _find_params([c for c in said if c not in taken])
        guessed.update({"params"} if given_params else ())
    taken.update(given_params, (c for c in costs.values() if c is not None))
    if not scores:
        scores = (_find_score(table, taken, said),)
        guessed.add("score")
    unused = tuple(c for c in said if c not in taken and c not in scores and c != "message")
    _refuse_parts_of_data(table, [c for c in unused if c != unit])
    _refuse_named_rows(table, [c for c in unused if c != unit], named="algorithm" in chosen)
    return Roles(
        score=scores,
        params=given_params,
        guessed=frozenset(guessed),
        unused=unused,
        blank=tuple(
            c for c in columns if c not in known and c not in taken and c not in scores and not is_row_number(c)
        ),
        **{role: chosen.get(role) for role in ROLES},
        **costs,
    )


def _guess(chosen: dict[str, str], taken: set[str], columns: Sequence[str]) -> set[str]:
    """Gives columns that are called like a role to those that nobody declared; their roles."""
    guessed = set()
    if "fold" not in chosen and plain(chosen.get("pair", "")) in ALIASES["fold"]:
        chosen["fold"] = chosen["pair"]  # folds that join the methods are folds all the same
        guessed.add("fold")
    for role, names in ALIASES.items():
        found = _by_name(role, names, [c for c in columns if c not in taken]) if role not in chosen else None
        if found is not None:
            chosen[role] = found
            guessed.add(role)
            taken.add(found)
    return guessed


def _holds_one_value(table: pa.Table, fold: str, guessed: Collection[str]) -> bool:
    """Whether a column holds no folds; refused where the caller said that it does."""
    one = bool(pc.count_distinct(table[fold]).as_py() < 2)
    if one and "fold" not in guessed:
        raise InputError(f"`fold`: column {fold!r} holds one value; a cross-validation has at least two folds.")
    return one


def naming_columns(
    columns: Sequence[str],
    declared: Mapping[str, str | None],
    others: Sequence[str],
    unit: str | None = None,
    wide: bool = False,
) -> tuple[str, ...]:
    """The columns that hold names: declared as such, or called so where nobody declared the role."""
    names = {declared.get(role) for role in NAMING}
    guessed = [role for role in (NAMING[1:] if wide else NAMING) if declared.get(role) is None]
    numbers = {*others, *(declared.get(role) for role in ("repeat", "fold", "pair", "status"))}
    for column in columns:
        counted = column == unit and plain(column) not in OF_UNITS
        if counted or any(plain(column) in ALIASES[role] for role in guessed):
            names.add(column)
    return tuple(c for c in columns if c in names and c not in numbers)


def method_column(table: pa.Table, declared: Mapping[str, str | None], others: Sequence[str]) -> str | None:
    """The column that says which method a row belongs to."""
    if declared.get("algorithm") is not None:
        return declared["algorithm"]
    taken = {*others, *declared.values()}
    free = [c for c in table.column_names if c not in taken and not _is_blank(table[c])]
    return _by_name("algorithm", ALIASES["algorithm"], free)


def _by_name(role: str, names: tuple[str, ...], columns: list[str]) -> str | None:
    """The column that is called by one of these names; refused where two could be the method or the task."""
    found = sorted((c for c in columns if plain(c) in names), key=lambda c: names.index(plain(c)))
    if len(found) > 1 and role in ("algorithm", "task") and plain(found[0]) != role:
        raise AmbiguousColumns(f"several columns could be the {role}: {quoted(found)}; choose one with {role}=.")
    return found[0] if found else None


def _find_params(columns: list[str]) -> tuple[str, ...]:
    if "params" in columns:
        return ("params",)
    return tuple(c for c in columns if c.lower().startswith(PARAM_PREFIXES))


def _find_score(table: pa.Table, taken: set[str], said: Sequence[str]) -> str:
    """The column that is called a score, or the only one of numbers; an empty one where no other is left."""
    free: list[str] = [c for c in table.column_names if c not in taken]
    named = [c for c in free if plain(c) in SCORE_NAMES]
    numbers_named = [c for c in named if is_number(table.schema.field(c).type)] or named
    if len(numbers_named) > 1:
        raise AmbiguousColumns(f"several columns could be the score: {quoted(numbers_named)}; choose one with score=.")
    if named:
        return numbers_named[0]
    numbers = [c for c in free if is_number(table.schema.field(c).type) and not is_row_number(c)]
    numeric = [c for c in numbers if c in said] or numbers
    written = [c for c in free if numeric and not is_row_number(c) and seems_numbers(table[c])]
    if len(numeric) == 1 and not written:
        return numeric[0]
    if numeric:
        could = [c for c in free if c in numeric or c in written]
        seen = f" Column {written[0]!r} holds text such as {odd_one(table[written[0]])!r}." if written else ""
        raise AmbiguousColumns(
            f"{len(could)} columns could be the score: {quoted(could)}; choose one with score=, or pass wide=True if each is a method.{seen}"
        )
    text = next((c for c in free if c in said), None)
    seen = f" Column {text!r} holds text such as {odd_one(table[text])!r}." if text is not None else ""
    raise UnreadableSource(
        f"no column of plain numbers is left to be the score among {table.num_columns} columns: {quoted(table.column_names)}; "
        f"name it with score=.{seen}"
    )


def _refuse_parts_of_data(table: pa.Table, columns: Sequence[str]) -> None:
    """Training and test scores of one run are not two runs."""
    for name in columns:
        if not holds_text(table[name]):
            continue
        values = sorted({str(v) for v in table[name].unique().to_pylist() if plain(str(v)) in PARTS_OF_DATA})
        if len({plain(v) for v in values}) > 1:
            raise InputError(
                f"column {name!r} holds {quoted(values)}, so that one run may have several rows; "
                f"filter the rows first, or give the column a role (task={name!r})."
            )


def _refuse_named_rows(table: pa.Table, columns: Sequence[str], *, named: bool) -> None:
    """Names that stand where row numbers do may be those of methods or tasks, of which one would be made."""
    for name in columns:
        if not is_row_number(name) or not holds_text(table[name]):
            continue
        values = as_text(table[name], name)
        if len(values.unique()) == len(values):
            continue  # every row has its own: they name runs
        where = f"column {name!r}, where row numbers would be," if name else "the column without a header"
        out = f"say algorithm={name!r} or task={name!r}" if name else "call it model or dataset"
        raise InputError(f"{where} holds names such as {values[0].as_py()!r}; {out}, or leave the column out.")


def _is_blank(column: pa.ChunkedArray) -> bool:
    """Whether a column says nothing: all null, or all empty text."""
    if is_text(column.type):
        return bool(pc.all(pc.equal(pc.fill_null(column, ""), "")).as_py())
    return bool(column.null_count == len(column))


def _existing(name: str, role: str, columns: list[str]) -> str:
    if name in columns:
        return name
    close = [c for c in columns if plain(c) == plain(name)]
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InputError(f"`{role}`: there is no column {name!r}; the columns are {quoted(columns)}.{hint}")


def is_row_number(name: str) -> bool:
    """Whether pandas calls row numbers so."""
    return ROW_NUMBERS.fullmatch(name) is not None


def plain(name: str) -> str:
    """A column's name without case, spaces, hyphens and underscores."""
    return name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")
