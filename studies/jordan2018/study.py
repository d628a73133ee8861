"""The classification study of Jordan, Cohen and Thomas (2018): five algorithms on four tasks.

    ogive run studies/jordan2018/study.py:untuned --trials 500 --out results/jordan2018-random
    ogive run studies/jordan2018/study.py:searched --trials 20 --out results/jordan2018-tuned

`untuned` draws the hyper-parameters of every trial at random; `searched` lets every trial search 50
configurations by 3-fold cross-validation inside its training set first. Both draw the same data in
trial i, for all algorithms. The images of the task `faces` come through Ogive's cache folder.

The spaces are those of the paper's Appendix A. Where it says nothing the defaults of scikit-learn in 2018
hold, because with them the published table is met: `gamma="auto"`, one-versus-rest logistic regression, and
a patience of ten epochs for the network.
"""

import warnings
from itertools import product

from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

import ogive
from ogive.spaces import choice, log_integer, loguniform, when

warnings.simplefilter("ignore", ConvergenceWarning)  # fits that stop at their limit are meant
UNITS = (50, 100, 150)

knn = {"n_neighbors": choice([3, 4, 5, 10, 25, 50])}
forest = {
    "n_estimators": log_integer(10, 100),
    "criterion": choice(["gini", "entropy"]),
    "min_samples_split": choice([2, 4, 8, 16]),
    "min_samples_leaf": choice([1, 3, 5]),
}
svm = {
    "C": loguniform(0.01, 100),
    "kernel": choice(["linear", "poly", "rbf", "sigmoid"]),
    "degree": when(choice([2, 3, 4, 5]), kernel="poly"),
}
logistic = {"estimator__C": loguniform(1e-4, 1e4)}
network = {
    "activation": choice(["logistic", "tanh", "relu"]),
    "hidden_layer_sizes": choice([*((n,) for n in UNITS), *product(UNITS, UNITS)]),
    "learning_rate_init": loguniform(1e-4, 0.1),
}
ALGORITHMS = [
    ogive.Algorithm.from_estimator(estimator, space, name=name)
    for name, estimator, space in (
        ("k-NN", KNeighborsClassifier(), knn),
        ("RF", RandomForestClassifier(), forest),
        ("SVM", SVC(gamma="auto"), svm),
        ("LR", OneVsRestClassifier(LogisticRegression(solver="saga", max_iter=1000)), logistic),
        ("NN", MLPClassifier(solver="adam", early_stopping=True, n_iter_no_change=10, max_iter=200), network),
    )
]
TASKS = [ogive.tasks.moons(), ogive.tasks.circles(), ogive.tasks.linear(), ogive.tasks.faces()]
SEED = 2018

untuned = ogive.Study("jordan2018-random", ALGORITHMS, TASKS, seed=SEED)
searched = ogive.Study("jordan2018-tuned", [ogive.tuned(a, name=a.name) for a in ALGORITHMS], TASKS[:3], seed=SEED)
searched_faces = ogive.Study("jordan2018-tuned-faces", searched.algorithms, TASKS[3:], seed=SEED)
