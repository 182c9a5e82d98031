"""
Electricity prices, ten forecasts combined
==========================================

Ten models forecast the price of each hour of the next day. Which is best changes with the season, and no one knows in
advance. A combiner weighs them by how they did; its bound is against the best fixed average of all ten.

The environment variable ``REGRETLESS_PRICES`` may name a CSV file (``.csv`` or ``.csv.xz``) whose columns are a time,
the price and the forecasts; otherwise prices of the same shape are made here.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from regretless.experts import MLPoly

path = os.environ.get("REGRETLESS_PRICES")
if path:
    import pandas as pd

    table = pd.read_csv(path).dropna()
    prices, forecasts = table.iloc[:, 1].to_numpy(float), table.iloc[:, 2:].to_numpy(float)
else:
    rng = np.random.default_rng(3)
    hours = np.arange(24 * 300)
    prices = 45 + 12 * np.sin(hours * np.pi / 12) + 8 * np.sin(hours * np.pi / 84) + rng.normal(0, 4, hours.size)
    season = np.sin(hours[:, None] / 1150 + np.arange(10))  # each model has its months
    forecasts = prices[:, None] + 3 * season + rng.normal(0, 3, (hours.size, 10)) * (1.4 + season)
print(f"{len(prices)} hours,", f"of {path}" if path else "made in place")

# %%
learner = MLPoly(loss="square")
played = learner.play(forecasts, prices)
(line, *_) = learner.certify(forecasts, prices)
print(line)

rmse = np.sqrt(((forecasts - prices[:, None]) ** 2).mean(axis=0))
ours = np.sqrt(played.losses.mean())
print(f"root mean square error: best model {rmse.min():.2f}, plain average "
      f"{np.sqrt(((forecasts.mean(axis=1) - prices) ** 2).mean()):.2f}, combined {ours:.2f}")  # fmt: skip

# %%
# Above: the error of each model alone and of the combination. Below: the weights of the models over the hours,
# learned from the past alone.

replay, weights = MLPoly(loss="square", n_experts=10), []
for k in range(0, len(prices), 24 * 5):
    replay.play(forecasts[k : k + 24 * 5], prices[k : k + 24 * 5])
    weights.append(replay.weights)
figure, (top, bottom) = plt.subplots(2, 1, height_ratios=[1, 1.2], figsize=(5.2, 5))
top.bar(range(10), np.sort(rmse), color="C7", label="models alone")
top.axhline(ours, color="C0", label="combined")
top.set(
    xlabel="models, from the best to the worst", ylabel="root mean\nsquare error", xticks=[], ylim=(0, 1.5 * rmse.max())
)
top.legend(loc="upper left", ncols=2)
bottom.stackplot(np.arange(len(weights)) * 5, np.transpose(weights), linewidth=0)
bottom.set(xlabel="days", ylabel="weights", ylim=(0, 1))
plt.show()
