"""Standard streams that are closed, full or left by their reader; and what --quiet does not silence."""

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ogive.cli import main
from ogive.cli._app import app

GOOD = "model,seed,score\n" + "".join(f"a,{i},{0.5 + i / 100}\nb,{i},{0.4 + i / 100}\n" for i in range(8))
COMMANDS = {
    "--help": 0, "--version": 0, "inspect s.csv": 0, "summary s.csv": 0, "summary s.csv --json": 0, "summary s.csv --format csv": 0,
    "compare s.csv": 0, "rank s.csv": 0, "sources s.csv": 0, "plan band --half-width 0.1": 0, "plan s.csv --difference 0.1": 0,
    "check s.csv -b s.csv --margin 9 --method a": 0, "check s.csv -b s.csv --margin 0.001 --method a": 4, "profile s.csv --kind score --runs mean": 0,
    "status store": 0, "watch store --once": 0, "verify store": 0, "repair store": 0, "compact store": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    from ogive.algorithms import Algorithm
    from ogive.runner import run
    from ogive.study import Study
    from ogive.tasks import none

    where = tmp_path_factory.mktemp("streams")
    (where / "s.csv").write_text(GOOD)
    study = Study("s", Algorithm("a", lambda config, rng: rng.random()), none())
    run(study, 3, where / "store", workers=0, progress=False)
    return where


class Full(io.StringIO):
    """A stream on a disk without space."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("command", COMMANDS)
def test_an_answer_that_cannot_be_written_is_one_sentence_and_an_exit_code(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for stream, words in ((None, "it is closed"), (Full(), "No space left on device")):
        said = io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", said)
            assert main(command.split()) == 1
        assert said.getvalue().splitlines()[-1] == f"ogive: standard output could not be written: {words}."


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_error_that_is_closed_or_full_changes_neither_answer_nor_exit_code(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    answers = []
    for stream in (io.StringIO(), None, Full()):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", shown := io.StringIO())
            patch.setattr(sys, "stderr", stream)
            assert main(command.split()) == COMMANDS[command]
        answers.append(re.sub(r"\d+ parts", "parts", shown.getvalue()))
    assert answers[0]
    assert answers[0] == answers[1] == answers[2]


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    ogive = f'"{sys.executable}" -m ogive.cli'
    return subprocess.run(
        ["sh", "-c", line.replace("OGIVE", ogive)], capture_output=True, text=True, cwd=cwd, timeout=60
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("OGIVE --version >&-", 1, "standard output could not be written: it is closed."),
        ("OGIVE --version >/dev/full", 1, "standard output could not be written: No space left on device."),
        ("OGIVE --version >&- 2>&- <&-", 1, None),
        ("OGIVE --version 2>/dev/full", 0, None),
        ("OGIVE summary - <&-", 2, "reads a table from standard input; pipe one into it"),
        ("OGIVE inspect s.csv <&- 2>&-", 0, None),
    ],
)
def test_a_process_without_its_streams_ends_with_a_sentence(line, code, said, folder):
    done = shell(line, folder)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr == "" if said is None else said in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_verdict_that_standard_output_did_not_take_is_an_error(folder):
    for name, scores in (("a", "0.5 0.6 0.7"), ("b", "0.8 0.9 0.7")):
        rows = "".join(f"m,{seed},{score}\n" for seed, score in enumerate(scores.split()))
        (folder / f"{name}.csv").write_text(f"model,seed,score\n{rows}")
    command = "OGIVE check a.csv --baseline b.csv --margin 0.01"
    assert shell(command, folder).returncode in (4, 5)
    assert shell(f"{command} >/dev/full", folder).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", ["summary s.csv", "--help", "rank s.csv --json", "verify store"])
@pytest.mark.parametrize(
    ("line", "code"),
    [("OGIVE {} | head -0; exit 0", 0), ("OGIVE {} >&-", 1), ("OGIVE {} >/dev/full", 1), ("OGIVE {} 2>&-", 0)],
)
def test_every_kind_of_command_survives_every_kind_of_stream(command, line, code, folder):
    done = shell(line.format(command), folder)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_files_opened_beside_closed_streams_are_not_written_into(folder):
    """The number of a closed standard output goes to the next file that is opened, unless it is taken."""
    program = "import os, ogive.cli; ogive.cli.main(['--version']); n = os.open('s.csv', os.O_RDONLY); os._exit(n > 2)"
    assert shell(f'"{sys.executable}" -c "{program}" >&- 2>&- <&-', folder).returncode == 1


def test_quiet_is_on_every_command():
    import typer

    commands = typer.main.get_command(app).commands
    assert {name for name, c in commands.items() if not any("-q" in p.opts for p in c.params)} == set()


@pytest.mark.parametrize("quiet", [[], ["-q"], ["-q", "--json"]])
def test_a_gate_that_does_not_open_says_why_on_standard_error(quiet, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["check", "s.csv", "-b", "s.csv", "--margin", "0.001", "--method", "a", *quiet]) == 4
    said = capsys.readouterr()
    assert re.search("ogive: .*0.001 cannot be told", said.err)
    assert said.out
    assert ("read:" in said.err) == (not quiet)


def test_a_damaged_store_and_failed_trials_say_why_on_standard_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "study.py").write_text(
        "from ogive.algorithms import Algorithm\nfrom ogive.study import Study\nfrom ogive.tasks import none\n"
        "def f(config, rng):\n    if rng.random() < 0.5:\n        raise ValueError('no luck')\n    return rng.random()\n"
        "bad = Study('bad', Algorithm('a', f), none())\n"
    )
    out = tmp_path / "out"
    asked = ["run", str(tmp_path / "study.py"), "-n", "12", "-w", "0", "-o", str(out), "-q", "--json"]
    assert main(asked) == 3
    assert re.search(r"ogive: \d+ of 12 trials failed", capsys.readouterr().err)
    next((out / "trials").iterdir()).write_bytes(b"damaged")
    for command, words in (("verify", "is not sound"), ("status", "1 fault in")):
        assert main([command, str(out), "-q"]) == 1
        said = capsys.readouterr()
        assert words in said.err
        assert said.out
