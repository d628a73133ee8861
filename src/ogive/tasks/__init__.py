"""What an algorithm works on: ψ. A task draws it anew for every random stream.

Start here
  moons() circles() linear()      fresh points each time (scope "generator")
  arrays(X, y) csv(path, target)  fresh splits of one data set (scope "these rows")
  openml(id) faces()              the same, through Ogive's cache folder
  none()                          for algorithms that need no data
  Task(name, draw)                your own: draw(rng) -> a tuple of anything

Data tasks draw (train, test), each of which unpacks as X, y. A draw uses the given generator and
nothing else. Making a task reads nothing; data are loaded when first needed and then kept.

For rooms that take rows without a task
  File(path, target, kind).load() as_rows(X, y, …) kind_of(y) arrays_digest(X, y)

Inside
  _task       Task, Data, none
  _generated  moons, circles, linear
  _rows       fixed rows, checked, and which are for training; arrays
  _files      csv; a table becomes X and y, with a stated order of categories
  _named      openml, faces and their principal components; the folder that keeps them
"""

from ogive.tasks._files import File, csv
from ogive.tasks._generated import circles, linear, moons
from ogive.tasks._named import faces, openml
from ogive.tasks._rows import arrays, arrays_digest, as_rows, kind_of
from ogive.tasks._task import Data, Task, none

__all__ = [
    "Data", "File", "Task", "arrays", "arrays_digest", "as_rows", "circles", "csv", "faces", "kind_of", "linear",
    "moons", "none", "openml",
]  # fmt: skip
