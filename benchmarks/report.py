"""Run every benchmark, or some, in a process of its own and write RESULTS.md.

python benchmarks/report.py                       about half an hour
python benchmarks/report.py bands.py summary.py   these two; the others keep their results
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = (
    "bands.py",
    "summary.py",
    "verdicts.py",
    "sizes.py",
    "resampling.py",
    "normality.py",
    "profiles.py",
    "engine.py",
    "curve_kernels.py",
    "tuned_curves.py",
    "curve_runs.py",
    "curve_store.py",
    "rl.py",
    "rl_library.py",
    "steps.py",
)
OPTIONAL = ("rl_library.py",)  # against what `ogive[bench]` does not bring
INTRODUCTION = """\
# Speed

Written by `python benchmarks/report.py`. CPU seconds of all threads and children, best of five in
turns with the opponent in one run, caches and memos off, new inputs in each call. A verdict says
whether the limit that the project set itself holds.
"""


def main(chosen: Sequence[str]) -> int:
    target = HERE / "RESULTS.md"
    known = _sections(target.read_text(encoding="utf-8")) if target.exists() else {}
    sections, missed = dict(known) if chosen else {}, 0
    for script in chosen or SCRIPTS:
        done = subprocess.run(
            [sys.executable, str(HERE / script)], stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
        print(done.stdout, flush=True)
        if not done.stdout:  # it broke before its table, or has no opponent here: keep the results there are
            if chosen or script not in OPTIONAL:
                return 1
            sections |= {script: known[script]} if script in known else {}
            continue
        sections[script] = done.stdout
        missed |= done.returncode
    target.write_text("\n".join([INTRODUCTION, *(sections[s] for s in SCRIPTS if s in sections)]), encoding="utf-8")
    return missed


def _sections(text: str) -> dict[str, str]:
    """What RESULTS.md holds of each script."""
    parts = re.split(r"(?m)^(?=## )", text)[1:]
    return {
        script: part.rstrip("\n") + "\n" for part in parts for script in SCRIPTS if script in part.split("\n", 1)[0]
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
