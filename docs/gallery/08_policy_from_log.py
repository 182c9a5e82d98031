"""
A policy judged from the log of another one
===========================================

A shop showed one of three pages to each visitor, at random, with probabilities that it wrote down. Would another
choice of pages have earned more? The log answers, with intervals, without showing a single page anew.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.bandits import evaluate_policy
from regretless.data.logged import Log

rng = np.random.default_rng(7)
shown, clicks = np.array([0.5, 0.3, 0.2]), np.array([0.05, 0.10, 0.20])
policy = {"0": 0.1, "1": 0.2, "2": 0.7}
truth = float(clicks @ list(policy.values()))
actions = rng.choice(3, 20_000, p=shown)
rewards = rng.random(20_000) < clicks[actions]

# %%
# With more of the log the intervals shrink. The one named *anytime* holds after all numbers of rows at once, so one
# may look as often as one likes and stop when it is enough.

sizes, intervals = [200, 500, 1000, 2000, 5000, 10_000, 20_000], []
for size in sizes:
    log = Log.of(actions[:size], shown[actions[:size]], rewards[:size], least=0.2)
    evaluation = evaluate_policy(log, policy)
    intervals.append((evaluation.estimates["anytime"], evaluation.estimates["dr"]))
print(evaluation.better_than()[0])
for name, one in evaluation.estimates.items():
    print(f"{name:8} {one.value:.4f}, from {one.low:.4f} to {one.high:.4f}")
print(f"the truth {truth:.4f}")

# %%
# Wide bars: the interval at any time. Narrow bars: the usual one, for one look only. Dashed: the truth, and what the
# policy of the log earned.

figure, axes = plt.subplots()
for anytime, once in intervals:
    place = intervals.index((anytime, once))
    axes.plot([place] * 2, [anytime.low, anytime.high], color="C0", linewidth=8, alpha=0.4, solid_capstyle="butt",
              label="at any time" if place == 0 else None)  # fmt: skip
    axes.plot([place] * 2, [once.low, once.high], color="C0", linewidth=2, label="for one look" if place == 0 else None)
axes.axhline(truth, color="C2", linestyle="--", label="the truth")
axes.axhline(rewards.mean(), color="C3", linestyle=":", label="the policy of the log")
axes.set(xlabel="rows of the log", ylabel="clicks a visitor", xticks=range(len(sizes)), ylim=(0, 0.4))
axes.set_xticklabels([f"{size:,}" for size in sizes], rotation=30)
axes.legend()
plt.show()
