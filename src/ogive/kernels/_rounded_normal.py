"""Maximum likelihood for normal numbers that were rounded to whole ones."""

import math

import numpy as np

from ogive.jit import kernel

MOST_STEPS = 60
MOST_HALVINGS = 40
CLOSE_ENOUGH = 1e-12  # of the log-likelihood, relative
LEAST_VARIANCE = 0.05  # where Sheppard's correction leaves less to start from
_ROOT_HALF = math.sqrt(0.5)
_NORMAL = 1.0 / math.sqrt(2.0 * math.pi)


@kernel
def fit_rounded_normal(ordered, n, first, last, low, high, locations, scales):
    """Location and scale of the normal behind the rows `first` … `last - 1` of whole numbers.

    Each row of `ordered` holds n increasing whole numbers that came from rounding, and what fell
    beyond `low` or `high` (which may be infinite) was set to that end. With t = 1 / scale and
    h = location / scale the log-likelihood is concave (Burridge 1981), so Newton's method with
    halved steps finds its maximum from anywhere; it starts at the moments with Sheppard's
    correction. Rows must span at least three whole numbers: with fewer there is no maximum. Where
    the likelihood is too small for a float the moments are kept.
    """
    cells, counts = np.empty(n), np.empty(n)
    terms = np.empty(6)
    for row in range(first, last):
        m, origin, variance = _cells(ordered, row * n, n, cells, counts)
        start = math.sqrt(max(variance - 1.0 / 12.0, LEAST_VARIANCE))
        a, b = low - origin, high - origin
        t, h = 1.0 / start, 0.0
        _likelihood(cells, counts, m, a, b, t, h, terms)
        for _ in range(MOST_STEPS):
            before = terms[0]
            if not math.isfinite(before):
                break
            determinant = terms[3] * terms[5] - terms[4] * terms[4]
            if not determinant > 0.0:
                break
            step_t = -(terms[5] * terms[1] - terms[4] * terms[2]) / determinant
            step_h = -(terms[3] * terms[2] - terms[4] * terms[1]) / determinant
            share = 1.0
            for _ in range(MOST_HALVINGS):
                if t + share * step_t > 0.0:
                    _likelihood(cells, counts, m, a, b, t + share * step_t, h + share * step_h, terms)
                    if terms[0] >= before:
                        break
                share *= 0.5
            if not terms[0] >= before:
                break
            t += share * step_t
            h += share * step_h
            if terms[0] - before <= CLOSE_ENOUGH * abs(before):
                break
        good = math.isfinite(terms[0])
        locations[row] = origin + (h / t if good else 0.0)
        scales[row] = 1.0 / t if good else start


@kernel
def _cells(ordered, start, n, cells, counts):
    """Distinct numbers less their mean, and how often each comes; their number, mean and variance."""
    mean, square = 0.0, 0.0
    for i in range(start, start + n):
        mean += ordered[i] - ordered[start]
    mean = mean / n + ordered[start]
    m = 0
    cells[0], counts[0] = ordered[start] - mean, 0.0
    for i in range(start, start + n):
        value = ordered[i] - mean
        square += value * value
        if value != cells[m]:
            m += 1
            cells[m], counts[m] = value, 0.0
        counts[m] += 1.0
    return m + 1, mean, square / n


@kernel
def _likelihood(cells, counts, m, low, high, t, h, terms):
    """Log-likelihood, its two derivatives and three second ones (tt, th, hh), into `terms`."""
    for i in range(6):
        terms[i] = 0.0
    for c in range(m):
        # An end that takes everything beyond it reaches to infinity and has no derivative there.
        a = cells[c] - 0.5 if cells[c] > low + 0.5 else -math.inf
        b = cells[c] + 0.5 if cells[c] < high - 0.5 else math.inf
        below, above = t * a - h, t * b - h
        p = _between(below, above)
        if not p > 0.0:
            terms[0] = -math.inf
            return
        at_a = _NORMAL * math.exp(-0.5 * below * below) / p
        at_b = _NORMAL * math.exp(-0.5 * above * above) / p
        if at_a == 0.0:
            a, below = 0.0, 0.0
        if at_b == 0.0:
            b, above = 0.0, 0.0
        by_t = b * at_b - a * at_a
        by_h = at_a - at_b
        terms[0] += counts[c] * math.log(p)
        terms[1] += counts[c] * by_t
        terms[2] += counts[c] * by_h
        terms[3] += counts[c] * (a * a * below * at_a - b * b * above * at_b - by_t * by_t)
        terms[4] += counts[c] * (b * above * at_b - a * below * at_a - by_t * by_h)
        terms[5] += counts[c] * (below * at_a - above * at_b - by_h * by_h)


@kernel
def _between(below, above):
    """P(below < standard normal < above), taken from the tail that keeps digits."""
    if below > 0.0:
        return 0.5 * (math.erfc(below * _ROOT_HALF) - math.erfc(above * _ROOT_HALF))
    if above < 0.0:
        return 0.5 * (math.erfc(-above * _ROOT_HALF) - math.erfc(-below * _ROOT_HALF))
    return 1.0 - 0.5 * (math.erfc(above * _ROOT_HALF) + math.erfc(-below * _ROOT_HALF))
