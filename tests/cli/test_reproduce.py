"""`ogive reproduce`: what is asked for reaches the study's program as it was written."""

import pytest

from ogive.cli import main

PROGRAM = """
def reproduce(*, table, figure, trials, out, workers):
    return f"{table!r} {figure!r} {trials!r} {out.name} {workers!r}"
"""


@pytest.fixture
def studies(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "reproduce.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))  # what the command puts on the path is taken away again
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "None None None mine None"),
        (["--table", "B.10"], "'B.10' None None mine None"),
        (["--figure", "2a", "--workers", "1"], "None '2a' None mine 1"),
        (["--table", "1", "--trials", "5", "--out", "there"], "'1' None 5 there None"),
    ],
)
def test_tables_and_figures_have_the_names_of_the_publication(asked, said, studies, capsys):
    assert main(["reproduce", "mine", "--studies", str(studies), *asked]) == 0
    assert capsys.readouterr().out.strip() == said


def test_a_study_that_is_not_there_is_one_sentence_with_those_that_are(studies, capsys):
    assert main(["reproduce", "yours", "--studies", str(studies)]) == 2
    assert "there is mine" in capsys.readouterr().err
