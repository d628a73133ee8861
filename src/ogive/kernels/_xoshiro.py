"""Random words by xoshiro256++, uniform numbers, and normal ones by the ziggurat.

A stream is four words of state, which whoever calls fills with a key of its own; all zeros is no state. The
words of a stream depend on nothing but its key. States of many streams stand side by side, `states[word, stream]`,
so that several streams move at once.

A normal number takes one word: eight bits choose one of 256 layers of equal area under the curve, 53 others
the place within it. In 98.8 of 100 cases that is all; at the edge of a layer and in the tail more words are
taken until one fits. Without the branches of the generic generator of numba it takes a fifth of its time.

Unsigned arithmetic wraps around on purpose: callers hold `np.errstate(over="ignore")` where nothing is compiled.

Blackman and Vigna (2021), Scrambled linear pseudorandom number generators. Marsaglia and Tsang (2000), The
ziggurat method; Doornik (2005), An improved ziggurat method, for the order of its tests.
"""

import math

import numpy as np

from ogive.jit import kernel

# Every operand is an uint64: numba turns a mixture of signed and unsigned into a float.
_11, _17, _19, _23, _41, _45 = (np.uint64(k) for k in (11, 17, 19, 23, 41, 45))
_LAYER = np.uint64(255)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53

LAYERS = 256
TAIL = 3.6541528853610088  # where the tail begins, so that the last of 256 layers ends at 0


def _ziggurat():
    """Right ends of the layers, and the share of each that lies under the curve whatever the height."""
    area = TAIL * math.exp(-0.5 * TAIL * TAIL) + math.sqrt(0.5 * math.pi) * math.erfc(TAIL / math.sqrt(2.0))
    ends = np.zeros(LAYERS + 1)
    ends[0], ends[1] = area / math.exp(-0.5 * TAIL * TAIL), TAIL
    for i in range(2, LAYERS):
        ends[i] = math.sqrt(-2.0 * math.log(area / ends[i - 1] + math.exp(-0.5 * ends[i - 1] ** 2)))
    return ends, ends[1:] / ends[:-1]


_ENDS, _INSIDE = _ziggurat()


@kernel
def next_word(states, k):
    """The next word of stream k."""
    s0, s1, s2, s3 = states[0, k], states[1, k], states[2, k], states[3, k]
    total = s0 + s3
    word = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    states[1, k] = s1 ^ s2
    states[0, k] = s0 ^ s3
    states[2, k] = s2 ^ shifted
    states[3, k] = (s3 << _45) | (s3 >> _19)
    return word


@kernel
def uniform(states, k):
    """A number in [0, 1) of stream k."""
    return np.float64(next_word(states, k) >> _11) * _UNIT


@kernel
def normal(states, k):
    """A standard normal number of stream k."""
    word = next_word(states, k)
    layer = np.int64(word & _LAYER)
    place = 2.0 * (np.float64(word >> _11) * _UNIT) - 1.0
    if abs(place) < _INSIDE[layer]:
        return place * _ENDS[layer]
    return at_the_edge(states, k, layer, place)


@kernel
def at_the_edge(states, k, layer, place):
    """A normal number of stream k whose first word fell outside of what is under the curve for certain."""
    while True:
        if layer == 0:
            while True:
                # 1 - u lies in (0, 1]: its logarithm is finite.
                x = -math.log(1.0 - uniform(states, k)) / TAIL
                y = -math.log(1.0 - uniform(states, k))
                if y + y >= x * x:
                    return -(TAIL + x) if place < 0.0 else TAIL + x
        x = place * _ENDS[layer]
        low = math.exp(-0.5 * (_ENDS[layer] * _ENDS[layer] - x * x))
        high = math.exp(-0.5 * (_ENDS[layer + 1] * _ENDS[layer + 1] - x * x))
        if high + uniform(states, k) * (low - high) < 1.0:
            return x
        word = next_word(states, k)
        layer = np.int64(word & _LAYER)
        place = 2.0 * (np.float64(word >> _11) * _UNIT) - 1.0
        if abs(place) < _INSIDE[layer]:
            return place * _ENDS[layer]


@kernel
def write_normals(states, words, normals):
    """The next normal number of every stream; `words` is written over.

    The words of all streams are drawn at once, and so is what most of them need.
    """
    n = normals.size
    for k in range(n):
        s0, s1, s2, s3 = states[0, k], states[1, k], states[2, k], states[3, k]
        total = s0 + s3
        words[k] = ((total << _23) | (total >> _41)) + s0
        shifted = s1 << _17
        s2 ^= s0
        s3 ^= s1
        states[1, k] = s1 ^ s2
        states[0, k] = s0 ^ s3
        states[2, k] = s2 ^ shifted
        states[3, k] = (s3 << _45) | (s3 >> _19)
    for k in range(n):
        word = words[k]
        layer = np.int64(word & _LAYER)
        place = 2.0 * (np.float64(word >> _11) * _UNIT) - 1.0
        if abs(place) < _INSIDE[layer]:
            normals[k] = place * _ENDS[layer]
        else:
            normals[k] = at_the_edge(states, k, layer, place)
