"""What every result shares: the name of its guarantee, and a dictionary that JSON can hold."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

Guarantee: TypeAlias = Literal["exact", "conservative", "approximate", "heuristic"]
Strength: TypeAlias = Literal["guaranteed", "approximate", "heuristic", "descriptive"]
_STRENGTHS: dict[str, Strength] = {
    "exact": "guaranteed", "conservative": "guaranteed", "approximate": "approximate", "heuristic": "heuristic",
}  # fmt: skip


def strength_of(guarantee: str) -> Strength:
    """The word that sentences use for a guarantee; where none is given a number describes the runs and no more.

    Examples
    --------
    >>> strength_of("conservative"), strength_of("heuristic"), strength_of("none")
    ('guaranteed', 'heuristic', 'descriptive')
    """
    return _STRENGTHS.get(guarantee, "descriptive")


def weakest(found: Iterable[str]) -> Strength:
    """The strength of several answers together: that of the weakest.

    Examples
    --------
    >>> weakest(["guaranteed", "heuristic", "approximate"])
    'heuristic'
    """
    known = set(found)
    order: tuple[Strength, ...] = ("guaranteed", "approximate", "heuristic", "descriptive")
    return max((strength for strength in order if strength in known), key=order.index)


def json_ready(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`fields` with NaN and infinities as null and a reason for each."""
    out: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, float) and not math.isfinite(value):
            out[name] = None
            reasons[name] = _reason(name, value)
        else:
            out[name] = list(value) if isinstance(value, tuple) else value
    if reasons:
        out["reasons"] = reasons
    json.dumps(out)  # a field that JSON cannot hold is a bug here, not at the reader's
    return out


def _reason(name: str, value: float) -> str:
    if math.isnan(value):
        return "not defined for these scores; the notes say why"
    return "failed runs count as worse than every score" if name == "estimate" else "no bound exists at this confidence"
