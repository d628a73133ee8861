"""Quantiles of resampled rows of a table: every row is drawn by the same counts."""

from ogive.jit import kernel


@kernel
def resampled_quantiles(ordered, order, counts, need, passed, out):
    """The smallest score of each row that at least `need` of its drawn scores do not exceed.

    `ordered` holds the scores of a row in increasing order, `order` their columns, `counts[i, b]` how often
    resample b drew column i. Counts are added up from the end that the quantile is nearer to, for all resamples
    side by side: of 1000 scores the 5 % quantile is among the first hundred in every resample, so that nine tenths
    of a row are never looked at. `passed` has room for two numbers of each resample; `out[b, row]` is written.
    """
    rows, n = ordered.shape
    resamples = counts.shape[1]
    sums, places = passed[0], passed[1]
    from_top = need > n // 2
    for row in range(rows):
        for b in range(resamples):
            sums[b] = 0
            places[b] = 0
        open_ones = True
        step = 0
        # From below the place is how many partial sums are less than `need`; from above the sum of what lies
        # beyond it is at most n - need.
        while open_ones and step < n:
            some = min(step + 16, n)
            for i in range(step, some):
                drawn = counts[order[row, n - 1 - i]] if from_top else counts[order[row, i]]
                if from_top:
                    for b in range(resamples):
                        sums[b] += drawn[b]
                        places[b] += sums[b] <= n - need
                else:
                    for b in range(resamples):
                        sums[b] += drawn[b]
                        places[b] += sums[b] < need
            step = some
            least = n
            for b in range(resamples):
                least = min(least, sums[b])
            open_ones = least <= n - need if from_top else least < need
        for b in range(resamples):
            out[b, row] = ordered[row, n - 1 - places[b]] if from_top else ordered[row, places[b]]
