"""run, status and watch as a user calls them."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ogive
from ogive.cli import main
from ogive.store import Store

STUDY = """
from ogive.algorithms import Algorithm
from ogive.spaces import loguniform
from ogive.study import Study
from ogive.tasks import none

def f(config, rng):
    return rng.random() * config["C"]

def g(config, rng):
    if rng.random() < 0.2:
        raise ValueError("no luck")
    return rng.random()

good = Study("good", [Algorithm(n, f, {"C": loguniform(0.1, 10)}) for n in "ab"], none(), metrics={"score": "maximize"})
def h(config, rng):
    x = rng.random()
    return {"accuracy": x, "cross_entropy": 1 - x if x > 0.2 else float("inf")}

bad = Study("bad", [Algorithm(n, g) for n in "ab"], none(), metrics={"score": "maximize"})
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "study.py"
    path.write_text(STUDY)
    return path


def test_without_a_folder_each_study_of_a_file_has_its_own(study, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text(STUDY.split("bad = ")[0])
    for count in ("3", "5"):  # the second goes on
        assert main(["run", "one.py", "--trials", count, "--workers", "0"]) == 0
    assert "seed 0; kept in results/one" in capsys.readouterr().err
    assert len(ogive.read("results/one")) == 2 * 5
    assert main(["run", f"{study}:good", "--trials", "3", "--workers", "0", "--json"]) == 0
    assert (tmp_path / "results" / "study-good" / "report.html").exists()
    capsys.readouterr()
    assert main(["run", "one.py"]) == 2
    assert "--trials" in capsys.readouterr().err
    assert main(["run", "nowhere.py", "--trials", "3"]) == 2
    assert not (tmp_path / "results" / "nowhere").exists()


def test_a_run_writes_its_report_and_prints_where(study, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["run", f"{study}:good", "--trials", "12", "--workers", "1", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(out / "report.html")
    assert (out / "report.html").stat().st_size > 10_000
    assert "study good" in said.err
    assert "12 trials each" in said.err
    assert main(["status", str(out)]) == 0
    said = capsys.readouterr().out
    assert "24 of 24" in said
    assert "a on none" in said
    assert main(["watch", str(out)]) == 0
    assert "24 of 24" in capsys.readouterr().out


def test_a_report_replaces_a_link_and_leaves_what_it_pointed_to(study, tmp_path, capsys):
    out, victim = tmp_path / "out", tmp_path / "victim.html"
    out.mkdir()
    victim.write_text("mine")
    (out / "report.html").symlink_to(victim)
    assert main(["run", f"{study}:good", "-n", "5", "-w", "0", "-o", str(out), "-q"]) == 0
    assert victim.read_text() == "mine"
    assert not (out / "report.html").is_symlink()
    assert (out / "report.html").stat().st_size > 10_000
    assert not list(out.glob(".*"))
    modes = {path.stat().st_mode for path in (out / "plan.json", out / "report.html", *out.glob("trials/*"))}
    assert len(modes) == 1  # whoever may read the parts may read the rest


def test_failed_trials_are_grouped_and_set_the_exit_code(study, tmp_path, capsys):
    arguments = ["run", f"{study}:bad", "--trials", "20", "--workers", "0", "--out", str(tmp_path / "out")]
    assert main(arguments) == 3
    said = capsys.readouterr().err
    assert "error: ValueError: no luck (" in said
    assert main([*arguments, "--failed-ok"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--json", "--quiet", "--failed-ok"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == 1
    assert content["finished"] is True
    assert [row["done"] for row in content["rows"]] == [20, 20]
    assert content["failures"][0]["message"] == "ValueError: no luck"
    assert content["failures"][0]["count"] == sum(row["error"] for row in content["rows"])


def test_a_run_says_which_directions_it_took_from_names_and_which_metrics_failed_alone(study, tmp_path, capsys):
    study.write_text(STUDY + 'silent = Study("silent", [Algorithm(n, h) for n in "ab"], none())\n')
    out = tmp_path / "out"
    assert main(["run", f"{study}:silent", "--trials", "20", "--workers", "0", "--out", str(out)]) == 3
    said = capsys.readouterr().err
    assert "goal of 'accuracy': maximize, without bounds (guessed from its name" in said
    assert "goal of 'cross_entropy': minimize, without bounds (guessed from its name" in said
    assert "invalid in part: metric 'cross_entropy' is inf. (for example" in said
    assert main(["status", str(out)]) == 0
    assert "without a usable cross_entropy" in capsys.readouterr().out
    assert main(["compare", str(out), "--metric", "accuracy"]) in (0, 1)


def test_a_shard_writes_no_report(study, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["run", f"{study}:good", "-n", "10", "-w", "0", "-o", str(out), "--shard", "2/2", "-q"]) == 0
    assert not (out / "report.html").exists()
    assert main(["watch", str(out), "--once", "--json"]) == 0
    content = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert [row["done"] for row in content["rows"]] == [5, 5]
    assert content["finished"] is False


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{study}"], 2, "has 2 studies; name one: {study}:good, {study}:bad"),
        (["{study}:nope"], 2, "has no study named 'nope'"),
        (["nowhere.py"], 2, "does not exist"),
        (["scores.csv"], 2, "a study is a Python file, which ends in .py; got 'scores.csv'"),
        (["{study}:good", "--engine", "ray"], 2, "`--engine` must be local or dask"),
        (["{study}:good", "--address", "tcp://127.0.0.1:1"], 2, "`--address` belongs to `--engine dask`"),
        (["{study}:good", "--engine", "dask", "--address", "tcp://10.0.0.1:8786"], 2, "without TLS"),
        (["{study}:good", "--engine", "dask", "--gpus", "0"], 2, "`gpus` are given to worker processes"),
        (["{study}:good", "--retry", "sometimes"], 2, "must name failed statuses"),
        (["{study}:good", "--shard", "0/3"], 2, "must be i/n"),
        (["{study}:good", "--memory-limit", "much"], 2, "must be a number of bytes or text such as '2GB'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(study, tmp_path, capsys, arguments, code, words):
    given = [a.format(study=study) for a in arguments]
    assert main(["run", *given, "--trials", "3", "--out", str(tmp_path / "out")]) == code
    said = capsys.readouterr().err.strip()
    assert words.format(study=study) in said
    assert said.count("\n") == 0
    assert not (tmp_path / "out").exists()


def test_status_of_what_is_no_store_is_refused(tmp_path, capsys):
    assert main(["status", str(tmp_path)]) == 2
    assert "is no store" in capsys.readouterr().err


def test_a_damaged_part_is_named_by_status(study, tmp_path, capsys):
    out = tmp_path / "out"
    main(["run", f"{study}:good", "-n", "10", "-w", "0", "-o", str(out), "-q"])
    part = next((out / "trials").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:100])
    capsys.readouterr()
    assert main(["status", str(out)]) == 1
    said = capsys.readouterr().out
    assert f"damaged: trials/{part.name}" in said


def test_sigterm_keeps_what_is_finished_and_prints_the_command_to_go_on(study, tmp_path):
    # Trials take long as long as a file is there: the run cannot end before it is stopped, and then goes on at once.
    slow = tmp_path / "slow"
    slow.touch()
    wait = f"    import os, time; time.sleep(0.05 * os.path.exists({str(slow)!r}))\n"
    study.write_text(STUDY.replace("    return rng.random() * config", wait + "    return rng.random() * config"))
    out = tmp_path / "a folder"
    command = ["run", f"{study}:good", "--trials", "200", "--workers", "1", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "ogive.cli", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(out.glob("trials/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "ogive: stopped after" in errors
    assert "the same call goes on" in errors
    assert 0 < len(Store(out).trials()) < 400
    assert Store(out).verify().sound
    again = next(line for line in errors.splitlines() if line.startswith("To go on: "))
    words = shlex.split(again.removeprefix("To go on: "))
    slow.unlink()
    assert words[:3] == ["ogive", "run", f"{study}:good"]
    assert main([*words[1:], "--quiet"]) == 0
    assert (out / "report.html").exists()


def test_the_readmes_study_runs_as_the_readme_says(tmp_path, repository, capsys):
    readme = (repository / "README.md").read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"^```python\n(.*?)^```$", readme, flags=re.DOTALL | re.M) if "study =" in b)
    (tmp_path / "study.py").write_text(block, encoding="utf-8")
    assert main(["run", str(tmp_path / "study.py"), "-n", "2", "-w", "0", "--out", str(tmp_path / "out")]) == 0
    assert len(ogive.read(tmp_path / "out")) == 6


def test_a_study_file_that_runs_itself_is_refused_before_any_trial(tmp_path, capsys):
    text = "import ogive\nstudy = ogive.Study('s', [ogive.Algorithm('a', lambda config, rng: 1.0, {})], [ogive.tasks.none()])\nogive.run(study, n_trials=3)\n"
    (tmp_path / "study.py").write_text(text, encoding="utf-8")
    assert main(["run", str(tmp_path / "study.py"), "-n", "3", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert 'line 3: InputError: the file calls `run` itself; put that call under `if __name__ == "__main__":`' in said
    assert not (tmp_path / "out").exists()
