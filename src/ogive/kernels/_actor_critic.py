"""Actor-Critic(λ) on the pendulum, whole trials in lockstep lanes.

Policy and critic are linear in the Fourier basis; the policy is Gaussian. After each step
δ = r + γ v(s') − v(s), e ← γ λ e + ∇, weights ← weights + α δ e, for the critic and for the policy, whose
gradient is that of log π at the action before it is cut.

A lane holds one trial. All lanes take a step together, so every loop runs over lanes and is done many numbers
at a time. Nothing is summed over lanes, and no operation is rounded differently in another place: the numbers of a
trial do not depend on which trials stand beside it. Lanes may have critics of different orders: the basis is
that of the largest orders, visited in an order that holds for all, and a feature that a lane does not have is
zero there, which changes no sum.

One pass over the critic's weights in each step does three things: it carries out the update of the step
before (its δ is known, its trace too), moves the trace on, and sums v(s') = w·f'. The value of s' after the
update of this step is v(s') + α δ e·f', so that e·f' is summed as well and the update itself can wait.

What belongs together stands in one flat array, in rows of LANES numbers at distances that the compiler knows: it
need not ask in each loop whether two arrays overlap. A step of 64 trials took 2.6 times as long with an array for each.

A trial whose |value| or |mean action| passes the bound, or is no number, has diverged: it stops learning, its lane
is set to zero and pushes with all its torque to the end.

Sutton and Barto (1998), Reinforcement learning.
"""

import math

import numpy as np

from ogive.jit import kernel
from ogive.kernels._fourier import add_angles, cosine_series, n_features, row_length, sine_series
from ogive.kernels._pendulum import (
    BOOTSTRAP,
    BOTTOM,
    EXPLICIT,
    FRICTION,
    GRAVITY,
    SPEED,
    STEP,
    TORQUE,
    TURNS,
    first_angle,
)
from ogive.kernels._xoshiro import uniform, write_normals

LANES = 32  # two of the widest registers; few enough that all rows of all lanes stay in the nearest cache

# Rows of the array that holds what a lane has one of. The sums and factors of a pass over weights come first.
_AHEAD, _SLOPE, _MEAN, _CRITIC_PUSH, _PUSH, _DECAY, _SCORE = (i * LANES for i in range(7))
_ANGLE, _SPEED, _TURNED, _TOTAL, _VALUE, _SINE, _NORMAL = (i * LANES for i in range(7, 14))
_SIGMA, _SIGMA_TRACE, _ACTOR_STEP, _CRITIC_STEP, _ALIVE, _GOING = (i * LANES for i in range(14, 20))
_N_ROWS = 20
# Rows of each feature: its weight, its trace, its value; in the critic, whether the lane has it.
_TRACE, _VALUE_OF, _HAS = LANES, 2 * LANES, 3 * LANES
_CRITIC, _ACTOR = 4 * LANES, 3 * LANES


@kernel
def actor_critic(
    world, n_steps, starts, noise, orders, policy, lambdas, actor_steps, critic_steps, discount, spread, trained,
    bound, unit, returns, diverged, critic, actor, spreads,
):  # fmt: skip
    """Run LANES trials of returns.shape[0] episodes.

    Parameters
    ----------
    world : the numbers of a pendulum, in the order of `_pendulum`
    n_steps : steps of an episode
    starts, noise : [4, lane], states of the streams of first angles and of actions
    orders : [2, lane], dependent and independent order of the critics; policy : those of the policy
    lambdas, actor_steps, critic_steps : [lane]
    discount, spread, trained, bound : γ, the first σ, whether σ is trained, where divergence begins
    unit : an array of the type that everything is computed in, float32 or float64
    returns : [episode, lane], written; diverged : [lane], the episode of divergence, or the number of episodes
    critic, actor, spreads : [feature, lane] and [lane], the last weights and σ, written
    """
    kind = unit.dtype.type
    zero, half, one, two = kind(0.0), kind(0.5), kind(1.0), kind(2.0)
    pi, turn = kind(math.pi), kind(2.0 * math.pi)
    step, gravity, friction, torque = (
        kind(world[STEP]),
        kind(world[GRAVITY]),
        kind(world[FRICTION]),
        kind(world[TORQUE]),
    )
    per_speed, per_turn = kind(0.5 * math.pi / world[SPEED]), kind(1.0 / math.pi)
    explicit, bottom = world[EXPLICIT] > 0.0, world[BOTTOM] > 0.0
    most_turned = kind(world[TURNS] * math.pi if world[TURNS] > 0.0 else math.inf)
    penalty = kind(1.0 / world[STEP])
    limit, least, most = kind(bound), kind(0.001), kind(100.0)
    dependent, independent = 0, 0
    for k in range(LANES):
        dependent, independent = max(dependent, orders[0, k]), max(independent, orders[1, k])
    independent = max(independent, dependent)
    largest = max(max(independent, 2), max(policy[0], policy[1]))
    n_critic, n_actor = n_features(dependent, independent), n_features(policy[0], policy[1])

    critics, actors = np.zeros(n_critic * _CRITIC, unit.dtype), np.zeros(n_actor * _ACTOR, unit.dtype)
    tables_a = np.zeros((largest + 1) * 2 * LANES, unit.dtype)
    tables_b = np.zeros((largest + 1) * 2 * LANES, unit.dtype)
    lane = np.zeros(_N_ROWS * LANES, unit.dtype)
    words, drawn = np.empty(LANES, np.uint64), np.empty(LANES)

    _mark(dependent, independent, orders, critics)
    for k in range(LANES):
        lane[_DECAY + k] = kind(discount * lambdas[k])
        lane[_ACTOR_STEP + k], lane[_CRITIC_STEP + k] = kind(actor_steps[k]), kind(critic_steps[k])
        lane[_SIGMA + k], lane[_ALIVE + k], diverged[k] = kind(spread), one, returns.shape[0]
        tables_a[k], tables_b[k] = one, one
    for episode in range(returns.shape[0]):
        for k in range(LANES):
            lane[_ANGLE + k] = kind(first_angle(uniform(starts, k), bottom))
            lane[_TURNED + k] = lane[_ANGLE + k]
            lane[_SPEED + k], lane[_TOTAL + k], lane[_GOING + k] = zero, zero, one
            lane[_SIGMA_TRACE + k], lane[_PUSH + k], lane[_CRITIC_PUSH + k], lane[_SCORE + k] = zero, zero, zero, zero
        _forget(n_critic, _CRITIC, critics)
        _forget(n_actor, _ACTOR, actors)
        for t in range(-1, n_steps):
            if t >= 0:
                write_normals(noise, words, drawn)
                for k in range(LANES):
                    lane[_NORMAL + k] = kind(drawn[k])
                for k in range(LANES):
                    pushed = torque * (lane[_MEAN + k] + lane[_SIGMA + k] * lane[_NORMAL + k])
                    pushed = torque if lane[_ALIVE + k] < half else pushed
                    pushed = min(max(pushed, -torque), torque)
                    old = lane[_SPEED + k]
                    new = old + step * (gravity * lane[_SINE + k] - friction * old + pushed)
                    moved = step * (old if explicit else new)
                    x = lane[_ANGLE + k] + moved
                    x = x - turn if x > pi else x
                    x = x + turn if x < -pi else x
                    lane[_ANGLE + k], lane[_SPEED + k] = x, new
                    lane[_TURNED + k] = lane[_TURNED + k] + moved
            first_a, first_b = tables_a[2 * LANES : 4 * LANES], tables_b[2 * LANES : 4 * LANES]
            for k in range(LANES):
                x = lane[_ANGLE + k] * half
                square = x * x
                first_a[k], first_a[LANES + k] = -sine_series(x, square, kind), cosine_series(square, kind)
            for k in range(LANES):
                x = lane[_SPEED + k] * per_speed
                turns = kind(math.floor(x * per_turn + half))
                x = x - turns * pi
                sign = one - two * (turns - two * kind(math.floor(turns * half)))
                square = x * x
                first_b[k], first_b[LANES + k] = (
                    -sign * sine_series(x, square, kind),
                    sign * cosine_series(square, kind),
                )
            add_angles(tables_a, largest, LANES)
            add_angles(tables_b, largest, LANES)
            _sweep_critic(dependent, independent, tables_a, tables_b, critics, lane)
            second_a = tables_a[4 * LANES : 6 * LANES]
            if t >= 0:
                kept = kind(discount) if t < n_steps - 1 or world[BOOTSTRAP] > 0.0 else zero
                for k in range(LANES):
                    going = lane[_GOING + k]
                    over = abs(lane[_TURNED + k]) > most_turned
                    reward = -second_a[k] - (penalty if over else zero)
                    lane[_GOING + k] = zero if over else going
                    lane[_TOTAL + k] = lane[_TOTAL + k] + going * reward
                    delta = reward + (zero if over else kept) * lane[_AHEAD + k] - lane[_VALUE + k]
                    delta = delta * (going * lane[_ALIVE + k])
                    push = lane[_ACTOR_STEP + k] * delta
                    lane[_PUSH + k], lane[_CRITIC_PUSH + k] = push, lane[_CRITIC_STEP + k] * delta
                    z, sigma = lane[_NORMAL + k], lane[_SIGMA + k]
                    lane[_SCORE + k] = np.divide(z, sigma)  # `/` looks for zeros, one number at a time
                    trace = lane[_DECAY + k] * lane[_SIGMA_TRACE + k] + np.divide(z * z - one, sigma)
                    lane[_SIGMA_TRACE + k] = trace
                    wider = min(max(sigma + push * trace, least), most)
                    lane[_SIGMA + k] = wider if trained else sigma
            for k in range(LANES):
                lane[_VALUE + k] = lane[_AHEAD + k] + lane[_CRITIC_PUSH + k] * lane[_SLOPE + k]
                lane[_SINE + k] = -second_a[LANES + k]
            _sweep_actor(policy[0], policy[1], tables_a, tables_b, actors, lane)
            bad = 0
            for k in range(LANES):
                bad += 0 if abs(lane[_VALUE + k]) < limit and abs(lane[_MEAN + k]) < limit else 1
            if bad > 0:
                for k in range(LANES):
                    if not (abs(lane[_VALUE + k]) < limit and abs(lane[_MEAN + k]) < limit):
                        diverged[k] = episode
                        _bury(k, n_critic, critics, n_actor, actors, lane)
        for k in range(LANES):
            returns[episode, k] = lane[_TOTAL + k]
        for n in range(n_critic):  # the update that still waits
            for k in range(LANES):
                critics[n * _CRITIC + k] += lane[_CRITIC_PUSH + k] * critics[n * _CRITIC + _TRACE + k]
    for k in range(LANES):
        spreads[k] = lane[_SIGMA + k]
        for n in range(n_critic):
            critic[n, k] = critics[n * _CRITIC + k]
        for n in range(n_actor):
            actor[n, k] = actors[n * _ACTOR + k]


@kernel
def _mark(dependent, independent, orders, critics):
    """1 for each feature that a lane has, in the order in which features are visited."""
    n = 0
    for i in range(independent + 1):
        for j in range(row_length(i, dependent, independent)):
            for k in range(LANES):
                reach = max(orders[0, k], orders[1, k]) if min(i, j) == 0 else orders[0, k]
                critics[n * _CRITIC + _HAS + k] = 1 if max(i, j) <= reach else 0
            n += 1


@kernel
def _forget(n, size, states):
    """Traces and features at the start of an episode."""
    for i in range(n):
        for k in range(i * size + _TRACE, i * size + _HAS):
            states[k] = 0


@kernel
def _bury(k, n_critic, critics, n_actor, actors, lane):
    """Set lane k to zero: nothing in it moves any more, and its torque is the largest."""
    for row in range(_AHEAD, _SCORE + LANES, LANES):
        lane[row + k] = 0
    lane[_VALUE + k], lane[_SIGMA + k], lane[_SIGMA_TRACE + k] = 0, 1, 0
    lane[_ALIVE + k], lane[_ACTOR_STEP + k], lane[_CRITIC_STEP + k] = 0, 0, 0
    for n in range(n_critic):
        critics[n * _CRITIC + k] = 0
        critics[n * _CRITIC + _TRACE + k] = 0
    for n in range(n_actor):
        actors[n * _ACTOR + k] = 0
        actors[n * _ACTOR + _TRACE + k] = 0


@kernel
def _sweep_critic(dependent, independent, tables_a, tables_b, critics, lane):
    """Update weights and traces, write new features, and sum weights · features and traces · features."""
    for k in range(LANES):
        lane[_AHEAD + k] = 0
        lane[_SLOPE + k] = 0
    n = 0
    for i in range(independent + 1):
        length = row_length(i, dependent, independent)
        a = tables_a[2 * i * LANES : 2 * (i + 1) * LANES]
        for j in range(0, length - 1, 2):
            b = tables_b[2 * j * LANES : 2 * (j + 2) * LANES]
            own = critics[n * _CRITIC : (n + 2) * _CRITIC]
            for k in range(LANES):
                push, decay, c, s = lane[_CRITIC_PUSH + k], lane[_DECAY + k], a[k], a[LANES + k]
                e0, e1 = own[_TRACE + k], own[_CRITIC + _TRACE + k]
                w0, w1 = own[k] + push * e0, own[_CRITIC + k] + push * e1
                e0, e1 = decay * e0 + own[_VALUE_OF + k], decay * e1 + own[_CRITIC + _VALUE_OF + k]
                f0 = own[_HAS + k] * (c * b[k] - s * b[LANES + k])
                f1 = own[_CRITIC + _HAS + k] * (c * b[2 * LANES + k] - s * b[3 * LANES + k])
                own[k], own[_TRACE + k], own[_VALUE_OF + k] = w0, e0, f0
                own[_CRITIC + k], own[_CRITIC + _TRACE + k], own[_CRITIC + _VALUE_OF + k] = w1, e1, f1
                lane[_AHEAD + k] = lane[_AHEAD + k] + (w0 * f0 + w1 * f1)
                lane[_SLOPE + k] = lane[_SLOPE + k] + (e0 * f0 + e1 * f1)
            n += 2
        if length % 2 == 1:
            b = tables_b[2 * (length - 1) * LANES : 2 * length * LANES]
            own = critics[n * _CRITIC : (n + 1) * _CRITIC]
            for k in range(LANES):
                e0 = own[_TRACE + k]
                w0 = own[k] + lane[_CRITIC_PUSH + k] * e0
                e0 = lane[_DECAY + k] * e0 + own[_VALUE_OF + k]
                f0 = own[_HAS + k] * (a[k] * b[k] - a[LANES + k] * b[LANES + k])
                own[k], own[_TRACE + k], own[_VALUE_OF + k] = w0, e0, f0
                lane[_AHEAD + k] = lane[_AHEAD + k] + w0 * f0
                lane[_SLOPE + k] = lane[_SLOPE + k] + e0 * f0
            n += 1


@kernel
def _sweep_actor(dependent, independent, tables_a, tables_b, actors, lane):
    """Update weights and traces of the policy, write new features, and sum weights · features."""
    for k in range(LANES):
        lane[_MEAN + k] = 0
    n = 0
    for i in range(max(dependent, independent) + 1):
        length = row_length(i, dependent, independent)
        a = tables_a[2 * i * LANES : 2 * (i + 1) * LANES]
        for j in range(0, length - 1, 2):
            b = tables_b[2 * j * LANES : 2 * (j + 2) * LANES]
            own = actors[n * _ACTOR : (n + 2) * _ACTOR]
            for k in range(LANES):
                push, decay, score = lane[_PUSH + k], lane[_DECAY + k], lane[_SCORE + k]
                c, s = a[k], a[LANES + k]
                e0 = decay * own[_TRACE + k] + score * own[_VALUE_OF + k]
                e1 = decay * own[_ACTOR + _TRACE + k] + score * own[_ACTOR + _VALUE_OF + k]
                w0, w1 = own[k] + push * e0, own[_ACTOR + k] + push * e1
                f0 = c * b[k] - s * b[LANES + k]
                f1 = c * b[2 * LANES + k] - s * b[3 * LANES + k]
                own[k], own[_TRACE + k], own[_VALUE_OF + k] = w0, e0, f0
                own[_ACTOR + k], own[_ACTOR + _TRACE + k], own[_ACTOR + _VALUE_OF + k] = w1, e1, f1
                lane[_MEAN + k] = lane[_MEAN + k] + (w0 * f0 + w1 * f1)
            n += 2
        if length % 2 == 1:
            b = tables_b[2 * (length - 1) * LANES : 2 * length * LANES]
            own = actors[n * _ACTOR : (n + 1) * _ACTOR]
            for k in range(LANES):
                e0 = lane[_DECAY + k] * own[_TRACE + k] + lane[_SCORE + k] * own[_VALUE_OF + k]
                w0 = own[k] + lane[_PUSH + k] * e0
                f0 = a[k] * b[k] - a[LANES + k] * b[LANES + k]
                own[k], own[_TRACE + k], own[_VALUE_OF + k] = w0, e0, f0
                lane[_MEAN + k] = lane[_MEAN + k] + w0 * f0
            n += 1
