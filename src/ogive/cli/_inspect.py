"""`ogive inspect`."""

from __future__ import annotations

from typing import Any

from ogive.cli._options import Json, Methods, Quiet, Sources, Tasks, only, read_sources, reading_options
from ogive.cli._output import show


@reading_options
def inspect(
    source: Sources,
    method: Methods = None,
    on: Tasks = None,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    roles: dict[str, Any],
) -> None:
    """What a table holds, how its columns are read, and which answers it can give."""
    trials = only(read_sources(source, roles), method, on)
    from ogive.answers import inspect as ask

    show(ask(trials), as_json=as_json)
