"""Hartigan's dip: how far an empirical distribution is from the nearest unimodal one."""

import numpy as np

from ogive.jit import kernel


@kernel
def dips(ordered, n, first, last, out):
    """The dip of the rows `first` … `last - 1`; each row of `ordered` holds n increasing numbers.

    Equal numbers are joined into one step of the distribution function F, so ties need no rule of
    their own. At the distinct point k, F rises from `low[k]` to `high[k]` numbers. A unimodal
    distribution function is convex up to its mode, where it may jump, and concave after it. The
    interval that holds the mode starts as the whole range. In it, the greatest convex minorant of
    F runs through the low ends of steps, the least concave majorant through high ends. Where the
    two are farthest apart the interval is narrowed, and what lies outside it costs as much as F
    leaves its minorant (left) or majorant (right). It ends when the two are no farther apart than
    the cost so far. Half the cost, over n, is the dip. Hartigan and Hartigan (1985), Hartigan (1985).
    """
    points, low, high = np.empty(n), np.empty(n), np.empty(n)
    convex, concave = np.empty(n, np.int64), np.empty(n, np.int64)
    below, above = np.empty(n), np.empty(n)
    for row in range(first, last):
        m = _steps(ordered, row * n, n, points, low, high)
        left, right, cost = 0, m - 1, 0.0
        while left < right:
            n_convex = _hull(points, low, left, right, 1.0, convex, below)
            n_concave = _hull(points, high, left, right, -1.0, concave, above)
            widest, new_left, new_right = -1.0, left, right
            j = 0
            for i in range(n_convex):
                k = convex[i]
                while concave[j] < k:
                    j += 1
                if above[k] - low[k] > widest:
                    widest, new_left, new_right = above[k] - low[k], k, concave[j]
            j = n_convex - 1
            for i in range(n_concave - 1, -1, -1):
                k = concave[i]
                while convex[j] > k:
                    j -= 1
                if high[k] - below[k] > widest:
                    widest, new_left, new_right = high[k] - below[k], convex[j], k
            if widest <= cost:
                break
            for k in range(left, new_left):
                cost = max(cost, high[k] - below[k])
            for k in range(new_right + 1, right + 1):
                cost = max(cost, above[k] - low[k])
            left, right = new_left, new_right
        out[row] = cost / (2.0 * n)


@kernel
def _steps(ordered, start, n, points, low, high):
    """Distinct numbers and the counts below and up to each; returns how many there are."""
    m = 0
    points[0], low[0] = ordered[start], 0.0
    for i in range(1, n):
        value = ordered[start + i]
        if value != points[m]:
            high[m] = i
            m += 1
            points[m], low[m] = value, i
    high[m] = n
    return m + 1


@kernel
def _hull(points, heights, left, right, sign, corners, curve):
    """The convex minorant (sign 1) or concave majorant (sign -1) of heights over left … right.

    Writes its corners and its height at every point; returns how many corners there are.
    """
    count = 0
    for k in range(left, right + 1):
        while count >= 2:
            a, b = corners[count - 2], corners[count - 1]
            rise_old = (heights[b] - heights[a]) * (points[k] - points[b])
            rise_new = (heights[k] - heights[b]) * (points[b] - points[a])
            if sign * (rise_new - rise_old) > 0.0:
                break
            count -= 1
        corners[count] = k
        count += 1
    for c in range(count - 1):
        a, b = corners[c], corners[c + 1]
        slope = (heights[b] - heights[a]) / (points[b] - points[a])
        for k in range(a, b):
            curve[k] = heights[a] + slope * (points[k] - points[a])
    curve[right] = heights[right]
    return count
