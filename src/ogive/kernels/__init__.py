"""Every compiled function. Flat arrays and scalars in; outputs are given by the caller.

  _corridor    probability that uniform order statistics stay between two boundaries

Kernels import numpy, math, numba, `ogive.jit` and each other, nothing else. They trust their
arguments: whoever calls one has checked them. Each has a slow, obvious oracle in
`tests/kernels`, and runs uncompiled with NUMBA_DISABLE_JIT=1.
"""
