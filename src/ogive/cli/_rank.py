"""`ogive rank`."""

from __future__ import annotations

from typing import Any

from ogive.cli._compare import Margin, OnTask
from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    MetricName,
    Quiet,
    Sources,
    note_looks,
    read_sources,
    reading_options,
    refuse_unknown_task,
)
from ogive.cli._output import show, tell


@reading_options
def rank(
    source: Sources, on: OnTask = None, margin: Margin = None, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Methods in tiers, with rank intervals and the probability of being first, not 1 … N."""
    trials = read_sources(source, roles)
    from ogive.answers import rank as ask

    refuse_unknown_task(trials, on)
    result = ask(trials, task=on, margin=margin, failures=failures, confidence=confidence, looks=looks, metric=metric)
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)
