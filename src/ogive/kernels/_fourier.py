"""The Fourier basis of a pendulum's state: cos(i a + j b) for whole numbers i, j.

a = (θ + π) / 2 and b = π (ω + s) / (2 s) are angle and speed scaled to [0, π]; the speed may lie outside.
With a dependent order d and an independent order i there are the features (0 … d) × (0 … d), and those of
one variable alone up to order i: (d + 1)² + 2 max(i − d, 0) in all.

No cosine is computed for a feature: cos(k a) and sin(k a) follow from those of (k − 1) a by adding angles, and
cos(i a + j b) = cos(i a) cos(j b) − sin(i a) sin(j b). The four cosines and sines that are left are power
series, which many lanes compute at once; their errors stay below 1e-15.

Konidaris, Osentoski and Thomas (2011), Value function approximation in reinforcement learning using the
Fourier basis.
"""

import math

import numpy as np

from ogive.jit import kernel

WIDE = 16  # numbers that are written at once


@kernel
def n_features(dependent, independent):
    """How many features there are."""
    return (dependent + 1) * (dependent + 1) + 2 * max(independent - dependent, 0)


@kernel
def row_length(i, dependent, independent):
    """How many features (i, 0), (i, 1), … there are; 0 beyond the largest order."""
    if i == 0:
        return max(dependent, independent) + 1
    if i <= dependent:
        return dependent + 1
    return 1 if i <= independent else 0


@kernel
def sine_series(x, square, kind):
    """sin x for |x| ≤ π / 2, given x², in numbers of a kind."""
    p = kind(1 / 51090942171709440000.0)
    p = kind(-1 / 121645100408832000.0) + square * p
    p = kind(1 / 355687428096000.0) + square * p
    p = kind(-1 / 1307674368000.0) + square * p
    p = kind(1 / 6227020800.0) + square * p
    p = kind(-1 / 39916800.0) + square * p
    p = kind(1 / 362880.0) + square * p
    p = kind(-1 / 5040.0) + square * p
    p = kind(1 / 120.0) + square * p
    p = kind(-1 / 6.0) + square * p
    return x + x * (square * p)


@kernel
def cosine_series(square, kind):
    """cos x for |x| ≤ π / 2, given x², in numbers of a kind."""
    p = kind(-1 / 1124000727777607680000.0)
    p = kind(1 / 2432902008176640000.0) + square * p
    p = kind(-1 / 6402373705728000.0) + square * p
    p = kind(1 / 20922789888000.0) + square * p
    p = kind(-1 / 87178291200.0) + square * p
    p = kind(1 / 479001600.0) + square * p
    p = kind(-1 / 3628800.0) + square * p
    p = kind(1 / 40320.0) + square * p
    p = kind(-1 / 720.0) + square * p
    p = kind(1 / 24.0) + square * p
    p = kind(-1 / 2.0) + square * p
    return kind(1.0) + square * p


@kernel
def add_angles(tables, largest, lanes):
    """cos(m x) and sin(m x) for m = 2 … largest, from those of x: rows of lanes, cosines of m at 2 m, sines after them."""
    for m in range(2, largest + 1):
        rows = tables[2 * (m - 1) * lanes : 2 * (m + 1) * lanes]
        first = tables[2 * lanes : 4 * lanes]
        for k in range(lanes):
            c, s = rows[k], rows[lanes + k]
            rows[2 * lanes + k] = c * first[k] - s * first[lanes + k]
            rows[3 * lanes + k] = s * first[k] + c * first[lanes + k]


@kernel
def write_tables(angle, speed, scale, largest, tables, kind):
    """Cosines and sines of all multiples of a and of b for one state: four rows of at least `largest` + 1 numbers."""
    cos_a, sin_a, cos_b, sin_b = tables[0], tables[1], tables[2], tables[3]
    x = kind(0.5 * angle)
    square = x * x
    cos_a[1], sin_a[1] = -sine_series(x, square, kind), cosine_series(square, kind)
    y = speed / scale * (0.5 * math.pi)
    turns = math.floor(y * (1.0 / math.pi) + 0.5)
    x = kind(y - turns * math.pi)
    sign = kind(1.0 - 2.0 * (turns - 2.0 * math.floor(0.5 * turns)))
    square = x * x
    cos_b[1], sin_b[1] = -sign * sine_series(x, square, kind), sign * cosine_series(square, kind)
    cos_a[0], sin_a[0], cos_b[0], sin_b[0] = kind(1.0), kind(0.0), kind(1.0), kind(0.0)
    for m in range(2, largest + 1):
        n = m // 2  # halves wait for less than one before the other
        cos_a[m] = cos_a[n] * cos_a[m - n] - sin_a[n] * sin_a[m - n]
        sin_a[m] = sin_a[n] * cos_a[m - n] + cos_a[n] * sin_a[m - n]
        cos_b[m] = cos_b[n] * cos_b[m - n] - sin_b[n] * sin_b[m - n]
        sin_b[m] = sin_b[n] * cos_b[m - n] + cos_b[n] * sin_b[m - n]


@kernel
def write_features(dependent, independent, tables, features):
    """The features of one state, and zeros behind them, in the order in which rows follow each other.

    A row is written WIDE numbers at a time, and the next one over what was too much: `features` has room for the
    features, filled up to a multiple of WIDE, and WIDE more. So have the rows of `tables`.
    """
    cos_a, sin_a, cos_b, sin_b = tables[0], tables[1], tables[2], tables[3]
    n, wide = (
        np.uint64(0),
        np.uint64(WIDE),
    )  # unsigned: the compiler looks at the sign of a signed index before using it
    for i in range(max(dependent, independent) + 1):
        c, s = cos_a[i], sin_a[i]
        length = np.uint64(row_length(i, dependent, independent))
        for j in range(np.uint64(0), length, wide):
            for k in range(wide):
                features[n + j + k] = c * cos_b[j + k] - s * sin_b[j + k]
        n += length
    for k in range(wide):
        features[n + k] = 0


@kernel
def filled_up(n):
    """The next multiple of WIDE."""
    return (n + WIDE - 1) // WIDE * WIDE
