"""Probability that the order statistics of uniforms stay inside a corridor."""

import math

import numpy as np

from ogive.jit import kernel

# Poisson terms below this share are dropped. All terms are positive, at most 2n steps drop one
# tail each, and the final conditioning multiplies by at most sqrt(2 pi n): for n = 20,000 the
# total relative error stays below 1e-17.
NEGLIGIBLE = 1e-25
# A longer step would need more Poisson terms than the corridor is wide; exp(-LONGEST_STEP) is
# also far from underflow.
LONGEST_STEP = 32.0


@kernel
def stay_probability(low, high):
    """P(low[i] <= U(i+1) <= high[i] for every i) for n sorted independent uniforms.

    Let N be a Poisson process of rate n. Given N(1) = n its times are the order statistics, and
    the event says: just before low[i] at most i points have come, at high[i] at least i + 1.
    The vector of P(N = j, still inside) is carried through the merged times: convolved with the
    Poisson increments, cut to the corridor, rescaled. At time 1 the mass at N = n is divided by
    P(N(1) = n). Both boundaries must not decrease. O(n w) steps for a corridor of w states,
    times the few Poisson terms that are not negligible. Khmaladze and Shinjikashvili (2001).
    """
    n = low.size
    mass = np.zeros(n + 1)
    moved = np.zeros(n + 1)
    steps = np.empty(n + 2)
    mass[0] = 1.0
    first, last = 0, 0  # states outside first..last hold no mass
    passed_low, passed_high = 0, 0
    log_scale, time, event = 0.0, 0.0, 0

    while passed_low < n or passed_high < n:
        at_low = low[passed_low] if passed_low < n else 2.0
        at_high = high[passed_high] if passed_high < n else 2.0
        now = min(at_low, at_high, 1.0)
        while now > time:
            rate = min(n * (now - time), LONGEST_STEP)
            time = now if rate < LONGEST_STEP else time + LONGEST_STEP / n
            ceiling = min(passed_low, n)
            n_steps = _poisson_terms(rate, ceiling - first, steps)
            for j in range(first, last + 1):
                moved[j] = steps[0] * mass[j]
            for j in range(last + 1, ceiling + 1):
                moved[j] = 0.0
            for d in range(1, n_steps):
                share = steps[d]
                for j in range(first, min(last, ceiling - d) + 1):
                    moved[j + d] += share * mass[j]
            last = min(ceiling, last + n_steps - 1)
            mass, moved = moved, mass
        if at_low <= at_high:
            passed_low += 1
        else:
            passed_high += 1
            first = max(first, passed_high)
            if first > last:
                return 0.0
        event += 1
        if event % 32 == 0:
            top = 0.0
            for j in range(first, last + 1):
                top = max(top, mass[j])
            if top <= 0.0:
                return 0.0
            # States far below the bulk only matter less later on: without this cut a
            # one-sided corridor would be n states wide.
            while mass[first] < NEGLIGIBLE * top:
                first += 1
            for j in range(first, last + 1):
                mass[j] /= top
            log_scale += math.log(top)

    rate = n * (1.0 - time)
    total = 0.0
    for j in range(first, last + 1):
        d = n - j
        if rate > 0.0:
            total += mass[j] * math.exp(d * math.log(rate) - rate - math.lgamma(d + 1.0))
        elif d == 0:
            total += mass[j]
    if total <= 0.0:
        return 0.0
    log_all = n * math.log(n) - n - math.lgamma(n + 1.0)
    return math.exp(math.log(total) + log_scale - log_all)


@kernel
def _poisson_terms(rate, most, terms):
    """Write P(Poisson(rate) = d) for d = 0, 1, …; return how many are not negligible."""
    terms[0] = math.exp(-rate)
    count = 1
    for d in range(1, most + 1):
        terms[d] = terms[d - 1] * rate / d
        if d > rate and terms[d] < NEGLIGIBLE:
            break
        count += 1
    return count
