"""`ogive rank`."""

from __future__ import annotations

from typing import Any

from ogive.cli._compare import Criterion, Guaranteed, Margin, Over, Unpaired
from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    note_looks,
    only,
    read_sources,
    reading_options,
)
from ogive.cli._output import show, tell


@reading_options
def rank(
    source: Sources, method: Methods = None, on: Tasks = None, margin: Margin = None,
    criterion: Criterion = None, over: Over = None, guaranteed: Guaranteed = False, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, unpaired: Unpaired = False, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Methods in tiers, with the ranks that the data allow, not 1 … N.

    Every pair is compared as `ogive compare` does it, all of them together. The first tier holds the methods that no other is
    certainly better than. Below stands who leads in a typical run, on average, on a bad day and after 8 tries.
    """
    trials = read_sources(source, roles)
    from ogive.answers import rank as ask

    result = ask(
        only(trials, method, on), margin=margin, criterion=criterion, over=over, guaranteed=guaranteed, failures=failures,
        confidence=confidence, looks=looks, metric=metric, paired=False if unpaired else None,
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)
