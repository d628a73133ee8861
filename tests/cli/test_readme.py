"""Every command line of the README works when it is typed in a clone."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ogive.cli import main

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
LINES = [shlex.split(line, comments=True) for line in re.findall(r"^\$ ogive (.+)$", README, flags=re.MULTILINE)]
OF_A_STORE = [line for line in LINES if any(word.startswith("results/") for word in line)]
OF_A_TABLE = [line for line in LINES if line not in OF_A_STORE]
# What takes seconds as it is written: fewer trials, in this process.
FEWER = {"--trials": "12", "--workers": "0", "--repetitions": "4"}


@pytest.fixture
def clone(repository: Path, tmp_path: Path, monkeypatch) -> Path:
    shutil.copytree(repository / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_shows_commands():
    shown = {line[0] for line in LINES}
    assert {"inspect", "summary", "compare", "rank", "check", "profile", "run", "sources", "curves"} <= shown


@pytest.mark.parametrize("line", OF_A_TABLE, ids=" ".join)
def test_a_line_on_a_table_works(line, clone, capsys):
    assert main(line) == 0, capsys.readouterr().err


def test_the_lines_on_a_store_work_one_after_the_other(clone, capsys):
    for line in OF_A_STORE:
        fewer = [FEWER.get(before, word) for before, word in zip(["", *line], line, strict=False)]
        assert main(fewer) == 0, (fewer, capsys.readouterr().err)


@pytest.mark.slow
def test_the_lines_on_a_store_work_as_they_are_written(clone, capsys):
    for line in OF_A_STORE:
        assert main(line) == 0, (line, capsys.readouterr().err)
