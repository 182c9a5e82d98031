"""
A portfolio without a forecast
==============================

Each day's price relatives (price today over price yesterday) multiply the wealth that lies in each stock. ``EG`` puts
weights on the stocks and moves them a little towards those that did well. Nothing is assumed of the market: the bound
is against the best portfolio that is rebalanced to the same shares every day, known in hindsight.

The market is made here: two stocks that jump up and down in opposite ways, and one that grows slowly.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.experts import EG

rng = np.random.default_rng(5)
days = 1500
jump = np.where(np.arange(days) % 2 == 0, 1.25, 0.8) * np.exp(rng.normal(0, 0.03, days))
relatives = np.column_stack([jump, 1 / jump * np.exp(rng.normal(0, 0.02, days)), np.exp(rng.normal(2e-4, 0.01, days))])

# %%
learner = EG(eta=0.05)
played = learner.play(relatives)
for line in learner.certify(relatives):
    print(line)
print("weights on the last day:", learner.weights.round(3))

# %%
# No stock alone ends above three times where it began. The best constantly rebalanced portfolio (here: half in each of
# the two that jump, nearly) grows fast, since it sells what rose and buys what fell. So does ``EG``, whose logarithm of
# wealth stays behind by the regret above, 8.1 of 38; its wealth is a three-thousandth of that of the best.

half = relatives @ [0.5, 0.5, 0.0]
figure, axes = plt.subplots()
axes.semilogy(np.cumprod(half), "--", color="C2", label="half in each of the two that jump")
axes.semilogy(np.cumprod(played.predictions), color="C0", label="EG")
for k, name in enumerate(["stocks alone", None, None]):
    axes.semilogy(np.cumprod(relatives[:, k]), color="C7", linewidth=0.7, label=name)
axes.set(xlabel="days", ylabel="wealth, of 1 at the start")
axes.legend()
plt.show()
