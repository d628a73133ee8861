"""Data sets of openml.org by their number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from ogive.errors import InputError, UnreadableSource
from ogive.tasks._cache import cached
from ogive.tasks._columns import from_table
from ogive.tasks._rows import Loaded, resampled
from ogive.tasks._task import KINDS, Task, as_count, one_of

if TYPE_CHECKING:
    import pandas as pd


def openml(
    id: int,
    *,
    target: str | None = None,
    name: str | None = None,
    test_size: float = 0.4,
    stratify: bool = False,
    kind: str | None = None,
) -> Task:
    """Fresh splits of the rows of an OpenML data set.

    Read from `openml/<id>.parquet` in Ogive's cache, which `sklearn.datasets.fetch_openml` fills
    where it is absent: the features as loaded, the default target last. `target` names another
    column to predict. Categories are coded 0, 1, … in the order that the data set declares, or in
    sorted order where it declares none; the fingerprint lists it. Without `kind`, a target of text
    or of whole numbers with at most 20 different values makes a classification.
    """
    if target is not None and not isinstance(target, str):
        raise InputError(f"`target` must name a column; got {target!r}.")
    source = Numbered(as_count("id", id), target, one_of("kind", kind, KINDS))
    return resampled(f"openml-{source.id}" if name is None else name, source, test_size, stratify)


@dataclass(frozen=True, slots=True)
class Numbered:
    """The number of a data set, and which column is to be predicted."""

    id: int
    target: str | None
    kind: str | None

    def load(self) -> Loaded:
        """The rows, from the cache."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        what = f"OpenML data set {self.id}"
        path = cached(f"openml/{self.id}.parquet", what, "its table (features, then the target last)", self._download)
        try:
            table = pq.read_table(path, page_checksum_verification=True)
        except (pa.ArrowException, OSError) as error:
            raise UnreadableSource(
                f"{path} cannot be read as Parquet; delete it, and it will be downloaded again."
            ) from error
        declared = (table.schema.metadata or {}).get(b"ogive-categories")
        columns = [c for c in table.column_names if not c.startswith("__index_level_")]
        target = columns[-1] if self.target is None else self.target
        categories = None if declared is None else json.loads(declared)
        return from_table(table.select(columns), target, self.kind, what, categories)

    def definition(self) -> dict[str, Any]:
        """The number and the target, where one was named."""
        return {"data": "openml", "id": self.id, **({} if self.target is None else {"target": self.target})}

    def _download(self, file: BinaryIO) -> None:
        from sklearn.datasets import fetch_openml

        bunch = fetch_openml(data_id=self.id, as_frame=True, parser="auto")
        named = [self.target] if self.target is not None else []
        targets = list(bunch.target_names) or named
        if len(targets) != 1 or targets[0] not in bunch.frame.columns:
            raise UnreadableSource(
                f"OpenML data set {self.id} has {len(bunch.target_names)} default targets; name a column: target=…."
            )
        write_table(bunch.frame, targets[0], file)


def write_table(frame: pd.DataFrame, target: str, file: BinaryIO) -> None:
    """Features as loaded, the target last; the declared order of categories beside the schema."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = frame[[*(c for c in frame.columns if c != target), target]].reset_index(drop=True)
    categories: dict[str, list[str]] = {}
    columns: dict[str, Any] = {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            categories[str(name)] = [str(label) for label in column.cat.categories]
            columns[str(name)] = pa.array([None if pd.isna(v) else str(v) for v in column], pa.string())
        else:
            dense = column.astype(column.dtype.subtype) if isinstance(column.dtype, pd.SparseDtype) else column
            columns[str(name)] = pa.array(dense, from_pandas=True)
    metadata = {"ogive-categories": json.dumps(categories, ensure_ascii=False)}
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), file, write_page_checksum=True)
