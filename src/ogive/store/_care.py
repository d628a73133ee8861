"""Looking after a store: what is wrong, setting it aside, fewer and larger parts."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from ogive.canonical import canonical
from ogive.store._parts import Part, write_part
from ogive.store._plan import LOOKS, PLAN, Unfinished, asked, unfinished
from ogive.store._publish import Damage, Unsound, clear, is_abandoned, leftovers, make_folder, refuse_link, saying
from ogive.store._reading import (
    Differing,
    Grown,
    Keys,
    Lacking,
    Order,
    Scan,
    arranged,
    exact_copies,
    load,
    over_parts,
    scan,
    settle,
)
from ogive.store._records import FOLDER, SHORT, Entry, Ledger, read_ledger, record_files
from ogive.store._schemas import SCHEMAS
from ogive.writing import sync_folder

QUARANTINE = "quarantine"
# Of a compacted part; larger ones are left as they are. A column of text holds two gigabytes at most.
MOST_ROWS, MOST_UNFOLDED = 4_000_000, 2**29
_MOST_ROUNDS = 5
_HELD = re.compile(r"\.(parquet|json)(\.\d+)?$")  # numbered where one of that name was set aside before


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found.

    Attributes
    ----------
    source : str
        The store.
    parts, rows : dict
        Sound parts, and the rows in them, by kind.
    damaged : tuple of Damage
        Parts and records that are refused, with the reason.
    lacking : tuple of Lacking
        Trials whose row is there, and not all rows of other kinds that belong to them.
    differing : Differing
        Trials that were run twice with different results.
    leftovers : tuple of str
        Temporary files of writers that were interrupted; they hold nothing that was acknowledged.
    being_written : tuple of str
        Temporary files of writers that are at work, or may be.
    conflicts : tuple of str
        Changes of the study that nobody accepted.
    unfinished : tuple of Unfinished
        What was asked for and is not there: not yet, or no longer.
    studies : tuple of str
        Where there are conflicts, the last record of each study, as `ogive repair --keep` takes it.
    """

    source: str
    parts: Mapping[str, int]
    rows: Mapping[str, int]
    damaged: tuple[Damage, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    differing: Differing = field(default_factory=Differing)
    leftovers: tuple[str, ...] = ()
    being_written: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()
    studies: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether every part can be read, every trial is whole and nothing contradicts itself."""
        return not (self.damaged or self.lacking or self.differing or self.conflicts)

    @property
    def repairable(self) -> bool:
        """Whether `repair` can set aside something that is damaged."""
        return any(d.movable for d in self.damaged)

    def __str__(self) -> str:
        counts = [
            f"{_count(self.rows[k], 'row')} of {k} in {_count(self.parts[k], 'part')}"
            for k in self.parts
            if self.parts[k]
        ]
        lines = [f"{self.source!r}: {', '.join(counts) or 'no rows'}; {'sound' if self.sound else 'not sound'}."]
        lines += [f"damaged: {_quoted(d)}" for d in self.damaged]
        for lack in self.lacking:
            them = "it" if len(lack.trials) == 1 else "them"
            lines.append(f"not whole: {lack}; a further run makes {them} again")
        lines += [f"differing: {note.sentence()}" for note in self.differing.notes()]
        lines += [f"conflict: {change}" for change in self.conflicts]
        lines += [f"unfinished: {cell}; a further run makes the others" for cell in self.unfinished]
        lines += [f"left over by an interrupted writer: {name!r}" for name in self.leftovers]
        lines += [f"being written: {name!r}" for name in self.being_written]
        if self.repairable:
            lines.append("`ogive repair` sets damaged files aside; a further run makes their trials again.")
        if self.conflicts:
            keep = " or ".join(f"`--keep {name}`" for name in self.studies)
            lines.append(f"`ogive repair` with {keep} sets the files of the other study aside.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "schema": 1, "source": self.source, "sound": self.sound, "parts": dict(self.parts), "rows": dict(self.rows),
            "damaged": [d.to_dict() for d in self.damaged], "lacking": [lack.to_dict() for lack in self.lacking],
            "differing": [note.sentence() for note in self.differing.notes()],
            "conflicts": list(self.conflicts), "leftovers": list(self.leftovers), "being_written": list(self.being_written),
            "unfinished": [cell.to_dict() for cell in self.unfinished],
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What `repair` set aside, and what it left.

    Attributes
    ----------
    moved : tuple of (Damage, str)
        Each damaged file with its new place.
    leftovers : tuple of str
        Temporary files that were moved.
    left : tuple of Damage
        What cannot be read but is not damaged: parts of a newer version, missing permissions.
    """

    source: str
    moved: tuple[tuple[Damage, str], ...] = ()
    leftovers: tuple[str, ...] = ()
    left: tuple[Damage, ...] = ()

    def __str__(self) -> str:
        lines = [f"set aside: {_quoted(d)} (now {place!r})" for d, place in self.moved]
        lines += [f"set aside: {name!r}, left over by an interrupted writer" for name in self.leftovers]
        lines += [f"left in place: {_quoted(d)}" for d in self.left]
        return "\n".join(lines) or f"{self.source!r}: nothing to repair."

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "schema": 1, "source": self.source, "moved": [{**d.to_dict(), "now": place} for d, place in self.moved],
            "leftovers": list(self.leftovers), "left": [d.to_dict() for d in self.left],
        }  # fmt: skip


def verify(store: Path, ledger: Ledger, order: Order) -> Verification:
    """Read every row of every part, and compare attempts that are there twice."""
    damaged, parts, rows = list(ledger.troubles), {}, {}
    for kind in SCHEMAS:
        found, odd = over_parts(store, kind, ledger.known, _verified)
        parts[kind], rows[kind] = len(found), sum(count for _, count in found)
        damaged += odd
    there = scan(store, ledger.known)
    left = [(str(path.relative_to(store)), is_abandoned(path)) for path in _temporaries(store)]
    return Verification(
        source=str(store), parts=parts, rows=rows, damaged=tuple(damaged), lacking=there.lacking,
        differing=_differing(store, ledger, order, there),
        leftovers=tuple(name for name, dead in left if dead), being_written=tuple(name for name, dead in left if not dead),
        conflicts=ledger.conflicts, studies=tuple(entry.name[:SHORT] for entry in ledger.tips) if ledger.conflicts else (),
        unfinished=unfinished(asked(store), {name: done.trials.size for name, done in there.finished().items()}),
    )  # fmt: skip


def set_records_aside(store: Path, entries: Sequence[Entry]) -> list[tuple[Damage, str]]:
    """Move the records of a study that does not belong here; its parts are then those of a stranger."""
    names = {entry.name for entry in entries}
    files = [file for _, file in record_files(store) if file.stem in names]
    reason = "describes another study than the one that is kept"
    return [(Damage(str(file.relative_to(store)), reason), _set_aside(store, file)) for file in files]


def repair(store: Path, ledger: Ledger, before: Sequence[tuple[Damage, str]] = ()) -> Repair:
    """Move damaged files and old temporary files to `quarantine/`, beside what was moved `before`; nothing is deleted."""
    damaged = list(ledger.troubles)
    for kind in SCHEMAS:
        damaged += over_parts(store, kind, ledger.known, _verified)[1]
    if read_ledger(store).known != ledger.known:  # what is foreign now may be at home in a moment
        raise Grown
    moved = [*before, *((d, _set_aside(store, store / d.path)) for d in damaged if d.movable)]
    old = [(p, _set_aside(store, p)) for p in _temporaries(store) if is_abandoned(p)]
    return Repair(
        source=str(store), moved=tuple(moved), leftovers=tuple(str(p.relative_to(store)) for p, _ in old),
        left=tuple(d for d in damaged if not d.movable),
    )  # fmt: skip


def compact(store: Path, ledger: Ledger, order: Order) -> None:
    """Write the rows of small parts as one large part for each kind and set of limits, then remove the small ones.

    Every attempt is kept, and every copy that differs in any column; only exact copies go. A part
    is removed only after the one that holds its rows is on the disk.
    """
    clear_leftovers(store)
    for kind in SCHEMAS:
        # Of compactions that end at the same moment each may leave a part; whoever looks again joins them.
        for _ in range(_MOST_ROUNDS):
            if not _compact_once(store, kind, ledger, order):
                break


def _compact_once(store: Path, kind: str, ledger: Ledger, order: Order) -> bool:
    """Whether anything was written."""
    found, _ = over_parts(store, kind, ledger.known, lambda part: part.limits)
    groups: dict[str, list[Part]] = {}
    for part, limits in found:
        if part.rows < MOST_ROWS and part.unfolded < MOST_UNFOLDED:
            groups.setdefault(canonical(limits), []).append(part)
    done = [_merge(store, kind, batch, ledger, order) for parts in groups.values() for batch in _batches(parts)]
    return any(done)


def _merge(store: Path, kind: str, parts: Sequence[Part], ledger: Ledger, order: Order) -> bool:
    """Whether these parts were written as one, be it in vain."""
    read = []
    for part in parts if len(parts) > 1 else ():
        try:
            read.append((part, part.read()))
        except (FileNotFoundError, Unsound):  # another compaction was faster; a damaged part stays as it is
            continue
    if len(read) < 2:
        return False
    table = pa.concat_tables([t for _, t in read])
    keys = Keys.of(table, kind, order)
    rows = arranged(table, keys)
    rows = rows[~exact_copies(table, keys, rows)]
    versions = {name: said for part, _ in read for name, said in part.versions.items()}
    study, limits = ledger.entries[-1].name, read[0][0].limits
    folder = store / kind
    name = write_part(folder, kind, table.take(pa.array(rows)), study=study, limits=limits, versions=versions)
    with saying(folder, "compacted"):
        # Where one is gone another compaction was faster; see "Why compaction loses nothing" in `_store`.
        in_time = all(part.path.exists() for part, _ in read)
        for path in [part.path for part, _ in read] if in_time else [folder / name]:
            with suppress(FileNotFoundError):
                path.unlink()
        sync_folder(folder)
    if not in_time:
        time.sleep(secrets.randbelow(50) / 1000)  # two in step would go on like this
    return True


def _batches(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Parts together, up to the rows and bytes of a large one."""
    batch: list[Part] = []
    rows = unfolded = 0
    for part in parts:
        if batch and (rows + part.rows > MOST_ROWS or unfolded + part.unfolded > MOST_UNFOLDED):
            yield batch
            batch, rows, unfolded = [], 0, 0
        batch.append(part)
        rows, unfolded = rows + part.rows, unfolded + part.unfolded
    if batch:
        yield batch


def _verified(part: Part) -> int:
    for _ in part.stream():
        pass
    return part.rows


def _differing(store: Path, ledger: Ledger, order: Order, found: Scan) -> Differing:
    if not found.copies:
        return Differing()
    loaded = load(store, "trials", ledger.known)
    return settle(loaded.table, "trials", Keys.of(loaded.table, "trials", order))[1]


def clear_leftovers(store: Path) -> None:
    """Delete what writers that are gone for certain left half written."""
    for folder in _folders(store):
        clear(folder)
    for path in _half_plans(store):
        if is_abandoned(path):
            with suppress(OSError):
                path.unlink()


def _folders(store: Path) -> list[Path]:
    return [store / name for name in (FOLDER, *SCHEMAS, LOOKS)]


def _temporaries(store: Path) -> list[Path]:
    return [path for folder in _folders(store) for path in leftovers(folder)] + _half_plans(store)


def _half_plans(store: Path) -> list[Path]:
    """Other files in the directory itself are none of ours. It may be reached through a symbolic link; its folders may not."""
    return [store / path.name for path in leftovers(store.resolve()) if path.name.startswith(f".{PLAN}.")]


def _set_aside(store: Path, path: Path) -> str:
    """Move a file to the quarantine under a free name, and return its new place."""
    inside = path.relative_to(store).parts
    folder = store / QUARANTINE / (inside[0] if len(inside) > 1 else "")
    refuse_link(store / QUARANTINE)
    make_folder(folder)
    target, n = folder / path.name.lstrip("."), 0
    while os.path.lexists(target):
        n += 1
        target = folder / f"{path.name.lstrip('.')}.{n}"
    with saying(path, "set aside"):
        path.rename(target)
        sync_folder(folder)
        sync_folder(path.parent)
    return str(target.relative_to(store))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _quoted(damage: Damage) -> str:
    return f"{damage.path!r} {damage.reason}"


def quarantined(store: Path) -> int:
    """How many parts and records are set aside; what killed writers left half written was never done."""
    folder = store / QUARANTINE
    if folder.is_symlink() or not folder.is_dir():
        return 0
    return sum(1 for kind in folder.iterdir() if kind.is_dir() for path in kind.iterdir() if _HELD.search(path.name))
