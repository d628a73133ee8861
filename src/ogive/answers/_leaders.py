"""Who cannot be told apart from the best on each task: what a results table prints bold."""

from __future__ import annotations

from ogive.answers._comparison import decide_all
from ogive.answers._question import Question, refuse_undecidable
from ogive.answers._samples import all_pairs, gather
from ogive.errors import InputError
from ogive.trials import Trials


def leaders(
    trials: Trials, *, metric: str | None = None, criterion: str | None = None, over: str | None = None,
    guaranteed: bool = False, confidence: float = 0.95, failures: str | float = "refuse", paired: bool | None = None,
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """For each task the methods that no other is certainly better than, by the question's criterion.

    Notes
    -----
    The best is known only after looking, so all pairs on all tasks are decided together, as `compare` decides
    tasks and `rank` pairs. `over` is accepted for the sake of one question and changes nothing here.

    Examples
    --------
    >>> import ogive
    >>> table = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> leaders(table, criterion="mean")
    {'all': ('a', 'b')}
    """
    refuse_undecidable(trials, "leaders")
    question = Question.of(
        trials, metric=metric, criterion=criterion, failures=failures, confidence=confidence, over=over, paired=paired,
        guaranteed=guaranteed,
    )  # fmt: skip
    parts, places = [], []
    for task in trials.tasks:
        methods = [m for m in trials.algorithms if trials.cell(m, task).rows.size]
        if len(methods) < 2:
            continue
        samples = gather(trials, methods, question.on(task))
        first, second = all_pairs(len(samples.methods))
        parts.append(samples.differences(first, second))
        places += [
            (task, samples.methods[i], samples.methods[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
    if not parts:
        raise InputError("a best method needs at least one other on the same task.")
    beaten: set[tuple[str, str]] = set()
    even = question.criterion.even
    for (task, a, b), (low, high, _) in zip(places, decide_all(parts, question), strict=True):
        if low > even:
            beaten.add((task, b))
        elif high < even:
            beaten.add((task, a))
    on = {task: [m for m in trials.algorithms if trials.cell(m, task).rows.size] for task in trials.tasks}
    return {task: tuple(m for m in methods if (task, m) not in beaten) for task, methods in on.items()}
