"""Write `docs/explanation/verdicts.md`: ten tables, and the sentences they get (a few seconds).

python tools/make_verdict_examples.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

import ogive

TARGET = Path(__file__).parent.parent / "docs" / "explanation" / "verdicts.md"

OPENING = """# Ten tables, and the sentences they get

Made by `python tools/make_verdict_examples.py`; a test holds the page to what the code says.

A verdict answers one question, fixed before looking: which score, which criterion, which margin, how failed runs count, how sure, these tasks or tasks like these. `compare`, `rank`, `check`, the bold cells of a table and the report ask the same question with the same defaults, so that none of them contradicts another.

* **What decides.** The difference of *means* where a unit is known to matter: both bounds are declared, every score is 0 or 1, or a margin is given. Elsewhere *improvement*: how often a run of one method beats a run of the other. `criterion=` chooses another.
* **Four questions are always answered**: a typical run (improvement), on average (mean), on a bad day (the worst 10 % of runs), after 8 tries (the median of the best of eight). The one that decides has the stated confidence; the other three share a second error of the same size. Where they disagree, a sentence says how.
* **A direction is stated only where its interval leaves no doubt.** "It cannot be told which is better" is an answer: it says what these runs could have shown, and how many would show more.
* **What could still be hidden.** Twenty runs without a collapse leave room for one in seven. A claim that nothing is lost is withheld where the bounds say that this could cost more than the margin, and else says on what it depends.
* **How sure.** *Guaranteed* holds for every distribution; *approximate* is simulated on the [reference page](../reference/verdicts.md); *heuristic* rests on an assumption that is known to fail.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A table, what is asked of it, and what the answer shows."""

    title: str
    table: str
    call: str
    answer: Callable[[], str]
    reading: str


def rng(seed: int) -> np.random.Generator:
    """Tables are drawn once and stay the same."""
    return np.random.default_rng(seed)


def clear() -> str:
    """Thirty runs that hardly overlap."""
    draw = rng(1)
    trials = ogive.read(
        {"forest": draw.normal(0.86, 0.02, 30), "tree": draw.normal(0.80, 0.03, 30)}, unit="row", varied="seed"
    )
    return ogive.compare(trials, "forest", "tree").verdict


def undecided() -> str:
    """Eight runs that do."""
    draw = rng(2)
    trials = ogive.read({"a": draw.normal(0.81, 0.02, 8), "b": draw.normal(0.80, 0.02, 8)}, unit="row", varied="seed")
    return ogive.compare(trials, "a", "b").verdict


def collapsing() -> str:
    """A method that is better as a rule and collapses now and then."""
    draw = rng(3)
    bold = np.append(draw.normal(0.86, 0.01, 85), draw.uniform(0.1, 0.3, 15))
    trials = ogive.read({"bold": bold, "steady": draw.normal(0.82, 0.01, 100)}, unit="row", varied="seed")
    return ogive.compare(trials, "bold", "steady").verdict


def answers_of_two_models() -> str:
    """Right or wrong, question by question."""
    draw = rng(4)
    ease = draw.normal(size=1000)
    rows = [
        (model, i, int(ease[i] + skill + draw.normal(0, 0.7) > 0))
        for model, skill in (("large", 0.40), ("small", 0.25))
        for i in range(1000)
    ]
    trials = ogive.read(pd.DataFrame(rows, columns=["model", "question", "correct"]))
    return ogive.compare(trials, "large", "small").verdict


def withheld() -> str:
    """Equal versions, bounds and a margin."""
    draw = rng(5)
    trials = ogive.read(
        {"new": draw.normal(0.80, 0.01, 20), "old": draw.normal(0.80, 0.01, 20)}, unit="row", bounds=(0, 1)
    )
    return ogive.compare(trials, "new", "old", margin=0.05).verdict


def conditional() -> str:
    """Equal versions, a margin and no bounds."""
    draw = rng(6)
    trials = ogive.read(
        {"new": draw.normal(31.0, 0.4, 40), "old": draw.normal(31.0, 0.4, 40)}, unit="row", goal="minimize"
    )
    return ogive.compare(trials, "new", "old", margin=0.5).verdict


def failing() -> str:
    """Runs without a score, left out and counted as worst."""
    draw = rng(7)
    rows = [
        (m, i, np.nan if m == "fast" and i < 4 else draw.normal(1.0 + (m == "fast"), 1.0))
        for m in ("fast", "safe")
        for i in range(30)
    ]
    trials = ogive.read(pd.DataFrame(rows, columns=["algorithm", "seed", "score"]), unit="row")
    return "\n\n".join(ogive.compare(trials, "fast", "safe", failures=rule).verdict for rule in ("exclude", "worst"))


def many_tasks() -> str:
    """Three methods, twelve data sets, three seeds."""
    draw = rng(8)
    gain = {"forest": 0.030, "boosting": 0.034, "linear": 0.0}
    rows = [
        (m, f"data {k}", s, 0.7 + 0.02 * k + gain[m] + draw.normal(0, 0.01))
        for m in gain
        for k in range(12)
        for s in range(3)
    ]
    trials = ogive.read(pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]), bounds=(0, 1))
    return "\n\n".join([ogive.rank(trials).verdict, ogive.compare(trials, "boosting", "forest").verdict])


def folds() -> str:
    """A repeated cross-validation."""
    draw = rng(9)
    shared = draw.normal(0, 0.02, (3, 5))
    rows = [
        (m, r, k, 0.80 + gain + shared[r, k] + draw.normal(0, 0.01))
        for m, gain in (("svm", 0.004), ("k-NN", 0.0)) for r in range(3) for k in range(5)
    ]  # fmt: skip
    trials = ogive.read(pd.DataFrame(rows, columns=["model", "repeat", "fold", "accuracy"]))
    return ogive.compare(trials, "svm", "k-NN").verdict


def guaranteed() -> str:
    """Bounded scores, judged for every distribution."""
    draw = rng(10)
    scores = {"a": np.clip(draw.normal(0.80, 0.05, 60), 0, 1), "b": np.clip(draw.normal(0.70, 0.05, 60), 0, 1)}
    return ogive.compare(ogive.read(scores, unit="row", bounds=(0, 1)), "a", "b", guaranteed=True).verdict


EXAMPLES = (
    Example("A clear case", "30 runs of two methods; seeds were drawn anew; no bounds declared.", 'compare(trials, "forest", "tree")', clear, "Who, how often, between which limits; bad days; of what. Without a declared unit the runs are held against each other one by one."),
    Example("Too few runs", "8 runs of two methods that hardly differ.", 'compare(trials, "a", "b")', undecided, "Nobody is ahead, and nobody is called equal: the last sentence says what eight runs could have shown."),
    Example("Better as a rule, worse on bad days", "100 runs; 15 of the bolder method collapse.", 'compare(trials, "bold", "steady")', collapsing, "Four questions, two answers. Both are named, and so is the safer choice."),
    Example("The answers of two models", "1,000 questions, right or wrong, the same for both models.", 'compare(trials, "large", "small")', answers_of_two_models, "Scores that are 0 or 1 are rates. The direction is McNemar's exact test: only questions on which the models differ count."),
    Example("Nothing lost? Not after 20 runs", "Two versions of the same quality, accuracy between 0 and 1, a margin of 0.05.", 'compare(trials, "new", "old", margin=0.05)', withheld, "The interval lies within the margin, but an interval knows nothing of collapses that it has not seen. The bounds say what they could cost, so the claim is withheld, with the number of runs that would do."),
    Example("Nothing lost, on a condition", "A loss without bounds, 40 runs each, a margin of 0.5.", 'compare(trials, "new", "old", margin=0.5)', conditional, "Without bounds a collapse may cost anything: the claim is made, and says on what it depends."),
    Example("Failed runs", "4 of 30 runs of the faster method have no score.", 'compare(trials, "fast", "safe", failures="exclude") and failures="worst"', failing, "Left out, failed runs stand in the first words. Counted as worse than every score, they have a place in the order and no value."),
    Example("Three methods on twelve data sets", "3 seeds each; accuracy, bounds declared.", 'rank(trials) and compare(trials, "boosting", "forest")', many_tasks, "Averaged over the tasks small differences show that no task alone shows. The verdicts task by task share an error of their own."),
    Example("Cross-validation", "5 folds, repeated 3 times; accuracy.", 'compare(trials, "svm", "k-NN")', folds, "Folds share training data: they are compared pair by pair with a corrected variance, and the answer is called heuristic."),
    Example("An answer that always holds", "60 runs, accuracy between 0 and 1.", 'compare(trials, "a", "b", guaranteed=True)', guaranteed, "Wider than the approximate interval, and right for every distribution within the bounds."),
)  # fmt: skip


def page() -> str:
    """The whole page."""
    parts = [OPENING]
    for number, e in enumerate(EXAMPLES, 1):
        said = "\n>\n".join(
            "\n".join(f"> {line}" for line in fill(text, 110).split("\n")) for text in e.answer().split("\n\n")
        )
        parts.append(f"## {number}. {e.title}\n\n{e.table} `{e.call}`:\n\n{said}\n\n{e.reading}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    print(f"wrote {TARGET}")
