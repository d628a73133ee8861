"""Trials in supervised child processes: what is missing → chunks → children → store.

  run(study, n_trials, store)    the table; the same for any number of workers, chunks and interruptions
  study_in(file)                 the study of a Python file
  split_name(text)               FILE:NAME in two
  Dask(address)                  the same children inside the tasks of a Dask cluster
  status(store)                  how far a run is; failure_groups(trials): what failed, by what it said

In the order of the way through
  _run        the deep function: checks, plan, engine, parts, signals, the table
  _plan       what is missing, in which order, how much at once, and under which limits (2GB as bytes)
  _local      a thread for each slot, or in this process; _dask: a task for each chunk
  _cluster    the way to a Dask cluster, and who else may go it: addresses, TLS, one of our own
  _slot       the parent's side of one child: limits and what is said of one that broke them, blame, second attempts
  _process    one child as a process: its pipes, its shared cell, its end; _memory: what it holds
  _child      the child's program; _trial: one trial; _state: what is put back after it, of the process and of
              libraries, and when a process is worn (too many files open, not to be put back)
  _source     how a study gets there: a file's text, or functions and arrays, and the name of what cannot go
  _wire       frames and rows between the two: JSON from child to parent, never pickle
  _gather     rows → Arrow → parts of the store; _progress: what is shown meanwhile, and trials far beyond the others
  _status     how far a store is

A trial never raises here: it is a row with a status. A row never depends on who ran it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ogive.errors import RunStopped, StudyNotPortable
    from ogive.runner._cluster import Dask
    from ogive.runner._run import run, study_in
    from ogive.runner._source import split_name
    from ogive.runner._status import failure_groups, status

# A child imports this package too, and needs neither the store nor the engines.
_HOME = {
    "Dask": "ogive.runner._cluster",
    "RunStopped": "ogive.errors",
    "StudyNotPortable": "ogive.errors",
    "failure_groups": "ogive.runner._status",
    "run": "ogive.runner._run",
    "split_name": "ogive.runner._source",
    "status": "ogive.runner._status",
    "study_in": "ogive.runner._run",
}

__all__ = ["Dask", "RunStopped", "StudyNotPortable", "failure_groups", "run", "split_name", "status", "study_in"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ogive.runner' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
