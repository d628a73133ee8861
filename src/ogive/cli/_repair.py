"""`ogive repair`."""

from __future__ import annotations

from typing import Annotated

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import complain, show
from ogive.cli._verify import StorePath
from ogive.words import plural

Keep = Annotated[
    str | None,
    typer.Option("--keep", metavar="RECORD", help="Where two studies were put together: the one that stays."),
]


def repair(store: StorePath, keep: Keep = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Move damaged parts of a store to its folder quarantine/; nothing is deleted, and a further run makes their trials again; exit code 1 if some could not be moved."""
    from ogive.store import Store

    done = Store(store).repair(keep=keep)
    show(done, as_json=as_json)
    if done.left:
        count = plural(len(done.left), "file")
        complain(f"{count} in {store} cannot be read and {'was' if len(done.left) == 1 else 'were'} left in place.", 1)
        raise typer.Exit(1)
