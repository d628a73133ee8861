"""pandas and polars frames become plain Arrow tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ogive.errors import UnreadableSource


def is_frame(source: object) -> bool:
    """Whether `source` is an Arrow table, a pandas frame or a polars frame (without importing either)."""
    return isinstance(source, pa.Table) or any(
        t.__module__.split(".")[0] in ("pandas", "polars") for t in type(source).__mro__
    )


def from_frame(frame: Any) -> pa.Table:
    """The columns of a frame; a meaningful pandas index becomes columns too."""
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect()
    if isinstance(frame, pa.Table):
        table = frame
    elif type(frame).__name__ != "Series" and hasattr(frame, "to_arrow"):
        table = frame.to_arrow()
    elif hasattr(frame, "columns"):
        frame = _with_index(frame)
        frame = frame.rename(columns=str)
        repeated = frame.columns[frame.columns.duplicated()]
        if len(repeated):
            raise UnreadableSource(f"the data frame has several columns named {repeated[0]!r}; rename them.")
        try:
            table = pa.Table.from_pandas(frame, preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise UnreadableSource(f"the data frame mixes types in a column: {error.args[0]}.") from error
    else:
        raise UnreadableSource(
            f"a {type(frame).__name__} is not a table; pass a DataFrame, or a dictionary name -> scores."
        )
    if table.num_rows == 0:
        raise UnreadableSource("the data frame has no rows.")
    return table.replace_schema_metadata(None)


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index is a column, unless it only counts the rows."""
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return frame
    return frame.reset_index()
