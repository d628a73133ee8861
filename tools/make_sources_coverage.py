"""Write `docs/reference/sources.md`: simulated coverage of shares, explained shares and gains (about three minutes).

python tools/make_sources_coverage.py
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from ogive.answers._sources_parameters import Parameter, _numeric
from ogive.answers._sources_ranges import Range, find_ranges
from ogive.statistics._effects import explained_share
from ogive.statistics._strata import variance_shares

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "sources.md"
REPETITIONS = 400
N_PIVOTS = 2000

# Effects with mean 0 and variance 1; "tail" has a long bad tail, "collapse" a fifth that fails.
SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: math.sqrt(3.0) * rng.uniform(-1, 1, n),
    "collapse": lambda rng, n: (0.2 - (rng.random(n) < 0.2)) / 0.4,
    "tail": lambda rng, n: 1.0 - rng.exponential(size=n),
}
# name: the sources' draws for each run, in the order of the shares; the last share is of the run itself
DESIGNS: dict[str, tuple[int, int, int]] = {
    "nested, 20 configurations × 10 runs": (20, 10, 0),
    "nested, 50 configurations × 5 runs": (50, 5, 0),
    "nested, 20 configurations × 4 data × 3 seeds": (20, 4, -3),
    "crossed, 20 configurations × 10 data": (20, 10, 1),
    "crossed, 15 configurations × 6 data × 3 seeds": (15, 6, 3),
}
SHARES = {
    0: ((0.1, 0.9), (0.5, 0.5), (0.8, 0.2)),
    -3: ((0.5, 0.3, 0.2), (0.1, 0.2, 0.7)),
    1: ((0.6, 0.2, 0.2), (0.2, 0.3, 0.5)),
    3: ((0.5, 0.2, 0.1, 0.2),),
}


def planted(
    design: tuple[int, int, int], shape: str, shares: tuple[float, ...], rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray], list[str]]:
    """Scores with given shares, the draws behind them, and the names of the shares' components."""
    a, b, r = design
    n = a * b * max(1, abs(r))
    run, config = np.arange(n), np.arange(n) // (n // a)
    names, codes = ["configuration", "seed"], [config, run]
    draws = {"configuration": config, "seed": run}
    if r:
        data = run // abs(r) if r < 0 else (run // r) % b
        draws = {"configuration": config, "data": data, "seed": run}
        names, codes = ["configuration", "data", "seed"], [config, data, run]
        if r > 1:
            names.insert(2, "configuration × data")
            codes.insert(2, config * b + data)
    first = SHAPES[shape](rng, a)
    effects = [first[config], *(rng.normal(size=n)[c] for c in codes[1:])]
    return sum(math.sqrt(s) * e for s, e in zip(shares, effects, strict=True)), draws, names  # type: ignore[return-value]


def share_coverage(
    design: tuple[int, int, int], shape: str, shares: tuple[float, ...], repetitions: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """How often each interval holds its share, and the mean of the estimates."""
    rng = np.random.default_rng([seed, *design[:2], len(shape)])
    held, mean = np.zeros(len(shares)), np.zeros(len(shares))
    for _ in range(repetitions):
        y, draws, names = planted(design, shape, shares, rng)
        found = {c.name: c.share for c in variance_shares(y, draws, rng=rng, n_pivots=N_PIVOTS).components}
        held += [found[name].low <= share <= found[name].high for name, share in zip(names, shares, strict=True)]
        mean += [found[name].estimate for name in names]
    return held / repetitions, mean / repetitions


def explained_coverage(n: int, share: float, shape: str, runs: int, repetitions: int) -> float:
    """How often the interval holds the share between four groups of runs."""
    rng = np.random.default_rng([n, runs, int(100 * share)])
    means = np.array([-1.0, -1.0, 1.0, 1.0]) * math.sqrt(share)
    held = 0
    for _ in range(repetitions):
        unit = np.repeat(np.arange(n), runs)
        group = rng.integers(0, 4, n)[unit]
        between = 0.5 if runs > 1 else 1.0
        y = math.sqrt((1 - share) * between) * SHAPES[shape](rng, n)[unit]
        y = y + means[group] + math.sqrt((1 - share) * (1 - between)) * rng.normal(size=n * runs)
        i = explained_share(y, group, clusters=unit if runs > 1 else None)
        held += i.low <= share <= i.high
    return held / repetitions


def spaces(rng: np.random.Generator, n: int, runs: int) -> list[Parameter]:
    """Three numbers and a choice of four, drawn independently; `runs` runs of each of n configurations."""
    found = [_numeric(f"x{j}", rng.random(n), n) for j in range(3)]
    choice = Parameter(
        name="choice", kind="categorical", codes=rng.integers(0, 4, n), labels=tuple("abcd"), cuts=(),
        ends=(math.nan, math.nan), log=False,
    )  # fmt: skip
    return [replace(p, codes=np.repeat(p.codes, runs)) for p in [*found, choice] if isinstance(p, Parameter)]


def _ranges(rng: np.random.Generator, n: int, runs: int, harm: float, digits: int | None) -> tuple[Range, ...]:
    """Ranges found where a tenth to a fifth of the first number's range costs `harm` standard deviations."""
    parameters = spaces(rng, n, runs)
    unit = np.repeat(np.arange(n), runs)
    y = math.sqrt(0.5) * rng.normal(size=n)[unit] + math.sqrt(0.5) * rng.normal(size=n * runs)
    y = y - harm * (parameters[0].codes == 0)
    y = y if digits is None else np.round(y, digits)
    return find_ranges(parameters, y, np.arange(n * runs), unit if runs > 1 else None, 1.0, 0.95)


def false_claims(n: int, runs: int, repetitions: int, digits: int | None = None) -> float:
    """How often any range is claimed although no parameter has an effect."""
    rng = np.random.default_rng([n, runs, digits or 0])
    return float(np.mean([any(r.shown for r in _ranges(rng, n, runs, 0.0, digits)) for _ in range(repetitions)]))


def planted_gains(n: int, repetitions: int, harm: float = 2.0) -> tuple[float, float]:
    """Where the lowest eighth of a parameter is bad: how often it is left out and shown, how often gains hold the truth."""
    rng = np.random.default_rng([n, 7])
    found, held, checked = 0, 0, 0
    for _ in range(repetitions):
        parameters = spaces(rng, n, 1)
        cut = parameters[0].cuts[0]
        y = rng.normal(size=n) - harm * (parameters[0].codes == 0)
        mine = [r for r in find_ranges(parameters, y, np.arange(n), None, 1.0, 0.95) if r.parameter == "x0"]
        found += any(r.shown and _ends(r.words)[0] >= cut for r in mine)
        for r in mine:
            low, high = _ends(r.words)
            bad = max(0.0, min(high, cut) - low) / (high - low)
            truth = _mixture(bad, harm, r.target) - _mixture(cut, harm, r.target)
            held += r.gain.low <= truth <= r.gain.high
            checked += 1
    return found / repetitions, held / max(1, checked)


def _mixture(bad: float, harm: float, target: str) -> float:
    """Median or mean of the worst tenth of normal scores of which a share is lower by `harm`."""
    level = 0.5 if target == "median" else 0.1
    parts = ((1.0 - bad, 0.0), (bad, -harm))
    q = brentq(lambda z: sum(w * norm.cdf(z - m) for w, m in parts) - level, -20.0, 20.0)
    return q if target == "median" else sum(w * (m * norm.cdf(q - m) - norm.pdf(q - m)) for w, m in parts) / level


def _ends(words: str) -> tuple[float, float]:
    """The ends of `x0 ≥ 0.1`, `x0 < 0.9`, `0.1 ≤ x0 < 0.9`."""
    left, _, right = words.partition("x0")
    low = float(left.split()[0]) if left.strip() else float(right.split()[1]) if "≥" in right else 0.0
    return low, float(right.split()[1]) if "<" in right else 1.0


def share_rows() -> Iterable[list[str]]:
    """Coverage of every share for every design, shape and setting."""
    for name, design in DESIGNS.items():
        for shape in SHAPES:
            for shares in SHARES[design[2]]:
                held, mean = share_coverage(design, shape, shares, REPETITIONS)
                row = [
                    name,
                    shape,
                    *(" / ".join(f"{v:{f}}" for v in vs) for vs, f in ((shares, "g"), (mean, ".2f"), (held, ".2f"))),
                ]
                print(row, flush=True)
                yield row


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table."""
    names = list(head)
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names), *lines, ""]


def page() -> list[str]:
    """The lines of the page."""
    explained = [
        [f"{n} × {runs}" if runs > 1 else str(n), shape, *(f"{explained_coverage(n, s, shape, runs, 500):.2f}" for s in (0.0, 0.1, 0.4, 0.8))]
        for n, runs in ((60, 1), (300, 1), (100, 5)) for shape in ("normal", "collapse", "tail")
    ]  # fmt: skip
    claims = [
        [f"{n} × {runs}" if runs > 1 else str(n), "continuous" if digits is None else "one decimal", f"{false_claims(n, runs, 500, digits):.3f}"]
        for n, runs, digits in ((200, 1, None), (1000, 1, None), (1000, 1, 1), (200, 5, None))
    ]  # fmt: skip
    gains = [[str(n), *(f"{v:.3f}" for v in planted_gains(n, 200))] for n in (400, 1000, 4000)]
    return [
        "# Where the spread comes from: simulated coverage", "",
        "`ogive.sources` gives approximate intervals, so this page says how approximate. All are asked for 95 %; made by "
        "`python tools/make_sources_coverage.py`.", "",
        "## Shares of variance", "",
        f"{REPETITIONS} tables each, so that a coverage of 0.95 shows as 0.93 to 0.97. Effects of configurations have the shape named, all others are normal: "
        "*uniform*; *collapse*, a fifth of the configurations fails; *tail*, exponential, a long tail of ever worse configurations. Shares in the "
        "order configuration, data (and configuration × data), run. With a long tail the intervals are too short: twenty configurations rarely show "
        "the worst ones. That is not seen in a table; draw more configurations where the worst few decide.", "",
        *table(("design", "configurations", "true shares", "mean estimates", "coverage"), share_rows()),
        "## Share of variance that a parameter explains", "",
        "500 tables each, four values of equal probability; n × runs: runs in clusters of one configuration. At a true share of 0 the interval begins at 0 "
        "nearly always.", "",
        *table(("n", "scores within a value", "share 0", "0.1", "0.4", "0.8"), explained),
        "## Ranges", "",
        "No parameter has an effect (three numbers, one choice of four): the share of 500 tables in which any range is claimed. The gains of a table hold "
        "together at 95 %, and only the lower half of the error makes a claim.", "",
        *table(("n", "scores", "tables with a false claim"), claims),
        "The lowest eighth of one parameter costs two standard deviations: the share of 200 tables in which a range without that part is chosen and its gain "
        "shown, and the share of intervals that hold the true gain of the range that was chosen. Intervals are adjusted for eight ranges.", "",
        *table(("n", "found and shown", "gains held"), gains),
    ]  # fmt: skip


def main() -> None:
    """Write the page."""
    TARGET.write_text("\n".join(page()).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
