"""Proximal policy optimization on the pendulum, one whole trial.

Policy and critic are linear in the Fourier basis, the policy is Gaussian with one trained log σ, as in the
code that OpenAI published (baselines, ppo1): after `horizon` steps, advantages by GAE(λ), standardized over
the horizon; then epochs over the horizon in random order, in batches, each one step of Adam on
−min(r A, clip(r) A) + c (v − return)² − h log σ. A batch that the horizon cannot fill is dropped there, so that a
batch larger than the horizon means that nothing is ever learned; `keep` takes what is left as a smaller batch.

Policy and value of a batch are computed four samples at a time, so that each weight is read once for four
of them, and gradients are added up in the same way. Likelihood ratios of a batch are exponentials of many numbers at
once.

Schulman, Wolski, Dhariwal, Radford and Klimov (2017), Proximal policy optimization algorithms. Schulman et al.
(2016), High-dimensional continuous control using generalized advantage estimation. Kingma and Ba (2015), Adam.
"""

import math

import numpy as np

from ogive.jit import kernel, summing_kernel
from ogive.kernels._exponential import write_exponentials
from ogive.kernels._fourier import WIDE, filled_up, n_features, write_features, write_tables
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
    pendulum_step,
)
from ogive.kernels._resampling import high_index, low_index
from ogive.kernels._xoshiro import next_word, normal, uniform

_FIRST, _SECOND = 0.9, 0.999  # how much of the mean of gradients, and of their squares, Adam keeps
_SMALLEST = 1e-12  # standard deviation that advantages are divided by


@kernel
def ppo(
    world, n_steps, starts, noise, orders, policy, lambda_, rate, horizon, n_epochs, batch, clip, discount, log_spread,
    falling, keep, value_weight, entropy_weight, epsilon, bound, unit, returns, critic, actor, log_spreads,
):  # fmt: skip
    """Run one trial of returns.size episodes; the episode in which it diverged, or their number.

    Parameters
    ----------
    world : the numbers of a pendulum, in the order of `_pendulum`
    n_steps : steps of an episode
    starts, noise : [4, 1], states of the streams of first angles, and of actions and orders of samples
    orders, policy : dependent and independent order of the critic, and of the policy
    lambda_, rate, horizon, n_epochs, batch, clip : what is drawn for each trial
    discount, log_spread : γ, the first log σ
    falling : whether the rate falls to 0 at the end; keep : whether what is left of a horizon is a batch
    value_weight, entropy_weight, epsilon : c and h, and the least denominator of Adam
    bound : of |value|, |mean action| and σ, beyond which learning stops
    unit : an array of the type of weights and features, float32 or float64
    returns : [episode], written
    critic, actor, log_spreads : the last weights and log σ, written
    """
    kind = unit.dtype.type
    step, gravity, friction, torque = world[STEP], world[GRAVITY], world[FRICTION], world[TORQUE]
    explicit, bottom, bootstrap = world[EXPLICIT] > 0.0, world[BOTTOM] > 0.0, world[BOOTSTRAP] > 0.0
    most_turned = world[TURNS] * math.pi if world[TURNS] > 0.0 else math.inf
    largest = max(2, max(max(orders[0], orders[1]), max(policy[0], policy[1])))
    n_actor, n_critic = n_features(policy[0], policy[1]), n_features(orders[0], orders[1])
    middle = filled_up(n_actor)  # weights of the policy, then those of the critic, each filled up with zeros
    n_all = middle + filled_up(n_critic)
    tables = np.zeros((4, filled_up(largest + 1) + WIDE), unit.dtype)
    features = np.zeros((horizon + 1) * n_all + WIDE, unit.dtype)
    weights, gradient = np.zeros(n_all, unit.dtype), np.zeros(n_all, unit.dtype)
    first, second = np.zeros(n_all, unit.dtype), np.zeros(n_all, unit.dtype)
    # One for each step of a horizon: action, its log-probability, reward, value, whether an episode ended, advantage, return.
    actions, chances, rewards, values = np.zeros(horizon), np.zeros(horizon), np.zeros(horizon), np.zeros(horizon + 1)
    ended, advantages, targets = np.zeros(horizon, np.bool_), np.zeros(horizon), np.zeros(horizon)
    samples, room = np.arange(horizon), np.zeros((6, batch + 4))
    own = np.array([log_spread, 0.0, 0.0])  # log σ, and what Adam keeps of it
    powers = np.array([1.0, 1.0])
    n_episodes = returns.size
    diverged, learns = n_episodes, True
    episode, t, at, done = 0, 0, 0, 0
    total = 0.0
    angle = first_angle(uniform(starts, 0), bottom)
    speed, turned, sine = 0.0, angle, math.sin(angle)
    write_tables(angle, speed, world[SPEED], largest, tables, kind)
    _write_both(policy, orders, middle, tables, features[:])
    while episode < n_episodes:
        action = 1.0
        if learns:
            mean, value = _predict(features, at, weights, middle)
            spread = math.exp(own[0])
            if abs(mean) < bound and abs(value) < bound and spread < bound:
                z = normal(noise, 0)
                action = mean + spread * z
                actions[at], chances[at], values[at] = action, -0.5 * z * z - own[0], value
            else:
                learns, diverged = False, episode
        before = angle
        angle, speed = pendulum_step(angle, speed, action, sine, step, gravity, friction, torque, explicit)
        turned += angle - before
        angle = angle - 2.0 * math.pi if angle > math.pi else angle
        angle = angle + 2.0 * math.pi if angle < -math.pi else angle
        t += 1
        done += 1
        if learns:
            write_tables(angle, speed, world[SPEED], largest, tables, kind)
            reward, sine = -np.float64(tables[0, 2]), -np.float64(tables[1, 2])
        else:
            reward, sine = math.cos(angle), math.sin(angle)
        over = abs(turned) > most_turned
        reward -= 1.0 / step if over else 0.0
        total += reward
        last = over or t == n_steps
        if last:
            if learns and bootstrap and not over:  # the value of where it was cut off
                _write_both(policy, orders, middle, tables, features[(at + 1) * n_all :])
                reward += discount * _predict(features, at + 1, weights, middle)[1]
            returns[episode] = total
            episode += 1
            total, t = 0.0, 0
            angle = first_angle(uniform(starts, 0), bottom)
            speed, turned, sine = 0.0, angle, math.sin(angle)
            if learns:
                write_tables(angle, speed, world[SPEED], largest, tables, kind)
        if not learns:
            continue
        rewards[at], ended[at] = reward, last
        at += 1
        _write_both(policy, orders, middle, tables, features[at * n_all :])
        if at == horizon:
            values[at] = _predict(features, at, weights, middle)[1]
            write_advantages(rewards, values, ended, discount, lambda_, advantages, targets)
            scale = rate * max(0.0, 1.0 - done / (n_steps * n_episodes)) if falling else rate
            for _ in range(n_epochs):
                _shuffle(noise, samples)
                begin = 0
                while begin + batch <= horizon or (keep and begin < horizon):
                    end = min(begin + batch, horizon)
                    slope = _batch_gradient(
                        features, weights, middle, samples[begin:end], actions, chances, advantages, targets, own[0],
                        clip, value_weight, entropy_weight, room, gradient,
                    )  # fmt: skip
                    _adam(gradient, slope, scale, epsilon, weights, first, second, own, powers)
                    begin = end
            features[:n_all] = features[horizon * n_all : (horizon + 1) * n_all]
            at = 0
    log_spreads[0] = own[0]
    actor[:] = weights[:n_actor]
    critic[:] = weights[middle : middle + n_critic]
    return diverged


@kernel
def _write_both(policy, orders, middle, tables, features):
    write_features(policy[0], policy[1], tables, features)
    write_features(orders[0], orders[1], tables, features[middle:])


@summing_kernel
def _predict(features, at, weights, middle):
    """Mean action and value of one state."""
    zero = weights.dtype.type(0.0)
    mean, value = zero, zero
    row, end, size = np.uint64(at * weights.size), np.uint64(middle), np.uint64(weights.size)
    for i in range(end):
        mean += weights[i] * features[row + i]
    for i in range(end, size):
        value += weights[i] * features[row + i]
    return np.float64(mean), np.float64(value)


@kernel
def write_advantages(rewards, values, ended, discount, lambda_, advantages, targets):
    """Standardized advantages by GAE(λ), and what values are fitted to: advantage plus value."""
    horizon = rewards.size
    later, total = 0.0, 0.0
    for k in range(horizon - 1, -1, -1):
        goes_on = 0.0 if ended[k] else discount
        delta = rewards[k] + goes_on * values[k + 1] - values[k]
        later = delta + goes_on * lambda_ * later
        advantages[k], targets[k] = later, later + values[k]
        total += later
    mean, squares = total / horizon, 0.0
    for k in range(horizon):
        squares += (advantages[k] - mean) ** 2
    deviation = math.sqrt(squares / horizon) + _SMALLEST
    for k in range(horizon):
        advantages[k] = (advantages[k] - mean) / deviation


@kernel
def _shuffle(noise, samples):
    """Every order alike; two draws out of each word."""
    word, second = np.uint64(0), False
    for k in range(samples.size - 1, 0, -1):
        if second:
            other = np.int64(high_index(word, np.uint64(k + 1)))
        else:
            word = next_word(noise, 0)
            other = np.int64(low_index(word, np.uint64(k + 1)))
        second = not second
        samples[k], samples[other] = samples[other], samples[k]


@kernel
def _batch_gradient(
    features, weights, middle, samples, actions, chances, advantages, targets, log_spread, clip, value_weight,
    entropy_weight, room, gradient,
):  # fmt: skip
    """Write the gradient of the loss of a batch for all weights; its slope in log σ."""
    n = samples.size
    offs, errors, logs, powers, pulls, drags = room[0], room[1], room[2], room[3], room[4], room[5]
    for k in range(0, n, 4):
        _predict_four(features, samples, k, weights, middle, offs, errors)
    precision = math.exp(-2.0 * log_spread)
    for k in range(n):
        sample = samples[k]
        offs[k] = actions[sample] - offs[k]
        errors[k] = errors[k] - targets[sample]
        logs[k] = -0.5 * precision * offs[k] * offs[k] - log_spread - chances[sample]
    write_exponentials(logs, n, powers, pulls)
    slope = 0.0
    for k in range(n):
        ratio, advantage = pulls[k], advantages[samples[k]]
        cut = (advantage > 0.0 and ratio > 1.0 + clip) or (advantage < 0.0 and ratio < 1.0 - clip)
        pull = 0.0 if cut else -ratio * advantage / n
        slope += pull * (offs[k] * offs[k] * precision - 1.0)
        pulls[k] = pull * offs[k] * precision
        drags[k] = 2.0 * value_weight * errors[k] / n
    for k in range(n, n + 3):
        pulls[k], drags[k] = 0.0, 0.0
    for i in range(gradient.size):
        gradient[i] = 0
    for k in range(0, n, 4):
        _add_four(features, samples, k, pulls, drags, middle, gradient)
    return slope - entropy_weight


@kernel
def _rows_of_four(samples, k, width):
    """Where the features of four samples begin; the last sample stands for those beyond the end.

    Unsigned, since the compiler looks at the sign of every signed index before using it.
    """
    last = samples.size - 1
    a, b, c, d = samples[k], samples[min(k + 1, last)], samples[min(k + 2, last)], samples[min(k + 3, last)]
    return np.uint64(a * width), np.uint64(b * width), np.uint64(c * width), np.uint64(d * width)


@summing_kernel
def _predict_four(features, samples, k, weights, middle, means, values):
    """Mean actions and values of the samples k … k + 3."""
    a, b, c, d = _rows_of_four(samples, k, weights.size)
    end, size, zero = np.uint64(middle), np.uint64(weights.size), weights.dtype.type(0.0)
    p, q, r, s = zero, zero, zero, zero
    for i in range(end):
        w = weights[i]
        p += w * features[a + i]
        q += w * features[b + i]
        r += w * features[c + i]
        s += w * features[d + i]
    means[k], means[k + 1], means[k + 2], means[k + 3] = p, q, r, s
    p, q, r, s = zero, zero, zero, zero
    for i in range(end, size):
        w = weights[i]
        p += w * features[a + i]
        q += w * features[b + i]
        r += w * features[c + i]
        s += w * features[d + i]
    values[k], values[k + 1], values[k + 2], values[k + 3] = p, q, r, s


@kernel
def _add_four(features, samples, k, pulls, drags, middle, gradient):
    """Add what the samples k … k + 3 ask of the weights of the policy, and of those of the critic."""
    kind = gradient.dtype.type
    a, b, c, d = _rows_of_four(samples, k, gradient.size)
    end, size = np.uint64(middle), np.uint64(gradient.size)
    p, q, r, s = kind(pulls[k]), kind(pulls[k + 1]), kind(pulls[k + 2]), kind(pulls[k + 3])
    for i in range(end):
        gradient[i] += (p * features[a + i] + q * features[b + i]) + (r * features[c + i] + s * features[d + i])
    p, q, r, s = kind(drags[k]), kind(drags[k + 1]), kind(drags[k + 2]), kind(drags[k + 3])
    for i in range(end, size):
        gradient[i] += (p * features[a + i] + q * features[b + i]) + (r * features[c + i] + s * features[d + i])


@kernel
def _adam(gradient, slope, rate, epsilon, weights, first, second, own, powers):
    """One step of Adam; `own` is log σ with its means, `powers` what both means still lack."""
    kind = gradient.dtype.type
    powers[0] *= _FIRST
    powers[1] *= _SECOND
    step = rate * math.sqrt(1.0 - powers[1]) / (1.0 - powers[0])
    own[1] = _FIRST * own[1] + (1.0 - _FIRST) * slope
    own[2] = _SECOND * own[2] + (1.0 - _SECOND) * slope * slope
    own[0] -= step * own[1] / (math.sqrt(own[2]) + epsilon)
    keeps, takes, keeps_square, takes_square = kind(_FIRST), kind(1.0 - _FIRST), kind(_SECOND), kind(1.0 - _SECOND)
    moved, least = kind(step), kind(epsilon)
    for i in range(weights.size):
        g = gradient[i]
        m = keeps * first[i] + takes * g
        v = keeps_square * second[i] + takes_square * (g * g)
        first[i], second[i] = m, v
        weights[i] -= np.divide(moved * m, np.sqrt(v) + least)  # `/` looks for zeros, one number at a time
