"""JSON: every key of any object is a column, every value is what is written, and what is no table ends in one sentence."""

import gzip
import json
from pathlib import Path

import pytest

import ogive
from ogive.errors import UnreadableSource
from ogive.files import read_table

ROWS = [{"model": m, "seed": s, "score": s + 0.5} for m in ("a", "b") for s in range(3)]


def written(folder: Path, text: str | bytes, name: str = "runs.json") -> Path:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / name


def both(rows: list[dict]) -> list[tuple[str, str]]:
    """An array, and lines."""
    return [(json.dumps(rows), "runs.json"), ("\n".join(map(json.dumps, rows)), "runs.jsonl")]


def test_a_key_that_the_first_object_lacks_is_a_column(tmp_path: Path):
    late = [*ROWS[:-1], {**ROWS[-1], "status": "failed"}]
    for text, name in both(late):
        trials = ogive.read(written(tmp_path, text, name))
        assert trials.to_pandas()["status"].tolist() == ["ok"] * 5 + ["error"]


def test_a_task_that_some_objects_lack_is_refused(tmp_path: Path):
    late = [ROWS[0], *({**row, "task": "iris"} for row in ROWS[1:])]
    for text, name in both(late):
        with pytest.raises(UnreadableSource, match=r"'task'.*1 of 6"):
            ogive.read(written(tmp_path, text, name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true", "the first value is True"),
        ("[null]", "its first value is null"),
        ("[]", "is an empty JSON array"),
        ("{}", "objects without any key"),
        ('{"score": 1}\nnull\n', "the second value is null"),
        ('{"score": 1}\n[1]\n', "the second value is a list"),
        ('[{"score": 1, "score": 2}]', "names 'score' twice"),
        ('[{"score": 1}, {"score": "x"}]', "holds numbers and text in column 'score'"),
        ('[{"model": "\\ud800", "score": 1}]', "half of a sign"),
        ('[{"\\ud800": 1}]', "half of a sign"),
        ('{"model": "\\ud800", "score": 1}', "half of a sign"),
        (b'{"model": "caf\xe9", "score": 1}', "must be UTF-8"),
        ('[{"score": 1' + "0" * 400 + "}]", "no float can hold"),
        ('[{"score": 1' + "0" * 5000 + "}]", "cannot be read as JSON"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "more than 100 deep"),
        ('[{"a":' + "[" * 500 + "]" * 500 + "}]", "more than 100 deep"),
        ("[" * 200_000, "more than 100 deep"),
    ],
)
def test_json_that_is_no_table_is_refused_in_one_sentence(tmp_path: Path, text, message):
    with pytest.raises(UnreadableSource, match=rf"runs\.json.*{message}") as refused:
        read_table(written(tmp_path, text))
    assert "\n" not in str(refused.value)


def test_null_alone_does_not_end_the_process(tmp_path: Path):
    import subprocess
    import sys

    path = written(tmp_path, "null")
    done = subprocess.run(
        [sys.executable, "-m", "ogive.cli", "summary", path], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr == f"ogive: {path} must hold JSON objects, one for each run; the first value is null.\n"


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 2**70])
def test_whole_numbers_beyond_64_bits_are_scores_names_and_seeds(tmp_path: Path, value):
    for place in ("score", "model", "seed"):
        # Floats cannot hold scores apart that differ by one.
        step = 2**58 if place == "score" else 1
        for text, name in both([{**row, place: value + step * i} for i, row in enumerate(ROWS)]):
            trials = ogive.read(written(tmp_path, text, name), score="score")
            if place == "score":
                assert trials.values().tolist() == [float(value + step * i) for i in range(6)]
            elif place == "model":
                assert trials.algorithms == tuple(str(value + i) for i in range(6))
            else:
                assert len(set(trials.to_pandas()["trial"])) == 6


def test_text_that_looks_like_a_date_stays_text(tmp_path: Path):
    for text, name in both([{**row, "model": f"2024-01-0{1 + (row['model'] == 'b')}"} for row in ROWS]):
        assert ogive.read(written(tmp_path, text, name)).algorithms == ("2024-01-01", "2024-01-02")


@pytest.mark.parametrize("name", ["runs.json", "runs.jsonl", "runs", "runs.csv"])
def test_a_mark_and_packing_are_no_matter(tmp_path: Path, name):
    for text, _ in both(ROWS):
        for content in (
            text.encode("utf-8-sig"),
            gzip.compress(text.encode()),
            gzip.compress(text.encode("utf-8-sig")),
        ):
            assert ogive.read(written(tmp_path, content, name)).values().tolist() == [row["score"] for row in ROWS]


def test_a_line_may_be_longer_than_a_megabyte(tmp_path: Path):
    for text, name in both([{**row, "note": "x" * 2**21} for row in ROWS[:2]]):
        assert read_table(written(tmp_path, text, name))["score"].to_pylist() == [0.5, 1.5]


def test_configurations_of_several_kinds_are_text(tmp_path: Path):
    for text, name in both([{**row, "params": {"depth": ("auto", 3)[i % 2]}} for i, row in enumerate(ROWS)]):
        params = ogive.read(written(tmp_path, text, name)).to_pandas()["params"]
        assert params.tolist()[:2] == ['{"depth":"auto"}', '{"depth":3}']
