"""Frames become plain Arrow tables: pandas, polars, and whatever offers `__arrow_c_stream__` (Arrow, DuckDB, …)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from ogive.errors import UnreadableSource
from ogive.files import plain_table


def is_frame(source: object) -> bool:
    """Whether `source` offers itself as an Arrow stream, or is of pandas or polars (without importing either)."""
    return hasattr(source, "__arrow_c_stream__") or any(_is_of(source, package) for package in ("pandas", "polars"))


def _no_table(frame: object) -> UnreadableSource:
    return UnreadableSource(
        f"a {type(frame).__name__} is not a table; pass a DataFrame, or a dictionary name -> scores."
    )


def _is_of(source: object, package: str) -> bool:
    return any(t.__module__.split(".")[0] == package for t in type(source).__mro__)


def from_frame(frame: Any) -> pa.Table:
    """The columns of a frame; a meaningful pandas index becomes columns too."""
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect()
    if isinstance(frame, pa.Table):
        table = frame
    elif type(frame).__name__ != "Series" and _is_of(frame, "polars"):
        table = pa.table({c: _column(c, frame[c].to_arrow) for c in frame.columns})
    elif hasattr(frame, "columns") and _is_of(frame, "pandas"):
        _refuse_repeated(list(frame.columns))
        frame = _with_index(frame)
        frame = frame.set_axis([_name(c) for c in frame.columns], axis=1)
        _refuse_repeated(list(frame.columns))
        table = pa.table({c: _column(c, partial(_from_pandas, frame[c])) for c in frame.columns})
    elif type(frame).__name__ == "Series" or not hasattr(frame, "__arrow_c_stream__"):
        raise _no_table(frame)
    else:
        try:
            table = pa.table(frame)
        except (pa.ArrowException, TypeError, ValueError) as error:  # a stream of single values, or one that broke
            raise _no_table(frame) from error
    _refuse_repeated(table.column_names)
    if table.num_rows == 0:
        raise UnreadableSource("the data frame has no rows.")
    return plain_table(table.replace_schema_metadata(None))


def _name(column: object) -> str:
    """The name of a column; of one with several levels, those that say something."""
    return ".".join(str(level) for level in column if level != "") if isinstance(column, tuple) else str(column)


def _column(name: str, convert: Callable[[], pa.Array]) -> pa.Array:
    try:
        return convert()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise UnreadableSource(
            f"column {name!r} of the data frame cannot be read: {' '.join(str(error.args[0]).split())[:160].rstrip('.')}; "
            "make it numbers or text of one type."
        ) from error


def _from_pandas(column: Any) -> pa.Array:
    if str(column.dtype).startswith("Sparse"):
        column = column.sparse.to_dense()
    values = pa.array(column, from_pandas=True)
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if isinstance(kind, pa.BaseExtensionType):  # periods and ranges, which Arrow keeps as numbers or objects
        values = pa.array(column.astype(str).where(column.notna(), None), from_pandas=True)
    return values


def _refuse_repeated(columns: Sequence[str]) -> None:
    repeated = next((c for i, c in enumerate(columns) if c in columns[:i]), None)
    if repeated is not None:
        raise UnreadableSource(f"the data frame has several columns named {repeated!r}; rename them.")


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index is a column, unless it only counts the rows or repeats a column."""
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return frame
    twice = [name for name in index.names if name is not None and name in frame.columns]
    for name in twice:
        if index.get_level_values(name).tolist() != frame[name].tolist():
            raise UnreadableSource(
                f"the data frame has an index and a column named {name!r} that differ; rename one of them."
            )
    if len(twice) == index.nlevels:
        return frame.reset_index(drop=True)
    return frame.droplevel(twice).reset_index() if twice else frame.reset_index()
