"""Odd files: no command crashes on them, and no number differs from pandas in silence."""

import fnmatch

import attack_files
import pytest
from attack_files import COMMANDS, COSTLY, Seen, faults
from odd_files import KINDS, kinds

CHEAP = tuple(name for name in COMMANDS if name not in COSTLY)


@pytest.fixture(scope="module", autouse=True)
def loaded():
    attack_files.load()


def found(chosen, commands, every=1) -> list[str]:
    return [
        f"{seen.kind} | {seen.command} | {fault}"
        for seen, wrong in attack_files.run(chosen, commands, every)
        for fault in wrong
    ]


def chosen(every: int, begin: int = 0) -> list:
    """One kind in so many, of all sorts."""
    return list(kinds(small=True))[begin::every]


def test_there_are_kinds_of_all_sorts():
    assert len(KINDS) >= 200
    for sort in ("encoding: *", "separator: *", "quotes: *", "lines: *", "NUL: *", "JSON array: *", "Parquet method: *", "Parquet damaged: *", "packed: *", "method: *", "file name: *"):  # fmt: skip
        assert len(fnmatch.filter(KINDS, sort)) >= 5, sort


def test_summaries_of_odd_files_are_those_of_pandas_or_refused():
    assert found(chosen(50), ["summary"]) == []


def test_no_command_crashes_on_an_odd_file():
    assert found(chosen(300, begin=7), CHEAP) == []


@pytest.mark.slow
def test_summaries_of_all_odd_files_are_those_of_pandas_or_refused():
    assert found(list(kinds(small=True))[1::4], ["summary"]) == []


@pytest.mark.slow
def test_no_command_crashes_on_many_odd_files():
    assert found(chosen(30), list(COMMANDS), every=4) == []


KIND = KINDS["encoding: utf-8"]


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (Seen(KIND.name, "summary", None, "", "", signal=11), "ended by signal 11"),
        (Seen(KIND.name, "summary", None, "", "", crash="x\nKeyError: 1"), "traceback: KeyError: 1"),
        (Seen(KIND.name, "rank", 3, "", ""), "exit code 3"),
        (Seen(KIND.name, "rank", 2, "", ""), "0 complaints"),
        (Seen(KIND.name, "rank", 0, "\x1b[31m", ""), "signs that steer the terminal"),
        (Seen(KIND.name, "summary", 2, "", "ogive: no.\n"), "refused, and is all right"),
        (Seen(KIND.name, "summary", 0, '{"rows": []}', ""), "other cells than pandas"),
    ],
)
def test_the_attack_sees_what_is_wrong(tmp_path, seen, fault):
    assert fault in faults(KIND, seen, tmp_path / "pandas")[0]
