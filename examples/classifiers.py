"""Three classifiers on two tasks, with random hyper-parameters, data and seeds.

    ogive run examples/classifiers.py --trials 200 --workers 2 --out results/classifiers

Each trial draws a configuration, fresh points and a seed; the points of trial i are the same for
every classifier. 200 trials of all six pairs take well under a minute of one core.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import ogive
from ogive.spaces import log_integer, loguniform

knn = ogive.Algorithm.from_estimator(
    KNeighborsClassifier(),
    {"n_neighbors": [1, 3, 5, 10, 25, 50], "weights": ["uniform", "distance"]},
    name="kNN",
)
forest = ogive.Algorithm.from_estimator(
    RandomForestClassifier(),
    {"n_estimators": log_integer(5, 31), "min_samples_leaf": [1, 3, 5], "criterion": ["gini", "entropy"]},
    name="forest",
)
logistic = ogive.Algorithm.from_estimator(
    make_pipeline(StandardScaler(), PolynomialFeatures(), LogisticRegression(max_iter=1000)),
    {"polynomialfeatures__degree": [1, 2, 3], "logisticregression__C": loguniform(1e-3, 1e3)},
    name="logistic",
)

study = ogive.Study(
    "classifiers",
    [knn, forest, logistic],
    [ogive.tasks.moons(n=300, noise=0.3), ogive.tasks.circles(n=300, noise=0.2)],
    seed=0,
)
