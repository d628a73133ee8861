"""Where commands write: looked at before anything is read or run, and never half written."""

import contextlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ogive
from ogive.cli import main
from ogive.errors import UnwritableFile
from ogive.store import Store

OLD = b"old " * 50
SCORES = "model,C,seed,score\n" + "".join(
    f"{m},{i % 7},{i},{(i * 37 % 101) / 101:.6f}\n" for m in "ab" for i in range(30)
)
DATA = "u,v,y\n" + "".join(f"{(i * 37 % 101) / 50 - 1:.3f},{(i * 53 % 97) / 50 - 1:.3f},{i % 2}\n" for i in range(60))
STUDY = """
from ogive.algorithms import Algorithm
from ogive.study import Study
from ogive.tasks import none

def f(config, rng):
    open("ran", "a").close()
    return rng.random()

study = Study("good", [Algorithm(n, f) for n in "ab"], none(), metrics={"score": "maximize"})
"""
CURVES = ["curves", "data.csv", "--target", "y", "--models", "nmc,lda", "-n", "20", "--sizes", "5,10", "-w", "0", "-q"]
# Each command with the name of what it writes; {} is that name.
WRITES = {
    "report": (["report", "scores.csv", "-q", "--out", "{}"], "p.html"),
    "plot": (["plot", "scores.csv", "-q", "--out", "{}"], "p.png"),
    "plan by name": (["plan", "band", "--half-width", "0.1", "--band", "dkw", "--out", "{}"], "p.png"),
    "plan from a pilot": (["plan", "scores.csv", "--unit", "row", "--difference", "0.3", "-q", "--out", "{}"], "p.png"),
    "sources": (["sources", "scores.csv", "--param", "C", "--method", "a", "--unit", "row", "-q", "--out", "{}"], "p.png"),
    "profile": (["profile", "scores.csv", "--kind", "score", "-q", "--out", "{}"], "p.png"),
    "pairs of a profile": (["profile", "scores.csv", "--kind", "score", "-q", "--pairs", "{}"], "p.png"),
    "aggregate": (["aggregate", "scores.csv", "-s", "mean", "-q", "--out", "{}"], "p.png"),
    "check": (["check", "scores.csv", "--baseline", "scores.csv", "--method", "a", "--margin", "9", "-q", "--comment", "{}"], "c.md"),
    "curves": ([*CURVES, "--out", "cu", "--report", "{}"], "p.html"),
    "pictures of curves": ([*CURVES, "--out", "cu"], "cu/curves-accuracy.png"),
    "run": (["run", "study.py", "-n", "5", "-w", "0", "-q", "--out", "st"], "st/report.html"),
}  # fmt: skip
COMMANDS = pytest.mark.parametrize("kind", WRITES)
# What computes and draws for real: one of each sort in every run, the others where there is time.
QUICK = ("report", "check", "run", "plan by name")
SOME = pytest.mark.parametrize("kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in WRITES])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, text in {"scores.csv": SCORES, "data.csv": DATA, "study.py": STUDY}.items():
        Path(name).write_text(text)
    return tmp_path


def command(kind: str, target: str | None = None) -> list[str]:
    words, name = WRITES[kind]
    return [word.format(target or name) for word in words]


def refused(kind: str, capsys, target: str | None = None) -> str:
    """What a command says that ends with exit code 2 and one line."""
    assert main(command(kind, target)) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    return said


def everything() -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in Path().rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def nothing_is_computed(monkeypatch) -> None:
    """Whatever reads, runs or draws is an error."""

    def too_late(*arguments, **options):
        raise AssertionError("the place was looked at too late")

    for name in ("reading.read", "answers.plan", "answers.check", "profiles.performance_profile"):
        monkeypatch.setattr(f"ogive.{name}", too_late)
    for name in ("runner._run.execute", "curves.learning_curves", "tasks._files.File.load"):
        monkeypatch.setattr(f"ogive.{name}", too_late)


@COMMANDS
@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("a folder", "cannot be written: it is a folder; choose another name"),
        ("full", "cannot be written: it is larger than a file may be here; raise the limit (ulimit -f)"),
        ("a file for a folder", "cannot be written: a file stands where a folder is needed; choose another place"),
    ],
)
def test_a_place_that_cannot_be_written_is_noticed_before_anything_is_computed(
    kind, trouble, words, capsys, monkeypatch
):
    target = WRITES[kind][1]
    if trouble == "a folder":
        Path(target).mkdir(parents=True)
    elif trouble == "a file for a folder":
        folder = Path(target).parent
        if folder == Path():
            target, folder = f"deep/{target}", Path("deep")
        folder.touch()
    nothing_is_computed(monkeypatch)
    before = everything()
    with full_at(1000) if trouble == "full" and kind != "check" else full_at(0 if trouble == "full" else None):
        said = refused(kind, capsys, target)
    assert f"ogive: {target} {words}" in said
    assert everything() == before


@contextlib.contextmanager
def full_at(size: int | None):
    """No file can grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft if size is None else size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@SOME
def test_a_disk_that_fills_up_meanwhile_leaves_the_old_file(kind, capsys, monkeypatch):
    """What could not be known before: the old file stands, the message names it, and the exit code is 2."""
    target = Path(WRITES[kind][1])
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(OLD)

    def fail(source, goal):
        if Path(goal) == target:
            raise OSError(28, "No space left on device")
        return replace(source, goal)

    replace = os.replace
    monkeypatch.setattr("ogive.writing.os.replace", fail)
    assert main(command(kind)) == 2
    said = capsys.readouterr().err
    assert f"{target} cannot be written: the disk is full; free some space, or choose another place" in said
    assert "(the file that is there stays as it was)" in said
    assert target.read_bytes() == OLD
    assert not [name for name in everything() if name.endswith(".tmp")]


@SOME
def test_a_file_is_replaced_as_a_whole_and_nothing_stays_beside_it(kind, capsys):
    target = Path(WRITES[kind][1])
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(OLD)
    target.chmod(0o600)
    assert main(command(kind)) == 0, capsys.readouterr().err
    assert target.read_bytes() != OLD
    assert target.stat().st_mode & 0o777 == 0o600
    assert not [name for name in everything() if Path(name).name.startswith(".")]


@SOME
def test_missing_folders_are_made_once_the_work_is_done(kind, capsys):
    target = f"new/er/{WRITES[kind][1]}"
    words = [
        word.replace("cu", "new/er/cu").replace("st", "new/er/st") if word in ("cu", "st") else word
        for word in command(kind, target)
    ]
    assert main(words) == 0, capsys.readouterr().err
    assert Path(target).stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "scores.csv", "--baseline", "old.csv", "--margin", "1", "--comment", "scores.csv"], "`--comment` must not be a file that is read"),
        (["check", "scores.csv", "--baseline", "old.csv", "--margin", "1", "--comment", "./old.csv"], "`--comment` must not be a file that is read"),
        (["check", "scores.csv", "--baseline", "old.csv", "--margin", "1", "--comment", "-"], "for standard output say /dev/stdout"),
        (["report", "table.html", "--out", "table.html"], "`--out` must not be a file that is read"),
        (["plot", "scores.csv", "table.html", "--out", "link.png"], "`--out` must not be a file that is read"),
        (["profile", "scores.csv", "--kind", "score", "--out", "a.png", "--pairs", "./a.png"], "`--pairs` must not be what --out names"),
        (["profile", "scores.csv", "--kind", "score", "--baselines", "b.png", "--out", "b.png"], "`--out` must not be a file that is read"),
        (["curves", "table.html", "--target", "y", "--models", "nmc", "--out", "cu", "--report", "table.html"], "`--report` must not be a file that is read"),
        (["curves", "data.csv", "--target", "y", "--models", "nmc", "--out", "data.csv"], "a file stands where a folder is needed"),
        (["run", "study.py", "-n", "3", "--out", "study.py"], "a file stands where a folder is needed"),
        (["report", "scores.csv", "--out", "st.html"], "st.html cannot be written: it is a folder"),
    ],
)  # fmt: skip
def test_what_is_read_or_kept_is_not_written_over(words, said, capsys, monkeypatch):
    for name in ("old.csv", "table.html", "b.png"):
        shutil.copy("scores.csv", name)
    Path("link.png").symlink_to("table.html")
    Store("st.html").create(store_record())
    before = everything()
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert everything() == before


def store_record() -> dict:
    space = {"a": ogive.Algorithm("a", lambda config, rng: 0.0)}
    return ogive.Study("s", list(space.values()), ogive.tasks.none(), metrics={"score": "maximize"}).record()


# The end of a run


def test_a_run_whose_page_cannot_be_written_keeps_its_trials_and_says_how_to_write_it(capsys, monkeypatch):
    """The place is fine when the run begins; while the page is made, a folder appears in its place."""
    made = ogive.report._write.page

    def page(*arguments):
        Path("st/report.html").mkdir()
        return made(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr("ogive.report._write.page", page)
        assert main(command("run")) == 2
    said = capsys.readouterr()
    assert "no report: st/report.html" in said.err
    assert re.search("10 trials are kept in st.*: ogive report st --out st/report.html", said.err)
    assert said.out == "st\n"
    assert len(Store("st").trials()) == 10
    Path("st/report.html").rmdir()
    Path("ran").unlink()
    assert main(["report", "st", "--out", "st/report.html"]) == 0
    assert Path("st/report.html").stat().st_size > 1_000_000
    assert not Path("ran").exists()


def test_the_page_of_an_earlier_run_is_called_that(capsys, monkeypatch):
    assert main(command("run")) == 0
    old = Path("st/report.html").read_bytes()
    capsys.readouterr()

    def full(*arguments, **options):
        raise UnwritableFile("st/report.html cannot be written: the disk is full.")

    monkeypatch.setattr("ogive.report._write.write_file", full)
    assert main([*command("run"), "-n", "8", "--json"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["report"] is None
    assert "16 trials are kept" in said.err
    assert "st/report.html is the page of an earlier run." in said.err
    assert Path("st/report.html").read_bytes() == old
    assert len(Store("st").trials()) == 16


def test_a_run_interrupted_while_it_writes_its_page_says_that_the_trials_are_kept(capsys, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("ogive.report._write.page", interrupted)
    assert main(command("run")) == 130
    assert re.search("10 trials are kept in st.*: ogive report st", capsys.readouterr().err)
    assert len(Store("st").trials()) == 10


def test_a_look_that_cannot_be_noted_does_not_deny_the_page(capsys):
    Path("st").mkdir()
    Path("st/looks").touch()
    assert main(command("run")) == 2
    said = capsys.readouterr()
    assert "no report" not in said.err
    assert "not be noted" in said.err
    assert said.out == "st/report.html\n"
    assert Path("st/report.html").stat().st_size > 1_000_000


def test_a_shard_needs_no_place_for_a_page(capsys):
    Path("st/report.html").mkdir(parents=True)
    assert main([*command("run"), "--shard", "1/2"]) == 0
    assert len(Store("st").trials()) == 6


def test_answers_about_curves_are_printed_although_a_picture_cannot_be_written(capsys, monkeypatch):
    def full(*arguments, **options):
        raise UnwritableFile("cu/curves-accuracy.png cannot be written: the disk is full.")

    monkeypatch.setattr("ogive.plots._page.write", full)
    assert main(command("pictures of curves")) == 2
    said = capsys.readouterr()
    assert "nmc" in said.out
    assert "20 repetitions are kept" in said.err
    assert said.err.endswith("ogive: cu/curves-accuracy.png cannot be written: the disk is full.\n")


@pytest.mark.slow
def test_a_page_can_go_to_standard_output_through_a_link(tmp_path):
    Path("page.html").symlink_to("/dev/stdout")
    done = subprocess.run(
        [sys.executable, "-m", "ogive.cli", "report", "scores.csv", "-q", "--out", "page.html"],
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert done.stdout.endswith(b"</html>\npage.html\n")
    assert Path("page.html").is_symlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check - --baseline b.csv --margin 9 --method a --comment scores.csv < scores.csv", "must not be a file that is read"),
        ("check scores.csv --baseline b.csv --margin 9 --method a --comment c.md > c.md", "must not be what standard output goes to"),
        ("report scores.csv --out p.html 2> p.html; cat p.html >&2", "must not be what messages go to"),
    ],
)  # fmt: skip
def test_a_file_that_the_shell_has_opened_is_not_replaced(words, said):
    shutil.copy("scores.csv", "b.csv")
    done = subprocess.run(
        f"{sys.executable} -m ogive.cli {words}", shell=True, capture_output=True, text=True, timeout=60
    )
    assert said in done.stderr
    assert Path("scores.csv").read_text() == SCORES
    assert done.returncode == 2 or "; cat" in words


@pytest.mark.slow
def test_a_comment_may_go_where_the_answer_goes():
    shutil.copy("scores.csv", "b.csv")
    words = "check scores.csv --baseline b.csv --margin 9 --method a -q --comment /dev/stdout"
    done = subprocess.run(f"{sys.executable} -m ogive.cli {words} > both.txt", shell=True, timeout=60)
    assert done.returncode == 0
    both = Path("both.txt").read_text()
    assert both.startswith("PASS: ")
    assert "\n### Ogive: PASS\n" in both


def test_standard_input_that_cannot_be_kept_is_said(capsys, monkeypatch):
    class Piped(io.StringIO):
        buffer = io.BytesIO(SCORES.encode())

    monkeypatch.setattr(sys, "stdin", Piped())
    with full_at(100):
        assert main(["summary", "-"]) == 2
    assert "standard input cannot be kept while it is read; set TMPDIR to a folder with room" in capsys.readouterr().err


# Tables


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "c.parquet"])
def test_a_table_that_meets_a_full_disk_leaves_the_old_one(name):
    rng = np.random.default_rng(0)
    table = ogive.read({"a": rng.random(500), "b": rng.random(500)}, unit="row")
    if name == "c.parquet":
        X = rng.normal(size=(60, 2))
        table = ogive.curves.learning_curves(
            ["nmc", "lda"], X, X[:, 0] > 0, sizes=[5, 10], n_repetitions=5, workers=0, progress=False
        )
    Path(name).write_bytes(OLD)
    with full_at(600), pytest.raises(UnwritableFile, match=f"^{name} cannot be written: it is larger"):
        table.write(name)
    assert Path(name).read_bytes() == OLD
    table.write(name)
    assert Path(name).read_bytes() != OLD
    assert not [path for path in everything() if path.startswith(".")]


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_a_table_may_be_written_over_the_file_it_was_read_from(name):
    ogive.read("scores.csv", unit="row").write(name)
    again = ogive.read(name, **({"unit": "row"} if name == "s.csv" else {}))
    again.write(name)
    assert len(ogive.read(name, **({"unit": "row"} if name == "s.csv" else {}))) == 60


@pytest.mark.parametrize(
    "ending", ["png", "pdf", *(pytest.param(e, marks=pytest.mark.slow) for e in ("svg", "jpg", "jpeg", "webp", "PNG"))]
)
def test_a_picture_of_every_kind_that_meets_a_full_disk_leaves_the_old_one(ending, monkeypatch):
    monkeypatch.setattr("ogive.plots._page.LEAST", 1)
    picture = ogive.plots.distribution(ogive.read("scores.csv", unit="row"))
    target = Path(f"p.{ending}")
    target.write_bytes(OLD)
    with full_at(5000), pytest.raises(UnwritableFile, match=f"^p.{ending} cannot be written: it is larger"):
        picture.save(target)
    assert target.read_bytes() == OLD
    picture.save(target)
    assert target.stat().st_size > 5000


# A real disk

FULL = """
import os, subprocess, sys
from pathlib import Path
import ogive.plots._page, ogive.report._write
from ogive.cli import main
words, target, free = sys.argv[4:], sys.argv[2], int(sys.argv[3])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", sys.argv[1]], check=True)
disk = Path(sys.argv[1]).absolute()
for name in ("scores.csv", "data.csv", "study.py"):
    (disk / name).write_bytes(Path(name).read_bytes())
os.chdir(disk)
assert main([*words]) == 0
old = b"old " * 50  # small: room that an old page of the same size gives up would hide that the disk is full
Path(target).write_bytes(old)
with open("filler", "wb") as filler:
    while (room := os.statvfs(".").f_bavail * 4096) > free:
        filler.write(b"x" * min(room - free, 1 << 16)); filler.flush()
if free:  # the place looks fine, and the disk is full in the middle of the writing
    ogive.plots._page.LEAST = ogive.report._write.LEAST = 1
code = main([*words])
assert Path(target).read_bytes() == old, "the old file is gone"
assert not list(Path().rglob(".*.tmp")), list(Path().rglob(".*.tmp"))
print("code", code, file=sys.stderr)
"""


@pytest.mark.slow
@COMMANDS
@pytest.mark.parametrize("free", [0, 8192])
def test_a_full_disk_is_said_and_leaves_the_old_file(kind, free, here):
    if kind == "check" and free:
        pytest.skip("a comment fits into what is free")
    Path("disk").mkdir()
    apart = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    target = WRITES[kind][1]
    free = 500_000 if kind == "curves" and free else free  # room for the pictures, which come before the page
    program = [sys.executable, "-c", FULL, "disk", target, str(free), *command(kind)]
    done = subprocess.run([*apart, *program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "code 2" in done.stderr
    assert f"{target} cannot be written: the disk is full; free some space, or choose another place" in done.stderr
    assert "(the file that is there stays as it was)" in done.stderr
