"""Placements: for each score of one sample, the share of the other that lies below it."""

from __future__ import annotations

import math

import numpy as np

from ogive.arguments import FloatArray
from ogive.statistics._resampling import satterthwaite

# How many pairs of unknown spread are added to what was seen, by simulation: fewer cover too rarely
# close to separation, more cost power with five runs a side.
_PAIRS_ADDED = 0.2


def placements(x: FloatArray, y: FloatArray) -> FloatArray:
    """For each x the share of y below it, ties half."""
    ordered = np.sort(y)
    below, upto = (np.searchsorted(ordered, x, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2.0 * y.size))


def placement_interval(x: FloatArray, y: FloatArray, share: float, confidence: float) -> tuple[float, float]:
    """Score interval of P(X > Y) + P(X = Y) / 2 with the spread that the samples show.

    `share` of the pairs, which x wins, varies through the placements of x and of y, each part with its
    own variance s_x² / m + s_y² / n (DeLong et al. 1988, Brunner and Munzel 2000), which holds for any
    two distributions. At the value theta the variance is taken to be rho theta (1 - theta), with
    rho the ratio seen. It is 1 / min(m, n) at most, where all that varies is on the side with
    fewer scores (van Dantzig 1951); close to separation little is seen of it, and a fifth of a
    pair with the largest rho is added. The quantile is Student's, with Satterthwaite's degrees
    of freedom; normal at separation, where rho is the largest and nothing is estimated.
    """
    from scipy.special import ndtri, stdtrit

    sizes = np.array([x.size, y.size], dtype=np.float64)
    places = placements(x, y), placements(y, x)
    fewer = float(sizes.min())
    variances = np.array([float(p.var()) for p in places]) / sizes
    level, seen = 0.5 + confidence / 2.0, variances > 0.0
    rho = (float(variances.sum()) + _PAIRS_ADDED / fewer**2) / (share * (1.0 - share) + _PAIRS_ADDED / fewer)
    if seen.any():
        quantile = float(stdtrit(satterthwaite(variances[seen], sizes[seen] - 1.0), level))
    else:
        quantile = float(ndtri(level))
    return score_interval(share, quantile**2 * rho)


def score_interval(share: float, scale: float) -> tuple[float, float]:
    """Both theta with (theta - share)² = scale theta (1 - theta); Wilson's interval for scale = z² / n."""
    centre = (share + scale / 2.0) / (1.0 + scale)
    half = math.sqrt(share * (1.0 - share) * scale + scale**2 / 4.0) / (1.0 + scale)
    return max(0.0, centre - half), min(1.0, centre + half)
