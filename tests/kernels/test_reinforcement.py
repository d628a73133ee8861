"""Kernels of reinforcement learning against slow, obvious programs in NumPy, step by step on short runs."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from ogive.kernels import _xoshiro
from ogive.kernels._actor_critic import LANES, actor_critic
from ogive.kernels._fourier import WIDE, filled_up, n_features, write_features, write_tables
from ogive.kernels._pendulum import pendulum_step
from ogive.kernels._ppo import ppo, write_advantages
from ogive.kernels._xoshiro import next_word, normal, uniform, write_normals

UPRIGHT, WORLD = math.pi, {"step": 0.01, "gravity": 9.8, "friction": 0.01, "torque": 5.0, "speed": 4 * math.pi}
KEYS = np.random.default_rng(5).integers(0, 2**64, size=(2, 4, LANES), dtype=np.uint64)
CLOSE = {"rtol": 1e-8, "atol": 1e-10}


@pytest.fixture(autouse=True)
def unsigned_arithmetic_wraps():
    with np.errstate(over="ignore"):
        yield


# ---------------------------------------------------------------- the slow programs


class Stream:
    """xoshiro256++ in Python's own integers, uniform numbers, and the ziggurat as in the papers."""

    def __init__(self, key):
        self.s = [int(word) for word in key]

    def word(self):
        def turned(x, k):
            return (x << k | x >> (64 - k)) % 2**64

        s = self.s
        result = (turned((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64
        t = s[1] << 17 & (2**64 - 1)
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turned(s[3], 45)
        return result

    def uniform(self):
        return (self.word() >> 11) / 2**53

    def normal(self):
        ends, _area = ZIGGURAT
        while True:
            word = self.word()
            layer, place = word % 256, 2 * (word >> 11) / 2**53 - 1
            x = place * ends[layer]
            if abs(x) < ends[layer + 1]:
                return x
            if layer == 0:
                while True:
                    a, b = -math.log(1 - self.uniform()) / ends[1], -math.log(1 - self.uniform())
                    if 2 * b > a * a:
                        return math.copysign(ends[1] + a, place)
            low, high = math.exp(-(ends[layer] ** 2) / 2), math.exp(-(ends[layer + 1] ** 2) / 2)
            height = high / low + self.uniform() * (1 - high / low)
            if height < math.exp(-(x**2) / 2) / low:
                return x


def _ziggurat():
    """Ends of 256 layers of equal area, from the one number that makes the last one end at 0."""
    tail = 3.6541528853610088
    area = tail * math.exp(-(tail**2) / 2) + math.sqrt(math.pi / 2) * math.erfc(tail / math.sqrt(2))
    ends = [area / math.exp(-(tail**2) / 2), tail]
    while len(ends) < 256:
        ends.append(math.sqrt(-2 * math.log(math.exp(-(ends[-1] ** 2) / 2) + area / ends[-1])))
    return [*ends, 0.0], area


ZIGGURAT = _ziggurat()


class World:
    """A pendulum, and the streams of one trial."""

    def __init__(self, starts, *, n_steps, explicit=False, bottom=False, turns=0.0, bootstrap=False, **numbers):
        self.starts, self.n_steps, self.turns, self.bootstrap = Stream(starts), n_steps, turns, bootstrap
        self.explicit, self.bottom, self.numbers = explicit, bottom, {**WORLD, **numbers}

    @property
    def array(self):
        numbers = [self.numbers[name] for name in ("step", "gravity", "friction", "torque", "speed")]
        return np.array([*numbers, self.explicit, self.bottom, self.turns, self.bootstrap], dtype=float)

    def reset(self):
        u = self.starts.uniform()
        self.angle = math.pi if self.bottom else (2 * u - 1) * math.pi
        self.speed, self.turned, self.t = 0.0, self.angle, 0

    def step(self, action):
        """Reward, whether the episode is over, and whether it was cut off by time alone."""
        w = self.numbers
        torque = np.clip(w["torque"] * action, -w["torque"], w["torque"])
        faster = self.speed + w["step"] * (w["gravity"] * math.sin(self.angle) - w["friction"] * self.speed + torque)
        moved = w["step"] * (self.speed if self.explicit else faster)
        self.turned += moved
        self.angle += moved
        if abs(self.angle) > math.pi:
            self.angle -= math.copysign(2 * math.pi, self.angle)
        self.speed = faster
        self.t += 1
        over = self.turns > 0 and abs(self.turned) > self.turns * math.pi
        reward = math.cos(self.angle) - (1 / w["step"] if over else 0.0)
        return reward, over or self.t == self.n_steps, not over

    def features(self, orders):
        x = (self.angle + math.pi) / (2 * math.pi), (self.speed + self.numbers["speed"]) / (2 * self.numbers["speed"])
        return np.array([math.cos(math.pi * (i * x[0] + j * x[1])) for i, j in terms(*orders)])


def terms(d, i):
    """All pairs up to the dependent order, and single variables up to the independent one."""
    pairs = {(a, b) for a in range(d + 1) for b in range(d + 1)}
    return sorted(pairs | {(a, 0) for a in range(i + 1)} | {(0, a) for a in range(i + 1)})


def slow_actor_critic(
    world, noise, orders, policy, lambda_, actor_step, critic_step, episodes, discount=0.99, spread=1.0, trained=False, bound=1e8
):  # fmt: skip
    """Returns, the episode of divergence, and the last weights and σ."""
    noise = Stream(noise)
    w, theta = np.zeros(len(terms(*orders))), np.zeros(len(terms(*policy)))
    returns, diverged = [], episodes
    for episode in range(episodes):
        world.reset()
        f, p = world.features(orders), world.features(policy)
        e, ep, es = np.zeros_like(w), np.zeros_like(theta), 0.0
        total, over = 0.0, False
        for _ in range(world.n_steps):
            z = noise.normal()  # also where an episode has ended early
            if over:
                continue
            if diverged < episodes:
                reward, over, _ = world.step(1.0)
                total += reward
                continue
            reward, over, by_time = world.step(theta @ p + spread * z)
            total += reward
            f_next, p_next = world.features(orders), world.features(policy)
            goes_on = not over or (by_time and world.bootstrap)
            delta = reward + (discount * w @ f_next if goes_on else 0.0) - w @ f
            e = discount * lambda_ * e + f
            ep = discount * lambda_ * ep + z / spread * p
            es = discount * lambda_ * es + (z * z - 1) / spread
            w, theta = w + critic_step * delta * e, theta + actor_step * delta * ep
            if trained:
                spread = np.clip(spread + actor_step * delta * es, 0.001, 100)
            f, p = f_next, p_next
            if not (abs(w @ f) < bound and abs(theta @ p) < bound):
                diverged, w, theta, spread = episode, np.zeros_like(w), np.zeros_like(theta), 1.0
        returns.append(total)
    return returns, diverged, w, theta, spread


def slow_ppo(
    world, noise, orders, policy, lambda_, rate, horizon, n_epochs, batch, clip, episodes, discount=0.99, log_spread=0.0,
    falling=False, keep=False, value_weight=1.0, entropy_weight=0.0, epsilon=1e-5, bound=1e8,
):  # fmt: skip
    """Returns, the episode of divergence, and the last weights and log σ."""
    noise = Stream(noise)
    nw, nt = len(terms(*orders)), len(terms(*policy))
    x, m, v, updates, done = np.append(np.zeros(nt + nw), log_spread), 0.0, 0.0, 0, 0
    order, rows, returns, diverged = np.arange(horizon), [], [], episodes
    world.reset()
    total = 0.0
    while len(returns) < episodes:
        f, p = world.features(orders), world.features(policy)
        mean, value, spread = x[:nt] @ p, x[nt:-1] @ f, math.exp(x[-1])
        if not (abs(mean) < bound and abs(value) < bound and spread < bound):
            diverged = min(diverged, len(returns))
        z = noise.normal() if diverged == episodes else 0.0
        action = mean + spread * z if diverged == episodes else 1.0
        reward, over, by_time = world.step(action)
        total += reward
        done += 1
        if over:
            returns.append(total)
            total = 0.0
            if by_time and world.bootstrap:
                reward += discount * x[nt:-1] @ world.features(orders)
            world.reset()
        rows.append((f, p, action, -z * z / 2 - x[-1], reward, over, value))
        if len(rows) < horizon or diverged < episodes:
            continue
        f, p, actions, chances, rewards, ends, values = (np.array(column) for column in zip(*rows, strict=True))
        rows = []
        values = np.append(values, x[nt:-1] @ world.features(orders))
        advantages = slow_advantages(rewards, values, ends, discount, lambda_)
        targets = advantages + values[:-1]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-12)
        scale = rate * (1 - done / (world.n_steps * episodes) if falling else 1)
        for _ in range(n_epochs):
            word, half = 0, 1
            for k in range(horizon - 1, 0, -1):
                half = 1 - half
                word = noise.word() if half == 0 else word
                other = ((word >> 32 if half else word % 2**32) * (k + 1)) >> 32
                order[[k, other]] = order[[other, k]]
            for b in range(0, horizon, batch):
                at = order[b : b + batch]
                if len(at) < batch and not keep:
                    continue
                z, precision = actions[at] - p[at] @ x[:nt], math.exp(-2 * x[-1])
                ratio = np.exp(-z * z * precision / 2 - x[-1] - chances[at])
                a = advantages[at]
                free = ~(((a > 0) & (ratio > 1 + clip)) | ((a < 0) & (ratio < 1 - clip)))
                pull = -(free * ratio * a) / len(at)
                drag = 2 * value_weight * (f[at] @ x[nt:-1] - targets[at]) / len(at)
                slope = (pull * (z * z * precision - 1)).sum() - entropy_weight
                g = np.concatenate([p[at].T @ (pull * z * precision), f[at].T @ drag, [slope]])
                updates += 1
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                scaled = scale * math.sqrt(1 - 0.999**updates) / (1 - 0.9**updates)
                x = x - scaled * m / (np.sqrt(v) + epsilon)
    return returns, diverged, x[nt:-1], x[:nt], x[-1]


def slow_advantages(rewards, values, ends, discount, lambda_):
    """The sum of δ over what follows within the episode, each with its power of γ λ."""
    n = len(rewards)
    deltas = [rewards[k] + (0 if ends[k] else discount * values[k + 1]) - values[k] for k in range(n)]
    found = []
    for k in range(n):
        end = next((i for i in range(k, n) if ends[i]), n - 1)
        found.append(sum((discount * lambda_) ** (i - k) * deltas[i] for i in range(k, end + 1)))
    return np.array(found)


# ---------------------------------------------------------------- the kernels, called like them


def fast_actor_critic(
    world, episodes, trials, policy=(5, 6), discount=0.99, spread=1.0, trained=False, bound=1e8, dtype=np.float64, place=None
):  # fmt: skip
    """For each of at most LANES trials (number of its streams, orders, λ, steps): what the slow program returns."""
    place = list(range(len(trials))) if place is None else place
    lanes = [trials[place.index(k)] if k in place else trials[0] for k in range(LANES)]
    numbers, orders, lambdas, actor_steps, critic_steps = zip(*lanes, strict=True)
    orders = np.array(orders, dtype=np.int64).T.copy()
    returns, diverged, spreads = np.zeros((episodes, LANES)), np.zeros(LANES, np.int64), np.zeros(LANES, dtype)
    visited = terms(int(orders[0].max()), int(orders.max()))
    critic, actor = np.zeros((len(visited), LANES), dtype), np.zeros((len(terms(*policy)), LANES), dtype)
    starts, noise = (np.ascontiguousarray(keys[:, numbers]) for keys in KEYS)
    actor_critic(
        world.array, world.n_steps, starts, noise, orders, np.array(policy), np.array(lambdas, dtype=float),
        np.array(actor_steps, dtype=float), np.array(critic_steps, dtype=float), discount, spread, trained, bound, np.zeros(1, dtype),
        returns, diverged, critic, actor, spreads,
    )  # fmt: skip
    found = []
    for trial, k in zip(trials, place, strict=True):
        own = [visited.index(term) for term in terms(*trial[1])]
        assert not np.delete(critic[:, k], own).any()
        found.append((returns[:, k], diverged[k], critic[own, k], actor[:, k], spreads[k]))
    return found


def fast_ppo(
    world, number, orders, policy, lambda_, rate, horizon, n_epochs, batch, clip, episodes, discount=0.99, log_spread=0.0,
    falling=False, keep=False, value_weight=1.0, entropy_weight=0.0, epsilon=1e-5, bound=1e8, dtype=np.float64,
):  # fmt: skip
    starts, noise = (np.ascontiguousarray(keys[:, [number]]) for keys in KEYS)
    returns, last = np.zeros(episodes), np.zeros(1)
    critic, actor = np.zeros(len(terms(*orders)), dtype), np.zeros(len(terms(*policy)), dtype)
    diverged = ppo(
        world.array, world.n_steps, starts, noise, np.array(orders), np.array(policy), lambda_, rate, horizon, n_epochs, batch, clip,
        discount, log_spread, falling, keep, value_weight, entropy_weight, epsilon, bound, np.zeros(1, dtype), returns, critic,
        actor, last,
    )  # fmt: skip
    return returns, diverged, critic, actor, last[0]


def world(number, **settings):
    return World(KEYS[0][:, number], **settings)


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert_allclose(one, other, **CLOSE)


# ---------------------------------------------------------------- random numbers


@pytest.mark.kernel
def test_words_uniform_and_normal_numbers_are_those_of_the_slow_stream():
    states, slow = KEYS[1].copy(), [Stream(KEYS[1][:, k]) for k in range(3)]
    for k in range(3):
        assert [int(next_word(states, k)) for _ in range(20)] == [slow[k].word() for _ in range(20)]
        assert [uniform(states, k) for _ in range(20)] == [slow[k].uniform() for _ in range(20)]
        assert_allclose([normal(states, k) for _ in range(60)], [slow[k].normal() for _ in range(60)], rtol=1e-12)


@pytest.mark.kernel
def test_xoshiro_gives_the_published_words():
    states = np.array([[1], [2], [3], [4]], dtype=np.uint64)
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(next_word(states, 0)) for _ in range(5)] == expected


@pytest.mark.kernel
def test_normals_of_many_streams_are_those_of_each():
    together, alone = KEYS[1][:, :5].copy(), KEYS[1][:, :5].copy()
    words, drawn = np.empty(5, np.uint64), np.empty(5)
    for _ in range(100):
        write_normals(together, words, drawn)
        assert drawn.tolist() == [normal(alone, k) for k in range(5)]


def test_normal_numbers_are_normal_in_the_middle_and_in_the_tails():
    states, words, drawn = KEYS[1].copy(), np.empty(LANES, np.uint64), np.empty(LANES)
    found = np.empty((40_000, LANES))
    for row in found:
        write_normals(states, words, drawn)
        row[:] = drawn
    x = found.ravel()
    assert stats.kstest(x[:500_000], "norm").pvalue > 1e-4
    beyond = np.count_nonzero(np.abs(x) > _xoshiro.TAIL)
    assert stats.binomtest(beyond, x.size, 2 * stats.norm.sf(_xoshiro.TAIL)).pvalue > 1e-4
    assert abs(np.mean(x**4) - 3) < 5 * math.sqrt(96 / x.size)


# ---------------------------------------------------------------- pendulum and basis


@pytest.mark.kernel
def test_a_step_follows_the_equations():
    slow = world(0, n_steps=200)
    slow.reset()
    angle, speed = slow.angle, 0.0
    for t in range(200):
        action = 2 * math.sin(0.3 * t)
        angle, speed = pendulum_step(angle, speed, action, math.sin(angle), 0.01, 9.8, 0.01, 5.0, False)
        slow.step(action)
        assert_allclose(
            [math.cos(angle), math.sin(angle), speed], [math.cos(slow.angle), math.sin(slow.angle), slow.speed], **CLOSE
        )


def energy_error(explicit, step, seconds=20.0):
    """The largest change of energy of a free pendulum, as a share of what lies between lowest and highest."""
    worst = 0.0
    for start in (0.1, 1.0, 2.0, 3.0):
        angle, speed = start, 0.0
        for _ in range(round(seconds / step)):
            angle, speed = pendulum_step(angle, speed, 0.0, math.sin(angle), step, 9.8, 0.0, 5.0, explicit)
            worst = max(worst, abs(speed**2 / 2 + 9.8 * (math.cos(angle) - math.cos(start))) / (2 * 9.8))
    return worst


def test_the_semi_implicit_rule_keeps_energy_and_the_explicit_one_does_not():
    assert energy_error(False, 0.01) < 0.02
    assert energy_error(False, 0.001) < 0.002  # in proportion to the step
    assert energy_error(True, 0.01) > 0.2


@pytest.mark.kernel
@pytest.mark.parametrize("orders", [(0, 0), (0, 3), (2, 1), (3, 5), (5, 6), (10, 10)])
def test_features_are_cosines(orders):
    slow = world(0, n_steps=1)
    count, largest = len(terms(*orders)), max(2, *orders)
    assert n_features(*orders) == count
    tables, found = np.zeros((4, filled_up(largest + 1) + WIDE)), np.full(filled_up(count) + WIDE, np.nan)
    for slow.angle, slow.speed in ((0.0, 0.0), (-math.pi, 3.0), (3.1, -12.0), (1.0, 40.0), (-2.0, -123.4)):
        write_tables(slow.angle, slow.speed, 4 * math.pi, largest, tables, np.float64)
        write_features(*orders, tables, found)
        assert_allclose(found[:count], slow.features(orders), atol=2e-13)
        assert not found[count : filled_up(count)].any()


# ---------------------------------------------------------------- Actor-Critic

CALM = [
    (0, (3, 3), 0.8, 1e-3, 1e-2),
    (1, (0, 2), 0.3, 1e-2, 1e-3),
    (2, (2, 5), 0.95, 3e-3, 5e-3),
    (3, (4, 1), 0.0, 1e-2, 1e-2),
]


@pytest.mark.kernel
@pytest.mark.parametrize("n_steps", [1, 2, 3, 25])
def test_actor_critic_equals_the_slow_program_after_each_step(n_steps):
    found = fast_actor_critic(world(0, n_steps=n_steps), 1, CALM)
    for (number, *rest), one in zip(CALM, found, strict=True):
        assert_same(
            one, slow_actor_critic(world(number, n_steps=n_steps), KEYS[1][:, number], rest[0], (5, 6), *rest[1:], 1)
        )


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("settings", "choices"),
    [
        ({}, {}),
        ({"explicit": True, "bottom": True, "bootstrap": True}, {"trained": True, "spread": 0.5}),
        (
            {"gravity": 5.0, "friction": 0.1, "torque": 2.0, "speed": 3.0, "step": 0.02},
            {"discount": 0.9, "policy": (2, 4)},
        ),
        ({"turns": 0.9}, {}),
    ],
)
def test_actor_critic_equals_the_slow_program_over_episodes_and_choices(settings, choices):
    found = fast_actor_critic(world(0, n_steps=60, **settings), 3, CALM, **choices)
    policy = choices.pop("policy", (5, 6))
    for (number, orders, *rest), one in zip(CALM, found, strict=True):
        slow = slow_actor_critic(
            world(number, n_steps=60, **settings), KEYS[1][:, number], orders, policy, *rest, 3, **choices
        )
        assert_same(one, slow)


@pytest.mark.kernel
def test_a_trial_that_diverges_says_so_and_its_neighbors_do_not_notice():
    wild = [(4, (5, 5), 0.99, 0.1, 10.0), (5, (10, 10), 0.9, 50.0, 0.1)]
    together = fast_actor_critic(world(0, n_steps=60), 3, [wild[0], *CALM, wild[1]])
    alone = fast_actor_critic(world(0, n_steps=60), 3, CALM)
    for one, other in zip(together[1:-1], alone, strict=True):
        for a, b in zip(one, other, strict=True):
            assert_array_equal(a, b)
    for (number, orders, *rest), one in ((wild[0], together[0]), (wild[1], together[-1])):
        slow = slow_actor_critic(world(number, n_steps=60), KEYS[1][:, number], orders, (5, 6), *rest, 3)
        assert one[1] == slow[1] < 3
        assert_allclose(one[0], slow[0], rtol=1e-6)
        assert np.isfinite(one[0]).all()


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_numbers_of_a_trial_do_not_depend_on_its_lane_or_its_neighbors(dtype):
    others = [((6 + k) % LANES, (k % 11, (3 * k) % 11), 0.5, 1e-3, 1e-2) for k in range(LANES - len(CALM))]
    rng = np.random.default_rng(0)
    alone = [fast_actor_critic(world(0, n_steps=40), 2, [trial], dtype=dtype)[0] for trial in CALM]
    for _ in range(2):
        place = rng.permutation(LANES).tolist()
        together = fast_actor_critic(world(0, n_steps=40), 2, [*CALM, *others], dtype=dtype, place=place)
        for one, other in zip(together, alone, strict=False):
            for a, b in zip(one, other, strict=True):
                assert_array_equal(a, b)


# ---------------------------------------------------------------- PPO

PPO = {
    "as published": ({"orders": (3, 4), "lambda_": 0.9, "rate": 3e-3, "horizon": 37, "n_epochs": 3, "batch": 9, "clip": 0.2}, {}, {}),
    "batch beyond the horizon": ({"orders": (2, 2), "lambda_": 0.5, "rate": 1e-3, "horizon": 16, "n_epochs": 2, "batch": 20, "clip": 0.1}, {}, {}),
    "kept": ({"orders": (0, 5), "lambda_": 0.2, "rate": 1e-2, "horizon": 16, "n_epochs": 2, "batch": 20, "clip": 0.1}, {"keep": True}, {}),
    "kept remainder": ({"orders": (4, 2), "lambda_": 0.95, "rate": 1e-2, "horizon": 21, "n_epochs": 2, "batch": 8, "clip": 0.3}, {"keep": True}, {}),
    "other choices": (
        {"orders": (5, 5), "lambda_": 0.8, "rate": 5e-3, "horizon": 33, "n_epochs": 4, "batch": 8, "clip": 0.15},
        {"falling": True, "value_weight": 0.5, "entropy_weight": 0.01, "epsilon": 1e-8, "log_spread": -0.5, "discount": 0.9},
        {"explicit": True, "bootstrap": True, "turns": 0.9},
    ),
}  # fmt: skip


@pytest.mark.kernel
@pytest.mark.parametrize("name", PPO)
def test_ppo_equals_the_slow_program(name):
    drawn, choices, settings = PPO[name]
    for number, n_steps, episodes in ((0, 40, 2), (1, 37, 3), (2, 90, 2)):
        given = {**drawn, "policy": (5, 6), "episodes": episodes, **choices}
        found = fast_ppo(world(number, n_steps=n_steps, **settings), number, **given)
        assert_same(found, slow_ppo(world(number, n_steps=n_steps, **settings), KEYS[1][:, number], **given))
        moved = bool(found[3].any())
        assert moved == (name != "batch beyond the horizon")


@pytest.mark.parametrize(
    "other",
    [
        {"clip": 1e9}, {"epsilon": 1e-2}, {"lambda_": 0.89}, {"discount": 0.98}, {"n_epochs": 4}, {"value_weight": 0.9},
        {"entropy_weight": 0.02}, {"falling": True}, {"keep": True},
    ],
    ids=str,
)  # fmt: skip
def test_the_comparison_with_the_slow_program_notices_each_choice(other):
    """Clipping, Adam's ε and the rest matter within these few steps: equality is no accident of what was not reached."""
    given = {**PPO["as published"][0], "policy": (5, 6), "episodes": 2}
    usual = fast_ppo(world(0, n_steps=40), 0, **given)
    with pytest.raises(AssertionError):
        assert_same(fast_ppo(world(0, n_steps=40), 0, **{**given, **other}), usual)


@pytest.mark.kernel
def test_a_ppo_trial_that_diverges_goes_on_without_learning():
    given = {"orders": (3, 3), "policy": (5, 6), "lambda_": 0.9, "rate": 50.0, "horizon": 16, "n_epochs": 2, "batch": 8, "clip": 0.2, "episodes": 3, "bound": 200.0}  # fmt: skip
    returns, diverged, *_ = fast_ppo(world(0, n_steps=60), 0, **given)
    expected = slow_ppo(world(0, n_steps=60), KEYS[1][:, 0], **given)
    assert diverged == expected[1] < 3
    assert_allclose(returns, expected[0], rtol=1e-6)


@pytest.mark.kernel
@pytest.mark.parametrize("lambda_", [0.0, 0.7, 1.0])
def test_advantages_are_discounted_sums_within_episodes(lambda_):
    rng = np.random.default_rng(1)
    rewards, values, ends = rng.normal(size=12), rng.normal(size=13), np.arange(12) % 5 == 3
    found, targets = np.empty(12), np.empty(12)
    write_advantages(rewards, values, ends, 0.99, lambda_, found, targets)
    expected = slow_advantages(rewards, values, ends, 0.99, lambda_)
    assert_allclose(targets, expected + values[:-1], **CLOSE)
    assert_allclose(found, (expected - expected.mean()) / expected.std(), **CLOSE)
