"""Recht's two figures with bands, all frame counts, what the Welch test hides, and raw runs instead.

    python studies/recht2018/run.py [--data FOLDER]

The data (atari_machado.csv, rliable_atari100k_tidy.csv, atari100k_baselines.csv) are public tables and
not part of this repository; FOLDER defaults to $OGIVE_DATA, then to ../shared/data beside it. Writes
small tables and two figures to `results/` here. A minute.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import numpy as np
import pandas as pd

from ogive import plots, profiles

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
DQN, BLOB = "DQN", "Blob-PROST"
FRAMES = (10, 50, 100, 200)  # millions
# Recht draws τ from .3 (the smallest distance of a method that is not the best) to 3.
FIRST_TAU, LAST_TAU = 0.3, 3.0
FIVE_PERCENT = -np.log10(0.05)


def data_folder(given: str | None) -> Path:
    """Where the tables are."""
    folder = Path(given or os.environ.get("OGIVE_DATA") or HERE.parents[2] / "shared" / "data")
    if not (folder / "atari_machado.csv").is_file():
        raise SystemExit(f"atari_machado.csv is not in {folder.name}/; say --data FOLDER or set OGIVE_DATA.")
    return folder


def machado(folder: Path) -> pd.DataFrame:
    """Game, method, frames in millions, mean, std, n."""
    frame = pd.read_csv(folder / "atari_machado.csv").rename(columns={"n_runs": "n"})
    frame["method"] = frame["method"].replace({"Sarsa(lambda)+Blob-PROST": BLOB})
    return frame.assign(frames=frame["frames"] // 1_000_000)


def duel(frame: pd.DataFrame, dqn: int, blob: int) -> pd.DataFrame:
    """The two methods, each at its number of frames (in millions), named by it where they differ."""
    parts = [frame[(frame["method"] == m) & (frame["frames"] == f)] for m, f in ((DQN, dqn), (BLOB, blob))]
    both = pd.concat(parts).drop(columns="frames")
    return both if dqn == blob else both.assign(method=[f"{m} {dqn if m == DQN else blob}M" for m in both["method"]])


def figures(frame: pd.DataFrame) -> pd.DataFrame:
    """The post's two figures; the steps of their curves."""
    curves = []
    for number, (dqn, blob) in enumerate(((200, 200), (10, 200)), start=1):
        profile = profiles.performance_profile(duel(frame, dqn, blob), "welch", strict=True)
        plots.profile(profile, tau_max=LAST_TAU).save(RESULTS / f"figure{number}.png", dpi=150)
        curves.append(profile.to_pandas().assign(figure=number))
    return pd.concat(curves, ignore_index=True)


def frame_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Every frame count, and the post's second figure: who is drawn ahead, and what is certain."""
    rows = []
    for dqn, blob in (*((f, f) for f in FRAMES), (10, 200)):
        table = duel(frame, dqn, blob)
        a, b = table["method"].unique()[::-1]
        for kind, options in (("welch", {"strict": True}), ("welch", {"strict": True, "equalize": "min-n"})):
            found = profiles.performance_profile(table, kind, **options).compare(a, b)
            shown = [entry for entry in found.ahead if entry[1] > FIRST_TAU and entry[0] < LAST_TAU]
            rows.append({
                "dqn_frames": dqn, "blob_frames": blob, "kind": kind, "equal_n": "equalize" in options, "wins_blob": found.wins,
                "wins_dqn": found.losses, "ties": found.ties, "crossings_in_figure": sum(one[2] != two[2] for one, two in itertools.pairwise(shown)), "difference": found.difference.estimate,
                "low": found.difference.low, "high": found.difference.high, "conclusion": found.conclusion, "verdict": found.verdict,
            })  # fmt: skip
    return pd.DataFrame(rows)


def hidden(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the Welch version hides: cells without spread, and 5 runs against 24."""
    flat = frame[frame["std"] == 0.0][["game", "method", "frames", "mean", "std", "n"]].reset_index(drop=True)
    rows = []
    for frames in FRAMES:
        table = duel(frame, frames, frames)
        for label, counted in (("5 and 24, as reported", table), ("as if 5 each", table.assign(n=5)), ("as if 24 each", table.assign(n=24))):  # fmt: skip
            profile = profiles.performance_profile(counted, "welch", strict=True)
            held = dict(zip(profile.methods, profile.at(FIVE_PERCENT).tolist(), strict=True))
            rows.append({"frames": frames, "runs": label, **{f"within p = .05, {m}": held[m] for m in (DQN, BLOB)}})
    return flat, pd.DataFrame(rows)


def raw_runs(folder: Path) -> dict[str, pd.DataFrame]:
    """Atari 100k by its runs: the estimands that the means alone could not give."""
    runs = pd.read_csv(folder / "rliable_atari100k_tidy.csv")
    base = pd.read_csv(folder / "atari100k_baselines.csv").set_index("game")
    human = profiles.Baselines(base["random"].to_dict(), base["human"].to_dict())
    score = profiles.performance_profile(runs, "score", normalize=human)
    chance = profiles.performance_profile(runs, "improvement")
    ranks = profiles.performance_profile(runs, "rank", equalize="min-n")
    rows = []
    for a, b in itertools.combinations(score.methods, 2):
        held = profiles.probability_of_improvement(runs, a, b)
        rows.append({
            "a": a, "b": b, "improvement": held.estimate, "low": held.low, "high": held.high,
            "score_profile": score.compare(a, b).conclusion, "improvement_profile": chance.compare(a, b).conclusion,
            "rank_profile": ranks.compare(a, b).conclusion, "verdict": score.verdict(a, b),
        })  # fmt: skip
    return {
        "atari100k_aggregates": profiles.aggregates(runs, normalize=human).to_pandas(),
        "atari100k_pairs": pd.DataFrame(rows),
        "atari100k_methods": pd.DataFrame(
            [{"method": m, "runs_per_game": n // len(score.problems), "wins_by_mean": w, "wins_by_duels": c}
             for m, n, w, c in zip(score.methods, score.n, score.wins, chance.wins, strict=True)]
        ),
    }  # fmt: skip


def main() -> None:
    """Everything, into `results/`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the three tables")
    folder = data_folder(parser.parse_args().data)
    RESULTS.mkdir(exist_ok=True)
    frame = machado(folder)
    figures(frame).to_parquet(RESULTS / "curves.parquet", index=False)
    flat, counts = hidden(frame)
    tables = {"frame_counts": frame_counts(frame), "no_spread": flat, "number_of_runs": counts, **raw_runs(folder)}
    for name, table in tables.items():
        table.to_csv(RESULTS / f"{name}.csv", index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
