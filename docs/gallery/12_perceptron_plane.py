"""
The perceptron's worst case in the plane
========================================

If some unit vector separates the rows with margin gamma and none is longer than R, the perceptron makes at most
(R/gamma)\u00b2 updates. The rows below drive it to half of that in only two columns: each row points a little along
the separating direction, and far to the side on which the weights are not.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.linear import Perceptron


def rows_of(gamma):
    """Rows of length at most 1, all labelled 1, that the vector (1, 0) separates with margin gamma."""
    side = np.sqrt(1 - gamma**2)
    count = int(side**2 / (2 * gamma**2))
    return np.array([[gamma, side / 2 if k == 0 else side * (-1) ** k] for k in range(count)])


gammas, updates, bounds = [0.3, 0.2, 0.1, 0.05, 0.02, 0.01], [], []
for gamma in gammas:
    X = rows_of(gamma)
    learner = Perceptron().partial_fit(X, np.ones(len(X)), classes=[-1, 1])
    (line,) = (one for one in learner.certify(X, np.ones(len(X)), against=[1.0, 0.0])
               if one.theorem.title == "Separable data")  # fmt: skip
    updates.append(line.observed)
    bounds.append(line.bound)
    share = line.observed / line.bound
    print(f"gamma {gamma:<5} updates {line.observed:6,.0f} <= {line.bound:9,.0f}, a share of {share:.3f}")

# %%
# Above: the path of the weights for gamma = 0.1. They zigzag, and gain gamma to the right with each update. Below:
# the updates stay at half of the bound, however small the margin. In more columns the bound is attained:
# ``regretless.environments.Orthonormal`` asks for that many.

path = np.vstack([[0, 0], np.cumsum(rows_of(0.1), axis=0)])
figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 5.4))
top.plot(*path.T, "o-", markersize=2, linewidth=0.8)
top.set(xlabel="first weight", ylabel="second weight")
bottom.loglog(gammas, bounds, "--", label="bound")
bottom.loglog(gammas, updates, "o-", label="updates")
bottom.set(xlabel="margin gamma", ylabel="updates")
bottom.legend()
plt.show()
