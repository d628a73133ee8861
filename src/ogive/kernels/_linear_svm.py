"""Learning curves of the linear support vector machine, one class against the rest.

With u_i = 1 - s_i f(x_i), s_i = ±1 and f(x) = w·x + b, the machine minimizes

    (1/n) Σ max(0, u_i)² + (penalty/2) (‖w‖² + b²),

scikit-learn's LinearSVC(C=1/(penalty n), dual=False), whose intercept is penalized as well. The
objective is quadratic wherever the set A of rows with u_i > 0 does not change. So Newton's step
solves the least-squares problem of the rows in A,

    (penalty I + (2/n) Σ_A x xᵀ) w = (2/n) Σ_A s x,

and where A is still the same after the whole step, w is the minimum, exactly. Otherwise the best
point on the way is taken: the derivative along the step is increasing and made of straight
pieces, and Newton's method within a bracket finds its zero after as many steps as pieces matter.
Finitely many steps in all (Mangasarian 2002; Keerthi and DeCoste 2005).

Sums of products keep no digits to tell rows apart where columns lie far from 0 for their range, and
none of the penalty beside several columns of millions: such data are kept from this kernel.

The minimum is unique, and the start has no part in it but for rounding: each size starts from the
size before. scikit-learn stops earlier, when its gradient has shrunk by a factor that `tol` sets:
with the default 1e-4 and raw features, 6 of 67 sizes of diabetes and 15 of 94 of heart had another
accuracy, by up to 0.09; with tol=1e-12 and enough iterations (370,000 at one size) none had.
Decision values are as scikit-learn's; probabilities are their logistic function, divided by the
sum over classes, and the area under the ROC curve ranks decision values.
"""

import math

import numpy as np

from ogive.jit import kernel, summing_kernel
from ogive.kernels._columns import by_column, dot, factorize, margin, solve, write_gram, write_margins
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores

_MOST_STEPS = 200  # 20 are rare
_STILL = 1e-11  # a step that moves no margin by more, as a share of the largest, ends the search


@kernel
def linear_svm_curve(x, y, n_classes, order, sizes, test, varying, penalty, scores, tested=None):
    """Scores of the linear machine at each of the sizes.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    m, p = order.size, x.shape[1] + 1
    columns = by_column(x, order)
    signs = np.empty(m)
    weights = np.zeros((n_classes, p))
    step, right, gram, factor = np.empty(p), np.empty(p), np.empty((p, p)), np.empty((p, p))
    margins, moves, factors, scaled = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    rows, truth, trained = test.copy(), y[test], np.zeros(y.size, np.bool_)
    n_test = rows.size
    codes, places, work = np.empty(n_test, np.int64), np.empty(n_test, np.int64), np.empty(n_test)
    decisions, shares = np.empty((n_test, n_classes)), np.empty((n_test, n_classes))
    counts = np.zeros(n_classes, np.int64)
    before = 0
    for s in range(sizes.size):
        n = sizes[s]
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
        if n_seen == 1:
            write_constant_scores(last, truth, n_test, scores[s])
            continue
        if n_test == 0:
            scores[s, :] = np.nan
            continue
        for k in range(n_classes):
            # Of two classes the later one is the positive one, and its machine serves both.
            if counts[k] > 0 and (n_seen > 2 or k == last):
                for r in range(n):
                    signs[r] = 1.0 if y[order[r]] == k else -1.0
                _fit(columns, signs, n, penalty, weights[k], step, right, gram, factor, margins, moves, factors, scaled)
        write_decisions(x, rows, n_test, counts, n_seen, last, weights, codes, decisions)
        write_logistic_shares(decisions, n_test, shares)
        write_scores(codes, shares, decisions, truth, n_test, places, work, scores[s])


@kernel
def write_decisions(x, rows, m, counts, n_seen, last, weights, codes, decisions):
    """Decision values of linear machines, one class against the rest, and the classes they decide for.

    Of two classes seen, `last` has the decision value and the other one its negative; a decision of
    0 is for the other one. Of several, the first of the largest decides. Classes not seen have -inf.
    """
    n_classes = counts.size
    for i in range(m):
        best, code = -np.inf, 0
        own = margin(x, rows[i], weights[last]) if n_seen == 2 else 0.0
        for k in range(n_classes):
            if counts[k] == 0:
                value = -np.inf
            elif n_seen > 2:
                value = margin(x, rows[i], weights[k])
            else:
                value = own if k == last else -own
            decisions[i, k] = value
            if value > best:
                best, code = value, k
        codes[i] = code


@kernel
def write_logistic_shares(decisions, m, shares):
    """The logistic function of decision values, divided by the sum over classes; -inf has share 0.

    Each is divided by the largest first, through logarithms: where all decision values are far below
    zero, all of the functions would be zero.
    """
    n_classes = decisions.shape[1]
    for i in range(m):
        best = -np.inf
        for k in range(n_classes):
            best = max(best, decisions[i, k])
        # logistic(v) / logistic(best) = exp(v - best) (1 + exp(best)) / (1 + exp(v)), and the like for best > 0
        total = 0.0
        for k in range(n_classes):
            value = decisions[i, k]
            if value == best:
                share = 1.0
            elif best > 0.0:
                share = (1.0 + math.exp(-best)) / (1.0 + math.exp(-value)) if value > -700.0 else 0.0
            else:
                share = math.exp(value - best) * (1.0 + math.exp(best)) / (1.0 + math.exp(value))
            shares[i, k] = share
            total += share
        for k in range(n_classes):
            shares[i, k] /= total


@kernel
def _fit(columns, signs, n, penalty, weights, step, right, gram, factor, margins, moves, factors, scaled):
    """Move `weights` to the minimum over the first n rows."""
    p = weights.size
    write_margins(columns, n, weights, margins)
    for _ in range(_MOST_STEPS):
        for r in range(n):
            factors[r] = 2.0 / n if signs[r] * margins[r] < 1.0 else 0.0
        write_gram(columns, n, factors, scaled, gram)
        for r in range(n):
            factors[r] *= signs[r]
        for j in range(p):
            gram[j, j] += penalty
            right[j] = dot(columns[j], factors, n)
        if not factorize(gram, factor):
            return
        solve(factor, right, step)
        for j in range(p):
            step[j] -= weights[j]
        write_margins(columns, n, step, moves)
        unchanged, largest, farthest = True, 0.0, 0.0
        for r in range(n):
            after = margins[r] + moves[r]
            if (signs[r] * after < 1.0) != (factors[r] != 0.0):
                unchanged = False
            largest = max(largest, abs(after))
            farthest = max(farthest, abs(moves[r]))
        length = 1.0
        if not unchanged and farthest > _STILL * largest:
            length = _best_length(
                signs, margins, moves, n, penalty * dot(weights, step, p), penalty * dot(step, step, p)
            )
        for j in range(p):
            weights[j] += length * step[j]
        if unchanged or farthest <= _STILL * largest:
            return
        for r in range(n):
            margins[r] += length * moves[r]


@kernel
def _best_length(signs, margins, moves, n, slope, curvature):
    """Where the derivative along the step is zero; `slope` and `curvature` are the penalty's."""
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(100):
        first, second = _derivatives(signs, margins, moves, n, length)
        first, second = first + slope + length * curvature, second + curvature
        if first > 0.0:
            high = length
        else:
            low = length
        following = length - first / second
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - length) <= 1e-12 * following:
            return following
        length = following
    return length


@summing_kernel
def _derivatives(signs, margins, moves, n, length):
    """First and second derivative of the mean loss along the step."""
    first, second = 0.0, 0.0
    for r in range(n):
        short = signs[r] - margins[r] - length * moves[r]
        counts = 1.0 if signs[r] * short > 0.0 else 0.0
        first -= counts * short * moves[r]
        second += counts * moves[r] * moves[r]
    return 2.0 * first / n, 2.0 * second / n
