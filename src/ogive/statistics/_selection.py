"""Whether the best of many subsets is better than chance makes it: a permutation test over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray

N_PERMUTATIONS = 999
# Numbers that one block of permutations may hold: 999 of 50,000 units at once would take 400 MB.
_BLOCK = 2_000_000
# Two sums of the same terms in another order differ by rounding; they are ties.
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Units in groups, and the sets of groups that could be kept for each target.

    `codes` is the group of each unit. `sets[t]` holds for target t a row of flags for each set: which
    groups it keeps.
    """

    codes: IntArray
    sets: tuple[NDArray[np.bool_], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Permutable:
    """Units with what each gives to the targets, and all groupings of them.

    `parts[t, u]` is the first-order part of unit u in the gain of target t.
    """

    parts: FloatArray
    groupings: tuple[Grouping, ...]


def first_order_parts(
    better: FloatArray, units: IntArray | None, *, statistic: Literal["median", "tail"], mass: float = 0.1
) -> FloatArray:
    """What each unit gives to the gain of a statistic when it is kept, to first order; they add to zero.

    `better` are scores of which large ones are good. The median gains by runs above it and loses by runs
    below; the mean of the worst share loses by what a run falls short of that share's quantile.
    """
    if statistic == "median":
        terms = np.sign(better - np.sort(better)[(better.size - 1) // 2])
    else:
        terms = np.minimum(better - np.sort(better)[max(0, math.ceil(mass * better.size - 1e-9) - 1)], 0.0)
    terms = terms - terms.mean()
    return np.asarray(terms if units is None else np.bincount(units, weights=terms), dtype=np.float64)


def largest_gain_test(
    fields: Sequence[Permutable], *, rng: np.random.Generator, n_permutations: int = N_PERMUTATIONS
) -> list[list[list[FloatArray]]]:
    """How often chance alone brings a gain as large as each candidate's, among all candidates together.

    Parameters
    ----------
    fields : sequence of Permutable
        Units with groupings. Several where groupings exist for different units only; they are permuted
        one by one.

    Returns
    -------
    list
        For each field, grouping and target a p-value for each candidate set.

    Notes
    -----
    Exact for every distribution, whatever the scores of different units share, if the groups of the units
    were drawn independently of each other and have nothing to do with the scores: the parts of the units
    are permuted among them, all candidates of all groupings at once. A candidate's statistic is the sum of
    its units' parts over the standard deviation that permutation gives it. Its p-value is the share of
    permutations, the one seen among them, in which the largest statistic of any candidate is as large
    (Westfall and Young's single step), so the p-values of all candidates hold together: where some
    groupings matter, the others keep the error. Candidates must not depend on these scores. Sums of
    groups give the sums of all sets, so a permutation costs no more for many sets than for one. Neither
    the order of the units nor that of their groups' names matters.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, section 2.3. Pitman (1937), Significance
    tests which may be applied to samples from any populations.
    """
    # The seen statistics of every field, grouping, target and set, and the largest of each permutation.
    seen = [[_seen(field, grouping) for grouping in field.groupings] for field in fields]
    largest = np.full(n_permutations, -math.inf)
    for field in fields:
        n = field.parts.shape[1]
        parts = field.parts[:, np.lexsort(field.parts[::-1])]
        codes = np.array([g.codes for g in field.groupings])
        order = np.lexsort(codes[::-1])
        step = max(1, _BLOCK // max(1, n))
        groupings = [(g.codes[order], _weights(field, g)) for g in field.groupings]
        for start in range(0, n_permutations, step):
            stop = min(n_permutations, start + step)
            places = rng.permuted(np.tile(np.arange(n), (stop - start, 1)), axis=1)
            for t, part in enumerate(parts):
                shuffled = part[places]
                for groups, weights in groupings:
                    found = _statistics(shuffled, groups, weights[t])
                    if found.shape[1]:
                        np.maximum(largest[start:stop], found.max(axis=1), out=largest[start:stop])
    ordered = np.sort(largest)

    def p_values(statistics: FloatArray) -> FloatArray:
        at_least = n_permutations - np.searchsorted(ordered, statistics - _TIE * np.abs(statistics))
        return np.asarray((1.0 + at_least) / (1.0 + n_permutations), dtype=np.float64)

    return [[[p_values(statistics) for statistics in by_target] for by_target in by_grouping] for by_grouping in seen]


def _weights(field: Permutable, grouping: Grouping) -> list[FloatArray]:
    """For each target what the sum of each group counts in each set's statistic."""
    n = grouping.codes.size
    sizes = np.bincount(grouping.codes, minlength=grouping.sets[0].shape[1])
    out: list[FloatArray] = []
    for part, sets in zip(field.parts, grouping.sets, strict=True):
        kept = sets @ sizes
        # The variance of a sum of `kept` of n values drawn without replacement, whose mean is 0.
        variance = kept * (n - kept) / max(n * (n - 1.0), 1.0) * float(np.sum(part**2))
        scale = np.where(variance > 0.0, 1.0 / np.sqrt(np.where(variance > 0.0, variance, 1.0)), 0.0)
        out.append(np.asarray((sets * scale[:, None]).T, dtype=np.float64))
    return out


def _statistics(parts: FloatArray, codes: IntArray, weights: FloatArray) -> FloatArray:
    """The statistic of every set (columns) for every row of parts.

    Sums of neighbors after sorting by group: a matrix product would start threads, which took five times
    the processor time of this.
    """
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    sums = np.add.reduceat(parts[:, order], starts, axis=1)
    return np.asarray(np.einsum("bg,gs->bs", sums, weights[present]), dtype=np.float64)


def _seen(field: Permutable, grouping: Grouping) -> list[FloatArray]:
    weights = _weights(field, grouping)
    return [_statistics(part[None, :], grouping.codes, w)[0] for part, w in zip(field.parts, weights, strict=True)]
