"""Mean, variance, skewness and kurtosis of many samples."""

import math

import numpy as np

from ogive.jit import kernel

# Outside this range of the variance the fourth powers lose digits or overflow: such a row is read
# again, divided by its largest deviation.
SMALLEST_VARIANCE = 1e-60
LARGEST_VARIANCE = 1e60
# A first number further from the mean, in standard deviations, costs more than three digits of the
# fourth moment: such a row is read again from its mean.
FAR = 3.0
# Sums that run side by side. One sum would wait for each addition before the next; 32 in an array
# are added by vector instructions, more than twice as fast as four in variables.
LANES = 32


@kernel
def standardized_moments(values, n, first, last, means, variances, skewness, kurtosis):
    """Moments of the rows `first` … `last - 1` of `values`, which holds n numbers for each row.

    One pass sums the powers of each number less the row's first one, so a constant row has
    variance exactly 0 and a large mean costs no digits. Variance divides by n, skewness is
    m3 / m2^1.5, kurtosis m4 / m2^2 (3 for a normal distribution). Both are NaN for a constant
    row. NaN and infinities in a row show as a variance that is not finite.
    """
    lanes = np.empty((4, LANES))
    scaled = np.empty(n)
    for row in range(first, last):
        sample = values[row * n : (row + 1) * n]
        shift, scale = sample[0], 1.0
        mean, m2, m3, m4 = _moments_about(sample, shift, 0.0, lanes)
        if mean * mean > FAR * FAR * m2:
            mean, m2, m3, m4 = _moments_about(sample, shift, mean, lanes)
        if not SMALLEST_VARIANCE < m2 < LARGEST_VARIANCE:
            largest = 0.0
            for i in range(n):
                largest = max(largest, abs(sample[i] - shift))
            if 0.0 < largest < math.inf:
                scale = 1.0 / largest
                for i in range(n):
                    scaled[i] = (sample[i] - shift) * scale
                mean, m2, m3, m4 = _moments_about(scaled, 0.0, 0.0, lanes)
                mean, m2, m3, m4 = _moments_about(scaled, 0.0, mean, lanes)
        means[row] = shift + mean / scale
        variances[row] = m2 / scale / scale
        if m2 == 0.0:
            skewness[row] = math.nan
            kurtosis[row] = math.nan
        else:
            skewness[row] = m3 / (m2 * math.sqrt(m2))
            kurtosis[row] = m4 / (m2 * m2)


@kernel
def _moments_about(sample, shift, centre, lanes):
    """Mean of value - shift, and the central moments, from powers of value - shift - centre."""
    n = sample.size
    s1, s2, s3, s4 = _power_sums(sample, shift, centre, lanes[0], lanes[1], lanes[2], lanes[3])
    r1, r2, r3, r4 = s1 / n, s2 / n, s3 / n, s4 / n
    square = r1 * r1
    m2 = r2 - square
    m3 = r3 - 3.0 * r1 * r2 + 2.0 * r1 * square
    m4 = r4 - 4.0 * r1 * r3 + 6.0 * square * r2 - 3.0 * square * square
    return centre + r1, m2, m3, m4


@kernel
def _power_sums(sample, shift, centre, ones, squares, cubes, fourths):
    """Sums of the first four powers of value - shift - centre."""
    width = ones.size
    for k in range(width):
        ones[k] = 0.0
        squares[k] = 0.0
        cubes[k] = 0.0
        fourths[k] = 0.0
    blocks = sample.size // width
    for j in range(blocks):
        part = sample[j * width : (j + 1) * width]
        for k in range(width):
            v = part[k] - shift - centre
            q = v * v
            ones[k] += v
            squares[k] += q
            cubes[k] += q * v
            fourths[k] += q * q
    s1, s2, s3, s4 = _folded(ones), _folded(squares), _folded(cubes), _folded(fourths)
    for i in range(blocks * width, sample.size):
        v = sample[i] - shift - centre
        q = v * v
        s1 += v
        s2 += q
        s3 += q * v
        s4 += q * q
    return s1, s2, s3, s4


@kernel
def _folded(lane):
    """The sum of a power of two of numbers, half onto half."""
    width = lane.size
    while width > 1:
        width //= 2
        for k in range(width):
            lane[k] += lane[k + width]
    return lane[0]
