"""
When the truth changes
======================

Labels come from a line that is replaced every 3,000 rows. A perceptron adds up all that it ever saw, and an averaged
one even more so. Combining perceptrons of different ages with ``FixedShare`` follows the changes, with a bound
against the best sequence of experts that switches three times.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.experts import FixedShare
from regretless.linear import AveragedPerceptron

rng = np.random.default_rng(2)
part, parts, block = 3000, 4, 50
rounds = part * parts
X = rng.normal(size=(rounds, 10))
truth = rng.normal(size=(parts, 10)).repeat(part, axis=0)
y = np.sign((truth * X).sum(axis=1))


def predictions(X, y):
    """What an averaged perceptron says of each row before it learns it, in blocks."""
    learner = AveragedPerceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    for k in range(0, len(y), block):
        yield from learner.predict(X[k : k + block])
        learner.partial_fit(X[k : k + block], y[k : k + block])


# %%
# Every 1,000 rows a new perceptron starts. Before its start it is silent: its cells are nan.

advice = np.full((rounds, rounds // 1000), np.nan)
for k in range(advice.shape[1]):
    advice[1000 * k :, k] = list(predictions(X[1000 * k :], y[1000 * k :]))
share = FixedShare(loss="zero-one")
played = share.play(advice, y)
for line in share.certify(advice, y, switches=[3]):
    print(line)

# %%
# The picture has the share of mistakes in windows of 250 rows. The first perceptron never recovers from a change; the
# combination does, as soon as an expert has started that knows only the new truth.

windows = np.arange(250, rounds + 1, 250)
figure, axes = plt.subplots(figsize=(5.2, 3.8))
for name, wrong in {"the first perceptron": advice[:, 0] != y, "combined": np.sign(played.predictions) != y}.items():
    axes.plot(windows, 100 * wrong.reshape(-1, 250).mean(axis=1), label=f"{name}, {100 * wrong.mean():.1f} % in all")
for k in range(1, parts):
    axes.axvline(k * part, color="C3", linestyle=":", label="the truth changes" if k == 1 else None)
axes.set(xlabel="rows", ylabel="mistakes in a window, in %")
figure.legend(loc="outside upper left")
plt.show()
