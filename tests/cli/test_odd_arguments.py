"""Random argument lists over every command: no traceback, only documented exit codes, and a reason for each that is not 0."""

import os
import random
import sys
from pathlib import Path

import pytest
import typer

from ogive.cli import main
from ogive.cli._app import app

DOCUMENTED = {0, 1, 2, 3, 4, 5, 130}
QUICK, MANY = 300, int(os.environ.get("OGIVE_ODD_ARGUMENTS", "800"))
ODD = [
    "", " ", "0", "-1", "1", "2", "0.5", "95", "nan", "inf", "-inf", "1e308", "1e-320", "9" * 30, "0x10", "1,2", ",", "0,1", "1,0", "a", "b", "a,b",
    "model", "seed", "score", "absent", "mean", "median", "q0.1", "q2", "worst_0.1", "worst_0", "best_of_0", "best_of_999999", "exceedance_", "iqm", "ratio",
    "rank", "fixed", "sample", "random", "exact", "dkw", "none", "worst", "exclude", "like:b", "like:", "row", "maximize", "csv", "latex", "json", "text",
    "tls://127.0.0.1:1", "tcp://", "dask", "local", "1/2", "3/2", "2GB", "GB", "{}", '{"config": 1}', "[", "-", "--", "-q", "\x00", "\x1b[31m", "\u202e", "\ud800", "é" * 300,
    "s.csv", "t.csv", "empty.csv", "folder", "store", "absent.csv", "out.png", "out.html", "folder/out.svg", "study.py", "study.py:absent", "/dev/null", "n" * 300,
]  # fmt: skip
SOURCES = [
    "s.csv",
    "s.csv",
    "s.csv",
    "s.csv",
    "t.csv",
    "empty.csv",
    "folder",
    "store",
    "absent.csv",
    "-",
    "/dev/null",
    "study.py",
]
STUDY = """
from ogive.algorithms import Algorithm
from ogive.study import Study
from ogive.tasks import none
one = Study("one", Algorithm("a", lambda config, rng: rng.random()), none())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    from ogive.algorithms import Algorithm
    from ogive.runner import run
    from ogive.study import Study
    from ogive.tasks import none

    where = tmp_path_factory.mktemp("odd")
    rows = "".join(f"{m},{t},{i},{0.4 + i / 50 + (m == 'a') / 9}\n" for m in "ab" for t in "xy" for i in range(6))
    (where / "s.csv").write_text("model,dataset,seed,score\n" + rows)
    (where / "t.csv").write_text("model,score\n" + "a,1\na,\nb,inf\nb,2\n\x1b[31m,3\n=1,4\n")
    (where / "empty.csv").touch()
    (where / "folder").mkdir()
    (where / "study.py").write_text(STUDY)
    run(
        Study("s", Algorithm("a", lambda config, rng: rng.random()), none()),
        4,
        where / "store",
        workers=0,
        progress=False,
    )
    return where


def odd_lists(seed: int, count: int, pages: bool):
    """Argument lists that are almost right: each command with a source that may be one, and a few options with odd values."""
    rng = random.Random(seed)
    commands = typer.main.get_command(app).commands
    # They run code, or for minutes; their refusals are tested where they are.
    names = [name for name in commands if name not in ("reproduce", "curves", "watch")]
    if not pages:  # a second each
        names = [name for name in names if name not in ("report", "plot", "run")]
    for _ in range(count):
        name = rng.choice(names)
        options = [p for p in commands[name].params if p.param_type_name == "option" and "--help" not in p.opts]
        words = [rng.choice(SOURCES if rng.random() < 0.8 else ODD)] if rng.random() < 0.97 else []
        if name == "check" and rng.random() < 0.9:
            words += ["--baseline", rng.choice(SOURCES), "--margin", rng.choice(["0.01", "0", *ODD[:15]])]
        if name == "run":
            words = [rng.choice(["study.py", "study.py:one", *SOURCES]), "--trials", rng.choice(["2", *ODD[:6]]), "--workers", "0", "--out", rng.choice(["folder/new", "s.csv", "store"])]  # fmt: skip
        for option in rng.sample(options, min(len(options), rng.choice([0, 1, 1, 2, 3, 5]))):
            if name == "run" and {"--trials", "--workers", "--out"} & set(option.opts):
                continue
            words.append(rng.choice([*option.opts, *option.secondary_opts]))
            if not option.is_flag or rng.random() < 0.05:
                words.append(rng.choice(ODD))
        yield [name, *words]


def try_all(seed: int, count: int, capsys, pages: bool) -> dict[int, int]:
    codes: dict[int, int] = {}
    for arguments in odd_lists(seed, count, pages):
        try:
            code = main(arguments)
        except BaseException as error:
            raise AssertionError(f"ogive {arguments!r} raised {type(error).__name__}: {error}") from error
        said = capsys.readouterr()
        assert code in DOCUMENTED, arguments
        assert code == 0 or said.err.strip(), arguments
        assert "Traceback" not in said.err, arguments
        assert not {"\x1b", "\u202e"} & set(said.out + said.err), arguments
        codes[code] = codes.get(code, 0) + 1
    return codes


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "stdin", open(os.devnull, encoding="utf-8"))  # noqa: SIM115
    yield folder
    sys.stdin.close()


@pytest.mark.filterwarnings("default")
def test_odd_arguments_end_with_a_documented_exit_code_and_a_reason(here, capsys):
    codes = try_all(0, QUICK, capsys, pages=False)
    assert codes[0] > QUICK / 60  # lists are odd, and not hopeless
    assert codes[2] > QUICK / 4


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_many_odd_arguments_end_with_a_documented_exit_code_and_a_reason(here, capsys):
    codes = try_all(int(os.environ.get("OGIVE_ODD_SEED", "1")), MANY, capsys, pages=True)
    assert sum(codes.values()) == MANY
    assert codes[0] > MANY / 60
    assert codes[2] > MANY / 4
