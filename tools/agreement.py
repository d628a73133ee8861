"""Random tables on which every answer is asked, and the contradictions between them: facts are read, never sentences.

python tools/agreement.py --tables 20000 [--large 300] [--first 0] [--processes 2]

Same question, pair, task and failure rule: conclusions equal, estimates equal to 1e-9, no direction beside an
interval that holds the value of equal methods. Answers that are decided in larger families may be less sure,
never of another opinion. Different questions are named, and one fact says where they disagree.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas as pd

import ogive
from ogive.answers import Comparison, Ranking, check, compare, leaders, rank, summarize
from ogive.answers._facts import MedianAboveBest, seen
from ogive.errors import OgiveError
from ogive.report._findings import find

CLOSE = 1e-9
TURNED = {"better": "worse", "worse": "better", "equivalent": "equivalent", "cannot tell": "cannot tell"}
NOT_BOLD = ("margin", "looks")  # bold cells are not asked about these
MOST_COMPARED = 6  # pairs of a large table that are compared one by one


def random_table(number: int, *, large: bool = False) -> tuple[Any, dict[str, Any]]:
    """Trials and a question about them, both drawn from the number of the table."""
    rng = np.random.default_rng([20261118, int(large), number])
    n_methods = int(rng.integers(2, 9 if large else 5))
    n_tasks = int(rng.integers(5, 31)) if large else int(rng.integers(1, 5))
    kind = rng.choice(["plain", "plain", "unequal", "items", "clusters", "folds", "single"])
    if kind == "single" and n_tasks < 3:
        kind = "plain"
    scores = rng.choice(["normal", "lattice", "binary", "collapse", "loss"])
    frame = pd.DataFrame(list(_rows(rng, n_methods, n_tasks, str(kind), str(scores))))
    known: dict[str, Any] = {"goal": "minimize" if scores == "loss" else "maximize"}
    if scores in ("binary", "collapse") or rng.random() < 0.2:
        low, high = float(frame["score"].min()), float(frame["score"].max())
        known["bounds"] = (min(0.0, low), max(1.0, high))
    known |= {
        "items": {"item": "item"}, "clusters": {"item": "item", "group": "passage"}, "folds": {"fold": "fold"},
    }.get(str(kind), {"unit": "row"})  # fmt: skip
    failed = rng.random() < 0.25
    if failed:
        frame.loc[rng.random(len(frame)) < 0.1, "score"] = math.nan
    asked: dict[str, Any] = {}
    if kind != "folds":
        asked["criterion"] = rng.choice([None, None, "improvement", "mean", "median", "worst_0.1", "iqm"])
    if rng.random() < 0.4:
        asked["margin"] = float(rng.choice([0.05, 0.2]))
    if failed:
        asked["failures"] = str(rng.choice(["exclude", "worst"]))
    if n_tasks > 1 and kind not in ("folds", "single") and rng.random() < 0.3:
        asked["over"] = str(rng.choice(["fixed", "sample"]))
    if rng.random() < 0.2:
        asked["confidence"] = 0.9
    if rng.random() < 0.2:
        asked["looks"] = int(rng.choice([2, 5]))
    if kind in ("items", "clusters") and rng.random() < 0.3:
        asked["paired"] = False
    return ogive.read(frame, score="score", algorithm="algorithm", task="task", **known), asked


def _rows(rng: np.random.Generator, n_methods: int, n_tasks: int, kind: str, scores: str) -> Iterator[dict[str, Any]]:
    shift = rng.normal(0.0, rng.choice([0.0, 0.3, 1.0]), n_methods)
    n = int(rng.choice([3, 5, 8, 12, 20, 35, 80]))
    risky = rng.random(n_methods) < 0.3
    for t in range(n_tasks):
        common = rng.normal(size=400)
        for m in range(n_methods):
            size = {"single": 1, "unequal": int(rng.integers(2, 30)), "folds": 10}.get(kind, n)
            for i in range(size):
                share = common[i] if kind in ("items", "clusters", "folds") else 0.0
                good = shift[m] + 0.7 * share + rng.normal()
                if risky[m]:  # better as a rule, far worse now and then
                    good += -6.0 if rng.random() < 0.15 else 0.8
                yield {
                    "algorithm": f"m{m}", "task": f"t{t}", "score": _score(rng, scores, good),
                    **({"item": i} if kind in ("items", "clusters") else {}),
                    **({"passage": i // 3} if kind == "clusters" else {}), **({"fold": i % 5, "repeat": i // 5} if kind == "folds" else {}),
                }  # fmt: skip


def _score(rng: np.random.Generator, scores: str, raw: float) -> float:
    if scores == "loss":
        return float(-raw)
    if scores == "lattice":
        return float(round(raw))
    if scores == "binary":
        return float(raw > 0.0)
    if scores == "collapse":
        return 0.05 if rng.random() < 0.05 else float(1.0 / (1.0 + math.exp(-0.3 * raw - 1.0)))
    return float(raw)


def contradictions(trials: Any, asked: dict[str, Any]) -> list[str]:
    """What the answers about one table say against each other; empty where nothing."""
    found: list[str] = []
    ranking = _asked(lambda: rank(trials, **asked))
    pairs = list(itertools.combinations(trials.algorithms, 2))
    if len(pairs) > MOST_COMPARED:
        pairs = pairs[:: len(pairs) // MOST_COMPARED]
    for a, b in pairs:
        one = _asked(lambda a=a, b=b: compare(trials, a, b, **asked))  # type: ignore[misc]
        if one is None:
            continue
        found += [f"{a}, {b}: {what}" for what in _of_pair(trials, one, asked)]
        if ranking is not None and (one.question.tasks, one.question.over) == (
            ranking.question.tasks,
            ranking.question.over,
        ):
            found += [f"{a}, {b} in rank: {what}" for what in _with_ranking(one, ranking)]
    if ranking is not None:
        found += _of_ranking(trials, ranking, asked)
    found += _of_page(trials, asked, ranking)
    return found


def _asked(call: Any) -> Any:
    try:
        return call()
    except OgiveError:
        return None


def _close(x: float, y: float, scale: float = 1.0) -> bool:
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) == math.isnan(y)
    return x == y or abs(x - y) <= CLOSE * max(1.0, abs(scale), abs(x))


def _of_pair(trials: Any, c: Comparison, asked: dict[str, Any]) -> Iterator[str]:
    even = c.question.criterion.even
    if any(math.isnan(v) for v in (c.primary.low, c.primary.high)):
        yield "a limit is not a number"
    c.to_dict()  # refuses what JSON cannot hold
    yield from _honest("compare", c.direction, c.primary.low - even, c.primary.high - even)
    if c.conclusion in ("better", "worse") and c.direction != {"better": 1, "worse": -1}[c.conclusion]:
        yield f"{c.conclusion} with direction {c.direction}"
    turned = compare(trials, c.b, c.a, **asked)
    # "worse, whether by more than the margin" has no mirror image but "not worse, and better".
    mirrored = c.margin is None or "worse" not in (c.conclusion, turned.conclusion)
    if mirrored and TURNED.get(c.conclusion, turned.conclusion) != turned.conclusion and turned.conclusion in TURNED:
        yield f"{c.conclusion}, but turned round {turned.conclusion}"
    if not _close(turned.primary.estimate, 2 * even - c.primary.estimate) or not _close(
        turned.primary.low, 2 * even - c.primary.high
    ):
        yield "limits change when the methods are turned round"
    yield from _of_questions(c)
    for part in c.tasks:
        alone = _asked(
            lambda part=part: compare(
                trials, c.a, c.b, task=part.task, **{k: v for k, v in asked.items() if k != "over"}
            )
        )  # type: ignore[misc]
        if alone is None:
            continue
        yield from _same(
            f"task {part.task}", part.primary.estimate, alone.primary.estimate, part.direction, alone.direction
        )
    if not c.tasks:
        yield from _with_summary(trials, c)


def _honest(where: str, direction: int, low: float, high: float) -> Iterator[str]:
    said = 1 if low > 0 else -1 if high < 0 else 0
    if said != direction:
        yield f"{where}: direction {direction} beside [{low:g}, {high:g}]"


def _of_questions(c: Comparison) -> Iterator[str]:
    for q in c.questions.values():
        if q.interval is None:
            if q.direction or q.refused is None:
                yield f"{q.name}: no interval, but direction {q.direction}, refused {q.refused}"
            continue
        even = 0.5 if q.criterion == "improvement" else 0.0
        yield from _honest(q.name, q.direction, q.interval.low - even, q.interval.high - even)
        if q.primary and (q.conclusion != c.conclusion or q.interval != c.primary):
            yield f"{q.name} decides, but differs from the verdict"
    sides = {q.direction for q in c.questions.values()}
    if (c.disagreement is not None) != (sides >= {1, -1}):
        yield "questions disagree, and no fact says so (or the other way round)"


def _same(where: str, x: float, y: float, inner: int, outer: int) -> Iterator[str]:
    """Estimates agree; what is certain in a larger family is certain alone."""
    if not _close(x, y):
        yield f"{where}: estimates {x!r} and {y!r}"
    if inner and inner != outer:
        yield f"{where}: direction {inner} in a family, {outer} alone"


def _with_ranking(c: Comparison, r: Ranking) -> Iterator[str]:
    p = r.pair(c.a, c.b)
    yield from _honest("pair", p.direction, p.difference.low - p.even, p.difference.high - p.even)
    yield from _same("pair", p.difference.estimate, c.primary.estimate, p.direction, c.direction)
    if r.n_pairs == 1 and (p.conclusion != c.conclusion or not _close(p.difference.low, c.primary.low)):
        yield f"{p.conclusion}, but compare says {c.conclusion}"
    if (
        p.conclusion != c.conclusion
        and "cannot tell" not in (p.conclusion, c.conclusion)
        and p.direction * c.direction < 0
    ):
        yield f"{p.conclusion}, but compare says {c.conclusion}"


def _with_summary(trials: Any, c: Comparison) -> Iterator[str]:
    """The means of the summary differ by the difference of means."""
    if c.n_unmatched or c._samples.order_only or trials.clustered:
        return
    rule = c.question.failures
    table = _asked(
        lambda: summarize(trials.select(tasks=[c.task]), statistics=["mean"], metric=c.metric, failures=rule)
    )
    if table is None or (c.paired and sum(c.n_failed)):
        return
    means = {row.algorithm: row.estimate for row in table.rows}
    sign = trials.definitions[c.metric].sign
    gap = sign * (means[c.a] - means[c.b])
    if not _close(gap, c.mean_difference.estimate, max(map(abs, means.values()))):
        yield f"means differ by {gap!r}, the comparison says {c.mean_difference.estimate!r}"


def _of_ranking(trials: Any, r: Ranking, asked: dict[str, Any]) -> Iterator[str]:
    tier = {row.algorithm: row.tier for row in r.rows}
    in_circles = {m for circle in r.cycles for m in circle}
    for p in r.pairs:
        if p.certain and not {p.a, p.b} <= in_circles:
            better, worse = (p.a, p.b) if p.certain > 0 else (p.b, p.a)
            if tier[better] >= tier[worse]:
                yield f"{better} is certainly better than {worse}, and not in a higher tier"
    for row in r.rows:
        if not 1 <= row.rank_low <= row.rank_high <= len(r.rows):
            yield f"{row.algorithm}: ranks {row.rank_low} to {row.rank_high}"
    for q in r.questions.values():
        if q.primary and q.leaders != r.leaders:
            yield f"{q.name} decides, but its leaders differ"
        apart = bool(q.ahead) and not set(q.ahead) & set(r.leaders)
        if not q.primary and apart != (q.name in r.disagreement):
            yield f"others are ahead {q.name}, and no fact says so (or the other way round)"
    bold = _asked(
        lambda: leaders(trials, **{k: v for k, v in asked.items() if k not in NOT_BOLD} | {"criterion": r.criterion})
    )
    if bold is None or any(asked.get(k) is not None for k in NOT_BOLD):
        return
    for task in trials.tasks:
        alone = _asked(
            lambda task=task: rank(
                trials, task=task, **{k: v for k, v in asked.items() if k != "over"} | {"criterion": r.criterion}
            )
        )  # type: ignore[misc]
        if alone is None:
            continue
        first = set(alone.leaders)
        if not first <= set(bold[task]):
            yield f"{sorted(first - set(bold[task]))} lead on {task}, and are not bold"
        if len(trials.tasks) == 1 and first != set(bold[task]):
            yield f"bold {sorted(bold[task])}, but leading {sorted(first)}"


def _of_page(trials: Any, asked: dict[str, Any], ranking: Ranking | None) -> Iterator[str]:
    """The page asks the same question, and its facts do not speak against it."""
    rule = asked.get("failures", "exclude")
    asked = {k: v for k, v in asked.items() if k != "paired"}  # a page pairs what the table says is paired
    known = {k: asked.get(k) for k in ("criterion", "margin", "over")} | {"looks": asked.get("looks", 1)}
    page = find(trials, metric=None, confidence=asked.get("confidence", 0.95), failures=rule, **known)
    decided = page.judgment.decided
    if isinstance(decided, Comparison) and page.judgment.part is trials:
        c = _asked(lambda: compare(trials, decided.a, decided.b, **asked | {"failures": rule}))
        same = c is None or (
            c.conclusion == decided.conclusion
            and all(
                _close(getattr(c.primary, end), getattr(decided.primary, end)) for end in ("estimate", "low", "high")
            )
        )
        if not same:
            yield f"the page says {decided.conclusion}, compare {c.conclusion}"
    if (
        isinstance(decided, Ranking)
        and ranking is not None
        and decided.question == ranking.question
        and decided.rows != ranking.rows
    ):
        yield "the page ranks otherwise than rank"
    if len(trials.tasks) > 1 or not trials.judged:
        return
    for fact in _asked(lambda: seen(trials, trials.metrics[0], 0.95, rule)) or ():
        if isinstance(fact, MedianAboveBest):
            c = _asked(lambda fact=fact: compare(trials, fact.a, fact.b, criterion="median", failures=rule))  # type: ignore[misc]
            if c is not None and c.direction < 0:
                yield f"the median run of {fact.a} beats every run of {fact.b}, and compare says worse"


def gates(trials: Any, asked: dict[str, Any]) -> list[str]:
    """What `check` says of two versions, against `compare` on the same runs."""
    margin, criterion = asked.get("margin"), asked.get("criterion")
    if margin is None or criterion == "improvement" or len(trials.algorithms) != 2:
        return []
    a, b = trials.algorithms
    known = {k: asked[k] for k in ("confidence", "looks") if k in asked}
    chosen = {"margin": margin, "criterion": criterion or "mean", "failures": asked.get("failures", "refuse"), **known}
    new, old = (trials.select(algorithms=[name]) for name in (a, b))
    gate = _asked(lambda: check(new, old, paired=asked.get("paired"), **chosen))
    if gate is None:
        return []
    found = []
    if asked.get("paired") is False and any(c.paired for c in gate.comparisons):
        found.append("check pairs rows, although it was asked not to")
    for c in gate.comparisons:
        one = _asked(lambda c=c: compare(trials, a, b, task=c.task, paired=c.paired or False, **chosen))  # type: ignore[misc]
        if one is None:
            continue
        if not _close(one.primary.estimate, c.primary.estimate):
            found.append(f"check on {c.task}: {c.primary.estimate!r}, compare {one.primary.estimate!r}")
        if len(gate.comparisons) > 1:
            continue
        if one.conclusion != c.conclusion:
            found.append(f"check on {c.task}: {c.conclusion}, compare {one.conclusion}")
        if not _close(one.primary.low, c.primary.low) or not _close(one.primary.high, c.primary.high):
            found.append(f"check on {c.task}: other limits than compare's")
    return found


def attack(number: int, large: bool = False) -> tuple[int, list[str]]:
    """The contradictions of one table."""
    trials, asked = random_table(number, large=large)
    return number, [*contradictions(trials, asked), *gates(trials, asked)]


def main() -> int:
    """Attack so many tables; exit code 1 where two answers contradict each other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    jobs = [(i, False) for i in range(given.first, given.first + given.tables)]
    jobs += [(i, True) for i in range(given.first, given.first + given.large)]
    wrong = 0
    with ProcessPoolExecutor(given.processes) as pool:
        for done, (number, found) in enumerate(pool.map(attack, *zip(*jobs, strict=True), chunksize=10), 1):
            wrong += bool(found)
            for what in found[:3]:
                print(f"table {number}: {what}")
            if done % 1000 == 0:
                print(f"{done} tables, {wrong} with a contradiction", file=sys.stderr)
    print(f"{len(jobs)} tables, {wrong} with a contradiction")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
