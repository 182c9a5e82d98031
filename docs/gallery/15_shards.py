"""
Eight shards on two engines
===========================

Rows that lie in eight places are learned where they are; from time to time the weights are averaged. Here the same
work is done by this process, one shard after the other, and by a pool of two threads (a pool of processes, Dask or
Spark would do as well). The result has the same bits.
"""

from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np

from regretless.distributed import mix
from regretless.linear import AveragedPerceptron

rng = np.random.default_rng(14)
X, u = rng.normal(size=(16_000, 20)), rng.normal(size=20)
y = np.where(X @ u + 0.3 * rng.normal(size=16_000) > 0, 1, -1)
shards = [(X[k::8], y[k::8]) for k in range(8)]

alone = mix(AveragedPerceptron(), shards, epochs=6)
with ThreadPoolExecutor(2) as pool:
    pooled = mix(AveragedPerceptron(), shards, pool, epochs=6)
print("the same weights, bit for bit:", alone.learner.coef_.tobytes() == pooled.learner.coef_.tobytes())
print(pooled)
for line in pooled.certify()[:3]:
    print(line)

# %%
# Mixing all eight at once learns less in an epoch than one pass over all rows, since each shard begins anew from the
# mean; mixing two at a time learns more, and takes more messages.

figure, axes = plt.subplots()
for together, label in ((None, "all eight at once"), (2, "two at a time"), (1, "one after the other")):
    history = mix(AveragedPerceptron(), shards, epochs=6, together=together).history
    axes.plot(range(1, 7), [100 * one.mistakes / 16_000 for one in history], "o-", label=label)
axes.set(xlabel="epoch", ylabel="mistakes in it, in % of the rows")
axes.legend(title="shards that are mixed")
plt.show()
