"""
Winnow against the perceptron on a sparse target
================================================

The label is the majority of 3 of n columns of signs; all others are noise. Winnow multiplies its weights, and makes a
number of updates that grows with ln n; the perceptron adds, and needs a number that grows with n.
"""

import matplotlib.pyplot as plt

from regretless.environments import SparseTarget
from regretless.linear import Perceptron, Winnow

columns, rounds = [10, 30, 100, 300, 1000, 3000], 3000
updates, bounds = {"Winnow": [], "Perceptron": []}, {"Winnow": [], "Perceptron": []}
for n in columns:
    rows, labels = SparseTarget(columns=n, seed=1).block(0, rounds)
    for learner in (Winnow(rate=1.0), Perceptron()):
        name = type(learner).__name__
        learner.partial_fit(rows, labels, classes=[-1, 1])
        lines = [one for one in learner.certify(rows, labels) if one.applies and one.quantity == "updates"]
        best = min(lines, key=lambda one: one.bound)
        updates[name].append(int(learner.ledger_.updates))
        bounds[name].append(best.bound)
print(f"{'columns':>12}", *(f"{n:>6}" for n in columns))
for name in updates:
    print(f"{name:>12}", *(f"{k:>6}" for k in updates[name]), " updates")
    print(f"{'bound':>12}", *(f"{k:>6.0f}" for k in bounds[name]))

# %%
# Both axes are logarithmic: Winnow's line is nearly flat, the perceptron's rises until there are too few rows to
# learn from. Dashed: the least of each learner's bounds on these rows.

figure, axes = plt.subplots()
for k, name in enumerate(updates):
    axes.loglog(columns, updates[name], "o-", color=f"C{k}", label=name)
    axes.loglog(columns, bounds[name], "--", color=f"C{k}", label=f"bound of {name}")
axes.set(xlabel="columns", ylabel=f"updates in {rounds:,} rounds")
axes.legend()
plt.show()
