"""The pendulum study of Jordan, Cohen and Thomas (2018): Actor-Critic and PPO, every hyper-parameter drawn at random.

    python studies/jordan2018/pendulum.py --trials 20000                                   # both, the usual choices
    python studies/jordan2018/pendulum.py --algorithm Actor-Critic --trials 100000 --workers 2
    python studies/jordan2018/pendulum.py --algorithm PPO --remainder cap --trials 20000   # or keep
    python studies/jordan2018/pendulum.py --integrator explicit --trials 20000
    python studies/jordan2018/pendulum.py --algorithm PPO --table                          # only write what is there

Trials are run in blocks into a store (`--out`, a directory for each choice); after each block the table is
written anew into `results`: for each trial its number, status, configuration, mean return over the first 100, 200
and 500 episodes, and whether it diverged. The same command goes on where an interrupted one stopped, and adds
nothing to what is finished; `--trials` may be raised later. The returns of each episode are kept for the first 200 trials
(`pendulum-<choices>-series.parquet`); the other trials of a store are run without them, which changes no number.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ogive

HERE = Path(__file__).parent
SEED = 2018
SERIES = 200
ALGORITHMS = ("Actor-Critic", "PPO")


def study(
    algorithm: str,
    *,
    remainder: str = "drop",
    integrator: str = "semi-implicit",
    episodes: int = 500,
    series: bool = False,
) -> ogive.Study:
    """One algorithm on the pendulum; trial i is the same with and without its series."""
    task = ogive.rl.pendulum(episodes=episodes, integrator=integrator)
    if algorithm == "PPO":
        made = ogive.rl.ppo(remainder=remainder, series=series)
    else:
        made = ogive.rl.actor_critic(series=series)
    most = float(task.draw.steps)
    metrics = {"return": ogive.Metric("maximize", (-most, most)), "diverged": ogive.Metric("minimize", (0, 1))}
    return ogive.Study("jordan2018-pendulum", made, task, seed=SEED, metrics=metrics)


def choices(algorithm: str, remainder: str, integrator: str) -> str:
    """The name of a set of choices, for files and directories: ac, ppo-drop, ppo-cap-explicit."""
    name = f"ppo-{remainder}" if algorithm == "PPO" else "ac"
    return name if integrator == "semi-implicit" else f"{name}-{integrator}"


def table(trials: ogive.Trials) -> pa.Table:
    """Trial, status, configuration and scores, as small as they can be kept without loss of what is read from them."""
    rows = trials.table.sort_by("trial")
    drawn = [json.loads(text) if text else {} for text in rows.column("params").to_pylist()]
    columns: dict[str, pa.Array] = {"trial": rows.column("trial").cast(pa.int32())}
    columns["status"] = rows.column("status").cast(pa.string()).dictionary_encode()
    for name in sorted(set().union(*drawn)):
        values = [config.get(name) for config in drawn]
        whole = all(isinstance(value, int) for value in values)
        columns[name] = pa.array(values, type=pa.int16() if whole else pa.float64())
    for name in trials.metrics:
        columns[name] = rows.column(name).cast(
            pa.int8() if name == "diverged" else pa.float32(), safe=name == "diverged"
        )
    return pa.table(columns)


def write(result: pa.Table, path: Path) -> None:
    """A Parquet file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    pq.write_table(result, beside, compression="zstd")
    beside.replace(path)


def write_series(trials: ogive.Trials, path: Path) -> None:
    """The return of each episode of each trial: a row for each trial."""
    curves = trials.series(trials.algorithms[0], trials.tasks[0], "returns")
    values = [np.asarray(curves[i], dtype=np.float32) for i in sorted(curves)]
    write(
        pa.table({"trial": pa.array(sorted(curves), pa.int32()), "returns": pa.array(values, pa.list_(pa.float32()))}),
        path,
    )


def main() -> None:
    """Run what is missing, block by block, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithm", choices=ALGORITHMS, action="append", help="both where left out")
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--block", type=int, default=2_000, help="trials between two tables")
    parser.add_argument("--remainder", choices=("drop", "keep", "cap"), default="drop", help="of PPO's batches")
    parser.add_argument("--integrator", choices=("semi-implicit", "explicit"), default="semi-implicit")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--series", type=int, default=SERIES, help="trials whose returns are kept by episode")
    parser.add_argument("--out", type=Path, default=Path("results/jordan2018-pendulum"), help="where stores are")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where tables are written")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="write tables of what is there, and run nothing")
    given = parser.parse_args()
    for algorithm in given.algorithm or ALGORITHMS:
        name = choices(algorithm, given.remainder, given.integrator)
        options = {"remainder": given.remainder, "integrator": given.integrator, "episodes": given.episodes}
        what, store = study(algorithm, **options), given.out / name
        if given.table:
            write(table(ogive.read(store)), given.results / f"pendulum-{name}.parquet")
            continue
        if given.series:
            some = study(algorithm, **options, series=True)
            kept = ogive.run(
                some,
                min(given.series, given.trials),
                given.out / f"{name}-series",
                workers=given.workers,
                progress=False,
            )
            write_series(kept, given.results / f"pendulum-{name}-series.parquet")
        for n_trials in [*range(given.block, given.trials, given.block), given.trials]:
            start = time.monotonic()
            trials = ogive.run(what, n_trials, store, workers=given.workers, progress=False)
            result = table(trials)
            write(result, given.results / f"pendulum-{name}.parquet")
            scores = np.asarray(trials.scores(failures="exclude", metric="return"))
            best = np.sort(scores)[len(scores) // 2 :]
            print(
                f"{name}: {len(trials)} of {given.trials} trials, mean {scores.mean():.1f}, mean of the upper half {best.mean():.1f}, "
                f"largest {scores.max():.0f}; {time.monotonic() - start:.0f} s for this block",
                flush=True,
            )


if __name__ == "__main__":
    main()
