"""`ogive plan`."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Json,
    MetricName,
    Quiet,
    parse_bounds,
    read_sources,
    reading_options,
    refuse_unknown_task,
)
from ogive.cli._output import show, show_text, tell
from ogive.cli._target import as_picture, picture_options, save_picture
from ogive.errors import InputError

NAMES = ("band", "quantile", "mean", "cvar", "improvement", "difference")
WIDTH = "How close, or which difference; one of them"
QUESTION = "What exactly is asked"
PILOT = "From a pilot"


def _number(*names: str, help: str, panel: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel)


# fmt: off
What = Annotated[list[str], typer.Argument(metavar="WHAT|SOURCE…", help=f"{', '.join(NAMES)}; or a pilot: a table, or several.")]
HalfWidth = Annotated[float | None, _number("--half-width", help="Of the interval or band.", panel=WIDTH)]
Difference = Annotated[float | None, _number("--difference", help="To be detected.", panel=WIDTH)]
Count = Annotated[int | None, _number("--trials", "-n", help="What do so many trials achieve?", panel=WIDTH)]
Level = Annotated[float | None, _number("--p", help="Of a quantile; or the probability of improvement.", panel=QUESTION)]
Mass = Annotated[float | None, _number("--mass", help="The share at one end whose mean is meant.", panel=QUESTION)]
Tail = Annotated[str | None, _number("--tail", help="Which end: lower or upper.", panel=QUESTION)]
Power = Annotated[float, _number("--power", help="Of a test.", panel=QUESTION)]
BandName = Annotated[str | None, _number("--band", help="exact, ks or dkw.", panel=QUESTION)]
OneSided = Annotated[bool | None, _number("--one-sided", help="A bound on one side only.", panel=QUESTION)]
Margin = Annotated[float | None, _number("--margin", help="Smaller differences do not matter.", panel=QUESTION)]
Claim = Annotated[str | None, _number("--claim", help="better, 'not worse' or equivalent.", panel=QUESTION)]
Paired = Annotated[bool | None, _number("--paired/--unpaired", help="Both methods on the same draws?", panel=QUESTION)]
Spread = Annotated[list[float] | None, _number("--sd", help="A spread, instead of a pilot; twice for two methods.", panel=QUESTION)]
FirstMethod = Annotated[str | None, _number("--a", help="A method of the pilot.", panel=PILOT)]
OtherMethod = Annotated[str | None, _number("--b", help="The method it is compared with.", panel=PILOT)]
OnTask = Annotated[str | None, _number("--on", help="A task of the pilot.", panel=PILOT)]
Failures = Annotated[str | None, _number("--failures", help="How failed runs count: exclude, worst, like:NAME or a number.", panel=PILOT)]
Repeats = Annotated[int | None, _number("--rows-per-unit", help="Rows for each unit of a clustered pilot.", panel=PILOT)]
CostRatio = Annotated[float | None, _number("--cost-ratio", help="Cost of a new unit over that of one more row.", panel=PILOT)]
Rows = Annotated[bool, typer.Option("--table", help="Show what more and fewer trials achieve.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Draw width against trials: .png, .pdf, .svg or .eps.")]
# fmt: on


@reading_options
@picture_options
def plan(
    what: What, half_width: HalfWidth = None, difference: Difference = None, trials: Count = None, p: Level = None,
    mass: Mass = None, tail: Tail = None, confidence: Confidence = 0.95, power: Power = 0.8, band: BandName = None,
    one_sided: OneSided = None, margin: Margin = None, claim: Claim = None, paired: Paired = None, sd: Spread = None,
    a: FirstMethod = None, b: OtherMethod = None, on: OnTask = None, metric: MetricName = None, failures: Failures = None,
    repeats: Repeats = None, cost_ratio: CostRatio = None, table: Rows = False, out: Out = None, as_json: Json = False,
    quiet: Quiet = False,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """How many trials are enough, by name or from a pilot; with --trials, what so many of them can show."""
    from ogive.answers import plan as made_plan

    def ask(*asked: Any, **options: Any) -> Any:
        try:
            return made_plan(*asked, **options)
        except InputError as error:
            raise InputError(_ARGUMENT.sub(_as_option, str(error))) from None

    target = None if out is None else as_picture(out, what)
    asked: dict[str, Any] = {
        "half_width": half_width, "difference": difference, "n_trials": trials, "p": p, "mass": mass, "tail": tail,
        "confidence": confidence, "power": power, "method": band, "one_sided": one_sided, "margin": margin, "claim": claim,
        "paired": paired, "sd": _spread(sd), "a": a, "b": b, "task": on, "metric": metric, "failures": failures,
        "repeats": repeats, "cost_ratio": cost_ratio,
    }  # fmt: skip
    if len(what) == 1 and what[0] in NAMES:
        _refuse_roles(what[0], roles)
        result = ask(what[0], bounds=parse_bounds(roles["bounds"]), **asked)
    else:
        _refuse_misspelt(what)
        pilot = read_sources(what, roles)
        refuse_unknown_task(pilot, on)
        if not quiet:
            tell(pilot.notes)
        result = ask(pilot, **asked)
    _show(result, table=table, out=target, drawing=drawing, as_json=as_json)


# What a sentence calls by the name that Python has for it, where the command has another.
OPTIONS = {
    "n_trials": "trials", "method": "band", "task": "on", "repeats": "rows-per-unit", "half_width": "half-width", "one_sided": "one-sided",
    "cost_ratio": "cost-ratio", **{name: name for name in ("difference", "p", "mass", "tail", "bounds", "margin", "claim", "paired", "sd", "a", "b", "metric", "failures", "power", "confidence")},
}  # fmt: skip
_ARGUMENT = re.compile(rf"`({'|'.join(OPTIONS)})`")


def _as_option(found: re.Match[str]) -> str:
    return f"`--{OPTIONS[found[1]]}`"


def _show(result: Any, *, table: bool, out: Path | None, drawing: dict[str, Any], as_json: bool) -> None:
    show(result, as_json=as_json)
    if not as_json:
        show_text("\n".join(result.footnotes()))
    if table and not as_json:
        show_text(f"\n{result.question.unit:>15}  {result.question.axis}")
        for row in result.table():
            shown = f"{row.achieved_width:.3g}" if math.isfinite(row.achieved_width) else "too few"
            print(f"{row.n_trials:>15,}  {shown}")
    if out is not None:
        from ogive.plots import planning

        save_picture(planning(result), out, drawing)
        if not as_json:
            print(out)


def _spread(sd: list[float] | None) -> float | tuple[float, float] | None:
    if not sd:
        return None
    if len(sd) > 2:
        raise InputError(f"`--sd` is given once, or twice for two methods; got {len(sd)}.")
    return sd[0] if len(sd) == 1 else (sd[0], sd[1])


def _refuse_misspelt(words: list[str]) -> None:
    """Refuse what is neither a kind of plan nor a place where a table could be."""
    kinds = ", ".join(NAMES)
    for word in words:
        if "://" in word or os.path.exists(word):  # an address is left to `read`
            continue
        if word in NAMES:
            raise InputError(f"a kind of plan stands alone; got {word!r} among {len(words)} words.")
        raise InputError(f"{word!r} is neither a kind of plan ({kinds}) nor a file that exists.")


def _refuse_roles(name: str, roles: dict[str, Any]) -> None:
    for role, value in roles.items():
        if role != "bounds" and value not in (None, False, []):
            raise InputError(
                f"`--{role.removesuffix('s').replace('_', '-')}` says how to read a table; a plan for {name!r} reads none. Leave it out."
            )
