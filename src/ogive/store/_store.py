"""A store keeps finished trials in a directory. It promises:

* A row that was acknowledged (`write` returned) is never lost and never changes.
* What is not there has not been done: there is no other state, and no lock.
* Any number of processes may write, read and compact at once.
* A damaged part is named and refused; the rest stays readable. Nothing is moved or deleted
  except by `repair`, which moves, and `compact`, which removes what it has written anew.
* The same rows give the same table, whatever parts they are in and whoever wrote them.
* What a study is called, or its methods and tasks, never becomes the name of a file.

It assumes that `os.link` or `os.rename` is atomic within one directory, and that `os.fsync` keeps
its word.

    results/demo/
      study/<sha-256>.json        what the store was made for; later files add to earlier ones
      trials/<random>.parquet     one row for each trial and attempt
      inner/<random>.parquet      configurations tried within a tuning run
      series/<random>.parquet     curves of a trial
      looks/<trials>              how many trials a judged table had
      quarantine/                 what `repair` set aside
Other files are ignored. Every released version of the format stays readable; a newer one is
refused by name.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
from ogive.store._damage import Damage
from ogive.store._looks import earlier_looks, note_look
from ogive.store._parts import write_part
from ogive.store._publish import make_folder, publish, saying
from ogive.store._reading import Cells, Grown, Loaded, damage_note, highest, load, part_names, refuse_damage, scan
from ogive.store._records import FOLDER, Ledger, Record, Records, as_record, changes, next_entry, read_ledger
from ogive.store._rows import Differing, IntArray, Keys, Order, of_highest_attempt, settle
from ogive.store._schemas import SCHEMAS, as_kind, as_rows
from ogive.store._trials import to_trials
from ogive.store._versions import versions_here
from ogive.trials import Trials

T = TypeVar("T")
_MOST_READINGS = 20
log = logging.getLogger("ogive")


@dataclass(frozen=True, slots=True)
class Store:
    """A directory of finished trials; a value: making one reads and writes nothing.

    Examples
    --------
    >>> Store("results/demo")
    Store('results/demo')
    """

    path: Path

    def __init__(self, path: str | Path) -> None:
        text = str(path)
        if not text or "\0" in text:
            raise StoreError(f"the path of a store must be the name of a directory; got {text!r}.")
        object.__setattr__(self, "path", Path(path))

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
        ledger = self._ledger()
        refuse_damage(self.path, ledger.damaged)
        changed = changes(ledger.merged, wanted)
        if changed and not accept_change:
            raise self._conflict(changed)
        entry = next_entry(ledger, wanted, changed)
        if entry is None:
            return
        folder = self.path / FOLDER
        make_folder(folder)
        new = publish(folder, f"{entry.name}.json", entry.content())
        conflicts = [c for c in read_ledger(self.path).conflicts if c not in ledger.conflicts]
        if new and conflicts:  # another study was begun here at the same moment: neither stands on the other
            with saying(folder, "written"):
                (folder / f"{entry.name}.json").unlink(missing_ok=True)
            raise self._conflict(conflicts)

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
        refuse_damage(self.path, ledger.damaged)
        merged = ledger.merged
        rows = as_rows(kind, table, merged["algorithms"], merged["tasks"])
        name, here = versions_here()
        if kind == "trials" and rows["versions"].null_count:
            place = rows.schema.get_field_index("versions")
            rows = rows.set_column(place, "versions", pc.fill_null(rows["versions"], name))
        return write_part(
            self.path / kind, kind, rows, study=ledger.entries[-1].name, limits=plain(dict(limits or {})),
            versions={name: here} if versions is None else plain(versions),
        )  # fmt: skip

    def finished(self, *, allow_missing: bool = False) -> Cells:
        """For each (algorithm, task) the trials that are done, each at its highest attempt."""
        ledger, (cells, _, damaged) = self._with_ledger(lambda ledger: scan(self.path, ledger.known))
        if not allow_missing:
            refuse_damage(self.path, (*ledger.damaged, *damaged))
        return {name: highest(cells.pop(name)) for name in list(cells)}

    def table(self, kind: str = "trials", *, allow_missing: bool = False) -> pa.Table:
        """All rows of a kind: highest attempts, no copies, in the order of the record's names and of trials."""
        as_kind(kind)
        rows, _, differing = self._with_ledger(lambda ledger: self._settled(kind, ledger, allow_missing))[1]
        for note in differing.notes():
            log.warning("%s: %s", self.path, note.sentence())
        return rows.table

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
        notes += [Note(NoteKind.TWO_STUDIES, values={"conflict": str(c)}) for c in ledger.conflicts]
        aside = _care.quarantined(self.path)
        notes += [Note(NoteKind.SET_ASIDE, values={"n": aside})] if aside else []
        for note in notes:
            log.warning("%s: %s", self.path, note.sentence())
        return to_trials(
            rows.table, ledger.merged, [p.limits for p in rows.parts], rows.part, source=self.path.name or str(self.path), notes=notes,
            looks=earlier_looks(self.path, rows.table.num_rows),
        )  # fmt: skip

    def note_look(self, n_trials: int) -> None:
        """Record that a table of so many trials was judged; a later, larger one then says so in its verdicts."""
        note_look(self.path, n_trials)

    def verify(self) -> Verification:
        """Read everything and say what is damaged, what contradicts itself and what was left over."""
        return self._with_ledger(lambda ledger: _care.verify(self.path, ledger, _order(ledger.merged)))[1]

    def repair(self) -> Repair:
        """Move damaged files, and what interrupted writers left, to `quarantine/`; nothing is deleted."""
        return self._with_ledger(lambda ledger: _care.repair(self.path, ledger))[1]

    def compact(self) -> None:
        """Write many small parts as one large one; any number of readers and writers may go on meanwhile."""

        def work(ledger: Ledger) -> None:
            if ledger.entries:
                _care.compact(self.path, ledger, _order(ledger.merged))

        self._with_ledger(work)

    def part_counts(self) -> dict[str, int]:
        """How many parts there are of each kind, by their names alone."""
        return {kind: len(part_names(self.path, kind)) for kind in SCHEMAS}

    def records(self) -> Records:
        """The study records, oldest first, and what they say together."""
        ledger = self._existing()
        refuse_damage(self.path, ledger.damaged)
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
            "directory, or accept the change (accept_change=True, on the command line --accept-change), which is recorded."
        )

    def _settled(self, kind: str, ledger: Ledger, allow_missing: bool) -> tuple[Loaded, tuple[Damage, ...], Differing]:
        """Rows that count, in order; what is damaged; what was run twice with different results."""
        rows = load(self.path, kind, ledger.known)
        damaged = (*ledger.damaged, *rows.damaged)
        if not allow_missing:
            refuse_damage(self.path, damaged)
        order = _order(ledger.merged)
        if kind != "trials":
            rows = self._of_finished(rows, kind, order, allow_missing)
        chosen, differing = settle(rows.table, kind, Keys.of(rows.table, kind, order))
        return _taken(rows, chosen), damaged, differing

    def _of_finished(self, rows: Loaded, kind: str, order: Order, allow_missing: bool) -> Loaded:
        """Only the rows that belong to the highest attempt of a finished trial."""
        finished = self.finished(allow_missing=allow_missing)
        names = [list(order[i]) + sorted({cell[i] for cell in finished} - set(order[i])) for i in (0, 1)]
        keys = Keys.of(rows.table, kind, (names[0], names[1]))
        n_tasks = keys.n_tasks
        top = {
            names[0].index(a) * n_tasks + names[1].index(t): (f.trials, f.attempts) for (a, t), f in finished.items()
        }
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
        return any(p.suffix == ".json" and not p.name.startswith(".") for p in (Path(path) / FOLDER).iterdir())
    except (OSError, ValueError):
        return False


def _order(merged: Record) -> Order:
    return tuple(merged.get("algorithms", {})), tuple(merged.get("tasks", {}))


def _taken(rows: Loaded, chosen: IntArray | None) -> Loaded:
    if chosen is None:
        return rows
    return Loaded(rows.table.take(pa.array(chosen)), rows.part[chosen], rows.parts, rows.damaged)
