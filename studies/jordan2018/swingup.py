"""Table 2, Figures 2 and 3 of Jordan, Cohen and Thomas (2018) from the tables that `pendulum.py` wrote.

The paper does not say over how many episodes a trial is scored, nor the integrator, nor what became of samples that fill
no batch of PPO. So Table 2 has a row for each of these, for as many trials as there are; what was not run is named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pendulum

import ogive
from ogive.tables import Table
from ogive.words import listed

HERE = Path(__file__).parent
RESULTS = HERE / "results"
CHOICES = {
    "ac": ("Actor-Critic", "semi-implicit Euler"),
    "ac-explicit": ("Actor-Critic", "explicit Euler"),
    "ppo-drop": ("PPO", "remainders dropped"),
    "ppo-keep": ("PPO", "remainders kept"),
    "ppo-cap": ("PPO", "batches capped"),
    "ppo-drop-explicit": ("PPO", "remainders dropped, explicit Euler"),
}
WANTED = {
    "ac": 100_000,
    "ac-explicit": 2000,
    "ppo-drop": 17_415,
    "ppo-keep": 2000,
    "ppo-cap": 2000,
    "ppo-drop-explicit": 500,
}
SLICES = {"ppo-drop": "PPO", "ac": "Actor-Critic"}
WANTED_SLICES = 1000
DRAWN = ("ac", "ppo-drop", "ppo-keep", "ppo-cap")  # in Figure 2
EPISODES = {100: "return_100", 200: "return_200", 500: "return"}
STATISTICS = {"mean": "mean", "cvar": "CVaR 0.5"}
MASS = 0.5  # the paper's CVaR at 0.5 is the mean of the upper half
ROUNDING = 0.05
SURE = 1.96
FEWEST = 100  # trials of a set of choices, below which it is judged by nobody
WORST = -2000.0  # for a trial that failed


@dataclass(frozen=True)
class Found:
    """What is there: trials by choices, trials of slices, and CPU time."""

    tables: dict[str, pd.DataFrame]
    slices: dict[str, ogive.Trials]
    speed: pd.DataFrame
    folder: Path = RESULTS

    @classmethod
    def read(cls, folder: Path = RESULTS) -> Found:
        """From a folder of results."""
        paths = {name: folder / f"pendulum-{name}.parquet" for name in CHOICES}
        tables = {name: pd.read_parquet(path).astype({"status": str}) for name, path in paths.items() if path.exists()}
        slices = {name: folder / f"pendulum-{name}-slices.parquet" for name in SLICES}
        speed = folder / "pendulum-speed.csv"
        return cls(
            {name: table for name, table in tables.items() if len(table)},
            {name: ogive.read(path) for name, path in slices.items() if path.exists()},
            pd.read_csv(speed) if speed.exists() else pd.DataFrame(columns=["choices", "block", "trials", "cpu_hours"]),
            folder,
        )

    def scores(self, name: str, episodes: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Mean returns over the first episodes of each trial; a trial that failed has the worst one."""
        table = self.tables[name]
        values = table[EPISODES[episodes]].to_numpy(dtype=np.float64)
        return np.where((table["status"] == "ok") & np.isfinite(values), values, WORST)

    @property
    def scope(self) -> str:
        """How many trials of each set of choices there are, of how many that were planned."""
        done = [self._done(" ".join(CHOICES[n]), len(self.tables.get(n, ())), WANTED[n]) for n in CHOICES]
        runs = {name: min((cell.rows.size for cell in trials.cells), default=0) for name, trials in self.slices.items()}
        done += [
            self._done(
                f"{algorithm} at each of {len(pendulum.PERCENTILES)} percentiles", runs.get(name, 0), WANTED_SLICES
            )
            for name, algorithm in SLICES.items()
        ]
        failed = sum(int((table["status"] != "ok").sum()) for table in self.tables.values())
        return f"Trials: {'; '.join(done)}. {failed or 'None'} of the trials in the tables failed."

    @staticmethod
    def _done(what: str, n: int, wanted: int) -> str:
        return f"{what} {n:,}" + ("" if n >= wanted else f" of {wanted:,}")


def table2(found: Found) -> pd.DataFrame:
    """For each set of choices, number of episodes and statistic: ours with its interval, published, and whether they agree."""
    published = pd.read_csv(HERE / "published2.csv").set_index("algorithm")
    rows = []
    for name in CHOICES:
        if name not in found.tables:
            continue
        algorithm, words = CHOICES[name]
        diverged = float(found.tables[name]["diverged"].mean())
        for episodes in EPISODES:
            scores = found.scores(name, episodes)
            for statistic in STATISTICS:
                value, n_paper = float(published.loc[algorithm, statistic]), int(published.loc[algorithm, "trials"])
                rows.append(
                    {
                        "choices": name, "algorithm": algorithm, "words": words, "episodes": episodes, "statistic": statistic,
                        "trials": len(scores), "diverged": diverged, **judged(scores, statistic, value, n_paper),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def judged(
    scores: np.ndarray[Any, np.dtype[np.float64]], statistic: str, published: float, n_paper: int
) -> dict[str, Any]:
    """Ours, its interval and standard error, and whether the published number is within what both samples allow."""
    if len(scores) < 2:
        return {"ours": float(scores.mean()), "low": math.nan, "high": math.nan, "se": math.nan, "published": published, "verdict": "too few trials to tell"}  # fmt: skip
    if statistic == "mean":
        ours = ogive.statistics.mean_interval(scores)
    else:
        ours = ogive.statistics.tail_mean_interval(scores, mass=MASS, tail="upper")
    se = (ours.high - ours.low) / 2.0 / SURE
    both = math.hypot(se, se * math.sqrt(len(scores) / n_paper))
    gap = ours.estimate - published
    if len(scores) < FEWEST:
        verdict = "too few trials to tell"
    elif abs(gap) <= SURE * both + ROUNDING:
        verdict = "agrees"
    else:
        verdict = f"{'higher' if gap > 0 else 'lower'} by {abs(gap):.0f}"
    return {
        "ours": ours.estimate,
        "low": ours.low,
        "high": ours.high,
        "se": se,
        "published": published,
        "verdict": verdict,
    }


def show(rows: pd.DataFrame, found: Found) -> Table:
    """Table 2 as people read it: a row for each set of choices and number of episodes."""
    lines = []
    for (_, episodes), part in rows.groupby(["choices", "episodes"], sort=False):
        first, by = part.iloc[0], part.set_index("statistic")
        cells: list[object] = [first["algorithm"], first["words"], str(episodes), f"{first['trials']:,}"]
        for statistic in STATISTICS:
            one = by.loc[statistic]
            cells += [f"{one['published']:.1f}", ends(one), one["verdict"]]
        lines.append(tuple(cells))
    head = ("algorithm", "choices", "episodes", "trials")
    head += tuple(
        word for name in STATISTICS.values() for word in (f"{name}, published", f"{name}, ours", f"{name}: verdict")
    )
    below = (
        "Brackets: 95 % intervals (Student's t, approximate). A number agrees when the difference is within what both samples allow, the "
        "paper's with its own number of trials. The paper does not say over how many episodes a trial is scored.",
        found.scope,
    )
    return Table(
        head=head, rows=tuple(lines), title="Table 2. Mean and mean of the upper half of mean returns", below=below
    )


def ends(row: Any) -> str:
    """`12.3 [10.1, 14.5]`."""
    return (
        f"{row['ours']:.1f} [{row['low']:.1f}, {row['high']:.1f}]"
        if math.isfinite(row["low"])
        else f"{row['ours']:.1f}"
    )


def _long(found: Found, names: tuple[str, ...], episodes: tuple[int, ...]) -> ogive.Trials | None:
    """Trials of these choices, each number of episodes as a task."""
    parts = []
    for name in names:
        if name in found.tables:
            algorithm, words = CHOICES[name]
            label = algorithm if name in ("ac", "ppo-drop") else f"{algorithm}, {words}"
            for n in episodes:
                table = found.tables[name]
                columns = {
                    "method": label,
                    "task": f"first {n} episodes",
                    "trial": table["trial"],
                    "mean return": found.scores(name, n),
                }
                parts.append(pd.DataFrame(columns))
    if not parts:
        return None
    frame = pd.concat(parts, ignore_index=True)
    return ogive.read(
        frame, score="mean return", algorithm="method", task="task", repeat="trial", goal="maximize", bounds=(-2000, 2000), unit="row",
        varied=["configuration", "data", "seed"],
    )  # fmt: skip


def figure2(found: Found, out: Path) -> list[Path]:
    """Mean returns from the worst trial to the best, over the first 100, 200 and 500 episodes."""
    trials = _long(found, DRAWN, tuple(EPISODES))
    if trials is None:
        return []
    return [ogive.plots.distribution(trials, method="dkw").save(out / "figure2.png")]


def figure3(found: Found, out: Path) -> list[Path]:
    """Where the slices lie, how they learn, and the distribution of each; one picture for each algorithm."""
    drawn = []
    for name, slices in found.slices.items():
        shown = [other for other in SLICES if other in found.tables]
        if name not in shown:
            continue
        parts = [pendulum.as_trials(found.folder / f"pendulum-{other}.parquet", SLICES[other]) for other in shown]
        everything = ogive.read(
            pd.concat([part.to_pandas() for part in parts], ignore_index=True), score="return", algorithm="algorithm", task="task",
            repeat="trial", status="status", params="params", goal="maximize", bounds=(-2000, 2000), unit="row",
            varied=["configuration", "data", "seed"],
        )  # fmt: skip
        display = ogive.plots.percentiles(everything, slices, step="episode", every=pendulum.EVERY)
        drawn.append(display.save(out / f"figure3-{name.split('-')[0]}.png"))
    return drawn


def order(found: Found, one: str, other: str, episodes: int, statistic: str, rows: pd.DataFrame) -> tuple[float, int]:
    """The difference of two sets of choices, and its sign where it is certain at 95 %; else 0."""
    by = rows.set_index(["choices", "episodes", "statistic"])
    a, b = by.loc[one, episodes, statistic], by.loc[other, episodes, statistic]
    gap, se = a["ours"] - b["ours"], math.hypot(a["se"], b["se"])
    enough = min(a["trials"], b["trials"]) >= FEWEST
    return float(gap), int(np.sign(gap)) if enough and abs(gap) > SURE * se else 0


# ---------------------------------------------------------------- sentences

NEAR = 0.9  # of the best return of both algorithms, for "near optimal"
LITTLE = 50.0  # a choice that moves a statistic by less matters little beside the rest
HALF = 0.5
VERDICTS = (
    "Reproduced",
    "Depends on open choices",
    "Not reproduced",
    "Not identified",
    "Not judged",
    "Found",
    "Cheaper",
)


def sentences(found: Found, rows: pd.DataFrame) -> list[str]:
    """What stands of the paper's conclusions on the pendulum, each by a rule on the tables."""
    made = (orders(found, rows, "cvar"), orders(found, rows, "mean"), numbers(rows), shape(found), best(found), trap(found), moved(rows), percentiles(found), speed(found))  # fmt: skip
    # What is reproduced first, then what hangs on a choice, then the rest; equal verdicts in the order of the paper.
    return sorted(
        filter(None, made),
        key=lambda one: next((i for i, word in enumerate(VERDICTS) if one.startswith(f"**{word}")), 9),
    )


# Sets of choices that differ in the algorithm only, PPO by each of its rules.
PAIRS = (("ac", "ppo-drop"), ("ac", "ppo-keep"), ("ac", "ppo-cap"), ("ac-explicit", "ppo-drop-explicit"))


def bold(stands: bool, partly: bool = False, *, whole: bool = True, part: str = "Depends on open choices") -> str:
    """A verdict; of a part of what was planned where not `whole`."""
    words = "Reproduced" if stands else part if partly else "Not reproduced"
    return f"**{words}{'' if whole else ' so far'}.**"


def whole(found: Found, *names: str) -> bool:
    """Whether there are as many trials of these choices as were planned."""
    return all(len(found.tables.get(name, ())) >= WANTED[name] for name in names)


def pairs(found: Found) -> list[tuple[str, str]]:
    """Those pairs of which there are trials enough."""
    return [pair for pair in PAIRS if all(name in found.tables and len(found.tables[name]) >= FEWEST for name in pair)]


def orders(found: Found, rows: pd.DataFrame, statistic: str) -> str:
    """Whether Actor-Critic is ahead by a statistic, for each rule of PPO and number of episodes."""
    said = f"*Actor-Critic has the higher {'mean of the upper half (CVaR)' if statistic == 'cvar' else 'mean'}*"
    if not pairs(found):
        return f"**Not judged.** {said}: there are no trials of both."
    parts, signs = [], []
    for one, other in pairs(found):
        gaps = {n: order(found, one, other, n, statistic, rows) for n in EPISODES}
        signs += [sign for _, sign in gaps.values()]
        numbers_ = ", ".join(f"{gap:+.0f}{'' if sign else ' (not certain)'}" for gap, sign in gaps.values())
        parts.append(f"{CHOICES[other][1]} {numbers_}")
    head = bold(all(s > 0 for s in signs), any(s > 0 for s in signs), whole=whole(found, *CHOICES))
    return f"{head} {said}: over PPO with {'; '.join(parts)} (over the first {listed([str(n) for n in EPISODES])} episodes)."


def numbers(rows: pd.DataFrame) -> str:
    """Whether one set of choices gives the numbers of Table 2, and which comes nearest."""
    said = []
    agreeing = int((rows["verdict"] == "agrees").sum())
    settings: dict[str, set[tuple[int, bool]]] = {}
    for algorithm, part in rows.groupby("algorithm", sort=False):
        part = part.assign(gap=(part["ours"] - part["published"]).abs())
        total = part.groupby(["choices", "episodes"], sort=False)["gap"].sum()
        name, n = total.idxmin()
        cells = part[(part["choices"] == name) & (part["episodes"] == n)].set_index("statistic")
        said.append(
            f"{algorithm} comes nearest with {CHOICES[name][1]} over {n} episodes ({cells.loc['mean', 'ours']:.0f} and "
            f"{cells.loc['cvar', 'ours']:.0f}, published {cells.loc['mean', 'published']:.1f} and {cells.loc['cvar', 'published']:.1f})"
        )
        alike = part.groupby(["choices", "episodes"])["verdict"].apply(lambda v: bool((v == "agrees").all()))
        settings[str(algorithm)] = {(n, name.endswith("explicit")) for (name, n), fine in alike.items() if fine}
    both = set.intersection(*settings.values()) if len(settings) == 2 else set()
    return (
        f"{bold(bool(both), all(settings.values()))} *The numbers of Table 2*: {agreeing} of {len(rows)} cells agree, and "
        f"{'one set of choices gives all four' if both else 'no set of choices gives all four'}; {'; '.join(said)}."
    )


def shape(found: Found) -> str:
    """Figure 2: how often Actor-Critic is ahead, and where the curves cross."""
    if ("ac", "ppo-drop") not in pairs(found):
        return "**Not judged.** *Actor-Critic is likely to outperform PPO (Figure 2)*: there are no trials of both."
    said, ahead = [], []
    for n in EPISODES:
        a, b = np.sort(found.scores("ac", n)), np.sort(found.scores("ppo-drop", n))
        wins = float((np.searchsorted(b, a, "left") + np.searchsorted(b, a, "right")).mean() / 2.0 / len(b))
        levels = np.arange(1, 100) / 100.0
        lead = np.quantile(a, levels) > np.quantile(b, levels)
        behind = np.flatnonzero(~lead) + 1
        together = behind.size and np.ptp(behind) == behind.size - 1
        below = (
            "nowhere"
            if not behind.size
            else f"from {behind[0]} % to {behind[-1]} % of runs"
            if together
            else f"at {behind.size} % of levels"
        )
        ahead.append(wins)
        said.append(
            f"over {n} episodes a run of it beats one of PPO with probability {wins:.2f}, and PPO is better {below}"
        )
    return f"{bold(min(ahead) > HALF, max(ahead) > HALF, whole=whole(found, 'ac', 'ppo-drop'))} *Actor-Critic is likely to outperform PPO (Figure 2, remainders dropped)*: {'; '.join(said)}."


def best(found: Found) -> str:
    """Whether both come near what is possible, late in training."""
    late = {}
    for name in SLICES:
        if name in found.tables:
            table = found.tables[name]
            late[SLICES[name]] = float(((500 * table["return"] - 200 * table["return_200"]) / 300).max())
    if len(late) < 2:
        return ""
    least = min(late.values()) / max(late.values())
    said = listed([f"{value:.0f} of {algorithm}" for algorithm, value in late.items()])
    return (
        f"{bold(least > NEAR, whole=whole(found, *SLICES))} *Both algorithms are able to achieve near optimal performance*: the best trials have a mean return of {said} "
        "over episodes 201 to 500, of 2000 that a pendulum has which stands from the start."
    )


def trap(found: Found) -> str:
    """What the rule for remainders does: configurations that never learn."""
    if "ppo-drop" not in found.tables:
        return ""
    table = found.tables["ppo-drop"]
    idle = table["batch"] > np.rint(2.0 ** table["log2_horizon"])
    means = [float(found.scores("ppo-drop", 500)[part].mean()) for part in (idle.to_numpy(), ~idle.to_numpy())]
    other = f"; Actor-Critic has {found.scores('ac', 500).mean():.0f}" if "ac" in found.tables else ""
    return (
        f"**Found.** *The rule for remainders holds PPO down*: where they are dropped, {100 * idle.mean():.0f} % of PPO's configurations have a batch "
        f"larger than the horizon and never learn; their mean return over 500 episodes is {means[0]:.0f}, that of the others {means[1]:.0f}{other}."
    )


def moved(rows: pd.DataFrame) -> str:
    """How far each open choice moves the numbers."""
    by = rows.set_index(["choices", "episodes", "statistic"])["ours"]
    there = set(rows["choices"])
    steps: list[tuple[str, float]] = []
    for name, algorithm in (("ac", "Actor-Critic"), ("ppo-drop", "PPO")):
        if name in there:
            steps.append((f"100 or 500 episodes: {algorithm}", by[name, 500, "mean"] - by[name, 100, "mean"]))
            if f"{name}-explicit" in there:
                steps.append(
                    (f"explicit Euler: {algorithm}", by[f"{name}-explicit", 500, "mean"] - by[name, 500, "mean"])
                )
    steps += [
        (f"{CHOICES[other][1]}: PPO", by[other, 500, "mean"] - by["ppo-drop", 500, "mean"])
        for other in ("ppo-keep", "ppo-cap")
        if {other, "ppo-drop"} <= there
    ]
    if not steps:
        return ""
    said = ", ".join(f"{what} {step:+.0f}" for what, step in steps)
    large = sum(abs(step) > LITTLE for _, step in steps)
    return (
        f"**Not identified.** *Which choices the paper made*: open choices move the mean return by so much ({large} of {len(steps)} by more than "
        f"{LITTLE:.0f}): {said}. The number of episodes, the integrator and the start of an episode are not in the text, and Table 2 has four "
        "numbers, fewer than there are open choices."
    )


def percentiles(found: Found) -> str:
    """Figure 3: whether the best slice is ahead but for some of its runs."""
    if "ppo-drop" not in found.slices:
        return "**Not judged.** *The 99th percentile beats the 95th in most trials, but for about 10 % (Figure 3)*: its trials have not been run."
    trials = found.slices["ppo-drop"]
    scores = {p: trials.scores(f"PPO at {p} %", failures="worst") for p in pendulum.PERCENTILES}
    levels = np.arange(0.5, 100.0) / 100.0
    high, low = (np.quantile(scores[p], levels) for p in (99, 95))
    behind = float(np.mean(high < low))
    chosen = {one["percentile"]: one for one in trials.holds["config"]["percentiles"]["slices"]}
    said = ", ".join(f"{p} % {chosen[p]['score']:.0f} and {scores[p].mean():.0f}" for p in pendulum.PERCENTILES)
    n = chosen[99]["n_trials"]
    return (
        f"{bold(behind < HALF and behind > 0.0, behind < HALF, part='Reproduced in part', whole=min(map(len, scores.values())) >= WANTED_SLICES)} *The 99th percentile beats the 95th in most trials, but for about 10 % (Figure 3)*: "
        f"ours is behind at {100 * behind:.0f} % of levels. The score by which each configuration of PPO was chosen, of {n:,} trials, and its mean "
        f"when run again: {said}."
    )


def speed(found: Found) -> str:
    """Trials per CPU-hour, beside the paper's."""
    paper = {"Actor-Critic": 3_041_685 / 12_000, "PPO": 17_415 / 12_000}
    said = []
    for algorithm, theirs in paper.items():
        names = [name for name, (whose, _) in CHOICES.items() if whose == algorithm]
        part = found.speed[found.speed["choices"].isin(names)]
        if part["cpu_hours"].sum() > 0:
            ours = part["trials"].sum() / part["cpu_hours"].sum()
            said.append(f"{ours:,.0f} of {algorithm} (paper: {theirs:.3g})")
    if not said:
        return ""
    return (
        f"**Cheaper.** *Trials in a CPU-hour*: {listed(said)}. The paper's are 12 hours on 1000 CPUs; since it does not say how many episodes a "
        "trial has (ours: 500), the ratio is that of trials, not of steps."
    )
