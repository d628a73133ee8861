"""Give odd files to every command that reads, and hold the numbers against pandas.

python tools/attack_files.py [--kinds PATTERN] [--commands summary,rank] [--out found.jsonl] [--small]

Every kind of `odd_files.py` is written and given to each command in a child of its own, so that a crash ends one child and is
seen. What must hold: no signal, no traceback, only documented exit codes, one line of complaint where a command refuses, no
control signs on the screen, JSON that parses; and where a summary is given and pandas reads the file too, the same number of
runs and the same mean for every method and task, and as many failed runs.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import importlib
import io
import json
import math
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from odd_files import CSV, Kind, kinds

PATIENCE = 120
SUMMARY = "summary"
FAILED_WORDS = ("failed", "timeout", "error", "crashed")

# A command by name -> its arguments for a file and a folder, and the exit codes that it documents.
COMMANDS: dict[str, tuple[Callable[[str, Path], list[str]], tuple[int, ...]]] = {
    SUMMARY: (lambda f, d: ["summary", f, "--json", "--unit", "row", "--failures", "exclude", "-s", "mean"], (0, 2)),
    "inspect": (lambda f, d: ["inspect", f], (0, 2)),
    "text": (lambda f, d: ["summary", f, "--unit", "row", "--failures", "exclude"], (0, 2)),
    "latex": (lambda f, d: ["summary", f, "--unit", "row", "--failures", "exclude", "--format", "latex"], (0, 2)),
    "declared": (lambda f, d: ["summary", f, "--algorithm", "model", "--task", "task", "--score", "score", "--repeat", "seed", "--json", "--unit", "row", "--failures", "exclude", "-s", "mean"], (0, 2)),
    "sources": (lambda f, d: ["sources", f, "--unit", "row", "--failures", "exclude"], (0, 2)),
    "compare": (lambda f, d: ["compare", f, "--unit", "row", "--failures", "exclude"], (0, 2)),
    "rank": (lambda f, d: ["rank", f, "--unit", "row", "--failures", "exclude", "--json"], (0, 2)),
    "plan": (lambda f, d: ["plan", f, "--difference", "0.1", "--unit", "row"], (0, 2)),
    "check": (lambda f, d: ["check", f, "--baseline", str(d / "good.csv"), "--margin", "0.1", "--unit", "row", "--failures", "exclude"], (0, 2, 4, 5)),
    "baseline": (lambda f, d: ["check", str(d / "good.csv"), "--baseline", f, "--margin", "0.1", "--unit", "row", "--failures", "exclude"], (0, 2, 4, 5)),
    "joined": (lambda f, d: ["summary", f, str(d / "good.csv"), "--unit", "row", "--failures", "exclude", "--json"], (0, 2)),
    "wide": (lambda f, d: ["summary", f, "--wide", "--failures", "exclude", "--unit", "row"], (0, 2)),
    "profile": (lambda f, d: ["profile", f, "--runs", "mean", "--json"], (0, 2)),
    "profile of columns": (lambda f, d: ["profile", f, "--wide"], (0, 2)),
    "aggregate": (lambda f, d: ["aggregate", f, "--min-max", "--failures", "exclude", "-s", "mean", "--json"], (0, 2)),
    "geometric": (lambda f, d: ["aggregate", f, "--geometric", "10", "--time-limit", "60", "--runs", "mean"], (0, 2)),
    "baselines": (lambda f, d: ["profile", str(d / "good.csv"), "--kind", "score", "--baselines", f], (0, 2)),
    "curves": (lambda f, d: ["curves", f, "--target", "model", "--models", "nmc", "-n", "2", "--sizes", "8", "--workers", "0", "-q", "--out", str(d / "curves")], (0, 2)),
    "plot": (lambda f, d: ["plot", f, "--unit", "row", "--out", str(d / "a.png")], (0, 2)),
    "report": (lambda f, d: ["report", f, "--unit", "row", "--out", str(d / "a.html")], (0, 2)),
    "status": (lambda f, d: ["status", f], (0, 1, 2)),
    "verify": (lambda f, d: ["verify", f], (0, 1, 2)),
    "watch": (lambda f, d: ["watch", f, "--once"], (0, 1, 2)),
}  # fmt: skip
# Drawing and fitting take a second and more each: only for one kind in so many, beyond those that were asked for.
COSTLY = ("plot", "report", "curves")


@dataclass(frozen=True)
class Seen:
    """What a command did with a file."""

    kind: str
    command: str
    code: int | None
    out: str
    err: str
    signal: int | None = None
    crash: str = ""
    seconds: float = 0.0


def attack(kind: Kind, commands: Iterable[str], folder: Path) -> list[Seen]:
    """What each command does with one kind of file, in a child that may die."""
    os.makedirs(folder)
    (folder / "good.csv").write_bytes(CSV)
    inside = folder / "odd"
    inside.mkdir()
    path = kind.write(inside)
    left, seen = list(commands), []
    while left:
        log = folder / "seen.jsonl"
        log.unlink(missing_ok=True)
        status = _in_child(lambda log=log, left=left: _run_all(kind, left, path, folder, log))  # type: ignore[misc]
        done = [Seen(**json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
        seen += done
        if len(done) == len(left):
            break
        died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else signal.SIGALRM
        seen.append(Seen(kind.name, left[len(done)], None, "", "", signal=int(died)))
        left = left[len(done) + 1 :]
    shutil.rmtree(folder, ignore_errors=True)
    return seen


def _in_child(work: Callable[[], None]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        work()
    finally:
        os._exit(0)


def _run_all(kind: Kind, commands: Sequence[str], path: Path, folder: Path, log: Path) -> None:
    os.chdir(folder)
    for name in commands:
        signal.alarm(PATIENCE)
        with log.open("a") as out:
            out.write(json.dumps(_run(kind.name, name, COMMANDS[name][0](os.fspath(path), folder)).__dict__) + "\n")
        signal.alarm(0)


def _run(kind: str, command: str, arguments: list[str]) -> Seen:
    """One command in this process; a name that is no UTF-8 comes in as the shell would give it."""
    from ogive.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict") for _ in range(2))
    start, code, crash = time.perf_counter(), None, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = stopped.code if isinstance(stopped.code, int) else 1
        except BaseException:
            crash = traceback.format_exc()
    for stream in (out, err):
        stream.flush()
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Seen(kind, command, code, *texts, crash=crash, seconds=time.perf_counter() - start)


def faults(kind: Kind, seen: Seen, folder: Path) -> list[str]:
    """What is wrong with what a command did; nothing where all is well."""
    if seen.signal is not None:
        slow = seen.signal == signal.SIGALRM
        return [f"took more than {PATIENCE} s" if slow else f"ended by signal {seen.signal}"]
    if seen.crash:
        return [f"traceback: {seen.crash.strip().splitlines()[-1][:160]}"]
    found = []
    if seen.code not in COMMANDS[seen.command][1]:
        found.append(f"exit code {seen.code}")
    complaints = [line for line in seen.err.splitlines() if line.startswith("ogive: ")]
    if seen.code == 2 and len(complaints) != 1:
        found.append(f"{len(complaints)} complaints: {seen.err[:200]!r}")
    if "Traceback" in seen.err or "Warning:" in seen.err:
        found.append(f"warning or traceback on stderr: {seen.err[-200:]!r}")
    steering = {c for c in seen.out + seen.err if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")}
    if steering:
        found.append(f"signs that steer the terminal: {sorted(map(ascii, steering))}")
    if len(complaints) == 1 and len(complaints[0]) > 1500:
        found.append(f"a complaint of {len(complaints[0])} signs")
    if seen.command in (SUMMARY, "declared"):
        found += _against_pandas(kind, seen, folder)
    if seen.command == SUMMARY and kind.must == "read" and seen.code != 0:
        found.append(f"refused, and is all right: {complaints[0][:200] if complaints else ''}")
    if seen.command == SUMMARY and kind.must == "refuse" and seen.code == 0:
        found.append("read, and is no such table")
    if kind.noted and seen.command == SUMMARY and seen.code == 0 and kind.noted not in seen.err:
        found.append(f"says nothing of {kind.noted!r}")
    return found


def _against_pandas(kind: Kind, seen: Seen, folder: Path) -> list[str]:
    if seen.code != 0:
        return []
    try:
        rows = json.loads(seen.out)["rows"]
    except (ValueError, KeyError) as error:
        return [f"no JSON: {error}"]
    expected = by_pandas(kind, folder)
    if expected is None:
        return []
    ours = {(r["algorithm"], r["task"]): (r["n"], r["estimate"]) for r in rows if r["statistic"] == "mean" and r["n"]}
    means, n_failed = expected
    if set(ours) != set(means):
        odd = set(ours) ^ set(means)
        return [f"other cells than pandas: {sorted(map(ascii, odd))[:4]}"]
    for cell, (n, mean) in means.items():
        if ours[cell][0] != n:
            return [f"{cell!a} has {ours[cell][0]} runs; pandas has {n}"]
        if not math.isclose(ours[cell][1], mean, rel_tol=1e-9, abs_tol=1e-12):
            return [f"{cell!a} has mean {ours[cell][1]!r}; pandas has {mean!r}"]
    failed = sum({(r["algorithm"], r["task"]): r["n_failed"] for r in rows}.values())
    lost = {(r["algorithm"], r["task"]) for r in rows}
    return [] if failed == n_failed or lost != set(means) else [f"{failed} failed runs; pandas has {n_failed}"]


def by_pandas(kind: Kind, folder: Path) -> tuple[dict[tuple[str, str], tuple[int, float]], int] | None:
    """Runs and mean of every method and task, and how many runs failed; None where pandas gives no numbers."""
    if kind.pandas is None:
        return None
    os.makedirs(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = kind.pandas(kind.write(folder))
            if "score" not in frame.columns:
                return None
            score = frame["score"]
            if score.dtype == object or str(score.dtype).startswith(("category", "str", "datetime", "timedelta")):
                score = pd.to_numeric(score, errors="raise") if all(_is_number(v) for v in score) else None
            if score is None:
                return None
            values = score.astype("float64").to_numpy(dtype=float, na_value=np.nan)
    except Exception:  # whatever pandas cannot read says nothing about us
        return None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    good = np.isfinite(values)
    if "status" in frame.columns:
        good &= ~frame["status"].isin(FAILED_WORDS).to_numpy()
    method, task = (_texts(frame, name) for name in ("model", "task"))
    cells: dict[tuple[str, str], list[float]] = {}
    for i in np.flatnonzero(good):
        cells.setdefault((method[i], task[i]), []).append(float(values[i]))
    return {c: (len(v), float(np.mean(v))) for c, v in cells.items()}, int(np.count_nonzero(~good))


def _is_number(value: object) -> bool:
    return (
        value is None
        or (isinstance(value, (int, float)) and not isinstance(value, bool))
        or type(value).__name__ == "Decimal"
    )


def _texts(frame: pd.DataFrame, name: str) -> list[str]:
    if name not in frame.columns:
        return ["a" if name == "model" else "all"] * len(frame)
    if frame[name].isna().all():
        return ["a" if name == "model" else "all"] * len(frame)
    return [_text(value) for value in frame[name].tolist()]


def _text(value: Any) -> str:
    """A name as Ogive writes it: the same number is the same name, and JSON is JSON."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (dict, list, np.ndarray)):
        return json.dumps(
            list(value) if isinstance(value, np.ndarray) else value, sort_keys=True, separators=(",", ":")
        )
    if isinstance(value, (float, Decimal)) and value == int(value):
        return str(int(value))
    return str(value)


def run(chosen: Sequence[Kind], commands: Sequence[str], every: int = 1) -> Iterable[tuple[Seen, list[str]]]:
    """Everything that was seen, and what is wrong with it; costly commands on one kind in `every`."""
    place = Path(tempfile.mkdtemp(prefix="odd-files-"))
    try:
        for i, kind in enumerate(chosen):
            asked = [c for c in commands if c not in COSTLY or i % every == 0]
            for seen in attack(kind, asked, place / "attack"):
                yield seen, faults(kind, seen, place / "pandas")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def load() -> None:
    """Load what commands load, so that a child does not have to."""
    os.environ.setdefault("MPLBACKEND", "agg")
    for name in ("matplotlib.pyplot", "plotly.graph_objects", "sklearn.discriminant_analysis", "ogive.cli", "ogive.curves",
                 "ogive.plots", "ogive.profiles", "ogive.reading", "ogive.report"):  # fmt: skip
        importlib.import_module(name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack, print what is wrong, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default="*")
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--every", type=int, default=1, help="Draw and fit for one kind in so many.")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", type=Path)
    said = parser.parse_args(arguments)
    load()
    chosen = [kind for kind in kinds(said.small) if fnmatch.fnmatch(kind.name, said.kinds)]
    counts: Counter[str] = Counter()
    wrong = 0
    for seen, found in run(chosen, said.commands.split(","), said.every):
        counts[f"exit {seen.code}"] += 1
        wrong += bool(found)
        for fault in found:
            print(f"{seen.kind} | {seen.command} | {fault}", flush=True)
        if said.out:
            with said.out.open("a") as out:
                out.write(json.dumps({**seen.__dict__, "faults": found}) + "\n")
    print(f"{len(chosen)} kinds, {sum(counts.values())} runs, {wrong} with faults; {dict(counts)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
