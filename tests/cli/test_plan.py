"""`ogive plan` as a user calls it."""

import json
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from ogive.answers._plan import EXAMPLES, TAKES
from ogive.cli import main
from ogive.cli._plan import NAMES, plan
from ogive.errors import InputError

app = typer.Typer()
app.command("plan")(plan)


def run(*arguments: object, code: int = 0):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if code == 0 and result.exception is not None:
        raise result.exception
    assert result.exit_code == code
    return result


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    path = tmp_path / "pilot.csv"
    rows = [(name, i, 0.5 + i / 100 + j * (i % 3) / 50) for j, name in enumerate(("svm", "knn")) for i in range(20)]
    pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).to_csv(path, index=False)
    return path


def test_the_names_are_those_that_can_be_planned():
    assert tuple(TAKES) == NAMES


def test_a_band_by_name():
    shown = run("band", "--half-width", 0.1, "--band", "ks").stdout
    assert shown.startswith(
        "181 trials put the 95 % band within ±0.1 of the share of runs everywhere (ks, guaranteed).\n"
    )
    assert "Assumes: independent scores." in shown


@pytest.mark.parametrize(
    ("arguments", "n"),
    [
        (["cvar", "--mass", 0.5, "--half-width", 0.01, "--bounds", "0,1"], 73_778),
        (["quantile", "--p", 0.9, "--half-width", 0.5], 36),
        (["improvement"], 117),
        (["improvement", "--paired"], 97),
        (["difference", "--difference", 0.5, "--sd", 1], 128),
        (["difference", "--difference", 0.5, "--sd", 1, "--sd", 1], 128),
        (["mean", "--bounds", "0,1", "--half-width", 0.05, "--one-sided"], 600),
        (["band", "-n", 50], 50),
    ],
)
def test_json_has_the_number_and_a_schema(arguments, n):
    shown = json.loads(run(*arguments, "--json").stdout)
    assert (shown["schema"], shown["n_trials"]) == (1, n)
    assert {row["n_trials"] for row in shown["rows"]} >= {n}


def test_a_table_of_numbers_and_widths():
    lines = run("band", "--half-width", 0.1, "--band", "dkw", "--table").stdout.splitlines()
    widths = {int(n): float(w) for n, w in (line.split() for line in lines[-7:])}
    assert widths[185] == pytest.approx(0.09985, abs=1e-4)
    assert list(widths.values()) == sorted(widths.values(), reverse=True)


def test_a_number_that_is_too_small_is_called_so_in_the_table():
    lines = run("improvement", "--trials", 40, "--table").stdout.splitlines()
    assert lines[-7].split(maxsplit=1) == ["10", "too few"]
    assert "inf" not in lines[-7]


def test_what_was_assumed_and_what_would_do_are_said():
    assert "0.65 is taken" in run("improvement").stdout
    assert "72 trials" in run("quantile", "--p", 0.05, "--trials", 20).stdout


def test_a_picture_is_written(tmp_path: Path):
    target = tmp_path / "new" / "plan.png"
    assert str(target) in run("band", "--half-width", 0.1, "--band", "dkw", "--out", target).stdout.replace("\n", "")
    assert target.stat().st_size > 0


def test_a_pilot_is_read_and_planned_from(pilot):
    result = run(pilot, "--difference", 0.01, "--pair", "seed", "--unit", "row", "--quiet")
    assert "difference of means of 0.01" in result.stdout
    shown = json.loads(run(pilot, "--half-width", 0.01, "--a", "svm", "--unit", "row", "--json", "--quiet").stdout)
    assert shown["source"].endswith("pilot.csv")
    assert shown["question"]["n_pilot"] == 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["band"], "got neither"),
        (["band", "--half-width", 0.1, "--score", "x"], "`--score` says how to read a table"),
        (["band", "--half-width", 0.1, "--param", "x"], "`--param` says how to read a table"),
        (["difference", "--sd", 1, "--sd", 1, "--sd", 1, "--difference", 1], "`--sd` is given once"),
        (["mean", "--half-width", 0.1, "--bounds", "zero"], "`--bounds` must be LOW,HIGH"),
        (["band", "--half-width", 0.1, "--confidence", 95], "Did you mean 0.95?"),
        (["nothing.csv", "--difference", 1], "'nothing.csv' is neither a kind of plan (band,"),
        (["improvment"], "'improvment' is neither a kind of plan (band, quantile, mean, cvar, improvement, difference) nor a file"),
        (["band", "mean", "--half-width", 0.1], "a kind of plan stands alone"),
        (["cvar", "--mass", 0.1, "--half-width", 0.05], "a plan for cvar needs"),
    ],
)  # fmt: skip
def test_what_a_user_can_do_wrong_is_one_sentence(arguments, said):
    result = run(*arguments, code=1)
    assert isinstance(result.exception, InputError)
    assert said in str(result.exception)


def test_a_refused_plan_names_options_and_shows_how_it_is_called(capsys):
    assert main(["plan", "mean", "--difference", "0.01"]) == 2
    said = capsys.readouterr().err
    assert "`--difference` has no meaning in a plan for 'mean'" in said
    assert "ogive plan mean --half-width 0.01 --bounds 0,1" in said
    assert "half_width" not in said
    assert main(["plan", "band"]) == 2
    assert "either `--half-width` or `--trials`" in capsys.readouterr().err


def test_every_example_of_a_plan_can_be_typed(capsys):
    for _, line in EXAMPLES.values():
        assert main(line.split()[1:]) == 0, line
