"""`ogive rank`."""

from __future__ import annotations

from ogive.cli._compare import Margin, OnTask
from ogive.cli._options import (
    Algorithm,
    BoundsText,
    Confidence,
    Failures,
    Fold,
    Goal,
    Group,
    Independent,
    Item,
    Json,
    Looks,
    MetricName,
    Pair,
    Params,
    Quiet,
    Repeat,
    Score,
    Sources,
    Status,
    Task,
    Unit,
    Varied,
    Wide,
    note_looks,
    read_sources,
    refuse_unknown_task,
)  # fmt: skip
from ogive.cli._output import show, tell


def rank(
    source: Sources, on: OnTask = None, margin: Margin = None, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    group: Group = None, fold: Fold = None, pair: Pair = None, status: Status = None, param: Params = None, wide: Wide = False,
    unit: Unit = None, varied: Varied = None, goal: Goal = None, bounds: BoundsText = None, independent: Independent = None,
) -> None:  # fmt: skip
    """Methods in tiers, with rank intervals and the probability of being first, not 1 … N."""
    trials = read_sources(
        source, score=score, algorithm=algorithm, task=task, repeat=repeat, item=item, group=group, fold=fold, pair=pair,
        status=status, params=param, wide=wide, unit=unit, varied=varied, goal=goal, bounds=bounds, independent=independent,
    )  # fmt: skip
    from ogive.answers import rank as ask

    refuse_unknown_task(trials, on)
    result = ask(trials, task=on, margin=margin, failures=failures, confidence=confidence, looks=looks, metric=metric)
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)
