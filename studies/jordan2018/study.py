"""The classification study of Jordan, Cohen and Thomas (2018): five algorithms on four tasks.

    ogive run studies/jordan2018/study.py:untuned --trials 500 --out results/jordan2018-random
    ogive run studies/jordan2018/study.py:searched --trials 20 --out results/jordan2018-tuned

`untuned` draws the hyper-parameters of every trial at random; `searched` lets every trial search 50
configurations by 3-fold cross-validation inside its training set first. Both draw the same data in
trial i, for all algorithms. The images of the task `faces` come through Ogive's cache folder.
"""

import ogive
from ogive.algorithms import knn, logistic_regression, neural_network, random_forest, svm

ALGORITHMS = [knn(name="k-NN"), random_forest(), svm(), logistic_regression(), neural_network()]
TASKS = [ogive.tasks.moons(), ogive.tasks.circles(), ogive.tasks.linear(), ogive.tasks.faces()]
SEED = 2018

untuned = ogive.Study("jordan2018-random", ALGORITHMS, TASKS, seed=SEED)
searched = ogive.Study("jordan2018-tuned", [ogive.tuned(a, name=a.name) for a in ALGORITHMS], TASKS[:3], seed=SEED)
searched_faces = ogive.Study("jordan2018-tuned-faces", searched.algorithms, TASKS[3:], seed=SEED)
