"""Run every benchmark in a process of its own and write RESULTS.md.

python benchmarks/report.py         about fifteen minutes
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = ("bands.py", "summary.py", "resampling.py", "normality.py", "profiles.py", "engine.py")
INTRODUCTION = """\
# Speed

Written by `python benchmarks/report.py`. CPU seconds of all threads and children, best of five in
turns with the opponent in one run, caches and memos off, new inputs in each call. A verdict says
whether the limit that the project set itself holds.
"""


def main() -> int:
    sections, missed = [INTRODUCTION], 0
    for script in SCRIPTS:
        done = subprocess.run(
            [sys.executable, str(HERE / script)], stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
        print(done.stdout, flush=True)
        if not done.stdout:  # it broke before its table: keep the results there are
            return 1
        sections.append(done.stdout)
        missed |= done.returncode
    (HERE / "RESULTS.md").write_text("\n".join(sections), encoding="utf-8")
    return missed


if __name__ == "__main__":
    sys.exit(main())
