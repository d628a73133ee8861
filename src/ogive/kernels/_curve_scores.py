"""Accuracy, AUC, Brier and cross-entropy of one prediction of a test set, in one pass; and which rows are tested.

The definitions are those of `ogive.curves._metrics`, which are the oracle. The area under the ROC
curve of one class against the rest is the share of pairs (a row of the class, another row) in which
the first is ranked higher, equal ones counting half. The smaller of the two groups is sorted, and
every row of the other is looked up in it: n log c steps for c rows, and half-integers only, so the
area is exact whatever the order. Logarithms are taken of products of sixteen probabilities: the
smallest product, 2^-832, is far from the smallest number.
"""

import math

import numpy as np

from ogive.jit import kernel

EPS = 2.220446049250313e-16
_SHORT = 16  # below this length, inserting is faster than parting
_AT_ONCE = 16  # factors of a product before its logarithm is taken


@kernel
def write_scores(codes, shares, ranking, truth, m, places, work, row):
    """Write the four scores of the first m rows into row[0 … 3]; NaN where there is none.

    A row of one place takes accuracy alone, which is what values of a hyper-parameter are chosen by. `codes` are the predicted classes, `truth` the true ones; `shares[i, k]` is the probability of
    class k, `ranking[i, k]` what it is ranked by (it may be the same array). `places` and `work`
    hold at least m numbers each and are written over.
    """
    if m == 0:
        row[:4] = np.nan
        return
    if row.size == 1:
        row[0] = _accuracy(codes, truth, m)
        return
    n_classes = shares.shape[1]
    right, brier, logs, product, factors = 0, 0.0, 0.0, 1.0, 0
    ranked = True
    for i in range(m):
        k = truth[i]
        if codes[i] == k:
            right += 1
        own = shares[i, k]
        squares = 0.0
        for j in range(n_classes):
            squares += shares[i, j] * shares[i, j]
            if ranking[i, j] != ranking[i, j]:
                ranked = False
        brier += squares - 2.0 * own + 1.0
        # A comparison with NaN is false: it stays, and makes the score NaN.
        if own < EPS:
            own = EPS
        elif own > 1.0 - EPS:
            own = 1.0 - EPS
        product *= own
        factors += 1
        if factors == _AT_ONCE:
            logs += math.log(product)
            product, factors = 1.0, 0
    logs += math.log(product)
    row[0] = right / m
    row[1] = _area(ranking, truth, m, n_classes, places, work) if ranked else np.nan
    row[2] = brier / m
    row[3] = -logs / m


@kernel
def write_constant_scores(code, truth, m, row):
    """As `write_scores` where class `code` has probability 1 in every row: no area but 1/2, or none."""
    if m == 0:
        row[:4] = np.nan
        return
    right, several = 0, False
    for i in range(m):
        if truth[i] == code:
            right += 1
        if truth[i] != truth[0]:
            several = True
    row[0] = right / m
    if row.size == 1:
        return
    row[1] = 0.5 if several else np.nan
    row[2] = 2.0 * (m - right) / m
    row[3] = -(right * math.log(1.0 - EPS) + (m - right) * math.log(EPS)) / m


@kernel
def _accuracy(codes, truth, m):
    right = 0
    for i in range(m):
        if codes[i] == truth[i]:
            right += 1
    return right / m


@kernel
def keep_untrained(order, begin, end, y, rows, truth, m, trained):
    """Take the training rows order[begin … end - 1] out of the first m `rows`, and out of `truth`; how many are left.

    `trained` is one flag for each row of the data, False at first; it holds what was taken so far.
    """
    for i in range(begin, end):
        trained[order[i]] = True
    kept = 0
    for i in range(m):
        r = rows[i]
        if not trained[r]:
            rows[kept] = r
            truth[kept] = y[r]
            kept += 1
    return kept


@kernel
def write_shares(log_scores, m, n_classes, codes, shares):
    """Softmax of the first m rows of log-scores, and the first of the largest as code; -inf is a class that was not seen."""
    for i in range(m):
        best, code = log_scores[i, 0], 0
        for k in range(1, n_classes):
            if log_scores[i, k] > best:
                best, code = log_scores[i, k], k
        total = 0.0
        for k in range(n_classes):
            value = math.exp(log_scores[i, k] - best) if k != code else 1.0
            shares[i, k] = value
            total += value
        for k in range(n_classes):
            shares[i, k] /= total
        codes[i] = code


@kernel
def _area(ranking, truth, m, n_classes, places, work):
    """The mean over classes of the area under the ROC curve; NaN where the rows are of one class."""
    total, n_areas = 0.0, 0
    for k in range(1 if n_classes == 2 else 0, n_classes):
        count = 0
        for i in range(m):
            if truth[i] == k:
                count += 1
        if count == 0 or count == m:
            continue
        few_are_k = 2 * count <= m
        n_few, n_many = 0, m
        for i in range(m):  # the smaller group from the left, the other one from the right
            if (truth[i] == k) == few_are_k:
                work[n_few] = ranking[i, k]
                n_few += 1
            else:
                n_many -= 1
                work[n_many] = ranking[i, k]
        _sort_first(work, n_few, places)
        twice = _twice_below(work, n_few, m, places)  # pairs in which the row of the smaller group is lower
        pairs = n_few * (m - n_few)
        if few_are_k:
            twice = 2 * pairs - twice
        total += 0.5 * twice / pairs
        n_areas += 1
    return total / n_areas if n_areas > 0 else np.nan


@kernel
def _twice_below(work, n_few, m, places):
    """Over work[n_few … m - 1]: numbers of the sorted work[: n_few] below each, twice, and equal ones once."""
    distinct = 0
    for i in range(n_few):  # different values in front; places[j] of the group lie below the j-th
        if i == 0 or work[i] != work[distinct - 1]:
            work[distinct] = work[i]
            places[distinct] = i
            distinct += 1
    twice = 0
    for i in range(n_few, m):
        value = work[i]
        first, length = 0, distinct
        while length > 0:
            half = length >> 1
            if work[first + half] < value:
                first += half + 1
                length -= half + 1
            else:
                length = half
        if first == distinct:
            twice += 2 * n_few
        elif work[first] == value:
            after = places[first + 1] if first + 1 < distinct else n_few
            twice += places[first] + after
        else:
            twice += 2 * places[first]
    return twice


@kernel
def _sort_first(values, n, waiting):
    """Sort values[: n], without NaN, in place: parted by the median of three, short parts by insertion.

    The larger part waits, begin and end, in `waiting`: at most log2(n / 16) + 1 parts, fewer than n / 2.
    """
    n_waiting = 0
    low, high = 0, n - 1
    while True:
        while high - low >= _SHORT:
            middle = (low + high) >> 1
            a, b, c = values[low], values[middle], values[high]
            pivot = max(min(a, b), min(max(a, b), c))
            i, j = low, high
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while pivot < values[j]:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            if j - low > high - i:
                waiting[2 * n_waiting], waiting[2 * n_waiting + 1] = low, j
                low = i
            else:
                waiting[2 * n_waiting], waiting[2 * n_waiting + 1] = i, high
                high = j
            n_waiting += 1
        for i in range(low + 1, high + 1):
            value = values[i]
            j = i - 1
            while j >= low and values[j] > value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
        if n_waiting == 0:
            return
        n_waiting -= 1
        low, high = waiting[2 * n_waiting], waiting[2 * n_waiting + 1]
