"""`ogive summary` on a CSV of a million rows: 20 methods, 10 tasks, 5,000 seeds.

    python benchmarks/summary.py        about half a minute

Each round has a new file. This process stays small, because the peak memory of a child on Linux
is never less than its parent's at the start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _measure import ROUNDS, Claim, circumstances, report

METHODS, TASKS, SEEDS = 20, 10, 5000
MOST_SECONDS, MOST_GIGABYTES = 15.0, 1.5

COMMAND = """
import sys
from ogive.cli import main
code = main(["summary", sys.argv[1]])
assert "numba" not in sys.modules, "numba was loaded"
sys.exit(code)
"""

NOTES = """\
`ogive summary FILE` with its defaults (six statistics for each of 200 cells, each with an
interval), from starting Python to the printed table. Seconds: the best of five, each with a new
file; memory: the largest of five. The run fails if numba was loaded."""


def write_scores(path: Path, seed: int) -> None:
    """Columns model, dataset, seed, score; rows in order of the seed, methods and tasks mixed."""
    rng = np.random.default_rng(seed)
    cells = [f"method-{m:02d},task-{t}" for m in range(METHODS) for t in range(TASKS)]
    with path.open("w", encoding="ascii") as out:
        out.write("model,dataset,seed,score\n")
        for i in range(SEEDS):
            scores = rng.beta(8.0, 2.0, len(cells))
            out.writelines(f"{cells[c]},{i},{scores[c]}\n" for c in rng.permutation(len(cells)))


def run(path: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds of all threads, peak gigabytes."""
    start = time.perf_counter()
    with path.with_suffix(".txt").open("w", encoding="utf-8") as out:
        child = subprocess.Popen([sys.executable, "-c", COMMAND, str(path)], stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    shown = path.with_suffix(".txt").read_text(encoding="utf-8")
    if child.returncode or shown.count("method-") != METHODS * TASKS:
        raise RuntimeError(f"ogive summary failed:\n{shown[-2000:]}")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return wall, used.ru_utime + used.ru_stime, kilobytes * 1024 / 1e9


def main() -> int:
    header = circumstances("numpy", "pyarrow", "scipy")
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for seed in range(ROUNDS):
            path = Path(folder, f"scores-{seed}.csv")
            write_scores(path, seed)
            runs.append(run(path))
            path.unlink()
    wall, cpu, memory = zip(*runs, strict=True)
    what = f"`ogive summary`, {METHODS * TASKS * SEEDS:,} rows, {METHODS} methods × {TASKS} tasks"
    claims = [
        Claim(text=f"{what}: CPU", measured=min(cpu), limit=MOST_SECONDS),
        Claim(text=f"{what}: wall", measured=min(wall), limit=MOST_SECONDS),
        Claim(text=f"{what}: peak memory", measured=max(memory), limit=MOST_GIGABYTES, unit="GB"),
    ]
    return report("Summary (`benchmarks/summary.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
