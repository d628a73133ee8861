"""Table 1 and Figure 1 of the study, from trials: published value, ours, interval, verdict.

`ogive reproduce jordan2018 --table 1` reads the committed trials; with `--trials N` the study is run
(or continued) in `--out` first, the tuned half with at most 20 trials, since each fits 151 models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import figure as pictures
import pandas as pd
import swingup

import ogive
from ogive import writing
from ogive.words import listed

HERE = Path(__file__).parent
RESULTS = HERE / "results"
# Where the trials of a mode are kept, and which study makes them.
MODES = {
    "random": {"random.parquet": "untuned"},
    "tuned": {"tuned.parquet": "searched", "tuned-faces.parquet": "searched_faces"},
}
TABLES, FIGURES = ("1", "2"), ("1", "2", "3")
WRITTEN = (
    "table1.csv",
    "table1.md",
    "figure1.png",
    "table2.csv",
    "table2.md",
    "figure2.png",
    "figure3-ppo.png",
    "figure3-ac.png",
)
MOST_TUNED = 20
MASS = 0.5  # the paper's CVaR at 0.5 is the mean of the upper half
PAPER_TRIALS = 2000  # not stated in the paper; its own sampling error is taken to be that of so many trials
ROUNDING = 0.0005
FEW = "too few trials to tell"


def reproduce(*, table: str | None, figure: str | None, trials: int | None, out: Path, workers: int | None) -> str:
    """The table as text; pictures and CSV are written into `out`."""
    for what, name, names in (("table", table, TABLES), ("figure", figure, FIGURES)):
        if name not in (None, *names):
            raise ogive.errors.InputError(f"`--{what}` can be {listed(list(names), 'or')} for this study; got {name}.")
    asked_tables = TABLES if table is None and figure is None else (table,)
    asked_figures = FIGURES if table is None and figure is None else (figure,)
    if trials is not None and not {"1"} & {*asked_tables, *asked_figures}:
        raise ogive.errors.InputError(
            "`--trials` runs those of Table 1; `python studies/jordan2018/pendulum.py` runs those of Table 2, Figure 2 and Figure 3."
        )
    for name in WRITTEN:  # before hours of trials
        writing.ready(out / name, folders=True)
        writing.make_folder_of(out / name)
    text = []
    if {"1"} & {*asked_tables, *asked_figures}:
        found = {mode: _trials(mode, trials, out, workers) for mode in MODES}
        if "1" in asked_tables:
            rows = table1(found)
            writing.write(out / "table1.csv", rows.to_csv(index=False).encode())
            writing.write(out / "table1.md", markdown(rows).encode())
            text += [rows.to_string(index=False), misses(rows)]
        if "1" in asked_figures:
            text.append(str(pictures.draw(found, out / "figure1.png")))
    if {"2", "3"} & {*asked_tables, *asked_figures}:
        text += _pendulum(asked_tables, asked_figures, out)
    return "\n\n".join(text)


def _pendulum(tables: Sequence[str | None], figures: Sequence[str | None], out: Path) -> list[str]:
    """Table 2, Figures 2 and 3 from what was run of them."""
    runs, text = swingup.Found.read(), []
    if not runs.tables:
        return ["Table 2, Figures 2 and 3: not run yet; `python studies/jordan2018/pendulum.py` runs their trials."]
    if "2" in tables:
        rows = swingup.table2(runs)
        shown = swingup.show(rows, runs)
        writing.write(out / "table2.csv", rows.to_csv(index=False).encode())
        writing.write(out / "table2.md", f"{shown.to_markdown()}\n".encode())
        text += [shown.to_text(), *swingup.sentences(runs, rows)]
    for name, draw in (("2", swingup.figure2), ("3", swingup.figure3)):
        if name in figures:
            drawn = draw(runs, out)
            text += [str(path) for path in drawn] or [f"Figure {name}: not run yet."]
    return text


def _trials(mode: str, n_trials: int | None, out: Path, workers: int | None) -> ogive.Trials | None:
    if n_trials is None:
        kept = [RESULTS / name for name in MODES[mode] if (RESULTS / name).exists()]
        return ogive.read(kept) if kept else None
    import study  # this folder is first on the path

    name = next(iter(MODES[mode].values()))
    most = n_trials if mode == "random" else min(n_trials, MOST_TUNED)
    return ogive.run(getattr(study, name), n_trials=most, store=out / mode, workers=workers)


def table1(found: dict[str, ogive.Trials | None]) -> pd.DataFrame:
    """One row for each published cell: what was published, what we have, and whether they agree."""
    published = pd.read_csv(HERE / "published.csv")
    return pd.DataFrame([_row(found[cell["mode"]], cell) for cell in published.to_dict("records")])


def _row(trials: ogive.Trials | None, cell: dict[str, object]) -> dict[str, object]:
    algorithm, task, value = str(cell["algorithm"]), str(cell["task"]), float(str(cell["cvar"]))
    row = {"mode": cell["mode"], "task": task, "algorithm": algorithm, "published": value}
    nothing = {
        "ours": math.nan,
        "low": math.nan,
        "high": math.nan,
        "n": 0,
        "difference_se": math.nan,
        "verdict": "not run",
    }
    if trials is None or algorithm not in trials.algorithms or task not in trials.tasks:
        return {**row, **nothing}
    scores = trials.scores(algorithm, task)
    ours = ogive.statistics.tail_mean_interval(scores, mass=MASS, tail="upper")
    if not math.isfinite(ours.high - ours.low):
        few = {"ours": round(ours.estimate, 4), "n": len(scores), "verdict": FEW}
        return {**row, **nothing, **few}
    # Both numbers are estimates: the paper's has the error of its own trials, and of three digits.
    se = (ours.high - ours.low) / 2 / 1.96
    both = math.hypot(se, se * math.sqrt(len(scores) / PAPER_TRIALS))
    gap = abs(ours.estimate - value)
    agrees = gap <= 1.96 * both + ROUNDING
    verdict = "agrees" if agrees else f"{'higher' if ours.estimate > value else 'lower'} by {gap:.3f}"
    return {
        **row, "ours": round(ours.estimate, 4), "low": round(ours.low, 4), "high": round(ours.high, 4), "n": len(scores),
        "difference_se": round(both, 4), "verdict": verdict,
    }  # fmt: skip


def markdown(rows: pd.DataFrame) -> str:
    """The cells that were run, as the page beside this file shows them."""
    lines = [
        "| | algorithm | task | published | ours | 95 % interval | trials | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows[rows["n"] > 0].sort_values("mode", kind="stable").to_dict("records"):
        ends = f"[{row['low']:.3f}, {row['high']:.3f}]" if row["verdict"] != FEW else ""
        lines.append(
            f"| {row['mode']} | {row['algorithm']} | {row['task']} | {row['published']:.3f} | {row['ours']:.3f} | "
            f"{ends} | {row['n']} | {row['verdict']} |"
        )
    return "\n".join(lines) + "\n"


def misses(rows: pd.DataFrame) -> str:
    """How many cells miss, against what chance allows."""
    from scipy.stats import binom

    lines = []
    for mode, part in rows[(rows["n"] > 0) & (rows["verdict"] != FEW)].groupby("mode", sort=False):
        missed, n = int((part["verdict"] != "agrees").sum()), len(part)
        most = int(binom.ppf(0.975, n, 0.05))
        lines.append(
            f"{mode}: {missed} of {n} cells differ by more than both samples allow at 95 %; chance alone gives up to {most} in 97.5 % of studies."
        )
    return "\n".join(lines)
