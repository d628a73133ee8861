"""`ogive repair`."""

from __future__ import annotations

from ogive.cli._options import Json, Quiet
from ogive.cli._output import show
from ogive.cli._verify import StorePath


def repair(store: StorePath, as_json: Json = False, quiet: Quiet = False) -> None:
    """Move damaged parts of a store to its folder quarantine/; nothing is deleted, and a further run makes their trials again."""
    from ogive.store import Store

    show(Store(store).repair(), as_json=as_json)
