"""
Without the horizon: doubling, or a rate that falls
===================================================

Hedge has the best bound if its rate is tuned to the number of rounds. If nobody knows that number, it can be guessed:
1, 2, 4, ... and a restart each time. Or the rate falls with the rounds. Both cost a constant factor.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.experts import AdaHedge, Doubling, Hedge

rng = np.random.default_rng(17)
rounds, experts = 4096, 8
losses = rng.random((rounds, experts)) < 0.5 - 0.03 * (np.arange(experts) == 3)  # one expert is slightly better
losses = losses.astype(float)
learners = {
    "tuned to the horizon": Hedge(horizon=rounds),
    "doubling": Doubling(Hedge()),
    "anytime rate": Hedge(),
    "AdaHedge": AdaHedge(loss=None),
}

# %%
regrets = {}
for name, learner in learners.items():
    played = learner.play(losses)
    regrets[name] = np.cumsum(played.losses) - np.cumsum(losses, axis=0).min(axis=1)
    line = next(one for one in learner.certify(losses) if one.applies)
    print(f"{name:22}", str(line).partition("  [")[0])

# %%
# Regret against the best expert so far. The restarts of doubling, dotted, are where it forgets all it knew. The upper
# dashed line is the bound of a tuned rate at its horizon, sqrt(T ln(K) / 2).

figure, axes = plt.subplots(figsize=(5.2, 3.8))
for k in range(7, 12):
    axes.axvline(2**k, color="C7", linewidth=0.6, linestyle=":")
for name, regret in regrets.items():
    axes.plot(np.arange(1, rounds + 1), regret, label=name)
axes.axhline(np.sqrt(rounds * np.log(experts) / 2), color="C7", linestyle="--", label="tuned bound")
axes.set(xlabel="rounds", ylabel="regret")
figure.legend(loc="outside upper left", ncols=2)
plt.show()
