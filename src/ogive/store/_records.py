"""Study records: what a store was made for, and whether a study fits it.

A record is a JSON file named by the SHA-256 of its bytes, so a changed byte is seen. It stands in
a numbered folder of its own, `study/<number>/<sha-256>.json`, and names all records before it, in
order. Later records add algorithms, tasks and metrics; a record that changes what an earlier one
said is written only when the change was accepted, and says so. Why two studies that begin at once
cannot both get in is told in `_store`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ogive.canonical import canonical, digest, plain
from ogive.errors import InputError, StoreConflict, StoreError
from ogive.metric import Metric
from ogive.store._publish import Damage, Unsound, refuse_link, saying
from ogive.store._schemas import as_name, check_metric_name
from ogive.words import printable

Record: TypeAlias = dict[str, Any]

FOLDER, FORMAT, VERSION = "study", "ogive-study", 1
_SCALARS = ("seed", "holds")
_NAMED = {"algorithms": "algorithm", "tasks": "task", "metrics": "metric"}
_MOST_SHOWN, _LONGEST, SHORT = 3, 60, 12
_LISTINGS = 3
_NUMBER = re.compile(r"\d{6,9}")
# Beyond these a file is no record, or was made to fill the memory or the stack of whoever reads it.
MOST_BYTES, DEEPEST = 2**24, 200


class Records(NamedTuple):
    """The records of a store in order, and what they say together."""

    records: list[Record]
    merged: Record


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a store; `follows` names those before it, oldest first."""

    name: str
    record: Record
    follows: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: Record, follows: Sequence[str], accepted: Sequence[str]) -> Entry:
        """A record with the name that its content gives it."""
        unnamed = cls("", record, tuple(follows), tuple(accepted))
        content = unnamed.content()
        if len(content) > MOST_BYTES:
            raise StoreError(f"`record` must not take more than {MOST_BYTES} bytes; got {len(content)}.")
        return cls(digest(content), record, unnamed.follows, unnamed.accepted)

    def content(self) -> bytes:
        """The bytes of the file; the order of names is kept, since tables follow it."""
        body = {
            "format": FORMAT, "version": VERSION, "record": self.record, "follows": list(self.follows),
            "accepted": list(self.accepted),
        }  # fmt: skip
        return json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False).encode()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All records that could be read, oldest first, and those that could not.

    Attributes
    ----------
    entries : tuple of Entry
    damaged : tuple of Damage
        Records that are there and cannot be believed.
    next_number : int
        The first folder after all that hold something.
    """

    entries: tuple[Entry, ...]
    damaged: tuple[Damage, ...] = ()
    next_number: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Every record that was ever there, as far as those that are left say so, oldest first."""
        return tuple(dict.fromkeys(n for e in self.entries for n in (*e.follows, e.name)))

    @property
    def known(self) -> frozenset[str]:
        """Names of every record that a part may refer to, lost ones included."""
        return frozenset({*self.names, *(Path(d.path).stem for d in self.damaged)})

    @property
    def lost(self) -> tuple[str, ...]:
        """Records that others follow and that are not there; nobody has accepted the loss."""
        there = {*(e.name for e in self.entries), *(Path(d.path).stem for d in self.damaged)}
        return tuple(n for n in self.names if n not in there and loss(n) not in self.accepted)

    @property
    def troubles(self) -> tuple[Damage, ...]:
        """What is damaged, and what is lost."""
        reason = (
            "is gone, and later records build on it: run the study that it described again, or go on without it "
            "by accepting that (accept_change=True, on the command line --accept-change)"
        )
        return (
            *self.damaged,
            *(Damage(f"{FOLDER}/{place(self.names.index(n))}/{n}.json", reason, movable=False) for n in self.lost),
        )

    @property
    def merged(self) -> Record:
        """What the records say together."""
        return self._fold(self.entries)[0]

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Changes that nobody accepted: records of two stores were put together by hand."""
        return self._fold(self.entries)[1]

    @property
    def tips(self) -> tuple[Entry, ...]:
        """Records that no other follows: one, or one for each store that was put together with this one."""
        followed = {name for entry in self.entries for name in entry.follows}
        return tuple(entry for entry in self.entries if entry.name not in followed)

    def others(self, keep: str) -> tuple[Entry, ...]:
        """The records that do not belong to the study whose last record begins with `keep`."""
        found = [entry for entry in self.tips if keep and entry.name.startswith(keep)]
        if len(found) != 1:
            known = ", ".join(entry.name[:SHORT] for entry in self.tips)
            raise StoreError(f"`keep` must be the beginning of one of {known}; got {printable(keep)!r}.")
        return tuple(e for e in self.entries if e.name not in {found[0].name, *found[0].follows})

    def refuse_conflicts(self, path: Path) -> None:
        """Say that two studies were put together by hand, and the ways out."""
        if not self.conflicts:
            return
        shown = "; ".join(self.conflicts[:_MOST_SHOWN])
        known = " or ".join(
            f"--keep {e.name[:SHORT]} (seed {_shown(e.record['seed'])})" for e in self.tips[:_MOST_SHOWN]
        )
        raise StoreConflict(
            printable(
                f"{path} holds the files of two different studies ({shown}), and their trials must not be judged together: "
                f"restore the folder from a copy, or set the files of the other study aside with `ogive repair` and {known}."
            )
        )

    @property
    def accepted(self) -> tuple[str, ...]:
        """Changes that were accepted."""
        return tuple(change for entry in self.entries for change in entry.accepted)

    def telling(self, record: Record) -> Entry | None:
        """The first entry by which all that a record says was said; None where it was not."""
        for i, entry in enumerate(self.entries):
            if not has_news(self._fold(self.entries[: i + 1])[0], record):
                return entry
        return None

    def restored(self, record: Record) -> Entry | None:
        """A record that was lost, if this study is the one that it described."""
        for name in self.lost:
            follows = self.names[: self.names.index(name)]
            before = self._fold([e for e in self.entries if e.name in follows])[0]
            for accepted in ([], changes(before, record)):
                entry = Entry.of(record, follows, accepted)
                if entry.name == name:
                    return entry
        return None

    @staticmethod
    def _fold(entries: Sequence[Entry]) -> tuple[Record, tuple[str, ...]]:
        merged: Record = {}
        conflicts: list[str] = []
        for entry in entries:
            conflicts += [c for c in changes(merged, entry.record) if c not in entry.accepted]
            named = {key: {**merged.get(key, {}), **entry.record.get(key, {})} for key in _NAMED}
            # What varied in any of the runs varied in the table.
            varied = dict.fromkeys([*(merged.get("varied") or ()), *(entry.record.get("varied") or ())])
            merged = {**merged, **entry.record, **named, "varied": list(varied)}
        return merged, tuple(conflicts)


def place(number: int) -> str:
    """The folder of a record."""
    return f"{number:06d}"


def loss(name: str) -> str:
    """What is accepted where a study goes on without a record."""
    return f"record {name[:12]}… is gone"


def read_ledger(path: Path) -> Ledger:
    """Every record of the store at `path`.

    A listing that is made while two records appear may show the second alone; it is made again.
    """
    for _ in range(_LISTINGS):
        ledger = _listed(path)
        if not ledger.lost:
            break
    return ledger


def _listed(path: Path) -> Ledger:
    found: dict[str, Entry] = {}
    damaged: list[Damage] = []
    numbers = [-1]
    for number, file in record_files(path):
        where = str(file.relative_to(path))
        try:
            if number is None:
                raise Unsound("stands outside of the numbered folder of a record")
            entry = _read(file)
            found.setdefault(entry.name, entry)
        except FileNotFoundError:
            continue
        except Unsound as odd:
            damaged.append(Damage(where, odd.reason, movable=odd.movable))
        numbers.append(-1 if number is None else number)
    # A folder that was renamed or copied changes nothing: the records themselves know their order.
    entries = sorted(found.values(), key=lambda e: (len(e.follows), e.name))
    return Ledger(tuple(entries), tuple(damaged), max(numbers) + 1)


def record_files(path: Path) -> list[tuple[int | None, Path]]:
    """Files that are records or pretend to be, each with the number of its folder."""
    folder = path / FOLDER
    out: list[tuple[int | None, Path]] = []
    with saying(folder, "read"):
        refuse_link(folder)
        for one in sorted(folder.iterdir()) if folder.is_dir() else ():
            if one.suffix == ".json" and not one.name.startswith("."):
                out.append((None, one))
            elif _NUMBER.fullmatch(one.name):
                if one.is_symlink() or not one.is_dir():
                    out.append((int(one.name), one))
                    continue
                try:
                    inside = sorted(one.iterdir())
                except FileNotFoundError:  # set aside by a repair
                    continue
                out += [(int(one.name), p) for p in inside if p.suffix == ".json" and not p.name.startswith(".")]
    return out


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
        words = known.get("counted_by", {})
        if not isinstance(words, dict) or not all(isinstance(word, str) for word in words.values()):
            raise StoreError(f"`record`: 'counted_by' of task {name!r} must map series to words; got {_shown(words)}.")


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


def has_news(before: Record, record: Record) -> bool:
    """Whether a record says anything that was not said before."""
    return any(canonical(before.get(key)) != canonical(record[key]) for key in _SCALARS) or any(
        name not in before.get(key, {}) or canonical(before[key][name]) != canonical(said)
        for key in _NAMED
        for name, said in record[key].items()
    )


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
