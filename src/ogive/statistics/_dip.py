"""One mode or more? Hartigan's dip."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, as_scores
from ogive.errors import InputError
from ogive.results import Guarantee, json_ready
from ogive.seeding import stream
from ogive.statistics._interval import Assumption
from ogive.statistics._normality import as_cells, scaled_rows

LEAST_RESAMPLES = 99
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Dip:
    """Distance to the nearest unimodal distribution, and how rare it is for a uniform one."""

    statistic: float
    p_value: float
    n: int
    method: str
    guarantee: Guarantee = "approximate"
    assumptions: tuple[str, ...] = (Assumption.INDEPENDENT,)

    def __str__(self) -> str:
        return f"dip {self.statistic:.3g}, p = {self.p_value:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return json_ready(asdict(self))


def dip(scores: ArrayLike, *, lattice: float | None = None, seed: int = 0, n_resamples: int = 2000) -> Dip:
    """Hartigan's dip of the scores; a small p-value says that they have more than one mode.

    Parameters
    ----------
    lattice : float, optional
        Step between possible scores (1/m for accuracies on m test points). Equal scores are then
        spread evenly over their step.
    seed, n_resamples : int
        The root of the random stream, and how many uniform samples are drawn for the p-value.

    Notes
    -----
    The dip is the largest distance between the empirical distribution function and the unimodal
    one nearest to it; a unimodal distribution may have an atom at its mode and nowhere else. The
    p-value is (1 + #) / (n_resamples + 1), # counting uniform samples of the same size with a
    dip as large. Approximate: the uniform is the unimodal distribution with the largest dip for
    large n, so others are rejected more rarely than the p-value says. Ties without `lattice`
    make the dip large and the p-value small: the result says so.

    References
    ----------
    Hartigan and Hartigan (1985), The dip test of unimodality, Annals of Statistics 13.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> print(dip(rng.normal(size=200)))
    dip 0.0179, p = 0.965
    >>> print(dip(np.concatenate([rng.normal(0, 1, 100), rng.normal(5, 1, 100)])))
    dip 0.0894, p = 0.0005
    """
    values = np.sort(as_scores(scores))
    if n_resamples < LEAST_RESAMPLES:
        raise InputError(
            f"`n_resamples` must be at least {LEAST_RESAMPLES}, for p-values down to 0.01; got {n_resamples}."
        )
    if lattice is not None:
        if not (lattice > 0.0 and np.isfinite(lattice)):
            raise InputError(f"`lattice` must be a positive step; got {lattice!r}.")
        values = spread_ties(as_cells(values.reshape(1, -1), float(lattice))[0])
    tied = bool(np.any(np.diff(values) == 0.0))
    statistic = float(dip_rows(values.reshape(1, -1))[0])
    null = null_dips(values.size, n_resamples, seed)
    extreme = null.size - int(np.searchsorted(null, statistic * (1.0 - 1e-9), side="left"))
    return Dip(
        statistic=statistic, p_value=(1 + extreme) / (null.size + 1), n=values.size,
        method="uniform null" if lattice is None else "uniform null, ties spread over their step",
        assumptions=(Assumption.INDEPENDENT, Assumption.CONTINUOUS) if tied else (Assumption.INDEPENDENT,),
    )  # fmt: skip


def dip_rows(ordered: FloatArray) -> FloatArray:
    """The dip of each row of increasing numbers."""
    from ogive.kernels._dip import dips

    n_rows, n = ordered.shape
    out = np.empty(n_rows)
    # Slopes between tiny or huge scores leave the range of floating-point numbers.
    largest = np.maximum(np.abs(ordered[:, 0]), np.abs(ordered[:, -1]))
    ordered = scaled_rows(ordered, (largest < 1e-100) | (largest > 1e100))
    dips(ordered.reshape(-1), n, 0, n_rows, out)  # type: ignore[no-untyped-call]
    return out


def spread_ties(cells: FloatArray) -> FloatArray:
    """Increasing whole numbers, each group of equal ones spread evenly over its unit."""
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    within = np.arange(cells.size) - np.repeat(first, counts)
    return np.asarray(cells - 0.5 + (within + 0.5) / np.repeat(counts, counts), dtype=np.float64)


@lru_cache(maxsize=128)
def null_dips(n: int, n_resamples: int, seed: int) -> FloatArray:
    """Dips of uniform samples, in increasing order."""
    rng = stream(seed, "resample", f"dip {n}")
    found = np.empty(n_resamples)
    block = max(1, _BLOCK // n)
    for start in range(0, n_resamples, block):
        rows = np.sort(rng.random((min(block, n_resamples - start), n)), axis=1)
        found[start : start + len(rows)] = dip_rows(rows)
    found.sort()
    found.flags.writeable = False
    return found
