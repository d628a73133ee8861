"""`ogive reproduce`."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._options import Quiet
from ogive.errors import InputError

Name = Annotated[str, typer.Argument(metavar="NAME", help="A study of the folder studies/, such as jordan2018.")]
TableName = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="Only this table of the publication, such as 1 or B.10.")
]
FigureName = Annotated[
    str | None, typer.Option("--figure", metavar="NAME", help="Only this figure of the publication, such as 1 or 2a.")
]
NumberOfTrials = Annotated[
    int | None,
    typer.Option("--trials", help="Run so many trials of each cell first; else the committed ones are read."),
]
Studies = Annotated[Path, typer.Option("--studies", metavar="DIR", help="Where the studies are.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="For stores, tables and pictures.")]
Workers = Annotated[int | None, typer.Option("--workers", help="Child processes.")]


def reproduce(
    name: Name, table: TableName = None, figure: FigureName = None, trials: NumberOfTrials = None,
    studies: Studies = Path("studies"), out: Out = None, workers: Workers = None, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Recompute a table or figure of a publication, beside the published numbers."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise InputError(f"`NAME` must be the name of a study, letters and digits; got {name!r}.")
    program = studies / name / "reproduce.py"
    if not program.is_file():
        there = sorted(p.parent.name for p in studies.glob("*/reproduce.py"))
        known = (
            f"there {'is' if len(there) == 1 else 'are'} {', '.join(there)}"
            if there
            else "get them with the source of Ogive, and say --studies DIR"
        )
        raise InputError(f"there is no study {name!r} in {studies}; {known}.")
    if trials is not None and trials < 1:
        raise InputError(f"`--trials` must be at least 1; got {trials}.")
    # A study is code of its own: its folder comes first on the path, as for `ogive run`.
    sys.path.insert(0, str(program.parent.resolve()))
    ask = runpy.run_path(str(program), run_name=f"ogive_study_{name}")["reproduce"]
    print(ask(table=table, figure=figure, trials=trials, out=out or Path("results") / name, workers=workers))
