"""Files: what a file is, is read from its bytes; what is damaged is refused by name."""

import bz2
import gzip
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ogive
from ogive.errors import InputError, InvalidScores, UnreadableSource
from ogive.files import read_table

TABLE = pd.DataFrame({"model": ["svm", "svm", "knn"], "dataset": ["iris", "wine", "iris"], "accuracy": [0.9, 0.8, 0.7]})


def assert_read(path: Path) -> None:
    trials = ogive.read(path)
    assert trials.algorithms == ("svm", "knn")
    assert trials.tasks == ("iris", "wine")
    assert trials.values().tolist() == [0.9, 0.8, 0.7]
    assert trials.metrics == ("accuracy",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".txt", ".csv.bz2", ".csv.zst"])
def test_delimited_text_is_read_whatever_its_delimiter_and_packing(tmp_path: Path, delimiter, ending):
    path = tmp_path / f"scores{ending}"
    with pa.output_stream(path, compression="detect") as stream:
        stream.write(TABLE.to_csv(index=False, sep=delimiter).encode())
    assert_read(path)


def test_a_packed_file_is_known_by_its_bytes(tmp_path: Path):
    (tmp_path / "scores.csv").write_bytes(gzip.compress(TABLE.to_csv(index=False).encode()))
    assert_read(tmp_path / "scores.csv")


def test_a_byte_order_mark_windows_lines_and_a_missing_last_newline_are_no_matter(tmp_path: Path):
    text = "\ufeff" + TABLE.to_csv(index=False).strip().replace("\n", "\r\n")
    (tmp_path / "scores.csv").write_bytes(text.encode())
    assert_read(tmp_path / "scores.csv")


def test_parquet_is_known_by_its_bytes(tmp_path: Path):
    TABLE.to_parquet(tmp_path / "scores.dat")
    assert_read(tmp_path / "scores.dat")


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".json", ".jsonl.gz"])
def test_json_lines_are_read(tmp_path: Path, ending):
    TABLE.to_json(tmp_path / f"scores{ending}", orient="records", lines=True)
    assert_read(tmp_path / f"scores{ending}")


def test_nested_parameters_in_json_lines_are_the_configuration(tmp_path: Path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"params": {"lr": 1, "d": null}, "score": 1}\n{"params": {"lr": 2, "d": 3}, "score": NaN}\n')
    trials = ogive.read(path)
    assert trials.to_pandas()["params"].tolist() == ['{"lr":1}', '{"d":3,"lr":2}']
    assert trials.failed().tolist() == [False, True]


def test_missing_scores_may_be_written_in_many_ways(tmp_path: Path):
    (tmp_path / "s.csv").write_text("model,score\na,\na,NaN\na,nan\na,NA\na,inf\na,-inf\na,1.5\n")
    trials = ogive.read(tmp_path / "s.csv")
    assert trials.failed().tolist() == [True] * 6 + [False]
    assert trials.to_pandas()["status"].tolist() == ["invalid"] * 6 + ["ok"]


def test_names_keep_commas_quotes_newlines_and_unicode(tmp_path: Path):
    names = ['a, "b"', "línea\nnueva", "日本 🙂", "<script>", "NA", "null", "1.0"]
    pd.DataFrame({"model": names * 2, "score": range(14)}).to_csv(tmp_path / "s.csv", index=False)
    assert ogive.read(tmp_path / "s.csv").algorithms == tuple(names)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; a table needs a header"),
        (b" \n\n ", "is empty; a table needs a header"),
        (b"model,score\n", r"has a header \(model, score\) and no rows"),
        (b"model,score\na,1\nb,2,3\n", "cannot be read as CSV: .*Expected 2 columns, got 3"),
        (b"score,score\n1,2\n3,4\n", "several columns named 'score'"),
        (b"\x7fELF\x00\x01\x02" * 20, "is a binary file, not a table of text"),
        (pickle.dumps({"a": [1.0, 2.0]}), "looks like a pickle or array file, which can run code"),
        (b"PAR1 and then nothing", "is a damaged Parquet file"),
        (b"\x1f\x8b\x08 and then nothing", "is a damaged gzip file"),
        ("mod\u00e9l,score\na,1\nb,2\n".encode("latin-1"), "must be UTF-8; its header is not"),
        ("model,score\ncaf\u00e9,1\nb,2\n".encode("latin-1"), "must be UTF-8; its column 'model' is not"),
        ("model,score\na,1\n".encode("utf-16"), "is text in UTF-16; save it as CSV UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused_by_name(tmp_path: Path, content, message):
    path = tmp_path / "scores.csv"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=rf"scores.csv.*{message}"):
        ogive.read(path)


@pytest.mark.parametrize("name", ["run.pkl", "run.pickle", "run.joblib", "run.pt", "run.npy"])
def test_a_pickle_is_refused_by_its_name_and_never_opened(tmp_path: Path, name):
    (tmp_path / name).write_text("model,score\na,1\nb,2\n")
    with pytest.raises(UnreadableSource, match=f"{name} looks like a pickle or array file"):
        ogive.read(tmp_path / name)


def test_a_pickle_that_would_run_code_does_not(tmp_path: Path):
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "sprung",)

    (tmp_path / "scores.csv").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(UnreadableSource):
        ogive.read(tmp_path / "scores.csv")
    assert not (tmp_path / "sprung").exists()


def test_a_json_array_of_objects_is_a_table(tmp_path: Path):
    TABLE.to_json(tmp_path / "scores.json", orient="records")
    TABLE.to_json(tmp_path / "scores.jsonl", orient="records", lines=True)
    array, lines = (ogive.read(tmp_path / name).to_pandas() for name in ("scores.json", "scores.jsonl"))
    pd.testing.assert_frame_equal(array, lines)


@pytest.mark.parametrize("text", ["[1, 2]", '[{"score": 1}, 3]', '[{"score": 1', '[{"a": 1}, {"a": {"b": 2}}]', "[]"])
def test_a_json_array_of_anything_else_is_refused(tmp_path: Path, text):
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(UnreadableSource, match=r"scores\.json"):
        ogive.read(tmp_path / "scores.json")


def test_text_in_a_score_column_is_refused_with_its_row(tmp_path: Path):
    (tmp_path / "s.csv").write_text("model,score\na,1\nb,fast\n")
    with pytest.raises(InvalidScores, match=r"'score'.*row 2.*'fast'"):
        ogive.read(tmp_path / "s.csv")


def test_decimals_that_are_written_in_two_ways_are_refused_with_the_way_out(tmp_path: Path):
    (tmp_path / "s.csv").write_text("model;score\na;0,5\nb;0.6\n")
    with pytest.raises(InvalidScores, match=r"'0,5'.*'0.6'"):
        ogive.read(tmp_path / "s.csv")


def test_folders_absent_files_and_long_names_are_refused(tmp_path: Path):
    with pytest.raises(UnreadableSource, match="a folder"):
        ogive.read(tmp_path)
    with pytest.raises(UnreadableSource, match=r"absent.csv"):
        ogive.read(tmp_path / "absent.csv")
    with pytest.raises(UnreadableSource, match="File name too long"):
        ogive.read("x" * 5000)


def _written(tmp_path: Path) -> Path:
    path = tmp_path / "trials.parquet"
    ogive.read({"a": np.random.default_rng(0).normal(size=500), "b": np.arange(500.0)}).write(path)
    return path


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7])
def test_a_flipped_byte_in_written_data_is_refused_by_name(tmp_path: Path, place):
    path = _written(tmp_path)
    content = bytearray(path.read_bytes())
    # The scores make up nearly all of the file in front of its footer.
    content[int(place * (len(content) - int.from_bytes(content[-8:-4], "little")))] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=r"trials.parquet.*damaged"):
        ogive.read(path)


@pytest.mark.parametrize("kept", [6, 100, -1])
def test_a_truncated_parquet_file_is_refused_by_name(tmp_path: Path, kept):
    path = _written(tmp_path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UnreadableSource, match=r"trials.parquet.*damaged"):
        ogive.read(path)


def test_a_table_that_claims_too_much_is_refused_before_it_is_read(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("ogive.files._opening.MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"claims .* of data"):
        ogive.read(_written(tmp_path))


@pytest.mark.parametrize("role", ["algorithm", "task", "item", "group"])
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "guessed"])
def test_names_that_look_like_numbers_stay_as_they_are_written(tmp_path: Path, role, declared):
    name = "code" if declared else role
    (tmp_path / "s.csv").write_text(f'\ufeff"{name}",seed,score\r\n01,1,0.1\r\n1,2,0.2\r\n1.0,3,0.3\r\n')
    trials = ogive.read(tmp_path / "s.csv", **({role: name} if declared else {}))
    assert trials.to_pandas()[role].tolist() == ["01", "1", "1.0"]
    assert trials.to_pandas()["trial"].tolist() == [1, 2, 3]


def test_a_unit_that_looks_like_a_number_stays_as_it_is_written(tmp_path: Path):
    (tmp_path / "s.csv").write_text("student,score\n01,0.1\n1,0.2\n1,0.3\n")
    trials = ogive.read(tmp_path / "s.csv", unit="student", score="score")
    assert trials.to_pandas()["group"].tolist() == ["01", "1", "1"]


def test_names_from_files_of_two_kinds_fit_under_each_other(tmp_path: Path):
    table = pd.DataFrame({"model": [1, 2], "score": [0.1, 0.2]})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_parquet(tmp_path / "b.parquet")
    assert ogive.read([tmp_path / "a.csv", tmp_path / "b.parquet"]).algorithms == ("1", "2")


def test_parquet_names_that_are_not_utf8_are_refused(tmp_path: Path):
    bad = pa.array([b"caf\xe9", b"b"])
    unchecked = pa.Array.from_buffers(pa.string(), 2, bad.buffers())
    for values, message in (
        (bad, "column 'model' must hold text in UTF-8"),
        (unchecked, "damaged Parquet file: .*UTF8"),
    ):
        pq.write_table(pa.table({"model": values, "score": [1.0, 2.0]}), tmp_path / "s.parquet")
        with pytest.raises(UnreadableSource, match=message):
            ogive.read(tmp_path / "s.parquet")


@pytest.mark.parametrize(
    "text",
    [
        'model;"score, test"\na;0.1\nb;0.2\n',
        "model;score, test\na;0.1\nb;0.2\n",
        "model\tscore, test\na\t0.1\nb\t0.2\n",
        'model\t"score; test, all"\na\t0.1\nb\t0.2\n',
        "model,score; test\na,0.1\nb,0.2\n",
        '"model","score"\n"a, or so; it says",0.1\n"b",0.2\n',
    ],
)
def test_what_separates_columns_is_not_taken_from_a_name(tmp_path: Path, text):
    (tmp_path / "s.csv").write_text(text)
    trials = ogive.read(tmp_path / "s.csv")
    assert trials.values().tolist() == [0.1, 0.2]
    assert len(trials.algorithms) == 2


@pytest.mark.parametrize("text", ["a,0.5\nb,0.6\na,0.3\n", "0.1,0.2\n0.3,0.4\n0.5,0.6\n"])
def test_a_first_line_of_scores_is_no_header(tmp_path, text):
    (tmp_path / "bare.csv").write_text(text)
    with pytest.raises(UnreadableSource, match="no header"):
        read_table(tmp_path / "bare.csv")


def test_columns_may_be_called_by_numbers(tmp_path):
    (tmp_path / "levels.csv").write_text("model,0.5\na,0.6\nb,0.3\n")
    assert read_table(tmp_path / "levels.csv").column_names == ["model", "0.5"]


@pytest.mark.parametrize("kind", ["gzip", "bz2"])
def test_a_packed_file_that_unpacks_to_far_more_than_a_table_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch, kind
):
    from ogive.files import _opening

    monkeypatch.setattr(_opening, "MOST_UNPACKED", 2**20)
    path = tmp_path / "scores.csv.gz"
    pack = {"gzip": gzip, "bz2": bz2}[kind]
    path.write_bytes(pack.compress(b"model,seed,score\na,1," + b"0" * 2**23))
    with pytest.raises(UnreadableSource, match="unpacks to more than 100 times its size"):
        ogive.read(path)


def test_hexadecimal_scores_are_not_read_as_numbers(tmp_path: Path):
    path = tmp_path / "scores.csv"
    path.write_text("model,seed,score\na,1,0x1F\na,2,32\nb,1,3\nb,2,4\n")
    with pytest.raises(InputError, match="column 'score' must hold numbers; row 1 holds '0x1F'"):
        ogive.read(path)


def test_hexadecimal_seeds_stay_as_they_are_written(tmp_path: Path):
    path = tmp_path / "scores.csv"
    path.write_text("model,seed,score,size\na,0x1F,1,7\na,0x20,2,7\nb,0x1F,3,7\nb,0x20,4,7\n")
    table = read_table(path)
    assert table["seed"].to_pylist() == ["0x1F", "0x20"] * 2
    assert table["score"].to_pylist() == [1, 2, 3, 4]
