"""`ogive verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import complain, show

StorePath = Annotated[str, typer.Argument(metavar="STORE", help="The directory that a study was run into.")]


def verify(store: StorePath, as_json: Json = False, quiet: Quiet = False) -> None:
    """Read every row of a store and say what is damaged: exit code 0 when it is sound, 1 when not."""
    from ogive.store import Store

    found = Store(store).verify()
    show(found, as_json=as_json)
    if not found.sound:
        way_out = "; `ogive repair` moves what is damaged aside" if found.repairable else ", as said above"
        complain(f"{store} is not sound{way_out}.", 1)
    raise typer.Exit(0 if found.sound else 1)
