"""Random numbers inside kernels: SplitMix64, one stream for each resample.

A stream is a state of 64 bits that moves by a fixed odd step; its words are the states, mixed.
So word i is a function of the first state and i alone, nothing is carried from word to word but
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
