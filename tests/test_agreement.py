"""No answer about a table contradicts another one: facts are held against facts over random tables."""

import agreement
import pytest

FIRST = 40  # tables of the default tests


def contradicted(numbers, *, large=False):
    found = {number: said for number in numbers if (said := agreement.attack(number, large=large)[1])}
    return {number: said[:3] for number, said in found.items()}


def test_no_answer_contradicts_another():
    assert contradicted(range(FIRST)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(FIRST, 1000, 96))
def test_no_answer_contradicts_another_on_many_tables(start):
    assert contradicted(range(start, min(start + 96, 1000))) == {}


@pytest.mark.slow
def test_no_answer_contradicts_another_on_large_tables():
    assert contradicted(range(15), large=True) == {}


def test_the_tables_hold_every_kind_of_trouble():
    """Random tables that never fail, pair, tie or disagree would show nothing."""
    drawn = [agreement.random_table(number) for number in range(120)]
    assert any(t.failed().any() for t, _ in drawn)
    assert {"item", "fold", None} <= {t.pair for t, _ in drawn}
    assert any(t.clustered for t, _ in drawn)
    assert {"maximize", "minimize"} == {t.goals["score"] for t, _ in drawn}
    assert {len(t.tasks) for t, _ in drawn} == {1, 2, 3, 4}


def test_a_planted_contradiction_is_found(monkeypatch):
    """A ranking that is surer than the comparison of the same two methods is noticed."""
    trials, asked = next(
        (t, a) for t, a in map(agreement.random_table, range(200)) if len(t.algorithms) == 2 and not a.get("margin")
    )  # fmt: skip
    surer = {**asked, "confidence": 0.01}
    monkeypatch.setattr(
        agreement, "rank", lambda t, **kw: agreement.compare and __import__("ogive").rank(t, **{**kw, **surer})
    )
    assert agreement.contradictions(trials, asked)
