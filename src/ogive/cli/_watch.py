"""`ogive watch`."""

from __future__ import annotations

import stat
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import say, show, show_text
from ogive.cli._status import StoreFolder

Once = Annotated[bool, typer.Option("--once", help="Look once and leave.")]
Every = Annotated[float, typer.Option("--every", metavar="SECONDS", min=0.1, help="Between looks.")]


def watch(
    store: StoreFolder, once: Once = False, every: Every = 2.0, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Show how far a run is, again and again, until it is finished or Ctrl-C; it may be started before the run."""
    from ogive.runner import status as ask

    if not (once or as_json):
        _wait_for(store, every, quiet=quiet)
    found = ask(store)
    if once or found.finished or as_json:
        show(found, as_json=as_json)
        return
    if sys.stdout.isatty():
        from rich.live import Live
        from rich.text import Text

        from ogive.words import printable

        def page() -> Text:
            return Text("\n".join(map(printable, str(found).split("\n"))))

        with Live(page(), refresh_per_second=4) as live:
            while not found.finished:
                time.sleep(every)
                found = ask(store)
                live.update(page())
        return
    shown = None
    while True:
        line = str(found)
        if line != shown:
            show_text(line)
            sys.stdout.flush()
            shown = line
        if found.finished:
            return
        time.sleep(every)
        found = ask(store)


def _wait_for(store: Path, every: float, *, quiet: bool) -> None:
    """Wait until a run has begun in a folder that is empty or not there yet."""
    from ogive.store import is_store

    said = False
    while _may_come(store) and not is_store(store):
        if not (said or quiet):
            say(f"waiting for a run to begin in {store}; Ctrl-C ends this.")
            said = True
        time.sleep(every)


def _may_come(store: Path) -> bool:
    """Whether a run may yet make this folder: it is one, or nothing of that name is there."""
    try:
        return stat.S_ISDIR(store.stat().st_mode)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
