"""Headlines and captions: the one place of this room that holds sentences. Everything else tests data and artists."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.curves import LearningCurves
from ogive.plots import (
    aggregates,
    best_of,
    critical_difference,
    difference,
    distribution,
    intervals,
    leading,
    learning_fan,
    pairs,
    profile,
    profile_pairs,
    ranks,
    slices,
    sources,
)  # fmt: skip
from ogive.profiles import average_ranks, performance_profile

RNG = np.random.default_rng(5)
A, B = RNG.normal(1.0, 1.0, 200), RNG.normal(0.0, 1.0, 200)
WIDE = RNG.normal(0.5, 4.0, 400)
FEW = {m: np.random.default_rng(i).normal(size=12) for i, m in enumerate("abc")}


def read(samples, **facts) -> ogive.Trials:
    return ogive.read(samples, unit="row", **facts)


def clusters(failing: str) -> ogive.Trials:
    """Two methods with 24 configurations of two rows; three rows of these methods failed."""
    table = pd.DataFrame({"method": np.repeat(["a", "b"], 48), "lr": np.tile(np.repeat(np.arange(24), 2), 2)})
    table["score"] = np.random.default_rng(1).normal(size=96)
    for name in failing:
        table.loc[table.index[table["method"] == name][:3], "score"] = np.nan
    return ogive.read(table, params=["lr"], unit="configuration")


def failed(n: int) -> np.ndarray:
    return np.where(np.arange(A.size) < n, np.nan, A)


def ranked(*means: float, n: int = 40, **question) -> ogive.Ranking:
    draws = np.random.default_rng(5)
    return ogive.rank(read({f"m{i}": draws.normal(mean, 1.0, n) for i, mean in enumerate(means)}), **question)


def by_mean(*means: float, margin: float | None = None) -> ogive.Ranking:
    return ranked(*means, criterion="mean", margin=margin)


def tied(methods: str) -> ogive.Ranking:
    return ogive.rank(read({m: [1.0] * 6 for m in methods}), criterion="mean")


def ahead(*leaders: str) -> ogive.Ranking:
    rng = np.random.default_rng(5)
    return ogive.rank(read({m: rng.normal(9.0 if m in leaders else 0.0, 1, 30) for m in "abcdef"}))


def curves(change: Callable[[np.ndarray], None] = lambda values: None, models: int = 2) -> LearningCurves:
    centre = np.array([[0.50, 0.52, 0.54, 0.56], [0.40, 0.50, 0.62, 0.72]])[:models]
    values = np.round(centre[:, None, :, None] + 0.03 * np.random.default_rng(1).normal(size=(models, 1, 4, 100)), 2)
    change(values)
    return LearningCurves(
        values=values, models=tuple("ab"[:models]), definitions={"accuracy": ogive.Metric("maximize", (0, 1))},
        sizes=np.array([5, 10, 20, 40]), design="additive", test="fixed", n_rows=1000, n_test=200,
    )  # fmt: skip


def gone(values: np.ndarray) -> None:
    values[:, :, -1, 0] = np.nan


def bad_runs(values: np.ndarray) -> None:
    values[1, 0, -1, :10] = 0.0


def level(values: np.ndarray) -> None:
    values[1] = values[0]


def two_modes(values: np.ndarray) -> None:
    values[0, 0, 0] = np.where(np.arange(100) < 50, 0.2, 0.8) + np.tile(np.arange(-5, 5), 10) / 200


def times(n: int, **facts) -> dict[str, np.ndarray]:
    return {f"m{i}": np.exp(np.random.default_rng(i).normal(i, 1, 40)) for i in range(n)}


def alike(methods: str) -> dict[str, np.ndarray]:
    return {m: np.exp(np.random.default_rng(i).normal(size=12)) for i, m in enumerate(methods)}


def held() -> ogive.Trials:
    of = np.repeat(np.arange(60), 10)
    lr = np.random.default_rng(0).random(60)[of]
    frame = pd.DataFrame(
        {"lr": lr, "run": np.arange(600), "score": lr + 0.1 * np.random.default_rng(1).normal(size=600)}
    )
    return ogive.read(frame, score="score", repeat="run", params=["lr"], unit="configuration", varied=["configuration", "seed"])  # fmt: skip


PARTS = {"a": [1.0, 2.0, 9.0], "b": [2.0, 1.0, 3.0]}
CROSS = {"a": [1.0] * 100 + [9.0] * 60, "b": [2.0] * 100 + [1.0] * 60}
SAID = [
    # Runs
    (lambda: distribution(ogive.read({"a": A[:8], "b": B})), "fewer than 20 runs have a dot for each run"),
    (lambda: distribution(ogive.read({"a": failed(40)})), "counted as worse than every score"),
    (lambda: distribution(ogive.read({"a": failed(40)}), kind="cdf"), "Failed runs count as worse than every score: the curve of a method with failed runs starts at their share."),
    (lambda: distribution(ogive.read({"a": failed(40)}, goal="minimize"), kind="cdf"), "Failed runs count as worse than every score: the curve of a method with failed runs ends below 100 % by their share."),
    (lambda: distribution(ogive.read({"a": {f"t{i}": [np.nan] * 3 for i in range(12)}, "b": {f"t{i}": B for i in range(12)}})), "Without any usable run: a on 12 tasks (36 failed)."),
    (lambda: distribution(ogive.read({"a": [np.nan] * 5, "b": B})), "Without any usable run: a on all (5 failed)."),
    (lambda: distribution(clusters("b")), "No band for b on all (3 failed): failed runs cannot be counted by unit."),
    (lambda: distribution(clusters("b")), "left out of the curves."),
    (lambda: distribution(clusters("ab")), "No bands: failed runs cannot"),
    (lambda: best_of(read({"a": A[:6]})), "With fewer than 20 runs no band is drawn"),
    (lambda: best_of(ogive.read({"a": A}, independent=False)), "No bands: the runs were chosen by a grid or an adaptive sampler"),
    (lambda: best_of(read({"a": failed(150)})), "Failed runs count as worse than every score"),
    (lambda: best_of(clusters("a")), "No band for a on all (3 failed): failed runs cannot be counted by unit."),
    (lambda: best_of(read({"wide": 5 * B[:60], "narrow": 1 + 0.1 * B[:60]})), "narrow leads after one draw, wide after 60"),
    (lambda: difference(read({"a": WIDE, "b": B}), "a", "b"), "elsewhere it cannot be told"),
    (lambda: difference(read({"a": A[:4], "b": B[:4]}), "a", "b"), "would fill the picture"),
    (lambda: difference(read({"a": A[:4], "b": B[:4]}), "a", "b"), "At no share of runs are a and b certainly apart"),
    (lambda: difference(ogive.read({"a": A, "b": B}, independent=False), "a", "b"), "No band: the runs were chosen by a grid or an adaptive sampler"),
    (lambda: difference(read({"a": failed(150), "b": B}), "a", "b"), "Failed runs (a 150, b 0) count as worse than every score"),
    (lambda: difference(clusters("a"), "a", "b"), "No band: failed runs cannot be counted by unit."),
    (lambda: difference(clusters("a"), "a", "b"), "Failed runs (a 3, b 0) are left out."),
    (lambda: intervals(ogive.summarize(read({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 5.0]})), "median"), "too few to set any limit"),
    (lambda: intervals(ogive.summarize(read({"a": [np.nan] * 4, "b": B}), failures="exclude")), "Without a value: a on all."),
    (lambda: sources(held(), holds={"config": {"every": 10}}), "of the variance comes from configuration"),
    # Pairs and ranks
    (lambda: pairs(by_mean(0, 0, 0)), "mean is than the column's"),
    (lambda: pairs(ogive.rank(read(FEW), looks=4)), "for all 3 pairs together at 4 looks, over"),
    (lambda: pairs(ogive.rank(read(FEW))), "white: the data cannot tell"),
    (lambda: pairs(ogive.rank(read(FEW), margin=5.0)), "white: no difference of more than 5 is certain"),
    (lambda: pairs(ogive.rank(read({"a": A[:40] - 1, "b": B[:40]}, bounds=(-20, 20)), margin=1.0)), "cannot rule out collapses"),
    (lambda: pairs(ranked(*range(12), n=9)), "? where it cannot be told"),
    (lambda: pairs(ranked(0, 9)), "The two methods can be told apart"),
    (lambda: pairs(ranked(0, 9, 18)), "3 of 3 pairs can be told apart (100 %)"),
    (lambda: pairs(by_mean(0, 0, 9, margin=1.5)), "2 of 3 pairs certainly differ by more than 1.5 (67 %); 1 is equivalent within it"),
    (lambda: pairs(by_mean(0, 0, 0, margin=2.0)), "All 3 pairs are equivalent within 2"),
    (lambda: pairs(by_mean(0, 9, margin=1.5)), "The two methods certainly differ by more than 1.5"),
    (lambda: pairs(by_mean(0, 0, margin=1.5)), "The two methods are equivalent within 1.5"),
    (lambda: pairs(by_mean(0, 1, margin=1.0)), "Whether the two methods differ by more than 1 cannot be told"),
    (lambda: pairs(ranked(0, 0, 0, criterion="improvement", margin=0.1)), "by more than 10 percentage points"),
    (lambda: pairs(ranked(0, 0, 0, criterion="improvement", margin=0.1)), "no difference of more than 10 percentage points is certain"),
    (lambda: pairs(tied("ab")), "The two methods cannot be told apart: all runs are tied"),
    (lambda: pairs(tied("abc")), "No two methods can be told apart: all runs are tied"),
    (lambda: ranks(ahead("c")), "c is certainly better than all others"),
    (lambda: ranks(ahead("b", "e")), "e and b share the lead and cannot be told apart"),
    (lambda: ranks(ahead(*"abcde")), "5 methods share the lead and cannot be told apart"),
    (lambda: ranks(ahead(*"abcdef")), "No method can be told from the others"),
    (lambda: ranks(ranked(*[0] * 6, n=8, looks=3)), "6 of 6 methods could stand at more than one rank"),
    (lambda: ranks(ranked(*[0] * 6, n=8, looks=3)), "for all 15 pairs together at 3 looks"),
    # Profiles
    (lambda: profile(performance_profile(times(5), goal="minimize")), "only, to keep the others readable"),
    (lambda: profile(performance_profile(PARTS, goal="maximize", strict=True)), "the best method has less than twice as much as this one"),
    (lambda: profile(performance_profile({"a": [1.0] * 40, "b": [2.0] * 40}, goal="minimize")), "a is ahead of b for some τ"),
    (lambda: profile(performance_profile({"a": [1.0] * 40, "b": [2.0] * 40}, goal="minimize")), "no sign of equality"),
    (lambda: profile(performance_profile({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [3.0, 4.0]}, goal="minimize")), "a and b have the highest curve on average, with equal areas"),
    (lambda: profile_pairs(performance_profile(alike("abc"), goal="minimize")), "In none of 3 pairs is one method certainly ahead at some τ, which is no sign of equality"),
    (lambda: profile_pairs(performance_profile(CROSS, confidence=0.8, goal="minimize")), "are each ahead somewhere"),
    (lambda: profile_pairs(performance_profile(times(3), band="none", goal="minimize")), "3 pairs described without a verdict"),
    (lambda: profile_pairs(performance_profile(times(3), band="none", goal="minimize")), "nothing says how sure"),
    (lambda: profile_pairs(performance_profile({"a": [1.0] * 40, "b": [2.0] * 40, "c": [1.0, 3.0] * 20}, goal="minimize")), "pairs one method is certainly ahead at some τ and behind at none; a is so against both others"),
    (lambda: critical_difference(average_ranks(alike("abc"))), "does not mean equal"),
    (lambda: aggregates(ogive.profiles.aggregates({m: np.random.default_rng(i).normal(i, 0.1, (8, 5)) for i, m in enumerate("abc")})), "c is first by all of them"),
    # Curves
    (lambda: learning_fan(curves()), "the best mean accuracy"),
    (lambda: learning_fan(curves()), "not the error of the lines"),
    (lambda: learning_fan(curves()), "on these 1000 rows, over random training sets, one test set"),
    (lambda: learning_fan(curves(models=1)), "9 in 10 runs of a have accuracy from"),
    (lambda: learning_fan(curves(bad_runs)), "but a is better in the worst 5 % of runs"),
    (lambda: learning_fan(curves(level)), "At n = 40, a and b have the same mean accuracy, also in the worst 5 % of runs"),
    (lambda: learning_fan(curves(gone)), "At n = 40 there is no mean accuracy: scores are missing"),
    (lambda: leading(curves(gone).leaders()), "At n = 40: there is no leader by the mean, in the worst runs"),
    (lambda: slices(curves(two_modes, models=1), [5, 20]), "more than one mode for n = 5"),
]  # fmt: skip


@pytest.mark.parametrize(("draw", "words"), SAID, ids=[words for _, words in SAID])
def test_a_picture_says(draw, words):
    display = draw()
    headline = display.headline if isinstance(display.headline, str) else " ".join(display.headline)
    assert words in f"{headline}\n{display.caption}"
