"""
StarCraft bots, ranked by an equilibrium
========================================

A round robin of bots gives a table: how often the bot of the row beats the bot of the column. The mean of a row is a
poor ranking, since many weak bots in the field reward one that beats weak bots. The equilibrium of the table as a game
asks something else: which bots would one enter if the opponent could choose as well? Copies of a bot change nothing.

The environment variable ``REGRETLESS_BOTS`` may name a ``.npz`` file with an array ``A`` of payoffs, antisymmetric;
otherwise a table of the same shape is made here.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from regretless.games import MatrixGame

path = os.environ.get("REGRETLESS_BOTS")
if path:
    A = np.load(path, allow_pickle=True)["A"].astype(float)
else:
    rng = np.random.default_rng(9)
    strength, style = rng.normal(size=30), rng.uniform(0, 2 * np.pi, 30)
    edge = strength[:, None] - strength + 2.0 * np.sin(style[:, None] - style)  # styles beat each other in a circle
    A = np.tanh(edge / 2)  # wins less losses, a game
names = [f"bot {k + 1}" for k in range(len(A))]
print(f"{len(A)} bots,", f"of {path}" if path else "made in place")

# %%
game = MatrixGame(A, rows=names, cols=names)
solution = game.solve()
print(f"value {solution.value:.2e}, gap {solution.gap:.1e}, {len(solution.row_support())} of {len(A)} bots are played")
for line in solution.certificates:
    print(line)

# %%
# Each point is a bot: its mean payoff against all, and what it earns against the equilibrium (0 at best). Large
# points are played. A bot may look good on the mean and lose against the few that matter.

mean, against, chance = A.mean(axis=1), A @ solution.column, solution.row
figure, axes = plt.subplots()
axes.scatter(mean, against, s=15 + 600 * chance, alpha=0.6)
for place, k in enumerate(sorted(np.argsort(-chance)[:3], key=lambda k: mean[k])):
    below = -22 - 16 * (place % 2)
    axes.annotate(names[k], (mean[k], against[k]), xytext=(0, below), textcoords="offset points", ha="center")
axes.axhline(0, color="C7", linewidth=0.8)
axes.set(xlabel="mean payoff against all bots", ylabel="payoff against the equilibrium", ylim=(None, 0.12))
plt.show()
