"""Make the tables that the README's commands read.

    python examples/make_scores.py

`scores.csv`: three classifiers with random hyper-parameters, seeds and data, 100 runs each. `times.csv`: seconds that four
solvers need for 60 problems, made up. `old.csv` and `new.csv`: scores of two versions of a method, made up.
`points.csv`: the two moons, to learn from.
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


FOLDER = Path(__file__).parent


def main() -> None:
    make_scores()
    rng = np.random.default_rng(0)
    hard = np.exp(rng.normal(5, 2, 60))  # of problems
    times = {name: hard * speed * np.exp(rng.normal(0, spread, 60)) for name, speed, spread in
             (("barrier", 1.0, 0.3), ("simplex", 1.5, 0.6), ("first-order", 0.4, 1.5), ("hybrid", 0.8, 0.4))}  # fmt: skip
    rows = [
        (name, f"problem {i}", round(min(t, 15000.0), 1)) for name, found in times.items() for i, t in enumerate(found)
    ]
    write("times.csv", ["solver", "problem", "seconds"], rows)
    for name, mean in (("old.csv", 0.86), ("new.csv", 0.865)):
        write(name, ["seed", "accuracy"], [(i, round(score, 4)) for i, score in enumerate(rng.normal(mean, 0.01, 40))])
    x, y = make_moons(200, noise=0.3, random_state=0)
    write(
        "points.csv",
        ["x1", "x2", "y"],
        [(round(a, 3), round(b, 3), int(label)) for (a, b), label in zip(x, y, strict=True)],
    )


def write(name, head, rows):
    with (FOLDER / name).open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])


def make_scores():
    with (FOLDER / "scores.csv").open("w", newline="") as out:
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
