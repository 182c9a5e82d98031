"""
Intervals that keep their promise under a shock
===============================================

Nine of ten outcomes shall lie inside their intervals. One set of intervals has a width that was right for the first
half of the data; then the noise triples. The other adapts its level after every round, and a theorem about *any*
sequence bounds how far the share of misses is from one in ten.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.intervals import AdaptiveIntervals

rng = np.random.default_rng(4)
rounds = 4000
noise = np.where(np.arange(rounds) < rounds // 2, 1.0, 3.0)
outcomes = np.sin(np.arange(rounds) / 100) * 5 + rng.normal(size=rounds) * noise
forecasts = np.sin(np.arange(rounds) / 100) * 5

# %%
adaptive = AdaptiveIntervals(coverage=0.9)
low, high = adaptive.play(forecasts, outcomes)
print(adaptive.certify()[0])

fixed = np.quantile(np.abs(outcomes - forecasts)[:500], 0.9)  # the first 500 errors decide
inside = {"adaptive": (low <= outcomes) & (outcomes <= high), "fixed": np.abs(outcomes - forecasts) <= fixed}
for name, one in inside.items():
    print(f"{name:9} covers {100 * one[:2000].mean():.1f} % before the shock, {100 * one[2000:].mean():.1f} % after it")

# %%
# Above: the share of outcomes inside, in windows of 200 rounds. Below: outcomes around the shock and the adaptive
# intervals, which widen within some dozens of rounds.

figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 5))
for name, one in inside.items():
    top.plot(np.arange(200, rounds + 1, 200), 100 * one.reshape(-1, 200).mean(axis=1), label=name)
top.axhline(90, linestyle="--", color="C7", label="wanted")
top.set(xlabel="rounds", ylabel="inside, in %", ylim=(0, 102))
top.legend(loc="lower left")
near = slice(1900, 2200)
bottom.fill_between(np.arange(rounds)[near], low[near], high[near], alpha=0.4, color="C0", linewidth=0)
bottom.plot(np.arange(rounds)[near], outcomes[near], ".", color="C1", markersize=3)
bottom.set(xlabel="rounds", ylabel="outcome")
plt.show()
