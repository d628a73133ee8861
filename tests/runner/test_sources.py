"""How a study gets to a child: scripts, study files, lambdas, large arrays, and what cannot go."""

import functools
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from ogive.algorithms import Algorithm, tuned
from ogive.errors import InputError
from ogive.runner import StudyNotPortable, run
from ogive.runner._source import file_job, pickled_job
from ogive.spaces import as_space
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import Task, none

SCRIPT = """
import functools
from ogive.algorithms import Algorithm
from ogive.runner import run
from ogive.study import Study
from ogive.tasks import none
import neighbor

print("script runs")
SCALE = 3.0

@functools.lru_cache(maxsize=7)
def countdown(n):
    return n and countdown(n - 1)

class Model:
    def predict(self, rng):
        return SCALE * rng.random() + neighbor.SHIFT + countdown(3)

def f(config, rng):
    return Model().predict(rng)

study = Study("script", Algorithm("a", f), none())
trials = run(study, 6, workers=2, progress=False)
print(len(trials), round(float(trials.scores().min()), 6) >= 10)
"""
STUDY = """
from ogive.algorithms import Algorithm
from ogive.study import Study
from ogive.tasks import none
from neighbor import SHIFT

class Model:
    def predict(self, rng):
        return rng.random() + SHIFT

def f(config, rng):
    return Model().predict(rng)

study = Study("filed", Algorithm("a", f), none())
if __name__ == "__main__":
    raise SystemExit("a study file is never the main program")
"""


def fine(config, rng):
    return rng.random()


def test_a_script_without_a_main_guard_runs_once(tmp_path: Path, script_environment):
    (tmp_path / "neighbor.py").write_text("SHIFT = 10.0\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        capture_output=True,
        text=True,
        timeout=60,
        env=script_environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["script runs", "6 True"]


def test_a_study_file_in_another_folder_finds_its_neighbor(tmp_path: Path, monkeypatch):
    from ogive.runner._plan import Limits
    from ogive.runner._run import Settings, execute

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "neighbor.py").write_text("SHIFT = 20.0\n")
    (folder / "study_file.py").write_text(STUDY)
    monkeypatch.setattr(sys, "path", list(sys.path))
    job, study = file_job(folder / "study_file.py", None)
    (folder / "study_file.py").write_text("raise RuntimeError('changed meanwhile')")
    settings = Settings.checked(
        n_trials=5,
        workers=1,
        engine=None,
        limits=Limits(),
        retry=(),
        shard=None,
        chunk=None,
        gpus=None,
        statistic="mean",
    )
    trials = execute(study, Store(tmp_path / "out"), settings, job=job)
    assert np.all(trials.scores() >= 20)


def test_run_takes_a_study_file_and_the_name_of_a_study_in_it(tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "neighbor.py").write_text("SHIFT = 20.0\n")
    (tmp_path / "two.py").write_text(f"{STUDY}\nother = Study('second', Algorithm('b', f), none())\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    trials = run(f"{tmp_path / 'two.py'}:other", 3, workers=1)
    assert (trials.algorithms, len(trials)) == (("b",), 3)
    assert "study second" in capsys.readouterr().err
    assert run(f"{tmp_path / 'two.py'}:study", 2, workers=0, progress=False).algorithms == ("a",)
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="2 studies; name one"):
        run(tmp_path / "two.py", 3, workers=0)


def test_an_edit_elsewhere_in_a_study_file_leaves_its_definition_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = STUDY.replace("from neighbor import SHIFT", "SHIFT = 1.0")
    records = []
    for now in (text, "# a comment\n" + text + "\ndef other():\n    return 2\n", text.replace("1.0", "2.0")):
        (tmp_path / "edited.py").write_text(now)
        records.append(file_job(tmp_path / "edited.py", None)[1].record())
    assert records[0] == records[1]
    assert records[0] != records[2]


def test_a_study_file_is_compiled_as_python_compiles_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = STUDY.replace("from neighbor import SHIFT", "SHIFT = 1.0").replace(
        "rng):\n    return M", "rng: float):\n    return M"
    )
    (tmp_path / "annotated.py").write_text(text)
    _, study = file_job(tmp_path / "annotated.py", None)
    assert study.algorithms[0].function.__annotations__ == {"rng": float}


def test_a_program_and_the_command_share_a_store(tmp_path, monkeypatch, script_environment):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbor.py").write_text("SHIFT = 20.0\n")
    text = STUDY.replace(
        'raise SystemExit("a study file is never the main program")', "import json; print(json.dumps(study.record()))"
    )
    (tmp_path / "both.py").write_text(text)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "both.py")], capture_output=True, text=True, timeout=60, env=script_environment, check=True
    )  # fmt: skip
    assert json.loads(done.stdout) == file_job(tmp_path / "both.py", None)[1].record()


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("x = 1", None, "has no study at its top level"),
        (STUDY.replace("SHIFT", "1") + "\nother = Study('b', Algorithm('a', f), none())", None, "has 2 studies; name one: .*:study, .*:other"),
        (STUDY, "nope", "has no study named 'nope' at its top level; there is study"),
        ("x = (", None, "cannot be run: line 1: SyntaxError"),
        ("import ogive\n\n1 / 0", None, "cannot be run: line 3: ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_a_file_without_exactly_one_study_is_refused_in_one_sentence(tmp_path, monkeypatch, text, name, words):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbor.py").write_text("SHIFT = 0.0\n")
    (tmp_path / "bad.py").write_text(text.replace("from neighbor import 1\n", ""))
    with pytest.raises(InputError, match=words):
        file_job(tmp_path / "bad.py", name)


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="does not exist"):
        file_job("no/such/file.py", None)


def test_lambdas_in_spaces_tasks_and_algorithms_travel():
    space = as_space(lambda rng: {"C": float(rng.random())})
    study = Study(
        "lambda", Algorithm("a", lambda config, x, rng: config["C"] + x, space), Task("t", lambda rng: (1.0,))
    )
    assert np.all(run(study, 4, workers=1, progress=False).scores() >= 1)


def test_functions_that_remember_travel_with_their_size():
    @functools.lru_cache(maxsize=7)
    def doubled(x):
        return 2 * x

    study = Study(
        "cached", Algorithm("a", lambda config, rng: doubled(3) + doubled.cache_parameters()["maxsize"]), none()
    )
    assert run(study, 2, workers=1, progress=False).scores().tolist() == [13.0, 13.0]


def test_what_cannot_travel_is_named():
    lock = threading.Lock()
    study = Study("locked", [Algorithm("good", fine), Algorithm("bad", lambda config, rng: lock.locked())], none())
    words = r"algorithm 'bad' cannot be sent to a worker: attribute 'function', variable 'lock' cannot be pickled \(cannot pickle '_thread.lock' object\)"
    with pytest.raises(StudyNotPortable, match=words):
        run(study, 2, workers=1, progress=False)
    assert len(run(study, 2, workers=0, progress=False)) == 4


def test_large_arrays_are_shared_read_only_and_keep_their_order():
    big = np.arange(400_000.0).reshape(400, 1000)
    fortran = np.asfortranarray(big)
    job = pickled_job(Study("big", Algorithm("a", lambda config, rng: big[3, 4] + fortran[5, 6] + big.sum()), none()))
    assert len(job.body) < 100_000
    assert [a["order"] for a in job.header["arrays"]] == ["C", "F"]
    job.close()

    def use(config, rng):
        assert not big.flags.writeable
        assert not fortran.flags.c_contiguous
        return float(big[3, 4] + fortran[5, 6])

    trials = run(Study("big", Algorithm("a", use), none()), 2, workers=1, progress=False)
    assert trials.failures() == []
    assert set(trials.scores()) == {big[3, 4] + fortran[5, 6]}


def test_run_inside_a_child_is_refused_in_one_sentence():
    def nested(config, rng):
        run(Study("inner", Algorithm("a", fine), none()), 1, workers=1, progress=False)

    trials = run(Study("outer", Algorithm("a", nested), none()), 1, workers=1, progress=False)
    [failure] = trials.failures()
    assert failure["message"].startswith("InputError: `run` was called inside a worker process of another run;")


def test_children_have_one_thread_and_no_terminal():
    def look(config, rng):
        import os

        assert os.environ["OMP_NUM_THREADS"] == os.environ["NUMBA_NUM_THREADS"] == "1"
        assert os.getsid(0) == os.getpid()
        assert sys.stdin.read() == ""
        return 1.0

    assert run(Study("look", Algorithm("a", look), none()), 1, workers=1, progress=False).failures() == []


def test_each_worker_sees_one_gpu():
    def look(config, rng):
        import os

        return float(os.environ["CUDA_VISIBLE_DEVICES"])

    trials = run(Study("gpus", Algorithm("a", look), none()), 12, workers=2, gpus="3,5", chunk=1, progress=False)
    assert set(trials.scores()) <= {3.0, 5.0}


class Rows:
    """A data set with a length and items, as loaders want it."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Batches:
    """A loader that shuffles by its own generator."""

    def __init__(self, rows, size, rng):
        self.rows, self.size, self.rng = rows, size, rng

    def __iter__(self):
        order = self.rng.permutation(len(self.rows))
        for start in range(0, len(order), self.size):
            yield self.rows[order[start : start + self.size]]


def test_a_training_loop_with_loaders_of_its_own_runs_on_two_workers(content):
    def loaders(rng):
        x = rng.normal(size=(120, 3))
        y = (x @ [1.0, -1.0, 0.5] > 0).astype(float)
        return Batches(Rows(x[:80], y[:80]), 16, rng), Rows(x[80:], y[80:])

    def train(config, batches, test, rng):
        weights = np.zeros(3)
        for _ in range(5):
            for x, y in batches:
                weights += config["rate"] * x.T @ (y - 1 / (1 + np.exp(-x @ weights))) / len(y)
        return {"accuracy": float(np.mean((test.x @ weights > 0) == test.y))}

    study = Study("loops", Algorithm("loop", train, {"rate": [0.1, 1.0]}), Task("loaders", loaders))
    two = run(study, 8, workers=2, progress=False)
    assert set(two.table["status"].to_pylist()) == {"ok"}
    assert two.scores().min() > 0.6
    assert content(two) == content(run(study, 8, workers=1, progress=False))


def test_a_class_of_ones_own_that_stands_on_an_abstract_one_travels():
    import abc

    class Base(abc.ABC):
        @abc.abstractmethod
        def value(self): ...

    class Own(Base):
        def value(self):
            return 0.5

    assert isinstance(Own, abc.ABCMeta)
    made = Own()
    study = Study("abstract", Algorithm("a", lambda config, rng: made.value()), none())
    assert run(study, 2, workers=1, progress=False).scores().tolist() == [0.5, 0.5]


def test_an_estimator_of_ones_own_travels_alone_and_inside_a_search():
    from sklearn.naive_bayes import GaussianNB

    from ogive.tasks import moons

    class Own(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y, sample_weight)

    own = Algorithm.from_estimator(Own(), {"var_smoothing": [1e-9, 1e-6]}, name="own")
    study = Study("own", [own, tuned(own, n_configs=2, cv=2)], moons(n=60))
    assert set(run(study, 3, workers=1, progress=False).table["status"].to_pylist()) == {"ok"}
