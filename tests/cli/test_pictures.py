"""Options of every command that draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from ogive.cli import main

SCORES = str(Path(__file__).parents[2] / "examples" / "scores.csv")
COMMANDS = {
    "plot": ["plot", SCORES, "--method", "SVM", "--on", "moons"],
    "plan": ["plan", "band", "--half-width", "0.1"],
    "profile": ["profile", "TIMES", "--goal", "minimize"],
    "aggregate": ["aggregate", SCORES, "-s", "mean"],
}


@pytest.fixture
def times(tmp_path: Path) -> str:
    path = tmp_path / "times.csv"
    path.write_text("problem,a,b\n" + "".join(f"p{i},{i + 1},{12 - i}\n" for i in range(10)))
    return str(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_has_the_width_that_was_asked_for_and_no_words(command, times, tmp_path: Path):
    asked = [times if word == "TIMES" else word for word in COMMANDS[command]]
    sizes = []
    for words in ([], ["--no-title", "--no-caption"]):
        target = tmp_path / f"p{len(words)}.png"
        assert main([*asked, "--quiet", "-o", str(target), "--width", "400px", *words]) == 0
        with Image.open(target) as picture:
            sizes.append(picture.size)
    assert [width for width, _ in sizes] == [400, 400]
    assert sizes[1][1] < sizes[0][1]


def test_a_bad_width_is_refused_before_anything_is_read(capsys):
    assert main(["plot", "nowhere.csv", "--width", "3.25 feet"]) == 2
    said = capsys.readouterr().err
    assert "`--width` must be a number of inches" in said
    assert "nowhere" not in said


def test_options_of_a_picture_need_a_picture(capsys):
    assert main(["plan", "band", "--half-width", "0.1", "--no-caption"]) == 2
    assert "`--no-caption` is about a picture; name one with --out." in capsys.readouterr().err
