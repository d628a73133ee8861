"""Bootstrap resamples of runs within tasks: counts for each pooled rank, then one pass over them.

All scores of all tasks are sorted once. A resample is how often each sorted score was drawn;
everything asked of it is read off while walking the counts from the smallest score to the
largest. Each kernel takes a range of resamples and writes their rows of the caller's arrays.

Random numbers are SplitMix64's, one stream for each resample. A stream is a state of 64 bits
that moves by a fixed odd step; its words are the states, mixed. So word i is a function of the first state and i alone, nothing is carried from word to word but
an addition, and a resample is the same whatever block or thread computes it. The first states
are themselves mixed out of a key of 128 bits and the number of the resample. All streams run on
one cycle of 2^64 states: among a million streams of a million words, two share a word with
probability 0.05, and even then at unrelated places.

Unsigned arithmetic wraps around on purpose. numpy warns of that where the compiler is off
(NUMBA_DISABLE_JIT=1): callers hold `np.errstate(over="ignore")`.

Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators.
"""

import numpy as np

from ogive.jit import kernel

# Every operand is an uint64: numba turns a mixture of signed and unsigned into a float.
STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)
# A sum of weights must still reach a level that it equals but for rounding; a share of the total.
SLACK = 1e-12


@kernel
def mix(state):
    """The word of a state: a bijection of 64 bits in which every input bit moves every output bit."""
    state = (state ^ (state >> _30)) * _FIRST_FACTOR
    state = (state ^ (state >> _27)) * _SECOND_FACTOR
    return state ^ (state >> _31)


@kernel
def first_state(key, number):
    """The state before the first word of stream `number`; `key` holds two words of 64 bits."""
    return mix(key[1] ^ mix(key[0] + np.uint64(number) * STEP))


@kernel
def low_index(word, size):
    """An index below `size` (less than 2^32, as uint64) out of the word's lower half.

    The half, as a fraction of 2^32, times the size: of the 2^32 halves each index gets
    floor(2^32 / size) or one more. Its probability is off by a share of at most size / 2^32
    (2e-5 for 100,000 runs), spread evenly over the indices: nothing a bootstrap could show.
    The index stays unsigned: numba looks at the sign of a signed one before using it.
    """
    return ((word & _LOW_HALF) * size) >> _32


@kernel
def high_index(word, size):
    """Like `low_index`, out of the upper half."""
    return ((word >> _32) * size) >> _32


@kernel
def resample_runs(
    first, last, key, random_tasks, ordered, weights, total, ranks, starts, levels, ends, thresholds,
    quantiles, pieces, above, shortfall, task_means,
):  # fmt: skip
    """Summaries of the resamples first … last - 1.

    `ordered` holds the pooled scores, sorted, and `weights` the mass of each, `total` in all;
    `ranks[i]` is the place there of run i, and the runs of task t are starts[t] …
    starts[t + 1] - 1. Every task has the same mass. With `random_tasks` the tasks are drawn first, with replacement,
    then the runs within each. What is written is told at `summarize`; `task_means[r, t]` is the
    mean of the t-th task drawn, left alone where the array has no rows.
    """
    n_tasks = starts.size - 1
    means_wanted = task_means.shape[0] > 0
    counts = np.zeros(ordered.size)
    for r in range(first, last):
        state = first_state(key, r)
        for t in range(n_tasks):
            task = t
            if random_tasks:
                state += STEP
                task = np.int64(low_index(mix(state), np.uint64(n_tasks)))
            runs = ranks[starts[task] : starts[task + 1]]
            if means_wanted:
                task_means[r, t] = _drawn_sum(state, runs, ordered) / runs.size
            state = _draw(state, runs, counts)
        summarize(r, counts, ordered, weights, total, levels, ends, thresholds, quantiles, pieces, above, shortfall)


@kernel
def summarize(row, counts, ordered, weights, total, levels, ends, thresholds, quantiles, pieces, above, shortfall):
    """Read everything off the counts in one pass, and set them back to zero.

    F is the distribution with mass counts[k] weights[k] at ordered[k]; `levels` are increasing
    masses in (0, total]. Written are, each as a share of the total:

    quantiles[row, j]  the smallest score at which F reaches levels[j]
    pieces[row, j]     the integral of F's quantile function from level j - 1 to level j; the
                       last one reaches from the last level to 1. Sums of pieces are means of
                       any part of the outcomes, and outliers outside the part never enter
    above[row, i]      the mass of scores above thresholds[i], which are the ranks from ends[i] on
    shortfall[row, i]  the integral of F up to thresholds[i], E[(threshold - Z)+]
    """
    n_levels, n_thresholds = levels.size, thresholds.size
    slack = SLACK * total
    mass, piece, finished = 0.0, 0.0, 0.0
    j, k = 0, 0
    following = levels[0] - slack if n_levels > 0 else np.inf
    for i in range(n_thresholds + 1):
        end = ends[i] if i < n_thresholds else ordered.size
        while k < end:
            if k + 4 <= end:
                # Four at once where no level lies among them: a sum waits for the one before it.
                a, b = counts[k] * weights[k], counts[k + 1] * weights[k + 1]
                c, d = counts[k + 2] * weights[k + 2], counts[k + 3] * weights[k + 3]
                reached = mass + ((a + b) + (c + d))
                if reached < following:
                    piece += (a * ordered[k] + b * ordered[k + 1]) + (c * ordered[k + 2] + d * ordered[k + 3])
                    mass = reached
                    counts[k], counts[k + 1], counts[k + 2], counts[k + 3] = 0.0, 0.0, 0.0, 0.0
                    k += 4
                    continue
            score = ordered[k]
            reached = mass + counts[k] * weights[k]
            counts[k] = 0.0
            while reached >= following:
                piece += (levels[j] - mass) * score
                quantiles[row, j] = score
                pieces[row, j] = piece / total
                finished += piece
                piece, mass = 0.0, levels[j]
                j += 1
                following = levels[j] - slack if j < n_levels else np.inf
            piece += (reached - mass) * score
            mass = reached
            k += 1
        if i < n_thresholds:
            # Weights add to the total but for rounding: nothing lies above the last score.
            above[row, i] = max(total - mass, 0.0) / total if end < ordered.size else 0.0
            shortfall[row, i] = (thresholds[i] * mass - (finished + piece)) / total
    pieces[row, n_levels] = piece / total


@kernel
def resample_improvement(first, last, key, x_starts, y_starts, below, upto, improvement):
    """Average over tasks of P(X > Y) + P(X = Y) / 2 in the resamples first … last - 1.

    In each task, `below[i]` of the sorted runs of y lie below run i of x, and `upto[i]` up to
    it. Runs of y are drawn as counts; with C their running sum, a drawn run i of x wins
    (C[below[i]] + C[upto[i]]) / 2 times. Runs of x and of y are drawn independently.
    """
    n_tasks = x_starts.size - 1
    longest = 0
    for t in range(n_tasks):
        longest = max(longest, y_starts[t + 1] - y_starts[t])
    passed = np.zeros(longest + 1, np.int64)
    for r in range(first, last):
        state = first_state(key, r)
        summed = 0.0
        for t in range(n_tasks):
            n_x, n_y = x_starts[t + 1] - x_starts[t], y_starts[t + 1] - y_starts[t]
            passed[: n_y + 1] = 0
            state = _draw_places(state, n_y, passed[1 : n_y + 1])
            for k in range(n_y):
                passed[k + 1] += passed[k]
            start, size = np.uint64(x_starts[t]), np.uint64(n_x)
            wins, i = 0, 0
            while i < n_x:
                state += STEP
                word = mix(state)
                run = start + low_index(word, size)
                wins += passed[below[run]] + passed[upto[run]]
                if i + 1 < n_x:
                    run = start + high_index(word, size)
                    wins += passed[below[run]] + passed[upto[run]]
                i += 2
            summed += wins / (2.0 * n_x * n_y)
        improvement[r] = summed / n_tasks


@kernel
def violation_ratio(a, a_counts, b, b_counts):
    """The share of the squared distance between quantile functions where a's lies below b's.

    Both are sorted, with a count for each value. The two step functions are merged: between
    two neighboring steps both are constant, so the integrals are finite sums, exact, in
    O(n + m). Levels are kept as whole numbers (of the product of both totals), so that equal
    steps meet. 1/2 where the functions are equal everywhere.
    """
    n, m = 0, 0
    for i in range(a.size):
        n += a_counts[i]
    for j in range(b.size):
        m += b_counts[j]
    violation, distance = 0.0, 0.0
    i, j = -1, -1
    level, a_reached, b_reached = 0, 0, 0
    while level < n * m:
        while a_reached == level:
            i += 1
            a_reached += a_counts[i] * m
        while b_reached == level:
            j += 1
            b_reached += b_counts[j] * n
        following = min(a_reached, b_reached)
        gap = b[j] - a[i]
        area = (following - level) * gap * gap
        distance += area
        if gap > 0.0:
            violation += area
        level = following
    return violation / distance if distance > 0.0 else 0.5


@kernel
def resample_violation_ratio(first, last, key, a, b, ratios):
    """The violation ratio of the resamples first … last - 1 of two sorted samples."""
    a_counts, b_counts = np.zeros(a.size, np.int64), np.zeros(b.size, np.int64)
    for r in range(first, last):
        state = first_state(key, r)
        a_counts[:] = 0
        b_counts[:] = 0
        state = _draw_places(state, a.size, a_counts)
        state = _draw_places(state, b.size, b_counts)
        ratios[r] = violation_ratio(a, a_counts, b, b_counts)


@kernel
def _draw(state, runs, counts):
    """Draw as many runs as there are, two out of each word, and count their ranks; the new state."""
    size = np.uint64(runs.size)
    for _ in range(runs.size // 2):
        state += STEP
        word = mix(state)
        counts[runs[low_index(word, size)]] += 1.0
        counts[runs[high_index(word, size)]] += 1.0
    if runs.size % 2:
        state += STEP
        counts[runs[low_index(mix(state), size)]] += 1.0
    return state


@kernel
def _drawn_sum(state, runs, ordered):
    """The sum of the scores that `_draw` counts from the same state."""
    size = np.uint64(runs.size)
    total = 0.0
    for _ in range(runs.size // 2):
        state += STEP
        word = mix(state)
        total += ordered[runs[low_index(word, size)]] + ordered[runs[high_index(word, size)]]
    if runs.size % 2:
        state += STEP
        total += ordered[runs[low_index(mix(state), size)]]
    return total


@kernel
def _draw_places(state, n, counts):
    """Draw n of the places 0 … n - 1, two out of each word, and count them; the new state."""
    size = np.uint64(n)
    for _ in range(n // 2):
        state += STEP
        word = mix(state)
        counts[low_index(word, size)] += 1
        counts[high_index(word, size)] += 1
    if n % 2:
        state += STEP
        counts[low_index(mix(state), size)] += 1
    return state
