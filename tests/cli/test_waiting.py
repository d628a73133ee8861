"""A command that takes long says how far it is, on stderr, and leaves nothing behind."""

import io
import sys
import threading
import time

import pytest

from ogive.cli import _output, main
from ogive.cli._output import ERASE, said, waiting
from ogive.stages import counting, current


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(_output, "PATIENCE", 0.02)
    monkeypatch.setattr(_output, "REDRAWN_EVERY", 0.02)
    monkeypatch.setattr(_output, "LINE_EVERY", 0.02)
    monkeypatch.setenv("TERM", "xterm")


def test_the_innermost_loop_is_named_unless_an_outer_one_knows_its_end():
    assert current() is None
    for _ in counting(iter("ab"), "reading"):
        for _ in counting([1, 2], "comparing"):
            assert current().words == "comparing"
        assert current().words == "reading"
    assert current() is None


def test_a_loop_that_is_left_early_is_no_longer_named():
    for _ in counting([1, 2, 3], "comparing"):
        break
    assert current() is None


def test_words_count_what_is_done_and_how_long_it_took():
    for i in counting(list(range(200)), "comparing methods, by task"):
        if i == 50:
            assert said("rank", 72.4, bar=False) == "ogive rank: comparing methods, by task 50 of 200 (1 min 12 s)"
            assert "[######..................] 50 of 200" in said("rank", 5.0, bar=True)
    assert said("rank", 5.0, bar=True) == "ogive rank: working (5 s)"


def test_a_terminal_sees_one_line_that_is_gone_in_the_end(impatient, monkeypatch):
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)
    with waiting("rank"):
        for _ in counting([1, 2], "comparing"):
            time.sleep(0.1)
    assert "comparing" in seen.getvalue()
    assert "\n" not in seen.getvalue()
    assert seen.getvalue().endswith(ERASE)


def test_what_is_printed_meanwhile_stands_on_a_line_of_its_own(impatient, monkeypatch):
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)
    monkeypatch.setattr("sys.stdout", seen)
    with waiting("rank"):
        time.sleep(0.1)
        sys.stdout.write("the result\n")
    assert f"{ERASE}the result\n" in seen.getvalue()


def test_elsewhere_a_line_is_written_now_and_then(impatient, monkeypatch):
    seen = io.StringIO()
    monkeypatch.setattr("sys.stderr", seen)
    with waiting("rank"):
        time.sleep(0.15)
    lines = seen.getvalue().splitlines()
    assert 1 <= len(lines) <= 8
    assert all(line.startswith("ogive rank: working (") for line in lines)
    assert "\x1b" not in seen.getvalue()


def test_quiet_commands_and_quick_ones_say_nothing(impatient, monkeypatch):
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)
    with waiting("rank", quiet=True):
        time.sleep(0.1)
    monkeypatch.setattr(_output, "PATIENCE", 5.0)
    with waiting("rank"):
        pass
    assert seen.getvalue() == ""


def test_a_closed_stderr_disturbs_nothing(impatient, monkeypatch):
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)
    went_on = False
    with waiting("rank"):
        seen.close()
        time.sleep(0.1)
        went_on = True
    assert went_on
    assert not [thread for thread in threading.enumerate() if thread.name == "ogive-waiting"]


@pytest.mark.parametrize("command", ["inspect", "summary", "rank", "plot", "report", "profile", "aggregate"])
def test_every_command_that_reads_a_table_says_how_far_it_is(command, tmp_path, impatient, monkeypatch, capsys):
    heard = []
    # Small tables are done before a timer is due: who is told to begin would draw.
    monkeypatch.setattr(_output._Shown, "start", lambda self: heard.append(said(self._command, 5.0, bar=True)))
    monkeypatch.setattr(_output._Shown, "stop", lambda self: None)
    table = tmp_path / "scores.csv"
    rows = [f"{m},t{t},{r},0.{m}{t}{r}" for m in range(3) for t in range(3) for r in range(5)]
    table.write_text("\n".join(["method,task,seed,accuracy", *rows]), encoding="utf-8")
    out = {"plot": ["-o", str(tmp_path / "a.png")], "report": ["-o", str(tmp_path / "a.html")]}.get(command, [])
    kind = ["--kind", "score", "--goal", "maximize"] if command == "profile" else ["--unit", "row"]
    assert main([command, str(table), *out, *kind]) == 0
    assert any(line.startswith(f"ogive {command}: ") for line in heard)


def test_two_loops_under_the_same_words_each_end_their_own():
    first, second = (counting(range(2), "comparing methods") for _ in range(2))
    next(first)
    next(second)
    second.close()
    remaining = current()
    assert remaining is not None
    next(first)
    assert remaining.done == 1
    first.close()
    assert current() is None


def test_a_report_says_what_it_is_doing_all_the_time(tmp_path, monkeypatch):
    """As a timer would see it: whenever a stage is entered, and in all that takes long."""
    import ogive.report._write as module
    from ogive import reading

    seen = []
    for owner, name in ((reading, "read"), (module, "find"), (module, "compose"), (module, "write_file")):
        real = getattr(owner, name)
        monkeypatch.setattr(
            owner, name, lambda *given, _real=real, **more: (seen.append(current()), _real(*given, **more))[1]
        )
    table = tmp_path / "scores.csv"
    rows = [f"{m},{r},0.{m}{r}" for m in range(3) for r in range(5)]
    table.write_text("\n".join(["method,seed,accuracy", *rows]), encoding="utf-8")
    assert main(["report", str(table), "-o", str(tmp_path / "a.html"), "--unit", "row"]) == 0
    words = ["reading the table", "judging methods", "drawing pictures and tables", "writing the page"]
    assert [stage and stage.words for stage in seen] == words
    assert current() is None
