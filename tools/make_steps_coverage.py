"""Write `docs/reference/over-steps.md`: the simulated coverage of limits over the steps of training (about eight minutes).

python tools/make_steps_coverage.py [few_runs] [more_runs]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from ogive.statistics import over_steps

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "over-steps.md"
STEPS, POPULATION, RESAMPLES, REPETITIONS = 25, 5_000, 500, 400
MANY_REPETITIONS = 1000
DESIGNS = tuple((runs, tasks) for tasks in (5, 26) for runs in (3, 5, 10))
MANY = (20, 26)
STATISTICS = {"iqm": "IQM", "mean": "mean"}
Draw = Callable[[np.random.Generator, int, int, int], np.ndarray]


def learning(rng: np.random.Generator, tasks: int, size: int, steps: int, ratio: float = 1.0) -> np.ndarray:
    """Curves, tasks × runs × steps, that rise to a level and at a speed of their own, with noise that lasts.

    The noise of a step and of the next are correlated by 0.9; the spread of the last task is `ratio` times that of the first.
    """
    at = np.arange(1, steps + 1) / steps
    level = rng.normal(1.0, 0.3, (tasks, size, 1))
    speed = rng.lognormal(1.0, 0.4, (tasks, size, 1))
    noise = rng.normal(size=(tasks, size, steps))
    for s in range(1, steps):
        noise[..., s] = 0.9 * noise[..., s - 1] + np.sqrt(1.0 - 0.81) * noise[..., s]
    curves = level * (1.0 - np.exp(-speed * at)) + 0.1 * noise
    spread = ratio ** np.linspace(0.0, 1.0, tasks)
    return np.asarray(curves * spread[:, None, None] + np.linspace(0.0, 1.0, tasks)[:, None, None])


def collapsing(rate: float) -> Draw:
    """Learning curves of which a share falls to the bottom at some step and stays there."""

    def draw(rng: np.random.Generator, tasks: int, size: int, steps: int) -> np.ndarray:
        falls = np.where(rng.random((tasks, size)) < rate, rng.integers(0, steps, (tasks, size)), steps)
        return np.where(np.arange(steps) >= falls[..., None], -1.0, learning(rng, tasks, size, steps))

    return draw


def succeeding(rng: np.random.Generator, tasks: int, size: int, steps: int) -> np.ndarray:
    """1 where a curve is above the half, otherwise 0: hardly any run at first, nearly all in the end."""
    own = learning(rng, tasks, size, steps) - np.linspace(0.0, 1.0, tasks)[:, None, None]
    return 1.0 * (own > 0.5)


POPULATIONS: dict[str, Draw] = {
    "learning curves": learning,
    "steps independent, normal": lambda rng, t, n, s: rng.normal(size=(t, n, s)) + np.arange(t)[:, None, None] / 3,
    "skewed (lognormal)": lambda rng, t, n, s: np.exp(1.5 * learning(rng, t, n, s)),
    "spreads of tasks 1 to 40": lambda rng, t, n, s: learning(rng, t, n, s, 40.0),
    "5 % of runs collapse": collapsing(0.05),
    "10 % of runs collapse": collapsing(0.1),
    "30 % of runs never learn": lambda rng, t, n, s: learning(rng, t, n, s) * (rng.random((t, n, 1)) > 0.3),
    "success or failure": succeeding,
}


def true_curve(population: np.ndarray, statistic: str) -> np.ndarray:
    """The statistic of a whole population, tasks × runs × steps; all tasks have equally many."""
    if statistic == "mean":
        return np.asarray(population.mean(axis=(0, 1)))
    pooled = np.sort(population.reshape(-1, population.shape[2]), axis=0)
    return np.asarray(pooled[len(pooled) // 4 : 3 * len(pooled) // 4].mean(axis=0))


def coverage(
    name: str, runs: int, tasks: int, statistic: str, repetitions: int, seed: int = 1, *, shrink: float = 1.0,
) -> tuple[float, float, bool]:  # fmt: skip
    """How often limits at a step hold the truth there (on average over the steps), those of all steps hold it everywhere.

    Runs are drawn out of a finite population, whose statistics are known. `shrink` makes the limits too narrow on purpose.
    """
    rng = np.random.default_rng(seed)
    population = POPULATIONS[name](rng, tasks, POPULATION, STEPS)
    truth = true_curve(population, statistic)
    alone, together, heuristic = [], [], 0
    for r in range(repetitions):
        values = list(population[np.arange(tasks)[:, None], rng.integers(0, POPULATION, (tasks, runs))])
        for simultaneous in (True, False) if r % 4 == 0 else (True,):
            found = over_steps(values, statistic=statistic, n_resamples=RESAMPLES, seed=r, simultaneous=simultaneous)
            low, high = (found.estimate + shrink * (side - found.estimate) for side in (found.low, found.high))
            held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
            if simultaneous:
                together.append(held.all())
            else:
                alone.append(held.mean())
        heuristic += found.guarantee == "heuristic"
    return float(np.mean(alone)), float(np.mean(together)), heuristic > repetitions / 2


def cell(found: tuple[float, float, bool]) -> str:
    """At each step / for all, with a star where most are called heuristic."""
    alone, together, heuristic = found
    return f"{alone:.3f} / {together:.3f}{'*' if heuristic else ''}"


def rows(asked: Iterable[tuple[str, tuple[tuple[int, int], ...]]], repetitions: int) -> Iterable[list[str]]:
    """A row for each population and each statistic with its designs."""
    with ProcessPoolExecutor(2) as workers:
        running = {
            (name, statistic): [workers.submit(coverage, name, *design, statistic, repetitions) for design in designs]
            for name in POPULATIONS
            for statistic, designs in asked
        }
        for (name, statistic), found in running.items():
            row = [name, STATISTICS[statistic], *(cell(one.result()) for one in found)]
            print(row, flush=True)
            yield row


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table."""
    names = list(head)
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names), *("| " + " | ".join(line) + " |" for line in lines), ""]  # fmt: skip


def few_runs() -> list[str]:
    """The designs of small studies."""
    return [
        f"At each step on average / at all {STEPS} steps together, asked for 95 %: {REPETITIONS} samples, a quarter of them for the limits at each step,"
        f" {RESAMPLES} resamples each; a coverage of 95 % shows 0.95 ± {noise(REPETITIONS):.2f}, for limits at each step ± {noise(REPETITIONS // 4):.2f}. Runs × tasks; a star: called heuristic.",
        "",
        *table(["curves", "statistic", *(f"{runs} × {tasks}" for runs, tasks in DESIGNS)], rows([(s, DESIGNS) for s in STATISTICS], REPETITIONS)),
    ]  # fmt: skip


def more_runs() -> list[str]:
    """IQM and mean of more runs."""
    asked = [("iqm", (DESIGNS[-1],)), ("mean", (MANY,))]
    return [
        f"{MANY_REPETITIONS:,} samples, 0.95 ± {noise(MANY_REPETITIONS):.3f}: the IQM of {DESIGNS[-1][0]} × {DESIGNS[-1][1]} runs, the mean of {MANY[0]} × {MANY[1]}. A star: called heuristic.",
        "",
        *table(["curves", "statistic", "at each step / at all steps"], rows(asked, MANY_REPETITIONS)),
    ]


def noise(repetitions: int) -> float:
    """By how much so many repetitions miss a coverage of 95 %, in 95 of 100 cases."""
    return float(1.96 * np.sqrt(0.95 * 0.05 / repetitions))


SECTIONS = {"Simulated coverage, few runs": few_runs, "Simulated coverage, more runs": more_runs}


def main(asked: list[str]) -> None:
    """Simulate and write the sections whose functions are named, or all."""
    text = TARGET.read_text(encoding="utf-8")
    for title, section in SECTIONS.items():
        if asked and section.__name__ not in asked:
            continue
        before, found, after = text.partition(f"## {title}\n")
        following = after.find("\n## ") if found else -1
        rest = after[following + 1 :] if following >= 0 else ""
        text = before + "\n".join([f"## {title}", "", *section(), rest])
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
