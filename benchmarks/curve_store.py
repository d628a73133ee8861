"""Answers from a store of ten models, four metrics, 3,479 sizes and 1,000 repetitions: CPU seconds and memory.

    python benchmarks/curve_store.py          about five minutes and 2 GB of temporary files

Each answer is asked in a process of its own, which opens the store first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from _curve_store import make
from _measure import Claim, circumstances, report

ROWS, REPETITIONS = 4970, 1000
MOST_SECONDS, MOST_MB = 60.0, 2000.0
ANSWERS = {
    "quantile curves of one model": "c.required_size('lda', 'auc', target=0.75)",
    "quantile curves of ten": "c.quantile(0.05)",
    "leaders": "c.leaders()",
    "crossings by the mean": "c.crossings('lda', 'qda')",
    "crossings by the median": "c.crossings('lda', 'qda', 'median')",
    "normality": "c.normality()",
    "summary": "str(c)",
    "page": "ogive.report.write_curves(c, sys.argv[1] + '.html')",
}
PROGRAM = """
import resource, sys, time
import ogive
from ogive.curves import read
begin = time.process_time()
c = read(sys.argv[1])
{answer}
print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
"""
NOTES = """\
CPU seconds of one process, opening the store included, and its largest memory. Scores are made up; a run writes
them in the same way."""


def measured(store: Path, answer: str) -> tuple[float, float]:
    program = [sys.executable, "-c", PROGRAM.format(answer=answer), str(store)]
    said = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    seconds, megabytes = map(float, said.split()[-2:])
    return seconds, megabytes


def main() -> int:
    claims, header = [], circumstances("numpy", "pyarrow", "numba")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        make(store, ROWS, REPETITIONS)
        for what, answer in ANSWERS.items():
            seconds, megabytes = measured(store, answer)
            claims.append(Claim(text=what, measured=seconds, limit=MOST_SECONDS))
            claims.append(Claim(text=f"{what}, memory", measured=megabytes, limit=MOST_MB, unit="MB"))
    return report("A large store of curves (`benchmarks/curve_store.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
