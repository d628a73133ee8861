"""Wealth of bets against a mean, and of bets on wins over all ways to pair two samples.

A bet of size b against the mean m multiplies the wealth by 1 + b (x - m) for each score x in
[0, 1]. If m is the mean, the expected wealth stays 1. Sizes are fixed before any score is seen,
so the product does not depend on the order of the scores.
"""

import math

import numpy as np

from ogive.jit import kernel

# Factors are at most 1e9 (means below 1e-9 are not asked for): 32 of them stay below the largest float.
_BLOCK = 32


@kernel
def log_wealth(scores, mean, sizes, log_shares):
    """Logarithm of the wealth that bets on scores above `mean` end with, from 1 in all.

    Bettor k starts with exp(log_shares[k]) and bets sizes[k] in units of 1 / sqrt(m (1 - m)), the
    spread of a coin with mean m, but never more than it can lose, 1 / m. Logarithms are taken of
    products of 32 factors: they cost more than everything else. A product too small for a float
    counts as 0, which errs on the safe side.
    """
    logs = np.empty(sizes.size)
    unit = math.sqrt(mean * (1.0 - mean))
    for k in range(sizes.size):
        # 1 + b (x - m) = kept + b x, where kept is what remains of 1 when a score is 0.
        kept, size = 0.0, 1.0 / mean
        if sizes[k] * mean < unit:
            size = sizes[k] / unit
            kept = 1.0 - size * mean
        total = log_shares[k]
        i = 0
        while i < scores.size:
            end = min(i + _BLOCK, scores.size)
            product = 1.0
            for j in range(i, end):
                product *= kept + size * scores[j]
            if product == 0.0:
                total = -np.inf
                break
            total += math.log(product)
            i = end
        logs[k] = total
    return _log_sum(logs)


@kernel
def log_pairing_wealth(log_products, mean, sizes, log_shares):
    """Like `log_wealth`, averaged over all ways to pair two samples.

    `log_products[k]` is the logarithm of what `pairing_products` writes: the product of
    (1 - b m) + b h over M pairs, multiplied out, is the sum over k of (1 - b m)^(M - k) b^k times
    the sum of all products of k of the h.
    """
    pairs = log_products.size - 1
    logs = np.empty(sizes.size)
    terms = np.empty(pairs + 1)
    unit = math.sqrt(mean * (1.0 - mean))
    for j in range(sizes.size):
        if sizes[j] * mean < unit:
            size = sizes[j] / unit
            log_size, log_kept = math.log(size), math.log(1.0 - size * mean)
            for k in range(pairs + 1):
                terms[k] = log_products[k] + k * log_size + (pairs - k) * log_kept
            logs[j] = log_shares[j] + _log_sum(terms)
        else:
            logs[j] = log_shares[j] + log_products[pairs] - pairs * math.log(mean)
    return _log_sum(logs)


@kernel
def pairing_products(columns, rows, below, products):
    """Sum over k pairs of the product of their wins, averaged over all ways to pair; into products[k].

    For every value, in increasing order: `columns` scores of the smaller sample have it, `rows`
    of the larger, and `below` of the larger are smaller. Each score of the smaller sample gets
    a partner of its own; a larger one wins 1, an equal one 1/2.

    Partners that were beaten by smaller scores are among those below: k of these are taken when
    a value's scores come, and it does not matter which. So with N scores in the larger sample,
    i equal and s smaller partners for i + s of the c scores can be chosen in
    c! / (i! s! (c - i - s)!) t!/(t - i)! (b - k)! / (b - k - s)! ways, out of
    (N - k)! / (N - k - i - s)!. These are rook numbers of a board whose columns are nested
    (Goldman, Joichi and White 1975). All terms are positive: nothing cancels, and what is too
    small for a float is left out on the safe side.
    """
    total = 0
    for g in range(rows.size):
        total += rows[g]
    products[:] = 0.0
    products[0] = 1.0
    placed = 0
    following = np.zeros(products.size)
    for g in range(columns.size):
        c, t, b = columns[g], rows[g], below[g]
        if c == 0:
            continue
        following[: placed + c + 1] = 0.0
        for k in range(min(placed, b) + 1):
            if products[k] == 0.0:
                continue
            equal = products[k]
            for i in range(min(c, t) + 1):
                term = equal
                for s in range(min(c - i, b - k) + 1):
                    following[k + i + s] += term
                    if s < c - i:
                        term *= (c - i - s) * (b - k - s) / ((s + 1.0) * max(total - k - i - s, 1))
                if i < c:
                    equal *= (c - i) * (t - i) / (2.0 * (i + 1.0) * max(total - k - i, 1))
        placed += c
        products[: placed + 1] = following[: placed + 1]


@kernel
def _log_sum(logs):
    largest = -np.inf
    for value in logs:
        largest = max(largest, value)
    if largest == -np.inf:
        return largest
    total = 0.0
    for value in logs:
        total += math.exp(value - largest)
    return largest + math.log(total)
