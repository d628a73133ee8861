"""Every compiled function. Flat arrays and scalars in; outputs are given by the caller.

  _corridor         probability that uniform order statistics stay between two boundaries
  _betting          wealth of bets on bounded scores, and on wins over all pairings
  _resampling       a small generator; one pass over rank counts: means, IQM, quantiles, tails, profiles; improvement; ASO
  _steps            the same at every step of training: whole runs are drawn, many resamples walked side by side
  _moments          central moments of many rows
  _shapiro          Shapiro-Wilk of many rows
  _rounded_normal   fit of a normal that was rounded to a lattice
  _dip              Hartigan's dip
  _curve_scores     accuracy, AUC, Brier and cross-entropy of a test set in one pass
  _nearest_mean, _neighbors, _discriminant   whole learning curves of one learner each
  _tree             learning curves of decision trees: counted codes, nodes as ranges, only what changed and is tested
  _forest           learning curves of random forests; _boosting: of AdaBoost with stumps
  _columns          training rows by column: margins, sums of products, Cholesky
  _exponential      exp of many numbers at once
  _logistic         learning curves of logistic regression, by scikit-learn's own rule
  _linear_svm       learning curves of the linear machine: squared hinge, finite Newton
  _kernel_svm       learning curves of the Gaussian-kernel machine: SMO that goes on from size to size
  _xoshiro          words, uniform and normal numbers of many streams side by side
  _pendulum         a step of the pendulum; _fourier: its features, by adding angles
  _actor_critic     whole trials of Actor-Critic(λ), one in each lane; _ppo: a whole trial of PPO

Kernels import numpy, math, numba, `ogive.jit` and each other, nothing else. They trust their
arguments: whoever calls one has checked them. Each learner and statistic has a slow, obvious
oracle in `tests/kernels`, and runs uncompiled with NUMBA_DISABLE_JIT=1.
"""
