"""Whole runs of curves: CPU seconds of a thousand repetitions with their store, and the memory of a child.

    python benchmarks/curve_runs.py [DATA]          some ten minutes of CPU

DATA is a folder with openml_61_iris.csv, openml_37_diabetes.csv and openml_44037_rl.csv, the class in the last column;
where left out, shared/data beside the repository.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import threading
from pathlib import Path

import psutil
from _measure import Claim, circumstances, cpu_seconds, number, report
from curve_kernels import FILES, load

from ogive.curves import MODELS, learning_curves

FILES["rl"] = ("openml_44037_rl.csv", 0)
WITHOUT = ("forest", "adaboost")
REPETITIONS = 1000
# Data set, models, repetitions that are run, CPU seconds allowed for a thousand.
RUNS = (
    ("iris", tuple(MODELS), 1000, 120.0),
    ("diabetes", tuple(m for m in MODELS if m not in WITHOUT), 100, 400.0),
    ("diabetes", WITHOUT, 100, 2400.0),
)
MOST_MB = 1000.0
LARGE_SIZES = (10, 100, 1000, 3479)

NOTES = """\
CPU seconds of the process and its two workers, once: from the call of `learning_curves` to the array, the start of the
workers, the prediction of the cost and the store included; additive design, fixed test set of a fifth, every size from
the number of classes to 0.7 of the rows, four metrics. Of diabetes 100 repetitions are run and the time is multiplied
by ten; its last row adds forest and AdaBoost to the row before. Compiling is not counted: kernels are cached. Memory:
the largest of any worker, ten models on the 4,970 rows of rl, one repetition at four sizes, the largest 3,479."""


def seconds(folder: Path, name: str, models: tuple[str, ...], n_repetitions: int) -> float:
    """CPU seconds of a run that keeps its repetitions in a store."""
    data = load(folder, name)
    with tempfile.TemporaryDirectory() as store:
        start = cpu_seconds()
        learning_curves(
            list(models), data.X, data.y, n_repetitions=n_repetitions, name=name, store=Path(store) / "s", workers=2, max_cost=1e9
        )  # fmt: skip
        return cpu_seconds() - start


def largest_child(folder: Path) -> float:
    """Megabytes of the largest worker, either kind of test set once.

    As /proc has it (Linux): the peak that getrusage gives of a child begins with that of its parent.
    """
    data, found, done = load(folder, "rl"), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(OSError):  # it may be gone by now
                    status = Path(f"/proc/{child.pid}/status").read_text(encoding="utf-8")
                    found.extend(float(kib) * 1.024e-3 for kib in re.findall(r"VmHWM:\s+(\d+)", status))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        for test in ("fixed", "varying"):
            learning_curves(
                list(MODELS), data.X, data.y, test=test, sizes=LARGE_SIZES, n_repetitions=1, name="rl", workers=1, max_cost=1e9
            )  # fmt: skip
    finally:
        done.set()
        watching.join()
    return max(found)


def main() -> int:
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "shared" / "data"
    names = ("iris", "diabetes", "rl")
    if not all((folder / FILES[name][0]).is_file() for name in names):
        print(f"give a folder that holds {' and '.join(FILES[name][0] for name in names)}", file=sys.stderr)
        return 2
    header = circumstances("numpy", "scikit-learn", "numba")
    small = load(folder, "iris")
    learning_curves(list(MODELS), small.X, small.y, sizes=[20], n_repetitions=2, workers=0)  # compiles
    claims, before = [], 0.0
    for name, models, n_repetitions, limit in RUNS:
        measured = seconds(folder, name, models, n_repetitions) * REPETITIONS / n_repetitions
        before = before + measured if models == WITHOUT else measured
        count = {len(MODELS): "ten", len(MODELS) - len(WITHOUT): "eight"}.get(len(models), "ten")
        detail = "" if models != WITHOUT else f"{number(measured)} s of them forest and AdaBoost"
        claims.append(
            Claim(text=f"{name}, {count} models, 1,000 repetitions at every size", measured=before, limit=limit, detail=detail)
        )  # fmt: skip
    claims.append(
        Claim(text="largest memory of a worker, 4,970 rows, ten models", measured=largest_child(folder), limit=MOST_MB, unit="MB")
    )  # fmt: skip
    return report("Runs of curves (`benchmarks/curve_runs.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
