"""Every command that reads a table, on tables as large as people have: CPU seconds and peak memory.

python benchmarks/sizes.py                          all tables, all commands
python benchmarks/sizes.py methods --ask report     one table, one command

Each command runs in a process of its own, from starting Python to the last line or picture, file
reading included, and is killed when it passes the limit.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from _measure import Claim, circumstances, report

MOST_SECONDS, MOST_GIGABYTES = 60.0, 2.0
MOST_TO_COMPARE = 8.0  # seconds for a million rows of two methods
MOST_PAGE = 10.0  # megabytes
KILLED_AFTER = float(os.environ.get("OGIVE_SIZES_LIMIT", "120"))

# Methods, tasks, runs.
TABLES = {
    "rows": (5, 5, 100_000),
    "two": (2, 1, 1_250_000),
    "methods": (500, 200, 3),
    "middle": (50, 100, 5),
    "small": (100, 50, 2),
}
TWICE = {"methods": (200, 50, 4), "tasks": (100, 100, 4), "runs": (100, 50, 8)}
START = (100, 50, 4)
OGIVE = [sys.executable, "-m", "ogive.cli"]
PICTURE = """
import sys
import ogive
from ogive.errors import InputError
from ogive import plots, profiles
trials = ogive.read(sys.argv[1], score="accuracy", unit="row")
a, b, task = trials.algorithms[0], trials.algorithms[1], trials.tasks[0]
makers = {
    "difference": lambda: plots.difference(trials, a, b, task=task),
    "best_of": lambda: plots.best_of(trials),
    "pairs": lambda: plots.pairs(ogive.rank(trials)),
    "ranks": lambda: plots.ranks(ogive.rank(trials)),
    "intervals": lambda: plots.intervals(ogive.summarize(trials)),
    "aggregates": lambda: plots.aggregates(profiles.aggregates(trials)),
    "critical_difference": lambda: plots.critical_difference(profiles.average_ranks(trials)),
}
try:
    makers[sys.argv[2]]().save(sys.argv[3])
except InputError as error:  # as the command line ends with it
    print(error, file=sys.stderr)
    sys.exit(2)
"""
NOTES = f"""\
One process for each command, from starting Python to the last line or picture; the file is CSV unless
the line says Parquet. CPU seconds of all threads and children, and the largest memory of one process; once each, killed after
{KILLED_AFTER:g} s. A refusal that says its reason and the way out (exit code 2, at once) counts with its time and is
marked. Normal scores between 0 and 1, methods a little apart, a hyper-parameter drawn for each run. *Page*: the
size of the file that `report` wrote. *Growth*: the exponent e in time ∝ sizeᵉ between
{"×".join(map(str, START))} and a table with twice as much of one thing, the time that reading one row takes subtracted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a process took, and how it ended."""

    cpu: float
    gigabytes: float
    code: int
    killed: bool
    said: str

    @property
    def ending(self) -> str:
        if self.killed:
            return "killed"
        return "" if self.code in (0, 4, 5) else f"refused: {self.said}" if self.code == 2 else f"BROKE {self.code}: {self.said}"  # fmt: skip


def write_table(path: Path, methods: int, tasks: int, runs: int, seed: int) -> None:
    """Methods × tasks × runs rows, in the order in which a program would log them."""
    rng = np.random.default_rng(seed)
    m, t, r = (a.ravel() for a in np.indices((methods, tasks, runs)))
    skill = np.linspace(0.0, 0.08, methods)
    hard = rng.uniform(0.2, 0.7, tasks)
    rate = 10 ** rng.uniform(-4, -1, m.size)
    noise = rng.normal(0.0, 0.05, m.size) - 0.01 * np.abs(np.log10(rate) + 2.5)
    score = np.clip(hard[t] + skill[m] + noise, 0.0, 1.0).round(5)
    names = pa.array([f"method-{i:03d}" for i in range(methods)])
    problems = pa.array([f"task-{i:03d}" for i in range(tasks)])
    table = pa.table(
        {
            "method": pa.DictionaryArray.from_arrays(pa.array(m, pa.int32()), names).cast(pa.string()),
            "task": pa.DictionaryArray.from_arrays(pa.array(t, pa.int32()), problems).cast(pa.string()),
            "seed": pa.array(r),
            "learning_rate": pa.array(rate),
            "accuracy": pa.array(score),
        }
    )
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.csv.write_csv(table, path)


def run(arguments: Sequence[str], folder: Path) -> Used:
    """A command, by itself."""
    limit = math.ceil(KILLED_AFTER)

    def restrain() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        child = subprocess.Popen(arguments, stdout=out, stderr=err, cwd=folder, preexec_fn=restrain)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    lines = (folder / "err").read_text(errors="replace").strip().splitlines() or [""]
    scale = 1 if sys.platform == "darwin" else 1024
    return Used(
        cpu=used.ru_utime + used.ru_stime,
        gigabytes=used.ru_maxrss * scale / 1e9,
        code=child.returncode,
        killed=child.returncode < 0,
        said=lines[-1][:160],
    )


def questions(file: Path, other: Path) -> dict[str, list[str]]:
    """Each command on a table; `other` is a second table of the same shape."""
    first, second = "method-000", "method-001"
    source, score = str(file), ["--score", "accuracy", "--unit", "row"]
    asked = {
        "inspect": [*OGIVE, "inspect", source],
        "summary": [*OGIVE, "summary", source],
        "sources": [*OGIVE, "sources", source, "--param", "learning_rate"],
        "compare": [*OGIVE, "compare", source, "--a", first, "--b", second],
        "compare, paired": [*OGIVE, "compare", source, "--a", first, "--b", second, "--pair", "seed"],
        "rank": [*OGIVE, "rank", source],
        "rank, paired": [*OGIVE, "rank", source, "--pair", "seed"],
        "plan": [*OGIVE, "plan", source, "--half-width", "0.01", "--a", first, "--on", "task-000"],
        "check": [*OGIVE, "check", source, "--baseline", str(other), "--margin", "0.01", "--method", first],
        "plot": [*OGIVE, "plot", source, "-o", "quantile.png"],
        "plot cdf": [*OGIVE, "plot", source, "--kind", "cdf", "-o", "cdf.svg"],
        "report": [*OGIVE, "report", source, "-o", "page.html"],
        "profile": [*OGIVE, "profile", source, "--kind", "score", "--goal", "maximize", "-o", "profile.png"],
        "profile, improvement": [*OGIVE, "profile", source, "--kind", "improvement", "--goal", "maximize", "--pairs", "matrix.png"],
    }  # fmt: skip
    asked = {name: [*words, *(score[:2] if "profile" in words else score)] for name, words in asked.items()}
    for kind in ("difference", "best_of", "pairs", "ranks", "intervals", "aggregates", "critical_difference"):
        asked[f"plots.{kind}"] = [sys.executable, "-c", PICTURE, source, kind, f"{kind}.png"]
    return asked


def measure(name: str, shape: tuple[int, int, int], only: str, folder: Path) -> list[Claim]:
    """All commands on one table."""
    files = [folder / f"{name}.csv", folder / f"{name}-other.csv", folder / f"{name}.parquet"]
    for seed, file in enumerate(files):
        write_table(file, *shape, seed % 2)
    what = " × ".join(f"{n:,}" for n in shape)
    asked = questions(files[0], files[1])
    asked["summary of Parquet"] = [*OGIVE, "summary", str(files[2]), "--score", "accuracy", "--unit", "row"]
    claims = []
    for command, arguments in asked.items():
        if only and command.split(",")[0] != only and command != only:
            continue
        used = run(arguments, folder)
        print(f"{what:>18} {command:22} {used.cpu:7.1f} s {used.gigabytes:5.2f} GB {used.ending}", file=sys.stderr)
        detail = f"{used.gigabytes:.2f} GB{'; ' + used.ending if used.ending else ''}"
        most = MOST_SECONDS if not used.killed and used.code in (0, 2, 4, 5) and used.gigabytes < MOST_GIGABYTES else 0
        claims.append(Claim(text=f"{what}: `{command}`", measured=used.cpu, limit=most, detail=detail))
        if command == "report" and (folder / "page.html").exists():
            size = (folder / "page.html").stat().st_size / 1e6
            print(f"{what:>18} page {size:.1f} MB", file=sys.stderr)
            claims.append(Claim(text=f"{what}: page", measured=size, limit=MOST_PAGE, unit="MB"))
        kept = os.environ.get("OGIVE_SIZES_KEEP")
        for made in (*folder.glob("*.png"), *folder.glob("*.svg"), *folder.glob("*.html")):
            if kept:
                shutil.move(made, Path(kept) / f"{name}-{made.name}")
            else:
                made.unlink()
    for file in files:
        file.unlink()
    return claims


def growth(only: str, folder: Path) -> list[Claim]:
    """Exponents of time in methods, tasks and runs."""
    commands = [only] if only else ["summary", "rank", "plot", "report"]
    seconds: dict[str, dict[str, float]] = {}
    for name, shape in {"start": START, "nothing": (2, 1, 3), **TWICE}.items():
        file = folder / f"{name}.csv"
        write_table(file, *shape, 0)
        asked = questions(file, file)
        seconds[name] = {c: run(asked[c], folder).cpu for c in commands}
        file.unlink()
    claims = []
    for command in commands:
        nothing = seconds["nothing"][command]
        start = max(seconds["start"][command] - nothing, 1e-3)
        for what in TWICE:
            after = max(seconds[what][command] - nothing, 1e-3)
            claims.append(Claim(
                text=f"growth of `{command}` with {what}", measured=math.log2(after / start),
                limit=2.2 if what == "methods" else 1.3, unit="", detail=f"{start:.2f} s to {after:.2f} s",
            ))  # fmt: skip
    return claims


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, "growth", "million", []])
    parser.add_argument("--ask", default="")
    given = parser.parse_args()
    header = circumstances("numpy", "pyarrow", "scipy", "matplotlib", "plotly")
    claims: list[Claim] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in given.tables or TABLES:
            if table in TABLES:
                claims += measure(table, TABLES[table], given.ask, folder)
        if not given.tables or "growth" in given.tables:
            claims += growth(given.ask, folder)
        if "million" in given.tables or not (given.tables or given.ask):
            file = folder / "million.csv"
            write_table(file, 2, 1, 500_000, 0)
            print("comparing a million rows", file=sys.stderr)
            used = run([*OGIVE, "compare", str(file), "--score", "accuracy", "--unit", "row"], folder)
            claims.append(
                Claim(
                    text="`compare`, two methods of 500,000 runs, CSV",
                    measured=used.cpu,
                    limit=0 if used.code else MOST_TO_COMPARE,
                )
            )
    return report("Sizes (`benchmarks/sizes.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
