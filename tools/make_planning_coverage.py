"""Write `docs/reference/planning.md`: the power that plans deliver, from known spreads and from pilots (about two minutes).

python tools/make_planning_coverage.py
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import ogive
from ogive.statistics import independent_improvement, variance_components
from ogive.statistics._interval import spread, tail_influence
from ogive.statistics.planning import DifferenceTest, ImprovementTest, PilotPrecision, TwoLevelPrecision, plan_trials

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "planning.md"
TABLES, PILOTS = 2000, 2000
POWER = 0.8
# Scores with mean 0 and standard deviation 1; the exponential has a long bad tail.
SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: 1.0 - rng.exponential(size=n),
}
SPREADS = ((1.0, 1.0), (1.0, 5.0), (5.0, 1.0))
PILOT_SIZES = (3, 5, 10, 30)


def improvement_power(p: float, sd: tuple[float, float], *, told: bool, tables: int = TABLES) -> tuple[int, float]:
    """Trials planned for an improvement of p, and how often the interval of so many normal scores lies above 1/2."""
    n = plan_trials(ImprovementTest(sd=sd if told else None), p - 0.5).n_trials
    rng = np.random.default_rng([int(100 * p), int(sd[0]), int(sd[1])])
    shift, first = float(stats.norm.ppf(p)) * math.hypot(*sd), n - n // 2
    seen = [
        independent_improvement(rng.normal(shift, sd[0], first), rng.normal(0.0, sd[1], n - first)).low > 0.5
        for _ in range(tables)
    ]
    return n, float(np.mean(seen))


def difference_power(difference: float, sd: tuple[float, float], tables: int = 20_000) -> tuple[int, float]:
    """Trials planned for a difference of means, and how often Welch's interval of so many normal scores lies above 0."""
    n = plan_trials(DifferenceTest(sd=sd), difference).n_trials
    each = n // 2
    rng = np.random.default_rng([int(10 * difference), int(sd[0]), int(sd[1])])
    a, b = rng.normal(difference, sd[0], (tables, each)), rng.normal(0.0, sd[1], (tables, each))
    va, vb = a.var(axis=1, ddof=1) / each, b.var(axis=1, ddof=1) / each
    df = (va + vb) ** 2 * (each - 1) / (va**2 + vb**2)
    low = a.mean(axis=1) - b.mean(axis=1) - stats.t.ppf(0.975, df) * np.sqrt(va + vb)
    return n, float(np.mean(low > 0.0))


def delivered(n: int, difference: float, sd: tuple[float, ...]) -> float:
    """The power that n trials in all (or pairs) have for normal scores with the true spreads."""
    each = n if len(sd) == 1 else n // 2
    squares = np.square(sd)
    df = (each - 1) * squares.sum() ** 2 / np.sum(squares**2)
    shift = difference / math.sqrt(squares.sum() / each)
    return float(stats.nct.sf(stats.t.ppf(0.975, df), df, shift))


def pilot_plans(
    shape: str, sd: tuple[float, ...], n_pilot: int, pilots: int = PILOTS, difference: float = 0.8
) -> tuple[np.ndarray, np.ndarray]:
    """The power delivered by `ogive.plan` from each of many pilots, and by plans with the pilot's own spread.

    The difference is 0.8 root mean squares of the spreads; one spread stands for pairs.
    """
    rng = np.random.default_rng([n_pilot, len(sd), int(sd[-1]), len(shape)])
    target = difference * math.sqrt(float(np.mean(np.square(sd))))
    now, own = np.empty(pilots), np.empty(pilots)
    for i in range(pilots):
        draws = [s * SHAPES[shape](rng, n_pilot) for s in sd]
        if len(sd) == 1:
            common = rng.normal(size=n_pilot)
            draws = [common + draws[0], common]
        table = pd.DataFrame(
            {"method": np.repeat(["a", "b"], n_pilot), "draw": np.tile(np.arange(n_pilot), 2), "score": np.concatenate(draws)}
        )  # fmt: skip
        trials = ogive.read(
            table, score="score", algorithm="method", repeat="draw", unit="row", goal="maximize",
            **({"pair": "draw"} if len(sd) == 1 else {}),
        )  # fmt: skip
        found = ogive.plan(trials, difference=target, paired=len(sd) == 1)
        question = found.question
        assert isinstance(question, DifferenceTest)
        assert question.sd_pilot is not None
        now[i] = delivered(found.n_trials, target, sd)
        before = DifferenceTest(sd=question.sd_pilot, paired=question.paired)
        own[i] = delivered(plan_trials(before, target).n_trials, target, sd)
    return now, own


def pilot_widths(shape: str, mass: float, n_pilot: int, pilots: int = PILOTS) -> tuple[float, float]:
    """The share of pilots whose limit holds the true spread of a mean, or of a tail's; and of those whose spread does."""
    rng = np.random.default_rng([n_pilot, int(100 * mass), len(shape)])
    true = 1.0 if mass == 1.0 else spread(tail_influence(SHAPES[shape](rng, 1_000_000), mass, "lower"))
    found = [
        PilotPrecision.from_scores(SHAPES[shape](rng, n_pilot), mass=mass, tail="lower" if mass < 1.0 else None)
        for _ in range(pilots)
    ]
    return tuple(float(np.mean([v >= true for v in vs])) for vs in ([q.sd for q in found], [q.sd_pilot for q in found]))  # type: ignore[return-value]


def cluster_widths(k: int, between: float, pilots: int = PILOTS) -> tuple[float, float]:
    """The same for the means of k clusters with four scores each, variance 1 within."""
    rng = np.random.default_rng([k, int(100 * between)])
    codes = np.repeat(np.arange(k), 4)
    held, own = 0, 0
    for _ in range(pilots):
        y = math.sqrt(between) * rng.normal(size=k)[codes] + rng.normal(size=4 * k)
        q = TwoLevelPrecision.from_pilot(y, codes)
        true = between + 1.0 / q.repeats
        held += q.between + q.within / q.repeats >= true
        plain = TwoLevelPrecision.from_components(variance_components(y, codes))
        own += plain.between + plain.within / plain.repeats >= between + 1.0 / plain.repeats
    return held / pilots, own / pilots


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table."""
    names = list(head)
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names), *lines, ""]


def page() -> list[str]:
    """The lines of the page."""
    known = []
    for p in (0.6, 0.65, 0.7, 0.8):
        for sd in SPREADS:
            alike, told = (improvement_power(p, sd, told=t) for t in (False, True))
            known.append(
                [f"{p:g}", f"{sd[0]:g} : {sd[1]:g}", f"{alike[0]}", f"{alike[1]:.2f}", f"{told[0]}", f"{told[1]:.2f}"]
            )
            print(known[-1], flush=True)
    means = []
    for difference in (1.0, 2.0, 4.0):
        for sd in SPREADS[:2]:
            n, power = difference_power(difference * math.hypot(*sd) / 5.0, sd)
            means.append(
                [f"{difference * math.hypot(*sd) / 5.0:.2f}", f"{sd[0]:g} : {sd[1]:g}", f"{n}", f"{power:.3f}"]
            )
    pilots = []
    for shape in SHAPES:
        for name, sd in (("two methods, 1 : 1", (1.0, 1.0)), ("two methods, 1 : 5", (1.0, 5.0)), ("pairs", (1.0,))):
            for n in PILOT_SIZES:
                now, own = pilot_plans(shape, sd, n)
                shares = (float(np.mean(v >= level)) for level in (POWER, 0.6) for v in (own, now))
                pilots.append([shape, name, f"{n}", *(f"{v:.2f}" for v in shares)])
                print(pilots[-1], flush=True)
    widths = [
        [shape, "mean" if mass == 1.0 else f"mean of the worst {100 * mass:g} %", f"{n}", *(f"{v:.2f}" for v in reversed(pilot_widths(shape, mass, n)))]
        for shape in SHAPES for mass, sizes in ((1.0, PILOT_SIZES), (0.1, (30, 100, 300))) for n in sizes
    ]  # fmt: skip
    widths += [
        ["normal", f"mean over clusters of 4, variance {between:g} : 1", f"{k} clusters", *(f"{v:.2f}" for v in reversed(cluster_widths(k, between)))]
        for between in (0.1, 1.0) for k in (5, 10, 30)
    ]  # fmt: skip
    return [
        "# Plans: simulated power", "",
        "What `ogive.plan` promises, and what it delivers. All plans ask for 80 % power at 95 % confidence; made by `python tools/make_planning_coverage.py`.", "",
        "## Spreads that are known", "",
        f"An improvement: normal scores, {TABLES} tables each, so that 0.80 shows as 0.78 to 0.82. A plan that knows nothing of the spreads takes them for alike "
        "(Noether), and falls short where they are not; `plan(\"improvement\", p=, sd=(1, 5))` knows them.", "",
        *table(("p", "spreads", "trials, alike", "power", "trials, spreads told", "power"), known),
        "A difference of means with both spreads told: Welch's interval, 20,000 tables each. Few trials overshoot, because they are whole.", "",
        *table(("difference", "spreads", "trials", "power"), means),
        "## Pilots", "",
        f"Each of {PILOTS} pilots makes a plan for a difference of 0.8 (root mean square) standard deviations. The share of pilots whose plan delivers a power of at least 0.80, and "
        "of at least 0.60: when the pilot's own spread was planned with, and now with its 80 % upper limit. With two methods each spread has its own limit, "
        "so that both together are safer. The power is that of normal scores with the true spreads. The limit is exact for normal scores only: with a long "
        "tail small pilots rarely see what is to come.", "",
        *table(("scores", "methods", "runs of each", "≥ 0.80, own spread", "now", "≥ 0.60, own spread", "now"), pilots),
        "## Half-widths from a pilot", "",
        f"The share of {PILOTS} pilots whose spread, and whose upper limit now planned with, is at least the true one. For the worst runs only those in the tail "
        "count for the limit; it still holds less often than 0.80, and such plans are called heuristic.", "",
        *table(("scores", "what", "pilot", "own spread", "now"), widths),
    ]  # fmt: skip


def main() -> None:
    """Write the page."""
    TARGET.write_text("\n".join(page()).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
