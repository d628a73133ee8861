"""How far a store is: finished trials by cell and status, and failures grouped by what they said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.notes import unfinished_words
from ogive.schema import OK, STATUSES
from ogive.store import Store
from ogive.trials import Trials
from ogive.words import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a store holds.

    Attributes
    ----------
    source, study : str
    n_trials : int or None
        How many of each cell were asked for; where that differs, the most.
    rows : tuple of dict
        For each cell: algorithm, task, asked, done, the count of each status, and in `unusable` by metric how
        many trials that are ok lack it.
    parts : int
        Files that hold them.
    damaged : tuple of str
        Parts that cannot be read, each with its reason.
    again : int
        Trials that are not counted as done: their curves or candidates were damaged or deleted.
    """

    source: str
    study: str
    n_trials: int | None
    rows: tuple[dict[str, Any], ...]
    parts: int
    damaged: tuple[str, ...] = ()
    again: int = 0

    @property
    def finished(self) -> bool:
        """Whether every cell has as many trials as were asked for."""
        return self.n_trials is not None and all(row["done"] >= (row["asked"] or 0) for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "schema": 1, "source": self.source, "study": self.study, "n_trials": self.n_trials, "finished": self.finished,
            "parts": self.parts, "damaged": list(self.damaged), "again": self.again, "rows": list(self.rows),
        }  # fmt: skip

    def __str__(self) -> str:
        planned = "" if self.n_trials is None else f" of {sum(row['asked'] or 0 for row in self.rows):,}"
        done = sum(row["done"] for row in self.rows)
        lines = [f"study {self.study}: {done:,}{planned} trials in {self.parts} part{'' if self.parts == 1 else 's'}"]
        lacking = unfinished_words(
            (row["algorithm"], row["task"], min(row["done"], row["asked"]), row["asked"])
            for row in self.rows
            if row["asked"] is not None
        )
        lines += [f"unfinished: {lacking}; a further run makes them"] if lacking else []
        width = max([len(_name(row)) for row in self.rows], default=0)
        for row in self.rows:
            parts = [f"{row[s]:,} {s}" for s in STATUSES if s != OK and row[s]]
            parts += [f"{n:,} without a usable {metric}" for metric, n in row["unusable"].items()]
            failed = ", ".join(parts)
            of = "" if row["asked"] is None else f" of {row['asked']:,}"
            lines.append(f"  {_name(row):<{width}}  {row['done']:>9,}{of}" + (f"  ({failed})" if failed else ""))
        if self.again:
            it, belongs = ("it", "belongs to it") if self.again == 1 else ("them", "belong to them")
            lines.append(
                f"not whole: {self.again:,} more, since rows that {belongs} were damaged or deleted; a further run makes {it} again"
            )
        lines += [f"damaged: {said}" for said in self.damaged]
        return "\n".join(printable(line) for line in lines)


def _name(row: dict[str, Any]) -> str:
    return f"{row['algorithm']} on {row['task']}"


def status(path: str | Path, *, check: bool = False) -> Status:
    """The status of a store; `check` reads every row to find damage."""
    store = Store(path)
    record = store.records()[1]
    finished = store.finished(allow_missing=True)
    cells = [(a, t) for a in record["algorithms"] for t in record["tasks"]]
    asked = store.asked()
    rows = []
    for pair in cells:
        counts = np.zeros(len(STATUSES), dtype=np.int64)
        if pair in finished:
            counts = np.bincount(np.asarray(finished[pair].statuses, dtype=np.int64), minlength=len(STATUSES))
        by_status = {s: int(n) for s, n in zip(STATUSES, counts, strict=True)}
        lacking = finished[pair].unusable if pair in finished else {}
        unusable = {metric: int(np.count_nonzero(lacks)) for metric, lacks in lacking.items()}
        rows.append(
            {"algorithm": pair[0], "task": pair[1], "asked": asked.get(pair), "done": int(counts.sum()), **by_status, "unusable": unusable}
        )  # fmt: skip
    checked = store.verify() if check else None
    damaged = () if checked is None else tuple(map(str, checked.damaged))
    if checked is not None and checked.conflicts:
        damaged += (f"the files of two different studies are in one folder: {'; '.join(checked.conflicts)}",)
    again = sum(done.again.trials.size for done in finished.values() if done.again is not None)
    parts = sum(1 for _ in (store.path / "trials").glob("*.parquet")) if (store.path / "trials").is_dir() else 0
    return Status(
        source=str(path), study=record.get("name", store.path.name), n_trials=max((asked[c] for c in cells if c in asked), default=None), rows=tuple(rows), parts=parts, damaged=damaged, again=again
    )  # fmt: skip


def failure_groups(trials: Trials) -> list[dict[str, Any]]:
    """Failed trials grouped by status and message, most frequent first, each with its first example.

    A trial of which only some metrics failed is ok and says so in its message: it is `invalid`, in part.
    """
    table = trials.table.select(["algorithm", "task", "trial", "status", "message"])
    ok = pc.equal(table["status"].cast(pa.string()), OK)
    table = table.filter(pc.or_(pc.invert(ok), table["message"].is_valid()))
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for row in table.to_pylist():
        partly = row["status"] == OK
        key = ("invalid" if partly else str(row["status"]), row["message"] or "")
        example = {"algorithm": row["algorithm"], "task": row["task"], "trial": row["trial"]}
        found = {"status": key[0], "message": key[1], "count": 0, "partly": partly, "example": example}
        group = groups.setdefault(key, found)
        group["count"] += 1
    return sorted(groups.values(), key=lambda group: -group["count"])
