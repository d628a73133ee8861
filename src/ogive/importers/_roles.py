"""Which column plays which role: declared by the caller, or guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import AmbiguousColumns, InputError
from ogive.files import is_text
from ogive.importers._columns import (
    as_text,
    as_truths,
    holds_right_or_wrong,
    holds_text,
    holds_words,
    holds_yes_or_no,
    is_number,
    odd_one,
    refuse_means,
    seems_numbers,
)
from ogive.importers._within import codes, holds_folds, is_identifier
from ogive.metric import goal_in_name, is_measure, is_smaller_better, without_accents
from ogive.words import quoted

# Role -> names that neighboring fields use for it, and some other languages. Compared without case, spaces, hyphens, accents.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "algorithm": (
        "algorithm", "method", "model", "agent", "solver", "learner", "estimator", "classifier", "system", "algo",
        "algorithmname", "methodname", "modelname", "agentname", "solvername", "algoname",
        "modell", "verfahren", "methode", "algorithmus", "modele", "algorithme", "modelo", "metodo", "algoritmo",
    ),
    "task": (
        "task", "dataset", "benchmark", "env", "environment", "problem", "game", "domain", "taskname", "datasetname",
        "benchmarkname", "envid", "envname", "environmentname", "problemname", "gamename",
        "corpus", "datensatz", "korpus", "aufgabe", "umgebung", "tache", "jeudedonnees", "tarea", "conjuntodedatos",
    ),
    "repeat": (
        "trial", "run", "seed", "repeat", "repetition", "replicate", "rep", "runid", "trialid", "cvrepeat", "repeatid",
        "lauf", "durchlauf", "wiederholung", "laufnummer", "essai", "corrida", "repeticion",
    ),
    "item": (
        "item", "question", "example", "instance", "prompt", "itemid", "questionid", "qid", "exampleid", "instanceid", "promptid",
        "frage", "beispiel", "instanz",
    ),
    "group": ("group", "cluster", "config", "configuration", "configid", "passage"),
    "fold": ("fold", "cvfold", "foldid", "foldnumber", "foldindex", "foldidx", "outerfold", "kfold"),
    "status": ("status", "state", "runstatus", "solverstatus", "exitstatus", "terminationstatus", "outcome"),
}  # fmt: skip
# Columns that say how a solver ended where they hold words for that, and anything else where they do not.
ENDINGS = (
    "result",
    "termination",
    "terminationcondition",
    "terminationreason",
    "exitreason",
    "stopreason",
    "solverresult",
)
HOW_SOLVERS_END = (
    "optimal", "infeasible", "unbounded", "timeout", "timelimit", "timedout", "time limit", "time out", "memout", "memlimit", "memorylimit",
    "memory limit", "sat", "unsat", "satisfiable", "unsatisfiable",
)  # fmt: skip
# Names of methods in some fields, and of bookkeeping in others: methods only where no column has a name above.
METHODS_ELSEWHERE = ("framework", "library", "approach", "policy", "team", "teamname", "submission", "submissionname")
# Columns of yes and no that say whether a run counts: name -> what a row is whose run does not. The first are fine
# where they say yes, the others where they say no.
GOOD_IF_TRUE = (
    "found", "solved", "success", "successful", "succeeded", "converged", "finished", "completed", "complete", "done",
    "ok", "valid", "feasible", "solutionfound", "hasconverged", "hasfinished",
)  # fmt: skip
BAD_IF_TRUE = {
    "failed": "error", "failure": "error", "hasfailed": "error", "diverged": "error", "aborted": "error", "crashed": "crashed",
    "timeout": "timeout", "timedout": "timeout", "hittimelimit": "timeout", "oom": "memory", "outofmemory": "memory",
    "unsolved": "error", "notsolved": "error", "notfound": "error", "unsuccessful": "error", "infeasible": "error",
    "notconverged": "error", "unfinished": "error", "incomplete": "error", "invalid": "invalid",
}  # fmt: skip
# Of these a share over many runs is a score as well ("success rate").
MAY_BE_SCORES = ("found", "solved", "success", "successful", "succeeded", "feasible", "valid", "solutionfound")
NO_STATUS = "none"  # what a caller says where no column is a status
# How far a run had come: a row for each makes a curve of it. The last may also number runs, or count what a run took.
STEPS = (
    "step", "globalstep", "trainstep", "trainingstep", "envstep", "envsteps", "gradientstep", "timestep", "timesteps",
    "totaltimesteps", "numtimesteps", "frame", "frames", "numframes", "epoch",
)  # fmt: skip
NUMBERS_OR_STEPS = ("iteration", "iter")
# Numbers of what a run did, and never its score.
COUNTING = ("episode", "rollout", "attempt", "idx", "sample", "sampleid", "draw", "nr", "versuch")
COUNTS_OR_STEPS = ("steps", "epochs", "iterations", "iters", "update", "updates")
# What a run did one after the other: steps of it where its scores follow each other. The last two mean other things as well.
EPISODES = ("episode", "episodes", "t")
# Of columns that could number the repeats of a cross-validation, these do.
REPEATS_OF_FOLDS = ("repeat", "cvrepeat", "repetition", "rep", "replicate", "repeatid", "wiederholung", "repeticion")
# Roles that a column keeps where it is declared the unit.
OF_UNITS = (*ALIASES["repeat"], *NUMBERS_OR_STEPS, *ALIASES["fold"], *ALIASES["item"])
METHOD_NAMES = (*ALIASES["algorithm"], *METHODS_ELSEWHERE)
IDENTIFIER = re.compile(r"(.*[_ .-])?(id|uuid)", re.IGNORECASE)
# How pandas names the row numbers that it writes to CSV and Parquet, or puts into a column itself.
ROW_NUMBERS = re.compile(r"|Unnamed: 0(\.\d+)?|index|level_\d+|__index_level_\d+__")
SCORE_NAMES = ("score", "scores")
PARAM_PREFIXES = (
    "param_", "params_", "hp_", "config_", "param.", "params.", "config.", "config/", "hparams/", "hparams.",
    "configuration.", "hyperparameters.", "cfg.", "args.",
)  # fmt: skip
# Objects that hold how a run was configured; their fields are columns such as config.model.
CONFIGURATIONS = ("config", "configuration", "hparams", "hyperparameters", "cfg", "args")
# Roles that a field of a configuration may play: what it ran, on what, under which seed.
IN_CONFIGURATIONS = ("algorithm", "task", "repeat", "fold")
OF_CONFIGURATION = re.compile(rf"({'|'.join(CONFIGURATIONS)})[./](?P<field>[^./]+)", re.IGNORECASE)
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
    outcomes: tuple[str, ...]
    step: str | None
    params: tuple[str, ...]
    wall_s: str | None
    cpu_s: str | None
    guessed: frozenset[str]
    unused: tuple[str, ...]
    blank: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()  # numbers that are not called as scores are, beside the one that is


def find_roles(
    table: pa.Table,
    declared: Mapping[str, str | None],
    score: Sequence[str] | None,
    params: Sequence[str] | None,
    unit: str | None = None,
) -> Roles:
    """Roles for the columns of a long table."""
    columns: list[str] = list(table.column_names)
    judged = not (declared.get("status") == NO_STATUS and NO_STATUS not in columns)
    said_roles = {role: name for role, name in declared.items() if role != "status" or judged}
    chosen = {role: _existing(name, role, columns) for role, name in said_roles.items() if name is not None}
    scores = tuple(_existing(name, "score", columns) for name in score or ())
    given_params = tuple(_existing(name, "params", columns) for name in params or ())
    # A unit that is a seed, a fold or an item keeps that role too: methods are still joined by it.
    counted = {c for c in columns if c == unit and plain(c) not in OF_UNITS}
    taken = {*scores, *given_params, *chosen.values(), *counted}
    said = [c for c in columns if not is_blank(table[c])]
    known = set(said)
    guessed = _guess(
        chosen, taken, [c for c in said if judged or plain(c) not in (*ALIASES["status"], *ENDINGS)], table
    )
    if "fold" in chosen and pc.count_distinct(table[chosen["fold"]]).as_py() < 2:
        if "fold" not in guessed:
            raise InputError(
                f"`fold`: column {chosen['fold']!r} holds one value; a cross-validation has at least two folds."
            )
        taken.discard(chosen.pop("fold"))
        guessed.discard("fold")
    _settle_repeats(table, chosen, taken, guessed, said)
    costs = {
        role: column_by_name(role, names, [c for c in said if c not in taken]) for role, names in COST_NAMES.items()
    }
    if params is None:
        free = [c for c in said if c not in taken]
        given_params = (
            ("params",) if "params" in free else tuple(c for c in free if c.lower().startswith(PARAM_PREFIXES))
        )
        guessed.update({"params"} if given_params else ())
    taken.update(given_params, (c for c in costs.values() if c is not None))
    steps = (*STEPS, *NUMBERS_OR_STEPS, *COUNTS_OR_STEPS)
    step = chosen.get("step") or next((c for c in said if c not in taken and plain(c) in steps), None)
    guessed.update({"step"} if step is not None and "step" not in chosen else ())
    outcomes = _outcomes(table, said, taken)
    by_name = False
    settled = not judged or ("status" in chosen and "status" not in guessed)  # the caller has said what judges runs
    if not scores:
        timed = [c for c in said if c in costs.values()]
        found, outcomes = _find_score(
            table, taken, said, outcomes, timed, settled=settled, has_methods="algorithm" in chosen
        )
        scores = (found,)
        costs = {role: None if column == found else column for role, column in costs.items()}
        by_name = is_measure(found)
        guessed.add("score")
    blank = [c for c in columns if c not in known and c not in taken and c not in scores]
    unjudged = next((c for c in blank if outcome_name(c) in GOOD_IF_TRUE), None) if not settled else None
    if unjudged is not None:  # runs that nobody has judged are not good for that
        raise AmbiguousColumns(
            f"column {unjudged!r} says which runs count, and is empty in every row; fill it, or say status='none' if all count."
        )
    outcomes = [] if settled else outcomes
    taken.update(outcomes)
    unused = tuple(c for c in said if c not in taken and c not in scores and c != "message")
    _refuse_parts_of_data(table, [c for c in unused if c != unit])
    _refuse_named_rows(table, [c for c in unused if c != unit], named="algorithm" in chosen)
    return Roles(
        score=scores,
        params=given_params,
        outcomes=tuple(outcomes),
        step=step if step not in scores else None,
        guessed=frozenset(guessed),
        unused=unused,
        passed_over=tuple(c for c in unused if is_number(table.schema.field(c).type)) if by_name else (),
        blank=tuple(c for c in blank if not is_row_number(c)),
        **{role: chosen.get(role) for role in ROLES},
        **costs,
    )


def _outcomes(table: pa.Table, columns: Sequence[str], taken: Collection[str]) -> list[str]:
    """Columns of yes and no, or of words, whose name says that they judge a run. Numbers count or measure something."""
    called = [c for c in columns if c not in taken and is_outcome(c)]
    return [c for c in called if as_truths(table[c]) is not None or holds_words(table[c])]


def is_outcome(column: str) -> bool:
    """Whether a column is called as what judges runs."""
    return outcome_name(column) in (*GOOD_IF_TRUE, *BAD_IF_TRUE)


def outcome_name(column: str) -> str:
    """`is_solved` as `solved`."""
    name = plain(column)
    bare = name.removeprefix("is")
    return bare if bare in GOOD_IF_TRUE or bare in BAD_IF_TRUE else name


def _settle_repeats(
    table: pa.Table, chosen: dict[str, str], taken: set[str], guessed: set[str], columns: Sequence[str]
) -> None:
    """The repeat where several columns could number it: of folds the one that holds several of them."""
    if "repeat" not in chosen:
        numbered = next((c for c in columns if c not in taken and plain(c) in NUMBERS_OR_STEPS), None)
        # The number of a run stands once in every cell; that of a step stands once for each run.
        if numbered is not None and is_identifier(_cell(table, chosen), table[numbered]):
            chosen["repeat"] = numbered
            guessed.add("repeat")
            taken.add(numbered)
    if "fold" not in chosen or ("repeat" in chosen and "repeat" not in guessed):
        return
    free = [c for c in columns if (c not in taken or c == chosen.get("repeat")) and plain(c) in ALIASES["repeat"]]
    free.sort(key=lambda c: (plain(c) not in REPEATS_OF_FOLDS, ALIASES["repeat"].index(plain(c))))
    better = next((c for c in free if holds_folds(_cell(table, chosen), table[c], table[chosen["fold"]])), None)
    if better is not None and better != chosen.get("repeat"):
        taken.discard(chosen.get("repeat", better))
        chosen["repeat"] = better
        guessed.add("repeat")
        taken.add(better)


def _cell(table: pa.Table, chosen: Mapping[str, str]) -> np.ndarray:
    """A number for each method on each task, as far as columns name them."""
    cell = np.zeros(table.num_rows, dtype=np.int64)
    for name in (chosen[role] for role in ("algorithm", "task") if role in chosen):
        label = codes(as_text(table[name], name))
        cell = cell * (int(label.max(initial=0)) + 1) + label
    return cell


def _guess(chosen: dict[str, str], taken: set[str], columns: Sequence[str], table: pa.Table) -> set[str]:
    """Gives columns that are called like a role to those that nobody declared; their roles."""
    guessed = set()
    if "fold" not in chosen and plain(chosen.get("pair", "")) in ALIASES["fold"]:
        chosen["fold"] = chosen["pair"]  # folds that join the methods are folds all the same
        guessed.add("fold")
    for role, names in ALIASES.items():
        free = [c for c in columns if c not in taken]
        if role == "status":  # a number is a state of something else
            free = [c for c in free if plain(c) in names and (holds_text(table[c]) or as_truths(table[c]) is not None)]
            ended = (c for c in columns if c not in taken and plain(c) in ENDINGS and _says_how_it_ended(table[c]))
            free = free or [c for c in (next(ended, None),) if c is not None]
            names = (*names, *ENDINGS)
        found = column_by_name(role, names, free) if role not in chosen else None
        if found is None and role not in chosen and role in IN_CONFIGURATIONS:
            found = _in_configuration(role, names, free)
        if found is not None:
            chosen[role] = found
            guessed.add(role)
            taken.add(found)
    return guessed


def _says_how_it_ended(column: pa.ChunkedArray) -> bool:
    """Whether a column holds a word that only a solver ends with: those of a game or a test say something else."""
    if not holds_text(column):
        return False
    return any(status_word(value) in HOW_SOLVERS_END for value in column.unique().to_pylist())


def status_word(value: object) -> str:
    """A word of a status column as tables of statuses write it."""
    return "" if value is None else str(value).strip().lower().rsplit(".", 1)[-1].replace("_", "")


def _in_configuration(role: str, names: tuple[str, ...], columns: Sequence[str]) -> str | None:
    """The field of a configuration that is called like a role: config.model."""
    fields = {c: field["field"] for c in columns if (field := OF_CONFIGURATION.fullmatch(c)) is not None}
    found = column_by_name(role, names, list(fields.values()))
    return next((c for c, field in fields.items() if field == found), None)


def column_by_name(role: str, names: tuple[str, ...], columns: list[str]) -> str | None:
    """The column that is called by one of these names; refused where two could be the method or the task."""
    found = sorted((c for c in columns if plain(c) in names), key=lambda c: names.index(plain(c)))
    if not found and role == "algorithm" and names != METHODS_ELSEWHERE:
        return column_by_name(role, METHODS_ELSEWHERE, columns)
    if len(found) > 1 and role in ("algorithm", "task") and plain(found[0]) != role:
        raise AmbiguousColumns(f"several columns could be the {role}: {quoted(found)}; choose one with {role}=.")
    return found[0] if found else None


def _find_score(
    table: pa.Table,
    taken: Collection[str],
    said: Sequence[str],
    outcomes: list[str],
    costs: Sequence[str],
    *,
    settled: bool,
    has_methods: bool,
) -> tuple[str, list[str]]:
    """The column that is called a score, or the only one of numbers; and the columns that judge runs, which are none.

    An empty column is the score where no other is left; so is a judgment ("solved").
    """
    free: list[str] = [c for c in table.column_names if c not in taken and c not in outcomes]
    named = [c for c in free if plain(c) in SCORE_NAMES]
    numbers_named = [c for c in named if is_number(table.schema.field(c).type)] or named
    if len(numbers_named) > 1:
        raise AmbiguousColumns(f"several columns could be the score: {quoted(numbers_named)}; choose one with score=.")
    if named:
        return numbers_named[0], outcomes
    # Steps, numbers of runs, folds or items, and what names something are offered only where nothing else is left.
    numbering = (*STEPS, *NUMBERS_OR_STEPS, *COUNTING, *OF_UNITS, *METHOD_NAMES, *ALIASES["task"])
    numbers = [c for c in free if is_number(table.schema.field(c).type) and not is_row_number(c)]
    numbers = [c for c in numbers if plain(c) not in numbering and not IDENTIFIER.fullmatch(c)] or numbers
    numeric = [c for c in numbers if c in said] or numbers
    written = [c for c in free if not is_row_number(c) and c not in numbers and seems_numbers(table[c])]
    could = [c for c in free if c in numeric or c in written]
    # Where numbers come as text somebody should look; else a name such as accuracy tells them apart from an lr.
    measured = [c for c in could if is_measure(c)] if not written else []
    if len(could) == 1 or len(measured) == 1:
        only = (measured or could)[0]
        if not settled:
            _ask_about_outcome(only, [c for c in outcomes if as_truths(table[c]) is not None])
        return only, outcomes
    if len(measured) > 1:  # an lr beside them was set, and a runtime is a price
        raise AmbiguousColumns(
            f"{len(measured)} columns could be the score: {quoted(measured)}; choose one with score=."
        )
    if could:
        seen = f" Column {written[0]!r} holds text such as {odd_one(table[written[0]])!r}." if written else ""
        wide = "" if has_methods else ", or pass wide=True if each is a method"  # a column names the methods already
        raise AmbiguousColumns(
            f"{len(could)} columns could be the score: {quoted(could)}; choose one with score={wide}.{seen}"
        )
    answers = [c for c in outcomes if as_truths(table[c]) is not None]
    judging = [c for c in answers if outcome_name(c) in MAY_BE_SCORES] or answers
    if len(judging) == 1:  # nothing else is measured: whether a run succeeded is what there is to know
        return judging[0], [c for c in outcomes if c != judging[0]]
    if len(costs) == 1:
        return costs[0], outcomes
    if costs:
        raise AmbiguousColumns(
            f"{len(costs)} columns could be the score, a time or cost: {quoted(costs)}; choose it with score=."
        )
    told = [c for c in free if c in said and holds_right_or_wrong(table[c])]
    told = told or [c for c in free if c in said and goal_in_name(c) is not None and holds_yes_or_no(table[c])]
    # With a word beside them that is neither, the column is refused by that word.
    told = told or [c for c in free if c in said and holds_right_or_wrong(table[c], mostly=True)]
    if len(told) == 1:
        return told[0], outcomes
    refuse_means({c: table[c] for c in free if c in said})
    text = next((c for c in free if c in said), None)
    seen = f" Column {text!r} holds text such as {odd_one(table[text])!r}." if text is not None else ""
    raise AmbiguousColumns(
        f"no column of plain numbers is left to be the score among {table.num_columns} columns: {quoted(table.column_names)}; "
        f"name it with score=.{seen}"
    )


def _ask_about_outcome(score: str, outcomes: Sequence[str]) -> None:
    """Beside a time, `solved` says which runs count; beside anything else it may be what was measured."""
    asked = next((c for c in outcomes if outcome_name(c) in MAY_BE_SCORES), None)
    if asked is not None and not is_smaller_better(score):
        raise AmbiguousColumns(
            f"column {asked!r} may say which runs count, or be the score itself beside {score!r}; choose with score={score!r} "
            f"(a run that is not {asked!r} has failed then; status='none' if it has not) or score={asked!r}."
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


def is_blank(column: pa.ChunkedArray) -> bool:
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


def column_called(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The first column with one of these names, spelled in any way."""
    return next((c for name in names for c in columns if plain(str(c)) == name), None)


def plain(name: str) -> str:
    """A column's name without case, spaces, hyphens, underscores and accents."""
    return without_accents(name).strip().lower().replace("_", "").replace("-", "").replace(" ", "")
