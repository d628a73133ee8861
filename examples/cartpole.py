"""Two agents learn to balance a pole on a cart, each written in a few lines here.

    pip install "ogive[gymnasium]"
    ogive run examples/cartpole.py --trials 100 --workers 2 --out results/cartpole

An agent is a function of a configuration, an environment and a generator. It needs to return nothing: the
environment counts, and ends it after 100 episodes. A hundred trials of both take about a minute of one core.
"""

import math

import numpy as np

import ogive
from ogive.spaces import loguniform

SCALES = np.array([2.4, 3.0, 0.21, 3.0])  # of position, speed, angle and turning speed


def policy_gradient(config, env, rng):
    """REINFORCE: push to the right with a probability that is a logistic function of the state."""
    weights, usual = np.zeros(4), 0.0
    while not env.used_up:
        (state, _), gradients, over = env.reset(), [], False
        while not over:
            x = state / SCALES
            right = 1.0 / (1.0 + math.exp(-float(weights @ x)))
            action = int(rng.random() < right)
            gradients.append((action - right) * x)
            state, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
        to_go = np.arange(len(gradients), 0, -1)  # each step is worth 1
        usual += 0.1 * (len(gradients) - usual)
        weights += config["step"] * ((to_go - usual / 2) @ np.array(gradients)) / len(gradients)


def hill_climbing(config, env, rng):
    """Shake the weights of a policy after each episode, and keep what did better."""
    kept, best = np.zeros(4), -math.inf
    while not env.used_up:
        weights = kept + config["spread"] * rng.normal(size=4)
        (state, _), total, over = env.reset(), 0.0, False
        while not over:
            state, reward, terminated, truncated, _ = env.step(int(weights @ state > 0))
            total += reward
            over = terminated or truncated
        if total >= best:
            kept, best = weights, total


study = ogive.Study(
    "cartpole",
    [
        ogive.Algorithm("policy gradient", policy_gradient, {"step": loguniform(1e-3, 1)}),
        ogive.Algorithm("hill climbing", hill_climbing, {"spread": loguniform(1e-2, 10)}),
    ],
    ogive.rl.gymnasium_task("CartPole-v1", episodes=100),
    metrics={"return": ogive.Metric("maximize", (0, 500))},
)
