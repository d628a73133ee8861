"""Write `docs/reference/sources.md`: simulated coverage of shares, explained shares and gains (about eight minutes).

python tools/make_sources_coverage.py
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

import ogive
from ogive.answers._parameters import Parameter, Range, _numeric, find_ranges
from ogive.statistics import explained_share, variance_shares

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "sources.md"
REPETITIONS = 400
TABLES = {50: 1000, 200: 1000, 400: 300, 1000: 200}
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
    return find_ranges(parameters, y, unit % 2 == 0, unit if runs > 1 else None, 1.0, 0.95)


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
        mine = [r for r in find_ranges(parameters, y, np.arange(n) % 2 == 0, None, 1.0, 0.95) if r.parameter == "x0"]
        found += any(r.shown and (r.low or 0.0) >= cut for r in mine)
        for r in mine:
            low, high = r.low or 0.0, 1.0 if r.high is None else r.high
            bad = max(0.0, min(high, cut) - low) / (high - low)
            truth = _mixture(bad, harm, r.target) - _mixture(cut, harm, r.target)
            held += r.gain.low <= truth <= r.gain.high
            checked += 1
    return found / repetitions, held / max(1, checked)


# Scores of tables in which no parameter matters.
SCORES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: -rng.exponential(size=n),
    "lattice of six": lambda rng, n: rng.integers(0, 6, n) / 5.0,
    "3 % collapse": lambda rng, n: np.where(rng.random(n) < 0.03, 0.1, 0.9) + 0.02 * rng.normal(size=n),
    "10 % collapse": lambda rng, n: np.where(rng.random(n) < 0.10, 0.1, 0.9) + 0.02 * rng.normal(size=n),
}
# (rows, parameters)
SIZES = ((50, 2), (200, 3), (400, 4), (1000, 4))
# What is planted in the lower half of the first parameter.
HARMS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "lower by 2 standard deviations": lambda rng, x: rng.normal(size=x.size) - 2.0 * (x < 0.5),
    "lower by 1 standard deviation": lambda rng, x: rng.normal(size=x.size) - (x < 0.5),
    "40 % of its runs collapse": lambda rng, x: (
        np.where((rng.random(x.size) < 0.4) & (x < 0.5), 0.1, 0.9) + 0.02 * rng.normal(size=x.size)
    ),
}


def public_table(
    rng: np.random.Generator, n: int, n_parameters: int, scores: Callable[[np.random.Generator, np.ndarray], np.ndarray]
) -> ogive.Trials:
    """Trials with numbers x0, x1 … and a choice of four, scored by the values of x0."""
    names = [*(f"x{j}" for j in range(n_parameters - 1)), "choice"]
    columns: dict[str, np.ndarray] = {name: rng.random(n) for name in names[:-1]}
    columns["choice"] = rng.choice(list("abcd"), n)
    table = pd.DataFrame({**columns, "run": np.arange(n), "score": scores(rng, columns["x0"])})
    return ogive.read(
        table, score="score", params=names, repeat="run", unit="row", varied=["configuration"], goal="maximize"
    )


def public_claims(n: int, n_parameters: int, shape: str, repetitions: int) -> tuple[float, float]:
    """Through `ogive.sources`: tables with a suggested range, and those that deny all effects before it."""
    rng = np.random.default_rng([n, n_parameters, len(shape)])
    claims, contradictions = 0, 0
    for _ in range(repetitions):
        trials = public_table(rng, n, n_parameters, lambda rng, x: SCORES[shape](rng, x.size))
        cell = ogive.sources(trials, holds={}).cell()
        claimed = any(r.shown for r in cell.ranges)
        claims += claimed
        contradictions += claimed and not any(e.explained.low > 0.0 for e in cell.effects)
    return claims / repetitions, contradictions / repetitions


def public_power(n: int, harm: str, repetitions: int) -> float:
    """Through `ogive.sources`: tables with a suggested range of x0 of which at most a tenth is bad."""
    rng = np.random.default_rng([n, len(harm)])
    found = 0
    for _ in range(repetitions):
        cell = ogive.sources(public_table(rng, n, 3, HARMS[harm]), holds={}).cell()
        for r in cell.ranges:
            if r.shown and r.parameter == "x0":
                low, high = r.low or 0.0, 1.0 if r.high is None else r.high
                if max(0.0, 0.5 - low) <= 0.1 * (high - low):
                    found += 1
                    break
    return found / repetitions


# kind: scores of K configurations with r runs each, and the true share of the configuration
def _hard(kind: str, k: int, r: int, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    config, noise, effect = np.repeat(np.arange(k), r), rng.normal(size=k * r), rng.normal(size=k)
    if kind == "5 % of configurations collapse":  # by ten standard deviations
        return (effect - 10.0 * (rng.random(k) < 0.05))[config] + noise, 5.75 / 6.75
    if kind == "spread differs by configuration":  # its logarithm is standard normal
        return math.e * effect[config] + np.exp(rng.normal(size=k))[config] * noise, 0.5
    if kind == "3 % of runs collapse":
        return effect[config] + noise - 10.0 * (rng.random(k * r) < 0.03), 1.0 / (2.0 + 100.0 * 0.03 * 0.97)
    return effect[config] + noise, 0.5


HARD = ("normal", "5 % of configurations collapse", "spread differs by configuration", "3 % of runs collapse")


def hard_coverage(kind: str, k: int, r: int, repetitions: int) -> tuple[float, float, float]:
    """How often the share of the configuration is held, is called approximate, and is held when it is called so."""
    rng = np.random.default_rng([k, r, len(kind)])
    held, called = np.zeros(repetitions, dtype=bool), np.zeros(repetitions, dtype=bool)
    draws = {"configuration": np.repeat(np.arange(k), r), "seed": np.arange(k * r)}
    for i in range(repetitions):
        y, truth = _hard(kind, k, r, rng)
        component = variance_shares(y, draws, rng=rng, n_pivots=N_PIVOTS).of("configuration")
        assert component is not None
        held[i] = component.share.low <= truth <= component.share.high
        called[i] = component.share.guarantee == "approximate"
    return float(held.mean()), float(called.mean()), float(held[called].mean()) if called.any() else math.nan


def hard_rows() -> Iterable[list[str]]:
    """Coverage of the configuration's share where effects are far from normal or spreads unequal."""
    for k, r in ((10, 10), (20, 10), (50, 5), (60, 5), (100, 3)):
        for kind in HARD:
            held, called, right = hard_coverage(kind, k, r, REPETITIONS)
            row = [f"{k} × {r}", kind, f"{held:.2f}", f"{called:.2f}", "–" if math.isnan(right) else f"{right:.2f}"]
            print(row, flush=True)
            yield row


# The same tables before ranges were tested by permutation: tables with a range, and right after "no effect can be shown".
BEFORE: dict[tuple[int, str], tuple[float, float]] = {
    **{(50, shape): (0.0, 0.0) for shape in SCORES},
    **{(n, shape): (0.0, 0.0) for n in (200, 400) for shape in ("normal", "exponential", "lattice of six")},
    (200, "3 % collapse"): (0.0, 0.0),
    (200, "10 % collapse"): (0.0075, 0.0075),
    (400, "3 % collapse"): (0.005, 0.005),
    (400, "10 % collapse"): (0.004, 0.004),
    (1000, "normal"): (0.016, 0.016),
    (1000, "exponential"): (0.03, 0.03),
    (1000, "lattice of six"): (0.0, 0.0),
    (1000, "3 % collapse"): (0.23, 0.23),
    (1000, "10 % collapse"): (0.006, 0.006),
}
BEFORE_POWER: dict[tuple[int, str], float] = {
    (200, "lower by 2 standard deviations"): 0.82,
    (200, "lower by 1 standard deviation"): 0.18,
    (200, "40 % of its runs collapse"): 0.08,
    (400, "lower by 2 standard deviations"): 0.99,
    (400, "lower by 1 standard deviation"): 0.76,
    (400, "40 % of its runs collapse"): 1.0,
    (1000, "lower by 2 standard deviations"): 1.0,
    (1000, "lower by 1 standard deviation"): 0.98,
    (1000, "40 % of its runs collapse"): 1.0,
}


def claim_rows() -> Iterable[list[str]]:
    """False claims through the public call, before and now."""
    for n, n_parameters in SIZES:
        for shape in SCORES:
            now = public_claims(n, n_parameters, shape, TABLES[n])
            row = [f"{n}", f"{n_parameters}", shape, *(f"{v:.3f}" for v in (*BEFORE[n, shape], *now)), f"{TABLES[n]}"]
            print(row, flush=True)
            yield row


def power_rows() -> Iterable[list[str]]:
    """How often a bad half is found, before and now."""
    for n in (200, 400, 1000):
        for harm in HARMS:
            row = [f"{n}", harm, f"{BEFORE_POWER[n, harm]:.2f}", f"{public_power(n, harm, 300):.2f}"]
            print(row, flush=True)
            yield row


def _mixture(bad: float, harm: float, target: str) -> float:
    """Median or mean of the worst tenth of normal scores of which a share is lower by `harm`."""
    level = 0.5 if target == "median" else 0.1
    parts = ((1.0 - bad, 0.0), (bad, -harm))
    q = brentq(lambda z: sum(w * norm.cdf(z - m) for w, m in parts) - level, -20.0, 20.0)
    return q if target == "median" else sum(w * (m * norm.cdf(q - m) - norm.pdf(q - m)) for w, m in parts) / level


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
        "### Rare configurations, and spread that differs", "",
        "The share of the configuration. A rare kind of configuration is missed by exactly those tables that do not show it, so nothing in the data can warn. "
        "Intervals are therefore called heuristic below 59 draws, where a kind of 5 % goes unseen with a probability above 5 %, and where Bartlett's test finds "
        "unequal spread within configurations; else approximate. The last column is the coverage of those that are called approximate.", "",
        *table(("configurations × runs", "scores", "coverage", "called approximate", "coverage of these"), hard_rows()),
        "## Share of variance that a parameter explains", "",
        "500 tables each, four values of equal probability; n × runs: runs in clusters of one configuration. At a true share of 0 the interval begins at 0 "
        "nearly always.", "",
        *table(("n", "scores within a value", "share 0", "0.1", "0.4", "0.8"), explained),
        "## Ranges", "",
        "A range is chosen on one half of the configurations. It is suggested where the parameter's explained share is certainly above 0, a permutation test on "
        "the other half rejects at 5 % (the largest gain over all candidate ranges of all parameters) and the interval of the gain excludes 0. Through "
        "`ogive.sources`, no parameter having an effect (numbers, and one choice of four): tables with a suggested range, and tables that suggest one right "
        "after saying that no effect can be shown; before the permutation test and now. A collapse is a drop from 0.9 to 0.1. Before: 500 to 2,000 tables each; now as the last column says.", "",
        *table(("rows", "parameters", "scores", "before", "after denying effects, before", "now", "after denying effects, now", "tables"), claim_rows()),
        "The lower half of one parameter is bad: tables with a suggested range of it of which at most a tenth is bad (300 tables each, three parameters).", "",
        *table(("rows", "the bad half", "before", "now"), power_rows()),
        "With declared bounds a range is suggested only if its gain exceeds what a collapse of the rate that the kept runs cannot rule out would cost.", "",
        "The interval and the permutation test alone, whether or not an effect is shown (three numbers, one choice of four, no effect): the share of 500 tables in "
        "which any range is claimed.", "",
        *table(("n", "scores", "tables with a false claim"), claims),
        "The lowest eighth of one parameter costs two standard deviations: the share of 200 tables in which a range without that part is chosen and its gain "
        "shown, and the share of intervals that hold the true gain of the range that was chosen. Intervals are adjusted for the ranges that were chosen.", "",
        *table(("n", "found and shown", "gains held"), gains),
    ]  # fmt: skip


def main() -> None:
    """Write the page."""
    TARGET.write_text("\n".join(page()).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
