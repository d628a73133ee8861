"""Every way to make an interval that a page can show has its works, found by the way's whole name."""

import ast
import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.report._methods import PROFILES, REFERENCES, WORKS

# Where intervals and bands that reach a page are made.
MADE = (
    "statistics/_interval.py", "statistics/_families.py", "statistics/_betting.py", "statistics/_bootstrap.py",
    "statistics/_aggregate.py", "statistics/_band.py", "answers/verdicts/_samples.py", "answers/verdicts/_comparison.py",
)  # fmt: skip
# Made there, and shown nowhere on a page.
NOT_ON_A_PAGE = {"ks by cluster", "pointwise percentile bootstrap"}
RNG = np.random.default_rng(3)


def written(node: ast.expr) -> list[str]:
    """The names that an expression can stand for, as patterns."""
    if isinstance(node, ast.Constant):
        return [re.escape(node.value)]
    if isinstance(node, ast.IfExp):
        return [*written(node.body), *written(node.orelse)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".+" for p in node.values)]
    return []


def methods_in(source: Path) -> set[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    given = [k.value for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg == "method"]
    return {name for value in given for name in written(value)}


def test_every_method_written_in_the_source_is_in_the_table_of_references():
    house = Path(ogive.__file__).parent
    named = {name for place in MADE for name in methods_in(house / place)} - set(map(re.escape, NOT_ON_A_PAGE))
    assert len(named) > 15
    assert {name for name in named if not any(re.fullmatch(name, key) for key in REFERENCES)} == set()


def test_every_work_of_the_table_is_described_and_used():
    used = {work for works in REFERENCES.values() for work in works} | set(PROFILES.values())
    assert used <= set(WORKS)
    assert set(WORKS) - used == {"Holm 1979", "Romano 2005", "Dunn 1961"}  # of families of verdicts and of looks


def table(tasks: int, *, binary: bool = False, paired: bool = False, clustered: bool = False, folds: bool = False):
    rows = []
    for t, m, i in itertools.product(range(tasks), "ab", range(24)):
        score = RNG.random() if not binary else float(RNG.random() < 0.5 + 0.2 * (m == "a"))
        rows.append({"algorithm": m, "task": f"t{t}", "score": score, "seed": i, "fold": i % 4, "repeat": i // 4})
    roles = {"repeat": "seed", "unit": "seed"} if clustered else {"unit": "row"}
    frame = pd.DataFrame(rows)
    if clustered:
        frame = pd.concat([frame, frame.assign(score=1.0 - frame["score"])])
    elif folds:
        return ogive.read(frame, score="score", fold="fold", repeat="repeat", bounds=(0, 1))
    elif paired:
        roles |= {"pair": "seed"}
    return ogive.read(frame, score="score", bounds=(0, 1), **roles)


KINDS = {
    "apart": {}, "paired": {"paired": True}, "right or wrong": {"binary": True}, "wrong in pairs": {"binary": True, "paired": True},
    "clustered": {"clustered": True}, "folds": {"folds": True},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_of_an_answer_is_in_the_table_of_references(kind):
    found = set()
    for tasks in (1, 2):
        trials = table(tasks, **KINDS[kind])
        extra = [] if kind == "clustered" else ["iqm", "std"]  # these have no interval where rows share a unit
        names = ["mean", "median", "worst_0.1", "best_of_8", *extra]
        found |= {row.method for row in ogive.summarize(trials, statistics=names).rows}
        asked = itertools.product(
            ("improvement", "mean", "median", "worst_0.1", "iqm"), ("fixed", "sample"), (False, True)
        )
        for criterion, over, guaranteed in asked:
            try:
                c = ogive.compare(trials, "a", "b", criterion=criterion, over=over, guaranteed=guaranteed)
            except ogive.errors.InputError:
                continue  # this table cannot answer that
            found |= {c.primary.method, *(one.primary.method for one in c.tasks)}
            found |= {q.interval.method for q in c.questions.values() if q.interval is not None}
    assert len(found) > 2
    assert found - set(REFERENCES) == set()


def test_a_page_cites_the_works_behind_all_pairs_and_not_only_behind_the_first(page):
    """Of three methods two share their draws: these are compared in pairs, the third as a separate sample."""
    rows = [{"algorithm": m, "score": RNG.normal(), "split": i + (100 if m == "c" else 0)} for m in "abc" for i in range(30)]  # fmt: skip
    text = page(pd.DataFrame(rows), {"score": "score", "pair": "split", "unit": "row"}, criterion="mean").text
    assert "wider of Welch's and the pooled t or paired t, approximate" in text
    assert WORKS["Student 1908"] in text
    assert WORKS["Welch 1947"] in text
