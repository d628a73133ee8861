"""A store keeps finished trials in a directory. It promises:

* A row that was acknowledged (`write` returned) is never lost and never changes.
* What is not there has not been done: there is no other state, and no lock.
* Any number of processes may write, read and compact at once.
* All rows belong to one study, or to changes of it that somebody accepted.
* A damaged part is named and refused; the rest stays readable. Nothing is moved or deleted
  except by `repair`, which moves, and `compact`, which removes what it has written anew.
* A trial is finished when all that belongs to it is there: its row says how many rows of `inner`
  and `series` it has, and where some are gone the trial is named, and run again.
* The same rows give the same table, whatever parts they are in and whoever wrote them.
* What a study is called, or its methods and tasks, never becomes the name of a file.

It assumes that renaming within one directory is atomic, that a folder is never renamed onto one
that holds something, and that `os.fsync` keeps its word.

    results/demo/
      study/000000/<sha-256>.json  what the store was made for; later records add to earlier ones
      trials/<random>.parquet      one row for each trial and attempt
      inner/<random>.parquet       configurations tried within a tuning run
      series/<random>.parquet      curves of a trial
      looks/<trials>               how many trials a judged table had
      plan.json                    how many trials were asked for: a note for readers, not a state
      quarantine/                  what `repair` set aside
Other files are ignored. Every released version of the format stays readable; a newer one is
refused by name.

Why two studies never mix
-------------------------
Records form a list. A writer reads the whole list, compares its study with it, and claims the next
number; it was the first to do so, or somebody else has that number now, and it reads and compares
again. So of any number of writers that start at once each either finds its study in the list, or
has compared it with every record before its own, or is refused. Nobody withdraws a record: what a
writer found when `create` returned stays there for all others to compare with. (The record of a
loser that withdrew was the fault of an earlier protocol: others had built on it meanwhile.)

A `Store` remembers the study that `create` was called with. `write` compares it with the list once
more and stamps the part with the first record that says all of it; it refuses where the list says
otherwise by now (somebody accepted a change while this study was running, a record was damaged or
deleted, or `create` had refused). A part whose record is not in the list belongs to another study
and is named as such. Shards of one study have the same record, so they share one entry of the list;
a study that adds a method or a task gets the next one. A record that is deleted is missed by those
after it, which name it, or by the parts that bear its name; its study makes the same bytes again.

Why compaction loses nothing
----------------------------
A compaction publishes its large part, then looks whether all parts that went into it are still
there, and only then removes them, the large part never again. Where one is gone, another compaction
was faster, its rows are in that one's part, and the late one takes its own part back, having removed
nothing. So a part that anybody relies on is never taken back. Two that look at the same moment both
stay: each row is then there twice, which readers do not notice, and either of the two, looking again,
or the next compaction joins them.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.canonical import plain
from ogive.errors import StoreConflict, StoreError
from ogive.notes import Note, NoteKind
from ogive.store import _care
from ogive.store._care import Repair, Verification
from ogive.store._curves import SCHEMA as SERIES_KEYS
from ogive.store._curves import StoredSeries, look_through
from ogive.store._parts import versions_here, write_part
from ogive.store._plan import LOOKS, asked, earlier_looks, note_plan, unfinished_note
from ogive.store._publish import Damage, claim, make_folder, publish, saying
from ogive.store._reading import (
    Cells,
    Differing,
    Grown,
    IntArray,
    Keys,
    Loaded,
    Order,
    Scan,
    arranged,
    damage_note,
    load,
    of_highest_attempt,
    over_parts,
    part_names,
    refuse_damage,
    refuse_lacking,
    scan,
    settle,
)
from ogive.store._records import (
    FOLDER,
    Entry,
    Ledger,
    Record,
    Records,
    as_record,
    changes,
    has_news,
    loss,
    place,
    read_ledger,
    record_files,
)
from ogive.store._schemas import COUNTS, SCHEMAS, as_kind, as_rows
from ogive.store._trials import to_trials
from ogive.trials import Trials

T = TypeVar("T")
_MOST_READINGS = 20
_MOST_CLAIMS = 1000  # each that fails means that another study got in
log = logging.getLogger("ogive")


@dataclass(frozen=True, slots=True)
class Store:
    """A directory of finished trials; a value: making one reads and writes nothing.

    It remembers the study that `create` was called with, and writes rows for that study alone.

    Examples
    --------
    >>> Store("results/demo")
    Store('results/demo')
    """

    path: Path
    _mine: Record | None = field(default=None, init=False, repr=False, compare=False)

    def __init__(self, path: str | Path) -> None:
        text = str(path)
        if not text or "\0" in text:
            raise StoreError(f"the path of a store must be the name of a directory; got {text!r}.")
        object.__setattr__(self, "path", Path(path))
        object.__setattr__(self, "_mine", None)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def create(self, record: Mapping[str, Any], *, accept_change: bool = False) -> None:
        """Make the directory for a study, or check that the study fits what is there.

        Parameters
        ----------
        record : mapping
            What `Study.record()` gives.
        accept_change : bool
            Whether a study that defines something otherwise than the store is taken all the same.
            The change is recorded, and every table that is read says so.

        Raises
        ------
        StoreConflict
            The same name with another definition, another seed, other holds, or a metric with
            another direction or bounds.
        """
        wanted = as_record(record)
        object.__setattr__(self, "_mine", wanted)
        for _ in range(_MOST_CLAIMS):
            ledger = self._ledger()
            refuse_damage(self.path, ledger.damaged)
            ledger.refuse_conflicts(self.path)
            entry = self._entry(ledger, wanted, accept_change)
            if entry is None:
                return
            folder = self.path / FOLDER
            make_folder(folder)
            number = ledger.names.index(entry.name) if entry.name in ledger.lost else ledger.next_number
            if claim(folder, place(number), f"{entry.name}.json", entry.content()):
                # Between the look and the claim only a repair can have taken a record away.
                changed = changes(self._ledger().merged, wanted)
                if changed:
                    raise self._conflict(changed)
                if entry.name not in ledger.lost:
                    return
        raise StoreError(f"{self.path} gets study records faster than one can be added; try again in a moment.")

    def _entry(self, ledger: Ledger, wanted: Record, accept_change: bool) -> Entry | None:
        """The record to be added for a study; None where the store says all of it."""
        found = ledger.restored(wanted)
        if found is not None:
            return found
        if not accept_change:
            refuse_damage(self.path, ledger.troubles)
        changed = changes(ledger.merged, wanted)
        if changed and not accept_change:
            raise self._conflict(changed)
        accepted = [*map(loss, ledger.lost), *changed]
        if ledger.entries and not accepted and not has_news(ledger.merged, wanted):
            return None
        return Entry.of(wanted, ledger.names, accepted)

    def write(
        self,
        kind: str,
        table: pa.Table,
        *,
        limits: Mapping[str, Any] | None = None,
        versions: Mapping[str, Mapping[str, str]] | None = None,
    ) -> str:
        """Publish rows as one immutable part and return its name; they are kept once this returns.

        Parameters
        ----------
        kind : {"trials", "inner", "series"}
            Which schema the rows have: `TRIALS`, `INNER`, `SERIES`.
        table : pyarrow.Table
            Rows in any order. An empty `versions` stands for the libraries of this process.
        limits : mapping, optional
            What the trials ran under: `wall_limit`, `cpu_limit` (seconds), `memory_limit`.
        versions : mapping, optional
            What the names in the column `versions` mean, where rows were made elsewhere.
        """
        as_kind(kind)
        ledger = self._existing()
        refuse_damage(self.path, ledger.troubles)
        merged = ledger.merged
        study = self._stamp(ledger, merged)
        rows = as_rows(kind, table, merged["algorithms"], merged["tasks"])
        name, here = versions_here()
        if kind == "trials" and rows["versions"].null_count:
            place = rows.schema.get_field_index("versions")
            rows = rows.set_column(place, "versions", pc.fill_null(rows["versions"], name))
        return write_part(
            self.path / kind, kind, rows, study=study, limits=plain(dict(limits or {})),
            versions={name: here} if versions is None else plain(versions),
        )  # fmt: skip

    def _stamp(self, ledger: Ledger, merged: Record) -> str:
        """The record that a part names: the first that says all of the caller's study."""
        if self._mine is None:
            return ledger.entries[-1].name
        changed = changes(merged, self._mine)
        if changed:
            raise self._conflict(changed)
        entry = ledger.telling(self._mine)
        if entry is None:
            raise StoreError(
                f"{self.path} no longer holds the record of this study; run it again, which writes it anew."
            )
        return entry.name

    def finished(self, *, allow_missing: bool = False) -> Cells:
        """For each (algorithm, task) the trials that are done, each at its highest attempt."""
        return self._with_ledger(lambda ledger: self._scan(ledger, allow_missing))[1].finished()

    def _scan(self, ledger: Ledger, allow_missing: bool, *kinds: str) -> Scan:
        found = scan(self.path, ledger.known, kinds or tuple(COUNTS))
        if not allow_missing:
            refuse_damage(self.path, (*ledger.troubles, *found.damaged))
        return found

    def table(self, kind: str = "trials", *, allow_missing: bool = False) -> pa.Table:
        """All rows of a kind: highest attempts, no copies, in the order of the record's names and of trials."""
        as_kind(kind)
        rows, _, differing = self._with_ledger(lambda ledger: self._settled(kind, ledger, allow_missing))[1]
        for note in differing.notes():
            log.warning("%s: %s", self.path, note.sentence())
        return rows.table

    def series(self) -> StoredSeries | None:
        """The rows of `table("series")` whose values are read when asked for; None where rows are there twice.

        For tables that are larger than the memory: every part is read once and verified, a row group at a time.
        Copies of a row are told apart by their values: where there are any, only `table` knows which counts.
        """
        return self._with_ledger(self._stored_series)[1]

    def _stored_series(self, ledger: Ledger) -> StoredSeries | None:
        ledger.refuse_conflicts(self.path)
        found, damaged = over_parts(self.path, "series", ledger.known, look_through)
        refuse_damage(self.path, (*ledger.troubles, *damaged))
        table = pa.concat_tables([one for _, one in found]) if found else SERIES_KEYS.empty_table()
        part = np.repeat(np.arange(len(found), dtype=np.int32), [one.num_rows for _, one in found])
        order = _order(ledger.merged)
        rows = Loaded(table, part, tuple(one for one, _ in found), damaged)
        rows = self._of_finished(rows, "series", order, self._scan(ledger, False, "series"), False)
        keys = Keys.of(rows.table, "series", order)
        chosen = arranged(rows.table, keys)
        if keys.same_as_previous(chosen).any():
            return None
        rows = _taken(rows, chosen)
        return StoredSeries(rows.table, rows.part, tuple(one.path for one in rows.parts))

    def trials(self, *, allow_missing: bool = False) -> Trials:
        """The trials as a table to judge."""
        ledger, found = self._with_ledger(lambda ledger: self._settled("trials", ledger, allow_missing))
        rows, damaged, differing = found
        if not rows.table.num_rows:
            raise StoreError(f"{self.path} holds no finished trial yet; run the study first.")
        notes = differing.notes()
        if damaged:
            notes.append(damage_note(damaged, len(rows.parts) + len(damaged)))
        notes += [Note(NoteKind.CHANGE_ACCEPTED, values={"change": str(c)}) for c in ledger.accepted]
        aside = _care.quarantined(self.path)
        notes += [Note(NoteKind.SET_ASIDE, values={"n": aside})] if aside else []
        for note in notes:
            log.warning("%s: %s", self.path, note.sentence())
        notes += unfinished_note(self.path, _numbers_done(rows.table))  # of a run under way this is no news
        return to_trials(
            rows.table, ledger.merged, [p.limits for p in rows.parts], rows.part, source=self.path.name or str(self.path), notes=notes,
            looks=earlier_looks(self.path, rows.table.num_rows),
            series=partial(self.table, "series", allow_missing=allow_missing) if part_names(self.path, "series") else None,
        )  # fmt: skip

    def note_look(self, n_trials: int) -> None:
        """Record that a table of so many trials was judged; a later, larger one then says so in its verdicts."""
        folder = self.path / LOOKS
        make_folder(folder)
        publish(folder, str(n_trials), b"")

    def note_plan(self, cells: Iterable[tuple[str, str]], n_trials: int) -> None:
        """Note for readers how many trials these (algorithm, task) are to have; no run looks at it."""
        note_plan(self.path, cells, n_trials)

    def asked(self) -> dict[tuple[str, str], int]:
        """How many trials of each (algorithm, task) were asked for, where that was noted."""
        return asked(self.path)

    def unfinished(self) -> list[Note]:
        """That trials which were asked for are not there, as a note; none where all are."""
        return unfinished_note(self.path, {name: done.trials.size for name, done in self.finished().items()})

    def clear_leftovers(self) -> None:
        """Delete what writers that are gone for certain left half written; nothing of it was acknowledged."""
        _care.clear_leftovers(self.path)

    def verify(self) -> Verification:
        """Read everything and say what is damaged, what contradicts itself and what was left over."""
        return self._with_ledger(lambda ledger: _care.verify(self.path, ledger, _order(ledger.merged)))[1]

    def repair(self, *, keep: str | None = None) -> Repair:
        """Move damaged files, and what interrupted writers left, to `quarantine/`; nothing is deleted.

        Parameters
        ----------
        keep : str, optional
            Where the files of two studies were put together: the beginning of the name of the last record
            of the one that stays, as the refusal names it. Records and parts of the other are moved.
        """
        moved = [] if keep is None else _care.set_records_aside(self.path, self._existing().others(keep))
        return self._with_ledger(lambda ledger: _care.repair(self.path, ledger, moved))[1]

    def compact(self) -> None:
        """Write many small parts as one large one; any number of readers and writers may go on meanwhile."""

        def work(ledger: Ledger) -> None:
            ledger.refuse_conflicts(self.path)
            if ledger.entries:
                _care.compact(self.path, ledger, _order(ledger.merged))

        self._with_ledger(work)

    def part_counts(self) -> dict[str, int]:
        """How many parts there are of each kind, by their names alone."""
        return {kind: len(part_names(self.path, kind)) for kind in SCHEMAS}

    def records(self) -> Records:
        """The study records, oldest first, and what they say together."""
        ledger = self._existing()
        refuse_damage(self.path, ledger.troubles)
        return Records([entry.record for entry in ledger.entries], ledger.merged)

    def _ledger(self) -> Ledger:
        with saying(self.path, "used as a store"):
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"{self.path} is a file, not a directory; choose another name.")
        return read_ledger(self.path)

    def _existing(self) -> Ledger:
        ledger = self._ledger()
        if not ledger.entries and not ledger.damaged:
            raise StoreError(f"{self.path} is no store: it holds no study record; run a study into it first.")
        return ledger

    def _with_ledger(self, work: Callable[[Ledger], T]) -> tuple[Ledger, T]:
        """What `work` makes of the ledger, which is read again where a record was published meanwhile."""
        for _ in range(_MOST_READINGS):
            ledger = self._existing()
            with suppress(Grown):
                return ledger, work(ledger)
        raise StoreError(f"{self.path} gets study records faster than it can be read; try again in a moment.")

    def _conflict(self, changed: list[str]) -> StoreConflict:
        return StoreConflict(
            f"{self.path} holds a study that differs from this one: {'; '.join(changed)}. Give what changed a new name, use a new "
            "directory, or accept the change (accept_change=True, on the command line --accept-change), which is recorded.",
            changed,
        )

    def _settled(self, kind: str, ledger: Ledger, allow_missing: bool) -> tuple[Loaded, tuple[Damage, ...], Differing]:
        """Rows that count, in order; what is damaged; what was run twice with different results."""
        ledger.refuse_conflicts(self.path)
        rows = load(self.path, kind, ledger.known)
        damaged = (*ledger.troubles, *rows.damaged)
        if not allow_missing:
            refuse_damage(self.path, damaged)
        order = _order(ledger.merged)
        if kind != "trials":
            rows = self._of_finished(rows, kind, order, self._scan(ledger, allow_missing, kind), allow_missing)
        chosen, differing = settle(rows.table, kind, Keys.of(rows.table, kind, order))
        return _taken(rows, chosen), damaged, differing

    def _of_finished(self, rows: Loaded, kind: str, order: Order, found: Scan, allow_missing: bool) -> Loaded:
        """Only the rows that belong to the highest attempt of a trial; all of them must be there."""
        if not allow_missing:
            refuse_lacking(self.path, found.lacking)
        cells = found.cells
        names = [list(order[i]) + sorted({cell[i] for cell in cells} - set(order[i])) for i in (0, 1)]
        keys = Keys.of(rows.table, kind, (names[0], names[1]))
        n_tasks = keys.n_tasks
        top = {names[0].index(a) * n_tasks + names[1].index(t): (f.trials, f.attempts) for (a, t), f in cells.items()}
        return _taken(rows, np.flatnonzero(of_highest_attempt(keys, top)))


@contextmanager
def place_for(store: str | Path | Store | None) -> Iterator[Store]:
    """The store that was named, or one that is gone afterwards."""
    if store is not None:
        yield store if isinstance(store, Store) else Store(store)
        return
    with tempfile.TemporaryDirectory(prefix="ogive-") as folder:
        yield Store(folder)


def is_store(path: str | Path) -> bool:
    """Whether a directory holds a study record, damaged or not."""
    try:
        return bool(record_files(Path(path)))
    except StoreError:  # it cannot be read: whoever opens it says why
        return True
    except (OSError, ValueError):
        return False


def _numbers_done(table: pa.Table) -> dict[tuple[str, str], int]:
    """How many trials there are of each cell, of rows that are in order."""
    counted = (
        table.select(["algorithm", "task", "trial"])
        .group_by(["algorithm", "task"])
        .aggregate([("trial", "count_distinct")])
    )
    return {(row["algorithm"], row["task"]): row["trial_count_distinct"] for row in counted.to_pylist()}


def _order(merged: Record) -> Order:
    return tuple(merged.get("algorithms", {})), tuple(merged.get("tasks", {}))


def _taken(rows: Loaded, chosen: IntArray | None) -> Loaded:
    if chosen is None:
        return rows
    return Loaded(rows.table.take(pa.array(chosen)), rows.part[chosen], rows.parts, rows.damaged)
