"""A directory of immutable Parquet parts that keeps finished trials. The contract is at the top of `_store`.

Start here                          then
  Store(path).create(record)        .write(kind, table): kept once it returns
  Store(path).finished()            what need not be run again
  Store(path).trials()              the table to judge; .table(kind) for the raw rows
  Store(path).series()              curves that stay where they are until they are asked for
  Store(path).verify()              .repair() .compact() .records()
  is_store(path)                    TRIALS INNER SERIES: the columns of each kind

Inside
  _store      the contract, and Store; `create` settles who of several first writers is first
  _schemas    columns, the door that rows pass, and maps as columns
  _records    study records: order, merging, what changed
  _parts      one part: its description, its checks, the digests of its columns, versions of packages
  _publish    files that appear whole or not at all, and names that only one writer can claim; what is damaged (Damage), in words
  _curves     StoredSeries: rows of `series` without their values
  _reading    all parts while others write; finished trials; highest attempts, copies, order
  _trials     Trials
  _care       verify, repair, compact, and what they report
  _plan       notes: how many trials were asked for, how often a table was judged
"""

from ogive.errors import StoreConflict, StoreDamaged, StoreError
from ogive.store._care import Repair, Verification
from ogive.store._curves import StoredSeries
from ogive.store._parts import versions_here, versions_name
from ogive.store._publish import Damage
from ogive.store._reading import Finished
from ogive.store._records import Records
from ogive.store._schemas import INNER, SERIES, TRIALS
from ogive.store._store import Store, is_store, place_for

__all__ = [
    "INNER", "SERIES", "TRIALS", "Damage", "Finished", "Records", "Repair", "Store", "StoreConflict", "StoreDamaged", "StoreError",
    "StoredSeries", "Verification", "is_store", "place_for", "versions_here", "versions_name",
]  # fmt: skip
