"""One store copied over another: no reader judges the mixture, and repair takes it apart again."""

import json
import shutil

import pytest

from ogive.algorithms import Algorithm
from ogive.cli import main
from ogive.errors import StoreConflict
from ogive.runner import run
from ogive.store import Damage, Repair, Store
from ogive.study import Study
from ogive.tasks import none


def study(seed):
    return Study("s", Algorithm("a", lambda config, rng: rng.random()), none(), seed=seed)


@pytest.fixture
def mixed(tmp_path):
    for seed, n in ((0, 9), (1, 5)):
        run(study(seed), n, tmp_path / str(seed), workers=0, progress=False)
    shutil.copytree(tmp_path / "1", tmp_path / "0", dirs_exist_ok=True)
    return tmp_path / "0"


@pytest.mark.parametrize("command", ["summary", "inspect", "rank", "report", "compact"])
def test_a_mixture_of_two_studies_is_refused_by_every_reader(command, mixed, capsys):
    assert main([command, str(mixed)]) == 2
    error = capsys.readouterr().err
    assert "(seed was" in error
    assert error.count("--keep ") == 2


def test_a_mixture_of_two_studies_is_seen_by_status_and_verify(mixed, capsys):
    assert main(["status", str(mixed)]) == 1
    assert "two different studies" in capsys.readouterr().out
    assert main(["verify", str(mixed)]) == 1
    said = capsys.readouterr()
    assert "--keep" in said.out
    assert "`ogive repair` moves" not in said.err


@pytest.mark.parametrize("seed", [0, 1])
def test_a_run_into_a_mixture_is_refused_even_where_changes_are_accepted(seed, mixed):
    with pytest.raises(StoreConflict, match="two different studies"):
        run(study(seed), 9, mixed, workers=0, progress=False, accept_change=True)


@pytest.mark.parametrize(("seed", "n"), [(0, 9), (1, 5)])
def test_repair_keeps_the_study_that_is_named_and_sets_the_other_aside(seed, n, mixed, tmp_path, capsys):
    expected = run(study(seed), n, workers=0, progress=False).scores().tolist()
    main(["verify", str(mixed), "--json"])
    assert json.loads(capsys.readouterr().out)["conflicts"]
    names = {e.record["seed"]: e.name for e in Store(mixed)._ledger().tips}
    assert main(["repair", str(mixed), "--keep", "zz"]) == 2
    assert main(["repair", str(mixed), "--keep", names[seed][:12]]) == 0
    assert Store(mixed).verify().sound
    assert Store(mixed).trials().scores().tolist() == expected


def test_a_repair_that_must_leave_files_in_place_is_exit_code_1(monkeypatch, capsys):
    closed = Damage("trials/x.parquet", "cannot be read: Permission denied", movable=False)
    monkeypatch.setattr(Store, "repair", lambda self, keep=None: Repair(source="s", left=(closed,)))
    assert main(["repair", "s"]) == 1
    assert "1 file in s" in capsys.readouterr().err
