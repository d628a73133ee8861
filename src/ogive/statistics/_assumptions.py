"""What intervals and bands take for granted, and what limits them: each a named fact with its words."""

from __future__ import annotations

from enum import StrEnum


class Assumption(StrEnum):
    """A fact about an interval. Programs compare members; people read the value.

    Examples
    --------
    >>> print(Assumption.ONE_SCORE)
    one score says nothing about spread
    """

    # What is drawn
    INDEPENDENT = "independent scores"
    INDEPENDENT_RUNS = "independent runs"
    PAIRS = "independent pairs"
    CLUSTERED = "independent clusters, each weighing the same"
    FIXED_TASKS = "these tasks, held fixed"
    RANDOM_TASKS = "tasks drawn at random from a larger set"
    RANDOM_PROBLEMS = "problems are a random sample"
    FOLDS = "folds share training data"

    # What scores are like
    BOUNDED = "scores lie within the bounds"
    RIGHT_OR_WRONG = "every score is 0 or 1"
    NORMAL = "normal effects"
    EQUAL_WITHIN = "equal spread within draws, which these do not have"
    FEW_DRAWS = "no rare draws unlike the ones that were seen"
    EQUAL_SPREADS = "the two methods spread alike (a spread of 5:1 takes about a quarter more trials)"
    EQUAL_GROUPS = "groups of about equal size"
    NO_TIES = "no ties"
    CONTINUOUS = "continuous scores: each tie counts as a step of its own, which the uniform null does not have"
    FAILED_ANYWHERE = "failed runs could have had any score"
    FAILED_BELOW = "failed runs lie below every score"
    FAILED_ABOVE = "failed runs lie above every score"

    # Why an interval may be too short, or means less than it seems
    SHORT_TAIL = "few scores in the tail: the interval may be too short"
    SCARCE_TAIL = "few scores: a rare collapse need not have shown"
    FEW_RUNS = "few runs on a task: the interval is too short"
    FEW_IN_ALL = "fewer than 100 runs on all tasks together: too short where some runs collapse"
    FEW_FOR_MEDIAN = "the median of fewer than 10 tasks rests on one or two of them: too short where some runs collapse"
    FEW_UNITS = "few units to draw from: the interval is too short"
    FEW_RESAMPLES = "a handful of resamples at most lie beyond each end: another stream gives other ends"
    POINTWISE = "at each threshold alone, not for all at once"
    LONG_SHAPIRO = "the p-value's formula was fitted to smaller samples"
    EXTRAPOLATES = "more draws than were made: the estimate extrapolates"
    LESS_THAN_CHANCE = (
        "cluster means differ less than chance alone would make them: the upper end is that of equal mean squares"
    )

    # Why there is no limit
    ONE_SCORE = "one score says nothing about spread"
    EQUAL_SCORES = "all scores are equal: without bounds nothing can be said about rare other values"
    EQUAL_TAIL = "the tail holds one value only: nothing can be said about its spread"
    EQUAL_PAIRS = "all pairs differ by the same amount: nothing can be said about rare other differences"
    EQUAL_MIDDLE = "the middle half holds one value only: nothing can be said about its spread"
    EQUAL_TASKS = "the tasks' differences show no spread: nothing can be said about other tasks"
    FLAT_RESAMPLES = "no resample shows another value: nothing can be said about its spread"
    NO_SPREAD = "no resample differs from the sample: nothing can be said about rare other values"
    NO_VIOLATION_SEEN = "no resample differs from the sample: the bound says nothing about rare scores"
    NO_LIMITS = "the runs set no limits to it"
    UNDEFINED = "infinite scores at both quantiles: nothing can be said about their difference"
    NEEDS_BOUNDS = "no limit holds for every distribution without bounds"

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def is_silent(self) -> bool:
        """Whether scores are equal in one way or another, and the sample tells nothing of their spread."""
        return self in (
            Assumption.EQUAL_SCORES, Assumption.EQUAL_TAIL, Assumption.EQUAL_PAIRS, Assumption.EQUAL_MIDDLE, Assumption.EQUAL_TASKS, Assumption.FLAT_RESAMPLES, Assumption.NO_SPREAD,
        )  # fmt: skip
