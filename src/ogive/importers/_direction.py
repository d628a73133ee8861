"""Whether small values of a score are good, guessed from its name."""

from __future__ import annotations

import re
from itertools import pairwise

SMALLER_IS_BETTER = (
    "loss", "losses", "error", "errors", "err", "mse", "rmse", "mae", "mape", "smape", "wape", "msle", "rmsle", "nrmse",
    "brier", "perplexity", "ppl", "time", "times", "seconds", "runtime", "duration", "cost", "costs", "regret",
    "latency", "wer", "cer", "eer", "fid", "lpips", "nll", "bce", "crossentropy", "logloss", "squarederror", "deviance",
    "misclassification", "misclassifications", "misclassified", "ece", "crps", "divergence", "kl", "kld", "wasserstein",
    "distance", "bpb", "bpc", "bpd", "bitsper", "fpr", "fnr",
    "failed", "failure", "failures", "crashed", "crashes", "timeouts",
)  # fmt: skip
# The likelihood is to be large, its negative small; any other negative, that of a loss, is to be large.
SMALL_PHRASES = ("negativeloglik", "negloglik", "negativelikelihood", "neglikelihood", "falsepositive", "falsenegative")
NEGATIVE = ("neg", "negative")
# Words that turn a loss into a gain: time_saved, error_free_rate, cost_reduction.
SPARED = ("saved", "saving", "savings", "free", "avoided", "reduction", "improvement", "speedup")


def is_smaller_better(name: str) -> bool:
    """Whether a word of the name, or two that are written apart, is that of a loss."""
    words = [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    twice = sum(w in NEGATIVE for w in words) > 1  # scikit-learn's neg_negative_likelihood_ratio
    if any(phrase in "".join(words) for phrase in SMALL_PHRASES) and not twice:
        return True
    if any(w in (*NEGATIVE, *SPARED) for w in words):
        return False
    joined = [a + b for a, b in pairwise(words)]
    return any(w in SMALLER_IS_BETTER for w in (*words, *joined))
