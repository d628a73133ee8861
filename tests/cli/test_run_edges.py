"""Numbers, names and places at the edge of what `ogive run` takes: one sentence and the documented exit code."""

import os
import sys

import pytest

from ogive.cli import main
from ogive.errors import InputError
from ogive.runner import run

STUDY = """
from ogive.algorithms import Algorithm
from ogive.study import Study
from ogive.tasks import none
one = Study("one", Algorithm("a", lambda config, rng: rng.random()), none())
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.py").write_text(STUDY)
    return "study.py"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-n", "3000000000000000000000"], "`n_trials` must be at most 1,000,000,000"),
        (["-n", "9" * 5000], "Try --help"),
        (["--workers", "99999999999"], "`workers` must be at most"),
        (["--cpu-limit", "1e300"], "`cpu_limit` must lie between 0.01 and 1e+09 seconds"),
        (["--cpu-limit", "1e-9"], "`cpu_limit` must lie between 0.01"),
        (["--wall-limit", "1e300"], "`wall_limit` must lie between"),
        (["--gpus", "a,,b"], "`gpus` must be names with commas between them"),
        (["--shard", "١/٢"], "`shard` must be i/n"),
        (["--shard", "1/" + "9" * 30], "`shard` must be i/n"),
        (["--memory-limit", "٣GB"], "`memory_limit` must be a number of bytes"),
        (["--memory-limit", "1e300"], "`memory_limit` must be a number of bytes"),
        (["-o", ""], "must name a directory"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(study, options, said, capsys, tmp_path):
    given = ["run", study, "-n", "2", "-o", "results", "-q", *options]
    assert main(given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert sorted(os.listdir(tmp_path)) == ["study.py"]


def test_the_limits_of_numbers_hold_in_python_too():
    with pytest.raises(InputError, match="at most"):
        run(None, 10**30)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are UTF-8")
def test_a_store_may_stand_under_a_name_that_is_not_utf_8(study, capsys, tmp_path):
    where = os.fsdecode(b"caf\xe9")
    assert main(["run", study, "-n", "3", "-o", where, "-q", "-w", "1"]) == 0
    assert main(["verify", where]) == 0
    assert main(["repair", where]) == 0
    assert not os.path.exists(os.path.join(where, "quarantine"))
    assert main(["summary", where]) == 0


def test_a_store_that_is_deleted_while_a_run_writes_into_it_is_exit_code_1(study, capsys, tmp_path):
    (tmp_path / "study.py").write_text(
        STUDY.replace("lambda config, rng: rng.random()", "deleting").replace(
            "one =",
            "def deleting(config, rng):\n    import shutil\n    shutil.rmtree('results', True)\n    return 1.0\none =",
        )
    )
    assert main(["run", study, "-n", "3", "-o", "results", "-q", "-w", "0"]) == 1
    error = capsys.readouterr().err
    assert "the run stopped: " in error
    assert "Traceback" not in error
