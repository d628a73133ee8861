"""What a long answer is doing now: said by whoever does it, shown by whoever waits for it.

An answer counts its way through a loop with `counting`, and says with `during` what has no parts to count; nobody
needs to listen. The command line looks
at `current()` a few times a second, from a thread of its own, and shows it after a few seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)  # removed by identity: two loops under the same words are two
class Stage:
    """One loop: what it does, how many things it has done, and of how many; 0 where nobody knows."""

    words: str
    done: int = 0
    total: int = 0


# Of all threads together: whoever waits looks from a thread of its own.
_stages: list[Stage] = []


def current() -> Stage | None:
    """The outermost loop whose end is known; else the one that was entered last."""
    open_ = list(_stages)
    return next((stage for stage in open_ if stage.total), open_[-1] if open_ else None)


def counting(items: Iterable[T], words: str) -> Iterator[T]:
    """The items one by one, counted under these words.

    Examples
    --------
    >>> for _ in counting(["a", "b"], "reading names"):
    ...     print(current())
    Stage(words='reading names', done=0, total=2)
    Stage(words='reading names', done=1, total=2)
    """
    stage = Stage(words, 0, len(items) if isinstance(items, Sequence) else 0)
    _stages.append(stage)
    try:
        for item in items:
            yield item
            stage.done += 1
    finally:
        _stages.remove(stage)


@contextmanager
def during(words: str) -> Iterator[None]:
    """Say what is done in this block.

    Examples
    --------
    >>> with during("writing the page"):
    ...     print(current())
    Stage(words='writing the page', done=0, total=0)
    """
    stage = Stage(words)
    _stages.append(stage)
    try:
        yield
    finally:
        _stages.remove(stage)
