"""
The maximum margin by self-play
===============================

A player picks a row, another picks a column of features, and the payoff is the row's label times the feature. The
value of that game is the largest margin that weights of sum 1 can have on all rows. Two learners that play it find
the weights, and their regrets say how near they are. This is boosting.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.games import boost, boosting_game

rng = np.random.default_rng(20)
X = rng.normal(size=(200, 2))
y = np.where(X[:, 0] + X[:, 1] > 0.3, 1, -1)
X += 0.3 * y[:, None]
cuts = np.linspace(-2, 2, 17)
stumps = np.column_stack([np.where(X[:, k] > cut, 1, -1) for k in (0, 1) for cut in cuts])  # a column a stump

game = boosting_game(stumps, y)
print(f"the largest margin, by the simplex method: {game.value:.5f}")

# %%
rounds, margins, edges = [10, 30, 100, 300, 1000, 3000, 10_000], [], []
for count in rounds:
    ensemble = boost(game, rounds=count)
    margins.append(ensemble.margin)
    edges.append(ensemble.edge)
print(f"after {count:,} rounds the margin is {ensemble.margin:.5f}, the edge {ensemble.edge:.5f}")
for line in ensemble.certificates:
    print(line)

# %%
# The largest margin lies between what the weights on the stumps reach (below) and the best edge of a stump against
# the weights on the rows (above), in every round: that is weak duality.

figure, axes = plt.subplots(figsize=(5.2, 3.8))
axes.fill_between(rounds, margins, edges, alpha=0.25, linewidth=0)
axes.semilogx(rounds, edges, "o-", color="C0", label="best edge against the weights of rows")
axes.semilogx(rounds, margins, "s-", color="C2", label="margin of the weighted stumps")
axes.axhline(game.value, color="C1", linestyle="--", label="value of the game")
axes.set(xlabel="rounds of self-play", ylabel="margin")
figure.legend(loc="outside upper left")
plt.show()
