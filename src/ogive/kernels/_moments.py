"""Mean, variance, skewness and kurtosis of many samples."""

import math

import numpy as np

from ogive.jit import kernel, summing_kernel

# Outside this range of the variance the fourth powers lose digits or overflow: such a row is read
# again, divided by its largest deviation.
SMALLEST_VARIANCE = 1e-60
LARGEST_VARIANCE = 1e60
# A first number further from the mean, in standard deviations, costs more than three digits of the
# fourth moment: such a row is read again from its mean.
FAR = 3.0


@kernel
def standardized_moments(values, n, first, last, means, variances, skewness, kurtosis):
    """Moments of the rows `first` … `last - 1` of `values`, which holds n numbers for each row.

    One pass sums the powers of each number less the row's first one, so a constant row has
    variance exactly 0 and a large mean costs no digits. Variance divides by n, skewness is
    m3 / m2^1.5, kurtosis m4 / m2^2 (3 for a normal distribution). Both are NaN for a constant
    row. NaN and infinities in a row show as a variance that is not finite.
    """
    scaled = np.empty(n)
    for row in range(first, last):
        sample = values[row * n : (row + 1) * n]
        shift, scale = sample[0], 1.0
        mean, m2, m3, m4 = _moments_about(sample, shift, 0.0)
        if mean * mean > FAR * FAR * m2:
            mean, m2, m3, m4 = _moments_about(sample, shift, mean)
        if not SMALLEST_VARIANCE < m2 < LARGEST_VARIANCE:
            largest = 0.0
            for i in range(n):
                largest = max(largest, abs(sample[i] - shift))
            if 0.0 < largest < math.inf:
                scale = 1.0 / largest
                for i in range(n):
                    scaled[i] = (sample[i] - shift) * scale
                mean, m2, m3, m4 = _moments_about(scaled, 0.0, 0.0)
                mean, m2, m3, m4 = _moments_about(scaled, 0.0, mean)
        means[row] = shift + mean / scale
        variances[row] = m2 / scale / scale
        if m2 == 0.0:
            skewness[row] = math.nan
            kurtosis[row] = math.nan
        else:
            skewness[row] = m3 / (m2 * math.sqrt(m2))
            kurtosis[row] = m4 / (m2 * m2)


@kernel
def _moments_about(sample, shift, center):
    """Mean of value - shift, and the central moments, from powers of value - shift - center."""
    n = sample.size
    s1, s2, s3, s4 = _power_sums(sample, shift, center)
    r1, r2, r3, r4 = s1 / n, s2 / n, s3 / n, s4 / n
    square = r1 * r1
    m2 = r2 - square
    m3 = r3 - 3.0 * r1 * r2 + 2.0 * r1 * square
    m4 = r4 - 4.0 * r1 * r3 + 6.0 * square * r2 - 3.0 * square * square
    return center + r1, m2, m3, m4


@summing_kernel
def _power_sums(sample, shift, center):
    """Sums of the first four powers of value - shift - center."""
    s1, s2, s3, s4 = 0.0, 0.0, 0.0, 0.0
    for i in range(sample.size):
        v = sample[i] - shift - center
        q = v * v
        s1 += v
        s2 += q
        s3 += q * v
        s4 += q * q
    return s1, s2, s3, s4
