"""
A bandit against an adversary
=============================

The adversary lets the arm that is most likely to be drawn lose. ``UCB1`` is meant for losses by chance and chooses
without drawing lots, so it loses every round. Bandits that draw lots lose about one round in three: the arm that
loses is one of three.
"""

import matplotlib.pyplot as plt

from regretless.bandits import UCB1, Exp3, TsallisINF, simulate
from regretless.environments import Bernoulli, LikeliestLoses

arms, rounds = 3, 2000
worlds = {"adversary": LikeliestLoses(arms), "coins": Bernoulli([0.3, 0.5, 0.5])}
learners = (UCB1(arms, seed=0), Exp3(arms, horizon=rounds, seed=0), TsallisINF(arms, seed=0))
pulls = {}
for place, world in worlds.items():
    for learner in learners:
        name = type(learner).__name__
        pulls[place, name] = simulate(learner, world, rounds=rounds, runs=20)
        for line in pulls[place, name].certificates()[:1]:
            print(f"{place}, {name}: {str(line).partition('  [')[0]}")

# %%
# The mean loss of each bandit in both worlds. ``UCB1`` is good against coins alone. ``TsallisINF`` loses least there,
# and about as little as ``Exp3`` against the adversary; its bound is about any losses, and no smaller against coins.

figure, axes = plt.subplots()
for shift, place in ((-0.2, "adversary"), (0.2, "coins")):
    means = [pulls[place, type(one).__name__].losses.mean() / rounds for one in learners]
    bars = axes.bar([k + shift for k in range(3)], means, width=0.36, label=f"against {place}")
    axes.bar_label(bars, fmt="%.2f")
axes.set(ylabel="loss a round", xticks=range(3), ylim=(0, 1.25))
axes.set_xticklabels([type(one).__name__ for one in learners])
axes.legend(loc="upper right")
plt.show()
