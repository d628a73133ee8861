"""CPU seconds, the best of five in turns, and a table of claims with their verdicts.

CPU seconds count all threads and all children that have ended, so a busy machine changes them
little. Contestants take turns within one run and get the same new input in each round.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROUNDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What was promised, what was measured, and the limit: an upper one unless `at_least`."""

    text: str
    measured: float
    limit: float
    unit: str = "s"
    at_least: bool = False
    detail: str = ""

    @property
    def holds(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured < self.limit

    def __str__(self) -> str:
        measured = f"{number(self.measured)} {self.unit}".strip() + (f" ({self.detail})" if self.detail else "")
        limit = f"{'≥' if self.at_least else '<'} {self.limit:g} {self.unit}".strip()
        return f"| {self.text} | {measured} | {limit} | {'holds' if self.holds else '**missed**'} |"


def number(value: float) -> str:
    """Three digits that matter, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def cpu_seconds() -> float:
    """User and system time of this process, its threads, and its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def in_turns(inputs: Iterable[Any], *contestants: Callable[[Any], object]) -> list[float]:
    """The least CPU seconds of each contestant; every round gives all of them the next input."""
    best = [float("inf")] * len(contestants)
    for given in inputs:
        for i, contestant in enumerate(contestants):
            start = cpu_seconds()
            contestant(given)
            best[i] = min(best[i], cpu_seconds() - start)
    return best


def circumstances(*packages: str) -> str:
    """Date, machine, load and commit, in two lines."""
    root = Path(__file__).parent
    commit = _git(root, "rev-parse", "--short", "HEAD") or "unknown"
    changed = " with uncommitted changes in src" if _git(root, "status", "--porcelain", "--", "../src") else ""
    load = ", ".join(f"{x:.2f}" for x in os.getloadavg())
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, commit {commit}{changed}, load average {load}  \n"
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, {versions}"
    )


def report(title: str, header: str, notes: str, claims: Sequence[Claim]) -> int:
    """Print the section; the exit code is 1 when a limit is missed."""
    print(f"## {title}\n\n{header}\n\n| claim | measured | limit | verdict |\n| --- | --- | --- | --- |")
    print("\n".join(map(str, claims)))
    print(f"\n{notes}")
    return 0 if all(claim.holds for claim in claims) else 1


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
