"""Learning curves of the support vector machine with a Gaussian kernel, one class against one.

For classes a and b (a before b; s_i = +1 for a, -1 for b) scikit-learn's SVC(C, gamma) minimizes

    ½ Σ Σ α_i α_j s_i s_j K_ij - Σ α_i   over 0 ≤ α_i ≤ C, Σ s_i α_i = 0,

with K_ij = exp(-‖x_i - x_j‖² / (2 bandwidth²)), and decides by f(x) = Σ α_i s_i K(x_i, x) - ρ.
Sequential minimal optimization moves two multipliers at a time: i has the largest -s_i G_i (G is
the gradient) among those that may move up, j the largest fall of the objective by second
derivatives (Fan, Chen and Lin 2005). It ends when no pair violates optimality by more than
`tolerance`, whatever it started from: the optimum of the size before, whose gradients stay valid,
with α = 0 for the new rows. Where a size has no size before it, all α are 0.

Training rows are sorted by class, in the order in which they come within the class. The rows of a
pair are then two runs of neighboring numbers, one for each sign, and so are their kernel values:
no signs are looked up, and nothing is gathered.

f(x) is the same for every start within a few times the tolerance; so scores depend in the last
digits on which sizes came before (by up to 2.4e-6), and a test row that lies closer to a border
between classes may be decided the other way. scikit-learn's tolerance is 1e-3.

With more than two classes, decision values are scikit-learn's for "ovr": the duels won, plus
c / (3 (|c| + 1)), c the sum of the f of the class's duels. The class predicted is the first with the
most votes (SVC's predict), which is not always the one with the largest decision value.
Probabilities are the logistic function of decision values, divided by the sum over classes.
"""

import math

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores
from ogive.kernels._linear_svm import write_logistic_shares

TOLERANCE = 1e-4  # a tenth of scikit-learn's
_MOST_STEPS = 10_000_000  # libsvm's own limit; thousands are many
_BOUND = 1e-12  # how near to a bound, as a share of c, is at the bound
_FLAT = 1e-12  # the second derivative that stands for none


@kernel
def gaussian_kernel(x, bandwidth, values):
    """Write exp(-‖x_i - x_j‖² / (2 bandwidth²)) of all rows of x: once for each data set, 8 N² bytes."""
    n, d = x.shape
    for i in range(n):
        values[i, i] = 1.0
        for j in range(i):
            square = 0.0
            for k in range(d):
                gap = x[i, k] - x[j, k]
                square += gap * gap
            values[i, j] = math.exp(-0.5 * square / (bandwidth * bandwidth))
            values[j, i] = values[i, j]


@kernel
def kernel_svm_curve(x, y, n_classes, order, sizes, test, varying, values, c, tolerance, scores, tested=None):
    """Scores of the kernel machine at each of the sizes; `values` is what `gaussian_kernel` writes.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    m = order.size
    starts = np.zeros(n_classes + 1, np.int64)
    for i in range(m):
        starts[y[order[i]] + 1] += 1
    for k in range(n_classes):
        starts[k + 1] += starts[k]
    counts = np.zeros(n_classes, np.int64)
    sorted_rows = np.empty(m, np.int64)
    for i in range(m):
        k = y[order[i]]
        sorted_rows[starts[k] + counts[k]] = order[i]
        counts[k] += 1
    among = np.empty((m, m))
    for i in range(m):
        for j in range(m):
            among[i, j] = values[sorted_rows[i], sorted_rows[j]]
    # Kernel values between training rows (lines) and what is tested: all rows where the test set varies.
    n_lines = 0 if varying else m
    apart = np.empty((n_lines, test.size))
    for i in range(n_lines):
        for t in range(test.size):
            apart[i, t] = values[sorted_rows[i], test[t]]
    against = values if varying else apart
    # Multipliers and gradients of the rows of class a in its machine with class b: alphas[b, …], and the other way.
    alphas, gradients, news = np.zeros((n_classes, m)), np.empty((n_classes, m)), np.empty(n_classes, np.int64)
    rows, truth, trained = test.copy(), y[test], np.zeros(y.size, np.bool_)
    n_test = rows.size
    codes, places, work = np.empty(n_test, np.int64), np.empty(n_test, np.int64), np.empty(n_test)
    decisions, shares = np.empty((n_test, n_classes)), np.empty((n_test, n_classes))
    votes, wins, duel = np.empty((n_test, n_classes)), np.empty((n_test, n_classes)), np.empty(against.shape[1])
    counts[:] = 0
    before = 0
    for s in range(sizes.size):
        n = sizes[s]
        news[:] = counts
        for i in range(before, n):
            counts[y[order[i]]] += 1
        if varying:
            n_test = keep_untrained(order, before, n, y, rows, truth, n_test, trained)
        if tested is not None:
            n_test = tested[s]
        before = n
        n_seen, last = 0, 0
        for k in range(n_classes):
            if counts[k] > 0:
                n_seen, last = n_seen + 1, k
        votes[:n_test] = 0.0
        wins[:n_test] = 0.0
        decisions[:n_test] = 0.0
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                if counts[a] == 0 and counts[b] == 0:
                    continue
                begin_a, begin_b = starts[a], starts[b]
                alpha_a, alpha_b = alphas[b, begin_a : begin_a + counts[a]], alphas[a, begin_b : begin_b + counts[b]]
                grad_a, grad_b = (
                    gradients[b, begin_a : begin_a + counts[a]],
                    gradients[a, begin_b : begin_b + counts[b]],
                )
                _take_in(among, begin_a, begin_b, news[a], news[b], alpha_a, alpha_b, grad_a, grad_b)
                if counts[a] == 0 or counts[b] == 0:
                    continue
                _optimize(among, begin_a, begin_b, alpha_a, alpha_b, grad_a, grad_b, c, tolerance)
                # ρ comes last, as in libsvm: far from all rows f differs between them in the last digits of ρ, or not at all.
                rho = _offset(alpha_a, alpha_b, grad_a, grad_b, c)
                duel[:] = 0.0
                for i in range(counts[a]):
                    if alpha_a[i] > 0.0:
                        _add(alpha_a[i], against[sorted_rows[begin_a + i] if varying else begin_a + i], duel)
                for i in range(counts[b]):
                    if alpha_b[i] > 0.0:
                        _add(-alpha_b[i], against[sorted_rows[begin_b + i] if varying else begin_b + i], duel)
                for t in range(n_test):
                    value = duel[rows[t] if varying else t] - rho
                    decisions[t, a] += value
                    decisions[t, b] -= value
                    # A draw is a vote for b, and a duel won by a.
                    votes[t, a if value > 0.0 else b] += 1.0
                    wins[t, a if value >= 0.0 else b] += 1.0
        if n_seen == 1:
            write_constant_scores(last, truth, n_test, scores[s])
            continue
        if n_test == 0:
            scores[s, :] = np.nan
            continue
        for t in range(n_test):
            most, code = -1.0, 0
            for k in range(n_classes):
                if counts[k] == 0:
                    decisions[t, k] = -np.inf
                    continue
                if votes[t, k] > most:
                    most, code = votes[t, k], k
                if n_seen > 2:
                    decisions[t, k] = wins[t, k] + decisions[t, k] / (3.0 * (abs(decisions[t, k]) + 1.0))
            codes[t] = code
        write_logistic_shares(decisions, n_test, shares)
        write_scores(codes, shares, decisions, truth, n_test, places, work, scores[s])


@kernel
def _add(factor, line, total):
    """Add `factor` times the line."""
    for t in range(total.size):
        total[t] += factor * line[t]


@kernel
def _take_in(among, begin_a, begin_b, old_a, old_b, alpha_a, alpha_b, grad_a, grad_b):
    """Gradients of new rows, whose multipliers are 0: G_i = s_i Σ α_j s_j K_ij - 1."""
    for i in range(old_a, alpha_a.size):
        line, total = among[begin_a + i], 0.0
        for j in range(old_a):
            total += alpha_a[j] * line[begin_a + j]
        for j in range(old_b):
            total -= alpha_b[j] * line[begin_b + j]
        grad_a[i] = total - 1.0
    for i in range(old_b, alpha_b.size):
        line, total = among[begin_b + i], 0.0
        for j in range(old_a):
            total -= alpha_a[j] * line[begin_a + j]
        for j in range(old_b):
            total += alpha_b[j] * line[begin_b + j]
        grad_b[i] = total - 1.0


@kernel
def _optimize(among, begin_a, begin_b, alpha_a, alpha_b, grad_a, grad_b, c, tolerance):
    """Move the multipliers to the optimum, and the gradients with them."""
    n_a, n_b = alpha_a.size, alpha_b.size
    # The largest -s G of what may move up (a below c, b above 0), the smallest of what may move down.
    for _ in range(_MOST_STEPS):
        top, i, i_in_a = -np.inf, -1, True
        for t in range(n_a):
            if alpha_a[t] < c and -grad_a[t] > top:
                top, i = -grad_a[t], t
        for t in range(n_b):
            if alpha_b[t] > 0.0 and grad_b[t] > top:
                top, i, i_in_a = grad_b[t], t, False
        line_i = among[begin_a + i] if i_in_a else among[begin_b + i]
        bottom, best, j, j_in_a = np.inf, 0.0, -1, True
        for t in range(n_a):
            if alpha_a[t] > 0.0:
                gap = top + grad_a[t]
                bottom = min(bottom, -grad_a[t])
                if gap > 0.0:
                    curvature = max(2.0 - 2.0 * line_i[begin_a + t], _FLAT)
                    if gap * gap > best * curvature:
                        best, j = gap * gap / curvature, t
        for t in range(n_b):
            if alpha_b[t] < c:
                gap = top - grad_b[t]
                bottom = min(bottom, grad_b[t])
                if gap > 0.0:
                    curvature = max(2.0 - 2.0 * line_i[begin_b + t], _FLAT)
                    if gap * gap > best * curvature:
                        best, j, j_in_a = gap * gap / curvature, t, False
        if top - bottom <= tolerance or j < 0:
            return
        # s_i α_i grows and s_j α_j falls by the same length, as far as the box allows.
        line_j = among[begin_a + j] if j_in_a else among[begin_b + j]
        place_j = begin_a + j if j_in_a else begin_b + j
        value_j = -grad_a[j] if j_in_a else grad_b[j]
        length = (top - value_j) / max(2.0 - 2.0 * line_i[place_j], _FLAT)
        room_i = c - alpha_a[i] if i_in_a else alpha_b[i]
        room_j = alpha_a[j] if j_in_a else c - alpha_b[j]
        length = min(length, room_i, room_j)
        if i_in_a:
            alpha_a[i] = _within(alpha_a[i] + length, c)
        else:
            alpha_b[i] = _within(alpha_b[i] - length, c)
        if j_in_a:
            alpha_a[j] = _within(alpha_a[j] - length, c)
        else:
            alpha_b[j] = _within(alpha_b[j] + length, c)
        for t in range(n_a):
            grad_a[t] += length * (line_i[begin_a + t] - line_j[begin_a + t])
        for t in range(n_b):
            grad_b[t] -= length * (line_i[begin_b + t] - line_j[begin_b + t])


@kernel
def _within(alpha, c):
    """A multiplier next to a bound is at the bound.

    Where two reach theirs in one step, rounding left one short of it by an ulp; it then counted as free, and ρ was
    its gradient instead of the middle of an interval.
    """
    if alpha < _BOUND * c:
        return 0.0
    return c if alpha > c - _BOUND * c else alpha


@kernel
def _offset(alpha_a, alpha_b, grad_a, grad_b, c):
    """ρ: the mean of s G over multipliers between their bounds, or the middle of what the others allow."""
    total, free, high, low = 0.0, 0, np.inf, -np.inf
    for t in range(alpha_a.size):
        value = grad_a[t]
        if alpha_a[t] >= c:
            low = max(low, value)
        elif alpha_a[t] <= 0.0:
            high = min(high, value)
        else:
            total, free = total + value, free + 1
    for t in range(alpha_b.size):
        value = -grad_b[t]
        if alpha_b[t] >= c:
            high = min(high, value)
        elif alpha_b[t] <= 0.0:
            low = max(low, value)
        else:
            total, free = total + value, free + 1
    return total / free if free > 0 else 0.5 * (high + low)
