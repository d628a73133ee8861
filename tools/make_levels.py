"""Make `src/ogive/statistics/levels.csv`, the shipped table of local levels (a quarter of an hour).

Solves the local level at every node, then at the geometric middle of every gap between nodes; the
largest relative error of interpolating there is written into the first line, and readers of the
table reduce every level by it.

    python tools/make_levels.py
"""

import itertools
import math

import numpy as np

from ogive.statistics._band import CONFIDENCES, TABLE, solve_local_level

SIDES = (True, False)  # two-sided, then one-sided


def nodes() -> list[int]:
    """Every n up to 200, steps of 5 % up to 5,000, then four."""
    steps = list(range(1, 201))
    while steps[-1] < 5000:
        steps.append(min(5000, math.ceil(steps[-1] * 1.05)))
    return [*steps, 7000, 10_000, 14_000, 20_000]


def levels(n: int) -> list[float]:
    """Two-sided levels at each confidence, then one-sided ones."""
    return [solve_local_level(n, c, two_sided=two_sided) for two_sided in SIDES for c in CONFIDENCES]


def main() -> None:
    """Solve, certify, write."""
    ns = nodes()
    table = []
    for n in ns:
        table.append(levels(n))
        print(n, table[-1][3], flush=True)
    logs = np.log(np.array(table))
    worst = 1e-9  # the solver's own tolerance
    for a, b in itertools.pairwise(ns):
        middle = round(math.sqrt(a * b))
        if middle in (a, b):
            continue
        guess = np.array([np.interp(math.log(middle), np.log(ns), column) for column in logs.T])
        error = np.abs(np.expm1(guess - np.log(levels(middle)))).max()
        worst = max(worst, error)
        print("between", a, b, error, flush=True)
    names = [f"{side}_{c}" for side in ("two", "one") for c in CONFIDENCES]
    with TABLE.open("w", encoding="ascii") as out:
        # twice the error seen half-way: the maximum may lie a little beside the middle
        out.write(
            f"# local levels of the exact band, made by tools/make_levels.py; relative error below: {2 * worst:.3e}\n"
        )
        out.write(",".join(["n", *names]) + "\n")
        for n, row in zip(ns, table, strict=True):
            out.write(",".join([str(n), *(f"{level:.10g}" for level in row)]) + "\n")


if __name__ == "__main__":
    main()
