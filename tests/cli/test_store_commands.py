"""verify, repair and compact as a user calls them."""

import json
import re
import threading
import time

import pyarrow as pa
import pytest

from ogive.cli import main
from ogive.cli._output import say, show
from ogive.store import TRIALS, Store
from ogive.store._parts import write_part

RECORD = {"schema": 1, "name": "demo", "seed": 0, "holds": {}, "metrics": {}, "algorithms": {"\x1b[31msvm": {}}, "tasks": {"t": {}}, "varied": []}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "demo")
    made.create(RECORD)
    empty = dict.fromkeys(TRIALS.names)
    for i in range(3):
        row = {**empty, "algorithm": "\x1b[31msvm", "task": "t", "trial": i, "attempt": 0, "status": "ok"}
        made.write("trials", pa.Table.from_pylist([{**row, "metrics": [("score", 0.5)]}], TRIALS))
    return made


def test_a_sound_store_is_said_to_be_sound(store, capsys):
    assert main(["verify", str(store.path)]) == 0
    assert re.search("3 rows .*3 parts.*sound", capsys.readouterr().out)


def test_damage_is_listed_with_exit_code_1_and_repaired(store, capsys):
    path = next((store.path / "trials").iterdir())
    path.write_bytes(b"")
    assert main(["verify", str(store.path)]) == 1
    assert f"damaged: 'trials/{path.name}'" in capsys.readouterr().out
    assert main(["repair", str(store.path)]) == 0
    assert f"now 'quarantine/trials/{path.name}'" in capsys.readouterr().out
    assert main(["verify", str(store.path)]) == 0


def test_a_repair_is_named_only_where_it_would_move_something(store, capsys):
    row = store.table().slice(0, 1).to_pylist()[0]
    store.write("trials", pa.Table.from_pylist([{**row, "status": "error"}], TRIALS))
    assert main(["verify", str(store.path)]) == 1
    said = capsys.readouterr()
    assert "not sound" in said.err
    assert "ogive repair" not in said.out + said.err
    next((store.path / "trials").iterdir()).write_bytes(b"")
    assert main(["verify", str(store.path)]) == 1
    assert "`ogive repair`" in capsys.readouterr().err


def test_results_are_machine_readable(store, capsys):
    next((store.path / "trials").iterdir()).write_bytes(b"")
    assert main(["verify", str(store.path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["sound"], found["rows"]["trials"]) == (1, False, 2)
    assert found["damaged"][0]["reason"] == "is empty"
    assert main(["repair", str(store.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moved"][0]["now"].startswith("quarantine/trials/")


def test_names_never_steer_the_terminal(store, capsys):
    row = store.table().slice(0, 1).to_pylist()[0]
    store.write("trials", pa.Table.from_pylist([{**row, "status": "error"}], TRIALS))
    assert main(["verify", str(store.path)]) == 1
    shown = capsys.readouterr().out
    assert "not deterministic" in shown
    assert "\x1b" not in shown


def test_what_a_damaged_part_says_of_itself_never_steers_the_terminal(store, capsys):
    write_part(store.path / "trials", "trials", store.table(), study="\x1b[31mEVIL\x1b[2J", limits={}, versions={})
    for command in ("verify", "status", "summary", "repair"):
        main([command, str(store.path)])
        captured = capsys.readouterr()
        assert "EVIL" in captured.out + captured.err
        assert "\x1b" not in captured.out + captured.err


def test_results_keep_their_lines_and_lose_what_steers_the_terminal(capsys):
    class Odd:
        def __str__(self):
            return "one\x1b[2J\ntwo\r\u202e"

    show(Odd(), as_json=False)
    assert capsys.readouterr().out == "one�[2J\ntwo��\n"


def test_compaction_says_how_many_parts_there_are(store, capsys):
    before = store.table()
    assert main(["compact", str(store.path)]) == 0
    assert capsys.readouterr().out == "3 parts before, 1 now.\n"
    assert store.table().equals(before)


@pytest.mark.parametrize("command", ["verify", "repair", "compact"])
def test_what_is_no_store_is_one_line_and_exit_code_2(command, tmp_path, capsys):
    assert main([command, str(tmp_path / "nowhere")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "is no store" in captured.err


def test_judging_a_store_is_a_look_and_a_summary_is_none(tmp_path, capsys):
    store, empty = Store(tmp_path / "demo"), dict.fromkeys(TRIALS.names)
    record = {**RECORD, "metrics": {"score": {"goal": "maximize", "bounds": [0, 1]}}, "algorithms": {"a": {}, "b": {}}, "varied": ["data"]}  # fmt: skip
    store.create(record)

    def add(trials):
        rows = [
            {**empty, "algorithm": a, "task": "t", "trial": i, "attempt": 0, "status": "ok", "metrics": [("score", (i % 7 + shift) / 9)]}
            for a, shift in (("a", 0), ("b", 1)) for i in trials
        ]  # fmt: skip
        store.write("trials", pa.Table.from_pylist(rows, schema=TRIALS))

    add(range(10))
    assert main(["summary", str(store.path)]) == 0
    assert store.trials().looks == 0
    assert main(["compare", str(store.path), "--unpaired"]) == 0
    assert main(["rank", str(store.path)]) == 0
    add(range(10, 20))
    capsys.readouterr()
    assert main(["compare", str(store.path)]) == 0
    assert "--looks 2" in capsys.readouterr().out
    assert main(["compare", str(store.path), "--looks", "2"]) == 0
    assert "--looks" not in capsys.readouterr().out
    assert main(["report", str(store.path), "--out", str(tmp_path / "r.html")]) == 0
    assert "judged once before" in (tmp_path / "r.html").read_text()


def test_judging_a_part_of_a_store_is_no_look_at_fewer_runs(tmp_path, capsys):
    store, empty = Store(tmp_path / "demo"), dict.fromkeys(TRIALS.names)
    store.create({**RECORD, "algorithms": {"a": {}, "b": {}, "c": {}}, "varied": ["data"]})
    rows = [
        {**empty, "algorithm": a, "task": "t", "trial": i, "attempt": 0, "status": "ok", "metrics": [("score", (i % 7 + shift) / 9)]}
        for shift, a in enumerate("abc") for i in range(10)
    ]  # fmt: skip
    store.write("trials", pa.Table.from_pylist(rows, schema=TRIALS))
    for chosen in ([], ["--without", "a"], ["--where", "trial<5"], []):
        assert main(["rank", str(store.path), *chosen]) == 0
        assert "with fewer runs" not in capsys.readouterr().out
    assert [path.name for path in (store.path / "looks").iterdir()] == ["30"]


def test_a_gate_is_a_look_at_both_of_its_stores(tmp_path, capsys):
    empty = dict.fromkeys(TRIALS.names)
    stores = {name: Store(tmp_path / name) for name in ("new", "old")}

    def add(store, trials):
        rows = [
            {**empty, "algorithm": "a", "task": "t", "trial": i, "attempt": 0, "status": "ok", "metrics": [("score", i % 7 / 9)]}
            for i in trials
        ]  # fmt: skip
        store.write("trials", pa.Table.from_pylist(rows, schema=TRIALS))

    for store in stores.values():
        store.create({**RECORD, "algorithms": {"a": {}}, "varied": ["data"]})
        add(store, range(10))
    gate = ["check", str(stores["new"].path), "--baseline", str(stores["old"].path), "--margin", "2"]
    assert main(gate) == 0
    assert "judged" not in capsys.readouterr().out
    add(stores["new"], range(10, 20))
    assert main(gate) == 0
    assert "--looks 2" in capsys.readouterr().out
    assert main([*gate, "--looks", "2"]) == 0
    assert "judged" not in capsys.readouterr().out


def test_a_store_that_is_judged_beside_another_counts_its_own_trials(tmp_path, capsys):
    empty = dict.fromkeys(TRIALS.names)
    stores = [Store(tmp_path / name) for name in "xy"]

    def add(store, trials):
        rows = [
            {**empty, "algorithm": a, "task": store.path.name, "trial": i, "attempt": 0, "status": "ok", "metrics": [("score", (i % 7 + shift) / 9)]}
            for a, shift in (("a", 0), ("b", 1)) for i in trials
        ]  # fmt: skip
        store.write("trials", pa.Table.from_pylist(rows, schema=TRIALS))

    for store in stores:
        store.create({**RECORD, "algorithms": {"a": {}, "b": {}}, "tasks": {store.path.name: {}}, "varied": ["data"]})
        add(store, range(10))
    assert main(["compare", *(str(store.path) for store in stores)]) == 0
    add(stores[0], range(10, 12))
    assert [store.trials().looks for store in stores] == [1, 0]


def test_watch_waits_for_a_run_that_has_not_begun(tmp_path, capsys):
    """A folder that is not there yet, that is there and empty, and that then holds a study."""
    path = tmp_path / "later"

    def begin():
        time.sleep(0.3)
        path.mkdir()
        time.sleep(0.3)
        made = Store(path)
        made.create(RECORD)
        row = {**dict.fromkeys(TRIALS.names), "algorithm": "\x1b[31msvm", "task": "t", "trial": 0, "attempt": 0}
        made.write("trials", pa.Table.from_pylist([{**row, "status": "ok", "metrics": [("score", 0.5)]}], TRIALS))
        made.note_plan([("\x1b[31msvm", "t")], 1)

    run = threading.Thread(target=begin)
    run.start()
    assert main(["watch", str(path), "--every", "0.1"]) == 0
    run.join()
    shown = capsys.readouterr()
    assert shown.err == f"waiting for a run to begin in {path}; Ctrl-C ends this.\n"
    assert "1 of 1 trials" in shown.out


@pytest.mark.parametrize("how", [["--once"], ["--json"]])
def test_watch_that_looks_once_waits_for_nothing(how, tmp_path, capsys):
    assert main(["watch", str(tmp_path), *how]) == 2
    assert "is no store" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["verify"], ["repair"], ["compact"], ["status"], ["watch"], ["report"], ["reproduce", "x", "--studies"]], ids=lambda c: c[0])  # fmt: skip
@pytest.mark.parametrize("name", ["n" * 300, "a/" * 3000], ids=["name", "path"])
def test_a_path_that_is_too_long_is_one_sentence_and_exit_code_2(command, name, capsys):
    assert main([*command, name]) == 2
    said = capsys.readouterr().err
    assert "too long" in said
    assert said.count("\n") == 1


def test_a_line_on_stderr_keeps_the_spaces_of_a_name(capsys):
    say("no method 'Res\u00a0Net' \x1b[31m")
    assert capsys.readouterr().err == "no method 'Res\u00a0Net' �[31m\n"


def test_a_dictionary_is_a_result(capsys):
    show({"schema": 1, "rows": []}, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "rows": []}
