"""Real data: rliable's numbers, Mittelmann's means, the shape of Recht's figures."""

import math

import numpy as np
import pandas as pd
import pytest

from ogive.profiles import Baselines, aggregates, performance_profile, shifted_geometric_mean

LARGE = ("DER", "DrQ", "DrQ(eps)", "OTRainbow", "SPR")
BLOB = "Sarsa(lambda)+Blob-PROST"


@pytest.fixture(scope="module")
def atari(real_data) -> tuple[pd.DataFrame, Baselines]:
    base = pd.read_csv(real_data / "atari100k_baselines.csv").set_index("game")
    return pd.read_csv(real_data / "rliable_atari100k_tidy.csv"), Baselines(
        base["random"].to_dict(), base["human"].to_dict()
    )


def rliable_or_skip():
    pytest.importorskip("rliable", reason="rliable is a bench dependency")
    import warnings

    import pandas.util._decorators as decorators

    # rliable's own dependency, arch 7, decorates one plotting function as pandas 2 did; pandas 3 refuses that.
    kept = decorators.deprecate_kwarg
    decorators.deprecate_kwarg = lambda *_, **__: lambda function: function
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from rliable import library, metrics
    finally:
        decorators.deprecate_kwarg = kept
    return library, metrics


def as_matrices(frame: pd.DataFrame, scale: Baselines) -> dict[str, np.ndarray]:
    """Normalized runs × games by method, as rliable wants them."""
    low, high = frame["game"].map(scale.low), frame["game"].map(scale.high)
    frame = frame.assign(score=(frame["score"] - low) / (high - low))
    return {m: g.pivot(index="run", columns="game", values="score").to_numpy() for m, g in frame.groupby("method")}


def test_point_values_are_rliables(atari):
    frame, scale = atari
    library, metrics = rliable_or_skip()
    runs = as_matrices(frame, scale)
    tau = np.linspace(0.0, 8.0, 81)
    shares, _ = library.create_performance_profile({m: runs[m] for m in LARGE}, tau, reps=2)
    profile = performance_profile(frame, "score", normalize=scale)
    for m in LARGE:
        assert profile.at(tau)[profile.methods.index(m)] == pytest.approx(shares[m], abs=1e-12)
    found = aggregates(frame, normalize=scale, n_resamples=100)
    theirs = {
        "iqm": metrics.aggregate_iqm, "mean": metrics.aggregate_mean, "median": metrics.aggregate_median,
        "optimality_gap": metrics.aggregate_optimality_gap,
    }  # fmt: skip
    for m, x in runs.items():
        for name, function in theirs.items():
            if name == "iqm" and x.size % 4:
                continue  # rliable drops whole runs at both ends where a quarter is none; we take the part
            assert found.of(m, name).estimate == pytest.approx(float(function(x)), abs=1e-12), (m, name)


def test_the_pointwise_band_of_the_simulations_is_rliables(atari):
    """The page of coverages computes rliable's band by its definition; here it meets rliable itself."""
    from make_profile_coverage import pointwise_band

    library, _ = rliable_or_skip()
    x = as_matrices(*atari)["SPR"][:20, :5]
    tau = np.linspace(0.1, 1.0, 10)
    _, theirs = library.create_performance_profile({"m": x}, tau, reps=2000)
    ours = pointwise_band(x, tau, np.random.default_rng(0), 4000)
    assert ours == pytest.approx(theirs["m"], abs=0.025)


def test_mittelmanns_solvers(real_data):
    path = real_data / "solvers_mittelmann_lpopt.csv"
    wide = pd.read_csv(path).pivot(index="problem", columns="solver", values="time_s")
    profile = performance_profile(path, time_limit=15000)
    times = wide[list(profile.methods)].to_numpy().T
    solved = times < 15000
    best = np.where(solved, times, np.inf).min(axis=0)
    assert np.isfinite(best).all()
    assert profile.wins.tolist() == ((times == best) & solved).mean(axis=1).tolist()
    assert profile.solved.tolist() == solved.mean(axis=1).tolist()
    for tau in (1.0, 2.0, 10.0, 500.0):
        assert profile.at(tau).tolist() == (solved & (times <= tau * best)).mean(axis=1).tolist()
    means = shifted_geometric_mean(path, time_limit=15000)
    for m, row in zip(profile.methods, times, strict=True):
        assert means.means[m].estimate == pytest.approx(math.exp(np.mean(np.log(np.minimum(row, 15000) + 10))) - 10)
        assert means.n_unsolved[m] == int((row >= 15000).sum())
    assert min(means.scaled.values()) == 1.0


@pytest.fixture(scope="module")
def machado(real_data) -> pd.DataFrame:
    return pd.read_csv(real_data / "atari_machado.csv").drop(columns="n_runs").assign(
        n=lambda f: np.where(f["method"] == "DQN", 5, 24)
    )  # fmt: skip


def at_frames(frame: pd.DataFrame, dqn: int, blob: int) -> pd.DataFrame:
    kept = ((frame["method"] == "DQN") & (frame["frames"] == dqn)) | (
        (frame["method"] == BLOB) & (frame["frames"] == blob)
    )
    return frame[kept].drop(columns="frames")


def test_at_equal_frames_of_200_million_the_curves_cross_and_nothing_is_concluded(machado):
    p = performance_profile(at_frames(machado, 200_000_000, 200_000_000), "welch")
    found = p.compare("DQN", BLOB)
    assert len(found.crossings) >= 2
    assert found.conclusion == "cannot tell"
    assert len(p.problems) == 60


def test_twenty_times_the_frames_separate_the_curves(machado):
    p = performance_profile(at_frames(machado, 10_000_000, 200_000_000), "welch")
    found = p.compare(BLOB, "DQN")
    assert found.conclusion == "ahead"
    assert {who for *_, who in found.ahead} == {BLOB}


@pytest.mark.parametrize("frames", [10_000_000, 50_000_000, 100_000_000])
def test_with_fewer_frames_blob_prost_is_above_at_every_tau(machado, frames):
    p = performance_profile(at_frames(machado, frames, frames), "welch")
    assert {who for *_, who in p.ahead("DQN", BLOB)} == {BLOB}


def test_one_game_has_no_spread_on_either_side(machado):
    one = at_frames(machado, 200_000_000, 200_000_000)
    flat = one[one["std"] == 0].groupby("game").size()
    assert (flat == 2).sum() == 1
    p = performance_profile(one, "welch")
    assert np.isinf(p.distances).sum() == 1
