"""The commands together, and how every error becomes one line and an exit code."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, NoReturn

import typer

from ogive import __version__
from ogive.cli import (
    _curves,
    _over_tasks,
    _plan,
    _plot,
    _progress,
    _report,
    _reproduce,
    _run,
    _sources,
    _store,
    _summary,
    _verdicts,
)
from ogive.cli._output import complain, patient_streams
from ogive.errors import OgiveError

# A place that the user chose and that cannot be had; any other trouble with files is the machine's.
WRONG_PLACE = (PermissionError, FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
WRONG_NAME = (errno.ENAMETOOLONG, errno.ELOOP)

app = typer.Typer(
    name="ogive",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with [bold]ogive inspect scores.csv[/], then [bold]ogive summary scores.csv[/], [bold]ogive rank scores.csv[/], and [bold]ogive report scores.csv[/] for a page with everything; [bold]ogive run study.py --trials 20[/] makes trials.",
)
for each in (
    _summary.inspect, _summary.summary, _verdicts.compare, _verdicts.rank, _sources.sources, _plan.plan, _verdicts.check,
    _plot.plot, _report.report, _over_tasks.profile, _over_tasks.aggregate, _progress.progress, _curves.curves, _run.run, _store.status,
    _store.watch, _store.verify, _store.repair, _store.compact, _reproduce.reproduce,
):  # fmt: skip
    app.command()(each)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ogive {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The whole distribution of a method's performance, and how sure one may be of it."""


def script() -> NoReturn:
    """Run the command line, and end the process with its exit code.

    At once, when everything has been written and closed: a thread of Arrow's that lets go of a file of Python's while
    the interpreter is taken down aborts the process (one refusal in 160 on a loaded machine ended with exit code 134;
    apache/arrow issue 34314).
    """
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a reader that left; said by `main` where it matters
            if stream is not None:  # a process without its streams
                stream.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    from ogive.notes import naming

    with patient_streams() as out, naming("cli"):
        code = _run_command(list(arguments) if arguments is not None else None)
        out.flush()
        if out.lost is not None:
            complain(f"standard output could not be written: {out.lost}.", 1)
            # A verdict that nobody got (3, 4, 5) is none; what was refused or stopped had no answer to lose.
            return code if code in (2, 130) else 1
        return code


@cache
def _command() -> Any:
    """The commands as click knows them; reading their signatures takes a tenth of a second."""
    return typer.main.get_command(app)


def _run_command(arguments: list[str] | None) -> int:
    try:
        code = _command().main(args=arguments, prog_name="ogive", standalone_mode=False)
    except OgiveError as error:
        return complain(error.args[0] if error.args else "", 2)
    except KeyboardInterrupt as stopped:
        return complain(str(stopped) or "interrupted.", 130)
    except OSError as error:
        chosen = isinstance(error, WRONG_PLACE) or error.errno in WRONG_NAME
        return complain(f"{error.filename or 'output'}: {error.strerror or error}.", 2 if chosen else 1)
    except Exception as error:
        # click's own usage errors know their exit code and say what was wrong; anything else is a bug
        # of ours and must be seen whole.
        shown = getattr(error, "format_message", None)
        if shown is None:
            raise
        text = shown().rstrip(".?")
        if not text:  # no arguments: the help has been printed
            return int(getattr(error, "exit_code", 2))
        return complain(f"{text}. Try --help.", int(getattr(error, "exit_code", 2)))
    return code if isinstance(code, int) else 0
