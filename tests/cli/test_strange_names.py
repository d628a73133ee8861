"""Names that steer a terminal, turn a line round or run in a spreadsheet come out of no command as they are."""

import csv
import io
import re
import unicodedata
from pathlib import Path

import pytest

import ogive
from ogive.cli import main
from ogive.words import comma_separated, escaped, spreadsheet_safe

FORMULAS = ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "\ufe661", " =1", "\u00a0=1"]  # fmt: skip
STEERING = ["\x1b[31mred\x07", "\t=1", "\r=1", "a\u202eb", "\u2066c", "l\u2028m", "n\x9bm", "t\U000e0041g", "s\u061ct", "<b>|\\x{y}"]  # fmt: skip
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0041]")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_cell_that_a_spreadsheet_would_run_begins_with_an_apostrophe(text):
    assert spreadsheet_safe(text) == f"'{text}"
    assert comma_separated(["=head"], [[text, -1.5, -2, None, float("nan")]]) == f"'=head\n'{text},-1.5,-2,,\n"
    assert next(csv.reader(io.StringIO(comma_separated([], [[text]], raw=True)[1:]))) == [text]


@pytest.mark.parametrize("text", STEERING)
def test_control_and_direction_characters_are_written_as_escapes(text):
    assert not UNSEEN.search(escaped(text))
    if "\\" not in text:
        assert escaped(text).encode("latin-1").decode("unicode_escape") == text


def test_every_control_and_format_character_is_escaped_and_no_other():
    signs = [
        chr(i) for i in (*range(0x3000), *range(0xD7F0, 0xE010), *range(0xFE00, 0x10000), *range(0xE0000, 0xE0100))
    ]
    unseen = [c for c in signs if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert {c for c in signs if escaped(c) != c} == set(unseen)
    assert len({escaped(c) for c in unseen}) == len(unseen)


def table(folder: Path, names: list[str], name: str = "s.csv") -> str:
    with open(folder / name, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["model", "dataset", "=score"])
        writer.writerows(
            [[n, t, 0.5 + i / 7 + k / 50] for k, n in enumerate(names) for t in ("=t", "u\x1b") for i in range(5)]
        )
    return str(folder / name)


@pytest.mark.parametrize(
    "command",
    [
        "inspect", "summary", "summary --format markdown", "summary --format latex", "summary --format csv", "summary --json", "compare --a X --b Y",
        "compare --a X --b Y --json", "rank", "rank --json", "sources", "plan --difference 0.1 --a X --b Y --on =t", "check --margin 0.1 --baseline SELF --method X",
        "check --margin 0.1 --baseline SELF --method X --json", "profile --kind score --runs mean --goal maximize", "summary --on absent", "compare",
        "inspect --score absent", "aggregate", "aggregate --format markdown", "aggregate --format latex", "aggregate --format csv", "aggregate --json",
    ],
)  # fmt: skip
def test_no_command_prints_a_name_that_steers(command, tmp_path, capsys):
    names = [STEERING[0], STEERING[3], STEERING[5], FORMULAS[0], STEERING[-1]]
    source = table(tmp_path, names)
    name, *words = command.split()
    words = [{"X": names[0], "Y": names[1], "SELF": source}.get(w, w) for w in words]
    score = [] if "--score" in words else ["--score", "=score"]
    assert main([name, source, *words, *score]) in (0, 2, 4, 5)
    said = capsys.readouterr()
    assert not UNSEEN.search(said.out)
    assert not UNSEEN.search(said.err)
    assert said.out or "ogive: " in said.err


def test_a_csv_summary_is_safe_and_raw_is_not(tmp_path, capsys):
    source = table(tmp_path, ["=1+1", "a\u202eb"])
    asked = ["summary", source, "--score", "=score", "--format", "csv", "-q", "-s", "mean"]
    assert main(asked) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(r["algorithm"], r["task"], r["metric"]) for r in rows} == {
        (name, task, "'=score") for name in ("'=1+1", "a\\u202eb") for task in ("'=t", "u\\x1b")
    }
    assert all(float(r["low"]) < float(r["estimate"]) < float(r["high"]) for r in rows)
    assert main([*asked, "--raw"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {r["algorithm"] for r in rows} == {"=1+1", "a\u202eb"}
    assert main(["summary", source, "--score", "=score", "--raw"]) == 2
    assert "`--raw` is about --format csv" in capsys.readouterr().err


def test_trials_written_as_csv_are_safe_in_every_column_and_in_the_head(tmp_path):
    trials = ogive.read(table(tmp_path, ["=1+1", "a\u202eb"]), score="=score")
    trials.write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert not UNSEEN.search(text)
    assert not any(cell[:1] in ("=", "@") for row in csv.reader(io.StringIO(text)) for cell in row)
    assert "'=score" in text.splitlines()[0]
    trials.write(tmp_path / "raw.csv", raw=True)
    assert ogive.read(tmp_path / "raw.csv", score="=score").algorithms == trials.algorithms


LIKE_ARGUMENTS = ["task='a'", "kind='rank' x", "paired=False", "bounds=(0, 1)", "looks=2"]


@pytest.mark.parametrize("command", ["summary", "rank", "compare", "inspect", "sources", "aggregate"])
def test_a_name_that_looks_like_an_argument_is_shown_as_it_is(command, tmp_path, capsys):
    names = LIKE_ARGUMENTS[1:3] if command == "compare" else LIKE_ARGUMENTS
    rows = [f'"{name}",{i},{(i * 7 + shift) % 10 / 10}' for shift, name in enumerate(names) for i in range(8)]
    table = tmp_path / "names.csv"
    table.write_text("\n".join(["method,run,accuracy", *rows]), encoding="utf-8")
    assert main([command, str(table), "--unit", "row"]) == 0
    said = capsys.readouterr()
    assert LIKE_ARGUMENTS[2] in said.out
    assert not any(option in said.out for option in ("--unpaired", "--task a", "--kind rank", "--looks 2"))
