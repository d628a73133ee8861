"""Make `examples/scores.csv`: three classifiers with random hyper-parameters, seeds and data, 100 runs each.

python examples/make_scores.py
"""

import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import make_circles, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

N_RUNS = 100


def draw_svm(rng):
    return SVC(
        C=float(np.exp(rng.uniform(np.log(0.01), np.log(100)))),
        kernel=str(rng.choice(["linear", "poly", "rbf", "sigmoid"])),
        gamma="auto",
    )


def draw_knn(rng):
    return KNeighborsClassifier(n_neighbors=int(rng.choice([3, 4, 5, 10, 25, 50])))


def draw_forest(rng):
    return RandomForestClassifier(
        n_estimators=int(np.exp(rng.uniform(np.log(10), np.log(100)))), random_state=int(rng.integers(2**31))
    )


METHODS = {"SVM": draw_svm, "k-NN": draw_knn, "random forest": draw_forest}
TASKS = {
    "moons": lambda seed: make_moons(500, noise=0.3, random_state=seed),
    "circles": lambda seed: make_circles(500, noise=0.2, factor=0.5, random_state=seed),
}


def main() -> None:
    with (Path(__file__).parent / "scores.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["method", "task", "run", "accuracy"])
        for task, make in TASKS.items():
            for number, (name, draw) in enumerate(METHODS.items()):
                for run in range(N_RUNS):
                    # Every run of a method draws its own data, hyper-parameters and seed.
                    rng = np.random.default_rng([number, run, len(task)])
                    x, y = make(int(rng.integers(2**31)))
                    model = draw(rng).fit(x[:300], y[:300])
                    writer.writerow([name, task, run, model.score(x[300:], y[300:])])


if __name__ == "__main__":
    main()
