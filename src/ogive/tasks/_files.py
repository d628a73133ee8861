"""A file with a table as a task."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ogive.errors import InputError
from ogive.tasks._columns import from_table
from ogive.tasks._rows import Loaded, resampled
from ogive.tasks._task import KINDS, Task, one_of


def csv(
    path: str | Path,
    *,
    target: str,
    name: str | None = None,
    test_size: float = 0.4,
    stratify: bool = False,
    kind: str | None = None,
) -> Task:
    """Fresh splits of the rows of a file: one header line, one column to predict, the rest features.

    The separator is the comma, the semicolon or the tab, whichever the header and the row below
    agree on; Parquet, JSON and packed files are read too. Numbers stay as they are and missing
    features NaN; text is coded 0, 1, … in sorted order, and refused where it looks like a name
    rather than a category. Without `kind`, a target of text or of whole numbers with at most 20
    different values makes a classification, else a regression.
    The file is read when it is first needed; its content, not its path, defines the task.
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise InputError(f"`path` must name a file; got {path!r}.")
    if not isinstance(target, str):
        raise InputError(f"`target` must name a column; got {target!r}.")
    where = os.path.abspath(os.path.expanduser(path))
    source = File(where, target, one_of("kind", kind, KINDS))
    return resampled(Path(where).stem if name is None else name, source, test_size, stratify)


@dataclass(frozen=True, slots=True)
class File:
    """Where the rows are, and which column is to be predicted."""

    path: str
    target: str
    kind: str | None

    def load(self) -> Loaded:
        """The rows of the file, checked."""
        from ogive.files import read_table

        table = read_table(Path(self.path), wide=True, missing_text=True)
        return from_table(table, self.target, self.kind, os.path.basename(self.path))

    def definition(self) -> dict[str, Any]:
        """The content defines the data; where the file lies does not."""
        return {"data": "csv", "target": self.target}
