"""Every compiled function. Flat arrays and scalars in; outputs are given by the caller.

  _corridor         probability that uniform order statistics stay between two boundaries
  _betting          wealth of bets on bounded scores, and on wins over all pairings
  _resampling       a small generator; one pass over rank counts: means, IQM, quantiles, tails, profiles; improvement; ASO
  _moments          central moments of many rows
  _shapiro          Shapiro-Wilk of many rows
  _rounded_normal   fit of a normal that was rounded to a lattice
  _dip              Hartigan's dip

Kernels import numpy, math, numba, `ogive.jit` and each other, nothing else. They trust their
arguments: whoever calls one has checked them. Each has a slow, obvious oracle in
`tests/kernels`, and runs uncompiled with NUMBA_DISABLE_JIT=1.
"""
