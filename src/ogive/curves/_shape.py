"""The shape of the distribution at each size: normal or not, one mode or several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ogive.curves._statistics import finite
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.statistics import Dip, NormalityTest, dip, normality
from ogive.trials import FloatArray
from ogive.words import aligned, printable, share

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves

LEVEL = 0.05
N_RESAMPLES = 999
GRID = 256
MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NormalityCurves:
    """A test of normality for every model at every size.

    Attributes
    ----------
    rows : tuple of str
        Models, or "a - b" for paired differences.
    published : array [row, size]
        p-values as tables usually report them, with no regard for ties.
    lattice : array [row, size]
        p-values against normal numbers rounded to the lattice of the metric; NaN where it has none.
    status : array of str [row, size]
        `tested`, `constant` (neither normal nor not), `too few`, or `missing` (a score is).

    Notes
    -----
    Sizes of one repetition depend on each other: the shares are descriptions, not tests. Accuracies
    on m test points are multiples of 1/m, which a test of continuous normality rejects for large
    samples however normal they are: read `lattice` then.
    """

    rows: tuple[str, ...]
    sizes: NDArray[np.int64]
    metric: str
    test: str
    published: FloatArray
    lattice: FloatArray
    status: NDArray[np.str_]
    n: int
    scope: str

    def gaussian_share(self, *, lattice: bool = False, constant: str = "exclude", level: float = LEVEL) -> FloatArray:
        """For each row, the share of sizes at which normality is not rejected.

        Constant sizes are left out, or counted as "gaussian" (as published) or "not gaussian".
        """
        if constant not in ("exclude", "gaussian", "not gaussian"):
            raise InputError(f"`constant` must be 'exclude', 'gaussian' or 'not gaussian'; got {constant!r}.")
        p = self.lattice if lattice else self.published
        kept = (self.status == "tested") & (p >= level)
        counted = (self.status == "tested") & ~np.isnan(p)
        if constant != "exclude":
            counted = counted | (self.status == "constant")
            kept = kept | ((self.status == "constant") & (constant == "gaussian"))
        total = counted.sum(axis=1)
        return np.where(total > 0, kept.sum(axis=1) / np.maximum(total, 1), np.nan)

    def __repr__(self) -> str:
        return f"NormalityCurves({self.test}, {self.metric}, {len(self.rows)} rows x {self.sizes.size} sizes)"

    def __str__(self) -> str:
        plain, aware = self.gaussian_share(), self.gaussian_share(lattice=True)
        head = ["", "not rejected", "tie-aware", "constant sizes"]
        lines = [
            [printable(row), _share(plain[i]), _share(aware[i]), str(int((self.status[i] == "constant").sum()))]
            for i, row in enumerate(self.rows)
        ]
        return "\n".join(
            [f"Normality of {self.metric} ({self.test}, level {LEVEL:g}): share of {self.sizes.size} sizes", *aligned([head, *lines]),
             f"{self.n} repetitions, {self.scope}; a description, since sizes depend on each other."]
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        rows = [
            {"row": row, "size": int(size), "p_published": finite(self.published[i, j]), "p_lattice": finite(self.lattice[i, j]),
             "status": str(self.status[i, j])}
            for i, row in enumerate(self.rows)
            for j, size in enumerate(self.sizes)
        ]  # fmt: skip
        return {"schema": 1, "metric": self.metric, "test": self.test, "n": self.n, "rows": rows}


def normality_along(
    curves: LearningCurves, metric: str | None, *, test: str, pair: tuple[str, str] | None, lattice: bool, seed: int
) -> NormalityCurves:
    """Test every model, or the paired differences of two, at every size."""
    name = curves.metric_name(metric)
    if pair is None:
        tables = {model: curves.scores(model, name) for model in curves.models}
    else:
        tables = {f"{pair[0]} - {pair[1]}": curves.differences(*pair, name)}
    bounds = (-1.0, 1.0) if pair is not None else (0.0, 1.0)
    steps = curves.step(name)
    shape = (len(tables), len(curves.sizes))
    plain, aware, status = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, MISSING, dtype="<U8")
    for i, table in enumerate(tables.values()):
        known = ~np.isnan(table).any(axis=1)
        if not known.any():
            continue
        found = normality(table[known], test=cast(NormalityTest, test), seed=seed)
        plain[i, known], status[i, known] = found.p_value, found.status
        rows = np.flatnonzero(known & (status[i] == "tested"))
        if lattice and rows.size and steps[0] is not None:
            step = np.array([steps[row] for row in rows])
            ready = np.round(table[rows] / step[:, None]) * step[:, None]  # differences carry rounding errors
            aware[i, rows] = normality(
                ready, test=cast(NormalityTest, test), lattice=step, bounds=bounds, n_resamples=N_RESAMPLES, seed=seed
            ).p_value
    return NormalityCurves(
        rows=tuple(tables), sizes=curves.sizes, metric=name, test=test, published=plain, lattice=aware, status=status,
        n=curves.n_repetitions, scope=curves.scope,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Slice:
    """The distribution of one model's scores at one size (or for one setting of a hyper-parameter).

    Attributes
    ----------
    grid, density : array
        A Gaussian kernel estimate, for drawing; empty where all scores are equal.
    dip : Dip or None
        Hartigan's test for more than one mode; None where all scores are equal.
    """

    model: str
    size: int | None
    metric: str
    scores: FloatArray
    grid: FloatArray
    density: FloatArray
    dip: Dip | None

    @property
    def several_modes(self) -> bool:
        """Whether the dip test rejects one mode at 0.05."""
        return self.dip is not None and self.dip.p_value < LEVEL

    def __repr__(self) -> str:
        where = "" if self.size is None else f", n = {self.size}"
        said = "constant" if self.dip is None else f"{self.dip}"
        return f"Slice({self.model!r}{where}, {self.metric}: {said})"


def densities(
    curves: LearningCurves, sizes: Sequence[int] | None, model: str | None, metric: str | None, *, seed: int
) -> tuple[Slice, ...]:
    """Slices at the given sizes (first, middle and last where None), of one model or of all."""
    name = curves.metric_name(metric)
    chosen = curves.sizes[[0, len(curves.sizes) // 2, -1]].tolist() if sizes is None else list(np.atleast_1d(sizes))
    places = [curves.size_place(int(size)) for size in dict.fromkeys(chosen)]
    names = curves.models if model is None else (curves.models[curves.place(model)],)
    steps = curves.step(name)
    found = []
    for one in names:
        for place in places:
            scores = curves.scores(one, name)[place]
            known = scores[~np.isnan(scores)]
            size, bounds = int(curves.sizes[place]), curves.definitions[name].bounds
            found.append(slice_of(one, size, name, known, steps[place], bounds, seed))
    return tuple(found)


def slice_of(
    model: str, size: int | None, metric: str, scores: FloatArray, step: float | None, bounds: tuple[float | None, float | None], seed: int
) -> Slice:  # fmt: skip
    """A slice with its density and dip test."""
    grid, density = kernel_density(scores, step, bounds)
    found = dip(scores, lattice=step, seed=seed) if grid.size else None
    return Slice(model=model, size=size, metric=metric, scores=scores, grid=grid, density=density, dip=found)


def kernel_density(
    scores: FloatArray, step: float | None, bounds: tuple[float | None, float | None]
) -> tuple[FloatArray, FloatArray]:
    """A Gaussian kernel estimate with Silverman's width, at least one step of the lattice; empty where constant."""
    if scores.size < 2 or np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        return np.empty(0), np.empty(0)
    quartiles = np.quantile(scores, [0.25, 0.75])
    spreads = [float(scores.std(ddof=1)), float(np.diff(quartiles)[0]) / 1.349]
    width = 0.9 * min(s for s in spreads if s > 0.0) * scores.size**-0.2
    width = max(width, step or 0.0, 1e-3 * float(np.ptp(scores)))
    low, high = float(scores.min()) - 3 * width, float(scores.max()) + 3 * width
    grid = np.linspace(
        low if bounds[0] is None else max(low, bounds[0]), high if bounds[1] is None else min(high, bounds[1]), GRID
    )
    density = np.exp(-0.5 * ((grid[:, None] - scores[None, :]) / width) ** 2).sum(axis=1)
    return grid, density / (scores.size * width * math.sqrt(2.0 * math.pi))


def spread_within_steps(scores: FloatArray, step: float, seed: int) -> FloatArray:
    """Scores on lattices of about one step, each moved at random within it."""
    return scores + step * (stream(seed, "resample", "spread").random(scores.size) - 0.5)


def _share(value: float) -> str:
    return "–" if math.isnan(value) else share(value)
