"""
Certificates that bite, and certificates that do not
====================================================

The same learner with the same theorems on three streams. A bound is only as good as what it is read on: it is small
if some vector explains the rows well, with a length that is not too large.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.linear import Perceptron

rng = np.random.default_rng(13)
X = rng.normal(size=(2000, 5))
X /= np.linalg.norm(X, axis=1, keepdims=True)
score = X @ [0.6, -0.8, 0, 0, 0]
wide = np.abs(score) > 0.2
streams = {"wide margin": (X[wide], np.sign(score[wide]))}
one_off = X[wide].copy()
one_off[7] *= 1000  # one row was recorded in other units
streams["one huge row"] = (one_off, np.sign(score[wide]))
flipped = np.sign(score) * np.where(rng.random(2000) < 0.3, -1, 1)
streams["noisy labels"] = (X, flipped)

best = {}
for name, (rows, labels) in streams.items():
    learner = Perceptron().fit(rows, labels)
    best[name] = {one.theorem.title: one for one in learner.certify(rows, labels)}
    print(f"{name}:")
    for line in best[name].values():
        print("   ", str(line).partition("  [")[0])

# %%
# * **Wide margin**: the bound on separable data says (R/gamma)² and is far below the number of rounds. It bites.
# * **One huge row**: R is the length of the longest row, so that bound is multiplied by a million; bounds that add
#   up the lengths of rows that were updated on suffer only if the huge row is one of them. Scaling is the cure, or a
#   learner that needs no units.
# * **Noisy labels**: nothing separates the rows, so that theorem does not apply, and says so; the others are read
#   against the best vector found, and count the losses that even this vector has.

figure, axes = plt.subplots(figsize=(5.2, 3.8))
titles = ["Separable data", "Sharp hinge bound", "Posterior bound"]
for k, title in enumerate(titles):
    bounds = [lines[title].bound if lines[title].applies else np.nan for lines in best.values()]
    axes.plot(
        np.arange(3) + 0.2 * (k - 1), bounds, "_", markersize=18, markeredgewidth=3, color=f"C{k + 1}", label=title
    )
axes.plot(range(3), [lines["Posterior bound"].observed for lines in best.values()], "o", color="C0", label="updates")
axes.plot(range(3), [len(rows) for rows, _ in streams.values()], "x", color="C7", label="rounds")
axes.set(yscale="log", xticks=range(3), xticklabels=best, xlim=(-0.5, 2.5), ylabel="updates, and their bounds")
figure.legend(loc="outside upper left", ncols=2)
plt.show()
