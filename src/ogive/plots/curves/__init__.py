"""Pictures of learning curves.

_fan      the mean, and where most runs lie, at every training-set size
_slices   distributions one above the other: at chosen sizes, or for values of a hyper-parameter
_strips   who leads by which statistic, and where scores are normal, along the sizes
"""

from ogive.plots.curves._fan import Fan, FanDisplay, learning_fan
from ogive.plots.curves._slices import SlicesDisplay, cross_validation, slices
from ogive.plots.curves._strips import StripsDisplay, leading, normality_strips

__all__ = [
    "Fan", "FanDisplay", "SlicesDisplay", "StripsDisplay", "cross_validation", "leading", "learning_fan", "normality_strips", "slices",
]  # fmt: skip
