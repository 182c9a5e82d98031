"""Whether values of a kernel are inner products, as all theorems about kernels assume: a proof from the rows at hand.

With D the diagonal of a Gram matrix G of n rows, let H = D^-1/2 G D^-1/2. Should Cholesky's method run through on
H + s I in floating point, then R'R = H + s I + E, where no entry of E is above about (n + 1) u for the unit roundoff u,
in whatever order the sums are taken (Higham 2002, Thm 10.3). So H + (s + |E|) I is positive semidefinite, |E| being at
most n times that, and G is as near to values of a kernel. Where G is not, s at least |E| makes the method stop (Thm
10.7), so that no matrix which is positive semidefinite is refused for rounding alone.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ...data.batch import Array

UNIT = 2.0**-53
SHIFTS = (0.0, 1e-10, 1e-8, 1e-6)  # the last for values that were rounded to single precision


def doubt_of(gram: Array) -> float:
    """The least part of sqrt(K(x, x) K(z, z)), of some that are tried, by which each value need be changed at most to
    make these the values of a positive semidefinite kernel; infinite if none of them will do.

    Parameters
    ----------
    gram : ndarray, shape (rows, rows)
        Finite numbers.
    """
    diagonal = np.diagonal(gram)
    if (diagonal < 0).any():
        return inf
    used = diagonal > 0
    if gram[~used].any() or gram[:, ~used].any():  # what has no length has no product
        return inf
    lengths, rows = np.sqrt(diagonal[used]), int(used.sum())
    with np.errstate(over="ignore"):
        scaled = (gram if used.all() else gram[np.ix_(used, used)]) / lengths[:, None] / lengths
    lopsided = float(np.abs(scaled - scaled.T).max(initial=0.0)) / 2
    if not lopsided <= SHIFTS[-1]:
        return inf
    scaled = scaled / 2 + scaled.T / 2
    rounding = 2 * UNIT * rows * (rows + 20)  # twice what is proven; the 20 are for scaling
    for shift in SHIFTS:
        shift = max(shift, rounding)
        np.fill_diagonal(scaled, 1 + shift)
        try:
            np.linalg.cholesky(scaled)
        except np.linalg.LinAlgError:
            continue
        return lopsided + shift + rounding
    return inf
