"""
Choosing a solver as a bandit
=============================

Five solvers can be run on each of a row of problems; only the one that runs shows its time. Which is best depends on
the problem, and problems of one kind come in series, so losses are no independent draws. An adversarial bandit has a
bound all the same.

The environment variable ``REGRETLESS_SOLVERS`` may name a ``.npz`` file with an array ``cost`` (problems, solvers);
otherwise the times are made here.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from regretless.bandits import EXP3S, UCB1, Exp3IX, TsallisINF, simulate

path = os.environ.get("REGRETLESS_SOLVERS")
if path:
    seconds = np.load(path, allow_pickle=True)["cost"].astype(float)
else:
    rng = np.random.default_rng(6)
    hardness = np.exp(rng.normal(2.0, 1.0, (3000, 1)))
    skill = rng.choice([0.4, 1.0, 2.5], (10, 5), p=[0.2, 0.5, 0.3]).repeat(300, axis=0)  # ten series of 300
    skill[:, 2] *= 0.7  # one solver is better than the others on the whole
    seconds = np.minimum(hardness * skill * np.exp(rng.normal(0, 0.4, (3000, 5))), 60.0)
losses = np.log1p(seconds) / np.log1p(seconds.max())  # between 0 and 1
print(f"{len(losses)} problems, {losses.shape[1]} solvers,", f"of {path}" if path else "made in place")

# %%
# Each bandit plays 30 times with other random numbers; the losses are the same.

runs = {}
rounds, arms = losses.shape
learners = (
    Exp3IX(arms, horizon=rounds, seed=0),
    TsallisINF(arms, seed=0),
    EXP3S(arms, horizon=rounds, switches=9, seed=0),
    UCB1(arms, seed=0),
)
for learner in learners:
    runs[type(learner).__name__] = pulls = simulate(learner, losses, runs=30)
    print(f"{type(learner).__name__}: a mean loss of {pulls.losses.mean() / rounds:.4f} a problem")
    print("   ", str(pulls.certificates()[0]).partition("  [")[0])

# %%
# Each point is the mean loss of a run, each line that of a solver which runs on all problems. ``EXP3S``, whose bound
# is against sequences of arms, follows the series. ``UCB1`` does well here, but its theorem presumes independent
# draws: nothing is promised of it on such losses.

figure, axes = plt.subplots()
alone = losses.mean(axis=0)
axes.hlines(alone, -0.5, 3.5, color="C7", linewidth=0.8, label="a solver on all problems")
axes.axhline(alone.min(), color="C2", linestyle="--", label="the best of them")
for place, pulls in enumerate(runs.values()):
    axes.plot(np.full(30, place) + np.linspace(-0.2, 0.2, 30), pulls.losses / rounds, "o", markersize=3)
axes.set(ylabel="loss a problem", xticks=range(4), xticklabels=runs, xlim=(-0.5, 3.5))
axes.legend(loc="upper left")
axes.margins(y=0.3)
plt.show()
