"""The pendulum study of Jordan, Cohen and Thomas (2018): Actor-Critic and PPO, every hyper-parameter drawn at random.

    python studies/jordan2018/pendulum.py --trials 20000                                   # both, the usual choices
    python studies/jordan2018/pendulum.py --algorithm Actor-Critic --trials 100000 --workers 2
    python studies/jordan2018/pendulum.py --algorithm PPO --remainder cap --trials 20000   # or keep
    python studies/jordan2018/pendulum.py --integrator explicit --trials 20000
    python studies/jordan2018/pendulum.py --percentiles --trials 1000                      # Figure 3, from the tables of the first line

Trials are run in blocks, each into a store of its own below `--out`; block j of m has the trials j, j + m, j + 2 m …
After each block the table in `results` is written anew: for each trial its number, status, configuration, mean return
over the first 100, 200 and 500 episodes, and whether it diverged. Blocks that the table holds are not run again, also
where their stores are gone; a block that was interrupted goes on from its store. The returns of each episode are kept
for the first 200 trials (`pendulum-<choices>-series.parquet`); the others are run without them, which changes no number.
`pendulum-speed.csv` has the CPU time of what was run here, block by block; `--speed` makes it from the stores that are left.

With `--percentiles` the configurations at the 1st, 50th, 95th and 99th percentile of the scores of the first `--among` trials
are run `--trials` times each, with new draws, a hundred at a time; `pendulum-<choices>-slices.parquet` is what `ogive.read` gives
back, with every fifth return of each trial, as whole numbers.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import ogive

HERE = Path(__file__).parent
SEED = 2018
SERIES = 200
EPISODES = 500
ALGORITHMS = ("Actor-Critic", "PPO")
TASK = "pendulum"
PERCENTILES = (1, 50, 95, 99)
EVERY = 5  # of the returns of a slice, which are kept
AT_ONCE = 100  # trials of each slice between two tables


def study(
    algorithm: str,
    *,
    remainder: str = "drop",
    integrator: str = "semi-implicit",
    episodes: int = EPISODES,
    series: bool = False,
) -> ogive.Study:
    """One algorithm on the pendulum; trial i is the same with and without its series."""
    task = ogive.rl.pendulum(episodes=episodes, integrator=integrator, name=TASK)
    if algorithm == "PPO":
        made = ogive.rl.ppo(remainder=remainder, series=series)
    else:
        made = ogive.rl.actor_critic(series=series)
    most = float(task.draw.steps)
    metrics = {"return": ogive.Metric("maximize", (-most, most)), "diverged": ogive.Metric("minimize", (0, 1))}
    return ogive.Study("jordan2018-pendulum", made, task, seed=SEED, metrics=metrics)


def choices(algorithm: str, remainder: str, integrator: str, episodes: int = EPISODES) -> str:
    """The name of a set of choices, for files and directories: ac, ppo-drop, ppo-cap-explicit."""
    name = f"ppo-{remainder}" if algorithm == "PPO" else "ac"
    name = name if integrator == "semi-implicit" else f"{name}-{integrator}"
    return name if episodes == EPISODES else f"{name}-{episodes}"


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


def as_trials(path: Path, algorithm: str, first: int | None = None) -> ogive.Trials:
    """A table that `write` wrote, or its trials below `first`, as trials of the study."""
    frame = pd.read_parquet(path).astype({"status": str})
    frame = frame if first is None else frame[frame["trial"] < first]
    drawn = study(algorithm).algorithms[0].space.names
    frame["params"] = [
        json.dumps(dict(zip(drawn, row, strict=True))) for row in zip(*(frame[n].tolist() for n in drawn), strict=True)
    ]
    frame = frame.assign(algorithm=algorithm, task=TASK)
    metrics = [name for name in frame.columns if name.startswith("return")]
    most = float(study(algorithm).tasks[0].draw.steps)
    columns = ["algorithm", "task", "trial", "status", "params", *metrics]
    return ogive.read(
        frame[columns], score=["return", *(name for name in metrics if name != "return")], repeat="trial", params="params",
        status="status", goal="maximize", bounds=(-most, most), unit="row", varied=["configuration", "data", "seed"],
    )  # fmt: skip


def thinned(trials: ogive.Trials) -> ogive.Trials:
    """The same trials with every fifth of their returns, as whole numbers."""
    table = trials.series_table
    values = [np.rint(np.asarray(one)[::EVERY]) for one in table["values"].to_pylist()]
    place = table.schema.get_field_index("values")
    return replace(trials, series_source=table.set_column(place, "values", pa.array(values, pa.list_(pa.float64()))))


def run_slices(algorithm: str, given: argparse.Namespace) -> None:
    """The configurations at percentiles, a hundred trials of each at a time."""
    name = choices(algorithm, given.remainder, given.integrator, given.episodes)
    path = given.results / f"pendulum-{name}.parquet"
    if not path.exists():
        raise SystemExit(f"{path} is not there; run `pendulum.py --algorithm {algorithm}` first.")
    among = as_trials(path, algorithm, given.among)
    if len(among) < given.among:
        raise SystemExit(
            f"{path} has {len(among)} of the first {given.among} trials; run the others first, or take --among fewer."
        )
    options = {"remainder": given.remainder, "integrator": given.integrator, "episodes": given.episodes}
    slices = study(algorithm, **options, series=True).at_percentiles(among, PERCENTILES)
    for n in [*range(AT_ONCE, given.trials, AT_ONCE), given.trials]:
        start = time.monotonic()
        found = ogive.run(slices, n, given.out / f"{name}-slices", workers=given.workers, progress=False)
        thinned(found).write(given.results / f"pendulum-{name}-slices.parquet")
        means = ", ".join(f"{found.scores(a).mean():.0f}" for a in found.algorithms)
        print(
            f"{name}: {n} of {given.trials} trials of each slice, means {means}; {time.monotonic() - start:.0f} s",
            flush=True,
        )


def note_speed(path: Path, name: str, store: Path, trials: ogive.Trials) -> None:
    """The CPU time of what a store holds, as a row of a table."""
    spent = trials.to_pandas()["cpu_s"]
    row = {
        "choices": name,
        "block": store.name,
        "trials": len(spent),
        "cpu_hours": round(float(spent.sum()) / 3600.0, 5),
    }
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(row))
    others = known[known["block"] != store.name].to_dict("records")
    pd.DataFrame(sorted([*others, row], key=lambda one: str(one["block"]))).to_csv(path, index=False)


def main() -> None:
    """Run what is missing, block by block, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithm", choices=ALGORITHMS, action="append", help="both where left out")
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--block", type=int, default=2_000, help="trials between two tables")
    parser.add_argument("--remainder", choices=("drop", "keep", "cap"), default="drop", help="of PPO's batches")
    parser.add_argument("--integrator", choices=("semi-implicit", "explicit"), default="semi-implicit")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--series", type=int, default=SERIES, help="trials whose returns are kept by episode")
    parser.add_argument("--out", type=Path, default=Path("results/jordan2018-pendulum"), help="where stores are")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where tables are written")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--percentiles", action="store_true", help="run the configurations at percentiles")
    parser.add_argument("--speed", action="store_true", help="run nothing; note the CPU time of the blocks in --out")
    parser.add_argument("--among", type=int, default=5_000, help="with --percentiles: of the scores of so many trials")
    given = parser.parse_args()
    if given.speed:
        for store in sorted(given.out.glob("*-of-*")):
            note_speed(given.results / "pendulum-speed.csv", store.name.rsplit("-", 3)[0], store, ogive.read(store))
        return
    for algorithm in given.algorithm or ALGORITHMS:
        if given.percentiles:
            run_slices(algorithm, given)
            continue
        name = choices(algorithm, given.remainder, given.integrator, given.episodes)
        options = {"remainder": given.remainder, "integrator": given.integrator, "episodes": given.episodes}
        path, curves = (given.results / f"pendulum-{name}{part}.parquet" for part in ("", "-series"))
        n_series = min(given.series, given.trials)
        if n_series and (not curves.exists() or pq.read_metadata(curves).num_rows < n_series):
            some = study(algorithm, **options, series=True)
            kept = ogive.run(some, n_series, given.out / f"{name}-series", workers=given.workers, progress=False)
            write_series(kept, curves)
        n_blocks = -(-given.trials // given.block)
        for j in range(n_blocks):
            there = pq.read_table(path) if path.exists() else None
            known = set() if there is None else set(there.column("trial").to_pylist())
            if known.issuperset(range(j, given.trials, n_blocks)):
                continue
            start = time.monotonic()
            store = given.out / f"{name}-{j + 1}-of-{n_blocks}"
            trials = ogive.run(
                study(algorithm, **options),
                given.trials,
                store,
                shard=(j + 1, n_blocks),
                workers=given.workers,
                progress=False,
            )
            note_speed(given.results / "pendulum-speed.csv", name, store, trials)
            new = table(trials)
            if there is not None:
                old = there.filter(pc.invert(pc.is_in(there.column("trial"), new.column("trial").combine_chunks())))
                new = pa.concat_tables([old, new], promote_options="permissive")
            new = new.unify_dictionaries().sort_by("trial")
            write(new, path)
            scores = np.sort(new.column("return").drop_null().to_numpy())
            print(
                f"{name}: {new.num_rows} of {given.trials} trials, mean {scores.mean():.1f}, mean of the upper half "
                f"{scores[len(scores) // 2 :].mean():.1f}, largest {scores[-1]:.0f}; {time.monotonic() - start:.0f} s for this block",
                flush=True,
            )


if __name__ == "__main__":
    main()
