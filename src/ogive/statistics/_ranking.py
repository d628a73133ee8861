"""Ranks that admit what is not known: tiers, rank intervals, who may be first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray


def win_matrix(samples: Sequence[FloatArray]) -> FloatArray:
    """W[i, j]: probability that a run of sample i beats one of sample j, ties half; 1/2 on the diagonal.

    One sort serves all pairs: counts of each sample below and up to every run are running sums.
    """
    sizes = np.array([s.size for s in samples])
    values = np.concatenate(samples)
    owner = np.repeat(np.arange(sizes.size), sizes)
    order = np.argsort(values, kind="stable")
    ordered, member = values[order], np.eye(sizes.size)[owner[order]]
    counts = np.vstack([np.zeros(sizes.size), np.cumsum(member, axis=0)])
    below = counts[np.searchsorted(ordered, ordered, side="left")]
    upto = counts[np.searchsorted(ordered, ordered, side="right")]
    wins: FloatArray = member.T @ ((below + upto) / 2.0) / np.outer(sizes, sizes)
    return wins


def tiers(order: Sequence[int], separated: NDArray[np.bool_]) -> IntArray:
    """Tier of each method: a tier holds everybody not separated from its leader, the best one left.

    `order` lists methods best first; `separated[i, j]` says that i and j are certainly different.
    Tiers are anchored at leaders, not chained: a chain of small steps does not join its ends.
    """
    tier = np.zeros(len(order), dtype=np.intp)
    left, number = list(order), 0
    while left:
        number += 1
        leader = left[0]
        members = [m for m in left if m == leader or not separated[leader, m]]
        tier[members] = number
        left = [m for m in left if m not in members]
    return tier


def rank_limits(better: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Lowest and highest rank of each method; `better[i, j]` says that i is certainly better than j."""
    n = better.shape[0]
    return 1 + better.sum(axis=0), n - better.sum(axis=1)


def first_shares(scores: FloatArray) -> FloatArray:
    """How often each column has the largest score of its row; ties are shared."""
    top = scores == scores.max(axis=1, keepdims=True)
    return np.asarray((top / top.sum(axis=1, keepdims=True)).mean(axis=0))
