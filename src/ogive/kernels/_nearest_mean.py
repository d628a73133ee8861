"""Nearest-mean classification after each training row.

The class of x is that with the nearest mean, the first of equally near ones; its probability is the
share of exp(-‖x - mean_k‖² / 2) among the classes. A mean is a running sum divided by a count, so a new
training row changes one class: only the distances to that mean are computed anew, O(T d) for T test
rows, and a whole curve costs O(n T d) in place of O(n² d + n T K d). Test rows lie side by side for
each feature, so that several distances are computed at once. A class that was not seen is infinitely
far, and with one class seen that one is predicted.
"""

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores, write_shares


@kernel
def nearest_mean_curve(x, y, n_classes, order, sizes, test, varying, scores):
    """Write the scores of the nearest-mean classifier after sizes[0], sizes[1], … rows of `order`."""
    d, n_test = x.shape[1], test.size
    sums, counts = np.zeros((n_classes, d)), np.zeros(n_classes, np.int64)
    stale = np.zeros(n_classes, np.bool_)
    features = columns_of(x, test)
    logs = np.full((n_classes, n_test), -np.inf)
    log_scores, shares = np.empty((n_test, n_classes)), np.empty((n_test, n_classes))
    codes, places, work = np.empty(n_test, np.int64), np.empty(n_test, np.int64), np.empty(n_test)
    coming, known, active, truth, trained = tested_rows(y, order, test, varying)
    m, done, seen = n_test, 0, 0
    for s in range(sizes.size):
        for i in range(done, sizes[s]):
            row, k = order[i], y[order[i]]
            if counts[k] == 0:
                seen += 1
            counts[k] += 1
            stale[k] = True
            for j in range(d):
                sums[k, j] += x[row, j]
        if varying:
            m = keep_untrained(coming, done, sizes[s], known, active, truth, m, trained)
        done = sizes[s]
        if seen == 1:
            write_constant_scores(y[order[0]], truth, m, scores[s])
            continue
        for k in range(n_classes):
            if stale[k]:
                stale[k] = False
                _write_half_distances(features, sums[k], counts[k], logs[k])
        gather(logs, active, m, log_scores)
        write_shares(log_scores, m, n_classes, codes, shares)
        write_scores(codes, shares, shares, truth, m, places, work, scores[s])


@kernel
def columns_of(x, rows):
    """The features of some rows, one feature after the other."""
    features = np.empty((x.shape[1], rows.size))
    for i in range(rows.size):
        for j in range(x.shape[1]):
            features[j, i] = x[rows[i], j]
    return features


@kernel
def tested_rows(y, order, test, varying):
    """What `keep_untrained` works on, rows counted by their place in `test`.

    The places of the training rows (where the test set varies it holds all of them), the classes of
    the test rows, the places that are still tested and their classes, and a flag for each place.
    """
    known = np.empty(test.size, np.int64)
    for i in range(test.size):
        known[i] = y[test[i]]
    coming = np.zeros(order.size if varying else 0, np.int64)
    if varying:
        place = np.zeros(y.size, np.int64)
        for i in range(test.size):
            place[test[i]] = i
        for i in range(order.size):
            coming[i] = place[order[i]]
    return coming, known, np.arange(test.size), known.copy(), np.zeros(test.size, np.bool_)


@kernel
def gather(logs, active, m, log_scores):
    """Log-scores by class as log-scores by row, for the places that are tested."""
    for k in range(logs.shape[0]):
        for i in range(m):
            log_scores[i, k] = logs[k, active[i]]


@kernel
def _write_half_distances(features, total, count, logs):
    """-‖x - mean‖² / 2 for every column of `features`."""
    logs[:] = 0.0
    for j in range(features.shape[0]):
        mean = total[j] / count
        for i in range(logs.size):
            gap = features[j, i] - mean
            logs[i] += gap * gap
    for i in range(logs.size):
        logs[i] *= -0.5
