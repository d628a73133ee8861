"""`ogive status`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import complain, show
from ogive.words import plural

StoreFolder = Annotated[Path, typer.Argument(metavar="DIR", help="The directory that a study was run into.")]


def status(store: StoreFolder, as_json: Json = False, quiet: Quiet = False) -> None:
    """How many trials are done, by method, task and status; and what is damaged (exit code 1)."""
    from ogive.runner import status as ask

    found = ask(store, check=True)
    show(found, as_json=as_json)
    if found.damaged:
        complain(f"{plural(len(found.damaged), 'fault')} in {store}; `ogive verify` names them all.", 1)
    raise typer.Exit(1 if found.damaged else 0)
