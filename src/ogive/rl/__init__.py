"""Reinforcement learning as ordinary tasks and algorithms of a study: environments, the pendulum, Actor-Critic, PPO.

Start here
  gymnasium_task("CartPole-v1", episodes=200)    a task: an environment of Gymnasium, for any agent
  Algorithm("mine", f, space)                    an agent of one's own: f(config, env, rng=rng)
  pendulum(episodes=500)    a task: the pendulum that is to be swung up and held, as Doya (2000) posed it
  actor_critic() ppo()      algorithms with the spaces of Jordan et al. (2018); whole trials are compiled code

What comes out of a trial
  return                the mean return over all training episodes; on the pendulum also return_100, return_200
  final_return, best_return    of Gymnasium: of the last, and of the best consecutive episodes
  diverged              1 where learning on the pendulum left all bounds and was stopped, else 0
  returns               a Series: the return of each episode; with a budget of steps also their lengths

Trial i starts its episodes alike for all agents. BudgetUsed ends one that would go on.

Inside
  _gymnasium  the task: what is made, budgets, scores; _counted: the environment that counts
  _pendulum  the task, and what it draws; an agent may step it by hand
  _linear    both algorithms: configurations to numbers, lanes of equal work, kernels, scores
"""

from ogive.rl._gymnasium import BudgetUsed, gymnasium_task
from ogive.rl._linear import actor_critic, ppo
from ogive.rl._pendulum import Pendulum, pendulum

__all__ = ["BudgetUsed", "Pendulum", "actor_critic", "gymnasium_task", "pendulum", "ppo"]
