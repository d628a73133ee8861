"""Statistics of resampled runs at every step of training: whole runs are drawn, and walked side by side.

A resample is how often each run was drawn; it is the same at every step, so that a resampled curve
is the curve of real runs. Resamples stand side by side in lanes: at every step the runs are passed
once in the order of their scores, and each lane adds up the mass that it drew. Runs that stand
below all that is asked for are only counted, those above it never looked at.

Arrays are steps × runs (`ordered`: the scores of a step in increasing order; `order`: whose they are;
`present`: how many runs have a score at the step, which stand first) and runs × lanes (`lanes`: the
mass of each run). Every lane has the same mass, `total`, at every step. What a caller has not drawn
itself, such as a lane in which every run counts once, it writes into `lanes`.
"""

import numpy as np

from ogive.jit import kernel
from ogive.kernels._resampling import SLACK, _draw, first_state

# Runs that are passed before a look at where the lanes stand.
_STRIDE = 8


@kernel
def draw_lanes(first, last, key, places, starts, drawn, lanes):
    """How often each run is drawn in the resamples first … last - 1, a column of `lanes` for each.

    The runs of task t are places[starts[t]] … places[starts[t + 1] - 1]; as many as there are of a task are drawn.
    """
    for r in range(first, last):
        state = first_state(key, r)
        drawn[:] = 0.0
        for t in range(starts.size - 1):
            state = _draw(state, places[starts[t] : starts[t + 1]], drawn)
        for i in range(drawn.size):
            lanes[i, r - first] = drawn[i]


@kernel
def weigh(counts, task_of, sizes, total, lanes):
    """The mass of each run in each lane: that of its task, total / T, shared by the runs drawn."""
    for i in range(counts.shape[0]):
        weight = total / (sizes.size * sizes[task_of[i]])
        for b in range(counts.shape[1]):
            lanes[i, b] = counts[i, b] * weight


@kernel
def weigh_present(counts, task_of, order, present, n_tasks, total, drawn, lanes):
    """The same where only the first `present` runs of `order` have a score.

    A task none of whose runs with a score was drawn counts as it is. `drawn` has room for a number
    of each task and lane, and one more of each task.
    """
    width = counts.shape[1]
    drawn[:] = 0.0
    for k in range(present):
        i = order[k]
        drawn[task_of[i], width] += 1.0
        for b in range(width):
            drawn[task_of[i], b] += counts[i, b]
    for k in range(present):
        i = order[k]
        t = task_of[i]
        for b in range(width):
            if drawn[t, b] > 0.0:
                lanes[i, b] = counts[i, b] * (total / (n_tasks * drawn[t, b]))
            else:
                lanes[i, b] = total / (n_tasks * drawn[t, width])


@kernel
def part_means(lanes, order, ordered, present, low, high, reached, kept, summed, out):
    """The mean of the outcomes between the masses low and high, out[b], at one step.

    With C the mass up to a score, cut to [low, high], the mean is the smallest score plus the sum
    of (high - C) / (high - low) times the gap to the next score: nothing but positive terms.
    """
    width = reached.size
    for b in range(width):
        reached[b] = 0.0
        summed[b] = 0.0
    k = 0
    while low > 0.0 and k + _STRIDE < present:
        for b in range(width):
            kept[b] = reached[b]
        for i in range(k, k + _STRIDE):
            row = lanes[order[i]]
            for b in range(width):
                reached[b] += row[b]
        most = 0.0
        for b in range(width):
            most = max(most, reached[b])
        if most > low:
            for b in range(width):
                reached[b] = kept[b]
            break
        k += _STRIDE
    smallest = ordered[k]
    while k + 1 < present:
        for i in range(k, min(k + _STRIDE, present - 1)):
            gap = ordered[i + 1] - ordered[i]
            row = lanes[order[i]]
            for b in range(width):
                mass = reached[b] + row[b]
                reached[b] = mass
                mass = low if mass < low else mass
                mass = high if mass > high else mass
                summed[b] += (high - mass) * gap
        k += _STRIDE
        least = high
        for b in range(width):
            least = min(least, reached[b])
        if least >= high:
            break
    for b in range(width):
        out[b] = smallest + summed[b] / (high - low)


@kernel
def quantiles(lanes, order, ordered, present, needed, reached, passed, out):
    """The smallest score at which the mass reaches `needed`, added to out[b], at one step."""
    width = reached.size
    for b in range(width):
        reached[b] = 0.0
        passed[b] = 0
    k = 0
    while k < present:
        for i in range(k, min(k + _STRIDE, present)):
            row = lanes[order[i]]
            for b in range(width):
                mass = reached[b] + row[b]
                reached[b] = mass
                passed[b] += 1 if mass < needed else 0
        k += _STRIDE
        least = needed
        for b in range(width):
            least = min(least, reached[b])
        if least >= needed:
            break
    for b in range(width):
        out[b] += ordered[min(passed[b], present - 1)]


@kernel
def middle_task_means(lanes, order, ordered, present, task_of, total, means, column, out):
    """The median over tasks of the mean of each task's runs, out[b], at one step; `means` is tasks × lanes."""
    n_tasks, width = means.shape
    for t in range(n_tasks):
        for b in range(width):
            means[t, b] = 0.0
    for k in range(present):
        score = ordered[k] * (n_tasks / total)
        row = lanes[order[k]]
        own = means[task_of[order[k]]]
        for b in range(width):
            own[b] += row[b] * score
    for b in range(width):
        for t in range(n_tasks):
            column[t] = means[t, b]
        column.sort()
        out[b] = 0.5 * (column[(n_tasks - 1) // 2] + column[n_tasks // 2])


@kernel
def over_steps(
    kind, low, high, counts, task_of, sizes, order, ordered, present, total, weighed, lanes, drawn, means, out,
):  # fmt: skip
    """A statistic of every lane at every step, out[step, lane].

    `kind` 0: the mean from level `low` to level `high`; 1: the middle of the quantiles at `low`, where every score
    between two neighbors is one; 2: the median of the tasks' means.
    """
    n, width = counts.shape
    reached, kept, summed = np.empty(width), np.empty(width), np.empty(width)
    passed = np.empty(width, np.int64)
    column = np.empty(sizes.size)
    weigh(counts, task_of, sizes, total, weighed)
    for s in range(ordered.shape[0]):
        m = present[s]
        mass = weighed
        if m < n:
            weigh_present(counts, task_of, order[s], m, sizes.size, total, drawn, lanes)
            mass = lanes
        if kind == 0:
            part_means(mass, order[s], ordered[s], m, low * total, high * total, reached, kept, summed, out[s])
        elif kind == 1:
            out[s] = 0.0
            quantiles(mass, order[s], ordered[s], m, (low - SLACK) * total, reached, passed, out[s])
            quantiles(mass, order[s], ordered[s], m, (high + SLACK) * total, reached, passed, out[s])
            for b in range(width):
                out[s, b] *= 0.5
        else:
            middle_task_means(mass, order[s], ordered[s], m, task_of, total, means, column, out[s])
