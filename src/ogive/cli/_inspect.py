"""`ogive inspect`."""

from __future__ import annotations

from typing import Any

from ogive.cli._options import Json, Sources, read_sources, reading_options
from ogive.cli._output import show


@reading_options
def inspect(source: Sources, as_json: Json = False, *, roles: dict[str, Any]) -> None:
    """What a table holds, how its columns are read, and which answers it can give."""
    trials = read_sources(source, roles)
    from ogive.answers import inspect as ask

    show(ask(trials), as_json=as_json)
