"""`ogive inspect`."""

from __future__ import annotations

from ogive.cli._options import (
    Algorithm,
    BoundsText,
    Fold,
    Goal,
    Group,
    Independent,
    Item,
    Json,
    Pair,
    Params,
    Repeat,
    Score,
    Sources,
    Status,
    Task,
    Unit,
    Varied,
    Wide,
    read_sources,
)  # fmt: skip
from ogive.cli._output import show


def inspect(
    source: Sources, score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    group: Group = None, fold: Fold = None, pair: Pair = None, status: Status = None, param: Params = None, wide: Wide = False,
    unit: Unit = None, varied: Varied = None, goal: Goal = None, bounds: BoundsText = None, independent: Independent = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """What a table holds, how its columns are read, and which answers it can give."""
    trials = read_sources(
        source, score=score, algorithm=algorithm, task=task, repeat=repeat, item=item, group=group, fold=fold, pair=pair,
        status=status, params=param, wide=wide, unit=unit, varied=varied, goal=goal, bounds=bounds, independent=independent,
    )  # fmt: skip
    from ogive.answers import inspect as ask

    show(ask(trials), as_json=as_json)
