"""Random forests: trees on bootstrap samples, of √d columns in each node; probabilities are means of leaf shares.

The trees are those of `_tree`, with leaves of any size. A bootstrap sample is a whole-number weight for each training
row. A tree of size n draws its rows and columns from a stream that follows from the key, n and its own
number alone: scores at a size do not depend on which other sizes are asked for.

The columns of a node are drawn without replacement. Of a node's first √d columns, those that are constant in the
node count as drawn; where all of them are constant, drawing goes on until one is not, as in scikit-learn, with whose
forests these are equal in law.

Breiman (2001), Random forests.
"""

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_scores
from ogive.kernels._resampling import STEP, first_state, high_index, low_index, mix
from ogive.kernels._tree import grow, take_shares, tree_room


@kernel
def forest_curve(x, y, n_classes, order, sizes, test, varying, codes, values, reach, n_trees, key, scores):
    """Scores of a forest of `n_trees` trees after each of `sizes` training rows.

    `codes`, `values` and `reach` are those of `_tree.column_codes`.
    """
    n_rows, d = x.shape
    n_test = test.size
    n_tried = max(1, int(np.sqrt(d)))
    weights, trained = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.bool_)
    training, tested = np.empty(n_rows, np.int32), np.empty(n_test, np.int32)
    by_row = np.empty((n_rows, n_classes))
    left, truth, guesses = test.copy(), y[test], np.empty(n_test, np.int64)
    shares, places, work = np.empty((n_test, n_classes)), np.empty(n_test, np.int64), np.empty(n_test)
    room = tree_room(max(n_rows, order.size), d, n_classes, values.shape[1])
    done, m = 0, n_test
    for s in range(sizes.size):
        n = sizes[s]
        if varying:
            m = keep_untrained(order, done, n, y, left, truth, m, trained)
        done = n
        for i in range(m):
            by_row[left[i]] = 0.0
        state = first_state(key, n)
        for _ in range(n_trees):
            state += STEP
            own = mix(state)
            n_training = draw_bootstrap(own, order, n, weights, training)
            for i in range(m):
                tested[i] = left[i]
            grow(
                codes, values, reach, y, n_classes, weights, training, n_training, tested, m, 1, n_tried, mix(own),
                by_row, room,
            )  # fmt: skip
            for i in range(n_training):
                weights[training[i]] = 0
        take_shares(by_row, left, m, float(n_trees), guesses, shares)
        write_scores(guesses, shares, shares, truth, m, places, work, scores[s])


@kernel
def forest_choices(y, n_classes, order, sizes, rows, tested, codes, values, reach, numbers, key, found):
    """Write into found[s, j] the accuracy of the first numbers[j] trees of the forest of sizes[s] training rows.

    It is that of the first tested[s] `rows`, NaN where there are none. `numbers` increase; sizes may stay equal.
    """
    d, n_rows = codes.shape
    n_tried = max(1, int(np.sqrt(d)))
    weights, training = np.zeros(n_rows, np.int64), np.empty(n_rows, np.int32)
    fallen, truth, guesses = np.empty(rows.size, np.int32), y[rows], np.empty(rows.size, np.int64)
    by_row, shares = np.empty((n_rows, n_classes)), np.empty((rows.size, n_classes))
    places, work = np.empty(rows.size, np.int64), np.empty(rows.size)
    room = tree_room(max(n_rows, order.size), d, n_classes, values.shape[1])
    for s in range(sizes.size):
        n, m = sizes[s], tested[s]
        for i in range(m):
            by_row[rows[i]] = 0.0
        state, j = first_state(key, n), 0
        for number in range(numbers[numbers.size - 1]):
            state += STEP
            own = mix(state)
            n_training = draw_bootstrap(own, order, n, weights, training)
            for i in range(m):
                fallen[i] = rows[i]
            grow(
                codes, values, reach, y, n_classes, weights, training, n_training, fallen, m, 1, n_tried, mix(own),
                by_row, room,
            )  # fmt: skip
            for i in range(n_training):
                weights[training[i]] = 0
            if number + 1 == numbers[j]:
                take_shares(by_row, rows, m, float(number + 1), guesses, shares)
                write_scores(guesses, shares, shares, truth, m, places, work, found[s, j : j + 1])
                j += 1


@kernel
def draw_bootstrap(state, order, n, weights, training):
    """Draw n of the first n rows with replacement, two out of each word: weights (0 before), and the rows drawn; their number."""
    size = np.uint64(n)
    n_training = 0
    for i in range(n):
        if i % 2 == 0:
            state += STEP
            r = order[low_index(mix(state), size)]
        else:
            r = order[high_index(mix(state), size)]
        if weights[r] == 0:
            training[n_training] = r
            n_training += 1
        weights[r] += 1
    return n_training
