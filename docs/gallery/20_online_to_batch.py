"""
From online to batch: an error bound on rows to come
====================================================

If the rows are independent draws, the mistakes of one pass, each made before its label was seen, say how often the
learner will err on rows to come. No test set is needed: every row is used for learning, and for testing just before.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.linear import VotedPerceptron

rng = np.random.default_rng(19)


def draws(count):
    """Rows with three columns of use and seven of none; labels are noisy."""
    X = rng.normal(size=(count, 10))
    return X, np.where(X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=count) > 0, 1, -1)


X, y = draws(10_000)
sizes, lines, fresh = [100, 300, 1000, 3000, 10_000], [], []
X_new, y_new = draws(10_000)  # to look at the truth, which is not known in practice
for size in sizes:
    learner = VotedPerceptron().fit(X[:size], y[:size])
    average, vote = learner.certify_risk(delta=0.05)
    lines.append(average)
    fresh.append(1 - learner.score(X_new, y_new))
print(average)
print(vote)
print(f"error of the vote on {len(y_new):,} fresh rows: {fresh[-1]:.4f}")

# %%
# The bound comes down to the mistakes of the pass as rows are added. It is about the mean of the hypotheses of the
# pass; the vote over all of them errs less here.

figure, axes = plt.subplots()
axes.semilogx(sizes, [one.bound for one in lines], "--", label="bound, with probability 95 %")
axes.semilogx(sizes, [one.observed for one in lines], "o-", label="mistakes of the pass")
axes.semilogx(sizes, fresh, "s-", label="the vote, on fresh rows")
axes.set(xlabel="rows learned", ylabel="share of errors", ylim=(0, None))
axes.legend()
plt.show()
