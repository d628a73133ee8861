"""A file with a table as a task; a table becomes X and y: numbers as they are, categories as codes in a stated order.

The order of a category's codes is the one declared with the data (an OpenML header, a dictionary
column), else the sorted order of its labels. It is kept in the task's fingerprint. Missing
features stay missing (NaN); a missing target is refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError
from ogive.tasks._rows import Loaded, as_rows, resampled
from ogive.tasks._task import KINDS, Task, one_of

if TYPE_CHECKING:
    import pyarrow as pa


MOST_LABELS = 20  # text with more labels than this, most of them seen once or twice, is no category


def from_table(
    table: pa.Table, target: str, kind: str | None, source: str, categories: Mapping[str, Sequence[str]] | None = None
) -> Loaded:
    """Features, in the order of their columns, and the target."""
    names = list(table.column_names)
    seen: set[str] = set()
    repeated = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    if repeated:
        raise InputError(f"{source} must name each column once; {repeated[0]!r} occurs several times.")
    if target not in names:
        raise InputError(f"`target` {target!r} is not a column of {source}; {_offer(target, names)}.")
    if len(names) < 2:
        raise InputError(f"{source} must have features beside the target {target!r}; it has no other column.")
    if table.num_rows < 2:
        raise InputError(f"{source} must have at least 2 rows; got {table.num_rows}.")
    declared = categories or {}
    columns: list[NDArray[np.float64]] = []
    codes: dict[str, list[str]] = {}
    for name in names:
        if name != target:
            column, labels = _feature(name, table[name], source, declared.get(name))
            columns.append(column)
            if labels is not None:
                codes[name] = labels
    facts = {"codes": codes} if codes else {}
    where = f"the target {target!r} of {source}"
    return as_rows(np.column_stack(columns), _target(table[target], where), kind, where, facts)


def _feature(
    name: str, column: pa.ChunkedArray, source: str, declared: Sequence[str] | None
) -> tuple[NDArray[np.float64], list[str] | None]:
    import pyarrow as pa

    if column.null_count == len(column):
        raise InputError(f"column {name!r} of {source} is empty in every row; leave it out.")
    if _is_number(column.type):
        return _numbers(column), None
    labels = list(declared) if declared is not None else _dictionary_labels(column)
    texts = _texts(column)
    if texts is None:
        raise InputError(
            f"column {name!r} of {source} holds {column.type}, which is neither numbers nor text; "
            "leave it out or turn it into numbers."
        )
    present = sorted({text for text in texts if text is not None})
    if labels is None or not set(present) <= set(labels):
        labels = present
        if not pa.types.is_dictionary(column.type) and len(labels) > max(MOST_LABELS, len(texts) // 2):
            raise InputError(
                f"column {name!r} of {source} holds text with {len(labels)} different values in {len(texts)} rows, "
                "which is a name rather than a category; leave it out or turn it into numbers."
            )
    code = {label: float(i) for i, label in enumerate(labels)}
    return np.array([np.nan if text is None else code[text] for text in texts]), labels


def _target(column: pa.ChunkedArray, where: str) -> NDArray[Any]:
    import pyarrow as pa

    if column.null_count:
        raise InputError(
            f"{where} must be known for every row; it is missing in {column.null_count} of {len(column)}. "
            "Remove these rows."
        )
    if _is_number(column.type):
        values = _numbers(column) if pa.types.is_decimal(column.type) else np.asarray(column.to_numpy())
        return values.astype(np.int64) if values.dtype.kind == "b" else values
    texts = _texts(column)
    if texts is None:
        raise InputError(f"{where} must hold numbers or text; got {column.type}.")
    return np.array(texts, dtype=str)


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.cast(pa.float64(), safe=False).to_numpy()  # beyond 2**53 the nearest float, as estimators see it
    return np.asarray(values, dtype=np.float64)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    known = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return bool(known or pa.types.is_decimal(kind))


def _texts(column: pa.ChunkedArray) -> list[str | None] | None:
    """The labels of a text or dictionary column, None where missing; None for any other column."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_number(kind)):
        return None
    return [None if value is None else str(value) for value in column.to_pylist()]


def _dictionary_labels(column: pa.ChunkedArray) -> list[str] | None:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return None
    return [str(label) for label in column.unify_dictionaries().chunk(0).dictionary.to_pylist()]


def _offer(target: object, names: list[str]) -> str:
    close = get_close_matches(str(target), names, n=1)
    if close:
        return f"the nearest is {close[0]!r}"
    return "there are " + ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


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
