"""Shapiro and Wilk's W of many samples."""

import math

from ogive.jit import kernel


@kernel
def shapiro_shortfall(ordered, n, weights, first, last, shortfall):
    """1 - W of the rows `first` … `last - 1`; each row of `ordered` holds n increasing numbers.

    W is the squared correlation between the ordered numbers and antisymmetric weights, of which
    `weights` holds the n // 2 that belong to the largest numbers, the largest first. W is close
    to 1 and its p-value depends on log(1 - W), so 1 - W is written as a product in which nothing
    cancels (Royston 1995, AS R94). No row may be constant.
    """
    half = n // 2
    weight_square = 0.0
    for i in range(half):
        weight_square += 2.0 * weights[i] * weights[i]
    for row in range(first, last):
        start = row * n
        stop = start + n
        shift = ordered[start + half]
        scale = 1.0 / (ordered[stop - 1] - ordered[start])
        s0, s1 = 0.0, 0.0
        for i in range(start, stop - 1, 2):
            s0 += (ordered[i] - shift) * scale
            s1 += (ordered[i + 1] - shift) * scale
        if n % 2 == 1:
            s0 += (ordered[stop - 1] - shift) * scale
        mean = (s0 + s1) / n
        product = 0.0
        square = ((ordered[start + half] - shift) * scale - mean) ** 2 if n % 2 == 1 else 0.0
        for i in range(half):
            low = (ordered[start + i] - shift) * scale - mean
            high = (ordered[stop - 1 - i] - shift) * scale - mean
            product += weights[i] * (high - low)
            square += low * low + high * high
        both = math.sqrt(weight_square * square)
        shortfall[row] = max(0.0, (both - product) * (both + product) / (weight_square * square))
