"""Rules that turn a table into one without doubt: time limits, clocks, failures, problems that nobody solves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ogive.errors import FailedTrials, InputError
from ogive.notes import Note, NoteKind
from ogive.profiles._cells import Cells, from_lists, place_of
from ogive.words import plural


def limited(cells: Cells, time_limit: float | None, floor: float | None) -> Cells:
    """Values at or above the limit are failures; values below the clock's resolution are raised to it."""
    judged = [n for n in cells.reading if n.kind is NoteKind.AT_TIME_LIMIT and n.values["limit"] == time_limit]
    limit = time_limit
    if judged:  # by the column of times, when the table was read
        time_limit = None
        others = tuple(n for n in cells.reading if n not in judged)
        cells = replace(cells, reading=others, notes=(*cells.notes, *judged))
    if time_limit is None and floor is None:
        return cells
    if cells.goal != "minimize":
        raise InputError(
            "`time_limit` and `floor` go with times or costs, of which small ones are good; say goal='minimize'."
        )
    values, notes = cells.values.copy(), list(cells.notes)
    if time_limit is not None:
        if not 0.0 < time_limit < np.inf:
            raise InputError(f"`time_limit` must be a positive number; got {time_limit}.")
        over = np.isfinite(values) & (values >= time_limit)
        values[over] = np.inf
        notes += _at_limit(cells, time_limit, int(over.sum()))
    if floor is not None:
        if not 0.0 < floor < np.inf:
            raise InputError(f"`floor` must be a positive number; got {floor}.")
        if limit is not None and floor >= limit:
            raise InputError(f"`floor` must be below the time limit of {limit:g}; got {floor:g}.")
        under = (values >= 0.0) & (values < floor)
        values[under] = floor
        notes.append(Note(NoteKind.BELOW_CLOCK, "floor", {"n": int(under.sum()), "floor": floor}))
    return replace(cells, values=values, notes=tuple(notes))


def _at_limit(cells: Cells, limit: float, n_over: int) -> list[Note]:
    """How many values reach the limit, those of runs that failed anyway among them; nothing where reading has said it."""
    if any(note.kind is NoteKind.AT_TIME_LIMIT and note.values["limit"] == limit for note in cells.reading):
        return []
    own = [times for (m, p), times in cells.recorded.items() if m in cells.methods and p in cells.problems]
    failed = sum(int(np.count_nonzero(times >= limit)) for times in own)
    return [Note(NoteKind.AT_TIME_LIMIT, "time_limit", {"n": n_over + failed, "limit": limit, "n_failed": failed})]


def counted_failures(cells: Cells, rule: str | float) -> Cells:
    """Failed runs by another rule than that they are infinitely far from the best."""
    failed = ~np.isfinite(cells.values)
    if rule == "worst" or not failed.any():
        return cells
    n = int(failed.sum())
    if rule == "refuse":
        raise FailedTrials(
            f"{n} of {plural(failed.size, 'run')} failed; say how to count them: failures='worst' (infinitely far from the "
            "best), a number, 'like:NAME' or 'exclude'."
        )
    values = cells.values.copy()
    if isinstance(rule, float):
        values[failed] = rule
        counted = f"{rule:g}"
    elif rule == "exclude":
        runs = [[cell[np.isfinite(cell)] for cell in cells.of_method(m)] for m in range(len(cells.methods))]
        for m, row in enumerate(runs):
            for p, cell in enumerate(row):
                if not cell.size:
                    raise InputError(
                        f"failures='exclude' leaves no run of {cells.methods[m]!r} on {cells.problems[p]!r}; count "
                        "failed runs by another rule, or read the table without the method (without=)."
                    )
        left_out = Note(NoteKind.FAILED_RUNS, "failures", {"n": n, "of_runs": failed.size, "counted": None})
        return replace(from_lists(cells.methods, cells.problems, runs, cells), notes=(*cells.notes, left_out))
    else:
        like = place_of(rule.removeprefix("like:"), cells.methods)
        counted = f"{rule.removeprefix('like:')}'s mean on that problem"
        for m in range(len(cells.methods)):
            for p, cell in enumerate(cells.of_method(m)):
                stood = cells.cell(like, p)
                usable = stood[np.isfinite(stood)]
                if usable.size:
                    at = cells.starts[m * len(cells.problems) + p]
                    part = values[at : at + cell.size]
                    part[~np.isfinite(part)] = usable.mean()
        n = int(np.count_nonzero(failed & np.isfinite(values)))
        if not n:
            return cells
    known = {"n": n, "of_runs": failed.size, "counted": counted}
    return replace(cells, values=values, notes=(*cells.notes, Note(NoteKind.FAILED_RUNS, "failures", known)))


def positive(cells: Cells) -> None:
    """Refuse what cannot stand in a ratio."""
    finite = np.isfinite(cells.values)
    if (finite & (cells.values < 0.0)).any():
        value = float(cells.values[finite & (cells.values < 0.0)][0])
        raise InputError(
            f"times and costs must be positive; got {value:g}. For scores use kind='improvement' where cells have "
            "several runs, kind='score' where tasks share a scale, or kind='difference'."
        )
    if (finite & (cells.values == 0.0)).any():
        n = int(np.count_nonzero(cells.values == 0.0))
        if np.isin(cells.values[finite], (0.0, 1.0)).all():
            raise InputError(
                "all values are 0 or 1, answers and no times, which no ratio can hold; use kind='score' or 'difference'."
            )
        way = "say floor= with the clock's resolution, for example floor=0.01" if cells.goal == "minimize" else "for scores use kind='difference'"  # fmt: skip
        raise InputError(f"{plural(n, 'value')} {'is' if n == 1 else 'are'} 0, which no ratio can hold; {way}.")


def equalized(cells: Cells, seed: int, *, paired: bool = False) -> Cells:
    """As many runs of every cell as the smallest one has; of paired runs the first."""
    least = int(cells.sizes.min())
    if int(cells.sizes.max()) == least:
        return cells
    known = {"n": least}
    if paired:
        note = Note(NoteKind.FIRST_RUNS, "equalize", known)
        return replace(cells.first_runs(least), notes=(*cells.notes, note))
    drawn = cells.thinned(np.full(len(cells.problems), least), seed)
    return replace(drawn, notes=(*cells.notes, Note(NoteKind.DRAWN_RUNS, "equalize", known)))


def comparable(cells: Cells, seed: int) -> tuple[Cells, tuple[Note, ...]]:
    """As many runs of every method on a problem as the poorest one has there, and a note where some are left out.

    The best of several numbers is sought on every problem, and the more runs stand behind a number the
    less, or with `best` the more, chance helps it: two equal methods with 3 and 30 runs were told apart in all
    tables by their best runs, in 0.78 by `improvement` of scores that are 0 or 1. An expected value over all choices
    of 3 of the 30 runs would not do: it spreads less than 3 runs do, and with skewed scores the best of 3 lies
    below it more often than above (told apart in 0.26 of tables of 65 problems, in 1.00 of 400). Only a draw of
    3 runs is distributed as the 3 runs of an equal method are.
    """
    least, most = cells.sizes.min(axis=0), cells.sizes.max(axis=0)
    uneven = int(np.count_nonzero(least < most))
    if not uneven:
        return cells, ()
    known = {"n": uneven, "least": int(least.min()), "most": int(most.max())}
    return cells.thinned(least, seed), (Note(NoteKind.UNEQUAL_RUNS, values=known),)


def said_of_failures(cells: Cells, counted: str) -> Cells:
    """A note on failed runs, with how they are counted, and a refusal where nobody succeeded."""
    failed = ~np.isfinite(cells.values)
    if not failed.any():
        return cells
    hopeless = [cells.methods[m] for m in np.flatnonzero(~cells.succeeded.any(axis=1))]
    if len(hopeless) == len(cells.methods):
        raise InputError("no method has any success on any problem; there is nothing to compare.")
    notes = [
        *cells.notes,
        Note(NoteKind.FAILED_RUNS, values={"n": int(failed.sum()), "of_runs": failed.size, "counted": counted}),
    ]
    if hopeless:
        notes.append(Note(NoteKind.NO_SUCCESS, values={"methods": hopeless}))
    return replace(cells, notes=tuple(notes))


def without_unsolved(cells: Cells, rule: str) -> Cells:
    """Problems on which every run of every method failed, kept or dropped, with a note either way."""
    lost = ~cells.succeeded.any(axis=0)
    n = int(lost.sum())
    if not n:
        return cells
    if rule == "keep":
        note = Note(NoteKind.UNSOLVED, "unsolved", {"n": n, "counted": True})
        return replace(cells, notes=(*cells.notes, note))
    dropped = Note(NoteKind.UNSOLVED, "unsolved", {"n": n, "counted": False})
    return replace(cells.on(np.flatnonzero(~lost)), notes=(*cells.notes, dropped))
