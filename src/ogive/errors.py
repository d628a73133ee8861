"""Every error that Ogive raises on purpose.

OgiveError
├── InputError (ValueError)        an argument or a table breaks a rule; the message names the way out
│   ├── InvalidScores              scores that are not finite numbers, or too few of them
│   ├── InvalidConfidence          a confidence outside (0, 1)
│   ├── UnreadableSource           a file or object that cannot be read as a table of scores
│   │   └── AmbiguousColumns       which column plays a role, or what it says of a run, is unclear until somebody says it
│   ├── UnwritableFile             a file cannot be written; what was there before stands as it was
│   ├── NoTime                     a time limit is given, and no column is a time
│   ├── FailedTrials               failures are present and nobody said how to count them
│   ├── StoreError                 a store cannot be made, read or written
│   │   ├── StoreConflict          a study does not fit what the store already holds
│   │   └── StoreDamaged           parts cannot be read, and nobody said to go on without them
│   └── StudyNotPortable           a study holds something that cannot travel to another process
├── RunStopped                     a run cannot go on: children die outside any trial
└── MissingDependency (ImportError)  an optional package is needed and absent
"""

from __future__ import annotations

from collections.abc import Sequence


class OgiveError(Exception):
    """Base of every error raised on purpose; its text is one sentence for the user."""


class InputError(OgiveError, ValueError):
    """An argument or a table breaks a rule."""


class InvalidScores(InputError):
    """Scores are not finite numbers, or too few."""


class InvalidConfidence(InputError):
    """A confidence lies outside (0, 1)."""


class UnreadableSource(InputError):
    """A file or object cannot be read as a table of scores."""


class UnwritableFile(InputError):
    """A file cannot be written; what was there before stands as it was."""


class AmbiguousColumns(UnreadableSource):
    """Which column plays a role, or what it says of a run, is unclear until somebody says it."""


class NoTime(InputError):
    """A time limit is given, and no column is a time."""


class FailedTrials(InputError):
    """Failures are present and nobody said how to count them."""


class StoreError(InputError):
    """A store cannot be made, read or written."""


class StoreConflict(StoreError):
    """A study does not fit what a store already holds; `changed` names what differs, where one study changed."""

    def __init__(self, text: str, changed: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.changed = tuple(changed)


class StoreDamaged(StoreError):
    """Parts of a store cannot be read, and nobody said to go on without them."""


class StudyNotPortable(InputError):
    """A study holds something that cannot travel to another process."""


class RunStopped(OgiveError):
    """A run cannot go on: children die outside any trial, or a study cannot be loaded."""


class MissingDependency(OgiveError, ImportError):
    """An optional package is needed and absent."""
