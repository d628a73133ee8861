"""How often a growing table was judged: one empty file for each number of trials, `looks/<trials>`.

A verdict on 200 trials and another on 500 of the same study are two looks, and the error of both
together is not that of one. Judging the same rows again is no further look.
"""

from __future__ import annotations

from pathlib import Path

from ogive.store._publish import make_folder, publish, saying

FOLDER = "looks"


def note_look(path: Path, n_trials: int) -> None:
    """Record that a table of so many trials was judged."""
    folder = path / FOLDER
    make_folder(folder)
    publish(folder, str(n_trials), b"")


def earlier_looks(path: Path, n_trials: int) -> int:
    """How often fewer trials than these were judged."""
    folder = path / FOLDER
    if not folder.is_dir():
        return 0
    with saying(folder, "read"):
        names = [entry.name for entry in folder.iterdir()]
    return sum(1 for name in names if name.isdecimal() and int(name) < n_trials)
