"""Is the new version at least as good as the baseline? A gate for continuous integration."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from ogive.answers._comparison import Comparison, Comparisons, compare
from ogive.answers._words import interval, markdown, printable
from ogive.errors import InputError
from ogive.trials import Trials, compact

Outcome: TypeAlias = Literal["pass", "worse", "cannot tell"]

NEW, BASELINE = "new", "baseline"
PASSING = ("better", "not worse", "equivalent")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Check:
    """The outcome of a gate, the comparisons behind it, and how much it could have seen.

    `power` is the probability that a true drop of `drop`, with the spread seen here, would have been
    called worse; the smallest of all tasks.
    """

    outcome: Outcome
    comparisons: tuple[Comparison, ...]
    margin: float
    statistic: str
    drop: float
    power: float
    source: str
    unit: str
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Check({self.outcome}, {len(self.comparisons)} comparisons, margin {self.margin:g})"

    def __str__(self) -> str:
        head = {"pass": "PASS", "worse": "WORSE", "cannot tell": "CANNOT TELL"}[self.outcome]
        return "\n".join([f"{head}: {self.sentence()}", *(c.verdict for c in self.comparisons)])

    @property
    def exit_code(self) -> int:
        """0 pass, 4 cannot tell, 5 worse."""
        return {"pass": 0, "cannot tell": 4, "worse": 5}[self.outcome]

    def sentence(self) -> str:
        """The outcome, and the gate's own power."""
        what = {
            "pass": f"the new version is not worse by more than {self.margin:g}",
            "worse": "the new version is worse",
            "cannot tell": f"whether the new version is worse by more than {self.margin:g} cannot be told",
        }[self.outcome]
        return f"{what}. This gate would notice a drop of {self.drop:g} with probability {self.power:.2f}."

    def to_markdown(self) -> str:
        """A comment for a pull request."""
        lines = [
            f"### Ogive: {self.outcome}",
            "",
            markdown(self.sentence()),
            "",
            "| task | difference | conclusion |",
            "| --- | --- | --- |",
        ]
        for c in self.comparisons:
            shown = interval(c.primary.estimate, c.primary.low, c.primary.high)
            lines.append(f"| {markdown(c.task)} | {markdown(shown)} | {c.conclusion} |")
        return "\n".join([*lines, "", *(f"* {markdown(c.verdict)}" for c in self.comparisons)]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": list(self.notes), "outcome": self.outcome,
            "margin": self.margin, "statistic": self.statistic, "drop": self.drop, "power": self.power,
            "rows": [c.to_dict() for c in self.comparisons],
        }  # fmt: skip


def check(
    new: Trials,
    baseline: Trials,
    *,
    margin: float,
    statistic: str = "mean",
    algorithm: str | None = None,
    metric: str | None = None,
    drop: float | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
) -> Check:
    """Whether `new` is worse than `baseline` by more than `margin`.

    Parameters
    ----------
    margin : float
        How much worse is acceptable, in the units of the score.
    statistic : str
        "mean", a quantile such as "median" or "q0.1", or a worst share such as "worst_0.1".
    algorithm : str, optional
        The method to compare, where the tables hold several.
    drop : float, optional
        The true drop for which the gate states its power; twice the margin where not given.

    Notes
    -----
    Passes when the interval of the difference lies above minus the margin on every task, fails when
    it lies below zero on one of them, else cannot tell. The error is divided by the number of tasks.
    Rows are paired where both tables score the same items; runs and seeds are not, since equal seeds of
    two versions rarely mean equal draws.

    Examples
    --------
    >>> import ogive
    >>> old = ogive.read({"m": [0.80, 0.81, 0.79, 0.80, 0.82]}, unit="row")
    >>> new = ogive.read({"m": [0.81, 0.80, 0.80, 0.81, 0.82]}, unit="row")
    >>> check(new, old, margin=0.05).outcome
    'pass'
    """
    if statistic == "improvement":
        raise InputError("`statistic` of a gate must have the units of the score: mean, a quantile or a worst share.")
    if drop is not None and not drop > 0.0:
        raise InputError(f"`drop` must be positive; got {drop!r}.")
    merged = _merged(new, baseline, algorithm)
    found = compare(
        merged, NEW, BASELINE, metric=metric, margin=margin, statistic=statistic, confidence=confidence,
        failures=failures,
    )  # fmt: skip
    items = found.items if isinstance(found, Comparisons) else (found,)
    conclusions = [c.conclusion for c in items]
    outcome: Outcome = "cannot tell"
    if "worse" in conclusions:
        outcome = "worse"
    elif all(c in PASSING for c in conclusions):
        outcome = "pass"
    drop = 2.0 * margin if drop is None else drop
    from ogive.answers._summary import unit_words

    return Check(
        outcome=outcome, comparisons=items, margin=margin, statistic=statistic, drop=drop,
        power=min(_power(c, drop) for c in items), source=f"{new.source} against {baseline.source}",
        unit=unit_words(merged), notes=merged.notes,
    )  # fmt: skip


def _power(c: Comparison, drop: float) -> float:
    """P(upper end < 0) when the truth is -drop and the standard error is the one seen.

    With t the interval's quantile and se = half-width / t, the estimate must fall below -t se. With
    fewer than ten runs a side the spread is itself badly known, and the power comes out up to 0.05 too high.
    """
    from scipy.special import ndtr, ndtri

    half = (c.primary.high - c.primary.low) / 2.0
    if not (math.isfinite(half) and half > 0.0):
        return 0.0
    if c.statistic == "mean":
        from scipy.stats import nct, t

        df = max(1, c.n - 1 if c.paired else c.n - 2)
        quantile = float(t.ppf(0.5 + c.primary.confidence / 2.0, df))
        return float(nct.cdf(-quantile, df, -drop * quantile / half))
    z = float(ndtri(0.5 + c.primary.confidence / 2.0))
    return float(ndtr(z * (drop / half - 1.0)))


def _merged(new: Trials, baseline: Trials, algorithm: str | None) -> Trials:
    """Both tables as one, with the methods called `new` and `baseline`."""
    if new.definitions != baseline.definitions:
        raise InputError(
            "both tables need the same scores, goals and bounds; "
            f"new has {_described(new)}, the baseline {_described(baseline)}."
        )
    missing = [task for task in baseline.tasks if task not in new.tasks]
    if missing:
        raise InputError(
            f"the new table has no runs on {', '.join(map(repr, missing[:5]))}; a gate needs every task of the baseline."
        )
    parts = [_one_method(trials, algorithm, name) for trials, name in ((new, NEW), (baseline, BASELINE))]
    for trials in (new, baseline):
        if trials.question is not None:
            raise InputError(trials.question)
    table = pa.concat_tables(parts, promote_options="permissive")
    merged = compact(table)
    return replace(
        baseline, table=merged, notes=(*new.notes, *baseline.notes), pair="item" if merged["item"].null_count == 0 else None,
        independent=new.independent and baseline.independent, clustered=new.clustered or baseline.clustered,
    )  # fmt: skip


def _described(trials: Trials) -> str:
    return ", ".join(f"{name!r} ({m.goal}, bounds {m.bounds})" for name, m in trials.definitions.items())


def _one_method(trials: Trials, algorithm: str | None, name: str) -> pa.Table:
    if algorithm is None and len(trials.algorithms) > 1:
        raise InputError(
            f"{printable(trials.source)} holds {len(trials.algorithms)} methods; choose one by name (algorithm, on the command line --method)."
        )
    chosen = trials.algorithms[0] if algorithm is None else algorithm
    rows = pa.array(
        [i for cell in trials.cells if cell.algorithm == chosen for i in cell.rows.tolist()], type=pa.int64()
    )
    if not len(rows):
        raise InputError(f"{printable(trials.source)} holds no method {chosen!r}.")
    table = trials.table.take(rows)
    text = pa.table(
        {
            c: table[c].cast(pa.string()) if pa.types.is_dictionary(table[c].type) else table[c]
            for c in table.column_names
        }
    )
    place = text.column_names.index("algorithm")
    return text.set_column(place, "algorithm", pa.array([name] * len(rows)))
