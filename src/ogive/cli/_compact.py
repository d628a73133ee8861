"""`ogive compact`."""

from __future__ import annotations

from ogive.cli._options import Quiet
from ogive.cli._verify import StorePath


def compact(store: StorePath, quiet: Quiet = False) -> None:
    """Write the many small parts of a store as a few large ones; the rows stay the same."""
    from ogive.store import Store

    chosen = Store(store)
    before = sum(chosen.part_counts().values())
    chosen.compact()
    print(f"{before} parts before, {sum(chosen.part_counts().values())} now.")
