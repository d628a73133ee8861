"""Commands about a store: `ogive status`, `watch`, `verify`, `repair` and `compact`."""

from __future__ import annotations

import stat
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import complain, say, show, show_text
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


# fmt: off
Keep = Annotated[str | None, typer.Option("--keep", metavar="RECORD", help="Where two studies were put together: the one that stays.")]
# fmt: on


def repair(store: StorePath, keep: Keep = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Move damaged parts of a store to its folder quarantine/; nothing is deleted, and a further run makes their trials again; exit code 1 if some could not be moved."""
    from ogive.store import Store

    done = Store(store).repair(keep=keep)
    show(done, as_json=as_json)
    if done.left:
        count = plural(len(done.left), "file")
        complain(f"{count} in {store} cannot be read and {'was' if len(done.left) == 1 else 'were'} left in place.", 1)
        raise typer.Exit(1)


def compact(store: StorePath, quiet: Quiet = False) -> None:
    """Write the many small parts of a store as a few large ones; the rows stay the same."""
    from ogive.store import Store

    chosen = Store(store)
    before = sum(chosen.part_counts().values())
    chosen.compact()
    print(f"{before} parts before, {sum(chosen.part_counts().values())} now.")
