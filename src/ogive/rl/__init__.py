"""Reinforcement learning as ordinary tasks and algorithms of a study: the pendulum, Actor-Critic, PPO.

Start here
  pendulum(episodes=500)    a task: the pendulum that is to be swung up and held, as Doya (2000) posed it
  actor_critic() ppo()      algorithms with the spaces of Jordan et al. (2018); whole trials are compiled code
  Study("swing-up", [actor_critic(), ppo()], pendulum()), run as any other

What comes out of a trial
  return                the mean return over all training episodes; return_100, return_200: over the first so many
  diverged              1 where learning left all bounds and was stopped, else 0
  returns               a Series: the return of each episode

An agent of one's own is an Algorithm whose function takes the draw: f(config, env, rng=rng), with
`env.reset()` and `env.step(action)` for `env.n_episodes` episodes. Trial i has the same first angles for all.

Inside
  _pendulum  the task, and what it draws
  _linear    both algorithms: configurations to numbers, lanes of equal work, kernels, scores
"""

from ogive.rl._linear import actor_critic, ppo
from ogive.rl._pendulum import Pendulum, pendulum

__all__ = ["Pendulum", "actor_critic", "pendulum", "ppo"]
