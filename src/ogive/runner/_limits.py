"""What one trial may use, checked once."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

from ogive.errors import InputError

# The timer of CPU time counts in steps of some milliseconds, and takes no number of more than nine digits everywhere.
LEAST_CPU, MOST_SECONDS, MOST_BYTES = 0.01, 1e9, 10**18
WARM_UP_LIMIT = 120.0  # seconds; compilation takes 2 to 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds of wall and CPU time, and bytes; None where there is no limit."""

    wall: float | None = None
    cpu: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (("wall_limit", self.wall, 0.0), ("cpu_limit", self.cpu, LEAST_CPU)):
            if value is None:
                continue
            if not (_is_number(value) and math.isfinite(value) and value > 0):
                raise InputError(f"`{name}` must be a number of seconds above 0, or None; got {value!r}.")
            if not least <= value <= MOST_SECONDS:
                raise InputError(
                    f"`{name}` must lie between {least:g} and {MOST_SECONDS:g} seconds, or be left out; got {value:g}."
                )
        if self.memory is not None and not (_is_number(self.memory) and 1_000_000 <= self.memory <= MOST_BYTES):
            raise InputError(
                f"`memory_limit` must be a number of bytes, at least 1e6 and at most 1e18, or text such as '2GB'; got {self.memory!r}."
            )

    def record(self) -> dict[str, float] | None:
        """What is kept with each part of a store."""
        named = {"wall_limit": self.wall, "cpu_limit": self.cpu, "memory_limit": self.memory}
        return {name: value for name, value in named.items() if value is not None} or None


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within a range, checked."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise InputError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
    if number > most:
        shown = str(number) if number < 10**30 else f"a number of {number.bit_length()} bits"
        raise InputError(f"`{name}` must be at most {most:,}; got {shown}.")
    return number


_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12,
          "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip


def as_bytes(value: Any) -> int | None:
    """A number of bytes, from a number or from text such as '2GB' or '512 MiB'."""
    if value is None:
        return None
    if _is_number(value) and math.isfinite(value):
        return int(value)
    if isinstance(value, str) and value.isascii() and "_" not in value:
        text = value.strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        try:
            return int(float(digits) * _UNITS[text[len(digits) :].strip()])
        except (KeyError, ValueError, OverflowError):
            pass
    raise InputError(f"`memory_limit` must be a number of bytes or text such as '2GB'; got {value!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
