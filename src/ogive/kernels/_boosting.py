"""AdaBoost with stumps (SAMME), the weights of training rows kept by column, value and class.

A stump is a cut of one column, chosen as in `_tree`, by weights w_i that grow by a factor where the last stumps were wrong.
All that the choice needs is cells[f, v, k], the weight of the rows with the v-th different value in column f
and class k. Only the rows that a stump gets wrong change their weight, relative to the others, so only they are
added to the cells, once for each column; a round costs (wrong rows + different values) times columns, not rows
times columns. Nothing is normalized: a common factor changes neither the choice nor the error, and is taken out before
it overflows. What is added is positive, so the cells lose no digits.

With K classes seen and a share e of the weight on wrong rows, the stump has α = log((1 - e) / e) + log(K - 1) votes and
the weight of wrong rows grows by exp(α). Boosting ends where e = 0 (one vote) or e ≥ 1 - 1/K (the stump is left out;
where it is the first, scikit-learn refuses to fit, and all scores are NaN). No weight falls below
2.2e-16 of all. A class has the share of votes for it, less 1 / (K - 1) of those against it: d_k; the probabilities are
the softmax of d_k / (K - 1), of ± (d_1 - d_0) / 2 where K = 2.

What differs by less than 1e-12 of the weight is equal: of cuts, the first in a column is taken, and the first column in
an order drawn anew for each stump; of classes on one side of a cut, the first; an error next to 1 - 1/K is there. In
scikit-learn rounding decides, then the random order of columns. Scores at sizes without such a tie are scikit-learn's.

Zhu, Zou, Rosset and Hastie (2009), Multi-class AdaBoost.
"""

import math

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import EPS, keep_untrained, write_constant_scores, write_scores
from ogive.kernels._resampling import STEP, first_state, low_index, mix
from ogive.kernels._tree import last_below

_TIE = 1e-12  # a share of the weight of all rows
_LARGE = 1e100


@kernel
def boosting_curve(x, y, n_classes, order, sizes, test, varying, codes, values, reach, n_rounds, key, scores):
    """Scores of at most `n_rounds` stumps after each of `sizes` training rows.

    `codes`, `values` and `reach` are those of `_tree.column_codes`. `key` decides between columns with equal cuts.
    """
    n_rows, d = x.shape
    n_test = test.size
    times, trained = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.bool_)
    present, weights, wrong = np.empty(n_rows, np.int64), np.empty(n_rows), np.empty(n_rows, np.int64)
    left, truth, guesses = test.copy(), y[test], np.empty(n_test, np.int64)
    shares, places, work = np.empty((n_test, n_classes)), np.empty(n_test, np.int64), np.empty(n_test)
    n_codes = values.shape[1]
    spots, occupied = np.empty((d, n_rows), np.int32), np.empty((d, n_codes), np.int32)
    n_cells, cells = np.empty(d, np.int64), np.empty((d, n_codes, n_classes))
    columns, counts = np.empty(d, np.int64), np.empty((3, n_classes))
    classes, votes = np.empty(n_classes, np.int64), np.empty((n_test, n_classes))
    stumps, alphas = np.empty((n_rounds, 4), np.int64), np.empty(n_rounds)
    n_present, done, m = 0, 0, n_test
    for s in range(sizes.size):
        n = sizes[s]
        for i in range(done, n):
            r = order[i]
            if times[r] == 0:
                present[n_present] = r
                n_present += 1
            times[r] += 1
        if varying:
            m = keep_untrained(order, done, n, y, left, truth, m, trained)
        done = n
        n_seen = _seen(y, present, n_present, classes)
        if n_seen == 1:
            write_constant_scores(classes[0], truth, m, scores[s])
            continue
        for i in range(n_present):
            weights[i] = times[present[i]]
        _fill(codes, y, present, n_present, weights, spots, occupied, n_cells, cells, counts[0])
        n_stumps = _boost(
            values, reach, y, n_seen, times, present, n_present, n_rounds, first_state(key, n), weights, wrong, spots,
            occupied, n_cells, cells, columns, counts, stumps, alphas,
        )  # fmt: skip
        if n_stumps == 0:
            scores[s, :4] = np.nan
            continue
        votes[:m] = 0.0
        all_votes = _vote(codes, stumps, alphas, 0, n_stumps, left, m, n_seen, votes, 0.0)
        _take_votes(votes, all_votes, classes, n_seen, m, guesses, shares)
        write_scores(guesses, shares, shares, truth, m, places, work, scores[s])


@kernel
def boosting_choices(y, n_classes, order, sizes, rows, tested, codes, values, reach, numbers, key, found):
    """Write into found[s, j] the accuracy of the first numbers[j] stumps on sizes[s] training rows.

    It is that of the first tested[s] `rows`, NaN where there are none or no stump is better than a guess. Where boosting
    ends before, later numbers have what there is. `numbers` increase; sizes may stay equal.
    """
    d, n_rows = codes.shape
    n_rounds = numbers[numbers.size - 1]
    times, truth, guesses = np.zeros(n_rows, np.int64), y[rows], np.empty(rows.size, np.int64)
    present, weights, wrong = np.empty(n_rows, np.int64), np.empty(n_rows), np.empty(n_rows, np.int64)
    shares, votes = np.empty((rows.size, n_classes)), np.empty((rows.size, n_classes))
    places, work = np.empty(rows.size, np.int64), np.empty(rows.size)
    n_codes = values.shape[1]
    spots, occupied = np.empty((d, n_rows), np.int32), np.empty((d, n_codes), np.int32)
    n_cells, cells = np.empty(d, np.int64), np.empty((d, n_codes, n_classes))
    columns, counts, classes = np.empty(d, np.int64), np.empty((3, n_classes)), np.empty(n_classes, np.int64)
    stumps, alphas = np.empty((n_rounds, 4), np.int64), np.empty(n_rounds)
    n_present, done, n_stumps = 0, 0, 0
    for s in range(sizes.size):
        n, m = sizes[s], tested[s]
        for i in range(done, n):
            r = order[i]
            if times[r] == 0:
                present[n_present] = r
                n_present += 1
            times[r] += 1
        n_seen = _seen(y, present, n_present, classes)
        if n_seen > 1 and n > done:
            for i in range(n_present):
                weights[i] = times[present[i]]
            _fill(codes, y, present, n_present, weights, spots, occupied, n_cells, cells, counts[0])
            n_stumps = _boost(
                values, reach, y, n_seen, times, present, n_present, n_rounds, first_state(key, n), weights, wrong, spots,
                occupied, n_cells, cells, columns, counts, stumps, alphas,
            )  # fmt: skip
        done, so_far, all_votes = n, 0, 0.0
        votes[:m] = 0.0
        for j in range(numbers.size):
            row = found[s, j : j + 1]
            if n_seen == 1:
                write_constant_scores(classes[0], truth, m, row)
                continue
            if n_stumps == 0:
                row[0] = np.nan
                continue
            end = min(numbers[j], n_stumps)
            all_votes = _vote(codes, stumps, alphas, so_far, end, rows, m, n_seen, votes, all_votes)
            so_far = end
            _take_votes(votes, all_votes, classes, n_seen, m, guesses, shares)
            write_scores(guesses, shares, shares, truth, m, places, work, row)


@kernel
def _seen(y, present, n_present, classes):
    """Write the classes of the training rows in front, in their order, the others behind; how many there are."""
    classes[:] = 0
    for i in range(n_present):
        classes[y[present[i]]] = 1
    n_seen = 0
    for k in range(classes.size):
        if classes[k] > 0:
            classes[n_seen] = k
            n_seen += 1
    return n_seen


@kernel
def _fill(codes, y, present, n_present, weights, spots, occupied, n_cells, cells, whole):
    """Number the codes that occur in each column: spots[f, i] of row i, occupied[f, v] back to the code; fill the cells."""
    whole[:] = 0.0
    for i in range(n_present):
        whole[y[present[i]]] += weights[i]
    for f in range(codes.shape[0]):
        numbers = occupied[f]
        numbers[:] = 0
        for i in range(n_present):
            numbers[codes[f, present[i]]] = 1
        v = -1
        for c in range(numbers.size):  # numbers of occurring codes, in order
            v += numbers[c]
            numbers[c] = v
        n_cells[f] = v + 1
        cells[f, : v + 1] = 0.0
        for i in range(n_present):
            spot = numbers[codes[f, present[i]]]
            spots[f, i] = spot
            cells[f, spot, y[present[i]]] += weights[i]
        before = -1
        for c in range(numbers.size):  # back: a number is at most its code, so what is overwritten was read
            v = numbers[c]
            if v > before:
                numbers[v] = c
                before = v


@kernel
def _boost(
    values, reach, y, n_seen, times, present, n_present, n_rounds, state, weights, wrong, spots, occupied, n_cells, cells,
    columns, counts, stumps, alphas,
):  # fmt: skip
    """Write stump after stump: its column, its largest code below the cut, the classes on either side, and its votes.

    How many there are; none where the first is no better than a guess.
    """
    n_classes = cells.shape[2]
    whole, kept = counts[0], counts[1]
    for number in range(n_rounds):
        total = 0.0
        for k in range(n_classes):
            total += whole[k]
        column, cut, state = _best_stump(reach, n_cells, cells, occupied, whole, total, state, columns, kept, counts[2])
        below, above, slack = 0, 0, _TIE * total
        for k in range(1, n_classes):
            if kept[k] > kept[below] + slack:
                below = k
            if whole[k] - kept[k] > whole[above] - kept[above] + slack:
                above = k
        n_wrong, error = 0, 0.0
        spot = spots[column]
        for i in range(n_present):
            if y[present[i]] != (below if spot[i] <= cut else above):
                wrong[n_wrong] = i
                n_wrong += 1
                error += weights[i]
        error /= total
        if n_wrong > 0 and error >= 1.0 - 1.0 / n_seen - _TIE:
            return number
        alpha = 1.0 if n_wrong == 0 else math.log((1.0 - error) / error) + math.log(n_seen - 1.0)
        after = values.shape[1]
        if cut + 1 < n_cells[column]:
            after = last_below(values[column], occupied[column, cut], occupied[column, cut + 1])
        stumps[number, 0], stumps[number, 1], stumps[number, 2], stumps[number, 3] = column, after, below, above
        alphas[number] = alpha
        if n_wrong == 0:
            return number + 1
        if number + 1 < n_rounds:
            _raise(y, times, present, n_present, wrong, n_wrong, math.exp(alpha), weights, spots, n_cells, cells, whole)
    return n_rounds


@kernel
def _best_stump(reach, n_cells, cells, occupied, whole, total, state, columns, kept, lower):
    """The column of the best cut, the last cell below it, and the next state; `kept`: the weights of classes below the cut.

    Where nothing can be cut, everything lies below.
    """
    d, n_classes = n_cells.size, whole.size
    best, column, cut = -1.0, 0, n_cells[0] - 1
    squares = 0.0
    for k in range(n_classes):
        kept[k] = whole[k]
        squares += whole[k] * whole[k]
    if 1.0 - squares / (total * total) <= EPS:
        return column, cut, state
    for f in range(d):
        columns[f] = f
    slack = _TIE * total
    for visited in range(d):
        state += STEP
        drawn = visited + np.int64(low_index(mix(state), np.uint64(d - visited)))
        f = columns[drawn]
        columns[drawn] = columns[visited]
        cell, codes = cells[f], occupied[f]
        if n_classes == 2:
            # Σ l²/n_left + Σ r²/n_right is a constant plus 2 (l_1 n - n_1 n_left)² / (n n_left n_right).
            left, ones, all_ones, least = 0.0, 0.0, whole[1], 0.5 * (best + slack) * total
            for v in range(n_cells[f] - 1):
                left += cell[v, 0] + cell[v, 1]
                ones += cell[v, 1]
                apart = ones * total - all_ones * left
                apart *= apart
                scale = left * (total - left)
                if apart > least * scale and scale > 0.0 and codes[v + 1] >= reach[f, codes[v]]:
                    best, column, cut = 2.0 * apart / (scale * total), f, v
                    least = 0.5 * (best + slack) * total
                    kept[0], kept[1] = left - ones, ones
        else:
            lower[:] = 0.0
            left = 0.0
            for v in range(n_cells[f] - 1):
                left_squares, right_squares = 0.0, 0.0
                for k in range(n_classes):
                    lower[k] += cell[v, k]
                    left += cell[v, k]
                    left_squares += lower[k] * lower[k]
                    right_squares += (whole[k] - lower[k]) * (whole[k] - lower[k])
                right = total - left
                if right <= 0.0 or codes[v + 1] < reach[f, codes[v]]:
                    continue
                gain = left_squares / left + right_squares / right
                if gain > best + slack:
                    best, column, cut = gain, f, v
                    kept[:] = lower
    return column, cut, state


@kernel
def _vote(codes, stumps, alphas, begin, end, tested, m, n_seen, votes, all_votes):
    """Add the votes of some stumps for the first m test rows, each for its class, and against all others; the sum of all."""
    n_classes = votes.shape[1]
    for number in range(begin, end):
        code, after, alpha = codes[stumps[number, 0]], stumps[number, 1], alphas[number]
        below, above = stumps[number, 2], stumps[number, 3]
        all_votes += alpha
        against = -1.0 / (n_seen - 1.0) * alpha
        for i in range(m):
            chosen = below if code[tested[i]] <= after else above
            for k in range(n_classes):
                votes[i, k] += alpha if k == chosen else against
    return all_votes


@kernel
def _raise(y, times, present, n_present, wrong, n_wrong, factor, weights, spots, n_cells, cells, whole):
    """Multiply the weights of wrong rows; no weight stays below 2.2e-16 of all."""
    for j in range(n_wrong):
        i = wrong[j]
        _add(y[present[i]], weights[i] * (factor - 1.0), i, weights, spots, cells, whole)
    total = 0.0
    for k in range(whole.size):
        total += whole[k]
    if total > _LARGE:
        whole /= total
        weights[:n_present] /= total
        for f in range(n_cells.size):
            cells[f, : n_cells[f]] /= total
        total = 1.0
    floor = EPS * total
    for i in range(n_present):
        if weights[i] < floor * times[present[i]]:
            _add(y[present[i]], floor * times[present[i]] - weights[i], i, weights, spots, cells, whole)


@kernel
def _add(k, weight, i, weights, spots, cells, whole):
    weights[i] += weight
    whole[k] += weight
    for f in range(spots.shape[0]):
        cells[f, spots[f, i], k] += weight


@kernel
def _take_votes(votes, all_votes, classes, n_seen, m, guesses, shares):
    """Classes and probabilities out of votes and their sum; classes not seen have probability 0."""
    for i in range(m):
        shares[i, :] = 0.0
        if n_seen == 2:
            first, second = classes[0], classes[1]
            decision = votes[i, second] / all_votes - votes[i, first] / all_votes
            guesses[i] = second if decision > 0.0 else first
            smaller = math.exp(-abs(decision))
            larger = 1.0 / (1.0 + smaller)
            smaller /= 1.0 + smaller
            shares[i, second] = larger if decision > 0.0 else smaller
            shares[i, first] = smaller if decision > 0.0 else larger
        else:
            best, most, total = classes[0], -np.inf, 0.0
            for j in range(n_seen):
                k = classes[j]
                shares[i, k] = votes[i, k] / all_votes
                if shares[i, k] > most:
                    best, most = k, shares[i, k]
            for j in range(n_seen):
                k = classes[j]
                shares[i, k] = math.exp((shares[i, k] - most) / (n_seen - 1.0))
                total += shares[i, k]
            for j in range(n_seen):
                shares[i, classes[j]] /= total
            guesses[i] = best
