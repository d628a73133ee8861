"""What a score means: its direction, and the bounds it cannot leave.

Where nobody said the direction it is guessed from the name: one rule for columns of tables and metrics of studies.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError

Bounds: TypeAlias = tuple[float | None, float | None]
Tail: TypeAlias = Literal["lower", "upper"]
Thing = TypeVar("Thing")
Values = TypeVar("Values", float, NDArray[np.float64])

SMALLER_IS_BETTER = (
    "loss", "losses", "error", "errors", "err", "mse", "rmse", "mae", "mape", "smape", "wape", "msle", "rmsle", "nrmse",
    "brier", "perplexity", "ppl", "time", "times", "seconds", "runtime", "duration", "cost", "costs", "regret",
    "latency", "wer", "cer", "eer", "fid", "lpips", "nll", "bce", "crossentropy", "logloss", "squarederror", "deviance",
    "misclassification", "misclassifications", "misclassified", "ece", "crps", "divergence", "kl", "kld", "wasserstein",
    "distance", "bpb", "bpc", "bpd", "fpr", "fnr",
    "failed", "failure", "failures", "crashed", "crashes", "timeouts",
    "zeit", "dauer", "fehler", "verlust", "verluste", "kosten", "erreur", "perte", "cout", "couts", "temps", "duree",
    "perdida", "coste", "costo", "tiempo", "duracion",
)  # fmt: skip
# German writes such words as one: Testfehler, Rechenzeit, Gesamtkosten, Trefferquote.
SMALL_ENDS = ("fehler", "fehlerrate", "fehlerquote", "verlust", "kosten", "zeit", "dauer")
LARGE_ENDS = ("genauigkeit", "trefferquote", "erfolgsquote", "erfolgsrate", "belohnung")
TIME_ENDS = ("zeit", "dauer")
COST_ENDS = ("kosten",)
# The likelihood is to be large, its negative small; any other negative, that of a loss, is to be large.
SMALL_PHRASES = ("negativeloglik", "negloglik", "negativelikelihood", "neglikelihood", "falsepositive", "falsenegative")
NEGATIVE = ("neg", "negative")
# Words that turn a loss into a gain: time_saved, error_free_rate, cost_reduction.
SPARED = ("saved", "saving", "savings", "free", "avoided", "reduction", "improvement", "speedup")
LARGER_IS_BETTER = (
    "accuracy", "accuracies", "acc", "auc", "auroc", "auprc", "rocauc", "prauc", "gini", "precision", "recall", "sensitivity", "specificity",
    "fscore", "fmeasure", "mcc", "kappa", "iou", "miou", "dice", "jaccard", "ndcg", "mrr", "bleu", "rouge", "meteor", "psnr",
    "ssim", "correlation", "spearman", "pearson", "likelihood", "elo", "winrate", "return", "returns", "reward", "rewards",
    "exactitude", "exactitud", "rappel", "recompense", "recompensa",
)  # fmt: skip
LARGE_NAMES = ("f1", "fbeta", "r2", "hit1", "hit10", "pass1", "passk", "top1", "top5")
# Words that say which way is good, and not that a column is a score: such numbers stand beside scores as well.
SMALL_TOO = (
    "makespan", "rmsd", "gap", "gaps", "iterations", "iters", "nit", "evals", "evaluations", "nfev", "queries", "calls", "nodes",
    "memory", "mem", "ram", "mb", "gb", "kb", "mib", "gib", "bytes", "energy", "joule", "joules", "watt", "watts", "kwh", "emissions",
    "igd", "gd", "chamfer", "hausdorff", "emd", "mmd", "toxicity", "violation", "violations", "drop", "degradation", "forgetting",
    "conflicts", "collisions", "misses", "mistakes", "bugs", "defects", "penalty", "penalties", "residual", "residuals", "overhead",
    "delay", "lag", "jitter", "waste", "hallucination", "hallucinations", "mase", "rmsse", "pinball", "flops", "rank", "ranks",
    "conflict", "iterationen", "speicher", "energie",
)  # fmt: skip
LARGE_TOO = (
    "throughput", "fps", "ips", "qps", "tps", "profit", "revenue", "gain", "gains", "hypervolume", "hv", "elbo", "silhouette", "success",
    "successes", "successful", "succeeded", "solved", "found", "coverage", "correct", "right", "won", "win", "wins", "utility", "fitness",
    "quality", "points", "ap", "map", "nmi", "ari", "ami", "cider", "spice", "bertscore", "chrf", "comet", "em", "exactmatch", "hits",
    "hitrate", "similarity", "cosine", "snr", "sdr", "sisdr", "pesq", "stoi", "mos", "pass", "passed", "converged", "feasible",
    "valid", "agreement", "lift", "sharpe", "gewinn", "erfolg", "performance", "rating", "reliability", "yield", "f", "ic", "efficiency",
)  # fmt: skip
# Words of these lists stand side by side: an accuracy drop is to be small, the accuracy of a memory large. What is lost
# of something good, and how often it was evaluated, are to be small where they end a name; what is made of something
# small by these words is to be large; of other such pairs the name says nothing.
LOST = (
    "gap", "gaps", "drop", "degradation", "forgetting", "penalty", "penalties", "violation", "violations", "overhead", "toxicity",
    "waste", "misses", "mistakes", "residual", "residuals", "hallucination", "hallucinations",
    "evals", "evaluations", "nfev",
)  # fmt: skip
WON = ("reciprocal", "inverse", "solved", "closed", "fixed", "resolved", "ic", "efficiency", "gain", "gains")
# What is counted and is many in a good second, though few in all; and what has no direction in a second.
COUNTED = (
    "iterations", "iters", "evals", "evaluations", "queries", "calls", "nodes", "mb", "gb", "kb", "mib", "gib", "bytes", "flops",
    "iterationen",
)  # fmt: skip
UNSURE_RATES = ("conflicts", "conflict")
# Words that name a share of something, which people write between 0 and 1 or in percent.
SHARES = (
    "accuracy", "accuracies", "acc", "auc", "auroc", "auprc", "rocauc", "prauc", "precision", "recall", "sensitivity", "specificity",
    "fscore", "fmeasure", "iou", "miou", "dice", "jaccard", "ndcg", "mrr", "winrate", "share", "fraction", "percentage",
    "map", "em", "exactmatch", "hitrate", "correct", "coverage", "exactitude", "exactitud", "wer", "cer", "eer", "fpr", "fnr",
)  # fmt: skip
SHARE_NAMES = ("f1", "fbeta", "hit1", "hit10", "pass1", "passk", "top1", "top5")
SHARE_ENDS = ("genauigkeit", "quote")
# A rate of these is a share; a bitrate, a learning rate and a frame rate are none.
RATED = (
    "win", "error", "err", "success", "hit", "pass", "accuracy", "failure", "fail", "solve", "solved", "completion", "positive", "negative",
    "misclassification", "detection", "recognition", "acceptance", "agreement", "match", "crash", "violation", "hallucination", "recall",
    "fehler", "erfolgs", "treffer", "gewinn", "ausfall", "exact",
)  # fmt: skip
RATE_OF = re.compile(rf"({'|'.join(RATED)})(rates?|raten?)")
# A count of what it took to get somewhere: steps_to_solve, episodes_until_solved.
TAKEN = re.compile(
    r"(steps?|episodes?|epochs?|frames?|samples?|trials?|iterations?|rounds?|moves?|tokens?|queries|calls|evals|evaluations|nodes)"
    r" (to|until|before|till) "
)
PER = "per"  # tokens per second are many, seconds per token are few
# What follows these says under what something was measured: recall at rank 5, success after delay.
UNDER = (PER, "at", "after", "within", "under", "given", "with", "in", "of", "by")
SLASHED = re.compile(
    r"(?i)\b(its?|iters?|iterations|quer(?:y|ies)|calls?|nodes?|tokens?|steps?|[kmg]i?b|bytes|evals)\s*/\s*(s|sec)\b"
)
# Words that name how long a run took, or what it cost; and words beside them that make something else of it.
TIMES = (
    "time", "times", "runtime", "runtimes", "walltime", "cputime", "wallclock", "wall", "cpu", "seconds", "second", "secs", "sec",
    "milliseconds", "ms", "minutes", "hours", "duration", "durations", "elapsed", "latency",
    "temps", "duree", "tiempo", "duracion", "sekunden", "minuten", "stunden",
)  # fmt: skip
COSTS = ("cost", "costs", "cout", "couts", "coste", "costo")
IN_A_TIME = (*TIMES, "s", "minute", "hour", "day")
SPENT = ("watt", "joule", "kwh", "dollar", "usd", "cost")  # flops per watt are many, too
NO_TIMES = (
    "step", "steps", "limit", "limits", "stamp", "start", "started", "end", "ended", "begin", "budget", "out", "series", "date",
    "count", "id", "horizon",
)  # fmt: skip
RESOURCES = ("memory", "mem", "ram", "rank", "ranks", "energy", "energie", "queries", "calls", "nodes", "speicher")
GERMAN_ENDS = (*SMALL_ENDS, *LARGE_ENDS)
KNOWN = frozenset(
    (*SMALLER_IS_BETTER, *LARGER_IS_BETTER, *SMALL_TOO, *LARGE_TOO, *TIMES, *COSTS, *WON, "score", "scores")
)


@dataclass(frozen=True, slots=True)
class Metric:
    """The direction of a score, and the bounds it cannot leave (None where unknown)."""

    goal: Literal["maximize", "minimize"] = "maximize"
    bounds: Bounds = (None, None)

    def __post_init__(self) -> None:
        if self.goal not in ("maximize", "minimize"):
            raise InputError(f"`goal` must be 'maximize' or 'minimize'; got {self.goal!r}.")
        try:
            low, high = (None if b is None or math.isinf(b) else float(b) for b in self.bounds)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"`bounds` must be a pair (low, high), None where unknown; got {self.bounds!r}.") from None
        if any(b is not None and math.isnan(b) for b in (low, high)) or (
            low is not None and high is not None and not low < high
        ):
            raise InputError(f"`bounds` must be (low, high) with low < high, None where unknown; got ({low}, {high}).")
        object.__setattr__(self, "bounds", (low, high))

    @classmethod
    def toward(cls, goal: str) -> Metric:
        """The metric of a direction alone; refuses what is none."""
        return cls(cast(Literal["maximize", "minimize"], goal))

    @property
    def sign(self) -> float:
        """1 where large scores are good, else -1."""
        return 1.0 if self.goal == "maximize" else -1.0

    @property
    def good_side(self) -> Literal["higher", "lower"]:
        """Which scores are better, in a word."""
        return "higher" if self.goal == "maximize" else "lower"

    @property
    def worst_tail(self) -> Tail:
        """The end of the distribution where the bad scores are."""
        return "lower" if self.goal == "maximize" else "upper"

    @property
    def best_tail(self) -> Tail:
        """The end of the distribution where the good scores are."""
        return "upper" if self.goal == "maximize" else "lower"

    def turned(self, values: Values) -> Values:
        """Scores, or differences of scores, of which larger ones are better."""
        return values if self.goal == "maximize" else -values

    def better(self, x: float, y: float) -> bool:
        """Whether the score x is better than the score y.

        Examples
        --------
        >>> Metric("minimize").better(0.1, 0.2)
        True
        """
        return self.turned(x) > self.turned(y)

    def level(self, share: Values) -> Values:
        """The level of the distribution function that leaves the share of runs on the bad side.

        Examples
        --------
        >>> Metric("maximize").level(0.25), Metric("minimize").level(0.25)
        (0.25, 0.75)
        """
        return share if self.goal == "maximize" else 1.0 - share

    def worst_first(self, low: Thing, high: Thing) -> tuple[Thing, Thing]:
        """What belongs to the small and to the large scores, the bad side first.

        Examples
        --------
        >>> Metric("minimize").worst_first("small", "large")
        ('large', 'small')
        """
        return (low, high) if self.goal == "maximize" else (high, low)

    @property
    def worst(self) -> float:
        """The bound on the bad side, infinite where there is none."""
        low, high = self.bounds
        if self.goal == "maximize":
            return -math.inf if low is None else low
        return math.inf if high is None else high


def is_larger_better(name: str) -> bool:
    """Whether a column is called as what is measured to be large: accuracy, test_auc, f1."""
    words = _subject(_words(name))
    if is_smaller_better(name) or is_time(name):
        return False
    parts = [part.lower() for part in re.split(r"[^A-Za-z0-9]+", name)]
    joined = [a + b for a, b in pairwise(words)]
    parts += [a + b for a, b in pairwise(parts)]  # top-1, pass@1
    called = any(w in LARGER_IS_BETTER for w in (*words, *joined)) or any(part in LARGE_NAMES for part in parts)
    return called or _ends_in(words, LARGE_ENDS)


def is_share(name: str) -> bool:
    """Whether a column is called as a share is, which people write between 0 and 1 or in percent."""
    words = _words(name)
    parts = [part.lower() for part in re.split(r"[^A-Za-z0-9]+", name)]
    parts += [a + b for a, b in pairwise(parts)]
    joined = [a + b for a, b in pairwise(words)]
    called = any(w in SHARES for w in (*words, *joined)) or any(part in SHARE_NAMES for part in parts)
    rated = any(RATE_OF.search(word) for word in (*words, *joined)) or "rateof" in joined
    return called or rated or _ends_in(words, SHARE_ENDS)


def is_measure(name: str) -> bool:
    """Whether a column is called as a score is, and as nothing else is that stands beside one: accuracy, val_loss."""
    return is_larger_better(name) or "score" in _words(name) or (is_smaller_better(name) and not is_time(name))


def is_time(name: str, *, cost: bool = False) -> bool:
    """Whether a column is called as a time or a cost is; with `cost`, whether it is called a cost and no time."""
    words = _words(name)
    if any(w in (*NO_TIMES, *NEGATIVE, *SPARED) for w in words) or _is_rate(words):
        return False
    words = _subject(words)
    timed = any(w in TIMES for w in words) or _ends_in(words, TIME_ENDS)
    costs = any(w in COSTS for w in words) or _ends_in(words, COST_ENDS)
    return not timed and costs if cost else timed or costs


def without_accents(text: str) -> str:
    """Text without the marks on its letters: Durée as Duree."""
    if text.isascii():
        return text
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def _words(name: str) -> list[str]:
    name = SLASHED.sub(rf"\1 {PER} \2", without_accents(name))
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _subject(words: list[str]) -> list[str]:
    """The words of what is measured: of `loss per token` the loss, of `mean per class error` all but the class."""
    at = next((i for i, word in enumerate(words) if word in UNDER and i > 0), None)
    if at is None:
        return words
    before = words[:at]
    if any(a in KNOWN for a in (*before, *(a + b for a, b in pairwise(before)))) or _ends_in(before, GERMAN_ENDS):
        return before
    return before + words[at + 2 :] if words[at] == PER else words


def _is_rate(words: list[str]) -> bool:
    """Whether a name is of so much of something in a time."""
    after = [b for a, b in pairwise(words) if a == PER]
    long = [c for a, b, c in zip(words, words[1:], words[2:], strict=False) if a == PER and b in ("gpu", "cpu", "unit")]
    return any(word in IN_A_TIME for word in (*after, *long))


def _ends_in(words: list[str], ends: tuple[str, ...]) -> bool:
    return any(word.endswith(ends) for word in words)


def is_smaller_better(name: str) -> bool:
    """Whether a word of the name, or two that are written apart, is that of a loss."""
    words = _words(name)
    twice = sum(w in NEGATIVE for w in words) > 1  # scikit-learn's neg_negative_likelihood_ratio
    if any(phrase in "".join(words) for phrase in SMALL_PHRASES) and not twice:
        return True
    if any(w in (*NEGATIVE, *SPARED) for w in words):
        return False
    if ("bits", PER) in pairwise(words) and not _is_rate(words):  # bits per byte are a loss, bits per second are not
        return True
    words = words[: words.index(PER)] if _is_rate(words) else _subject(words)  # the time is what it is counted in
    joined = [a + b for a, b in pairwise(words)]
    return any(w in SMALLER_IS_BETTER for w in (*words, *joined)) or _ends_in(words, SMALL_ENDS)


def goal_in_name(name: str) -> Literal["maximize", "minimize"] | None:
    """The direction that a score's name says, None where it says nothing either way.

    Examples
    --------
    >>> goal_in_name("accuracy"), goal_in_name("accuracy_drop"), goal_in_name("value")
    ('maximize', 'minimize', None)
    """
    words = _words(name)
    if is_smaller_better(name) or is_time(name):
        return "minimize"
    if "truenegative" in "".join(words):
        return "maximize"
    rate = _is_rate(words)
    subject = words[: words.index(PER)] if rate else _subject(words)
    turned = any(w in (*NEGATIVE, *SPARED) for w in words)
    taken = TAKEN.search(f"{' '.join(words)} ") is not None
    small = taken or any(w in SMALL_TOO for w in subject)
    if turned and (small or any(w in (*SMALLER_IS_BETTER, *SPARED) for w in words)):
        return "maximize"
    spent = any(a == PER and b in SPENT for a, b in pairwise(words))
    if (rate or spent) and not turned and any(w in (*COUNTED, *UNSURE_RATES) for w in subject):
        return None if any(w in UNSURE_RATES for w in subject) else "maximize"
    if small and not taken and not turned:
        return _beside(name, subject)
    large = is_larger_better(name) or "score" in subject or "scores" in subject
    if not turned and (small or (large and _is_one_minus(name, words))):
        return "minimize"
    return "maximize" if large or rate or any(w in LARGE_TOO for w in subject) else None


def _beside(name: str, words: list[str]) -> Literal["maximize", "minimize"] | None:
    """The direction of a name with a word of what is to be small, beside which others of what is to be large may stand."""
    if any(w in WON for w in words):
        return "maximize"
    scored = any(w in ("score", "scores") for w in words)
    lost = any(w in LOST for w in words)
    good = [i for i, w in enumerate(words) if w in LARGER_IS_BETTER or (w in LARGE_TOO and w != "f")]
    good += [i for i, pair in enumerate(pairwise(words)) if "".join(pair) in LARGER_IS_BETTER]
    if not good and not is_larger_better(name):
        return None if scored and any(w in RESOURCES for w in words) else "minimize"
    ends = max(i for i, w in enumerate(words) if w in SMALL_TOO)
    if words[ends] in LOST and ends > max(good, default=-1):
        return "minimize"
    clear = any(words[i] in LARGER_IS_BETTER for i in good) and max(good) > ends
    return "maximize" if clear and not lost else None


def _is_one_minus(name: str, words: list[str]) -> bool:
    """Whether a name is of what is left to one: 1-accuracy, one_minus_auc."""
    return re.match(r"\s*1\s*[-\u2212\u2013]", name) is not None or words[:2] == ["one", "minus"]


def goal_by_name(name: str) -> Literal["maximize", "minimize"]:
    """The direction of a score of which nobody said it; large is good where its name says nothing.

    Examples
    --------
    >>> goal_by_name("accuracy"), goal_by_name("cross_entropy")
    ('maximize', 'minimize')
    """
    return goal_in_name(name) or "maximize"
