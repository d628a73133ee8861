"""Learning curves of logistic regression, one class against the rest, by scikit-learn's own rule.

With f(x) = w·x + b, t_i in {0, 1} and p_i = 1 / (1 + exp(-f(x_i))), what is minimized is

    L = (1/n) Σ [log(1 + exp f(x_i)) - t_i f(x_i)] + (penalty / 2n) ‖w‖²,

LogisticRegression(C=1/penalty); penalty 0, the default of curves, is C=inf. Where the classes can
be separated and there is no penalty, L has no minimum: what is learned is where the search stops. A
learning curve begins there, with few rows, and some never leave it (one class of iris). So the
search is scikit-learn's, step for step, anew for each size from w = b = 0, and the weights at a
size are a function of its rows alone: no other size has a part in them, and there is no second
rule for data that can be separated.

1. Newton (solver "newton-cholesky"). The step solves H v = -g, with g = (1/n) Σ (p_i - t_i) x_i and
   H = (1/n) Σ p_i (1 - p_i) x_i x_iᵀ, both with the penalty's part. It is halved until L falls by
   2^-11 of what g promises (or by no more than rounding, and Σ|g| falls). The search ends when no
   |g_j| is above 1e-4 and half of -g·v is at most 1e-4, or after 100 steps.
2. Where H is singular but for rounding (its reciprocal condition in the 1-norm below 2.2e-16),
   more than a quarter of all p_i (1 - p_i) are zero, or halving 20 times is not enough, the rest
   of the 100 steps are those of L-BFGS-B (Byrd, Lu, Nocedal and Zhu 1995) from where Newton's
   method was: ten pairs of steps and changes of g; the line search of Moré and Thuente (1994). It
   ends when no |g_j| is above 1e-4, or L falls by less than 64 ulps of max(1, L).

Both agree with scikit-learn up to rounding, which matters in one place: whether an H that is
singular in theory is so in floating-point numbers is decided by its last digits, here as there. A
size with as many rows as weights, or a column that is a sum of others, may so be left to another
method here than there; and a hundred steps of L-BFGS on badly scaled columns magnify last digits.
On iris, heart and diabetes, in all designs, labels were scikit-learn's at every size that was
compared, and so were probabilities, but for 5 of 2,256 sizes of heart: there it hands over to
L-BFGS, which stops unconverged, and Brier scores differ by up to 7.9e-4. On kc2, 21 badly scaled and nearly dependent columns, 4 of 91 sizes had
another accuracy, by at most 0.01. Probabilities that are 1 but for the last digit may be tied in
one and not in the other: then an AUC differs where nothing else does (41 of the 2,256 sizes of
heart, 8 of 3,216 of diabetes). Columns far from 0 for their range lose these digits too early:
such data are kept from this kernel.

Of two classes the later one is the positive one. Of several, the largest f(x) decides, and the
probabilities are divided by their sum.
"""

import math

import numpy as np

from ogive.jit import kernel, summing_kernel
from ogive.kernels._columns import by_column, dot, factorize, solve, write_gram, write_margins
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores
from ogive.kernels._exponential import write_exponentials
from ogive.kernels._linear_svm import write_decisions

_EPS = 2.220446049250313e-16
_TOLERANCE = 1e-4
_MOST_STEPS = 100
_MEMORY = 10  # pairs that L-BFGS remembers


@kernel
def logistic_curve(x, y, n_classes, order, sizes, test, varying, penalty, scores, tested=None):
    """Scores of logistic regression at each of the sizes; `penalty` is 1/C.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    m, p = order.size, x.shape[1] + 1
    columns = by_column(x, order)
    targets, weights = np.empty(m), np.zeros((n_classes, p))
    by_row, by_weight = np.empty((6, m)), np.empty((8, p))
    gram, factor, pairs, heights = np.empty((p, p)), np.empty((p, p)), np.empty((2, _MEMORY, p)), np.empty((2, _MEMORY))
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
        grown, before = n > before, n
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
            if grown and counts[k] > 0 and (n_seen > 2 or k == last):
                for r in range(n):
                    targets[r] = 1.0 if y[order[r]] == k else 0.0
                _fit(columns, targets, n, penalty / n, weights[k], by_row, by_weight, gram, factor, pairs, heights)
        write_decisions(x, rows, n_test, counts, n_seen, last, weights, codes, decisions)
        _write_shares(decisions, n_test, n_seen, last, shares)
        write_scores(codes, shares, shares, truth, n_test, places, work, scores[s])


@kernel
def _write_shares(decisions, m, n_seen, last, shares):
    """Probabilities, as OneVsRestClassifier makes them: with two classes 1 - p and p, else p over the sum of all p."""
    n_classes = decisions.shape[1]
    for i in range(m):
        total = 0.0
        for k in range(n_classes):
            value = decisions[i, k]
            if n_seen == 2:
                value = decisions[i, last]
            if value >= 0.0:
                share = 1.0 / (1.0 + math.exp(-value))
            else:
                share = math.exp(value)
                share = share / (1.0 + share)
            if n_seen == 2 and k != last:
                share = 1.0 - share if decisions[i, k] > -np.inf else 0.0
            shares[i, k] = share
            total += share
        if total > 0.0:
            for k in range(n_classes):
                shares[i, k] /= total


@kernel
def _fit(columns, targets, n, penalty, weights, by_row, by_weight, gram, factor, pairs, heights):
    """Write the weights that scikit-learn's Newton solver ends with on the first n rows."""
    p = weights.size
    # Taken one by one: unpacking the array would forget that each is contiguous, at four times the cost.
    margins, tried, moves = by_row[0], by_row[1], by_row[2]
    residuals, curvatures, scaled = by_row[3], by_row[4], by_row[5]
    gradient, step, start = by_weight[0], by_weight[1], by_weight[2]
    weights[:] = 0.0
    margins[:n] = 0.0
    loss = _write_pointwise(margins, targets, n, residuals, curvatures, scaled) / n
    _write_gradient(columns, residuals, n, penalty, weights, gradient)
    for iteration in range(1, _MOST_STEPS + 1):
        if _mostly_flat(margins, n):
            break
        write_gram(columns, n, curvatures, scaled, gram)
        for j in range(p):
            for k in range(j + 1):
                gram[j, k] /= n
            if j < p - 1:
                gram[j, j] += penalty
        if not factorize(gram, factor) or _singular(gram, factor, step, start):
            break
        solve(factor, gradient, step)
        for j in range(p):
            step[j] = -step[j]
        promised = dot(gradient, step, p)
        if promised > 0.0:
            break
        write_margins(columns, n, step, moves)
        old_loss, old_sum = loss, np.sum(np.abs(gradient))
        start[:] = weights
        length, found = 1.0, False
        for _ in range(21):
            for j in range(p):
                weights[j] = start[j] + length * step[j]
            for r in range(n):
                tried[r] = margins[r] + length * moves[r]
            loss = _write_pointwise(tried, targets, n, residuals, curvatures, scaled) / n
            loss += 0.5 * penalty * dot(weights, weights, p - 1)
            _write_gradient(columns, residuals, n, penalty, weights, gradient)
            gain = loss - old_loss
            if gain <= length * (promised / 2048.0) or (
                abs(gain) <= 16.0 * _EPS * abs(old_loss) and np.sum(np.abs(gradient)) < old_sum
            ):
                found = True
                break
            length *= 0.5
        if not found:
            break
        margins, tried = tried, margins
        if np.max(np.abs(gradient)) <= _TOLERANCE and -0.5 * promised <= _TOLERANCE:
            return
        if iteration == _MOST_STEPS:
            return
    _finish(columns, targets, n, penalty, weights, _MOST_STEPS - iteration, by_row, by_weight, pairs, heights)


@kernel
def _write_pointwise(margins, targets, n, residuals, curvatures, scratch):
    """Write p_i - t_i and p_i (1 - p_i) of the first n rows; the sum of losses."""
    for r in range(n):
        curvatures[r] = -abs(margins[r])
    write_exponentials(curvatures, n, scratch, residuals)
    return _summed_losses(margins, targets, n, residuals, curvatures)


@summing_kernel
def _summed_losses(margins, targets, n, residuals, curvatures):
    """As `_write_pointwise`, given e = exp(-|f|) in place of the residuals.

    log(1 + e) = 2 artanh(u) with u = e / (2 + e) ≤ 1/3, and the series of artanh is short enough.
    Both p and 1 - p are made from e, so that neither loses its digits where it is small.
    """
    total = 0.0
    for r in range(n):
        e, sign = residuals[r], 1.0 - 2.0 * targets[r]
        f = sign * margins[r]  # positive where the margin points the wrong way
        q = np.divide(1.0, 1.0 + e)  # `/` looks for zero, and then one number is done at a time
        rest = e * q
        curvatures[r] = rest * q
        residuals[r] = sign * (q if f >= 0.0 else rest)  # the probability of what did not happen
        u = np.divide(e, 2.0 + e)
        v = u * u
        s = 1 / 31 + v * (1 / 33)
        s = 1 / 29 + v * s
        s = 1 / 27 + v * s
        s = 1 / 25 + v * s
        s = 1 / 23 + v * s
        s = 1 / 21 + v * s
        s = 1 / 19 + v * s
        s = 1 / 17 + v * s
        s = 1 / 15 + v * s
        s = 1 / 13 + v * s
        s = 1 / 11 + v * s
        s = 1 / 9 + v * s
        s = 1 / 7 + v * s
        s = 1 / 5 + v * s
        s = 1 / 3 + v * s
        total += 2.0 * (u + u * v * s) + (f if f > 0.0 else 0.0)
    return total


@kernel
def _write_gradient(columns, residuals, n, penalty, weights, gradient):
    p = weights.size
    for j in range(p):
        gradient[j] = dot(columns[j], residuals, n) / n
    for j in range(p - 1):
        gradient[j] += penalty * weights[j]


@kernel
def _mostly_flat(margins, n):
    """Whether more than a quarter of all p_i (1 - p_i) / n are below the smallest number, and so zero to scikit-learn."""
    flat, limit = 0, 745.133 - math.log(n)
    for r in range(n):
        if abs(margins[r]) > limit:
            flat += 1
    return 4 * flat > n


@kernel
def _singular(matrix, factor, column, sums):
    """Whether the reciprocal condition in the 1-norm is below the unit of the last place.

    The inverse is made column by column, only where the pivots leave a doubt.
    """
    p = matrix.shape[0]
    smallest, largest = np.inf, 0.0
    for j in range(p):
        smallest = min(smallest, factor[j, j] * factor[j, j])
        largest = max(largest, matrix[j, j])
    if smallest > 1e-9 * largest:
        return False
    sums[:] = 0.0
    for j in range(p):
        for k in range(j):
            sums[j] += abs(matrix[j, k])
            sums[k] += abs(matrix[j, k])
        sums[j] += abs(matrix[j, j])
    norm, inverse_norm = np.max(sums), 0.0
    for k in range(p):
        column[:] = 0.0
        column[k] = 1.0
        solve(factor, column, column)
        inverse_norm = max(inverse_norm, np.sum(np.abs(column)))
    return not norm * inverse_norm * _EPS <= 1.0


@kernel
def _loss(columns, targets, n, penalty, weights, by_row, gradient):
    """L at the weights; its gradient is written."""
    write_margins(columns, n, weights, by_row[0])
    loss = _write_pointwise(by_row[0], targets, n, by_row[3], by_row[4], by_row[5]) / n
    _write_gradient(columns, by_row[3], n, penalty, weights, gradient)
    return loss + 0.5 * penalty * dot(weights, weights, weights.size - 1)


@kernel
def _finish(columns, targets, n, penalty, weights, most, by_row, by_weight, pairs, heights):
    """At most `most` steps of L-BFGS from the weights, as L-BFGS-B takes them where nothing is bounded."""
    p = weights.size
    gradient, direction, start, old_gradient = by_weight[3], by_weight[4], by_weight[5], by_weight[6]
    steps, changes = pairs[0], pairs[1]
    scale, kept, newest = 1.0, 0, -1  # scale: the curvature that is assumed where no pair says otherwise
    loss = _loss(columns, targets, n, penalty, weights, by_row, gradient)
    if np.max(np.abs(gradient)) <= _TOLERANCE:
        return
    taken = 0
    while taken < most:
        _write_direction(gradient, steps, changes, heights, scale, kept, newest, direction)
        start[:] = weights
        old_gradient[:] = gradient
        old_loss, old_slope = loss, dot(gradient, direction, p)
        slope, length, found = old_slope, 1.0, False
        if old_slope < 0.0:
            if taken == 0:
                length = min(1.0 / math.sqrt(dot(direction, direction, p)), 1e10)
            length, loss, slope, found = _search(
                columns, targets, n, penalty, weights, by_row, gradient, start, direction, loss, old_slope, length
            )
        if not found:
            weights[:] = start
            gradient[:] = old_gradient
            loss = old_loss
            if kept == 0:
                return
            scale, kept = 1.0, 0  # forget, and begin anew along the gradient
            continue
        taken += 1
        if np.max(np.abs(gradient)) <= _TOLERANCE:
            return
        if old_loss - loss <= 64.0 * _EPS * max(abs(old_loss), abs(loss), 1.0):
            return
        height = (slope - old_slope) * length
        if height > _EPS * (-old_slope * length):
            newest = (newest + 1) % _MEMORY
            kept = min(kept + 1, _MEMORY)
            for j in range(p):
                steps[newest, j] = length * direction[j]
                changes[newest, j] = gradient[j] - old_gradient[j]
            heights[0, newest] = height
            scale = dot(changes[newest], changes[newest], p) / height


@kernel
def _write_direction(gradient, steps, changes, heights, scale, kept, newest, direction):
    """Minus the inverse Hessian that the kept pairs imply, times the gradient (Nocedal 1980)."""
    p = gradient.size
    shares = heights[1]
    for j in range(p):
        direction[j] = -gradient[j]
    for i in range(kept):
        k = (newest - i) % _MEMORY
        shares[k] = dot(steps[k], direction, p) / heights[0, k]
        for j in range(p):
            direction[j] -= shares[k] * changes[k, j]
    for j in range(p):
        direction[j] /= scale
    for i in range(kept - 1, -1, -1):
        k = (newest - i) % _MEMORY
        share = shares[k] - dot(changes[k], direction, p) / heights[0, k]
        for j in range(p):
            direction[j] += share * steps[k, j]


@kernel
def _search(columns, targets, n, penalty, weights, by_row, gradient, start, direction, loss, slope, length):
    """A step that lowers L by 1e-3 of what the slope promises and leaves at most 0.9 of the slope: Moré and Thuente.

    Weights and gradient are moved there. Length, loss and slope there, and whether it was found in 50 tries.
    """
    p = weights.size
    first_loss, first_slope, wanted = loss, slope, 1e-3 * slope
    bracketed, early = False, True
    width, wider = 1e10, 2e10
    # Best step so far, and the other end of what brackets the minimum, each with value and slope.
    x, fx, gx, y, fy, gy = 0.0, loss, slope, 0.0, loss, slope
    least, most = 0.0, 5.0 * length
    for _ in range(50):
        for j in range(p):
            weights[j] = start[j] + length * direction[j]
        loss = _loss(columns, targets, n, penalty, weights, by_row, gradient)
        slope = dot(gradient, direction, p)
        line = first_loss + length * wanted
        if early and loss <= line and slope >= 0.0:
            early = False
        stuck = bracketed and (length <= least or length >= most or most - least <= 0.1 * most)
        if stuck or (length == 1e10 and loss <= line and slope <= wanted):
            return length, loss, slope, True
        if loss <= line and abs(slope) <= -0.9 * first_slope:
            return length, loss, slope, True
        if early and line < loss <= fx:  # lower, but not by enough: as if the wanted fall were level ground
            x, fx, gx, y, fy, gy, length, bracketed = _shorten(
                x, fx - x * wanted, gx - wanted, y, fy - y * wanted, gy - wanted,
                length, loss - length * wanted, slope - wanted, bracketed, least, most,
            )  # fmt: skip
            fx, fy, gx, gy = fx + x * wanted, fy + y * wanted, gx + wanted, gy + wanted
        else:
            x, fx, gx, y, fy, gy, length, bracketed = _shorten(
                x, fx, gx, y, fy, gy, length, loss, slope, bracketed, least, most
            )
        if bracketed:
            if abs(y - x) >= 0.66 * wider:
                length = x + 0.5 * (y - x)
            wider, width = width, abs(y - x)
            least, most = min(x, y), max(x, y)
        else:
            least, most = length + 1.1 * (length - x), length + 4.0 * (length - x)
        length = min(max(length, 0.0), 1e10)
        if bracketed and (length <= least or length >= most or most - least <= 0.1 * most):
            length = x
    return length, loss, slope, False


@kernel
def _shorten(x, fx, gx, y, fy, gy, t, ft, gt, bracketed, least, most):
    """The next step to try, from cubics and parabolas through what was seen; and the bracket with t in it.

    MINPACK-2's dcstep: x is the best step so far, y the other end, t the last one tried.
    """
    turned = gt * gx < 0.0
    if ft > fx:  # higher: the minimum lies between
        theta = 3.0 * (fx - ft) / (t - x) + gx + gt
        size = max(abs(theta), abs(gx), abs(gt))
        gamma = size * math.sqrt(max(0.0, (theta / size) ** 2 - (gx / size) * (gt / size)))
        if t < x:
            gamma = -gamma
        cubic = x + ((gamma - gx) + theta) / (((gamma - gx) + gamma) + gt) * (t - x)
        square = x + 0.5 * gx / ((fx - ft) / (t - x) + gx) * (t - x)
        following = cubic if abs(cubic - x) <= abs(square - x) else cubic + 0.5 * (square - cubic)
        bracketed = True
    elif turned:  # lower, and the slope has turned
        theta = 3.0 * (fx - ft) / (t - x) + gx + gt
        size = max(abs(theta), abs(gx), abs(gt))
        gamma = size * math.sqrt(max(0.0, (theta / size) ** 2 - (gx / size) * (gt / size)))
        if t > x:
            gamma = -gamma
        cubic = t + ((gamma - gt) + theta) / (((gamma - gt) + gamma) + gx) * (x - t)
        secant = t + gt / (gt - gx) * (x - t)
        following = cubic if abs(cubic - t) > abs(secant - t) else secant
        bracketed = True
    elif abs(gt) < abs(gx):  # lower, the same way down, less steep
        theta = 3.0 * (fx - ft) / (t - x) + gx + gt
        size = max(abs(theta), abs(gx), abs(gt))
        gamma = size * math.sqrt(max(0.0, (theta / size) ** 2 - (gx / size) * (gt / size)))
        if t > x:
            gamma = -gamma
        ratio = ((gamma - gt) + theta) / ((gamma + (gx - gt)) + gamma)
        end = most if t > x else least
        cubic = t + ratio * (x - t) if ratio < 0.0 and gamma != 0.0 else end
        secant = t + gt / (gt - gx) * (x - t)
        if bracketed:
            following = cubic if abs(cubic - t) < abs(secant - t) else secant
            limit = t + 0.66 * (y - t)
            following = min(limit, following) if t > x else max(limit, following)
        else:
            following = cubic if abs(cubic - t) > abs(secant - t) else secant
            following = min(max(following, least), most)
    elif bracketed:  # lower, and not less steep
        theta = 3.0 * (ft - fy) / (y - t) + gy + gt
        size = max(abs(theta), abs(gy), abs(gt))
        gamma = size * math.sqrt(max(0.0, (theta / size) ** 2 - (gy / size) * (gt / size)))
        if t > y:
            gamma = -gamma
        following = t + ((gamma - gt) + theta) / (((gamma - gt) + gamma) + gy) * (y - t)
    else:
        following = most if t > x else least
    if ft > fx:
        y, fy, gy = t, ft, gt
    else:
        if turned:
            y, fy, gy = x, fx, gx
        x, fx, gx = t, ft, gt
    return x, fx, gx, y, fy, gy, following, bracketed
