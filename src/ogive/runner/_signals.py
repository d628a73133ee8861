"""The first Ctrl-C, or SIGTERM, finishes what is under way; the second ends it at once."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

log = logging.getLogger("ogive")


class Interrupts:
    """Counts interruptions while a run is going on, and gives the old handlers back afterwards.

    Signals reach only the main thread of a process; a run in another thread leaves them alone.
    """

    def __init__(self, first: Callable[[], None], *, second_raises: bool = False) -> None:
        self._first, self._second_raises = first, second_raises
        self._before: dict[int, Any] = {}
        self.count = 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            log.warning("stopping when the trials under way are finished and kept; once more ends them at once")
            self._first()
        elif self._second_raises:
            raise KeyboardInterrupt
