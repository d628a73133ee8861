"""Tables become features and targets: codes, kinds, and every refusal."""

import gzip

import numpy as np
import pytest

from ogive import tasks
from ogive.errors import InputError, UnreadableSource
from ogive.seeding import stream


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def loaded(task):
    return task.draw.loaded()


GOOD = "a,color,y\n1,red,no\n2,blue,yes\n3,,no\n4,red,yes\n5,blue,no\n"


def test_text_features_are_coded_in_sorted_order_and_gaps_stay_gaps(tmp_path):
    task = tasks.csv(written(tmp_path, GOOD), target="y")
    data = loaded(task)
    assert data.X[:, 1].tolist()[:2] == [1.0, 0.0]
    assert np.isnan(data.X[2, 1])
    assert task.fingerprint()["codes"] == {"color": ["blue", "red"]}


def test_text_targets_are_coded_in_sorted_order_and_the_classes_are_kept(tmp_path):
    task = tasks.csv(written(tmp_path, GOOD), target="y")
    assert loaded(task).y.tolist() == [0, 1, 0, 1, 0]
    assert task.fingerprint()["classes"] == ["no", "yes"]
    assert (task.name, task.kind, task.n_rows, task.scope) == ("data", "classification", 5, "these rows")


def test_the_target_may_stand_anywhere_and_separators_are_seen(tmp_path):
    first = tasks.csv(written(tmp_path, "y;a;b\n0;1;2\n1;3;4\n0;5;6\n", "s.csv"), target="y")
    tabs = tasks.csv(written(tmp_path, "a\tb\ty\n1\t2\t0\n3\t4\t1\n5\t6\t0\n", "t.csv"), target="y")
    assert np.array_equal(loaded(first).X, loaded(tabs).X)
    assert np.array_equal(loaded(first).y, loaded(tabs).y)


def test_constant_columns_are_allowed(tmp_path):
    assert loaded(tasks.csv(written(tmp_path, "a,b,y\n7,1,0\n7,2,1\n7,3,0\n"), target="y")).X[:, 0].tolist() == [
        7,
        7,
        7,
    ]


def test_the_kind_follows_from_the_target_unless_said(tmp_path):
    rows = "".join(f"{i},{i * 0.37}\n" for i in range(30))
    assert tasks.csv(written(tmp_path, "a,y\n" + rows), target="y").kind == "regression"
    whole = "".join(f"{i},{i}\n" for i in range(30))
    path = written(tmp_path, "a,y\n" + whole)
    assert tasks.csv(path, target="y").kind == "regression"
    assert tasks.csv(path, target="y", kind="classification").kind == "classification"
    assert tasks.arrays(np.zeros((6, 1)), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]).kind == "classification"
    assert tasks.arrays(np.zeros((3, 1)), [True, False, True]).draw.loaded().y.dtype == np.int64


def test_regression_rows_are_split_and_stay_numbers():
    task = tasks.arrays(np.arange(10.0)[:, None], np.linspace(0, 1, 10) + 0.01)
    train, test = task.draw(stream(0, "data"))
    assert train.y.dtype == np.float64
    assert len(train.y) == 6
    assert len(test.y) == 4


def test_making_a_task_reads_nothing(tmp_path):
    task = tasks.csv(tmp_path / "later.csv", target="y")
    assert "later" in repr(task)
    written(tmp_path, GOOD, "later.csv")
    assert task.n_rows == 5
    (tmp_path / "later.csv").unlink()
    assert len(task.draw(stream(0, "data"))[0].y) == 3  # kept in memory


def test_the_content_and_not_the_place_defines_a_file(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    one = tasks.csv(written(tmp_path, GOOD), target="y").fingerprint()
    assert one == tasks.csv(written(tmp_path / "elsewhere", GOOD), target="y").fingerprint()
    assert one != tasks.csv(written(tmp_path, GOOD.replace("5,", "6,")), target="y").fingerprint()


NAMES = "name,y\n" + "".join(f"person{i},{i % 2}\n" for i in range(60))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,y\n1,0\n2,\n3,1\n", {}, "missing in 1 of 3"),
        ("a,y\n1,0.5\n2,nan\n3,1.5\n", {"kind": "regression"}, "missing"),
        ("a,y\n1,inf\n2,0.5\n3,1.5\n", {}, "missing or infinite in 1 of 3"),
        ("a,y\n1,0\n2,0\n3,0\n", {}, "at least two classes; every row has 0"),
        ("a,b,y\n1,,0\n2,,1\n3,,0\n", {}, "column 'b' of data.csv is empty in every row"),
        ("a,z\n1,0\n2,1\n", {}, "`target` 'y' is not a column of data.csv; there are 'a', 'z'"),
        ("a,yy\n1,0\n2,1\n", {}, "the nearest is 'yy'"),
        ("y\n0\n1\n", {}, "no other column"),
        ("a,a,y\n1,2,0\n3,4,1\n", {}, "several columns named 'a'"),
        ("day,y\n2020-01-01,0\n2020-01-02,1\n", {}, "neither numbers nor text"),
        (NAMES, {}, "a name rather than a category"),
        ("a,y\n", {}, r"has a header \(a, y\) and no rows"),
        ("a,y\n1,0\n", {}, "at least 2 rows; got 1"),
        ("a,y\n1,2\n3\n", {}, "cannot be read as CSV"),
        ("", {}, "is empty; a table needs a header"),
        ("a,y\n1,u\n2,v\n", {"kind": "regression"}, "must hold numbers for regression"),
        ("a,y\n1,0.5\n2,1.5\n", {"kind": "classification"}, "whole numbers or text for classification"),
        ("a,y\n1,0.5\n2,1.5\n3,2.5\n", {"stratify": True}, "`stratify` needs classes"),
        ("a,y\n1,0\n2,0\n3,1\n", {"stratify": True}, "class 1 has 1"),
        ("a,y\n1,0\n2,1\n", {"test_size": 0.9}, "must leave rows"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path, text, options, message):
    task = tasks.csv(written(tmp_path, text), target="y", **options)
    with pytest.raises(InputError, match=message) as refused:
        task.fingerprint()
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableSource, match=r"absent\.csv"):
        tasks.csv(tmp_path / "absent.csv", target="y").warm_up()


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,y\n\xff\xfe\x00\n\x80,\x81\n")
    with pytest.raises(InputError):
        tasks.csv(path, target="y").warm_up()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros(4), [0, 1, 0, 1], r"rows and columns; got shape \(4,\)"),
        ([["a"], ["b"]], [0, 1], "array of numbers"),
        (np.zeros((3, 1)), [0, 1], "as many rows; got 3 and 2"),
        (np.zeros((2, 1)), [[0], [1]], "one value for each row"),
        (np.zeros((2, 1)), [0, None], "numbers or text without gaps"),
        (np.zeros((2, 1)), [0.5, float("nan")], "missing or infinite"),
        ([[1], [2, 3]], [0, 1], "`X` must be an array"),
        (np.zeros((0, 1)), [], "at least 2 rows"),
    ],
)
def test_bad_arrays_are_refused_in_one_sentence(X, y, message):
    with pytest.raises(InputError, match=message):
        tasks.arrays(X, y).warm_up()


def test_a_bad_path_or_target_is_refused_at_once():
    with pytest.raises(InputError, match="`path`"):
        tasks.csv(3, target="y")
    with pytest.raises(InputError, match="`target`"):
        tasks.csv("x.csv", target=3)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_packed_file_is_read_by_its_bytes(tmp_path, ending):
    (tmp_path / f"d.{ending}").write_bytes(gzip.compress(b"a,y\n1,0\n2,1\n3,0\n"))
    assert tasks.csv(tmp_path / f"d.{ending}", target="y").draw(np.random.default_rng(0))[0].X.shape[1] == 1


def test_whole_numbers_beyond_2_to_53_are_the_nearest_floats(tmp_path):
    task = tasks.csv(written(tmp_path, f"a,y\n{2**53 + 1},0\n{2**70},1\n3,0\n"), target="y")
    train, test = task.draw(np.random.default_rng(0))
    assert sorted([*train.X[:, 0], *test.X[:, 0]]) == [3.0, 2.0**53, 2.0**70]


def test_a_header_in_latin_1_is_refused_in_one_sentence(tmp_path, capsys):
    from ogive.cli import main

    (tmp_path / "d.csv").write_bytes("é,y\n1,0\n2,1\n".encode("latin-1"))
    assert (
        main(["curves", str(tmp_path / "d.csv"), "--target", "y", "--models", "nmc", "--out", str(tmp_path / "o")]) == 2
    )
    assert "must be UTF-8; its header is not" in capsys.readouterr().err
