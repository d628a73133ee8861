"""Bands: the exact solver against opda's simulation, the solver alone, and bands from the table.

    python benchmarks/bands.py          about three minutes, most of them the opponent's

opda's `ld_equal_tailed` is the same band with a critical value simulated by 100,000 trials. It
runs with `n_jobs=1`: its default starts a process for each core, which costs it more CPU
seconds. Neither side can remember anything: every round has a new n, the solver is called
beneath its memo, opda's memo is emptied.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import opda.nonparametric
from _measure import ROUNDS, Claim, circumstances, in_turns, number, report

from ogive import statistics
from ogive.statistics import _band

CONFIDENCE = 0.95
SMALL = (45, 47, 50, 53, 55)
MEDIUM = (480, 490, 500, 510, 520)
SOLVED = ((2000, 0.6), (10_000, 20.0))
TABULATED = (("exact", 20_000, 0.2), ("ks", 10**6, 1.0))
TIMES_FASTER = 200.0
# 100,000 trials leave some percent of doubt in the simulated level, which moves the band by less;
# a level wrong by a factor of two would move it by 0.015.
SIMULATION_NOISE = 0.005

# A first band in a new process: modules are loaded beforehand, the table of levels is not.
FIRST_BAND = """
import sys, time
import numpy as np, scipy.special, scipy.stats
from ogive import statistics
method, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
scores = np.random.default_rng(seed).random(n)
start = time.process_time()
band = statistics.band(scores, method=method)
spent = time.process_time() - start
assert band.method == method and band.n == n
assert "numba" not in sys.modules, "numba was loaded"
print(spent)
"""

NOTES = """\
CPU seconds of all threads, best of five in turns, a new n in each call, memos and table off;
compiling the kernel (once for each installation) and imports are not counted. *Solver* gives the
level and both boundaries; *door* is `ogive.statistics.band(scores, solve=True)`. The opponent is
`EmpiricalDistribution.confidence_bands(scores, 0.95, method="ld_equal_tailed", n_jobs=1)`, which
simulates 100,000 trials; the row of differences shows that both compute the same band. `n_jobs=1`
costs it fewer CPU seconds than its default of one process for each core. The last two rows: the
first call in a new process, which fails if numba was loaded."""


def solver(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = scores.size
    level = _band.solve_local_level.__wrapped__(n, CONFIDENCE, two_sided=True)
    return _band.boundaries(n, level, two_sided=True)


def door(scores: np.ndarray) -> statistics.Band:
    _band.solve_local_level.cache_clear()
    return statistics.band(scores, confidence=CONFIDENCE, solve=True)


def opponent(scores: np.ndarray) -> tuple[opda.nonparametric.EmpiricalDistribution, ...]:
    opda.nonparametric._ld_band_weights.cache_clear()
    return opda.nonparametric.EmpiricalDistribution.confidence_bands(
        scores, CONFIDENCE, method="ld_equal_tailed", generator=np.random.default_rng(scores.size), n_jobs=1
    )


def against_opponent() -> list[Claim]:
    claims = []
    for sizes in (SMALL, MEDIUM):
        ours, whole, theirs = in_turns(map(sample, sizes), solver, door, opponent)
        where = f"n = {sizes[0]} … {sizes[-1]}"
        for name, spent in (("solver", ours), ("door", whole)):
            detail = f"{number(spent * 1000)} ms against {number(theirs)} s"
            claims.append(
                Claim(text=f"exact band, {name}, {where}: times faster than opda", measured=theirs / spent,
                      limit=TIMES_FASTER, unit="×", at_least=True, detail=detail)
            )  # fmt: skip
    claims.append(
        Claim(text=f"largest difference between the two bands, n = {SMALL[0]}", measured=difference(sample(SMALL[0])),
              limit=SIMULATION_NOISE, unit="")
    )  # fmt: skip
    return claims


def difference(scores: np.ndarray) -> float:
    """Both programs must have computed the same thing."""
    band, (low, _, high) = door(scores), opponent(scores)
    sides = ((band.low, low), (band.high, high))
    return max(abs(ours.cdf(z) - float(theirs.cdf(z))) for ours, theirs in sides for z in scores)


def alone() -> list[Claim]:
    return [
        Claim(text=f"exact band, solver, n = {n:,}", measured=in_turns(map(sample, range(n - ROUNDS + 1, n + 1)), solver)[0],
              limit=limit)
        for n, limit in SOLVED
    ]  # fmt: skip


def from_table() -> list[Claim]:
    claims = []
    for method, n, limit in TABULATED:
        spent = min(first_band(method, n, seed) for seed in range(ROUNDS))
        source = "from the table" if method == "exact" else "any n"
        claims.append(Claim(text=f"`{method}` band, {source}, n = {n:,}, without numba", measured=spent, limit=limit))
    return claims


def first_band(method: str, n: int, seed: int) -> float:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_BAND, method, str(n), str(seed)], stdout=subprocess.PIPE, text=True, check=True
    )
    return float(done.stdout)


def sample(n: int) -> np.ndarray:
    return np.random.default_rng(n).random(n)


def main() -> int:
    header = circumstances("numpy", "scipy", "numba", "opda")
    solver(sample(7))  # compiles
    return report("Bands (`benchmarks/bands.py`)", header, NOTES, [*against_opponent(), *alone(), *from_table()])


if __name__ == "__main__":
    sys.exit(main())
