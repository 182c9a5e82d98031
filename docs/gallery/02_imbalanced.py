"""
Rare events in a stream that drifts
===================================

One row in fifty is a fraud, and what frauds look like changes half way. A learner that always says "no" is right in
98 of 100 rows, so the share of mistakes says little; the log loss of the probabilities says more, and so does how
many frauds are among the rows that look worst.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.linear import AggregatedClassifier

rng = np.random.default_rng(1)
rounds, columns = 20_000, 8
fraud = rng.random(rounds) < 0.02
X = rng.normal(size=(rounds, columns))
X[: rounds // 2][fraud[: rounds // 2], 0] += 3  # before the change, frauds have a large first column
X[rounds // 2 :][fraud[rounds // 2 :], 1] += 3  # after it, a large second one
y = fraud.astype(int)

# %%
# The rows are learned in blocks of 100; the probabilities of a block are those before it is learned.

learner = AggregatedClassifier().partial_fit(X[:100], y[:100], classes=[0, 1])
chance = np.full(rounds, np.nan)
for k in range(100, rounds, 100):
    chance[k : k + 100] = learner.predict_proba(X[k : k + 100])[:, 1]
    learner.partial_fit(X[k : k + 100], y[k : k + 100])

print(next(one for one in learner.certify(X, y) if one.theorem.title == "Aggregation"))
share = fraud.mean()
print(f"the best constant probability loses {-rounds * (share * np.log(share) + (1 - share) * np.log(1 - share)):.0f}")

# %%
# Of each 1,000 rows the 5 % that look worst are set apart. Right after the change the learner looks for the wrong
# thing; some thousand rows later it has learned the new pattern. The dashed line is what chance would find.

caught = []
for k in range(1000, rounds, 1000):
    worst = k + np.argsort(chance[k : k + 1000])[-50:]
    caught.append((k + 1000, 100 * fraud[worst].sum() / fraud[k : k + 1000].sum()))
figure, axes = plt.subplots(figsize=(5.2, 3.8))
axes.plot(*np.transpose(caught), "o-", label="among the worst 5 % of rows")
axes.axhline(5, linestyle="--", color="C1", label="if rows were picked by chance")
axes.axvline(rounds / 2, color="C3", linestyle=":", label="frauds change")
axes.set(xlabel="rows", ylabel="frauds caught, in %", ylim=(0, 105))
figure.legend(loc="outside upper left")
plt.show()
