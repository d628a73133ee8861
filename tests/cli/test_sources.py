"""`ogive sources` as a user calls it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

from ogive.cli._sources import sources
from ogive.errors import InputError, OgiveError


@pytest.fixture
def run(capsys):
    """Call the command; its exit code, what it printed, what it said on stderr."""
    app = typer.Typer()
    app.command("sources")(sources)
    app.command("other")(lambda: None)

    def call(*arguments):
        try:
            code = typer.main.get_command(app).main(["sources", *map(str, arguments)], standalone_mode=False)
        except OgiveError as error:
            return 2, "", str(error)
        out = capsys.readouterr()
        return code or 0, out.out, out.err

    return call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(40), 5)
    lr, kind = rng.uniform(0.1, 1, 40), rng.choice(["a", "b"], 40)
    score = lr[of] + (kind[of] == "a") + 0.1 * rng.normal(size=200)
    data = {"model": "m", "trial": np.arange(200), "lr": lr[of], "kind": kind[of], "score": score}
    path = tmp_path / "scores.csv"
    pd.DataFrame(data).to_csv(path, index=False)
    return path


ROLES = ["--score", "score", "--param", "lr", "--param", "kind", "--unit", "configuration", "--repeat", "trial"]


def test_the_sentences_come_first(run, table):
    code, out, _ = run(table, *ROLES)
    assert code == 0
    first, second = out.splitlines()[:2]
    assert "configuration" in first
    assert second.startswith("kind explains")


def test_json_has_a_schema_and_rows(run, table):
    code, out, _ = run(
        table, *ROLES, "--json", "--budget", 200, "--cost-ratio", 10, "--holds", '{"config": {"every": 5}}'
    )
    held = json.loads(out)
    assert code == 0
    assert held["schema"] == 1
    assert {row["kind"] for row in held["rows"]} >= {"share", "explained"}
    assert held["allocation"][0]["cost_ratio"] == 10


def test_a_picture_is_written(run, table, tmp_path: Path):
    code, out, _ = run(table, *ROLES, "--out", tmp_path / "new" / "sources.png")
    assert code == 0
    assert (tmp_path / "new" / "sources.png").stat().st_size > 0
    assert "sources.png" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--holds", "every ten"], "`--holds` must be JSON"),
        (["--holds", "[1]"], "`--holds` must be JSON"),
        (["--out", "a.txt"], "must end in"),
        (["--method", "x"], "is not in the table"),
        (["--on", "x"], "names none"),
        (["--confidence", "95"], "Did you mean 0.95"),
    ],
)
def test_what_a_user_can_do_wrong_is_one_sentence(run, table, arguments, words):
    code, _, said = run(table, *ROLES, *arguments)
    assert code == 2
    assert words in said


def test_several_methods_in_one_picture_are_refused(run, tmp_path: Path):
    path = tmp_path / "two.csv"
    pd.DataFrame({"model": ["a", "b"] * 6, "score": np.arange(12.0)}).to_csv(path, index=False)
    code, _, said = run(path, "--unit", "row", "--out", tmp_path / "a.png")
    assert (code, "one method on one task" in said) == (2, True)
    assert issubclass(InputError, OgiveError)
