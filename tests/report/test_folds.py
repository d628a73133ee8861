"""A page about cross-validation folds speaks of folds, never of independent runs."""

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.report import _methods
from ogive.report._findings import find


def folds(repeats: int) -> ogive.Trials:
    rng = np.random.default_rng(3)
    keys = [(m, r, f) for m in ("svm", "knn") for r in range(repeats) for f in range(5)]
    table = pd.DataFrame(keys, columns=["model", "repeat", "fold"])
    return ogive.read(table.assign(accuracy=0.8 + 0.02 * rng.normal(size=len(keys))))


@pytest.mark.parametrize(
    ("repeats", "said"), [(1, "5-fold cross-validation;"), (3, "5-fold cross-validation, repeated 3 times;")]
)
def test_the_paragraph_for_the_paper_says_cross_validation(repeats, said):
    found = find(folds(repeats), metric=None, confidence=0.95, failures=None, margin=None)
    text = _methods.paragraph(found, "")
    assert said in text
    assert "for each run" not in text
    assert all("drawn anew" not in words for _, words in [*_methods.caveats(found), *_methods.checklist(found)])
