"""Ranks that admit what is not known: tiers and rank intervals, from who is certainly better than whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import IntArray


def tiers(better: NDArray[np.bool_]) -> tuple[IntArray, list[list[int]]]:
    """Tier of each method, and the circles of methods that are certainly better than each other in turn.

    `better[i, j]` says that i is certainly better than j. A method's tier is one below the lowest tier
    of all that are certainly better than it, so that a better method always stands in a higher tier;
    methods of a circle, which only a criterion that is not transitive makes, share one.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n_groups, group = connected_components(csr_matrix(better.astype(np.int8)), directed=True, connection="strong")
    above = np.zeros((n_groups, n_groups), dtype=bool)
    i, j = np.nonzero(better)
    above[group[i], group[j]] = True
    np.fill_diagonal(above, False)
    tier = np.ones(n_groups, dtype=np.intp)
    while True:
        lower = np.maximum(tier, np.where(above, tier[:, None] + 1, 0).max(axis=0, initial=1))
        if np.array_equal(lower, tier):
            break
        tier = lower
    circles = [np.flatnonzero(group == g).tolist() for g in np.flatnonzero(np.bincount(group) > 1)]
    return tier[group], circles


def rank_limits(better: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Lowest and highest rank of each method; `better[i, j]` says that i is certainly better than j."""
    n = better.shape[0]
    return 1 + better.sum(axis=0), n - better.sum(axis=1)
