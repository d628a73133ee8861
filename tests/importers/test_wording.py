"""The words with which a table is refused: name, rule, what came, way out. Notes have theirs in `tests/test_notes.py`."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError

TWO = {"model": ["a", "b"]}
STEPS = [{"algo": a, "seed": s, "updates": t, "return": t / 10 + s} for a in "ab" for s in range(4) for t in range(0, 50, 5)]  # fmt: skip
REPEATED = {"score": np.arange(12.0), "param_lr": np.repeat([1, 2, 3, 4], 3)}
FOUND = {"solver": list("aabb"), "problem": list("pqpq"), "found": [True, False, True, True], "time": [1.0, 2, 3, 4]}

REFUSED = [
    (TWO | {"acc": [1.0, 2.0], "f1": [1.0, 2.0]}, {}, "2 columns could be the score: 'acc', 'f1'; choose one with score="),
    (TWO | {"solver": ["c", "d"], "score": [1.0, 2.0]}, {}, "could be the algorithm: 'model', 'solver'; choose one with algorithm="),
    (TWO | {"accuracy": [1.0, 2.0]}, {"score": "acuracy"}, "`score`: there is no column 'acuracy'; the columns are 'model', 'accuracy'"),
    (TWO | {"color": ["c", "d"]}, {}, "no column of plain numbers is left to be the score"),
    ({"status": [1.0, 2.0], "other": ["a", "b"]}, {"score": "status"}, "may not be called 'status'"),
    ({"score": [1.0]}, {}, "holds one row of scores; a distribution needs at least two"),
    ({"model": ["a", None], "score": [1.0, 2.0]}, {}, "'model' names no method or task in 1 of 2 rows"),
    ({"model": ["a", "b"], "score": ["1", "fast"]}, {"score": "score"}, "column 'score' must hold numbers; row 2 holds 'fast'. Leave the cell empty"),
    ({"model": ["a", "b"], "score": ["0,5", "0.6"]}, {"score": "score"}, "row 1 holds '0,5' and row 2 '0.6'. Write decimals with a point"),
    ({"score": [0.5, 91.0, -1.0]}, {"bounds": (0, 1)}, "2 of 3 in column 'score' lie outside (-1 to 91)"),
    (TWO | {"score": [1.0, 2.0], "status": ["ok", "weird"]}, {"status": "status"}, "column 'status' holds 'weird', which is no status; known are ok, error"),
    (FOUND, {"time_limit": -1}, "`time_limit` must be a positive number; got -1"),
    (FOUND, {"without": "x"}, "`without` must name a method of the table; got 'x'. It has 'a', 'b'"),
    (FOUND, {}, "Column 'found' says that they failed; status='none' if it does not"),
    (STEPS, {"score": "return"}, "column 'updates' holds 10 steps of a run (0 to 45), as in a table of curves; say step='updates' if they are"),
    (REPEATED, {}, "12 rows share 4 configurations"),
    ({"score": np.arange(12.0), "seed": np.repeat([0, 1, 2, 3], 3)}, {}, "column 'seed' repeats"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "said", "words"), REFUSED, ids=[words for _, _, words in REFUSED])
def test_a_table_is_refused_in_these_words(columns, said, words):
    with pytest.raises(InputError) as caught:
        ogive.summarize(ogive.read(pd.DataFrame(columns), **said))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_is_refused_in_these_words(tmp_path: Path):
    for path, words in (
        (tmp_path, "is a folder, and no store of Ogive's; name the files in it"),
        (tmp_path / "absent.csv", "absent.csv does not exist"),
        ("x" * 5000, "cannot be opened: File name too long"),
    ):
        with pytest.raises(InputError) as caught:
            ogive.read(path)
        assert words in str(caught.value)
