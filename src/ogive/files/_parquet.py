"""Parquet: what the footer claims is checked before anything is read, and every page's checksum where there is one."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from ogive.errors import UnreadableSource
from ogive.files._opening import sentence

BYTES_OF_VALUE = 4  # of the smallest type that scores and names have


def read(path: Path, most_bytes: int) -> pa.Table:
    """The table in a Parquet file."""
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as handle:
            file = pq.ParquetFile(handle, page_checksum_verification=True)
            _refuse_size(file.metadata, path, most_bytes)
            table = file.read()
        table.validate(full=True)  # text that claims to be UTF-8, among others
        _ = table.column_names
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; the name of a column is not. Rename it.") from error
    except pa.ArrowNotImplementedError as error:
        raise UnreadableSource(
            f"{path} holds what Ogive cannot read ({sentence(error).rstrip('.')}); write the table without it, or as CSV."
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"{path} is a damaged Parquet file: {sentence(error)}") from error
    return table


def _refuse_size(metadata: object, path: Path, most_bytes: int) -> None:
    """Refuse by what the footer claims: the bytes of its groups, and what so many rows take when they are unpacked."""
    held = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))  # type: ignore[attr-defined]
    size = max(held, BYTES_OF_VALUE * metadata.num_rows * metadata.num_columns)  # type: ignore[attr-defined]
    if size > most_bytes:
        raise UnreadableSource(
            f"{path} claims {size / 2**30:.0f} GiB of data; split it, or write only the columns that are needed."
        )
