"""Files become plain Arrow tables: the one reader behind `read`, `tasks.csv`, profiles and learning curves.

Start here
  read_table(path)        the table in a file, or one sentence that says why there is none
  plain_table(table)      any Arrow table with columns of a few well-known types

Inside
  _opening        what a file is, by its first bytes and never by trust; packing, sizes, refusals; Parquet
  _delimited      CSV: separator, line ends, names that look like numbers
  _json           JSON lines and arrays: every key that any object has is a column
  _plain          views, dictionaries, extensions and other rare types become common ones
Knows nothing of roles, scores or trials.
"""

from ogive.files._opening import Naming, read_table
from ogive.files._plain import canonical_text, is_text, plain_table

__all__ = ["Naming", "canonical_text", "is_text", "plain_table", "read_table"]
