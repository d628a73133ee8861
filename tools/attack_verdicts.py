"""Attack Ogive's verdicts through public calls, judge the rates, and write their section of `docs/reference/verdicts.md`.

python tools/attack_verdicts.py --list
python tools/attack_verdicts.py --out after.jsonl [--cells PATTERN] [--tables N] [--seconds S] [--processes 2]
python tools/attack_verdicts.py --judge after.jsonl
python tools/attack_verdicts.py --write --before tools/attack_before.jsonl --after after.jsonl

The cells stand in `attack_cells.py`. A finished cell is one line of the file, so a run that was stopped
goes on where it was. The same table is drawn for every version, by the cell's name and the table's number.

How a rate is judged: a guaranteed answer fails when the binomial tail against 0.05 is below 1e-6, an
approximate one when the tail against 0.06 is below 1e-3; a heuristic one, or a refusal, is named as such.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeAlias

from attack_cells import CELLS, NULL, TABLES, Cell, NotAsked, Outcome, measure
from make_coverage import table
from scipy import stats

import ogive

Row: TypeAlias = dict[str, Any]
Found: TypeAlias = dict[str, Row]  # by cell

HERE = Path(__file__).parent
TARGET = HERE.parent / "docs" / "reference" / "verdicts.md"
BEFORE, AFTER = HERE / "attack_before.jsonl", HERE / "attack_after.jsonl"
BEGIN, END = "<!-- attack: begin -->", "<!-- attack: end -->"
ELSEWHERE = (
    "These claims are simulated before and after on pages of their own:", "",
    "* ranges that `sources` suggests where nothing matters, and shares of variance under collapse: [sources](sources.md)",
    "* profiles with estimated distances, and with unequal numbers of runs: [profiles](profiles.md)",
    "* leaders of learning curves, by three statistics together: [curves](curves.md)",
    "* IQM and mean over tasks under collapse: [many tasks](over-tasks.md)",
    "* plans from pilots, and for unequal spreads: [planning](planning.md)",
    "* betting and the other intervals behind `guaranteed=True`: [guaranteed](guaranteed.md)",
)  # fmt: skip

GUARANTEED, APPROXIMATE = 0.05, 0.06
SURE_ALARM, ALARM = 1e-6, 1e-3
LEAST_TABLES = 100
SAID_OFF = 0.05
WORDS = 140


# --- judging -----------------------------------------------------------------------------------------------


def tail(events: float, tables: int, rate: float) -> float:
    """P(at least so many events) where each table has one with probability `rate`."""
    return float(stats.binom.sf(round(events) - 1, tables, rate))


def judge(cell: Cell, label: str, line: Row) -> str:
    """holds, fails, heuristic, refused, error, shown, not asked or not said: what a cell's rate means for one call."""
    row = line["answers"][label]
    if row.get("not asked"):
        return "not asked"
    if row["errors"]:
        return "error"
    if row["tables"] == row["refused"]:
        return "refused"
    rate = rate_of(row)
    if cell.kind == "shown":
        return "shown"
    if cell.kind == "law":
        return "fails" if row["events"] > 0 else "holds"
    if cell.kind == "said":
        said = number(row, "said")
        return "not said" if said is None else "fails" if abs(said - rate) > SAID_OFF else "holds"
    if cell.kind == "power":
        if cell.least is None or label not in cell.barred:
            return "shown"
        rival, amount = cell.least
        other = rate_of(line["rivals"][rival])
        return "holds" if rate >= (other * amount if amount > 1.0 else other + amount) else "fails"
    return _judge_rate(row, cell.level)


def _judge_rate(row: Row, level: float | None) -> str:
    answered = row["tables"] - row["refused"]
    if level is not None:
        return "fails" if tail(row["events"], answered, level) < ALARM else "holds"
    by, seen = row["events by"], row["strengths"]
    sure = by.get("guaranteed", 0)
    if tail(sure, answered, GUARANTEED) < SURE_ALARM:
        return "fails"
    weaker = [s for s in seen if s not in ("guaranteed", "heuristic")]
    if weaker and tail(sure + sum(by.get(s, 0) for s in weaker), answered, APPROXIMATE) < ALARM:
        return "fails"
    return "heuristic" if set(seen) == {"heuristic"} else "holds"


OWN_ERRORS = ("beside", "task by task")


def judge_beside(cell: Cell, row: Row, what: str) -> str:
    """The questions beside the primary one, and the tasks one by one, share an error of their own: the approximate bar."""
    if cell.kind != "false" or cell.section != NULL or what not in row.get("numbers", {}):
        return "shown"
    events, tables = row["numbers"][what]
    return "fails" if tail(events, tables, APPROXIMATE) < ALARM else "holds"


def rate_of(row: Row) -> float:
    """The share of answered tables with the event."""
    return float(row["events"] / max(1, row["tables"] - row["refused"] - row["errors"]))


def number(row: Row, name: str) -> float | None:
    """The mean of a further number, over the tables that have it."""
    total, count = row.get("numbers", {}).get(name, (0.0, 0))
    return total / count if count else None


# --- running -----------------------------------------------------------------------------------------------


class _Tally:
    """Counts of one call over the tables of a cell."""

    def __init__(self) -> None:
        self.row: Row = {
            "tables": 0,
            "refused": 0,
            "errors": 0,
            "events": 0.0,
            "strengths": {},
            "events by": {},
            "numbers": {},
        }

    def add(self, outcome: Outcome | str) -> None:
        """One table's outcome, or the sentence of its refusal."""
        row = self.row
        row["tables"] += 1
        if isinstance(outcome, str):
            row["refused"] += 1
            row.setdefault("why", outcome[:WORDS])
            return
        row["events"] = round(row["events"] + outcome.event, 6)
        if outcome.strength:
            for key, value in (("strengths", 1), ("events by", outcome.event)):
                row[key][outcome.strength] = round(row[key].get(outcome.strength, 0) + value, 6)
        for name, value in outcome.numbers.items():
            total, count = row["numbers"].get(name, (0.0, 0))
            row["numbers"][name] = (total + value, count + 1)

    def failed(self, error: Exception) -> None:
        """A crash is a finding, too."""
        self.row["tables"] += 1
        self.row["errors"] += 1
        self.row.setdefault("error", f"{type(error).__name__}: {error}"[:WORDS])

    def done(self) -> Row:
        """JSON-ready; sums rounded to what the reader needs."""
        numbers = {k: (float(f"{total:.9g}"), count) for k, (total, count) in self.row["numbers"].items()}
        return {**self.row, "numbers": numbers}


def run_cell(cell: Cell, tables: int | None = None, seconds: float | None = None) -> Row:
    """Every call and every rival of a cell on its tables.

    A cell that takes longer than `seconds` ends early, after at least 100 tables; how many there were is
    noted. Time does not look at outcomes, so the rate stays unbiased.
    """
    answers = {call.label: _Tally() for call in cell.calls}
    rivals = {name: _Tally() for name in cell.rivals}
    without: dict[str, str] = {}
    start, done = time.perf_counter(), 0
    for number_ in range(min(tables or cell.tables, cell.tables)):
        drawn = cell.table(number_)
        for call in cell.calls:
            if call.label in without:
                continue
            try:
                answers[call.label].add(measure(cell, call, drawn))
            except NotAsked as reason:
                without[call.label] = str(reason)
            except Exception as error:
                answers[call.label].failed(error)
        for name, rival in cell.rivals.items():
            rivals[name].add(rival(drawn))
        done += 1
        if seconds is not None and done >= LEAST_TABLES and time.perf_counter() - start > seconds:
            break
    return {
        "cell": cell.name, "tables": done, "seconds": round(time.perf_counter() - start, 1), "version": ogive.__version__,
        "answers": {k: {"not asked": without[k]} if k in without else t.done() for k, t in answers.items()},
        "rivals": {k: t.done() for k, t in rivals.items()},
    }  # fmt: skip


def _run_named(name: str, tables: int | None, seconds: float | None) -> Row:
    return run_cell(next(c for c in CELLS if c.name == name), tables, seconds)


def load(path: Path | None) -> Found:
    """Finished cells by name, the last line of each; half a line, left by a run that was killed, is passed over."""
    found: Found = {}
    if path is None or not path.exists():
        return found
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        found[line["cell"]] = line
    return found


def append(path: Path, line: Row) -> None:
    """One line more, whole; after half a line it starts a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    broken = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if broken else "") + json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def run(out: Path, cells: Sequence[Cell], tables: int | None, seconds: float | None, processes: int) -> None:
    """The cells that the file does not hold yet."""
    held = load(out)
    todo = [c for c in cells if c.name not in held]
    print(f"{len(cells) - len(todo)} of {len(cells)} cells are in {out}; {len(todo)} to do.", flush=True)
    for line in _lines(todo, tables, seconds, processes):
        append(out, line)
        cell = next(c for c in CELLS if c.name == line["cell"])
        print(f"{line['seconds']:7.1f} s  {line['tables']:5d}  {cell.name}: {_told(cell, line)}", flush=True)


def _lines(cells: Sequence[Cell], tables: int | None, seconds: float | None, processes: int) -> Iterator[Row]:
    if processes == 1:
        for cell in cells:
            yield run_cell(cell, tables, seconds)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_leave_interrupts) as pool:
        try:
            for future in as_completed([pool.submit(_run_named, c.name, tables, seconds) for c in cells]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def _leave_interrupts() -> None:
    """Only the parent hears Ctrl-C, and ends its children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _told(cell: Cell, line: Row) -> str:
    return "; ".join(f"{label} {_rate(line, label)} {judge(cell, label, line)}" for label in line["answers"])


def failures(found: Found) -> list[str]:
    """The cells and calls that fail, in words."""
    out = []
    for cell in (c for c in CELLS if c.name in found):
        line = found[cell.name]
        for label, row in line["answers"].items():
            said = judge(cell, label, line)
            if said in ("fails", "error"):
                out.append(f"{cell.name}, {label}: {row.get('error') or _rate(line, label)}")
            for what in OWN_ERRORS:
                if judge_beside(cell, row, what) == "fails":
                    out.append(f"{cell.name}, {label}, {what}: {number(row, what):.3f}")
    return out


# --- writing -----------------------------------------------------------------------------------------------

LETTERS = {"guaranteed": "g", "approximate": "a", "heuristic": "h"}


def _rate(line: Row, label: str) -> str:
    """A rate with the letter of its strength."""
    row = line["answers"][label]
    if "not asked" in row:
        return "–"
    if row["errors"]:
        return "error"
    if row["tables"] == row["refused"]:
        return "refused"
    letters = "".join(LETTERS.get(s, "?") for s in sorted(row["strengths"], key=lambda s: -row["strengths"][s]))
    part = row["refused"] / row["tables"]
    return f"{rate_of(row):.3f} {letters}" + (f" (refused {part:.2f})" if part else "")


def _shown(cell: Cell, label: str, found: Found, text: str | None = None) -> str:
    line = found.get(cell.name)
    if line is None or label not in line["answers"]:
        return "–"
    text = _rate(line, label) if text is None else text
    return f"**{text}**" if judge(cell, label, line) in ("fails", "error") else text


def _change(cell: Cell, label: str, before: Found, after: Found) -> str:
    return f"{_shown(cell, label, before)} → {_shown(cell, label, after)}"


def _of(section: str) -> list[Cell]:
    return [c for c in CELLS if c.section == section]


def null_rows(before: Found, after: Found) -> Iterable[list[str]]:
    """One row for each cell, one column for each common criterion."""
    for cell in _of(NULL):
        labels = [c.label for c in cell.calls]
        own = {k: k if k in labels else f"rank, {k}" for k in ("default", "mean", "improvement")}
        rest = [k for k in labels if k not in own.values()]
        more = "; ".join(f"{k}: {_change(cell, k, before, after)}" for k in rest)
        columns = [_change(cell, v, before, after) if v in labels else "" for v in own.values()]
        yield [cell.name, *columns, more]


def plain_rows(section: str, before: Found, after: Found) -> Iterable[list[str]]:
    """One row for each call: cell, call, rate before and after."""
    for cell in _of(section):
        for call in cell.calls:
            yield [cell.name, call.label, _shown(cell, call.label, before), _shown(cell, call.label, after)]


def law_rows(before: Found, after: Found) -> Iterable[list[str]]:
    """One row for each law, with the share of tables in which even a conclusion changes."""
    for cell in _of("Laws"):
        for call in cell.calls:
            shown = []
            for found in (before, after):
                row = found.get(cell.name, {"answers": {}})["answers"].get(call.label, {})
                words = number(row, "conclusion")
                text = _shown(cell, call.label, found)
                shown.append(f"{text}, conclusion {words:.3f}" if words and row["events"] else text)
            yield [cell.name, call.label, *shown]


def _with(cell: Cell, label: str, found: Found, name: str, note: str) -> str:
    line = found.get(cell.name)
    row = {} if line is None else line["answers"].get(label, {})
    if "tables" not in row or row["tables"] == row["refused"] or row["errors"]:
        return _shown(cell, label, found)
    extra = number(row, name)
    letters = _rate(line, label) if line is not None else ""
    return _shown(cell, label, found, f"{note if extra is None else f'{extra:.3f}'} / {letters}")


def said_rows(before: Found, after: Found) -> Iterable[list[str]]:
    """What was stated and how often it came true."""
    for cell in _of("Said and true"):
        for call in cell.calls:
            yield [cell.name, *(_with(cell, call.label, f, "said", "not said") for f in (before, after))]


def power_rows(before: Found, after: Found) -> Iterable[list[str]]:
    """Power beside the rivals' on the same tables."""
    for cell in _of("Power"):
        line = after.get(cell.name) or before.get(cell.name) or {"rivals": {}}
        rivals = ", ".join(f"{k} {rate_of(r):.3f}" for k, r in line["rivals"].items())
        for call in cell.calls:
            yield [cell.name, call.label, _shown(cell, call.label, before), _shown(cell, call.label, after), rivals]


def width_rows(before: Found, after: Found) -> Iterable[list[str]]:
    """Mean width and share of misses beside the rivals' on the same tables."""
    for cell in _of("Width"):
        line = after.get(cell.name) or before.get(cell.name) or {"rivals": {}}
        rivals = ", ".join(
            f"{k} {number(r, 'width') or float('inf'):.3f} / {rate_of(r):.3f}" for k, r in line["rivals"].items()
        )
        for call in cell.calls:
            ours = [_with(cell, call.label, f, "width", "infinite") for f in (before, after)]
            yield [cell.name, call.label, *ours, rivals]


def _fewer(found: Found) -> str:
    few = [
        f"{c.name} ({found[c.name]['tables']:,})"
        for c in CELLS
        if c.name in found and found[c.name]["tables"] < c.tables
    ]
    return "; ".join(few) if few else "none"


def _beside(after: Found) -> list[str]:
    said = {
        "beside": "The questions beside the primary one share a second error of 0.05: one that is not heuristic claims a direction",
        "task by task": "Over several tasks the rates above are those of the verdict over all; the verdicts task by task share an error of 0.05 of their own: some of them claims a direction",
    }  # fmt: skip
    lines = []
    for what, words in said.items():
        rates = [
            (n, c.name) for c in _of(NULL) if c.name in after for r in after[c.name]["answers"].values()
            if (n := number(r, what)) is not None
        ]  # fmt: skip
        if rates:
            worst, where = max(rates)
            lines += [f"{words} in at most {worst:.3f} of tables ({where}).", ""]
    return lines


def section(before: Found, after: Found) -> list[str]:
    """The Markdown lines between the marks."""
    two = ["before", "after"]
    return [
        BEGIN, "",
        "## Under attack", "",
        "Simulated through public calls by `python tools/attack_verdicts.py`, at 95 %, before the verdicts were made anew and after."
        f" Cells change one factor around two methods on one task with 10 runs each; {TABLES:,} tables a cell, 300 above 8 methods or 26 tasks."
        f" Fewer were drawn, before: {_fewer(before)}; after: {_fewer(after)}.", "",
        "A letter says how strong the answer calls itself: g guaranteed, a approximate, h heuristic; – is a question that the version does not know."
        " **Bold fails**: a guaranteed answer when the binomial tail against 0.05 is below 10⁻⁶, an approximate one when the tail against"
        " 0.06 is below 10⁻³. A heuristic answer has no bar.", "",
        "### Equal methods", "",
        "The share of tables in which any verdict of the call claims a direction between methods of one distribution, before → after, by criterion."
        " Scores are bounded where they are 0/1, on a lattice or collapse (to 0, from about 0.9), and the bounds are declared.", "",
        *table(["scores and design", "default", "mean", "improvement", "others"], null_rows(before, after)),
        *_beside(after),
        "### Gates and margins", "",
        "How often `check` passes a version whose true mean is worse by 1.2 margins, and how often `compare` says not worse (or more) of a method"
        " whose worst tenth is worse by the margin. Collapses are rare, bounds (0, 1) declared unless said; at most 0.05 whatever the strength.", "",
        *table(["attack", "asked", *two], plain_rows("Gates and margins", before, after)),
        "### Said and true", "",
        "A stated probability, and how often it came true: the power that `check` prints for a drop of two margins, and P(first) of the method at the top. Off by more than 0.05 fails.", "",
        *table(["attack", *two], said_rows(before, after)),
        "### Clusters of pairs", "",
        "The share of tables whose interval misses the true probability of improvement, 0.84, where the pairs of a cluster mostly agree.", "",
        *table(["attack", "asked", *two], plain_rows("Clusters of pairs", before, after)),
        "### Laws", "",
        "What must never happen: all tasks agree and the verdict over them says something else; a conclusion, or a limit by more than 10⁻⁹"
        " of its size, changes with the order of rows, methods or tasks, or where scores are turned into losses.", "",
        *table(["attack", "asked", *two], law_rows(before, after)),
        "### Equal means, different shapes", "",
        "Shown without a bar: nothing approximate survives it at every shape, so such verdicts say what could still be hidden.", "",
        *table(["attack", "asked", *two], plain_rows("Equal means, different shapes", before, after)),
        "### Power", "",
        "The share of tables in which the true direction is claimed (for ten methods the share of pairs), beside what others reach on the same tables."
        " 0/1 items are held to within 2 points of McNemar's exact test, paired means to within 3 of the t test, ten methods to 8 % more pairs than Bonferroni.", "",
        *table(["attack", "asked", *two, "others"], power_rows(before, after)),
        "### Width", "",
        "Mean width of the interval / share of tables in which it misses the truth.", "",
        *table(["interval", "asked", *two, "others"], width_rows(before, after)),
        "### What else failed once", "",
        *ELSEWHERE, "",
        END, "",
    ]  # fmt: skip


def kept_section(text: str) -> list[str]:
    """The lines between the marks of a page that was written before, marks included; empty without them."""
    if BEGIN not in text or END not in text:
        return []
    return [*text[text.index(BEGIN) : text.index(END) + len(END)].splitlines(), ""]


def with_section(text: str, lines: Sequence[str]) -> str:
    """The page with the section in its place: after the page's introduction, before its first heading."""
    new = "\n".join(lines)
    if kept_section(text):
        return text[: text.index(BEGIN)] + new.rstrip("\n") + text[text.index(END) + len(END) :]
    place = text.find("\n## ") + 1
    return text[:place] + new + "\n" + text[place:] if place else text + "\n" + new


def chosen(pattern: str | None) -> list[Cell]:
    """The cell of this name, or those whose name holds the text or matches the pattern with * and ?."""
    if pattern is None:
        return list(CELLS)
    if exact := [c for c in CELLS if c.name == pattern]:
        return exact
    return [c for c in CELLS if pattern in c.name or fnmatch.fnmatch(c.name, pattern)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, judge or write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the cells")
    parser.add_argument("--out", type=Path, help="JSON lines; finished cells are appended, those it holds are left out")
    parser.add_argument("--cells", help="part of a cell's name, or a pattern with * and ?")
    parser.add_argument("--tables", type=int, help="at most so many tables a cell")
    parser.add_argument("--seconds", type=float, help="end a cell after so long, with at least 100 tables")
    parser.add_argument("--processes", type=int, choices=(1, 2), default=1)
    parser.add_argument(
        "--judge", type=Path, metavar="FILE", help="say which cells fail; the exit code is 1 if any does"
    )
    parser.add_argument("--write", action="store_true", help="write the section of docs/reference/verdicts.md")
    parser.add_argument("--before", type=Path, default=BEFORE)
    parser.add_argument("--after", type=Path, default=AFTER)
    asked = parser.parse_args(arguments)
    if asked.list:
        print(
            "\n".join(
                f"{c.section}: {c.name} ({c.factor}; {', '.join(k.label for k in c.calls)})"
                for c in chosen(asked.cells)
            )
        )
    if asked.out is not None:
        try:
            run(asked.out, chosen(asked.cells), asked.tables, asked.seconds, asked.processes)
        except KeyboardInterrupt:
            print(f"Stopped; finished cells are in {asked.out}. The same command goes on.", file=sys.stderr)
            return 130
    if asked.write:
        text = TARGET.read_text(encoding="utf-8") if TARGET.exists() else "# How often verdicts are right\n\n"
        TARGET.write_text(with_section(text, section(load(asked.before), load(asked.after))), encoding="utf-8")
    if asked.judge is not None:
        failed = failures(load(asked.judge))
        print("\n".join(failed) if failed else "No cell fails.")
        return int(bool(failed))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
