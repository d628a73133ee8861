"""How far a method is from the best one on a problem: methods × problems, infinite where it failed.

The smallest distance is 1 for `ratio` and 0 otherwise; the best method has it, and so has every
method that ties with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ogive.arguments import FloatArray, IntArray
from ogive.errors import InputError
from ogive.profiles._cells import Cells, Joined, Moments
from ogive.statistics import win_shares

# Up to so many gaps with ties or zeros scipy goes through every choice of signs, one by one.
ENUMERATED = 13
# Gaps that are ranked at once: a few megabytes.
AT_ONCE = 400_000
MOST_DUELS = 4_000_000  # compared at once, a byte each
FEW_RUNS = 8  # up to which ties are counted out; without ties SciPy does so itself


def ratio(costs: FloatArray) -> FloatArray:
    """Cost over the least cost on the problem; costs are positive, infinite for a failure."""
    best = costs.min(axis=0)
    solved = np.isfinite(costs)
    found = np.where(solved, costs, 1.0) / np.where(np.isfinite(best), best, 1.0)
    return np.where(solved, as_written(found, found), np.inf)


def difference(scores: FloatArray, *, relative: bool) -> FloatArray:
    """The best score minus the score, or that as a share of the best score's size; -inf is a failure."""
    best = scores.max(axis=0)
    solved = np.isfinite(scores)
    known = np.where(np.isfinite(best), best, 1.0)
    if relative:
        _refuse_zero(known)
    own = np.where(solved, scores, known)
    size = np.abs(own).max(axis=0)
    scale = np.abs(known) if relative else np.ones_like(known)
    return np.where(solved, as_written((known - own) / scale, size / scale), np.inf)


def _refuse_zero(best: FloatArray) -> None:
    if (best == 0.0).any():
        raise InputError(
            "`relative` divides by the best score, which is 0 on some problem; use the difference itself, or shift the scores."
        )


def as_written(distance: FloatArray, size: FloatArray) -> FloatArray:
    """Distances between which only the rounding of their arithmetic lies, made equal.

    0.9 - 0.8 and 0.8 - 0.7 are both 0.1, and 0.4 / 0.3 is 1.6 / 1.2: no steps lie between them. A short decimal
    nearby is taken, else the smallest of the neighbors. `size` is that of the numbers a distance was made from.
    """
    size = np.broadcast_to(size, distance.shape)
    rounding = 8.0 * np.finfo(np.float64).eps * size
    digits = np.clip(12.0 - np.ceil(np.log10(np.maximum(size, 1e-10))), 0.0, 22.0)
    short = np.rint(distance * 10.0**digits) / 10.0**digits
    near = np.where(np.abs(short - distance) <= rounding, short, distance).ravel()
    order = np.argsort(near, kind="stable")
    first = np.append(True, np.diff(near[order]) > rounding.ravel()[order][1:])
    near[order] = near[order][first][np.cumsum(first) - 1]
    return near.reshape(distance.shape)


def split_sample(cells: Cells, how: Joined, kind: str, *, relative: bool, seed: int) -> FloatArray:
    """Distances from a best method that other runs chose: half of the runs choose it, the other half measure.

    The best of several noisy numbers looks better than it is. Both halves take both parts and the two
    distances are averaged (ratios geometrically); a distance may then lie beyond the best. Where several
    methods are equally good in the half that chooses, their distances are averaged too.
    """
    if int(cells.sizes.min()) < 2:
        raise InputError("`split` needs at least two runs of every method on every problem.")
    halves = [half.joined(how) * cells.sign for half in cells.halves(seed)]
    found = []
    for chooser, measured in (halves, halves[::-1]):
        chosen = chooser == chooser.max(axis=0)
        total = np.zeros_like(measured)
        for best, mine in enumerate(chosen):
            total[:, mine] += _from(measured[best, mine], measured[:, mine], cells.sign, kind, relative=relative)
        found.append(total / chosen.sum(axis=0))
    mean: FloatArray = (found[0] + found[1]) / 2.0
    return np.exp(mean) if kind == "ratio" else mean


def _from(best: FloatArray, measured: FloatArray, sign: float, kind: str, *, relative: bool) -> FloatArray:
    """Distances from a given method; logarithms for ratios."""
    known, scored = np.isfinite(best), np.isfinite(measured)
    own = np.where(scored, measured, sign)
    safe = np.where(known, best, own)
    if kind == "ratio":
        distance = -sign * np.log(own / safe)
    else:
        if relative:
            _refuse_zero(safe)
        distance = (safe - own) / (np.abs(safe) if relative else 1.0)
    # A best method that failed in the other half is beaten by everybody who did not.
    return np.where(scored, np.where(known, distance, 0.0), np.inf)


def improvement(cells: Cells) -> FloatArray:
    """P(a run of the best method beats one of this method) - 1/2, ties half; between 0 and 1/2.

    The best method is the one whose runs beat those of the others most often; where several do so equally
    often, the nearest of them counts. A failed run is beaten by every other one; a method that never
    succeeded is infinitely far away.
    """
    runs = [[cells.sign * cells.cell(m, p) for p in range(len(cells.problems))] for m in range(len(cells.methods))]
    duels = _duels(runs)
    if duels is not None:
        won, lost = duels
        first, second = (0.5 + won).round(12), (0.5 + lost).round(12)
        behind = np.where(first < second, lost, 0.5), np.where(second < first, won, 0.5)
        out = np.maximum(np.stack(behind) - 0.5, 0.0)
    else:
        out = np.empty((len(cells.methods), len(cells.problems)))
        for p, of_problem in enumerate(zip(*runs, strict=True)):
            wins = win_shares(of_problem)
            out[:, p] = np.maximum(wins[_most_wins(wins)] - 0.5, 0.0).min(axis=0)
    return np.where(cells.succeeded, out, np.inf)


def _duels(runs: Sequence[Sequence[FloatArray]]) -> tuple[FloatArray, FloatArray] | None:
    """How often each of two methods beats the other, on all problems at once; None where they have to be taken one by one.

    A picture of 500 methods holds its leader against each of the others: 100,000 times two samples of a few
    runs, which took 10 s one by one.
    """
    sizes = [{one.size for one in own} for own in runs]
    if len(runs) != 2 or any(len(size) != 1 for size in sizes):
        return None
    n, m = (size.pop() for size in sizes)
    if not n or not m or n * m * len(runs[0]) > MOST_DUELS:
        return None
    a, b = (np.stack(list(own)) for own in runs)
    if np.isnan(a).any() or np.isnan(b).any():
        return None
    won = np.count_nonzero(a[:, :, None] > b[:, None, :], axis=(1, 2))
    lost = np.count_nonzero(a[:, :, None] < b[:, None, :], axis=(1, 2))
    # Whole numbers are summed before they are divided, as `win_shares` does it.
    return (n * m + won - lost) / (2.0 * n * m), (n * m + lost - won) / (2.0 * n * m)


def _most_wins(wins: FloatArray) -> IntArray:
    """The best methods: one, or several that are equally good."""
    sums = wins.sum(axis=1).round(12)
    return np.flatnonzero(sums == sums.max())


def rank(cells: Cells, *, paired: bool) -> FloatArray:
    """-log10 of the one-sided p of a rank test that this method is at least as good as the best one.

    Mann and Whitney's test, or Wilcoxon's for paired runs; the best method is the one whose runs
    beat those of the others most often (of several, the nearest). A method that never succeeded is
    infinitely far away.
    """
    out = np.full((len(cells.methods), len(cells.problems)), np.inf)
    for p in range(len(cells.problems)):
        runs = [cells.sign * cells.cell(m, p) for m in range(len(cells.methods))]
        wins = win_shares(runs)
        for best in _most_wins(wins):
            for m, own in enumerate(runs):
                if m == best or wins[best, m] <= 0.5:
                    out[m, p] = 0.0
                    continue
                p_value = _wilcoxon(runs[best], own) if paired else _mann_whitney(runs[best], own)
                out[m, p] = min(out[m, p], -np.log10(p_value) if p_value > 0.0 else np.inf)
    return np.where(cells.succeeded, np.maximum(out, 0.0), np.inf)


def _mann_whitney(best: FloatArray, own: FloatArray) -> float:
    """The one-sided p; exact also with ties where one side has few runs, for which the normal law claims too much."""
    from scipy.stats import mannwhitneyu, rankdata

    tied = np.unique(np.append(best, own)).size < best.size + own.size
    if not tied or min(best.size, own.size) > FEW_RUNS:
        return float(mannwhitneyu(best, own, alternative="greater").pvalue)
    upper, lower = (best, own) if best.size <= own.size else (-own, -best)
    # Twice the mid-ranks are whole numbers; ways[k, s] counts the choices of k runs whose ranks sum to s.
    ranks = np.rint(2.0 * rankdata(np.append(upper, lower))).astype(np.intp)
    ways = np.zeros((upper.size + 1, int(np.sort(ranks)[-upper.size :].sum()) + 1))
    ways[0, 0] = 1.0
    for r in ranks:
        ways[1:, r:] += ways[:-1, :-r].copy()
    reached = int(ranks[: upper.size].sum())
    return float(ways[-1, reached:].sum() / ways[-1].sum())


def _wilcoxon(best: FloatArray, own: FloatArray) -> float:
    if best.size != own.size:
        raise InputError(
            f"paired runs must be equally many for every method; there are {best.size} and {own.size}. Say paired=False."
        )
    if not (np.isfinite(best).all() and np.isfinite(own).all()):
        raise InputError("paired runs must be finite: a failed run has no difference. Say paired=False.")
    gaps = best - own
    return 1.0 if not gaps.any() else signed_ranks_p(gaps, "greater")


def signed_ranks_p(gaps: FloatArray, alternative: Literal["two-sided", "greater"] = "two-sided") -> float:
    """Wilcoxon's p of gaps that are not all zero, as scipy has it, and at once where scipy takes a fifth of a second.

    Examples
    --------
    >>> signed_ranks_p(np.array([1.0, 1.0, 2.0, 3.0]), "greater")
    0.0625
    """
    from scipy.stats import rankdata, wilcoxon

    moved = gaps[gaps != 0.0]
    if gaps.size > ENUMERATED or np.unique(np.abs(gaps)).size == gaps.size == moved.size:
        return float(wilcoxon(gaps, alternative=alternative).pvalue)
    ranks = rankdata(np.abs(moved))
    signs = np.arange(2**moved.size)[:, None] >> np.arange(moved.size) & 1
    sums, found = signs @ ranks, float(ranks[moved > 0].sum())  # halves of whole numbers: sums are exact
    greater = float(np.mean(sums >= found))
    return greater if alternative == "greater" else min(1.0, 2.0 * min(greater, float(np.mean(sums <= found))))


def signed_ranks_ps(samples: Sequence[FloatArray]) -> FloatArray:
    """The two-sided p of each sample of gaps, none of them zero: `signed_ranks_p`, many at a time.

    All pairs of 500 methods are 124,750 tests; scipy's door costs a millisecond for each call. Samples are put
    together where scipy would choose the same way for each of them: of one size, with ties or without.
    """
    from scipy.stats import wilcoxon

    out = np.empty(len(samples))
    groups: dict[tuple[int, bool], list[int]] = {}
    for place, gaps in enumerate(samples):
        tied = bool(np.unique(np.abs(gaps)).size < gaps.size)
        groups.setdefault((gaps.size, tied), []).append(place)
    for (size, tied), places in groups.items():
        if tied and size <= ENUMERATED:
            out[places] = [signed_ranks_p(samples[i]) for i in places]
            continue
        step = max(1, AT_ONCE // size)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            out[some] = wilcoxon(np.stack([samples[i] for i in some]), axis=1).pvalue
    return out


def welch(moments: Moments) -> FloatArray:
    """-log10 of the one-sided Welch p that this method's mean is at least the best one's.

    The best method has the largest mean (of several, the nearest counts); a mean that equals it has distance 0. Where neither spreads
    and the means differ the distance is infinite.
    """
    mean, n = moments.sign * moments.mean, moments.n.astype(np.float64)
    error = moments.std**2 / n
    found = np.full(mean.shape, np.inf)
    for best in range(mean.shape[0]):
        p = np.flatnonzero(mean[best] == mean.max(axis=0))
        if p.size:
            found[:, p] = np.minimum(found[:, p], _welch_from(best, mean[:, p], error[:, p], n[:, p]))
    return found


def _welch_from(best: int, mean: FloatArray, error: FloatArray, n: FloatArray) -> FloatArray:
    """Distances from one method."""
    gap = mean[best] - mean
    total = error[best] + error
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gap / np.sqrt(total)
        df = total**2 / (error[best] ** 2 / (n[best] - 1.0) + error**2 / (n - 1.0))
    found: FloatArray = np.zeros_like(gap)
    worse = gap > 0.0
    found[worse & (total == 0.0)] = np.inf
    usual = worse & (total > 0.0)
    found[usual] = minus_log10_t(t[usual], df[usual])
    return found


def minus_log10_t(t: FloatArray, df: FloatArray) -> FloatArray:
    """-log10 P(T > t) for Student's t; by the leading term of the incomplete beta where P underflows."""
    from scipy.special import betaln, stdtr

    p = np.asarray(stdtr(df, -t))
    a = df / 2.0
    far = a * (np.log(df) - np.log(df + t**2)) - np.log(a) - betaln(a, 0.5) - np.log(2.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(p > 1e-290, -np.log10(p), -far / np.log(10.0)))


def moments_of(cells: Cells) -> Moments:
    """Mean, standard deviation and number of runs of every cell."""
    sizes = cells.sizes
    if not np.isfinite(cells.values).all():
        raise InputError(
            "a failed run has no place in a mean; use kind='rank' or 'improvement', which only order runs."
        )
    if int(sizes.min()) < 2:
        m, p = np.argwhere(sizes == sizes.min())[0]
        raise InputError(
            f"{cells.methods[m]!r} has one run on {cells.problems[p]!r}; one run says nothing about spread, and a Welch test needs two."
        )
    mean = cells.joined("mean")
    gaps = (cells.values - np.repeat(mean.ravel(), sizes.ravel())) ** 2
    std = np.sqrt(np.add.reduceat(gaps, cells.starts[:-1]) / (sizes.ravel() - 1)).reshape(sizes.shape)
    # Equal runs have no spread; the rounding of their mean is none.
    low, high = (f.reduceat(cells.values, cells.starts[:-1]).reshape(sizes.shape) for f in (np.minimum, np.maximum))
    constant = low == high
    mean, std = np.where(constant, low, mean), np.where(constant, 0.0, std)
    return Moments(
        cells.methods, cells.problems, mean, std, sizes.astype(np.intp), cells.goal, cells.notes, cells.source,
        cells.reading, cells.independent,
    )  # fmt: skip
