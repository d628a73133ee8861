"""Linear and quadratic discriminants after each training row.

Both take classes for normal, with the shares of the training rows as priors, and predict the class with
the largest log p_k + log N(x; mean_k, S_k); probabilities are the softmax. S_k is the mean square of
the rows around their mean, divided by their number, of the class (quadratic) or within all classes
(linear), plus `jitter` on the diagonal. What is common to all classes cancels: the linear discriminant
is log p_k + (x - c)'S⁻¹m_k - m_k'S⁻¹m_k / 2 with m_k the mean and c the mean of all means taken off.

Growing. A row x of class k with mean m and count c (before it) adds c / (c + 1) (x - m)(x - m)' to the
scatter, within the class and within all classes. The scatter itself is never formed: kept is a
triangle R with R'R = scatter, and a row is worked into it by d rotations, d² steps. Products of features
would lose what the jitter is to decide: with features in the hundreds and fewer rows than features, a
relative error of 1e-16 in a product is as large as 1e-4 of the jitter, and in R it is 1e-9 of its root.
For the scores the rows of √(n jitter) I are worked into a copy of R, d³ steps, and test rows are turned
by solving with it, all of them at once, feature after feature. In the quadratic discriminant only the
classes of new rows are factored anew.

Without jitter, S may be singular. A size at which that is so, or nearly so, is left without scores: its
smallest eigenvalue is at least 1 / ‖S^(-1/2)‖²_F, and that must exceed `least` (quadratic), or `least` times
the trace of S (linear). With a negative `least` nothing is left out.
"""

import math

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores, write_shares
from ogive.kernels._nearest_mean import columns_of, gather, tested_rows


@kernel
def linear_discriminant_curve(x, y, n_classes, order, sizes, test, varying, jitter, least, scores, tested=None):
    """Write the scores of the linear discriminant after sizes[0], sizes[1], … rows of `order`.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    d, n_test = x.shape[1], test.size
    means, counts = np.zeros((n_classes, d)), np.zeros(n_classes, np.int64)
    triangle, factor = np.zeros((d, d)), np.zeros((d, d))
    row, center, weights = np.empty(d), np.empty(d), np.empty(d)
    features = columns_of(x, test)
    logs = np.full((n_classes, n_test), -np.inf)
    log_scores, shares = np.empty((n_test, n_classes)), np.empty((n_test, n_classes))
    codes, places, work = np.empty(n_test, np.int64), np.empty(n_test, np.int64), np.empty(n_test)
    coming, known, active, truth, trained = tested_rows(y, order, test, varying)
    m, done, seen = n_test, 0, 0
    for s in range(sizes.size):
        for i in range(done, sizes[s]):
            k = y[order[i]]
            if counts[k] == 0:
                seen += 1
            _grow(x[order[i]], means[k], counts[k], row, triangle)
            counts[k] += 1
        if varying:
            m = keep_untrained(coming, done, sizes[s], known, active, truth, m, trained)
        if tested is not None:
            m = tested[s]
        done = sizes[s]
        if seen == 1:
            write_constant_scores(y[order[0]], truth, m, scores[s])
            continue
        if not _factored(triangle, done, jitter, row, factor):
            scores[s, :4] = np.nan
            continue
        if least >= 0.0 and (done == seen or _least_eigenvalue(factor, row) <= least * _trace(factor)):
            scores[s, :4] = np.nan
            continue
        for j in range(d):
            center[j] = 0.0
            for k in range(n_classes):
                if counts[k] > 0:
                    center[j] += means[k, j]
            center[j] /= seen
        for k in range(n_classes):
            if counts[k] > 0:
                for j in range(d):
                    row[j] = means[k, j] - center[j]
                _solve(factor, row, weights)
                _write_linear(features, weights, row, center, math.log(counts[k] / done), logs[k])
        gather(logs, active, m, log_scores)
        write_shares(log_scores, m, n_classes, codes, shares)
        write_scores(codes, shares, shares, truth, m, places, work, scores[s])


@kernel
def quadratic_discriminant_curve(x, y, n_classes, order, sizes, test, varying, jitter, least, scores, tested=None):
    """Write the scores of the quadratic discriminant after sizes[0], sizes[1], … rows of `order`.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    d, n_test = x.shape[1], test.size
    means, counts = np.zeros((n_classes, d)), np.zeros(n_classes, np.int64)
    triangles, factor = np.zeros((n_classes, d, d)), np.zeros((d, d))
    stale, singular = np.zeros(n_classes, np.bool_), np.zeros(n_classes, np.bool_)
    row, turned = np.empty(d), np.empty((d, n_test))
    features = columns_of(x, test)
    densities, logs = np.zeros((n_classes, n_test)), np.full((n_classes, n_test), -np.inf)
    log_scores, shares = np.empty((n_test, n_classes)), np.empty((n_test, n_classes))
    codes, places, work = np.empty(n_test, np.int64), np.empty(n_test, np.int64), np.empty(n_test)
    coming, known, active, truth, trained = tested_rows(y, order, test, varying)
    m, done, seen = n_test, 0, 0
    for s in range(sizes.size):
        for i in range(done, sizes[s]):
            k = y[order[i]]
            if counts[k] == 0:
                seen += 1
            _grow(x[order[i]], means[k], counts[k], row, triangles[k])
            counts[k] += 1
            stale[k] = True
        if varying:
            m = keep_untrained(coming, done, sizes[s], known, active, truth, m, trained)
        if tested is not None:
            m = tested[s]
        done = sizes[s]
        if seen == 1:
            write_constant_scores(y[order[0]], truth, m, scores[s])
            continue
        defined = True
        for k in range(n_classes):
            if stale[k]:
                stale[k] = False
                singular[k] = not _factored(triangles[k], counts[k], jitter, row, factor)
                if not singular[k] and least >= 0.0:
                    singular[k] = counts[k] < 2 or _least_eigenvalue(factor, row) <= least
                if not singular[k]:
                    _write_density(features, means[k], factor, turned, densities[k])
            if singular[k]:
                defined = False
        if not defined:
            scores[s, :4] = np.nan
            continue
        for k in range(n_classes):
            if counts[k] > 0:
                prior = math.log(counts[k] / done)
                for i in range(n_test):
                    logs[k, i] = prior + densities[k, i]
        gather(logs, active, m, log_scores)
        write_shares(log_scores, m, n_classes, codes, shares)
        write_scores(codes, shares, shares, truth, m, places, work, scores[s])


@kernel
def _grow(new, mean, count, row, triangle):
    """Add a row to a mean of `count` rows, and to the triangle of the scatter around it; `row` is written over."""
    weight = math.sqrt(count / (count + 1.0))
    share = 1.0 / (count + 1.0)
    for j in range(mean.size):
        gap = new[j] - mean[j]
        mean[j] += gap * share
        row[j] = weight * gap
    if count > 0:
        _work_in(row, 0, triangle)


@kernel
def _work_in(row, begin, triangle):
    """R becomes the triangle of R'R + row row' by one rotation for each feature; `row` is zero before `begin`."""
    d = row.size
    for j in range(begin, d):
        b = row[j]
        if b == 0.0:
            continue
        a = triangle[j, j]
        length = math.sqrt(a * a + b * b)
        if length == 0.0:  # the squares are too small for a number, and so is what they would change
            continue
        cosine, sine = a / length, b / length
        triangle[j, j] = length
        for h in range(j + 1, d):
            upper, lower = triangle[j, h], row[h]
            triangle[j, h] = cosine * upper + sine * lower
            row[h] = cosine * lower - sine * upper


@kernel
def _factored(triangle, count, jitter, row, factor):
    """Write F with F'F = R'R / count + jitter I; whether all of its diagonal is positive."""
    d = row.size
    shrink = 1.0 / math.sqrt(count)
    for j in range(d):
        for h in range(j, d):
            factor[j, h] = shrink * triangle[j, h]
    if jitter > 0.0:
        root = math.sqrt(jitter)
        for j in range(d):
            row[j] = root
            row[j + 1 :] = 0.0
            _work_in(row, j, factor)
    positive = True
    for j in range(d):
        positive = positive and factor[j, j] > 0.0
    return positive


@kernel
def _trace(factor):
    """Of F'F."""
    total = 0.0
    for j in range(factor.shape[0]):
        for h in range(j, factor.shape[0]):
            total += factor[j, h] * factor[j, h]
    return total


@kernel
def _least_eigenvalue(factor, row):
    """A lower bound of the smallest eigenvalue of F'F: one over the sum of squares of the inverse of F."""
    d = factor.shape[0]
    total = 0.0
    for c in range(d):  # column c of the inverse, from the diagonal up
        row[c] = 1.0 / factor[c, c]
        total += row[c] * row[c]
        for j in range(c - 1, -1, -1):
            value = 0.0
            for h in range(j + 1, c + 1):
                value -= factor[j, h] * row[h]
            row[j] = value / factor[j, j]
            total += row[j] * row[j]
    return 1.0 / total


@kernel
def _solve(factor, right, solution):
    """Solve F'F solution = right."""
    d = factor.shape[0]
    for j in range(d):
        value = right[j]
        for h in range(j):
            value -= factor[h, j] * solution[h]
        solution[j] = value / factor[j, j]
    for j in range(d - 1, -1, -1):
        value = solution[j]
        for h in range(j + 1, d):
            value -= factor[j, h] * solution[h]
        solution[j] = value / factor[j, j]


@kernel
def _write_linear(features, weights, mean, center, log_prior, logs):
    """log prior + (x - center)'w - mean'w / 2 for every column of `features`; `mean` is without the center."""
    own = log_prior
    for j in range(weights.size):
        own -= 0.5 * mean[j] * weights[j]
    logs[:] = own
    for j in range(weights.size):
        weight, middle = weights[j], center[j]
        for i in range(logs.size):
            logs[i] += (features[j, i] - middle) * weight


@kernel
def _write_density(features, mean, factor, turned, densities):
    """The log-density of N(mean, F'F), without its constant, for every column of `features`."""
    d = mean.size
    determinant = 0.0
    for j in range(d):
        determinant += math.log(factor[j, j])
    densities[:] = 0.0
    for j in range(d):
        line, middle, scale = turned[j], mean[j], 1.0 / factor[j, j]
        for i in range(line.size):
            line[i] = features[j, i] - middle
        for h in range(j):
            weight, other = factor[h, j], turned[h]
            for i in range(line.size):
                line[i] -= weight * other[i]
        for i in range(line.size):
            line[i] *= scale
            densities[i] += line[i] * line[i]
    for i in range(densities.size):
        densities[i] = -0.5 * densities[i] - determinant
