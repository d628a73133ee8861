"""k nearest neighbors after each training row, from lists of neighbors sorted once for a data set.

For every test row the rows of the data are sorted by Euclidean distance. At size n the list is walked
from the nearest on until k training rows were met: after about k N / n steps, whatever the order in
which they came, so additive, random and bootstrap designs cost the same, and so do all k. A row that
was drawn several times counts as often. Every neighbor has one vote; probabilities are shares of the
votes, and the class with the most is predicted, the first of several.

Ties. Distances are compared as computed, summed feature after feature. Of equally distant training
rows the one that came first is nearer: so does scikit-learn where it compares all pairs, while its
trees take whichever they meet first. Rows at one distance stand next to each other in a list, each but
the first as its complement ~row, which is negative.

For k = 1 and sizes close to each other no list is walked: a new training row is the nearest wherever it is
nearer than those before, and where that gives no test row another label, the scores are those of the size before.

A size below k is left without scores.
"""

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores
from ogive.kernels._nearest_mean import columns_of, tested_rows


def neighbor_lists(x, test):
    """For each test row all rows of `x` from the nearest to the farthest, int32[T, N]; ties as ~row."""
    lists = np.empty((len(test), len(x)), dtype=np.int32)
    for place, row in enumerate(test):
        squares = np.zeros(len(x))
        for j in range(x.shape[1]):
            squares += (x[:, j] - x[row, j]) ** 2
        order = np.argsort(squares, kind="stable")
        tied = np.diff(squares[order], prepend=-1.0) == 0.0
        lists[place] = np.where(tied, ~order, order)
    return lists


@kernel
def neighbors_curve(x, y, n_classes, order, sizes, test, varying, k, lists, scores):
    """Write the scores of k nearest neighbors after sizes[0], sizes[1], … rows of `order`.

    `lists` are the `neighbor_lists` of the test rows.
    """
    n_test = test.size
    counts, votes = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    shares, codes = np.empty((n_test, n_classes)), np.empty(n_test, np.int64)
    places, work = np.empty(n_test, np.int64), np.empty(n_test)
    coming, known, active, truth, trained = tested_rows(y, order, test, varying)
    first, later = _comings(order, y.size)
    running = k == 1 and 2 * sizes.size >= order.size
    features = columns_of(x, test)
    squares, nearest, labels = np.empty(n_test), np.full(n_test, np.inf), np.zeros(n_test, np.int64)
    m, done, seen, scored = n_test, 0, 0, False
    for s in range(sizes.size):
        same = scored and not varying
        for i in range(done, sizes[s]):
            if counts[y[order[i]]] == 0:
                seen += 1
            counts[y[order[i]]] += 1
            if running and _come_nearer(features, x[order[i]], y[order[i]], squares, nearest, labels):
                same = False
        if varying:
            m = keep_untrained(coming, done, sizes[s], known, active, truth, m, trained)
        done = sizes[s]
        if seen == 1:
            write_constant_scores(y[order[0]], truth, m, scores[s])
            continue
        if done < k:
            scores[s, :4] = np.nan
            continue
        if running and same:
            scores[s, :4] = scores[s - 1, :4]
            continue
        for i in range(m):
            if running:
                codes[i] = labels[active[i]]
                shares[i, :] = 0.0
                shares[i, codes[i]] = 1.0
                continue
            _vote(lists[active[i]], y, k, done, first, later, votes)
            best = 0
            for c in range(n_classes):
                shares[i, c] = votes[c] / k
                if votes[c] > votes[best]:
                    best = c
            codes[i] = best
        scored = True
        write_scores(codes, shares, shares, truth, m, places, work, scores[s])


@kernel
def neighbors_choices(y, n_classes, order, sizes, rows, tested, numbers, lists, found):
    """Write into found[s, j] the accuracy of numbers[j] nearest neighbors among sizes[s] training rows.

    It is that of the first tested[s] `rows`, NaN where there are none, or fewer training rows than neighbors. `lists` are
    the `neighbor_lists` of all rows of the data. A list is walked once for all `numbers`, which increase.
    """
    votes, classes = np.empty(n_classes, np.int64), np.empty(numbers[numbers.size - 1], np.int64)
    right = np.empty(numbers.size, np.int64)
    first, later = _comings(order, y.size)
    for s in range(sizes.size):
        n, m = sizes[s], tested[s]
        n_numbers = 0
        while n_numbers < numbers.size and numbers[n_numbers] <= n:
            n_numbers += 1
        found[s] = np.nan
        if m == 0 or n_numbers == 0:
            continue
        right[:] = 0
        for i in range(m):
            near = classes[: numbers[n_numbers - 1]]
            _write_nearest(lists[rows[i]], y, n, first, later, near)
            votes[:] = 0
            so_far = 0
            for j in range(n_numbers):
                for place in range(so_far, numbers[j]):
                    votes[near[place]] += 1
                so_far = numbers[j]
                best = 0
                for c in range(1, n_classes):
                    if votes[c] > votes[best]:
                        best = c
                if best == y[rows[i]]:
                    right[j] += 1
        for j in range(n_numbers):
            found[s, j] = right[j] / m


@kernel
def _write_nearest(near, y, n, first, later, classes):
    """The classes of the nearest of the first n training rows, from the nearest on, as many as `classes` holds."""
    found, j = 0, 0
    while found < classes.size:
        end = j + 1
        while end < near.size and near[end] < 0:
            end += 1
        after = -1
        while found < classes.size:  # of rows at one distance the first to come, and so on
            earliest, whose = n, 0
            for i in range(j, end):
                row = near[i] if near[i] >= 0 else ~near[i]
                place = first[row]
                while place <= after:
                    place = later[place]
                if place < earliest:
                    earliest, whose = place, row
            if earliest == n:
                break
            classes[found] = y[whose]
            found += 1
            after = earliest
        j = end


@kernel
def _come_nearer(features, row, code, squares, nearest, labels):
    """Let a training row be the nearest where it is nearer than those before; whether a test row has another label now."""
    squares[:] = 0.0
    for j in range(row.size):
        value, column = row[j], features[j]
        for i in range(squares.size):
            gap = column[i] - value
            squares[i] += gap * gap
    other = False
    for i in range(squares.size):
        if squares[i] < nearest[i]:
            nearest[i] = squares[i]
            if labels[i] != code:
                labels[i] = code
                other = True
    return other


@kernel
def _comings(order, n_rows):
    """The first place of each row in `order`, and for each place the next one of the same row; order.size where none."""
    first, later = np.full(n_rows, order.size), np.empty(order.size, np.int64)
    for i in range(order.size - 1, -1, -1):
        later[i] = first[order[i]]
        first[order[i]] = i
    return first, later


@kernel
def _vote(near, y, k, n, first, later, votes):
    """Count the classes of the k nearest of the first n training rows; there are at least k."""
    votes[:] = 0
    found, j = 0, 0
    while found < k:
        end = j + 1
        while end < near.size and near[end] < 0:
            end += 1
        if end == j + 1:
            row = near[j]
            place = first[row]
            while place < n and found < k:
                votes[y[row]] += 1
                found += 1
                place = later[place]
        else:
            found = _vote_of_ties(near[j:end], y, k, n, first, later, found, votes)
        j = end


@kernel
def _vote_of_ties(tied, y, k, n, first, later, found, votes):
    """Rows at one distance vote in the order in which they came, until there are k; how many there are then."""
    after = -1
    while found < k:
        earliest, whose = n, 0
        for i in range(tied.size):
            row = tied[i] if tied[i] >= 0 else ~tied[i]
            place = first[row]
            while place <= after:
                place = later[place]
            if place < earliest:
                earliest, whose = place, row
        if earliest == n:
            return found
        votes[y[whose]] += 1
        found += 1
        after = earliest
    return found
