"""What cannot be learned from is refused in one sentence with a way out."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from ogive.curves import MODELS, learning_curves, repeated_cv
from ogive.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.arange(60) % 2
HOLES = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
ONCE = np.where(np.arange(60) == 7, "rare", np.where(Y, "a", "b"))


def refused(models=None, X=X, y=Y, **asked):
    with pytest.raises(InputError) as caught:
        learning_curves(GaussianNB() if models is None else models, X, y, **{"n_repetitions": 2, "workers": 0, **asked})
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    return text


BAD = [
    ({"y": np.zeros(60)}, "must hold at least two classes"),
    ({"y": ["c"] * 60}, "every row has 'c'"),
    ({"y": np.arange(60)}, "60 classes in 60 rows"),
    ({"X": X[:3], "y": np.array([0, 1, 0])}, "at least 4 rows"),
    ({"y": ONCE}, "class 'rare' has 1"),
    ({"X": HOLES}, "takes no gaps; "),
    ({"X": np.where(np.isnan(HOLES), np.inf, X)}, "are infinite"),
    ({"X": [["a", "b"]] * 60}, "must be a table of numbers"),
    ({"X": np.ones((60, 2)) * (1 + 2j)}, "must be a table of numbers"),
    ({"X": X[:, 0]}, "Did you mean X.reshape(-1, 1)?"),
    ({"y": X[:, 0]}, "`y` is a quantity (60 different numbers"),
    ({"y": Y[:30]}, "as many rows; got 60 and 30"),
    ({"sizes": [10, 49]}, "the 12 test rows leave 48 to train on"),
    ({"sizes": [60], "test": "varying"}, "at least one of the 60 rows must be left"),
    ({"sizes": [0]}, "whole numbers of at least 1"),
    ({"sizes": "many"}, "whole numbers of at least 1"),
    ({"sizes": [5, np.nan]}, "whole numbers of at least 1"),
    ({"sizes": [0.1, 0.5]}, "whole numbers of at least 1"),
    ({"models": LinearRegression(), "y": ONCE}, "must hold numbers for regression"),
    ({"models": [GaussianNB(), LinearRegression()]}, "all be classifiers or all regressors"),
    ({"models": [KMeans()]}, "is neither"),
    ({"models": "qdc"}, "did you mean 'qda'?"),
    ({"models": GaussianNB}, "must be"),
    ({"models": ["lda", "lda"]}, "'lda' comes twice"),
    ({"models": {}}, "at least one"),
    ({"metrics": ["acc"]}, "some of accuracy, auc, brier, cross_entropy"),
    ({"metrics": ["r2"]}, "for classification"),
    ({"design": "add"}, "'additive', 'random', 'bootstrap'"),
    ({"test": "held"}, "'fixed' or 'varying'"),
    ({"test_size": 1.5}, "a share in (0, 1)"),
    ({"missing_class": "drop"}, "'zero' or 'undefined'"),
    ({"n_repetitions": 0}, "at least 1; got 0"),
    ({"max_cost": 0}, "positive number of seconds"),
]


@pytest.mark.parametrize(("change", "words"), BAD)
def test_bad_input_is_refused_in_one_sentence(change, words):
    assert words in refused(**change)


@pytest.mark.parametrize(("change", "words"), [(change, words) for change, words in BAD if "models" not in change])
def test_bad_input_is_refused_in_the_same_words_where_models_have_kernels(change, words):
    assert words in refused(list(MODELS), **change)


@pytest.mark.parametrize("model", MODELS)
def test_a_kernel_is_not_reached_by_what_is_no_number(model):
    assert "must be a table of numbers" in refused(model, np.full(X.shape, "1 cm"), fit="kernel")
    assert "are infinite" in refused(model, np.where(RNG.random(X.shape) < 0.1, -np.inf, X), fit="kernel")
    assert "must have rows and columns" in refused(model, X[:, :0], fit="kernel")
    assert "at least 4 rows" in refused(model, X[:2], Y[:2], fit="kernel")


def test_a_model_that_can_never_be_fitted_is_refused_with_its_reason():
    text = refused(LogisticRegression(C=-1.0), sizes=[10, 40])
    assert (
        "'LogisticRegression' gave no score at any size: 2 repetitions without a score (error: InvalidParameterError"
        in text
    )


@pytest.mark.parametrize("model", ["nmc", "lda", "qda"])
def test_gaps_are_refused_by_the_named_models_that_scikit_learn_does_not_have(model):
    assert f"`X` must be known for '{model}', which takes no gaps; " in refused(model, HOLES)


def test_gaps_are_fine_for_a_model_that_takes_them():
    made = learning_curves(HistGradientBoostingClassifier(max_iter=2), HOLES, Y, sizes=[30], n_repetitions=1, workers=0)
    assert np.isfinite(made.values).all()


def test_a_million_rows_are_refused_by_their_cost_before_anything_is_run(tmp_path):
    big = np.random.default_rng(1).normal(size=(1_000_000, 2))
    text = refused(
        LogisticRegression(), big, big[:, 0] > 0, n_repetitions=10_000, store=tmp_path / "s", metrics="accuracy"
    )
    assert "`max_cost` = 60 min" in text
    assert "raise max_cost to" in text
    assert not list((tmp_path / "s").glob("trials/*"))


def test_a_cost_that_is_allowed_is_run():
    made = learning_curves(GaussianNB(), X, Y, n_repetitions=5, workers=0, max_cost=600)
    assert made.n_repetitions == 5
    assert "`max_cost` = 0.001 s" in refused(n_repetitions=200, max_cost=0.001)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"parameters": {"alpha": [1]}}, "'alpha', which is no parameter of GaussianNB"),
        ({"parameters": {"var_smoothing": []}}, "to lists of values"),
        ({"max_cost": "an hour"}, "`max_cost` must be a positive number of seconds; got 'an hour'"),
        ({"max_cost": 1e-9}, "ask for fewer folds than 5 or fewer repeats than 2, or raise max_cost to"),
        ({"k": 61}, "from 2 to the number of rows, 60"),
        ({"n_repeats": 0}, "at least 1; got 0"),
    ],
)
def test_repeated_cross_validation_refuses_in_one_sentence(change, words):
    asked = {"parameters": {"var_smoothing": [1e-9]}, "k": 5, "n_repeats": 2, "workers": 0, **change}
    with pytest.raises(InputError) as caught:
        repeated_cv(GaussianNB(), X, Y, asked.pop("parameters"), **asked)
    assert words in str(caught.value)
