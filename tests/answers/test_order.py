"""The order of rows changes no limit of a summary."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

import ogive

STATISTICS = ["mean", "median", "iqm", "std", "worst_0.1"]


def limits(frame):
    rows = ogive.summarize(ogive.read(frame, unit="row"), statistics=STATISTICS).to_pandas()
    return rows.sort_values(["algorithm", "statistic"])[["estimate", "low", "high"]].to_numpy(float)


def test_limits_of_a_summary_do_not_depend_on_the_order_of_rows():
    scores = np.random.default_rng(0).gamma(2.0, size=60)
    frame = pd.DataFrame({"method": np.repeat(["a", "b"], 30), "score": scores})
    assert_allclose(limits(frame.sample(frac=1.0, random_state=1)), limits(frame), rtol=1e-9)
