"""Study records: what a store was made for, and whether a study fits it.

A record is a JSON file named by the SHA-256 of its bytes, so a changed byte is seen, and the same
record published twice is one file. Each names the records that were there before it, which puts
them in order without a clock. Later records add algorithms, tasks and metrics; a record that
changes what an earlier one said is written only when the change was accepted, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ogive.canonical import canonical, digest, plain
from ogive.errors import InputError, StoreError
from ogive.metric import Metric
from ogive.store._damage import Damage, Unsound, printable
from ogive.store._publish import refuse_link, saying
from ogive.store._schemas import as_name, check_metric_name

Record: TypeAlias = dict[str, Any]

FOLDER, FORMAT, VERSION = "study", "ogive-study", 1
_SCALARS = ("seed", "holds")
_NAMED = {"algorithms": "algorithm", "tasks": "task", "metrics": "metric"}
_MOST_SHOWN, _LONGEST = 3, 60
# Beyond these a file is no record, or was made to fill the memory or the stack of whoever reads it.
MOST_BYTES, DEEPEST = 2**24, 200


class Records(NamedTuple):
    """The records of a store in order, and what they say together."""

    records: list[Record]
    merged: Record


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of `study/`."""

    name: str
    record: Record
    follows: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()

    def content(self) -> bytes:
        """The bytes of the file; the order of names is kept, since tables follow it."""
        body = {
            "format": FORMAT, "version": VERSION, "record": self.record, "follows": list(self.follows),
            "accepted": list(self.accepted),
        }  # fmt: skip
        return json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False).encode()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All records that could be read, oldest first, and those that could not."""

    entries: tuple[Entry, ...]
    damaged: tuple[Damage, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """Names of every record that a part may refer to, lost ones included."""
        names = {n for e in self.entries for n in (e.name, *e.follows)}
        return frozenset(names | {Path(d.path).stem for d in self.damaged})

    @property
    def merged(self) -> Record:
        """What the records say together."""
        return self._fold()[0]

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Changes that nobody accepted: two studies were begun in one directory at the same moment."""
        return self._fold()[1]

    @property
    def accepted(self) -> tuple[str, ...]:
        """Changes that were accepted."""
        return tuple(change for entry in self.entries for change in entry.accepted)

    def _fold(self) -> tuple[Record, tuple[str, ...]]:
        merged: Record = {}
        conflicts: list[str] = []
        for entry in self.entries:
            conflicts += [c for c in changes(merged, entry.record) if c not in entry.accepted]
            named = {key: {**merged.get(key, {}), **entry.record.get(key, {})} for key in _NAMED}
            # What varied in any of the runs varied in the table.
            varied = dict.fromkeys([*(merged.get("varied") or ()), *(entry.record.get("varied") or ())])
            merged = {**merged, **entry.record, **named, "varied": list(varied)}
        return merged, tuple(conflicts)


def read_ledger(path: Path) -> Ledger:
    """Every record of the store at `path`."""
    folder = path / FOLDER
    with saying(folder, "read"):
        refuse_link(folder)
        names = (
            sorted(p.name for p in folder.iterdir() if p.suffix == ".json" and not p.name.startswith("."))
            if folder.is_dir()
            else []
        )
    entries, damaged = [], []
    for name in names:
        try:
            entries.append(_read(folder / name))
        except FileNotFoundError:
            continue
        except Unsound as found:
            damaged.append(Damage(f"{FOLDER}/{name}", found.reason, movable=found.movable))
    return Ledger(tuple(sorted(entries, key=lambda e: (len(e.follows), e.name))), tuple(damaged))


def _read(file: Path) -> Entry:
    if file.is_symlink() or not file.is_file():
        raise (
            Unsound("is a symbolic link or no regular file")
            if file.is_symlink() or file.exists()
            else FileNotFoundError
        )
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Unsound(f"is larger than a study record may be ({MOST_BYTES} bytes)")
        content = file.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unsound(f"cannot be read: {error.strerror}", movable=False) from error
    if not content:
        raise Unsound("is empty")
    if digest(content) != file.stem:
        raise Unsound("does not hold what its name says (a byte changed, or it was edited)")
    try:
        body = json.loads(content)
        if body["format"] != FORMAT:
            raise Unsound("is no study record")
        if body["version"] > VERSION:
            raise Unsound(
                f"has format {body['version']} of a newer version of Ogive; upgrade to read it", movable=False
            )
        record = as_record(body["record"])
        follows, accepted = (_as_texts(body[key], key) for key in ("follows", "accepted"))
        return Entry(file.stem, record, follows, accepted)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unsound("is no study record") from error


def as_record(record: Any) -> Record:
    """A study record in JSON's types, checked."""
    if not isinstance(record, Mapping):
        raise StoreError(f"`record` must be the dictionary of Study.record(); got {type(record).__name__}.")
    missing = [key for key in ("seed", "holds", "metrics", "algorithms", "tasks") if key not in record]
    if missing:
        raise StoreError(f"`record` must have the entry {missing[0]!r}, as Study.record() gives it; it is missing.")
    try:
        out: Record = plain(record)
    except RecursionError:
        raise StoreError(f"`record` must not be nested deeper than {DEEPEST} levels.") from None
    if _depth(out) > DEEPEST:
        raise StoreError(f"`record` must not be nested deeper than {DEEPEST} levels; got {_depth(out)}.")
    for key, what in _NAMED.items():
        if not isinstance(out[key], dict):
            raise StoreError(f"`record` {key!r} must map names to definitions; got {type(out[key]).__name__}.")
        for name in out[key]:
            as_name(name, f"an {what}" if what[0] in "aeiou" else f"a {what}")
    for name, said in out["metrics"].items():
        check_metric_name(name)
        as_metric(name, said)
    _check_facts(out)
    return out


def _check_facts(record: Record) -> None:
    """Refuse a record whose holds, tasks, name or varied sources have another form than readers rely on."""
    if not isinstance(record["holds"], (dict, type(None))):
        raise StoreError(f"`record` 'holds' must be a dictionary; got {record['holds']!r}.")
    if not isinstance(record.get("name", ""), str):
        raise StoreError(f"`record` 'name' must be text; got {record['name']!r}.")
    _as_texts(record.get("varied") or [], "varied")
    for name, said in record["tasks"].items():
        known = said if isinstance(said, dict) else {"scope": 0}
        if not isinstance(known.get("scope"), (str, type(None))) or not isinstance(
            known.get("n_rows"), (int, type(None))
        ):
            raise StoreError(f"`record`: task {name!r} must be a dictionary with a scope in words; got {_shown(said)}.")


def _as_texts(values: Any, key: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise StoreError(f"`record` {key!r} must be a list of texts; got {_shown(values)}.")
    return tuple(values)


def _depth(value: Any) -> int:
    """How deeply a JSON value is nested, without recursion."""
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        part, level = waiting.pop()
        inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting += [(one, level + 1) for one in inside]
        deepest = max(deepest, level)
    return deepest


def as_metric(name: str, said: Any) -> Metric:
    """The metric that a record describes."""
    try:
        return Metric(said["goal"], tuple(said.get("bounds") or (None, None)))
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"`record`: metric {name!r} must have a goal and a pair of bounds; got {said!r}.") from error


def next_entry(ledger: Ledger, record: Record, accepted: Sequence[str]) -> Entry | None:
    """The record as the next file; None where it says nothing new."""
    merged = ledger.merged
    news = any(canonical(merged.get(key)) != canonical(record[key]) for key in _SCALARS) or any(
        name not in merged.get(key, {}) or canonical(merged[key][name]) != canonical(said)
        for key in _NAMED
        for name, said in record[key].items()
    )
    if not news:
        return None
    unnamed = Entry("", record, tuple(sorted(e.name for e in ledger.entries)), tuple(accepted))
    content = unnamed.content()
    if len(content) > MOST_BYTES:
        raise StoreError(f"`record` must not take more than {MOST_BYTES} bytes; got {len(content)}.")
    return Entry(digest(content), record, unnamed.follows, unnamed.accepted)


def changes(before: Record, after: Record) -> list[str]:
    """What a record says otherwise than those before it, one phrase each."""
    found = []
    for key in _SCALARS if before else ():
        if canonical(before.get(key)) != canonical(after[key]):
            found.append(f"{key} was {_shown(before.get(key))}, is {_shown(after[key])}")
    for key, what in _NAMED.items():
        for name, said in after[key].items():
            earlier = before.get(key, {}).get(name)
            if earlier is not None and canonical(earlier) != canonical(said):
                found.append(f"{what} {name!r}: {_together(_differences(earlier, said))}")
    return found


def _differences(was: Any, now: Any, path: str = "") -> list[str]:
    """Where two JSON values differ, leaf by leaf."""
    if isinstance(was, dict) and isinstance(now, dict):
        found = []
        for key in [*was, *(k for k in now if k not in was)]:
            place = f"{path}.{key}" if path else str(key)
            if key not in now:
                found.append(f"{place} was {_shown(was[key])}, is gone")
            elif key not in was:
                found.append(f"{place} was not there, is {_shown(now[key])}")
            else:
                found += _differences(was[key], now[key], place)
        return found
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [d for i, (a, b) in enumerate(zip(was, now, strict=True)) for d in _differences(a, b, f"{path}[{i}]")]
    return [] if canonical(was) == canonical(now) else [f"{path} was {_shown(was)}, is {_shown(now)}".strip()]


def _together(differences: list[str]) -> str:
    more = len(differences) - _MOST_SHOWN
    return ", ".join(differences[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _shown(value: Any) -> str:
    text = printable(canonical(value))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
