"""A value that cannot be changed once it is made, with slots, and that survives pickling."""

from __future__ import annotations

from typing import Any


class Frozen:
    """Base of algorithms, tasks and studies; `__init__` sets what there is with `__setstate__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._unchangeable}; make another one to set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self._unchangeable}; {name!r} stays")

    @property
    def _unchangeable(self) -> str:
        kind = type(self).__name__
        return f"{'an' if kind[0] in 'AEIO' else 'a'} {kind} cannot be changed"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for cls in type(self).__mro__ for name in getattr(cls, "__slots__", ())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
