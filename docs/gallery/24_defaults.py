"""
The default learner against every other one's default
=====================================================

All learners of two labels, as they come, on three streams: rows in nice units, the same rows with every column in
another unit, and a truth that changes half way. ``aggregated`` is what ``regretless learn`` takes if nothing is said.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.catalogue import LEARNERS, learner_class

rng = np.random.default_rng(23)
rounds = 4000
X = rng.normal(size=(rounds, 12))
u, v = rng.normal(size=(2, 12))
noise = 0.5 * rng.normal(size=rounds)
y = np.where(X @ u + noise > 0, 1, -1)
changed = np.where(np.arange(rounds) < rounds // 2, X @ u, X @ v) + noise
streams = {
    "nice units": (X, y),
    "odd units": (X * np.logspace(-3, 3, 12), y),
    "a change": (X, np.where(changed > 0, 1, -1)),
}

# %%
# Mistakes are counted before each row is learned. Winnow wants a rate or a margin, and kernels keep rows, so these
# two are left out, as are learners that ask for few labels.

left_out = {"winnow", "kernel-perceptron", "selective-perceptron"}
rates = {}
for name in LEARNERS:
    if name not in left_out:
        runs = [learner_class(name)().partial_fit(*stream, classes=[-1, 1]) for stream in streams.values()]
        rates[name] = [100 * float(one.ledger_.mistakes) / rounds for one in runs]
print(f"{'mistakes in %':26}", *(f"{name:>10}" for name in streams))
for name, row in sorted(rates.items(), key=lambda one: sum(one[1])):
    print(f"{name:26}", *(f"{rate:10.2f}" for rate in row))

# %%
# No learner is best everywhere; the mixture is near the best on each, and needs no units.

figure, axes = plt.subplots(figsize=(5.2, 4.4))
order = sorted(rates, key=lambda one: -sum(rates[one]))
for place, stream in enumerate(streams):
    axes.plot([rates[name][place] for name in order], range(len(order)), "os^"[place], label=stream)
axes.set(xlabel="mistakes, in %", yticks=range(len(order)))
axes.set_yticklabels(order)
axes.grid(axis="y", alpha=0.3)
figure.legend(loc="outside upper left", ncols=3)
plt.show()
